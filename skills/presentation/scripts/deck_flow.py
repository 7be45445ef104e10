"""The flow of bullets: one size for all of them, and as many slides as that takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import deck_theme as theme
from deck_shapes import Line, bullet_indent, points
from deck_text import clean, wrap
from deck_theme import Box
from deck_type import prose

_UNMARKED = re.compile(r"^(?:[•*\s]|-(?!\d))+")
"""Marks of a bullet that was written with one; a minus stays."""
_SPACING = 0.55
"""Space after a bullet, in font sizes."""


@dataclass(frozen=True)
class Bullet:
    """A paragraph of the list; `head` is its bold beginning."""

    text: str
    head: str = ""


def bullets_of(items: object) -> list[Bullet]:
    """Strings, or (head, text) pairs. Raises ValueError when there is nothing to say."""
    if isinstance(items, str):
        items = items.split("\n")
    if not isinstance(items, Iterable):
        raise ValueError(
            "Give the bullets as a list of strings, for example ['First point', 'Second point']."
        )
    found = []
    for item in items:
        if isinstance(item, (tuple, list)):
            if len(item) != 2:
                raise ValueError("A bullet is a string or a (head, text) pair.")
            found.append(Bullet(prose(item[1]), prose(item[0])))
        else:
            found.append(Bullet(prose(_UNMARKED.sub("", clean(item)))))
    found = [bullet for bullet in found if bullet.text or bullet.head]
    if not found:
        raise ValueError("There are no bullets. Give a list of strings with at least one that is not empty.")
    return found


def flow(bullets: list[Bullet], box: Box) -> list[list[Line]]:
    """Pages of lines that fit the box, in the largest size that needs no more pages than a small one."""
    return flow_together([bullets], box)[0]


def flow_together(lists: list[list[Bullet]], box: Box) -> list[list[list[Line]]]:
    """`flow` for lists that stand side by side in equal boxes: one size of text for all of them."""

    shares = _shares([len(bullets) for bullets in lists])

    def paged_in(size: int) -> list[list[list[Bullet]]]:
        return [_pages(bullets, box, size, most) for bullets, most in zip(lists, shares, strict=True)]

    def most_pages(size: int) -> int:
        return max(map(len, paged_in(size)))

    # the smallest size is for what then fits one slide; what flows on anyway may as well be larger
    smallest = theme.BODY_SIZES[-1] if most_pages(theme.BODY_SIZES[-1]) == 1 else theme.BODY_SIZES[-2]
    fewest = most_pages(smallest)
    size = next(size for size in theme.BODY_SIZES if most_pages(size) == fewest)
    paged = paged_in(size)
    # where there is room to spare the bullets stand further apart, or the slide looks half empty
    spare = min(
        (box.height * 72 - sum(_height(b, box, size) for b in page)) / len(page)
        for pages in paged
        for page in pages
    )
    after = size * _SPACING + min(max(spare, 0), size * 0.9)
    return [[[_line(bullet, size, after) for bullet in page] for page in pages] for pages in paged]


def _shares(counts: list[int]) -> list[int]:
    """How many bullets of each list a slide may have: all of them together are few."""
    if sum(counts) <= theme.MOST_BULLETS or len(counts) == 1:
        return [theme.MOST_BULLETS] * len(counts)
    half = theme.MOST_BULLETS // 2
    spare = [max(half, theme.MOST_BULLETS - other) for other in reversed(counts)]
    return [min(count, share) if count < half else share for count, share in zip(counts, spare, strict=True)]


def _line(bullet: Bullet, size: int, after: float) -> Line:
    return Line(bullet.text, size, head=bullet.head, bullet=True, after=after)


def _pages(bullets: list[Bullet], box: Box, size: int, most: int) -> list[list[Bullet]]:
    room = box.height * 72
    pieces = [piece for bullet in bullets for piece in _split(bullet, box, size, room)]
    heights = [_height(piece, box, size) for piece in pieces]
    full = _fill(pieces, heights, room, most)
    # a last page with one lonely bullet reads badly: lower the page's height while the count of pages stays
    for tenth in range(5, 10):
        even = _fill(pieces, heights, room * tenth / 10, most)
        if len(even) == len(full):
            return even
    return full


def _fill(pieces: list[Bullet], heights: list[float], room: float, most: int) -> list[list[Bullet]]:
    pages: list[list[Bullet]] = [[]]
    used = 0.0
    for piece, height in zip(pieces, heights, strict=True):
        if pages[-1] and (used + height > room or len(pages[-1]) == most):
            pages.append([])
            used = 0.0
        pages[-1].append(piece)
        used += height
    return pages


def _limit(box: Box, size: int) -> float:
    return points(box.width) - bullet_indent(size)


def _text(bullet: Bullet) -> str:
    return f"{bullet.head} {bullet.text}".strip()


def _height(bullet: Bullet, box: Box, size: int) -> float:
    lines = wrap(_text(bullet), size, _limit(box, size), bold=bool(bullet.head))
    return size * (len(lines) * theme.LINE_HEIGHT + _SPACING)


def _split(bullet: Bullet, box: Box, size: int, room: float) -> list[Bullet]:
    """A bullet that is taller than the box becomes several."""
    if _height(bullet, box, size) <= room:
        return [bullet]
    lines = wrap(_text(bullet), size, _limit(box, size), bold=bool(bullet.head))
    each = max(1, int((room / size - _SPACING) / theme.LINE_HEIGHT))
    return [Bullet(" ".join(lines[at : at + each])) for at in range(0, len(lines), each)]
