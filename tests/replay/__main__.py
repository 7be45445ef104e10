"""`make tokens`: replays every recording and counts what its prompts and answers cost.

With --renew the recorded answers are given whatever the tools say, and what they say is recorded anew: for a
change of a library that is meant to change what scripts print. Read the difference before you commit it.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from sandbox.docker import DockerSandbox
from sandbox.policyfile import load_policies
from storage.records import RunStatus
from tests.replay.replay import RECORDINGS, recordings, replay

TARGET = Path("build/bench/tokens.json")


async def count(*, renew: bool) -> dict[str, dict[str, float]]:
    counts: dict[str, dict[str, float]] = {}
    for recording in recordings():
        with tempfile.TemporaryDirectory(prefix="deckhand-") as folder:
            root = Path(folder)
            async with DockerSandbox(load_policies(), root=root / "sandbox", install="tokens") as sandbox:
                replayed = await replay(recording, root, sandbox, strict=not renew)
        if replayed.run.status is not RunStatus.FINISHED or replayed.player.differences:
            sys.exit(f"{recording.name} went another way:\n" + "\n".join(replayed.player.differences))
        if renew:
            order = [(e.asker, e.said) for e in recording.exchanges]
            lines = sorted(replayed.player.now, key=lambda e: order.index((e.asker, e.said)))
            path = RECORDINGS / recording.name / "exchanges.jsonl"
            path.write_text("".join(f"{line.dump()}\n" for line in lines), encoding="utf-8")
        counts[recording.name] = replayed.player.counts()
    return counts


def main() -> None:
    counts = asyncio.run(count(renew="--renew" in sys.argv))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    columns = ("calls", "input", "output", "cached", "total", "seconds")
    lines = [f"{'task':16}" + "".join(f"{column:>10}" for column in columns)]
    lines += [
        f"{name:16}" + "".join(f"{row[column]:>10,}" for column in columns) for name, row in counts.items()
    ]
    sys.stdout.write("\n".join([*lines, f"tokens are characters / 4; written to {TARGET}"]) + "\n")


if __name__ == "__main__":
    main()
