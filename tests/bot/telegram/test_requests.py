"""What people send, and what they then see, until their run begins: the whole program, over HTTP."""

import asyncio

import pytest

from tests.bot.telegram.conftest import png
from tests.bot.telegram.service import CSV, Service, texts
from tests.fakes.botapi import Sent

MB = 1024 * 1024


async def test_an_album_with_one_caption_is_one_request_with_all_its_files(service: Service) -> None:
    chat = await service.ann()
    files = [(f"{number}.csv", b"a\n%d\n" % number, "text/csv") for number in range(10)]
    await chat.send(files, "compare them")
    await service.idle()
    (run,) = await service.runs()
    assert run.request == "compare them"
    assert await service.content(run) == {name: data for name, data, _ in files}
    assert len(service.server.reactions) == 1


async def test_loose_files_and_the_words_behind_them_are_one_request(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV, ("costs.csv", b"a\n1\n", "text/csv")], album=False)
    await chat.say("which grew faster?")
    await service.idle()
    (run,) = await service.runs()
    assert (run.request, len(run.inputs)) == ("which grew faster?", 2)


async def test_a_file_alone_is_asked_about_and_a_button_begins(service: Service) -> None:
    chat = await service.ann("ru")
    await chat.send([CSV])
    await service.heard()
    (question,) = chat.answers
    assert question.text.startswith("Есть файл: sales.csv. Что с ним сделать?")
    assert [button.text for button in question.buttons] == [
        "Обзор данных",
        "Презентация",
        "Отчёт",
        "Просто посмотреть",
    ]
    presses = [await chat.press(question, "Презентация") for _ in range(2)]
    told = {await press.answered() for press in presses}  # whichever came first
    assert told == {"Берусь.", "Это уже закончилось."}
    await service.idle()
    (run,) = await service.runs()
    assert (run.request, run.language) == ("Сделай презентацию о главных выводах из этих данных.", "ru")
    assert texts(chat) == ["✓ Готово · шагов 1 из 2 · 0:00", "42 it is."]


async def test_a_file_alone_is_asked_about_and_words_begin(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV])
    await service.heard()
    await chat.say("what is the sum?")
    await service.idle()
    (run,) = await service.runs()
    assert (run.request, list(await service.content(run))) == ("what is the sum?", ["sales.csv"])
    assert not any(post.buttons for post in chat.answers), "a question is left open"


async def test_a_file_above_20_mb_is_refused_before_telegram_is_asked_for_it(service: Service) -> None:
    chat = await service.ann("ru")
    await chat.send([Sent(name="huge.csv", data=b"a\n", size=21 * MB)], "посчитай")
    await service.idle()
    assert service.server.called("getFile") == []
    assert "huge.csv" in texts(chat)[-1]
    assert await service.runs() == []


async def test_files_of_one_name_both_come_along(service: Service) -> None:
    chat = await service.ann()
    await chat.send([("a.csv", b"a\n1\n", "text/csv"), ("a.csv", b"a\n2\n", "text/csv")], "compare")
    await service.idle()
    content = await service.content(await service.run())
    assert sorted(content.values()) == [b"a\n1\n", b"a\n2\n"]
    assert len({name.casefold() for name in content}) == 2


@pytest.mark.parametrize(
    "name",
    [
        "Отчёт за май.csv",
        "売上.csv",
        "المبيعات.csv",
        "e\u0301te\u0301 🙂.csv",
        "a b\tc;$(d).csv",
        "x" * 200 + ".csv",
    ],
)
async def test_a_file_of_any_name_is_taken_and_told_by_it(service: Service, name: str) -> None:
    chat = await service.ann()
    await chat.send([(name, b"a\n1\n", "text/csv")], "look")
    await service.idle()
    assert list((await service.content(await service.run())).values()) == [b"a\n1\n"]
    await chat.say("/files")
    await service.idle()
    assert name[:1] in texts(chat)[-1]


@pytest.mark.parametrize("kind", ["voice", "video", "video_note", "audio", "animation", "sticker"])
async def test_a_voice_or_a_sticker_gets_a_plain_refusal_and_no_run(service: Service, kind: str) -> None:
    chat = await service.ann()
    await chat.send(
        [Sent(name="", data=b"x" * 100, mime="video/mp4" if kind == "animation" else "")], kind=kind
    )
    await service.idle()
    (answer,) = texts(chat)
    assert answer.startswith("I cannot work with ")
    assert (await service.runs(), service.server.called("getFile")) == ([], [])


