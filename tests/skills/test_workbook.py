"""Workbooks for a person: real types, safe texts, native charts, how they were made, through the gate."""

import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills.guest import guest_module

load_workbook: Any = import_module("openpyxl").load_workbook
facts: Any = guest_module("facts", "facts")
checks: Any = guest_module("checks", "checks")
workbook: Any = guest_module("excel-report", "workbook")
names: Any = guest_module("excel-report", "workbook_names")
HEADS, FIRST = 4, 5
"""Rows of a sheet, as Excel counts."""


@pytest.fixture
def orders(out: Path) -> pd.DataFrame:
    """A loaded file, in the current folder."""
    lines = ["day,region,amount,returned"]
    for number in range(1, 61):
        region = ("North", "South", "West")[number % 3]
        lines.append(f"2024-{number % 12 + 1:02}-05,{region},{number * 17.25},{number * 7 % 23 + 40}")
    (out / "orders.csv").write_text("\n".join(lines), "utf-8")
    return facts.load("orders.csv")


def report_on(orders: pd.DataFrame, language: str = "en") -> str:
    book = workbook.Workbook("South returns", language=language, source="orders.csv", rows=len(orders))
    mean = facts.fact("mean amount", "amount.mean()", of=orders, unit="£")
    book.summary([(mean, "mean amount")], [f"An order brings {mean}."])
    by_region = orders.groupby("region").agg(amount=("amount", "sum"), returned=("returned", "sum"))
    by_region["share"] = by_region["returned"] / by_region["returned"].sum()
    book.table("Regions", by_region, percent=["share"], currency={"amount": "£"}, bars=["share"])
    options = {"percent": True, "x_title": "Region", "y_title": "Share of returns"}
    book.chart("Shares", by_region["share"], title="South returns most", kind="bar", **options)
    book.data(orders)
    return book.save("report.xlsx")


def written(**columns: list[Any]) -> Any:
    """The data sheet of a workbook with these columns, and what the sheet on method tells."""
    book = workbook.Workbook("Odd values", source="typed")
    book.data(pd.DataFrame(columns))
    read = load_workbook(book.save("odd.xlsx"))
    return read["Data"], "\n".join(str(row[0]) for row in read["Method"].values)


def test_a_workbook_passes_the_gate_with_every_number_traced(orders: pd.DataFrame) -> None:
    for language in ("en", "ru"):
        report_on(orders, language)
        made = checks.report()
        assert made["findings"] == []
        assert made["traced"] == made["numerals"] > 100


def test_numbers_shares_amounts_and_dates_are_what_they_are(orders: pd.DataFrame) -> None:
    book = load_workbook(report_on(orders))
    _, amount, returned, share = book["Regions"][FIRST]
    assert isinstance(amount.value, float)
    assert "£" in amount.number_format
    assert returned.number_format == "#,##0"
    assert 0 < share.value < 1
    assert share.number_format == "0.0%"
    day = book["Data"].cell(FIRST, 1)
    assert isinstance(day.value, datetime.datetime)
    assert day.number_format == "yyyy-mm-dd"
    figure = book["Summary"]["A5"]
    assert figure.value == pytest.approx(orders["amount"].mean())
    assert "£" in figure.number_format


def test_sheets_are_made_to_be_filtered_scrolled_and_printed(orders: pd.DataFrame) -> None:
    book = load_workbook(report_on(orders))
    assert book.sheetnames == ["Summary", "Regions", "Shares", "Data", "Method"]
    sheet = book["Data"]
    assert sheet.auto_filter.ref == f"A{HEADS}:D{HEADS + 60}"
    assert sheet.freeze_panes == f"A{FIRST}"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet.page_setup.fitToHeight == 0
    assert sheet.print_title_rows == f"${HEADS}:${HEADS}"
    assert "orders.csv" in str(sheet.oddFooter.left.text)


