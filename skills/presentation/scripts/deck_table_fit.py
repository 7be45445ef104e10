"""The fit of a table: the size of its type, and where its takeaway stands, so that all rows are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from deck_pages import narrowed, room_below
from deck_table import Grid, Look, columns_of, cut_cells, natural_widths

if TYPE_CHECKING:
    from deck_takeaway import Takeaway
    from deck_theme import Box

HUGE, LARGE, NORMAL, SMALL = Look(20, 0.62), Look(16, 0.46), Look(14, 0.38), Look(12, 0.3)
SENTENCE = 0.35
"""Inches for the sentence under a table that was cut."""


@dataclass(frozen=True)
class Fit:
    """`rows` a slide in this look; `largest` is the size of the takeaway's type at most."""

    look: Look
    rows: int
    beside: bool = False
    largest: int = 22


def fit_table(grid: Grid, count: int, body: Box, takeaway: Takeaway, pages: int) -> Fit:
    """The first of the ways to set `count` rows on `pages` slides that leaves out no row and cuts the fewest
    cells; where every way leaves rows out, the one that shows the most of them."""
    ways = _ways(grid, body, takeaway)
    full = [way for way in ways if count <= way.rows * pages]
    if full:
        return min(full, key=lambda way: cut_cells(grid, _width(body, way), way.look))
    return max(_ways(grid, body, takeaway, reserve=SENTENCE), key=lambda way: way.rows)


def _ways(grid: Grid, body: Box, takeaway: Takeaway, *, reserve: float = 0.0) -> list[Fit]:
    """Best first: large type; a narrow table has its takeaway beside it, a wide one below."""
    reserve = SENTENCE if grid.left_out else reserve
    result = []
    for look in (HUGE, LARGE, NORMAL, SMALL):
        needed = sum(natural_widths(grid, look))
        sides = [(False, 22)]
        if takeaway and needed <= narrowed(body).width:
            sides.insert(0 if needed * 2 <= body.width else 1, (True, 22))
        if look is SMALL:
            sides.append((False, 14))
        for beside, largest in sides:
            fit = Fit(look, 0, beside, largest)
            header = columns_of(grid, _width(body, fit), look).header(look)
            room = body.height - reserve - (0.0 if beside else room_below(takeaway, largest=largest))
            result.append(replace(fit, rows=max(1, int((room - header) / look.row + 0.001))))
    return result


def _width(body: Box, way: Fit) -> float:
    return narrowed(body).width if way.beside else body.width
