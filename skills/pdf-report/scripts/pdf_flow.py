"""Parts of a report as what reportlab flows over pages."""

import io

from pdf_fonts import BODY, BOLD, is_simple, is_wide, markup
from pdf_style import ACCENT, INK, RULE, TINT, WIDTH, ZEBRA
from report_parts import Break, Bullets, Figures, Heading, Picture, Table, Text
from reportlab.lib.colors import white
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import CondPageBreak, Image, PageBreak, Paragraph, Spacer, TableStyle
from reportlab.platypus import Table as Grid

LEAST_DPI = 150
_CARDS = 4
"""Key figures of a row."""
_GAP = 8
_SIZES = ((4, 10), (7, 9), (9, 8), (12, 7))
"""Columns of a table up to which its text has this size."""
_PADDING = 14
_SHORT, _PAIR = 4, 2
"""Rows of a table that is not parted; and those of another one that are never alone on a page."""
_FIRST_ROWS, _ROOM = 100, 150
"""Points that a table's first rows need on a page, and a heading with what comes below it."""
_MEASURED = 80
"""Rows by which the widths of columns are chosen."""


class Flow:
    """Makes flowables of parts. `missing` gets characters that no font has."""

    def __init__(self, styles, said, *, height=1.0, paired=False):
        """`height`: of pictures, 1 for their own; `paired`: neighbours stand side by side."""
        self.styles, self.said, self.height, self.paired = styles, said, height, paired
        self.missing, self.figures, self.tables, self.marks = set(), 0, 0, 0

    def of(self, parts):
        result, waiting, before = [], [], None
        for part in parts:
            if isinstance(part, Picture) and self.paired:
                waiting.append(part)
                if len(waiting) == 2:
                    result += self._pair(waiting)
                    waiting = []
                before = part
                continue
            result += self._pictures(waiting)
            waiting = []
            made = self._one(part)
            if isinstance(part, Heading) and isinstance(before, Heading):
                made = made[-1:]  # a break between them would leave the first one alone
            minor = isinstance(before, Heading) and before.level > 1 and isinstance(part, (Text, Bullets))
            if minor and isinstance(result[-2], CondPageBreak):
                del result[-2]  # the first lines are kept with it, and need no more room than they take
            result += made
            before = part
        return result + self._pictures(waiting)

    def paragraph(self, text, style):
        style = style.clone(f"{style.name} wide", wordWrap="CJK") if is_wide(text) else style
        return Paragraph(markup(text, self.missing), style)

    def _one(self, part):
        match part:
            case Heading(text=text, level=level):
                made = self.paragraph(text, self.styles.headings[level - 1])
                self.marks += 1
                made.mark = (text, level - 1, f"part-{self.marks}")
                return [CondPageBreak(_ROOM), made]
            case Text(text=text, lead=lead):
                return [self.paragraph(text, self.styles.lead if lead else self.styles.body)]
            case Bullets(items=items):
                made = [self._bullet(head, text) for head, text in items]
                if len(made) > 1:  # none is alone on a page, and on a last one least of all
                    made[0].keepWithNext = made[-_PAIR].keepWithNext = True
                return made
            case Figures(cards=cards):
                return self._cards(cards)
            case Table():
                return self._table(part)
            case Picture():
                return self._pictures([part])
            case Break():
                return [PageBreak()]
        raise TypeError(type(part).__name__)

    def _bullet(self, head, text):
        told = markup(text, self.missing)
        bold = f'<font name="{BOLD}">{markup(head, self.missing)}</font> ' if head else ""
        mark = f'<bullet color="{ACCENT.hexval().replace("0x", "#")}">•</bullet>'
        return Paragraph(f"{mark}{bold}{told}", self.styles.bullet)

    def _cards(self, cards):
        rows, across = [], 3 if len(cards) in (5, 6) else min(_CARDS, len(cards))
        for start in range(0, len(cards), across):
            row = [
                [
                    self.paragraph(value, self._fitting(value, across)),
                    self.paragraph(label, self.styles.label),
                ]
                for value, label in cards[start : start + across]
            ]
            rows.append(row + [""] * (across - len(row)))
        width = WIDTH / across
        grid = Grid(rows, colWidths=[width] * across, spaceBefore=4, spaceAfter=10)
        look = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            *(
                ("BACKGROUND", (at % across, at // across), (at % across, at // across), TINT)
                for at in range(len(cards))
            ),
            ("INNERGRID", (0, 0), (-1, -1), 6, white),
            *((f"{side}PADDING", (0, 0), (-1, -1), 10) for side in ("LEFT", "RIGHT", "BOTTOM")),
            ("TOPPADDING", (0, 0), (-1, -1), 8),
        ]
        grid.setStyle(TableStyle(look))
        return [grid]

    def _fitting(self, value, across):
        """A figure stays on one line where a smaller size allows it."""
        style, room = self.styles.figure, WIDTH / across - 26
        for size in (20, 17, 14, 12):
            if stringWidth(value, BOLD, size * self.styles.scale) <= room:
                break
        size *= self.styles.scale
        return style.clone(f"figure {size}", fontSize=size, leading=size * 1.15)

    def _table(self, part):
        self.tables += 1
        size = next(size for most, size in _SIZES if len(part.heads) <= most)
        heads = [
            self.paragraph(head, self.styles.cell(size, right=right, head=True))
            for head, right in zip(part.heads, part.right, strict=True)
        ]
        styles = [self.styles.cell(size, right=right) for right in part.right]
        widths = _widths(part, size * self.styles.scale)
        rooms = [width - _PADDING for width in widths]
        rows = [[self._cell(*cell) for cell in zip(row, styles, rooms, strict=True)] for row in part.rows]
        grid = Grid([heads, *rows], colWidths=widths, repeatRows=1, hAlign="LEFT", spaceAfter=4)
        grid.setStyle(
            TableStyle(
                [
                    ("BACKGROUND", (0, 0), (-1, 0), INK),
                    ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, ZEBRA]),
                    ("LINEBELOW", (0, 1), (-1, -1), 0.4, RULE),
                    ("FONT", (0, 1), (-1, -1), BODY, styles[0].fontSize, styles[0].leading),
                    ("TEXTCOLOR", (0, 1), (-1, -1), styles[0].textColor),
                    *(("ALIGN", (at, 1), (at, -1), "RIGHT") for at, right in enumerate(part.right) if right),
                    ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
                    ("VALIGN", (0, 1), (-1, -1), "TOP"),
                    ("TOPPADDING", (0, 0), (-1, -1), 3.5 * self.styles.scale),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5 * self.styles.scale),
                    ("LEFTPADDING", (0, 0), (-1, -1), _PADDING / 2),
                    ("RIGHTPADDING", (0, 0), (-1, -1), _PADDING / 2),
                ]
            )
        )
        title = self._captioned(self.said.table, self.tables, part.title)
        below = [self.paragraph(part.note, self.styles.note)] if part.note else [Spacer(1, _GAP)]
        if len(part.rows) > _SHORT:
            # kept together with a table longer than the page, it would leave this one empty
            title.keepWithNext = False
            for first, last in ((0, _PAIR), (-_PAIR, -1)):
                grid.setStyle(TableStyle([("NOSPLIT", (0, first), (-1, last))]))
            return [CondPageBreak(_FIRST_ROWS), title, grid, *below]
        grid.keepWithNext = True
        return [title, grid, *below]

    def _cell(self, text, style, room):
        """Plain text where it fits its line: readers then find the cells of a row in one line."""
        if is_simple(text) and stringWidth(text, BODY, style.fontSize) <= room:
            return text
        return self.paragraph(text, style)

    def _captioned(self, form, number, title):
        return self.paragraph(f"{form.format(number)} {title}", self.styles.caption)

    def _pictures(self, parts):
        return [item for part in parts for item in self._picture(part, WIDTH)]

    def _pair(self, parts):
        half = (WIDTH - 2 * _GAP) / 2
        grid = Grid([[self._picture(part, half) for part in parts]], colWidths=[WIDTH / 2] * 2)
        look = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("TOPPADDING", (0, 0), (-1, -1), 0)]
        look += [("LEFTPADDING", (0, 0), (0, 0), 0), ("RIGHTPADDING", (0, 0), (0, 0), _GAP)]
        look += [("LEFTPADDING", (1, 0), (1, 0), _GAP), ("RIGHTPADDING", (1, 0), (1, 0), 0)]
        grid.setStyle(TableStyle(look))
        return [grid]

    def _picture(self, part, room):
        self.figures += 1
        width = min(room * self.height, part.width / LEAST_DPI * 72)
        image = Described(
            part.alt, io.BytesIO(part.png), width=width, height=width * part.height / part.width
        )
        image.hAlign, image.keepWithNext = "LEFT", True
        title = self._captioned(self.said.figure, self.figures, part.title)
        return [title, image, self.paragraph(part.note, self.styles.note) if part.note else Spacer(1, _GAP)]


