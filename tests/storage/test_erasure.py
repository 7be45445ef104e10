"""What is erased is in no file any more, and what others need stays."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from storage.artifacts import ArtifactStore, open_artifacts, put_bytes
from storage.conversations import Conversations
from storage.database import Database
from storage.erasure import COUNTED, ERASED, Erasure, Found
from storage.errors import NoSuchArtifact, NoSuchRun
from storage.events import Events
from storage.inbox import Inbox
from storage.ledger import Ledger
from storage.mail import OutboxPart
from storage.members import Role
from storage.outbox import Outbox
from storage.people import People
from storage.questions import Questions
from storage.records import (
    Artifact,
    ArtifactKind,
    Brand,
    InputRef,
    Preferences,
    Run,
    RunId,
    RunStatus,
    Usage,
)
from storage.runs import Runs
from storage.spending import Spending

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CANARY = "canary-7f3a"


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


class House:
    """Everything that is kept, at a clock of its own."""

    def __init__(self, database: Database, artifacts: ArtifactStore) -> None:
        self.clock = Clock()
        self.database = database
        self.artifacts = artifacts
        self.conversations = Conversations(database, self.clock)
        self.runs = Runs(database, self.clock)
        self.inbox = Inbox(database, self.clock)
        self.people = People(database, self.clock)
        self.erasure = Erasure(database, artifacts, self.clock)

    async def ask(self, key: str, sender: str, *files: Artifact, ended: bool = True) -> Run:
        """A run with everything that can hang on one."""
        conversation = await self.conversations.get_or_create("telegram", key)
        entry = await self.inbox.put(
            "telegram",
            f"{key}:{sender}:{self.clock.now}:{len(await self.runs.list(99))}",
            chat=key,
            kind="incoming",
            payload={"sender": {"id": sender, "name": CANARY}, "text": CANARY},
        )
        assert entry is not None
        inputs = [
            InputRef(name=CANARY, original=CANARY, artifact_id=file.id, size=file.size) for file in files
        ]
        run = await self.runs.create(
            conversation.id, CANARY, language="en", inputs=inputs, sender=sender, consumes=[entry.id]
        )
        await Events(self.database).append(run.id, "PlanChanged", {"plan": CANARY})
        await Ledger(self.database).put(run.id, "call", CANARY)
        await Questions(self.database).ask(run.id, CANARY, [CANARY], CANARY)
        await Outbox(self.database).plan(run.id, [OutboxPart(kind="page", payload={"text": CANARY})])
        await self.runs.add_usage(run.id, Usage(input_tokens=70))
        if ended:
            await self.runs.finish(run.id, RunStatus.FINISHED, answer=CANARY)
        return run

    async def sent(self, content: str) -> Artifact:
        return await put_bytes(self.artifacts, content.encode(), name=CANARY, kind=ArtifactKind.INPUT)

    async def brand(self, key: str, sender: str) -> Artifact:
        """The template of that conversation, from now on."""
        conversation = await self.conversations.get_or_create("telegram", key)
        file = await put_bytes(
            self.artifacts, f"{key} {sender}".encode(), name=CANARY, kind=ArtifactKind.BRAND
        )
        brand = Brand(artifact_id=file.id, original=CANARY, size=file.size, layouts=3, sender=sender)
        await self.conversations.set_brand(conversation.id, brand)
        return file

    async def has_brand(self, key: str) -> bool:
        return (await self.conversations.get_or_create("telegram", key)).brand is not None

    async def made(self, run: Run, content: str, kind: ArtifactKind = ArtifactKind.OUTPUT) -> Artifact:
        return await put_bytes(self.artifacts, content.encode(), name="out.csv", kind=kind, run_id=run.id)

    async def has(self, artifact: Artifact) -> bool:
        try:
            return (await self.artifacts.get(artifact.id)).id == artifact.id
        except NoSuchArtifact:
            return False

    async def known(self) -> set[RunId]:
        return {run.id for run in await self.runs.list(99) if run.failure != ERASED}


@pytest.fixture
async def house(database: Database, database_file: Path) -> AsyncGenerator[House]:
    async with open_artifacts(str(database_file.parent / "artifacts"), database) as artifacts:
        yield House(database, artifacts)


def files_with(folder: Path, word: str) -> list[str]:
    found = [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
    return sorted(path.name for path in found)


async def test_a_person_is_found_in_all_chats_and_their_private_chat_as_a_whole(house: House) -> None:
    mine = [(await house.ask(key, "5")).id for key in ("5", "5/2", "-1", "-1/9")]
    private = await house.ask("5", "")
    waiting = await house.ask("-1", "5", ended=False)
    await house.ask("-1", "6")
    await house.ask("55", "55")
    found = await house.erasure.of_person("telegram", "5")
    assert set(found.ended) == {*mine, private.id}
    assert found.unfinished == (waiting.id,)
    assert await house.erasure.of_person("slack", "5") == Found()


async def test_a_chat_is_found_with_its_threads_and_without_its_neighbours(house: House) -> None:
    inside = [(await house.ask(key, "5")).id for key in ("-1", "-1/9")]
    for key in ("-12", "1", "-"):
        await house.ask(key, "5")
    assert set((await house.erasure.of_chat("telegram", "-1")).ended) == set(inside)


async def test_runs_from_before_a_time_are_found(house: House) -> None:
    old = await house.ask("5", "5")
    house.clock.now += timedelta(days=3)
    await house.ask("5", "5")
    assert await house.erasure.before(NOON + timedelta(days=1)) == Found(ended=(old.id,))


async def test_65_nothing_of_an_erased_person_is_in_any_file(house: House, database_file: Path) -> None:
    await house.people.put("telegram", "5", Role.MEMBER, name=CANARY, by="1")
    run = await house.ask("5", "5", await house.sent(f"a;{CANARY}"))
    for kind in (ArtifactKind.OUTPUT, ArtifactKind.RECORD, ArtifactKind.PREVIEW):
        await house.made(run, f"b;{CANARY};{kind}", kind)
    await house.brand("5", "5")
    house.clock.now += timedelta(days=3)
    await house.database.compact()
    await house.ask("-1", "5", await house.sent(f"c;{CANARY}"))
    assert {"deckhand.db", "deckhand.db-wal"} <= set(files_with(database_file.parent, CANARY))

    await house.erasure.erase((await house.erasure.of_person("telegram", "5")).ended)
    await house.erasure.forget_person("telegram", "5")
    await house.database.compact()
    assert files_with(database_file.parent, CANARY) == []
    person = await house.people.get("telegram", "5")
    assert person is not None
    assert person.role is Role.MEMBER


async def test_65_nothing_of_an_erased_chat_is_in_any_file(house: House, database_file: Path) -> None:
    await house.people.allow_chat("telegram", "-1", title=CANARY, by="1")
    await house.made(await house.ask("-1/4", "5", await house.sent(f"a;{CANARY}")), f"b;{CANARY}")
    await house.inbox.put("telegram", "e", chat="-1", kind="incoming", payload={"text": CANARY})
    await house.erasure.erase((await house.erasure.of_chat("telegram", "-1")).ended)
    await house.erasure.forget_chat("telegram", "-1")
    await house.database.compact()
    assert files_with(database_file.parent, CANARY) == []
    assert await house.inbox.waiting() == ()
    assert await house.people.chat("telegram", "-1") is not None


async def test_a_run_at_work_is_left_alone(house: House) -> None:
    sent = await house.sent("a")
    run = await house.ask("5", "5", sent, ended=False)
    await house.erasure.erase([run.id])
    assert (await house.runs.get(run.id)).request == CANARY
    assert len(await Events(house.database).of(run.id)) == 1
    assert await house.has(sent)


async def test_a_file_that_another_run_works_on_is_kept_until_that_one_goes(house: House) -> None:
    sent = await house.sent("a")
    first = await house.ask("5", "5", sent)
    made = await house.made(first, "b")
    second = await house.ask("5", "5", sent, made)
    await house.erasure.erase([first.id])
    assert await house.has(sent)
    assert await house.has(made)
    await house.erasure.erase([second.id])
    assert not await house.has(sent)
    assert not await house.has(made)


async def test_equal_bytes_of_somebody_else_stay(house: House) -> None:
    mine, theirs = await house.sent("same"), await house.sent("same")
    run = await house.ask("5", "5", mine)
    await house.ask("6", "6", theirs)
    await house.erasure.erase([run.id])
    assert not await house.has(mine)
    assert b"".join([chunk async for chunk in house.artifacts.open(theirs.id)]) == b"same"


async def test_who_deletes_their_runs_has_spent_them_nevertheless(house: House) -> None:
    run = await house.ask("5", "5")
    await house.erasure.erase([run.id])
    await house.erasure.erase([run.id])
    spent = await Spending(house.database).since("telegram", NOON, person="5")
    assert [one.tokens for one in spent] == [70]
    left = await house.runs.get(run.id)
    assert (left.request, left.answer, left.inputs, left.failure) == ("", None, (), ERASED)
    assert await house.runs.undelivered() == ()
    assert await house.erasure.of_person("telegram", "5") == Found()

    house.clock.now += COUNTED + timedelta(seconds=1)
    await house.erasure.sweep()
    with pytest.raises(NoSuchRun):
        await house.runs.get(run.id)


async def test_65_a_run_of_long_ago_leaves_no_trace(house: House) -> None:
    run = await house.ask("5", "5")
    house.clock.now += COUNTED
    await house.erasure.erase([run.id])
    with pytest.raises(NoSuchRun):
        await house.runs.get(run.id)


async def test_what_was_told_once_is_still_known_when_it_is_erased(house: House) -> None:
    run = await house.ask("5", "5")
    told = {"chat": "5", "kind": "incoming"}
    await house.inbox.put("telegram", "e1", **told, payload={"sender": "5", "text": CANARY})
    await house.inbox.put("telegram", "e2", **told, payload={"sender": {"id": "5"}, "text": CANARY})
    await house.inbox.put(
        "telegram", "e3", chat="-1", kind="press", payload={"sender": {"id": "6"}, "x": "5"}
    )
    await house.erasure.erase([run.id])
    await house.erasure.forget_person("telegram", "5")
    assert [(entry.chat, entry.payload["x"]) for entry in await house.inbox.waiting()] == [("-1", "5")]
    assert await house.inbox.put("telegram", "e1", **told, payload={}) is None


async def test_rights_are_forgotten_on_request(house: House) -> None:
    await house.people.put("telegram", "5", Role.MEMBER, name="Ann", by="1")
    await house.erasure.forget_person("telegram", "5", rights=True)
    assert await house.people.get("telegram", "5") is None


async def test_a_conversation_without_runs_goes_and_one_with_some_is_begun_anew(house: House) -> None:
    run = await house.ask("5", "5")
    here = run.conversation_id
    await house.conversations.set_language(here, "ru")
    await house.conversations.set_preferences(here, Preferences(rich=True))
    await house.erasure.erase([run.id])
    await house.erasure.forget_chat("telegram", "5")
    left = await house.conversations.get(here)
    assert (left.language, left.preferences, left.begun_after) == (None, Preferences(), run.id)
    house.clock.now += timedelta(days=2)
    await house.erasure.sweep()
    await house.erasure.forget_chat("telegram", "5")
    assert (await house.conversations.get_or_create("telegram", "5")).id != here


async def test_files_that_nobody_works_on_are_swept_after_a_day(house: House) -> None:
    lost, waiting, named = await house.sent("a"), await house.sent("b"), await house.sent("c")
    await house.inbox.put("telegram", "e", chat="5", kind="incoming", payload={"files": [waiting.id]})
    run = await house.ask("5", "5", named)
    made = await house.made(run, "d")
    house.clock.now = datetime.now(UTC)
    assert await house.erasure.sweep() == 0  # they may be about to be used
    house.clock.now += timedelta(days=1, minutes=1)
    assert await house.erasure.sweep() == 1
    assert [await house.has(file) for file in (lost, waiting, named, made)] == [False, True, True, True]


async def test_many_runs_are_erased_in_steps(house: House) -> None:
    keys = [(await house.ask("5", "5")).id for _ in range(3)]
    await Erasure(house.database, house.artifacts, at_once=2).erase(keys)
    assert await house.known() == set()


async def test_65_a_template_goes_with_its_chat_and_with_who_sent_it(house: House) -> None:
    mine, theirs, private = (
        await house.brand("-1", "5"),
        await house.brand("-2", "6"),
        await house.brand("5", "5"),
    )
    await house.erasure.forget_person("telegram", "5")
    assert [await house.has(file) for file in (mine, theirs, private)] == [False, True, False]
    assert [await house.has_brand(key) for key in ("-1", "-2", "5")] == [False, True, False]
    await house.erasure.forget_chat("telegram", "-2")
    assert not await house.has(theirs)


async def test_a_template_outlives_the_runs_that_had_it_and_is_swept_once_nobody_has_it(house: House) -> None:
    file = await house.brand("5", "5")
    run = await house.ask("5", "5", file)
    house.clock.now = file.created_at + timedelta(days=9)
    await house.erasure.erase([run.id])
    await house.erasure.sweep()
    assert await house.has(file)
    conversation = await house.conversations.get_or_create("telegram", "5")
    await house.conversations.set_brand(conversation.id, None)
    await house.erasure.sweep()
    assert not await house.has(file)
