"""The engine and its host, as the engine describes them, and the escapes that versions are known for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.names import clean_text

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:-rc\.?(\d{1,6}))?")
_RELEASED = 10**6
"""Stands for no candidate's number: a release comes after all of its candidates."""

Version = tuple[int, int, int, int]
"""Major, minor, patch, candidate."""


@dataclass(frozen=True, slots=True)
class Escape:
    """Flaws of one component, and the first version of each branch without them."""

    names: tuple[str, ...]
    fixed: tuple[str, ...]
    needs: str
    """What an attacker would have to be able to do. The policy leaves it to no script."""


RUNC = (
    Escape(("CVE-2024-21626",), ("1.1.12",), "to choose the image or the working folder"),
    Escape(
        ("CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"),
        ("1.2.8", "1.3.3", "1.4.0-rc.3"),
        "to choose what is mounted, or to swap it from another container while one starts",
    ),
)
ENGINE = (
    Escape(
        ("CVE-2024-23651", "CVE-2024-23652", "CVE-2024-23653"),
        ("24.0.9", "25.0.2"),
        "to write the steps of an image's build",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    engine_id: str
    engine: str
    """Version, as are the next two."""
    runc: str
    containerd: str
    kernel: str
    system: str
    """The operating system's name and version."""
    storage: str
    cgroup: str
    """Version of the control groups: 1 or 2."""
    swap_limit: bool
    security: tuple[str, ...]
    """What the engine reports of itself: apparmor, seccomp, userns, rootless, selinux, cgroupns."""
    runtimes: tuple[str, ...]

    @property
    def maps_users(self) -> bool:
        return bool({"userns", "rootless"} & {*self.security})

    def described(self) -> Mapping[str, str]:
        return {
            "engine": self.engine,
            "containerd": self.containerd,
            "runc": self.runc,
            "runtimes": ", ".join(self.runtimes),
            "kernel": self.kernel,
            "system": self.system,
            "storage driver": self.storage,
            "control groups": f"version {self.cgroup}",
            "swap limit": "supported" if self.swap_limit else "not supported",
            "security": ", ".join(self.security) or "none",
            "users": "mapped" if self.maps_users else "not mapped",
        }


def read_host(info: Mapping[str, Any], version: Mapping[str, Any]) -> HostFacts:
    """From the engine's answers to /info and /version. What an older one leaves out is empty."""
    components = {str(part.get("Name")): str(part.get("Version")) for part in version.get("Components") or ()}
    options = [str(option) for option in info.get("SecurityOptions") or ()]
    return HostFacts(
        engine_id=_text(info, "ID"),
        engine=_text(version, "Version") or _text(info, "ServerVersion"),
        runc=clean_text(components.get("runc", ""))[:100],
        containerd=clean_text(components.get("containerd", ""))[:100],
        kernel=_text(info, "KernelVersion"),
        system=_text(info, "OperatingSystem"),
        storage=_text(info, "Driver"),
        cgroup=_text(info, "CgroupVersion") or "1",
        swap_limit=bool(info.get("SwapLimit")),
        security=tuple(sorted({option.removeprefix("name=").split(",")[0] for option in options})),
        runtimes=tuple(sorted(map(str, info.get("Runtimes") or ()))),
    )


def _text(answer: Mapping[str, Any], key: str) -> str:
    return clean_text(str(answer.get(key) or ""))[:200]


def parse_version(text: str) -> Version | None:
    """None when it does not begin like one. What a distribution adds at the end is left out."""
    match = _VERSION.match(text)
    if match is None:
        return None
    return int(match[1]), int(match[2]), int(match[3] or 0), int(match[4]) if match[4] else _RELEASED


def known_escapes(version: str, known: tuple[Escape, ...]) -> tuple[Escape, ...]:
    """Those that this version has by its number alone; distributions mend old ones and keep the number."""
    parsed = parse_version(version)
    return tuple(escape for escape in known if parsed is not None and _has(parsed, escape))


def _has(version: Version, escape: Escape) -> bool:
    fixed = sorted(found for text in escape.fixed if (found := parse_version(text)) is not None)
    same_branch = [first for first in fixed if first[:2] == version[:2]]
    return version < (same_branch or fixed)[0]
