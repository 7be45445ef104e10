"""Fonts: the file that stands for a family, its advances, its line pitch, and which characters it draws."""

import importlib.util
import unicodedata
from functools import lru_cache
from pathlib import Path

from fontTools.ttLib import TTFont, TTLibError

_TWINS = {
    # families by the file that has the same advances, or, in the second part, comes closest
    "calibri": "Carlito",
    "carlito": "Carlito",
    "arial": "LiberationSans",
    "helvetica": "LiberationSans",
    "liberation sans": "LiberationSans",
    "times new roman": "LiberationSerif",
    "liberation serif": "LiberationSerif",
    "courier new": "LiberationMono",
    "liberation mono": "LiberationMono",
    "dejavu sans": "DejaVuSans",
    "verdana": "DejaVuSans",
    "dejavu sans mono": "DejaVuSansMono",
    "calibri light": "Carlito",
    "cambria": "LiberationSerif",
    "georgia": "LiberationSerif",
    "consolas": "LiberationMono",
}
_OTHERWISE = "LiberationSans"
_FALLBACKS = ("Carlito", "LiberationSans", "DejaVuSans", "wqy-microhei", "Symbola")
"""Tried in this order for a character that the family's own font lacks; renderers do so too."""
_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_MOST_FILES = 3_000
_NARROWER = 0.92
"""Carlito's advances by Liberation Sans's, about, over English and Russian prose."""
_PITCH = {"Carlito": 1.221, "LiberationSans": 1.149, "LiberationSerif": 1.149, "LiberationMono": 1.133}
"""Line pitch in font sizes, from the fonts' hhea tables: ascent, descent and gap."""


class Face:
    """One font of one weight. Advances are in font sizes."""

    def __init__(self, path):
        with TTFont(path, lazy=True, fontNumber=0) as font:
            self.characters = font.getBestCmap() or {}
            self._advances = font["hmtx"].metrics
            # read past fontTools, which complains of the dates in this table
            self._em = int.from_bytes(font.reader["head"][18:20], "big") or 1000
            hhea = font["hhea"]
            self.pitch = max(1.0, (hhea.ascent - hhea.descent + hhea.lineGap) / self._em)

    def advance(self, char):
        """None where the font has no such glyph."""
        name = self.characters.get(ord(char))
        return self._advances[name][0] / self._em if name in self._advances else None


def advance(char, family, bold):
    """Width of a character in font sizes, in the family's font or the first that has it."""
    return _advance(char, _stem(family), bool(bold))


def pitch(family):
    """Points from line to line for each point of size."""
    stem = _stem(family)
    known = _face(stem, False)
    return known.pitch if known else _PITCH.get(stem, 1.2)


def drawable(char, family):
    """Whether the family's font, or one that renderers fall back to, has a glyph for the character."""
    return _drawable(char, _stem(family))


@lru_cache(maxsize=16_384)
def _drawable(char, stem):
    if char.isspace() or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return True
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cs", "Co", "Cn"):
        return False
    faces = [_face(stem, False) for stem in (stem, *_FALLBACKS)]
    return any(ord(char) in face.characters for face in faces if face)


def complete():
    """Whether all the fallbacks of the sandbox's image are here; elsewhere a missing glyph means little."""
    return all(_face(stem, False) for stem in _FALLBACKS)


def _stem(family):
    return _TWINS.get(str(family).strip().lower(), _OTHERWISE)


@lru_cache(maxsize=16_384)
def _advance(char, stem, bold):
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0.0
    own = _face(stem, bold)
    if own is None and (known := _arial(bold).get(char)) is not None:
        return known * (_NARROWER if stem == "Carlito" else 1.0)
    for face in (own, *(_face(other, bold) for other in _FALLBACKS)):
        width = face.advance(char) if face else None
        if width is not None:
            return width
    return 1.0 if unicodedata.east_asian_width(char) in "WF" else 0.8


@lru_cache(maxsize=64)
def _face(stem, bold):
    for name in (f"{stem}-Bold", f"{stem}-Regular", stem) if bold else (f"{stem}-Regular", stem):
        path = _files().get(name.lower())
        if path is None:
            continue
        try:
            return Face(path)
        except (TTLibError, OSError, KeyError, ValueError):
            continue
    return None


@lru_cache(maxsize=1)
def _files():
    """Font files by their name without suffix; a hint variant of Symbola counts as Symbola."""
    folders = [folder for folder in _FOLDERS if folder.is_dir()]
    plotting = importlib.util.find_spec("matplotlib")  # found, not imported: that would cost half a second
    if plotting and plotting.origin:
        folders.append(Path(plotting.origin).parent / "mpl-data" / "fonts" / "ttf")
    files = {}
    for folder in folders:
        for place, path in enumerate(sorted(folder.rglob("*"))):
            if place >= _MOST_FILES:
                break
            if path.suffix.lower() in (".ttf", ".ttc", ".otf"):
                files.setdefault(path.stem.lower().removesuffix("_hint"), path)
    return files


@lru_cache(maxsize=2)
def _arial(bold):
    """The widths that the `presentation` skill keeps of Arial, for machines without its twin."""
    try:
        import deck_metrics
    except ImportError:
        return {}
    return deck_metrics.BOLD if bold else deck_metrics.REGULAR
