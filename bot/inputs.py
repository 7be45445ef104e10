"""Inputs: which of a conversation's files a run works on. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.brands import INPUT as TEMPLATE
from sandbox.names import canonical_names
from storage.records import Brand, InputRef, Run, RunId

MAX_MADE = 10
"""Files that earlier runs made, beside those that people sent: the latest count most."""


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier run."""

    run: Run
    made: tuple[InputRef, ...] = ()
    """What it handed over, in the order of making, each by its name in out/."""


@dataclass(frozen=True, slots=True)
class CarryOver:
    """What becomes of the files of earlier runs."""

    carried: tuple[InputRef, ...]
    left_out: tuple[InputRef, ...]
    """Those that there was room for until now: the news, of which a person should hear once."""


def own(history: Sequence[Past], sender: str, *, sent: bool, meant: RunId | None) -> Sequence[Past]:
    """Two people who work side by side in a group do not get each other's files.

    Whoever has files there, or has `sent` some just now, goes on with their own, and with those of the run
    that they `meant` by replying to it. Who has none means what is there.
    """
    mine = [past for past in history if past.run.sender == sender]
    if not sent and not any(not item.brand for past in mine for item in past.run.inputs):
        return history
    return [past for past in history if past.run.sender == sender or past.run.id == meant]


def newest_files(history: Sequence[Past]) -> tuple[InputRef, ...]:
    """What people sent, in the order of the runs, which is newest first; of two with one name, the newest."""
    known: dict[str, InputRef] = {}
    for past in history:
        for item in past.run.inputs:
            if not (item.made or item.brand):
                known.setdefault(item.name, item)
    return tuple(known.values())


def newest_made(history: Sequence[Past]) -> tuple[InputRef, ...]:
    """What runs made, the latest first; of two with one name in out/, the latest."""
    known: dict[str, InputRef] = {}
    for past in history:
        for item in (*reversed(past.made), *(item for item in past.run.inputs if item.made)):
            known.setdefault(item.original, item)
    return tuple(known.values())


def with_brand(inputs: Sequence[InputRef], brand: Brand | None) -> tuple[InputRef, ...]:
    """And the chat's template, whose name no other file has then."""
    if brand is None:
        return tuple(inputs)
    names = canonical_names([TEMPLATE, *(item.name for item in inputs)])[1:]
    template = InputRef(
        name=TEMPLATE,
        original=brand.original,
        artifact_id=brand.artifact_id,
        size=brand.size,
        brand=True,
    )
    return (*(replace(item, name=name) for item, name in zip(inputs, names, strict=True)), template)


def carry_over(history: Sequence[Past], sent: Sequence[InputRef], *, files: int, size: int) -> CarryOver:
    """As many earlier files as fit beside `sent`: first what people sent, then what runs made, newest first.

    `files` is of all that people sent, `size` (bytes) of all. A file that was made never takes the name of
    one that a person sent.
    """
    names = {item.name for item in sent}
    earlier = [item for item in newest_files(history) if item.name not in names]
    rooms = {False: files - len(sent), True: MAX_MADE}
    size -= sum(item.size for item in sent)
    carried: list[InputRef] = []
    others: list[InputRef] = []
    for item in (*earlier, *newest_made(history)):
        if rooms[item.made] <= 0 or item.size > size:
            others.append(item)
            continue
        carried.append(item)
        rooms[item.made] -= 1
        size -= item.size
    until_now = {item.artifact_id for item in history[0].run.inputs} if history else set[str]()
    return CarryOver(
        _distinct(sent, carried), tuple(item for item in others if item.artifact_id in until_now)
    )


def _distinct(sent: Sequence[InputRef], carried: Sequence[InputRef]) -> tuple[InputRef, ...]:
    """Those carried, under names that nobody else has: the earlier in line keeps its own."""
    wanted = [item.original if item.made else item.name for item in carried]
    names = canonical_names([*(item.name for item in sent), *wanted])[len(sent) :]
    return tuple(replace(item, name=name, earlier=True) for item, name in zip(carried, names, strict=True))
