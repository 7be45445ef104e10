"""`deckhand backup` and `restore` as an operator meets them."""

import asyncio
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli import cli
from bot.ops.backup import places
from bot.ops.lock import alone
from bot.ops.version import version
from bot.settings import Settings
from bot.stores import Store, open_store
from storage.artifacts import put_bytes
from storage.records import ArtifactKind, Run


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DECKHAND_DATA", str(tmp_path / "data"))
    for name in ("DATABASE_URL", "ARTIFACTS_URL", "DECKHAND_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "data"


def deckhand(*words: str) -> Result:
    shown = CliRunner().invoke(cli, list(words))
    assert "Traceback" not in shown.output
    return shown


def told(result: Result) -> str:
    return " ".join(result.output.split())


async def request(store: Store) -> Run:
    conversation = await store.conversations.get_or_create("terminal", "here")
    run = await store.runs.create(conversation.id, "count the rows", language="en")
    await put_bytes(store.artifacts, b"a,b\n", name="a.csv", kind=ArtifactKind.INPUT, run_id=run.id)
    return run


def filled(data: Path) -> Run:
    async def fill() -> Run:
        async with open_store(Settings(deckhand_data=data)) as store:
            return await request(store)

    return asyncio.run(fill())


def test_a_backup_is_restored_into_another_folder_and_tells_what_waits(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = filled(data)
    made = deckhand("backup", "kept.tar.gz")
    assert made.exit_code == 0
    assert "keep it as safe as the data folder" in told(made)

    monkeypatch.setenv("DECKHAND_DATA", str(tmp_path / "new"))
    back = deckhand("restore", "kept.tar.gz")

    assert back.exit_code == 0, back.output
    assert "one run waits for `deckhand run`" in told(back)
    assert deckhand("show", run.id).stdout.startswith("Request: count the rows")


def test_a_bot_that_works_on_may_be_backed_up_but_not_restored(data: Path) -> None:
    filled(data)
    with alone(data):
        assert deckhand("backup", "kept.tar").exit_code == 0
        refused = deckhand("restore", "kept.tar", "--force")
    assert refused.exit_code == 2
    assert "A bot already serves" in told(refused)


def test_what_is_in_the_folder_is_moved_aside_only_when_one_insists(data: Path) -> None:
    filled(data)
    deckhand("backup", "kept.tar")
    refused = deckhand("restore", "kept.tar")
    assert refused.exit_code == 2
    assert "nothing was changed" in told(refused)
    insisted = deckhand("restore", "kept.tar", "--force")
    assert insisted.exit_code == 0, insisted.output
    assert len(list(data.glob("deckhand.db.before-*"))) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("backup", "nowhere/kept.tar"), "its folder is not there"),
        (("backup", "data/runs/kept.tar"), "lies within what is to be backed up"),
        (("backup", "data/deckhand.db"), "lies within what is to be backed up"),
        (("backup", "data/secret"), "lies within what is to be backed up"),
        (("restore", "nothing.tar"), "There is no file nothing.tar"),
        (("restore", "broken.tar"), "cannot be restored, and nothing was changed"),
    ],
)
def test_a_file_that_will_not_do_is_told_with_the_reason(
    tmp_path: Path, words: tuple[str, str], sentence: str
) -> None:
    (tmp_path / "broken.tar").write_bytes(b"no tar" * 1000)
    shown = deckhand(*words)
    assert shown.exit_code == 2
    assert sentence in told(shown)


def test_a_bucket_is_told_to_be_no_part_of_the_backup_without_its_password(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(data)
    monkeypatch.setenv("ARTIFACTS_URL", "s3://canary:canary-key@bucket/prefix")
    shown = deckhand("backup", "kept.tar")
    assert shown.exit_code == 0, shown.output
    assert "s3://bucket/prefix and are not part of this backup" in told(shown)
    assert "canary" not in shown.output


def test_artifacts_may_lie_in_any_folder(tmp_path: Path) -> None:
    where = places(Settings(deckhand_data=tmp_path, artifacts_url="/mnt/files", database_url="/mnt/x.db"))
    assert (where.artifacts, where.database) == (Path("/mnt/files"), Path("/mnt/x.db"))
    assert places(Settings(deckhand_data=tmp_path)).artifacts == tmp_path / "artifacts"


def test_the_version_is_that_of_the_sources() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())