async def test_a_photo_is_a_picture_to_work_with(service: Service) -> None:
    chat = await service.ann()
    await chat.send(
        [Sent(name="x.jpg", data=png(800, 600), mime="image/jpeg")], "what is on it?", kind="photo"
    )
    await service.idle()
    content = await service.content(await service.run())
    assert list(content.values()) == [png(800, 600)]


async def test_a_forwarded_file_and_the_words_after_it_are_one_request(service: Service) -> None:
    chat, ben = await service.ann(), await service.ben()
    (post,) = await ben.send([CSV], "my figures")
    await service.idle()
    await chat.forward(post)
    await chat.say("what does he mean?")
    await service.idle()
    run = await service.run()
    assert (run.sender, list(await service.content(run))) == ("7", ["sales.csv"])
    assert "what does he mean?" in run.request


async def test_a_request_that_is_changed_while_it_waits_is_done_as_changed(service: Service) -> None:
    chat = await service.ann("ru")
    gate = await service.busy(chat, "Займись этим")
    second = await chat.say("Посчитай за май")
    await service.heard()
    await chat.edit(second, "Посчитай за июнь")
    await service.heard()
    assert "Изменил ваш запрос." in texts(chat)[-1]
    gate.set()
    await service.idle()
    assert [run.request for run in await service.runs()] == ["Займись этим", "Посчитай за июнь"]


async def test_a_long_text_that_telegram_cuts_is_one_request(service: Service) -> None:
    chat = await service.ann()
    text = "What follows is long. " + "word " * 2000
    await chat.paste(text)
    await service.idle()
    (run,) = await service.runs()
    assert run.request.split() == text.split()


async def test_a_thousand_files_get_one_refusal_and_cost_nothing(service: Service) -> None:
    chat = await service.ann()
    gone = [(f"{number}.csv", b"1", "text/csv") for number in range(1000)]
    await chat.send(gone, album=False)
    await service.idle()
    assert texts(chat) == ["That is more than 20 files at once. Please send fewer, or put them into a .zip."]
    assert (await service.runs(), service.server.called("getFile")) == ([], [])
    assert len(service.server.reactions) == 1


async def test_again_does_the_same_for_a_new_file(service: Service) -> None:
    chat = await service.ann("ru")
    await chat.send([CSV], "Сделай обзор")
    await service.idle()
    await chat.say("/again")
    await service.idle()
    assert texts(chat)[-1].startswith("Сначала пришлите новый файл")
    await chat.send([("june.csv", b"a\n1\n", "text/csv")], "/again")
    await service.idle()
    first, second = await service.runs()
    assert (second.request, second.language) == (first.request, "ru")
    assert "june.csv" in await service.content(second)


async def test_a_second_request_says_its_place_moves_up_and_can_be_cancelled(service: Service) -> None:
    chat = await service.ann("ru")
    gate = await service.busy(chat, "Первое")
    await chat.say("Второе")
    await service.heard()
    await chat.say("Третье")
    await service.heard()
    second, third = chat.answers[-2:]
    assert [post.text for post in (second, third)] == [
        "Принято. Впереди 1 запуск, потом ваш.",
        "Принято. Впереди 2 запуска, потом ваш.",
    ]
    press = await chat.press(second, "Отменить")
    assert await press.answered() == "Останавливаю…"
    await chat.until(lambda _: third.text == "Принято. Впереди 1 запуск, потом ваш.")
    gate.set()
    await service.idle()
    assert [run.status for run in await service.runs()] == ["finished", "cancelled", "finished"]
    assert second.text == "■ Отменено"


async def test_cancelling_a_run_at_work_ends_it_and_takes_the_button_away(service: Service) -> None:
    chat = await service.ann()
    await service.busy(chat)
    progress = await chat.until(lambda _: next((post for post in chat.answers if post.buttons), None))
    assert progress is not None
    data = progress.buttons[0].data
    presses = [await chat.press(progress, "Cancel") for _ in range(2)]
    assert {await press.answered() for press in presses} <= {"Cancelling…", "That is over already."}
    await service.idle()
    late = await chat.press(progress, data, anyway=True)
    assert await late.answered() == "That is over already."
    assert progress.text.startswith("■ Cancelled")
    assert not any(post.buttons for post in chat.answers)
    assert texts(chat).count("Stopped, as you wished. No file had been made yet.") == 1


async def test_a_command_gets_its_answer_while_runs_are_at_work(service: Service) -> None:
    chat = await service.ann("ru")
    gate = await service.busy(chat, "Посчитай")
    await chat.say("/status")
    status = await chat.answer("Работаю над «Посчитай»")
    assert status.reply_to is not None
    gate.set()
    await asyncio.wait_for(service.idle(), 60)
