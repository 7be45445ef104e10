"""One address is one conversation."""

import asyncio

import pytest

from storage.conversations import Conversations
from storage.database import Database
from storage.errors import NoSuchConversation
from storage.records import ConversationId


async def test_one_address_is_one_conversation_even_when_asked_at_once(database: Database) -> None:
    conversations = Conversations(database)
    asked = await asyncio.gather(*(conversations.get_or_create("telegram", "42", "ru") for _ in range(10)))
    assert len(set(asked)) == 1
    assert asked[0].language == "ru"
    assert asked[0].created_at.tzinfo is not None


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
