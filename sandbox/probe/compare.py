"""Holds what was seen inside a container against what the policy promises. Pure."""

import errno
from collections.abc import Iterator

from sandbox.degradation import Degradation
from sandbox.hardening import MASKED
from sandbox.policy import Policy
from sandbox.probe.facts import Facts, Mount
from sandbox.probe.host import HostFacts
from sandbox.probe.hostchecks import host_checks
from sandbox.probe.limits import limit_checks
from sandbox.probe.proof import Proof, listed

_REFUSED = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS})
_LANDLOCK_NEEDED = 3
_OURS = frozenset({"/workspace/input", "/workspace/code", "/workspace/skills"})
_WRITABLE = frozenset({"/workspace/out", "/tmp", "/dev/shm"})  # noqa: S108  # in the guest
_ENGINES = frozenset({"/", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"})
_KERNELS = ("/proc", "/sys", "/dev")
_RUNTIMES = frozenset({"/proc", "/sys", "/dev", "/sys/fs/cgroup"})
"""Writable as mounts on some hosts; that nothing can be made in them is tried."""

_PROFILE = (
    "See that the engine was built with seccomp (`docker info`), and that no wrapper and no other runtime"
    " replaces our profile."
)
_RUNTIME = (
    "See that `docker info` names seccomp, and that container.runtime applies users, capabilities and"
    " no_new_privs; gVisor applies its own and reports none."
)
_MOUNTS = (
    "See what adds mounts to containers or changes them: the engine's settings, a wrapper or the runtime."
)
_OF_THE_KERNEL = frozenset({"proc", "sysfs", "tmpfs", "devtmpfs", "devpts", "mqueue", "cgroup", "cgroup2"})


def compare(policy: Policy, facts: Facts, host: HostFacts) -> tuple[Proof, ...]:
    """Every check, also those that hold."""
    return (
        *_user(policy, facts, host),
        *_calls(policy, facts),
        *_mounts(policy, facts),
        *limit_checks(policy, facts),
        *_network(policy, facts),
        *_programs(policy, facts),
        *host_checks(policy, facts, host),
    )


def _user(policy: Policy, facts: Facts, host: HostFacts) -> Iterator[Proof]:
    status = facts.status
    ids = {name: status.get(name, "").split() for name in ("Uid", "Gid", "Groups")}
    seen = {number for numbers in ids.values() for number in numbers}
    uids = policy.container.uids
    own = len(seen) == 1 and all(n.isdecimal() and uids.first <= int(n) <= uids.last for n in seen)
    yield Proof(
        check="user",
        breaks=Degradation.STATUS,
        holds=own and bool(ids["Uid"] and ids["Gid"]),
        expected=f"one uid and gid from {policy.container.user}, no other group",
        found="; ".join(f"{name} {' '.join(sorted({*numbers}))}" for name, numbers in ids.items()),
        mend=_RUNTIME,
        threat=1,
    )
    sets = {name: status.get(name, "") for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    kept = {name: value for name, value in sets.items() if not value or value.strip("0")}
    yield Proof(
        check="capabilities",
        breaks=Degradation.STATUS,
        holds=not kept,
        expected="none",
        found=listed(f"{name} {value or 'unknown'}" for name, value in kept.items()),
        mend=_RUNTIME,
        threat=1,
    )
    for check, line, wanted in (("no new privileges", "NoNewPrivs", "1"), ("seccomp", "Seccomp", "2")):
        yield Proof(
            check=check,
            breaks=Degradation.STATUS,
            holds=status.get(line) == wanted,
            expected=f"{line} {wanted}",
            found=f"{line} {status.get(line, 'unknown')}",
            mend=_RUNTIME,
            threat=1,
        )
    if policy.container.user_namespace:
        identity = facts.uid_map.split()[:2] in ([], ["0", "0"])
        yield Proof(
            check="user-namespace",
            breaks=Degradation.USER_NAMESPACE,
            holds=host.maps_users and not identity,
            expected="users mapped to others of the host",
            found=f"engine: {', '.join(host.security) or 'nothing'}; uid_map: {facts.uid_map or 'unknown'}",
            mend='Set "userns-remap": "default" in the engine\'s daemon.json, restart it and run `make image`'
            " again, or run a rootless engine; or set container.user_namespace to false.",
            threat=11,
        )


def _calls(policy: Policy, facts: Facts) -> Iterator[Proof]:
    ours = Degradation.SYSCALLS if policy.container.seccomp == "default" else None
    let = [name for name, number in facts.calls.items() if number not in _REFUSED]
    yield Proof(
        check="system calls",
        breaks=ours,
        holds=bool(facts.calls) and not let,
        expected=f"refused: {', '.join(facts.calls) or 'those that lead out of a container'}",
        found=f"not refused: {', '.join(let)}" if let else "all refused" if facts.calls else "none tried",
        mend=_PROFILE,
        threat=5,
    )
    allowed = {"unix", "inet", "inet6"} if policy.network.enabled else {"unix"}
    opened = [name for name, number in facts.sockets.items() if number == 0 and name not in allowed]
    yield Proof(
        check="sockets",
        breaks=ours,
        holds=len(facts.sockets) > 1 and not opened,
        expected=f"only {', '.join(sorted(allowed))}",
        found=f"also {', '.join(opened)}" if opened else listed(_opened(facts), none="none"),
        mend=_PROFILE,
        threat=4,
    )
    yield Proof(
        check="local sockets",
        breaks=None,
        holds=facts.sockets.get("unix") == 0,
        expected="AF_UNIX works, which multiprocessing needs",
        found="it works" if facts.sockets.get("unix") == 0 else "it does not",
        mend="Add AF_UNIX to the profile that container.seccomp names.",
        threat=4,
    )
    yield Proof(
        check="landlock",
        breaks=Degradation.LANDLOCK,
        holds=facts.landlock >= _LANDLOCK_NEEDED and facts.confined,
        expected=f"version {_LANDLOCK_NEEDED} or later, in force",
        found=f"version {facts.landlock}, {'' if facts.confined else 'not '}in force",
        mend="Use a kernel from 6.2 on with `landlock` in its `lsm=`, or list landlock in allow_degraded.",
        threat=84,
    )


def _opened(facts: Facts) -> list[str]:
    return [name for name, number in facts.sockets.items() if number == 0]


def _mounts(policy: Policy, facts: Facts) -> Iterator[Proof]:
    root = [mount for mount in facts.mounts if mount.target == "/"]
    writable = [mount.target for mount in facts.mounts if _may_be_written(mount)]
    made = [folder for folder, number in facts.writes.items() if number == 0]
    yield Proof(
        check="read-only root",
        breaks=Degradation.MOUNTS,
        holds=bool(root and facts.writes) and not writable and not made,
        expected="nothing but out/, /tmp and /dev/shm can be written",
        found=listed([*writable, *made], none="nothing else" if root else "no root in the mounts"),
        mend=_MOUNTS,
        threat=59,
    )
    known = _OURS | _WRITABLE | _ENGINES
    strange = [
        mount.target for mount in facts.mounts if mount.target not in known and not _is_usual(mount, policy)
    ]
    yield Proof(
        check="mounts",
        breaks=Degradation.MOUNTS,
        holds=bool(facts.mounts) and not strange,
        expected="only those of the policy and of the engine",
        found=listed(strange, none=f"{len(facts.mounts)} mounts, all known"),
        mend=_MOUNTS,
        threat=10,
    )
    seen = sorted(path for path in MASKED if facts.masked.get(path, "readable") == "readable")
    yield Proof(
        check="masked paths",
        breaks=Degradation.MOUNTS,
        holds=not seen,
        expected=f"{len(MASKED)} paths of the kernel empty or absent",
        found=listed(seen, none="all empty or absent"),
        mend=_MOUNTS,
        threat=16,
    )


def _may_be_written(mount: Mount) -> bool:
    """Files of /dev lie as devices over masked paths of /proc: written to, they swallow."""
    if "rw" not in mount.flags or mount.target in _WRITABLE | _RUNTIMES:
        return False
    return not (mount.root == "/null" and mount.kind in ("tmpfs", "devtmpfs"))


def _is_usual(mount: Mount, policy: Policy) -> bool:
    """What the kernel itself makes below /proc, /sys and /dev, and the empty files over denied programs."""
    if any(f"{mount.target}/".startswith(f"{place}/") for place in _KERNELS):
        return mount.kind in _OF_THE_KERNEL
    return mount.target.rpartition("/")[2] in policy.commands.deny


def _network(policy: Policy, facts: Facts) -> Iterator[Proof]:
    if policy.network.enabled:
        return
    lines = [line.split() for line in facts.resolver.splitlines() if line.startswith("nameserver")]
    names = [name for line in lines for name in line[1:2] if name != "127.0.0.1"]
    names += [facts.hostname] * (facts.hostname != "sandbox")
    mend = "See that nothing attaches containers to networks or writes name servers into them."
    yield Proof(
        check="interfaces",
        breaks=Degradation.NETWORK,
        holds=facts.interfaces == ("lo",),
        expected="lo",
        found=listed(facts.interfaces),
        mend=mend,
        threat=4,
    )
    yield Proof(
        check="names of the network",
        breaks=Degradation.NETWORK,
        holds=not names,
        expected="none of the host's",
        found=listed(names),
        mend=mend,
        threat=17,
    )


def _programs(policy: Policy, facts: Facts) -> Iterator[Proof]:
    started = {path for path, number in facts.programs.items() if number == 0}
    denied = {path for path in started if path.rpartition("/")[2] in policy.commands.deny}
    # What is merely not allowed is kept back by Landlock, whose absence has a check of its own.
    unlisted = started - denied if facts.landlock >= _LANDLOCK_NEEDED else set[str]()
    yield Proof(
        check="programs",
        breaks=Degradation.PROGRAMS,
        holds=not denied and not unlisted,
        expected="none that the policy denies or does not allow",
        found=listed(sorted(denied | unlisted), none=f"none ({len(facts.programs)} tried)"),
        mend="Build the image anew (`make image`); what a custom image has more must be in commands.allow.",
        threat=84,
    )
    yield Proof(
        check="setuid files",
        breaks=Degradation.PROGRAMS,
        holds=not facts.setuid,
        expected="none",
        found=listed(facts.setuid),
        mend="Strip the bits in the image: `find / -xdev -perm /6000 -exec chmod a-s {} +`; and what has"
        " capabilities instead: `setcap -r`.",
        threat=6,
    )
    if not facts.searched:
        yield Proof(
            check="setuid search",
            breaks=None,
            holds=False,
            expected="all files looked at",
            found="the time was over first",
            mend="Nothing has to be mended: no_new_privs takes the effect from such files.",
            threat=6,
        )
