"""Threats 75, 78, 83, 85, 87 and 88: who gets in, how much of it, and with which rights the bot runs."""

import configparser
import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.intake.flood import EVENTS_A_MINUTE
from bot.settings import Settings
from bot.texts import Language, texts
from sandbox.alerts import AlertCode
from sandbox.session import ExitStatus, FileEntry, SkippedFile
from sandbox.watchman import Sighting, alerts_of
from storage.members import Role
from tests.agent.test_runner import models_at
from tests.endpoint import in_turn, serve
from tests.fakes import FakeRun
from tests.fakes.botapi import LiveChat
from tests.redteam.house import House, open_house
from tests.redteam.obedient import Injection, Obedient

ROOT = Path(__file__).parents[2]
EN = texts(Language.ENGLISH)


@pytest.fixture
async def house(settings: Settings) -> AsyncGenerator[House]:
    async with open_house(settings) as opened:
        await opened.scripted()
        yield opened


def test_75_the_bot_has_neither_the_engines_socket_nor_a_way_to_root() -> None:
    services = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))["services"]
    bot, sandbox = services["bot"], services["sandbox"]
    assert "docker" not in str(bot).lower()
    assert bot["environment"]["SANDBOX_URL"].startswith("unix:")
    for service in (bot, sandbox):
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["read_only"] is True
        assert not {"privileged", "pid", "ipc", "devices", "cap_add", "userns_mode"} & service.keys()
        assert not str(service["user"]).startswith(("0", "root"))
    assert "group_add" not in bot
    assert sandbox["network_mode"] == "none", "who has the socket has no network"

    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]  # keys of units are told apart by case
    unit.read(ROOT / "deploy/systemd/deckhand.service")
    held = dict(unit["Service"])
    assert "SupplementaryGroups" not in held
    assert "docker" not in str(held).lower()
    assert (held["User"], held["NoNewPrivileges"], held["CapabilityBoundingSet"]) == ("deckhand", "yes", "")


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-dev.lock", "deploy/sandbox/requirements.lock"]
)
def test_83_every_package_is_pinned_to_the_bytes_that_were_locked(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "--"))]
    assert len(lines) > 20
    for line in lines:
        assert re.match(r"[\w.\[\],-]+==[^\s;]+", line), line
        assert "--hash=sha256:" in line, line
    for file in ("deploy/bot/Dockerfile", "deploy/sandbox/Dockerfile"):
        assert "--no-index --find-links /wheels --require-hashes" in (ROOT / file).read_text("utf-8")


