from collections.abc import AsyncGenerator

import pytest

from bot.buttons import Action
from bot.chat import Attachment, ChatRef, Joined, Left, MessageKind, Moved, Press
from bot.errors import ChatError, ChatGone, ChatRefused, ChatUnreachable, FileRefused, Refused
from bot.gateway import MAX_FILES
from bot.intake.wire import to_record
from bot.settings import Settings
from storage.errors import StorageUnavailable
from storage.records import RunStatus
from tests.bot.fakes import ANN, HERE, FakeAccess, FakeChat
from tests.bot.line import BEN, GROUP, Line, busy, kill, open_line


@pytest.fixture
async def line(settings: Settings) -> AsyncGenerator[Line]:
    async with open_line(settings, FakeChat(), FakeAccess()) as opened:
        yield opened


async def test_a_request_is_acknowledged_and_its_receipt_becomes_the_progress_message(
    line: Line,
) -> None:
    said = await line.say("What is in it?", line.file("a.csv"))
    (run,) = await line.finished()
    assert line.chat.seen == [said.message]
    assert line.chat.messages[run.progress_message or ""][0].text == "Got it."
    assert (run.sender, run.request_message) == ("ann", said.message and said.message.message)
    assert [item.name for item in run.inputs] == ["a.csv"]
    assert line.chat.last[-1].kind is MessageKind.ANSWER
    assert await line.waits() == 0


async def test_what_is_told_twice_is_done_once(line: Line) -> None:
    said = line.said("hello")
    await line.tell(said, said)
    again = line.said("hello", number=int(said.message.message) if said.message else 0)
    await line.tell(again)  # the platform has begun to count its events anew
    assert len(await line.finished()) == 1


async def test_an_album_is_one_request_with_its_caption_used_once(line: Line) -> None:
    parts = [
        line.said("compare" if number == 4 else "", line.file(f"{number}.png"), batch="b", number=number)
        for number in (7, 3, 9, 4, 1, 5, 2, 8, 6, 10)
    ]
    await line.tell(*parts)
    (run,) = await line.finished()
    assert run.request == "compare"
    assert [item.original for item in run.inputs] == [f"{number}.png" for number in range(1, 11)]
    assert len(line.chat.seen) == 1


async def test_loose_files_and_the_words_after_them_are_one_request(line: Line) -> None:
    await line.tell(
        line.said("", line.file("a.csv")), line.said("", line.file("b.csv")), line.said("which is better?")
    )
    (run,) = await line.finished()
    assert [item.name for item in run.inputs] == ["a.csv", "b.csv"]


async def test_a_file_alone_is_asked_about_and_waits_for_the_words(line: Line) -> None:
    await line.say("", line.file("a.csv"))
    assert line.chat.texts[0].startswith("I have a.csv.")
    assert [button.text for row in line.chat.last[0].buttons for button in row] == [
        "Overview",
        "Slide deck",
        "Report",
        "Just look",
    ]
    assert await line.runs() == []
    assert await line.waits() == 1
    await line.say("", line.file("b.csv"))
    assert len(line.chat.messages) == 1
    await line.say("make a deck")
    (run,) = await line.finished()
    assert [item.name for item in run.inputs] == ["a.csv", "b.csv"]
    assert await line.waits() == 0


async def test_somebody_elses_words_do_not_take_the_files_along(line: Line) -> None:
    await line.say("", line.file("a.csv"), chat=GROUP)
    await line.say("hello", by=BEN, chat=GROUP)
    (run,) = await line.finished()
    assert run.inputs == ()
    assert await line.waits() == 1


async def test_a_button_says_what_the_files_are_for(line: Line) -> None:
    await line.say("", line.file("a.csv"))
    data = line.chat.button("Report")
    assert await line.press(data, by=BEN) == "Only the person who asked can do that."
    assert await line.press(data) == "On it."
    assert await line.press(data) == "That is over already."
    (run,) = await line.finished()
    assert run.request.startswith("Write a report")
    assert len(run.inputs) == 1
    assert await line.waits() == 0


async def test_new_puts_files_that_wait_aside(line: Line) -> None:
    await line.say("", line.file("a.csv"))
    await line.say("/new")
    assert line.chat.texts[0].startswith("These files are put aside.")
    await line.say("hello")
    (run,) = await line.finished()
    assert run.inputs == ()


