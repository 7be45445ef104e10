"""What a todo's scripts left, read back from its conversation, which survives a crash."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage, ToolMessage

from agent.outputs import is_delivered
from sandbox.names import split_path

RUNNING = ("write_and_run_python", "fix_and_run_python", "run_python_file", "write_and_run_script")
"""Tools whose answers name the files that a script made or changed."""
MAX_CHECKED = 40
_FILE = re.compile(r"^- out/(?P<path>.+) \([\d,]+ bytes\)$", re.MULTILINE)


def ran_scripts(messages: Iterable[BaseMessage]) -> bool:
    return any(True for _ in _runs(messages))


def left_by(messages: Iterable[BaseMessage], promised: Sequence[str], out: Path) -> tuple[str, ...]:
    """Documents, pictures and texts of out/ that a todo `promised` or its scripts made, in no other order
    than of their names. A script prints what it likes: only what exists counts."""
    named = {match["path"] for message in _runs(messages) for match in _FILE.finditer(message.text)}
    known = [
        path
        for path in sorted({*named, *promised})
        if is_delivered(path) and split_path(path) is not None and (out / path).is_file()
    ]
    return tuple(known[:MAX_CHECKED])


def _runs(messages: Iterable[BaseMessage]) -> Iterable[ToolMessage]:
    return (message for message in messages if isinstance(message, ToolMessage) and message.name in RUNNING)
