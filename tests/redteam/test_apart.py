"""Threats 62, 63 and 86 in the chat: what is one person's is no other's, whatever ids they know."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from aiohttp import web

from agent.events import FailureReason, RunFailed, RunFinished, RunStarted
from agent.factbook import NAME as FACTS
from agent.factbook import Fact, dump
from bot.settings import Settings
from bot.texts import Language, texts
from storage.artifacts import put_bytes
from storage.members import Role
from storage.records import ArtifactId, ArtifactKind, Brand, RunId, RunStatus
from tests.agent.test_runner import models_at
from tests.bot.fakes import Step, usual
from tests.endpoint import Body, in_turn, serve
from tests.fakes.botapi import LiveChat, Post
from tests.redteam.house import House, open_house
from tests.redteam.obedient import Injection, Obedient
from tests.redteam.outgoing import check_buttons, check_stays, spoken

EN = texts(Language.ENGLISH)
HARMLESS = Injection(name="harmless", where="cell", text="salaries of the board")


@pytest.fixture
async def house(settings: Settings) -> AsyncGenerator[House]:
    async with open_house(settings) as opened:
        yield opened


class Waiting:
    """A model that takes its time, so that the run's message gets its buttons."""

    def __init__(self, model: Obedient) -> None:
        self._model = model
        self.over = asyncio.Event()

    async def __call__(self, body: Body) -> web.StreamResponse:
        await self.over.wait()
        return await self._model.respond(body)


def answers(chat: LiveChat) -> list[str]:
    return [post.text for post in chat.answers]


def reply(chat: LiveChat, text: str, to: int) -> None:
    """A message that claims to reply to an id of another chat, which Telegram itself would not tell."""
    post = chat.add(chat.someone, text)
    told = post.shown() | {
        "reply_to_message": post.shown() | {"message_id": to, "from": chat.world.bot.shown(), "text": "x"},
        "entities": [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}],
    }
    chat.world.updates.put("message", told)


async def test_62_what_was_made_for_one_person_no_other_gets_by_any_command_reply_or_button(
    settings: Settings,
) -> None:
    model = Obedient(HARMLESS)
    async with (
        serve(model.respond) as endpoint,
        open_house(settings, models=models_at(endpoint)) as house,
    ):
        await house.works_with(models_at(endpoint), HARMLESS.sandbox())
        ann, bob = await house.member(7), await house.member(8, "Bob", Role.ADMIN)
        endpoint.respond = waiting = Waiting(model)
        await ann.send([("salaries.csv", b"a\n1\n", "text/csv")], "Summarise the salaries")
        await house.server.until(lambda: any(post.buttons for post in ann.messages))
        waiting.over.set()
        await house.settled()
        assert [file.name for file in ann.documents] == ["sum.csv"]
        since, seen = len(house.server.calls), len(endpoint.seen)

        for command in (
            "/files",
            "/resend",
            "/resend all",
            "/plan",
            "/status",
            "/usage",
            "/cancel",
            "/again",
        ):
            await bob.say(command)
            for post in ann.messages:  # every id that there is in the other chat
                reply(bob, command, post.id)
            await house.settled()
        buttons = {b.data for post in ann.messages for version in post.versions for b in version.buttons}
        assert buttons
        for data in buttons:
            press = await bob.press(bob.answers[-1], data, anyway=True)
            assert await press.answered() == EN("press-unknown"), "also for an admin: it is another chat's"
        endpoint.respond = Obedient(HARMLESS).respond
        reply(bob, "Make a deck of that", ann.answers[-1].id)
        await house.settled()

        _, run = await house.runs()
        assert (run.sender, run.inputs) == ("8", ())
        assert "salaries.csv" not in str(endpoint.seen[seen:])
        assert "Summarise" not in str(endpoint.seen[seen:])
        assert "salaries" not in "\n".join(answers(bob)).replace("salaries of the board", "")
        [made] = bob.documents  # of his own run
        assert made.name == "sum.csv"
        check_stays(house.server, 8, since=since)


async def test_62_topics_and_groups_do_not_share_what_was_made_in_another_or_in_private(
    settings: Settings,
) -> None:
    async with serve(in_turn()) as endpoint, open_house(settings, models=models_at(endpoint)) as house:
        endpoint.respond = Obedient(HARMLESS).respond
        await house.works_with(models_at(endpoint), HARMLESS.sandbox())
        ann, bob = await house.member(7), await house.member(8, "Bob")
        group, other = await house.group(ann, bob, forum=True), await house.group(ann, bob)
        one, two = await group.topic("One"), await group.topic("Two")
        call = f"@{house.server.bot.username}"
        await group.send([("salaries.csv", b"a\n1\n", "text/csv")], f"Sum {call}", topic=one)
        await house.settled()
        made = next(post for post in group.answers if post.files)
        assert made.topic is one

        for place, topic in ((group, two), (group, None), (other, None), (ann, None)):
            before = len(place.answers)
            for command in ("/files", "/plan", "/resend all"):
                await place.say(f"{command}{call}", topic=topic)
            await house.settled()
            told = {post.text for post in place.answers[before:]}
            assert told == {EN("files-none"), EN("plan-none"), EN("resend-none")}
        assert [post for post in group.answers if post.files] == [made]


