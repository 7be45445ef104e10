from tests.bench.sandbox.figures import (
    Column,
    Sample,
    Target,
    latency_table,
    latency_targets,
    medians,
    percentile,
)


def sample(lease: float, *scripts: float) -> Sample:
    return Sample(lease, scripts)


def row(**milliseconds: float) -> dict[Column, float]:
    return {column: milliseconds.get(column, 1.0) for column in Column}


def test_a_kind_counts_by_its_first_run_and_five_by_all_with_the_lease() -> None:
    assert sample(0.5, 0.25, 2.0, 1.0, 4.0, 8.0).milliseconds() == {
        Column.PRINT: 250.0,
        Column.PLOT: 2000.0,
        Column.DECK: 4000.0,
        Column.FIVE: 15750.0,
        Column.LEASE: 500.0,
    }


def test_a_slow_session_does_not_move_the_median() -> None:
    usual = sample(0.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    found = medians([usual, usual, sample(9.0, 99.0, 99.0, 99.0, 99.0, 99.0)])
    assert found[Column.PRINT] == 1000.0
    assert found[Column.FIVE] == 5000.0


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 50) == 2.5
    assert percentile([4.0, 1.0, 3.0, 2.0], 100) == 4.0
    assert percentile([7.0], 99) == 7.0


def test_targets_tell_what_was_met() -> None:
    rows = {
        "ours-warm": row(five=400.0, print=20.0, lease=4.0),
        "ours-cold": row(five=1200.0),
        "bare-fork": row(five=390.0, print=9.0),
        "llm-sandbox-pool": row(five=2200.0),
        "llm-sandbox": row(five=1900.0),
        "jupyter-kernel": row(five=1400.0),
    }
    verdicts = {target.promise: target.met for target in latency_targets(rows)}
    assert [promise for promise, met in verdicts.items() if not met] == ["llm-sandbox over ours, cold"]
    assert len(verdicts) == 6


def test_a_peer_that_did_not_run_leaves_its_target_open() -> None:
    lost = [target for target in latency_targets({"ours-warm": row()}) if target.measured is None]
    assert len(lost) == 5
    assert all(not target.met and "not measured" in target.line() for target in lost)


def test_a_target_says_its_bound_and_its_verdict() -> None:
    line = Target("a lease", 12.0, 10, at_most=True, unit="ms").line()
    assert line.split() == ["NOT", "MET", "12.00", "ms", "(≤", "10", "ms)", "a", "lease"]
    assert Target("faster", 5.0, 5).line().startswith("met ")


def test_the_table_names_what_a_peer_could_not_take() -> None:
    table = latency_table({"ours": row(print=1234.56), "peer": row()}, {"peer": ("memory", "pids")})
    header, rule, ours, peer = table.splitlines()
    assert header.count("|") == rule.count("|") == ours.count("|") == 8
    assert "| 1,234.6 |" in ours
    assert ours.endswith("| – |")
    assert peer.endswith("| memory; pids |")
