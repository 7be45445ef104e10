"""Every flag of the create body, and that no policy widens one. `test_inside` reads them back inside."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.hardening import Placement, container_config, seccomp_profile
from sandbox.policy import Policy
from sandbox.policyfile import parse_policy

PLACEMENT = Placement(
    image="sha256:abc",
    install="here",
    root="0123",
    uid=20007,
    binds={"/workspace/input": Path("/data/leases/x/input")},
    nothing=Path("/data/leases/x/nothing"),
    seccomp=seccomp_profile(Policy()),
)
BODY = container_config(Policy(), PLACEMENT)
HOST: dict[str, Any] = BODY["HostConfig"]
PROFILE = json.loads(PLACEMENT.seccomp)


def test_the_body_has_just_the_flags_that_are_meant() -> None:
    flags = {key: value for key, value in BODY.items() if key != "HostConfig"}
    assert flags == {
        "Image": "sha256:abc",
        "Cmd": ["/opt/venv/bin/python", "-I", "-u", "/opt/guest/supervisor.py"],
        "User": "20007:20007",
        "WorkingDir": "/workspace",
        "Hostname": "sandbox",
        "Env": ["HOME=/tmp", "POLARS_MAX_THREADS=1", "LOKY_MAX_CPU_COUNT=1"],
        "Labels": {"deckhand.install": "here", "deckhand.root": "0123", "deckhand.kind": "sandbox"},
        "NetworkDisabled": True,
        "Tty": False,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "StopSignal": "SIGKILL",
    }


def test_the_host_config_has_just_the_flags_that_are_meant() -> None:
    flags = {
        key: value
        for key, value in HOST.items()
        if key not in ("SecurityOpt", "MaskedPaths", "ReadonlyPaths")
    }
    mount = "rw,noexec,nosuid,nodev"
    assert flags == {
        "AutoRemove": True,
        "Binds": ["/data/leases/x/input:/workspace/input:ro"],
        "Tmpfs": {
            "/tmp": f"{mount},mode=1777,size=134217728,nr_inodes=16384",
            "/dev/shm": f"{mount},mode=1777,size=33554432,nr_inodes=4096",
            "/workspace/out": f"{mount},mode=0755,size=268435456,nr_inodes=2001,uid=20007,gid=20007",
        },
        "NetworkMode": "none",
        "Dns": ["127.0.0.1"],
        "DnsSearch": ["."],
        "IpcMode": "private",
        "PidMode": "",
        "Privileged": False,
        "ReadonlyRootfs": True,
        "CapAdd": [],
        "CapDrop": ["ALL"],
        "Devices": [],
        "Memory": 1 << 30,
        "MemorySwap": 1 << 30,
        "NanoCpus": 10**9,
        "PidsLimit": 128,
        "OomScoreAdj": 500,
        "Ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "memlock", "Soft": 65536, "Hard": 65536},
            {"Name": "msgqueue", "Soft": 0, "Hard": 0},
            {"Name": "nofile", "Soft": 1024, "Hard": 1024},
        ],
        "LogConfig": {"Type": "none", "Config": {}},
        "Runtime": "runc",
        "RestartPolicy": {"Name": "no"},
        "Init": False,
    }
    assert HOST["SecurityOpt"][0] == "no-new-privileges:true"
    assert HOST["SecurityOpt"][1] == f"seccomp={PLACEMENT.seccomp}"
    assert {"/proc/kcore", "/proc/keys", "/sys/firmware", "/dev/mqueue", "/dev/pts"} <= set(
        HOST["MaskedPaths"]
    )
    assert {"/proc/sys", "/proc/sysrq-trigger"} <= set(HOST["ReadonlyPaths"])


_NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)
_SIZES = st.sampled_from(["256K", "1M", "64M", "256M", "1G", "8G", 1, 1 << 31, -1, "512m", True, None])
_ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


def _part(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keys, and now and then one that there is not."""
    return st.fixed_dictionaries({}, optional={**keys, "privileged": st.sampled_from([True, False])}).map(
        lambda part: part if len(part) % 5 else {key: part[key] for key in part if key != "privileged"}
    )


_POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "name": _NAMES,
        "container": _part(
            image=_NAMES,
            read_only=st.booleans(),
            tmpfs=st.fixed_dictionaries({}, optional={"/tmp": _SIZES, "/dev/shm": _SIZES, "/etc": _SIZES}),
            user=st.sampled_from(
                ["20000-29999", "0:0", "1000", "root", "5000:5000", "5000:0", "-1-5", "0-9"]
            ),
            user_namespace=st.booleans(),
            seccomp=st.sampled_from(["default", "unconfined", "/dev/null", "/etc/passwd"]),
            runtime=st.sampled_from(["runc", "runsc", "--privileged", "../x"]),
            binds=st.just(["/:/host"]),
            cap_add=st.just(["ALL"]),
        ),
        "network": _part(enabled=st.booleans(), mode=st.just("host")),
        "commands": _part(
            allow=st.lists(st.sampled_from(["python3", "node", "../sh", "/bin/sh", ""]), max_size=3),
            deny=st.lists(st.sampled_from(["node", "R", "python3", "a/b", ".."]), max_size=3),
        ),
        "resources": _part(
            cpu=st.sampled_from([0.5, "0.5", 2, 65, "1e3", -1]),
            memory=_SIZES,
            pids=st.integers(-1, 5000),
            timeout=_ANYTHING,
            session=st.floats(1, 1e6),
            out=_part(size=_SIZES, files=st.integers(-1, 3000)),
            stdout=_part(keep=_SIZES, ceiling=_SIZES),
        ),
        "pool": _part(size=st.integers(-1, 300), limit=st.integers(-1, 2000)),
        "extra": _ANYTHING,
    },
)


