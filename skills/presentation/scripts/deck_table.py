"""A native table: columns measured, numbers formatted, what does not fit counted in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import deck_theme as theme
import numpy as np
import pandas as pd
from deck_data import labels
from deck_shapes import Line, describe, write
from deck_text import one_line, shorten, width, words_of
from deck_theme import Box
from lxml import etree
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches

if TYPE_CHECKING:
    from collections.abc import Collection

    from deck_words import Words

MAX_COLUMNS = 8
_PAD = 0.12
_NARROWEST, _WIDEST = 0.7, 5.5
_STRETCH = 1.8
"""How much wider than need be columns are set, where there is room."""
_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
"""PowerPoint's built-in 'No Style, No Grid'."""


@dataclass(frozen=True)
class Look:
    """Points of the type, inches of a row."""

    size: int
    row: float


@dataclass(frozen=True)
class Grid:
    """The cells as text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    left_out: int = 0
    """Columns that did not fit."""


def frame_of(data: object) -> pd.DataFrame:
    """A DataFrame from what a script may hold. Raises ValueError for what is no table or an empty one."""
    try:
        if isinstance(data, pd.DataFrame):
            frame = data
        elif isinstance(data, pd.Series):
            frame = data.to_frame(name=data.name if data.name is not None else "")
        elif isinstance(data, dict):
            lists = any(
                isinstance(value, (list, tuple, dict, pd.Series, np.ndarray)) for value in data.values()
            )
            frame = pd.DataFrame(data) if lists else pd.DataFrame({"": pd.Series(data, dtype=object)})
        elif isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple)):
            frame = pd.DataFrame(
                [list(row) for row in data[1:]], columns=list(data[0]), dtype=object
            ).infer_objects()
        else:
            frame = pd.DataFrame(data)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"This cannot be shown as a table ({error}). Give a DataFrame, a Series, a list of dicts, "
            "or a list of rows whose first row is the header."
        ) from None
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise ValueError(
            f"The table has {frame.shape[0]} rows and {frame.shape[1]} columns: nothing to show."
        )
    return frame


def grid_of(frame: pd.DataFrame, words: Words, percent: bool | Collection[str]) -> Grid:
    """Cells as text; the index comes first unless it only counts."""
    left_out = max(0, frame.shape[1] - MAX_COLUMNS)
    frame = frame.iloc[:, :MAX_COLUMNS]
    columns, numeric = [], []
    header = labels(list(frame.columns), words)
    if not isinstance(frame.index, pd.RangeIndex):
        columns.append(labels(list(frame.index), words))
        header = [" · ".join(str(name) for name in frame.index.names if name is not None), *header]
        numeric.append(False)
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        is_number = pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
            column.dtype
        )
        is_share = percent is True and pd.api.types.is_float_dtype(column.dtype)
        is_share = is_share or (not isinstance(percent, bool) and frame.columns[place] in percent)
        columns.append(_cells(column, words, is_number=is_number, is_share=is_share))
        numeric.append(is_number)
    header = ["" if name == words.missing else name for name in header]
    return Grid(tuple(header), tuple(zip(*columns, strict=True)), tuple(numeric), left_out)


@dataclass(frozen=True)
class Columns:
    """How wide each is, in inches, and how many lines their names take."""

    widths: tuple[float, ...]
    lines: int

    def header(self, look: Look) -> float:
        """Inches of the row of names."""
        return look.row + (self.lines - 1) * look.size * theme.LINE_HEIGHT / 72


def columns_of(grid: Grid, room: float, look: Look) -> Columns:
    """Columns in so much room: names break into two lines before anything is cut."""
    natural = natural_widths(grid, look)
    if sum(natural) <= room:
        stretch = min(room / sum(natural), _STRETCH)
        return Columns(tuple(inches * stretch for inches in natural), 1)
    narrow = natural_widths(grid, look, lines=2)
    if sum(narrow) <= room:
        return Columns(tuple(inches * room / sum(narrow) for inches in narrow), 2)
    # the widest give way first: find the cap at which the sum fits
    cap = _WIDEST
    while sum(min(inches, cap) for inches in narrow) > room:
        cap *= 0.97
    return Columns(tuple(min(inches, cap) for inches in narrow), 2)


def natural_widths(grid: Grid, look: Look, *, lines: int = 1) -> list[float]:
    """Inches that each column would like when its name takes so many lines."""
    natural = []
    for place, name in enumerate(grid.header):
        longest = max((width(one_line(row[place]), look.size) for row in grid.rows), default=0.0)
        longest = max(longest, _narrowest(one_line(name), look.size, lines))
        natural.append(min(_WIDEST, max(_NARROWEST, (longest + 4) / 72 + 2 * _PAD)))
    return natural


def cut_cells(grid: Grid, room: float, look: Look) -> int:
    """How many cells do not fit their column."""
    columns = columns_of(grid, room, look)
    return sum(
        _shown(text, columns, place, look, heading=number == 0) != one_line(text)
        for number, cells in enumerate((grid.header, *grid.rows))
        for place, text in enumerate(cells)
    )


def put_table(slide, grid: Grid, rows: tuple[tuple[str, ...], ...], box: Box, alt: str, look: Look) -> Box:
    """Returns the room that the table takes."""
    columns = columns_of(grid, box.width, look)
    height = columns.header(look) + look.row * len(rows)
    place = Box(box.left, box.top, sum(columns.widths), height)
    shape = slide.shapes.add_table(len(rows) + 1, len(grid.header), *place.emu())
    shape.name = "Table"
    describe(shape, alt)
    table = shape.table
    table.horz_banding = False
    table._tbl.tblPr.find(qn("a:tableStyleId")).text = _NO_STYLE
    for column, inches in zip(table.columns, columns.widths, strict=True):
        column.width = Inches(inches)
    for number, row in enumerate(table.rows):
        row.height = Inches(look.row if number else columns.header(look))
    for row_place, cells in enumerate((grid.header, *rows)):
        for place_in_row, text in enumerate(cells):
            heading = row_place == 0
            color = theme.INK if heading or place_in_row == 0 else theme.TEXT
            shown = _shown(text, columns, place_in_row, look, heading=heading)
            cell = table.cell(row_place, place_in_row)
            align = PP_ALIGN.RIGHT if grid.numeric[place_in_row] else PP_ALIGN.LEFT
            write(cell.text_frame, [Line(shown or " ", look.size, color, bold=heading)], align=align)
            _dress(cell, heading)
    return place


def _narrowest(name: str, size: int, lines: int) -> float:
    """Points in which the name takes no more than so many lines."""
    whole = width(name, size, bold=True)
    words = words_of(name)
    ends = range(1, len(words)) if lines > 1 else ()
    halves = [(" ".join(words[:end]), " ".join(words[end:])) for end in ends]
    return min([whole, *(max(width(half, size, bold=True) for half in pair) for pair in halves)])


def _shown(text: str, columns: Columns, place: int, look: Look, *, heading: bool) -> str:
    room = (columns.widths[place] - 2 * _PAD) * 72 - 1
    return shorten(text, look.size, room, bold=heading, lines=columns.lines if heading else 1)


def _cells(column: pd.Series, words: Words, *, is_number: bool, is_share: bool) -> list[str]:
    values = list(column)
    if not is_number:
        return ["–" if text == words.missing else text for text in _texts(values, words)]
    plain = [float(value) for value in values if not pd.isna(value) and np.isfinite(float(value))]
    if is_share:
        return [words.percent(value, spaced=True) if not pd.isna(value) else "–" for value in values]
    whole = all(value == int(value) for value in plain)
    # 1912 is more often a year than a count, and a year takes no comma
    grouped = not (whole and plain and all(1500 <= value <= 2100 for value in plain))
    decimals = 0 if whole else None if any(0 < abs(value) < 0.1 for value in plain) else 2
    return [words.number(v, decimals=decimals, grouped=grouped) if not pd.isna(v) else "–" for v in values]


def _texts(values: list, words: Words) -> list[str]:
    numbers = [isinstance(v, (int, float, np.number)) and not isinstance(v, (bool, np.bool_)) for v in values]
    texts = labels(values, words)
    return [
        words.number(value) if is_number and not pd.isna(value) else text
        for value, is_number, text in zip(values, numbers, texts, strict=True)
    ]


def _dress(cell, heading: bool) -> None:
    cell.margin_left = cell.margin_right = Inches(_PAD)
    cell.margin_top = cell.margin_bottom = Inches(0.04)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    properties = cell._tc.get_or_add_tcPr()
    border = etree.SubElement(properties, qn("a:lnB"))
    border.set("w", str(Emu(15875 if heading else 6350)))
    fill = etree.SubElement(border, qn("a:solidFill"))
    etree.SubElement(fill, qn("a:srgbClr")).set("val", str(theme.INK if heading else theme.RULE))
    etree.SubElement(properties, qn("a:noFill"))
