"""Every number is accounted for by a registered one, or it is told."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from tests.skills.guest import guest_module
from tests.skills.tracing_corpus import RECORDS, SALES, YEARS, fact, table
from tests.skills.tracing_rates import measured
from tests.skills.tracing_samples import book, deck

tracing = guest_module("checks", "tracing")
records = guest_module("checks", "tracing_records")
guest_module("eda", "tables")


def trace(answer: str, *known: dict[str, Any], **more: Any) -> Any:
    return tracing.trace([], answer, records=list(known), **more)


def told(answer: str, *known: dict[str, Any], **more: Any) -> list[str]:
    return [one.text for one in trace(answer, *known, **more).untraced]


def test_planted_numbers_are_all_found_and_right_ones_raise_no_alarm(tmp_path: Path) -> None:
    rates = measured(tmp_path)
    assert rates.numerals >= 200
    assert rates.missed == []
    assert len(rates.alarms) <= 0.02 * rates.good, rates.table()


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("38.4%", True),
        ("38%", True),
        ("38.38%", True),
        ("0.384", True),
        ("0.38", True),
        ("38.5%", False),
        ("38.3%", False),
        ("39%", False),
        ("0.384%", False),
        ("38.4", False),
        ("38.4 pp", False),
        ("$38.4", False),
    ],
)
def test_a_share_is_written_as_a_percentage_or_as_a_fraction(written: str, right: bool) -> None:
    known = fact("survived_share", 342 / 891, "%")
    assert told(f"It was {written} in all", known) == ([] if right else [written])


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("£847,368.30", True),
        ("£847,368", True),
        ("847 368", True),
        ("£847k", True),
        ("£0.85M", True),
        ("847 тыс. £", True),
        ("about £850,000", True),
        ("almost 850 thousand", True),
        ("over £800,000", True),
        ("€847,368.30", False),
        ("£847", False),
        ("£847,369", False),
        ("over £900,000", False),
        ("£846k", False),
    ],
)
def test_money_is_rounded_and_scaled_in_its_own_currency(written: str, right: bool) -> None:
    found = told(f"It came to {written} in all", fact("revenue", 847368.30, "£"))
    assert (found == []) is right


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("It fell by 32.3%", True),
        ("It came to -32.3%", True),
        ("Упало на 32,3 %", True),
        ("It grew by 32.3%", False),
        ("It came to +32.3%", False),
    ],
)
def test_the_sign_is_in_the_number_or_in_the_words(sentence: str, right: bool) -> None:
    assert (told(sentence, fact("growth", -0.32318, "%")) == []) is right


def test_a_scale_in_the_unit_of_a_fact_counts() -> None:
    known = fact("mining", 3062460.0, "млн руб.")
    assert told("3 062 460 млн руб., 3,06 трлн руб.", known) == []
    assert told("3 062 460 тыс. руб.", known) == ["3 062 460 тыс. руб."]


def test_an_unmatched_number_is_told_with_its_place_and_the_nearest_fact() -> None:
    found = trace("Survival was 38.5% overall.", fact("survived_share", 342 / 891, "%", text="38.4%"))
    (one,) = found.untraced
    assert (found.numerals, found.traced) == (1, 0)
    assert (one.file, one.place, one.text) == ("", "the answer", "38.5%")
    assert one.detail == "nearest: survived_share = 38.4%"


def test_an_asserted_number_counts_as_untraced_and_is_listed_with_its_source() -> None:
    known = {
        "kind": "asserted",
        "id": "market",
        "value": 0.125,
        "unit": "%",
        "source": "the request",
        "traced": False,
    }
    found = trace("The market grew by 12.5%.", known)
    assert (found.numerals, found.traced, found.untraced) == (1, 0, [])
    (one,) = found.asserted
    assert one.asserted
    assert one.detail == "asserted: the request"


def test_a_table_that_is_in_doubt_traces_nothing() -> None:
    doubtful = table("sales", YEARS, SALES, traced=False)
    found = trace("2013: 70,490.24", doubtful)
    assert (found.traced, len(found.asserted)) == (0, 1)


def test_numbers_of_the_request_and_in_names_of_the_data_raise_no_alarm() -> None:
    known = table("t", ["Group 45 and up", "85123A", "22502"], [0.1, 0.2, 0.3], "%", columns=["Store"])
    sentence = "Group 45 and up, code 22502, at least 30 orders a day"
    assert told(sentence, known, request="Count customers with at least 30 orders") == []
    assert told("Group 46 and up", known) == ["46"]


def test_a_number_of_the_request_excuses_no_other_thing() -> None:
    known = fact("fare", 5.5)
    assert told("9 passengers and 17 slides", known, request="17 slides, please") == ["9"]
    assert told("17 passengers", known, request="17 slides, please") == ["17"]


def test_a_sentence_that_holds_a_name_is_no_name() -> None:
    known = table("t", ["There were 45 of them in that year"], [0.1])
    assert told("There were 45 of them in that year", known) == ["45"]


def test_an_assumption_may_be_repeated() -> None:
    known = {"kind": "assumption", "id": "assumption", "value": "Orders above 450 pieces are wholesale"}
    assert told("Orders above 450 pieces are wholesale.", known) == []


def test_the_profile_of_the_files_accounts_for_its_numbers() -> None:
    assert told("45,433 rows in 8 columns", profile="retail.csv: 45,433 rows x 8 columns") == []


def test_among_very_many_registered_numbers_words_must_agree() -> None:
    crowd = {"kind": "computed", "id": "quantities", "labels": ["Pieces"], "values": list(range(1, 900))}
    assert told("We met 733 lawyers", crowd) == ["733"]
    assert told("An order of 733 pieces", crowd) == []
    assert told("We met 733 lawyers", crowd, fact("lawyers", 733)) == []


def test_two_numbers_that_only_a_space_parts_are_two() -> None:
    known = [fact("women", 314), fact("saved", 233)]
    assert told("Women 314 233", *known) == []
    assert told("Women 314 234", *known) == ["314 234"]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("2013: 70,490, 2014: 72,872", []),
        ("Between 2013 and 2014 sales rose from 70,490 to 72,872", []),
        ("From 41,834 in 2012 to 70,490 in 2013", []),
        ("2014 was better than the 70,490 of 2013", []),
        ("2013: 72,872, 2014: 70,490", ["72,872", "70,490"]),
        ("Between 2013 and 2014 sales rose from 72,872 to 70,490", ["72,872", "70,490"]),
        ("From 70,490 in 2012 to 41,834 in 2013", ["70,490", "41,834"]),
    ],
)
def test_a_right_number_under_a_wrong_name_is_told(sentence: str, wrong: list[str]) -> None:
    known = table("sales_by_year", ["Sales", *YEARS, "Year"], SALES, columns=["Year", "Sales"])
    assert told(sentence, known) == wrong


def test_values_turned_about_in_a_chart_are_told_with_what_belongs_there(tmp_path: Path) -> None:
    deck(tmp_path / "a.pptx", sales=[*SALES[:2], SALES[3], SALES[2]])
    found = tracing.trace(["a.pptx"], records=RECORDS, folder=tmp_path)
    assert [(one.place, one.text, one.detail) for one in found.untraced] == [
        ("slide 2, Chart 2", "72872.22", "under 2013, sales_by_year has 70490.24"),
        ("slide 2, Chart 2", "70490.24", "under 2014, sales_by_year has 72872.22"),
    ]


def test_a_chart_is_held_to_what_was_drawn_in_its_file(tmp_path: Path) -> None:
    """Another registered number in place of the drawn one would otherwise pass."""
    deck(tmp_path / "a.pptx", sales=[*SALES[:3], 342.0])
    drawn = {
        "kind": "drawn",
        "id": "a",
        "target": "a.pptx",
        "source": "slide 2",
        "labels": ["Sales", *YEARS],
        "values": SALES,
    }
    found = tracing.trace(["a.pptx"], records=[*RECORDS, drawn], folder=tmp_path)
    assert [one.text for one in found.untraced] == ["342"]


def test_thousands_that_the_head_of_a_column_names_count() -> None:
    known = table("sales_by_year", ["Sales", *YEARS, "Year"], SALES, columns=["Year", "Sales"])
    answer = "| Year | Sales, thousand |\n|---|---|\n| 2013 | {} |"
    assert told(answer.format("70.5"), known) == []
    assert told(answer.format("70.6"), known) == ["70.6"]


def test_records_are_read_from_where_the_library_writes_them(tmp_path: Path) -> None:
    folder = tmp_path / ".deckhand" / "facts"
    folder.mkdir(parents=True)
    lines = [json.dumps(one) for one in RECORDS[:3]]
    (folder / "01_eda.jsonl").write_text(
        "\n".join([*lines, "no json", "[]", '{"kind": 5, "values": "x", "value": {}}'])
    )
    deck(tmp_path / "deck.pptx")
    (tmp_path / "answer.md").write_text("342 of 891, or 38.4%")
    found = tracing.trace(folder=tmp_path)
    assert tracing.deliverables(tmp_path) == ["answer.md", "deck.pptx"]
    assert not [one for one in found.untraced if one.file == "answer.md"]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(b"PK broken")
    ((file, note),) = tracing.trace(["a.pptx"], records=[], folder=tmp_path).notes
    assert file == "a.pptx"
    assert note.startswith("unreadable")


@pytest.fixture
def raw(tmp_path: Path) -> tuple[Path, list[float]]:
    """A workbook of 300 rows of raw numbers in two columns, and the numbers, column by column."""
    first, second = ([(line * step % 9_973) / 8 for line in range(1, 301)] for step in (7_919, 6_007))
    workbook = xlsxwriter.Workbook(str(tmp_path / "raw.xlsx"))
    sheet = workbook.add_worksheet("Raw")
    sheet.write_row(0, 0, ("Name", "Weight", "Height"))
    for line, pair in enumerate(zip(first, second, strict=True), start=1):
        sheet.write_row(line, 0, (f"row {line}", *pair))
    workbook.close()
    return tmp_path, [*first, *second]


def test_a_registered_frame_accounts_for_its_sheet(raw: tuple[Path, list[float]]) -> None:
    folder, values = raw
    drawn = {
        "kind": "drawn",
        "id": "raw",
        "target": "raw.xlsx",
        "labels": ["Weight", "Height"],
        "values": values,
    }
    found = tracing.trace(["raw.xlsx"], records=[drawn], folder=folder)
    assert (found.numerals, found.traced) == (600, 600)
    drawn["values"] = [*values[:-1], 0.5]
    found = tracing.trace(["raw.xlsx"], records=[drawn], folder=folder)
    assert [one.place for one in found.untraced] == ["sheet Raw, cell C301"]


def test_cells_beyond_what_was_registered_of_a_long_frame_are_its_own(raw: tuple[Path, list[float]]) -> None:
    folder, values = raw
    drawn = {
        "kind": "drawn",
        "id": "raw",
        "target": "raw.xlsx",
        "labels": ["Weight", "Height"],
        "values": values[:300],
    }
    assert tracing.trace(["raw.xlsx"], records=[drawn], folder=folder).traced < 600
    found = tracing.trace(["raw.xlsx"], records=[drawn | {"cut": True}], folder=folder)
    assert (found.numerals, found.traced) == (600, 600)
    assert "cells lie beyond what was registered of raw" in found.notes[0][1]


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of files that came in."""
    folder, tables = tmp_path / "input", guest_module("eda", "tables")
    folder.mkdir()
    monkeypatch.setattr(tables, "INPUT", folder)
    monkeypatch.setattr(tables.files, "__defaults__", (folder,))
    monkeypatch.setattr(tables.look, "__defaults__", (folder,))
    read = guest_module("checks", "tracing_inputs")
    for once in (read.numbers_of_inputs, read.texts_of_inputs):
        once.cache_clear()
    yield folder
    for once in (read.numbers_of_inputs, read.texts_of_inputs):
        once.cache_clear()


