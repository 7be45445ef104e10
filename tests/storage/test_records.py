"""Ids sort by time and are safe to put into names; usages add up."""

import re
from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from storage.records import Usage, new_artifact_id, new_conversation_id, new_run_id

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(3000, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))  # noqa: DTZ001  made aware in the map


@given(MOMENTS, st.timedeltas(timedelta(milliseconds=1), timedelta(days=3650)))
@example(datetime(2243, 1, 1, tzinfo=UTC), timedelta(milliseconds=1))
def test_a_later_run_sorts_after_an_earlier_one(at: datetime, later: timedelta) -> None:
    assert new_run_id(at) < new_run_id(at + later)


@given(MOMENTS)
def test_ids_are_sixteen_plain_characters(at: datetime) -> None:
    for made in (new_run_id(at), new_artifact_id(at), new_conversation_id(at)):
        assert re.fullmatch(r"[a-z][a-z0-9]{15}", made)


def test_ids_of_one_moment_differ() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert len({new_run_id(at) for _ in range(500)}) == 500


def test_usages_add_up_field_by_field() -> None:
    one = Usage(model_calls=1, input_tokens=10, cached_tokens=4, model_seconds=0.5)
    two = Usage(model_calls=2, output_tokens=7, sandbox_runs=1, sandbox_seconds=1.5)
    assert one + two == Usage(
        model_calls=3,
        input_tokens=10,
        output_tokens=7,
        cached_tokens=4,
        model_seconds=0.5,
        sandbox_runs=1,
        sandbox_seconds=1.5,
    )
