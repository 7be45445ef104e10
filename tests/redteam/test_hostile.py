"""What nobody planned: names that deceive, broken updates, presses at once, people who write to the log."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from agent.events import ResultsVerified, RunFinished, RunStarted
from agent.factbook import NAME as FACTS
from agent.factbook import Fact, Source, dump
from agent.verification import GateFinding, UntracedNumber, Verification
from bot.settings import Settings
from bot.telemetry import open_log
from bot.texts import Language, texts
from storage.artifacts import put_bytes
from storage.members import Role
from storage.people import CODE_TRIES
from storage.records import ArtifactKind, RunId, RunStatus
from tests.bot.fakes import Step
from tests.redteam.house import House, open_house
from tests.redteam.outgoing import check_buttons, check_harmless, spoken

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of pairing codes."""
EN = texts(Language.ENGLISH)
NAMES = (
    "../../etc/cron.d/x.csv",
    "/etc/passwd.csv",
    "..\\..\\x.csv",
    "C:\\x.csv",
    "a\nb\r.csv",
    "sales\u202evsc.exe.csv",
    "<b>bold</b> &amp; <a href='https://evil.com'>x</a>.csv",
    "@everyone /delete_me t.me/joinchat/x www.evil.com/a.csv",
    "*_`[x](tg://user?id=1)`_*.csv",
    "`id` $(id) ;id |id.csv",
    "CON.csv",
    ".csv",
    "-rf.csv",
    "ы" * 127 + ".csv",
    "n" * 251 + ".csv",
    "\u200b\u200b.csv",
    "😀" * 60 + ".csv",
    "a\U000e0041b.csv",
)
EVIL = (
    'Eve\n{"level": "error", "event": "forged"}\r\x1b[2J '
    "/allow_666 @admin www.evil.com t.me/x \u202e\U000e0041"
)


@pytest.fixture
async def house(settings: Settings) -> AsyncGenerator[House]:
    async with open_house(settings) as opened:
        yield opened


async def test_a_hostile_name_of_a_file_comes_through_as_a_plain_one_or_is_refused(house: House) -> None:
    await house.scripted()
    ann = await house.member(7)
    for start in range(0, len(NAMES), 6):
        await ann.send([(name, b"a\n1\n", "text/csv") for name in NAMES[start : start + 6]])
        await house.settled()
        await ann.say("Sum")
        await house.settled()
    await ann.say("/files")
    await house.settled()
    runs = await house.runs()
    assert {run.status for run in runs} == {RunStatus.FINISHED}
    inside = [item.name for run in runs for item in run.inputs]
    assert len(set(inside)) >= len(NAMES) - 2
    for name in inside:
        assert "/" not in name
        assert name.isprintable()
        assert not name.startswith((".", "-"))
        assert len(name.encode()) <= 255
    check_harmless(house.server)
    check_buttons(house.server, house.app.asking.buttons)


async def test_a_strangers_name_and_a_groups_title_say_nothing_that_acts_to_an_admin(
    settings: Settings, tmp_path: Path
) -> None:
    log = tmp_path / "bot.log"
    with open_log(log, level="DEBUG"):
        async with open_house(settings) as house:
            await house.scripted()
            ada = await house.member(1, "Ada", Role.ADMIN)
            eve = house.server.private(house.server.person(666, EVIL))
            await eve.say("hello")
            await house.settled()
            await ada.press(ada.answers[-1], EN("admit-yes"))
            group = house.server.group(EVIL, [ada.someone, eve.someone], bot="left")
            await group.add_bot(ada.someone)
            await house.settled()
            told = len(house.server.calls)
            await eve.say("Sum")
            for command in ("/users", "/usage", "/limits 666"):
                await ada.say(command)
            await house.settled()
            shown = [one for one in spoken(house.server) if one.call.chat == 1]
            assert any("Eve" in one.text for one in shown)
            for one in shown:
                assert "evil.com" not in one.text
                assert "/allow_666" not in one.text
                assert "@admin" not in one.text
                assert not {"\u202e", "\x1b", "\U000e0041"} & set(one.text)
                assert "\n{" not in one.text
            assert len(house.server.calls) > told
    events = [json.loads(line)["event"] for line in log.read_text("utf-8").splitlines()]
    assert "forged" not in events


