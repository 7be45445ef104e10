"""Objects: the artifact store over obstore, so that a folder and a bucket are one implementation."""

import asyncio
import hashlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import unquote, urlsplit

import obstore
from obstore.store import LocalStore, MemoryStore, S3Store
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, delete, select

from storage.cancellation import settled
from storage.database import Database
from storage.errors import NoSuchArtifact, NoSuchRun, StorageDamaged, StorageUnavailable, TooLarge
from storage.records import UNKNOWN_TYPE, Artifact, ArtifactId, ArtifactKind, RunId, new_artifact_id, utc_now
from storage.tables import ArtifactRow
from storage.translation import translate, translated

if TYPE_CHECKING:
    # These exist only in obstore's stubs.
    from obstore import BytesStream
    from obstore.store import ClientConfig, ObjectStore, RetryConfig, S3Config

CHUNK: Final = 1024 * 1024
"""Bytes that are read or written at a time."""
_PART: Final = 5 * CHUNK
"""Bytes of one part of an upload; S3 takes no smaller ones. Two are under way at a time."""
_INCOMING: Final = "incoming"
"""Where bytes lie until all have come."""
_FORGOTTEN: Final = timedelta(days=1)
"""Nothing that is still coming has been silent for so long."""
_RETRY: "RetryConfig" = {"max_retries": 3}
"""obstore's own ten would let a run hang for minutes on a bucket that is gone."""


