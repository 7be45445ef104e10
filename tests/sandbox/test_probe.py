"""The judgement over what a probe saw, on made-up facts."""

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.degradation import Degradation
from sandbox.errors import SandboxUnavailable
from sandbox.hardening import MASKED, SHM_FILES, TMP_FILES
from sandbox.policy import Policy
from sandbox.policyfile import load_policy, parse_policy
from sandbox.probe.compare import compare
from sandbox.probe.facts import MAX_FACTS, Facts, read_facts
from sandbox.probe.guest import capable
from sandbox.probe.host import RUNC, HostFacts, known_escapes, parse_version, read_host
from sandbox.probe.proof import Proof, Standing

POLICY = load_policy()
HOST = HostFacts(
    engine_id="I3LP",
    engine="28.5.1",
    runc="1.3.3",
    containerd="2.1.4",
    kernel="6.12.0",
    system="Debian GNU/Linux 13",
    storage="overlay2",
    cgroup="2",
    swap_limit=True,
    security=("apparmor", "cgroupns", "seccomp"),
    runtimes=("io.containerd.runc.v2", "runc"),
)
_TMPFS = "rw,nosuid,nodev,noexec,relatime"
_CALLS = ("io_uring_setup", "keyctl", "bpf", "unshare", "mount", "ptrace")
_FAMILIES = ("inet", "inet6", "netlink", "packet", "alg", "vsock")


def mount(target: str, options: str = "ro,relatime", kind: str = "ext4", root: str = "/") -> dict[str, str]:
    return {"target": target, "options": options, "kind": kind, "root": root, "source": "x"}


def good(policy: Policy = POLICY) -> dict[str, Any]:
    """What the script writes where every promise is kept, under cgroup v2."""
    lease = "/srv/deckhand/leases/" + "ab" * 16
    capabilities = dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), "0000000000000000")
    ids = {"Uid": "20001\t20001\t20001\t20001", "Gid": "20001\t20001\t20001\t20001", "Groups": "20001 "}
    return {
        "status": {**ids, **capabilities, "NoNewPrivs": "1", "Seccomp": "2"},
        "uid_map": "0          0 4294967295",
        "mounts": [
            mount("/", kind="overlay"),
            mount("/proc", "rw,nosuid", "proc"),
            mount("/sys", kind="sysfs"),
            mount("/sys/fs/cgroup", kind="cgroup2"),
            mount("/dev", "rw,nosuid", "tmpfs"),
            mount("/proc/keys", "rw,nosuid", "tmpfs", "/null"),
            mount("/etc/hostname"),
            *(mount(f"/workspace/{part}", root=f"{lease}/{part}") for part in ("input", "code", "skills")),
            *(mount(target, _TMPFS, "tmpfs") for target in ("/workspace/out", "/tmp", "/dev/shm")),
        ],
        "sizes": {
            "/workspace/out": [policy.out.size, policy.out.files + 1],
            "/tmp": [policy.tmp, TMP_FILES],
            "/dev/shm": [policy.shm, SHM_FILES],
        },
        "writes": {"/": errno.EROFS, "/dev": errno.EACCES},
        "cgroup": {
            "memory": str(policy.resources.memory),
            "swap": "0",
            "pids": "128",
            "cpu": "100000 100000",
        },
        "swaps": True,
        "limits": {"core": [0, 0], "nofile": [1024, 1024], "memlock": [65536, 65536], "msgqueue": [0, 0]},
        "interfaces": ["lo"],
        "sockets": {"unix": 0, **dict.fromkeys(_FAMILIES, errno.EPERM)},
        "calls": {**dict.fromkeys(_CALLS, errno.EPERM), "clone3": errno.ENOSYS},
        "setuid": [],
        "searched": True,
        "programs": {"/usr/bin/node": errno.EACCES},
        "masked": dict.fromkeys(MASKED, "empty"),
        "label": "docker-default (enforce)",
        "landlock": 4,
        "confined": True,
        "hostname": "sandbox",
        "resolver": "nameserver 127.0.0.1",
        "threads": "1",
        "core_pattern": "core",
        "kernel": "6.12.0",
    }


