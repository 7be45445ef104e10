"""A fact is computed from a loaded frame, handed back as text, and recorded with what one may ask of it."""

# ruff: noqa: E501  # scripts for the guest stand in strings

import ast
import hashlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import HEAD, TITANIC, ledger, run_script

facts: Any = guest_module("facts", "facts")
writing: Any = guest_module("facts", "facts_text")
values: Any = guest_module("facts", "facts_values")
expressions: Any = guest_module("facts", "facts_expression")
facts_source: Any = guest_module("facts", "facts_source")
words: Any = guest_module("presentation", "deck_words").words

SALES = pd.DataFrame(
    {
        "Amount": [10.0, 20.0, -5.0, 40.0],
        "Unit Price": [1.5, 2.5, 3.5, 4.5],
        "Region": ["West", "East", "West", "North"],
        "Day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-02-01", "2024-02-03"]),
        "count": [1, 2, 3, 4],
    }
)


def test_a_fact_is_its_text_and_its_record_tells_where_it_is_from(tmp_path: Path) -> None:
    source = HEAD + (
        "share = facts.fact('survived share', 'Survived.mean()',\n"
        "                   of=df, unit='%')\n"
        "assert share == '38.4%' and f'{share} survived' == '38.4% survived'\n"
        "assert share.value == df.Survived.mean() == float(share) and share.id == 'survived share'\n"
    )
    (record,) = run_script(tmp_path, source)
    assert record == {
        "kind": "fact",
        "id": "survived share",
        "value": pytest.approx(342 / 891),
        "unit": "%",
        "digits": 1,
        "text": "38.4%",
        "expression": "Survived.mean()",
        "rows": 891,
        "columns": ["Survived"],
        "labels": [],
        "values": [],
        "files": [{"name": "titanic.csv", "sha256": hashlib.sha256(TITANIC.read_bytes()).hexdigest()}],
        "script": "script.py",
        "line": 4,
        "code": "share = facts.fact('survived share', 'Survived.mean()',",
        "source": "",
        "target": "",
        "traced": True,
    }


def test_a_table_is_handed_back_as_it_is_and_all_its_numbers_are_known(tmp_path: Path) -> None:
    source = HEAD + (
        "rates = facts.table('by class', \"groupby('Pclass')['Survived'].mean()\", of=df, unit='%')\n"
        "assert rates.round(3).to_dict() == {1: 0.63, 2: 0.473, 3: 0.242}\n"
        "facts.drawn('deck.pptx', 'slide 2', {'first': rates[1], 'third': rates[3]}, unit='%')\n"
    )
    table, drawn = run_script(tmp_path, source)
    assert (table["kind"], table["unit"], table["traced"]) == ("table", "%", True)
    assert [round(value, 3) for value in table["values"]] == [0.63, 0.473, 0.242]
    assert table["labels"] == ["Survived", "1", "2", "3", "Pclass"]
    assert table["columns"] == ["Pclass", "Survived"]
    assert (drawn["kind"], drawn["target"], drawn["source"]) == ("drawn", "deck.pptx", "slide 2")
    assert drawn["labels"] == ["first", "third"]
    assert drawn["traced"]


