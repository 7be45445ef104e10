"""The gate over files that are damaged, and over workbooks, PDFs, Word documents, pictures and texts."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.skills.gate_decks import drawing, saved, sound_deck
from tests.skills.guest import guest_module

guest_module("presentation", "deck_metrics")
gate: Any = guest_module("checks", "gate")
openpyxl: Any = import_module("openpyxl")
xlsxwriter: Any = import_module("xlsxwriter")
docx: Any = import_module("docx")
pyplot: Any = import_module("matplotlib.figure")


@dataclass(frozen=True)
class Number:
    """As the tracing names one."""

    file: str
    place: str
    text: str


@dataclass(frozen=True)
class Tracing:
    untraced: tuple[Number, ...] = ()
    asserted: tuple[Number, ...] = ()


def marks(findings: Any) -> set[tuple[int, str, bool]]:
    return {(item.check, item.code, item.blocking) for item in findings}


def rewritten(path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The package with parts changed, or left out where None comes back."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    target = path.with_name(f"changed{path.suffix}")
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts.items():
            new = change(name, content)
            if new is not None:
                archive.writestr(name, new)
    return target


def test_a_deck_that_lacks_a_part_it_names_is_broken_and_its_whole_twin_is_not(tmp_path: Path) -> None:
    whole = saved(sound_deck(), tmp_path / "deck.pptx")
    lacking = rewritten(whole, lambda name, content: None if "embeddings/" in name else content)
    assert marks(gate.check(lacking)) == {(1, "broken_package", True)}
    assert gate.check(whole) == []


def test_a_deck_of_which_a_renderer_makes_fewer_pages_is_found(tmp_path: Path) -> None:
    deck = saved(sound_deck(), tmp_path / "deck.pptx")
    assert marks(gate.check(deck, pages=5)) == {(1, "page_count", True)}
    assert gate.check(deck, pages=6) == []


def test_a_hidden_slide_is_not_expected_of_a_renderer(tmp_path: Path) -> None:
    deck = sound_deck()
    deck.slides[4]._element.set("show", "0")
    assert gate.check(saved(deck, tmp_path / "deck.pptx"), pages=5) == []


@pytest.mark.parametrize("suffix", [".pptx", ".xlsx", ".docx", ".pdf", ".png"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"\x00" * 4096, b"%PDF-1.7\n%%EOF"])
def test_rubbish_of_any_name_is_a_finding_and_never_an_exception(
    suffix: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / f"rubbish{suffix}"
    path.write_bytes(content)
    assert {item.check for item in gate.check(path)} == {1}


@pytest.mark.parametrize("size", [3_000, 9_000, 20_000])
def test_a_deck_that_was_cut_off_is_unreadable(size: int, tmp_path: Path) -> None:
    whole = saved(sound_deck(), tmp_path / "deck.pptx")
    path = tmp_path / "cut.pptx"
    path.write_bytes(whole.read_bytes()[:size])
    assert marks(gate.check(path)) == {(1, "unreadable", True)}


def test_a_package_that_unpacks_to_more_than_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(450):
                part.write(b"\0" * 2**20)
    assert marks(gate.check(path)) == {(1, "too_large", True)}


def test_a_chart_whose_counts_are_nonsense_is_told_and_the_other_checks_go_on(tmp_path: Path) -> None:
    def nonsense(name: str, content: bytes) -> bytes:
        return content.replace(b'ptCount val="3"', b'ptCount val="many"') if "charts/" in name else content

    whole = saved(sound_deck(), tmp_path / "deck.pptx")
    assert marks(gate.check(rewritten(whole, nonsense))) == {(8, "not_checked", False)}


def test_a_chart_whose_workbook_is_rubbish_has_no_data(tmp_path: Path) -> None:
    whole = saved(sound_deck(), tmp_path / "deck.pptx")
    damaged = rewritten(whole, lambda name, content: b"rubbish" if "embeddings/" in name else content)
    assert marks(gate.check(damaged)) == {(8, "chart_without_data", True)}


def test_numbers_that_trace_to_nothing_stop_a_file_and_stated_ones_do_not(tmp_path: Path) -> None:
    deck = saved(sound_deck(), tmp_path / "deck.pptx")
    number = Number("deck.pptx", "slide 2, title", "12%")
    other = Number("other.pptx", "slide 2, title", "13%")
    assert marks(gate.check(deck, tracing=Tracing((number,)))) == {(14, "untraced", True)}
    assert marks(gate.check(deck, tracing=Tracing((), (number,)))) == {(14, "asserted", False)}
    assert gate.check(deck, tracing=Tracing((other,))) == []


def test_a_chart_of_numbers_that_no_fact_registered_is_found(tmp_path: Path) -> None:
    deck = saved(sound_deck(), tmp_path / "deck.pptx")
    right = {"kind": "drawn", "target": "deck.pptx", "values": [0.05, 0.12, 0.07, 600]}
    wrong = right | {"values": [0.05, 0.13, 0.07]}
    assert marks(gate.check(deck, records=[wrong])) == {(8, "chart_unregistered", True)}
    assert gate.check(deck, records=[wrong, right]) == []


def test_values_inside_bars_need_contrast_with_the_bars(tmp_path: Path) -> None:
    def deck_with(ink: str) -> Path:
        deck = sound_deck()
        chart = next(shape.chart for shape in deck.slides[1].shapes if shape.has_chart)
        plot = chart.plots[0]
        plot.series[0].format.fill.solid()
        plot.series[0].format.fill.fore_color.rgb = import_module("pptx.dml.color").RGBColor(0x1F, 0x5F, 0xA8)
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.position = import_module("pptx.enum.chart").XL_LABEL_POSITION.INSIDE_END
        labels.font.color.rgb = import_module("pptx.dml.color").RGBColor.from_string(ink)
        return saved(deck, tmp_path / "deck.pptx")

    assert marks(gate.check(deck_with("17233A"))) == {(7, "low_contrast", True)}
    assert gate.check(deck_with("FFFFFF")) == []


def workbook(path: Path, write: Callable[[Any], None]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Region", "Orders", "Share"])
    for region, orders in (("North", 270), ("South", 170), ("West", 160)):
        sheet.append([region, orders, orders / 600])
    write(sheet)
    book.save(path)
    return path


def error(sheet: Any, mended: bool) -> None:
    sheet["B2"] = 270 if mended else "#DIV/0!"


def text_for_numbers(sheet: Any, mended: bool) -> None:
    for row, value in enumerate(("1,200.50", "900", "1 100")):
        sheet.cell(2 + row, 4, float(value.replace(",", "").replace(" ", "")) if mended else value)


def formula_of_a_name(sheet: Any, mended: bool) -> None:
    sheet["A5"] = "=Total of all"
    if mended:
        sheet["A5"].data_type = "s"


def formula_that_reaches_out(sheet: Any, mended: bool) -> None:
    sheet["D2"] = '=HYPERLINK("http://example.com/"&A2)'
    if mended:
        sheet["D2"].data_type = "s"


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (error, "formula_error"),
        (text_for_numbers, "number_as_text"),
        (formula_of_a_name, "formula_from_text"),
        (formula_that_reaches_out, "formula_from_text"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_workbook_with_one_fault_fails_and_its_mended_twin_passes(
    spoil: Callable[[Any, bool], None], code: str, tmp_path: Path
) -> None:
    bad = gate.check(workbook(tmp_path / "bad.xlsx", lambda sheet: spoil(sheet, False)))
    assert {(15, code)} == {(item.check, item.code) for item in bad if item.blocking}
    assert gate.check(workbook(tmp_path / "good.xlsx", lambda sheet: spoil(sheet, True))) == []


def test_codes_in_a_column_are_no_numbers_kept_as_text(tmp_path: Path) -> None:
    def write(sheet: Any) -> None:
        sheet["D1"], sheet["E1"] = "Order id", "Reference"
        for row in range(2, 6):
            sheet.cell(row, 4, str(1000 + row))
            sheet.cell(row, 5, f"00{row}17")

    assert gate.check(workbook(tmp_path / "book.xlsx", write)) == []


def test_an_error_that_only_a_recalculation_shows_is_found(tmp_path: Path) -> None:
    book = workbook(tmp_path / "book.xlsx", lambda sheet: sheet.__setitem__("B5", "=SUM(B2:B4)/0"))
    computed = workbook(tmp_path / "computed.xlsx", lambda sheet: sheet.__setitem__("B5", "#DIV/0!"))
    assert marks(gate.check(book)) == {(15, "formula_unchecked", False)}
    assert (15, "formula_error", True) in marks(gate.check(book, recalculated=computed))


def test_a_chart_in_a_workbook_wants_titles_on_its_axes(tmp_path: Path) -> None:
    def chart(path: Path, *, titled: bool) -> Path:
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet()
            sheet.write_column(0, 0, [3, 4, 5])
            drawn = book.add_chart({"type": "column"})
            drawn.add_series({"values": "=Sheet1!$A$1:$A$3"})
            if titled:
                drawn.set_x_axis({"name": "Region"})
                drawn.set_y_axis({"name": "Orders"})
            sheet.insert_chart("C2", drawn)
        return path

    assert marks(gate.check(chart(tmp_path / "bare.xlsx", titled=False))) == {(8, "axis_untitled", True)}
    assert gate.check(chart(tmp_path / "titled.xlsx", titled=True)) == []


def test_a_word_document_is_read_for_leftovers_headings_and_alt_texts(tmp_path: Path) -> None:
    document = docx.Document()
    for number in range(45):
        document.add_paragraph(f"Sales of region {number} grew." if number else "{{ region }} grew.")
    document.add_picture(drawing((300, 200)))
    path = saved(document, tmp_path / "report.docx")
    assert {item.code for item in gate.check(path)} == {"leftover_text", "no_headings", "alt_missing"}
    document.paragraphs[0].text = "South grew."
    document.paragraphs[0].style = document.styles["Heading 1"]
    picture = document.element.body.find(".//{*}docPr")
    picture.set("descr", "Sales by region: South leads.")
    assert gate.check(saved(document, tmp_path / "mended.docx")) == []


def test_a_pdf_needs_text_that_can_be_read_out(tmp_path: Path) -> None:
    backend: Any = import_module("matplotlib.backends.backend_pdf")

    def pdf(path: Path, words: str) -> Path:
        figure = pyplot.Figure()
        if words:
            figure.text(0.2, 0.5, words)
        backend.FigureCanvasPdf(figure).print_pdf(str(path))
        return path

    assert marks(gate.check(pdf(tmp_path / "bare.pdf", ""))) == {(2, "no_text", True)}
    assert gate.check(pdf(tmp_path / "report.pdf", "Sales of South fell by a third.")) == []
    assert marks(gate.check(tmp_path / "report.pdf", pages=2)) == {(1, "page_count", True)}


def test_black_squares_in_a_pdf_are_characters_that_its_font_lacks(tmp_path: Path) -> None:
    generic: Any = import_module("pypdf.generic")
    name: Any = generic.NameObject

    def pdf(path: Path, content: bytes) -> Path:
        writer: Any = import_module("pypdf").PdfWriter()
        page = writer.add_blank_page(600, 800)
        fonts = {
            f"/{font}": generic.DictionaryObject(
                {
                    name("/Type"): name("/Font"),
                    name("/Subtype"): name("/Type1"),
                    name("/BaseFont"): name(f"/{font}"),
                }
            )
            for font in ("Helvetica", "ZapfDingbats")
        }
        held = generic.DictionaryObject({name(key): value for key, value in fonts.items()})
        page[name("/Resources")] = generic.DictionaryObject({name("/Font"): held})
        stream = generic.DecodedStreamObject()
        stream.set_data(b"BT 60 700 Td /Helvetica 12 Tf (South fell by ) Tj " + content + b" ET")
        page[name("/Contents")] = stream
        writer.write(str(path))
        return path

    assert marks(gate.check(pdf(tmp_path / "bare.pdf", b"/ZapfDingbats 12 Tf (nnnn) Tj"))) == {
        (12, "no_glyph", True)
    }
    assert gate.check(pdf(tmp_path / "whole.pdf", b"(a third) Tj")) == []


def test_a_blank_picture_is_no_deliverable(tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(drawing((800, 600), flat=True).getvalue())
    assert marks(gate.check(path)) == {(9, "blank_picture", True)}
    path.write_bytes(drawing((800, 600)).getvalue())
    assert gate.check(path) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Revenue grew by nan% in May.", "missing_value"),
        ("Mean: None", "missing_value"),
        ("Lorem ipsum dolor sit amet", "leftover_text"),
        ("Revenue of {region} grew.", "leftover_text"),
        ("See [insert chart here].", "leftover_text"),
        ("<function total at 0x7f> object at 0x7f00aa11", "leftover_text"),
        ("Образец заголовка", "leftover_text"),
        ("Sales grew by XX%", "leftover_text"),
    ],
)
def test_text_that_somebody_forgot_to_replace_is_found(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text(f"# Sales\n\n{text}\n")
    assert {(item.code, item.place) for item in gate.check(path)} == {(code, "line 3")}


@pytest.mark.parametrize(
    "text",
    [
        "None of the regions fell; Nan Wang leads, and todo lists help.",
        "**South** fell, and the set {1, 2} of $x_{i}$ did not.",
        "Chapter XXX of the report, undefinedly long: infinite. In Nantes, banana sales rose.",
        "Info: Finland inf. rates; 'Click' leads.",
    ],
)
def test_honest_sentences_are_not_taken_for_leftovers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text(text)
    assert gate.check(path) == []


def test_findings_are_bounded_and_fit_one_line(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text("TODO \x07\x1b[31m lorem ipsum " + "x" * 5_000 + "\n" + "TODO\n" * 5_000)
    found = gate.check(path)
    assert 0 < len(found) <= 24
    assert all(item.detail.isprintable() and len(item.detail) <= 400 for item in found)


def test_a_deck_of_nothing_is_found(tmp_path: Path) -> None:
    empty = import_module("pptx").Presentation()
    assert marks(gate.check(saved(empty, tmp_path / "deck.pptx"))) == {(1, "empty", True)}


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    assert marks(gate.check(tmp_path / "none.pptx")) == {(1, "unreadable", True)}
