"""Who goes through the gate, and when."""

import asyncio

from sandbox.gate import Gate


async def test_a_few_go_in_at_once_and_the_others_in_the_order_in_which_they_came() -> None:
    gate, inside, entered = Gate(2), 0, list[int]()
    most = 0

    async def script(number: int) -> None:
        nonlocal inside, most
        async with gate.turn():
            inside, most = inside + 1, max(most, inside + 1)
            entered.append(number)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(script(number) for number in range(9)))
    assert (most, entered) == (2, list(range(9)))


async def test_who_sleeps_inside_keeps_nobody_away_for_long() -> None:
    gate, leave = Gate(1, patience=0.01), asyncio.Event()

    async def sleeper() -> None:
        async with gate.turn():
            await leave.wait()

    asleep = asyncio.create_task(sleeper())
    await asyncio.sleep(0)
    async with gate.turn():
        assert not asleep.done()
    leave.set()
    await asleep
    async with gate.turn():  # the impatient one has given back nothing that it did not have
        waiting = asyncio.create_task(sleeper())
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting


async def test_who_is_cancelled_in_the_line_takes_no_place_with_it() -> None:
    gate = Gate(1)
    async with gate.turn():
        waiting = asyncio.create_task(gate.turn().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with asyncio.timeout(1), gate.turn():
        pass