@pytest.mark.parametrize(
    ("expression", "value", "rows"),
    [
        ("Amount.sum()", 65.0, 4),
        ("Amount[Amount > 0].mean()", 70 / 3, 3),
        ("(Region == 'West').sum()", 2, 4),
        ("((Amount > 0) & ~(Region == 'West')).sum()", 2, 4),
        ("df['Unit Price'].max()", 4.5, 4),
        ("`Unit Price`.max() - `Unit Price`.min()", 3.0, 4),
        ("groupby('Region').Amount.sum().idxmax()", "North", 4),
        ("groupby('Region')['Amount'].sum().loc['West'] / Amount.sum()", 5 / 65, 4),
        ("df[df.Region.isin(['West', 'East'])].Amount.sum()", 25.0, 3),
        ("query(\"Region == 'West'\").Amount.sum()", 5.0, 2),
        ("len(df)", 4, 4),
        ("shape[0]", 4, 4),
        ("count.sum()", 10, 4),
        ("len(df[df['count'] > 2])", 2, 2),
        ("Day.max()", "2024-02-03", 4),
        ("Day.dt.to_period('M').min()", "2024-01", 4),
        ("set_index('Day').resample('MS').Amount.sum().iloc[-1]", 35.0, 4),
        ("Amount.quantile(0.5)", 15.0, 4),
        ("pd.cut(Amount, [-10, 0, 100]).value_counts().max()", 3, 4),
        ("assign(net=lambda d: d.Amount * d['Unit Price']).net.sum()", 227.5, 4),
        ("round(Amount.mean(), 1)", 16.2, 4),
        ("max(Amount.max(), 1)", 40.0, 4),
        ("Amount.agg({'x': 'sum'}).iloc[0]", 65.0, 4),
        ("Amount.iloc[-1] if len(df) > 3 else 0", 40.0, 4),
        ("count.min() if Amount.min() < 0 and Amount.max() > 0 else -1", 1, 4),
    ],
)
def test_an_expression_is_pandas_over_the_columns(expression: str, value: object, rows: int) -> None:
    found = facts.fact("x", expression, of=SALES)
    assert found.value == (pytest.approx(value) if isinstance(value, float) else value)
    assert facts.facts()[-1]["rows"] == rows


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (0.384, "as an expression in quotes, never as a value"),
        ("38.4", "computes nothing from the frame"),
        ("20 + 18.4", "computes nothing from the frame"),
        ("Amont.sum()", "Did you mean 'Amount'?"),
        ("amount.sum()", "Did you mean 'Amount'?"),
        ("df['Amont'].sum()", "Did you mean 'Amount'?"),
        ("df[['Amount', 'Regon']].sum().sum()", "Did you mean 'Region'?"),
        ("Amount.meen()", "Did you mean 'mean'?"),
        ("Unit Price.sum()", "Write df['Unit Price']."),
        ("Amount", "4 values, and a fact is one: end it with .sum()"),
        ("groupby('Region').Amount.sum()", "state all of them by facts.table"),
        ("Amount[Amount > 99].mean()", "came out as nan: no rows are left"),
        ("Amount.sum() / (Amount.sum() - 65)", "came out as inf"),
        ("Region.is_unique", "a fact is a number: count with .sum()"),
        ("Amount.tolist()", "gives a list, and a fact is one number"),
        ("Amount()", "is a column, not a method"),
        ("(Amount > 0) and (Region == 'West')", "Between columns write &"),
        ("0 < Amount < 9", "Compare in two steps"),
        ("'West' in Region", "Column.isin(['a', 'b'])"),
        ("np.log(Amount).sum()", "no np"),
        ("pd.read_csv('x.csv').sum()", "has no pd.read_csv"),
        ("Amount.to_csv('x.csv')", "may not use .to_csv"),
        ("Amount.__class__", "may not use .__class__"),
        ("df.eval('Amount + 1').sum()", "may not use .eval"),
        ("query('Amount > @x').Amount.sum()", "may not use @"),
        ("df.drop(columns='Day', inplace=True)", "no inplace=True"),
        ("open('/etc/passwd')", "There is no column 'open'"),
        ("[x for x in Amount]", "has no ListComp"),
        ("(lambda *a: a)(Amount)", "plain names before its colon"),
        ("f'{Amount}'", "has no JoinedStr"),
        ("Amount.sum() ** 999", "The power is too high"),
        ("x = Amount.sum()", "is no expression"),
        ("Amount.sum(", "is no expression"),
        ("", "has 1 to 2000 characters"),
        ("Amount + " * 600 + "Amount", "1 to 2000 characters"),
        ("Amount.astype('datetime64[ns]').foo", "There is no"),
        ("Region.astype(float).sum()", "failed: ValueError"),
    ],
)
def test_what_is_no_fact_is_answered_with_how_to_write_it(expression: Any, sentence: str) -> None:
    with pytest.raises(facts.FactError, match=re.escape(sentence)):
        facts.fact("x", expression, of=SALES)


def test_an_expression_leaves_its_frame_as_it_was() -> None:
    before = SALES.copy()
    facts.fact("x", "assign(Amount=0).Amount.sum() + df.pop('count').sum()", of=SALES)
    pd.testing.assert_frame_equal(SALES, before)