class ObjectArtifacts:
    """Artifacts over obstore. Bytes lie under their SHA-256, so equal files are stored once."""

    def __init__(
        self, store: "ObjectStore", database: Database, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._store = store
        self._database = database
        self._clock = clock
        # Between looking whether bytes are shared and removing them, nobody may begin to share them.
        self._sharing = asyncio.Lock()

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
        staged = f"{_INCOMING}/{new_artifact_id()}"
        meter = _Meter(chunks, limit)
        try:
            await obstore.put_async(self._store, staged, meter.read(), chunk_size=_PART, max_concurrency=2)
        except Exception as error:
            if error is meter.failure:
                raise
            raise translate(error) from error
        row = ArtifactRow(
            id=new_artifact_id(self._clock()),
            run_id=run_id,
            name=name,
            size=meter.size,
            sha256=meter.sha256,
            media_type=media_type,
            created_at=self._clock(),
            kind=kind,
        )

        async def keep() -> Artifact:
            async with self._sharing:
                await obstore.rename_async(self._store, staged, _place(meter.sha256))
                try:
                    return await self._record(row)
                except Exception:
                    await self._remove_unshared(meter.sha256)
                    raise

        with translated():
            return await settled(keep())

    async def get(self, artifact_id: ArtifactId) -> Artifact:
        row = await self._database.read(lambda session: session.get(ArtifactRow, artifact_id))
        if row is None:
            raise NoSuchArtifact(artifact_id)
        return _artifact(row)

    async def of_run(self, run_id: RunId) -> tuple[Artifact, ...]:
        query = select(ArtifactRow).where(col(ArtifactRow.run_id) == run_id)
        ordered = query.order_by(col(ArtifactRow.created_at), col(ArtifactRow.id))
        rows = await self._database.read(lambda session: session.scalars(ordered))
        return tuple(_artifact(row) for row in rows)

    async def open(self, artifact_id: ArtifactId) -> AsyncIterator[bytes]:
        artifact = await self.get(artifact_id)
        digest = hashlib.sha256()
        with translated():
            try:
                found = await obstore.get_async(self._store, _place(artifact.sha256))
            except FileNotFoundError as error:
                message = f"the bytes of artifact {artifact_id} are gone"
                raise StorageDamaged(message) from error
            stream = found.stream(min_chunk_size=CHUNK)
        while (piece := await _next(stream)) is not None:
            digest.update(piece)
            for start in range(0, len(piece), CHUNK):
                yield piece[start : start + CHUNK]
        if digest.hexdigest() != artifact.sha256:
            message = f"the bytes of artifact {artifact_id} have changed"
            raise StorageDamaged(message)

    async def delete(self, artifact_id: ArtifactId) -> None:
        gone = delete(ArtifactRow).where(col(ArtifactRow.id) == artifact_id)
        returned = gone.returning(col(ArtifactRow.sha256))

        async def forget() -> None:
            async with self._sharing:
                sha256 = await self._database.write(lambda session: session.scalar(returned))
                if sha256 is not None:
                    await self._remove_unshared(sha256)

        with translated():
            await settled(forget())

    async def _record(self, row: ArtifactRow) -> Artifact:
        """Insert the row, or find the one that the run has for the same file."""
        twin = select(ArtifactRow).where(
            col(ArtifactRow.run_id) == row.run_id,
            col(ArtifactRow.kind) == row.kind,
            col(ArtifactRow.name) == row.name,
            col(ArtifactRow.sha256) == row.sha256,
        )

        async def find_or_insert(session: AsyncSession) -> ArtifactRow:
            found = None if row.run_id is None else await session.scalar(twin)
            if found is not None:
                return found
            session.add(row)
            try:
                await session.flush()
            except IntegrityError as error:
                raise NoSuchRun(row.run_id or "") from error
            await session.refresh(row)
            return row

        return _artifact(await self._database.write(find_or_insert))

    async def _remove_unshared(self, sha256: str) -> None:
        sharing = select(ArtifactRow.id).where(col(ArtifactRow.sha256) == sha256).limit(1)
        if await self._database.read(lambda session: session.scalar(sharing)) is None:
            with suppress(FileNotFoundError):
                await obstore.delete_async(self._store, _place(sha256))


class _Meter:
    """Counts and hashes a stream that passes by, and remembers whether it was the stream that failed."""

    def __init__(self, chunks: AsyncIterable[bytes], limit: int | None) -> None:
        self._chunks = chunks
        self._limit = limit
        self._digest = hashlib.sha256()
        self.size = 0
        self.failure: Exception | None = None

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    async def read(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._chunks:
                self.size += len(chunk)
                if self._limit is not None and self.size > self._limit:
                    raise TooLarge(self._limit)
                self._digest.update(chunk)
                yield chunk
        except Exception as error:
            self.failure = error
            raise


def _place(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


async def _next(stream: "BytesStream") -> bytes | None:
    with translated():
        return await anext(stream, None)


def sweep(store: "ObjectStore", now: datetime) -> None:
    """Remove from a folder the uploads that a crash cut off.

    obstore does not list them there. In a bucket it is for a lifecycle rule on `incoming/` to expire them.
    """
    if not isinstance(store, LocalStore) or store.prefix is None:
        return
    oldest = (now - _FORGOTTEN).timestamp()
    for path in (Path(store.prefix) / _INCOMING).glob("*"):
        with suppress(FileNotFoundError):  # another process sweeps too, or an upload has come to its end
            if path.stat().st_mtime < oldest:
                path.unlink()


def object_store(url: str, options: Mapping[str, str]) -> "ObjectStore":
    parts = urlsplit(url) if "://" in url else urlsplit(Path(url).absolute().as_uri())
    match parts.scheme:
        case "memory":
            return MemoryStore()
        case "file":
            folder = Path(unquote(parts.path))
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return LocalStore(folder)
        case "s3":
            config = cast("S3Config", {f"aws_{key}": value for key, value in options.items()})
            # A bucket of one's own, such as MinIO's, may be spoken to in plain HTTP when its address says so.
            client: ClientConfig = {"allow_http": options.get("endpoint", "").startswith("http://")}
            return S3Store.from_url(url, config=config, client_options=client, retry_config=_RETRY)
        case other:
            message = f"{other}:// is not understood here: give a folder, or s3://bucket/prefix"
            raise StorageUnavailable(message)


def _artifact(row: ArtifactRow) -> Artifact:
    return Artifact(
        id=ArtifactId(row.id),
        run_id=None if row.run_id is None else RunId(row.run_id),
        name=row.name,
        size=row.size,
        sha256=row.sha256,
        media_type=row.media_type,
        created_at=row.created_at,
        kind=ArtifactKind(row.kind),
    )
