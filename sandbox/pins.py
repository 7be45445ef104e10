"""The lock of a derived image: every file that it adds, by name, version and sha256.

A JSON file beside the policy. The first build writes it; a later one, also on another machine of the same
kind, installs exactly these files or fails.
"""

import hashlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.errors import BuildFailed
from sandbox.policy import Packages

_READING = "reading the lock"
ANEW = "run `deckhand sandbox build --pin` to pin what there is now"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Pin(_Value):
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}\z")
    version: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+!~:-]{0,99}\z")
    file: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+!~%-]{0,250}\.(whl|deb)\z")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}\z")


class Target(_Value):
    """What packages must suit. Another one needs other files, so a lock is for one of them."""

    machine: str
    """As in a wheel's name: `x86_64`."""
    python: str
    """As in `3.12`."""
    release: str
    """Debian's code name: `bookworm`."""


class Pins(_Value):
    version: Literal[1] = 1
    asked: Packages
    """What the policy listed then."""
    target: Target
    wheels: Annotated[tuple[Pin, ...], Field(max_length=1000)] = ()
    debs: Annotated[tuple[Pin, ...], Field(max_length=1000)] = ()

    def dump(self) -> bytes:
        return (self.model_dump_json(indent=1) + "\n").encode()

    def check(self, asked: Packages, target: Target | None = None) -> None:
        """Raises: BuildFailed: the lock is for other packages, or another base than `target`."""
        if self.asked != asked:
            raise BuildFailed(_READING, f"the policy lists other packages by now; {ANEW}")
        if target is not None and self.target != target:
            then, now = (" ".join(what.model_dump().values()) for what in (self.target, target))
            raise BuildFailed(_READING, f"it is for {then}, and the image is {now}; {ANEW}")


def read_lock(path: Path) -> bytes:
    """The lock as it stands; empty when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def parse_lock(content: bytes, path: Path) -> Pins | None:
    """None for an empty one. Raises: BuildFailed: it is damaged."""
    if not content:
        return None
    try:
        return Pins.model_validate_json(content)
    except ValidationError as error:
        raise BuildFailed(_READING, f"{path} is damaged; {ANEW}") from error


def write_lock(path: Path, content: bytes) -> None:
    """All of it or nothing. Raises: BuildFailed: it cannot be written."""
    whole = path.with_name(f"{path.name}.new")
    try:
        whole.write_bytes(content)
        whole.replace(path)
    except OSError as error:
        doing = f"writing the lock {path}"
        raise BuildFailed(doing, error.strerror or "") from error


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
