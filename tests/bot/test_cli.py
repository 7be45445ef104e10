"""The program from outside: what it says and with which code it ends."""

import asyncio
import io
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli import cli
from bot.entry import ExitCode, Session
from bot.errors import ChatError
from bot.screen import Screen, open_console
from bot.service import notes, resume, told
from bot.settings import Settings
from bot.stores import open_store
from bot.texts import Language, texts
from storage.records import Run, RunStatus
from tests.bot.conftest import Rig


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, no engine and no settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    for name in (
        "LLM_BASE_URL",
        "LLM_API_KEY",
        "LLM_MODEL",
        "DECKHAND_DATA",
        "DECKHAND_LANGUAGE",
        "SKILLS_DIR",
        "DECKHAND_SKILLS",
        "SANDBOX_POLICY",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def deckhand(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_help_lists_the_exit_codes() -> None:
    shown = deckhand("ask", "--help")
    assert shown.exit_code == 0
    assert "3 no sandbox" in " ".join(shown.output.split())


def test_a_new_installation_has_no_runs() -> None:
    shown = deckhand("runs")
    assert (shown.exit_code, shown.stdout) == (0, "There have been no runs yet.\n")


def test_an_unknown_setting_is_an_error_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECKHAND_LANGAUGE", "en")
    shown = deckhand("runs")
    assert shown.exit_code == 2
    assert "Did you mean DECKHAND_LANGUAGE?" in shown.stderr
    assert shown.stdout == ""


def test_a_missing_file_is_told_in_the_language_of_the_request() -> None:
    shown = deckhand("ask", "b.csv", "Что здесь?")
    assert shown.exit_code == 2
    assert "Файла «b.csv» нет." in shown.stderr


def test_without_an_engine_ask_ends_before_anything_is_begun(alone: Path) -> None:
    (alone / "a.csv").write_text("x\n1\n")
    shown = deckhand("ask", "a.csv", "what is it?")
    assert shown.exit_code == 3
    assert "deckhand doctor" in shown.stderr
    assert deckhand("runs").stdout == "There have been no runs yet.\n"


def test_doctor_tells_that_the_engine_is_missing() -> None:
    shown = deckhand("doctor")
    assert shown.exit_code == 3
    assert "make docker" in " ".join(shown.stdout.split())
    assert "\x1b" not in shown.output


def test_a_plain_installation_needs_no_image_of_its_own() -> None:
    shown = deckhand("sandbox", "build")
    assert (shown.exit_code, shown.stdout) == (
        0,
        "Neither the policy nor a skill lists a package: the image of `make image` serves.\n",
    )


def test_a_skill_with_packages_cannot_be_built_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECKHAND_SKILLS", "javascript")
    shown = deckhand("sandbox", "build")
    assert shown.exit_code == 3
    assert "The sandbox cannot be used" in shown.stderr


def test_an_optional_skill_that_we_do_not_have_is_told_with_those_that_we_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DECKHAND_SKILLS", "javascript, cobol")
    shown = deckhand("skills", "list")
    assert shown.exit_code == 2
    assert "none is called cobol; there are: javascript" in " ".join(shown.stderr.split())


def test_a_run_that_does_not_exist_is_a_usage_error() -> None:
    shown = deckhand("show", "r123")
    assert shown.exit_code == 2
    assert "There is no run “r123”." in shown.stderr


def test_the_answer_of_a_run_can_be_read_again(alone: Path) -> None:
    async def ended() -> Run:
        async with open_store(Settings(deckhand_data=alone / "data")) as store:
            conversation = await store.conversations.get_or_create("terminal", "here")
            run = await store.runs.create(conversation.id, "count", language="en")
            await store.runs.finish(run.id, RunStatus.FINISHED, answer="**42** rows.\n\x1b[2J")
        return run

    shown = deckhand("show", asyncio.run(ended()).id)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Request: count")
    assert "**42** rows." in shown.stdout
    assert "\x1b" not in shown.output


@pytest.mark.parametrize(
    ("status", "failure", "code"),
    [
        (RunStatus.FINISHED, None, ExitCode.DONE),
        (RunStatus.FAILED, "budget", ExitCode.BUDGET),
        (RunStatus.CANCELLED, "cancelled", ExitCode.CANCELLED),
    ],
)
async def test_resume_ends_with_the_code_of_what_it_showed(
    rig: Rig, status: RunStatus, failure: str | None, code: ExitCode
) -> None:
    conversation = await rig.store.conversations.get_or_create("fake", "7")
    run = await rig.store.runs.create(conversation.id, "count the rows", language="en")
    await rig.store.runs.finish(run.id, status, answer="42", failure=failure, owner="gone:1:1")
    shown = io.StringIO()
    console = open_console(shown)
    session = Session(settings=rig.settings, screen=Screen(console, console), t=texts(Language.ENGLISH))

    assert await resume(rig.app, session) is code
    assert await resume(rig.app, session) is ExitCode.DONE
    assert len(rig.chat.messages) == 1
    assert shown.getvalue().splitlines() == [
        "“count the rows” had ended, but its outcome was not shown. Here it is.",
        "There is no interrupted run.",
    ]


async def test_resume_fails_when_it_could_not_show_the_answer(rig: Rig) -> None:
    conversation = await rig.store.conversations.get_or_create("fake", "7")
    run = await rig.store.runs.create(conversation.id, "count", language="en")
    await rig.store.runs.finish(run.id, RunStatus.FINISHED, answer="42", owner="gone:1:1")
    rig.chat.lasting = False
    rig.chat.trouble.append(ChatError("502"))
    console = open_console(io.StringIO())
    session = Session(settings=rig.settings, screen=Screen(console, console), t=texts(Language.ENGLISH))
    assert await resume(rig.app, session) is ExitCode.FAILED


async def test_ask_says_so_when_the_outcome_could_not_be_shown(rig: Rig) -> None:
    rig.chat.lasting = False
    rig.chat.trouble += [ChatError("502")] * 3
    shown = io.StringIO()
    console = open_console(shown)
    session = Session(settings=rig.settings, screen=Screen(console, console), t=texts(Language.ENGLISH))
    run = await rig.app.gateway.accept(rig.say("count"))
    assert await told(rig.app, session, run) is ExitCode.DONE
    assert "could not be shown" in shown.getvalue()


def test_the_data_folder_is_for_its_owner_alone(alone: Path) -> None:
    (alone / "data").mkdir(mode=0o755)
    assert deckhand("runs").exit_code == 0
    assert stat.S_IMODE((alone / "data").stat().st_mode) == 0o700


def test_skills_check_names_every_problem(alone: Path) -> None:
    (alone / "mine").mkdir()
    (alone / "mine" / "SKILL.md").write_text("---\nname: other\ndescription: x\n---\n")
    shown = deckhand("skills", "check", "mine")
    assert shown.exit_code == 2
    assert "the body is empty" in shown.stdout
    assert "they must be the same" in shown.stdout


def test_an_unwritable_data_folder_is_told(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (alone / "file").write_text("")
    monkeypatch.setenv("DECKHAND_DATA", str(alone / "file"))
    shown = deckhand("runs")
    assert shown.exit_code == 2
    assert "DECKHAND_DATA" in shown.stderr


def test_a_broken_database_is_a_sentence_and_no_traceback(alone: Path) -> None:
    (alone / "data").mkdir()
    (alone / "data" / "deckhand.db").write_bytes(b"this is no database" * 100)
    shown = deckhand("runs")
    assert shown.exit_code == 2
    assert "Traceback" not in shown.output
    assert "deckhand doctor" in shown.stderr


def test_skills_check_tells_what_is_replaced(alone: Path) -> None:
    (alone / "eda").mkdir()
    (alone / "eda" / "SKILL.md").write_text("---\nname: eda\ndescription: x\n---\nDo it.\n")
    shown = deckhand("skills", "check", "eda")
    assert (shown.exit_code, shown.stdout) == (0, "eda: valid.\nReplaces ours: eda.\n")


@pytest.mark.parametrize(
    ("chosen", "line"),
    [
        ({"llm_api_key": "sk-canary-canary"}, "Model: m1 at api.openai.com"),
        ({"llm_base_url": "https://me:secret@llm.test:8000/v1"}, "Model: m1 at llm.test:8000"),
    ],
)
async def test_where_data_goes_is_told_and_no_secret_with_it(
    rig: Rig, chosen: dict[str, str], line: str
) -> None:
    shown = io.StringIO()
    console = open_console(shown)
    settings = Settings.model_validate({"llm_model": "m1"} | chosen)
    await notes(
        rig.app, Session(settings=settings, screen=Screen(console, console), t=texts(Language.ENGLISH))
    )
    assert shown.getvalue() == f"{line}\n"
