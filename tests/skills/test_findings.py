"""The standard findings are exact on any table, whatever its columns are called."""

import json
import os
import random
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills.guest import SKILLS, guest_module

findings = guest_module("eda", "findings")
findings_roles = guest_module("eda", "findings_roles")
tables = guest_module("eda", "tables")

SCRIPTS = SKILLS / "eda" / "scripts"


def table(frame: pd.DataFrame) -> Any:
    return tables.Table("t", "t.csv", frame)


def people(rename: bool = False, drop: int = 0) -> pd.DataFrame:
    """240 people: of 90 women 60 stayed, of 150 men 30; the grade matters less, the rest is noise."""
    dice = random.Random(7)  # noqa: S311 (no secret, a repeatable table)
    rows: list[dict[str, Any]] = []
    for number in range(240):
        woman = number % 8 < 3
        place = number // 8 * 3 + number % 8 if woman else number // 8 * 5 + number % 8 - 3
        rows.append(
            {
                "Member No": number + 1,
                "Stayed": int(place % 3 < 2) if woman else int(place % 5 == 0),
                "Grade": number // 8 % 3 + 1,
                "Full Title": f"Person {chr(65 + number % 26)}. {number}",
                "Gender Group": "f" if woman else "m",
                "Years": dice.choice([None, 20.5, *range(18, 70)]),
                "Paid": round(dice.lognormvariate(3, 1), 2),
                "Room": f"{'ABC'[number % 3]}{number}" if number % 5 == 0 else None,
            }
        )
    frame = pd.DataFrame(rows)
    if rename:
        frame.columns = [f"q{index}x" for index in range(frame.shape[1])]
    return frame.drop(index=list(range(0, drop * 2, 2))).reset_index(drop=True)


def test_the_overview_counts_rows_gaps_and_duplicates() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, None], "b": ["x", "x", None, None], "c": [1, 1, 1, 1]})
    overview = findings.standard(table(frame)).overview
    assert (overview.rows, overview.columns, overview.duplicates, overview.complete_rows) == (4, 3, 1, 2)
    assert [(gap.column, gap.count, gap.share) for gap in overview.missing] == [("b", 2, 0.5), ("a", 1, 0.25)]


@pytest.mark.parametrize(("rename", "drop"), [(False, 0), (True, 0), (True, 60)])
def test_the_outcome_and_its_rates_are_found_whatever_the_names(rename: bool, drop: int) -> None:
    frame: Any = people(rename, drop)
    target, gender = frame.columns[1], frame.columns[4]
    found = findings.standard(table(frame))
    assert (found.outcome.column, found.outcome.positive) == (target, 1)
    assert (found.outcome.count, found.outcome.total) == (int(frame[target].sum()), len(frame))
    assert found.rates[0].by == gender
    expected = frame.groupby(gender)[target].agg(["size", "sum"])
    levels = {level.value: (level.n, level.positives) for level in found.rates[0].levels}
    assert levels == {str(k): (int(n), int(hits)) for k, n, hits in expected.itertuples(name=None)}
    if not drop:
        assert levels == {"f": (90, 60), "m": (150, 30)}
        assert found.rates[0].strength == pytest.approx(7 / 15)


@pytest.mark.parametrize("rename", [False, True])
def test_numbers_of_rows_names_and_rooms_are_neither_categories_nor_measures(rename: bool) -> None:
    frame = people(rename)
    found = findings.standard(table(frame))
    roles = [role.role for role in found.roles]
    assert roles == ["id", "count", "count", "text", "category", "measure", "measure", "id"]
    assert [role.additive for role in found.roles][5:7] == [False, True]
    used = {rate.by for rate in found.rates} | {total.by for total in found.totals}
    used |= {item.column for item in found.distributions}
    assert not used & {frame.columns[0], frame.columns[3], frame.columns[7]}


@pytest.mark.parametrize(
    ("column", "values", "hint", "expected"),
    [
        ("ушёл_в_отток", ["да", "нет"], "отток", True),
        ("Churned", ["Yes", "No"], "отток клиентов", True),
        ("has_converted", ["TRUE", "FALSE"], "конверсия", True),
        ("Colour", ["red", "blue"], "colour", False),
    ],
)
def test_yes_and_no_in_two_languages_are_outcomes(
    column: str, values: list[str], hint: str, expected: bool
) -> None:
    frame = pd.DataFrame({"k": ["a", "b", "c"] * 20, column: (values + values[1:]) * 20})
    outcome = findings.standard(table(frame), (hint,)).outcome
    assert (outcome is not None) == expected
    if expected:
        assert (outcome.count, outcome.total, outcome.why) == (20, 60, "hint")


