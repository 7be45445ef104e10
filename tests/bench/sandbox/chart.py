"""The bars of the benchmark, one group of five for each approach."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from tests.bench.sandbox.figures import Column, Row


def draw(rows: Mapping[str, Row], target: Path) -> None:
    """Logarithmic: the figures span four orders of magnitude."""
    mpl.use("Agg")
    figure, axes = plt.subplots(figsize=(11, 5.5))
    width = 0.16
    for place, column in enumerate(Column):
        heights = [max(row[column], 0.1) for row in rows.values()]
        axes.bar([x + (place - 2) * width for x in range(len(rows))], heights, width, label=str(column))
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds, median, logarithmic")
    axes.set_xticks(range(len(rows)), list(rows), rotation=25, ha="right")
    axes.set_title("One session after the other, one image, one set of flags: less is better")
    axes.legend(ncols=5, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(target, dpi=120)
    plt.close(figure)