def facts(change: Callable[[dict[str, Any]], object] = lambda seen: None, policy: Policy = POLICY) -> Facts:
    seen = good(policy)
    change(seen)
    return read_facts(json.dumps(seen).encode())


def failed(policy: Policy, seen: Facts, host: HostFacts = HOST) -> dict[str, Proof]:
    return {proof.check: proof for proof in compare(policy, seen, host) if not proof.holds}


def into(key: str, **values: object) -> Callable[[dict[str, Any]], object]:
    return lambda seen: seen[key].update({name.replace("__", "/"): value for name, value in values.items()})


def with_mount(*arguments: str) -> Callable[[dict[str, Any]], object]:
    return lambda seen: seen["mounts"].append(mount(*arguments))


BROKEN: list[tuple[Degradation, str, Callable[[dict[str, Any]], object]]] = [
    (Degradation.STATUS, "user", into("status", Gid="0\t0\t0\t0")),
    (Degradation.STATUS, "user", into("status", Groups="20001 999")),
    (Degradation.STATUS, "capabilities", into("status", CapBnd="0000000000002000")),
    (Degradation.STATUS, "no new privileges", into("status", NoNewPrivs="0")),
    (Degradation.STATUS, "seccomp", into("status", Seccomp="0")),
    (Degradation.SYSCALLS, "system calls", into("calls", io_uring_setup=errno.EFAULT)),
    (Degradation.SYSCALLS, "system calls", into("calls", unshare=0)),
    (Degradation.SYSCALLS, "system calls", lambda seen: seen.update(calls={})),
    (Degradation.SYSCALLS, "sockets", into("sockets", vsock=0)),
    (Degradation.LANDLOCK, "landlock", lambda seen: seen.update(landlock=2)),
    (Degradation.LANDLOCK, "landlock", lambda seen: seen.update(confined=False)),
    (Degradation.MEMORY, "memory", into("cgroup", memory="2147483648")),
    (Degradation.MEMORY, "memory", into("cgroup", memory="max")),
    (Degradation.SWAP, "swap", into("cgroup", swap="max")),
    (Degradation.PIDS, "processes", into("cgroup", pids="max")),
    (Degradation.CPU, "processor", into("cgroup", cpu="max 100000")),
    (Degradation.LIMITS, "core files", into("limits", core=[0, 2**64 - 1])),
    (Degradation.LIMITS, "other limits", into("limits", nofile=[1024, 1048576])),
    (Degradation.LIMITS, "other limits", into("limits", memlock=[65536, -1])),
    (Degradation.FILES, "files of /workspace/out", into("sizes", __workspace__out=[1 << 40, 2001])),
    (Degradation.FILES, "files of /tmp", into("sizes", __tmp=[POLICY.tmp, 10**6])),
    (Degradation.MOUNTS, "read-only root", into("writes", __=0)),
    (Degradation.MOUNTS, "mounts", with_mount("/run/docker.sock", "ro", "tmpfs", "/docker.sock")),
    (Degradation.MOUNTS, "mounts", with_mount("/dev/disk", "ro", "ext4")),
    (Degradation.MOUNTS, "masked paths", into("masked", __proc__keys="readable")),
    (Degradation.NETWORK, "interfaces", lambda seen: seen["interfaces"].append("eth0")),
    (Degradation.NETWORK, "names of the network", lambda seen: seen.update(resolver="nameserver 10.0.0.2")),
    (Degradation.NETWORK, "names of the network", lambda seen: seen.update(hostname="db-7.corp")),
    (Degradation.PROGRAMS, "programs", into("programs", __usr__bin__node=0)),
    (Degradation.PROGRAMS, "setuid files", lambda seen: seen["setuid"].append("/usr/bin/su")),
]  # fmt: skip


def test_a_host_that_keeps_every_promise_is_found_fine() -> None:
    assert failed(POLICY, facts()) == {}


