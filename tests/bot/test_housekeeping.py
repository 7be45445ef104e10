"""What is to go is gone from every file, what is in use stays, and a full disk is told in time."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

from bot.ops.housekeeping import Housekeeping, Room, Threads, warning
from bot.settings import Settings
from bot.stores import Store
from bot.telemetry import bind, note_fault, open_log
from bot.texts import Language, texts
from storage.artifacts import put_bytes
from storage.checkpoints import Checkpointer, open_checkpointer
from storage.erasure import ERASED, Erasure
from storage.inbox import Inbox
from storage.members import Role
from storage.people import People
from storage.records import ArtifactKind, InputRef, Run, RunId, RunStatus
from storage.runs import Runs

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CANARY = "canary-7f3a"
PLENTY = Room(free=50, total=100)


@dataclass
class House:
    """A data folder with everything in it that a run leaves, at a clock of its own."""

    store: Store
    data: Path
    saver: Checkpointer
    now: datetime = NOON
    room: Room = PLENTY
    stubborn: bool = False
    """Runs do not stop when they are asked to."""
    warned: list[Room] = field(default_factory=list[Room])
    asked_to_stop: list[RunId] = field(default_factory=list[RunId])

    def __post_init__(self) -> None:
        self.runs = Runs(self.store.database, self.clock)
        self.inbox = Inbox(self.store.database, self.clock)
        self.people = People(self.store.database, self.clock)

    def clock(self) -> datetime:
        return self.now

    def keeper(self, keep_days: int | None = None, threads: Threads | None = None) -> Housekeeping:
        return Housekeeping(
            database=self.store.database,
            erasure=Erasure(self.store.database, self.store.artifacts, self.clock),
            inbox=self.inbox,
            stops=self,
            threads=threads or self.saver,
            data=self.data,
            keep_days=keep_days,
            warn=self.warn,
            room=lambda _: self.room,
            clock=self.clock,
            patience=0.01 if self.stubborn else 20,
        )

    async def warn(self, room: Room) -> None:
        self.warned.append(room)

    def cancel(self, run_id: RunId) -> bool:
        self.asked_to_stop.append(run_id)
        return True

    async def outcome(self, run_id: RunId) -> object:
        if self.stubborn:
            await asyncio.Event().wait()
        return await self.runs.finish(run_id, RunStatus.CANCELLED)

    async def ask(self, chat: str, sender: str, word: str = CANARY, *, ended: bool = True) -> Run:
        """A run that has left the word wherever one can."""
        place = await self.store.conversations.get_or_create("telegram", chat)
        entry = await self.inbox.put(
            "telegram",
            "",
            chat=chat,
            kind="Incoming",
            payload={"sender": {"id": sender, "name": word}, "text": word},
        )
        assert entry is not None
        sent = await put_bytes(
            self.store.artifacts, f"sent;{word}".encode(), name=f"{word}.csv", kind=ArtifactKind.INPUT
        )
        inputs = [InputRef(name=f"{word}.csv", original=f"{word}.csv", artifact_id=sent.id, size=sent.size)]
        run = await self.runs.create(
            place.id, word, language="en", sender=sender, inputs=inputs, consumes=[entry.id]
        )
        await self.store.events.append(run.id, "PlanChanged", {"plan": word})
        await put_bytes(
            self.store.artifacts, f"made;{word}".encode(), name="out", kind=ArtifactKind.OUTPUT, run_id=run.id
        )
        folder = self.data / "runs" / run.id / "out"
        folder.mkdir(parents=True)
        (folder / f"{word}.csv").write_text(word)
        (folder.parent / "trace.jsonl").write_text(word)
        for thread in (run.id, f"{run.id}.t1.1"):
            await self.checkpoint(thread, word)
        bind(run_id=run.id, platform="telegram", chat=chat)
        note_fault(FileNotFoundError(2, "gone", str(folder / f"{word}.csv")))
        structlog.contextvars.clear_contextvars()
        if ended:
            await self.runs.finish(run.id, RunStatus.FINISHED, answer=word)
        return run

    async def checkpoint(self, thread: str, word: str) -> None:
        state = empty_checkpoint()
        state["channel_values"] = {"messages": [HumanMessage(word * 50)]}
        state["channel_versions"] = {"messages": 1}
        await self.saver.aput(
            {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}, state, {}, {"messages": 1}
        )

    async def left(self) -> set[RunId]:
        return {run.id for run in await self.runs.list(99) if run.failure != ERASED}

    def holding(self, word: str) -> set[str]:
        """Files below the data folder that have the word in them or in their name."""
        return {
            path.relative_to(self.data).parts[0]
            for path in self.data.rglob("*")
            if word in path.name or (path.is_file() and word.encode() in path.read_bytes())
        }


@pytest.fixture
async def house(store: Store, settings: Settings) -> AsyncGenerator[House]:
    with open_log(settings.data / "deckhand.log"):
        async with open_checkpointer(settings.data / "checkpoints.db", []) as saver:
            yield House(store, settings.data, saver)


EVERYWHERE = {
    "artifacts",
    "checkpoints.db-wal",
    "deckhand.db-wal",
    "deckhand.log",
    "runs",
}


async def test_no_byte_of_a_person_is_left_below_the_data_folder(house: House) -> None:
    await house.people.put("telegram", "5", Role.MEMBER, name=CANARY, by="1")
    await house.ask("5", "5")
    await house.keeper().compact()  # so that the files themselves have it, too
    await house.ask("-1/7", "5")
    kept = await house.ask("-1", "6", "something else")
    assert house.holding(CANARY) >= EVERYWHERE | {"deckhand.db", "checkpoints.db"}

    erased = await house.keeper().erase_person("telegram", "5")
    assert (erased.runs, erased.left) == (2, 0)
    assert house.holding(CANARY) == set()
    assert await house.left() == {kept.id}
    assert {"artifacts", "runs", "deckhand.log", "deckhand.db", "checkpoints.db"} <= house.holding(
        "something else"
    )


async def test_no_byte_of_a_chat_is_left_below_the_data_folder(house: House) -> None:
    await house.people.allow_chat("telegram", "-1", title=CANARY, by="1")
    await house.ask("-1", "5")
    await house.ask("-1/7", "6")
    await house.ask("-12", "5", "something else")
    await house.keeper().erase_chat("telegram", "-1")
    assert house.holding(CANARY) == set()
    assert "runs" in house.holding("something else")


async def test_the_log_loses_lines_about_a_chat_that_name_no_run_and_goes_on(house: House) -> None:
    for chat in ("5", "5/3", "55"):
        bind(platform="telegram", chat=chat)
        note_fault(ValueError(f"{CANARY} in {chat}"))
    structlog.contextvars.clear_contextvars()
    old = house.data / "deckhand.log.1"
    old.write_text((house.data / "deckhand.log").read_text())
    await house.keeper().erase_person("telegram", "5")
    logging.getLogger("later").warning("after")
    lines = (house.data / "deckhand.log").read_text().splitlines()
    assert [f"{CANARY} in 55" in line for line in lines] == [True, False]
    assert "after" in lines[1]
    assert old.read_text().count(CANARY) == 1 * lines[0].count(CANARY)


async def test_what_runs_is_stopped_first_and_then_erased(house: House) -> None:
    run = await house.ask("5", "5", ended=False)
    erased = await house.keeper().erase_person("telegram", "5")
    assert house.asked_to_stop == [run.id]
    assert (erased.runs, erased.left) == (1, 0)
    assert house.holding(CANARY) == set()


async def test_what_does_not_stop_is_left_and_told(house: House) -> None:
    house.stubborn = True
    run = await house.ask("5", "5", ended=False)
    await house.ask("5", "5", "something else")
    erased = await house.keeper().erase_person("telegram", "5")
    assert (erased.runs, erased.left) == (1, 1)
    assert await house.left() == {run.id}
    assert (house.data / "runs" / run.id).is_dir()


async def test_rights_go_on_request_only(house: House) -> None:
    await house.people.put("telegram", "5", Role.MEMBER, name="Ann", by="1")
    await house.keeper().erase_person("telegram", "5")
    assert await house.people.get("telegram", "5") is not None
    await house.keeper().erase_person("telegram", "5", rights=True)
    assert await house.people.get("telegram", "5") is None


async def test_old_runs_go_with_all_they_left_and_young_ones_stay(house: House) -> None:
    await house.ask("5", "5")
    house.now += timedelta(days=7)
    young = await house.ask("5", "5", "something else")
    house.now += timedelta(days=1)
    await house.keeper(keep_days=7).tidy()
    assert await house.left() == {young.id}
    assert house.holding(CANARY) - {"deckhand.log"} == set()


async def test_nothing_is_too_old_where_nobody_said_so(house: House) -> None:
    run = await house.ask("5", "5")
    house.now += timedelta(days=4000)
    await house.keeper().tidy()
    assert await house.left() == {run.id}
    assert "runs" in house.holding(CANARY)


async def test_an_old_run_that_still_runs_is_neither_stopped_nor_erased(house: House) -> None:
    run = await house.ask("5", "5", ended=False)
    house.now += timedelta(days=30)
    await house.keeper(keep_days=1).tidy()
    assert await house.left() == {run.id}
    assert house.asked_to_stop == []


async def test_rotated_logs_go_when_they_are_old(house: House) -> None:
    old, young = house.data / "deckhand.log.4", house.data / "deckhand.log.1"
    for path, age in ((old, 8), (young, 6)):
        path.write_text("x")
        os.utime(path, (0, (NOON - timedelta(days=age)).timestamp()))
    await house.keeper(keep_days=7).tidy()
    assert (old.exists(), young.exists()) == (False, True)
    assert (house.data / "deckhand.log").exists()


async def test_what_was_told_long_ago_is_forgotten(house: House) -> None:
    entry = await house.inbox.put("telegram", "e", chat="5", kind="k", payload={})
    assert entry is not None
    await house.inbox.done([entry.id])
    house.now += timedelta(days=29)
    await house.keeper().tidy()
    assert await house.inbox.put("telegram", "e", chat="5", kind="k", payload={}) is None
    house.now += timedelta(days=2)
    await house.keeper().tidy()
    assert await house.inbox.put("telegram", "e", chat="5", kind="k", payload={}) is not None


async def test_files_that_no_run_works_on_are_swept(house: House) -> None:
    await put_bytes(house.store.artifacts, CANARY.encode(), name="a", kind=ArtifactKind.INPUT)
    house.now = datetime.now(UTC) + timedelta(days=2)
    await house.keeper().tidy()
    assert house.holding(CANARY) - {"deckhand.db-wal"} == set()


@pytest.mark.parametrize(("free", "warned"), [(9, 1), (10, 0), (50, 0)])
async def test_admins_hear_when_the_disk_is_nearly_full(house: House, free: int, warned: int) -> None:
    house.room = Room(free=free, total=100)
    await house.keeper().tidy()
    assert len(house.warned) == warned


def test_the_warning_says_how_much_there_is_and_what_helps() -> None:
    text = warning(Room(free=3 * 1024**3, total=60 * 1024**3), texts(Language.ENGLISH))
    assert text.startswith("Only 3.0 GB of 60.0 GB are left")
    assert "DECKHAND_KEEP_DAYS" in text


async def test_a_day_that_goes_wrong_is_followed_by_another(house: House) -> None:
    days: list[int] = []

    async def fail(room: Room) -> None:
        days.append(1)
        if len(days) == 2:
            raise asyncio.CancelledError
        message = "no chat"
        raise OSError(message)

    house.room = Room(free=0, total=100)
    with pytest.raises(asyncio.CancelledError):
        await replace(house.keeper(), warn=fail).work(timedelta(0))
    assert len(days) == 2


async def test_a_crash_between_folders_and_rows_leaves_a_run_that_is_erased_the_next_time(
    house: House,
) -> None:
    run = await house.ask("5", "5")

    class Crashing:
        async def forget(self, prefix: str) -> None:
            message = "power"
            raise OSError(message)

        async def compact(self) -> None: ...

    with pytest.raises(OSError, match="power"):
        await house.keeper(threads=Crashing()).erase_person("telegram", "5")
    assert await house.left() == {run.id}
    await house.keeper().erase_person("telegram", "5")
    assert house.holding(CANARY) == set()
