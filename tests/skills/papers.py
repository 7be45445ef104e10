"""Documents as people send them, made for tests."""

import io
from collections.abc import Sequence
from typing import Any

from docx import Document
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from pypdf import PdfReader, PdfWriter

Row = Sequence[str]


def saved(document: Any) -> bytes:
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def word(headings: Sequence[str] = (), table: Sequence[Row] = ()) -> bytes:
    """A paragraph of six words under each heading, then the table."""
    document: Any = Document()
    for heading in headings:
        document.add_heading(heading, 1)
        document.add_paragraph("Sales grew in every single region.")
    if table:
        grid = document.add_table(rows=0, cols=len(table[0]))
        for row in table:
            for cell, text in zip(grid.add_row().cells, row, strict=True):
                cell.text = text
    return saved(document)


def deck(
    titles: Sequence[str], table: Sequence[Row] = (), chart: dict[str, Sequence[float]] | None = None
) -> bytes:
    """A slide for each title; the last one has the table and the chart, whose categories are Q1, Q2, …"""
    presentation: Any = Presentation()
    slide: Any = None
    for title in titles:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = title
    box = (Inches(1), Inches(2), Inches(4), Inches(3))
    if table:
        grid = slide.shapes.add_table(len(table), len(table[0]), *box).table
        for line, row in enumerate(table):
            for place, text in enumerate(row):
                grid.cell(line, place).text = text
    if chart:
        data = CategoryChartData()
        data.categories = [f"Q{place + 1}" for place in range(len(next(iter(chart.values()))))]
        for name, values in chart.items():
            data.add_series(name, values)
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    return saved(presentation)


def picture(kind: str = "PNG", size: tuple[int, int] = (320, 200)) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", size, "red").save(content, kind)
    return content.getvalue()


def pdf(pages: Sequence[str]) -> bytes:
    """A line of ASCII a page, written by hand."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for place, text in enumerate(pages):
        drawn = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {5 + 2 * place} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        ]
    content, offsets = "%PDF-1.4\n", list[int]()
    for number, text in enumerate(objects, start=1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(content)}\n%%EOF"
    return f"{content}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("ascii")


def locked_pdf(pages: Sequence[str], *, to_open: str, to_change: str = "owner") -> bytes:
    content = io.BytesIO()
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(pages))))
    writer.encrypt(to_open, owner_password=to_change, algorithm="RC4-128")
    writer.write(content)
    return content.getvalue()