def test_percent_keeps_a_fraction_of_one() -> None:
    assert facts.fact("x", "(Region == 'West').mean()", of=SALES, unit="%") == "50.0%"
    with pytest.raises(facts.FactError, match="leave out the 100"):
        facts.fact("x", "(Region == 'West').mean() * 100", of=SALES, unit="%")


def test_a_frame_of_any_shape_can_be_the_source() -> None:
    by = SALES.groupby("Region").agg({"Amount": ["mean", "sum"]})
    assert facts.fact("x", "df[('Amount', 'sum')].max()", of=by).value == 40
    assert facts.fact("x", "df[0].sum()", of=SALES[["Amount"]].set_axis([0], axis=1)).value == 65
    twice = SALES[["Amount", "count"]].set_axis(["x", "x"], axis=1)
    assert facts.fact("x", "x.sum().iloc[1]", of=twice).value == 10
    assert facts.fact("x", "frame.sum()", of=SALES.assign(frame=SALES.Amount)).value == 65
    assert facts.fact("x", "Amount.sum()", of=SALES.Amount).value == 65
    assert facts.fact("x", "value.sum()", of=pd.Series([1.5, 2])).value == 3.5
    table = guest_module("eda", "tables").Table("t", "t.csv", SALES)
    assert facts.fact("x", "len(df)", of=table).value == 4


def test_wrong_calls_are_answered_with_advice() -> None:
    with pytest.raises(facts.FactError, match="not a list"):
        facts.fact("x", "Amount.sum()", of=[1, 2])
    with pytest.raises(facts.FactError, match="whole number from 0"):
        facts.fact("x", "Amount.sum()", of=SALES, digits=-1)
    with pytest.raises(facts.FactError, match="names the fact"):
        facts.fact(" ", "Amount.sum()", of=SALES)
    with pytest.raises(facts.FactError, match="Say where the number"):
        facts.asserted("x", 1, source="")
    with pytest.raises(facts.FactError, match="state it by"):
        facts.table("x", "Amount.sum()", of=SALES)
    with pytest.raises(ValueError, match="Write language"):
        facts.language("fr")


@pytest.mark.parametrize(
    ("value", "unit", "digits", "english", "russian"),
    [
        (0.38384, "%", None, "38.4%", "38,4\u00a0%"),
        (-0.125, "%", None, "−12.5%", "−12,5\u00a0%"),
        (0.0002, "%", None, "0.02%", "0,02\u00a0%"),
        (2.5, "%", 0, "250%", "250\u00a0%"),
        (891, "", None, "891", "891"),
        (45433, "", None, "45,433", "45\u00a0433"),
        (-69551.23, "£", None, "−£69,551.23", "−69\u00a0551,23\u00a0£"),
        (847368.3, "£", None, "£847,368.30", "847\u00a0368,30\u00a0£"),
        (120.0, "₽", 0, "120\u00a0₽", "120\u00a0₽"),
        (28.0, "years", None, "28\u00a0years", "28\u00a0years"),
        (29.699, "", None, "29.70", "29,70"),
        (3.93, "×", None, "3.9×", "3,9×"),
        (0.00346, "", None, "0.0035", "0,0035"),
        (-0.0001, "", 2, "0.00", "0,00"),
        (0, "", None, "0", "0"),
        ("North", "", None, "North", "North"),
        (None, "", None, "–", "–"),
    ],
)
def test_a_number_is_written_as_the_language_writes_it(
    value: Any, unit: str, digits: int | None, english: str, russian: str
) -> None:
    digits = writing.default_digits(value, unit) if digits is None else digits
    assert writing.shown(value, unit, digits, words("en")) == english
    assert writing.shown(value, unit, digits, words("ru")) == russian


