"""The layouts of a template by what they offer: a cover, a divider, a text, two texts, an open space."""

from __future__ import annotations

from dataclasses import dataclass

from deck_brand_file import BrandError
from deck_brand_grounds import EMU
from deck_theme import Box
from pptx.enum.shapes import PP_PLACEHOLDER as HOLDER

TITLES = (HOLDER.TITLE, HOLDER.CENTER_TITLE)
_TEXTS = (HOLDER.OBJECT, HOLDER.BODY)
_FEET = (HOLDER.DATE, HOLDER.FOOTER, HOLDER.SLIDE_NUMBER, HOLDER.HEADER)
_SAME = 0.3
"""Inches that the titles of layouts for content may lie apart."""
_LARGE = 0.3
"""Share of a slide that a text of its own takes at least."""


@dataclass(frozen=True)
class Chosen:
    """Where a template lacks one, the nearest other stands in."""

    cover: object
    section: object
    content: object
    two: object
    canvas: object

    @property
    def of_content(self) -> tuple:
        return tuple({id(layout): layout for layout in (self.content, self.two, self.canvas)}.values())


def choose(presentation) -> Chosen:
    """Raises BrandError where no layout has a title with room under it."""
    area = presentation.slide_width * presentation.slide_height / EMU**2
    for master in presentation.slide_masters:
        layouts = [layout for layout in master.slide_layouts if title_of(layout) is not None]
        texts = [layout for layout in layouts if len(_bodies(layout)) == 1 and not _is_cover(layout)]
        texts = [layout for layout in texts if _size(_bodies(layout)[0]) >= _LARGE * area]
        texts.sort(key=lambda layout: (_type(layout) != "obj", bool(_others(layout))))
        open_ones = [layout for layout in layouts if not _bodies(layout) and not _others(layout)]
        open_ones = [layout for layout in open_ones if not _is_cover(layout)]
        open_ones.sort(key=lambda layout: _type(layout) != "titleOnly")
        if not texts and not open_ones:
            continue
        content = (texts or open_ones)[0]
        pairs = [layout for layout in layouts if _is_pair(layout)]
        covers = sorted(
            (layout for layout in layouts if _is_cover(layout)), key=lambda layout: _type(layout) != "title"
        )
        cover = (covers or [content])[0]
        sections = [layout for layout in layouts if _type(layout) == "secHead"]
        return Chosen(
            cover,
            (sections or [cover])[0],
            content,
            _near(pairs, content),
            _near(open_ones, content),
        )
    raise BrandError("it has no layout with a title and room under it")


def title_of(layout) -> Box | None:
    for holder in layout.placeholders:
        if holder.placeholder_format.type in TITLES:
            return box_of(holder)
    return None


def box_of(holder) -> Box | None:
    """In inches; a layout's placeholder without a place has that of its master."""
    places = (holder.left, holder.top, holder.width, holder.height)
    if None in places or min(places[2:]) <= 0:
        return None
    return Box(*(place / EMU for place in places))


def body_of(layout) -> Box | None:
    """The room that the layout has for content."""
    boxes = _bodies(layout)
    if not boxes:
        return None
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _bodies(layout) -> list[Box]:
    found = [box_of(h) for h in layout.placeholders if h.placeholder_format.type in _TEXTS]
    return [box for box in found if box is not None]


def _others(layout) -> bool:
    """Whether there are pictures, charts or the like to be filled."""
    known = (*TITLES, *_TEXTS, *_FEET)
    return any(holder.placeholder_format.type not in known for holder in layout.placeholders)


def _type(layout) -> str:
    return layout._element.get("type", "")


def _is_cover(layout) -> bool:
    kinds = {holder.placeholder_format.type for holder in layout.placeholders}
    return bool(kinds & {HOLDER.CENTER_TITLE, HOLDER.SUBTITLE}) or _type(layout) in ("title", "secHead")


def _is_pair(layout) -> bool:
    boxes = _bodies(layout)
    return len(boxes) == 2 and abs(boxes[0].top - boxes[1].top) < _SAME and not _others(layout)


def _size(box: Box) -> float:
    return box.width * box.height


def _near(layouts: list, content):
    """The first whose title lies where that of the content does."""
    wanted = title_of(content)
    for layout in layouts:
        title = title_of(layout)
        moved = (abs(title.left - wanted.left), abs(title.top - wanted.top), abs(title.right - wanted.right))
        if max(moved) <= _SAME:
            return layout
    return content
