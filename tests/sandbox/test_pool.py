"""The pool's rules, with containers that are only counted."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from sandbox.errors import SandboxUnavailable
from sandbox.pool import Pool, Stale
from sandbox.starts import Starts
from tests.conftest import until


class _Container:
    def __init__(self, number: int) -> None:
        self.number = number
        self.stale = False
        self.closed = False
        self.dead = asyncio.Event()

    async def spent(self) -> None:
        await self.dead.wait()

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.closed = True


class _Engine:
    """Starts containers one by one, when it is told to."""

    def __init__(self) -> None:
        self.started: list[_Container] = []
        self.under_way: list[asyncio.Future[None]] = []
        self.most = self.cancelled = 0
        self.then: Callable[[], object] = lambda: None
        """Called soon after a start, and before who gets the container goes on."""

    async def start(self) -> _Container:
        come: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.under_way.append(come)
        self.most = max(self.most, len(self.under_way))
        try:
            await come
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.under_way.remove(come)
        self.started.append(_Container(len(self.started)))
        asyncio.get_running_loop().call_soon(self.then)
        return self.started[-1]

    async def finish(self, count: int = 1) -> None:
        for _ in range(count):
            self.under_way[0].set_result(None)
            await _settle()

    async def fail(self, error: Exception) -> None:
        self.under_way[0].set_exception(error)
        await _settle()


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def _pool(
    engine: _Engine, *, size: int = 0, limit: int = 8, starts: int = 2, quiet: float = 0
) -> AsyncGenerator[Pool[_Container]]:
    turns = Starts(starts)
    pool = Pool(engine.start, name="default", size=size, limit=limit, starts=turns, quiet=quiet)
    pool.open()
    await _settle()
    try:
        yield pool
    finally:
        await turns.close()
        await pool.close()
        assert all(container.closed for container in engine.started), "a container was left"
        assert not engine.under_way, "a start was left"


class _Lease:
    """A lease in a task of its own, which holds what it got until it is told to end."""

    def __init__(
        self, pool: Pool[_Container], *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> None:
        self.got: int | None = None
        self._end = asyncio.Event()
        self.task = asyncio.create_task(self._hold(pool, waiting))

    async def _hold(self, pool: Pool[_Container], waiting: Callable[[int], None]) -> None:
        async with pool.lease(_begin, waiting=waiting) as number:
            self.got = number
            await self._end.wait()

    async def end(self) -> None:
        self._end.set()
        await self.task
        await _settle()

    async def cancel(self) -> None:
        self.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await self.task
        await _settle()


async def _begin(container: _Container) -> int:
    if container.stale:
        message = "silence"
        raise Stale(message)
    return container.number


async def test_a_lease_takes_a_ready_container_which_is_used_once_and_replaced() -> None:
    engine = _Engine()
    async with _pool(engine, size=2) as pool:
        await engine.finish(2)
        lease = _Lease(pool)
        await _settle()
        assert lease.got == 0
        stats = pool.stats()
        assert (stats.ready, stats.leased) == (1, 1)
        assert (stats.leases, stats.warm_leases) == (1, 1)
        await lease.end()
        assert engine.started[0].closed
        await until(lambda: engine.under_way)
        await engine.finish()
        assert [container.number for container in engine.started if not container.closed] == [1, 2]
        assert pool.stats().ready == 2


async def test_a_refill_leaves_those_in_peace_who_have_just_leased() -> None:
    engine = _Engine()
    async with _pool(engine, size=2, quiet=1000) as pool:
        await engine.finish(2)
        first, second = _Lease(pool), _Lease(pool)
        await _settle()
        assert (first.got, second.got) == (0, 1)
        assert engine.under_way == []
        third = _Lease(pool)  # for it, who has to wait, one starts at once
        await _settle()
        assert len(engine.under_way) == 1
        await engine.finish()
        assert third.got == 2
        assert pool.stats().warm_leases == 2
        for lease in (first, second, third):
            await lease.end()


async def test_leases_are_served_in_order_and_told_how_many_are_in_front() -> None:
    engine = _Engine()
    told: list[tuple[str, int]] = []
    async with _pool(engine, limit=1) as pool:
        leases = [_Lease(pool, waiting=lambda ahead, name=name: told.append((name, ahead))) for name in "abc"]
        await _settle()
        assert told == [("b", 1), ("c", 2)]  # the first waits for a start, not for the limit
        for lease in leases:
            await engine.finish()
            assert [other.got is not None for other in leases].count(True) == leases.index(lease) + 1
            assert lease.got is not None
            assert len(engine.under_way) == 0
            await lease.end()
        assert [lease.got for lease in leases] == [0, 1, 2]
        assert told == [("b", 1), ("c", 2)]


async def test_few_start_at_once_and_none_that_nobody_needs() -> None:
    engine = _Engine()
    async with _pool(engine, size=1, starts=2) as pool:
        leases = [_Lease(pool) for _ in range(5)]
        await _settle()
        assert len(engine.under_way) == 2
        await engine.finish(6)
        assert engine.under_way == []
        assert engine.most == 2
        assert sorted(lease.got for lease in leases if lease.got is not None) == [0, 1, 2, 3, 4]
        assert pool.stats().ready == 1
        for lease in leases:
            await lease.end()


async def test_a_start_begun_as_a_refill_serves_the_lease_that_comes_meanwhile() -> None:
    engine = _Engine()
    async with _pool(engine, size=1, starts=1) as pool:
        lease = _Lease(pool)
        await _settle()
        assert len(engine.under_way) == 1
        await engine.finish()
        assert lease.got == 0
        assert pool.stats().warm_leases == 0
        await lease.end()


async def test_of_two_pools_the_older_lease_goes_first_and_refills_last() -> None:
    engine, other = _Engine(), _Engine()
    turns = Starts(1)
    plain = Pool(engine.start, name="plain", size=2, limit=4, starts=turns, quiet=0)
    fine = Pool(other.start, name="fine", size=0, limit=4, starts=turns, quiet=0)
    plain.open()
    fine.open()
    await _settle()
    assert (len(engine.under_way), len(other.under_way)) == (1, 0)
    lease = _Lease(fine)
    await _settle()
    await engine.finish()
    assert (len(engine.under_way), len(other.under_way)) == (0, 1)
    await other.finish()
    assert lease.got == 0
    assert (len(engine.under_way), len(other.under_way)) == (1, 0)
    await lease.end()
    await turns.close()
    await asyncio.gather(plain.close(), fine.close())
    assert engine.cancelled == 1
    assert all(container.closed for container in engine.started + other.started)


async def test_a_container_that_died_is_not_handed_out_but_replaced() -> None:
    engine = _Engine()
    async with _pool(engine, size=1) as pool:
        await engine.finish()
        engine.started[0].dead.set()
        lease = _Lease(pool)
        await _settle()
        assert engine.started[0].closed
        await engine.finish()
        assert lease.got == 1
        await lease.end()


async def test_a_stale_container_is_passed_over_in_silence_for_a_fresh_one() -> None:
    engine = _Engine()
    async with _pool(engine, size=2, limit=2, quiet=1000) as pool:
        await engine.finish(2)
        for container in engine.started:
            container.stale = True
        lease = _Lease(pool)
        await _settle()
        assert engine.started[0].closed
        await engine.finish()
        assert lease.got == 2
        stats = pool.stats()
        assert (stats.leases, stats.warm_leases, stats.leased) == (1, 0, 1)
        await lease.end()


async def test_a_fresh_container_that_fails_fails_the_lease() -> None:
    engine = _Engine()
    async with _pool(engine) as pool:
        lease = _Lease(pool)
        await _settle()
        engine.then = lambda: setattr(engine.started[0], "stale", True)
        await engine.finish()
        with pytest.raises(SandboxUnavailable, match="silence"):
            await lease.task
        assert pool.stats().leases == 0


async def test_a_failed_start_fails_one_lease_and_a_second_all_that_wait() -> None:
    engine = _Engine()
    async with _pool(engine, starts=1) as pool:
        leases = [_Lease(pool) for _ in range(4)]
        await _settle()
        await engine.fail(SandboxUnavailable("no room"))
        assert [lease.task.done() for lease in leases] == [True, False, False, False]
        await engine.fail(SandboxUnavailable("no engine"))
        for lease, reason in zip(leases, ["no room", *["no engine"] * 3], strict=True):
            with pytest.raises(SandboxUnavailable, match=reason):
                await lease.task
        assert pool.stats().failed_starts == 2
        assert engine.under_way == []


async def test_a_failed_refill_is_not_repeated_at_once_but_a_lease_tries_at_once() -> None:
    engine = _Engine()
    async with _pool(engine, size=1, quiet=1000) as pool:
        await engine.fail(ValueError("out of order"))
        assert engine.under_way == []
        lease = _Lease(pool)
        await _settle()
        await engine.finish()
        assert lease.got == 0
        assert len(engine.under_way) == 1  # it works again, so the pool is refilled
        await lease.end()


async def test_a_pool_fills_again_when_the_engine_is_back() -> None:
    engine = _Engine()
    async with _pool(engine, size=1, quiet=0.001) as pool:
        for _ in range(3):
            await until(lambda: engine.under_way)
            await engine.fail(SandboxUnavailable("no engine"))
        await until(lambda: engine.under_way)
        await engine.finish()
        assert (pool.stats().ready, pool.stats().failed_starts) == (1, 3)


async def test_who_is_cancelled_in_line_leaves_it_and_the_start_serves_the_next() -> None:
    engine = _Engine()
    async with _pool(engine, limit=1) as pool:
        first, second = _Lease(pool), _Lease(pool)
        await _settle()
        await first.cancel()
        await engine.finish()
        assert second.got == 0
        await second.end()


async def test_a_start_that_nobody_waits_for_any_more_is_taken_back() -> None:
    engine = _Engine()
    async with _pool(engine) as pool:
        lease = _Lease(pool)
        await _settle()
        await lease.cancel()
        await engine.finish()
        assert engine.started[0].closed
        assert pool.stats().ready == pool.stats().leased == 0


async def test_a_cancellation_in_the_moment_of_serving_loses_nothing() -> None:
    engine = _Engine()
    async with _pool(engine, size=1, starts=1) as pool:
        first, second = _Lease(pool), _Lease(pool)
        await _settle()
        engine.then = first.task.cancel
        await engine.finish()
        assert first.task.cancelled()
        assert second.got == 0
        await second.end()
        assert pool.stats().leased == 0


async def test_closing_cancels_starts_and_tells_those_who_wait() -> None:
    engine = _Engine()
    async with _pool(engine, starts=1) as pool:
        lease = _Lease(pool)
        await _settle()
    assert engine.cancelled == 1
    with pytest.raises(SandboxUnavailable, match="closed"):
        await lease.task
    with pytest.raises(SandboxUnavailable, match="closed"):
        await _Lease(pool).task
