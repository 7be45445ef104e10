"""Fetching: the files of a request come from the platform into the artifact store, all of them or none."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from bot import disarm, render
from bot.chat import Attachment, ChatAdapter
from bot.errors import ChatBusy, ChatError, ChatUncertain, ChatUnreachable, FileRefused, Refused
from bot.telemetry import note_fault
from sandbox.names import canonical_names, sendable_names
from storage.artifacts import ArtifactStore
from storage.errors import StorageError, TooLarge
from storage.records import UNKNOWN_TYPE, ArtifactKind, InputRef

TRY_FOR = 300.0
"""Seconds that a platform may fail before we give up on a file."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
SAY_AFTER = 5.0
"""Seconds of failing after which the person hears that it takes longer."""

Late = Callable[[], Awaitable[None]]
"""Tells the person that files are still on their way."""


@dataclass(slots=True, kw_only=True)
class Fetcher:
    artifacts: ArtifactStore
    limit: int
    """Bytes of one file."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def check(self, attachments: Sequence[Attachment]) -> None:
        """By the sizes that are stated, before anything is fetched.

        Raises:
            Refused: one of them is too big.
        """
        for attachment in attachments:
            if attachment.size is not None and attachment.size > self.limit:
                raise self._too_big(attachment)

    async def fetch(
        self,
        adapter: ChatAdapter,
        attachments: Sequence[Attachment],
        *,
        late: Late | None = None,
        stop: asyncio.Event | None = None,
        kind: ArtifactKind = ArtifactKind.INPUT,
    ) -> tuple[InputRef, ...]:
        """`stop` ends it, whatever it waits for. `kind` is what the files are kept as.

        Raises:
            Refused: a file will not come, or nobody wants it any more; none is kept.
            StorageError: a file could not be stored; none is kept.
        """
        names = canonical_names(attachment.name for attachment in attachments)
        kept: list[InputRef] = []
        try:
            for attachment, name in zip(attachments, names, strict=True):
                kept.append(await _unless(stop, self._patiently(adapter, attachment, name, late, kind)))
        except BaseException:
            await self.drop(kept)
            raise
        return tuple(kept)

    async def drop(self, kept: Sequence[InputRef]) -> None:
        """What led here is what the person has to hear, so a store that fails here too is for the log."""
        for item in kept:
            try:
                await self.artifacts.delete(item.artifact_id)
            except StorageError as fault:
                note_fault(fault, artifact_id=item.artifact_id)

    async def _patiently(
        self,
        adapter: ChatAdapter,
        attachment: Attachment,
        name: str,
        late: Late | None,
        kind: ArtifactKind,
    ) -> InputRef:
        began, pause, told = self.clock(), FIRST_PAUSE, False
        while True:
            try:
                return await self._keep(adapter, attachment, name, kind)
            except (ChatBusy, ChatUnreachable, ChatUncertain) as fault:
                wait = fault.seconds if isinstance(fault, ChatBusy) else pause
                if self.clock() + wait - began > TRY_FOR:
                    key = "file-unfetched"
                    raise Refused(key, name=shown(attachment.name)) from fault
                if late is not None and not told and self.clock() + wait - began > SAY_AFTER:
                    await late()
                    told = True
                await self.sleep(wait)
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _keep(
        self, adapter: ChatAdapter, attachment: Attachment, name: str, kind: ArtifactKind
    ) -> InputRef:
        try:
            artifact = await self.artifacts.put(
                adapter.fetch(attachment),
                name=attachment.name,
                kind=kind,
                media_type=attachment.media_type or UNKNOWN_TYPE,
                limit=self.limit,
            )
        except TooLarge as fault:
            raise self._too_big(attachment) from fault
        except FileRefused as fault:
            raise Refused(fault.reason, name=shown(attachment.name)) from fault
        except (ChatBusy, ChatUnreachable, ChatUncertain, StorageError):
            raise
        except (ChatError, OSError) as fault:
            key = "file-unreadable"
            raise Refused(key, name=shown(attachment.name)) from fault
        return InputRef(name=name, original=attachment.name, artifact_id=artifact.id, size=artifact.size)

    def _too_big(self, attachment: Attachment) -> Refused:
        key = "file-too-big"
        return Refused(key, name=shown(attachment.name), limit=render.file_size(self.limit))


async def _unless(stop: asyncio.Event | None, work: Coroutine[Any, Any, InputRef]) -> InputRef:
    """Raises: Refused: `stop` was set before the work was done."""
    if stop is None:
        return await work
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (working, stopping):
            task.cancel()
        await asyncio.wait([working, stopping])
    if working.cancelled():
        key = "cancelled-early"
        raise Refused(key)
    return working.result()


def shown(name: str) -> str:
    """A person's own name of a file, without what a chat or a terminal would obey."""
    return disarm.file_name(sendable_names([name])[0])
