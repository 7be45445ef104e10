"""Tasks that end in order."""

import asyncio

import pytest

from sandbox.tasks import Background, stop, undisturbed


async def test_undisturbed_work_is_finished_before_the_cancellation_goes_on() -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.append("work")

    task = asyncio.create_task(undisturbed(work()))
    for _ in range(2):
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["work"]


async def test_undisturbed_work_that_fails_says_so() -> None:
    async def work() -> None:
        message = "no"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no"):
        await undisturbed(work())


async def test_who_is_cancelled_while_stopping_a_task_learns_it() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)

    other = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    task = asyncio.create_task(stop(other))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait([other])


async def test_background_work_is_over_when_stop_returns() -> None:
    background = Background()
    ended: list[int] = []

    async def work(number: int) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(number)

    tasks = [background.begin(work(number)) for number in range(3)]
    await asyncio.sleep(0)
    await background.stop()
    assert sorted(ended) == [0, 1, 2]
    assert all(task.cancelled() for task in tasks)
