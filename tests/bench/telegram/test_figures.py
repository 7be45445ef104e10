"""The benchmark's own arithmetic."""

import os
from dataclasses import replace

from tests.bench.telegram.figures import Figures, quantile
from tests.bench.telegram.memory import resident

GOOD = Figures(
    chats=100,
    ack_p50_ms=100,
    ack_p99_ms=1_000,
    rss_mb=400,
    lost=0,
    doubled=0,
    edits_over_pace=0,
    answer_p50_s=100,
    answer_p99_s=200,
    seconds=300,
)


def test_a_quantile_is_one_of_the_values() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert quantile(values, 0.5) == 50
    assert quantile(values, 0.99) == 99
    assert quantile([7.0], 0.99) == 7
    assert quantile([], 0.5) == float("inf")


def test_each_missed_target_is_named() -> None:
    assert GOOD.misses() == []
    bad = replace(GOOD, ack_p99_ms=1_001, rss_mb=401, lost=1, doubled=1, edits_over_pace=1)
    assert len(bad.misses()) == 5


def test_the_memory_of_a_process_is_more_than_nothing_and_of_none_nothing() -> None:
    assert resident(os.getpid()) > 2**20
    assert resident(2**22 + 1) == 0
