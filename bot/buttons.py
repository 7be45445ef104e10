"""Buttons that only we can have made: what they carry is signed for one conversation."""

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.chat import Button, ChatRef
from bot.texts import Language, Texts, texts
from storage.records import Run

MAX_DATA = 64
"""Bytes that the strictest platform carries."""
_MAC_BYTES = 16
_KEY_BYTES = 32


class Action(StrEnum):
    """What a button asks for. The subject is a run, if nothing else is said."""

    CANCEL = "cancel"
    RETRY = "retry"
    PRESET = "preset"
    """The subject is an entry of the inbox: files that wait for words. The choice names the words."""
    ANSWER = "answer"
    """The choice is the number of an option of the run's question, from 0."""
    LANGUAGE = "language"
    """The choice is a language, or `auto`."""
    SETTING = "setting"
    """The subject is a preference, the choice `on` or `off`."""
    ERASE = "erase"
    """The subject is whose data go, the choice whether that is a person or a chat, and until when."""
    ADMIT = "admit"
    """The subject is a stranger, the choice `yes` or `no`."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a button of ours carried. It does not tell that the person may press it."""

    action: Action
    subject: str
    choice: str


class Buttons:
    def __init__(self, key: bytes) -> None:
        self._key = key

    def button(self, chat: ChatRef, text: str, action: Action, subject: str, choice: str = "") -> Button:
        """`subject` and `choice` hold no dots.

        Raises:
            ValueError: together they are too long for a button.
        """
        data = f"{action}.{subject}.{choice}.{self._mac(chat, action, subject, choice)}"
        if len(data.encode()) > MAX_DATA or data.count(".") != 3:
            detail = f"a button cannot carry {data!r}"
            raise ValueError(detail)
        return Button(text=text, data=data)

    def cancel(self, run: Run, chat: ChatRef) -> Button:
        return self.button(chat, _t(run)("button-cancel"), Action.CANCEL, run.id)

    def retry(self, run: Run, chat: ChatRef) -> Button:
        return self.button(chat, _t(run)("button-retry"), Action.RETRY, run.id)

    def verify(self, chat: ChatRef, data: str) -> Pressed | None:
        """What the button carries; None when it is not one of ours, or belongs to another conversation."""
        match data.split("."):
            case [action, subject, choice, mac] if mac.isascii():
                mine = hmac.compare_digest(mac, self._mac(chat, action, subject, choice))
                known = action in Action.__members__.values()
                return Pressed(Action(action), subject, choice) if mine and known else None
            case _:
                return None

    def _mac(self, chat: ChatRef, *said: str) -> str:
        text = "\0".join((chat.platform, chat.key, *said)).encode("utf-8", "backslashreplace")
        mac = hmac.digest(self._key, text, hashlib.sha256)[:_MAC_BYTES]
        return base64.urlsafe_b64encode(mac).decode().rstrip("=")


def _t(run: Run) -> Texts:
    return texts(Language(run.language))


def read_key(path: Path) -> bytes:
    """The key at `path`, made there at the first start and readable for its owner only.

    Raises:
        OSError: it can be neither read nor made.
    """
    with contextlib.suppress(FileExistsError):
        _make_key(path)
    return path.read_bytes()


def _make_key(path: Path) -> None:
    """Whole or not at all, and never over one that is there: buttons that are out would be void."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, secrets.token_bytes(_KEY_BYTES))
        os.fsync(file)
        os.link(part, path)
    finally:
        os.close(file)
        part.unlink()