def test_cells_that_came_in_with_a_file_are_accounted_for(
    raw: tuple[Path, list[float]], inputs: Path
) -> None:
    folder, values = raw
    pairs = zip(values[:300], values[300:], strict=True)
    (inputs / "raw.csv").write_text("weight,height\n" + "".join(f"{one},{other}\n" for one, other in pairs))
    found = tracing.trace(["raw.xlsx"], records=[], folder=folder)
    assert (found.numerals, found.traced) == (600, 600)


def test_a_text_that_came_in_with_a_file_may_stand_in_a_cell_as_it_is(tmp_path: Path, inputs: Path) -> None:
    (inputs / "goods.csv").write_text(
        "product;sold;day\nRed Labels, 12.5% off for 5,000 of them;3;8/15/14\nMugs, blue;4;4/12/14\n"
    )
    workbook = xlsxwriter.Workbook(str(tmp_path / "goods.xlsx"))
    workbook.add_worksheet("Goods").write_column(
        0, 0, ("product", "Red Labels, 12.5% off for 5,000 of them", "We sold 4711 labels in all")
    )
    workbook.close()
    found = tracing.trace(["goods.xlsx"], records=[], folder=tmp_path)
    assert [one.text for one in found.untraced] == ["4711"]
    assert guest_module("facts", "facts").assumptions() == [], "a check assumes nothing of its own"


