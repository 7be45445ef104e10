"""A deck that passes the gate, made by python-pptx alone, and ways to spoil one thing of it."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

pptx: Any = import_module("pptx")
chart_data: Any = import_module("pptx.chart.data")
enums: Any = import_module("pptx.enum.chart")
shapes: Any = import_module("pptx.enum.shapes")
text: Any = import_module("pptx.enum.text")
color: Any = import_module("pptx.dml.color")
util: Any = import_module("pptx.util")
Image: Any = import_module("PIL.Image")
Inches, Pt = util.Inches, util.Pt

INK, PAPER, GREY = "17233A", "FFFFFF", "E8EDF3"
NOTE = "Source: orders.csv, 600 rows, mean by region."


@dataclass(frozen=True)
class Spoiling:
    """What is done to a sound deck: spoiled, or the same thing mended."""

    check: int
    code: str
    act: Callable[[Any, bool], None]
    blocking: bool = True

    def __str__(self) -> str:
        return self.code


def sound_deck() -> Any:
    """Six slides: cover, chart, cards, table, bullets, method."""
    return pptx.Presentation(io.BytesIO(_sound_deck()))


@lru_cache(maxsize=1)
def _sound_deck() -> bytes:
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    cover = add_slide(deck, "South returns three times as much", notes="")
    put_text(cover, "Orders of January", 0.6, 3.0, 8, 0.6, size=20)
    bars = add_slide(deck, "South returns 12% of its orders")
    put_chart(bars)
    put_text(bars, "North returns least of all.", 9.2, 2.0, 3.5, 1.5)
    put_text(bars, "Source: orders.csv", 0.6, 6.7, 6, 0.25, size=10, name="Source")
    cards = add_slide(deck, "One order in eleven comes back")
    for place, words in enumerate(("600 orders", "48 returns", "3 regions")):
        put_card(cards, words, 0.6 + place * 4.1)
    rows = add_slide(deck, "North is the largest region")
    put_table(rows, [["Region", "Orders"], ["North", "270"], ["South", "170"]])
    plain = add_slide(deck, "Two steps would help")
    put_bullets(plain, ["Ask customers of South why they return.", "Read the notes on returns."])
    method = add_slide(deck, "Method and assumptions")
    put_bullets(method, ["Rows without a region were left out."])
    content = io.BytesIO()
    deck.save(content)
    return content.getvalue()


def saved(deck: Any, path: Any) -> Any:
    deck.save(str(path))
    return path


def add_slide(deck: Any, title: str, *, notes: str = NOTE) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts.get_by_name("Title Only"))
    holder = slide.shapes.title
    holder.left, holder.top, holder.width, holder.height = map(Inches, (0.6, 0.5, 12.1, 1.1))
    write(holder, title, size=30)
    if notes:
        slide.notes_slide.notes_text_frame.text = notes
    return slide


def write(shape: Any, words: str, *, size: float, ink: str = INK, font: str = "Arial") -> None:
    frame = shape.text_frame
    frame.word_wrap, frame.auto_size = True, text.MSO_AUTO_SIZE.NONE
    frame.text = words
    for paragraph in frame.paragraphs:
        for run in paragraph.runs:
            run.font.size, run.font.name = Pt(size), font
            run.font.color.rgb = color.RGBColor.from_string(ink)


def put_text(
    slide: Any, words: str, left: float, top: float, width: float, height: float, **options: Any
) -> Any:
    shape = slide.shapes.add_textbox(*map(Inches, (left, top, width, height)))
    shape.name = options.pop("name", "Text")
    options.setdefault("size", 18)
    write(shape, words, **options)
    return shape


def put_card(slide: Any, words: str, left: float, *, ground: str = GREY, ink: str = INK) -> Any:
    shape = slide.shapes.add_shape(shapes.MSO_SHAPE.RECTANGLE, *map(Inches, (left, 2.0, 3.8, 2.0)))
    shape.fill.solid()
    shape.fill.fore_color.rgb = color.RGBColor.from_string(ground)
    shape.name = "Card"
    write(shape, words, size=24, ink=ink)
    return shape


def put_bullets(slide: Any, items: list[str]) -> Any:
    shape = put_text(slide, "\n".join(items), 0.6, 2.0, 11, 4.4)
    for paragraph in shape.text_frame.paragraphs:
        properties = paragraph._p.get_or_add_pPr()
        bullet = properties.makeelement(util_name("a:buChar"), {"char": "•"})
        properties.append(bullet)
    return shape


def put_chart(
    slide: Any,
    values: tuple[Any, ...] = (0.05, 0.12, 0.07),
    *,
    kind: str = "COLUMN_CLUSTERED",
    titled: bool = True,
) -> Any:
    data = chart_data.CategoryChartData()
    data.categories = ["North", "South", "West"]
    data.add_series("Share returned", values)
    frame = slide.shapes.add_chart(
        getattr(enums.XL_CHART_TYPE, kind), *map(Inches, (0.6, 1.9, 8.2, 4.6)), data
    )
    chart = frame.chart
    chart.has_legend = chart.has_title = False
    chart.font.size, chart.font.name = Pt(14), "Arial"
    if titled:
        for axis, title in ((chart.category_axis, "Region"), (chart.value_axis, "Share of orders returned")):
            axis.axis_title.text_frame.text = title
    describe(frame, "South returns 12% of its orders, North 5%.")
    return frame


def put_table(slide: Any, rows: list[list[str]], *, size: float = 14, height: float = 0.45) -> Any:
    frame = slide.shapes.add_table(len(rows), len(rows[0]), *map(Inches, (0.6, 2.0, 6.0, height * len(rows))))
    for r, row in enumerate(rows):
        for c, words in enumerate(row):
            cell = frame.table.cell(r, c)
            cell.text = words
            for run in cell.text_frame.paragraphs[0].runs:
                run.font.size, run.font.name = Pt(size), "Arial"
                run.font.color.rgb = color.RGBColor.from_string(INK)
            cell.fill.solid()
            cell.fill.fore_color.rgb = color.RGBColor.from_string(PAPER)
    describe(frame, "Orders by region: North 270, South 170.")
    return frame


def put_picture(
    slide: Any, pixels: tuple[int, int], inches: tuple[float, float], *, alt: str, software: str = ""
) -> Any:
    picture = slide.shapes.add_picture(drawing(pixels, software=software), *map(Inches, (0.6, 1.9, *inches)))
    describe(picture, alt)
    return picture


def drawing(pixels: tuple[int, int], *, software: str = "", flat: bool = False) -> io.BytesIO:
    """A PNG with something on it."""
    info: Any = import_module("PIL.PngImagePlugin").PngInfo()
    if software:
        info.add_text("Software", software)
    image = Image.new("RGB", pixels, "white")
    if not flat:
        image.paste((20, 60, 120), (0, 0, pixels[0] // 2, pixels[1] // 2))
    stream = io.BytesIO()
    image.save(stream, "PNG", pnginfo=info)
    stream.seek(0)
    return stream


def describe(shape: Any, alt: str) -> None:
    shape._element._nvXxPr.cNvPr.set("descr", alt)


def util_name(name: str) -> str:
    return import_module("pptx.oxml.ns").qn(name)
