"""Places on a template's slides: of title, content and footer, clear of what the template draws itself."""

from __future__ import annotations

from dataclasses import dataclass

import deck_theme as theme
from deck_brand_file import BrandError
from deck_brand_grounds import EMU, drawn_shapes, grounds_under, overlap
from deck_brand_layouts import TITLES, Chosen, body_of, box_of, title_of
from deck_brand_palette import Palette, color_of
from deck_color import readable
from deck_theme import Box, Cover
from pptx.enum.shapes import PP_PLACEHOLDER as HOLDER
from pptx.oxml.ns import qn

EDGE = 0.5
"""Inches that stay free at each edge of a slide."""
_FOOT = 0.24
_NUMBER = 0.8
_PANEL = 0.6
"""Inches of a subtitle with a ground of its own."""
_GROUND = 0.5
"""A drawn shape that takes more than this share of a slide is its ground, not something to avoid."""
_LEAST_HEIGHT, _LEAST_WIDTH = 2.6, 5.5
_TITLE_LINES = 2 * theme.TITLE_SIZES[0] * 1.25 / 72 + 0.05


@dataclass(frozen=True)
class Places:
    title: Box
    body: Box
    footer: Box
    number: Box
    anchor: str


def places(presentation, chosen: Chosen) -> Places:
    """Raises BrandError where too little room is left."""
    slide = Box(0, 0, presentation.slide_width / EMU, presentation.slide_height / EMU)
    inside = Box(EDGE, EDGE, slide.width - 2 * EDGE, slide.height - 2 * EDGE)
    obstacles = [
        place
        for layout in chosen.of_content
        for _, place in drawn_shapes(layout)
        if overlap(place, slide) < _GROUND * slide.width * slide.height
    ]
    title = _clear(_inside(title_of(chosen.content), inside), obstacles)
    if title.height < _TITLE_LINES:
        title = Box(title.left, title.top, title.width, _TITLE_LINES)
    foot = _free_strip(Box(inside.left, inside.bottom - _FOOT, inside.width, _FOOT), obstacles)
    body = body_of(chosen.content)
    below = Box(title.left, title.bottom + 0.1, title.width, foot.top - title.bottom - 0.2)
    body = _inside(body, inside) if body is not None else below
    top, bottom = max(body.top, title.bottom + 0.1), min(max(body.bottom, below.bottom - 0.6), foot.top - 0.1)
    body = _clear(Box(body.left, top, body.width, bottom - top), obstacles)
    if body.height < _LEAST_HEIGHT or body.width < _LEAST_WIDTH or title.width < _LEAST_WIDTH:
        raise BrandError("its layouts leave too little room for content")
    left = max(foot.left, body.left)
    right = min(foot.right, body.right) if min(foot.right, body.right) - left > 3 else foot.right
    return Places(
        title,
        body,
        Box(left, foot.top, right - left - _NUMBER - 0.2, _FOOT),
        Box(right - _NUMBER, foot.top, _NUMBER, _FOOT),
        _anchor(chosen.content),
    )


def cover_of(layout, palette: Palette, size: tuple[float, float]) -> Cover:
    """Title and subtitle where the layout has them, as high as their texts may become."""
    inside = Box(EDGE, EDGE, size[0] - 2 * EDGE, size[1] - 2 * EDGE)
    title = _inside(title_of(layout), inside)
    subtitle = next(
        (
            box_of(h)
            for h in layout.placeholders
            if h.placeholder_format.type in (HOLDER.SUBTITLE, HOLDER.BODY)
        ),
        None,
    )
    if title.height < _TITLE_LINES:
        top = max(inside.top, title.bottom - _TITLE_LINES)
        title = Box(title.left, top, title.width, _TITLE_LINES)
    subtitle = (
        _inside(subtitle, inside) if subtitle is not None else Box(title.left, title.bottom + 0.2, 6, 1)
    )
    if overlap(title, subtitle) or subtitle.height < 0.5:
        top = max(subtitle.top, title.bottom + 0.1) if subtitle.top >= title.top else title.bottom + 0.1
        subtitle = Box(subtitle.left, top, subtitle.width, max(0.3, min(1.0, inside.bottom - 0.3 - top)))
    grounds = [grounds_under(layout, box, palette) for box in (title, subtitle)]
    plain = None in grounds
    if plain:
        # a picture: the texts get a ground of their own
        grounds = [{palette.paper}, {palette.paper}]
        subtitle = Box(subtitle.left, subtitle.top, subtitle.width, min(subtitle.height, _PANEL))
    wanted = [_style_color(layout, palette) or palette.title, palette.text]
    colors = [readable(c, *sorted(under, key=str)) for c, under in zip(wanted, grounds, strict=True)]
    return Cover(
        title,
        subtitle,
        colors[0],
        colors[1],
        panel=palette.paper if plain else None,
        on_floor=_anchor(layout) == "b",
        centered=_is_centered(layout),
    )


def _style_color(layout, palette: Palette):
    for holder in layout.placeholders:
        if holder.placeholder_format.type in TITLES:
            for run in holder._element.iter(qn("a:defRPr")):
                fill = run.find(qn("a:solidFill"))
                return color_of(fill, palette.named) if fill is not None else None
    return None


def _titles(layout):
    """The title of a layout and that of its master, where styles are looked for."""
    for holder in (layout, layout.slide_master):
        yield from (h for h in holder.placeholders if h.placeholder_format.type in TITLES)


def _anchor(layout) -> str:
    for holder in _titles(layout):
        anchor = holder._element.txBody.find(qn("a:bodyPr")).get("anchor")
        if anchor:
            return anchor
    return "t"


def _is_centered(layout) -> bool:
    for holder in _titles(layout):
        for level in holder._element.iter(qn("a:lvl1pPr")):
            if level.get("algn"):
                return level.get("algn") == "ctr"
    style = layout.slide_master._element.find(f".//{qn('p:titleStyle')}/{qn('a:lvl1pPr')}")
    return style is not None and style.get("algn") == "ctr"


def _inside(box: Box, limits: Box) -> Box:
    left, top = max(box.left, limits.left), max(box.top, limits.top)
    return Box(
        left,
        top,
        max(0.1, min(box.right, limits.right) - left),
        max(0.1, min(box.bottom, limits.bottom) - top),
    )


def _clear(box: Box, obstacles: list[Box]) -> Box:
    """The box cut back from each obstacle at the side that costs least."""
    for obstacle in obstacles:
        if overlap(box, obstacle) <= 0.001:
            continue
        right, bottom = box.right, box.bottom
        cuts = [
            Box(obstacle.right + 0.1, box.top, right - obstacle.right - 0.1, box.height),
            Box(box.left, box.top, obstacle.left - 0.1 - box.left, box.height),
            Box(box.left, obstacle.bottom + 0.1, box.width, bottom - obstacle.bottom - 0.1),
            Box(box.left, box.top, box.width, obstacle.top - 0.1 - box.top),
        ]
        box = max(cuts, key=lambda cut: max(0.0, cut.width) * max(0.0, cut.height))
    return box


def _free_strip(strip: Box, obstacles: list[Box]) -> Box:
    """The widest part of a strip that nothing stands on."""
    taken = sorted((o.left - 0.1, o.right + 0.1) for o in obstacles if overlap(strip, o) > 0.001)
    free, at = [], strip.left
    for left, right in [*taken, (strip.right, strip.right)]:
        free.append((min(left, strip.right) - at, at))
        at = max(at, right)
    width, left = max(free)
    if width < 3:
        raise BrandError("its layouts leave no room for a footer")
    return Box(left, strip.top, width, strip.height)
