"""How the bot is, in numbers: what `/health` and `/metrics` show. Nothing in here was written by a person."""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from bot.chat import ChatAdapter
from bot.dispatch import JobState, Standing
from bot.policies import load_catalog, policies_in_force
from bot.sandboxes import check_image, is_e2b
from bot.settings import Settings
from sandbox.errors import SandboxError
from sandbox.policy import DEFAULT_NAME
from sandbox.session import SandboxStats
from skills.catalog import SkillError
from storage.database import Database
from storage.errors import StorageError
from storage.tally import Tally, tally

PATIENCE: Final = 5.0
"""Seconds that the database and the sandbox have for their answers."""
FRESH: Final = 5.0
"""Seconds for which one look serves all who ask: nobody can keep the bot busy with this."""
SILENCE: Final = 120.0
"""Seconds without an answer of a platform that mean a fault. A long poll takes at most half of it."""
NO_ROOM: Final = 100 * 1024**2
"""Bytes of free disk below which the database will soon refuse to write."""


@runtime_checkable
class Heard(Protocol):
    """An adapter that can tell when its platform last answered."""

    @property
    def silence(self) -> float | None:
        """Seconds since then; None while it never has."""
        ...


@runtime_checkable
class Contested(Protocol):
    """An adapter that can tell whether another process takes its events away."""

    @property
    def has_rival(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    version: str
    tally: Tally | None
    """None when the database did not answer."""
    sandbox: bool
    silence: Mapping[str, float]
    """By platform: seconds since it last answered, or since we began to ask."""
    jobs: Mapping[JobState, int]
    disk_free: int
    """Bytes where the data folder lies."""
    stats: SandboxStats | None = None
    contested: tuple[str, ...] = ()
    """Platforms where another process uses our token."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps us from working as we should: fixed words and names of platforms."""
        broken = {
            "database": self.tally is None,
            "sandbox": not self.sandbox,
            "disk": self.disk_free < NO_ROOM,
            **{platform: seconds > SILENCE for platform, seconds in self.silence.items()},
            **{f"{platform}-rival": True for platform in self.contested},
        }
        return tuple(part for part, is_broken in broken.items() if is_broken)


class Checkup:
    """Looks, at most once in `FRESH` seconds, and never longer than `PATIENCE`."""

    def __init__(
        self,
        *,
        version: str,
        data: Path,
        database: Database,
        sandbox: Callable[[], Awaitable[bool]],
        standings: Callable[[], tuple[Standing, ...]],
        adapters: Mapping[str, ChatAdapter],
        stats: Callable[[], SandboxStats] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._version = version
        self._data = data
        self._database = database
        self._sandbox = sandbox
        self._standings = standings
        self._adapters = adapters
        self._stats = stats
        self._clock = clock
        self._began = clock()
        self._looking = asyncio.Lock()
        self._last: tuple[float, Health] | None = None

    async def __call__(self) -> Health:
        async with self._looking:
            if self._last is None or self._clock() - self._last[0] >= FRESH:
                self._last = (self._clock(), await self._look())
            return self._last[1]

    async def _look(self) -> Health:
        counted, alive = await asyncio.gather(self._count(), self._ask_sandbox())
        return Health(
            version=self._version,
            tally=counted,
            sandbox=alive,
            silence={
                name: self._clock() - self._began if adapter.silence is None else adapter.silence
                for name, adapter in self._adapters.items()
                if isinstance(adapter, Heard)
            },
            jobs=Counter(standing.state for standing in self._standings()),
            disk_free=shutil.disk_usage(self._data).free,
            stats=None if self._stats is None else self._stats(),
            contested=tuple(
                name
                for name, adapter in self._adapters.items()
                if isinstance(adapter, Contested) and adapter.has_rival
            ),
        )

    async def _count(self) -> Tally | None:
        try:
            async with asyncio.timeout(PATIENCE):
                return await tally(self._database)
        except (StorageError, TimeoutError):
            return None

    async def _ask_sandbox(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._sandbox()
        except (SandboxError, SkillError, TimeoutError):
            return False


async def sandbox_answers(settings: Settings) -> bool:
    """Whether there is an engine with our image, or a service. E2B is not asked, which would cost a machine.

    Raises: SandboxError: there is none. SkillError: a skill is not valid any more.
    """
    if settings.sandbox_url is None:
        await check_image(policies_in_force(settings, load_catalog(settings))[DEFAULT_NAME])
    elif not is_e2b(settings):
        from sandbox.client import SandboxClient  # it brings an HTTP client

        token = settings.sandbox_token.get_secret_value() if settings.sandbox_token else None
        async with SandboxClient(settings.sandbox_url, token=token) as client:
            await client.policies()
    return True
