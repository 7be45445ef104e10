"""What a model asks too much of stays within the limits."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import PlanChanged
from agent.orchestrator import MAX_ANSWER
from agent.tools.drafts import MAX_TODOS
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.agent.test_runner import models_at, sandbox, todo
from tests.endpoint import completion, in_turn, serve

HUGE = 10_000_000


def stored(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def test_a_plan_of_500_todos_is_refused(tmp_path: Path) -> None:
    many = [todo(f"t{n}") for n in range(500)]
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": many}), *[("start_next_todo", {})] * 50]),
        completion(calls=[("create_todo_list", {"todos": "\n".join(f"- t{n}: T" for n in range(500))})]),
        completion("I cannot."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run = await line.run(await line.ask("Everything"))
    assert run.status is RunStatus.FINISHED
    assert not [event for event in line.seen if isinstance(event, PlanChanged)]
    assert f"at most {MAX_TODOS} items" in str(endpoint.seen[1]["messages"])


@pytest.mark.parametrize(
    "huge",
    [
        completion("x" * HUGE),
        completion(calls=[("create_todo_list", {"todos": "x" * HUGE})]),
        completion(calls=[("run_shell_" + "x" * HUGE, {})]),
    ],
    ids=["words", "arguments", "name"],
)
async def test_nothing_of_an_answer_of_ten_megabytes_is_kept(tmp_path: Path, huge: Any) -> None:
    async with (
        serve(in_turn(*[huge] * 3)) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox()) as line,
    ):
        run = await line.run(await line.ask("Talk"))
        told = json.dumps([dict(record.payload) for record in await line.events.of(run.id)])
    assert (run.status, run.failure) == (RunStatus.FAILED, "model")
    assert len(told) < 10_000
    assert stored(tmp_path) < 2_000_000
    assert len(str(endpoint.seen)) < 200_000


@pytest.mark.parametrize("along", [True, False])
async def test_a_long_answer_is_cut(tmp_path: Path, along: bool) -> None:
    text = "word " * (MAX_ANSWER // 2)
    plan = [("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]
    ends = (
        [completion(calls=[("complete_todo", {"id": "a", "answer": text})])] if along else [completion(text)]
    )
    played = in_turn(*([completion(calls=plan), completion("done")] if along else []), *ends)
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run = await line.run(await line.ask("Talk"))
    assert run.answer is not None
    assert len(run.answer) == MAX_ANSWER + 1
