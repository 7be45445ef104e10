from datetime import UTC, datetime

import pytest

from bot.chat import Attachment, ChatKind, ChatRef, Incoming, MessageRef, Press, Sender
from bot.intake.wire import Kept, from_entry, to_record
from bot.texts import Language
from storage.inbox import Inbox
from storage.mail import InboxEntry, InboxId
from tests.bot.conftest import Store

TOPIC = ChatRef("fake", "-100", "5")
WHO = Sender(id="7", name="Аня", language=Language.RUSSIAN)
AT = datetime(2026, 11, 30, 1, 2, 3, 456789, tzinfo=UTC)

EVENTS: list[Kept] = [
    Incoming(
        chat=TOPIC,
        sender=WHO,
        text="сделай 🎉",
        attachments=(Attachment(name="a.csv", handle="x", size=3, media_type="text/csv"),),
        message=MessageRef(TOPIC, "12"),
        language=Language.ENGLISH,
        event="77",
        at=AT,
        kind=ChatKind.GROUP,
        title="Team",
        addressed=False,
        reply_to="11",
        batch="album",
        edited=True,
        forwarded=True,
    ),
    Incoming(chat=TOPIC, sender=WHO, text="", at=AT),
    Press(chat=TOPIC, sender=WHO, data="x", handle="h", message=MessageRef(TOPIC, "3"), event="78", at=AT),
]


@pytest.mark.parametrize("event", EVENTS)
async def test_an_event_comes_back_from_the_inbox_as_it_was(store: Store, event: Kept) -> None:
    kind, payload = to_record(event)
    await Inbox(store.database).put("fake", "1", chat=event.chat.key, kind=kind, payload=payload)
    (entry,) = await Inbox(store.database).waiting()
    assert from_entry(entry) == event


def entry(kind: str, payload: dict[str, object]) -> InboxEntry:
    return InboxEntry(
        id=InboxId(1), platform="fake", chat="-200/5", kind=kind, payload=payload, received_at=AT
    )


def test_an_event_of_a_chat_that_moved_is_one_of_the_new_chat() -> None:
    found = from_entry(entry(*to_record(EVENTS[0])))
    assert found is not None
    assert found.chat == ChatRef("fake", "-200", "5")
    assert found.message == MessageRef(found.chat, "12")


@pytest.mark.parametrize(("kind", "payload"), [("Dance", {}), ("Incoming", {}), ("Press", {"chat": 5})])
def test_what_another_version_wrote_is_none_that_we_can_read(kind: str, payload: dict[str, object]) -> None:
    assert from_entry(entry(kind, payload)) is None
