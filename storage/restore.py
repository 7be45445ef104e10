"""Restoring: a backup is unpacked beside its place, judged, and only then moved there."""

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

from storage.backup import (
    ARTIFACTS,
    CHECKPOINTS,
    DATABASE,
    FORMAT,
    HEAD,
    RUNS,
    SECRET,
    SUMS,
    Places,
    check_database,
    digests,
    place,
)
from storage.errors import BadBackup, FolderInUse, NewerDatabase
from storage.schema import revisions
from storage.translation import translated

_CHUNK: Final = 1024 * 1024
_SMALL: Final = 64 * _CHUNK
"""Bytes of the longest list of sums that is read: some 500,000 files."""
_SINGLE: Final = frozenset({HEAD, SUMS, DATABASE, CHECKPOINTS, SECRET})
_FOLDERS: Final = frozenset({ARTIFACTS, RUNS})
_LOG: Final = ("-wal", "-shm")
"""What SQLite keeps beside a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    version: str
    at: str
    """When the backup was taken."""
    members: int
    artifacts: bool
    """Whether the bytes of artifacts were in it; otherwise they are in a bucket."""
    aside: tuple[Path, ...]
    """What was there before, under other names."""


def restore_backup(file: Path, places: Places, *, now: datetime, force: bool = False) -> Restored:
    """Put everything back. Nothing is touched before the whole archive has been found good. Blocks.

    With `force`, what is there is moved aside. Nobody may use the folder meanwhile: see `bot.lock`.

    Raises:
        BadBackup: it is no backup, is cut off or damaged, or holds what no backup holds.
        NewerDatabase: a later version of the program wrote it.
        FolderInUse: something is there, and `force` was not given.
        StorageUnavailable: something cannot be read or written.
    """
    with translated():
        if not force and (there := _existing(places)):
            raise FolderInUse(str(there[0]))
        base = places.checkpoints.parent
        with tempfile.TemporaryDirectory(dir=base, prefix=".restore-", ignore_cleanup_errors=True) as staged:
            folder = Path(staged)
            head = _unpack(file, folder)
            if head["artifacts"] and places.artifacts is None:
                raise BadBackup(file.name, "it holds files, which belong into a folder, not into a bucket")
            _judge(folder, head)
            aside = _move_aside(places, now) if force else ()
            _move_in(folder, places)
    return Restored(
        version=str(head["version"]),
        at=str(head["at"]),
        members=int(head["members"]),
        artifacts=bool(head["artifacts"]),
        aside=aside,
    )


def _unpack(file: Path, folder: Path) -> dict[str, Any]:
    """Stream the members into the folder; the head of the backup with the number of its members."""
    sums: dict[str, str] = {}
    head: dict[str, Any] | None = None
    try:
        with tarfile.open(file, "r|*") as tar:
            for info in tar:
                name = _checked_name(info, sums)
                content = tar.extractfile(info)
                if content is None or (head is None) != (name == HEAD):
                    raise BadBackup(file.name, "it is no backup of Deckhand")
                if name == SUMS:
                    _compare(file, sums, content.read(_SMALL))
                    assert head is not None  # noqa: S101  # the head is the first member
                    return {**head, "members": len(sums)}
                sums[name] = _write(folder / name, content, 0o600 if name in _SINGLE else info.mode)
                if name == HEAD:
                    head = _read_head(file, (folder / name).read_bytes())
    except (tarfile.TarError, EOFError, zlib.error) as fault:
        raise BadBackup(file.name, "it is no archive, or it is damaged") from fault
    raise BadBackup(file.name, "its end is missing")


def _checked_name(info: tarfile.TarInfo, seen: dict[str, str]) -> str:
    """Only plain files below known names: no links, devices or ways out. Raises: BadBackup."""
    name = info.name
    parts = name.split("/")
    known = name in _SINGLE or (parts[0] in _FOLDERS and len(parts) > 1)
    if not info.isreg() or not known or name in seen or {"", ".", ".."} & set(parts) or "\0" in name:
        raise BadBackup(repr(name[:200]), "no backup holds such a member")
    return name


def _write(path: Path, content: IO[bytes], mode: int) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(number, "wb") as target:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            target.write(chunk)
        os.fchmod(number, 0o600 | (mode & 0o755))
    return digest.hexdigest()


def _read_head(file: Path, content: bytes) -> dict[str, Any]:
    try:
        head = json.loads(content)
        known = {"version": str(head["version"]), "at": str(head["at"]), "artifacts": head["artifacts"]}
        form, schema = int(head["format"]), str(head["schema"])
    except (ValueError, KeyError, TypeError) as fault:
        raise BadBackup(file.name, "its head cannot be read") from fault
    if form > FORMAT or (schema and schema not in revisions()):
        raise NewerDatabase(schema)
    return known


def _compare(file: Path, sums: dict[str, str], listed: bytes) -> None:
    try:
        expected = json.loads(listed)
    except ValueError as fault:
        raise BadBackup(file.name, "its list of sums cannot be read") from fault
    if not isinstance(expected, dict) or expected.keys() != sums.keys():
        raise BadBackup(file.name, "it does not hold what it lists")
    for name, digest in sums.items():
        if expected[name] != digest:
            raise BadBackup(file.name, f"{name} is damaged")


def _judge(folder: Path, head: dict[str, Any]) -> None:
    """Whether what was unpacked can be worked with. Raises: BadBackup, StorageDamaged."""
    for name in (DATABASE, CHECKPOINTS):
        if not (folder / name).is_file():
            raise BadBackup(name, "it is missing")
        check_database(folder / name)
    if head["artifacts"]:
        for digest in digests(folder / DATABASE):
            if not (folder / ARTIFACTS / place(digest)).is_file():
                raise BadBackup(digest, "the bytes of an artifact are missing")


def _parts(places: Places) -> tuple[tuple[str, Path], ...]:
    """The database is the last to come: without it, what is there counts as nothing."""
    folders = [] if places.artifacts is None else [(ARTIFACTS, places.artifacts)]
    files = [(CHECKPOINTS, places.checkpoints), (DATABASE, places.database)]
    return ((SECRET, places.secret), *folders, (RUNS, places.runs), *files)


def _existing(places: Places) -> list[Path]:
    """What would be replaced. The empty folders that every start makes are nothing."""
    return [
        path
        for _, path in _parts(places)
        if path.exists() and not (path.is_dir() and not any(path.iterdir()))
    ]


def _move_aside(places: Places, now: datetime) -> tuple[Path, ...]:
    moved: list[Path] = []
    for path in _existing(places):
        other = path.with_name(f"{path.name}.before-{now:%Y%m%dT%H%M%S}")
        for suffix in ("", *_LOG):
            old = path.with_name(path.name + suffix)
            if old.exists():
                old.rename(other.with_name(other.name + suffix))
        moved.append(other)
    return tuple(moved)


def _move_in(folder: Path, places: Places) -> None:
    for name, path in _parts(places):
        staged = folder / name
        if not staged.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if staged.is_dir():
            staged.chmod(0o700)
            if path.is_dir():
                path.rmdir()
        shutil.move(staged, path)
