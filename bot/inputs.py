"""Inputs: which of a conversation's files a run works on. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.records import InputRef, Run


@dataclass(frozen=True, slots=True)
class CarryOver:
    """What becomes of the files of earlier runs."""

    carried: tuple[InputRef, ...]
    left_out: tuple[InputRef, ...]
    """Those that there was room for until now: the news, of which a person should hear once."""


def newest_files(history: Sequence[Run]) -> tuple[InputRef, ...]:
    """The files of runs that are given newest first, in that order; of two with one name, the newest."""
    known: dict[str, InputRef] = {}
    for run in history:
        for item in run.inputs:
            known.setdefault(item.name, item)
    return tuple(known.values())


def carry_over(history: Sequence[Run], sent: Sequence[InputRef], *, files: int, size: int) -> CarryOver:
    """As many earlier files as fit beside `sent`, the newest first. `files` and `size` (bytes) are of all."""
    names = {item.name for item in sent}
    files -= len(sent)
    size -= sum(item.size for item in sent)
    carried: list[InputRef] = []
    others: list[InputRef] = []
    for item in newest_files(history):
        if item.name in names:
            continue
        if files <= 0 or item.size > size:
            others.append(item)
            continue
        carried.append(item)
        files -= 1
        size -= item.size
    until_now = history[0].inputs if history else ()
    return CarryOver(tuple(carried), tuple(item for item in others if item in until_now))
