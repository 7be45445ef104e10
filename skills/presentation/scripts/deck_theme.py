"""The theme: fonts, colours, sizes and places. A deck puts its own in use for each of its calls."""

from __future__ import annotations

from dataclasses import dataclass

from pptx.dml.color import RGBColor
from pptx.util import Emu, Inches

TITLE_SIZES = (28,)
"""One size, so that titles do not jump from slide to slide."""
COVER_SIZES = (44, 40, 36, 32, 28)
BODY_SIZES = (24, 22, 20, 18, 16, 14)
AXIS_SIZE = 14
AXIS_TITLE_SIZE = 12
LABEL_SIZE = 16
CAPTION_SIZE = 12
FOOTER_SIZE = 10
GAP = 0.3
MOST_BULLETS = 6


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


_INK, _PAPER = RGBColor(0x17, 0x23, 0x3A), RGBColor(0xFF, 0xFF, 0xFF)
_SERIES = (
    RGBColor(0x1F, 0x5F, 0xA8),
    RGBColor(0xB4, 0x53, 0x1A),
    RGBColor(0x1B, 0x75, 0x6C),
    RGBColor(0x68, 0x75, 0x88),
    RGBColor(0x76, 0x48, 0x90),
    RGBColor(0x85, 0x66, 0x00),
)
_WIDTH, _HEIGHT, _MARGIN = 13.333, 7.5, 0.6


@dataclass(frozen=True)
class Cover:
    """A slide of a title and a subtitle: the cover, or a divider."""

    title: Box
    subtitle: Box
    title_color: RGBColor
    subtitle_color: RGBColor
    ground: RGBColor | None = None
    """What the slide is painted with; None leaves the layout's own ground."""
    panel: RGBColor | None = None
    """What the texts themselves are filled with, where the ground is a picture."""
    on_floor: bool = True
    """The title stands on the bottom of its box."""
    centered: bool = False


@dataclass(frozen=True, kw_only=True)
class Theme:
    """Our own look, where a brand does not say otherwise; places are in inches."""

    font: str = "Calibri"
    """Every Office has it, and elsewhere Carlito has the same widths, so lines break in the same places."""
    heading_font: str = "Calibri"
    line_height: float = 1.22
    """Line pitch in font sizes, as the font itself says."""
    title_bold: bool = True
    title_anchor: str = ""
    """DrawingML's anchor of a title in a box of fixed height; none where the box is as high as its text."""
    ink: RGBColor
    """Titles and figures; also the ground of dark slides."""
    text: RGBColor
    muted: RGBColor
    """Captions and axes; 5.7:1 on white, 5.1:1 on TINT."""
    paper: RGBColor
    tint: RGBColor
    rule: RGBColor
    soft: RGBColor
    """Secondary text on INK."""
    accent: RGBColor
    faded: RGBColor
    """The bars that are not highlighted."""
    series: tuple[RGBColor, ...]
    """Every one carries PAPER text at 4.5:1 or better, so that a label inside a bar can be read."""
    width: float = _WIDTH
    height: float = _HEIGHT
    margin: float = _MARGIN
    """The left edge of everything below the title."""
    content: float = _WIDTH - 2 * _MARGIN
    title: Box = Box(_MARGIN, 0.5, _WIDTH - 2 * _MARGIN, 0.98)
    body_top: float = 0.0
    """Content begins under the title, but not above this."""
    body_bottom: float = 6.6
    footer: Box = Box(_MARGIN, 6.76, _WIDTH - 2 * _MARGIN - 1.0, 0.24)
    number: Box = Box(_WIDTH - _MARGIN - 0.8, 6.76, 0.8, 0.24)

    @property
    def beside(self) -> float:
        """Inches of a card beside a chart."""
        return min(3.5, self.content * 0.3)


OURS = Theme(
    ink=_INK,
    text=RGBColor(0x33, 0x41, 0x55),
    muted=RGBColor(0x5B, 0x67, 0x78),
    paper=_PAPER,
    tint=RGBColor(0xEF, 0xF3, 0xF8),
    rule=RGBColor(0xD5, 0xDC, 0xE5),
    soft=RGBColor(0xC9, 0xD5, 0xE6),
    accent=_SERIES[0],
    faded=RGBColor(0x85, 0x93, 0xA5),
    series=_SERIES,
)
_used = OURS


def use(chosen: Theme) -> None:
    """From now on `deck_theme.INK` and the like are those of this theme."""
    global _used
    _used = chosen


def __getattr__(name: str):
    field = name.lower()
    if name.isupper() and hasattr(_used, field):
        return getattr(_used, field)
    raise AttributeError(f"module 'deck_theme' has no {name!r}")