def test_the_request_decides_between_two_outcomes() -> None:
    frame = pd.DataFrame({"k": ["a", "b"] * 40, "opened": [1, 0] * 40, "clicked": [0, 0, 0, 1] * 20})
    assert findings.standard(table(frame)).outcome.column == "opened"
    assert findings.standard(table(frame), ["кто кликает чаще?"]).outcome.column == "clicked"


def test_hints_match_words_stems_and_concepts_but_not_chance() -> None:
    assert findings_roles.matches("TotalRevenue", ["revenue by month"]) == 1.0
    assert findings_roles.matches("выручка_руб", ["динамика выручки"]) == 0.9
    assert findings_roles.matches("is_survivor", ["кто выживал и почему"]) == 0.8
    assert findings_roles.matches("region", ["выручка"]) == 0.0


def test_bands_of_a_measure_hold_every_known_row_once() -> None:
    frame = people()
    bands = next(rate for rate in findings.standard(table(frame)).rates if rate.by == "Paid")
    assert bands.binned
    assert sum(level.n for level in bands.levels) == 240
    for level in bands.levels:
        inside = (frame["Paid"] >= level.low) & (frame["Paid"] < level.high)
        if level is bands.levels[-1]:
            inside |= frame["Paid"] == level.high
        assert (level.n, level.positives) == (int(inside.sum()), int(frame.loc[inside, "Stayed"].sum()))


def test_a_distribution_tells_quartiles_zeros_and_outliers() -> None:
    values = [0, 0, *range(1, 100), 1000]
    frame = pd.DataFrame({"m": [value + 0.5 if value else 0 for value in values]})
    (item,) = findings.standard(table(frame)).distributions
    assert (item.n, item.zeros, item.negatives, item.outliers, item.maximum) == (102, 2, 0, 1, 1000.5)
    assert item.median == pytest.approx(50)
    assert sum(item.counts) == 102
    assert item.skew > 3


def sales(last_day: date) -> pd.DataFrame:
    days = [date(2023, 1, 1) + timedelta(days=n) for n in range((last_day - date(2023, 1, 1)).days + 1)]
    return pd.DataFrame(
        {
            "Day": pd.to_datetime(days),
            "Kind": [f"kind {n % 14}" for n in range(len(days))],
            "Net Amount": [float(n % 14 + 1) * (-1 if n == 5 else 1) for n in range(len(days))],
        }
    )


def test_totals_name_the_largest_and_sum_up_the_rest() -> None:
    frame = sales(date(2023, 12, 31))
    found = next(item for item in findings.standard(table(frame)).totals if item.by == "Kind")
    assert found.additive
    assert found.total == pytest.approx(frame["Net Amount"].sum())
    assert sum(part.total for part in found.parts) + found.other.total == pytest.approx(found.total)
    assert (len(found.parts), found.distinct, found.parts[0].value) == (10, 14, "kind 13")
    assert (found.negative, found.largest) == (-6.0, 14.0)
    assert sum(part.share for part in found.parts) + found.other.share == pytest.approx(1)


@pytest.mark.parametrize(("last_day", "partial"), [(date(2023, 12, 9), True), (date(2023, 12, 31), False)])
def test_months_are_summed_and_a_last_one_cut_short_is_marked(last_day: date, partial: bool) -> None:
    frame = sales(last_day)
    (months,) = findings.standard(table(frame)).dynamics
    assert (months.grain, len(months.periods), months.measures) == ("month", 12, ("Net Amount",))
    march = frame[frame["Day"].dt.month == 3]
    assert (months.periods[2].label, months.periods[2].n) == ("2023-03", 31)
    assert months.periods[2].sums == (march["Net Amount"].sum(),)
    assert [period.partial for period in months.periods] == [False] * 11 + [partial]


def test_periods_without_rows_are_there_with_zeros() -> None:
    days = pd.to_datetime(["2023-01-05", "2023-01-20", "2023-04-03", "2023-04-30", "2023-06-30"])
    (months,) = findings.standard(table(pd.DataFrame({"d": days, "k": list("aabbb")}))).dynamics
    assert [period.n for period in months.periods] == [2, 0, 0, 2, 0, 1]


def test_quantity_times_price_is_the_amount_that_a_table_lacks() -> None:
    frame = pd.DataFrame(
        {"qty": [2, -1, 40] * 20, "unit_price": [1.5, 2.0, 3.0] * 20, "k": ["a", "b", "a"] * 20}
    )
    found = findings.standard(table(frame))
    assert found.derived.name == "qty × unit_price"
    total = next(item for item in found.totals if item.measure == found.derived.name and item.by == "k")
    assert {part.value: part.total for part in total.parts} == {"a": 2460.0, "b": -40.0}
    assert (total.parts[0].share, total.negative) == (None, -40.0)


