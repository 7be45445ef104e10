"""Slides of bullets: a list that flows, and from the second one on other ways where the bullets allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deck_theme as theme
from deck_columns import put_columns
from deck_flow import flow
from deck_statements import put_statements, statement_size
from deck_template import Page
from deck_theme import Box

if TYPE_CHECKING:
    from deck_flow import Bullet
    from deck_pages import Pages

_WIDTH = 11.2
"""Inches; longer lines are hard to read."""
_LEAST = 4
"""Bullets that two columns take."""


def put_bullets(pages: Pages, title, bullets: list[Bullet], *, source="", notes="") -> int:
    """Returns how many slides they took."""
    room = pages.room(title)
    size = statement_size(bullets, room)
    if size and pages.used[Page.STATEMENTS] < pages.used[Page.TEXT]:
        slide, body = pages.add(title, source, notes, page=Page.STATEMENTS)
        put_statements(slide, bullets, body, size)
        return 1
    half = -(-len(bullets) // 2)
    if _LEAST <= len(bullets) <= theme.MOST_BULLETS and pages.used[Page.COLUMNS] < pages.used[Page.TEXT]:
        sides = (("", bullets[:half]), ("", bullets[half:]))
        return put_columns(pages, title, sides, source=source, notes=notes)
    width = min(_WIDTH, theme.CONTENT)
    flowing = flow(bullets, Box(0, 0, width, room.height))
    if len(flowing) > 1:
        flowing = flow(bullets, Box(0, 0, width, pages.room(title, part=1).height))
    for part, lines in enumerate(flowing):
        slide, body = pages.add(title, source, notes if part == 0 else "", page=Page.TEXT, part=part)
        pages.text(slide, Box(body.left, body.top, width, body.height), lines)
    return len(flowing)
