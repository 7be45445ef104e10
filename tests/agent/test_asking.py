import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.asking import assumed, stating
from agent.budget import Limits
from agent.events import PlanChanged, QuestionAnswered, QuestionAsked, RunEvent, to_record
from storage.records import EventRecord, RunId, RunStatus, utc_now
from tests.agent.line import open_line
from tests.agent.test_runner import models_at, sandbox, todo
from tests.endpoint import completion, in_turn, serve

QUESTION = {
    "question": "Which year do you mean?",
    "options": ["2024", "2025"],
    "assumption": "I take the year 2025.",
}
ASK = ("ask_person", QUESTION)


class Person:
    """An `Asker`. Each question gets the next of `answers`, and none at all when there is none left."""

    def __init__(self, *answers: str | None) -> None:
        self.asked: list[tuple[str, tuple[str, ...], str]] = []
        self.waits = asyncio.Event()
        self._answers = list(answers)

    async def ask(self, run_id: RunId, text: str, options: tuple[str, ...], assumption: str) -> str | None:
        self.asked.append((text, options, assumption))
        self.waits.set()
        if not self._answers:
            await asyncio.Event().wait()
        return self._answers.pop(0)


def heard(request: Any) -> list[str]:
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]


async def test_the_persons_answer_is_what_the_run_goes_on_with(tmp_path: Path) -> None:
    person = Person("20\u200b24, but only spring")
    played = in_turn(completion(calls=[ASK]), completion("Spring 2024 was good."))
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=person) as line,
    ):
        run = await line.run(await line.ask("How was the year?"))
        kept = assumed(await line.events.of(run.id))
    assert person.asked == [("Which year do you mean?", ("2024", "2025"), "I take the year 2025.")]
    assert heard(endpoint.seen[1]) == [
        "status: ok\nsummary: the person answered\n\n2024, but only spring",
    ]
    assert [e for e in line.seen if isinstance(e, QuestionAsked | QuestionAnswered)] == [
        QuestionAsked(
            run_id=run.id,
            text="Which year do you mean?",
            options=("2024", "2025"),
            assumption="I take the year 2025.",
        ),
        QuestionAnswered(run_id=run.id, answer="20\u200b24, but only spring", by_person=True),
    ]
    assert kept == ""


async def test_without_an_answer_the_run_goes_on_with_its_assumption_and_that_is_on_record(
    tmp_path: Path,
) -> None:
    played = in_turn(completion(calls=[ASK]), completion("It was good."))
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=Person(None)) as line,
    ):
        run = await line.run(await line.ask("How was the year?"))
        kept = assumed(await line.events.of(run.id))
    [answer] = heard(endpoint.seen[1])
    assert "no answer; go on with your assumption: I take the year 2025., and say so" in answer
    assert run.status is RunStatus.FINISHED
    assert kept == "I take the year 2025."
    assert run.answer == "It was good.\n\n> I take the year 2025."


def test_what_was_assumed_is_not_said_twice() -> None:
    said = "It was good.\n\nI take the\n  year 2025."
    assert stating(said, "I take the year 2025.") == said
    assert stating("It was good.", "") == "It was good."


async def test_where_nobody_can_be_asked_no_model_hears_of_asking(tmp_path: Path) -> None:
    async with (
        serve(in_turn(completion("Fine."))) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox()) as line,
    ):
        await line.run(await line.ask("How was the year?"))
    assert "ask_person" not in str(endpoint.seen)


async def test_the_tool_and_the_rule_for_it_come_together(tmp_path: Path) -> None:
    async with (
        serve(in_turn(completion("Fine."))) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=Person()) as line,
    ):
        await line.run(await line.ask("How was the year?"))
    assert "ask_person" in str(endpoint.seen[0]["tools"])
    assert "materially ambiguous" in str(endpoint.seen[0]["messages"][0])


async def test_a_second_question_is_refused(tmp_path: Path) -> None:
    person = Person("2024")
    played = in_turn(completion(calls=[ASK]), completion(calls=[ASK]), completion("Fine."))
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=person) as line,
    ):
        await line.run(await line.ask("How was the year?"))
    assert len(person.asked) == 1
    assert "you have asked your one question" in heard(endpoint.seen[2])[1]


