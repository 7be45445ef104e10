"""How a PDF report looks: one family, two colours, sizes for A4."""

from pdf_fonts import BODY, BOLD, ITALIC
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

INK, TEXT, MUTED = HexColor("#17233A"), HexColor("#2B3648"), HexColor("#5B6778")
ACCENT, TINT, RULE, ZEBRA = HexColor("#1F5FA8"), HexColor("#EEF3F9"), HexColor("#D5DCE5"), HexColor("#F7F9FC")
WHITE = HexColor("#FFFFFF")
PAGE = A4
MARGIN, TOP, BOTTOM = 20 * mm, 22 * mm, 20 * mm
WIDTH = PAGE[0] - 2 * MARGIN


class Styles:
    """Paragraph styles; `scale` below 1 makes a page of what would be more."""

    def __init__(self, scale=1.0):
        self.scale = scale
        body = self._style("body", 10.5, color=TEXT, after=6)
        self.body, self.bullet = body, self._style("bullet", 10.5, color=TEXT, after=3, left=12)
        self.lead = self._style("lead", 13, color=INK, after=8)
        self.title = self._style("title", 24, font=BOLD, color=INK, after=4, leading=1.12)
        self.subtitle = self._style("subtitle", 12, color=MUTED, after=4)
        self.headings = (
            self._style("h1", 16, font=BOLD, color=INK, before=14, after=6, keep=True),
            self._style("h2", 12.5, font=BOLD, color=ACCENT, before=9, after=4, keep=True),
        )
        self.caption = self._style("caption", 10.5, font=BOLD, color=INK, before=6, after=3, keep=True)
        self.note = self._style("note", 9.5, color=MUTED, after=8)
        self.figure = self._style("figure", 20, font=BOLD, color=ACCENT, leading=1.1)
        self.label = self._style("label", 9.5, color=MUTED)
        self.contents = (
            self._style("toc1", 11, color=INK, before=5, left=0),
            self._style("toc2", 10, color=TEXT, left=14),
        )

    def cell(self, size, *, right=False, head=False):
        font, color = (BOLD, WHITE) if head else (BODY, TEXT)
        name = f"cell{size}{right}{head}"
        style = self._style(name, size, font=font, color=color, leading=1.18)
        return style.clone(name, alignment=TA_RIGHT) if right else style

    def _style(
        self, name, size, *, font=BODY, color=TEXT, before=0, after=0, left=0, leading=1.32, keep=False
    ):
        size, gap = size * self.scale, self.scale
        return ParagraphStyle(
            name,
            fontName=font,
            fontSize=size,
            leading=size * leading,
            textColor=color,
            spaceBefore=before * gap,
            spaceAfter=after * gap,
            leftIndent=left,
            bulletFontName=BODY,
            keepWithNext=keep,
            allowWidows=0,
            allowOrphans=0,
            splitLongWords=1,
        )


__all__ = ["ITALIC", "Styles"]
