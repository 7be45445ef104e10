"""What `/health` and `/metrics` say, and to whom."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from bot.dispatch import JobState
from bot.errors import SettingsError
from bot.ops.health import FRESH, SILENCE, Checkup, Health
from bot.ops.web import metrics, open_web, report
from bot.settings import Settings
from bot.stores import Store
from sandbox.errors import SandboxUnavailable
from sandbox.session import SandboxStats
from storage.tally import Tally
from tests.bot.fakes import FakeChat

WELL = Health(
    version="1.2.3",
    tally=Tally(runs={"finished": 7}, tokens=1200, inbox=2, outbox=1),
    sandbox=True,
    silence={"telegram": 3.04},
    jobs={JobState.QUEUED: 4},
    disk_free=10**10,
    stats=SandboxStats(ready=1),
)


@asynccontextmanager
async def served(health: Health, *routes: web.RouteDef) -> AsyncGenerator[str]:
    async def look() -> Health:
        return health

    async with open_web(Settings(deckhand_http="127.0.0.1:0"), look, routes) as address:
        assert address is not None
        yield address


async def get(address: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as client, client.get(address) as answer:
        return answer.status, await answer.text()


async def test_a_bot_that_is_well_answers_200_with_numbers() -> None:
    async with served(WELL) as address:
        status, body = await get(f"{address}/health")
    assert status == 200
    assert json.loads(body) == {
        "status": "ok",
        "problems": [],
        "version": "1.2.3",
        "silence_seconds": {"telegram": 3.0},
        "jobs": {"queued": 4},
        "inbox": 2,
        "outbox": 1,
        "disk_free_bytes": 10**10,
    }


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tally": None}, "database"),
        ({"sandbox": False}, "sandbox"),
        ({"disk_free": 1000}, "disk"),
        ({"silence": {"telegram": SILENCE + 1}}, "telegram"),
    ],
)
async def test_what_is_broken_is_named_and_the_status_is_503(change: dict[str, object], problem: str) -> None:
    ill = replace(WELL, **change)
    async with served(ill) as address:
        status, body = await get(f"{address}/health")
        _, numbers = await get(f"{address}/metrics")
    assert (status, json.loads(body)["problems"]) == (503, [problem])
    assert f'deckhand_up{{part="{problem}"}} 0.0' in numbers


def test_88_metrics_have_labels_of_ours_only() -> None:
    text = metrics(WELL).decode()
    assert set(re.findall(r'(\w+)="([^"]*)"', text)) == {
        ("part", "database"),
        ("part", "sandbox"),
        ("part", "disk"),
        ("part", "telegram"),
        ("version", "1.2.3"),
        ("state", "queued"),
        ("platform", "telegram"),
        ("status", "finished"),
        *(("what", name) for name in SandboxStats.__slots__),
    }
    assert "deckhand_inbox 2.0" in text


def test_a_database_that_is_gone_leaves_the_other_numbers() -> None:
    gone = replace(WELL, tally=None, stats=None)
    assert report(gone)["inbox"] is None
    assert b"deckhand_runs" not in metrics(gone)
    assert b"deckhand_disk_free_bytes" in metrics(gone)


async def test_an_adapter_adds_what_its_platform_calls_and_nothing_else_is_answered() -> None:
    async def called(request: web.Request) -> web.Response:
        return web.Response(text=await request.text())

    async with served(WELL, web.post("/telegram/x", called)) as address:
        async with (
            aiohttp.ClientSession() as client,
            client.post(f"{address}/telegram/x", data="hi") as answer,
        ):
            assert await answer.text() == "hi"
        assert (await get(f"{address}/"))[0] == 404


async def test_without_the_setting_nothing_is_listened_on() -> None:
    async def look() -> Health:
        return WELL

    async with open_web(Settings(), look) as address:
        assert address is None


async def test_an_address_that_is_taken_is_told_with_the_settings_name() -> None:
    async def look() -> Health:
        return WELL

    async with served(WELL) as address:
        taken = Settings(deckhand_http=address.removeprefix("http://"))
        with pytest.raises(SettingsError) as refused:
            async with open_web(taken, look):
                pass
    assert refused.value.key == "http-taken"


# The look itself


@dataclass
class HeardChat(FakeChat):
    silence: float | None = None


@dataclass
class Times:
    now: float = 100.0
    asked: int = 0
    answer: Callable[[], bool] = field(default=lambda: True)

    async def sandbox(self) -> bool:
        self.asked += 1
        return self.answer()


def checkup(store: Store, data: Path, times: Times, chat: FakeChat) -> Checkup:
    return Checkup(
        version="1",
        data=data,
        database=store.database,
        sandbox=times.sandbox,
        standings=lambda: (),
        adapters={"fake": chat},
        clock=lambda: times.now,
    )


async def test_many_who_ask_at_once_cost_one_look(store: Store, tmp_path: Path) -> None:
    times = Times()
    look = checkup(store, tmp_path, times, FakeChat())
    await asyncio.gather(*(look() for _ in range(20)))
    assert times.asked == 1
    times.now += FRESH
    assert (await look()).problems == ()
    assert times.asked == 2


async def test_a_platform_that_never_answered_is_a_problem_after_a_while(
    store: Store, tmp_path: Path
) -> None:
    times = Times()
    look = checkup(store, tmp_path, times, HeardChat())
    assert (await look()).problems == ()
    times.now += SILENCE + 1
    assert (await look()).problems == ("fake",)


async def test_a_sandbox_that_raises_is_a_problem_and_no_error(store: Store, tmp_path: Path) -> None:
    def gone() -> bool:
        raise SandboxUnavailable("no engine")  # noqa: EM101  # the words do not matter

    times = Times(answer=gone)
    assert (await checkup(store, tmp_path, times, FakeChat())()).problems == ("sandbox",)


async def test_the_counts_are_those_of_the_database(store: Store, tmp_path: Path) -> None:
    conversation = await store.conversations.get_or_create("fake", "7")
    await store.runs.create(conversation.id, "count", language="en")
    found = await checkup(store, tmp_path, Times(), HeardChat(silence=2.0))()
    assert found.tally == Tally(runs={"queued": 1}, tokens=0, inbox=0, outbox=0)
    assert found.silence == {"fake": 2.0}


def test_another_process_with_our_token_is_a_problem() -> None:
    assert replace(WELL, contested=("telegram",)).problems == ("telegram-rival",)
