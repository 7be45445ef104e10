"""Colours and fonts of a template's theme, as its slide master maps them."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deck_brand_file import BrandError
from deck_text import one_line
from deck_theme import OURS
from lxml import etree
from pptx.dml.color import RGBColor
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
_HUNDRED = 100_000
"""Percent in DrawingML are thousandths."""


@dataclass(frozen=True)
class Palette:
    """Resolved colours; `named` has bg1, tx1, accent1 and the like."""

    named: Mapping[str, RGBColor]
    backgrounds: tuple
    """The theme's fills for grounds, from the subtlest."""
    font: str
    heading_font: str
    title: RGBColor
    title_bold: bool

    @property
    def paper(self) -> RGBColor:
        return self.named["bg1"]

    @property
    def text(self) -> RGBColor:
        return self.named["tx1"]

    @property
    def accents(self) -> list[RGBColor]:
        return [self.named[f"accent{number}"] for number in range(1, 7)]

    @classmethod
    def of(cls, master) -> Palette:
        """Raises BrandError for a theme without colours."""
        root = etree.fromstring(master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob, _PARSER)
        scheme = root.find(f".//{qn('a:clrScheme')}")
        if scheme is None:
            raise BrandError("its theme has no colours")
        named = {}
        for slot in scheme:
            if (color := color_of(slot, {})) is not None:
                named[etree.QName(slot).localname] = color
        mapping = master._element.find(qn("p:clrMap"))
        pairs = dict(mapping.attrib) if mapping is not None else {}
        pairs = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"} | pairs
        named |= {str(name): named[slot] for name, slot in pairs.items() if slot in named}
        lacking = {"bg1", "tx1", *(f"accent{number}" for number in range(1, 7))} - set(named)
        if lacking:
            raise BrandError("its theme has no colours")
        style = master._element.find(f".//{qn('p:titleStyle')}/{qn('a:lvl1pPr')}/{qn('a:defRPr')}")
        fill = style.find(qn("a:solidFill")) if style is not None else None
        title = color_of(fill, named) if fill is not None else None
        fills = root.find(f".//{qn('a:bgFillStyleLst')}")
        return cls(
            named,
            tuple(fills) if fills is not None else (),
            _font(root, "minor"),
            _font(root, "major"),
            title or named["tx1"],
            style is not None and style.get("b") in ("1", "true"),
        )


def color_of(parent, named: Mapping[str, RGBColor], base: RGBColor | None = None) -> RGBColor | None:
    """The first colour below an element; `base` stands for the placeholder colour of a theme's fill."""
    for element in parent:
        kind = etree.QName(element).localname if isinstance(element.tag, str) else ""
        found = None
        if kind == "srgbClr":
            found = _hex(element.get("val", ""))
        elif kind == "sysClr":
            found = _hex(element.get("lastClr", "")) or _hex(_SYSTEM.get(element.get("val", ""), ""))
        elif kind == "schemeClr":
            name = element.get("val", "")
            found = base if name == "phClr" else named.get(name)
        elif kind == "prstClr":
            found = _hex(_PRESET.get(element.get("val", ""), ""))
        if found is not None:
            return _changed(found, element)
    return None


_SYSTEM = {"window": "FFFFFF", "windowText": "000000"}
_PRESET = {"white": "FFFFFF", "black": "000000"}


def _hex(text: str) -> RGBColor | None:
    try:
        return RGBColor.from_string(text.upper()) if len(text) == 6 else None
    except ValueError:
        return None


def _changed(color: RGBColor, element) -> RGBColor:
    """With the changes of lightness that the element's children ask for."""
    hue, light, full = colorsys.rgb_to_hls(*(part / 255 for part in color))
    for change in element:
        kind = etree.QName(change).localname if isinstance(change.tag, str) else ""
        try:
            share = int(change.get("val", "0").rstrip("%")) / _HUNDRED
        except ValueError:
            continue
        if kind == "lumMod":
            light *= share
        elif kind == "lumOff":
            light += share
        elif kind == "shade":
            light *= share
        elif kind == "tint":
            light = light * share + (1 - share)
        elif kind == "satMod":
            full *= share
    parts = colorsys.hls_to_rgb(hue, min(max(light, 0), 1), min(max(full, 0), 1))
    return RGBColor(*(round(part * 255) for part in parts))


def _font(root, which: str) -> str:
    latin = root.find(f".//{qn('a:fontScheme')}/{qn(f'a:{which}Font')}/{qn('a:latin')}")
    name = one_line(latin.get("typeface", "")) if latin is not None else ""
    return name[:64] if name and not name.startswith("+") else OURS.font
