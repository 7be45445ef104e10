"""What every approach runs: three kinds of script, and the table that they read."""

import csv
import io
import random
from enum import StrEnum

TABLE = "passengers.csv"
ROWS = 891
NAMES = (
    "number",
    "returned",
    "class",
    "name",
    "sex",
    "years",
    "siblings",
    "children",
    "ticket",
    "fare",
    "cabin",
    "harbour",
)


class Kind(StrEnum):
    PRINT = "print"
    PLOT = "plot"
    DECK = "deck"


FIVE = (Kind.PRINT, Kind.PLOT, Kind.PLOT, Kind.DECK, Kind.PRINT)
"""The scripts of one session, in their order."""

SOURCES = {
    Kind.PRINT: "print(1)\n",
    Kind.PLOT: """\
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

table = pd.read_csv("/workspace/input/passengers.csv")
print(table.shape)
print(table.describe().to_string())
figure, axes = plt.subplots(1, 2, figsize=(9, 4))
table["years"].dropna().plot.hist(bins=20, ax=axes[0], title="Years")
table.groupby("class")["returned"].mean().plot.bar(ax=axes[1], title="Returned, by class")
figure.tight_layout()
figure.savefig("/workspace/out/plot.png", dpi=100)
print("drawn")
""",
    Kind.DECK: """\
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

deck = Presentation()
first = deck.slides.add_slide(deck.slide_layouts[0])
first.shapes.title.text = "Passengers"
first.placeholders[1].text = "What the table says"
kinds = (XL_CHART_TYPE.COLUMN_CLUSTERED, XL_CHART_TYPE.LINE, XL_CHART_TYPE.BAR_CLUSTERED, XL_CHART_TYPE.AREA)
for number, kind in enumerate(kinds):
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = f"Chart {number + 1}"
    data = CategoryChartData()
    data.categories = ["first", "second", "third", "fourth"]
    data.add_series("men", (12.5, 17.0, 21.25, 8 + number))
    data.add_series("women", (9.0, 14.5, 11.75, 10 + number))
    slide.shapes.add_chart(kind, Inches(1), Inches(1.6), Inches(8), Inches(5), data)
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = f"Findings {number + 1}"
    text = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(8), Inches(4)).text_frame
    for point in range(6):
        paragraph = text.add_paragraph()
        paragraph.text = f"Finding {point + 1} of chart {number + 1}"
        paragraph.font.size = Pt(18)
deck.save("/workspace/out/deck.pptx")
print("slides", len(deck.slides))
""",
}

ENDINGS = {Kind.PRINT: "1", Kind.PLOT: "drawn", Kind.DECK: "slides 9"}
"""What the last line of its output is, or the script did not do its work."""


def table() -> str:
    """A CSV of 891 rows and 12 columns, some cells empty; the same in every run."""
    dice = random.Random(891)  # noqa: S311  # sample data
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(NAMES)
    for number in range(1, ROWS + 1):
        fare_class = dice.choice((1, 2, 3, 3))
        rows.writerow(
            (
                number,
                int(dice.random() < 0.8 - 0.2 * fare_class),
                fare_class,
                f"Passenger {number}, of cabin class {fare_class}",
                dice.choice(("male", "female")),
                round(dice.uniform(1, 80), 1) if dice.random() < 0.8 else "",
                dice.randrange(4),
                dice.randrange(3),
                f"T {dice.randrange(10_000, 400_000)}",
                round(dice.expovariate(1 / 30), 4),
                f"C{dice.randrange(150)}" if dice.random() < 0.25 else "",
                dice.choice("SCQ"),
            )
        )
    return text.getvalue()
