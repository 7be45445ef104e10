"""Numbers are found wherever a deliverable has them, and read as people of two languages write them."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from docx import Document
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from tests.skills import papers
from tests.skills.guest import guest_module
from tests.skills.tracing_samples import book, deck, in_part

numerals = guest_module("checks", "numerals")
package = guest_module("checks", "numerals_package")
plain = guest_module("checks", "numerals_plain")
A14 = "http://schemas.microsoft.com/office/drawing/2010/main"


def only(text: str) -> Any:
    found = numerals.extract_text(text)
    assert len(found) == 1, found
    return found[0]


def claims(path: Path) -> list[str]:
    return [f"{one.place}: {one.text}" for one in numerals.extract(path) if one.claims]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1 234,5", 1234.5, ""),
        ("1\u00a0234\u202f567", 1234567, ""),
        ("1,234.5", 1234.5, ""),
        ("€1.234,50", 1234.5, "€"),
        ("38,4 %", 0.384, "%"),
        ("38.4 percent", 0.384, "%"),
        ("−12,5", -12.5, ""),
        ("-69,551.23", -69551.23, ""),
        ("-£12", -12, "£"),
        ("£-12", -12, "£"),
        ("(1,234)", -1234, ""),
        ("3.83 times more", 3.83, "×"),
        ("в 3,83 раза", 3.83, "×"),
        ("×6.67", 6.67, "×"),
        ("4.1x", 4.1, "×"),
        ("12.3k", 12300, ""),
        ("1,2 млн", 1.2e6, ""),
        ("1,2 млн руб.", 1.2e6, "₽"),
        ("$1.2M", 1.2e6, "$"),
        ("USD 5 billion", 5e9, "$"),
        ("847 тыс. ₽", 847e3, "₽"),
        ("12 p.p.", 0.12, "pp"),
        ("12,3 процентных пункта", 0.123, "pp"),
        ("28 years", 28, "years"),
        ("28 лет", 28, "years"),
        ("1.5e6", 1.5e6, ""),
        ("１２３", 123, ""),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    found = only(text)
    assert found.value == pytest.approx(value)
    assert found.unit == unit
    assert found.text == text.replace("\u202f", "\u00a0").replace("１２３", "123").replace(
        " more", ""
    ).removeprefix("в ")


def test_one_unit_of_the_last_digit_that_was_written_is_kept() -> None:
    steps = {text: only(text).step for text in ("38.4%", "38%", "1.2M", "847 368,30", "12k", "12")}
    assert steps == pytest.approx(
        {"38.4%": 0.001, "38%": 0.01, "1.2M": 1e5, "847 368,30": 0.01, "12k": 1000, "12": 1}
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 38.4 to 42.1%", [0.384, 0.421]),
        ("от 38,4 до 42,1 %", [0.384, 0.421]),
        ("63.0/47.3/24.2 %", [0.63, 0.473, 0.242]),
        ("10–12 %", [0.10, 0.12]),
        ("1,2–1,5 млн", [1.2e6, 1.5e6]),
        ("10,93–24,65", [10.93, 24.65]),
    ],
)
def test_a_unit_that_is_written_once_belongs_to_all_numbers_of_a_range(
    text: str, values: list[float]
) -> None:
    assert [one.value for one in numerals.extract_text(text)] == pytest.approx(values)


def test_a_comma_before_three_digits_may_be_read_in_two_ways() -> None:
    assert [value for value, _ in only("1,234").readings] == [1234, 1.234]
    assert [value for value, _ in only("всего 1,234").readings] == [1.234, 1234]
    assert len(only("1,23").readings) == 1


@pytest.mark.parametrize(
    "text",
    [
        "2011-12-09, 09.12.2011, 9 декабря 2011 г., Dec 9, 2011, 12/09/2011, 8–12 марта, март 2011, 2011-12",
        "Q4 2011, FY2012, 2010–2012, 1960s, 90-е, с 2005 по 2016, in 2014",
        "12:30, 9 am, 2011-12-09T10:15:00Z",
        "v1.2, Python 3.11, 1.2.3, 192.168.0.1, +7 (495) 123-45-67, 8 800 555-35-35",
        "1st, 3rd, 1-й, 3‑м, 21-го",
        "online_retail_45k.csv https://example.org/1/2?x=3 a1@example.org",
        "p50, H1, A4, COVID-19, D01, sha256, item_3, 3D",
        "Figure 3, Table 2, слайд 4, стр. 17, №1, #2, Top 10, топ-10, step 4, section 2.1",
        "2 options, 3 steps, 5 причин, 12 слайдов",
        "[1], [2, 3], 1/3, 24/7, 1 in 4, p < 0.05, 95% CI, 95% доверительный интервал",
        "invoice 536365, счёт 556444, SKU 22502, 007",
        "1. First, 2",
        "2) Second",
    ],
)
def test_structure_claims_nothing(text: str) -> None:
    assert [one.text for one in numerals.extract_text(text) if one.kind == "claim"] == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1960 год: 15 магазинов", "15"),
        ("Top 10 goods bring 45%", "45%"),
        ("Step 3 took 4.5 hours", "4.5 hours"),
        ("(n = 44)", "44"),
        ("2 missing", "2"),
        ("2013 rows are blank", "2013"),
        ("от 5 — лишь 16,1%", "16,1%"),
        ("Python 3.11 is used by 61% of them", "61%"),
    ],
)
def test_an_amount_beside_structure_is_a_claim(text: str, number: str) -> None:
    assert [one.text for one in numerals.extract_text(text) if one.kind == "claim"] == [number]


def test_a_deck_is_read_in_all_its_places(tmp_path: Path) -> None:
    assert claims(deck(tmp_path / "a.pptx")) == [
        "slide 1, title: 38.4%",
        "slide 1, TextBox 3: 342",
        "slide 1, TextBox 3: 891",
        "slide 1, Picture 4, alt text: 74.2%",
        "slide 1, Picture 4, alt text: 18.9%",
        "slide 1, notes: 45,433",
        "slide 2, title: 4 years",
        "slide 2, Chart 2: 58763.31",
        "slide 2, Chart 2: 41834.3",
        "slide 2, Chart 2: 70490.24",
        "slide 2, Chart 2: 72872.22",
        "slide 2, Table 3, row 2, column 2: 70,490",
        "slide 2, Table 3, row 3, column 2: 72,872",
    ]


def test_the_workbook_behind_a_chart_is_read_where_the_chart_says_otherwise(tmp_path: Path) -> None:
    path = in_part(
        deck(tmp_path / "a.pptx"), "ppt/charts/.*xml", lambda text: text.replace("72872.22", "1.25")
    )
    told = claims(path)
    assert "slide 2, Chart 2: 1.25" in told
    assert "slide 2, Chart 2, workbook, sheet Sheet1, cell B5: 72872.22" in told


def test_a_value_of_a_chart_or_a_table_knows_its_names(tmp_path: Path) -> None:
    found = numerals.extract(deck(tmp_path / "a.pptx"))
    names = {one.text: one.labels for one in found if one.labels}
    assert names["70490.24"] == ("2013", "Sales")
    assert names["70,490"] == ("2013", "Sales")


def test_a_workbook_is_read_with_its_formats(tmp_path: Path) -> None:
    found = {one.place: one for one in numerals.extract(book(tmp_path / "a.xlsx"))}
    assert found["sheet Facts, cell B1"].unit == "%"
    assert found["sheet Facts, cell B2"].unit == "£"
    assert found["sheet Facts, cell B3"].kind == "date"
    assert found["sheet Facts, header or footer"].text == "45,433"
    kinds = [found[f"sheet Years, cell {cell}2"].kind for cell in "ABC"]
    assert kinds == ["name", "name", "claim"]
    assert any(place.startswith("sheet Years, drawing 1") for place in found)


def test_a_word_document_is_read_with_tables_and_notes(tmp_path: Path) -> None:
    document: Any = Document()
    document.add_heading("Sales grew by 12%", 1)
    document.add_paragraph("Revenue: £847,368.30")
    grid = document.add_table(rows=2, cols=2)
    for cell, text in zip(grid._cells, ("Year", "Sales", "2013", "70,490"), strict=True):
        cell.text = text
    document.sections[0].footer.paragraphs[0].text = "45,433 rows"
    document.save(str(tmp_path / "a.docx"))
    assert claims(tmp_path / "a.docx") == [
        "paragraph 1: 12%",
        "paragraph 2: £847,368.30",
        "table 1, row 2, column 2: 70,490",
        "footer, paragraph 1: 45,433",
    ]


def test_a_pdf_is_read_page_by_page_without_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(papers.pdf(["Survived: 342 of 891", "", "38.4% survived"]))
    assert claims(tmp_path / "a.pdf") == ["page 1: 342", "page 1: 891", "page 3: 38.4%"]


def test_page_numbers_contents_and_scales_are_left_out_of_a_page() -> None:
    page = guest_module("checks", "numerals_pdf").page
    text = "Sales ........ 17\n0\n20\n40\n60\n80\nJan 12.5\n3 of 12"
    left = [one.text for one in numerals.extract_text(page(text, 3)) if one.claims]
    assert left == ["12.5"]


def test_markdown_html_and_csv_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# 2 parts\n\n1. Share **38,4 %**\n\n| Year | Sales |\n|---|---:|\n| 2013 | 70,490 |\n"
    )
    (tmp_path / "a.html").write_text(
        "<style>p{margin:13px}</style><p>38,4&nbsp;%</p><table><tr><th>Year</th><th>Sales</th></tr>"
        "<tr><td>2013</td><td>70,490</td></tr></table><img alt='74.2%'>"
    )
    (tmp_path / "a.csv").write_text("year,sales\n2013,70490.24\n")
    assert claims(tmp_path / "a.md") == ["line 3: 38,4 %", "table in line 5, row 2, column 2: 70,490"]
    assert [one.rsplit(": ")[1] for one in claims(tmp_path / "a.html")] == ["38,4\u00a0%", "70,490", "74.2%"]
    assert "row 2, column 2: 70490.24" in claims(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx", "a.docx", "a.pdf"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"%PDF-1.4 broken", b"\x00" * 1000])
def test_a_broken_file_is_told_and_raises_nothing(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    found = numerals.read(tmp_path / name)
    assert found.numerals == []
    assert found.notes[0].startswith("unreadable: ")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert numerals.read(tmp_path / "none.pptx").notes[0].startswith("unreadable: ")


def test_a_part_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.pptx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ppt/presentation.xml", b" " * (package.MAX_PART + 1))
    found = numerals.read(tmp_path / "a.pptx")
    assert "larger than what may be unpacked" in found.notes[0]


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "9999 "><!ENTITY b "&a;&a;&a;&a;">]>'
    path = in_part(
        deck(tmp_path / "a.pptx"),
        "ppt/slides/slide1.xml",
        lambda text: bomb + text.split("?>", 1)[1].replace("342", "&b;"),
    )
    assert not any("9999" in one.text for one in numerals.read(path).numerals)


def test_a_broken_slide_leaves_the_others_readable(tmp_path: Path) -> None:
    path = in_part(deck(tmp_path / "a.pptx"), "ppt/slides/slide1.xml", lambda text: text[:200])
    found = numerals.read(path)
    assert [note.split(":")[0] for note in found.notes] == ["slide 1"]
    assert any(one.place == "slide 2, Chart 2" for one in found.numerals)


def test_cells_beyond_the_limit_are_counted_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_module("checks", "numerals_xlsx"), "MAX_CELLS", 10)
    content = io.BytesIO()
    workbook = xlsxwriter.Workbook(content)
    sheet = workbook.add_worksheet("Raw")
    for line in range(30):
        sheet.write_number(line, 0, line + 0.5)
    workbook.close()
    (tmp_path / "a.xlsx").write_bytes(content.getvalue())
    found = numerals.read(tmp_path / "a.xlsx")
    assert len(found.numerals) == 10
    assert found.notes == ["sheet Raw: 20 cells were not read"]


@pytest.mark.parametrize(
    "text", ["9" * 5000, "1," * 3000, "1 " * 3000, "(" * 3000 + "1", "1-" * 3000, "a1" * 3000, "1e999", "٣٤"]
)
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert all(one.value == one.value for one in numerals.extract_text(text))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Up ٩٧٫٣٪", 0.973, "%"),
        ("Up ৯৭%", 0.97, "%"),
        ("Up 𝟗𝟕.𝟑%", 0.973, "%"),
        ("Up 97．3％", 0.973, "%"),
        ("Up 9\u200b7.3%", 0.973, "%"),
        ("Survived97.3%", 0.973, "%"),
        ("Up ninety-seven percent", 0.97, "%"),
        ("Nearly Forty per cent", 0.40, "%"),
        ("by fourteen percentage points", 0.14, "pp"),
        ("three million", 3e6, ""),
        ("Девяносто семь процентов", 0.97, "%"),
        ("около сорока процентов", 0.40, "%"),
        ("две тысячи", 2e3, ""),
    ],
)
def test_94_a_number_is_one_in_any_digits_and_in_words(text: str, value: float, unit: str) -> None:
    found = only(text)
    assert (found.claims, found.value, found.unit) == (True, pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text",
    ["two options", "one of them", "the one percentage", "a seventy-page report", "none thousand", "CO₂"],
)
def test_words_that_count_nothing_are_no_numbers(text: str) -> None:
    assert not [one.text for one in numerals.extract_text(text) if one.claims]


def test_94_a_workbook_hides_no_number_in_a_format_or_a_name(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as made:
        sheet = made.add_worksheet("Up 91.1%")
        sheet.write_number(0, 0, 5, made.add_format({"num_format": '"92.2%";;'}))
        sheet.write_number(1, 0, 5, made.add_format({"num_format": r"\9\3\.\3\%"}))
        sheet.write_number(2, 0, 5, made.add_format({"num_format": '#,##0.0" m2"'}))
        condition = made.add_format({"num_format": '"94.4%"'})
        sheet.conditional_format(0, 0, 2, 0, {"type": "no_errors", "format": condition})
        chart: Any = made.add_chart({"type": "column"})
        chart.add_series({"values": "='Up 91.1%'!$A$1:$A$3"})
        chart.set_y_axis({"num_format": '"95.5%"'})
        sheet.insert_chart(0, 3, chart)
    found = [one.text for one in numerals.extract(path) if one.claims and not one.exact]
    assert sorted(found) == ["91.1%", "92.2%", "93.3%", "94.4%", "95.5%"]


def test_94_a_formula_and_the_places_of_dates_and_slide_numbers_are_read(tmp_path: Path) -> None:
    made: Any = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Growth"
    for place, (kind, text) in enumerate((("dt", "by 56.5%"), ("sldNum", "of 57.5%"), ("sldNum", "1"))):
        shape = slide.shapes.add_textbox(0, 0, 99, 99)
        shape.text_frame.text = text
        holder = shape._element.nvSpPr.nvPr
        holder.append(holder.makeelement(qn("p:ph"), {"type": kind, "idx": str(10 + place)}))
    formula = "".join(
        f'<a14:m xmlns:a14="{A14}"><m:oMath xmlns:m="{package.NS["m"]}">'
        f"<m:r><m:t>{part}</m:t></m:r></m:oMath></a14:m>"
        for part in ("58", ".5%")
    )
    box = slide.shapes.add_textbox(0, 0, 99, 99)
    box.text_frame.paragraphs[0]._p.extend(parse_xml(f"<x>{formula}</x>"))
    made.save(str(tmp_path / "deck.pptx"))
    assert [text.partition(": ")[2] for text in claims(tmp_path / "deck.pptx")] == ["56.5%", "57.5%", "58.5%"]


def test_94_markdown_hides_no_number_by_its_own_signs() -> None:
    text = "61\\.1% and &#54;2.2%\n\n```text\n63.3%\n```\n\n```python\nx = 64.4\n```\n"
    assert [one.text for one in plain.of_markdown(text) if one.claims] == ["61.1%", "62.2%", "63.3%"]