async def test_what_follows_a_question_in_the_same_answer_is_not_carried_out(tmp_path: Path) -> None:
    plan = [("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]
    played = in_turn(completion(calls=[ASK, *plan]), completion("Fine."))
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=Person("2024")) as line,
    ):
        await line.run(await line.ask("How was the year?"))
    assert [answer.splitlines()[0] for answer in heard(endpoint.seen[1])] == [
        "status: ok",
        "status: error",
        "status: error",
    ]
    assert not [event for event in line.seen if isinstance(event, PlanChanged)]


async def test_while_a_todo_is_at_work_it_is_too_late_for_questions(tmp_path: Path) -> None:
    person = Person()
    plan = [("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]
    played = in_turn(
        completion(calls=[*plan, ASK]),
        completion("done"),
        completion(calls=[ASK]),
        completion(calls=[("complete_todo", {"id": "a", "answer": "Fine."})]),
    )
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=person) as line,
    ):
        run = await line.run(await line.ask("How was the year?"))
    assert person.asked == []
    assert "too late for questions" in heard(endpoint.seen[2])[2]
    assert run.answer == "Fine."


@pytest.mark.parametrize(
    "wrong",
    [
        {"options": ["only one"]},
        {"options": ["same", " same\u200b "]},
        {"options": ["a", "b", "c", "d", "e"]},
        {"options": ["a", "x" * 61]},
        {"options": ["a", "\u200b"]},
        {"question": "?" * 601},
        {"assumption": ""},
    ],
)
async def test_a_question_that_fits_no_message_is_sent_back(
    tmp_path: Path, wrong: dict[str, Sequence[str] | str]
) -> None:
    person = Person()
    played = in_turn(completion(calls=[("ask_person", QUESTION | wrong)]), completion("Fine."))
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), asker=person) as line,
    ):
        await line.run(await line.ask("How was the year?"))
    assert person.asked == []
    assert "status: error" in heard(endpoint.seen[1])[0]


async def test_a_run_that_was_interrupted_while_it_waited_asks_the_same_again(tmp_path: Path) -> None:
    first, second = Person(), Person("2024")
    played = in_turn(completion(calls=[ASK]), completion("Fine."))
    async with serve(played) as endpoint:
        async with open_line(tmp_path, models_at(endpoint), sandbox(), owner="first", asker=first) as line:
            run_id = await line.ask("How was the year?")
            task = asyncio.create_task(line.run(run_id))
            await asyncio.wait_for(first.waits.wait(), 10)
            line.runner.stopping.set()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await line.runs.get(run_id)).status is RunStatus.RUNNING
        async with open_line(tmp_path, models_at(endpoint), sandbox(), owner="second", asker=second) as line:
            run = await line.run(run_id)
    assert run.answer == "Fine."
    assert first.asked == second.asked
    assert len(endpoint.seen) == 2


async def test_an_hour_of_waiting_does_not_cost_the_run_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Person):
        async def ask(self, run_id: RunId, text: str, options: tuple[str, ...], assumption: str) -> str:
            loop = asyncio.get_running_loop()
            before = loop.time
            monkeypatch.setattr(loop, "time", lambda: before() + 3_600)
            await asyncio.sleep(0)  # all timers that have run out go off
            await asyncio.sleep(0)
            return "2024"

    played = in_turn(completion(calls=[ASK]), completion("Fine."))
    limits = Limits(seconds=60)
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), limits=limits, asker=Slow()) as line,
    ):
        run = await line.run(await line.ask("How was the year?"))
    assert (run.status, run.answer) == (RunStatus.FINISHED, "Fine.")


@pytest.mark.parametrize(
    ("events", "assumption"),
    [
        ((), ""),
        ((QuestionAnswered(run_id="r", answer="a", by_person=False),), "a"),
        (
            (
                QuestionAnswered(run_id="r", answer="a", by_person=False),
                QuestionAnswered(run_id="r", answer="b", by_person=True),
            ),
            "",
        ),
    ],
)
def test_the_last_word_tells_whether_something_was_assumed(
    events: Sequence[RunEvent], assumption: str
) -> None:
    records = [
        EventRecord(
            run_id=RunId("r"), seq=n, at=utc_now(), kind=type(event).__name__, payload=to_record(event)
        )
        for n, event in enumerate(events, 1)
    ]
    assert assumed(records) == assumption
