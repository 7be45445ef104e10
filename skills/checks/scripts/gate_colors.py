"""Colours of a deck: a theme's names resolved to RGB, and the contrast of two of them."""

import colorsys

from lxml import etree
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn

LEAST_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of any size here: slides are read from afar."""
_PRESET = {
    "black": "000000",
    "white": "FFFFFF",
    "red": "FF0000",
    "green": "008000",
    "blue": "0000FF",
    "yellow": "FFFF00",
    "gray": "808080",
    "grey": "808080",
    "orange": "FFA500",
}
_DEFAULT_MAP = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}


class Palette:
    """A theme's colours and fonts, under the names that a master gives them."""

    def __init__(self, master):
        theme = _theme_of(master)
        self.scheme, self.fonts = {}, {"major": "Calibri", "minor": "Calibri"}
        if theme is not None:
            for slot in theme.iterfind(f".//{qn('a:clrScheme')}/*"):
                if isinstance(slot.tag, str) and (value := _plain(slot)):
                    self.scheme[etree.QName(slot).localname] = value
            for kind in self.fonts:
                latin = theme.find(f".//{qn('a:fontScheme')}/{qn(f'a:{kind}Font')}/{qn('a:latin')}")
                if latin is not None and latin.get("typeface"):
                    self.fonts[kind] = latin.get("typeface")
        mapping = master._element.find(qn("p:clrMap"))
        self.names = _DEFAULT_MAP | (dict(mapping.attrib) if mapping is not None else {})

    def color(self, holder):
        """The RGB, six hex digits, of the colour inside an element such as a:solidFill; None if unknown."""
        for child in holder if holder is not None else ():
            if not isinstance(child.tag, str):
                continue
            name = child.get("val", "")
            if child.tag == qn("a:schemeClr"):
                base = self.scheme.get(self.names.get(name, name))
            else:
                base = _plain([child])
            if base:
                return _changed(base, child)
        return None

    def named(self, name):
        """Of 'tx1', 'accent1', …"""
        return self.scheme.get(self.names.get(name, name))

    def family(self, typeface):
        """'+mn-lt' and '+mj-lt' are names for the theme's fonts."""
        if typeface and typeface.startswith("+m"):
            return self.fonts["major" if typeface.startswith("+mj") else "minor"]
        return typeface or self.fonts["minor"]


def contrast(one, other):
    """1 to 21, of two colours as six hex digits: WCAG's ratio of relative luminances."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def blend(over, under, alpha):
    """What is seen of a colour of that opacity, 0 to 1, over another."""
    mixed = (
        round(int(over[i : i + 2], 16) * alpha + int(under[i : i + 2], 16) * (1 - alpha)) for i in (0, 2, 4)
    )
    return "".join(f"{part:02X}" for part in mixed)


def alpha_of(holder):
    """Opacity of the colour inside an element, 0 to 1."""
    found = holder.find(f"*/{qn('a:alpha')}") if holder is not None else None
    return min(1.0, max(0.0, int(found.get("val", "100000")) / 100_000)) if found is not None else 1.0


def _theme_of(master):
    try:
        blob = master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob
        return etree.fromstring(blob, etree.XMLParser(resolve_entities=False, no_network=True))
    except (KeyError, etree.XMLSyntaxError):
        return None


def _plain(slot):
    for child in slot:
        if not isinstance(child.tag, str):
            continue
        kind = etree.QName(child).localname
        if kind == "srgbClr":
            value = child.get("val", "")
        elif kind == "sysClr":
            value = child.get("lastClr", "000000" if "Text" in child.get("val", "") else "FFFFFF")
        elif kind == "prstClr":
            value = _PRESET.get(child.get("val", ""), "")
        else:
            value = ""
        if len(value) == 6 and all(digit in "0123456789abcdefABCDEF" for digit in value):
            return value.upper()
    return None


def _changed(base, element):
    """The modifications that Office applies in order: luminance, tint, shade."""
    red, green, blue = (int(base[i : i + 2], 16) / 255 for i in (0, 2, 4))
    for change in element:
        if not isinstance(change.tag, str):
            continue
        kind, amount = etree.QName(change).localname, int(change.get("val", "0")) / 100_000
        if kind in ("lumMod", "lumOff"):
            hue, light, depth = colorsys.rgb_to_hls(red, green, blue)
            light = light * amount if kind == "lumMod" else light + amount
            red, green, blue = colorsys.hls_to_rgb(hue, min(1.0, max(0.0, light)), depth)
        elif kind == "tint":
            red, green, blue = (part * amount + 1 - amount for part in (red, green, blue))
        elif kind == "shade":
            red, green, blue = (part * amount for part in (red, green, blue))
    return "".join(f"{round(min(1.0, max(0.0, part)) * 255):02X}" for part in (red, green, blue))


def _luminance(color):
    parts = [int(color[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