@pytest.mark.parametrize(("code", "check", "change"), BROKEN)
def test_a_broken_promise_is_found_alone_and_by_its_code(
    code: Degradation, check: str, change: Callable[[dict[str, Any]], object]
) -> None:
    found = failed(POLICY, facts(change))
    assert list(found) == [check]
    assert found[check].breaks is code
    assert found[check].mend.endswith(".")


def test_a_user_namespace_is_verified_from_both_sides() -> None:
    policy = parse_policy("{container: {user_namespace: true}, allow_degraded: [user-namespace]}")
    mapped = facts(lambda seen: seen.update(uid_map="0 200000 65536"))
    remapping = replace(HOST, security=("seccomp", "userns"))
    assert failed(policy, mapped, remapping) == {}
    for seen, host in ((facts(), remapping), (mapped, HOST)):
        proof = failed(policy, seen, host)["user-namespace"]
        assert proof.breaks is Degradation.USER_NAMESPACE
        assert proof.standing(policy.allow_degraded) is Standing.BROKEN  # verified or refused


def test_every_degradation_has_a_case_here() -> None:
    assert {code for code, _, _ in BROKEN} | {Degradation.USER_NAMESPACE} == {*Degradation}


def test_a_promise_that_an_operator_gave_up_is_accepted() -> None:
    [proof] = failed(POLICY, facts(lambda seen: seen.update(landlock=0))).values()
    assert proof.standing(POLICY.allow_degraded) is Standing.ACCEPTED
    assert proof.standing(()) is Standing.BROKEN


def test_limits_of_the_first_control_groups_are_read_too() -> None:
    def first_version(seen: dict[str, Any]) -> None:
        memory = str(POLICY.resources.memory)
        seen["cgroup"] = {"memory": memory, "memory_and_swap": memory, "pids": "128"}
        seen["cgroup"] |= {"quota": "100000", "period": "100000"}

    assert failed(POLICY, facts(first_version)) == {}
    unlimited = facts(lambda seen: (first_version(seen), seen["cgroup"].update(memory_and_swap="9" * 19)))
    assert list(failed(POLICY, unlimited)) == ["swap"]


def test_a_host_without_swap_needs_no_limit_for_it() -> None:
    seen = facts(lambda seen: (seen["cgroup"].pop("swap"), seen.update(swaps=False)))
    assert failed(POLICY, seen) == {}


def test_an_enabled_network_is_no_broken_promise() -> None:
    policy = parse_policy("network: {enabled: true}")
    seen = facts(lambda seen: (seen["sockets"].update(inet=0, inet6=0), seen["interfaces"].append("eth0")))
    assert failed(policy, seen) == {}
    assert list(failed(policy, facts(into("sockets", netlink=0)))) == ["sockets"]


def test_a_profile_of_the_operators_is_looked_at_and_breaks_nothing() -> None:
    policy = parse_policy("container: {seccomp: /etc/deckhand/mine.json}")
    found = failed(policy, facts(into("calls", bpf=errno.EINVAL)))
    assert found["system calls"].standing(()) is Standing.LOOK


def test_what_is_merely_not_allowed_counts_where_landlock_could_keep_it_back() -> None:
    started = into("programs", __usr__bin__node=0)
    without = facts(lambda seen: (started(seen), seen.update(landlock=0)))
    assert list(failed(POLICY, without)) == ["landlock"]
    denying = parse_policy("commands: {deny: [node]}")
    assert set(failed(denying, without)) == {"landlock", "programs"}


@pytest.mark.parametrize(
    ("check", "change", "host"),
    [
        ("apparmor", {"label": "unconfined"}, HOST),
        ("core pattern", {"core_pattern": "|/usr/share/apport/apport %p"}, HOST),
        ("threads", {"threads": ""}, HOST),
        ("setuid search", {"searched": False}, HOST),
        ("runc", {}, replace(HOST, runc="1.1.5+ds1")),
        ("engine", {}, replace(HOST, engine="20.10.24+dfsg1")),
    ],
)
def test_what_a_person_should_know_is_a_warning(
    check: str, change: Mapping[str, object], host: HostFacts
) -> None:
    found = failed(POLICY, facts(lambda seen: seen.update(change)), host)
    assert list(found) == [check]
    assert found[check].standing(()) is Standing.LOOK


