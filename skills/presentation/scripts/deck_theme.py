"""The theme: colours, sizes and places of a 16:9 deck, and the empty presentation that carries them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from lxml import etree
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches, Pt

# Arial exists on Windows and macOS, and Linux has a metric twin (Liberation Sans), so a deck breaks its lines
# in the same places everywhere.
FONT = "Arial"

INK = RGBColor(0x17, 0x23, 0x3A)
"""Titles and figures; also the ground of dark slides."""
TEXT = RGBColor(0x33, 0x41, 0x55)
MUTED = RGBColor(0x5B, 0x67, 0x78)
"""Captions and axes; 5.7:1 on white, 5.1:1 on TINT."""
PAPER = RGBColor(0xFF, 0xFF, 0xFF)
TINT = RGBColor(0xEF, 0xF3, 0xF8)
RULE = RGBColor(0xD5, 0xDC, 0xE5)
SOFT = RGBColor(0xC9, 0xD5, 0xE6)
"""Secondary text on INK."""
ACCENT = RGBColor(0x1F, 0x5F, 0xA8)
FADED = RGBColor(0x85, 0x93, 0xA5)
"""The bars that are not highlighted."""
SERIES = (
    ACCENT,
    RGBColor(0xB4, 0x53, 0x1A),
    RGBColor(0x1B, 0x75, 0x6C),
    RGBColor(0x68, 0x75, 0x88),
    RGBColor(0x76, 0x48, 0x90),
    RGBColor(0x85, 0x66, 0x00),
)
"""Every one carries white text at 4.5:1 or better, so that a label inside a bar can be read."""

TITLE_SIZES = (28, 26, 24)
BODY_SIZES = (22, 20, 18, 16, 14)
AXIS_SIZE = 14
AXIS_TITLE_SIZE = 12
LABEL_SIZE = 16
FOOTER_SIZE = 10
LINE_HEIGHT = 1.2
"""Line pitch in font sizes; Arial needs 1.15, DejaVu Sans 1.17."""


@dataclass(frozen=True)
class Box:
    """A rectangle on the slide, in inches."""

    left: float
    top: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width

    def emu(self) -> tuple[Emu, Emu, Emu, Emu]:
        """What python-pptx takes as left, top, width, height."""
        return Inches(self.left), Inches(self.top), Inches(self.width), Inches(self.height)


WIDTH, HEIGHT = 13.333, 7.5
MARGIN = 0.6
CONTENT = WIDTH - 2 * MARGIN
TITLE = Box(MARGIN, 0.5, CONTENT, 0.98)
FOOTER = Box(MARGIN, 6.76, CONTENT - 1.0, 0.24)
NUMBER = Box(WIDTH - MARGIN - 0.8, 6.76, 0.8, 0.24)
BODY_BOTTOM = 6.6
GAP = 0.3

_SCHEME = {
    "dk1": INK,
    "lt1": PAPER,
    "dk2": TEXT,
    "lt2": TINT,
    "hlink": ACCENT,
    "folHlink": SERIES[4],
} | {f"accent{number}": color for number, color in enumerate(SERIES, start=1)}


def new_presentation(title: str):
    """A 16:9 presentation with one layout, 'Title Only', and with our fonts and colours as its theme, so that
    what a person adds by hand later looks like the rest."""
    presentation = Presentation()
    presentation.slide_width, presentation.slide_height = Inches(WIDTH), Inches(HEIGHT)
    kept = presentation.slide_layouts.get_by_name("Title Only")
    for layout in list(presentation.slide_layouts):
        if layout is not kept:
            presentation.slide_layouts.remove(layout)
    for holder in (presentation.slide_master, kept):
        _lay_out_placeholders(holder)
    _set_theme(presentation.slide_master)
    properties = presentation.core_properties
    properties.title, properties.author, properties.last_modified_by = title[:250], "", ""
    properties.created = properties.modified = datetime.now(UTC).replace(tzinfo=None)
    return presentation


def _lay_out_placeholders(holder) -> None:
    """The default template is 4:3; its places are moved to ours."""
    for shape in holder.placeholders:
        name = shape.name.split(" Placeholder")[0]
        if shape.placeholder_format.type is not None and "Title" in shape.name:
            place = TITLE
        elif name == "Slide Number":
            place = NUMBER
        elif name == "Date":
            place = Box(MARGIN, FOOTER.top, 2.0, FOOTER.height)
        elif name == "Footer":
            place = Box(MARGIN + 2.2, FOOTER.top, CONTENT - 4, FOOTER.height)
        else:
            place = Box(MARGIN, 1.7, CONTENT, BODY_BOTTOM - 1.7)
        shape.left, shape.top, shape.width, shape.height = place.emu()


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
        latin.set("typeface", FONT)
    # python-pptx keeps a theme as an opaque part and has no public way to replace its bytes
    part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    style = master._element.find(f".//{qn('p:titleStyle')}/{qn('a:lvl1pPr')}")
    style.set("algn", "l")
    style.find(qn("a:defRPr")).set("sz", str(int(Pt(TITLE_SIZES[0]).pt * 100)))