def test_a_deck_sets_the_language_of_the_facts_after_it(tmp_path: Path) -> None:
    source = HEAD + (
        "from deck import Deck\n"
        "Deck('Название', language='ru')\n"
        "assert facts.fact('доля', 'Survived.mean()', of=df, unit='%') == '38,4\\u00a0%'\n"
    )
    assert run_script(tmp_path, source)[0]["id"] == "доля"


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array(7), 7),
        (np.float64("nan"), None),
        (float("inf"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.datetime64("NaT"), None),
        (pd.Timestamp("2024-01-02"), "2024-01-02"),
        (np.datetime64("2024-01-02T03:04:05"), "2024-01-02 03:04:05"),
        (pd.Period("2024-01", "M"), "2024-01"),
        (pd.Interval(0, 5), "(0, 5]"),
        (pd.Timedelta(days=1), "1 days 00:00:00"),
        (2**60, float(2**60)),
        (10**400, None),
        (import_module("decimal").Decimal("1.25"), 1.25),
        (import_module("decimal").Decimal("NaN"), None),
    ],
)
def test_values_of_any_kind_become_plain_ones(given: object, plain: object) -> None:
    assert values.scalar(given) == plain
    json.dumps(values.scalar(given), allow_nan=False)


def test_numbers_and_names_of_any_table_are_told_apart() -> None:
    frame = pd.DataFrame(
        {"share": [0.5, None], "note": ["38.4%", "00123"]}, index=pd.Index([2023, 2024], name="year")
    )
    assert values.flat(frame) == ([0.5, 0.384], ["share", "note", "2023", "2024", "year", "00123"])
    nested = {"a": {"x": 1, "y": np.nan}, "b": {"x": 3}}
    assert values.flat(nested) == ([1, 3], ["a", "b", "x", "y"])
    assert values.flat([("North", 1), ("South\x00\n", 2)]) == ([1, 2], ["North", "South"])
    assert values.flat(pd.Series([True, False])) == ([], [])
    assert values.flat(pd.Series([1, "a", pd.NA, 2.5], dtype=object)) == ([1, 2.5], ["a"])
    assert values.flat({pd.Period("2024-01", "M"): 5, None: 1, ("a", 1): 2})[1] == ["2024-01", "a", "1"]


def test_a_script_that_runs_again_replaces_its_own_records_only(tmp_path: Path) -> None:
    run_script(tmp_path, HEAD + "facts.fact('a', 'len(df)', of=df)\nfacts.assume('One')\n", "first.py")
    run_script(tmp_path, HEAD + "facts.fact('b', 'len(df)', of=df)\nfacts.assume('Two')\n", "second.py")
    run_script(tmp_path, HEAD + "facts.fact('c', 'len(df)', of=df)\nfacts.assume('Two')\n", "first.py")
    assert [record["id"] for record in ledger(tmp_path, "first")] == ["c", "assumption"]
    assert [record["id"] for record in ledger(tmp_path, "second")] == ["b", "assumption"]
    asked = "import facts\nfacts.assume('Three')\nassert facts.assumptions() == ['Two', 'Three'], facts.assumptions()\n"
    run_script(
        tmp_path, asked + "assert [r['id'] for r in facts.facts()][:2] == ['c', 'assumption']\n", "third.py"
    )


def test_records_of_children_are_kept_beside_those_of_their_parent(tmp_path: Path) -> None:
    script, out = tmp_path / "many.py", tmp_path / "out"
    out.mkdir()
    script.write_text(
        HEAD
        + "import multiprocessing\n"
        + "def work(number):\n"
        + "    for place in range(5):\n"
        + "        facts.fact(f'{number}.{place}', 'Name.str.len().sum()', of=df)\n"
        + "if __name__ == '__main__':\n"
        + "    jobs = [multiprocessing.get_context('fork').Process(target=work, args=(n,)) for n in range(4)]\n"
        + "    [job.start() for job in jobs], [job.join() for job in jobs]\n"
        + "    facts.fact('last', 'len(df)', of=df)\n",
        encoding="utf-8",
    )
    for _ in range(2):
        run_apart(script, out)
    found = [record["id"] for record in ledger(tmp_path, "many")]
    assert sorted(found) == sorted(
        [f"{number}.{place}" for number in range(4) for place in range(5)] + ["last"]
    )
    assert multiprocessing.parent_process() is None


