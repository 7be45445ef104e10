import pytest

from bot.chat import Message
from bot.errors import ChatBusy, ChatError, ChatGone, ChatRefused, ChatUncertain, ChatUnreachable, MessageGone
from bot.intake.receipt import PAUSES, Receipt
from tests.bot.fakes import HERE, FakeChat


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def receipt(chat: FakeChat, pauses: Pauses, posted: str | None = None) -> Receipt:
    return Receipt(chat, HERE, to=None, posted=posted, sleep=pauses)


async def test_what_is_said_replaces_the_receipt() -> None:
    chat, pauses = FakeChat(), Pauses()
    mine = receipt(chat, pauses)
    await mine.open(Message(text="Got it."))
    assert await mine.say(Message(text="No."))
    assert chat.texts == ["No."]


async def test_a_receipt_that_was_deleted_is_posted_anew() -> None:
    chat, pauses = FakeChat(), Pauses()
    mine = receipt(chat, pauses, posted="99")
    chat.trouble = [MessageGone()]
    assert await mine.say(Message(text="No."))
    assert chat.texts == ["No."]


async def test_a_platform_that_is_busy_or_away_is_tried_again() -> None:
    chat, pauses = FakeChat(), Pauses()
    mine = receipt(chat, pauses)
    chat.trouble = [ChatUnreachable(), ChatBusy(7.0)]
    assert await mine.say(Message(text="No."))
    assert pauses == [1.0, 7.0]


@pytest.mark.parametrize(("posted", "said"), [(None, 0), ("1", 1)])
async def test_an_edit_that_may_have_happened_is_repeated_and_a_post_is_not(
    posted: str | None, said: int
) -> None:
    chat, pauses = FakeChat(), Pauses()
    chat.messages["1"] = [Message(text="Got it.")]
    mine = receipt(chat, pauses, posted)
    chat.trouble = [ChatUncertain()]
    assert await mine.say(Message(text="No.")) is bool(said)
    assert len(chat.messages["1"]) == 1 + said
    assert len(chat.messages) == 1


async def test_who_is_gone_counts_as_told() -> None:
    chat, pauses = FakeChat(), Pauses()
    chat.trouble = [ChatGone()]
    assert await receipt(chat, pauses).say(Message(text="No."))


@pytest.mark.parametrize("fault", [ChatRefused("no"), ChatBusy(5000.0)])
async def test_a_definite_no_and_a_wait_of_hours_are_left_for_later(fault: ChatError) -> None:
    chat, pauses = FakeChat(), Pauses()
    chat.trouble = [fault]
    assert not await receipt(chat, pauses).say(Message(text="No."))
    assert pauses == []


async def test_the_patience_has_an_end() -> None:
    chat, pauses = FakeChat(), Pauses()
    chat.trouble = [ChatUnreachable()] * 50
    assert not await receipt(chat, pauses).say(Message(text="No."))
    assert pauses == list(PAUSES)
