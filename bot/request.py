"""The words of `deckhand ask`: files first, the request last."""

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from bot.errors import SettingsError

_FILE_NAME = re.compile(r"[^\s]*\.[A-Za-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    files: tuple[Path, ...]


def read_words(words: Sequence[str], stdin: TextIO) -> Asked:
    """`-` as the last word stands for stdin.

    Raises:
        SettingsError: a file is missing, is a folder or cannot be read, or there is no request.
    """
    *names, text = words
    if text == "-":
        text = stdin.read()
    elif text.strip() and _names_a_file(text):
        for name in words:
            _file(name)
        key = "ask-request-missing"
        raise SettingsError(key)
    files = tuple(_file(name) for name in names)
    if not text.strip():
        key = "ask-request-empty"
        raise SettingsError(key)
    return Asked(text, files)


def check_out(folder: Path) -> Path:
    """The folder for results, made now: a run of minutes should not fail at its end for that.

    Raises:
        SettingsError: it cannot be made, or not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        key = "ask-out-unusable"
        raise SettingsError(key, name=str(folder), reason=fault.strerror or "") from fault
    if not os.access(folder, os.W_OK | os.X_OK):
        key = "ask-out-unusable"
        raise SettingsError(key, name=str(folder), reason=os.strerror(errno.EACCES))
    return folder


def _names_a_file(word: str) -> bool:
    """Whether the last word is a file that a request was forgotten after, or the misspelt name of one."""
    try:
        return Path(word).exists() or bool(_FILE_NAME.fullmatch(word.strip()))
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _file(name: str) -> Path:
    path = Path(name).expanduser()
    try:
        if name and path.is_dir():
            key = "ask-file-folder"
            raise SettingsError(key, name=name)
        if not name or not path.exists():
            key = "ask-file-missing"
            raise SettingsError(key, name=name)
    except (OSError, ValueError) as fault:
        key = "ask-file-unreadable"
        raise SettingsError(key, name=name, reason=getattr(fault, "strerror", "") or str(fault)) from fault
    if not os.access(path, os.R_OK):  # opening it would already take from a pipe
        key = "ask-file-unreadable"
        raise SettingsError(key, name=name, reason=os.strerror(errno.EACCES))
    return path
