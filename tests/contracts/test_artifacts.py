"""What any artifact store must do: a folder, a bucket and a store in memory pass one suite."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.artifacts import ArtifactStore, open_artifacts, put_bytes, put_path, save_to
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.errors import NoSuchArtifact, NoSuchRun, TooLarge
from storage.objects import CHUNK
from storage.records import ArtifactId, ArtifactKind, Run, RunId
from storage.runs import Runs
from tests.storage.bucket import open_bucket

INPUT, OUTPUT = ArtifactKind.INPUT, ArtifactKind.OUTPUT


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_database(str(tmp_path / "deckhand.db")) as database:
        yield database


Stored = Callable[[], int]


@pytest.fixture(params=["folder", "memory", "bucket"])
async def kind(
    request: pytest.FixtureRequest, tmp_path: Path, database: Database
) -> AsyncGenerator[tuple[ArtifactStore, Stored]]:
    match request.param:
        case "folder":
            folder = tmp_path / "kept files"
            async with open_artifacts(folder.as_uri(), database) as store:
                yield store, lambda: sum(path.is_file() for path in folder.rglob("*"))
        case "memory":
            async with open_artifacts("memory://", database) as store:
                yield store, lambda: 0
        case _:
            async with (
                open_bucket() as (bucket, options),
                open_artifacts("s3://bucket/some/prefix", database, options=options) as store,
            ):
                yield store, lambda: len(bucket.objects)


@pytest.fixture
def store(kind: tuple[ArtifactStore, Stored]) -> ArtifactStore:
    return kind[0]


@pytest.fixture
def stored(kind: tuple[ArtifactStore, Stored]) -> Stored:
    """How many objects there are, unfinished ones included; what is in memory cannot be counted."""
    return kind[1]


@pytest.fixture
async def run(database: Database) -> Run:
    conversation = await Conversations(database).get_or_create("terminal", "here")
    return await Runs(database).create(conversation.id, "go", language="en")


async def content(store: ArtifactStore, artifact_id: ArtifactId) -> bytes:
    return b"".join([chunk async for chunk in store.open(artifact_id)])


async def stream(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def test_what_is_put_comes_back_with_its_facts(store: ArtifactStore, run: Run) -> None:
    made = await store.put(
        stream(b"a,b\n", b"", b"1,2\n"), name="out.csv", kind=OUTPUT, run_id=run.id, media_type="text/csv"
    )
    assert await content(store, made.id) == b"a,b\n1,2\n"
    assert (made.name, made.size, made.media_type, made.run_id) == ("out.csv", 8, "text/csv", run.id)
    assert made.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert made == await store.get(made.id)


async def test_an_empty_file_is_a_file(store: ArtifactStore) -> None:
    for made in (
        await store.put(stream(), name="a", kind=INPUT),
        await put_bytes(store, b"", name="b", kind=INPUT),
    ):
        assert made.size == 0
        assert await content(store, made.id) == b""


async def test_a_large_file_comes_back_in_small_pieces(store: ArtifactStore) -> None:
    piece = bytes(range(256)) * 4096 * 3
    made = await store.put(stream(*[piece] * 7), name="large.bin", kind=INPUT)
    assert made.size == 7 * len(piece) == 21 * CHUNK
    digest = hashlib.sha256()
    async for chunk in store.open(made.id):
        assert 0 < len(chunk) <= CHUNK
        digest.update(chunk)
    assert digest.hexdigest() == made.sha256


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs", "a/b\\c", "Отчёт\n.csv", "", "x" * 5000])
async def test_a_name_is_only_data(store: ArtifactStore, name: str) -> None:
    made = await put_bytes(store, b"x", name=name, kind=INPUT)
    assert (await store.get(made.id)).name == name
    assert await content(store, made.id) == b"x"


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(categories=["Cs", "Cc", "L"])))
async def test_no_name_is_too_strange(store: ArtifactStore, name: str) -> None:
    made = await put_bytes(store, b"x", name=name, kind=INPUT, media_type=name)
    made.name.encode()
    assert made == await store.get(made.id)


async def test_a_stream_that_is_too_long_leaves_nothing(store: ArtifactStore, stored: Stored) -> None:
    with pytest.raises(TooLarge, match="more than 10 bytes"):
        await store.put(stream(b"12345", b"67890", b"x"), name="a", kind=INPUT, limit=10)
    assert (await store.put(stream(b"12345", b"67890"), name="a", kind=INPUT, limit=10)).size == 10
    assert stored() <= 1


async def test_a_stream_that_breaks_off_leaves_nothing_and_tells_its_own_error(
    store: ArtifactStore, stored: Stored
) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * 8 * CHUNK
        message = "the network is gone"
        raise ConnectionError(message)

    with pytest.raises(ConnectionError, match="network"):
        await store.put(broken(), name="a", kind=INPUT)
    assert stored() == 0


async def test_a_cancelled_put_leaves_nothing(store: ArtifactStore, stored: Stored) -> None:
    started = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * 8 * CHUNK
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(store.put(endless(), name="a", kind=INPUT))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.1)
    assert stored() == 0


async def test_a_run_that_repeats_a_step_gets_the_same_artifact(store: ArtifactStore, run: Run) -> None:
    first = await put_bytes(store, b"x", name="deck.pptx", kind=OUTPUT, run_id=run.id)
    again = await put_bytes(store, b"x", name="deck.pptx", kind=OUTPUT, run_id=run.id)
    newer = await put_bytes(store, b"y", name="deck.pptx", kind=OUTPUT, run_id=run.id)
    assert first == again
    assert await store.of_run(run.id) == (first, newer)


async def test_two_uploads_of_one_file_are_two_artifacts(store: ArtifactStore) -> None:
    first = await put_bytes(store, b"x", name="a.csv", kind=INPUT)
    second = await put_bytes(store, b"x", name="a.csv", kind=INPUT)
    assert first.id != second.id


async def test_shared_bytes_stay_until_the_last_artifact_goes(store: ArtifactStore, stored: Stored) -> None:
    first, second = [await put_bytes(store, b"x", name=name, kind=INPUT) for name in "ab"]
    await store.delete(first.id)
    with pytest.raises(NoSuchArtifact):
        await store.get(first.id)
    assert await content(store, second.id) == b"x"
    await store.delete(second.id)
    await store.delete(second.id)
    assert stored() == 0


async def test_putting_and_deleting_the_same_bytes_at_once_loses_none(store: ArtifactStore) -> None:
    old = [await put_bytes(store, b"same", name=f"old {n}", kind=INPUT) for n in range(10)]
    outcomes = await asyncio.gather(
        *(put_bytes(store, b"same", name=f"new {n}", kind=INPUT) for n in range(10)),
        *(store.delete(artifact.id) for artifact in old),
    )
    for artifact in outcomes:
        if artifact is not None:
            assert await content(store, artifact.id) == b"same"


async def test_an_artifact_of_no_run_is_refused_and_leaves_nothing(
    store: ArtifactStore, stored: Stored
) -> None:
    with pytest.raises(NoSuchRun):
        await put_bytes(store, b"x", name="a", kind=OUTPUT, run_id=RunId("r0"))
    assert stored() == 0


async def test_an_unknown_artifact_is_told(store: ArtifactStore, tmp_path: Path) -> None:
    nothing = ArtifactId("a0")
    with pytest.raises(NoSuchArtifact):
        await content(store, nothing)
    with pytest.raises(NoSuchArtifact):
        await save_to(store, nothing, tmp_path / "here")
    assert _laid_out(tmp_path) == []


async def test_a_file_goes_in_and_is_laid_out_again(store: ArtifactStore, tmp_path: Path) -> None:
    source, target = tmp_path / "source.bin", tmp_path / "target.bin"
    await asyncio.to_thread(source.write_bytes, b"0123456789" * 300_000)
    await asyncio.to_thread(target.write_bytes, b"old")
    made = await put_path(store, source, kind=INPUT)
    await save_to(store, made.id, target)
    assert made.name == "source.bin"
    assert await asyncio.to_thread(target.read_bytes) == await asyncio.to_thread(source.read_bytes)


async def test_a_file_that_is_not_there_is_the_callers_error(store: ArtifactStore, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await put_path(store, tmp_path / "nowhere", kind=INPUT)


def _laid_out(tmp_path: Path) -> list[Path]:
    return [*tmp_path.glob(".*.part"), *tmp_path.glob("here")]