class Described(Image):
    """A picture whose alternative text stands in the page, as PDF 32000-1, 14.9.3 has it."""

    def __init__(self, alt, *args, **options):
        super().__init__(*args, **options)
        self.alt = alt

    def draw(self):
        told = ("\ufeff" + self.alt).encode("utf-16-be").hex().upper()
        self.canv._code.append(f"/Span <</Alt <{told}>>> BDC")
        super().draw()
        self.canv._code.append("EMC")


def _widths(part, size):
    """Of columns: by their texts, the long ones sharing what is left."""
    wanted = []
    for place, head in enumerate(part.heads):
        cells = [stringWidth(row[place], BODY, size) for row in part.rows[:_MEASURED]]
        word = max((stringWidth(one, BOLD, size) for one in head.split()), default=0)
        longest = max(cells, default=0)
        full = stringWidth(head, BOLD, size)
        wanted.append(max(longest, word, min(full, 1.6 * max(longest, word))) + _PADDING + 1)
    total = sum(wanted)
    if total <= WIDTH:
        # a table of two narrow columns need not be as wide as the page
        return [width + min((WIDTH - total) / len(wanted), 40) for width in wanted]
    fair = WIDTH / len(wanted)
    narrow = sum(width for width in wanted if width <= fair)
    rest = sum(width for width in wanted if width > fair)
    return [width if width <= fair else width / rest * (WIDTH - narrow) for width in wanted]
