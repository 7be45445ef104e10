"""What a person sees who cannot wait: many messages, edits, presses and commands at once. Over HTTP."""

import pytest

from bot.texts import Language
from bot.texts import texts as texts_of
from tests.bot.telegram.service import ANN, CSV, Service, sounds, texts

IDLE = "Nothing is running here."


@pytest.mark.parametrize("sign", ["?", "???", "…", "👍", "🙏🏽", "//"])
async def test_a_lone_sign_is_no_request_and_hears_how_things_stand(service: Service, sign: str) -> None:
    chat = await service.ann("ru")
    await chat.say(sign)
    await service.idle()
    assert texts(chat) == ["Напишите словами, что нужно, или пришлите файл. Что я умею – в /help."]
    gate = await service.busy(chat, "Посчитай")
    await chat.say(sign)
    await service.heard()
    assert "Работаю над «Посчитай»" in texts(chat)[-1]
    gate.set()
    await service.idle()
    assert len(await service.runs()) == 1


async def test_signs_behind_words_go_with_them(service: Service) -> None:
    chat = await service.ann()
    await chat.say("Count")
    await chat.say("!!!")
    await service.idle()
    assert [run.request for run in await service.runs()] == ["Count"]
    assert len(sounds(chat)) == 1


async def test_a_file_with_a_sign_for_a_caption_is_asked_about(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV], "👇")
    await service.idle()
    assert texts(chat)[-1].startswith("I have sales.csv.")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/STATUS", IDLE),
        ("/Status@Deckhand_Bot", IDLE),
        ("  /status  now", IDLE),
        ("/ status", IDLE),
        ("/nonsense", "I do not know that command."),
        ("/статус", "I do not know that command."),
        ("/", "I do not know that command."),
        ("/1", "I do not know that command."),
    ],
)
async def test_a_command_is_understood_however_it_is_typed_and_never_becomes_a_run(
    service: Service, text: str, answer: str
) -> None:
    chat = await service.ann()
    await chat.say(text)
    await service.idle()
    assert texts(chat)[0].startswith(answer)
    assert await service.runs() == []


async def test_commands_are_answered_in_the_language_that_a_person_writes(service: Service) -> None:
    """An English client says little of who types Russian into it."""
    chat = await service.ann("en")
    await chat.say("/status")
    await service.idle()
    await chat.say("Посчитай, пожалуйста")
    await service.idle()
    await chat.say("/status")
    await service.idle()
    await chat.send([CSV])
    await service.idle()
    assert texts(chat)[0] == IDLE
    assert texts(chat)[-2] == "Сейчас здесь ничего не выполняется."
    assert texts(chat)[-1].startswith("Есть файл: sales.csv.")
    await chat.press(chat.answers[-1], "Отчёт")
    await service.idle()
    run = await service.run()
    assert (run.language, run.request) == ("ru", texts_of(Language.RUSSIAN)("preset-report"))


async def test_a_stranger_who_begins_with_start_reads_their_own_language(service: Service) -> None:
    stranger = service.server.private(service.server.person(99, "Zoe", language_code="ru"))
    await service.member(1, "Root")
    for _ in range(3):
        await stranger.say("/start")
        await service.idle()
    (line,) = texts(stranger)
    assert "админ" in line


async def test_a_storm_of_messages_becomes_a_few_requests_and_no_word_is_lost(service: Service) -> None:
    chat = await service.ann()
    said = [f"word{number}" for number in range(30)]
    for word in said:
        await chat.say(word)
    await service.idle()
    requests = " ".join(run.request for run in await service.runs())
    assert requests.split() == said
    assert len(sounds(chat)) == len(await service.runs())


async def test_a_storm_of_edits_ends_with_the_last_words_and_one_answer(service: Service) -> None:
    chat = await service.ann()
    gate = await service.busy(chat)
    post = await chat.say("version 0")
    await service.heard()
    for number in range(1, 20):
        await chat.edit(post, f"version {number}")
    await service.heard()
    gate.set()
    await service.idle()
    for number in range(20, 40):
        await chat.edit(post, f"version {number}")
    await service.idle()
    assert [run.request for run in await service.runs()] == ["Keep busy, please", "version 19"]
    assert texts(chat).count("This is done already. Please send the change as a new message.") == 1
    assert len(sounds(chat)) == 2


