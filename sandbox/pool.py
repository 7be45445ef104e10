"""A pool keeps started containers of one policy ready and serves leases in the order in which they came.

It knows no Docker: it is given a `start`, so that its rules are tested with fakes.

When it is refilled: a lease that takes a ready container puts refills off by a second, so that none competes
with the scripts of those who have just leased. A lease that finds none ready has its container started at
once and puts nothing off: under a steady load the pool catches up.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import structlog

from sandbox.errors import SandboxUnavailable
from sandbox.line import Line
from sandbox.rest import Rest
from sandbox.session import SandboxStats
from sandbox.starts import Starts
from sandbox.tasks import Background, stop, undisturbed

if TYPE_CHECKING:
    from asyncio import Task

QUIET_SECONDS = 1.0
LONGEST_PAUSE = 30.0
"""Seconds between two refills that fail. The first pause is as long as `quiet`, each next one twice that."""
_log = structlog.get_logger()


class Stale(SandboxUnavailable):
    """A container that seemed to be ready does not answer; another one may."""


class Poolable(Protocol):
    """A started container that is bound to nothing yet."""

    async def spent(self) -> None:
        """Returns when it must not be leased any more. Never raises; may be cancelled."""
        ...

    async def close(self) -> None:
        """Ends it, whatever it was used for. Never raises."""
        ...


ContainerT = TypeVar("ContainerT", bound=Poolable)
SessionT = TypeVar("SessionT")


class Pool(Generic[ContainerT]):
    def __init__(
        self,
        start: Callable[[], Awaitable[ContainerT]],
        *,
        name: str,
        size: int,
        limit: int,
        starts: Starts,
        quiet: float = QUIET_SECONDS,
    ) -> None:
        """`size` containers are kept ready; no more than `limit` exist at once, ready, starting and leased
        ones together. `starts` is shared by all pools. `quiet` are the seconds that refills are put off by;
        `name` is for the log."""
        self._start = start
        self._size = size
        self._limit = limit
        self._starts = starts
        self._quiet = quiet
        self._log = _log.bind(policy=name)
        self._ready: dict[ContainerT, Task[None]] = {}
        """Each with the task that waits for its early end; the oldest first."""
        self._line: Line[ContainerT] = Line()
        self._rest = Rest(starts.turn)
        """From refills. Leases in need are served all the same."""
        self._starting = self._leased = self._ending = 0
        self._leases = self._warm_leases = self._failed_starts = 0
        self._failures_in_a_row = 0
        self._tasks = Background()
        self._closed = False

    def open(self) -> None:
        self._starts.add(self)

    async def close(self) -> None:
        """Drain it, all at once. `starts` has been closed before, and the leases are over."""
        self._closed = True
        self._rest.end()
        self._line.fail(len(self._line), SandboxUnavailable("the sandbox is being closed"))
        while self._ready:
            container, watch = self._ready.popitem()
            watch.cancel()
            self._tasks.begin(self._end(container))
        await self._tasks.over()

    def stats(self) -> SandboxStats:
        return SandboxStats(
            ready=len(self._ready),
            starting=self._starting,
            leased=self._leased,
            waiting=len(self._line),
            limit=self._limit,
            leases=self._leases,
            warm_leases=self._warm_leases,
            failed_starts=self._failed_starts,
        )

    @asynccontextmanager
    async def lease(
        self, begin: Callable[[ContainerT], Awaitable[SessionT]], *, waiting: Callable[[int], None]
    ) -> AsyncGenerator[SessionT]:
        """What `begin` makes of a container, which ends with the block. `waiting` is as in `Sandbox.lease`.

        When a ready one turns out to be `Stale`, the lease goes to the head of the line for one that has just
        started.

        Raises: what `start` and `begin` raise.
        """
        async with AsyncExitStack() as stack:
            warm = bool(self._ready)
            lent = self._lend_ready() if warm else self._lend_started(waiting)
            container = await stack.enter_async_context(lent)
            try:
                session = await begin(container)
            except Stale as error:
                if not warm:
                    raise
                self._log.warning("sandbox.stale", reason=str(error))
                await stack.aclose()
                warm = False
                container = await stack.enter_async_context(self._lend_started(first=True))
                session = await begin(container)
            self._leases += 1
            self._warm_leases += warm
            yield session

    @asynccontextmanager
    async def _lend_ready(self) -> AsyncGenerator[ContainerT]:
        container = next(iter(self._ready))
        watch = self._ready.pop(container)
        self._leased += 1
        self._rest.take(self._quiet)
        try:
            await stop(watch)
            yield container
        finally:
            await undisturbed(self._return(container))

    @asynccontextmanager
    async def _lend_started(
        self, waiting: Callable[[int], None] | None = None, *, first: bool = False
    ) -> AsyncGenerator[ContainerT]:
        if self._closed:
            message = "the sandbox is closed"
            raise SandboxUnavailable(message)
        ahead = 0 if first else len(self._line)
        place = self._line.join(first=first)
        try:
            self._starts.turn()
            if waiting is not None and ahead >= self._starting + self._room:
                waiting(ahead)
            container = await place.served
        except BaseException:
            if (served := self._line.leave(place)) is not None:
                self._leased -= 1
                self._offer(served)
            raise
        try:
            yield container
        finally:
            await undisturbed(self._return(container))

    # What `Starts` asks for and begins.

    @property
    def needed_since(self) -> float | None:
        if len(self._line) <= self._starting or self._room <= 0:
            return None
        return self._line.since(self._starting)

    @property
    def wants_refill(self) -> bool:
        to_come = self._starting - len(self._line)
        return not self._rest and len(self._ready) + to_come < self._size and self._room > 0

    def begin_start(self) -> Coroutine[Any, Any, None]:
        self._starting += 1
        return self._start_one()

    async def _start_one(self) -> None:
        try:
            container = await self._start()
        except Exception as error:  # whatever it is, those who wait must hear of it
            self._failed(error)
        else:
            self._arrived(container)
        finally:
            self._starting -= 1

    # What becomes of it.

    def _arrived(self, container: ContainerT) -> None:
        if self._failures_in_a_row:
            self._log.info("sandbox.starts_again", failures=self._failures_in_a_row)
            self._failures_in_a_row = 0
            self._rest.end()
        self._offer(container)

    def _failed(self, error: Exception) -> None:
        """One failure may be bad luck and concerns one lease. From the second in a row on, all those fail
        whom no other start under way may serve: the engine is out of order, and waiting would not help."""
        self._failed_starts += 1
        self._failures_in_a_row += 1
        if self._failures_in_a_row == 1:
            self._log.warning("sandbox.start_failed", reason=str(error) or type(error).__name__)
        unserved = max(0, len(self._line) - (self._starting - 1))
        self._line.fail(unserved if self._failures_in_a_row > 1 else min(1, unserved), error)
        self._rest.take(min(self._quiet * 2 ** min(self._failures_in_a_row - 1, 16), LONGEST_PAUSE))

    def _offer(self, container: ContainerT) -> None:
        """To who waits longest, else to the shelf, else away: the lease that it was for was given up."""
        if self._line.serve(container):
            self._leased += 1
        elif len(self._ready) < self._size and not self._closed:
            self._ready[container] = self._tasks.begin(self._watch(container))
        else:
            self._tasks.begin(self._end(container))

    async def _watch(self, container: ContainerT) -> None:
        await container.spent()
        del self._ready[container]
        self._rest.take(self._quiet)  # whoever removes containers from outside meets no frenzy
        await self._end(container)

    def _return(self, container: ContainerT) -> Coroutine[Any, Any, None]:
        self._leased -= 1
        return self._end(container)

    def _end(self, container: ContainerT) -> Coroutine[Any, Any, None]:
        """Counts at once and returns the work, as `begin_start` does."""
        self._ending += 1
        return self._close(container)

    async def _close(self, container: ContainerT) -> None:
        try:
            await container.close()
        finally:
            self._ending -= 1
            self._starts.turn()

    @property
    def _room(self) -> int:
        return self._limit - len(self._ready) - self._starting - self._leased - self._ending
