"""out/ seen by PID 1 between scripts: what changed, its bytes, and files put back from earlier todos.

Only called when no script runs, so nothing changes under the walk; even so, links are never followed.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from .watch import Watch
from .wire import MAX_DATA, HostGone, Wire

NOT_REGULAR = "not a regular file"
NOT_TEXT = "its name is not UTF-8"
UNPRINTABLE = "its name has control characters"
NO_ROOM = "too large together with the others"
TOO_MANY = "more than {} files"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPS_REPORTED = 100
_BLOCK = 4096
_HASHED = 256 << 20
"""Bytes read at one look to see what no time stamp tells; files beyond them go by size and time alone."""


def occupied(size: int) -> int:
    """Bytes that a file of `size` takes when all of it is written: whole blocks."""
    return -(-size // _BLOCK) * _BLOCK


@dataclass
class Limits:
    files: int
    total: int
    """Bytes, of all files together, in whole blocks, holes counted as if they were filled."""
    depth: int = 16
    path: int = 1000
    """Bytes of a relative path."""
    seconds: float = 20.0


class Facts(NamedTuple):
    """What tells one content of a file from another. A script can set neither inode nor change time, but
    a write through a memory map moves no time stamp: hence the digest."""

    size: int
    inode: int
    changed: int
    digest: bytes = b""


@dataclass
class Listing:
    files: dict[str, Facts] = field(default_factory=dict[str, Facts])
    skipped: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class Changes:
    """What the host has to do: remove `gone`, then take `files`, and tell of `skipped`."""

    gone: list[str] = field(default_factory=list[str])
    files: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    skipped: dict[str, str] = field(default_factory=dict[str, str])


class Outbox:
    def __init__(self, root: str, limits: Limits) -> None:
        self.root = os.open(root, _FOLDER)
        self.limits = limits
        self._known: dict[str, Facts | None] = {}
        """What the host has a copy of; None where that copy is old or was refused."""
        self._told: dict[str, str] = {}
        self._watch = Watch()

    def full(self) -> bool:
        """No block or no inode is left."""
        space = os.fstatvfs(self.root)
        return space.f_bavail == 0 or space.f_favail == 0

    def used(self) -> int:
        """Bytes that the file system has given out, in whole blocks."""
        space = os.fstatvfs(self.root)
        return (space.f_blocks - space.f_bfree) * space.f_frsize

    def put(self, path: str, size: int, wire: Wire) -> str | None:
        """Receive one file from the host, which has checked the path. Returns why it did not fit."""
        *folders, name = path.split("/")
        problem: str | None = None
        target = -1
        parent = os.dup(self.root)
        try:
            for folder in folders:
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o755, dir_fd=parent)
                inner = os.open(folder, _FOLDER, dir_fd=parent)
                os.close(parent)
                parent = inner
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            target = os.open(name, flags, 0o644, dir_fd=parent)
        except OSError as error:
            problem = error.strerror or "cannot be written"
        received = 0
        while received < size:
            data = wire.receive_data()
            received += len(data)
            view = memoryview(data)
            while view and problem is None:
                try:
                    view = view[os.write(target, view) :]
                except OSError as error:
                    problem = error.strerror or "cannot be written"
        if received != size:
            raise HostGone("a file longer than announced")
        if target >= 0:
            os.close(target)
            if problem is not None:  # half a file would take the room of others
                os.unlink(name, dir_fd=parent)
        os.close(parent)
        return problem

    def remember(self) -> None:
        """What is here now counts as known: the next `changes` does not report it."""
        self._known = dict(self._look(self._watch.untouched()).files)

    def forget(self, paths: Iterable[str]) -> None:
        """The host could not keep these: they count as changed until it can."""
        self._known |= dict.fromkeys(self._known.keys() & set(paths))

    def arm(self) -> None:
        """A script is about to run: see which of the known files it opens."""
        armed = self._watch.untouched()
        known = [(path, facts) for path, facts in self._known.items() if facts and facts.inode not in armed]
        self._watch.arm((facts.inode, f"/proc/self/fd/{self.root}/{path}") for path, facts in known)

    def changes(self) -> Changes:
        """What has happened since the last call. What was left out is told once, and tried again each time.

        All files together, not only the new ones, fit into the limit: so the host's copy of out/ does too.
        """
        now = self._look(self._watch.untouched())
        skipped = now.skipped
        known: dict[str, Facts | None] = {
            path: facts for path, facts in now.files.items() if self._known.get(path) == facts
        }
        total = sum(occupied(now.files[path].size) for path in known)
        files: list[tuple[str, int]] = []
        for path, facts in now.files.items():
            if path in known:
                continue
            if total + occupied(facts.size) > self.limits.total:
                skipped[_shown(path)] = NO_ROOM
                continue
            total += occupied(facts.size)
            known[path] = facts
            files.append((path, facts.size))
        gone = [path for path in self._known if path not in known]
        news = {path: why for path, why in skipped.items() if self._told.get(path) != why}
        self._known, self._told = known, skipped
        return Changes(gone, files, news)

    def send(self, files: list[tuple[str, int]], wire: Wire) -> dict[str, str]:
        """Copy the files to the host; returns those for which the time was not enough."""
        deadline = time.monotonic() + self.limits.seconds
        late: dict[str, str] = {}
        for path, size in files:
            if time.monotonic() > deadline:
                late[_shown(path)] = "copying took too long"
                self._known[path] = None
                continue
            source = self._open(path)
            try:
                wire.send({"type": "file", "path": path, "size": size})
                left = size
                while left:
                    data = os.read(source, min(left, MAX_DATA))
                    if not data:
                        raise HostGone("a file shrank while no script was running")
                    left -= len(data)
                    wire.send_data(data)
            finally:
                os.close(source)
        return late

    def list(self) -> Listing:
        """Every regular file, sorted. Modes that a script took away from its own files are given back."""
        return self._look(None)

    def _look(self, untouched: set[int] | None) -> Listing:
        """As `list`, with digests unless `untouched` is None; those of untouched inodes are known."""
        listing = Listing()
        left = _HASHED
        os.fchmod(self.root, 0o755)
        for path, status, folder in self._walk(listing.skipped):
            if len(listing.files) >= self.limits.files:
                listing.skipped[_shown(path)] = TOO_MANY.format(self.limits.files)
                break
            facts = Facts(status.st_size, status.st_ino, status.st_ctime_ns)
            if untouched is not None:
                old = self._known.get(path)
                if old and old[:3] == facts[:3] and (facts.inode in untouched or not old.digest):
                    facts = old
                elif 0 < facts.size <= left:
                    left -= facts.size
                    facts = facts._replace(digest=_digest(path.rpartition("/")[2], folder))
            listing.files[path] = facts
        return listing

    def _walk(self, skipped: dict[str, str]) -> Iterator[tuple[str, os.stat_result, int]]:
        """Path, status and open folder of each regular file."""
        stack: list[tuple[int, str, list[str]]] = [(os.dup(self.root), "", _names(self.root))]
        try:
            while stack:
                folder, prefix, names = stack[-1]
                if not names:
                    os.close(folder)
                    stack.pop()
                    continue
                name = names.pop()
                path = prefix + name
                reason = self._refusal(name, path, len(stack))
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if reason is None and stat.S_ISDIR(status.st_mode):
                    os.chmod(name, stat.S_IMODE(status.st_mode) | 0o700, dir_fd=folder)
                    inner = os.open(name, _FOLDER, dir_fd=folder)
                    stack.append((inner, path + "/", _names(inner)))
                elif reason is None and stat.S_ISREG(status.st_mode):
                    if not status.st_mode & stat.S_IRUSR:
                        os.chmod(name, stat.S_IMODE(status.st_mode) | 0o600, dir_fd=folder)
                        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    yield path, status, folder
                else:
                    skipped[_shown(path)] = reason or NOT_REGULAR
        finally:
            for folder, _, _ in stack:
                os.close(folder)

    def _refusal(self, name: str, path: str, depth: int) -> str | None:
        try:
            length = len(path.encode())
        except UnicodeEncodeError:
            return NOT_TEXT
        if not name.isprintable():
            return UNPRINTABLE
        if depth > self.limits.depth:
            return f"more than {self.limits.depth} folders deep"
        if length > self.limits.path:
            return "its path is too long"
        return None

    def _open(self, path: str) -> int:
        *folders, name = path.split("/")
        parent = os.dup(self.root)
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=parent)
            os.close(parent)
            parent = inner
        try:
            return os.open(name, _FILE, dir_fd=parent)
        finally:
            os.close(parent)


def reported(skipped: dict[str, str]) -> list[tuple[str, str]]:
    """Few enough for a frame; how many more there are stands at the end."""
    entries = sorted(skipped.items())
    more = len(entries) - _SKIPS_REPORTED
    return [*entries[:_SKIPS_REPORTED], (f"{more:,} more", "not named one by one")] if more > 0 else entries


def _digest(name: str, folder: int) -> bytes:
    total = hashlib.blake2b(digest_size=16)
    file = os.open(name, _FILE, dir_fd=folder)
    try:
        while data := os.read(file, 1 << 20):
            total.update(data)
    finally:
        os.close(file)
    return total.digest()


def _names(folder: int) -> list[str]:
    return sorted(os.listdir(folder), reverse=True)


def _shown(path: str) -> str:
    """A name as data for a report: printable, valid and short."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= 200 else text[:199] + "…"
