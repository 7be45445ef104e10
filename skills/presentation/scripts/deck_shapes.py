"""Shapes of a slide: text, cards, picture, footer; each with its alt text set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import deck_theme as theme
from deck_text import clean, one_line, shorten
from deck_theme import Box
from lxml import etree
from PIL import Image
from pptx.enum.lang import MSO_LANGUAGE_ID
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.shapes import PP_PLACEHOLDER as HOLDER
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches, Pt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deck_words import Words
    from pptx.dml.color import RGBColor

_FOR_TEXT = (HOLDER.BODY, HOLDER.OBJECT, HOLDER.SUBTITLE)
_DPI = 150
"""Pixels an inch at least; with fewer a projector shows them."""
PADDING = 0.22
"""Inches between a card's edge and its text."""
_SLACK = 3
"""Points of a line left unused, for renderers that round."""


@dataclass(frozen=True)
class Line:
    """A paragraph and how it looks; `head` is a bold beginning."""

    text: str
    size: float
    color: RGBColor | None = None
    """The theme's colour of running text when None."""
    bold: bool = False
    head: str = ""
    bullet: bool = False
    after: float = 0.0
    """Points of space below."""


def points(inches: float) -> float:
    """The points that text may use in a box this many inches wide."""
    return inches * 72 - _SLACK


def put_text(slide, box: Box, lines: Sequence[Line], *, name: str, **placing):
    """A text box; its size is not checked, the caller has measured."""
    shape = slide.shapes.add_textbox(*box.emu())
    shape.name = name
    write(shape.text_frame, lines, **placing)
    return shape


def fill_holder(slide, box: Box, lines: Sequence[Line], *, name: str, **placing) -> None:
    """Text in the next free placeholder of the slide, or in a text box where there is none."""
    for holder in slide.placeholders:
        kind = holder.placeholder_format.type
        if kind in _FOR_TEXT and holder.has_text_frame and not holder.text_frame.text:
            holder.left, holder.top, holder.width, holder.height = box.emu()
            holder.name = name
            write(holder.text_frame, lines, **placing)
            return
    put_text(slide, box, lines, name=name, **placing)


def put_card(slide, box: Box, lines: Sequence[Line], *, name: str, lead: float | None = None) -> None:
    """A tinted panel with its text inside it, one shape: in the middle, or `lead` inches below the top."""
    shape = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.emu())
    shape.name = name
    # the style of a new shape brings a shadow and an outline
    shape._element.remove(shape._element.find(qn("p:style")))
    shape.fill.solid()
    shape.fill.fore_color.rgb = theme.TINT
    shape.line.fill.background()
    write(shape.text_frame, lines, anchor=MSO_ANCHOR.MIDDLE, padding=PADDING)
    if lead is not None:
        shape.text_frame.vertical_anchor, shape.text_frame.margin_top = MSO_ANCHOR.TOP, Inches(lead)
        shape.text_frame.margin_bottom = 0


def put_stroke(slide, box: Box) -> None:
    """A bar of the accent colour that leads the eye to a card."""
    shape = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.emu())
    shape.name = "Stroke"
    shape._element.remove(shape._element.find(qn("p:style")))
    shape.fill.solid()
    shape.fill.fore_color.rgb = theme.ACCENT
    shape.line.fill.background()


def picture_size(path: str) -> tuple[int, int]:
    """Width and height in pixels. Raises ValueError for what a slide cannot hold."""
    try:
        with Image.open(path) as image:
            kind, size = image.format, image.size
            image.verify()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        kind, size = type(error).__name__, (0, 0)
    if kind not in ("PNG", "JPEG", "GIF", "BMP", "TIFF"):
        here = ", ".join(sorted(p.name for p in Path().glob("*.png"))[:12]) or "none"
        raise ValueError(
            f"{path!r} is not a picture that can be placed ({kind}). "
            f"Give the path of a PNG or JPEG file. PNG files in this folder: {here}."
        )
    return size


def put_picture(slide, path: str, size: tuple[int, int], box: Box, alt: str) -> bool:
    """The picture as large as the box and its pixels allow, its aspect ratio kept, centred; returns whether
    the pixels were too few for the box."""
    largest = min(box.width / size[0], box.height / size[1])
    scale = min(largest, 1 / _DPI)
    width, height = size[0] * scale, size[1] * scale
    place = Box(box.left + (box.width - width) / 2, box.top + (box.height - height) / 2, width, height)
    picture = slide.shapes.add_picture(path, *place.emu())
    picture.name = "Picture"
    describe(picture, alt)
    return scale < largest * 0.8


