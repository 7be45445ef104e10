"""What lies under a text of a layout: colours of the background and of shapes that the template draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deck_brand_palette import Palette, color_of
from deck_theme import Box
from lxml import etree
from pptx.oxml.ns import qn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pptx.dml.color import RGBColor

EMU = 914_400
_COVERS = 0.97
"""Share of a text's box from which on a shape is all of its ground."""
_TOUCHES = 0.01
_THIN = 0.05
"""Inches; a rule is no ground."""


def drawn_shapes(layout) -> Iterator[tuple[object, Box]]:
    """What the template itself shows on a slide of this layout, in the order of drawing."""
    holders = [layout]
    if layout._element.get("showMasterSp", "1") not in ("0", "false"):
        holders.insert(0, layout.slide_master)
    for holder in holders:
        for shape in holder.shapes:
            places = (shape.left, shape.top, shape.width, shape.height)
            if shape.is_placeholder or None in places:
                continue
            yield shape, Box(*(place / EMU for place in places))


def grounds_under(layout, box: Box, palette: Palette) -> set[RGBColor] | None:
    """Every colour that a text in the box may stand on; None where a picture makes that unknown."""
    colors = _background(layout, palette)
    for shape, place in drawn_shapes(layout):
        share = overlap(box, place) / max(box.width * box.height, 1e-6)
        if share < _TOUCHES or min(place.width, place.height) < _THIN:
            continue
        own = _fill(shape._element, palette)
        if own == set():
            continue
        if share >= _COVERS or colors is None or own is None:
            colors = own if share >= _COVERS else None
        else:
            colors = colors | own
    return colors


def overlap(one: Box, other: Box) -> float:
    """Square inches."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(0.0, width) * max(0.0, height)


def _background(layout, palette: Palette) -> set[RGBColor] | None:
    for holder in (layout, layout.slide_master):
        ground = holder._element.cSld.find(qn("p:bg"))
        if ground is None:
            continue
        properties, reference = ground.find(qn("p:bgPr")), ground.find(qn("p:bgRef"))
        if properties is not None:
            found = _colors(properties, palette)
            return found if found != set() else {palette.paper}
        if reference is not None:
            base = color_of(reference, palette.named) or palette.paper
            place = int(reference.get("idx", "1001")) - 1001
            if 0 <= place < len(palette.backgrounds):
                wrapped = etree.Element("fill")
                wrapped.append(etree.fromstring(etree.tostring(palette.backgrounds[place])))
                return _colors(wrapped, palette, base) or {base}
            return {base}
    return {palette.paper}


def _fill(element, palette: Palette) -> set[RGBColor] | None:
    """Of a shape: no colours where it is hollow."""
    if element.tag != qn("p:sp"):
        return None if element.tag in (qn("p:pic"), qn("p:grpSp"), qn("p:graphicFrame")) else set()
    properties = element.find(qn("p:spPr"))
    found = _colors(properties, palette) if properties is not None else set()
    if found != set() or (properties is not None and properties.find(qn("a:noFill")) is not None):
        return found
    reference = element.find(f"{qn('p:style')}/{qn('a:fillRef')}")
    color = color_of(reference, palette.named) if reference is not None else None
    return {color} if color is not None and reference.get("idx") != "0" else set()


def _colors(properties, palette: Palette, base: RGBColor | None = None) -> set[RGBColor] | None:
    """Of a fill; None for a picture or a pattern, nothing where there is no fill."""
    for child in properties:
        if child.tag == qn("a:solidFill"):
            color = color_of(child, palette.named, base)
            return {color} if color is not None else None
        if child.tag == qn("a:gradFill"):
            stops = [color_of(stop, palette.named, base) for stop in child.iter(qn("a:gs"))]
            return None if None in stops or not stops else set(stops)
        if child.tag in (qn("a:blipFill"), qn("a:pattFill"), qn("a:grpFill")):
            return None
    return set()