def test_a_telling_path_of_the_host_is_a_warning() -> None:
    seen = facts(lambda seen: seen["mounts"].append(mount("/workspace/input", root="/home/ann/report")))
    assert failed(POLICY, seen)["host paths"].breaks is None


@pytest.mark.parametrize(
    ("version", "flaws"),
    [
        ("1.1.5+ds1", 4),
        ("1.1.11", 4),
        ("1.1.12", 3),
        ("1.2.7", 3),
        ("1.2.8", 0),
        ("1.3.0", 3),
        ("v1.3.3-0-gd842d771", 0),
        ("1.4.0-rc.2", 3),
        ("1.4.0-rc.3", 0),
        ("1.4.0", 0),
        ("1.5.0", 0),
        ("2.0", 0),
        ("unknown", 0),
    ],
)
def test_a_version_of_runc_is_told_by_its_known_escapes(version: str, flaws: int) -> None:
    assert sum(len(escape.names) for escape in known_escapes(version, RUNC)) == flaws


def test_a_candidate_comes_before_its_release() -> None:
    candidate, release = parse_version("1.4.0-rc.3"), parse_version("1.4.0")
    assert candidate is not None
    assert release is not None
    assert candidate < release


def test_an_unknown_version_is_a_warning_too() -> None:
    assert "runc" in failed(POLICY, facts(), replace(HOST, runc=""))


def test_an_engine_that_says_little_is_read_all_the_same() -> None:
    host = read_host({"SecurityOptions": None, "Runtimes": {"runc": {}}}, {"Version": "19.03\x1b[2J"})
    assert (host.engine, host.cgroup, host.runtimes, host.security) == ("19.03", "1", ("runc",), ())
    rootless = read_host({"SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless"]}, {})
    assert (rootless.security, rootless.maps_users) == (("rootless", "seccomp"), True)


def test_words_of_the_guest_cannot_steer_a_terminal() -> None:
    seen = facts(lambda seen: seen.update(hostname="a\x1b]0;x\x07\u202eb\nc"))
    found = failed(POLICY, seen)["names of the network"].found
    assert found.isprintable()
    assert "\u202e" not in found


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to all that is neither a mapping nor a list."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        " ",
        "9" * 1000,
        "٣",
        "nameserver\nnameserver \n",
        "max 0",
        "0 0",
        "9" * 400 + " 1",
        "\0",
        -1,
        2**63,
    ],
)
def test_no_word_of_the_guest_breaks_the_judgement(hostile: object) -> None:
    policy = parse_policy("container: {user_namespace: true}")
    wrong = [path for path in leaves(good()) if type(at(good(), path)) is type(hostile)]
    for path in wrong:
        seen = good()
        at(seen, path[:-1])[path[-1]] = hostile
        assert compare(policy, read_facts(json.dumps(seen).encode()), HOST)
    assert wrong


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b"null",
        b"[" * 100_000,
        json.dumps({**good(), "more": 1}).encode(),
        json.dumps({**good(), "landlock": "4"}).encode(),
        json.dumps({**good(), "setuid": ["x"] * 201}).encode(),
        json.dumps({**good(), "label": "x" * 1001}).encode(),
        json.dumps({**good(), "calls": {"bpf": 2**70}}).encode(),
        json.dumps(good()).encode() + b" " * MAX_FACTS,
    ],
)
def test_an_answer_that_our_script_does_not_write_is_refused(content: bytes) -> None:
    with pytest.raises(SandboxUnavailable, match="the probe's answer"):
        read_facts(content)


def test_a_programs_capabilities_are_seen(tmp_path: Path) -> None:
    program = tmp_path / "ping"
    program.write_text("")
    assert not capable(str(program))
    try:
        os.setxattr(program, "security.capability", bytes.fromhex("0100000200200000" + "00" * 12))
    except OSError as error:
        pytest.skip(f"only root gives capabilities: {error.strerror}")
    assert capable(str(program))