async def test_a_kind_of_file_that_we_do_not_take_is_refused_by_name_and_the_others_go_on(line: Line) -> None:
    await line.say("", line.file("setup.exe"))
    assert line.chat.texts == [
        "I cannot work with setup.exe. I take tables (csv, tsv, xlsx, xls, ods, json, jsonl, parquet), "
        "documents (txt, md, docx, pdf, pptx), pictures and .zip files."
    ]
    assert await line.waits() == 0
    await line.say("look", line.file("clip.mp4"), line.file("a.csv"))
    (run,) = await line.finished()
    assert [item.name for item in run.inputs] == ["a.csv"]
    assert "I go on without clip.mp4, since I cannot work with files of that kind." in line.chat.texts


async def test_words_that_come_while_their_file_is_refused_are_a_request(line: Line) -> None:
    async def meanwhile(seconds: float) -> None:
        del seconds
        await line.intake.receive(line.said("then tell me a joke"))

    line.intake.requests.admission.sleep = meanwhile
    line.chat.trouble = [ChatUnreachable("down")] * 2
    await line.say("", line.file("setup.exe"))
    (run,) = await line.finished()
    assert run.request == "then tell me a joke"
    assert any(text.startswith("I cannot work with setup.exe.") for text in line.chat.texts)
    assert await line.waits() == 0


async def test_85_a_thousand_files_get_one_clear_refusal(line: Line) -> None:
    files = [line.said("", line.file(f"{number}.csv")) for number in range(1000)]
    for file in files:
        await line.intake.receive(file)
    await line.intake.tasks.idle()
    assert line.chat.texts == [
        f"That is more than {MAX_FILES} files at once. Please send fewer, or put them into a .zip."
    ]
    assert await line.waits() == 0


async def test_a_platform_that_fails_for_a_while_is_waited_for(line: Line) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    line.app.gateway.fetcher.sleep = sleep
    line.chat.fetch_trouble = [ChatUnreachable("502")] * 3
    await line.say("look", line.file("a.csv"))
    (run,) = await line.finished()
    assert pauses == [1.0, 2.0, 4.0]
    assert len(run.inputs) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (FileRefused("a.csv", "file-too-big-there"), "did not reach me"),
        (FileRefused("a.csv", "file-unreadable"), "I could not read “a.csv”."),
        (ChatError("odd"), "I could not read “a.csv”."),
    ],
)
async def test_a_file_that_the_platform_keeps_ends_the_request_with_its_reason(
    line: Line, fault: Exception, words: str
) -> None:
    line.chat.fetch_trouble = [fault]
    await line.say("look", line.file("a.csv"))
    assert words in line.chat.texts[0]
    assert await line.runs() == []
    assert await line.waits() == 0


async def test_a_second_request_in_a_busy_chat_says_its_place_and_can_be_cancelled(
    line: Line,
) -> None:
    await busy(line)
    await line.say("second")
    await line.say("third")
    _, second, third = await line.runs()
    assert line.shown(second).text == "Got it. One other run comes first, then yours."
    assert line.shown(third).text == "Got it. 2 other runs come first, then yours."
    cancel = line.shown(second).buttons[0][0].data
    assert await line.press(cancel, by=BEN) == "Only the person who asked can do that."
    assert await line.press(cancel) == "Cancelling…"
    await line.app.dispatcher.outcome(second.id)
    await line.intake.tasks.idle()
    assert await line.press(cancel) == "That is over already."
    assert line.shown(third).text == "Got it. One other run comes first, then yours."
    assert line.agent.gate is not None
    line.agent.gate.set()
    first, cancelled, third = await line.finished()
    assert (first.status, third.status) == (RunStatus.FINISHED, RunStatus.FINISHED)
    assert cancelled.status is RunStatus.CANCELLED


async def test_more_requests_than_may_wait_are_refused_and_so_is_who_has_had_enough(line: Line) -> None:
    await busy(line)
    for number in range(6):
        await line.say(f"request {number}")
    assert line.chat.texts[-1].startswith("5 requests are waiting here already.")
    line.access.refusal = Refused("queue-full", limit=1)
    await line.say("elsewhere", chat=ChatRef("fake", "8"))
    assert line.chat.texts[-1].startswith("One request is waiting here already.")
    assert len(await line.runs()) == 6