async def test_what_no_file_can_hold_costs_the_log_no_line(tmp_path: Path) -> None:
    import structlog

    with open_log(tmp_path / "log"):
        structlog.stdlib.get_logger("x").warning("seen", name="half \ud83d of a pair")
    assert json.loads((tmp_path / "log").read_text("utf-8"))["event"] == "seen"


async def test_a_pairing_code_is_not_guessed_and_one_guesser_locks_nobody_out(house: House) -> None:
    code = await house.app.access.pairing_code("telegram")
    assert code is not None
    eve = house.server.private(house.server.person(666, "Eve"))
    for number in range(len(LETTERS)):
        await eve.say(f"/start aaaaaaa{LETTERS[number]}")
    await eve.say(f"/start {code}")  # too late for who guessed
    await house.settled()
    assert await house.app.access.admins("telegram") == ()
    ada = house.server.private(house.server.person(1, "Ada"))
    group = house.server.group("Mine", [ada.someone])
    await group.say(f"/start@{house.server.bot.username} {code}")
    await ada.forward(await eve.say(code))
    await house.settled()
    assert await house.app.access.admins("telegram") == ()
    await asyncio.gather(*(ada.say(f"/start {code}") for _ in range(3)))
    await house.settled()
    assert [person.id for person in await house.app.access.admins("telegram")] == ["1"]
    bob = house.server.private(house.server.person(8, "Bob"))
    await bob.say(f"/start {code}")  # it was for one
    await house.settled()
    assert len(await house.app.access.admins("telegram")) == 1


async def test_a_crowd_that_guesses_ends_the_code(house: House) -> None:
    code = await house.app.access.pairing_code("telegram")
    for number in range(CODE_TRIES + 1):
        await house.server.private(house.server.person(700 + number, "Eve")).say(
            f"/start aaaaaaa{LETTERS[number]}"
        )
    ada = house.server.private(house.server.person(1, "Ada"))
    await ada.say(f"/start {code}")
    await house.settled()
    assert await house.app.access.admins("telegram") == ()


async def test_two_presses_at_once_begin_one_run_and_stop_it_once(house: House) -> None:
    agent = await house.scripted()
    agent.gate = asyncio.Event()
    ann, bob = await house.member(7), await house.member(8, "Bob")
    group = await house.group(ann, bob)
    at = f"@{house.server.bot.username}"
    await group.send([("data.csv", b"a\n1\n", "text/csv")], at, by=ann.someone)
    await house.heard()
    question = group.answers[-1]
    names = [button.text for button in question.buttons]
    stolen = await group.press(question, names[0], by=bob.someone)
    assert await stolen.answered() == EN("press-not-yours")
    presses = [await group.press(question, name, by=ann.someone) for name in names]
    toasts = sorted([await press.answered() for press in presses])
    assert toasts == sorted([EN("press-begun"), *[EN("press-over")] * (len(names) - 1)])
    await house.heard()
    await agent.working.wait()
    await house.server.until(lambda: any(post.button(EN("button-cancel")) for post in group.answers))
    shown = next(post for post in group.answers if post.button(EN("button-cancel")))
    other = await group.press(shown, EN("button-cancel"), by=bob.someone)
    assert await other.answered() == EN("press-not-yours")
    mine = [await group.press(shown, EN("button-cancel"), by=ann.someone) for _ in range(3)]
    assert {await press.answered() for press in mine} <= {EN("press-cancelling"), EN("press-over")}
    await house.settled()
    [run] = await house.runs()
    assert run.status is RunStatus.CANCELLED
    ends = [post.text for post in group.answers if "ancelled" in post.text or "topped" in post.text]
    assert ends, group.transcript()


