"""What an operator should hear of: an alert has a stable code and its threat's number in SECURITY.md."""

from dataclasses import dataclass
from enum import StrEnum


class AlertCode(StrEnum):
    SOCKET = "socket"
    """A script asked for a socket beyond the ones inside its own container."""
    FORBIDDEN_COMMAND = "forbidden-command"
    """It tried to start a program that the policy denies."""
    UNLISTED_PROGRAM = "unlisted-program"
    """It tried to start a program that the policy does not allow."""
    SECCOMP_KILL = "seccomp-kill"
    MEMORY_LIMIT = "memory-limit"
    TIME_LIMIT = "time-limit"
    REPEATED_TIMEOUTS = "repeated-timeouts"
    """Three scripts of one lease ran into the time limit."""
    PROCESS_LIMIT = "process-limit"
    OUTPUT_LIMIT = "output-limit"
    DISK_LIMIT = "disk-limit"
    FORGED_NAME = "forged-name"
    """A file in out/ whose name could deceive: control or bidirectional characters, no UTF-8, reserved."""
    SPECIAL_FILE = "special-file"
    """A link, a pipe, a socket or a device in out/."""


THREATS = {
    AlertCode.SOCKET: 4,
    AlertCode.FORBIDDEN_COMMAND: 84,
    AlertCode.UNLISTED_PROGRAM: 84,
    AlertCode.SECCOMP_KILL: 5,
    AlertCode.MEMORY_LIMIT: 39,
    AlertCode.TIME_LIMIT: 51,
    AlertCode.REPEATED_TIMEOUTS: 88,
    AlertCode.PROCESS_LIMIT: 42,
    AlertCode.OUTPUT_LIMIT: 46,
    AlertCode.DISK_LIMIT: 24,
    AlertCode.FORGED_NAME: 26,
    AlertCode.SPECIAL_FILE: 19,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    code: AlertCode
    detail: str = ""
    """A name or an address that the guest chose: cleaned, at most 200 characters, never trusted."""

    @property
    def threat(self) -> int:
        return THREATS[self.code]