async def test_commands_never_wait_and_never_join_a_request(line: Line) -> None:
    await busy(line)
    await line.tell(line.said("", line.file("a.csv")), line.said("/status"), line.said("look"))
    assert any("keep busy" in text for text in line.chat.texts), line.chat.texts
    assert (await line.runs())[-1].request == "look"
    await line.say("/cancel")
    first, second = await line.finished()
    assert (first.status, second.status) == (RunStatus.CANCELLED, RunStatus.CANCELLED)


async def test_cancel_stops_a_request_that_has_not_become_a_run(line: Line) -> None:
    line.intake.requests.patience = line.intake.requests.patience.__class__(files=1.0, text=0.1, most=2.0)
    await line.tell(line.said("look"), line.said("/cancel"))
    assert "Stopped before it began. Nothing is kept of it." in line.chat.texts
    assert await line.runs() == []
    assert await line.waits() == 0


async def test_again_does_the_last_request_with_a_new_file(line: Line) -> None:
    await line.say("/again")
    assert line.chat.texts == ["There is no earlier request of yours here. Please say what you want to have."]
    await line.say("Chart it", line.file("a.csv"))
    await line.finished()
    await line.say("/again")
    assert line.chat.texts[-1].startswith("Send the new file first")
    await line.say("", line.file("b.csv"))
    await line.say("/again")
    await line.say("/again", line.file("c.csv"))
    _, waiting, caption = await line.finished()
    assert [run.request for run in (waiting, caption)] == ["Chart it", "Chart it"]
    assert waiting.inputs[0].name == "b.csv"
    assert caption.inputs[0].name == "c.csv"
    assert await line.waits() == 0


async def test_in_a_group_only_what_is_meant_for_us_counts(line: Line) -> None:
    await line.say("lunch?", chat=GROUP, addressed=False)
    await line.say("", line.file("menu.pdf"), chat=GROUP, addressed=False, batch="m")
    assert await line.waits() == 0
    assert line.chat.messages == {}
    await line.tell(
        line.said("", line.file("a.csv"), chat=GROUP, addressed=False, batch="b"),
        line.said("", line.file("x.csv"), chat=GROUP, addressed=False, batch="b", by=BEN),
        line.said("compare", line.file("b.csv"), chat=GROUP, batch="b"),
        line.said("", line.file("c.csv"), chat=GROUP, addressed=False, batch="b"),
    )
    (run,) = await line.finished()
    assert [item.name for item in run.inputs] == ["a.csv", "b.csv", "c.csv"]


async def test_strangers_get_one_polite_line_and_nothing_of_theirs_is_kept(line: Line) -> None:
    line.access.strangers = {"ann"}
    await line.say("hello", line.file("a.csv"))
    await line.say("hello?")
    await line.say("edited", edited=True)
    assert line.chat.texts == [
        "I work for people whom my admin has let in. They hear that you are here; nothing of your message was"
        " kept."
    ]
    assert await line.press("x") == ""
    line.access.denied = {"ben"}
    await line.say("hello", by=BEN)
    assert len(line.chat.messages) == 1
    assert await line.runs() == []
    assert await line.waits() == 0


async def test_the_code_makes_a_stranger_an_admin_in_private_only(line: Line) -> None:
    line.access.strangers, line.access.code = {"ann"}, "s3cret"
    await line.say("/start s3cret", chat=GROUP)
    assert line.access.admins == set()
    await line.say("/start s3cret")
    assert line.chat.texts[-1].startswith("You are my admin now.")
    await line.say("hello")
    assert len(await line.finished()) == 1


async def test_85_a_flood_is_hushed_but_can_be_cancelled(line: Line) -> None:
    await busy(line)
    for number in range(80):
        await line.intake.receive(line.said(f"word {number}"))
    await line.intake.receive(line.said("/cancel"))
    await line.intake.tasks.idle()
    assert len([text for text in line.chat.texts if text.startswith("That is a lot at once.")]) == 1
    assert all(run.status is RunStatus.CANCELLED for run in await line.finished())


