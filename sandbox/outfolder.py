"""The host's copy of out/: written part by part below one open folder, whatever names the guest sends."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from sandbox.errors import SandboxUnavailable
from sandbox.names import split_path

_PARTIAL = ".incoming-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OutFolder:
    """One open folder of the host, the only place where a guest's bytes land."""

    def __init__(self, path: Path) -> None:
        self._path = path
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

    def receive(self, path: str) -> "Incoming":
        """A file to be filled and kept, its name checked and its place opened; see `Incoming.problem`."""
        return Incoming(self._root, path)

    def remove(self, path: str) -> bool:
        """Forget a file that the guest has removed. True when there was one."""
        parts = split_path(path)
        if parts is None:
            return False
        try:
            folder = _open_folders(self._root, parts[:-1], make=False)
        except OSError:
            return False
        try:
            os.unlink(parts[-1], dir_fd=folder)
        except OSError:
            return False
        finally:
            os.close(folder)
        return True

    def files(self) -> Iterator[tuple[str, int, int]]:
        """Path, size and descriptor of each regular file; the descriptor closes with the next one."""
        pending = [""]
        while pending:
            prefix = pending.pop()
            with suppress(OSError):
                yield from self._folder(prefix, pending)

    def _folder(self, prefix: str, pending: list[str]) -> Iterator[tuple[str, int, int]]:
        folder = _open_folders(self._root, prefix.split("/")[:-1], make=False)
        try:
            for name in sorted(os.listdir(folder)):  # noqa: PTH208  # of a descriptor
                if name.startswith(_PARTIAL):  # of a host that died while it copied
                    continue
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    pending.append(f"{prefix}{name}/")
                elif stat.S_ISREG(mode) and split_path(prefix + name) is not None:
                    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                    try:
                        yield prefix + name, os.fstat(file).st_size, file
                    finally:
                        os.close(file)
        finally:
            os.close(folder)


class Incoming:
    """One file on its way: bytes go to a nameless neighbour, which takes the name when all have come."""

    def __init__(self, root: int, path: str) -> None:
        self.problem: str | None = None
        self._folder = self._file = -1
        self._partial = _PARTIAL + secrets.token_hex(8)
        parts = split_path(path)
        if parts is None:
            self.problem = "an unsafe name"
            return
        self._name = parts[-1]
        try:
            self._folder = _open_folders(root, parts[:-1], make=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open(self._partial, flags, 0o644, dir_fd=self._folder)
        except OSError as error:
            self.problem = f"cannot be stored: {error.strerror}"

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self.problem is None:
            try:
                view = view[os.write(self._file, view) :]
            except OSError as error:
                self.problem = f"cannot be stored: {error.strerror}"

    def close(self, *, complete: bool) -> None:
        """Keep the file under its name when it is complete, forget it otherwise."""
        try:
            if complete and self.problem is None:
                os.rename(self._partial, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            elif self._file >= 0:
                os.unlink(self._partial, dir_fd=self._folder)
        except OSError as error:
            self.problem = f"cannot be stored: {error.strerror}"
            with suppress(OSError):
                os.unlink(self._partial, dir_fd=self._folder)
        finally:
            for descriptor in (self._file, self._folder):
                if descriptor >= 0:
                    os.close(descriptor)


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
