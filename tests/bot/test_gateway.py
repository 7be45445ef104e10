import asyncio

import pytest

from bot.chat import MessageKind
from bot.errors import ChatError, Refused
from bot.gateway import MAX_FILES, MAX_REQUEST
from bot.texts import Language
from storage.errors import DiskFull
from storage.records import RunStatus
from tests.bot.conftest import Rig

CSV = b"a,b\n1,2\n"


async def test_a_message_becomes_a_run_with_its_files_and_gets_its_answer(rig: Rig) -> None:
    run = await rig.ask("What is in it?", rig.chat.send("Отчёт за май.csv", CSV))
    assert (run.status, run.language, run.request) == (RunStatus.FINISHED, "en", "What is in it?")
    (item,) = run.inputs
    assert (item.name, item.original, item.size) == ("Отчёт_за_май.csv", "Отчёт за май.csv", len(CSV))
    assert b"".join([chunk async for chunk in rig.store.artifacts.open(item.artifact_id)]) == CSV
    assert [m.kind for m in rig.chat.last] == [MessageKind.SETTLED, MessageKind.ANSWER]
    assert rig.chat.last[-1].text == "**42** it is."


async def test_the_answer_is_in_the_language_of_the_request_unless_one_is_chosen(rig: Rig) -> None:
    assert (await rig.ask("Что в этом файле?")).language == "ru"
    chosen = rig.say("Что в этом файле?", language=Language.ENGLISH)
    assert (await rig.app.gateway.accept(chosen)).language == "en"


async def test_files_without_a_request_are_asked_about(rig: Rig) -> None:
    await rig.app.gateway.receive(rig.say("  ", rig.chat.send("a.csv", CSV)))
    assert rig.chat.texts == [
        "Tell me what you would like to know or to have made, please: the files alone do not say."
    ]
    assert await rig.store.runs.list() == ()


async def test_a_file_that_claims_to_be_too_big_is_not_even_fetched(rig: Rig) -> None:
    big = rig.chat.send("big.csv", b"", size=2 << 20)
    rig.chat.uploads.clear()
    await rig.app.gateway.receive(rig.say("look", big))
    assert "“big.csv” is larger than 1.0 MB" in rig.chat.texts[0]


async def test_a_file_that_lied_about_its_size_is_refused_and_its_neighbours_are_not_kept(rig: Rig) -> None:
    small, liar = rig.chat.send("small.csv", CSV), rig.chat.send("liar.csv", bytes(2 << 20), size=5)
    with pytest.raises(Refused, match="file-too-big"):
        await rig.app.gateway.accept(rig.say("look", small, liar))
    assert await rig.store.runs.list() == ()


async def test_two_files_of_one_name_both_reach_the_run(rig: Rig) -> None:
    first, second = rig.chat.send("a.csv", CSV), rig.chat.send("a.csv", CSV)
    run = await rig.ask("compare", first, second)
    assert len({item.name for item in run.inputs}) == 2


@pytest.mark.parametrize(("count", "length"), [(MAX_FILES + 1, 4), (0, MAX_REQUEST + 1)])
async def test_too_much_is_refused_with_the_limit(rig: Rig, count: int, length: int) -> None:
    files = [rig.chat.send(f"{number}.csv", CSV) for number in range(count)]
    with pytest.raises(Refused):
        await rig.app.gateway.accept(rig.say("x" * length, *files))


async def test_a_follow_up_has_the_files_of_the_conversation_and_a_new_one_replaces_its_namesake(
    rig: Rig,
) -> None:
    first = await rig.ask("look", rig.chat.send("a.csv", CSV), rig.chat.send("b.csv", CSV))
    again = await rig.ask("and now?", rig.chat.send("a.csv", b"new"))
    sizes = {item.name: item.size for item in again.inputs}
    assert sizes == {"a.csv": 3, "b.csv": len(CSV)}
    assert len(first.inputs) == 2


async def test_files_that_no_longer_fit_are_left_out_and_the_person_hears_of_it_once(rig: Rig) -> None:
    await rig.ask("look", *(rig.chat.send(f"{number:02}.csv", CSV) for number in range(MAX_FILES)))
    second = await rig.ask("and these?", rig.chat.send("x.csv", CSV), rig.chat.send("y.csv", CSV))
    assert len(second.inputs) == MAX_FILES
    assert {"x.csv", "y.csv"} < {item.name for item in second.inputs}
    third = await rig.ask("and now?")
    assert {item.name for item in third.inputs} == {item.name for item in second.inputs}
    told = [text for text in rig.chat.texts if "come along any more" in text]
    assert told == [
        "2 earlier files do not come along any more, since a run takes at most 20 files and 2.0 MB: "
        "18.csv, 19.csv. Send again what you still need."
    ]


async def test_files_that_are_too_big_together_do_not_all_come_along(rig: Rig) -> None:
    for name in ("a.bin", "b.bin", "c.bin"):
        run = await rig.ask("look", rig.chat.send(name, bytes(900 * 1024)))
    assert [item.name for item in run.inputs] == ["c.bin", "b.bin"]


