"""One address is one conversation."""

import asyncio

import pytest

from storage.conversations import Conversations
from storage.database import Database
from storage.errors import NoSuchConversation
from storage.inbox import Inbox
from storage.records import ConversationId
from storage.runs import Runs


async def test_one_address_is_one_conversation_even_when_asked_at_once(database: Database) -> None:
    conversations = Conversations(database)
    asked = await asyncio.gather(*(conversations.get_or_create("telegram", "42", "ru") for _ in range(10)))
    assert len(set(asked)) == 1
    assert asked[0].language == "ru"
    assert asked[0].created_at.tzinfo is not None


async def test_a_conversation_that_is_known_is_found_while_somebody_writes(database: Database) -> None:
    conversations, over = Conversations(database), asyncio.Event()
    known = await conversations.get_or_create("telegram", "42")
    writer = asyncio.create_task(database.write(lambda _: over.wait()))
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        assert await conversations.get_or_create("telegram", "42") == known
    over.set()
    await writer


async def test_the_same_key_of_two_platforms_is_two_conversations(database: Database) -> None:
    conversations = Conversations(database)
    one = await conversations.get_or_create("telegram", "42")
    two = await conversations.get_or_create("slack", "42")
    assert one.id != two.id


async def test_a_chosen_language_stays(database: Database) -> None:
    conversations = Conversations(database)
    here = await conversations.get_or_create("telegram", "42", "en")
    await conversations.set_language(here.id, "ru")
    assert (await conversations.get_or_create("telegram", "42", "en")).language == "ru"


async def test_an_unknown_conversation_is_told(database: Database) -> None:
    conversations = Conversations(database)
    with pytest.raises(NoSuchConversation, match="'c0'"):
        await conversations.get(ConversationId("c0"))
    with pytest.raises(NoSuchConversation):
        await conversations.set_language(ConversationId("c0"), "ru")


async def test_a_chat_that_moves_takes_its_threads_and_what_waits_along(database: Database) -> None:
    conversations, inbox = Conversations(database), Inbox(database)
    old = [await conversations.get_or_create("telegram", key) for key in ("-10", "-10/5")]
    other = await conversations.get_or_create("telegram", "-100")
    elsewhere = await conversations.get_or_create("slack", "-10")
    await inbox.put("telegram", "1", chat="-10/5", kind="Incoming", payload={})
    assert await conversations.move("telegram", "-10", "-77") == 2
    assert [(await conversations.get(here.id)).key for here in old] == ["-77", "-77/5"]
    assert (await conversations.get(other.id)).key == "-100"
    assert (await conversations.get(elsewhere.id)).key == "-10"
    assert [entry.chat for entry in await inbox.waiting()] == ["-77/5"]
    assert {here.id for here in await conversations.of_chat("telegram", "-77")} == {here.id for here in old}
    assert await conversations.move("telegram", "-10", "-77") == 0


async def test_what_was_said_under_the_new_address_already_joins_the_older_conversation(
    database: Database,
) -> None:
    conversations, runs = Conversations(database), Runs(database)
    old = await conversations.get_or_create("telegram", "-10")
    new = await conversations.get_or_create("telegram", "-77")
    first = await runs.create(old.id, "first", language="en")
    second = await runs.create(new.id, "second", language="en")
    await conversations.move("telegram", "-10", "-77")
    assert (await conversations.get_or_create("telegram", "-77")).id == old.id
    mine = await runs.list(conversation_id=old.id)
    assert {run.id for run in mine} == {first.id, second.id}
