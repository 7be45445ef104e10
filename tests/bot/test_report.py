import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.table import Table

from bot.ops.report import Phase, alert_table, phase_table, phases, run_facts, run_table
from bot.screen import open_console
from bot.settings import Prices
from bot.texts import Language, texts
from storage.records import ConversationId, Run, RunId, RunStatus, Usage

EN = texts(Language.ENGLISH)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
RUN = Run(
    id=RunId("r1"), conversation_id=ConversationId("c1"), request="Explore\nthis", language="en", inputs=(),
    status=RunStatus.RUNNING, created_at=NOON, started_at=NOON, finished_at=None, answer=None, failure=None,
    failure_detail=None, usage=Usage(input_tokens=1_000, output_tokens=234), attempt=1, owner="h:1:1",
    delivered_at=None,
)  # fmt: skip
TRACE = [
    json.dumps(facts)
    for facts in (
        {
            "type": "model",
            "todo": None,
            "input_tokens": 100,
            "output_tokens": 10,
            "cached_tokens": 0,
            "seconds": 1.0,
        },
        {"type": "tool", "todo": None, "tool": "create_todo_list", "seconds": 0.1},
        {
            "type": "model",
            "todo": "eda",
            "input_tokens": 200,
            "output_tokens": 20,
            "cached_tokens": 50,
            "seconds": 2.0,
        },
        {"type": "script", "todo": "eda", "seconds": 3.0, "cpu_seconds": 2.0, "peak_memory": 80 << 20},
        {"type": "script", "todo": "eda", "seconds": 0.5, "cpu_seconds": 0.5, "peak_memory": 70 << 20},
        {
            "type": "model",
            "todo": None,
            "input_tokens": 300,
            "output_tokens": 30,
            "cached_tokens": 90,
            "seconds": 1.0,
        },
    )
]


def printed(table: Table) -> list[list[str]]:
    stream = io.StringIO()
    open_console(stream).print(table)
    return [line.split("  ") for line in stream.getvalue().splitlines()]


def test_phases_add_up_by_todo_with_the_sum_last() -> None:
    own, eda, total = phases(TRACE)
    assert (own.todo, own.model_calls, own.input_tokens, own.cached_tokens) == (None, 2, 400, 90)
    assert (eda.todo, eda.sandbox_runs, eda.sandbox_seconds) == ("eda", 2, 3.5)
    assert (eda.sandbox_cpu, eda.peak_memory) == (total.sandbox_cpu, total.peak_memory) == (2.5, 80 << 20)
    assert (total.model_calls, total.input_tokens, total.output_tokens, total.cached_tokens) == (
        3,
        600,
        60,
        140,
    )


def test_a_line_that_a_crash_cut_is_left_out() -> None:
    assert phases([*TRACE, TRACE[0][:30], ""]) == phases(TRACE)


def test_a_run_without_a_trace_has_empty_phases() -> None:
    assert phases([]) == (Phase(todo=None), Phase(todo=""))


def test_the_price_is_a_column_only_where_prices_are_set() -> None:
    rows = phases(TRACE)
    assert len(phase_table(rows, None, EN).columns) == 10
    priced = printed(phase_table(rows, Prices(input=1_000, output=0), EN))
    assert priced[0][-1].strip() == "price"
    assert priced[-1][-1].strip() == "0.6000"


def test_a_run_whose_process_is_dead_is_shown_as_interrupted() -> None:
    (_, row) = printed(run_table([RUN], frozenset({"r1"}), EN, NOON + timedelta(seconds=75)))
    assert [cell.strip() for cell in row if cell.strip()][:2] == ["r1", "interrupted"]
    assert "1:15" in [cell.strip() for cell in row]
    assert row[-1].strip().endswith("Explore this")


def test_the_facts_of_a_failed_run_name_the_reason() -> None:
    failed = replace(RUN, status=RunStatus.FAILED, failure="budget", failure_detail="tokens")
    text = run_facts(failed, frozenset(), (), Path("/data/runs/r1"), EN)
    assert text.splitlines() == [
        "Request: Explore this",
        "Status: failed",
        "Reason: budget: tokens",
        "Folder: /data/runs/r1",
    ]


def test_the_alerts_of_a_run_are_a_table_of_their_own_and_safe_to_show() -> None:
    assert alert_table(TRACE, EN) is None
    alert = {
        "type": "alert",
        "todo": "eda",
        "code": "forged-name",
        "threat": 26,
        "detail": "a\x1b[31mb\u202e",
    }
    table = alert_table([*TRACE, json.dumps(alert), "{"], EN)
    assert table is not None
    head, row = printed(table)
    assert [cell.strip() for cell in head if cell.strip()] == ["alert", "threat", "phase", "detail"]
    assert [cell.strip() for cell in row if cell.strip()] == ["forged-name", "26", "eda", "ab\ufffd"]