async def test_a_request_that_cannot_be_stored_leaves_no_files_behind(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> None:
        raise DiskFull

    monkeypatch.setattr(rig.store.runs, "create", full)
    await rig.app.gateway.receive(rig.say("look", rig.chat.send("a.csv", CSV)))
    kept = [path for path in (rig.settings.data / "artifacts").rglob("*") if path.is_file()]
    assert kept == []


async def test_a_notice_that_the_platform_does_not_take_is_no_fault_of_the_request(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    await rig.app.gateway.receive(rig.say("first"))
    await rig.chat.spoke.wait()
    rig.chat.trouble.append(ChatError("502"))
    await rig.app.gateway.receive(rig.say("second"))
    assert not any("Something went wrong" in text for text in rig.chat.texts)
    assert len(await rig.store.runs.list()) == 2
    rig.agent.gate.set()
    await rig.app.dispatcher.idle()


async def test_of_requests_whose_files_come_at_once_no_more_than_may_wait_get_in(rig: Rig) -> None:
    rig.app.gateway.queue = 1
    rig.agent.gate = asyncio.Event()
    await rig.app.gateway.accept(rig.say("first"))
    await rig.agent.working.wait()
    file = rig.chat.send("a.csv", b"a,b\n1,2\n")
    tries = (rig.app.gateway.accept(rig.say(text, file)) for text in ("second", "third"))
    ends = await asyncio.gather(*tries, return_exceptions=True)
    assert [end.key for end in ends if isinstance(end, Refused)] == ["queue-full"]
    rig.agent.gate.set()
    await rig.app.dispatcher.idle()
    assert len(await rig.store.runs.list()) == 2


async def test_a_run_that_waits_is_in_the_queue_of_this_process(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    await rig.app.gateway.accept(rig.say("first"))
    waiting = await rig.app.gateway.accept(rig.say("second"))
    assert (waiting.status, waiting.owner) == (RunStatus.QUEUED, str(rig.app.dispatcher.owner))
    rig.agent.gate.set()
    await rig.app.dispatcher.idle()


async def test_new_puts_earlier_files_aside(rig: Rig) -> None:
    await rig.ask("look", rig.chat.send("a.csv", CSV))
    await rig.app.gateway.receive(rig.say("/new"))
    assert (await rig.ask("hello?")).inputs == ()


async def test_a_request_in_a_busy_conversation_says_its_place(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    await rig.app.gateway.receive(rig.say("first"))
    await rig.app.gateway.receive(rig.say("second"))
    assert "One other run comes first" in rig.chat.texts[-1]
    rig.agent.gate.set()
    await rig.app.dispatcher.idle()


async def test_commands_are_answered_while_a_run_is_at_work(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    await rig.app.gateway.receive(rig.say("Explore"))
    await rig.chat.spoke.wait()
    await rig.app.gateway.receive(rig.say("/status"))
    assert "Working on “Explore”" in rig.chat.texts[-1]
    await rig.app.gateway.receive(rig.say("/cancel"))
    assert rig.chat.texts[-1].startswith("Stopping.")
    await rig.app.dispatcher.idle()
    assert rig.chat.texts[-1].startswith("Stopped, as you wished.")
    assert rig.chat.texts[-1].startswith("Stopped, as you wished.")
    assert (await rig.store.runs.list(1))[0].status is RunStatus.CANCELLED


@pytest.mark.parametrize(
    ("command", "beginning"),
    [
        ("/status", "Nothing is running"),
        ("/plan", "There is no plan"),
        ("/files", "There are no files"),
        ("/cancel", "Nothing is running"),
        ("/help", "Send files and say"),
        ("/start", "Hello! Send me"),
        ("/dance", "I do not know that command."),
    ],
)
async def test_each_command_answers_in_an_empty_chat(rig: Rig, command: str, beginning: str) -> None:
    await rig.app.gateway.receive(rig.say(command))
    assert rig.chat.texts[0].startswith(beginning)


async def test_files_lists_what_was_sent_by_its_own_name(rig: Rig) -> None:
    await rig.ask("look", rig.chat.send("my \x1b[31mfile.csv", CSV))
    await rig.app.gateway.receive(rig.say("/files"))
    assert rig.chat.texts[-1].startswith("Your files:")
    assert "\x1b" not in rig.chat.texts[-1]


async def test_a_fault_while_storing_is_told_with_an_id(rig: Rig) -> None:
    broken = rig.chat.send("a.csv", CSV)
    rig.chat.uploads.clear()
    await rig.app.gateway.receive(rig.say("look", broken))
    assert rig.chat.texts[0].startswith("Something went wrong on my side")


async def test_a_full_disk_is_told_as_what_it_is(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object, **__: object) -> None:
        raise DiskFull

    monkeypatch.setattr(rig.store.runs, "create", full)
    await rig.app.gateway.receive(rig.say("look"))
    assert rig.chat.texts[0].startswith("There is no room left")