async def test_a_group_of_somebody_who_is_no_admin_is_left_with_a_word(line: Line) -> None:
    await line.intake.receive(Joined(chat=GROUP, sender=BEN))
    await line.intake.tasks.idle()
    assert line.chat.texts == ["Only an admin of mine can add me to a group. Goodbye."]
    assert line.chat.abandoned == [GROUP]
    line.access.admins = {"ann"}
    await line.intake.receive(Joined(chat=ChatRef("fake", "-200"), sender=ANN))
    await line.intake.tasks.idle()
    assert line.chat.texts[-1].startswith("Hello.")
    assert line.chat.abandoned == [GROUP]


async def test_a_chat_that_is_gone_has_its_runs_stopped_and_keeps_nothing_waiting(line: Line) -> None:
    await busy(line)
    await line.say("", line.file("a.csv"), chat=ChatRef("fake", "7", "topic"))
    await line.intake.receive(Left(chat=HERE))
    await line.intake.tasks.idle()
    (run,) = await line.finished()
    assert run.status is RunStatus.CANCELLED
    assert await line.waits() == 0


async def test_a_chat_that_moves_takes_its_files_and_its_history_along(line: Line) -> None:
    topic, new = ChatRef("fake", "-100", "5"), ChatRef("fake", "-100777")
    await line.say("look", line.file("a.csv"), chat=topic)
    await line.finished()
    await line.say("", line.file("b.csv"), chat=topic)
    await line.intake.receive(Moved(chat=GROUP, to=new))
    assert line.access.moves == [("-100", "-100777")]
    await line.say("and now?", chat=ChatRef("fake", "-100777", "5"))
    first, second = await line.finished()
    assert first.conversation_id == second.conversation_id
    assert [item.name for item in second.inputs] == ["b.csv", "a.csv"]
    assert line.chat.places[list(line.chat.messages)[-1]].chat == "-100777"


async def test_a_reply_works_on_the_files_of_the_run_that_it_replies_to(line: Line) -> None:
    await line.say("look", line.file("a.csv", b"old"))
    (first,) = await line.finished()
    await line.say("look", line.file("a.csv", b"newer"))
    await line.finished()
    await line.say("and this?", reply_to=first.progress_message)
    await line.say("and now?")
    *_, reply, plain = await line.finished()
    assert [item.size for item in reply.inputs] == [3]
    assert [item.size for item in plain.inputs] == [3]


async def test_when_we_close_nothing_more_is_taken(line: Line) -> None:
    await line.intake.close()
    with pytest.raises(StorageUnavailable):
        await line.intake.receive(line.said("hello"))
    assert await line.waits() == 0


async def test_when_we_have_closed_nobody_reads_of_places_in_line(line: Line) -> None:
    await busy(line)
    await line.say("second")
    await line.say("third")
    (_, second, third) = await line.runs()
    line.agent.gate = None
    await line.intake.close()
    before = len(line.chat.messages[third.progress_message or ""])
    line.app.dispatcher.cancel(second.id)
    await line.app.dispatcher.outcome(second.id)
    await line.intake.tasks.idle()
    assert len(line.chat.messages[third.progress_message or ""]) == before


async def test_a_refusal_that_could_not_be_said_waits_for_the_next_start(line: Line) -> None:
    await line.intake.recover()
    line.intake.requests.admission.sleep = _no_sleep
    line.chat.trouble = [ChatUnreachable("down")] * 20
    await line.say("", line.file("setup.exe"))
    assert await line.waits() == 1
    line.chat.trouble = []
    await line.intake.recover()
    await line.intake.tasks.idle()
    assert line.chat.texts[0].startswith("I cannot work with setup.exe.")
    assert await line.waits() == 0


async def test_a_person_who_blocked_us_is_not_told_for_ever(line: Line) -> None:
    line.chat.trouble = [ChatGone("blocked")] * 3
    await line.say("", line.file("setup.exe"))
    assert await line.waits() == 0


async def _no_sleep(seconds: float) -> None:
    del seconds


