"""What a person should know of the host: nothing here breaks a promise of the policy."""

import re
from collections.abc import Iterator

from sandbox.policy import Policy
from sandbox.probe.facts import Facts
from sandbox.probe.host import ENGINE, RUNC, Escape, HostFacts, known_escapes
from sandbox.probe.proof import Proof, listed

RUNC_CHECK, LABEL_CHECK = "runc", "apparmor"
"""Checks that doctor gives a line of their own."""
_RANDOM = re.compile(r"/leases/[0-9a-f]{32}/(input|code|skills)$")


def host_checks(policy: Policy, facts: Facts, host: HostFacts) -> Iterator[Proof]:
    if policy.container.runtime == "runc" or policy.container.runtime.startswith("io.containerd.runc"):
        yield _version(RUNC_CHECK, host.runc, RUNC)
    yield _version("engine", host.engine, ENGINE)
    label = facts.label
    yield Proof(
        check=LABEL_CHECK,
        breaks=None,
        holds=bool(label) and not label.startswith("unconfined"),
        expected="a profile of AppArmor or a label of SELinux in force",
        found=label or ("none, though the engine has it" if _has_labels(host) else "none on this kernel"),
        mend="Boot a kernel with AppArmor (`apparmor=1 security=apparmor`) and restart the engine. It is one"
        " layer more, and the others hold without it.",
        threat=1,
    )
    yield Proof(
        check="threads",
        breaks=None,
        holds=facts.threads == "1",
        expected="OMP_NUM_THREADS 1, since libraries see the processors of the whole host",
        found=f"OMP_NUM_THREADS {facts.threads or 'not set'}",
        mend="Set it in the image that container.image names: scripts that start threads after a fork hang.",
        threat=18,
    )
    piped = facts.core_pattern.startswith("|")
    yield Proof(
        check="core pattern",
        breaks=None,
        holds=not piped,
        expected="a file, no program of the host",
        found=facts.core_pattern or "unknown",
        mend="Scripts have a core limit of 0, with which the kernel starts no such program. To be sure,"
        " `sysctl kernel.core_pattern=core`.",
        threat=15,
    )
    shown = [mount.root for mount in facts.mounts if mount.target in ("/workspace/input", "/workspace/code")]
    telling = [path for path in shown if not _RANDOM.search(path)]
    yield Proof(
        check="host paths",
        breaks=None,
        holds=bool(shown) and not telling,
        expected="only the data folder and random names can be read in mountinfo",
        found=listed(telling or shown),
        mend="Keep names of people and secrets out of the data folder's own path.",
        threat=17,
    )


def _has_labels(host: HostFacts) -> bool:
    return bool({"apparmor", "selinux"} & {*host.security})


def _version(check: str, version: str, known: tuple[Escape, ...]) -> Proof:
    """A warning at most: distributions mend old versions and keep their numbers."""
    escapes = known_escapes(version, known)
    mend = f"Find out the version of {check} and compare it."
    if escapes:
        mend = (
            f"By its number it has {_names(escapes)}, fixed in {listed(v for e in escapes for v in e.fixed)}."
            " Distributions mend older versions and keep the number: look for the names in the package's"
            f" changelog, or update. An attacker needs {' or '.join(e.needs for e in escapes)}, which the"
            " policy leaves to no script."
        )
    return Proof(
        check=check,
        breaks=None,
        holds=bool(version) and not escapes,
        expected=f"a version without {_names(known)}",
        found=version or "unknown",
        mend=mend,
        threat=9,
    )


def _names(escapes: tuple[Escape, ...]) -> str:
    return ", ".join(name for escape in escapes for name in escape.names)