async def test_a_storm_of_cancels_stops_everything_once_and_makes_no_noise(service: Service) -> None:
    chat = await service.ann("ru")
    await service.busy(chat, "Первое")
    await chat.say("Второе")
    await service.heard()
    for _ in range(5):
        await chat.say("/cancel")
    await service.idle()
    assert [run.status for run in await service.runs()] == ["cancelled", "cancelled"]
    assert texts(chat).count("Остановлено по вашей просьбе. Готовых файлов ещё не было.") == 2
    assert sounds(chat) == []
    assert not any(post.buttons for post in chat.answers)


async def test_a_cancel_right_behind_a_request_stops_it(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV], "count")
    await chat.say("/cancel")
    await service.idle()
    assert [run for run in await service.runs() if run.status == "finished"] == []
    assert "Stopped" in " ".join(texts(chat)) or "Stopping" in " ".join(texts(chat))


async def test_a_flood_is_told_once_and_still_can_be_cancelled(service: Service) -> None:
    chat = await service.ann()
    await service.busy(chat)
    for _ in range(80):
        await chat.say("/status")
    await service.heard()
    await chat.say("/cancel")
    await service.idle()
    assert (
        texts(chat).count(
            "That is a lot at once. I do not read what you send for the next minute; /cancel works."
        )
        == 1
    )
    assert (await service.run()).status == "cancelled"


async def test_every_button_may_be_pressed_twice_and_answers_kindly(service: Service) -> None:
    service.provoked.append("not modified")
    chat = await service.ann()
    for command in ("/language", "/settings", "/delete me"):
        await chat.say(command)
    await service.idle()
    seen: set[str] = set()
    for post in list(chat.answers):
        for button in post.buttons:
            if button.data not in seen:
                seen.add(button.data)
                for _ in range(2):
                    press = await chat.press(post, button.data, anyway=True)
                    await press.answered()
    await service.idle()
    assert len(seen) >= 6
    assert not any("wrong on my side" in text for text in texts(chat))


async def test_buttons_that_are_forged_or_from_another_chat_do_nothing(service: Service) -> None:
    chat, other = await service.ann(), await service.ben()
    gate = await service.busy(chat)
    progress = await chat.until(lambda _: next((post for post in chat.answers if post.buttons), None))
    assert progress is not None
    data = progress.buttons[0].data
    await other.say("/status")
    await service.heard()
    for wrong in (data, data[:-1] + "A", "cancel.x..y", "\x00", "a" * 64):
        press = await other.press(other.answers[-1], wrong, anyway=True)
        assert await press.answered() == "This button does not work any more."
    gate.set()
    await service.idle()
    assert (await service.run()).status == "finished"


async def test_a_failure_offers_another_try_that_happens_once(service: Service) -> None:
    chat = await service.ann("ru")
    service.fails()
    await chat.send([CSV], "Посчитай")
    await service.idle()
    failure = chat.answers[-1]
    assert not failure.silent
    assert "Языковая модель" in failure.text
    presses = [await chat.press(failure, "Попробовать ещё раз") for _ in range(3)]
    said = [await press.answered() for press in presses]
    # Presses are answered side by side: which of them came first is for the database to say.
    assert sorted(said) == ["Пробую ещё раз…", "Я это уже пробовал ещё раз.", "Я это уже пробовал ещё раз."]
    await service.idle()
    first, second = await service.runs()
    assert (first.status, second.status, second.repeats) == ("failed", "finished", first.id)
    assert await service.content(second) == {CSV[0]: CSV[1]}
    assert texts(chat)[-1] == "42 it is."


async def test_a_person_who_blocks_us_and_comes_back_starts_afresh(service: Service) -> None:
    service.provoked.append("bot was blocked")
    chat = await service.ann()
    gate = await service.busy(chat)
    await chat.block()
    await service.server.until(lambda: not service.server.updates.pending)
    gate.set()
    await service.idle()
    service.agent.gate = None
    await chat.unblock()
    await chat.say("hello again")
    await service.idle()
    assert [run.status for run in await service.runs()] == ["cancelled", "finished"]
    assert texts(chat)[-1] == "42 it is."
    assert str(ANN) == (await service.run()).sender
