"""Fonts of this machine by family: the one that is asked for, its metric twin, or one that is no narrower."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

MEASURED_AT = 200
"""Points at which advances are taken."""
_ROOTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:/Windows/Fonts")
_MOST_FILES = 2_000
_TWINS = {
    "calibri": "carlito",
    "calibri light": "carlito",
    "arial": "liberation sans",
    "arial narrow": "liberation sans narrow",
    "helvetica": "liberation sans",
    "helvetica neue": "liberation sans",
    "times new roman": "liberation serif",
    "times": "liberation serif",
    "georgia": "dejavu serif",
    "courier new": "liberation mono",
    "cambria": "caladea",
    "verdana": "dejavu sans",
}
WIDE = "dejavu sans"
"""Wider than nearly every text font, so what is measured with it fits."""


@lru_cache(maxsize=64)
def font_of(family: str, *, bold: bool) -> ImageFont.FreeTypeFont | None:
    """The font to measure a family with; None where the machine has none at all."""
    wanted = family.casefold().strip()
    here = _files()
    for name in (wanted, _TWINS.get(wanted, ""), WIDE):
        for style in ("bold", "regular") if bold else ("regular",):
            if path := here.get((name, style)):
                return ImageFont.truetype(path, MEASURED_AT, layout_engine=ImageFont.Layout.BASIC)
    return None


def has_metrics(family: str) -> bool:
    """Whether the family itself, or one of the same widths, is on this machine."""
    wanted = family.casefold().strip()
    return any((name, "regular") in _files() for name in (wanted, _TWINS.get(wanted, "")))


def line_height(family: str) -> float:
    """Line pitch in font sizes, as the font says."""
    font = font_of(family, bold=False)
    return sum(font.getmetrics()) / MEASURED_AT if font else 1.25


@lru_cache(maxsize=1)
def _files() -> dict[tuple[str, str], str]:
    """(family, style) in lower case -> path, for regular and bold."""
    roots = [Path(root) for root in _ROOTS]
    plotting = importlib.util.find_spec("matplotlib")  # found, not imported: that would cost half a second
    if plotting and plotting.origin:
        roots.append(Path(plotting.origin).parent / "mpl-data" / "fonts" / "ttf")
    found: dict[tuple[str, str], str] = {}
    for root in roots:
        for path in sorted(root.rglob("*.[tTo][tT][fFcC]"))[:_MOST_FILES] if root.is_dir() else ():
            try:
                family, style = ImageFont.truetype(str(path), 10).getname()
            except OSError:
                continue
            if not family or not style:
                continue
            style = style.casefold()
            plain = "regular" if style in ("regular", "book", "roman", "normal") else style
            if plain in ("regular", "bold"):
                found.setdefault((family.casefold(), plain), str(path))
    return found
