"""Wide tables of an answer become a picture each and one workbook; what goes wrong costs no answer."""

import asyncio
import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PIL import Image

from bot.delivery.tablemaker import SandboxTables
from bot.delivery.tables import Table
from sandbox.docker import DockerSandbox
from sandbox.session import ExitStatus, Workspace
from storage.records import ConversationId, Run, RunStatus, Usage, new_run_id, utc_now
from tests.agent.local_sandbox import LocalSandbox
from tests.fakes import FakeRun, FakeSandbox

PNG = b"\x89PNG\r\n\x1a\n"
CHANGE = "Рост из-за новых клиентов и цен 🚀 " * 3
SALES = Table(
    title="Выручка по регионам: итог",
    header=("Регион", "Выручка, ₽", "Доля", "Что случилось"),
    rows=(
        *((f"Регион {n}", f"{n} 345,50", f"{n},5 %", CHANGE) for n in range(1, 60)),
        ("Итого", "0012", "—", '=HYPERLINK("http://x")'),
    ),
)
SMALL = Table(title="", header=("name", "$a_1$"), rows=(("日本語 👍🏽\x00\ud800", "-2"),))


def a_run(language: str = "ru") -> Run:
    return Run(
        id=new_run_id(),
        conversation_id=ConversationId("c1"),
        request="",
        language=language,
        inputs=(),
        status=RunStatus.FINISHED,
        created_at=utc_now(),
        started_at=None,
        finished_at=None,
        answer="",
        failure=None,
        failure_detail=None,
        usage=Usage(),
        attempt=1,
        owner=None,
        delivered_at=None,
    )


def empty_book() -> bytes:
    content = io.BytesIO()
    openpyxl.Workbook().save(content)
    return content.getvalue()


EMPTY_BOOK = empty_book()


async def test_each_table_is_a_picture_and_all_are_sheets_of_one_workbook(tmp_path: Path) -> None:
    maker = SandboxTables(LocalSandbox(tmp_path / "sandbox"), tmp_path)
    first, second, book = await maker.make(a_run(), (SALES, SMALL))
    assert [file.name for file in (first, second, book)] == [
        "таблица 1 из ответа.png",
        "таблица 2 из ответа.png",
        "таблицы из ответа.xlsx",
    ]
    check_files(first.path, second.path, book.path)
    assert book.size == book.path.stat().st_size


def check_files(first: Path, second: Path, book: Path) -> None:
    with Image.open(first) as picture:
        assert 1_000 < picture.width <= 1_200
        assert 1_000 < picture.height <= 2_500
    with Image.open(second) as picture:
        assert picture.width < 1_200
    opened = openpyxl.load_workbook(book)
    assert opened.sheetnames == ["Выручка по регионам_ итог", "Таблица 2"]
    cells = list(opened.worksheets[0].values)
    assert len(cells) == 61
    assert cells[1][:3] == ("Регион 1", 1345.5, 0.015)
    assert cells[60] == ("Итого", "0012", "—", '=HYPERLINK("http://x")')
    assert opened.worksheets[0].cell(61, 4).data_type == "s"
    assert opened.worksheets[1].cell(2, 2).value == -2


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_the_libraries_and_fonts_of_the_image_do_it(
    docker_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    files = await SandboxTables(docker_sandbox, tmp_path).make(a_run(), (SALES, SMALL))
    check_files(*(file.path for file in files))


async def test_the_same_tables_are_the_same_bytes_so_that_one_copy_is_kept(
    tmp_path: Path,
) -> None:
    maker = SandboxTables(LocalSandbox(tmp_path / "sandbox"), tmp_path)
    run = a_run("en")
    before = {file.name: file.path.read_bytes() for file in await maker.make(run, (SMALL,))}
    assert list(before) == ["answer table 1.png", "answer tables.xlsx"]
    assert {file.name: file.path.read_bytes() for file in await maker.make(run, (SMALL,))} == before


@pytest.mark.parametrize(
    "result",
    [
        FakeRun(stderr="MemoryError", exit_code=1),
        FakeRun(status=ExitStatus.TIMEOUT),
        FakeRun(),
        FakeRun(files={"table_1.png": PNG}),
        FakeRun(files={"table_1.png": b"<html>", "tables.xlsx": EMPTY_BOOK}),
    ],
)
async def test_a_script_that_fails_leaves_the_tables_in_the_text(tmp_path: Path, result: FakeRun) -> None:
    sandbox = FakeSandbox()
    sandbox.plan("table_files.py", result)
    assert await SandboxTables(sandbox, tmp_path).make(a_run(), (SMALL,)) == ()


async def test_an_engine_that_is_gone_leaves_the_tables_in_the_text(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    sandbox.unavailable = "gone"
    assert await SandboxTables(sandbox, tmp_path).make(a_run(), (SMALL,)) == ()


async def test_a_container_that_does_not_come_in_time_is_not_waited_for(tmp_path: Path) -> None:
    class Busy(FakeSandbox):
        @asynccontextmanager
        async def lease(self, workspace: Workspace, **_: Any) -> AsyncGenerator[Any]:
            await asyncio.Event().wait()
            yield None

    assert await SandboxTables(Busy(), tmp_path, patience=0.05).make(a_run(), (SMALL,)) == ()


async def test_what_an_interrupted_attempt_left_is_not_delivered(tmp_path: Path) -> None:
    run = a_run()
    left = tmp_path / run.id / "tables" / "out"
    left.mkdir(parents=True)
    (left / "table_1.png").write_bytes(PNG)
    (left / "tables.xlsx").write_bytes(EMPTY_BOOK)
    assert await SandboxTables(FakeSandbox(), tmp_path).make(run, (SMALL,)) == ()


async def test_more_tables_than_a_chat_can_look_through_stay_in_the_text(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    assert await SandboxTables(sandbox, tmp_path).make(a_run(), [SMALL] * 10) == ()
    assert sandbox.sessions == []
