"""Whatever fails at whichever call to Telegram: one answer, no file twice, nothing lost unsaid."""

from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.telemetry import open_log
from storage.records import RunStatus
from tests.bot.telegram.whole import (
    ANSWER,
    DOCUMENT,
    LOST,
    PICTURES,
    WORKING,
    Whole,
    names,
    open_whole,
    texts,
)
from tests.fakes.botapi import (
    SERVER_ERROR,
    BotApi,
    Cut,
    Fault,
    Flood,
    Hang,
    HtmlPage,
    LiveChat,
    Moment,
)

LONG_ANSWER = "\n\n".join(f"{number}. {'word ' * 60}" for number in range(20)) + "\n\nThe end."
"""Two messages."""
ALL = sorted((*PICTURES, DOCUMENT))
DOUBT = "The connection broke off"
HEADLINE = "Your answer is ready."


@dataclass(frozen=True)
class At:
    """One call of a whole conversation: its method, and words that only it has."""

    name: str
    method: str
    about: str = ""
    files: tuple[str, ...] = ()
    """What it carries."""
    page: bool = False
    """It is one of a long answer."""

    @property
    def repeatable(self) -> bool:
        return not (self.files or self.page or self.name == "note")


ACK = At("acknowledgement", "sendMessage", "Got it.")
PROGRESS = At("progress", "editMessageText", WORKING)
SETTLE = At("last frame", "editMessageText", "✓ Done")
HEAD = At("headline", "sendMessage", HEADLINE)
FILL = At("answer", "editMessageText", ANSWER)
PAGE = At("page", "sendMessage", "The end.", page=True)
ALBUM = At("album", "sendMediaGroup", files=PICTURES)
FILE = At("document", "sendDocument", files=(DOCUMENT,))
NOTE = At("note", "sendMessage", LOST)
EYES = At("reaction", "setMessageReaction")
LOOKUP = At("lookup", "getFile")
DOWNLOAD = At("download", "file")
POLL = At("poll", "getUpdates")
CALLS = (ACK, EYES, LOOKUP, DOWNLOAD, PROGRESS, SETTLE, HEAD, FILL, PAGE, ALBUM, FILE, NOTE, POLL)

CLEAR: dict[str, Fault] = {"flood": Flood(20), "error": SERVER_ERROR, "page": HtmlPage(502)}
"""It has not happened, for certain."""
DOUBTFUL: dict[str, Fault] = {
    "cut, not applied": Cut(Moment.BEFORE_ANSWER),
    "cut, applied": Cut(Moment.BEFORE_ANSWER, applied=True),
    "cut in the answer": Cut(Moment.IN_ANSWER, applied=True),
}
HANGING: dict[str, Fault] = {"hangs, not applied": Hang(), "hangs, applied": Hang(applied=True)}
CUT = Cut(Moment.IN_REQUEST)

CASES = [
    *((at, name, fault) for at in CALLS for name, fault in (CLEAR | DOUBTFUL).items()),
    *((at, name, fault) for at in (ACK, PROGRESS, HEAD, FILL, PAGE, FILE) for name, fault in HANGING.items()),
    *((At(at.name, at.method, "", at.files), "cut in the request", CUT) for at in (ACK, EYES, ALBUM, FILE)),
    (At(PROGRESS.name, PROGRESS.method), "cut in the request", CUT),
]


@pytest.fixture(autouse=True)
def log(tmp_path: Path, server: BotApi) -> Generator[Path]:
    """Nothing hides the token in it: it must not get there."""
    path = tmp_path / "faults.log"
    with open_log(path, level="DEBUG"):
        yield path
    assert server.token not in path.read_text("utf-8")


@pytest.fixture
def chat(server: BotApi) -> LiveChat:
    return server.private(server.person(7, "Ann", language_code="en"))


@pytest.fixture
async def whole(settings: Settings, server: BotApi) -> AsyncGenerator[Whole]:
    async with open_whole(settings, server) as opened:
        yield opened


async def ask(chat: LiveChat) -> None:
    await chat.send([("data.csv", b"a,b\n1,2\n", "text/csv")], "Explore this data")


def shown(chat: LiveChat, words: str) -> int:
    return sum(words in text for text in texts(chat))


async def check(whole: Whole, chat: LiveChat) -> None:
    """What holds after every conversation."""
    run = await whole.end()
    entries = await whole.sent(run)
    assert run.status is RunStatus.FINISHED
    assert whole.agent.began == [run.id], "the run was begun again"
    assert run.delivered_at is not None
    assert all(entry.state.is_final for entry in entries)
    assert shown(chat, "The end." if whole.agent.answer == LONG_ANSWER else ANSWER) <= 1
    assert len(names(chat)) == len(set(names(chat))), names(chat)
    broken = [call for call in whole.server.refused() if "not modified" not in call.description]
    assert not broken, broken


async def resend(whole: Whole, chat: LiveChat, missing: tuple[str, ...], *, there: bool) -> None:
    """`there`: they had arrived, and nobody could know."""
    await chat.say("/resend")
    await chat.until(lambda chat: all(names(chat).count(name) == 1 + there for name in missing), seconds=20)


@pytest.mark.parametrize(("at", "name", "fault"), CASES, ids=[f"{at.name}-{name}" for at, name, _ in CASES])
async def test_a_fault_of_one_call_loses_and_doubles_nothing(
    settings: Settings, server: BotApi, chat: LiveChat, at: At, name: str, fault: Fault
) -> None:
    patience = 2.0 if isinstance(fault, Hang) else 30.0
    answer = LONG_ANSWER if at.page else ANSWER
    async with open_whole(settings, server, patience=patience, answer=answer) as whole:
        if at is not POLL:
            server.faults.add(at.method, fault, about=at.about)
        else:
            server.faults.add(at.method, fault, times=3)
        await ask(chat)
        await whole.begun()
        await whole.shown()
        await check(whole, chat)
        assert any(call.fault is fault for call in server.calls), "the fault did not happen"

        doubtful = not at.repeatable and name not in CLEAR
        applied = getattr(fault, "applied", False)
        missing = at.files if doubtful and not applied else ()
        assert names(chat) == sorted(set(ALL) - set(missing))
        assert shown(chat, DOUBT) == (doubtful and at is not NOTE)
        assert shown(chat, "The end." if at.page else ANSWER) == (not at.page or not doubtful or applied)
        assert shown(chat, "✓ Done") == 1
        assert shown(chat, HEADLINE) == (at is HEAD and applied), "more than the headline that may double"
        assert shown(chat, LOST) == (at is not NOTE or not doubtful or applied)
        assert shown(chat, "Got it.") == (at.name == ACK.name and applied)
        if doubtful and at.files:
            await resend(whole, chat, at.files, there=applied)
