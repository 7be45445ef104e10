"""What Telegram does not let us do, and what comes of it: told with its reason, kept, and had by /resend."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.settings import Settings
from storage.records import RunStatus
from tests.bot.telegram.whole import (
    ACK,
    ALBUM,
    ALL,
    ANSWER,
    DOCUMENT,
    DOUBT,
    DOWNLOAD,
    FILE,
    FILL,
    HEAD,
    HEADLINE,
    LOOKUP,
    LOST,
    NOTE,
    PICTURES,
    PROGRESS,
    SETTLE,
    SPEED,
    At,
    ask,
    check,
    names,
    open_whole,
    resend,
    shown,
    strike,
)
from tests.conftest import until
from tests.fakes.botapi import (
    SERVER_ERROR,
    BotApi,
    Call,
    Cut,
    Fault,
    Flood,
    Hang,
    LiveChat,
    Person,
    Refusal,
    Slow,
)

SAME = "Bad Request: message is not modified: the new content and reply markup are exactly the same"


@pytest.fixture
def ann(server: BotApi) -> Person:
    return server.person(7, "Ann", language_code="en")


@pytest.fixture
def chat(server: BotApi, ann: Person) -> LiveChat:
    return server.private(ann)


def delete(chat: LiveChat) -> Callable[[Call], Awaitable[None]]:
    return lambda call: chat.delete(chat.posts[call.params["message_id"]])


@pytest.mark.parametrize("at", [PROGRESS, SETTLE, FILL], ids=lambda at: at.name)
async def test_a_message_that_somebody_deleted_is_posted_anew_once(
    settings: Settings, server: BotApi, chat: LiveChat, at: At
) -> None:
    strike(server, at, delete(chat))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await whole.begun()
        await whole.shown()
        await check(whole, chat)
    assert [shown(chat, words) for words in (ANSWER, "✓ Done", HEADLINE)] == [1, 1, 0]
    assert names(chat) == ALL


@pytest.mark.parametrize("at", [ACK, HEAD, ALBUM, FILE], ids=lambda at: at.name)
async def test_an_answer_to_a_message_that_is_gone_comes_without_the_reply(
    settings: Settings, server: BotApi, chat: LiveChat, at: At
) -> None:
    strike(server, at, lambda call: chat.delete(next(post for post in chat.messages if post.text)))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await check(whole, chat)
    assert (shown(chat, ANSWER), names(chat)) == (1, ALL)


@pytest.mark.parametrize("at", [HEAD, FILL, ALBUM, FILE], ids=lambda at: at.name)
async def test_who_blocks_the_bot_meanwhile_gets_all_of_it_later(
    settings: Settings, server: BotApi, chat: LiveChat, at: At
) -> None:
    strike(server, at, lambda call: chat.block())
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await check(whole, chat)
        before = len(server.calls)
        await chat.unblock()
        await resend(chat, tuple(ALL))
        await chat.until(lambda chat: shown(chat, ANSWER) == 1)
        assert sum(call.code == 403 for call in server.calls[before:]) == 0
    assert (shown(chat, ANSWER), names(chat)) == (1, ALL)


async def test_who_blocks_the_bot_at_once_stops_the_run_and_may_come_back(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    strike(server, PROGRESS, lambda call: chat.block())
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await until(lambda: whole.agent.cancelled, seconds=20)
        assert (await whole.end()).status is RunStatus.CANCELLED
        await chat.unblock()
        await ask(chat)
        await chat.until(lambda chat: shown(chat, ANSWER) == 1)
        await chat.until(lambda chat: names(chat) == ALL)


@pytest.mark.parametrize("at", [HEAD, ALBUM], ids=lambda at: at.name)
async def test_a_group_that_takes_the_bot_back_gets_what_was_made(
    settings: Settings, server: BotApi, ann: Person, at: At
) -> None:
    group = server.group("Sales", [ann])
    strike(server, at, lambda call: group.kick_bot())
    async with open_whole(settings, server) as whole:
        await ask(group, "@deckhand_bot explore this data")
        await check(whole, group)
        await group.add_bot()
        await resend(group, tuple(ALL))
        await group.until(lambda chat: shown(chat, ANSWER) == 1)


@pytest.mark.parametrize("at", [HEAD, FILL, ALBUM, FILE], ids=lambda at: at.name)
async def test_what_a_closed_topic_did_not_take_comes_when_it_is_open_again(
    settings: Settings, server: BotApi, ann: Person, at: At
) -> None:
    group = server.group("Sales", [ann], forum=True)
    topic = await group.topic("Numbers")
    strike(server, at, lambda call: group.close_topic(topic))
    async with open_whole(settings, server) as whole:
        await group.send(
            [("data.csv", b"a,b\n1,2\n", "text/csv")], "@deckhand_bot explore this data", topic=topic
        )
        await check(whole, group)
        topic.closed = False
        await group.say("/resend@deckhand_bot", topic=topic)
        await group.until(lambda chat: names(chat) == ALL and shown(chat, ANSWER) == 1)


async def test_a_topic_that_is_deleted_ends_the_delivery_and_nothing_else(
    settings: Settings, server: BotApi, ann: Person
) -> None:
    group = server.group("Sales", [ann], forum=True)
    topic = await group.topic("Numbers")
    strike(server, HEAD, lambda call: group.delete_topic(topic))
    async with open_whole(settings, server) as whole:
        await group.send(
            [("data.csv", b"a,b\n1,2\n", "text/csv")], "@deckhand_bot explore this data", topic=topic
        )
        await check(whole, group)
        await ask(group, "@deckhand_bot explore this data")
        await group.until(lambda chat: names(chat) == ALL and shown(chat, ANSWER) == 1)


@pytest.mark.parametrize(
    ("kind", "files"), [("photos", PICTURES), ("documents", (DOCUMENT,))], ids=["photos", "documents"]
)
async def test_files_that_a_group_does_not_allow_are_kept_and_it_reads_why(
    settings: Settings, server: BotApi, ann: Person, kind: str, files: tuple[str, ...]
) -> None:
    group = server.group("Sales", [ann])
    async with open_whole(settings, server) as whole:
        await ask(group, "@deckhand_bot explore this data")
        await whole.begun()
        group.restrict(**{kind: False})
        await check(whole, group)
        assert shown(group, "An admin of the group can allow it. They are kept. /resend tries again.") == 1
        assert shown(group, ANSWER) == 1
        assert names(group) == sorted(set(ALL) - set(files))
        group.restrict()
        await resend(group, files)
    assert names(group) == ALL


@pytest.mark.parametrize("at", [ACK, PROGRESS, SETTLE, HEAD, FILL, ALBUM, FILE, NOTE], ids=lambda at: at.name)
async def test_a_group_that_becomes_a_supergroup_meanwhile_gets_each_thing_once(
    settings: Settings, server: BotApi, ann: Person, at: At
) -> None:
    group = server.group("Sales", [ann], basic=True)
    new: list[LiveChat] = []

    async def migrate(call: Call) -> None:
        new.append(await group.migrate())

    strike(server, at, migrate)
    async with open_whole(settings, server) as whole:
        await ask(group, "@deckhand_bot explore this data")
        await whole.begun()
        await whole.shown()
        await check(whole, group, *new)
        assert sum(shown(chat, ANSWER) for chat in (group, *new)) == 1
        assert sorted([*names(group), *names(new[0])]) == ALL


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (PROGRESS, SAME),
        (SETTLE, SAME),
        (FILL, "Bad Request: can't parse entities: unsupported start tag"),
        (FILL, "Bad Request: MESSAGE_TOO_LONG"),
        (FILL, "Bad Request: message is too long"),
        (ALBUM, "Bad Request: PHOTO_INVALID_DIMENSIONS"),
        (ALBUM, "Bad Request: IMAGE_PROCESS_FAILED"),
    ],
    ids=lambda value: value.name if isinstance(value, At) else value[13:30],
)
async def test_what_can_be_said_otherwise_is_said_otherwise(
    settings: Settings, server: BotApi, chat: LiveChat, at: At, words: str
) -> None:
    server.faults.add(at.method, Refusal(400, words), about=at.about)
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await whole.begun()
        await whole.shown()
        await check(whole, chat)
    assert (shown(chat, ANSWER), shown(chat, HEADLINE)) == (1, 0)
    assert sorted(file.name for file in (*chat.documents, *chat.photos)) == ALL or names(chat) == ALL


async def test_a_document_that_is_too_big_is_named_and_kept(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    server.faults.add("sendDocument", Refusal(413, "Request Entity Too Large"))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await check(whole, chat)
        assert shown(chat, f"“{DOCUMENT}” could not be handed over: Telegram takes files of up to 50 MB") == 1
        await resend(chat, (DOCUMENT,))


@pytest.mark.parametrize(
    ("at", "fault", "words"),
    [
        (LOOKUP, Refusal(400, "Bad Request: file is too big"), "20 MB"),
        (LOOKUP, Refusal(400, "Bad Request: invalid file_id"), "does not have it any more"),
        (DOWNLOAD, Refusal(404, "Not Found"), "does not have it any more"),
    ],
    ids=["too big", "unknown", "gone"],
)
async def test_a_file_that_telegram_does_not_hand_over_is_told_and_no_run_begins(
    settings: Settings, server: BotApi, chat: LiveChat, at: At, fault: Fault, words: str
) -> None:
    server.faults.add(at.method, fault)
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await chat.until(lambda chat: shown(chat, words) == 1, seconds=20)
        await until(lambda: not whole.app.intake.tasks._running)
        assert not await whole.app.intake.inbox.waiting()
        assert not await whole.app.store.runs.list()


async def test_a_download_that_takes_its_time_ends_when_nobody_wants_it(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    server.faults.add("file", Slow(600))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await until(lambda: server.called("file"), seconds=20)
        await chat.say("/cancel")
        await chat.until(lambda chat: shown(chat, "Stopped before it began") == 1, seconds=20)
        assert not await whole.app.store.runs.list()
        await until(lambda: not whole.app.intake.tasks._running)
        assert not await whole.app.intake.inbox.waiting()


@pytest.mark.parametrize("at", [PROGRESS, HEAD, FILL, ALBUM, FILE], ids=lambda at: at.name)
async def test_a_pause_is_kept_to_the_second_by_its_chat_and_by_no_other(
    settings: Settings, server: BotApi, chat: LiveChat, at: At
) -> None:
    pause, told = 100, ("sendMessage", "editMessageText", "sendMediaGroup", "sendDocument")
    server.faults.add(at.method, Flood(pause), about=at.about, chat=chat.id)
    other = server.private(server.person(8, "Ben", language_code="en"))
    async with open_whole(settings, server) as whole:
        if at is not PROGRESS:  # a run that is over at once shows no frame
            whole.agent.gate.set()
        await ask(chat)
        await until(lambda: any(call.fault for call in server.calls), seconds=20)
        whole.agent.gate.set()
        await ask(other)
        await ask(chat, "And now the second")
        await until(lambda: len(whole.agent.began) == 3, seconds=20)
        await other.until(lambda chat: names(chat) == ALL and shown(chat, ANSWER) == 1, seconds=20)
        await chat.until(lambda chat: names(chat) == sorted(ALL * 2) and shown(chat, ANSWER) == 2, seconds=30)
        async with asyncio.timeout(30):
            await whole.app.dispatcher.idle()
    first = next(call for call in server.calls if call.fault)
    again = next(
        call for call in server.calls if call.at > first.at and call.chat == chat.id and call.method in told
    )
    assert again.at - first.at >= pause / SPEED
    between = [call for call in server.calls if first.at < call.at < again.at and call.chat == other.id]
    assert between, "the other chat waited too"


async def test_a_rival_is_noticed_and_what_is_said_meanwhile_is_heard(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    conflict = Refusal(409, "Conflict: terminated by other getUpdates request")
    server.faults.add("getUpdates", conflict, times=3)
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await check(whole, chat)
        assert whole.telegram.has_rival
    assert shown(chat, ANSWER) == 1


async def test_a_server_that_is_away_at_the_start_and_at_the_end_delays_and_loses_nothing(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    await server.down()
    async with open_whole(settings, server) as whole:
        await asyncio.sleep(0.1)
        await ask(chat)
        await server.up()
        await whole.begun()
        await whole.shown()
        await server.down()
        whole.agent.gate.set()
        await asyncio.sleep(0.3)
        await server.up()
        await check(whole, chat)
    assert (shown(chat, ANSWER), shown(chat, "✓ Done"), names(chat)) == (1, 1, ALL)


@pytest.mark.parametrize(
    "fault",
    [
        SERVER_ERROR,
        Flood(60),
        Cut(),
        Refusal(400, "Bad Request: query is too old and response timeout expired"),
    ],
    ids=["error", "flood", "cut", "too old"],
)
async def test_a_press_that_cannot_be_answered_changes_nothing(
    settings: Settings, server: BotApi, chat: LiveChat, fault: Fault
) -> None:
    server.faults.add("answerCallbackQuery", fault)
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await whole.begun()
        await whole.shown()
        await chat.press(chat.answers[-1], "forged", anyway=True)
        await until(lambda: server.called("answerCallbackQuery"), seconds=20)
        await check(whole, chat)
    assert (shown(chat, ANSWER), names(chat)) == (1, ALL)


async def test_a_stop_in_the_middle_of_an_upload_lets_it_arrive_and_the_next_start_sends_the_rest(
    settings: Settings, server: BotApi, chat: LiveChat
) -> None:
    server.faults.add("sendMediaGroup", Slow(0.5))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await whole.begun()
        whole.agent.gate.set()
        await until(lambda: server.called("sendMediaGroup"), seconds=20)
        whole.app.stopping.set()
    assert names(chat) == sorted(PICTURES)
    async with open_whole(settings, server):
        await chat.until(lambda chat: names(chat) == ALL and shown(chat, LOST) == 1, seconds=20)
    assert (shown(chat, ANSWER), shown(chat, DOUBT)) == (1, 0)


@pytest.mark.parametrize("applied", [False, True], ids=["lost", "arrived"])
async def test_after_a_crash_in_the_middle_of_an_upload_no_file_is_doubled_and_the_chat_reads_of_it(
    settings: Settings, server: BotApi, chat: LiveChat, applied: bool
) -> None:
    """An upload that outlasts the last seconds of a stop is cut short like one of a process that dies."""
    server.faults.add("sendMediaGroup", Hang(applied=applied))
    async with open_whole(settings, server) as whole:
        await ask(chat)
        await whole.begun()
        whole.agent.gate.set()
        await until(lambda: server.called("sendMediaGroup"), seconds=20)
        whole.app.stopping.set()
    async with open_whole(settings, server):
        await chat.until(lambda chat: shown(chat, DOUBT) == 1, seconds=20)
        assert names(chat) == (ALL if applied else [DOCUMENT])
        await resend(chat, PICTURES, there=applied)
    assert (shown(chat, ANSWER), shown(chat, DOUBT), names(chat).count(DOCUMENT)) == (1, 1, 1)
