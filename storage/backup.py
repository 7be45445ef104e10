"""A backup: one tar with everything that is kept, taken while the bot works.

The order is what makes it whole. Checkpoints come before the database, as after a crash, where they lag
behind it; the files come after both, since nothing is recorded before its bytes are there. What was deleted
in between is taken out of the copy, so that the backup never names bytes that it does not hold.
"""

import hashlib
import io
import json
import os
import sqlite3
import stat
import tarfile
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from storage.errors import StorageDamaged
from storage.translation import translated

FORMAT: Final = 1
HEAD: Final = "backup.json"
"""The first member: what this is, and which version can read it."""
SUMS: Final = "sums.json"
"""The last member: the SHA-256 of every other one. An archive without it was cut off."""
DATABASE: Final = "deckhand.db"
CHECKPOINTS: Final = "checkpoints.db"
SECRET: Final = "secret"  # noqa: S105  # a name
ARTIFACTS: Final = "artifacts"
RUNS: Final = "runs"

_CHUNK: Final = 1024 * 1024
_IN_MEMORY: Final = 8 * _CHUNK
"""Bytes of a file that are held while it is hashed; a larger one waits on the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where everything lies that a backup holds."""

    database: Path
    checkpoints: Path
    runs: Path
    secret: Path
    artifacts: Path | None
    """None for a bucket, which has backups of its own and is no part of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What was put into the archive."""

    members: int
    size: int
    """Bytes of the archive."""
    missing: int
    """Artifacts that the copy does not name any more: deleted meanwhile, or lost before."""


@dataclass(slots=True)
class _Archive:
    tar: tarfile.TarFile
    spool: Path
    """A private folder."""
    sums: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, name: str, content: IO[bytes], *, mode: int = 0o600, mtime: float = 0) -> None:
        """A member is as long as its file turns out to be, since the bot goes on writing to some of them."""
        digest = hashlib.sha256()
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self.spool)) as held:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
                held.write(chunk)
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = held.tell(), mode, int(mtime)
            held.seek(0)
            self.tar.addfile(info, held)
        self.sums[name] = digest.hexdigest()

    def add_file(self, name: str, path: Path) -> bool:
        """False when there is no such file. Links, pipes and devices are none."""
        try:
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            if path.is_symlink() or not path.exists():
                return False
            raise
        with os.fdopen(number, "rb") as file:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                return False
            self.add(name, file, mode=stat.S_IMODE(found.st_mode) & 0o755, mtime=found.st_mtime)
        return True

    def add_json(self, name: str, value: object) -> None:
        self.add(name, io.BytesIO(json.dumps(value, indent=1).encode()))


def write_backup(places: Places, file: Path, *, version: str, now: datetime) -> Backup:
    """Write `file`, whole or not at all; its name decides about compression (.gz, .tgz). Blocks.

    Raises:
        StorageUnavailable: something cannot be read or written.
        StorageDamaged: the database or the checkpoints are not sound; keep the older backups.
    """
    with (
        translated(),
        _whole(file) as part,
        tempfile.TemporaryDirectory(dir=file.parent, prefix=".") as spool,
    ):
        folder = Path(spool)
        missing = 0
        mode = "w|gz" if file.suffix in (".gz", ".tgz") else "w|"
        with part, tarfile.open(fileobj=part, mode=mode, format=tarfile.PAX_FORMAT) as tar:
            archive = _Archive(tar, folder)
            checkpoints = copy_database(places.checkpoints, folder / CHECKPOINTS)
            copy = copy_database(places.database, folder / DATABASE)
            head = {"format": FORMAT, "version": version, "schema": revision(copy), "at": now.isoformat()}
            archive.add_json(HEAD, {**head, "artifacts": places.artifacts is not None})
            archive.add_file(SECRET, places.secret)
            if places.artifacts is not None:
                missing = _add_artifacts(archive, places.artifacts, copy)
            for name, path in _files(places.runs):
                archive.add_file(f"{RUNS}/{name}", path)
            _disown(copy)
            archive.add_file(CHECKPOINTS, checkpoints)
            archive.add_file(DATABASE, copy)
            archive.add_json(SUMS, archive.sums)
    return Backup(members=len(archive.sums), size=file.stat().st_size, missing=missing)


def copy_database(path: Path, copy: Path) -> Path:
    """The database as it is at one moment, whoever writes to it meanwhile; an empty one when there is none.

    Raises: StorageDamaged: the copy is not sound.
    """
    copy.touch(mode=0o600)
    if path.exists():
        with closing(sqlite3.connect(path, timeout=10)) as source, closing(sqlite3.connect(copy)) as target:
            # In one step: between several, each writer would have it begin again.
            source.backup(target)
    check_database(copy)
    return copy


def check_database(path: Path) -> None:
    """Raises: StorageDamaged: it is no SQLite database, or not a sound one."""
    with translated(), closing(sqlite3.connect(path)) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        message = f"{path.name}: {verdict}"
        raise StorageDamaged(message)


def revision(database: Path) -> str:
    """The schema's; empty for a database without one."""
    with closing(sqlite3.connect(database)) as connection:
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.OperationalError:
            return ""
    return row[0] if row else ""


def digests(database: Path) -> tuple[str, ...]:
    """Of all bytes that the artifacts of the database are made of."""
    if not revision(database):
        return ()
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT DISTINCT sha256 FROM artifacts ORDER BY sha256").fetchall()
    return tuple(row[0] for row in rows)


def place(digest: str) -> str:
    """Where a folder of artifacts has the bytes."""
    return f"{digest[:2]}/{digest}"


def _add_artifacts(archive: _Archive, folder: Path, copy: Path) -> int:
    gone = [
        digest
        for digest in digests(copy)
        if not archive.add_file(f"{ARTIFACTS}/{place(digest)}", folder / place(digest))
    ]
    with closing(sqlite3.connect(copy)) as connection, connection:
        count = 0
        for digest in gone:
            count += connection.execute("DELETE FROM artifacts WHERE sha256 = ?", (digest,)).rowcount
    return count


def _disown(copy: Path) -> None:
    """Who has a run in hand here does not have it where the backup is restored, even while it lives."""
    if revision(copy):
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("UPDATE runs SET owner = NULL")


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """What lies below, with its name in there. What vanishes meanwhile is left out."""
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(base, name)
            yield path.relative_to(folder).as_posix(), path


@contextmanager
def _whole(file: Path) -> Generator[IO[bytes]]:
    """A private file that gets its name when the block has come to its end."""
    part = file.with_name(f".{file.name}.part")
    with suppress(FileNotFoundError):
        part.unlink()  # what a crash left
    opened = os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    try:
        yield opened
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(file)
    finally:
        opened.close()
        part.unlink(missing_ok=True)
