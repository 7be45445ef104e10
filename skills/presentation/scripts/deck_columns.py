"""Two lists side by side, each under its heading, flowing together where they are long."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import deck_theme as theme
from deck_flow import bullets_of, flow_together
from deck_shapes import Line, points, put_stroke, put_text
from deck_template import Page
from deck_text import shorten
from deck_theme import Box
from deck_type import prose_line

if TYPE_CHECKING:
    from deck_flow import Bullet
    from deck_pages import Pages

_UNDER_HEADING = 0.62
"""Inches from the top of a column's heading to its bullets."""
_HEADING_SIZE = 20
_RULE = Box(0, 0.42, 0, 0.02)
"""The line under a heading, from its top."""


def side_of(given: object) -> tuple[str, list[Bullet]]:
    """Raises ValueError for what is no (heading, bullets) pair."""
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[0], str):
        raise ValueError("two_columns takes two (heading, bullets) pairs: ('Before', ['one', 'two']).")
    return prose_line(given[0]), bullets_of(given[1])


def put_columns(pages: Pages, title, sides, *, source="", notes="", page=Page.COLUMNS) -> int:
    """Returns how many slides they took."""
    width = (theme.CONTENT - 2 * theme.GAP) / 2
    texts = [bullets for _, bullets in sides]
    head = _UNDER_HEADING if any(heading for heading, _ in sides) else 0.0
    for part in (0, 1):
        room = Box(0, 0, width, pages.room(title, part=part).height - head)
        flows = flow_together(texts, room)
        if max(map(len, flows)) == 1:
            break
    for part, lists in enumerate(zip_longest(*flows)):
        slide, body = pages.add(title, source, notes if part == 0 else "", page=page, part=part)
        for place, ((heading, _), lines) in enumerate(zip(sides, lists, strict=True)):
            if lines is None:
                continue
            left = body.left + place * (width + 2 * theme.GAP)
            shown = shorten(heading, _HEADING_SIZE, points(width), bold=True)
            if shown != heading:
                pages.tell("a heading was shortened")
            if heading:
                line = Line(shown, _HEADING_SIZE, theme.ACCENT, bold=True)
                put_text(slide, Box(left, body.top, width, 0.4), [line], name="Heading")
                put_stroke(slide, Box(left, body.top + _RULE.top, width, _RULE.height))
            under = Box(left, body.top + head, width, body.height - head)
            pages.text(slide, under, lines)
    return max(map(len, flows))
