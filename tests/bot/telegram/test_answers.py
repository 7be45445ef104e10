"""How a run ends in the chat: the answer, its pages, tables and files. The whole program, over HTTP."""

import pytest

from tests.bot.telegram.conftest import png
from tests.bot.telegram.service import CSV, Service, sounds, texts
from tests.fakes.botapi import Cut, Flood, HtmlPage, Moment

MB = 1024 * 1024
ASK = "make it"


async def test_the_answer_is_a_new_reply_with_sound_and_all_else_is_silent(service: Service) -> None:
    chat = await service.ann("ru")
    service.makes({"chart.png": png(800, 600), "deck.pptx": b"deck"}, "**Выручка** выросла.")
    (request,) = await chat.send([CSV], "Сделай презентацию")
    await service.idle()
    progress, answer, photo, deck = chat.answers
    assert (progress.text, answer.text) == ("✓ Готово · 0:00", "Выручка выросла.")
    assert [post.silent for post in chat.answers] == [True, False, True, True]
    assert (answer.reply_to, progress.reply_to) == (request.id, request.id)
    assert [entity["type"] for entity in answer.entities] == ["bold"]
    assert [(file.name, file.data) for file in chat.documents] == [("deck.pptx", b"deck")]
    assert [file.data for file in chat.photos] == [png(800, 600)]
    assert photo.at <= deck.at


@pytest.mark.parametrize("piece", ["слово ", "🙂👩‍👩‍👧 ", "**жирный** ", "`код` "])
async def test_a_long_answer_comes_whole_in_pages_that_telegram_takes(service: Service, piece: str) -> None:
    chat = await service.ann("ru")
    count = 9000 // len(piece.encode("utf-16-le")) * 2
    service.makes({}, piece * count)
    await chat.say(ASK)
    await service.idle()
    pages = texts(chat)[1:]
    assert 2 <= len(pages) <= 3
    plain = piece.strip().strip("*`")
    assert "".join(pages).count(plain) == count
    assert len(sounds(chat)) == 1


async def test_an_answer_of_more_than_three_pages_is_two_of_them_and_a_file(service: Service) -> None:
    chat = await service.ann("ru")
    answer = "\n\n".join(f"Абзац {number}. " + "слово " * 100 for number in range(60))
    service.makes({}, answer)
    await chat.say("сделай")
    await service.idle()
    assert "Это начало. Весь ответ в файле answer.md." in texts(chat)
    (whole,) = chat.documents
    assert (whole.name, whole.data.decode().split()) == ("answer.md", answer.split())


async def test_an_empty_answer_says_so(service: Service) -> None:
    chat = await service.ann("ru")
    service.makes({"a.csv": b"1"}, " \n")
    await chat.say("сделай")
    await service.idle()
    assert texts(chat)[1] == "Готово. К файлам добавить нечего."


async def test_a_file_above_50_mb_is_named_with_the_reason_and_the_others_come(service: Service) -> None:
    chat = await service.ann("ru")
    service.makes({"a.csv": b"1", "huge.zip": bytes(51 * MB), "z.csv": b"2"}, "Готово.")
    await chat.say("сделай")
    await service.idle()
    assert sorted(file.name for file in chat.documents) == ["a.csv", "z.csv"]
    notes = [text for text in texts(chat) if "huge.zip" in text]
    assert len(notes) == 1
    assert "50 МБ" in notes[0]
    assert not any(len(call.params.get("document", "")) > 40 * MB for call in service.server.calls)


@pytest.mark.parametrize("sides", [(9000, 1001), (100, 2100), (1, 1)], ids=["huge", "thin", "tiny"])
async def test_a_picture_that_is_no_photo_for_telegram_comes_as_a_document(
    service: Service, sides: tuple[int, int]
) -> None:
    chat = await service.ann()
    picture = png(*sides)
    service.makes({"chart.png": picture}, "Done.")
    await chat.say(ASK)
    await service.idle()
    files = [*chat.documents, *chat.photos]
    assert [file.data for file in files] == [picture]
    assert bool(chat.photos) is (sides == (1, 1))


async def test_many_files_come_in_albums_with_pictures_first(service: Service) -> None:
    chat = await service.ann()
    pictures = {f"{number:02}.png": png(300, 200 + number) for number in range(12)}
    tables = {f"{number:02}.csv": b"%d" % number for number in range(11)}
    service.makes(pictures | tables, "Done.")
    await chat.say(ASK)
    await service.idle()
    assert {file.data for file in chat.photos} == set(pictures.values())
    assert {file.name: file.data for file in chat.documents} == tables
    kinds = [post.file.kind for post in chat.answers if post.file]
    assert kinds == ["photo"] * 12 + ["document"] * 11


