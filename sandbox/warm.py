"""Warm containers: started from a policy, bound to nothing, and filled when they are leased."""

import asyncio
import os
import secrets
import time
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from sandbox import frames
from sandbox.container import DockerSession
from sandbox.engine import Deadlines, Engine, NameTaken, deadline
from sandbox.errors import SandboxUnavailable
from sandbox.gate import Gate
from sandbox.hardening import Placement, container_config
from sandbox.lease import LeaseFolder, LeaseRecord, identity, pid_namespace, process_start
from sandbox.lifetime import Lifetime
from sandbox.policy import Policy
from sandbox.pool import Stale
from sandbox.session import Workspace
from sandbox.tasks import undisturbed
from sandbox.uids import Uids

POOL = "pool"
"""The owner of what is not leased."""
WARM_SECONDS = 3600.0
"""A container that waited so long for its lease is replaced: nothing in it has to be right for longer."""
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """All that the containers of one policy have in common."""

    engine: Engine
    policy: Policy
    image: str
    root: Path
    leases: Path
    install: str
    uids: Uids
    seccomp: str
    gate: Gate

    async def start(self) -> "WarmContainer":
        """Raises: SandboxUnavailable: the engine refuses it, or it did not come up in time."""
        async with AsyncExitStack() as stack:
            uid = await stack.enter_async_context(self.uids.one_of(self.policy.container.uids))
            # No owner's name has a dot, so no lease's container has this name.
            name = f"{self.install}-{POOL}.{secrets.token_hex(6)}"
            lifetime = Lifetime(self.engine, name, LeaseFolder.named(self.leases))
            stack.push_async_callback(_closed, lifetime)
            record = self._record(name, uid)
            await _prepared(asyncio.to_thread(lifetime.folder.lay_out, record))
            placement = Placement(
                image=await self.engine.image_id(self.image),
                install=self.install,
                root=await asyncio.to_thread(identity, self.root),
                uid=uid,
                binds=lifetime.folder.binds,
                nothing=lifetime.folder.nothing,
                seccomp=self.seccomp,
            )
            channel = frames.Channel(await lifetime.start(container_config(self.policy, placement)))
            try:
                async with deadline(self.engine.deadlines.start, "starting the sandbox"):
                    hello = await channel.answer(frames.Hello)
                    await _open(channel, self.policy)
            except SandboxUnavailable as error:
                message = f"{error}{await lifetime.trouble()}"
                raise SandboxUnavailable(message) from error
            if not hello.confined:
                _log.warning(
                    "sandbox.degraded", reason="no Landlock: a script can have the kernel kill its sandbox"
                )
            return WarmContainer(
                policy=self.policy,
                record=record,
                lifetime=lifetime,
                channel=channel,
                confined=hello.confined,
                gate=self.gate,
                deadlines=self.engine.deadlines,
                stack=stack.pop_all(),
            )

    def _record(self, name: str, uid: int) -> LeaseRecord:
        return LeaseRecord(
            install=self.install,
            owner=POOL,
            containers=(name,),
            uid=uid,
            deadline=time.time() + WARM_SECONDS + 3 * self.engine.deadlines.start,
            pid=os.getpid(),
            started=process_start(os.getpid()),
            pids=pid_namespace(),
        )


class WarmContainer:
    """A started container with a uid and a folder of its own; the folder is empty until it is leased."""

    def __init__(
        self,
        *,
        policy: Policy,
        record: LeaseRecord,
        lifetime: Lifetime,
        channel: frames.Channel,
        confined: bool,
        gate: Gate,
        deadlines: Deadlines,
        stack: AsyncExitStack,
    ) -> None:
        self._policy = policy
        self._record = record
        self._lifetime = lifetime
        self._channel = channel
        self._confined = confined
        self._gate = gate
        self._deadlines = deadlines
        self._stack = stack
        self._spent_at = asyncio.get_running_loop().time() + WARM_SECONDS

    async def spent(self) -> None:
        """It has said Hello and keeps silent: whatever can be read, the end included, makes it unusable."""
        with suppress(SandboxUnavailable):
            async with deadline(self._spent_at - asyncio.get_running_loop().time(), "waiting for a lease"):
                await self._lifetime.heard()

    async def lease(self, workspace: Workspace) -> DockerSession:
        """Fill it and give it the workspace's name. The record says so first: whenever this process is
        killed, the reaper finds the container under the one name or the other.

        Raises:
            NameTaken: the owner has a container already.
            SandboxUnavailable: the workspace cannot be laid out.
            Stale: the container does not answer.
        """
        name = f"{self._record.install}-{workspace.owner}"
        record = replace(
            self._record,
            owner=workspace.owner,
            containers=(*self._record.containers, name),
            deadline=time.time() + self._policy.resources.session + self._deadlines.start,
        )
        suffixes = self._policy.container.suffixes
        await _prepared(asyncio.to_thread(self._lifetime.folder.fill, record, workspace, suffixes))
        session = DockerSession(
            self._channel,
            confined=self._confined,
            policy=self._policy,
            workspace=workspace,
            folder=self._lifetime.folder,
            gate=self._gate,
            deadlines=self._deadlines,
            end=self._lifetime.end_undisturbed,
        )
        try:
            # Both at once, for the new name concerns the engine alone. The one that fails ends the other.
            async with asyncio.TaskGroup() as both:
                both.create_task(self._lifetime.rename(name))
                both.create_task(session.begin())
        except ExceptionGroup as failures:
            raise _first(failures.exceptions) from failures
        return session

    async def close(self) -> None:
        await self._stack.aclose()


def _first(failures: Sequence[Exception]) -> Exception:
    """A taken name is no fault of the container's; with a failure of its own, the next may do better."""
    for failure in failures:
        if isinstance(failure, NameTaken) or not isinstance(failure, SandboxUnavailable):
            return failure
    return Stale(str(failures[0]))


async def _closed(lifetime: Lifetime) -> None:
    await undisturbed(lifetime.close())


async def _prepared(work: Coroutine[Any, Any, None]) -> None:
    """A thread cannot be cancelled: who is waits for its end, and then removes all that it has made."""
    try:
        await undisturbed(work)
    except (OSError, ValueError) as error:
        message = f"the sandbox's folder could not be prepared: {error}"
        raise SandboxUnavailable(message) from error


async def _open(channel: frames.Channel, policy: Policy) -> None:
    """Tell PID 1 what holds for all scripts. It makes a child ready then, which waits for the first of them.

    Raises: SandboxUnavailable.
    """
    limits = {
        "out": policy.out.size,
        "files": policy.out.files,
        "stdout": policy.resources.stdout.keep,
        "ceiling": policy.resources.stdout.ceiling,
    }
    commands = {
        "allow": policy.commands.allow,
        "deny": policy.commands.deny,
        "interpreters": [
            *policy.commands.paths,  # for PID 1 they are alike: programs by their whole paths
            *(interpreter.command[0] for interpreter in policy.container.interpreters),
        ],
    }
    await channel.ask("open", limits=limits, commands=commands)
    await channel.answer(frames.Opened)