def _kinds(chat: LiveChat, facts: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Ways to say `facts` that are no person speaking for themselves in an allowed place."""
    bot, channel = {"id": 99, "is_bot": True, "first_name": "Bot"}, {"id": -100123, "type": "channel"}
    press = {"id": "1", "chat_instance": "1", "from": facts["from"], "data": "x"}
    named = channel | {"title": "News"}
    return [
        ("message", facts | {"from": bot}),
        ("message", facts | {"via_bot": bot}),
        ("message", facts | {"sender_chat": chat.shown()}),
        ("message", facts | {"sender_chat": named}),
        ("message", {key: value for key, value in facts.items() if key != "from"}),
        ("message", facts | {"chat": named}),
        ("edited_message", facts | {"from": bot, "edit_date": 1}),
        ("channel_post", facts | {"chat": named}),
        ("edited_channel_post", facts | {"chat": named, "edit_date": 1}),
        ("business_message", facts | {"business_connection_id": "b"}),
        ("inline_query", {"id": "1", "from": facts["from"], "query": "x", "offset": ""}),
        ("chosen_inline_result", {"result_id": "1", "from": facts["from"], "query": "x"}),
        ("callback_query", press | {"inline_message_id": "i"}),
        ("callback_query", press | {"from": bot, "message": facts}),
        ("poll", {"id": "1", "question": "x", "options": [], "total_voter_count": 0}),
        ("message", {"message_id": -5, "date": 0, "chat": {"id": 2**63, "type": "private"}}),
        ("message", {"message_id": "x"}),
        ("message", {}),
        ("a_kind_of_tomorrow", {"x": [[[[]]]]}),
    ]


async def test_78_nobody_but_people_who_were_let_in_and_speak_for_themselves_is_heard(house: House) -> None:
    ann = await house.member(7)
    post = ann.add(ann.someone, "Sum")
    for kind, facts in _kinds(ann, post.shown()):
        house.server.updates.allowed = None  # as if Telegram told things that were not asked for
        house.server.updates.put(kind, facts)
    await house.settled()
    assert await house.runs() == []
    assert await house.app.store.inbox.waiting() == ()
    assert not house.server.called("sendMessage")

    eve = house.server.private(house.server.person(666, "Eve"))
    strange = house.server.group("Strangers", [eve.someone])
    for chat in (eve, strange):
        said = await chat.say(f"Sum @{house.server.bot.username}")
        await chat.say("/users")
        await chat.send([("a.csv", b"a\n", "text/csv")], f"Sum @{house.server.bot.username}")
        await chat.press(said, "cancel.x..y", anyway=True)
        await chat.edit(said, f"Sum it @{house.server.bot.username}")
        await house.settled()
    assert await house.runs() == []
    assert await house.app.store.inbox.waiting() == ()
    assert [len(chat.answers) for chat in (eve, strange)] == [1, 1], "one polite line each"
    assert not house.server.called("getFile")
    await ann.say("Sum")  # and the next one is heard all the same
    await house.settled()
    assert len(await house.runs()) == 1


async def test_78_a_group_of_a_stranger_is_left(house: House) -> None:
    eve = house.server.person(666, "Eve")
    group = house.server.group("Mine", [eve], bot="left")
    await group.add_bot(eve)
    await house.settled()
    assert house.server.called("leaveChat")
    assert [post.text for post in group.answers] == [EN("group-goodbye")]


async def test_85_a_flood_costs_few_rows_few_answers_and_nobody_elses_turn(house: House) -> None:
    ann, bob = await house.member(7), await house.member(8, "Bob")
    eve = house.server.private(house.server.person(666, "Eve"))
    for number in range(3 * EVENTS_A_MINUTE):
        await eve.say(f"let me in {number}")
    files = [(f"{number}.csv", b"a\n", "text/csv") for number in range(300)]
    await ann.send(files, "Sum", album=False)
    storm = await ann.say("Sum")
    for number in range(2 * EVENTS_A_MINUTE):
        await ann.edit(storm, f"Sum {number}")
    await bob.say("Sum")
    await house.settled()
    assert len(eve.answers) == 1
    assert len(ann.answers) <= 6
    assert len(house.server.called("getFile")) == 0
    assert [run.sender for run in await house.runs()].count("8") == 1
    assert bob.answers[-1].text == "42 it is."
    assert house.server.refused() == []


async def test_85_quotas_and_queues_hold_for_one_person_in_all_their_chats(settings: Settings) -> None:
    limited = settings.model_copy(update={"deckhand_people_runs_a_day": 3, "deckhand_people_runs_at_once": 2})
    async with open_house(limited) as house:
        await house.scripted()
        ann = await house.member(7)
        groups = [await house.group(ann) for _ in range(3)]
        for chat in (ann, *groups, ann, *groups):
            await chat.say(f"Sum @{house.server.bot.username}", by=ann.someone)
        await house.settled()
        assert len(await house.runs()) <= 3
        await ann.say("And again")
        await house.settled()
        assert len(await house.runs()) <= 3


@pytest.mark.parametrize(
    "command", ["/allow 666 admin", "/deny 7", "/users", "/limits 7 runs=9", "/delete 7"]
)
async def test_87_admins_are_obeyed_in_their_own_chat_in_their_own_new_words_only(
    house: House, command: str
) -> None:
    ada, ann = await house.member(1, "Ada", Role.ADMIN), await house.member(7)
    group = await house.group(ada, ann)
    at = f"@{house.server.bot.username}"
    name, _, rest = command.partition(" ")
    before = await house.app.store.people.list("telegram")

    hostile = await ann.say(command)
    await ada.forward(hostile)
    await group.say(f"{name}{at} {rest}", by=ann.someone)
    await group.say(f"{name}{at} {rest}", by=ada.someone)
    late = await ada.say("Sum")
    await house.settled()
    await ada.edit(late, command)
    await ada.say(f"Ann says: {command}")
    await house.settled()

    assert await house.app.store.people.list("telegram") == before
    assert (await house.app.access.admins("telegram"))[0].id == "1"
    told = [post.text for chat in (ada, ann, group) for post in chat.answers]
    refusals = {EN("command-admins-only"), EN("command-in-private"), EN("command-said-anew")}
    assert sum(text in refusals for text in told) >= 4, told
    assert not any("Ada" in text and "Ann" in text for text in told), "no list of people"
    assert not [button for chat in (ada, ann, group) for post in chat.answers for button in post.buttons]


HOSTILE = 'x\n{"level": "error", "event": "forged"}\r\x1b[2J @everyone \u202e'
SIGHTINGS = (
    Sighting(observed=(("socket", HOSTILE), ("forbidden-command", HOSTILE), ("unlisted-program", HOSTILE))),
    Sighting(status=ExitStatus.ERROR, exit_code=159),
    Sighting(status=ExitStatus.OUT_OF_MEMORY),
    Sighting(status=ExitStatus.TIMEOUT, timeouts=3),
    Sighting(refused_forks=9),
    Sighting(status=ExitStatus.OUTPUT_LIMIT),
    Sighting(no_space=True),
    Sighting(files=(FileEntry(path="a\u202eb", size=1),)),
    Sighting(skipped=(SkippedFile(path=HOSTILE, reason="not a regular file"),)),
)


async def test_88_each_alert_is_raised_once_in_one_clean_line_and_not_in_the_chat(
    settings: Settings,
) -> None:
    alerts = tuple(alert for sighting in SIGHTINGS for alert in alerts_of(sighting))
    assert {alert.code for alert in alerts} == set(AlertCode)
    harmless = Injection(name="harmless", where="cell", text="x")
    async with (
        serve(in_turn()) as endpoint,
        open_house(settings, models=models_at(endpoint)) as house,
    ):
        endpoint.respond = Obedient(harmless).respond
        sandbox = harmless.sandbox()
        sandbox._plans["01.py"] = [FakeRun(stdout="ok", files={"sum.csv": b"a\n"}, alerts=alerts * 3)]
        await house.works_with(models_at(endpoint), sandbox)
        ann = await house.member(7)
        await ann.send([("data.csv", b"a\n1\n", "text/csv")], "Sum")
        await house.settled()
        [run] = await house.runs()
        events = await house.app.store.events.of(run.id)
        shown = ann.transcript()
    raised = [event.payload for event in events if event.kind == "AlertRaised"]
    assert sorted(str(facts["code"]) for facts in raised) == sorted(AlertCode)
    assert all(str(facts["detail"]).isprintable() and len(str(facts["detail"])) <= 200 for facts in raised)
    trace = (settings.data / "runs" / run.id / "trace.jsonl").read_text("utf-8").splitlines()
    told = [line for line in map(json.loads, trace) if line["type"] == "alert"]
    assert len(told) == len(AlertCode)
    assert "forged" not in shown
    assert "alert" not in shown
