"""Artifacts: files that are kept. The seam, and the ways in and out of it."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from storage.database import Database
from storage.objects import CHUNK, ObjectArtifacts, object_store, sweep
from storage.records import UNKNOWN_TYPE, Artifact, ArtifactId, ArtifactKind, RunId, new_artifact_id, utc_now
from storage.translation import translated


class ArtifactStore(Protocol):
    """Keeps files of any size without ever having a whole one in memory.

    Every method raises `StorageUnavailable` when the bytes or the database cannot be reached.
    """

    async def put(
        self,
        chunks: AsyncIterable[bytes],
        *,
        name: str,
        kind: ArtifactKind,
        run_id: RunId | None = None,
        media_type: str = UNKNOWN_TYPE,
        limit: int | None = None,
    ) -> Artifact:
        """Keep a stream. All or nothing: when it breaks off, or goes beyond `limit` bytes, nothing is kept.

        A run that puts the same bytes again under the same name and kind gets the artifact it has already,
        since a step that was interrupted is done again. What `chunks` raises comes through as it is.

        Raises:
            TooLarge: more than `limit` bytes came.
            NoSuchRun: nothing has the id `run_id`.
            DiskFull: no space was left.
        """
        ...

    async def get(self, artifact_id: ArtifactId) -> Artifact:
        """
        Raises:
            NoSuchArtifact: nothing has that id.
        """
        ...

    async def of_run(self, run_id: RunId) -> tuple[Artifact, ...]:
        """What the run made, in the order of making."""
        ...

    def open(self, artifact_id: ArtifactId) -> AsyncIterator[bytes]:
        """The bytes, at most 1 MiB at a time.

        Raises:
            NoSuchArtifact: nothing has that id.
            StorageDamaged: the bytes are gone or not the ones that were put, which only the end can tell.
        """
        ...

    async def delete(self, artifact_id: ArtifactId) -> None:
        """Forget it; bytes that no other artifact shares are removed. Nothing happens when there is none."""
        ...


async def put_bytes(
    store: ArtifactStore,
    content: bytes,
    *,
    name: str,
    kind: ArtifactKind,
    run_id: RunId | None = None,
    media_type: str = UNKNOWN_TYPE,
) -> Artifact:
    """`ArtifactStore.put` for what is in memory anyway."""

    async def once() -> AsyncIterator[bytes]:
        yield content

    return await store.put(once(), name=name, kind=kind, run_id=run_id, media_type=media_type)


async def put_path(
    store: ArtifactStore,
    path: Path,
    *,
    kind: ArtifactKind,
    name: str | None = None,
    run_id: RunId | None = None,
    media_type: str = UNKNOWN_TYPE,
    limit: int | None = None,
) -> Artifact:
    """`ArtifactStore.put` for a file on disk; `name` is the file's own unless given.

    Raises:
        OSError: `path` cannot be read.
    """
    chunks = _read(path)
    return await store.put(
        chunks,
        name=path.name if name is None else name,
        kind=kind,
        run_id=run_id,
        media_type=media_type,
        limit=limit,
    )


async def save_to(store: ArtifactStore, artifact_id: ArtifactId, path: Path) -> None:
    """Lay the artifact out at `path`, whole or not at all; a file that is there is replaced.

    Raises:
        NoSuchArtifact, StorageDamaged: as `ArtifactStore.open` does.
    """
    part = path.with_name(f".{new_artifact_id()}.part")
    with translated():
        try:
            # Readable for all: a guest of another uid reads it, and the folder around it keeps others out.
            file = await asyncio.to_thread(_create, part, 0o644)
            try:
                async for chunk in store.open(artifact_id):
                    await asyncio.to_thread(file.write, chunk)
            finally:
                await asyncio.to_thread(file.close)
            await asyncio.to_thread(part.replace, path)
        finally:
            part.unlink(missing_ok=True)


@asynccontextmanager
async def open_artifacts(
    url: str,
    database: Database,
    *,
    options: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> AsyncGenerator[ArtifactStore]:
    """`url` is a folder (a path or `file:///…`), a bucket (`s3://bucket/prefix`), or `memory://`.

    `options` are obstore's settings for a bucket: access_key_id, secret_access_key, region, endpoint, …

    Raises:
        StorageUnavailable: the folder cannot be made or swept, or the URL is not understood.
    """
    with translated():
        store = await asyncio.to_thread(object_store, url, options or {})
        await asyncio.to_thread(sweep, store, clock())
    yield ObjectArtifacts(store, database, clock)


async def _read(path: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while chunk := await asyncio.to_thread(file.read, CHUNK):
            yield chunk
    finally:
        file.close()


def _create(path: Path, mode: int) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")
