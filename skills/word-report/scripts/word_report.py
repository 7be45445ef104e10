"""A Word report for a person: styles, contents, captions, page numbers, how it was made.

from word_report import Report
r = Report("South returns the most", source="orders.csv")
r.text("One order in eleven comes back.", lead=True)
r.bar("South returns the largest share", rates, percent=True, x_title="Region", y_title="Share of orders")
r.save("report.docx")
"""

from pathlib import Path

from docx.enum.text import WD_TAB_ALIGNMENT
from report_draft import Draft
from report_parts import Break, Heading
from word_fields import put_contents, put_field
from word_parts import Writer
from word_style import WIDTH, new_document

__all__ = ["Report"]

LONG = 14
"""Parts from which on there are contents."""
_SECTIONS = 3


class Report(Draft):
    def __init__(self, title, subtitle="", *, language="en", source="", rows=None, contents=None):
        """contents: whether there is a list of contents; by itself from 14 parts and 3 sections on."""
        super().__init__(title, subtitle, language=language, source=source, rows=rows)
        self.contents = contents

    def save(self, path="report.docx"):
        """Write the file; prints what it holds. Returns the path."""
        if not self.parts:
            raise ValueError("The report is empty: r.text(...), r.bar(...), r.table(...).")
        target = Path(str(path)).with_suffix(".docx")
        target.parent.mkdir(parents=True, exist_ok=True)
        document = new_document(self.said.locale, self.title, self.subtitle)
        document.add_paragraph(self.title, style="Title")
        if self.subtitle:
            document.add_paragraph(self.subtitle, style="Subtitle")
        writer = Writer(document, self.said)
        first = next((place for place, part in enumerate(self.parts) if isinstance(part, Heading)), 0)
        for part in self.parts[:first]:  # what sums up stands before the contents
            writer.put(part)
        anchor = (
            document.add_paragraph(self.said.contents, style="Contents Heading") if self._listed() else None
        )
        for part in [*([Break()] if anchor is not None else []), *self.parts[first:], *self.closing()]:
            writer.put(part)
        if anchor is not None:
            self._list(document, anchor, writer.headings)
        self._edges(document.sections[0])
        document.save(str(target))
        print(f"saved {target}: {self._registered(target)}")
        return str(target)

    def _listed(self):
        sections = sum(isinstance(part, Heading) and part.level == 1 for part in self.parts)
        return (
            self.contents if self.contents is not None else len(self.parts) >= LONG and sections >= _SECTIONS
        )

    def _list(self, document, anchor, headings):
        """One paragraph for each heading, below the anchor."""
        lines, after = [], anchor._p
        for _, level, _ in headings:
            line = document.add_paragraph(style=f"toc {level}")
            after.addnext(line._p)
            after = line._p
            lines.append(line)
        put_contents(lines, [(text, mark) for text, _, mark in headings])

    def _edges(self, section):
        section.header.paragraphs[0].add_run(self.title)
        for footer in (section.footer, section.first_page_footer):
            line = footer.paragraphs[0]
            stops = line.paragraph_format.tab_stops
            stops.add_tab_stop(WIDTH, WD_TAB_ALIGNMENT.RIGHT)
            source = self.source if len(self.source) <= 90 else self.source[:89].rstrip() + "…"
            line.add_run(f"{source}\t")
            before, middle, after = self.said.page.split("{}")
            line.add_run(before)
            put_field(line, "PAGE", "1")
            line.add_run(middle)
            put_field(line, "NUMPAGES", "1")
            line.add_run(after)
