"""The sessions that are open: each holds its spool folder and, once begun, its lease."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from sandbox.alerts import AlertCode
from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.names import clean_text
from sandbox.policy import Policy
from sandbox.service.errors import Refused
from sandbox.service.spool import Spool, sweep_spools
from sandbox.service.wire import ErrorCode, State
from sandbox.session import ExitStatus, RunResult, Sandbox, SandboxSession

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    idle: float = 600.0
    """Seconds without a request after which a session is closed."""
    sessions: int = 256
    """At once, with those that are being closed. Each may hold `input_bytes` and its policy's out/ on the
    disk."""
    input_bytes: int = 300 << 20
    """Of all inputs of one session."""


@dataclass(slots=True)
class Tally:
    """Sums over the scripts of one session."""

    runs: Counter[ExitStatus] = field(default_factory=Counter[ExitStatus])
    alerts: Counter[AlertCode] = field(default_factory=Counter[AlertCode])
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    processes: int = 0
    out_bytes: int = 0

    def add(self, result: RunResult) -> None:
        self.runs[result.status] += 1
        self.alerts.update(alert.code for alert in result.alerts)
        self.seconds += result.seconds
        self.cpu_seconds += result.cpu_seconds
        self.peak_memory = max(self.peak_memory, result.peak_memory)
        self.processes += result.processes
        self.out_bytes = result.out_bytes


class HostedSession:
    """One client's session, from its creation until its container and its folder are gone."""

    def __init__(self, session_id: str, owner: str, policy_name: str, policy: Policy, spool: Spool) -> None:
        self.id = session_id
        self.owner = owner
        self.policy_name = policy_name
        self.policy = policy
        self.spool = spool
        self.state = State.FILLING
        self.ahead: int | None = None
        self.tally = Tally()
        self._lease: asyncio.Task[None] | None = None
        self._session: asyncio.Future[SandboxSession] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._requests: set[asyncio.Task[Any] | None] = set()
        self._heard = asyncio.get_running_loop().time()

    @contextmanager
    def request(self) -> Generator[None]:
        """While a request is answered the session is not idle; one that is still on its way when the session
        closes is cancelled, and its connection with it."""
        task = asyncio.current_task()
        self._requests.add(task)
        try:
            yield
        finally:
            self._requests.discard(task)
            self._heard = asyncio.get_running_loop().time()

    def idle(self) -> float:
        """Seconds."""
        return 0.0 if self._requests else asyncio.get_running_loop().time() - self._heard

    def filling(self) -> None:
        """Raises: Refused: it has begun."""
        if self.state is not State.FILLING:
            message = "files are put before the session begins"
            raise Refused(ErrorCode.WRONG_STATE, message)

    async def begin(self, sandbox: Sandbox) -> None:
        """Lease a container and fill it. Who gives up waiting here leaves the line.

        Raises: Refused: it has begun already; SandboxError: as `Sandbox.lease`.
        """
        self.filling()
        self.state = State.STARTING
        self._lease = asyncio.create_task(self._hold(sandbox))
        try:
            await asyncio.shield(self._session)
        except asyncio.CancelledError:
            self._lease.cancel()
            raise

    def session(self) -> SandboxSession:
        """Raises: Refused: it has not begun; SandboxUnavailable: it has ended."""
        if self.state is State.OVER:
            message = "the session has ended"
            raise SandboxUnavailable(message)
        if self.state is not State.READY:
            message = "the session has not begun"
            raise Refused(ErrorCode.WRONG_STATE, message)
        return self._session.result()

    async def close(self) -> None:
        """May be called more than once; returns when nothing is left."""
        self._closing.set()
        if self._lease is not None:
            if not self._session.done():
                self._lease.cancel()
            await asyncio.wait([self._lease])
        self.state = State.OVER
        await self._end_requests()
        await asyncio.to_thread(self.spool.remove)

    async def _end_requests(self) -> None:
        """A file that still comes would keep its room on the disk, or make the folder anew."""
        requests = [task for task in self._requests if task is not None]
        for task in requests:
            task.cancel()
        if requests:
            await asyncio.wait(requests)

    async def _hold(self, sandbox: Sandbox) -> None:
        """The lease begins and ends in one task, whichever requests ask for it."""
        try:
            workspace = await asyncio.to_thread(self.spool.workspace, self.owner, self.policy_name)
            async with sandbox.lease(workspace, waiting=self._wait) as session:
                self.state = State.READY
                self._session.set_result(session)
                await self._closing.wait()
        except (SandboxError, OSError) as error:
            self._fail(error if isinstance(error, SandboxError) else SandboxUnavailable(str(error)))
        except BaseException as error:
            self._fail(SandboxUnavailable("the session was closed while it began"))
            if not isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self.state = State.OVER

    def _wait(self, ahead: int) -> None:
        self.state, self.ahead = State.WAITING, ahead

    def _fail(self, error: SandboxError) -> None:
        if self._session.done():
            _log.warning("service.lease_ended_badly", owner=self.owner, reason=str(error))
            return
        self._session.set_exception(error)
        self._session.exception()  # whoever began it may be gone


