"""Which files were opened since PID 1 last looked: what was not has its old content, and needs no reading.

Size and change time tell of every change but one: a write through a memory map moves no time. Yet for a map,
too, a file must first be opened, and the kernel tells of that, by whatever name or link it was done.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress

_IN_OPEN, _IN_DONT_FOLLOW, _IN_ONESHOT = 0x20, 0x02000000, 0x80000000
_IN_Q_OVERFLOW, _IN_IGNORED = 0x4000, 0x8000
_EVENT = struct.Struct("iIII")


class Watch:
    """A watch on each file, by inode, that rings once. A file whose watch is refused counts as opened."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._inodes: dict[int, int] = {}

    def untouched(self) -> set[int]:
        """Inodes that nobody has opened since they were armed."""
        with suppress(OSError):  # EAGAIN when all events are read; EBADF when there is no queue
            while data := os.read(self._queue, 1 << 16):
                for number, kind in _events(data):
                    if kind & _IN_Q_OVERFLOW:
                        self._inodes.clear()
                    self._inodes.pop(number, None)
        return set(self._inodes.values())

    def arm(self, files: Iterable[tuple[int, str]]) -> None:
        """Watch files, given as inode and path."""
        for inode, path in files:
            kinds = _IN_OPEN | _IN_DONT_FOLLOW | _IN_ONESHOT
            number = self._libc.inotify_add_watch(self._queue, os.fsencode(path), kinds)
            if number >= 0:
                self._inodes[number] = inode


def _events(data: bytes) -> Iterable[tuple[int, int]]:
    place = 0
    while place < len(data):
        number, kind, _, length = _EVENT.unpack_from(data, place)
        yield number, kind
        place += _EVENT.size + length
