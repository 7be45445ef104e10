"""What doctor tells of the sandbox's proof: how much holds, what is degraded, what to look at."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.ops.check import Check, Level, Subject
from bot.sandboxes import local_sandbox
from bot.settings import Settings
from sandbox.errors import SandboxError
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.probe.hostchecks import LABEL_CHECK, RUNC_CHECK
from sandbox.probe.proof import Proof, Standing
from sandbox.probe.verdict import Verdict

_OWN_LINES = {RUNC_CHECK: Subject.RUNC, LABEL_CHECK: Subject.APPARMOR}
_OF_HOST = frozenset({*_OWN_LINES.values(), Subject.HOST})


async def check_proofs(settings: Settings, policies: Mapping[str, Policy]) -> tuple[Check, ...]:
    """Proves each policy anew, whatever an earlier proof has found."""
    found = {name: await _check_proof(settings, policy, name) for name, policy in policies.items()}
    return of_each(found)


async def _check_proof(settings: Settings, policy: Policy, name: str) -> tuple[Check, ...]:
    try:
        verdict = await prove_here(settings, policy, name)
    except SandboxError as fault:
        return (Check(Subject.PROOF, Level.FAILURE, "doctor-proof-none", {"reason": str(fault)}),)
    return tuple(told(verdict))


def of_each(found: Mapping[str, tuple[Check, ...]]) -> tuple[Check, ...]:
    """The lines of all policies: with their names when there are several, and those of the host only once."""
    lines: list[Check] = []
    for name, checks in found.items():
        for check in checks:
            named = len(found) > 1 and check.subject not in _OF_HOST
            line = replace(check, policy=name) if named else check
            if line not in lines:
                lines.append(line)
    return tuple(lines)


async def prove_here(settings: Settings, policy: Policy, name: str) -> Verdict:
    """`name` is what the policy goes by. Raises: SandboxError: nothing could be proved."""
    from sandbox.probe.prove import prove  # it brings the engine's client, which takes a moment to load

    cold = policy.model_copy(update={"pool": policy.pool.model_copy(update={"size": 0})})
    async with local_sandbox(settings, {DEFAULT_NAME: cold, name: cold}) as sandbox:
        return await prove(sandbox, policy, root=settings.data, name=name)


def told(verdict: Verdict) -> Iterable[Check]:
    """The lines of a proof. What holds is counted and not told one by one."""
    promises = [proof for proof in verdict.proofs if proof.breaks is not None]
    counts = {"kept": sum(proof.holds for proof in promises), "all": len(promises)}
    failed = verdict.with_standing(Standing.BROKEN)
    if failed:
        yield Check(Subject.PROOF, Level.FAILURE, "doctor-proof-bad", counts)
    else:
        yield Check(Subject.PROOF, Level.OK, "doctor-proof", counts)
    accepted = verdict.with_standing(Standing.ACCEPTED)
    for proof in failed:
        yield Check(Subject.DEGRADED, Level.FAILURE, "doctor-degraded", _facts(proof))
    for proof in accepted:
        yield Check(Subject.DEGRADED, Level.WARNING, "doctor-degraded-accepted", _facts(proof))
    if not failed and not accepted:
        yield Check(Subject.DEGRADED, Level.OK, "doctor-degraded-none")
    if keys := ", ".join(verdict.policy.exceptions):
        yield Check(Subject.EXCEPTIONS, Level.WARNING, "doctor-exceptions", {"keys": keys})
    else:
        yield Check(Subject.EXCEPTIONS, Level.OK, "doctor-exceptions-none")
    for proof in verdict.proofs:
        if proof.breaks is None and (not proof.holds or proof.check in _OWN_LINES):
            yield _of_host(proof)


def _of_host(proof: Proof) -> Check:
    subject = _OWN_LINES.get(proof.check, Subject.HOST)
    if proof.holds:
        return Check(subject, Level.OK, "doctor-host-fine", {"found": proof.found})
    return Check(subject, Level.WARNING, "doctor-host-look", _facts(proof))


def _facts(proof: Proof) -> dict[str, str | int]:
    return {
        "code": proof.check if proof.breaks is None else proof.breaks.value,
        "expected": proof.expected,
        "found": proof.found,
        "mend": proof.mend,
    }
