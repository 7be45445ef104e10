"""The lock of a data folder: one bot serves it, and nobody else replaces what lies in it."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import SettingsError

LOCK = "bot.lock"


@contextmanager
def alone(data: Path) -> Generator[None]:
    """Hold the folder inside the block. The kernel lets go of it with the process, whatever ends that.

    Raises:
        SettingsError: a bot serves the folder, or it is being restored.
        OSError: the lock's file cannot be written.
    """
    number = os.open(data / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not _taken(number):
            key = "bot-runs-already"
            raise SettingsError(key, folder=str(data))
        yield
    finally:
        os.close(number)


def is_served(data: Path) -> bool:
    """Whether a bot serves the folder now."""
    try:
        number = os.open(data / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not _taken(number)
    finally:
        os.close(number)


def _taken(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