async def test_a_request_after_a_restart_is_taken_up_once(settings: Settings) -> None:
    chat, access = FakeChat(), FakeAccess()
    async with open_line(settings, chat, access) as before:
        parts = [before.said("", before.file("a.csv")), before.said("look at it")]
        for said in parts:
            await before.intake.receive(said)
        await kill(before)
        assert await before.waits() == 2
    async with open_line(settings, chat, access) as after:
        for said in parts:
            await after.intake.receive(said)  # told again, since the platform does not know that we have it
        assert await after.waits() == 2
        await after.intake.recover()
        await after.intake.tasks.idle()
        (run,) = await after.finished()
        assert (run.request, [item.name for item in run.inputs]) == ("look at it", ["a.csv"])
        assert await after.waits() == 0


async def test_files_wait_for_words_and_buttons_over_a_restart_too(settings: Settings) -> None:
    chat, access = FakeChat(), FakeAccess()
    async with open_line(settings, chat, access) as before:
        await before.say("", before.file("a.csv"))
        await before.say("", before.file("b.csv"), by=BEN)
        edit = before.said("", before.file("c.csv"), chat=ChatRef("fake", "8"))
        await before.tell(edit)
    async with open_line(settings, chat, access) as after:
        await after.intake.recover()
        await after.intake.tasks.idle()
        assert len(chat.messages) == 3  # the receipts are edited, not posted again
        buttons = [message.buttons for message in chat.last]
        await after.press(buttons[0][0][1].data)
        await after.say("a report", by=BEN)
        anns, bens = await after.finished()
        assert (anns.request[:17], bens.request) == ("Make a slide deck", "a report")
        assert ([item.name for item in anns.inputs], bens.inputs[0].name) == (["a.csv"], "b.csv")


async def test_what_another_version_left_in_the_inbox_is_put_away(line: Line) -> None:
    await line.inbox.put("fake", "old", chat="7", kind="Dance", payload={"x": 1})
    await line.inbox.put("other", "theirs", chat="7", kind="Incoming", payload={})
    await line.intake.recover()
    (left,) = await line.inbox.waiting()
    assert left.platform == "other"


async def test_a_press_and_a_command_that_a_crash_interrupted_are_carried_out(line: Line) -> None:
    run = await busy(line)
    button = line.intake.presses.buttons.button(HERE, "x", Action.CANCEL, run.id)
    kind, payload = to_record(Press(chat=HERE, sender=ANN, data=button.data, handle="gone"))
    await line.inbox.put("fake", "p", chat="7", kind=kind, payload=payload)
    kind, payload = to_record(line.said("/help"))
    await line.inbox.put("fake", "c", chat="7", kind=kind, payload=payload)
    await line.intake.recover()
    await line.intake.tasks.idle()
    assert any(text.startswith("Send files and say") for text in line.chat.texts)
    (ended,) = await line.finished()
    assert ended.status is RunStatus.CANCELLED
    assert await line.waits() == 0


async def test_a_command_whose_answer_was_lost_is_not_obeyed_again_later(line: Line) -> None:
    await line.intake.recover()
    line.chat.trouble = [ChatRefused("no rights to write")]
    await line.say("/new")
    assert line.chat.texts == []
    assert await line.waits() == 0


async def test_what_an_admin_allows_by_adding_us_to_a_group_is_stored_before_that_is_confirmed(
    line: Line,
) -> None:
    line.access.admins = {"ann"}
    line.access.fault = StorageUnavailable("locked")
    with pytest.raises(StorageUnavailable):
        await line.intake.receive(Joined(chat=GROUP, sender=ANN))
    await line.intake.tasks.idle()
    assert line.chat.texts == []


async def test_the_language_that_a_conversation_has_chosen_counts(line: Line) -> None:
    conversation = await line.app.store.conversations.get_or_create("fake", HERE.key)
    await line.app.store.conversations.set_language(conversation.id, "ru")
    await line.say("look", line.file("a.csv"))
    (run,) = await line.finished()
    assert run.language == "ru"


async def test_a_file_with_a_size_over_the_limit_is_refused_before_it_is_fetched(line: Line) -> None:
    await line.say("look", Attachment(name="big.csv", handle="nowhere", size=5 << 20))
    assert line.chat.texts[0].startswith("“big.csv” is larger than 1.0 MB")
