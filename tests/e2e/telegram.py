"""Starts `deckhand run` for Telegram as a process of its own, against a Bot API server of the test's."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.settings import Settings
from bot.stores import open_store
from sandbox.lease import install_name
from storage.members import Role
from storage.people import People
from tests.conftest import containers
from tests.e2e.product import PASSED_ON, ROOT
from tests.fakes.botapi import BotApi
from tests.killing.nursery import Child, Nursery

PLATFORM = "telegram"


@dataclass
class TelegramBot:
    """`python -m bot run`, or another module in its place, with a data folder of its own."""

    folder: Path
    server: BotApi
    model: str = ""
    """Address of the model's endpoint; empty for the offline recipes."""
    module: str = "bot"
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    nursery: Nursery | None = None
    """Where to fork it from, in the place of loading it anew."""
    process: Process | Child | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        """What it printed, in all its lives."""
        path = self.folder / "printed.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    async def admit(self, *people: int, role: Role = Role.MEMBER) -> None:
        """Let people in as an admin would."""
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        async with open_store(Settings(deckhand_data=self.data)) as store:
            for person in people:
                await People(store.database).put(PLATFORM, str(person), role, name="", by="test")

    async def start(self, **environment: str) -> Process | Child:
        given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        given |= {
            "DECKHAND_DATA": str(self.data),
            "PYTHONPATH": str(ROOT),
            "TELEGRAM_BOT_TOKEN": self.server.token,
            "TELEGRAM_API_URL": self.server.url,
        }
        if self.model:
            given |= {"LLM_BASE_URL": self.model, "LLM_API_KEY": "key"}
        given |= dict(self.settings) | environment
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.nursery is not None:
            log = self.folder / "printed.log"
            self.process = await self.nursery.start(self.module, given, folder=self.folder, log=log)
            return self.process
        with (self.folder / "printed.log").open("ab") as printed:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self.module,
                "run",
                cwd=self.folder,
                env=given,
                stdin=DEVNULL,
                stdout=printed,
                stderr=printed,
            )
        return self.process

    async def stop(self, *, seconds: float = 60) -> int:
        """SIGTERM, as an upgrade does. The exit code."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), seconds)

    async def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def containers(self) -> list[str]:
        return containers(install_name(self.data.resolve()))
