"""out/ seen by PID 1 between scripts: what changed, its bytes, and files put back from earlier todos.

Only called when no script runs, so nothing changes under the walk; even so, links are never followed.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from .wire import MAX_DATA, HostGone, Wire

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPS_REPORTED = 100


@dataclass
class Limits:
    files: int
    total: int
    """Bytes, of all files together, holes counted as if they were filled."""
    depth: int = 16
    path: int = 1000
    """Bytes of a relative path."""
    seconds: float = 20.0


@dataclass
class Listing:
    files: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, tuple[int, int, int]])
    """Path to size, inode and change time. A script can set none of the last two."""
    skipped: dict[str, str] = field(default_factory=dict[str, str])


class Outbox:
    def __init__(self, root: str, limits: Limits) -> None:
        self.root = os.open(root, _FOLDER)
        self.limits = limits
        self._known = Listing()

    def full(self) -> bool:
        """No block or no inode is left."""
        space = os.fstatvfs(self.root)
        return space.f_bavail == 0 or space.f_favail == 0

    def put(self, path: str, size: int, wire: Wire) -> str | None:
        """Receive one file from the host, which has checked the path. Returns why it did not fit."""
        *folders, name = path.split("/")
        problem: str | None = None
        target = -1
        try:
            parent = os.dup(self.root)
            for folder in folders:
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o755, dir_fd=parent)
                inner = os.open(folder, _FOLDER, dir_fd=parent)
                os.close(parent)
                parent = inner
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            target = os.open(name, flags, 0o644, dir_fd=parent)
            os.close(parent)
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
        return problem

    def remember(self) -> None:
        """What is here now counts as known: the next `changes` does not report it."""
        self._known = self.list()

    def changes(self) -> tuple[list[tuple[str, int]], list[str], dict[str, str]]:
        """Files made or changed since the last call, files gone since then, and what was left out with the
        reason, once each."""
        now = self.list()
        skipped = {path: why for path, why in now.skipped.items() if path not in self._known.skipped}
        changed: list[tuple[str, int]] = []
        total = 0
        for path, facts in now.files.items():
            if self._known.files.get(path) == facts:
                continue
            total += facts[0]
            if total > self.limits.total:
                total -= facts[0]
                skipped[path] = "too large together with the others"
                continue
            changed.append((path, facts[0]))
        gone = [path for path in self._known.files if path not in now.files and path not in now.skipped]
        self._known = now
        return changed, gone, skipped

    def send(self, files: list[tuple[str, int]], wire: Wire) -> dict[str, str]:
        """Copy the files to the host; returns those for which the time was not enough."""
        deadline = time.monotonic() + self.limits.seconds
        late: dict[str, str] = {}
        for path, size in files:
            if time.monotonic() > deadline:
                late[path] = "copying took too long"
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
        listing = Listing()
        os.fchmod(self.root, 0o755)
        for path, status in self._walk(listing.skipped):
            if len(listing.files) >= self.limits.files:
                listing.skipped[_shown(path)] = f"more than {self.limits.files} files"
                break
            listing.files[path] = (status.st_size, status.st_ino, status.st_ctime_ns)
        return listing

    def _walk(self, skipped: dict[str, str]) -> Iterator[tuple[str, os.stat_result]]:
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
                    yield path, status
                elif len(skipped) < _SKIPS_REPORTED:
                    skipped[_shown(path)] = reason or "not a regular file"
        finally:
            for folder, _, _ in stack:
                os.close(folder)

    def _refusal(self, name: str, path: str, depth: int) -> str | None:
        try:
            length = len(path.encode())
        except UnicodeEncodeError:
            return "its name is not UTF-8"
        if not name.isprintable():
            return "its name has control characters"
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


def _names(folder: int) -> list[str]:
    return sorted(os.listdir(folder), reverse=True)


def _shown(path: str) -> str:
    """A name as data for a report: printable, valid and short."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= 200 else text[:199] + "…"
