"""The provider: a `Sandbox` whose leases are E2B's machines, each made for one lease and killed after it."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Self

from sandbox.collection import arriving
from sandbox.e2b.machine import Account, Deadlines, Machine, load_sdk
from sandbox.e2b.session import E2BSession
from sandbox.errors import PolicyError
from sandbox.names import is_script_name
from sandbox.policy import Policy
from sandbox.service.wire import Place
from sandbox.session import SandboxSession, SandboxStats, Workspace
from sandbox.tasks import Background, undisturbed
from sandbox.upload import upload_workspace


class E2BSandbox:
    """Opened by `async with`; whether E2B answers is only known after the first lease.

    No machine is kept warm: a lease takes as long as E2B needs to start one and the workspace to get there.
    """

    def __init__(
        self,
        policies: Mapping[str, Policy],
        *,
        account: Account | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._policies = policies
        self._account = account or Account()
        self._deadlines = deadlines or Deadlines()
        self._places = {name: asyncio.Semaphore(policy.pool.limit) for name, policy in policies.items()}
        self._waiting = dict.fromkeys(policies, 0)
        self._background = Background()
        self._starting = self._leased = self._leases = self._failed_starts = 0

    async def __aenter__(self) -> Self:
        """Raises: SandboxUnavailable: the extra is missing."""
        load_sdk()
        return self

    async def __aexit__(self, *_: object) -> None:
        await undisturbed(self._background.over())

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        if (policy := self._policies.get(workspace.policy)) is None:
            message = f"there is no policy called {workspace.policy!r}"
            raise PolicyError(message)
        async with self._place(workspace.policy, waiting), self._machine(workspace.owner) as machine:
            with arriving(workspace) as incoming:
                await machine.prepare(policy.resources.session)
                filling = _Filling(machine, policy.container.suffixes)
                left_out = await upload_workspace(filling, workspace, policy.out)
                session = E2BSession(
                    machine,
                    policy=policy,
                    workspace=workspace,
                    incoming=incoming,
                    staged=filling.scripts,
                    left_out=left_out,
                )
                await session.begin()
                self._leased += 1
                self._leases += 1
                try:
                    yield session
                finally:
                    self._leased -= 1
                    session.close()

    def stats(self) -> SandboxStats:
        return SandboxStats(
            starting=self._starting,
            leased=self._leased,
            waiting=sum(self._waiting.values()),
            limit=sum(policy.pool.limit for policy in self._policies.values()),
            leases=self._leases,
            failed_starts=self._failed_starts,
        )

    @asynccontextmanager
    async def _place(self, policy: str, waiting: Callable[[int], None]) -> AsyncGenerator[None]:
        """One of those that the policy has, first come, first served."""
        places = self._places[policy]
        if places.locked():
            waiting(self._waiting[policy])
            self._waiting[policy] += 1
            try:
                await places.acquire()
            finally:
                self._waiting[policy] -= 1
        else:
            await places.acquire()
        try:
            yield
        finally:
            places.release()

    @asynccontextmanager
    async def _machine(self, owner: str) -> AsyncGenerator[Machine]:
        machine = await self._made(owner)
        try:
            yield machine
        finally:
            await undisturbed(machine.kill())

    async def _made(self, owner: str) -> Machine:
        """Who is cancelled meanwhile does not wait; a machine that comes all the same is killed at once."""
        making = asyncio.create_task(Machine.create(self._account, self._deadlines, owner))
        self._starting += 1
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            self._background.begin(_unmake(making))
            raise
        except BaseException:
            self._failed_starts += 1
            raise
        finally:
            self._starting -= 1


class _Filling:
    """As `upload.Receiver` has it. Of the scripts only those go that the policy has a language for."""

    def __init__(self, machine: Machine, suffixes: tuple[str, ...]) -> None:
        self._machine = machine
        self._suffixes = suffixes
        self.scripts: dict[str, str] = {}
        """SHA-256 by name."""

    async def receive(self, place: Place, name: str, size: int, pieces: AsyncIterator[bytes]) -> None:
        if place is not Place.CODE:
            await self._machine.receive(place, name, size, pieces)
            return
        if is_script_name(name, self._suffixes):
            content = b"".join([piece async for piece in pieces])
            await self._machine.write_code(name, content)
            self.scripts[name] = hashlib.sha256(content).hexdigest()


async def _unmake(making: asyncio.Task[Machine]) -> None:
    await asyncio.wait([making])
    if not making.cancelled() and making.exception() is None:
        await making.result().kill()
