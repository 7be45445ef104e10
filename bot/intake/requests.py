"""Requests in the making: what a person sends in one go is gathered until no more is to be expected."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from bot.chat import ChatRef, Incoming, MessageRef
from bot.gateway import MAX_FILES
from bot.intake.admission import PRESETS, Admission, Line
from bot.intake.assembly import Draft, Part, Patience
from bot.tasks import Tasks
from bot.texts import texts
from storage.mail import InboxId

Key = tuple[ChatRef, str]
"""A conversation and a person in it."""


@dataclass(slots=True, kw_only=True)
class Requests:
    admission: Admission
    tasks: Tasks
    clock: Callable[[], float]
    patience: Patience = field(default_factory=Patience)
    _lines: dict[Key, Line] = field(default_factory=dict[Key, Line])
    """The one that each person is at: being gathered, or files that wait for words."""
    _begun: list[tuple[Key, Line]] = field(default_factory=list[tuple[Key, Line]])
    """On their way to the run: nothing joins them any more."""
    _deluge: dict[Key, float] = field(default_factory=dict[Key, float])
    """Until when one more file of somebody belongs to those that were too many."""

    def add(self, part: Part) -> None:
        """One more message of somebody, for the request that they are at."""
        line = self._lines.get(_key(part))
        if line is None:
            line = self._lines[_key(part)] = Line(Draft(), self.admission.receipt(part))
        line.draft = line.draft.add(part)
        line.wake.set()
        if line.task is None:
            line.task = self.tasks.spawn(self._gather(_key(part), line), "request")

    def again(self, part: Part) -> None:
        """An earlier request over these files, and those of theirs that wait."""
        key = _key(part)
        line = self._take(key) or Line(Draft(), self.admission.receipt(part))
        line.again = True
        line.draft = line.draft.add(replace(part, said=replace(part.said, text="")))
        if part.said.batch:  # the rest of the album is to come
            self._lines[key] = line
            line.task = self.tasks.spawn(self._gather(key, line), "request")
        else:
            self._begin_soon(key, line)

    def restore(self, draft: Draft) -> None:
        """What an earlier process left is as complete as it will ever be."""
        first = draft.parts[0]
        line = Line(draft, self.admission.receipt(first, draft.reply))
        if draft.request().text:
            self._begin_soon(_key(first), line)
        else:
            line.draft = draft.hold()
            self._lines[_key(first)] = line
            self.tasks.spawn(self._ask_again(_key(first), line), "request")

    def reword(self, entry: InboxId, edit: Incoming) -> bool:
        """Whether the message is one of a request that the person is at, which has the new words then."""
        key = (edit.chat, edit.sender.id)
        line = self._lines.get(key)
        draft = line and edit.message and line.draft.reworded(edit.message.message, edit.text, entry)
        if line is None or not draft:
            return False
        line.draft = draft
        if line.task is None and draft.request().text:  # a caption, given late
            self._begin_soon(key, line)
        return True

    async def settled(self, edit: Incoming) -> None:
        """Wait for what has the message and is about to become a run."""
        message = edit.message.message if edit.message else ""
        tasks = [
            line.task
            for _, line in self._begun
            if line.task is not None and line.draft.reworded(message, "") is not None
        ]
        if tasks:
            await asyncio.wait(tasks)

    def has_batch(self, incoming: Incoming) -> bool:
        """Whether the message was sent together with one of the request that the person is at."""
        line = self._lines.get((incoming.chat, incoming.sender.id))
        return line is not None and incoming.batch in line.draft.batches

    def is_too_much(self, said: Incoming) -> bool:
        """Whether a file is one more of far too many, of which the person hears anyway.

        Thousands of files are not worth a row each, and a refusal each even less.
        """
        key, now = (said.chat, said.sender.id), self.clock()
        line = self._lines.get(key)
        many = line is not None and line.draft.files > MAX_FILES
        if said.attachments and (many or self._deluge.get(key, now) > now):
            self._deluge[key] = now + 2 * self.patience.files
            return True
        self._deluge.pop(key, None)
        return False

    def is_gathering(self, key: Key) -> bool:
        """Whether more of what the person says belongs to a request of theirs."""
        line = self._lines.get(key)
        return line is not None and line.task is not None

    def cancel(self, key: Key) -> bool:
        """Stop what has not become a run yet. Whether there was anything."""
        lines = [line for other, line in self._begun if other == key]
        gathering = self._lines.get(key)
        lines += [gathering] if gathering is not None and gathering.task is not None else []
        for line in lines:
            line.stop.set()
        return bool(lines)

    async def forget(self, keys: Iterable[Key]) -> None:
        """Files that wait for words wait no more."""
        for key in keys:
            line = self._take(key)
            if line is not None:
                t = await self.admission.texts(line.draft.request())
                await self.admission.end(line, t("files-dropped"))

    def keys(self, chat: ChatRef) -> tuple[Key, ...]:
        """Those of the chat and its threads."""
        known = {*self._lines, *(key for key, _ in self._begun)}
        return tuple(key for key in known if (key[0].platform, key[0].chat) == (chat.platform, chat.chat))

    def move(self, old: ChatRef, new: ChatRef) -> None:
        for key in self.keys(old):
            line = self._lines.pop(key, None)
            if line is not None:
                chat = replace(key[0], chat=new.chat)
                parts = tuple(_moved(part, chat) for part in line.draft.parts)
                posted = line.receipt.ref.message if line.receipt.ref else None
                line.draft = replace(line.draft, parts=parts)
                line.receipt = self.admission.receipt(parts[0], posted)
                self._lines[chat, key[1]] = line

    def owner(self, subject: str) -> str | None:
        """As `presses.Preset` wants it."""
        found = self._find(subject)
        return None if found is None else found[0][1]

    def begin(self, subject: str, choice: str, entry: InboxId) -> bool:
        """As `presses.Preset` wants it."""
        found = self._find(subject)
        if found is None or not any(choice in row for row in PRESETS):
            return False
        key, line = found
        request = line.draft.request()
        language = line.language or self.admission.gateway.language(request)
        words = texts(language)(f"preset-{choice}")
        said = replace(request, text=words, attachments=(), reply_to=None)
        line.draft = line.draft.add(Part(id=entry, said=said, at=self.clock()))
        self._begin_soon(key, line)
        return True

    def _find(self, subject: str) -> tuple[Key, Line] | None:
        for key, line in self._lines.items():
            if line.task is None and subject in map(str, line.draft.ids):
                return key, line
        return None

    def _take(self, key: Key) -> Line | None:
        """The files of somebody that wait for words, which is over now."""
        line = self._lines.get(key)
        return self._lines.pop(key) if line is not None and line.task is None else None

    async def _gather(self, key: Key, line: Line) -> None:
        try:
            await _both(self.admission.acknowledge(line), self._quiet(line))
            while not (line.again or line.draft.request().text or line.cancelled):
                line.draft = line.draft.hold()
                refusal = await self.admission.ask_for_words(line)
                if line.draft.due(self.patience) < inf:  # more has come meanwhile
                    await self._quiet(line)
                elif refusal is None:
                    line.task = None
                    return
                else:
                    self._drop(
                        line
                    )  # before the refusal: what comes while it is said is a request of its own
                    await self.admission.end(line, refusal)
                    return
        except Exception as fault:
            self._drop(line)
            await self.admission.give_up(line, fault)
        else:
            await self._begin(key, line)

    async def _quiet(self, line: Line) -> None:
        """Wait until no more is to be expected."""
        while 0 < (wait := line.draft.due(self.patience) - self.clock()) < inf:
            line.wake.clear()
            await _until(line.wake.wait(), wait)

    async def _ask_again(self, key: Key, line: Line) -> None:
        refusal = await self.admission.ask_for_words(line)
        if refusal is not None and line.task is None and self._lines.get(key) is line:
            del self._lines[key]
            await self.admission.end(line, refusal)

    def _begin_soon(self, key: Key, line: Line) -> None:
        self._drop(line)
        line.task = self.tasks.spawn(self._begin(key, line), "request")

    async def _begin(self, key: Key, line: Line) -> None:
        self._drop(line)
        self._begun.append((key, line))
        try:
            await self.admission.begin(line)
        finally:
            self._begun.remove((key, line))

    def _drop(self, line: Line) -> None:
        """Nothing joins it any more."""
        for key in [key for key, other in self._lines.items() if other is line]:
            del self._lines[key]


async def _both(*work: Coroutine[Any, Any, None]) -> None:
    """At once; cancelled, it ends when both have, while `asyncio.gather` leaves the slower one behind."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from faults


async def _until(event: Awaitable[object], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event
    except TimeoutError:
        return


def _key(part: Part) -> Key:
    return part.said.chat, part.said.sender.id


def _moved(part: Part, chat: ChatRef) -> Part:
    message = part.said.message and MessageRef(chat, part.said.message.message)
    return replace(part, said=replace(part.said, chat=chat, message=message))