def test_years_as_columns_are_a_time_axis_and_the_total_row_is_flagged() -> None:
    frame = pd.DataFrame(
        {
            "Part": ["All", "of which:", "x", "y", "z"],
            **{f"{year} г., млн": [60.0 + year, None, 10, 20, 30 + year] for year in (2020, 2021, 2022)},
        }
    )
    found = findings.standard(table(frame))
    assert found.small.columns_are_time
    assert found.small.labels == ("All", "x", "y", "z")
    assert found.small.headings == ("of which:",)
    assert found.small.totals == (0,)
    assert (found.total_rows[0].row, found.total_rows[0].why) == (0, "sum")
    assert found.totals == ()


def test_a_total_by_name_is_left_out_of_sums() -> None:
    frame = pd.DataFrame({"City": ["A", "B", "A", "Итого"], "Sales sum": [1.5, 2.5, 3.0, 7.0]})
    found = findings.standard(table(frame))
    assert [(row.row, row.label) for row in found.total_rows] == [(3, "Итого")]
    assert found.distributions[0].n == 3


def test_a_few_labelled_rows_are_charted_as_they_are() -> None:
    frame = pd.DataFrame({"row_label": ["Visit", "Buy"], "Ad": [98, 15], "Mail": [40, 20]})
    small = findings.standard(table(frame)).small
    assert (small.label, small.labels, small.series) == ("row_label", ("Visit", "Buy"), ("Ad", "Mail"))
    assert small.values == ((98.0, 40.0), (15.0, 20.0))


def test_parts_of_a_date_and_codes_of_a_category_are_no_measures() -> None:
    frame = sales(date(2023, 12, 31))
    frame["part of year"] = frame["Day"].dt.month
    frame["dom"] = frame["Day"].dt.day
    frame["kind code number"] = frame["Kind"].str[5:].astype(int) + 3
    roles = {role.column: role.role for role in findings.standard(table(frame)).roles}
    assert (roles["part of year"], roles["dom"], roles["kind code number"]) == (
        "date_part",
        "date_part",
        "id",
    )


def test_correlations_are_ordered_by_size_and_leave_ids_out() -> None:
    frame = pd.DataFrame({"row": range(1, 101), "a": [i % 17 + 0.5 for i in range(100)]})
    frame["b"] = -frame["a"] * 2
    frame["c"] = [(i * 7) % 31 + 0.25 for i in range(100)]
    found = findings.standard(table(frame)).correlations
    assert (found[0].first, found[0].second, found[0].n) == ("a", "b", 100)
    assert found[0].r == pytest.approx(-1)
    assert all("row" not in (pair.first, pair.second) for pair in found)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1]}),
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": ["x"] * 3, "b": [1, 1, 1]}),
        pd.DataFrame({f"v{i}": [i * 0.5, i * 0.25] for i in range(900)}),
        pd.DataFrame({"d": pd.to_datetime(["2024-01-01", None, "2024-01-01"]), "n": [1.5, 2.5, None]}),
    ],
)
def test_poor_tables_give_findings_too_and_everything_is_plain_json(frame: pd.DataFrame) -> None:
    found = findings.standard(table(frame), ("anything",))
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["overview"]["rows"] == len(frame)


def test_the_findings_of_a_full_table_are_plain_json(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "p.csv", index=False)
    found = findings.standard(tables.read_one(tmp_path / "p.csv"), ("stayed",))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["outcome"]["rate"] == 0.375


def test_the_outcome_tells_its_positives_by_both_names() -> None:
    found = findings.standard(table(people()))
    assert found.outcome.positives == found.outcome.count == 90
    assert found.to_dict()["outcome"]["positives"] == 90


def test_rates_by_any_column_are_exact_and_leave_no_known_row_out() -> None:
    frame: Any = people()
    by = findings.rates_by(frame, "Gender Group", "Stayed")
    assert [(x.value, x.n, x.positives, x.rate) for x in by.levels] == [
        ("f", 90, 60, 60 / 90),
        ("m", 150, 30, 0.2),
    ]
    assert by.strength == pytest.approx(7 / 15)
    both = findings.rates_by(frame, ["Gender Group", "Grade"], "Stayed", positive=0)
    assert both.by == "Gender Group · Grade"
    assert (both.levels[0].value, len(both.levels)) == ("f · 1", 6)
    assert sum(x.positives for x in both.levels) == 150
    bands = pd.cut(frame["Years"], [0, 16, 60, 100], labels=["young", "adult", "old"])
    ages = findings.rates_by(frame, bands, "Stayed")
    assert [x.value for x in ages.levels] == ["adult", "old"]
    assert sum(x.n for x in ages.levels) + ages.missing == 240


