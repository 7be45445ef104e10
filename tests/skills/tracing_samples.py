"""Deliverables with numbers of the corpus in every place that a deck or a workbook has, made for tests."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xlsxwriter
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.skills import papers
from tests.skills.tracing_corpus import SALES, YEARS

BOX = (Inches(1), Inches(2), Inches(4), Inches(3))


def deck(
    path: Path,
    *,
    title: str = "Survival was 38.4%",
    card: str = "342\nof 891 survived",
    sales: list[float] = SALES,
    cell: str = "70,490",
    notes: str = "Source: shop.csv, 45,433 rows; slide 2 shows sales.",
    alt: str = "A red square. Women 74.2%, men 18.9%.",
) -> Path:
    """Two slides: words, a picture and notes; a chart of sales by year, a table of them and a page number."""
    presentation: Any = Presentation()
    first: Any = presentation.slides.add_slide(presentation.slide_layouts[5])
    first.shapes.title.text = title
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(*BOX).text_frame.text = card
    picture = first.shapes.add_picture(io.BytesIO(papers.picture()), *BOX[:2])
    picture._element.nvPicPr.cNvPr.set("descr", alt)
    first.notes_slide.notes_text_frame.text = notes
    second: Any = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "2 ways to see the same 4 years"
    data = CategoryChartData(number_format="#,##0.00")
    data.categories = YEARS
    data.add_series("Sales", sales)
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    grid = second.shapes.add_table(3, 2, *BOX).table
    for line, row in enumerate((("Year", "Sales"), ("2013", cell), ("2014", "72,872"))):
        for place, text in enumerate(row):
            grid.cell(line, place).text = text
    number = second.shapes.add_textbox(*BOX)
    number.name, number.text_frame.text = "Page number", "2"
    presentation.save(str(path))
    return path


def in_part(path: Path, part: str, change: Callable[[str], str]) -> Path:
    """Change the text of one part of a package, and nothing else in it."""
    with zipfile.ZipFile(path) as archive:
        parts = {item.filename: archive.read(item) for item in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            if re.fullmatch(part, name):
                content = change(content.decode("utf-8")).encode("utf-8")
            archive.writestr(name, content)
    return path


def book(
    path: Path, *, share: float = 342 / 891, revenue: float = 847368.30, sales: list[float] = SALES
) -> Path:
    """A sheet of facts with formats, one of sales by year with a native chart, with ranks and a date."""
    workbook = xlsxwriter.Workbook(str(path))
    percent, money = (
        workbook.add_format({"num_format": "0.0%"}),
        workbook.add_format({"num_format": "£#,##0"}),
    )
    day = workbook.add_format({"num_format": "dd.mm.yyyy"})
    facts = workbook.add_worksheet("Facts")
    for line, (name, value, look) in enumerate(
        (("Survived, share", share, percent), ("Revenue", revenue, money), ("Made on", 40886, day))
    ):
        facts.write(line, 0, name)
        facts.write_number(line, 1, value, look)
    facts.set_footer("&LPage &P of &N&R45,433 rows")
    years = workbook.add_worksheet("Years")
    years.write_row(0, 0, ("No", "Year", "Sales"))
    for line, (year, value) in enumerate(zip(YEARS, sales, strict=True), start=1):
        years.write_row(line, 0, (line, int(year), value))
    chart = workbook.add_chart({"type": "column"})
    assert chart is not None
    chart.add_series({"name": "=Years!$C$1", "categories": "=Years!$B$2:$B$5", "values": "=Years!$C$2:$C$5"})
    years.insert_chart("E2", chart)
    workbook.close()
    return path
