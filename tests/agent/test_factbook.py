import json
from pathlib import Path
from typing import Any

import pytest

from agent.factbook import LEDGERS, MAX_FACTS, MAX_VALUES, Fact, collect, dump, find, lay_out, load, read

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
