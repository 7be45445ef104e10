"""The files that a run made for its person: which they are, and their bytes on this disk."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import structlog

from agent.events import ArtifactSaved, to_record
from agent.folder import RunFolder
from bot.chat import Delivered
from sandbox.names import sendable_names
from storage.artifacts import ArtifactStore, put_path, save_to
from storage.errors import StorageDamaged, StorageError, StorageUnavailable
from storage.events import Events
from storage.records import ArtifactId, ArtifactKind, RunId

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Deliverable:
    name: str
    """Safe to show."""
    artifact: ArtifactId
    size: int
    """Bytes."""


class Deliverables:
    def __init__(self, *, events: Events, artifacts: ArtifactStore, folder: Path) -> None:
        """`folder` has those of the runs."""
        self._events = events
        self._artifacts = artifacts
        self._folder = folder

    async def of(self, run_id: RunId) -> tuple[tuple[Deliverable, ...], tuple[str, ...]]:
        """The newest of each name, and the names of those that the store does not know any more."""
        return await self._known(run_id, await self._saved(run_id, "deliverable"))

    async def pictures(self, run_id: RunId) -> tuple[Deliverable, ...]:
        """The previews of those, in the order of their making."""
        return (await self._known(run_id, await self._saved(run_id, "preview")))[0]

    async def _saved(self, run_id: RunId, mark: str) -> dict[str, ArtifactId]:
        """What has the mark, by its name; of two with one name the newer."""
        saved: dict[str, ArtifactId] = {}
        for event in await self._events.of_kind([run_id], ArtifactSaved.__name__):
            match event.payload:
                case {"name": str(name), "artifact_id": str(key)} if event.payload.get(mark) is True:
                    saved[name] = ArtifactId(key)
                case _:
                    pass
        return saved

    async def _known(
        self, run_id: RunId, saved: Mapping[str, ArtifactId]
    ) -> tuple[tuple[Deliverable, ...], tuple[str, ...]]:
        found: list[Deliverable] = []
        lost: list[str] = []
        for key, shown in zip(saved.values(), sendable_names(saved), strict=True):
            try:
                found.append(Deliverable(shown, key, (await self._artifacts.get(key)).size))
            except StorageError:
                _log.exception("file_lost", run_id=run_id, artifact_id=key)
                lost.append(shown)
        return tuple(found), tuple(lost)

    async def keep(self, run_id: RunId, files: Iterable[Delivered]) -> None:
        """Add files that were made of a run's answer."""
        for file in files:
            artifact = await put_path(
                self._artifacts, file.path, name=file.name, kind=ArtifactKind.OUTPUT, run_id=run_id
            )
            saved = ArtifactSaved(
                run_id=run_id, artifact_id=artifact.id, name=file.name, size=artifact.size, deliverable=True
            )
            await self._events.append(run_id, type(saved).__name__, to_record(saved))

    async def lay_out(
        self, run_id: RunId, files: Sequence[Deliverable]
    ) -> tuple[tuple[Delivered, ...], tuple[str, ...]]:
        """The files on this disk, and the names of those that are lost.

        Raises:
            StorageUnavailable: the store or the disk does not serve now, which says nothing of the files.
        """
        ready: list[Delivered] = []
        lost: list[str] = []
        for file in files:
            try:
                ready.append(await self._lay_out(run_id, file))
            except (StorageError, OSError) as fault:
                if isinstance(fault, StorageUnavailable) and not isinstance(fault, StorageDamaged):
                    raise
                _log.exception("file_lost", run_id=run_id, artifact_id=file.artifact)
                lost.append(file.name)
        return tuple(ready), tuple(lost)

    async def preview(self, run_id: RunId, file: Deliverable, *, as_file: bool) -> Delivered:
        """The file as it will be handed over. A store that does not serve now keeps it from lying there."""
        try:
            return replace(await self._lay_out(run_id, file), as_file=as_file)
        except (StorageError, OSError):
            path = self._delivered(run_id) / file.name
            return Delivered(name=file.name, path=path, size=file.size, as_file=as_file)

    async def write(self, run_id: RunId, name: str, text: str) -> Delivered:
        """A file of text that is kept elsewhere. `name` is one of ours."""
        path = self._delivered(run_id) / name
        content = text.encode("utf-8", "replace")
        await asyncio.to_thread(_write, path, content)
        return Delivered(name=name, path=path, size=len(content))

    async def _lay_out(self, run_id: RunId, file: Deliverable) -> Delivered:
        """The run's own copy when it still is what was kept; otherwise a new one from the store."""
        artifact = await self._artifacts.get(file.artifact)
        out = RunFolder(self._folder / run_id).out
        path = out / artifact.name
        made = artifact.kind is ArtifactKind.OUTPUT  # the rest may have the name of something else in there
        if not made or not _is_plain(path, out) or path.stat().st_size != artifact.size:
            path = self._delivered(run_id) / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            await save_to(self._artifacts, file.artifact, path)
        return Delivered(name=file.name, path=path, size=artifact.size)

    def _delivered(self, run_id: RunId) -> Path:
        return RunFolder(self._folder / run_id).path / "delivered"


def numbered(name: str) -> Iterable[str]:
    """`a.csv`, `a (2).csv`, `a (3).csv`, …"""
    yield name
    path = PurePosixPath(name)
    count = 2
    while True:
        yield str(path.with_name(f"{path.stem} ({count}){path.suffix}"))
        count += 1


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _is_plain(path: Path, inside: Path) -> bool:
    """A regular file below `inside` that no link led to: the guest made the names in there."""
    return (
        path.is_relative_to(inside)
        and path.is_file()
        and path.resolve() == inside.resolve() / path.relative_to(inside)
    )
