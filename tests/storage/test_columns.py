"""Whatever text arrives, the database can hold it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects.sqlite import dialect

from storage.columns import UtcTime, clean
from storage.conversations import Conversations
from storage.database import Database
from storage.events import Events
from storage.ledger import Ledger
from storage.records import Run, RunStatus
from storage.runs import Runs

ANYTHING = st.text(st.characters(categories=["Cs", "Cc", "L", "So"]), max_size=40)
"""Lone surrogates and control characters among ordinary ones."""
SHARED_DATABASE = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(ANYTHING)
def test_clean_text_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    once.encode()
    assert "\0" not in once
    assert clean(once) == once


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_ordinary_text_is_not_touched(text: str) -> None:
    assert clean(text) == text


def test_a_pair_of_surrogates_becomes_its_character() -> None:
    assert clean("a\ud83d\ude00b\ud83dc\udc00") == "a😀b�c�"


@SHARED_DATABASE
@given(ANYTHING)
async def test_any_text_survives_every_table(database: Database, run: Run, text: str) -> None:
    conversation = await Conversations(database).get_or_create(text, text, text)
    runs = Runs(database)
    other = await runs.create(conversation.id, text, language=text)
    await runs.finish(other.id, RunStatus.FAILED, failure=text, failure_detail=text)
    await Ledger(database).put(run.id, text, text)
    event = await Events(database).append(run.id, text, {text: [text, {"deep": (text,)}]})

    assert conversation == await Conversations(database).get_or_create(text, text)
    assert other.request == clean(text)
    assert (await runs.get(other.id)).failure_detail == clean(text)
    assert await Ledger(database).get(run.id, text) is not None
    assert event.payload == {clean(text): [clean(text), {"deep": [clean(text)]}]}
    assert (await Events(database).of(run.id))[-1] == event


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        UtcTime().process_bind_param(datetime(2026, 1, 1), dialect())  # noqa: DTZ001  the point of the test


def test_a_time_of_another_zone_is_kept_in_utc() -> None:
    moscow = datetime(2026, 1, 1, 3, tzinfo=timezone(timedelta(hours=3)))
    assert UtcTime().process_bind_param(moscow, dialect()) == datetime(2026, 1, 1, tzinfo=UTC)
