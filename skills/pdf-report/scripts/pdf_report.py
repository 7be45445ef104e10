"""A PDF report for a person: A4, fonts for every script, page numbers, contents, how it was made.

from pdf_report import Report
r = Report("South returns the most", source="orders.csv")
r.text("One order in eleven comes back.", lead=True)
r.bar("South returns the largest share", rates, percent=True, x_title="Region", y_title="Share of orders")
r.save("report.pdf")
"""

from pathlib import Path

from pdf_flow import Flow
from pdf_pages import build
from pdf_style import Styles
from report_draft import Draft
from report_parts import Heading

__all__ = ["Report"]

LONG = 5
"""Pages from which on there is a page of contents."""
_SECTIONS = 3
_NARROW = 5.2
"""Inches of a chart that stands beside another."""
_TRIES = ((1.0, 1.0), (0.95, 0.9), (0.9, 0.78), (0.86, 0.66), (0.82, 0.56))
"""Scales of text and of pictures, for what is to fit one page."""


class Report(Draft):
    def __init__(
        self, title, subtitle="", *, language="en", source="", rows=None, one_page=False, contents=None
    ):
        """one_page: smaller type and charts side by side, until all is on one page. contents: whether there
        is a page of contents; by itself from 5 pages and 3 sections on."""
        super().__init__(title, subtitle, language=language, source=source, rows=rows)
        self.one_page, self.contents, self.pages = one_page, contents, 0
        if one_page:
            self.chart_width = _NARROW

    def save(self, path="report.pdf"):
        """Write the file; prints what it holds. Returns the path.

        Raises ValueError for a one-pager that takes more than a page whatever its type.
        """
        if not self.parts:
            raise ValueError("The report is empty: r.text(...), r.bar(...), r.table(...).")
        target = Path(str(path)).with_suffix(".pdf")
        target.parent.mkdir(parents=True, exist_ok=True)
        parts = [*self.parts, *self.closing(short=self.one_page)]
        flow = self._fitted(target, parts) if self.one_page else self._long(target, parts)
        told = self._registered(target)
        if flow.missing:
            print(f"warning: no font has {' '.join(sorted(flow.missing)[:20])}; '?' stands there")
        print(f"saved {target}: {self.pages} pages, {told}")
        return str(target)

    def _long(self, target, parts):
        flow = Flow(Styles(), self.said)
        self.pages = build(str(target), self, flow, parts, contents=bool(self.contents))
        sections = sum(isinstance(part, Heading) and part.level == 1 for part in parts)
        if self.contents is None and self.pages >= LONG and sections >= _SECTIONS:
            flow = Flow(Styles(), self.said)
            self.pages = build(str(target), self, flow, parts, contents=True)
        return flow

    def _fitted(self, target, parts):
        for scale, height in _TRIES:
            flow = Flow(Styles(scale), self.said, height=height, paired=True)
            self.pages = build(str(target), self, flow, parts)
            if self.pages == 1:
                return flow
        target.unlink(missing_ok=True)
        raise ValueError(
            f"It takes {self.pages} pages. For one page leave out a chart, rows of a table or a paragraph: "
            "about four figures, three sentences, two charts and five bullets fit."
        )