def run_apart(script: Path, folder: Path) -> str:
    path = os.pathsep.join(map(str, sorted(SKILLS.glob("*/scripts"))))
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_the_skill_runs_as_it_is_written_and_every_number_is_traced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    orders = "region,orders,returned\nNorth,270,15\nSouth,170,27\nWest,85,\n"
    (tmp_path / "out/orders.csv").write_text(orders, encoding="utf-8")
    page = (SKILLS / "facts/SKILL.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(block, encoding="utf-8")
    told = run_apart(script, tmp_path / "out")
    assert "8.0% of 525 orders came back; South has the highest rate, 15.9%." in told
    found = ledger(tmp_path, "example")
    assert all(record["traced"] for record in found)
    assert {"fact", "table", "drawn", "assumption"} <= {record["kind"] for record in found}


def test_a_record_is_cut_to_size_and_says_so(tmp_path: Path) -> None:
    source = HEAD + "facts.drawn('a.xlsx', 'sheet', {n: {'x': n * 1.5} for n in range(30_000)})\n"
    (record,) = run_script(tmp_path, source)
    assert record["cut"]
    assert (len(record["values"]), len(record["labels"])) == (20_000, 2_000)


def test_a_ledger_ends_at_two_mebibytes_and_the_script_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = HEAD + (
        "big = pd.Series(range(20_000)) * 1.123456789\n"
        "for n in range(12):\n    facts.drawn('a.xlsx', f'sheet {n}', big)\n"
        "for n in range(4000):\n    facts.asserted(f'{n}', n, source='x' * 600)\nprint('done')\n"
    )
    found = run_script(tmp_path, source)
    assert (tmp_path / "out/.deckhand/facts/script.jsonl").stat().st_size <= 2 << 20
    assert [bool(record["values"]) for record in found[:12]] == [True] * 6 + [False] * 6
    assert all(record["cut"] for record in found[6:12])
    told = capsys.readouterr()
    assert told.err == "facts: more than 2 MiB of facts; what comes now is not recorded\n"
    assert told.out == "done\n"


@pytest.mark.parametrize("obstacle", [".deckhand", ".deckhand/facts"])
def test_a_ledger_that_cannot_be_written_fails_no_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], obstacle: str
) -> None:
    path = tmp_path / "out" / obstacle
    path.parent.mkdir(parents=True)
    path.write_text("in the way")
    source = HEAD + "print(facts.fact('a', 'len(df)', of=df), facts.facts(), facts.assumptions())\n"
    assert run_script(tmp_path, source) == []
    told = capsys.readouterr()
    assert told.err.startswith("facts: facts cannot be recorded: ")
    assert told.out == "891 [] []\n"


def test_lines_that_are_no_records_are_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "out/.deckhand/facts"
    folder.mkdir(parents=True)
    (folder / "odd.jsonl").write_bytes(
        b'\xff\xfe\n[1]\n{"kind": 3}\n{"kind": "fact", "traced": true, "value": "x"}\n'
    )
    source = HEAD + "assert len(facts.facts()) == 1\nfacts.drawn('a', 'b', {'x': 0.77})\n"
    assert [record["traced"] for record in run_script(tmp_path, source)] == [False]


def test_text_of_any_kind_can_name_a_fact(tmp_path: Path) -> None:
    source = HEAD + "facts.fact('доля 漢字 😀 \\ud800\\n', 'len(df)', of=df, unit='шт.\\x00')\n"
    (record,) = run_script(tmp_path, source)
    assert (record["id"], record["unit"], record["text"]) == ("доля 漢字 😀 ?", "шт.", "891 шт.")


def test_where_no_script_runs_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    facts.assume("There is no script")
    assert facts.assumptions() == ["There is no script"]
    assert list(tmp_path.iterdir()) == []


def test_a_parser_that_miscounts_its_own_depth_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Exception | None] = [SystemError("depth"), SystemError("depth"), None]
    parse = ast.parse

    def moody(source: str, mode: str) -> ast.AST:
        if (fault := answers.pop(0)) is not None:
            raise fault
        return parse(source, mode=mode)

    monkeypatch.setattr(facts_source.ast, "parse", moody)
    assert facts_source.tree("1 + 1", mode="eval").body.op
    assert answers == []
