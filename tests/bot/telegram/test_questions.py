"""A run that asks its person: the real agent with a scripted model, over HTTP."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.settings import Settings
from tests.agent.line import open_line
from tests.agent.test_runner import models_at, sandbox
from tests.bot.telegram.service import LateAsker, Service, open_service, texts
from tests.endpoint import Endpoint, completion, in_turn, serve
from tests.fakes.botapi import LiveChat, Post

ASK = (
    "ask_person",
    {
        "question": "Какой год взять?",
        "options": ["2024", "2025"],
        "assumption": "Беру 2025 год.",
    },
)
ANSWER = "Готово, вот итог."


@asynccontextmanager
async def asking(
    settings: Settings, plays: int = 1, **facts: object
) -> AsyncGenerator[tuple[Service, Endpoint]]:
    """A program whose model asks once in each run, and then answers."""
    played = [answer for _ in range(plays) for answer in (completion(calls=[ASK]), completion(ANSWER))]
    asker = LateAsker()
    async with (
        serve(in_turn(*played)) as endpoint,
        open_line(settings.data, models_at(endpoint), sandbox(), asker=asker) as line,
        open_service(settings.model_copy(update=facts), agent=line.runner, asker=asker) as service,
    ):
        yield service, endpoint
        assert not service.refused


async def question(chat: LiveChat) -> Post:
    return await chat.answer("Какой год взять?")


def heard(endpoint: Endpoint) -> Sequence[str]:
    """What the model was told by its tools."""
    return [str(message["content"]) for message in endpoint.seen[-1]["messages"] if message["role"] == "tool"]


async def test_a_question_is_answered_with_a_button_and_the_run_goes_on(settings: Settings) -> None:
    async with asking(settings) as (service, endpoint):
        chat = await service.ann("ru")
        await chat.say("Посчитай выручку")
        asked = await question(chat)
        assert not asked.silent
        assert "Без ответа я продолжу через 3 минуты." in asked.text
        presses = [await chat.press(asked, "2024") for _ in range(2)]
        await service.idle()
        said = {await press.answered() for press in presses}  # side by side: either may be the first
        assert "2024" in said
        assert said <= {"2024", "Это уже закончилось."}
        assert texts(chat)[-1] == ANSWER
        assert (asked.text, asked.buttons) == ("Какой год взять?\n\n→ 2024", [])
        assert any("2024" in told for told in heard(endpoint))
        late = await chat.press(asked, asked.versions[0].buttons[1].data, anyway=True)
        assert await late.answered() == "Это уже закончилось."
        await service.heard()


async def test_a_question_is_answered_in_words_which_begin_no_run(settings: Settings) -> None:
    async with asking(settings) as (service, endpoint):
        chat = await service.ann("ru")
        await chat.say("Посчитай выручку")
        await question(chat)
        await service.heard()
        await chat.say("только весну 2023")
        await service.idle()
        assert any("только весну 2023" in told for told in heard(endpoint))
        assert (texts(chat)[-1], len(await service.runs())) == (ANSWER, 1)


async def test_a_question_that_nobody_answers_ends_and_the_answer_says_what_was_assumed(
    settings: Settings,
) -> None:
    async with asking(settings, deckhand_question_minutes=0.01) as (service, _):
        chat = await service.ann("ru")
        await chat.say("Посчитай выручку")
        asked = await question(chat)
        await chat.answer(ANSWER)
        await service.idle()
        assert "Ответа не было, поэтому исхожу из этого: Беру 2025 год." in asked.text
        assert asked.buttons == []
        assert "Беру 2025 год." in texts(chat)[-1]


async def test_somebody_elses_press_answers_nothing(settings: Settings) -> None:
    async with asking(settings) as (service, _):
        ann, ben = service.server.person(7, "Ann"), service.server.person(8, "Ben")
        group = await service.group(ann, ben)
        await group.say("@deckhand_bot посчитай выручку", by=ann)
        asked = await question(group)
        press = await group.press(asked, "2024", by=ben)
        assert await press.answered() == "Only the person who asked can do that."
        await (await group.press(asked, "2025", by=ann)).answered()
        await service.idle()
        assert asked.text.endswith("→ 2025")


async def test_a_run_that_asks_can_be_cancelled(settings: Settings) -> None:
    async with asking(settings) as (service, _):
        chat = await service.ann("ru")
        await chat.say("Посчитай выручку")
        await question(chat)
        await service.heard()
        await chat.say("/cancel")
        await service.idle()
        assert (await service.run()).status == "cancelled"
        assert ANSWER not in texts(chat)
        assert not any(post.buttons for post in chat.answers), "a question is left open"