def test_charts_are_native_with_titles_and_named_axes(orders: pd.DataFrame) -> None:
    (chart,) = load_workbook(report_on(orders))["Shares"]._charts
    said = [text.t for part in (chart.title, chart.x_axis.title, chart.y_axis.title)
            for paragraph in part.tx.rich.p for text in paragraph.r]  # fmt: skip
    assert said == ["South returns most", "Region", "Share of returns"]
    assert chart.series[0].val.numRef.f == "Shares!$B$5:$B$7"
    assert chart.y_axis.scaling.min == 0, "bars that begin elsewhere exaggerate"


def test_the_last_sheet_tells_the_source_the_assumptions_and_the_calculations(orders: pd.DataFrame) -> None:
    facts.assume("An empty return is none")
    said = [cell for row in load_workbook(report_on(orders))["Method"].values for cell in row if cell]
    assert "Source: orders.csv, 60 rows" in said
    assert "An empty return is none" in said
    assert "amount.mean()" in said


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@SUM(A1)", "{=1}", "http://example.org"])
def test_a_text_is_never_a_formula_or_a_link(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sheet, _ = written(word=[text, "plain"])
    cell = sheet.cell(FIRST, 1)
    assert (cell.data_type, cell.value, cell.hyperlink) == ("s", text, None)


def test_what_excel_cannot_hold_is_adapted_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sheet, told = written(
        zoned=[pd.Timestamp("2024-05-01 10:00", tz="Asia/Tokyo"), None],
        control=["a\x01b\x1f", "c"],
        card=[1234567890123456789, 7],
        old=[datetime.date(1850, 1, 1), datetime.date(2020, 1, 2)],
        long=["x" * 40_000, ""],
        gap=[float("nan"), float("inf")],
    )
    zoned, control, card, old, long, gap = (sheet.cell(FIRST, column) for column in range(1, 7))
    assert zoned.value == datetime.datetime(2024, 5, 1, 10)  # noqa: DTZ001 - as it is in the sheet
    assert control.value == "ab"
    assert card.value == "1234567890123456789"
    assert old.value == "1850-01-01"
    assert len(long.value) == 32_767
    assert gap.value is None
    for word in ("Asia/Tokyo", "control:", "card:", "old:", "long:"):
        assert word in told, word


def test_names_of_sheets_fit_excel_and_are_each_there_once() -> None:
    long = "Revenue of all the regions by month and by product"
    first = names.sheet_name(long, [])
    assert len(first) <= 31
    assert names.sheet_name(long.upper(), [first]).endswith(" 2")
    assert names.sheet_name("a[b]:c*?/\\d", []) == "a_b__c____d"
    assert names.sheet_name("'History'", []) == "History_"
    assert names.sheet_name(" \x00", []) == "Sheet"


def test_columns_of_one_name_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    book = workbook.Workbook("Twins", source="typed")
    book.data(pd.DataFrame([[1, 2, 3]], columns=["a", "A", "a"]))
    heads = [cell.value for cell in load_workbook(book.save("twins.xlsx"))["Data"][HEADS]]
    assert heads == ["a", "A (2)", "a (3)"]


def test_rows_beyond_what_a_sheet_holds_are_cut_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workbook, "MAX_ROWS", 108)
    sheet, told = written(n=list(range(300)))
    assert sheet.max_row == HEADS + 100
    assert "100 of 300 rows; an Excel sheet holds 1,048,576 rows at most" in told