async def test_62_where_a_number_is_from_is_told_in_its_own_conversation_only(house: House) -> None:
    agent = await house.scripted()
    secret = Fact(
        kind="fact", id="salaries", text="42", value=42, script="salaries.py", code="salaries", traced=True
    )

    def script(run_id: RunId) -> list[Step]:
        async def keep() -> None:
            await put_bytes(
                house.app.store.artifacts,
                dump([secret]),
                name=FACTS,
                kind=ArtifactKind.RECORD,
                run_id=run_id,
            )

        return [
            RunStarted(run_id=run_id, request="", files=(), model="fake"),
            keep,
            RunFinished(run_id=run_id, answer="42"),
        ]

    agent.script = script
    ann, bob = await house.member(7), await house.member(8, "Bob", Role.ADMIN)
    group = await house.group(ann, bob)
    await ann.say("Sum the numbers of the board")
    await house.settled()
    await ann.say("/why 42")
    await house.settled()
    assert "salaries.py" in answers(ann)[-1]
    agent.script = usual
    for post in ann.messages:
        for words in ("why 42?", "why?", "/why 42", "/why", "/bundle"):
            reply(bob, words, post.id)
    await group.say(f"/why@{house.server.bot.username} 42", by=bob.someone)
    await house.settled()
    told = "\n".join([*answers(bob), *answers(group)])
    assert "salaries" not in told
    assert EN("why-no-answer") in told
    assert not bob.documents


async def test_62_no_other_conversation_s_scripts_are_run_again_or_templates_used(house: House) -> None:
    agent = await house.scripted()
    ann, bob = await house.member(7), await house.member(8, "Bob", Role.ADMIN)
    group = await house.group(ann, bob)
    await ann.send([("salaries.csv", b"a\n1\n", "text/csv")], "Sum the numbers of the board")
    await house.settled()
    [mine] = await house.runs()
    here = house.app.store.conversations
    brand = Brand(artifact_id=ArtifactId("a" * 26), original="board.pptx", size=3, layouts=1, sender="7")
    await here.set_brand(mine.conversation_id, brand)
    new = ("june.csv", b"a\n2\n", "text/csv")
    for caption in ("/again", "the same"):
        for post in ann.messages:  # Telegram itself would not let anybody reply to these
            await bob.send([new], caption, reply_to=post)
            await house.settled()
    await group.send([new], f"/again@{house.server.bot.username}", by=bob.someone)
    await bob.say("/brand off")
    await house.settled()

    others = [run for run in await house.runs() if run.sender == "8"]
    assert all(run.redoes is None for run in others)
    assert "board" not in str([(run.request, run.inputs) for run in others])
    assert "board" not in "\n".join([*answers(bob), *answers(group)])
    assert (await here.get(mine.conversation_id)).brand == brand
    assert agent.began


async def test_63_a_file_id_that_somebody_writes_forwards_or_presses_fetches_nothing(house: House) -> None:
    agent = await house.scripted()
    ann, bob = await house.member(7), await house.member(8, "Bob")
    await ann.send([("salaries.csv", b"a\n1\n", "text/csv")], "Sum")
    await house.settled()
    [sent] = [post.file for post in ann.messages if post.file is not None and not post.by_bot]
    fetched = len(house.server.called("getFile"))

    said = await bob.say(f"Look at {sent.id}")
    await bob.forward(await ann.say(f"file_id {sent.id} file://{sent.id} {sent.unique_id}"), by=None)
    await bob.say("/start " + sent.id)
    await bob.send([(f"{sent.id}.csv", b"b\n2\n", "text/csv")], f"And {sent.id}")
    await house.settled()
    press = await bob.press(said, sent.id[:64], anyway=True)
    assert await press.answered() == EN("press-unknown")
    await bob.say("/files")
    await house.settled()

    asked = [call.params["file_id"] for call in house.server.called("getFile")[fetched:]]
    assert sent.id not in asked
    assert len(asked) == 1
    sizes = [item.size for run in await house.runs() if run.sender == "8" for item in run.inputs]
    assert set(sizes) == {len(b"b\n2\n")}, "his own file"
    assert agent.began


def failing(run_id: RunId) -> list[Step]:
    return [
        RunStarted(run_id=run_id, request="", files=(), model="fake"),
        RunFailed(run_id=run_id, reason=FailureReason.MODEL),
    ]