async def test_updates_that_are_huge_or_broken_hold_nothing_up(house: House) -> None:
    await house.scripted()
    ann = await house.member(7)
    facts = ann.add(ann.someone, "Sum").shown()
    broken = (
        facts | {"text": "x" * 1_000_000},
        facts | {"text": "Sum", "entities": [{"type": "bot_command", "offset": -9, "length": 99999}]},
        facts | {"text": "Sum", "entities": [{"type": "mention", "offset": 10**9, "length": 1}]},
        facts | {"text": "Sum", "date": -1},
        facts | {"text": "half \ud83d"},
        facts | {"text": "\0\0\0"},
        facts | {"message_id": -1, "text": "Sum"},
        facts | {"message_id": 2**62, "text": "Sum"},
        facts | {"from": facts["from"] | {"id": -7}, "text": "Sum"},
        facts | {"from": facts["from"] | {"first_name": "x" * 100_000}, "text": "Sum"},
        facts | {"text": None, "document": {"file_id": "x" * 10_000, "file_unique_id": "x", "file_size": -1}},
        facts | {"text": None, "document": {"file_id": "x", "file_unique_id": "x", "file_size": 2**60}},
        facts | {"text": None, "photo": []},
        facts | {"text": "Sum", "media_group_id": "x" * 10_000},
        facts | {"text": "Sum", "message_thread_id": -5, "is_topic_message": True},
    )
    for message in broken:
        house.server.updates.put("message", message)
        await house.heard()
    await house.settled()
    assert [call for call in house.server.calls if call.method == "getUpdates"][-1].code in (0, 200)
    before = len(await house.runs())
    await ann.say("And now?")
    await house.settled()
    assert len(await house.runs()) == before + 1
    assert ann.answers[-1].text == "42 it is."


@pytest.mark.parametrize("words", ["/why", "/why 38.4%", "/why revenue"])
async def test_92_nothing_of_a_forged_fact_acts_where_it_is_told(house: House, words: str) -> None:
    agent = await house.scripted()
    evil = "[x](https://evil.example/?d=38.4) @everyone /delete t.me/x `a` ```\n<b>b</b> \u202egnp.exe \u200b"
    long = evil * 20
    facts = [
        Fact(
            kind=kind,
            id=f"revenue {number} {long}",
            value=0.384,
            unit="%",
            text=f"38.4% {long}",
            expression=long,
            rows=number,
            columns=(long,),
            files=(Source(name=long, sha256="` @x /y"),) * 40,
            script=long,
            line=number,
            code=long,
            source=long,
            target=long,
        )
        for number, kind in enumerate(("fact", "asserted", "table", "drawn", "computed", "x @y"))
    ]

    def script(run_id: RunId) -> list[Step]:
        async def keep() -> None:
            store = house.app.store.artifacts
            await put_bytes(store, dump(facts), name=FACTS, kind=ArtifactKind.RECORD, run_id=run_id)

        left = UntracedNumber(file=long, place=f"slide 4, {long}", text=f"38.4% {long}")
        finding = GateFinding(check=2, code="empty", file=long, place=long, detail=long, blocking=True)
        checked = Verification(
            numerals=2, traced=1, untraced=(left,), findings=(finding,), differences=(long,) * 9
        )
        return [
            RunStarted(run_id=run_id, request="", files=(), model="fake"),
            keep,
            ResultsVerified(run_id=run_id, verification=checked),
            RunFinished(run_id=run_id, answer="It is 38.4%."),
        ]

    agent.script = script
    ann = await house.member(7)
    await ann.say("Sum")
    await house.settled()
    await ann.say(words)
    await house.settled()
    assert "38.4%" in ann.answers[-1].text
    check_harmless(house.server)
