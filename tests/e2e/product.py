"""Starts `deckhand` as a process, with a data folder and a model's endpoint of the test's own."""

import asyncio
import json
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.lease import install_name
from tests.conftest import containers

ROOT = Path(__file__).parent.parent.parent
PASSED_ON = ("PATH", "HOME", "LANG", "DOCKER_HOST", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Product:
    folder: Path
    url: str = ""
    """Of the model's endpoint; empty for the offline recipes."""

    @property
    def data(self) -> Path:
        return self.folder / "data"

    async def start(self, *arguments: str, **settings: str) -> Process:
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= {"DECKHAND_DATA": str(self.data), "PYTHONPATH": str(ROOT)}
        if self.url:
            environment |= {"LLM_BASE_URL": self.url, "LLM_API_KEY": "key"}
        environment |= settings
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env=environment,
            stdout=PIPE,
            stderr=PIPE,
        )

    async def finish(self, *arguments: str, within: float = 120) -> tuple[int, str]:
        """Exit code, and all that was printed."""
        process = await self.start(*arguments)
        out, err = await asyncio.wait_for(process.communicate(), within)
        return process.returncode or 0, (out + err).decode()

    def events(self) -> list[dict[str, Any]]:
        return self._lines("events.jsonl")

    def trace(self) -> list[dict[str, Any]]:
        return self._lines("trace.jsonl")

    def run_folder(self) -> Path:
        (folder,) = (self.data / "runs").iterdir()
        return folder

    def containers(self) -> list[str]:
        return containers(install_name(self.data.resolve()))

    def _lines(self, name: str) -> list[dict[str, Any]]:
        paths = list(self.data.glob(f"runs/*/{name}"))
        if not paths:
            return []
        text = paths[0].read_text(encoding="utf-8")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


async def until(true: Any, within: float = 60) -> None:
    """Poll, since the other side is another process."""
    async with asyncio.timeout(within):
        while not true():  # noqa: ASYNC110  # nothing to wait on across processes
            await asyncio.sleep(0.02)


def free_port() -> int:
    """Of loopback; nothing keeps others from it until it is used."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
