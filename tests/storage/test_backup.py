"""What a backup holds while the bot works on, and what restoring refuses."""

import asyncio
import io
import json
import os
import sqlite3
import stat
import tarfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storage.artifacts import ArtifactStore, open_artifacts, put_bytes
from storage.backup import HEAD, SUMS, Backup, Places, digests, place, write_backup
from storage.checkpoints import open_checkpointer
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.errors import BadBackup, FolderInUse, NewerDatabase, StorageDamaged
from storage.records import ArtifactKind, RunStatus
from storage.restore import restore_backup
from storage.runs import Runs

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def places(data: Path) -> Places:
    return Places(
        database=data / "deckhand.db",
        checkpoints=data / "checkpoints.db",
        runs=data / "runs",
        secret=data / "secret",
        artifacts=data / "artifacts",
    )


@dataclass(frozen=True)
class Installation:
    places: Places
    database: Database
    artifacts: ArtifactStore

    def backup(self, file: Path) -> Backup:
        return write_backup(self.places, file, version="1.2.3", now=NOW)


@asynccontextmanager
async def opened(data: Path) -> AsyncGenerator[Installation]:
    where = places(data)
    async with (
        open_database(str(where.database)) as database,
        open_artifacts(str(where.artifacts), database) as artifacts,
        open_checkpointer(where.checkpoints, []),
    ):
        yield Installation(where, database, artifacts)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Installation]:
    data = tmp_path / "data"
    async with opened(data) as installation:
        (data / "secret").write_bytes(b"key")
        (data / "runs" / "r1" / "out").mkdir(parents=True)
        (data / "runs" / "r1" / "events.jsonl").write_text("{}\n")
        (data / "runs" / "r1" / "out" / "déck.pptx").write_bytes(b"deck")
        yield installation


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def restored(file: Path, data: Path) -> Places:
    data.mkdir(exist_ok=True)
    where = places(data)
    restore_backup(file, where, now=NOW)
    return where


