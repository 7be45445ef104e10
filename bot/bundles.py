"""Bundles: a run's scripts and all that they need to run elsewhere, packed when somebody asks."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from bot.delivery.parts import FileRef
from bot.policies import load_catalog, policies_in_force
from bot.settings import Settings
from storage.artifacts import ArtifactStore, put_bytes
from storage.records import ArtifactKind, Run

NAME: Final = ".deckhand/bundle.zip"

Pack = Callable[[Run], Awaitable[bytes | None]]
"""The zip; None for a run that left nothing to pack."""


def packing(settings: Settings, artifacts: ArtifactStore) -> Pack:
    """With the policies and skills of now: those of then are named in the run's own records.

    What it returns raises StorageError, and PolicyError or SkillError where they are not valid any more.
    """

    async def pack(run: Run) -> bytes | None:
        from agent.bundle import bundle  # it brings libraries along that need a moment

        catalog = await asyncio.to_thread(load_catalog, settings)
        policies = await asyncio.to_thread(policies_in_force, settings, catalog)
        return await bundle(artifacts, run.id, policies=policies, catalog=catalog)

    return pack


class HandsOver(Protocol):
    async def hand_over(self, run: Run, file: FileRef) -> None: ...


@dataclass(frozen=True, slots=True)
class Bundles:
    pack: Pack
    artifacts: ArtifactStore
    chats: HandsOver

    async def send(self, run: Run) -> bool:
        """Begin to send it. False where there is none.

        Raises:
            StorageError: it could not be packed or kept.
        """
        content = await self.pack(run)
        if content is None:
            return False
        kept = await put_bytes(
            self.artifacts,
            content,
            name=NAME,
            kind=ArtifactKind.RECORD,
            run_id=run.id,
            media_type="application/zip",
        )
        await self.chats.hand_over(run, FileRef(f"bundle-{run.id}.zip", kept.id))
        return True
