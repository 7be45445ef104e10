"""The template that a deck is made from: its layouts by what they are for, and its theme; here our own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from deck_theme import OURS, TITLE_SIZES, Box, Cover, Theme
from lxml import etree
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.shapes import PP_PLACEHOLDER as HOLDER
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Inches

if TYPE_CHECKING:
    from collections.abc import Mapping


class Page(StrEnum):
    """What a slide is for; our own layouts are named so."""

    COVER = "Cover"
    SECTION = "Section"
    TEXT = "Text"
    STATEMENTS = "Statements"
    COLUMNS = "Two Columns"
    FIGURES = "Key Figures"
    CHART = "Chart"
    BESIDE = "Chart and Takeaway"
    BELOW = "Chart over Takeaway"
    TABLE = "Table"
    PICTURE = "Picture"
    METHOD = "Method"


@dataclass(frozen=True)
class Template:
    """An empty presentation, and a layout for each kind of page."""

    presentation: object
    theme: Theme
    layouts: Mapping[Page, object]
    cover: Cover
    section: Cover


_ORIGINALS = {
    "Title Slide": Page.COVER,
    "Section Header": Page.SECTION,
    "Title and Content": Page.TEXT,
    "Two Content": Page.COLUMNS,
    "Blank": Page.FIGURES,
    "Title Only": Page.CHART,
    "Content with Caption": Page.BESIDE,
    "Comparison": Page.BELOW,
    "Title and Vertical Text": Page.TABLE,
    "Picture with Caption": Page.PICTURE,
    "Vertical Title and Text": Page.METHOD,
}
"""Which layout of python-pptx's own presentation each of ours is made of."""
_DARK = Cover(Box(1.0, 1.75, 11.0, 2.2), Box(1.0, 4.35, 11.0, 1.6), OURS.paper, OURS.soft, ground=OURS.ink)
_SPARK = RGBColor(0x6B, 0xA3, 0xE0)
"""The stroke between title and subtitle of a dark slide."""
_SCHEME = {
    "dk1": OURS.ink,
    "lt1": OURS.paper,
    "dk2": OURS.text,
    "lt2": OURS.tint,
    "hlink": OURS.accent,
    "folHlink": OURS.series[4],
} | {f"accent{number}": color for number, color in enumerate(OURS.series, start=1)}


def own_template() -> Template:
    """16:9, with our fonts and colours as its theme and our places in its layouts, so that what a person adds
    by hand later looks like the rest."""
    presentation = Presentation()
    presentation.slide_width, presentation.slide_height = Inches(OURS.width), Inches(OURS.height)
    master = presentation.slide_master
    _lay_out(master, (HOLDER.BODY,))
    layouts = {_ORIGINALS[layout.name]: layout for layout in presentation.slide_layouts}
    for page, layout in layouts.items():
        layout.name = str(page)
        if page is Page.FIGURES:
            _give_title(layout, layouts[Page.CHART])
        _lay_out(layout, _KEPT.get(page, ()))
        layout._element.set("type", _TYPES.get(page, "titleOnly"))
    for page in (Page.COVER, Page.SECTION):
        _darken(layouts[page])
    layouts[Page.STATEMENTS] = layouts[Page.FIGURES]
    _set_theme(master)
    return Template(presentation, OURS, layouts, _DARK, _DARK)


def describe_file(presentation, title: str) -> None:
    """Title and times of the file's properties; a template's author is not ours."""
    properties = presentation.core_properties
    properties.title, properties.author, properties.last_modified_by = title[:250], "", ""
    properties.subject = properties.keywords = properties.comments = properties.category = ""
    properties.revision = 1
    properties.created = properties.modified = datetime.now(UTC).replace(tzinfo=None)


_KEPT = {
    Page.COVER: (HOLDER.SUBTITLE,),
    Page.SECTION: (HOLDER.BODY,),
    Page.TEXT: (HOLDER.OBJECT,),
    Page.COLUMNS: (HOLDER.OBJECT, HOLDER.OBJECT),
}
"""The placeholders besides title, date, footer and number that a layout keeps."""
_TYPES = {Page.COVER: "title", Page.SECTION: "secHead", Page.TEXT: "obj", Page.COLUMNS: "twoObj"}
_TITLES = (HOLDER.TITLE, HOLDER.CENTER_TITLE, HOLDER.VERTICAL_TITLE)
_FEET = (HOLDER.DATE, HOLDER.FOOTER, HOLDER.SLIDE_NUMBER)


