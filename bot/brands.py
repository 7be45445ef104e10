"""A chat's template for decks: sent once with /brand, and looked at in a sandbox before any run has it."""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import structlog

from agent import brands as scripts
from bot import render
from bot.chat import Attachment, ChatAdapter, Incoming
from bot.errors import Refused
from bot.intake.fetching import Fetcher, shown
from sandbox.errors import SandboxError
from sandbox.session import InputFile, Sandbox, Workspace
from storage.artifacts import ArtifactStore, save_to
from storage.conversations import Conversations
from storage.records import ArtifactKind, Brand, Conversation, InputRef

LARGEST: Final = 20 * 1024 * 1024
"""Bytes of a template. It goes into every run of its chat."""
SUFFIX: Final = ".pptx"
PATIENCE: Final = 120.0
"""Seconds for looking at one, a wait for a container included."""
_ZIP = b"PK\x03\x04"

_log = structlog.stdlib.get_logger(__name__)


class Examiner(Protocol):
    async def examine(self, template: InputRef) -> int:
        """How many layouts it has.

        Raises:
            Refused: why it is none, or that nobody can tell now.
            StorageError: it cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Brands:
    conversations: Conversations
    fetcher: Fetcher
    adapters: Mapping[str, ChatAdapter]
    examiner: Examiner | None
    """None where there is no sandbox."""

    async def adopt(self, conversation: Conversation, incoming: Incoming) -> Brand:
        """The file that came with the message, or that it replies to, from now on.

        Raises:
            Refused: it is no template. The one before stays.
            StorageError: it could not be kept.
        """
        file = _template(incoming.attachments)
        if self.examiner is None:
            key = "brand-unchecked"
            raise Refused(key)
        if file.size is not None and file.size > LARGEST:
            raise _too_big(file.name)
        self.fetcher.check([file])
        adapter = self.adapters[incoming.chat.platform]
        kept = await self.fetcher.fetch(adapter, [file], kind=ArtifactKind.BRAND)
        [template] = kept
        try:
            if template.size > LARGEST:
                raise _too_big(file.name)
            brand = Brand(
                artifact_id=template.artifact_id,
                original=template.original,
                size=template.size,
                layouts=await self.examiner.examine(template),
                sender=incoming.sender.id,
            )
            await self.conversations.set_brand(conversation.id, brand)
        except Exception:  # cancelled, it may be on record, and needs its file
            await self.fetcher.drop(kept)
            raise
        return brand

    async def drop(self, conversation: Conversation) -> None:
        """Raises: StorageError."""
        await self.conversations.set_brand(conversation.id, None)


class SandboxExaminer:
    """An `Examiner`: the host moves the bytes and reads the first four of them."""

    def __init__(
        self, sandbox: Sandbox, artifacts: ArtifactStore, folder: Path, *, patience: float = PATIENCE
    ) -> None:
        """`folder` is its own: see `clear`."""
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._folder = folder
        self._patience = patience
        self._turn = asyncio.Lock()

    async def clear(self) -> None:
        """Remove what a crash left: nobody would find it to delete it."""
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def examine(self, template: InputRef) -> int:
        folder = self._folder / template.artifact_id  # two processes may look at a template each
        async with self._turn:
            try:
                async with asyncio.timeout(self._patience):
                    found = await self._look(template, folder)
            except (SandboxError, OSError) as fault:  # a TimeoutError is an OSError
                _log.warning("brand_not_examined", reason=f"{type(fault).__name__}: {fault}")
                key = "brand-unchecked"
                raise Refused(key) from fault
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if isinstance(found, str):
            key = f"brand-{found}"
            raise Refused(key, name=shown(template.original))
        return found

    async def _look(self, template: InputRef, folder: Path) -> int | str:
        place = folder / scripts.INPUT
        await asyncio.to_thread(_prepare, folder)
        await save_to(self._artifacts, template.artifact_id, place)
        if await asyncio.to_thread(_beginning, place) != _ZIP:
            return "unreadable"
        workspace = Workspace(
            owner=f"{template.artifact_id}-brand",
            inputs=(InputFile(name=scripts.INPUT, source=place),),
            code=folder / "code",
            out=folder / "out",
        )
        async with self._sandbox.lease(workspace) as session:
            await session.write(scripts.SCRIPT, scripts.source())
            return scripts.verdict(await session.run(scripts.SCRIPT))


def _template(files: tuple[Attachment, ...]) -> Attachment:
    """Raises: Refused: there is not exactly one that could be one."""
    if len(files) == 1 and files[0].name.strip().casefold().endswith(SUFFIX):
        return files[0]
    key = "brand-which"
    raise Refused(key)


def _too_big(name: str) -> Refused:
    key = "file-too-big"
    return Refused(key, name=shown(name), limit=render.file_size(LARGEST))


def _prepare(folder: Path) -> None:
    for name in ("code", "out"):
        (folder / name).mkdir(parents=True)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_ZIP))
