"""What a client has put in for one session: files in a private folder, named and bounded as they come."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sandbox.errors import UnsafeName
from sandbox.guest.outbox import occupied
from sandbox.names import split_path
from sandbox.outfolder import OutFolder
from sandbox.owned import new_folder, sweep
from sandbox.policy import Policy
from sandbox.service.errors import Refused
from sandbox.service.wire import ErrorCode, Place
from sandbox.session import InputFile, Workspace

SPOOL = "spool"
_FILES = 2000
_CODE_BYTES = 16 << 20
_SKILL_BYTES = 64 << 20


class Writer(Protocol):
    def write(self, data: bytes) -> None: ...


@dataclass(slots=True)
class _Share:
    """What one place takes. What is put twice counts twice: that is simple, and nobody needs it."""

    files: int
    size: int
    """Bytes, in whole blocks."""

    def take(self, size: int) -> None:
        if self.files < 1 or occupied(size) > self.size:
            message = "more files or bytes than this folder takes"
            raise Refused(ErrorCode.TOO_LARGE, message)
        self.files -= 1
        self.size -= occupied(size)


@dataclass(slots=True)
class Spool:
    """One session's folder. It lies where the sandbox's own do, so that inputs are linked and not copied."""

    folder: Path
    _shares: dict[Place, _Share]
    _skills: dict[str, None] = field(default_factory=dict[str, None])
    """In the order in which they came, which is that of the guest's imports."""

    @classmethod
    def made(cls, root: Path, policy: Policy, input_bytes: int) -> "Spool":
        """Raises: OSError."""
        shares = {
            Place.INPUT: _Share(_FILES, input_bytes),
            Place.CODE: _Share(_FILES, _CODE_BYTES),
            Place.SKILLS: _Share(_FILES, _SKILL_BYTES),
            Place.OUT: _Share(policy.out.files, policy.out.size),
        }
        folder = new_folder(root / SPOOL)
        for name in (*Place, "incoming"):
            (folder / name).mkdir()
        return cls(folder, shares)

    def workspace(self, owner: str, policy: str) -> Workspace:
        inputs = self.folder / Place.INPUT
        return Workspace(
            owner=owner,
            inputs=tuple(InputFile(name=file.name, source=file) for file in sorted(inputs.iterdir())),
            code=self.folder / Place.CODE,
            out=self.folder / Place.OUT,
            skills=[self.folder / Place.SKILLS / name for name in self._skills],
            policy=policy,
        )

    @property
    def out(self) -> OutFolder:
        return self._open(Place.OUT)

    @contextmanager
    def receive(self, place: Place, path: str, size: int) -> Generator[Writer]:
        """A file of `size` bytes to be written in the block; one that ends by an exception is forgotten.

        Raises:
            UnsafeName: `path` is no plain name; a skill's is `name/scripts/…`, in input and code there are no
                folders.
            Refused: the place is full, or the disk.
        """
        parts = split_path(path)
        if parts is None or not _fits(place, parts):
            raise UnsafeName(path)
        self._shares[place].take(size)
        with self._open(place) as folder:
            incoming = folder.receive(path)
            complete = False
            try:
                yield incoming
                complete = True
            finally:
                incoming.close(complete=complete)
        if incoming.problem is not None:
            raise Refused(ErrorCode.TOO_LARGE, incoming.problem)
        if place is Place.SKILLS:
            self._skills[parts[0]] = None

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open(self, place: Place) -> OutFolder:
        return OutFolder(self.folder / place, self.folder / "incoming")


def sweep_spools(root: Path) -> None:
    """Remove what killed services have left."""
    sweep(root / SPOOL)


def _fits(place: Place, parts: tuple[str, ...]) -> bool:
    match place:
        case Place.INPUT | Place.CODE:
            return len(parts) == 1
        case Place.SKILLS:
            return len(parts) > 2 and parts[1] == "scripts"
        case Place.OUT:
            return True