@given(_POLICIES)
@settings(suppress_health_check=[HealthCheck.filter_too_much], max_examples=400)
def test_whatever_a_policy_says_its_container_is_no_weaker_than_the_baseline(
    document: dict[str, Any],
) -> None:
    try:
        policy = parse_policy(yaml.safe_dump(document))
        profile = seccomp_profile(policy)
    except PolicyError:
        return
    body = container_config(policy, replace(PLACEMENT, seccomp=profile))
    host = body["HostConfig"]
    # What no policy changes: everything but these.
    free = {"Memory", "MemorySwap", "NanoCpus", "PidsLimit", "Tmpfs", "Binds", "Runtime"}
    if policy.network.enabled:
        assert "network.enabled" in policy.exceptions
        free |= {"NetworkMode", "Dns", "DnsSearch", "SecurityOpt"}
        assert host["NetworkMode"] == "bridge"
        assert host["SecurityOpt"][0] == "no-new-privileges:true"
    else:
        assert body["NetworkDisabled"] is True
    assert {key: host[key] for key in host.keys() - free} == {key: HOST[key] for key in HOST.keys() - free}
    assert {key: body[key] for key in body.keys() - {"HostConfig", "NetworkDisabled", "Env"}} == {
        key: BODY[key] for key in BODY.keys() - {"HostConfig", "NetworkDisabled", "Env"}
    }
    assert host["Memory"] == host["MemorySwap"] > policy.out.size + policy.tmp + policy.shm
    assert 16 <= host["PidsLimit"] <= 4096
    assert 0 < host["NanoCpus"] <= 64e9
    assert host["Tmpfs"].keys() == HOST["Tmpfs"].keys()
    for options in host["Tmpfs"].values():
        assert {"noexec", "nosuid", "nodev"} <= set(options.split(","))
        assert re.search(r"size=[1-9][0-9]*,nr_inodes=[1-9]", options)
    sources = {bind.split(":")[0] for bind in host["Binds"]}
    assert sources <= {"/data/leases/x/input", "/data/leases/x/nothing"}
    assert all(bind.endswith(":ro") and bind.count(":") == 2 for bind in host["Binds"])
    assert min(policy.container.uids.first, policy.container.uids.last) >= 1000


def test_the_network_is_an_operators_exception_that_admits_the_two_families_of_the_internet() -> None:
    policy = parse_policy("network: {enabled: true}")
    rules = [rule for rule in json.loads(seccomp_profile(policy))["syscalls"] if "socket" in rule["names"]]
    assert [rule["args"][0]["value"] for rule in rules] == [1, 2, 10]
    assert policy.exceptions == ("network.enabled",)


def test_denied_programs_lie_under_an_empty_file() -> None:
    binds = container_config(parse_policy("commands: {deny: [node]}"), PLACEMENT)["HostConfig"]["Binds"]
    assert "/data/leases/x/nothing:/usr/bin/node:ro" in binds
    assert "/data/leases/x/nothing:/usr/local/bin/node:ro" in binds


def test_a_profile_of_the_operators_is_read_and_named(tmp_path: Path) -> None:
    profile = tmp_path / "mine.json"
    profile.write_text('{"defaultAction": "SCMP_ACT_ERRNO"}')
    policy = parse_policy(f"container: {{seccomp: {profile}}}")
    assert json.loads(seccomp_profile(policy)) == {"defaultAction": "SCMP_ACT_ERRNO"}
    assert policy.exceptions == ("container.seccomp",)
    for content in ("[]", "{}", "x"):
        profile.write_text(content)
        with pytest.raises(PolicyError, match=r"container\.seccomp"):
            seccomp_profile(policy)


_DENIED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl",
    "add_key", "request_key", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen",
    "fsmount", "fsconfig", "fspick", "move_mount", "open_tree", "mount_setattr", "open_by_handle_at",
    "name_to_handle_at", "init_module", "finit_module", "kexec_load", "reboot", "swapon", "syslog",
    "acct", "quotactl", "personality", "modify_ldt", "ioperm", "iopl", "vmsplice", "shmget", "shmat",
    "semget", "semop", "msgget", "msgsnd", "mq_open", "mq_unlink", "mbind", "migrate_pages",
    "move_pages", "clock_settime", "settimeofday", "adjtimex", "sethostname", "ioprio_set",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "memfd_secret", "sync", "syncfs",
)  # fmt: skip


def _rules(name: str) -> list[dict[str, Any]]:
    return [rule for rule in PROFILE["syscalls"] if name in rule["names"]]


def test_seccomp_is_an_allow_list_of_the_native_architectures() -> None:
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert PROFILE["archMap"] == [
        {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
        {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []},
    ]


def test_seccomp_lets_no_socket_but_af_unix_be_made() -> None:
    for name in ("socket", "socketpair"):
        [rule] = _rules(name)
        assert rule["args"] == [{"index": 0, "value": 1, "valueTwo": 0, "op": "SCMP_CMP_EQ"}]
    assert not _rules("socketcall")


def test_seccomp_lets_no_process_limit_another() -> None:
    for name in ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"):
        [rule] = _rules(name)
        assert [(arg["index"], arg["value"]) for arg in rule["args"]] == [(0, 0)]
    [rule] = _rules("setpriority")
    assert [(arg["index"], arg["value"]) for arg in rule["args"]] == [(0, 0), (1, 0)]


def test_seccomp_allows_new_processes_but_no_new_namespaces() -> None:
    [clone] = _rules("clone")
    assert clone["args"] == [{"index": 0, "value": 0x7E020000, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]
    [clone3] = _rules("clone3")
    assert (clone3["action"], clone3["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


@pytest.mark.parametrize(
    "name",
    _DENIED,
)
def test_seccomp_denies(name: str) -> None:
    assert not _rules(name)