async def test_files_of_one_name_can_be_told_apart(service: Service) -> None:
    chat = await service.ann()
    service.makes({"may/report.csv": b"may", "june/report.csv": b"june"}, "Done.")
    await chat.say(ASK)
    await service.idle()
    files = {file.name: file.data for file in chat.documents}
    assert len(files) == 2
    assert set(files.values()) == {b"may", b"june"}


async def test_files_that_may_not_have_arrived_are_told_once_and_resend_brings_them(service: Service) -> None:
    chat = await service.ann("ru")
    service.makes({"deck.pptx": b"deck"}, "Готово.")
    service.server.faults.add("sendDocument", Cut(Moment.BEFORE_ANSWER, applied=False))
    await chat.say("сделай")
    await service.idle()
    assert chat.documents == []
    note = "Связь оборвалась во время отправки. Если чего-то не хватает, /resend пришлёт это снова."
    assert texts(chat).count(note) == 1
    await chat.say("/resend")
    await chat.until(lambda _: chat.documents)
    assert [(file.name, file.data) for file in chat.documents] == [("deck.pptx", b"deck")]
    assert "Файлы снова в пути." in texts(chat)
    await service.heard()


async def test_resend_after_all_went_well_brings_everything_once_more(service: Service) -> None:
    chat = await service.ann()
    service.makes({"deck.pptx": b"deck"}, "Done.")
    await chat.say(ASK)
    await service.idle()
    await chat.say("/resend", reply_to=chat.answers[-1])
    await chat.until(lambda _: len(chat.documents) == 2)
    assert texts(chat).count("Done.") == 1
    await service.heard()


@pytest.mark.parametrize("fault", [Flood(1), HtmlPage(502, applied=False), Cut(Moment.IN_REQUEST)], ids=str)
async def test_trouble_while_the_answer_is_sent_leaves_exactly_one(service: Service, fault: object) -> None:
    chat = await service.ann()
    service.makes({}, "Done.")
    gate = await service.busy(chat)
    service.server.faults.add("sendMessage", fault)  # pyright: ignore[reportArgumentType]  # one of them
    gate.set()
    await service.idle()
    assert texts(chat).count("Done.") == 1


async def test_flood_control_stops_frames_and_not_the_run(service: Service) -> None:
    chat = await service.ann()
    service.server.faults.add("editMessageText", Flood(1), times=2)
    await chat.say(ASK)
    await service.idle()
    assert texts(chat)[-1] == "42 it is."
    assert len(chat.answers) == 2
    assert (await service.run()).status == "finished"


async def test_rich_messages_are_for_chats_that_asked_for_them(service: Service) -> None:
    chat, other = await service.ann(), await service.ben()
    service.makes({}, "**Bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    await chat.say("/settings")
    await service.heard()
    press = await chat.press(chat.answers[-1], "Rich formatting (newer apps only): off")
    await press.answered()
    await service.heard()
    for one in (chat, other):
        await one.say(ASK)
        await service.idle()
    assert chat.answers[-1].rich is not None
    assert other.answers[-1].rich is None
    assert [entity["type"] for entity in other.answers[-1].entities] == ["bold", "pre"]


async def test_pictures_come_as_files_where_nobody_wants_previews(service: Service) -> None:
    chat = await service.ann()
    await chat.say("/settings")
    await service.heard()
    await (await chat.press(chat.answers[-1], "Pictures before the files: on")).answered()
    await service.heard()
    service.makes({"chart.png": png(800, 600)}, "Done.")
    await chat.say(ASK)
    await service.idle()
    assert ([file.name for file in chat.documents], chat.photos) == (["chart.png"], [])


async def test_an_answer_pulls_nobody_in_and_leads_nowhere(service: Service) -> None:
    chat = await service.ann()
    service.makes(
        {}, "Ask @boss, see https://evil.example/x?d=1 or [here](https://evil.example), then /delete."
    )
    await chat.say(ASK)
    await service.idle()
    answer = chat.answers[-1]
    assert answer.entities == []
    assert "@boss" not in answer.text
    assert "https://evil" not in answer.text
    assert "/delete" not in answer.text
