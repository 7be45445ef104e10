"""Whatever fails at whichever call to Telegram: one answer, no file twice, nothing lost unsaid."""

import pytest

from bot.settings import Settings
from tests.bot.telegram.whole import (
    ACK,
    ALBUM,
    ALL,
    ANSWER,
    CALLS,
    DOUBT,
    EYES,
    FILE,
    FILL,
    HEAD,
    HEADLINE,
    LONG_ANSWER,
    LOST,
    NOTE,
    PAGE,
    POLL,
    PROGRESS,
    At,
    ask,
    check,
    names,
    open_whole,
    resend,
    shown,
)
from tests.fakes.botapi import SERVER_ERROR, BotApi, Cut, Fault, Flood, Hang, HtmlPage, LiveChat, Moment

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


@pytest.fixture
def chat(server: BotApi) -> LiveChat:
    return server.private(server.person(7, "Ann", language_code="en"))


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
            await resend(chat, at.files, there=applied)