def test_untraced_numbers_are_listed_up_to_a_limit_and_counted_beyond_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "MAX_TOLD", 2)
    book(tmp_path / "a.xlsx")
    found = tracing.trace(["a.xlsx"], records=[], folder=tmp_path)
    assert len(found.untraced) == 2
    assert found.numerals - found.traced > 2


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": None},
        {"value": True, "unit": 5, "labels": {}, "columns": [None]},
        {"values": [1, "2", None, True, 1e308, float("nan")]},
    ],
)
def test_a_strange_record_is_read_as_far_as_it_makes_sense(data: dict[str, Any]) -> None:
    record = records.of_dict(data)
    assert record.values in ((), (1,))
    assert trace("38.4% of 12", data).numerals == 1


def test_names_of_a_sheet_are_put_in_order_once_and_not_for_every_cell(
    raw: tuple[Path, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done for each pair of rows takes minutes for a sheet of 5,000."""
    folder, values = raw
    called: list[str] = []
    plain = guest_module("checks", "tracing_pairs").plain

    def counted(text: str) -> str:
        called.append(text)
        return str(plain(text))

    monkeypatch.setattr(guest_module("checks", "tracing_pairs"), "plain", counted)
    drawn = {
        "kind": "drawn",
        "id": "raw",
        "target": "raw.xlsx",
        "labels": ["Weight", "Height"],
        "values": values,
    }
    assert tracing.trace(["raw.xlsx"], records=[drawn], folder=folder).traced == 600
    assert len(called) <= 4 * 600


def test_a_line_that_stands_twice_is_judged_twice() -> None:
    known = table("sales_by_year", ["Sales", *YEARS, "Year"], SALES, columns=["Year", "Sales"])
    line = "2013: 72,872, 2014: 70,490\n"
    assert told(line * 2, known) == ["72,872", "70,490"] * 2
    assert told("2013: 70,490, 2014: 72,872\n" * 2, known) == []


def test_an_amount_that_stands_alone_in_brackets_may_be_negative_or_not() -> None:
    assert told("(38.4%)", fact("share", 342 / 891, "%")) == []
    assert told("(69,551.23)", fact("returns", -69551.23)) == []
    assert told("(38.5%)", fact("share", 342 / 891, "%")) == ["(38.5%)"]


SEXES = table("by_sex", ["mean", "count", "female", "male", "Sex"], [233 / 314, 109 / 577, 314, 577])
CROWD = {"kind": "computed", "id": "standard", "labels": ["x"], "values": [n / 1000 for n in range(1000)]}
MANY = {"kind": "computed", "id": "more", "labels": ["y"], "values": list(range(1, 900))}
HEAD = "| группа | доля | всего |\n|---|---|---|\n"


def test_a_table_may_show_a_registered_one_under_translated_names() -> None:
    crowd = [one | {"kind": "table"} for one in (CROWD, MANY)]
    right = f"{HEAD}| женщины | 74,2 % | 314 |\n| мужчины | 18,9 % | 577 |"
    assert told(right, SEXES, *crowd) == []
    turned = f"{HEAD}| женщины | 74,2 % | 577 |\n| мужчины | 18,9 % | 314 |"
    assert told(turned, SEXES, *crowd) == ["577", "314"]
    wrong = f"{HEAD}| женщины | 74,2 % | 315 |\n| мужчины | 18,9 % | 577 |"
    assert "315" in told(wrong, SEXES, *crowd)


def test_a_clause_may_list_a_registered_table_under_translated_names() -> None:
    ports = table("by_port", ["C", "Q", "S"], [0.554, 0.390, 0.337], "%")
    shares = CROWD | {"unit": "%"}
    near = table("near", ["x"], [n / 1000 for n in range(300, 600)], "%")
    assert told("Шербур 55,4 %, Квинстаун 39,0 %, Саутгемптон 33,7 %.", ports, shares, near) == []
    assert told("Шербур 33,7 %, Квинстаун 55,4 %, Саутгемптон 39,0 %.", ports, shares, near) != []


def test_what_standard_calculations_register_makes_no_crowd_of_what_scripts_state() -> None:
    rates = table("rates", ["a", "b"], [0.742, 0.189], "%")
    assert told("Выжили 74,2 %", rates, CROWD | {"unit": "%"}) == []


def test_a_list_that_may_be_read_in_two_ways_makes_no_number_a_swapped_one() -> None:
    shares = table("shares", ["Cabin", "Age", "band", "Embarked"], [0.771, 0.199, 0.199, 0.002], "%")
    known = fact("cabin", 0.771, "%"), table("missing", ["Age", "Cabin", "Embarked"], [177, 687, 2])
    assert told("Missing: Age 177, Cabin 687 (77.1%), Embarked 2", shares, *known) == []


def test_an_answer_about_a_script_without_any_data_claims_nothing() -> None:
    assert told("All 11 tests passed, one of them with 500 random cases") == []
    assert told("All 11 tests passed; 38.4% survived", fact("passengers", 891)) != []


def test_a_code_that_ends_in_a_letter_is_no_number_of_billions() -> None:
    known = fact("revenue", 39_745_870.0)
    assert told("Item 84849B, then 79066K", known) == []
    assert told("Revenue 38.4B, or 1200M, or $45000K", known) == ["38.4B", "1200M", "$45000K"]


def test_quartiles_that_name_the_rows_of_a_description_are_no_claims() -> None:
    names = ["price", "min", "25%", "50%", "75%", "max"]
    known = table("prices", names, [100.0, 237.5, 332.5, 570.0, 1805.0])
    cells = zip(names[1:], (100, 237.5, 332.5, 570, 1805), strict=True)
    rows = "| | price |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in cells)
    assert told(rows, known) == []
    assert told("75% of prices lie below 570", known) == ["75%"]
