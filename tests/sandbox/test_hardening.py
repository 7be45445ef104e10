"""Every flag of the create body, and that no policy widens one. `test_inside` reads them back inside."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.hardening import Placement, container_config, seccomp_profile
from sandbox.policy import OutLimits, Policy

PLACEMENT = Placement(
    image="sha256:abc",
    install="here",
    root="0123",
    uid=20007,
    binds={"/workspace/input": Path("/data/leases/x/input")},
)
BODY = container_config(Policy(), PLACEMENT)
HOST: dict[str, Any] = BODY["HostConfig"]
PROFILE = json.loads(seccomp_profile())


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
        "RestartPolicy": {"Name": "no"},
        "Init": False,
    }
    assert HOST["SecurityOpt"][0] == "no-new-privileges:true"
    assert HOST["SecurityOpt"][1] == f"seccomp={seccomp_profile()}"
    assert {"/proc/kcore", "/proc/keys", "/sys/firmware", "/dev/mqueue", "/dev/pts"} <= set(
        HOST["MaskedPaths"]
    )
    assert {"/proc/sys", "/proc/sysrq-trigger"} <= set(HOST["ReadonlyPaths"])


@given(
    cpus=st.floats(0.1, 64),
    pids=st.integers(16, 4096),
    files=st.integers(1, 2000),
    memory=st.integers(1 << 30, 1 << 36),
)
def test_a_policy_changes_numbers_and_nothing_else(cpus: float, pids: int, files: int, memory: int) -> None:
    policy = Policy(cpus=cpus, pids=pids, memory=memory, out=OutLimits(files=files))
    host = container_config(policy, PLACEMENT)["HostConfig"]
    numbers = {"Memory", "MemorySwap", "NanoCpus", "PidsLimit", "Tmpfs"}
    assert {key: host[key] for key in host if key not in numbers} == {
        key: HOST[key] for key in HOST if key not in numbers
    }
    assert host["Memory"] == host["MemorySwap"] == memory


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