async def fail(house: House, chat: LiveChat, text: str = "Sum") -> Post:
    """A run that failed; the message that offers another try."""
    agent = await house.scripted()
    store = house.app.store.runs

    def script(run_id: RunId) -> list[Step]:
        return [
            *failing(run_id)[:1],
            lambda: ends.append(
                asyncio.ensure_future(store.finish(run_id, RunStatus.FAILED, failure="model"))
            ),
            *failing(run_id)[1:],
        ]

    ends: list[asyncio.Future[bool]] = []
    agent.script = script
    await chat.say(text)
    await house.settled()
    return next(post for post in reversed(chat.answers) if post.buttons)


async def test_86_a_button_is_pressed_by_its_person_in_its_chat_once_and_as_it_was_made(house: House) -> None:
    ann, bob = await house.member(7), await house.member(8, "Bob")
    group = await house.group(ann, bob)
    call = f" @{house.server.bot.username}"
    offer = await fail(house, group, "Sum" + call)
    [data] = [button.data for button in offer.buttons]
    action, run, choice, mac = data.split(".")
    runs = len(await house.runs())

    forged = [
        f"cancel.{run}.{choice}.{mac}",
        f"{action}.{run}x.{choice}.{mac}",
        f"{action}.{run}.yes.{mac}",
        f"{action}.{run}.{choice}.{mac[:-1]}",
        f"{action}.{run}.{choice}.",
        f"{action}.{run}.{choice}",
        f"{data}.{mac}",
        f"admit.8.yes.{mac}",
        f"erase.7.p99999999.{mac}",
        "🙂" * 16,
        "\u202e\n\0.",
        "-1",
        " ",
    ]
    for claim in forged:
        press = await group.press(offer, claim, anyway=True)
        assert await press.answered() == EN("press-unknown"), claim
    for place, by in ((ann, ann.someone), (bob, bob.someone)):  # the right data in a wrong chat
        old = await place.say("/help")
        await house.settled()
        press = await place.press(old, data, by=by, anyway=True)
        assert await press.answered() == EN("press-unknown")
    press = await group.press(offer, data, by=bob.someone)
    assert await press.answered() == EN("press-not-yours")
    await house.settled()
    assert len(await house.runs()) == runs, "nobody has begun anything so far"

    twice = [await group.press(offer, data, by=ann.someone) for _ in range(3)]
    toasts = sorted([await press.answered() for press in twice])
    await house.settled()
    assert toasts == sorted([EN("press-retrying"), EN("press-retried"), EN("press-retried")])
    assert len(await house.runs()) == runs + 1
    check_buttons(house.server, house.app.asking.buttons)


async def test_86_a_question_about_deleting_stays_for_its_person_when_another_presses(house: House) -> None:
    ann, bob = await house.member(7), await house.member(8, "Bob")
    group = await house.group(ann, bob)
    await group.say(f"/delete@{house.server.bot.username} me", by=ann.someone)
    await house.settled()
    question = group.answers[-1]
    press = await group.press(question, EN("delete-yes"), by=bob.someone)
    assert await press.answered() == EN("delete-not-yours")
    await house.settled()
    assert question.buttons
    await group.press(question, EN("delete-yes"), by=ann.someone)
    await house.settled()
    assert question.text.startswith(EN("deleted", runs=0))


async def test_who_is_turned_away_stops_being_worked_for_and_cannot_begin_again(house: House) -> None:
    agent = await house.scripted()
    admin, ann, bob = (
        await house.member(1, "Ada", Role.ADMIN),
        await house.member(7),
        await house.member(8, "Bob"),
    )
    agent.gate = asyncio.Event()
    await ann.say("Sum")
    await ann.say("And then a deck, please")
    await bob.say("Sum, too")
    await house.heard()
    assert len(house.app.dispatcher.standings()) >= 2
    await house.server.until(lambda: any(post.buttons for post in ann.messages))
    await admin.say("/deny 7")
    await house.heard()
    await house.server.until(lambda: not [s for s in house.app.dispatcher.standings() if s.run.sender == "7"])
    [left] = house.app.dispatcher.standings()
    assert left.run.sender == "8"
    agent.gate.set()
    await house.settled()
    ended = {run.sender: run.status for run in await house.runs()}
    assert ended == {"7": RunStatus.CANCELLED, "8": RunStatus.FINISHED}
    quiet = len(house.server.calls)
    await ann.say("Once more?")
    old = next(post for post in ann.messages if any(version.buttons for version in post.versions))
    await ann.press(old, old.versions[0].buttons[0].data if old.versions[0].buttons else "x", anyway=True)
    await house.settled()
    assert [call.method for call in house.server.calls[quiet:] if call.method != "getUpdates"] == []
    assert spoken(house.server)
