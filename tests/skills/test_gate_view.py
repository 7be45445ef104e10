"""What the gate sees of a deck: inherited text, colours of a theme, places in groups, what is intended."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.skills.gate_decks import (
    INK,
    Inches,
    Pt,
    add_slide,
    color,
    put_card,
    put_picture,
    put_text,
    saved,
    shapes,
    sound_deck,
    write,
)
from tests.skills.guest import guest_module

guest_module("presentation", "deck_metrics")
gate: Any = guest_module("checks", "gate")
view: Any = guest_module("checks", "gate_deck")
fit: Any = guest_module("checks", "gate_fit")
fonts: Any = guest_module("checks", "gate_fonts")
colors: Any = guest_module("checks", "gate_colors")
story: Any = guest_module("checks", "gate_story")
pptx: Any = import_module("pptx")
theme_colors: Any = import_module("pptx.enum.dml").MSO_THEME_COLOR
TABLE = 3


def codes(deck: Any, folder: Path) -> set[str]:
    return {item.code for item in gate.check(saved(deck, folder / "deck.pptx"))}


def test_text_takes_size_font_and_bullets_from_layout_and_master() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Sales fell"
    body = slide.placeholders[1].text_frame
    body.text = "In May"
    body.add_paragraph().text = "and in June"
    body.paragraphs[1].level = 1
    title, bullets = view.read_deck(deck).pages[0].pieces
    assert (title.kind, title.text.largest, title.text.runs[0].family) == ("title", 44, "Calibri")
    assert [(p.runs[0].size, p.bullet) for p in bullets.text.paragraphs] == [(32, True), (28, True)]
    assert title.box.top == pytest.approx(0.30, abs=0.01)
    assert {run.color for run in (*title.text.runs, *bullets.text.runs)} == {"000000"}


def test_a_theme_colour_is_resolved_with_its_changes_of_luminance() -> None:
    deck = sound_deck()
    shape = put_text(deck.slides[TABLE], "North leads.", 7, 2, 4, 1)
    font = shape.text_frame.paragraphs[0].runs[0].font
    font.color.theme_color = theme_colors.TEXT_1
    font.color.brightness = 0.5
    assert view.read_deck(deck).pages[TABLE].pieces[-1].text.runs[0].color == "808080"


def test_contrast_is_that_of_the_guidelines() -> None:
    assert colors.contrast("000000", "FFFFFF") == 21
    assert colors.contrast("767676", "FFFFFF") == pytest.approx(4.54, abs=0.01)


def test_members_of_a_group_stand_where_the_group_was_moved_to() -> None:
    deck = sound_deck()
    group = deck.slides[TABLE].shapes.add_group_shape()
    inner = group.shapes.add_shape(shapes.MSO_SHAPE.RECTANGLE, *map(Inches, (1, 1, 2, 1)))
    write(inner, "North", size=18)
    group.left, group.top, group.width, group.height = map(Inches, (5, 4, 4, 2))
    box = view.read_deck(deck).pages[TABLE].pieces[-1].box
    assert (box.left, box.top, box.width, box.height) == pytest.approx((5, 4, 4, 2))


def test_a_turned_shape_takes_the_room_that_it_covers() -> None:
    deck = sound_deck()
    shape = put_text(deck.slides[TABLE], "Orders", 6, 3, 4, 1)
    shape.rotation = 90
    box = view.read_deck(deck).pages[TABLE].pieces[-1].box
    assert (box.left, box.top, box.width, box.height) == pytest.approx((7.5, 1.5, 1, 4))


def test_words_wrap_where_they_no_longer_fit_and_hyphens_end_a_piece() -> None:
    deck = sound_deck()
    shape = put_text(deck.slides[TABLE], "North " * 30, 7, 2, 4, 4)
    piece = view.read_deck(deck).pages[TABLE].pieces[-1]
    word = sum(fonts.advance(char, "Arial", False) for char in "North ") * 18
    per_line = int((fit.text_room(piece)[0] + fonts.advance(" ", "Arial", False) * 18) // word)
    assert fit.measure(piece.text, fit.text_room(piece)[0]).lines == -(-30 // per_line)
    write(shape, "left-right-" * 20, size=18)
    piece = view.read_deck(deck).pages[TABLE].pieces[-1]
    assert not fit.measure(piece.text, fit.text_room(piece)[0]).broken


def test_text_on_a_dark_ground_of_the_layout_is_judged_against_it(tmp_path: Path) -> None:
    deck = sound_deck()
    layout = deck.slides[TABLE].slide_layout
    panel = put_card(deck.slides[TABLE], "", 7.0, ground=INK)
    layout.shapes._spTree.append(panel._element)
    put_text(deck.slides[TABLE], "North leads.", 7.4, 2.4, 3, 0.6, ink="FFFFFF")
    found = gate.check(saved(deck, tmp_path / "deck.pptx"))
    assert "slide 4, Text" not in {item.place for item in found if item.code == "low_contrast"}
    write(deck.slides[TABLE].shapes[-1], "North leads.", size=18, ink=INK)
    found = gate.check(saved(deck, tmp_path / "deck.pptx"))
    assert "slide 4, Text" in {item.place for item in found if item.code == "low_contrast"}


def test_grounds_and_bars_may_reach_the_edge_and_content_may_not(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides[TABLE]
    for left, top, width, height in ((0, 0, 13.333, 0.4), (0, 7.0, 13.333, 0.5), (0.2, 3, 0.08, 2)):
        bar = slide.shapes.add_shape(shapes.MSO_SHAPE.RECTANGLE, *map(Inches, (left, top, width, height)))
        slide.shapes._spTree.insert(2, bar._element)
    assert codes(deck, tmp_path) == set()
    put_card(slide, "North leads.", 9.4).top = Inches(4)
    assert codes(deck, tmp_path) == {"margin"}


def test_text_on_a_card_is_intended_and_text_that_leaves_it_is_not(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides[TABLE]
    put_card(slide, "", 7.0)
    text = put_text(slide, "North leads.", 7.2, 2.2, 3, 0.6)
    assert codes(deck, tmp_path) == set()
    text.left = Inches(9.8)
    assert codes(deck, tmp_path) == {"overlap"}


def test_a_shape_in_front_that_hides_text_is_an_overlap(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides[TABLE]
    put_text(slide, "North leads.", 7.2, 2.2, 3, 0.6)
    put_card(slide, "", 7.0)
    assert codes(deck, tmp_path) == {"overlap"}


def test_white_text_on_a_band_is_read_against_the_band(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides[TABLE]
    band = slide.shapes.add_shape(shapes.MSO_SHAPE.RECTANGLE, 0, Inches(5), deck.slide_width, Inches(2.5))
    band.fill.solid()
    band.fill.fore_color.rgb = color.RGBColor.from_string(INK)
    put_text(slide, "North leads.", 0.6, 5.4, 6, 0.6, ink="FFFFFF")
    assert codes(deck, tmp_path) == set()


def test_a_size_that_autofit_shrinks_is_the_one_that_counts(tmp_path: Path) -> None:
    deck = sound_deck()
    shape = put_text(deck.slides[TABLE], "North leads.", 7, 2, 4, 1, size=18)
    body = shape.text_frame._txBody.bodyPr
    for child in list(body):
        body.remove(child)
    fitted = body.makeelement("{http://schemas.openxmlformats.org/drawingml/2006/main}normAutofit", {})
    fitted.set("fontScale", "62500")
    body.append(fitted)
    assert codes(deck, tmp_path) == {"small_body"}


def test_text_that_does_not_wrap_has_to_fit_in_one_line(tmp_path: Path) -> None:
    deck = sound_deck()
    shape = put_text(deck.slides[TABLE], "North leads in orders and in customers.", 7, 2, 2, 1)
    shape.text_frame.word_wrap = False
    assert codes(deck, tmp_path) == {"text_overflow"}
    shape.width = Inches(5.5)
    assert codes(deck, tmp_path) == set()


def test_one_large_number_on_a_slide_is_content_and_needs_a_source(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides.add_slide(deck.slides[TABLE].slide_layout)
    holder = slide.shapes.title
    holder.left, holder.top, holder.width, holder.height = map(Inches, (0.6, 0.5, 12.1, 1.1))
    write(holder, "One order in twelve comes back", size=30)
    text = put_text(slide, "Thank you", 0.6, 2, 6, 1.2, size=54)
    deck.slides._sldIdLst.insert(4, deck.slides._sldIdLst[-1])
    assert codes(deck, tmp_path) == set()
    text.text_frame.paragraphs[0].runs[0].text = "8.3%"
    assert codes(deck, tmp_path) == {"notes_missing"}


@pytest.mark.parametrize(
    "title",
    [
        "Sales fell in May",
        "Women survived more often",
        "South: returns without end",
        "Ask customers why they return",
        "38% survived",
        "Parcels wait for weeks in the hub",
        "Женщины выживали чаще",
        "Выручка упала в мае",
        "Юг возвращает больше всех",
        "Umsatz fällt im März",
    ],
)
def test_a_title_that_says_something_is_let_be(title: str) -> None:
    assert story.says_something(title)


@pytest.mark.parametrize(
    "title",
    ["Sales by month", "Overview", "Regions in numbers", "Survival rate by class and sex", "Обзор данных",
     "Динамика выручки по месяцам", "Структура продаж"],
)  # fmt: skip
def test_a_title_that_names_a_topic_is_told(title: str) -> None:
    assert not story.says_something(title)


def test_a_picture_that_matplotlib_drew_has_to_name_a_kind_that_is_not_native(tmp_path: Path) -> None:
    def deck_with(alt: str) -> Any:
        deck = sound_deck()
        put_picture(
            add_slide(deck, "Evenings bring the orders"),
            (1200, 800),
            (6, 4),
            alt=alt,
            software="Matplotlib 3",
        )
        deck.slides._sldIdLst.append(deck.slides._sldIdLst[5])
        return deck

    assert codes(deck_with("Orders by weekday."), tmp_path) == {"picture_of_chart"}
    assert codes(deck_with("Box plot of orders by weekday."), tmp_path) == set()


def test_cells_of_the_default_table_style_are_judged_by_its_colours(tmp_path: Path) -> None:
    deck = sound_deck()
    slide = deck.slides[TABLE]
    table = slide.shapes.add_table(2, 1, *map(Inches, (7, 2, 4, 1)))
    table._element._nvXxPr.cNvPr.set("descr", "Orders of the North.")
    for row, words in enumerate(("Orders", "270")):
        cell = table.table.cell(row, 0)
        cell.text = words
        cell.text_frame.paragraphs[0].runs[0].font.size = Pt(14)
        cell.text_frame.paragraphs[0].runs[0].font.name = "Arial"
    found = gate.check(saved(deck, tmp_path / "deck.pptx"))
    # white on the accent of python-pptx's own template is 4.0:1
    assert [(item.code, item.place.split(", ", 2)[2]) for item in found] == [
        ("low_contrast", "row 1, column 1")
    ]
