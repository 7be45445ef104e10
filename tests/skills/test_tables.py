"""Any file that people call a table is read rightly, and what was noticed is told."""

import codecs
import csv
import gzip
import io
import json
import struct
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import openpyxl
import pandas as pd
import pytest
from docx import Document
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.skills.guest import guest_module

tables = guest_module("eda", "tables")

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a file and gives its path."""

    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode(encoding) if isinstance(content, str) else content)
        return path

    return write


def one(path: Path) -> Any:
    (table,) = tables.read(path)
    return table


def codes(table: Any) -> list[str]:
    return [note.code for note in table.notes]


def rows(table: Any) -> list[list[Any]]:
    return table.frame.astype(object).where(table.frame.notna(), None).to_numpy().tolist()


# Encodings


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "город,n\nМосква,1\nПермь,2\n"),
        ("utf-16", "ville,n\nBéjaïa,1\nAnnecy,2\n"),
        ("utf-16-le", "town,n\nParis,1\nRome,2\n"),
        ("cp1251", "город,n\nМосква,1\nНижний Новгород,2\n"),
        ("koi8_r", "город,n\nМосква,1\nНижний Новгород,2\n"),
        ("cp866", "город,n\nМосква,1\nНижний Новгород,2\n"),
        ("cp932", "都道府県,n\n北海道,1\n東京都のまち,2\n"),
        ("gb18030", "城市,n\n北京,1\n这是一个中文测试,2\n"),
        ("cp1252", "name,n\nJosé Núñez,1\nFrançois,2\n"),
    ],
)
def test_letters_survive_in_every_usual_encoding(make: Make, encoding: str, text: str) -> None:
    table = one(make("a.csv", text, encoding))
    lines = [line.split(",") for line in text.splitlines()]
    assert list(table.frame.columns) == lines[0]
    assert rows(table) == [[label, int(n)] for label, n in lines[1:]]


def test_a_letter_across_the_border_of_a_buffer_is_not_cut(make: Make) -> None:
    lines = ["t,n", *(f"{'x' * (i % 7)}é,{i}" for i in range(60_000))]
    table = one(make("a.csv", "\n".join(lines)))
    assert table.note("encoding").facts["encoding"] == "UTF-8"
    assert table.frame["t"].str.endswith("é").all()


def test_a_damaged_byte_in_utf8_does_not_spoil_the_rest_and_is_told(make: Make) -> None:
    data = ("город,n\n" + "Москва,1\n" * 30).encode() + b"\xff,2\n"
    table = one(make("a.csv", data))
    assert table.frame["город"].iloc[0] == "Москва"
    assert table.note("lost_bytes").facts == {"count": 1}


# Separators and quotes


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_with_words_that_hold_the_others(make: Make, separator: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerows([["name", "words", "n"], ["a", "x, y; z | w", 1], ["b", "p\tq, r", 2], ["c", "s", 3]])
    table = one(make("a.csv", text.getvalue()))
    assert rows(table) == [["a", "x, y; z | w", 1], ["b", "p\tq, r", 2], ["c", "s", 3]]


def test_decimal_commas_do_not_look_like_separators(make: Make) -> None:
    table = one(make("a.csv", "what, m;how, m\n1,5;2,25\n3,5;4,75\n"))
    assert rows(table) == [[1.5, 2.25], [3.5, 4.75]]
    assert table.note("decimal_comma").facts["columns"] == ["what, m", "how, m"]


def test_line_breaks_inside_quotes_stay_in_the_cell(make: Make) -> None:
    table = one(make("a.csv", 'name,about,born\nM,"Queen of\nEngland, too", 1662\nN,"x\ny",1769'))
    assert rows(table) == [["M", "Queen of\nEngland, too", 1662], ["N", "x\ny", 1769]]


def test_lines_may_end_as_on_old_macs(make: Make) -> None:
    assert rows(one(make("a.csv", 'a,b\r1,"x"\r2,y\r'))) == [[1, "x"], [2, "y"]]


def test_a_quote_that_is_never_closed_does_not_swallow_the_file(make: Make) -> None:
    table = one(make("a.csv", 'a,b\n"x,1\n' + "z,3\n" * 300))
    assert len(table.frame) == 301
    assert "unbalanced_quote" in codes(table)


def test_the_separator_that_excel_writes_into_the_first_line_is_no_data(make: Make) -> None:
    assert rows(one(make("a.csv", "sep=;\na;b\n1;2\n"))) == [[1, 2]]


def test_columns_of_spaces_in_a_text_file_are_a_table(make: Make) -> None:
    assert rows(one(make("a.txt", "name     n\nAnna S   1\nBob T   20\n"))) == [["Anna S", 1], ["Bob T", 20]]


# Numbers


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,5", "2,25"], [1.5, 2.25]),
        (["1 234,5", "12 345,0"], [1234.5, 12345.0]),
        (["1\u00a0234", "12\u00a0345\u00a0678"], [1234, 12345678]),
        (["1\u202f234", "999"], [1234, 999]),
        (["1,234", "12,345,678"], [1234, 12345678]),
        (["1,234.5", "7"], [1234.5, 7]),
        (["1.234,5", "2.000.000,25"], [1234.5, 2000000.25]),
        (["1'234.50", "12"], [1234.5, 12]),
        (["(1,200)", "3,000,000"], [-1200, 3000000]),
        (["−5", "7"], [-5, 7]),
        (["45%", "5%"], [45, 5]),
        (["$1,200.50", "$3.00"], [1200.5, 3]),
        (["20,992", "45,06"], [20.992, 45.06]),
        (["1e3", "2.5"], [1000, 2.5]),
        (["5", "n/a", "—", "7"], [5, None, None, 7]),
    ],
)
def test_numbers_as_people_write_them(make: Make, cells: list[str], values: list[float | None]) -> None:
    table = one(make("a.tsv", "n\tt\n" + "".join(f"{cell}\tx\n" for cell in cells)))
    assert [row[0] for row in rows(table)] == values


def test_a_comma_that_may_be_both_follows_the_rest_of_the_file_and_is_told(make: Make) -> None:
    table = one(make("a.csv", "a;b\n1,234;0,5\n5,678;1,5\n"))
    assert rows(table) == [[1.234, 0.5], [5.678, 1.5]]
    assert table.note("ambiguous_numbers").facts["read_as"] == "decimals"
    alone = one(make("b.tsv", "a\tb\n1,234\tx\n5,678\ty\n"))
    assert rows(alone) == [[1234, "x"], [5678, "y"]]
    assert alone.note("ambiguous_numbers").facts["read_as"] == "thousands"


def test_two_currencies_in_one_column_are_not_one_number(make: Make) -> None:
    assert rows(one(make("a.csv", "a,b\n$5,1\n€6,2\n"))) == [["$5", 1], ["€6", 2]]


def test_digits_that_are_names_stay_text(make: Make) -> None:
    table = one(make("a.csv", "zip,card,phone,n\n01234,1234567812345678,+74951234567,1\n98765,8,+4,2\n"))
    assert rows(table)[0] == ["01234", "1234567812345678", "+74951234567", 1]
    assert table.note("kept_as_text").facts["columns"] == ["zip", "card", "phone"]


def test_na_is_a_word_among_words_and_missing_among_numbers(make: Make) -> None:
    table = one(make("a.csv", "code,land,n\nNA,Namibia,1\nDE,Germany,NA\n"))
    assert rows(table) == [["NA", "Namibia", 1], ["DE", "Germany", None]]
    assert {"na_text", "placeholders"} <= set(codes(table))


def test_a_few_words_among_many_numbers_are_named(make: Make) -> None:
    table = one(make("a.csv", "no,t\n" + "".join(f"{i},x\n" for i in range(50)) + "C7,x\nC8,y\n"))
    assert table.note("not_all_numbers").facts == {"column": "no", "count": 2, "examples": ["C7", "C8"]}


# Dates


@pytest.mark.parametrize(
    ("cells", "expected", "code"),
    [
        (["2024-03-08", "2024-03-09"], ["2024-03-08", "2024-03-09"], None),
        (["7/1/62", "1/31/06"], ["1962-07-01", "2006-01-31"], "two_digit_years"),
        (["13.02.2024", "01.03.2024"], ["2024-02-13", "2024-03-01"], None),
        (["01.02.2024", "02.03.2024"], ["2024-02-01", "2024-03-02"], "ambiguous_dates"),
        (["2024-03-09", "03/10/2024"], ["2024-03-09", "2024-03-10"], "mixed_dates"),
        (["5 марта 2024", "12 апреля 2024 г."], ["2024-03-05", "2024-04-12"], None),
        (["Mar 5, 2024", "April 12, 2024"], ["2024-03-05", "2024-04-12"], None),
        (["2024-01", "2024-02"], ["2024-01-01", "2024-02-01"], None),
        (["01/02/2024 10:30 PM", "01/13/2024 09:00 AM"], ["2024-01-02 22:30", "2024-01-13 09:00"], None),
        (
            ["2024-01-01T00:30:00+03:00", "2024-01-02T00:00:00Z"],
            ["2023-12-31 21:30", "2024-01-02"],
            "time_zone",
        ),
    ],
)
def test_dates_as_people_write_them(
    make: Make, cells: list[str], expected: list[str], code: str | None
) -> None:
    table = one(make("a.tsv", "d\tn\n" + "".join(f"{cell}\t1\n" for cell in cells)))
    assert list(table.frame["d"]) == [pd.Timestamp(value) for value in expected]
    assert code is None or code in codes(table)


def test_dates_of_both_orders_stay_text_and_it_is_said(make: Make) -> None:
    table = one(make("a.csv", "d,n\n13/02/2024,1\n02/13/2024,2\n"))
    assert rows(table) == [["13/02/2024", 1], ["02/13/2024", 2]]
    assert "conflicting_dates" in codes(table)


def test_eight_digits_with_a_leading_zero_stay_text_with_a_hint(make: Make) -> None:
    table = one(make("a.csv", "d,n\n02042003,1\n25122003,2\n"))
    assert rows(table) == [["02042003", 1], ["25122003", 2]]
    assert table.note("compact_dates").facts["format"] == "DDMMYYYY"


# Shape


def test_titles_blank_rows_and_notes_are_not_data(make: Make) -> None:
    text = "Report;;\n;;\nRegion;Q1;Q2\nN;1;2\n;;\nS;3;4\n;;\n* preliminary;;\nSource: office;;\n"
    table = one(make("a.csv", text))
    assert list(table.frame.columns) == ["Region", "Q1", "Q2"]
    assert rows(table) == [["N", 1, 2], ["S", 3, 4]]
    assert table.note("title_rows").facts["texts"] == ["Report"]
    assert table.note("footnotes").facts["texts"] == ["* preliminary", "Source: office"]


def test_headings_inside_a_table_are_kept_and_named(make: Make) -> None:
    table = one(make("a.csv", "What;2020;2021\nAll;10;12\nof which:;;\nx;4;5\ny;6;7\n"))
    assert len(table.frame) == 4
    assert table.note("subheadings").facts["labels"] == ["of which:"]


def test_a_header_one_field_short_does_not_shift_the_columns(make: Make) -> None:
    table = one(make("a.csv", "Ad,Media\nVisit,98,131\nBuy,15,24\n"))
    assert list(table.frame.columns) == ["row_label", "Ad", "Media"]
    assert rows(table) == [["Visit", 98, 131], ["Buy", 15, 24]]
    assert "row_label" in codes(table)


def test_hundreds_of_blank_rows_above_do_not_hide_the_table(make: Make) -> None:
    body = "".join(f"{n},x\n" for n in range(500))
    table = one(make("a.csv", ",\n" * 400 + "n,t\n" + body))
    assert table.frame["n"].tolist() == list(range(500))


def test_a_separator_at_the_end_of_rows_is_no_column(make: Make) -> None:
    table = one(make("a.csv", "x,y\n1,2,\n3,4,\n"))
    assert list(table.frame.columns) == ["x", "y"]
    assert rows(table) == [[1, 2], [3, 4]]


def test_ragged_rows_are_kept_and_named(make: Make) -> None:
    table = one(make("a.csv", 'a,b,c\n1,27,,"too long"\n,"too short"\n0,mixed,17\n'))
    assert rows(table) == [
        [1, "27", None, "too long"],
        [None, "too short", None, None],
        [0, "mixed", 17, None],
    ]
    facts = table.note("ragged_rows").facts
    assert (facts["count"], facts["rows"]) == (2, ["row 2 has 4", "row 3 has 2"])


def test_equal_and_blank_names_become_different_and_none_is_lost(make: Make) -> None:
    table = one(make("a.csv", "a,a,,a_2,\nx,y,z,w,\n"))
    assert list(table.frame.columns) == ["a", "a_3", "column_3", "a_2"]
    assert rows(table) == [["x", "y", "z", "w"]]
    assert {"duplicate_headers", "blank_header", "blank_columns"} <= set(codes(table))


def test_a_file_of_numbers_only_has_no_header(make: Make) -> None:
    table = one(make("a.csv", "1,2\n3,4\n"))
    assert rows(table) == [[1, 2], [3, 4]]
    assert "no_header" in codes(table)


def test_years_may_be_names_of_columns(make: Make) -> None:
    assert list(one(make("a.csv", "k,2020,2021\nx,1,2\n")).frame.columns) == ["k", "2020", "2021"]


def test_a_blank_name_over_the_row_labels_does_not_make_the_header_a_title(make: Make) -> None:
    assert list(one(make("a.csv", ",value\nA,1\nB,2\n")).frame.columns) == ["column_1", "value"]


def test_group_names_over_equal_names_tell_them_apart(make: Make) -> None:
    table = one(make("a.csv", "2023,,2024,\nQ1,Q2,Q1,Q2\n1,2,3,4\n"))
    assert list(table.frame.columns) == ["2023 / Q1", "2023 / Q2", "2024 / Q1", "2024 / Q2"]


# Workbooks


def workbook(path: Path, sheets: dict[str, list[list[Any]]], **changes: Callable[[Any], None]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, cells in sheets.items():
        sheet = book.create_sheet(title)
        for row in cells:
            sheet.append(row)
        if title in changes:
            changes[title](sheet)
    book.save(path)
    return path


def test_every_sheet_is_a_table_and_hidden_ones_are_marked(tmp_path: Path) -> None:
    def hide(sheet: Any) -> None:
        sheet.sheet_state = "veryHidden"

    cells = [["a", "b"], ["x", 1]]
    path = workbook(tmp_path / "a.xlsx", {"One": cells, "Two": cells, "Void": []}, Two=hide)
    first, second = tables.read(path)
    assert (first.name, first.hidden, second.name, second.hidden) == ("One", False, "Two", True)
    assert first.note("empty_sheets").facts["sheets"] == ["Void"]
    assert tables.read_one(path).name == "One"
    assert tables.read_one(path, "Two").name == "Two"


def test_a_sheet_with_a_title_merged_labels_and_notes_below(tmp_path: Path) -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("A1:C1")
        sheet.merge_cells("A4:A5")

    cells = [
        ["Report 2024"],
        [],
        [None, "What", 2023],
        ["Money", "in", 5],
        [None, "out", 4],
        [],
        ["1) estimate"],
    ]
    (table,) = tables.read(workbook(tmp_path / "a.xlsx", {"S": cells}, S=merge))
    assert list(table.frame.columns) == ["column_1", "What", "2023"]
    assert rows(table) == [["Money", "in", 5], ["Money", "out", 4]]
    assert table.note("footnotes").facts["texts"] == ["1) estimate"]


def test_a_header_merged_over_columns_takes_the_row_below_with_it(tmp_path: Path) -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("A1:A2")
        sheet.merge_cells("B1:C1")

    cells = [["Region", "Plan", None], [None, "Jan", "Feb"], ["N", 1, 2], ["S", 3, 4]]
    (table,) = tables.read(workbook(tmp_path / "a.xlsx", {"S": cells}, S=merge))
    assert list(table.frame.columns) == ["Region", "Plan / Jan", "Plan / Feb"]
    assert rows(table) == [["N", 1, 2], ["S", 3, 4]]


def test_a_merged_number_counts_once(tmp_path: Path) -> None:
    cells = [["k", "n"], ["a", 10], ["b", None]]
    path = workbook(tmp_path / "a.xlsx", {"S": cells}, S=lambda sheet: sheet.merge_cells("B2:B3"))
    assert tables.read_one(path).frame["n"].sum() == 10


def test_formulas_that_were_never_computed_are_told_and_not_guessed(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": [["a", "b", "c"], [1, 2, "=A2+B2"], [3, 4, '="x"&"y"']]})
    (table,) = tables.read(path)
    assert table.frame["c"].isna().all()
    assert table.note("formulas_without_values").facts["examples"] == ["C2 =A2+B2", 'C3 ="x"&"y"']


def test_excel_day_numbers_among_dates_become_dates(tmp_path: Path) -> None:
    cells = [["who", "hired"], ["a", 39690], ["b", datetime(2019, 1, 14)], ["c", 11037]]  # noqa: DTZ001
    (table,) = tables.read(workbook(tmp_path / "a.xlsx", {"S": cells}))
    assert [str(value.date()) for value in table.frame["hired"]] == ["2008-08-30", "2019-01-14", "1930-03-20"]
    assert table.note("excel_serials").facts == {"column": "hired", "count": 2}


def test_words_and_numbers_in_one_column_are_text_without_loss(tmp_path: Path) -> None:
    (table,) = tables.read(
        workbook(tmp_path / "a.xlsx", {"S": [["k", "v"], ["a", 1], ["b", "one"], ["c", 2.5]]})
    )
    assert list(table.frame["v"]) == ["1", "one", "2.5"]
    assert "mixed_types" in codes(table)


def test_sheets_of_one_kind_are_combined_by_name_not_by_place(tmp_path: Path) -> None:
    sheets = {
        "Jan": [["a", "b", "c", "d"], ["x", 1, 2, 3]],
        "Feb": [["b", "a", "d", "e", "c"], [5, "y", 6, 7, 8]],
    }
    table = tables.combine(tables.read(workbook(tmp_path / "a.xlsx", sheets)))
    assert rows(table) == [["Jan", "x", 1, 2, 3, None], ["Feb", "y", 5, 8, 6, 7]]
    assert table.note("lacking_columns").facts["columns"] == ["e in Jan"]


def test_open_document_sheets_are_read_and_hidden_ones_are_marked(tmp_path: Path) -> None:
    path = open_document(
        tmp_path / "a.ods",
        {"S": [["k", "n", "d"], ["a", 1.5, date(2024, 1, 2)], ["b", 2, date(2024, 1, 3)]], "H": [["x"], [1]]},
        hidden="H",
    )
    table, other = tables.read(path)
    assert (table.name, list(table.frame["n"])) == ("S", [1.5, 2.0])
    assert table.frame["d"].dt.day.tolist() == [2, 3]
    assert (table.hidden, other.hidden) == (False, True)


def test_a_broken_open_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.ods"
    path.write_bytes(open_document(tmp_path / "b.ods", {"S": [["k"], [1]]}).read_bytes()[:400])
    with pytest.raises(tables.TableError):
        tables.read(path)


MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" '
    'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
)


def open_document(path: Path, sheets: dict[str, list[list[Any]]], hidden: str = "") -> Path:
    """A smallest OpenDocument sheet, written by hand."""

    def cell(value: object) -> str:
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        if isinstance(value, date):
            return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    tables_xml = "".join(
        f'<table:table table:name="{name}" table:style-name="{"off" if name == hidden else "on"}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
        for prefix, urn in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"))
    )
    styles = "".join(
        f'<style:style style:name="{name}" style:family="table">'
        f'<style:table-properties table:display="{shown}"/></style:style>'
        for name, shown in (("on", "true"), ("off", "false"))
    )
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables_xml}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", MANIFEST)
        archive.writestr("content.xml", content)
    return path


def test_an_old_workbook_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xls"
    path.write_bytes(biff([["k", "n"], ["a", 1.0], ["b", 2.5]]))
    assert rows(one(path)) == [["a", 1.0], ["b", 2.5]]


def biff(cells: list[list[str | float]]) -> bytes:
    """A smallest Excel 2.1 stream, which xlrd reads without a compound file around it."""
    records = [struct.pack("<HHHH", 0x0009, 4, 0x0002, 0x0010)]
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            place = struct.pack("<HH3s", row, column, b"\0\0\0")
            if isinstance(cell, str):
                body = place + bytes([len(cell)]) + cell.encode("ascii")
                records.append(struct.pack("<HH", 0x0004, len(body)) + body)
            else:
                body = place + struct.pack("<d", cell)
                records.append(struct.pack("<HH", 0x0003, len(body)) + body)
    return b"".join([*records, struct.pack("<HH", 0x000A, 0)])


# JSON, Parquet, documents, archives


def test_json_lines_are_flattened_one_level_and_lists_counted(make: Make) -> None:
    lines = [{"a": 1, "b": {"c": "x"}, "p": [1, 2]}, {"a": 2, "b": {"c": "y"}, "p": []}]
    table = one(make("a.jsonl", "\n".join(map(json.dumps, lines)) + "\n{broken\n"))
    assert list(table.frame.columns) == ["a", "b.c", "p_count"]
    assert rows(table) == [[1, "x", 2], [2, "y", 0]]
    assert table.note("nested_lists").facts["items"] == {"p": 2}
    assert table.note("broken_lines").facts["count"] == 1


def test_the_untouched_records_are_there_to_unroll(make: Make) -> None:
    path = make("a.json", '[{"p": [{"x": 1}, {"x": 2}]}]')
    assert tables.records(path) == [{"p": [{"x": 1}, {"x": 2}]}]


def test_milliseconds_since_1970_become_dates(make: Make) -> None:
    path = make("a.json", json.dumps([{"at": 1372701600000}, {"at": 1404410400000}]))
    table = one(path)
    assert [str(value) for value in table.frame["at"]] == ["2013-07-01 18:00:00", "2014-07-03 18:00:00"]
    assert "epoch" in codes(table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"meta": {"n": 2}, "rows": [{"a": 1}, {"a": 2}]}', [[1], [2]]),
        ('{"a": [1, 2], "b": ["x", "y"]}', [[1, "x"], [2, "y"]]),
        ('{"u": {"n": 1}, "v": {"n": 2}}', [["u", 1], ["v", 2]]),
        ('{"columns": ["a", "b"], "data": [[1, "x"]]}', [[1, "x"]]),
        ('[["n", "v"], ["a", 1]]', [["a", 1]]),
    ],
)
def test_json_of_other_layouts(make: Make, text: str, expected: list[list[Any]]) -> None:
    assert rows(one(make("a.json", text))) == expected


def test_parquet_keeps_its_types_and_its_days_are_dates(tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": [date(2024, 1, 2), date(2024, 2, 3)], "n": [1, 2], "l": [[1, 2], []]})
    frame.to_parquet(tmp_path / "a.parquet")
    table = one(tmp_path / "a.parquet")
    assert list(table.frame["d"].dt.month) == [1, 2]
    assert list(table.frame["l_count"]) == [2, 0]


def test_tables_in_word_markdown_and_html(tmp_path: Path, make: Make) -> None:
    document = Document()
    grid = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in grid.rows for cell in row.cells], ["a", "b", "1", "x"], strict=True
    ):
        cell.text = text
    document.save(str(tmp_path / "a.docx"))
    markdown = make("a.md", "# T\n\n| a | b |\n|---|:-:|\n| 1 | x |\n\nwords\n")
    page = make(
        "a.xls", "<html><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x</td></tr></table></html>"
    )
    for path in (tmp_path / "a.docx", markdown, page):
        assert rows(one(path)) == [[1, "x"]]


def test_an_archive_gives_its_tables_under_russian_names_without_its_junk(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    name = "отчёт.csv".encode("cp866").decode("cp437")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "a,b\n1,x\n")
        archive.writestr("__MACOSX/._x.csv", b"\0\1")
        archive.writestr("READ.md", "words")
    # zipfile marks such a name as UTF-8; old Windows programs write the bytes bare
    data = path.read_bytes().replace(
        name.encode(), "отчёт.csv".encode("cp866").ljust(len(name.encode()), b"!")
    )
    data = data.replace("отчёт.csv".encode("cp866"), "отчёт.csv".encode("cp866"))
    path.write_bytes(clear_utf8_flag(data))
    table = one(path)
    assert rows(table) == [[1, "x"]]
    assert table.file == "a.zip"
    assert table.note("archive").facts["member"].startswith("отчёт.csv")
    assert table.note("archive_skipped").facts["members"] == ["READ.md (not_a_table)"]


def clear_utf8_flag(data: bytes) -> bytes:
    changed = bytearray(data)
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(magic)
        while at >= 0:
            changed[at + offset + 1] &= ~0x08 & 0xFF
            at = data.find(magic, at + 4)
    return bytes(changed)


def test_an_archive_bomb_is_refused_before_it_fills_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_module = guest_module("eda", "tables_archive")
    monkeypatch.setattr(archive_module, "MAX_UNPACKED", 1 << 20)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "a,b\n" + "1,2\n" * 400_000)
    with pytest.raises(tables.TooLarge):
        tables.read(tmp_path / "a.zip")


def test_a_gzipped_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert rows(one(tmp_path / "a.csv.gz")) == [[1, "x"]]


# What is no table


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("a.csv", b"", "empty_file", "0 bytes"),
        ("a.csv", codecs.BOM_UTF8 + b"\r\n \r\n", "empty_file", "no data"),
        ("a.csv", b",,,\n,,,\n", "empty_file", "no data"),
        ("a.csv", b"abs_file_name", "header_only", "abs_file_name"),
        ("a.csv", b"a;b;c\r\n", "header_only", "a, b, c"),
        ("a.pdf", b"%PDF-1.7 ...", "not_a_table", "PDF"),
        ("a.csv", b"\x89PNG\r\n\x1a\n....", "not_a_table", "PNG"),
        ("a.csv", bytes(range(1, 9)) * 40, "not_a_table", "binary"),
        ("a.txt", b"Dear Sir,\nI write to you, as agreed.\nYours,\nJohn\n", "not_a_table", "text"),
        ("a.md", b"# Title\n\nwords\n", "not_a_table", "text"),
        ("a.json", b'{"a": 1}', "not_a_table", "JSON"),
        ("a.json", b'{"a": ', "broken_file", "JSON"),
        ("a.xlsx", b"PK\x03\x04 cut", "broken_file", "zip"),
        ("a.parquet", b"PAR1 cut", "broken_file", "Parquet"),
        (
            "a.xlsx",
            b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"),
            "password_protected",
            "password",
        ),
        ("a.doc", b"\xd0\xcf\x11\xe0" + "WordDocument".encode("utf-16-le"), "not_a_table", "Word"),
    ],
)
def test_a_file_without_a_table_is_told_in_a_plain_sentence(
    make: Make, name: str, content: bytes, code: str, words: str
) -> None:
    with pytest.raises(tables.TableError) as caught:
        tables.read(make(name, content))
    assert caught.value.code == code
    assert words in str(caught.value)
    assert name in str(caught.value)


def test_an_unknown_name_lists_the_files_there_are(make: Make, tmp_path: Path) -> None:
    make("here.csv", "a,b\n1,2\n")
    with pytest.raises(tables.UnknownFile, match=r"here\.csv"):
        tables.read("gone.csv", tmp_path)


def test_a_reader_that_fails_unforeseen_still_gives_a_plain_sentence(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise AttributeError("inner")  # noqa: EM101 (a stand-in for a fault of a library)

    monkeypatch.setattr(guest_module("eda", "tables_text"), "read", fail)
    with pytest.raises(tables.UnreadableFile, match=r"a\.csv could not be read \(AttributeError: inner\)"):
        tables.read(make("a.csv", "a,b\n1,2\n"))


def test_a_file_over_the_limit_is_refused_unread(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make("a.csv", "a,b\n1,2\n")
    monkeypatch.setattr(tables, "MAX_BYTES", 4)
    with pytest.raises(tables.TooLarge, match="limit"):
        tables.read(path)


@settings(max_examples=100, deadline=None)
@example(b"<html", "csv")
@given(st.binary(max_size=300), st.sampled_from(["csv", "txt", "json", "xlsx", "md", "zip", "parquet"]))
def test_whatever_the_bytes_there_is_a_table_or_a_foreseen_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"a.{suffix}"
    path.write_bytes(data)
    found: list[Any] = []
    code = ""
    try:
        found = tables.read(path)
    except tables.TableError as error:
        code = error.code
    assert code != "unreadable_file"
    assert code or all(len(table.frame) for table in found)


words = st.text(
    st.characters(categories=["L", "Zs"], exclude_characters="\u00a0\u202f"), min_size=1, max_size=12
)
cell = words.map(lambda text: "w" + text.strip())


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(cell, st.integers(-(10**12), 10**12), st.dates(date(1000, 1, 1))), min_size=1, max_size=20
    ),
    st.sampled_from(",;\t|"),
)
def test_what_is_written_as_csv_comes_back(
    tmp_path_factory: pytest.TempPathFactory, data: list[tuple[str, int, date]], separator: str
) -> None:
    path = tmp_path_factory.mktemp("round") / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=separator)
        writer.writerow(["text", "number", "day"])
        writer.writerows([(text, number, day.isoformat()) for text, number, day in data])
    table = one(path)
    assert list(table.frame["text"]) == [text for text, _, _ in data]
    assert list(table.frame["number"]) == [number for _, number, _ in data]
    assert [value.date() for value in table.frame["day"]] == [day for _, _, day in data]


# Assumptions


def test_what_reading_took_for_granted_goes_to_the_assumptions_of_the_run(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    library = ModuleType("facts")
    library.assume = said.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "facts", library)
    path = make("a.csv", "n,day,x\n1,01/02/2024,a\n2,03/04/2024,b\n3,05/06/2024,c,d\n")
    tables.look(path)
    assert said == []
    tables.read_one(path)
    assert said == [
        "a.csv: 1 rows do not have the header's 3 fields: row 4 has 4. None is lost.",
        "a.csv: Day and month order in day is not certain; read as MDY, such as 01/02/2024.",
    ]


# Speed


def test_a_long_table_and_a_wide_one_are_read_in_seconds(make: Make) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC).date().toordinal()
    long = "".join(
        f"{i},{date.fromordinal(start + i % 400)},{i * 1.5},name {i % 3000}\n" for i in range(50_000)
    )
    wide = (
        ",".join(f"V{i}" for i in range(2308))
        + "\n"
        + (",".join(str(i * 0.37) for i in range(2308)) + "\n") * 8
    )
    began = time.perf_counter()
    assert one(make("long.csv", "id,day,amount,who\n" + long)).frame.shape == (50_000, 4)
    assert one(make("wide.csv", wide)).frame.shape == (8, 2308)
    assert time.perf_counter() - began < 6


def test_every_note_has_a_sentence_for_its_facts() -> None:
    note = tables.Note("ragged_rows", {"count": 2, "expected": 3, "rows": ["row 2 has 4"]})
    assert str(note) == "2 rows do not have the header's 3 fields: row 2 has 4. None is lost."
    assert note.to_dict()["code"] == "ragged_rows"
    with pytest.raises(ValueError, match="no sentence"):
        tables.Note("unheard_of")
