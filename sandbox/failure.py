"""What went wrong, in one word: the guest's ends become an ExitStatus, the engine's exceptions. Pure."""

import signal
from dataclasses import dataclass
from enum import StrEnum

from aiodocker.exceptions import DockerError

from sandbox.errors import ImageMissing, SandboxUnavailable
from sandbox.session import ExitStatus


class KilledFor(StrEnum):
    """Why PID 1 killed the script, if it did."""

    NOTHING = ""
    TIMEOUT = "timeout"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    exit_code: int
    killed_for: KilledFor = KilledFor.NOTHING
    oom_kills: int = 0
    """Processes of this script that the kernel killed for want of memory."""
    no_memory: bool = False
    """A MemoryError ended it."""
    no_space: bool = False
    """ENOSPC ended it, or out/ had no byte or no file left at its end."""


def classify(ending: Ending) -> ExitStatus:
    """Exit code, our own reason and the out-of-memory counter together; none of them tells the truth alone.

    A script that survives its child's death for want of memory and exits 0 has succeeded. One that fills out/
    exactly and exits 0 has too.
    """
    match ending:
        case Ending(killed_for=KilledFor.TIMEOUT):
            return ExitStatus.TIMEOUT
        case Ending(killed_for=KilledFor.OUTPUT):
            return ExitStatus.OUTPUT_LIMIT
        case Ending(exit_code=0):
            return ExitStatus.OK
        case Ending(oom_kills=kills, no_memory=no_memory) if kills > 0 or no_memory:
            return ExitStatus.OUT_OF_MEMORY
        case Ending(no_space=True):
            return ExitStatus.DISK_LIMIT
        case Ending(exit_code=code) if code == 128 + signal.SIGXCPU:
            return ExitStatus.TIMEOUT
        case Ending(exit_code=code) if code == 128 + signal.SIGXFSZ:
            return ExitStatus.DISK_LIMIT
        case Ending(exit_code=code) if code == 128 + signal.SIGKILL:
            return ExitStatus.KILLED
        case _:
            return ExitStatus.ERROR


def engine_error(error: Exception, doing: str, *, image: str = "") -> SandboxUnavailable:
    """The exception for what the engine answered, or did not."""
    if isinstance(error, TimeoutError):
        return SandboxUnavailable(f"the Docker engine did not answer in time while {doing}")
    if isinstance(error, DockerError):
        if image and error.status == 404:
            return ImageMissing(image)
        if error.status == 900:
            return SandboxUnavailable(f"no Docker engine answers ({doing}): {error.message}")
        return SandboxUnavailable(f"the Docker engine refused {doing}: {error.message}")
    return SandboxUnavailable(f"the Docker engine failed while {doing}: {type(error).__name__}: {error}")
