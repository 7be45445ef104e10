"""Pages of a PDF report: title, contents, running heads, 'Page 2 of 5', bookmarks."""

from pdf_fonts import BODY, markup
from pdf_style import ACCENT, BOTTOM, MARGIN, MUTED, PAGE, RULE, TOP, WIDTH
from report_parts import Heading
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, HRFlowable, PageBreak, PageTemplate, Paragraph, Spacer
from reportlab.platypus.tableofcontents import TableOfContents

_SMALL = 8.5


def build(target, draft, flow, parts, *, contents=False):
    """Writes the file; returns the number of its pages."""
    document = _Document(target, draft, flow)
    head = [flow.paragraph(draft.title, flow.styles.title)]
    if draft.subtitle:
        head.append(flow.paragraph(draft.subtitle, flow.styles.subtitle))
    head += [HRFlowable(width="100%", thickness=2, color=ACCENT, spaceBefore=4, spaceAfter=10)]
    first = next((place for place, part in enumerate(parts) if isinstance(part, Heading)), 0)
    if contents:
        head += flow.of(parts[:first])  # what sums up stands before the contents
        parts = parts[first:]
        listed = TableOfContents()
        listed.levelStyles = list(flow.styles.contents)
        listed.dotsMinLevel = 0
        # not a heading: it would list itself
        title = flow.styles.headings[0].clone("contents", keepWithNext=True)
        head += [Spacer(1, 10), flow.paragraph(draft.said.contents, title), listed, PageBreak()]
    document.multiBuild(
        [*head, *flow.of(parts)],
        canvasmaker=lambda *args, **options: _Canvas(*args, document=document, **options),
    )
    return document.page


class _Document(BaseDocTemplate):
    def __init__(self, target, draft, flow):
        super().__init__(
            target,
            pagesize=PAGE,
            leftMargin=MARGIN,
            rightMargin=MARGIN,
            topMargin=TOP,
            bottomMargin=BOTTOM,
            title=draft.title,
            subject=draft.subtitle,
            author="",
            creator="",
            lang=draft.said.locale,
            invariant=1,
        )
        self.draft, self.flow = draft, flow
        frame = Frame(
            MARGIN,
            BOTTOM,
            WIDTH,
            PAGE[1] - TOP - BOTTOM,
            leftPadding=0,
            rightPadding=0,
            topPadding=0,
            bottomPadding=0,
        )
        self.addPageTemplates([PageTemplate(frames=[frame])])

    def afterFlowable(self, flowable):
        """Headings become bookmarks and lines of the contents."""
        mark = getattr(flowable, "mark", None)
        if mark is None:
            return
        text, level, key = mark
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level=min(level, self._deepest() + 1), closed=False)
        self._level = level
        self.notify("TOCEntry", (level, markup(text), self.page, key))

    def _deepest(self):
        return getattr(self, "_level", -1)


class _Canvas(Canvas):
    """Keeps each page until all are there, since a footer says how many there are."""

    def __init__(self, *args, document, **options):
        super().__init__(*args, **options)
        self._document, self._kept = document, []

    def showPage(self):
        self._kept.append(dict(self.__dict__))
        self._startPage()

    def save(self):
        for number, state in enumerate(self._kept, start=1):
            self.__dict__.update(state)
            self._edges(number, len(self._kept))
            super().showPage()
        self.setViewerPreference("DisplayDocTitle", "true")
        self.showOutline()
        super().save()

    def drawString(self, x, y, text, **_):
        """Without the step to a next line that reportlab takes: cells of a row are read out as one line."""
        written = self.beginText(x, y)
        written.textOut(text)
        self.drawText(written)

    def drawRightString(self, x, y, text, **_):
        self.drawString(x - self.stringWidth(text, self._fontname, self._fontsize), y, text)

    def _edges(self, number, count):
        draft = self._document.draft
        if number > 1:
            self._line(draft.title, PAGE[1] - TOP + 16)
            self._rule(PAGE[1] - TOP + 12)
        self._rule(BOTTOM - 14)
        told = draft.said.page.format(number, count)
        self._line(draft.source, BOTTOM - 26, room=WIDTH - 90)
        self.setFont(BODY, _SMALL)
        self.setFillColor(MUTED)
        self.drawRightString(PAGE[0] - MARGIN, BOTTOM - 26, told)

    def _rule(self, height):
        self.setStrokeColor(RULE)
        self.setLineWidth(0.6)
        self.line(MARGIN, height, PAGE[0] - MARGIN, height)

    def _line(self, text, height, room=WIDTH):
        """A text of one line, cut where there is no room."""
        style = self._document.flow.styles.note.clone("edge", fontSize=_SMALL, leading=10, spaceAfter=0)
        while True:
            made = Paragraph(markup(text), style)
            _, high = made.wrap(room, 100)
            if high <= 10 or len(text) < 10:
                break
            text = text[: int(len(text) * 0.9)].rstrip(" …") + "…"
        made.drawOn(self, MARGIN, height - 2)
