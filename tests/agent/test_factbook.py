import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.factbook import (
    LEDGERS,
    MAX_BOOK,
    MAX_FACTS,
    MAX_NUMBERS,
    MAX_READ,
    MAX_VALUES,
    Fact,
    collect,
    dump,
    find,
    lay_out,
    load,
    read,
)

SHARE = Fact(
    kind="fact", id="survived_share", value=0.3838383, unit="%", text="38.4%", expression="Survived.mean()"
)
REVENUE = Fact(kind="fact", id="revenue", value=847_368.3, unit="£", text="£847,368.30", columns=("Amount",))
BY_CLASS = Fact(kind="table", id="by_class", unit="%", values=(0.6296, 0.4728, 0.2424))
BOOK = (BY_CLASS, REVENUE, SHARE)


def ledger(out: Path, name: str, *lines: object) -> None:
    (out / LEDGERS).mkdir(parents=True, exist_ok=True)
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (out / LEDGERS / f"{name}.jsonl").write_text(text)


def test_facts_are_read_from_the_ledgers_and_come_back_from_what_is_kept(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"kind": "fact", "id": "n", "value": 3, "text": "3", "line": 4, "rows": 891}
    ledger(tmp_path, "deck.01", facts | {"files": [{"name": "a.csv", "sha256": "0" * 64}]})
    ledger(tmp_path, "eda.01", facts | {"value": None, "unknown": 1})
    found = collect(tmp_path)
    assert [(fact.ledger, fact.value, fact.rows) for fact in found] == [
        ("deck.01", 3, 891),
        ("eda.01", None, 891),
    ]
    assert load(dump(found)) == found
    lay_out(found, tmp_path / "other")
    assert collect(tmp_path / "other") == found


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "3",
        "[]",
        '{"id": "no kind"}',
        '{"kind": 3}',
        '{"kind": "fact", "value": {"a": 1}}',
        '{"kind": "fact", "files": "a"}',
        '{"kind": "fact", "ledger": "../../x"}',
        '{"kind": "' + "x" * 50 + '"}',
        "[" * 200_000,
    ],
)
def test_a_line_that_our_library_did_not_write_is_no_fact(line: str) -> None:
    assert list(read([line])) == []


def test_a_hostile_ledger_is_bounded(tmp_path: Path) -> None:
    record = {"kind": "table", "text": "x" * 90_000 + "\u202e", "values": list(range(30_000))}
    ledger(tmp_path, "a", record)
    (fact,) = collect(tmp_path)
    assert (len(fact.text), len(fact.values)) == (2_000, MAX_VALUES)
    ledger(tmp_path, "b", *[{"kind": "fact"}] * (MAX_FACTS + 50))
    assert len(collect(tmp_path)) == MAX_FACTS
    (tmp_path / LEDGERS / "c.jsonl").symlink_to("/etc/hostname")
    assert len(collect(tmp_path)) == MAX_FACTS


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b'{"kind": 3}\n'])
def test_92_lines_that_are_no_facts_cost_no_more_than_facts_do(
    line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight million empty lines kept the host busy for half a minute, in each file that a script wrote."""
    seen: list[bytes | str] = []

    def counting(lines: Iterable[bytes | str]) -> Iterator[Fact]:
        taken = list(lines)
        seen.extend(taken)
        return read(taken)

    monkeypatch.setattr("agent.factbook.read", counting)
    (tmp_path / LEDGERS).mkdir(parents=True)
    for name in "abc":
        (tmp_path / LEDGERS / f"{name}.jsonl").write_bytes(line * (MAX_READ // (2 * len(line))))
    assert collect(tmp_path) == ()
    assert len(seen) == MAX_FACTS
    assert sum(map(len, seen)) <= MAX_READ


def test_92_tables_without_end_are_cut_to_what_can_be_looked_through(tmp_path: Path) -> None:
    record = {"kind": "table", "values": [1.5] * MAX_VALUES}
    ledger(tmp_path, "a", *[record] * (MAX_NUMBERS // MAX_VALUES + 20))
    found = collect(tmp_path)
    assert len(found) == MAX_NUMBERS // MAX_VALUES + 20
    assert sum(len(fact.values) for fact in found) == MAX_NUMBERS
    assert len(dump(found)) < MAX_BOOK


@pytest.mark.parametrize("digits", [17, 400, 4_000])
def test_92_numbers_beyond_any_measure_are_none_and_stop_no_question(digits: int) -> None:
    huge = "9" * digits
    (fact,) = read([f'{{"kind": "fact", "id": "x", "value": {huge}, "values": [-{huge}, 3]}}'])
    assert (fact.value, fact.values) == (None, (None, 3))
    for words in ("38.4%", huge, f"{huge}%", f"0.{huge}", "x"):
        find([fact], words)
    assert list(read([f'{{"kind": "fact", "rows": {huge}}}', f'{{"kind": "fact", "line": -{huge}}}'])) == []


def test_infinity_and_nan_are_no_values() -> None:
    assert [
        fact.value
        for fact in read(['{"kind": "fact", "value": NaN}', '{"kind": "fact", "value": -Infinity}'])
    ] == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("38.4%", "survived_share"),
        ("why 38,4 %?", "survived_share"),
        ("38%", "survived_share"),
        ("£847,368.30", "revenue"),
        ("847 368", "revenue"),
        ("24.2%", "by_class"),
        ("why the revenue?", "revenue"),
        ("Amount", "revenue"),
    ],
)
def test_a_question_finds_the_fact_that_it_is_about(words: str, expected: str) -> None:
    assert find(BOOK, words)[0].id == expected


@pytest.mark.parametrize("words", ["38.4", "39%", "12", "weather", ""])
def test_a_question_about_no_fact_finds_none(words: str) -> None:
    assert find(BOOK, words) == ()
