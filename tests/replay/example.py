"""Makes examples/titanic anew: the recorded run through the command line, its folder, and a picture of it."""

import asyncio
import io
import json
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.e2e.product import ROOT, Product
from tests.replay.player import play
from tests.replay.replay import RECORDINGS, Recording

TARGET = ROOT / "examples" / "titanic"
KEPT = ("events.jsonl", "trace.jsonl", "plan.md", "code", "out")
OURS = ("_todo.py", "check", "check_results.py", "rendering")
"""Of the folder, what no model wrote: steps of the host between the todos."""
WIDTH = 110
"""Characters of the picture's lines."""


async def make() -> str:
    """The words of the terminal."""
    recording = Recording.load(RECORDINGS / "titanic")
    with tempfile.TemporaryDirectory(prefix="deckhand-") as folder:
        async with play(recording.exchanges) as player:
            assert player.endpoint is not None
            product = Product(Path(folder), player.endpoint.url)
            process = await product.start("ask", str(recording.files[0]), recording.request)
            out, err = await process.communicate()
        if process.returncode or player.differences:
            sys.exit("the run went another way:\n" + "\n".join(player.differences) + err.decode())
        for name in KEPT:
            old, new = TARGET / name, product.run_folder() / name
            shutil.rmtree(old, ignore_errors=True)
            old.unlink(missing_ok=True)
            if new.is_dir():
                shutil.copytree(new, old, ignore=shutil.ignore_patterns(*OURS))
            else:
                shutil.copy(new, old)
    command = f"$ deckhand ask {recording.files[0].name} {json.dumps(recording.request, ensure_ascii=False)}"
    return f"{command}\n{err.decode()}\n{out.decode()}"


def draw(words: str) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    for line in words.splitlines():
        style = "bold" if line.startswith("$") else "green" if line.startswith("●") else ""
        console.print(Text(line, style=style))
    console.save_svg(str(TARGET / "run.svg"), title="deckhand")


def main() -> None:
    draw(asyncio.run(make()))
    sys.stdout.write(f"{TARGET} is new\n")


if __name__ == "__main__":
    main()
