"""Tasks done by the whole line in containers. `make tasks` does all ten; here are the cheap ones."""

from pathlib import Path

import pytest

from agent.verification import Rerun
from sandbox.session import Sandbox
from tests.tasks.assessment import assess, delivery_of, row, unnoticed
from tests.tasks.running import perform
from tests.tasks.task import Task, tasks

OFFLINE = ("D03",)
"""Without a model, whether or not there is a recording."""


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("task", [t for t in tasks() if t.id in OFFLINE], ids=lambda task: task.id)
async def test_the_recipes_do_a_task_and_every_check_of_it_sees(
    task: Task, tmp_path: Path, docker_sandbox: Sandbox
) -> None:
    result = await perform(task, tmp_path, docker_sandbox, offline=True)
    delivery = delivery_of(result)
    verdicts = assess(task, delivery)
    assert [(v.text, clause) for v in verdicts for clause in v.failing] == []
    assert unnoticed(verdicts, delivery, tmp_path / "spoilt") == []
    done = row(result, verdicts)
    assert done["gate"] == []
    assert done["traced"][0] == done["traced"][1] > 0
    assert result.verification is not None
    assert result.verification.rerun is Rerun.IDENTICAL