def test_a_large_workbook_has_the_numbers_of_its_charts_too(
    orders: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows have left memory by the time that charts are written."""
    monkeypatch.setattr(workbook, "_IN_MEMORY", 0)
    book = load_workbook(report_on(orders))
    (chart,) = book["Shares"]._charts
    cached = [float(point.v) for point in chart.series[0].val.numRef.numCache.pt]
    assert cached == pytest.approx([book["Shares"].cell(row, 2).value for row in (5, 6, 7)], rel=1e-12)


def test_title_and_note_of_a_narrow_table_are_printed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = workbook.Workbook("Narrow", source="typed")
    frame = pd.DataFrame({"month": ["May", "June"], "sold": [1, 2]})
    book.table("Short", frame, title="Sold by month and by nobody", note="June")
    book.table("Long", frame, title="June is the best month of all", note="what is said at length " * 20)
    book.chart("Drawn", frame, title="June is best", note="what is said at length " * 20)
    read = load_workbook(book.save("narrow.xlsx"))
    assert read["Short"].print_area == "'Short'!$A$1:$E$8"
    last = read["Long"].print_area.partition(":")[2]
    (merged,) = read["Long"].merged_cells.ranges
    assert last == f"${merged.coord.partition(':')[2].rstrip('8')}$8"
    assert read["Long"].row_dimensions[8].height >= 4 * 15
    (drawn,) = read["Drawn"].merged_cells.ranges
    assert drawn.min_row > HEADS + 19, "a note is hidden by the chart"


def test_a_title_of_two_lines_has_room_in_the_contents(orders: pd.DataFrame) -> None:
    book = workbook.Workbook("Long", source="orders.csv", rows=len(orders))
    book.table("Short", orders, title="By region")
    book.table("Long", orders, title="What every region has sold in the whole year, " * 4)
    sheet = load_workbook(book.save("long.xlsx"))["Summary"]
    rows = {cell.value: cell.row for (cell,) in sheet.iter_rows(max_col=1)}
    heights = [sheet.row_dimensions[rows[name]].height for name in ("Short", "Long")]
    assert heights[1] >= 2 * heights[0]


def test_a_head_takes_two_lines_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    book = workbook.Workbook("Heads", source="typed")
    book.table("A", pd.DataFrame({"share of the three dearest seats": [1], "one of a kind by far": [2]}))
    assert load_workbook(book.save("heads.xlsx"))["A"].row_dimensions[HEADS].height < 3 * 15


def test_values_at_bars_of_thousands_have_no_decimals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = workbook.Workbook("Money", source="typed")
    book.chart("Large", {"May": 73_856.78, "June": 78_429.7}, title="June is best", unit="£")
    book.chart("Small", {"May": 7.25, "June": 8.5}, title="June is best", unit="£")
    read = load_workbook(book.save("money.xlsx"))
    codes = [read[name]._charts[0].series[0].dLbls.numFmt for name in ("Large", "Small")]
    assert [".00" in code for code in codes] == [False, True]
    assert ".00" in read["Large"].cell(FIRST, 2).number_format


@pytest.mark.parametrize("kind", [str, int])
def test_years_under_a_chart_are_numbers_and_still_names(orders: pd.DataFrame, kind: type) -> None:
    years = orders.assign(year=[kind(2001 + row % 6) for row in range(len(orders))])
    book = workbook.Workbook("Years", source="orders.csv", rows=len(orders))
    options = {"title": "2003 brought most", "highlight": "2003", "x_title": "Period", "y_title": "Amount, £"}
    book.chart("Years", years.groupby("year")["amount"].sum(), **options)
    file = book.save("years.xlsx")
    cells = [row[0] for row in load_workbook(file)["Years"].iter_rows(min_row=FIRST, max_row=FIRST + 5)]
    assert [(cell.value, cell.number_format) for cell in cells] == [(2001 + n, "0") for n in range(6)]
    assert checks.check(file)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda book: book.table("A", pd.DataFrame({"a": [1]}), percent=["b"]), "There is no column 'b'"),
        (lambda book: book.table("A", [1, 2]), "takes a DataFrame"),
        (lambda book: book.chart("A", {"a": 1}, title="A", kind="radar"), "There are: bar"),
        (lambda book: book.chart("A", {"a": 1}, title=" "), "says the finding"),
        (lambda book: book.save(), "no sheet yet"),
    ],
)
def test_what_cannot_be_written_is_refused_with_advice(call: Any, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        call(workbook.Workbook("A", source="typed"))
