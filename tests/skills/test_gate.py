"""For each check of the gate a deck that fails it alone, and its mended twin that passes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.skills.gate_decks import (
    Inches,
    Spoiling,
    add_slide,
    describe,
    put_bullets,
    put_card,
    put_chart,
    put_picture,
    put_text,
    saved,
    sound_deck,
    util_name,
    write,
)
from tests.skills.guest import guest_module

guest_module("presentation", "deck_metrics")  # widths of Arial, for machines without its twin
gate: Any = guest_module("checks", "gate")

CHART, CARDS, TABLE, BULLETS, METHOD = 1, 2, 3, 4, 5
SPOILINGS: list[Spoiling] = []


def spoiling(
    check: int, code: str, *, blocking: bool = True
) -> Callable[[Callable[[Any, bool], None]], None]:
    def add(act: Callable[[Any, bool], None]) -> None:
        SPOILINGS.append(Spoiling(check, code, act, blocking))

    return add


@dataclass(frozen=True)
class Untraced:
    file: str
    place: str
    text: str


@spoiling(2, "empty_placeholder")
def _(deck: Any, mended: bool) -> None:
    slide = deck.slides[BULLETS]
    if not mended:
        layout = deck.slide_layouts.get_by_name("Title and Content")
        holder = next(h for h in layout.placeholders if h.placeholder_format.idx == 1)
        slide.shapes.clone_placeholder(holder)


@spoiling(2, "leftover_text")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "Costs are known." if mended else "TODO: costs", 7, 2, 5, 0.5)


@spoiling(2, "missing_value")
def _(deck: Any, mended: bool) -> None:
    deck.slides[TABLE].shapes[-1].table.cell(2, 1).text_frame.paragraphs[0].runs[0].text = (
        "—" if mended else "nan"
    )


@spoiling(3, "off_canvas")
def _(deck: Any, mended: bool) -> None:
    put_card(deck.slides[CARDS], "Returns", 0.6 if mended else 10.5).top = Inches(4.4)


@spoiling(3, "margin")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "North leads.", 0.5 if mended else 0.2, 5.0, 4, 0.6)


@spoiling(4, "text_overflow")
def _(deck: Any, mended: bool) -> None:
    words = "Returns cost more than they seem to. " * 6
    put_text(deck.slides[TABLE], words.strip(), 7.2, 2.0, 4, 4.0 if mended else 1.0)


@spoiling(4, "cell_overflow")
def _(deck: Any, mended: bool) -> None:
    table = deck.slides[TABLE].shapes[-1].table
    table.cell(1, 0).text_frame.paragraphs[0].runs[0].text = (
        "North" if mended else "North and all of the islands that lie off its coast"
    )


@spoiling(5, "overlap")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[CHART], "South stands out.", 9.2 if mended else 7.0, 4.0, 3, 0.6)


@spoiling(5, "boxes_overlap", blocking=False)
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "North leads.", 7, 2.0, 4, 2.0)
    put_text(deck.slides[TABLE], "South follows.", 7, 4.2 if mended else 3.0, 4, 1.0)


@spoiling(6, "small_body")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "North leads the regions.", 7, 2, 4, 0.6, size=14 if mended else 13)


@spoiling(6, "small_caption")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "Source: orders.csv", 0.6, 6.7, 4, 0.25, size=10 if mended else 9)


@spoiling(6, "small_title")
def _(deck: Any, mended: bool) -> None:
    write(deck.slides[TABLE].shapes.title, "North is the largest region", size=28 if mended else 26)


@spoiling(6, "many_fonts")
def _(deck: Any, mended: bool) -> None:
    for place, font in enumerate(("Georgia", "Georgia" if mended else "Verdana")):
        put_text(deck.slides[TABLE], "North leads.", 7, 2 + place, 4, 0.6, font=font)


@spoiling(7, "low_contrast")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "North leads.", 7, 2, 4, 0.6, ink="5B6778" if mended else "9AA5B1")


@spoiling(8, "picture_of_chart")
def _(deck: Any, mended: bool) -> None:
    alt = "Heatmap of orders by hour and weekday." if mended else "Bar chart of orders by weekday."
    put_picture(add_slide(deck, "Evenings bring the orders"), (1200, 800), (6, 4), alt=alt)
    to_the_end(deck)


@spoiling(8, "chart_cache")
def _(deck: Any, mended: bool) -> None:
    cached = chart_of(deck)._chartSpace.findall(f".//{util_name('c:val')}//{util_name('c:v')}")
    cached[1].text = "0.12" if mended else "0.21"


@spoiling(8, "chart_without_data")
def _(deck: Any, mended: bool) -> None:
    if not mended:
        space = chart_of(deck)._chartSpace
        space.remove(space.find(util_name("c:externalData")))


@spoiling(8, "axis_untitled")
def _(deck: Any, mended: bool) -> None:
    chart_of(deck).value_axis.has_title = mended
    if mended:
        chart_of(deck).value_axis.axis_title.text_frame.text = "Share of orders returned"


@spoiling(8, "axis_generic", blocking=False)
def _(deck: Any, mended: bool) -> None:
    chart_of(deck).value_axis.axis_title.text_frame.text = "Share of orders, %" if mended else "Value"


@spoiling(8, "chart_3d")
def _(deck: Any, mended: bool) -> None:
    if not mended:
        chart = chart_of(deck)._chartSpace.find(util_name("c:chart"))
        chart.insert(0, chart.makeelement(util_name("c:view3D"), {}))


@spoiling(8, "chart_missing_value")
def _(deck: Any, mended: bool) -> None:
    chart = chart_of(deck)
    cached = chart._chartSpace.findall(f".//{util_name('c:cat')}//{util_name('c:v')}")
    chart._chartSpace.findall(f".//{util_name('c:cat')}")[0].find(f".//{util_name('c:f')}").text = "none"
    cached[1].text = "South" if mended else "None"


@spoiling(9, "alt_missing")
def _(deck: Any, mended: bool) -> None:
    describe(deck.slides[TABLE].shapes[-1], "Orders by region: North leads." if mended else "")


@spoiling(9, "alt_file_name")
def _(deck: Any, mended: bool) -> None:
    alt = "A shelf of returned parcels." if mended else "plot_1.png"
    put_picture(add_slide(deck, "Parcels wait for weeks"), (1200, 800), (6, 4), alt=alt)
    to_the_end(deck)


@spoiling(9, "distorted")
def _(deck: Any, mended: bool) -> None:
    slide = add_slide(deck, "Parcels wait for weeks")
    put_picture(slide, (1200, 800), (6, 4 if mended else 3), alt="A shelf of parcels.")
    to_the_end(deck)


@spoiling(9, "low_resolution")
def _(deck: Any, mended: bool) -> None:
    slide = add_slide(deck, "Parcels wait for weeks")
    put_picture(slide, (900, 600) if mended else (600, 400), (6, 4), alt="A shelf of parcels.")
    to_the_end(deck)


@spoiling(10, "notes_missing")
def _(deck: Any, mended: bool) -> None:
    deck.slides[TABLE].notes_slide.notes_text_frame.text = "Source: orders.csv." if mended else ""


@spoiling(10, "notes_without_source")
def _(deck: Any, mended: bool) -> None:
    said = "North leads. Source: orders.csv." if mended else "Say that North leads."
    deck.slides[TABLE].notes_slide.notes_text_frame.text = said


@spoiling(10, "method_missing")
def _(deck: Any, mended: bool) -> None:
    title = deck.slides[METHOD].shapes.title
    write(title, "What we assumed" if mended else "One more thing is known", size=30)


@spoiling(11, "title_missing")
def _(deck: Any, mended: bool) -> None:
    if not mended:
        title = deck.slides[TABLE].shapes.title._element
        title.getparent().remove(title)


@spoiling(11, "title_repeated")
def _(deck: Any, mended: bool) -> None:
    words = "West is the largest region" if mended else "North is the largest region"
    write(deck.slides[CARDS].shapes.title, words, size=30)


@spoiling(11, "title_long")
def _(deck: Any, mended: bool) -> None:
    title = deck.slides[TABLE].shapes.title
    title.top, title.height = Inches(0.5), Inches(1.52)
    words = "North is the largest region by orders, by customers and by returns"
    write(
        title,
        words
        if mended
        else f"{words}, and it has been so in every single one of the years of which we have seen the orders",
        size=28,
    )


@spoiling(11, "many_bullets")
def _(deck: Any, mended: bool) -> None:
    items = ["Ask.", "Read.", "Call.", "Count.", "Write.", "Decide.", "Repeat."]
    old = deck.slides[BULLETS].shapes[-1]._element
    old.getparent().remove(old)
    put_bullets(deck.slides[BULLETS], items[:6] if mended else items)


@spoiling(11, "title_topic", blocking=False)
def _(deck: Any, mended: bool) -> None:
    write(deck.slides[TABLE].shapes.title, "North leads in orders" if mended else "Orders by region", size=30)


@spoiling(12, "no_glyph")
def _(deck: Any, mended: bool) -> None:
    put_text(deck.slides[TABLE], "North leads" + (" →" if mended else " \ue123"), 7, 2, 4, 0.6)


@spoiling(13, "monotonous")
def _(deck: Any, mended: bool) -> None:
    for region in ("North", "South", "West", "East", "Centre", "Coast", "Hills"):
        slide = add_slide(deck, f"{region} leads in returns")
        frame = put_chart(slide)
        if mended and region in ("South", "East"):
            frame.width = Inches(12.1)
    to_the_end(deck)


def to_the_end(deck: Any) -> None:
    """The slide on the method is the last again."""
    slides = deck.slides._sldIdLst
    slides.append(slides[METHOD])


def chart_of(deck: Any) -> Any:
    return next(shape.chart for shape in deck.slides[CHART].shapes if shape.has_chart)


def codes(findings: Any, *, blocking: bool = True) -> set[str]:
    return {item.code for item in findings if item.blocking or not blocking}


def test_a_sound_deck_passes_without_a_word(tmp_path: Path) -> None:
    assert gate.check(saved(sound_deck(), tmp_path / "deck.pptx"), pages=6) == []


@pytest.mark.parametrize("spoiled", SPOILINGS, ids=str)
def test_a_deck_with_one_fault_fails_only_its_check_and_the_mended_twin_none(
    spoiled: Spoiling, tmp_path: Path
) -> None:
    deck = sound_deck()
    spoiled.act(deck, False)
    found = gate.check(saved(deck, tmp_path / "spoiled.pptx"))
    assert {(item.check, item.code, item.blocking) for item in found} == {
        (spoiled.check, spoiled.code, spoiled.blocking)
    }
    assert all(item.file == "spoiled.pptx" and len(item.detail) > 20 for item in found)
    twin = sound_deck()
    spoiled.act(twin, True)
    assert gate.check(saved(twin, tmp_path / "mended.pptx")) == []
