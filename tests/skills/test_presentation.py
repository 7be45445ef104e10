"""A deck made by the presentation skill keeps its rules, whatever the data and the texts are."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.skills.guest import SKILLS, guest_module

Deck: Any = guest_module("presentation", "deck").Deck
text: Any = guest_module("presentation", "deck_text")
theme: Any = guest_module("presentation", "deck_theme")
words: Any = guest_module("presentation", "deck_words")
Presentation: Any = import_module("pptx").Presentation
Image: Any = import_module("PIL.Image")

INCH = 914_400
SMALLEST_MARGIN = 0.5 * INCH
SMALLEST = {"Source": 10, "Page number": 10, "Left out": 12, "Table": 12}
HOSTILE = st.text(max_size=120) | st.sampled_from(
    [
        "=1+1",
        "{=A1}",
        "$x$ & <b>",
        "漢字" * 60,
        "😀" * 40,
        "Щ" * 300,
        "\x00\x0b\ud800",
        "internal:a",
        "a\u202eb",
    ]
)
QUICK = settings(
    max_examples=10,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def reopened(deck: Any, folder: Path) -> Any:
    return Presentation(deck.save(folder / "deck.pptx"))


def sizes_and_colors(frame: Any) -> Iterator[tuple[float, str]]:
    for paragraph in frame.paragraphs:
        for run in paragraph.runs:
            yield run.font.size.pt, str(run.font.color.rgb)


def contrast(one: str, other: str) -> float:
    def luminance(color: str) -> float:
        parts = [int(color[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_rules(presentation: Any) -> None:
    """Bounds, overlaps, sizes, contrast, alt text, placeholders and titles of every slide."""
    for slide in presentation.slides:
        assert slide.shapes.title.text_frame.text.strip()
        assert all(holder.has_text_frame and holder.text_frame.text for holder in slide.placeholders)
        background = "FFFFFF" if slide.follow_master_background else str(slide.background.fill.fore_color.rgb)
        shapes = list(slide.shapes)
        for place, shape in enumerate(shapes):
            right, bottom = shape.left + shape.width, shape.top + shape.height
            assert min(shape.left, shape.top) >= SMALLEST_MARGIN, shape.name
            assert right <= presentation.slide_width - SMALLEST_MARGIN + 1, shape.name
            assert bottom <= presentation.slide_height - SMALLEST_MARGIN + 1, shape.name
            for other in shapes[:place]:
                apart = (
                    right <= other.left + 9
                    or other.left + other.width <= shape.left + 9
                    or bottom <= other.top + 9
                    or other.top + other.height <= shape.top + 9
                )
                assert apart, (shape.name, other.name)
            check_shape(shape, background, is_title=shape.shape_id == slide.shapes.title.shape_id)


def check_shape(shape: Any, background: str, *, is_title: bool) -> None:
    if shape.has_chart or getattr(shape, "has_table", False) or shape.shape_type == 13:
        assert shape._element._nvXxPr.cNvPr.get("descr")
    if shape.has_chart:
        axes = shape._element.xpath(".//c:catAx | .//c:valAx") or list(
            shape.chart._chartSpace.xpath(".//c:catAx | .//c:valAx")
        )
        assert all(axis.xpath("./c:title//a:t")[0].text.strip() for axis in axes)
        drawn = shape.chart._chartSpace.xpath(".//@sz")
        assert drawn
        assert all(int(size) >= 1000 for size in drawn)
    frames = [shape.text_frame] if shape.has_text_frame else []
    if getattr(shape, "has_table", False):
        frames = [cell.text_frame for row in shape.table.rows for cell in row.cells]
    if shape.name.startswith(("Card", "Takeaway")):
        background = str(shape.fill.fore_color.rgb)
    for frame in frames:
        for size, color in sizes_and_colors(frame):
            least = 28 if is_title else SMALLEST.get(shape.name, 14)
            assert size >= least, shape.name
            assert contrast(color, background) >= 4.5, (shape.name, color, background)
    if shape.has_text_frame and shape.text_frame.text:
        check_fit(shape)


def check_fit(shape: Any) -> None:
    frame = shape.text_frame
    limit = (shape.width - frame.margin_left - frame.margin_right) / 12_700
    needed = 0.0
    for paragraph in frame.paragraphs:
        if not paragraph.runs:
            continue
        size, bold = paragraph.runs[0].font.size.pt, bool(paragraph.runs[0].font.bold)
        indent = text_indent(paragraph)
        lines = text.wrap(paragraph.text.replace("\v", "\n"), size, limit - indent, bold=bold)
        needed += len(lines) * size * 1.2
    assert needed <= (shape.height - frame.margin_top - frame.margin_bottom) / 12_700 + 1, shape.name


def text_indent(paragraph: Any) -> float:
    properties = paragraph._p.pPr
    return int(properties.get("marL", 0)) / 12_700 if properties is not None else 0.0


def charts_of(presentation: Any) -> list[Any]:
    return [shape.chart for slide in presentation.slides for shape in slide.shapes if shape.has_chart]


def shown_text(presentation: Any) -> str:
    return "\n".join(
        shape.text_frame.text
        for slide in presentation.slides
        for shape in slide.shapes
        if shape.has_text_frame
    )


@pytest.fixture
def deck() -> Any:
    return Deck("What happened", subtitle="sales.csv · 12 rows", source="sales.csv")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_whole_deck_keeps_every_rule(
    tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame(
        {"sales": [1200.5, np.nan, 800.25, 90], "share": [0.5, 0.25, 0.2, 0.05]},
        index=pd.Index(["North", "Южный регион", "東", "West"], name="region"),
    )
    Image.new("RGB", (400, 900), "#cde").save(tmp_path / "tall.png")
    d = Deck(
        "Продажи выросли на треть" if language == "ru" else "Sales grew", language=language, source="a.csv"
    )
    d.kpis("Figures", [("38.4%", "kept"), (891, "rows"), (1.5, "average")], takeaway="Short.")
    d.kpis(
        "More figures",
        [(n, "a label that is quite long for a card") for n in range(8)],
        takeaway="Two. " * 30,
    )
    d.bar("Bars", frame["share"], percent=True, takeaway="A sentence. " * 60, highlight="North")
    d.column("Columns", frame["sales"])
    d.line("Line", pd.Series(range(40), index=pd.period_range("2021-01", periods=40, freq="M")))
    d.pie("Pie", {f"part {n}": n + 1 for n in range(9)})
    d.stacked("Stacked", frame, share=True)
    d.scatter("Dots", pd.DataFrame({"x": [1, 2, None], "y": [2.5, 3, 4], "group": ["a", "b", "b"]}))
    d.table("Table", frame, percent=["share"], takeaway="Look at the second row.")
    d.bullets("Do this", ["One", ("Head.", "And text"), "Слово " * 40])
    d.two_columns("Two", ("Left", ["a"] * 3), ("Right", ["b " * 90] * 6))
    d.picture("Tall", tmp_path / "tall.png", alt="A tall picture", takeaway="Tall.")
    d.section("Part two")
    d.closing("The end", "Thanks")
    presentation = reopened(d, tmp_path)
    check_rules(presentation)
    assert f"{d.slides} slides, 6 native charts" in capsys.readouterr().out
    assert presentation.slide_width / presentation.slide_height == pytest.approx(16 / 9, abs=0.001)


def test_native_charts_hold_the_numbers_that_were_given(deck: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.25], "b": [3.0, np.nan]}, index=["x", "y"])
    deck.bar("Rates", {"female": 0.742, "male": np.float64(0.189), "unknown": None}, percent=True)
    deck.line("Two", frame)
    rates, two = charts_of(reopened(deck, tmp_path))
    assert list(rates.plots[0].categories) == ["female", "male", "unknown"]
    assert list(rates.plots[0].series[0].values) == [0.742, 0.189, None]
    assert rates.plots[0].data_labels.number_format == "0.0%"
    assert {s.name: list(s.values) for s in two.plots[0].series} == {"a": [1.5, 2.25], "b": [3.0, None]}


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (pd.period_range("2024-01", periods=2, freq="M"), ["2024-01", "2024-02"]),
        (pd.DatetimeIndex(["2024-03-05", "2024-03-06"]), ["2024-03-05", "2024-03-06"]),
        (pd.IntervalIndex.from_breaks([0, 10, 20.5]), ["0–10", "10–20.5"]),
        (pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]), ["a · 1", "b · 2"]),
        (pd.Index([True, False]), ["yes", "no"]),
        (pd.Index([np.nan, 3.0]), ["(missing)", "3"]),
        (pd.CategoricalIndex(["low", "high"]), ["low", "high"]),
    ],
)
def test_labels_of_every_kind_are_written_plainly(
    deck: Any, tmp_path: Path, index: Any, expected: list[str]
) -> None:
    deck.column("Labels", pd.Series([1, 2], index=index))
    assert list(charts_of(reopened(deck, tmp_path))[0].plots[0].categories) == expected


def test_many_categories_are_cut_and_the_reader_is_told(deck: Any, tmp_path: Path) -> None:
    many = {f"c{n}": n for n in range(30)}
    deck.bar("Cut", many, sort=True)
    deck.bar("Added up", many, sort=True, other=True)
    presentation = reopened(deck, tmp_path)
    cut, summed = charts_of(presentation)
    assert next(iter(cut.plots[0].categories)) == "c29"
    assert "Top 12 of 30 shown" in shown_text(presentation)
    assert list(summed.plots[0].categories)[-1] == "other (19)"
    assert sum(summed.plots[0].series[0].values) == sum(many.values())


def test_long_labels_turn_columns_into_bars(deck: Any, tmp_path: Path) -> None:
    deck.column("Long", {f"A rather long name of a department of the company {n}": n for n in range(6)})
    deck.column("Short", {"a": 1, "b": 2})
    long, short = charts_of(reopened(deck, tmp_path))
    assert (long.chart_type.name, short.chart_type.name) == ("BAR_CLUSTERED", "COLUMN_CLUSTERED")


def test_a_long_table_counts_what_it_leaves_out_in_both_languages(tmp_path: Path) -> None:
    frame = pd.DataFrame({f"column {n}": range(130) for n in range(10)})
    for language, expected in (
        ("en", "115 more rows; 2 more columns"),
        ("ru", "ещё 115 строк; ещё 2 столбца"),
    ):
        d = Deck("T", language=language)
        d.table("Long", frame)
        assert expected in shown_text(reopened(d, tmp_path))


def test_too_much_text_flows_onto_further_slides(deck: Any, tmp_path: Path) -> None:
    points = [f"Point {n}: " + "word " * 50 for n in range(14)]
    deck.bullets("Plenty", points)
    presentation = reopened(deck, tmp_path)
    check_rules(presentation)
    shown = shown_text(presentation)
    assert all(f"Point {n}:" in shown for n in range(14))
    assert "Plenty (continued)" in shown


def test_titles_have_28_points_and_two_lines_at_most(deck: Any, tmp_path: Path) -> None:
    deck.bullets("A finding told in about sixty letters, as it ought to be here", ["x"])
    deck.bullets("word " * 200, ["x"])
    short, endless = (slide.shapes.title.text_frame for slide in list(reopened(deck, tmp_path).slides)[1:-1])
    assert short.paragraphs[0].runs[0].font.size.pt == 28
    assert endless.paragraphs[0].runs[0].font.size.pt == 28
    assert endless.text.endswith("…")


def test_notes_and_picture_proportions_are_kept(deck: Any, tmp_path: Path) -> None:
    Image.new("RGB", (300, 100)).save(tmp_path / "wide.png")
    deck.picture("Wide", tmp_path / "wide.png", alt="wide", notes="Say this.")
    slide = reopened(deck, tmp_path).slides[1]
    picture = next(shape for shape in slide.shapes if shape.name == "Picture")
    assert picture.width / picture.height == pytest.approx(3, rel=0.001)
    assert slide.notes_slide.notes_text_frame.text == "Say this.\nSource: sales.csv"


def shape_named(slide: Any, start: str) -> Any:
    return next(shape for shape in slide.shapes if shape.name.startswith(start))


def rows_of(slide: Any) -> int:
    return len(shape_named(slide, "Table").table.rows) - 1


@pytest.mark.parametrize(("rows", "takeaway"), [(9, "A long takeaway. " * 22), (13, "Short."), (16, "")])
def test_a_table_gives_up_size_before_it_gives_up_rows(
    deck: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: int, takeaway: str
) -> None:
    texts = [f"a rather long text that fills its cell {n}" for n in range(rows)]
    deck.table("Wide", pd.DataFrame({"a": texts, "b": texts, "c": 1.5}), takeaway=takeaway)
    presentation = reopened(deck, tmp_path)
    check_rules(presentation)
    assert rows_of(presentation.slides[1]) == rows
    assert "left out" not in capsys.readouterr().out


def test_a_narrow_table_has_its_takeaway_beside_it(deck: Any, tmp_path: Path) -> None:
    deck.table("Narrow", pd.DataFrame({"a": range(12), "b": "x"}), takeaway=["One", "Two"])
    slide = reopened(deck, tmp_path).slides[1]
    table, card = shape_named(slide, "Table"), shape_named(slide, "Takeaway")
    assert rows_of(slide) == 12
    assert card.left >= table.left + table.width


def test_what_had_to_be_changed_to_fit_is_printed_a_line_each(
    deck: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck.table("Long", pd.DataFrame({"a": range(40), "b": "x" * 190}), takeaway="Short.")
    deck.bar("Cut", {f"c{n}": n for n in range(30)})
    deck.bar("Long names", {"word " * 30: 1, "b": 2}, highlight="c", takeaway="word " * 400)
    deck.kpis("Cards " * 40, [("1", "word " * 90), ("2", "b")])
    deck.bullets("Many", ["word " * 60] * 9)
    deck.table("Two pages", pd.DataFrame({"a": range(30)}), pages=2)
    deck.save(tmp_path / "deck.pptx")
    told = capsys.readouterr().out.splitlines()
    first, *adapted = [line for line in told if not line.startswith("facts:")]
    assert first.endswith("deck.pptx: 10 slides, 2 native charts")
    assert [line.split(";")[0] for line in adapted] == [
        "slide 2: 25 of 40 rows left out",
        "slide 2: 15 cells were shortened",
        "slide 3: 18 of 30 categories were left out",
        "slide 4: the takeaway was shortened",
        "slide 4: 1 of 2 labels were shortened",
        "slide 4: highlight='c' is none of the labels",
        "slide 5: the title was shortened, the whole of it is in the notes",
        "slide 5: texts of cards were shortened",
        "slide 7: is the last of 2 that the bullets take",
        "slide 10: on method and assumptions was added",
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("(-22.8%)", "(\u221222.8%)"),
        ("-$5 and -.5", "\u2212$5 and \u2212.5"),
        ("no sales on 2019-03-31.", "no sales on 2019\u201103\u201131."),
        ("1-й класс, 10-20 лет", "1\u2011й класс, 10\u201120\u00a0лет"),
        ("74,2 % из 12 345 руб.", "74,2\u00a0% из 12\u00a0345\u00a0руб."),
        ("$ 5 or 5 km", "$\u00a05 or 5\u00a0km"),
        ("women, n = 314", "women, n\u00a0=\u00a0314"),
        ("COVID-19 in well-known places, 2019 100", "COVID-19 in well-known places, 2019 100"),
        ("see data/2019-03.csv and 2019-03.csv", "see data/2019-03.csv and 2019-03.csv"),
    ],
)
def test_numbers_dates_and_ordinals_are_not_broken_at_line_ends(
    deck: Any, tmp_path: Path, written: str, shown: str
) -> None:
    deck.bullets(f"T {written}", [f"B {written}"])
    deck.kpis("Cards", [(f"V {written}", f"L {written}")], takeaway=f"A {written}")
    everything = shown_text(reopened(deck, tmp_path))
    assert all(f"{mark} {shown}" in everything for mark in "TBVLA")


def test_labels_and_cells_keep_the_text_that_programs_read(deck: Any, tmp_path: Path) -> None:
    deck.column("Days", {"2019-03-31": 1, "-5": 2})
    deck.table("Cells", pd.DataFrame({"day": ["2019-03-31"], "change": ["-5 %"]}))
    presentation = reopened(deck, tmp_path)
    assert list(charts_of(presentation)[0].plots[0].categories) == ["2019-03-31", "-5"]
    cells = [cell.text for cell in shape_named(presentation.slides[2], "Table").table.rows[1].cells]
    assert cells == ["2019-03-31", "-5 %"]


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["74.2%", "\u221222.85%", "1,235", "1,234.50", "\u2013"]),
        ("ru", ["74,2\u00a0%", "\u221222,85\u00a0%", "1\u00a0235", "1\u00a0234,50", "\u2013"]),
    ],
)
def test_numbers_are_written_as_the_language_of_the_deck_does(language: str, written: list[str]) -> None:
    d = Deck("T", language=language)
    shares = [d.percent(0.742), d.percent(np.float64(-0.22849), 2)]
    assert [*shares, d.number(1234.5678), d.number(1234.5, digits=2), d.percent(np.nan)] == written
    assert d.number(-0.3) == "0"


@pytest.mark.parametrize(
    ("groups", "takeaway", "beside", "labelled"),
    [(3, "Short.", True, True), (5, "Short.", False, True), (9, "Short.", True, False), (3, "", False, True)],
)
def test_values_of_clustered_columns_are_written_only_where_they_are_apart(
    deck: Any, tmp_path: Path, groups: int, takeaway: str, beside: bool, labelled: bool
) -> None:
    data = pd.DataFrame({f"s{n}": 34_424 + n for n in range(3)}, index=[f"group {n}" for n in range(groups)])
    deck.column("Clustered", data, takeaway=takeaway)
    presentation = reopened(deck, tmp_path)
    check_rules(presentation)
    plot = charts_of(presentation)[0].plots[0]
    frame = shape_named(presentation.slides[1], "Chart")
    assert (frame.width < 9 * INCH) == beside
    assert plot.has_data_labels == labelled
    if labelled:
        slot = (frame.width / 12_700 - 50) / groups
        bar = slot / (3 + 2 * 0.05 + plot.gap_width / 100)
        assert text.width("34,424", plot.data_labels.font.size.pt) < bar * 1.05


def test_a_takeaway_may_be_a_list_and_its_card_is_as_high_as_its_text(deck: Any, tmp_path: Path) -> None:
    deck.bar("List", {"a": 1}, takeaway=["First line", "Second line: -5 %", "Third line"])
    deck.bar("Text", {"a": 1}, takeaway="Four words of text.")
    deck.bar("Long", {"a": 1}, takeaway="More words of text than that. " * 12)
    presentation = reopened(deck, tmp_path)
    check_rules(presentation)
    listed, short, long = (shape_named(slide, "Takeaway") for slide in list(presentation.slides)[1:-1])
    assert len(listed.text_frame.paragraphs) == 3
    assert all(p._p.pPr.find("{*}buChar") is not None for p in listed.text_frame.paragraphs)
    assert short.height < INCH
    sizes = [next(sizes_and_colors(card.text_frame))[0] for card in (short, listed, long)]
    assert sizes == [22, 22, 14]


def test_content_begins_right_under_the_title_and_ends_at_the_footer(deck: Any, tmp_path: Path) -> None:
    deck.bar("One line", {"a": 1})
    deck.bar(
        "A title that is so long that it surely takes two lines of the slide, whatever its font", {"a": 1}
    )
    for slide in list(reopened(deck, tmp_path).slides)[1:-1]:
        title, chart, source = slide.shapes.title, shape_named(slide, "Chart"), shape_named(slide, "Source")
        assert 0.1 * INCH < chart.top - title.top - title.height < 0.3 * INCH
        assert 0 < source.top - chart.top - chart.height < 0.2 * INCH


def test_a_title_of_two_lines_leaves_no_orphan(deck: Any, tmp_path: Path) -> None:
    deck.bullets("February fell 16.4%, March rose 12.6% and April stayed 5.9% below January", ["x"])
    title = reopened(deck, tmp_path).slides[1].shapes.title
    lines = text.wrap(title.text_frame.text, 28, title.width / 12_700 - 3, bold=True)
    assert len(lines) == 2
    assert len(lines[-1]) > 0.6 * len(lines[0])


def test_fewer_cards_have_larger_type(deck: Any, tmp_path: Path) -> None:
    for count in (2, 6, 8):
        deck.kpis("Cards", [("74.2%", "women of 314")] * count)
    presentation = reopened(deck, tmp_path)
    check_rules(presentation)
    pairs = [
        [size for size, _ in sizes_and_colors(shape_named(slide, "Card 1").text_frame)]
        for slide in list(presentation.slides)[1:-1]
    ]
    assert pairs == sorted(pairs, reverse=True)
    assert min(label for _, label in pairs) >= 18


def test_the_number_of_cases_stands_under_each_label(deck: Any, tmp_path: Path) -> None:
    cases = pd.Series({"b": 1_200, "a": 577, "c": 3})
    deck.column("Rates", {"a": 0.189, "b": 0.742}, percent=True, n=cases, sort=True, highlight="b")
    deck.bar("Sums", {f"c{n}": n for n in range(20)}, n={f"c{n}": 10 for n in range(20)}, other=True)
    rates, sums = (list(chart.plots[0].categories) for chart in charts_of(reopened(deck, tmp_path)))
    assert rates == ["b\nn\u00a0=\u00a01,200", "a\nn\u00a0=\u00a0577"]
    assert sums[0] == "c9 (n\u00a0=\u00a010)"
    assert sums[-1] == "other (9) (n\u00a0=\u00a090)"


def test_a_table_shows_as_many_rows_as_the_page_says(deck: Any, tmp_path: Path) -> None:
    page = (SKILLS / "presentation" / "SKILL.md").read_text(encoding="utf-8")
    told = re.search(r"A table shows (\d+) rows, (\d+) with a takeaway below it", page)
    assert told
    counts = [int(number) for number in told.groups()]
    text_of_cell = "a rather long text that fills its cell"
    for takeaway, count in zip(("", "Short."), counts, strict=True):
        for rows in (count, count + 1):
            data = pd.DataFrame({name: [text_of_cell] * rows for name in "abcd"})
            deck.table("Wide", data, takeaway=takeaway)
    shown = [rows_of(slide) for slide in list(reopened(deck, tmp_path).slides)[1:-1]]
    assert (shown[0], shown[2]) == tuple(counts)
    assert shown[1] < counts[0] + 1
    assert shown[3] < counts[1] + 1


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda d: d.bar("T", {}), "empty"),
        (lambda d: d.bar("T", {"a": None}), "every value is missing"),
        (lambda d: d.bar("T", {"a": "12"}), "pd.to_numeric"),
        (lambda d: d.bar("T", [1, 2]), "(label, number) pairs"),
        (lambda d: d.bar("T", {"a": 74.2}, percent=True), "Divide the values by 100"),
        (lambda d: d.bar("T", {"a": 1}, colour="red"), "It takes"),
        (lambda d: d.bar("T", {"a": 1}, take_away="x"), "did you mean 'takeaway'"),
        (lambda d: d.line("T", pd.DataFrame(np.ones((2, 7)))), "at most 6"),
        (lambda d: d.pie("T", {"a": -1, "b": 2}), "d.bar"),
        (lambda d: d.kpis("T", [("a", "b")] * 9), "1 to 8"),
        (lambda d: d.kpis("T", [("a", "b")], color="x"), "Write d.kpis(title, items"),
        (lambda d: d.bullets("T", []), "no bullets"),
        (lambda d: d.bullets("", ["x"]), "title that says its finding"),
        (lambda d: d.table("T", pd.DataFrame()), "nothing to show"),
        (lambda d: d.picture("T", "missing.png"), "PNG or JPEG"),
        (lambda d: d.scatter("T", [(1,), (2,)]), "(x, y) pair"),
        (lambda d: d.bar("T", {"a": 1}, n={"b": 1}), "n tells no number for 'a'"),
        (lambda d: d.bar("T", {"a": 1}, n=3), "{label: number of cases}"),
        (lambda _: Deck("T", language="fr"), "language='en'"),
    ],
)
def test_a_mistake_is_answered_with_advice_and_adds_no_slide(deck: Any, call: Any, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(advice)):
        call(deck)
    assert deck.slides == 1


def test_an_unknown_method_lists_the_known_ones(deck: Any) -> None:
    with pytest.raises(AttributeError, match=r"Did you mean d\.bullets\?.*kpis.*slide_width"):
        deck.bullet("T", ["x"])


@QUICK
@given(title=HOSTILE, body=st.lists(HOSTILE, min_size=1, max_size=6), label=HOSTILE, value=st.floats())
def test_hostile_texts_and_numbers_never_break_a_deck(
    tmp_path: Path, title: str, body: list[str], label: str, value: float
) -> None:
    title = f"T {title}"
    d = Deck(title, subtitle=body[0], source=label)
    d.bar(title, [(item, place) for place, item in enumerate(body)], takeaway=label, x_title=label)
    d.column(title, {label: 1, "other": value}, alt=title)
    d.kpis(title, [(value, label), (label, title)], takeaway=body[0])
    columns = pd.Index([label, "n"], dtype=object)  # as text pandas itself would refuse a lone surrogate
    d.table(
        title, pd.DataFrame([[item, value] for item in body], columns=columns, dtype=object), takeaway=label
    )
    d.bullets(title, [*body, "x"], notes=label)
    check_rules(reopened(d, tmp_path))


def test_text_that_a_spreadsheet_would_run_is_written_as_text(deck: Any, tmp_path: Path) -> None:
    deck.bar("Formulas", {"=1+1": 1, "https://example.org": 2})
    chart = charts_of(reopened(deck, tmp_path))[0]
    book = import_module("openpyxl").load_workbook(
        import_module("io").BytesIO(chart.part.chart_workbook.xlsx_part.blob)
    )
    assert [cell.data_type for cell in book.active["A"]][1:] == ["s", "s"]
    assert [cell.hyperlink for cell in book.active["A"]][1:] == [None, None]


@pytest.mark.parametrize(
    ("char", "calibri"),
    [("E", 0.488), ("P", 0.517), ("W", 0.89), ("m", 0.799), ("J", 0.319), ("0", 0.507), ("?", 0.463)],
)
def test_measured_widths_are_an_upper_bound_for_calibri(char: str, calibri: float) -> None:
    assert calibri <= text.width(char, 1) < calibri * 1.01


def test_colors_of_series_carry_white_labels() -> None:
    assert min(contrast(str(color), "FFFFFF") for color in theme.SERIES) >= 4.5


@pytest.mark.parametrize(
    ("count", "expected"), [(1, "ещё 1 строка"), (3, "ещё 3 строки"), (12, "ещё 12 строк")]
)
def test_russian_counts_agree_with_their_nouns(count: int, expected: str) -> None:
    russian = words.words("ru")
    assert russian.count(count, russian.rows) == expected


@pytest.mark.parametrize("skill", ["presentation", "charts"])
def test_the_example_of_the_skill_runs_as_it_is_written(
    skill: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest_module("charts", "charts")
    page = (SKILLS / skill / "SKILL.md").read_text(encoding="utf-8")
    block = page.split("## A complete example")[1].split("## Rules")[0]
    monkeypatch.chdir(tmp_path)
    rows = ["region,month,orders,returned", "North,2024-01,120,6", "South,2024-01,80,12", "West,2024-01,45,3"]
    rows += ["North,2024-02,150,9", "South,2024-02,90,15", "West,2024-02,40,2"]
    (tmp_path / "orders.csv").write_text("\n".join(rows), encoding="utf-8")
    exec(compile("\n".join(line[4:] for line in block.splitlines()), skill, "exec"), {})  # noqa: S102 - our own page
    assert len(list(tmp_path.iterdir())) > 1
    for made in tmp_path.glob("*.pptx"):
        check_rules(Presentation(made))
