"""Proves a policy: leases a container as any todo would, has it look around, and compares."""

import json
import secrets
import shutil
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import structlog

from sandbox.engine import Engine
from sandbox.errors import Degraded, NoSuchFile, OtherFolder, PolicyError, SandboxUnavailable
from sandbox.hardening import MASKED, PROGRAM_FOLDERS
from sandbox.images import image_tag
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.probe.compare import compare
from sandbox.probe.facts import MAX_FACTS, Facts, read_facts
from sandbox.probe.host import HostFacts, read_host
from sandbox.probe.proof import Standing
from sandbox.probe.verdict import Verdict, boot_id, keep, key, recall
from sandbox.reaper import LEASES
from sandbox.session import InputFile, Sandbox, SandboxSession, Workspace

_SCRIPT = Path(__file__).with_name("guest.py")
_SCRIPT_NAME = "probe.py"
_NONCE, _FACTS = "nonce.txt", "facts.json"
_SEARCH_SHARE = 0.4
"""Of the policy's time limit, for the search for setuid files; it mostly takes 0.2 seconds."""
_log = structlog.get_logger()


async def survey(policy: Policy) -> tuple[str, HostFacts]:
    """The id of the policy's image, and the host. Costs a few short questions to the engine.

    Raises: ImageMissing; SandboxUnavailable: no engine answers.
    """
    async with Engine() as engine:
        image = await engine.image_id(policy.container.image or image_tag())
        return image, read_host(*await engine.describe())


Survey = Callable[[Policy], Awaitable[tuple[str, HostFacts]]]


async def assure(
    sandbox: Sandbox, policies: Mapping[str, Policy], *, root: Path, ask: Survey = survey
) -> None:
    """Refuse to go on where the host breaks a promise that an operator has not accepted.

    `root` is the data folder. What was proved once holds until something that it depends on changes; a
    refusal is always proved anew, so that what was mended counts at once.

    Raises:
        Degraded: it does.
        PolicyError: the engine does not know the policy's runtime.
        SandboxUnavailable: nothing could be proved.
    """
    for name, policy in policies.items():
        image, host = await ask(policy)
        verdict = recall(root, name, key(policy, image, host, boot_id()))
        if verdict is None or verdict.reasons:
            verdict = await prove(sandbox, policy, root=root, name=name, ask=ask)
        if verdict.reasons:
            raise Degraded(name, verdict.reasons)
        for exception in policy.exceptions:
            _log.warning("sandbox.exception", policy=name, key=exception)
        for proof in verdict.with_standing(Standing.ACCEPTED):
            _log.warning("sandbox.degraded", policy=name, code=proof.breaks, reason=str(proof))


async def prove(
    sandbox: Sandbox, policy: Policy, *, root: Path, name: str = DEFAULT_NAME, ask: Survey = survey
) -> Verdict:
    """Every check of the policy that `sandbox` has under `name`. Takes a lease and about a second.

    The verdict is kept for the next start, also in place of one that says otherwise.

    Raises:
        OtherFolder: the engine does not see the files that we put into the data folder.
        PolicyError: the engine does not know the policy's runtime.
        SandboxUnavailable: nothing could be proved.
    """
    image, host = await ask(policy)
    if policy.container.runtime not in host.runtimes:
        message = (
            f"container.runtime: the engine has no runtime {policy.container.runtime}, only"
            f" {', '.join(host.runtimes) or 'none'}: register it in its daemon.json, or choose another"
        )
        raise PolicyError(message)
    facts = await look(sandbox, policy, root=root, name=name)
    proofs = compare(policy, facts, host)
    verdict = Verdict(at=datetime.now(UTC), policy=policy, image=image, host=host, proofs=proofs)
    keep(root, name, key(policy, image, host, boot_id()), verdict)
    return verdict


async def look(sandbox: Sandbox, policy: Policy, *, root: Path, name: str = DEFAULT_NAME) -> Facts:
    """What a script sees. The facts come as a file of out/, since a policy may keep very little of stdout.

    Raises: as `prove`.
    """
    with _workspace(root, name) as (workspace, nonce):
        async with sandbox.lease(workspace) as session:
            await _see_the_same(session, nonce, root)
            result = await session.run(_SCRIPT_NAME, arguments=[json.dumps(_options(policy))])
        if not result.succeeded:
            reason = result.stderr.strip().splitlines()[-1:] or [result.status.value]
            message = f"the probe failed in the sandbox ({result.status}): {reason[0][:300]}"
            raise SandboxUnavailable(message)
        try:
            with (workspace.out / _FACTS).open("rb") as file:
                return read_facts(file.read(MAX_FACTS + 1))
        except OSError as error:
            message = "the probe left no answer"
            raise SandboxUnavailable(message) from error


async def _see_the_same(session: SandboxSession, nonce: str, root: Path) -> None:
    try:
        seen = (await session.excerpt(f"input/{_NONCE}")).text
    except NoSuchFile as error:
        raise OtherFolder(str(root)) from error
    if nonce not in seen:
        raise OtherFolder(str(root))


def _options(policy: Policy) -> Mapping[str, object]:
    interpreters = [interpreter.command[0] for interpreter in policy.container.interpreters]
    allowed = policy.commands.allow
    return {
        "seconds": policy.resources.timeout * _SEARCH_SHARE,
        "masked": MASKED,
        "folders": PROGRAM_FOLDERS,
        "denied": policy.commands.deny,
        "allowed": [*allowed, *interpreters] if allowed else [],
    }


@contextmanager
def _workspace(root: Path, name: str) -> Generator[tuple[Workspace, str]]:
    """Folders of the probe's own, gone afterwards, with a number that only we know as its input.

    They lie among those of the leases: without a record, they are the reaper's if we are killed.
    """
    token, nonce = secrets.token_hex(16), secrets.token_hex(16)
    folder = root / LEASES / token
    try:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(mode=0o700)
            (folder / "code").mkdir()
            (folder / _NONCE).write_text(nonce)
            shutil.copyfile(_SCRIPT, folder / "code" / _SCRIPT_NAME)
        except OSError as error:
            message = f"the probe's folder could not be prepared: {error}"
            raise SandboxUnavailable(message) from error
        source = InputFile(name=_NONCE, source=folder / _NONCE)
        yield (
            Workspace(
                owner=f"probe-{token}",
                inputs=(source,),
                code=folder / "code",
                out=folder / "out",
                policy=name,
            ),
            nonce,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
