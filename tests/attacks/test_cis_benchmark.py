"""The checks of the CIS Docker Benchmark's section 5 (container runtime), on a live container of ours.

By the benchmark's numbers, 5.1 to 5.31. The scripts that are known for them are in no package that we could
pin, and each check is one look at what the engine says of a container.
"""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox.session import SandboxSession
from tests.conftest import containers

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

_SENSITIVE = (
    "/",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/proc",
    "/run",
    "/sys",
    "/usr",
    "/var/run",
    "/var/lib/docker",
)


@dataclass(frozen=True, slots=True)
class Container:
    """What `docker inspect` and the engine's own facts say."""

    facts: dict[str, Any]
    engine: dict[str, Any]

    @property
    def host(self) -> dict[str, Any]:
        return self.facts["HostConfig"]

    @property
    def options(self) -> list[str]:
        return self.host["SecurityOpt"] or []

    @property
    def offers(self) -> str:
        return " ".join(self.engine["SecurityOptions"])


@dataclass(frozen=True, slots=True)
class Check:
    number: str
    title: str
    passes: Callable[[Container], bool]
    lacking: Callable[[Container], str] = lambda container: ""
    """Why the check does not apply on this host: what the host lacks."""


def _no_source_is_sensitive(container: Container) -> bool:
    return not any(
        mount["Source"] in _SENSITIVE or mount["Source"].endswith("docker.sock")
        for mount in container.facts["Mounts"]
        if mount["Type"] == "bind"
    )


CHECKS = (
    Check(
        "5.1",
        "an AppArmor profile is in force",
        lambda c: c.facts["AppArmorProfile"] not in ("", "unconfined"),
        lambda c: "" if "apparmor" in c.offers else "the host's kernel has no AppArmor",
    ),
    Check(
        "5.2",
        "SELinux options are set",
        lambda c: bool(c.facts["ProcessLabel"]),
        lambda c: "" if "selinux" in c.offers else "the host has no SELinux",
    ),
    Check("5.3", "capabilities are dropped", lambda c: c.host["CapDrop"] == ["ALL"] and not c.host["CapAdd"]),
    Check("5.4", "not privileged", lambda c: c.host["Privileged"] is False),
    Check("5.5", "no sensitive folder of the host is mounted", _no_source_is_sensitive),
    Check("5.6", "no SSH server: one command, ours", lambda c: c.facts["Path"] == "/opt/venv/bin/python"),
    Check("5.7", "no privileged port is published", lambda c: not c.host["PortBindings"]),
    Check("5.8", "no port is open", lambda c: not c.facts["Config"].get("ExposedPorts")),
    Check("5.9", "not the host's network", lambda c: c.host["NetworkMode"] == "none"),
    Check("5.10", "memory is limited", lambda c: 0 < c.host["Memory"] == c.host["MemorySwap"]),
    Check("5.11", "the processor is limited", lambda c: c.host["NanoCpus"] > 0),
    Check("5.12", "the root file system is read-only", lambda c: c.host["ReadonlyRootfs"] is True),
    Check(
        "5.13",
        "no port is bound to all interfaces",
        lambda c: not any((c.facts["NetworkSettings"]["Ports"] or {}).values()),
    ),
    Check("5.14", "it is not restarted", lambda c: c.host["RestartPolicy"]["Name"] in ("", "no")),
    Check("5.15", "not the host's processes", lambda c: c.host["PidMode"] == ""),
    Check("5.16", "not the host's IPC", lambda c: c.host["IpcMode"] == "private"),
    Check("5.17", "no device of the host", lambda c: not c.host["Devices"] and not c.host["DeviceRequests"]),
    Check(
        "5.18",
        "limits of its own",
        lambda c: {"core", "nofile", "memlock", "msgqueue"} <= {limit["Name"] for limit in c.host["Ulimits"]},
    ),
    Check(
        "5.19",
        "no mount propagates to the host",
        lambda c: all("shared" not in mount.get("Propagation", "") for mount in c.facts["Mounts"]),
    ),
    Check("5.20", "not the host's names (UTS)", lambda c: c.host["UTSMode"] == ""),
    Check(
        "5.21",
        "seccomp is on",
        lambda c: (
            any(o.startswith("seccomp={") for o in c.options)
            and not any("unconfined" in o for o in c.options)
        ),
        lambda c: "" if "seccomp" in c.offers else "the engine has no seccomp",
    ),
    Check("5.22", "nothing is executed in it, privileged…", lambda c: not c.facts["ExecIDs"]),
    Check(
        "5.23",
        "…or as root",
        lambda c: not c.facts["ExecIDs"] and not c.facts["Config"]["User"].startswith("0"),
    ),
    Check("5.24", "in the cgroup that the engine gives", lambda c: c.host["CgroupParent"] == ""),
    Check("5.25", "no new privileges", lambda c: "no-new-privileges:true" in c.options),
    Check(
        "5.26",
        "its health is checked",
        # By the session itself, at each answer and by its deadline: the engine's check would execute in it.
        lambda c: c.host["AutoRemove"] is True and c.facts["Config"].get("Healthcheck") is None,
    ),
    Check(
        "5.27",
        "the image is named by its content",
        lambda c: c.facts["Config"]["Image"].startswith("sha256:"),
    ),
    Check("5.28", "processes are limited", lambda c: 0 < c.host["PidsLimit"] <= 4096),
    Check(
        "5.29",
        "not on the engine's bridge",
        lambda c: set(c.facts["NetworkSettings"]["Networks"]) <= {"none"},
    ),
    Check("5.30", "not the host's users by an exception", lambda c: c.host["UsernsMode"] == ""),
    Check(
        "5.31",
        "the engine's socket is not in it",
        lambda c: not any("docker.sock" in str(mount) for mount in c.facts["Mounts"]),
    ),
)


def _docker(*arguments: str) -> Any:
    run = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=30, check=True)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def container(docker_session: SandboxSession, shared_install: str) -> Container:
    del docker_session  # it holds the container
    names = containers(shared_install)
    [facts] = _docker("inspect", names[0])
    return Container(facts, _docker("info", "--format", "{{json .}}"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.number}-{check.title.replace(' ', '_')}")
async def test_a_container_of_ours_passes(check: Check, container: Container) -> None:
    if reason := check.lacking(container):
        assert not check.passes(container), f"{check.title} although {reason}"
    else:
        assert check.passes(container), check.title


async def test_every_check_of_the_section_is_here() -> None:
    assert [check.number for check in CHECKS] == [f"5.{number}" for number in range(1, 32)]


async def test_the_container_writes_nothing_to_the_hosts_disk(container: Container) -> None:
    assert container.facts["LogPath"] == ""
    assert container.host["LogConfig"]["Type"] == "none"
    [facts] = _docker("inspect", "--size", container.facts["Id"])
    assert facts["SizeRw"] == 0
