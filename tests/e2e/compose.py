"""Proves deploy/compose.yaml: from `deploy/up.sh` and a token to a healthy bot and a deck in the chat.

`make compose` runs it, with a Bot API server of our own in Telegram's place. It prints seconds as JSON.
"""

import asyncio
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.product import ROOT, free_port
from tests.fakes.botapi import BotApi

SAMPLE = ROOT / "examples" / "titanic" / "titanic.csv"
REQUEST = "Explore this data and make a deck with charts: who survived?"
OVERRIDE = """
services:
  bot:
    extra_hosts: ["api.test:host-gateway"]
"""


@asynccontextmanager
async def within_reach(port: int) -> AsyncGenerator[int]:
    """The port of this machine, which only listens on loopback, on the engine's side of it too."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, here), pump(there, writer), return_exceptions=True)

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while chunk := await source.read(1 << 16):
                target.write(chunk)
                await target.drain()
        finally:
            target.close()

    inspected = await run(
        "docker", "network", "inspect", "bridge", "-f", "{{(index .IPAM.Config 0).Gateway}}"
    )
    async with await asyncio.start_server(pass_on, inspected.strip(), 0) as server:
        yield server.sockets[0].getsockname()[1]


async def run(*words: str, environment: dict[str, str] | None = None) -> str:
    """What a program printed. Raises: SystemExit: it failed; what it printed is shown."""
    process = await asyncio.create_subprocess_exec(
        *words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    printed = (await process.communicate())[0].decode()
    if process.returncode:
        sys.stdout.write(printed)
        failed = f"{words[0]} ended with {process.returncode}"
        raise SystemExit(failed)
    return printed


async def exit_code(project: str) -> str:
    """Of the bot's container."""
    labels = [f"label=com.docker.compose.{name}" for name in (f"project={project}", "service=bot")]
    container = await run("docker", "ps", "-aq", *(word for label in labels for word in ("--filter", label)))
    return (await run("docker", "inspect", "-f", "{{.State.ExitCode}}", container.strip())).strip()


def is_deck(name: str) -> bool:
    return name.endswith(".pptx")


def step(text: str) -> None:
    sys.stdout.write(f"compose: {text}\n")
    sys.stdout.flush()


async def prove(folder: Path) -> dict[str, float]:
    seconds: dict[str, float] = {}
    async with BotApi() as server, within_reach(server.port) as port:
        settings = folder / "env"
        settings.write_text(f"TELEGRAM_BOT_TOKEN={server.token}\nTELEGRAM_API_URL=http://api.test:{port}\n")
        (folder / "override.yaml").write_text(OVERRIDE)
        environment = dict(os.environ) | {
            "DECKHAND_HOME": str(folder / "home"),
            "DECKHAND_ENV": str(settings),
            "DECKHAND_PORT": str(free_port()),
            "DECKHAND_OVERRIDE": str(folder / "override.yaml"),
            "DECKHAND_PROJECT": f"deckhand-{secrets.token_hex(3)}",
        }
        began = time.monotonic()
        try:
            up = await run("deploy/up.sh", environment=environment)
            seconds["up"] = time.monotonic() - began
            step(next(line for line in up.splitlines() if '"status"' in line))
            chat = server.private(server.person(7, "Ann"))
            code = re.findall(r"(/start \S+)", up)
            await chat.say(code[0])
            await chat.until(lambda found: found.answers, seconds=20)
            step(f"paired: {chat.answers[-1].text!r}")
            began = time.monotonic()
            await chat.send([("titanic.csv", SAMPLE.read_bytes(), "text/csv")], REQUEST)
            await chat.until(lambda found: any(is_deck(file.name) for file in found.documents), seconds=180)
            deck = next(file for file in chat.documents if is_deck(file.name))
            seconds["deck"] = time.monotonic() - began
            step(f"{deck.name}: {len(deck.data)} bytes")
            again = await run(
                "deploy/up.sh",
                "exec",
                "-T",
                "bot",
                "python",
                "-m",
                "bot",
                "backup",
                "/data/b.tar",
                environment=environment,
            )
            step(again.strip().splitlines()[0])
            began = time.monotonic()
            await run("deploy/up.sh", "stop", "bot", environment=environment)
            seconds["stop"] = time.monotonic() - began
            ended = await exit_code(environment["DECKHAND_PROJECT"])
            assert ended == "0", f"the bot ended with {ended}"
            assert not server.refused(), server.refused()
        except BaseException:
            sys.stdout.write(
                await run("deploy/up.sh", "logs", "--no-color", "--tail", "40", environment=environment)
            )
            log = folder / "home" / "data" / "deckhand.log"
            sys.stdout.write(log.read_text()[-4000:] if log.exists() else "")
            raise
        finally:
            await run("deploy/up.sh", "down", "--volumes", "-t", "20", environment=environment)
    return {name: round(value, 1) for name, value in seconds.items()}


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="deckhand-compose-"))
    try:
        seconds = asyncio.run(prove(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(json.dumps(seconds) + "\n")


if __name__ == "__main__":
    main()
