"""The page of memory that a script shares with PID 1: why it ended, and what its audit hook saw.

The script can write whatever it likes into it. So there are only a few bits and short texts in it, and what
they say is a claim of the script's, no more.
"""

import mmap

NO_SPACE = 1
NO_MEMORY = 2
SOCKET = "socket"
FORBIDDEN = "forbidden-command"
UNLISTED = "unlisted-program"
_CODES = (SOCKET, FORBIDDEN, UNLISTED)
_SLOT = 512
_DETAIL = 200
"""Bytes of one detail."""


class Page:
    """Byte 0 is the cause. Each code has a slot: whether it was noted, the detail's length, the detail."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)

    def clear(self) -> None:
        self._memory[:] = bytes(mmap.PAGESIZE)

    @property
    def cause(self) -> int:
        """`NO_SPACE` or `NO_MEMORY` when that ended the script."""
        return self._memory[0]

    @cause.setter
    def cause(self, cause: int) -> None:
        self._memory[0] = cause

    def note(self, code: str, detail: str) -> None:
        """The first detail of a code stays."""
        start = _start(code)
        if self._memory[start]:
            return
        text = detail.encode("utf-8", "replace")[:_DETAIL]
        self._memory[start + 1 : start + 2 + len(text)] = bytes([len(text)]) + text
        self._memory[start] = 1

    def noted(self) -> list[tuple[str, str]]:
        """Code and detail of each slot that was written to."""
        found: list[tuple[str, str]] = []
        for code in _CODES:
            start = _start(code)
            if self._memory[start]:
                length = min(self._memory[start + 1], _DETAIL)
                text = self._memory[start + 2 : start + 2 + length]
                found.append((code, text.decode("utf-8", "replace")))
        return found


def _start(code: str) -> int:
    return _SLOT * (1 + _CODES.index(code))
