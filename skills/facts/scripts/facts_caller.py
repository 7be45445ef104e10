"""Who states a fact: the first line outside of the libraries."""

import ast
import functools
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import facts_source

_HERE = Path(__file__).parent
_FOREIGN = tuple(
    path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))
)
CODE_LENGTH = 400


@dataclass(frozen=True)
class Caller:
    """`code` is the statement's first line; `path` is None where there is no file."""

    script: str
    line: int
    code: str
    path: Path | None = None

    @property
    def tree(self):
        return None if self.path is None else tree_of(self.path)


def caller():
    """The statement of the script that led here."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not is_library(name):
            path = Path(name)
            lines = lines_of(path)
            line = _first_line(path, frame.f_lineno)
            code = lines[line - 1].strip()[:CODE_LENGTH] if 0 < line <= len(lines) else ""
            return Caller(path.name, line, code, path if lines else None)
        frame = frame.f_back
    return Caller("", 0, "")


@functools.lru_cache(maxsize=512)
def is_library(name):
    """Whether a file is a skill's, Python's or a package's; no one's when it was never a file."""
    if name.startswith("<"):
        return True
    folder = Path(name).parent
    ours = folder == _HERE or (folder.name == "scripts" and folder.parent.parent == _HERE.parent.parent)
    return ours or name.startswith(_FOREIGN)


def lines_of(path):
    return _source(path).splitlines()


def tree_of(path):
    """The syntax tree of a script; None for what cannot be parsed."""
    return _parsed(_source(path))


def _source(path):
    try:
        return path.read_bytes()[:1_000_000].decode("utf-8", "replace")
    except OSError:
        return ""


@functools.lru_cache(maxsize=16)
def _parsed(source):
    try:
        return facts_source.tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _first_line(path, line):
    """Of the smallest statement that the line is in: a call over several lines is named by its first."""
    tree = tree_of(path)
    if tree is None:
        return line
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        and not hasattr(node, "body")
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max((node.lineno for node in around), default=line)
