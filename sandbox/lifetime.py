"""A container with its folder from before its creation to its end, whatever fails in between."""

import asyncio
from typing import Any

import structlog

from sandbox.engine import AttachedStream, Engine, NameTaken
from sandbox.errors import SandboxUnavailable
from sandbox.lease import LeaseFolder
from sandbox.tasks import undisturbed

_log = structlog.get_logger()


class Lifetime:
    def __init__(self, engine: Engine, name: str, folder: LeaseFolder) -> None:
        self.folder = folder
        self._engine = engine
        self._container = name
        """Its id as soon as that is known: a name may change."""
        self._ours = False
        self._stream: AttachedStream | None = None

    async def start(self, config: dict[str, Any]) -> AttachedStream:
        # The engine goes on with what a cancelled caller asked for: only after its answer can it be undone.
        await undisturbed(self._create(config))
        self._stream = await self._engine.attach(self._container)
        await self._engine.start(self._container)
        return self._stream

    async def _create(self, config: dict[str, Any]) -> None:
        self._ours = True  # a container may exist, also when the engine's answer does not come
        try:
            self._container = await self._engine.create(self._container, config)
        except NameTaken:
            self._ours = False
            raise

    async def rename(self, name: str) -> None:
        """The record in `folder` says both names before.

        Raises: NameTaken; SandboxUnavailable: it is gone.
        """
        await self._engine.rename(self._container, name)

    async def heard(self) -> None:
        """Returns at the next thing that the container says, or at its end.

        Raises: what a broken connection raises.
        """
        if self._stream is not None:
            await self._stream.read()

    async def trouble(self) -> str:
        """What is known about a container that did not come up."""
        stderr = self._stream.stderr.decode("utf-8", "replace").strip() if self._stream else ""
        parts = [part for part in (await self._engine.describe_end(self._container), stderr) if part]
        return f" ({'; '.join(parts)})" if parts else ""

    async def end_container(self) -> None:
        """May be called more than once. The stream goes first: an unread one would hold up the engine."""
        if self._stream is not None:
            await self._stream.close()
        if not self._ours:
            return
        try:
            await self._engine.remove(self._container)
        except SandboxUnavailable as error:
            _log.warning("sandbox.container_left", container=self._container, reason=str(error))
        else:
            self._ours = False

    async def end_undisturbed(self) -> bool:
        """As `end_container`, also when the caller is cancelled meanwhile. False: it may be there still."""
        await undisturbed(self.end_container())
        return not self._ours

    async def close(self) -> None:
        await self.end_container()
        if self._ours:
            await asyncio.to_thread(self.folder.expire)  # the reaper tries again and removes the folder too
        else:
            await asyncio.to_thread(self.folder.remove)
