from datetime import timedelta

import pytest

from bot.delivery.parts import PartKind
from bot.delivery.retries import (
    GIVEN_UP_AFTER,
    LONGEST_DOUBT,
    LONGEST_GAP,
    Again,
    Dead,
    Doubted,
    Over,
    Plainly,
    Renewed,
    Step,
    Without,
    after,
    backoff,
    next_due,
    repeatable,
)
from bot.errors import (
    ChatBusy,
    ChatError,
    ChatGone,
    ChatRefused,
    ChatUncertain,
    ChatUnreachable,
    FileRefused,
    MessageGone,
)
from storage.mail import OutboxEntry, OutboxState
from storage.records import RunId, utc_now


def entry(
    kind: PartKind,
    seq: int = 0,
    *,
    state: OutboxState = OutboxState.NEW,
    attempts: int = 0,
    put_off: bool = False,
) -> OutboxEntry:
    return OutboxEntry(
        run_id=RunId("r"),
        seq=seq,
        kind=kind,
        payload={"page": 0},
        digest="",
        state=state,
        message_id="1" if state is OutboxState.SENT else None,
        attempts=attempts,
        next_at=utc_now() + timedelta(hours=1) if put_off else None,
        note="",
    )


@pytest.mark.parametrize(
    ("fault", "kind", "may_repeat", "step"),
    [
        (ChatBusy(13_938), PartKind.PARCEL, False, Again(13_938)),
        (ChatUnreachable("no route"), PartKind.PARCEL, False, Again(1)),
        (ChatUncertain(), PartKind.ANSWER, True, Again(1)),
        (ChatUncertain(), PartKind.PARCEL, False, Doubted()),
        (ChatError(), PartKind.PARCEL, False, Doubted()),
        (ChatGone("blocked"), PartKind.HEADLINE, True, Over("blocked")),
        (MessageGone(), PartKind.ANSWER, True, Renewed()),
        (MessageGone(), PartKind.SETTLE, True, Dead("gone")),
        (ChatRefused("entities"), PartKind.ANSWER, True, Plainly("entities")),
        (ChatRefused("rights"), PartKind.PARCEL, False, Dead("rights")),
        (FileRefused("a.csv", "big"), PartKind.PARCEL, False, Without("a.csv", "big")),
        (RuntimeError("bug"), PartKind.ANSWER, True, Plainly("RuntimeError")),
        (RuntimeError("bug"), PartKind.PARCEL, False, Doubted()),
    ],
)
def test_each_fault_has_one_consequence(
    fault: Exception, kind: PartKind, may_repeat: bool, step: Step
) -> None:
    assert after(fault, entry(kind), edits=True, may_repeat=may_repeat, silent_for=0) == step


@pytest.mark.parametrize("fault", [ChatUnreachable(""), ChatUncertain()])
def test_a_chat_that_is_silent_for_a_day_is_given_up(fault: Exception) -> None:
    headline = entry(PartKind.HEADLINE, attempts=1440)
    assert after(fault, headline, edits=False, may_repeat=True, silent_for=GIVEN_UP_AFTER) == Dead("")


def test_gaps_double_up_to_a_limit_and_jitter_only_lengthens_them() -> None:
    assert [backoff(tries) for tries in (1, 2, 3, 7, 10_000)] == [1, 2, 4, LONGEST_GAP, LONGEST_GAP]
    assert backoff(1, 1.0) == 1.5


def test_what_may_double_is_tried_less_and_less_often() -> None:
    headline = entry(PartKind.HEADLINE, attempts=40)
    step = after(ChatUncertain(), headline, edits=False, may_repeat=True, silent_for=0)
    assert step == Again(LONGEST_DOUBT)


@pytest.mark.parametrize("kind", PartKind)
def test_only_what_leaves_nothing_doubled_but_a_headline_or_a_failure_may_be_repeated(kind: PartKind) -> None:
    headline = entry(PartKind.HEADLINE, state=OutboxState.SENT)
    part = entry(kind, 1)
    allowed = kind not in (PartKind.PARCEL, PartKind.NOTE)
    assert repeatable(part, (headline, part), lasting=True) is allowed
    assert repeatable(part, (headline, part), lasting=False)


def test_a_first_page_without_a_headline_is_a_message_of_its_own() -> None:
    lost, page = entry(PartKind.HEADLINE, state=OutboxState.DEAD), entry(PartKind.ANSWER, 1)
    assert not repeatable(page, (lost, page), lasting=True)


def test_parts_keep_their_order_and_only_a_settled_line_may_come_later() -> None:
    settle, headline = entry(PartKind.SETTLE, put_off=True), entry(PartKind.HEADLINE, 1, put_off=True)
    page = entry(PartKind.ANSWER, 2)
    assert next_due((settle, headline, page)) == headline
    assert next_due((settle, entry(PartKind.HEADLINE, 1, state=OutboxState.SENT))) == settle
    assert next_due((entry(PartKind.SETTLE), page)) == entry(PartKind.SETTLE)
    assert next_due((entry(PartKind.PARCEL, state=OutboxState.UNKNOWN),)) is None
