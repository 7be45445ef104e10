"""What a person types: lines from a stream, and the files that they name in them."""

import asyncio
import os
import shlex
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Line:
    """A typed line, taken apart."""

    text: str
    """What is left of it: a path in it has become the file's name. Empty when it was nothing but files."""
    files: tuple[Path, ...] = ()
    missing: str | None = None
    """The path after `/file` that is no file."""


def read_line(line: str, is_file: Callable[[Path], bool] = Path.is_file) -> Line:
    """`/file PATH`, paths dropped into the terminal (quoted or escaped as it likes), or a plain request."""
    stripped = line.strip()
    word, _, rest = stripped.partition(" ")
    if word == "/file":
        named = " ".join(_words(rest))
        path = _path(named)
        return Line("", (path,)) if named and is_file(path) else Line("", missing=named or "?")
    words = _words(stripped)
    files = {word: _path(word) for word in words if _may_be_path(word) and is_file(_path(word))}
    if not files:
        return Line(stripped)
    others = [word for word in words if word not in files]
    text = " ".join(files[word].name if word in files else word for word in words) if others else ""
    return Line(text, tuple(files.values()))


async def lines(descriptor: int) -> AsyncGenerator[str]:
    """Lines of a terminal or a pipe, until its end.

    A thread of its own reads the descriptor: one that waits in `input` would hold up the exit, and a
    non-blocking terminal would break our own writing to it.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        while True:
            try:
                chunk = os.read(descriptor, 65_536)
            except OSError:
                chunk = b""
            try:
                loop.call_soon_threadsafe(queue.put_nowait, chunk)
            except RuntimeError:  # the loop is closed: nobody listens any more
                return
            if not chunk:
                return

    threading.Thread(target=read, name="prompt", daemon=True).start()
    rest = b""
    while chunk := await queue.get():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", errors="replace")
    if rest:
        yield rest.decode("utf-8", errors="replace")


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an apostrophe in a sentence is no quotation mark
        return text.split()


def _path(word: str) -> Path:
    path = word.removeprefix("file://")
    try:
        return Path(path).expanduser()
    except RuntimeError:  # "~name" of nobody
        return Path(path)


def _may_be_path(word: str) -> bool:
    """Not every word that happens to be the name of a file is one: it has a separator or a suffix."""
    return len(word) < 4096 and "\0" not in word and ("/" in word or "." in word.strip("."))
