"""Fonts of a PDF: one family for text, and for each character that it lacks the first font that has it.

All are TrueType outlines: reportlab takes no others.
"""

import re
from functools import lru_cache
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfbase.ttfonts import TTFError, TTFont

ROOTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:/Windows/Fonts")
_FAMILIES = (
    ("Carlito-Regular.ttf", "Carlito-Bold.ttf", "Carlito-Italic.ttf", "Carlito-BoldItalic.ttf"),
    (
        "LiberationSans-Regular.ttf",
        "LiberationSans-Bold.ttf",
        "LiberationSans-Italic.ttf",
        "LiberationSans-BoldItalic.ttf",
    ),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
)
_OTHERS = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("wqy-microhei.ttc", ""),
    ("DroidSansFallbackFull.ttf", ""),
    ("Symbola_hint.ttf", ""),
    ("Symbola.ttf", ""),
)
BODY, BOLD, ITALIC = "Report", "Report-Bold", "Report-Italic"
_INVISIBLE = re.compile("[\ufe00-\ufe0f\u200b-\u200d\u2060\u00ad]")
"""Variation selectors, joiners: instructions to a font that these fonts do not follow."""
MISSING = "?"
_MOST_FILES = 5_000


class NoFont(RuntimeError):
    """This machine has no TrueType font to write with."""


@lru_cache(maxsize=1)
def families():
    """Registers all, once: (characters of the text font, [(name, characters), …] of the others)."""
    here = _files()
    chosen = next((names for names in _FAMILIES if all(name in here for name in names)), None)
    if chosen is None:
        raise NoFont("No TrueType font was found: install DejaVu Sans, Liberation Sans or Carlito.")
    if ttfonts.makeToUnicodeCMap is not _to_unicode:
        ttfonts.makeToUnicodeCMap = _to_unicode
    styles = (BODY, BOLD, ITALIC, f"{BODY}-BoldItalic")
    made = [_register(style, here[name]) for style, name in zip(styles, chosen, strict=True)]
    pdfmetrics.registerFontFamily(BODY, *styles)
    others = []
    for number, (plain, bold) in enumerate(_OTHERS):
        name = f"Other{number}"
        if plain in here and (font := _register(name, here[plain])) is not None:
            heavy = f"{name}-Bold"
            if not (bold in here and _register(heavy, here[bold])):
                heavy = name
            pdfmetrics.registerFontFamily(name, name, heavy, name, heavy)
            others.append((name, frozenset(font.face.charToGlyph)))
    common = frozenset.intersection(*(frozenset(font.face.charToGlyph) for font in made))
    return common, tuple(others)


def markup(text, missing=None):
    """Plain text as reportlab's markup: escaped, other fonts where they are needed.

    `missing`: a set that gets the characters which no font has.
    """
    known, others = families()
    pieces, run, using = [], [], ""
    for char in _INVISIBLE.sub("", text):
        name = "" if ord(char) in known or char.isspace() else _other(char, others)
        if name is None:
            if missing is not None:
                missing.add(char)
            char, name = MISSING, ""
        if name != using:
            pieces.append(_piece(run, using))
            run, using = [], name
        run.append(char)
    return "".join([*pieces, _piece(run, using)])


def is_simple(text):
    """Whether the text font has every character."""
    known, _ = families()
    return all(ord(char) in known and char != "\n" for char in text)


def is_wide(text):
    """Whether most of a text is of a script that has no spaces."""
    wide = sum("\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" for char in text)
    return wide * 3 > len(text)


def _other(char, others):
    return next((name for name, known in others if ord(char) in known), None)


def _piece(run, name):
    told = escape("".join(run))
    return f'<font name="{name}">{told}</font>' if name and run else told


_PLAIN_CMAP = ttfonts.makeToUnicodeCMap


def _to_unicode(name, subset):
    """reportlab 5.1 writes emoji as five hex digits, which no reader of PDF takes: as UTF-16 instead."""
    return re.sub(
        r"<([0-9A-F]{5,6})>",
        lambda found: f"<{chr(int(found[1], 16)).encode('utf-16-be').hex().upper()}>",
        _PLAIN_CMAP(name, subset),
    )


def _register(name, path):
    try:
        font = TTFont(name, str(path), subfontIndex=0)
    except (TTFError, OSError, ValueError):
        return None
    pdfmetrics.registerFont(font)
    return font


@lru_cache(maxsize=1)
def _files():
    found = {}
    for root in ROOTS:
        for path in sorted(Path(root).rglob("*.tt[fc]"))[:_MOST_FILES] if Path(root).is_dir() else ():
            found.setdefault(path.name, path)
    return found
