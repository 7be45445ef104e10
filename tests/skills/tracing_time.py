"""How long a long deck and a large workbook take.

python -m tests.skills.tracing_time
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import xlsxwriter
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from tests.skills.guest import guest_module
from tests.skills.tracing_corpus import RECORDS
from tests.skills.tracing_samples import BOX

tracing = guest_module("checks", "tracing")
SLIDES, ROWS, COLUMNS = 20, 5_000, 10


def deck(path: Path) -> list[dict[str, Any]]:
    """A title, a chart of 24 points with its workbook, five lines of text and notes on each slide."""
    presentation: Any = Presentation()
    values = [float(place * 37 % 101) for place in range(24)]
    for number in range(SLIDES):
        slide: Any = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = f"Survival was 38.4% in group {number}"
        data = CategoryChartData()
        data.categories = [f"Month {place}" for place in range(24)]
        data.add_series("Sales", values)
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, *BOX, data)
        lines = "\n".join(["Women 74.2%, men 18.9%, n = 314."] * 5)
        slide.shapes.add_textbox(*BOX).text_frame.text = lines
        slide.notes_slide.notes_text_frame.text = "342 of 891 survived. Revenue came to £847,368.30."
    presentation.save(str(path))
    names = ["Sales", *(f"Month {place}" for place in range(24))]
    return [{"kind": "drawn", "id": "chart", "target": path.name, "labels": names, "values": values}]


def book(path: Path) -> list[dict[str, Any]]:
    """Raw rows; their first 20,000 numbers are registered, as of any long frame."""
    workbook = xlsxwriter.Workbook(str(path))
    sheet = workbook.add_worksheet("Raw")
    columns = [[(line * (7_919 + place) % 99_991) / 16 for line in range(ROWS)] for place in range(COLUMNS)]
    names = [f"measure {place}" for place in range(COLUMNS)]
    sheet.write_row(0, 0, names)
    for place, column in enumerate(columns):
        sheet.write_column(1, place, column)
    workbook.close()
    values = [value for column in columns for value in column][:20_000]
    return [
        {"kind": "drawn", "id": "raw", "target": path.name, "labels": names, "values": values, "cut": True}
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("deck.pptx", deck), ("book.xlsx", book)):
            records = [*RECORDS, *make(Path(folder, name))]
            begun, worked = time.monotonic(), time.process_time()
            found = tracing.trace([name], records=records, folder=folder)
            took, spent = time.monotonic() - begun, time.process_time() - worked
            line = f"{name}: {found.traced} of {found.numerals} in {took:.2f} s ({spent:.2f} s of a core)\n"
            sys.stdout.write(line)


if __name__ == "__main__":
    main()
