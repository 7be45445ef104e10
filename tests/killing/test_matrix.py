"""A bot that is killed at any phase, and started again, ends every message as if nothing had happened."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from agent.runner import MAX_ATTEMPTS
from sandbox.policy import Policy
from tests.e2e.product import ROOT
from tests.e2e.telegram import TelegramBot
from tests.endpoint import Body, completion, serve
from tests.fakes.botapi import BotApi, LiveChat
from tests.killing.nursery import Nursery, open_nursery
from tests.killing.phases import Phase
from tests.replay.exchange import asker, said

ANN = 7
BOB = 8
CANARY = "canary-of-the-file-7391"
ANSWER = "The sum is 42."
SCRIPT = """
import csv, pathlib
rows = list(csv.DictReader(open("/workspace/input/data.csv")))
pathlib.Path("sum.txt").write_text(str(sum(int(row["x"]) for row in rows)))
pathlib.Path("ran.log").open("a").write("ran\\n")
print(sum(int(row["x"]) for row in rows))
"""
SHEET = f"""{SCRIPT}
import openpyxl
book = openpyxl.Workbook()
book.active.append(["x", 42])
book.save("sum.xlsx")
"""
"""The same, with something to render."""
FILE = b"x,note\n40," + CANARY.encode() + b"\n2,b\n"
TODOS = [{"id": "sum", "title": "Add the numbers up", "outputs": ["sum.txt"]}]
EXTRA = {
    Phase.CHECKED: "during",
    Phase.RERUN: "during",
    Phase.RENDERED: "during",
    Phase.RECORDED: "after",
}
"""One case for each, at the moment that leaves most behind."""
PLAYED: dict[str, list[Body]] = {
    "orchestrator": [
        completion(calls=[("create_todo_list", {"todos": TODOS}), ("start_next_todo", {"id": "sum"})]),
        completion(
            calls=[("complete_todo", {"id": "sum", "notes": "42", "answer": f"{ANSWER}\n\nFiles\n- sum.txt"})]
        ),
        completion(f"{ANSWER}\n\nFiles\n- sum.txt"),
    ],
    "sum": [
        completion(calls=[("write_and_run_python", {"name": "sum.py", "content": SCRIPT})]),
        completion("The sum is 42, in sum.txt"),
    ],
}
RENDERED = PLAYED | {
    "sum": [
        completion(calls=[("write_and_run_python", {"name": "sum.py", "content": SHEET})]),
        *PLAYED["sum"][1:],
    ]
}


@dataclass(slots=True)
class Model:
    played: Mapping[str, Sequence[Body]]
    asked: int = 0

    async def respond(self, request: Body) -> web.StreamResponse:
        self.asked += 1
        # Its figures have no source, so they come back to it once: it stays with its words.
        played = self.played[asker(request)]
        return web.json_response(played[min(len(said(request)), len(played) - 1)])


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def nursery() -> AsyncGenerator[Nursery]:
    async with open_nursery() as opened:
        yield opened


def cases() -> Iterator[object]:
    for phase in Phase:
        moments = ("before", "during", "after") if phase is Phase.SCRIPT_STARTED else ("before", "after")
        if phase in EXTRA:
            moments = (EXTRA[phase],)
        for moment in moments:
            yield pytest.param(phase, moment, id=f"{phase.value:02}-{phase.name.lower()}-{moment}")


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("phase", "moment"), list(cases()))
async def test_a_message_survives_a_kill(
    phase: Phase, moment: str, tmp_path: Path, docker_policy: Policy, nursery: Nursery
) -> None:
    model = Model(RENDERED if phase is Phase.RENDERED else PLAYED)
    mark = tmp_path / "killed"
    async with BotApi() as server, serve(model.respond) as endpoint:
        ann, bob = (
            server.person(ANN, "Ann", language_code="en"),
            server.person(BOB, "Bob", language_code="en"),
        )
        chat, other = server.private(ann), server.private(bob)
        bot = TelegramBot(tmp_path / "bot", server, endpoint.url, module="tests.killing", nursery=nursery)
        await bot.admit(ANN, BOB)
        process = await bot.start(FAULT_AT=f"{phase.value}:{moment}", FAULT_MARK=str(mark))
        await chat.send([("data.csv", FILE, "text/csv")], "Add the numbers up, please")
        await asyncio.wait_for(process.wait(), 120)
        assert mark.exists(), f"{phase.name} was never reached:\n{bot.log[-2000:]}\n{chat.transcript()}"
        bot.module = "bot"
        polls = len(server.called("getUpdates"))
        await bot.start()
        try:
            await server.until(lambda: len(server.called("getUpdates")) > polls, seconds=120)
            await chat.until(lambda seen: any(ANSWER in post.text for post in seen.answers), seconds=120)
            await asyncio.wait_for(_settled(bot), 120)
            await _is_as_if_nothing_had_happened(bot, server, chat, other, model)
        finally:
            assert await bot.stop() == 0
        # I3 and I4: nothing is left in the engine or on the host.
        assert bot.containers() == []
        reaper = [sys.executable, "-m", "sandbox.reaper", "--root", str(bot.data)]  # its next pass
        assert subprocess.run(reaper, cwd=ROOT, check=False).returncode == 0  # noqa: ASYNC221
        assert not list((bot.data / "leases").iterdir())


async def _settled(bot: TelegramBot) -> None:
    """Until the run is delivered and nothing is left to send."""
    while True:
        rows = _rows(bot, "SELECT delivered_at FROM runs")
        left = _rows(bot, "SELECT seq FROM outbox WHERE state NOT IN ('sent', 'unknown', 'dead')")
        if rows and all(row[0] for row in rows) and not left:
            return
        await asyncio.sleep(0.05)


async def _is_as_if_nothing_had_happened(
    bot: TelegramBot, server: BotApi, chat: LiveChat, other: LiveChat, model: Model
) -> None:
    why = chat.transcript()
    # I1: every accepted message ends in one run, and that in one final state.
    assert [row[0] for row in _rows(bot, "SELECT status FROM runs")] == ["finished"], why
    assert _rows(bot, "SELECT count(*) FROM inbox WHERE done_at IS NULL") == [(0,)], why
    # I2: the answer can be read once; each file came at most once, and where it did not the bot says so.
    answers = [post for post in chat.answers if ANSWER in post.text]
    assert len(answers) == 1, why
    assert not answers[0].silent
    files = [file.name for file in chat.documents]
    assert files.count("sum.txt") <= 1, why
    told = any("/resend" in post.text for post in chat.answers)
    assert ("sum.txt" in files) or told, why
    assert all(file.data == b"42" for file in chat.documents if file.name == "sum.txt")
    # No message is stuck on "working", and at most one acknowledgement or headline doubled.
    working = [post for post in chat.answers if post.buttons]
    assert working == [], why
    assert len(chat.answers) - len(files) - told <= 3, why
    assert not list(bot.data.glob("runs/*/input/*"))
    assert not list(bot.data.glob("runs/*/rerun"))
    # I5: tokens are counted once for each call whose answer was taken; a call that the kill cut off is not.
    calls, tokens = _rows(bot, "SELECT model_calls, input_tokens + output_tokens FROM runs")[0]
    assert calls <= model.asked
    assert tokens == 110 * calls
    assert calls >= sum(len(turns) for turns in PLAYED.values()) - 1, why
    # I6: nobody else heard of it.
    assert other.answers == []
    # I7
    assert _rows(bot, "SELECT attempt FROM runs")[0][0] <= min(MAX_ATTEMPTS, 2)
    # I8: what says that the run is over is the last word of the message that showed it.
    endings = [[version.text.startswith("✓ Done") for version in post.versions] for post in chat.answers]
    settled = [ending for ending in endings if any(ending)]
    assert len(settled) == 1, why
    assert all(settled[0][settled[0].index(True) :]), why
    # An edit that a crash repeats changes nothing, and is told so.
    assert not [call for call in server.refused() if "not modified" not in call.description]
    # I9: neither the token nor a row of the file stands in a log.
    for path in (*bot.data.glob("*.log*"), bot.folder / "printed.log"):
        text = path.read_text("utf-8", "replace")
        assert server.token not in text
        assert CANARY not in text
    # What was found of the results is told, and the records are kept once.
    checked = _rows(bot, "SELECT payload FROM events WHERE kind = 'ResultsVerified'")
    assert [json.loads(row[0])["verification"]["rerun"] for row in checked][-1:] == ["identical"], why
    kept = [row[0] for row in _rows(bot, "SELECT name FROM artifacts WHERE kind = 'record'")]
    assert sorted(kept) == [".deckhand/facts.json", ".deckhand/scripts.json"], why
    # The script that had finished did not run again.
    events = [json.loads(row[0]) for row in _rows(bot, "SELECT payload FROM events WHERE kind = 'ScriptRan'")]
    assert sum((event["todo_id"], event["script"]) == ("sum", "sum.py") for event in events) == 1, why


def _rows(bot: TelegramBot, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{bot.data / 'deckhand.db'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()
