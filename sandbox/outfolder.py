"""The host's copy of out/: written part by part below one open folder, whatever names the guest sends."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from sandbox.errors import NoSuchFile, SandboxUnavailable
from sandbox.guest.outbox import occupied
from sandbox.names import split_path
from sandbox.policy import FileLimits

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OutFolder:
    """One open folder of the host, the only place where a guest's bytes land.

    They do so when they are complete. Until then they lie in `incoming`, a folder of the lease on the same
    file system, which goes with the lease when the host dies.
    """

    def __init__(self, path: Path, incoming: Path) -> None:
        self._path = path
        self._incoming = incoming
        self._root = -1

    def __enter__(self) -> Self:
        """Raises: SandboxUnavailable: it can be neither found nor made."""
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            self._root = os.open(self._path, _FOLDER)
        except OSError as error:
            message = f"the folder for the outputs cannot be opened: {error}"
            raise SandboxUnavailable(message) from error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def receive(self, path: str, *, problem: str | None = None) -> "Incoming":
        """A file to be filled and kept, unless `problem` says why it will not be; see `Incoming.problem`."""
        return Incoming(self._root, path, self._incoming, problem)

    def remove(self, path: str) -> bool:
        """Forget a file that the guest has removed, and the folders that it leaves empty. True when there
        was one."""
        parts = split_path(path)
        if parts is None:
            return False
        removed = False
        for depth in range(len(parts), 0, -1):
            try:
                folder = _open_folders(self._root, parts[: depth - 1], make=False)
            except OSError:
                break
            try:
                if removed:
                    os.rmdir(parts[depth - 1], dir_fd=folder)
                else:
                    os.unlink(parts[depth - 1], dir_fd=folder)
                removed = True
            except OSError:
                break
            finally:
                os.close(folder)
        return removed

    def occupied(self) -> dict[str, int]:
        """Bytes that each regular file takes when it is written in full, in whole blocks."""
        return {path: occupied(status.st_size) for path, _, status in self._regular()}

    def files(self) -> Iterator[tuple[str, int, int]]:
        """Path, size and descriptor of each regular file; the descriptor closes with the next one."""
        for path, folder, _ in self._regular():
            name = path.rpartition("/")[2]
            try:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            except OSError:  # another todo has removed it meanwhile
                continue
            try:
                yield path, os.fstat(file).st_size, file
            finally:
                os.close(file)

    def open(self, path: str) -> int:
        """A descriptor for reading, which the caller closes.

        Raises: NoSuchFile: there is no regular file at that path.
        """
        parts = split_path(path)
        if parts is None:
            raise NoSuchFile(path)
        try:
            folder = _open_folders(self._root, parts[:-1], make=False)
            try:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                file = os.open(parts[-1], flags, dir_fd=folder)
            finally:
                os.close(folder)
        except OSError:
            raise NoSuchFile(path) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise NoSuchFile(path)
        return file

    def _regular(self) -> Iterator[tuple[str, int, os.stat_result]]:
        """Path, open folder and status of each regular file."""
        pending = [""]
        while pending:
            prefix = pending.pop()
            with suppress(OSError):
                folder = _open_folders(self._root, prefix.split("/")[:-1], make=False)
                try:
                    for name in sorted(os.listdir(folder)):  # noqa: PTH208  # of a descriptor
                        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                        if stat.S_ISDIR(status.st_mode):
                            pending.append(f"{prefix}{name}/")
                        elif stat.S_ISREG(status.st_mode) and split_path(prefix + name) is not None:
                            yield prefix + name, folder, status
                finally:
                    os.close(folder)


class Incoming:
    """One file on its way: bytes go to a nameless place, and take the name when all have come."""

    def __init__(self, root: int, path: str, incoming: Path, problem: str | None) -> None:
        self.problem = problem
        self._root = root
        self._partial = incoming / secrets.token_hex(8)
        self._parts = split_path(path)
        self._size = 0
        self._file = -1
        if self._parts is None:
            self.problem = "an unsafe name"
        if self.problem is None:
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(self._partial, flags, 0o644)
            except OSError as error:
                self._fail(error)

    def write(self, data: bytes) -> None:
        """Nothing but zeros become a hole: they take no room of the host's disk."""
        if self.problem is not None:
            return
        try:
            if data.count(0) < len(data):
                os.lseek(self._file, self._size, os.SEEK_SET)
                view = memoryview(data)
                while view:
                    view = view[os.write(self._file, view) :]
        except OSError as error:
            self._fail(error)
        self._size += len(data)

    def close(self, *, complete: bool) -> None:
        """Keep the file under its name when it is complete, forget it otherwise."""
        if self._file < 0:
            return
        try:
            if complete and self.problem is None and self._parts is not None:
                self._keep(*self._parts)
        except OSError as error:
            self._fail(error)
        finally:
            os.close(self._file)
            with suppress(OSError):
                self._partial.unlink(missing_ok=True)

    def _keep(self, *parts: str) -> None:
        os.ftruncate(self._file, self._size)
        folder = _open_folders(self._root, parts[:-1], make=True)
        try:
            os.rename(self._partial, parts[-1], dst_dir_fd=folder)
        finally:
            os.close(folder)

    def _fail(self, error: OSError) -> None:
        self.problem = f"cannot be stored: {error.strerror}"


class Room:
    """What the folder still takes, counted in whole blocks with holes as if they were filled."""

    def __init__(self, there: dict[str, int], limits: FileLimits) -> None:
        """`there`: what it holds already, as `OutFolder.occupied` tells."""
        self._there = there
        self._limits = limits
        self._total = sum(there.values())

    def has(self, path: str, size: int) -> bool:
        old = self._there.get(path)
        if old is None and len(self._there) >= self._limits.files:
            return False
        return self._total - (old or 0) + occupied(size) <= self._limits.size

    def take(self, path: str, size: int) -> None:
        self._total += occupied(size) - self._there.get(path, 0)
        self._there[path] = occupied(size)


def _open_folders(root: int, parts: tuple[str, ...] | list[str], *, make: bool) -> int:
    folder = os.dup(root)
    try:
        for part in parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder
