"""What has begun is carried to its end, whoever loses patience."""

import asyncio

import pytest

from storage.cancellation import settled


async def test_the_work_ends_before_the_cancelled_caller_does() -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0.02)
        done.append("work")

    async def call() -> None:
        try:
            await settled(work())
        finally:
            done.append("caller")

    task = asyncio.create_task(call())
    await asyncio.sleep(0.005)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["work", "caller"]


async def test_the_result_and_the_error_come_through() -> None:
    async def answer() -> int:
        return 42

    async def fail() -> int:
        message = "no"
        raise LookupError(message)

    assert await settled(answer()) == 42
    with pytest.raises(LookupError, match="no"):
        await settled(fail())


async def test_a_cancelled_caller_is_not_told_of_a_failure() -> None:
    async def fail_late() -> None:
        await asyncio.sleep(0.01)
        message = "no"
        raise LookupError(message)

    task = asyncio.create_task(settled(fail_late()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
