"""Memory, processes, processor and files: the limits that a container has, against those of the policy."""

import math
import re
from collections.abc import Iterator

from sandbox.degradation import Degradation
from sandbox.hardening import SHM_FILES, TMP_FILES
from sandbox.policy import Policy
from sandbox.probe.facts import Facts
from sandbox.probe.proof import Proof

_NUMBER = re.compile(r"[0-9]{1,20}", re.ASCII)
_PAGE = 64 << 10
"""Bytes: kernels round limits to whole pages, of which these are the largest in use."""
_OPTIONS = frozenset({"rw", "noexec", "nosuid", "nodev"})
_CONTROLS = (
    "See that the kernel has the {} control group and that the engine may use it (`docker info` tells);"
    " a rootless engine needs control groups of version 2, delegated to it."
)
_ENDLESS = -1
"""What Python calls a limit that is none."""
_MOST = {"core": 0, "nofile": 1024, "memlock": 65536, "msgqueue": 0}


def limit_checks(policy: Policy, facts: Facts) -> Iterator[Proof]:
    yield from _memory(policy, facts)
    yield from _processor(policy, facts)
    yield from _files(policy, facts)
    over = [
        name
        for name, most in _MOST.items()
        if any(not 0 <= value <= most for value in facts.limits.get(name, (_ENDLESS,)))
    ]
    yield Proof(
        check="core files",
        breaks=Degradation.LIMITS,
        holds="core" not in over,
        expected="0 bytes",
        found=_pair(facts, "core"),
        mend="See that the runtime applies ulimits.",
        threat=15,
    )
    yield Proof(
        check="other limits",
        breaks=Degradation.LIMITS,
        holds=not {*over} - {"core"},
        expected=", ".join(f"{name} {most}" for name, most in _MOST.items() if name != "core"),
        found=", ".join(f"{name} {_pair(facts, name)}" for name in _MOST if name != "core"),
        mend="See that the runtime applies ulimits.",
        threat=45,
    )


def _memory(policy: Policy, facts: Facts) -> Iterator[Proof]:
    wanted = policy.resources.memory
    found = facts.cgroup.get("memory", "")
    yield Proof(
        check="memory",
        breaks=Degradation.MEMORY,
        holds=_is_near(found, wanted),
        expected=f"{wanted} bytes",
        found=f"{found} bytes" if found else "no limit",
        mend=_CONTROLS.format("memory"),
        threat=39,
    )
    both, alone = facts.cgroup.get("memory_and_swap"), facts.cgroup.get("swap")
    if both is not None:
        holds, told = _is_near(both, wanted), f"memory and swap {both} bytes"
    elif alone is not None:
        holds, told = alone == "0", f"swap {alone}"
    else:
        holds, told = not facts.swaps, f"no limit, and {'' if facts.swaps else 'no '}swap on the host"
    yield Proof(
        check="swap",
        breaks=Degradation.SWAP,
        holds=holds,
        expected="none beside the memory",
        found=told,
        mend="Boot with `swapaccount=1`, or turn swap off (`swapoff -a`).",
        threat=41,
    )


def _processor(policy: Policy, facts: Facts) -> Iterator[Proof]:
    pids = facts.cgroup.get("pids", "")
    yield Proof(
        check="processes",
        breaks=Degradation.PIDS,
        holds=pids == str(policy.resources.pids),
        expected=str(policy.resources.pids),
        found=pids or "no limit",
        mend=_CONTROLS.format("pids"),
        threat=42,
    )
    cpu = _processors(facts)
    yield Proof(
        check="processor",
        breaks=Degradation.CPU,
        holds=cpu is not None and math.isclose(cpu, policy.resources.cpu, rel_tol=0.02),
        expected=f"{policy.resources.cpu:g}",
        found="no limit" if cpu is None else f"{cpu:g}",
        mend=_CONTROLS.format("cpu"),
        threat=44,
    )


def _processors(facts: Facts) -> float | None:
    quota, period = f"{facts.cgroup.get('cpu', '')} ? ?".split()[:2]
    if quota == "?":
        quota, period = facts.cgroup.get("quota", "?"), facts.cgroup.get("period", "?")
    if not (_NUMBER.fullmatch(quota) and _NUMBER.fullmatch(period) and int(period)):
        return None
    return int(quota) / int(period)


def _files(policy: Policy, facts: Facts) -> Iterator[Proof]:
    """Size and number of files are the file system's own, so no script exceeds them however it writes."""
    wanted = {
        "/workspace/out": (policy.out.size, policy.out.files + 1),
        "/tmp": (policy.tmp, TMP_FILES),  # noqa: S108  # in the guest
        "/dev/shm": (policy.shm, SHM_FILES),  # noqa: S108  # in the guest
    }
    mounts = {mount.target: mount for mount in facts.mounts}
    for folder, (size, files) in wanted.items():
        found = facts.sizes.get(folder, (-1, -1))
        mount = mounts.get(folder)
        missing = _OPTIONS if mount is None or mount.kind != "tmpfs" else _OPTIONS - mount.flags
        sized = _is_near(str(found[0]), size) and found[1] == files
        yield Proof(
            check=f"files of {folder}",
            breaks=Degradation.FILES,
            holds=sized and not missing,
            expected=f"a tmpfs of {size} bytes and {files} inodes, {','.join(sorted(_OPTIONS))}",
            found=f"{found[0]} bytes and {found[1]} inodes, {mount.options if mount else 'no mount'}",
            mend="See that the runtime makes tmpfs mounts with their options; old engines may not.",
            threat=24 if folder == "/workspace/out" else 40,
        )


def _is_near(found: str, wanted: int) -> bool:
    return bool(_NUMBER.fullmatch(found)) and abs(int(found) - wanted) < _PAGE


def _pair(facts: Facts, name: str) -> str:
    soft, hard = facts.limits.get(name, ("unknown", "unknown"))
    return str(soft) if soft == hard else f"{soft} to {hard}"
