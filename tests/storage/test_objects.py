"""What the folder store does beyond the contract."""

import asyncio
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from storage.artifacts import open_artifacts, put_bytes, save_to
from storage.database import Database
from storage.errors import StorageDamaged, StorageUnavailable
from storage.records import ArtifactKind


@pytest.mark.parametrize("damage", ["changed", "gone"])
async def test_bytes_that_changed_on_disk_are_never_taken_for_good(
    database: Database, tmp_path: Path, damage: str
) -> None:
    async with open_artifacts(str(tmp_path / "kept"), database) as store:
        made = await put_bytes(store, b"right", name="a", kind=ArtifactKind.INPUT)
        file = tmp_path / "kept" / made.sha256[:2] / made.sha256
        if damage == "gone":
            await asyncio.to_thread(file.unlink)
        else:
            await asyncio.to_thread(file.write_bytes, b"wrong")
        with pytest.raises(StorageDamaged, match=damage):
            await save_to(store, made.id, tmp_path / "laid out")
        assert not await asyncio.to_thread((tmp_path / "laid out").exists)

        await put_bytes(store, b"right", name="again", kind=ArtifactKind.INPUT)
        await save_to(store, made.id, tmp_path / "laid out")
        assert await asyncio.to_thread((tmp_path / "laid out").read_bytes) == b"right"


async def test_what_a_crash_cut_off_is_swept_when_it_is_a_day_old(database: Database, tmp_path: Path) -> None:
    incoming = tmp_path / "kept" / "incoming"
    incoming.mkdir(parents=True)
    for name in ("a1#1", "a2", "a3#1"):
        (incoming / name).write_bytes(b"half")
    now = datetime.now(UTC)
    yesterday = (now - timedelta(hours=25)).timestamp()
    for name in ("a1#1", "a2"):
        os.utime(incoming / name, (yesterday, yesterday))
    async with open_artifacts(str(tmp_path / "kept"), database, clock=lambda: now):
        assert sorted(path.name for path in incoming.iterdir()) == ["a3#1"]


async def test_equal_files_are_stored_once_in_a_folder_of_the_owners(
    database: Database, tmp_path: Path
) -> None:
    async with open_artifacts(str(tmp_path / "kept"), database) as store:
        for name in ("a", "b"):
            await put_bytes(store, b"same", name=name, kind=ArtifactKind.INPUT)
    assert stat.S_IMODE((await asyncio.to_thread((tmp_path / "kept").stat)).st_mode) == 0o700
    assert len(_files(tmp_path / "kept")) == 1


async def test_a_file_is_laid_out_so_that_a_guest_can_read_it(database: Database, tmp_path: Path) -> None:
    async with open_artifacts("memory://", database) as store:
        made = await put_bytes(store, b"x", name="a", kind=ArtifactKind.INPUT)
        await save_to(store, made.id, tmp_path / "laid out")
    assert stat.S_IMODE((await asyncio.to_thread((tmp_path / "laid out").stat)).st_mode) == 0o644
    assert {path.name for path in _files(tmp_path) if "data" not in path.parts} == {"laid out"}


@pytest.mark.parametrize("url", ["ftp://host/x", "https://host/x"])
async def test_another_kind_of_url_is_refused(database: Database, url: str) -> None:
    with pytest.raises(StorageUnavailable, match="give a folder"):
        async with open_artifacts(url, database):
            pass


async def test_a_bucket_that_does_not_answer_is_told(database: Database) -> None:
    options = {"endpoint": "http://127.0.0.1:9", "region": "here", "skip_signature": "true"}
    async with open_artifacts("s3://bucket/prefix", database, options=options) as store:
        with pytest.raises(StorageUnavailable):
            await put_bytes(store, b"x", name="a", kind=ArtifactKind.INPUT)


async def test_a_setting_that_buckets_do_not_have_is_told(database: Database) -> None:
    with pytest.raises(StorageUnavailable, match="colour"):
        async with open_artifacts("s3://bucket", database, options={"colour": "red"}):
            pass


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
