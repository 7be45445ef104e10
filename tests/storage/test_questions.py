"""A run asks once, and the first answer counts."""

import asyncio
from datetime import UTC, datetime

import pytest

from storage.database import Database
from storage.errors import NoSuchRun
from storage.questions import Questions
from storage.records import Run, RunId

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


async def test_a_question_is_kept_with_its_options_and_its_assumption(database: Database, run: Run) -> None:
    questions = Questions(database, lambda: NOON)
    asked = await questions.ask(run.id, "По какому году?", ("2024", "2025"), "2025")
    assert asked == await questions.of(run.id)
    assert (asked.options, asked.assumption, asked.asked_at) == (("2024", "2025"), "2025", NOON)
    assert (asked.message_id, asked.answer) == (None, None)


async def test_a_run_that_asks_again_after_a_crash_gets_its_first_question(
    database: Database, run: Run
) -> None:
    questions = Questions(database)
    first = await questions.ask(run.id, "Which year?", ("2024",), "2024")
    await questions.posted(run.id, "77")
    again = await questions.ask(run.id, "Which month?", (), "May")
    assert (again.text, again.asked_at, again.message_id) == ("Which year?", first.asked_at, "77")


async def test_of_many_answers_one_counts(database: Database, run: Run) -> None:
    questions = Questions(database)
    await questions.ask(run.id, "Which?", ("a", "b"), "a")
    given = await asyncio.gather(*(questions.answer(run.id, f"answer {number}") for number in range(6)))
    assert sum(given) == 1
    asked = await questions.of(run.id)
    assert asked is not None
    assert asked.answer == f"answer {given.index(True)}"


async def test_a_run_that_asked_nothing_has_no_question_and_takes_no_answer(
    database: Database, run: Run
) -> None:
    questions = Questions(database)
    assert await questions.of(run.id) is None
    assert not await questions.answer(run.id, "a")


async def test_only_a_run_that_exists_asks(database: Database) -> None:
    with pytest.raises(NoSuchRun):
        await Questions(database).ask(RunId("r0"), "Which?", (), "a")