@pytest.mark.parametrize(
    ("by", "outcome", "positive", "advice"),
    [
        ("Sex", "Stayed", None, "no column 'Sex'. It has: Member No"),
        ("Grade", "Full Title", None, "positive="),
        ("Grade", "Stayed", "yes", "'yes' is no value of 'Stayed'. It has: 1, 0"),
        ([], "Stayed", None, "at least one"),
    ],
)
def test_rates_of_what_is_not_there_are_refused_with_advice(
    by: Any, outcome: str, positive: Any, advice: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(advice)):
        findings.rates_by(people(), by, outcome, positive)


def test_figures_of_any_kind_are_saved_exact(tmp_path: Path) -> None:
    frame: Any = pd.DataFrame({"k": ["a", "b", None], "x": [1, 2, 4]}).convert_dtypes()
    rates: Any = pd.Series([1, 2, 4]).groupby(["a", "b", "b"]).mean()
    figures = {
        "share": rates.iloc[1] / 7,
        "n": frame["x"].sum(),
        "gap": [float("nan"), pd.NA, pd.NaT, float("inf"), None],
        "flag": rates.gt(1).iloc[1],
        "rates": rates,
        "rows": frame.tail(1),
        "sums": frame.groupby("k").sum(),
        "when": [pd.Timestamp("2019-03-31 10:00"), date(2019, 3, 31), pd.Period("2019-03")],
        ("a", 1): rates.to_numpy(),
        "found": findings.standard(table(people())),
    }
    path = findings.save_json(tmp_path / "figures.json", figures)
    saved = json.loads(Path(path).read_text(encoding="utf-8"))
    assert saved.pop("found")["outcome"]["rate"] == 0.375
    assert saved == {
        "share": 3 / 7,
        "n": 7,
        "gap": [None] * 5,
        "flag": True,
        "rates": {"a": 1.0, "b": 3.0},
        "rows": [{"k": None, "x": 4}],
        "sums": [{"k": "a", "x": 1}, {"k": "b", "x": 2}],
        "when": ["2019-03-31T10:00:00", "2019-03-31", "2019-03"],
        "a · 1": [1.0, 3.0],
    }
    with pytest.raises(ValueError, match="object is no figure"):
        findings.save_json(tmp_path / "figures.json", {"what": object()})


def blocks(skill: str) -> list[str]:
    return re.findall(
        r"```python\n(.*?)```", (SKILLS / skill / "SKILL.md").read_text(encoding="utf-8"), re.DOTALL
    )


def run(script: Path, folder: Path) -> str:
    path = os.pathsep.join([str(script.parent), *map(str, SKILLS.glob("*/scripts"))])
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


def test_the_example_of_the_eda_skill_runs_as_it_is_written(tmp_path: Path) -> None:
    people().to_excel(tmp_path / "sales.xlsx", index=False)
    (tmp_path / "example.py").write_text(
        blocks("eda")[0].replace('"sales.xlsx"', repr(str(tmp_path / "sales.xlsx")))
    )
    assert "Stayed: 90 of 240 = 37.5%" in run(tmp_path / "example.py", tmp_path)
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["rows"] == 240


def test_the_line_on_combining_sheets_runs_as_it_is_written(tmp_path: Path) -> None:
    page = (SKILLS / "eda" / "SKILL.md").read_text(encoding="utf-8")
    found = re.search(r"`by_sheet = (tables\.combine\(.*\))`", page)
    assert found
    months = {"January": [1.5, 2.5], "February": [4.0, 8.0]}
    with pd.ExcelWriter(tmp_path / "q1.xlsx") as book:
        for name, totals in months.items():
            pd.DataFrame({"Id": ["a", "b"], "Total": totals}).to_excel(book, sheet_name=name, index=False)
    line = found[1].replace('"q1.xlsx"', repr(str(tmp_path / "q1.xlsx")))
    assert eval(line, {"tables": tables}).to_dict() == {"January": 4.0, "February": 12.0}  # noqa: S307 - our own page


def test_the_example_of_the_python_skill_passes_its_own_checks_and_delivers(tmp_path: Path) -> None:
    code, out = tmp_path / "code", tmp_path / "out"
    code.mkdir()
    out.mkdir()
    for block in blocks("python-scripts"):
        path, text = block.split("\n", 1)
        (code / Path(path).name).write_text(text)
    assert run(code / "deliver.py", out) == "303 checks passed\n"
    assert sorted(path.name for path in out.iterdir()) == ["shares.py", "test_shares.py"]
    assert run(out / "test_shares.py", tmp_path) == "303 checks passed\n"  # as on the person's machine


def test_every_script_of_the_skill_fits_on_a_screen_of_three_hundred_lines() -> None:
    scripts = sorted(SCRIPTS.glob("*.py"))
    assert scripts
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in scripts}
    assert not [name for name, lines in lengths.items() if lines > 300]
