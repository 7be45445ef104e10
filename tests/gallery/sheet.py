"""A contact sheet: the pages of one deliverable in rows, small, on white."""

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

WIDTH = 1400
"""Pixels of a sheet."""
GAP = 12
COLUMNS = 3
MOST = 12
"""Pages of one sheet."""
COLOURS = 128
"""Slides have few colours: a palette makes the pictures a fifth of their size."""


def contact_sheet(pages: Sequence[Path], *, columns: int = COLUMNS) -> Image.Image:
    """Pages that are portrait or landscape alike; those of other shapes are centred in their cells."""
    shown = [Image.open(path).convert("RGB") for path in pages[:MOST]]
    columns = max(1, min(columns, len(shown)))
    width = (WIDTH - GAP * (columns + 1)) // columns
    height = max(round(page.height * width / page.width) for page in shown)
    rows = math.ceil(len(shown) / columns)
    sheet = Image.new("RGB", (WIDTH, GAP + rows * (height + GAP)), "#d9dde3")
    for place, page in enumerate(shown):
        row, column = divmod(place, columns)
        page.thumbnail((width, height), Image.Resampling.LANCZOS)
        left = GAP + column * (width + GAP) + (width - page.width) // 2
        sheet.paste(page, (left, GAP + row * (height + GAP)))
    return sheet.quantize(COLOURS)
