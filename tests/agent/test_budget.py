import asyncio

import pytest

from agent.budget import Budget, Limit, Limits
from agent.errors import BudgetExceeded
from storage.records import Usage

LIMITS = Limits(model_calls=3, tokens=1_000, seconds=60, sandbox_seconds=10)


@pytest.mark.parametrize(
    ("usage", "limit"),
    [
        (Usage(model_calls=3), Limit.MODEL_CALLS),
        (Usage(input_tokens=900, output_tokens=100), Limit.TOKENS),
        (Usage(sandbox_seconds=10.5), Limit.SANDBOX_SECONDS),
    ],
)
def test_each_limit_stops_the_run_by_its_name(usage: Usage, limit: Limit) -> None:
    budget = Budget(LIMITS)
    budget.check()
    budget.add(usage)
    with pytest.raises(BudgetExceeded) as exceeded:
        budget.check()
    assert exceeded.value.limit == limit


def test_what_a_run_had_used_before_a_restart_still_counts() -> None:
    with pytest.raises(BudgetExceeded):
        Budget(LIMITS, Usage(model_calls=3)).check()


def test_the_wall_clock_runs_out() -> None:
    now = [0.0]
    budget = Budget(LIMITS, clock=lambda: now[0])
    now[0] = 59.0
    budget.check()
    assert budget.seconds_left == 1.0
    now[0] = 61.0
    assert budget.seconds_left == 0.0
    with pytest.raises(BudgetExceeded, match="seconds"):
        budget.check()


async def test_the_time_that_a_person_takes_to_answer_is_not_the_runs() -> None:
    now = [0.0]
    budget = Budget(LIMITS, clock=lambda: now[0])
    async with budget.deadline() as deadline:
        now[0] = 20.0
        with budget.standing_still():
            assert deadline.when() is None
            now[0] = 5_000.0
        budget.check()
        assert budget.seconds_left == 40.0
        assert deadline.when() == pytest.approx(asyncio.get_running_loop().time() + 40, abs=5)
        now[0] = 5_041.0
        with pytest.raises(BudgetExceeded, match="seconds"):
            budget.check()