class Sessions:
    """All of them. Closing this closes each."""

    def __init__(
        self, sandbox: Sandbox, policies: Mapping[str, Policy], *, root: Path, limits: ServiceLimits
    ) -> None:
        self.limits = limits
        self._sandbox = sandbox
        self._policies = policies
        self._root = root
        self._open: dict[str, HostedSession] = {}
        self._closings: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._open)

    async def create(self, policy: str, owner: str) -> HostedSession:
        """Raises: Refused: no policy of that name, or too many sessions; SandboxUnavailable: the disk."""
        if (found := self._policies.get(policy)) is None:
            message = f"there is no policy called {clean_text(policy)[:100]}"
            raise Refused(ErrorCode.NO_SUCH_POLICY, message)
        if len(self._open) + len(self._closings) >= self.limits.sessions:
            message = f"{self.limits.sessions} sessions are open; try again when one has been closed"
            raise Refused(ErrorCode.TOO_MANY_SESSIONS, message)
        try:
            spool = Spool.made(self._root, found, self.limits.input_bytes)
        except OSError as error:
            message = f"the session's folder could not be made: {error.strerror}"
            raise SandboxUnavailable(message) from error
        session = HostedSession(secrets.token_hex(16), owner, policy, found, spool)
        self._open[session.id] = session
        _log.info("service.session_opened", owner=owner, policy=policy)
        return session

    def get(self, session_id: str) -> HostedSession:
        """Raises: Refused: there is none, or none any more."""
        if (session := self._open.get(session_id)) is None:
            message = "there is no such session; it may have been idle for too long"
            raise Refused(ErrorCode.NO_SUCH_SESSION, message)
        return session

    async def begin(self, session: HostedSession) -> None:
        await session.begin(self._sandbox)

    async def close(self, session: HostedSession) -> None:
        """It is closed to its end, also when who asked for that does not wait for it."""
        if self._open.pop(session.id, None) is not None:
            _log.info("service.session_closed", owner=session.owner, runs=session.tally.runs.total())
            closing = asyncio.create_task(session.close())
            self._closings.add(closing)
            closing.add_done_callback(self._closings.discard)
            await asyncio.shield(closing)

    async def expire(self, *, every: float) -> None:
        """Close idle sessions, for ever."""
        while True:
            await asyncio.sleep(every)
            idle = [session for session in self._open.values() if session.idle() > self.limits.idle]
            for session in idle:
                _log.info("service.session_expired", owner=session.owner)
            await asyncio.gather(*map(self.close, idle))

    async def close_all(self) -> None:
        await asyncio.gather(*map(self.close, [*self._open.values()]))
        await asyncio.gather(*self._closings)

    async def sweep(self) -> None:
        await asyncio.to_thread(sweep_spools, self._root)
