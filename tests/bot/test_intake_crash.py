"""A kill at any moment between a message and its run leaves what the next start makes exactly one run of."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bot.settings import Settings
from storage.records import RunStatus
from tests.bot.fakes import FakeAccess, FakeChat
from tests.bot.line import Line, open_line


class Killed(BaseException):
    """No handler of ours catches it, and none gets anything done afterwards."""


@dataclass
class Killer:
    left: int
    """Moments to live: the beginnings and ends of all that reaches the disk or the chat."""
    dead: bool = False

    def moment(self) -> None:
        self.dead = self.dead or self.left <= 0
        if self.dead:
            raise Killed
        self.left -= 1

    def around(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def called(*args: Any, **facts: Any) -> Any:
            self.moment()
            result = await call(*args, **facts)
            self.moment()
            return result

        return called


def endanger(line: Line, killer: Killer) -> None:
    for target, names in (
        (line.app.store.database, ("read", "write")),
        (line.agent.runs._database, ("read", "write")),
        (line.chat, ("post", "edit", "react")),
    ):
        for name in names:
            setattr(target, name, killer.around(getattr(target, name)))


async def live(settings: Settings, chat: FakeChat, killer: Killer) -> None:
    async with open_line(settings, chat, FakeAccess()) as line:
        line.app.dispatcher.owner = replace(line.app.dispatcher.owner, started=1)  # a process of its own
        endanger(line, killer)
        try:
            await line.tell(line.said("", line.file("a.csv"), number=1), line.said("look at it", number=2))
            await line.app.dispatcher.idle()
        except Killed:
            pass
        killer.dead = True


@pytest.mark.parametrize("first", range(4))
async def test_a_kill_at_any_moment_leaves_exactly_one_run(
    tmp_path: Path, empty_database: Path, first: int
) -> None:
    moment, lived = first * 2, False
    while not lived:
        data = tmp_path / str(moment)
        data.mkdir()
        shutil.copy(empty_database, data)
        settings = Settings(deckhand_data=data, deckhand_max_upload_mb=1, deckhand_max_input_mb=2)
        chat, killer = FakeChat(), Killer(moment)
        await live(settings, chat, killer)
        lived = killer.left > 0
        surviving = FakeChat(messages=dict(chat.messages), uploads=chat.uploads)
        async with open_line(settings, surviving, FakeAccess()) as line:
            await line.app.dispatcher.recover()
            await line.intake.recover()
            # What the platform was not told that we have, it tells again.
            await line.tell(line.said("", line.file("a.csv"), number=1), line.said("look at it", number=2))
            runs = await line.finished()
            assert [(run.request, run.status, len(run.inputs)) for run in runs] == [
                ("look at it", RunStatus.FINISHED, 1)
            ], f"killed at {moment}"
            assert await line.waits() == 0
        moment += 8
    assert moment > 40  # it was killed at many