def _lay_out(holder, kept: tuple) -> None:
    """The default presentation is 4:3; its places are moved to ours."""
    waiting, body = list(kept), Box(OURS.margin, 1.7, OURS.content, OURS.body_bottom - 1.7)
    half = (OURS.content - 0.6) / 2
    for shape in list(holder.placeholders):
        kind = shape.placeholder_format.type
        dark = getattr(holder, "name", "") in (Page.COVER, Page.SECTION)
        if kind in _TITLES:
            place = _DARK.title if dark else OURS.title
            shape._element.nvSpPr.nvPr.find(qn("p:ph")).attrib.pop("orient", None)
            shape._element.txBody.find(qn("a:bodyPr")).attrib.pop("vert", None)
        elif kind in _FEET:
            left = {HOLDER.DATE: OURS.margin, HOLDER.FOOTER: OURS.margin + 2.2}.get(kind, OURS.number.left)
            width = {HOLDER.DATE: 2.0, HOLDER.FOOTER: OURS.content - 4}.get(kind, OURS.number.width)
            place = Box(left, OURS.footer.top, width, OURS.footer.height)
        elif kind in waiting:
            waiting.remove(kind)
            place = _DARK.subtitle if dark else body
            if len(kept) > 1:
                place = Box(
                    body.left + (half + 0.6) * (len(kept) - 1 - len(waiting)), body.top, half, body.height
                )
        else:
            shape._element.getparent().remove(shape._element)
            continue
        shape.left, shape.top, shape.width, shape.height = place.emu()


def _give_title(layout, other) -> None:
    """The blank layout gets the title of another one."""
    for shape in other.placeholders:
        if shape.placeholder_format.type in _TITLES:
            copy = parse_xml(etree.tostring(shape._element))
            layout.shapes._spTree.append(copy)


def _darken(layout) -> None:
    """Our ground for covers, with a stroke under the title."""
    layout.background.fill.solid()
    layout.background.fill.fore_color.rgb = OURS.ink
    left, top = Inches(_DARK.title.left), Inches(_DARK.title.bottom + 0.17)
    wide, high = Inches(0.9), Inches(0.06)
    stroke = parse_xml(
        f'<p:sp {nsdecls("p", "a")}><p:nvSpPr><p:cNvPr id="99" name="Stroke"/><p:cNvSpPr/>'
        f'<p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{left}" y="{top}"/>'
        f'<a:ext cx="{wide}" cy="{high}"/></a:xfrm>'
        f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="{_SPARK}"/>'
        "</a:solidFill><a:ln><a:noFill/></a:ln></p:spPr></p:sp>"
    )
    layout.shapes._spTree.append(stroke)
    for shape in layout.placeholders:
        color = OURS.paper if shape.placeholder_format.type in _TITLES else OURS.soft
        body = shape._element.txBody
        for old in body.findall(qn("a:lstStyle")):
            body.remove(old)
        body.insert(
            1,
            parse_xml(
                f'<a:lstStyle {nsdecls("a")}><a:lvl1pPr marL="0" indent="0" algn="l"><a:buNone/><a:defRPr>'
                f'<a:solidFill><a:srgbClr val="{color}"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
            ),
        )


def _set_theme(master) -> None:
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    root = etree.fromstring(part.blob)
    root.set("name", "Deckhand")
    scheme = root.find(f".//{qn('a:clrScheme')}")
    scheme.set("name", "Deckhand")
    for name, color in _SCHEME.items():
        slot = scheme.find(qn(f"a:{name}"))
        for child in list(slot):
            slot.remove(child)
        etree.SubElement(slot, qn("a:srgbClr")).set("val", str(color))
    for latin in root.findall(f".//{qn('a:fontScheme')}/*/{qn('a:latin')}"):
        latin.set("typeface", OURS.font)
    # python-pptx keeps a theme as an opaque part and has no public way to replace its bytes
    part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    style = master._element.find(f".//{qn('p:titleStyle')}/{qn('a:lvl1pPr')}")
    style.set("algn", "l")
    style.find(qn("a:defRPr")).set("sz", str(TITLE_SIZES[0] * 100))