@pytest.mark.parametrize("name", ["kept.tar", "kept.tar.gz"])
async def test_all_that_is_kept_comes_back_and_is_for_its_owner_alone(
    here: Installation, tmp_path: Path, name: str
) -> None:
    conversation = await Conversations(here.database).get_or_create("terminal", "here")
    run = await Runs(here.database).create(conversation.id, "count", language="en")
    file = await put_bytes(here.artifacts, b"a,b\n", name="a.csv", kind=ArtifactKind.INPUT, run_id=run.id)
    await put_bytes(here.artifacts, b"a,b\n", name="twin.csv", kind=ArtifactKind.INPUT)

    made = await asyncio.to_thread(here.backup, tmp_path / name)

    assert made.missing == 0
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert names(tmp_path) == sorted(["data", name])
    where = restored(tmp_path / name, tmp_path / "new")
    assert where.secret.read_bytes() == b"key"
    assert (where.runs / "r1" / "out" / "déck.pptx").read_bytes() == b"deck"
    assert stat.S_IMODE(where.database.stat().st_mode) == stat.S_IMODE(where.secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(where.runs.stat().st_mode) == 0o700
    async with opened(tmp_path / "new") as there:
        assert (await Runs(there.database).get(run.id)).request == "count"
        assert [part async for part in there.artifacts.open(file.id)] == [b"a,b\n"]
    assert {"artifacts", "runs", "secret"} == set(names(tmp_path / "new")) - {"checkpoints.db", "deckhand.db"}


async def test_a_bot_that_works_on_never_gets_a_backup_that_names_what_it_does_not_hold(
    here: Installation, tmp_path: Path
) -> None:
    """A writer puts and deletes files all the time, as fast as it can."""
    stop = asyncio.Event()

    async def work() -> int:
        count, old = 0, []
        while not stop.is_set():
            content = f"file {count}".encode() * 50
            old.append((await put_bytes(here.artifacts, content, name="x", kind=ArtifactKind.INPUT)).id)
            if count % 2:
                await here.artifacts.delete(old.pop(0))
            count += 1
        return count

    writing = asyncio.create_task(work())
    for turn in range(6):
        await asyncio.sleep(0.1)
        file = tmp_path / f"{turn}.tar"
        await asyncio.to_thread(here.backup, file)
        where = restored(file, tmp_path / f"new{turn}")
        named = digests(where.database)
        assert all((tmp_path / f"new{turn}" / "artifacts" / place(digest)).is_file() for digest in named)
    stop.set()
    assert await writing > 20


async def test_what_was_deleted_after_the_copy_of_the_database_is_not_named_by_the_backup(
    here: Installation, tmp_path: Path
) -> None:
    kept = await put_bytes(here.artifacts, b"kept", name="kept", kind=ArtifactKind.INPUT)
    gone = await put_bytes(here.artifacts, b"gone", name="gone", kind=ArtifactKind.INPUT)
    (tmp_path / "data" / "artifacts" / place(gone.sha256)).unlink()

    made = await asyncio.to_thread(here.backup, tmp_path / "b.tar")

    assert made.missing == 1
    assert digests(restored(tmp_path / "b.tar", tmp_path / "new").database) == (kept.sha256,)


async def test_files_that_grow_during_the_backup_are_in_it_as_far_as_they_had_come(
    here: Installation, tmp_path: Path
) -> None:
    log = here.places.runs / "r1" / "events.jsonl"
    stop = asyncio.Event()

    def grow() -> None:
        with log.open("a") as file:
            while not stop.is_set():
                file.write('{"kind": "x"}\n')
                file.flush()

    growing = asyncio.create_task(asyncio.to_thread(grow))
    await asyncio.sleep(0.05)
    await asyncio.to_thread(here.backup, tmp_path / "b.tar")
    stop.set()
    await growing
    where = restored(tmp_path / "b.tar", tmp_path / "new")
    assert log.read_text().startswith((where.runs / "r1" / "events.jsonl").read_text())


async def test_links_and_pipes_among_the_files_of_a_run_stay_outside(
    here: Installation, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("not ours")
    (here.places.runs / "r1" / "link").symlink_to(tmp_path / "outside")
    (here.places.runs / "r1" / "folder").symlink_to(tmp_path)
    os.mkfifo(here.places.runs / "r1" / "pipe")
    await asyncio.to_thread(here.backup, tmp_path / "b.tar")
    with tarfile.open(tmp_path / "b.tar") as tar:
        names = tar.getnames()
    assert [name for name in names if name.startswith("runs/")] == [
        "runs/r1/events.jsonl",
        "runs/r1/out/déck.pptx",
    ]


async def test_a_run_in_hand_belongs_to_nobody_where_it_is_restored(
    here: Installation, tmp_path: Path
) -> None:
    conversation = await Conversations(here.database).get_or_create("terminal", "here")
    run = await Runs(here.database).create(conversation.id, "count", language="en")
    await Runs(here.database).claim(run.id, "boot:1:1", left_by=None)
    await asyncio.to_thread(here.backup, tmp_path / "b.tar")
    restored(tmp_path / "b.tar", tmp_path / "new")
    async with opened(tmp_path / "new") as there:
        (found,) = await Runs(there.database).unfinished()
        assert (found.id, found.status, found.owner) == (run.id, RunStatus.RUNNING, None)
        assert await Runs(there.database).claim(run.id, "boot:2:2", left_by=None) is not None
    assert (await Runs(here.database).get(run.id)).owner == "boot:1:1"


async def test_a_damaged_database_is_told_and_leaves_no_backup(here: Installation, tmp_path: Path) -> None:
    (tmp_path / "data" / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    broken = replace(here.places, checkpoints=tmp_path / "data" / "broken.db")
    with pytest.raises(StorageDamaged):
        await asyncio.to_thread(write_backup, broken, tmp_path / "b.tar", version="1", now=NOW)
    assert names(tmp_path) == ["data"]


async def test_a_backup_that_fails_leaves_the_older_one_of_its_name(
    here: Installation, tmp_path: Path
) -> None:
    await asyncio.to_thread(here.backup, tmp_path / "b.tar")
    before = (tmp_path / "b.tar").read_bytes()
    broken = replace(here.places, checkpoints=tmp_path)
    with pytest.raises(Exception, match="open"):
        await asyncio.to_thread(write_backup, broken, tmp_path / "b.tar", version="1", now=NOW)
    assert (tmp_path / "b.tar").read_bytes() == before


async def test_a_bucket_is_not_part_of_the_backup_and_the_backup_says_so(
    here: Installation, tmp_path: Path
) -> None:
    await put_bytes(here.artifacts, b"there", name="x", kind=ArtifactKind.INPUT)
    bucket = replace(here.places, artifacts=None)
    await asyncio.to_thread(write_backup, bucket, tmp_path / "b.tar", version="1", now=NOW)
    (tmp_path / "new").mkdir()
    found = restore_backup(tmp_path / "b.tar", replace(places(tmp_path / "new"), artifacts=None), now=NOW)
    assert not found.artifacts
    assert len(digests(tmp_path / "new" / "deckhand.db")) == 1


# Restoring


@pytest.fixture
async def kept(here: Installation, tmp_path: Path) -> Path:
    await put_bytes(here.artifacts, b"bytes", name="x", kind=ArtifactKind.INPUT)
    await asyncio.to_thread(here.backup, tmp_path / "kept.tar")
    return tmp_path / "kept.tar"


def members(file: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(file) as tar:
        return [(info, (tar.extractfile(info) or io.BytesIO()).read()) for info in tar]


def rewritten(file: Path, change: Callable[[tarfile.TarInfo, bytes], bytes]) -> Path:
    """The same archive with other bytes in some of its members, and the sums as they were."""
    other = file.with_name("other.tar")
    with tarfile.open(other, "w") as tar:
        for info, content in members(file):
            new = change(info, content)
            info.size = len(new)
            tar.addfile(info, io.BytesIO(new))
    return other


def refused(file: Path, tmp_path: Path, kind: type[Exception] = BadBackup) -> str:
    with pytest.raises(kind) as caught:
        restored(file, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == [], "something was left behind"
    return str(caught.value)


def test_a_changed_byte_is_found_before_anything_is_touched(kept: Path, tmp_path: Path) -> None:
    bad = rewritten(kept, lambda info, content: b"bites" if info.name.startswith("artifacts") else content)
    assert "is damaged" in refused(bad, tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_an_archive_that_was_cut_off_is_refused(kept: Path, tmp_path: Path, share: float) -> None:
    content = kept.read_bytes()
    kept.write_bytes(content[: int(len(content) * share)])
    assert "kept.tar" in refused(kept, tmp_path)


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_bytes(b"hello" * 1000)
    assert "no archive" in refused(tmp_path / "x.tar", tmp_path)
    with tarfile.open(tmp_path / "y.tar", "w") as tar:
        tar.add(__file__, "secret")
    assert "no backup of Deckhand" in refused(tmp_path / "y.tar", tmp_path)


def test_a_backup_of_a_newer_version_is_told_as_such(kept: Path, tmp_path: Path) -> None:
    def newer(info: tarfile.TarInfo, content: bytes) -> bytes:
        return json.dumps(json.loads(content) | {"schema": "9999"}).encode() if info.name == HEAD else content

    assert "run the newer version" in refused(rewritten(kept, newer), tmp_path, NewerDatabase)


def hostile(kept: Path, change: Callable[[tarfile.TarInfo], None]) -> Path:
    """The archive with one more member, listed like the others, before its end."""
    other = kept.with_name("hostile.tar")
    with tarfile.open(other, "w") as tar:
        for info, content in members(kept):
            if info.name == SUMS:
                extra = tarfile.TarInfo("runs/r1/extra")
                change(extra)
                tar.addfile(extra, io.BytesIO(b"\0" * extra.size))
            tar.addfile(info, io.BytesIO(content))
    return other


@pytest.mark.parametrize(
    "name",
    [
        "../out",
        "/etc/x",
        "runs/../../x",
        "runs//x",
        "runs/./x",
        "runs",
        "leases/x",
        "bot.lock",
        "deckhand.db",
    ],
)
def test_90_a_member_with_another_place_than_a_backups_is_refused(
    kept: Path, tmp_path: Path, name: str
) -> None:
    bad = hostile(kept, lambda info: setattr(info, "name", name))
    assert "no backup holds such a member" in refused(bad, tmp_path)
    assert names(tmp_path) == ["data", "hostile.tar", "kept.tar", "new"]


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE],
)
def test_90_links_devices_and_pipes_are_refused(kept: Path, tmp_path: Path, kind: bytes) -> None:
    def become(info: tarfile.TarInfo) -> None:
        info.type, info.linkname = kind, "/etc/passwd"

    assert "no backup holds such a member" in refused(hostile(kept, become), tmp_path)


def test_90_an_unlisted_member_is_refused(kept: Path, tmp_path: Path) -> None:
    assert "does not hold what it lists" in refused(hostile(kept, lambda info: None), tmp_path)


async def test_90_no_setuid_bit_comes_back(here: Installation, tmp_path: Path) -> None:
    (here.places.runs / "r1" / "events.jsonl").chmod(0o6777)
    await asyncio.to_thread(here.backup, tmp_path / "b.tar")
    where = restored(tmp_path / "b.tar", tmp_path / "new")
    assert stat.S_IMODE((where.runs / "r1" / "events.jsonl").stat().st_mode) == 0o755


def test_a_folder_with_something_in_it_is_left_alone_unless_one_insists(kept: Path, tmp_path: Path) -> None:
    where = restored(kept, tmp_path / "new")
    where.secret.write_bytes(b"another")
    with pytest.raises(FolderInUse):
        restore_backup(kept, where, now=NOW)
    assert where.secret.read_bytes() == b"another"

    found = restore_backup(kept, where, now=NOW, force=True)

    assert where.secret.read_bytes() == b"key"
    names = {path.name for path in found.aside}
    assert names == {f"{path.name}.before-20261130T120000" for path in vars_of(where)}
    assert (tmp_path / "new" / "secret.before-20261130T120000").read_bytes() == b"another"


def vars_of(where: Places) -> list[Path]:
    return [
        path
        for path in (where.database, where.checkpoints, where.runs, where.secret, where.artifacts)
        if path
    ]


async def test_what_is_moved_aside_keeps_the_last_writes_of_its_database(
    here: Installation, kept: Path
) -> None:
    """They lie in SQLite's log beside the file as long as somebody has it open."""
    await Conversations(here.database).get_or_create("terminal", "late")
    found = restore_backup(kept, here.places, now=NOW, force=True)
    (old,) = (path for path in found.aside if path.name.startswith("deckhand.db"))
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT key FROM conversations").fetchall() == [("late",)]
    with closing(sqlite3.connect(here.places.database)) as connection:
        assert connection.execute("SELECT key FROM conversations").fetchall() == []