def put_footer(slide, words: Words, note: str, number: int, *, color=None) -> bool:
    """Source at the left, page number at the right; returns whether the source had to be cut."""
    color = color or theme.MUTED
    shown = shorten(note, theme.FOOTER_SIZE, points(theme.FOOTER.width)) if note else ""
    if shown:
        put_text(slide, theme.FOOTER, [Line(shown, theme.FOOTER_SIZE, color)], name="Source")
    shape = put_text(
        slide,
        theme.NUMBER,
        [Line(str(number), theme.FOOTER_SIZE, color)],
        name="Page number",
        align=PP_ALIGN.RIGHT,
    )
    # a field, so that the number stays right when a person moves slides
    run = shape.text_frame.paragraphs[0]._p.find(qn("a:r"))
    run.tag = qn("a:fld")
    run.set("id", "{6F8B6E2C-0C8E-4B39-9C4B-7D1B5A3C9E11}")
    run.set("type", "slidenum")
    return shown != note


def write(
    frame, lines: Sequence[Line], *, anchor=MSO_ANCHOR.TOP, align=PP_ALIGN.LEFT, padding=0.0, family=""
) -> None:
    """Put paragraphs into a text frame; nothing is left to autofit, which renderers do differently."""
    frame.word_wrap, frame.auto_size, frame.vertical_anchor = True, MSO_AUTO_SIZE.NONE, anchor
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Inches(padding)
    for place, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if place == 0 else frame.add_paragraph()
        paragraph.alignment, paragraph.line_spacing = align, 1.0
        paragraph.space_before, paragraph.space_after = Pt(0), Pt(line.after)
        if line.bullet:
            _set_bullet(paragraph, line.size)
        else:
            _set_plain(paragraph)
        for part, bold in ((line.head, True), (line.text, line.bold)):
            if part:
                _add_run(
                    paragraph,
                    clean(part) + (" " if part is line.head and line.text else ""),
                    line,
                    bold,
                    family or theme.FONT,
                )


def bullet_indent(size: float) -> float:
    """Points from the bullet's edge to its text."""
    return size * 1.1


def describe(shape, alt: str) -> None:
    """Alternative text, for people who do not see the slide."""
    shape._element._nvXxPr.cNvPr.set("descr", shorten_alt(alt))


def shorten_alt(alt: str) -> str:
    text = one_line(alt)
    return text if len(text) <= 480 else text[:479].rstrip() + "…"


def write_notes(slide, text: str) -> None:
    text = clean(text)
    if text:
        slide.notes_slide.notes_text_frame.text = text


def fill_shapes(slide, color: RGBColor) -> None:
    """A ground of their own for texts that stand on a picture."""
    for shape in slide.shapes:
        if shape.has_text_frame and shape.text_frame.text:
            shape.fill.solid()
            shape.fill.fore_color.rgb = color


def mirror(slide) -> None:
    """What stands beside a takeaway changes sides with it; title and footer stay."""
    moved = [s for s in slide.shapes if not s.is_placeholder and s.name not in ("Source", "Page number")]
    left, right = min(s.left for s in moved), max(s.left + s.width for s in moved)
    for shape in moved:
        shape.left = left + right - shape.left - shape.width
    stroke = next(shape for shape in moved if shape.name == "Stroke")
    card = next(shape for shape in moved if shape.name == "Takeaway")
    # the stroke stays at the left of its card
    stroke.left, card.left = card.left, card.left + stroke.width


def paint(slide, ground: RGBColor) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = ground


def language_of(text: str) -> MSO_LANGUAGE_ID:
    """So that the spelling checker of the reader's program does not mark everything red."""
    cyrillic = any("\u0400" <= char <= "\u04ff" for char in text)
    return MSO_LANGUAGE_ID.RUSSIAN if cyrillic else MSO_LANGUAGE_ID.ENGLISH_US


def _add_run(paragraph, text: str, line: Line, bold: bool, family: str) -> None:
    for place, part in enumerate(text.split("\n")):
        if place:
            paragraph.add_line_break()
        run = paragraph.add_run()
        run.text = part
        font = run.font
        font.size, font.bold, font.italic, font.name = Pt(line.size), bold, False, family
        run._r.get_or_add_rPr().set("cap", "none")  # a template's capitals would be wider than measured
        font.color.rgb, font.language_id = line.color or theme.TEXT, language_of(part)


def _set_plain(paragraph) -> None:
    """No bullet and no indent, whatever the placeholder brings."""
    properties = paragraph._p.get_or_add_pPr()
    properties.set("marL", "0")
    properties.set("indent", "0")
    etree.SubElement(properties, qn("a:buNone"))


def _set_bullet(paragraph, size: float) -> None:
    properties = paragraph._p.get_or_add_pPr()
    indent = Emu(Pt(bullet_indent(size)))
    properties.set("marL", str(indent))
    properties.set("indent", str(-indent))
    color = etree.SubElement(properties, qn("a:buClr"))
    etree.SubElement(color, qn("a:srgbClr")).set("val", str(theme.ACCENT))
    etree.SubElement(properties, qn("a:buFont")).set("typeface", theme.FONT)
    etree.SubElement(properties, qn("a:buChar")).set("char", "•")
