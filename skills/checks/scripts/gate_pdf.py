"""A PDF: it opens, its text can be read out, its fonts travel with it, its pages are numbered."""

import re

from gate_leftovers import leftovers
from gate_model import finding
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject

MOST_PAGES = 200
_NUMBERED_FROM = 3
"""Pages; a shorter one needs no numbers."""
_EDGE_LINES = 3
_BOXES = re.compile("\x00|\u25a0{2}")
"""What comes out of text whose font lacks it: a subset's glyph 0, or reportlab's black squares."""
_STANDARD = ("Helvetica", "Times", "Courier", "Symbol", "ZapfDingbats")


def pdf_findings(path, file):
    try:
        reader = PdfReader(path)
        if reader.is_encrypted:
            return [finding("unreadable", file, "", "It is locked by a password. Save it without.")]
        count = len(reader.pages)
    except (PyPdfError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        return [finding("unreadable", file, "", f"It is not a PDF that opens: {error}.")]
    if count == 0:
        return [finding("empty", file, "", "It has no pages.")]
    found, texts, embedded = [], [], {}
    for number in range(1, min(count, MOST_PAGES) + 1):
        page = reader.pages[number - 1]
        text = page.extract_text() or ""
        texts.append(text)
        found += leftovers(text, file, f"page {number}")
        if _BOXES.search(text):
            detail = (
                "Characters have no glyph in the font, so readers see boxes. Register a TrueType font, "
                "such as DejaVu Sans for Cyrillic or WenQuanYi Micro Hei for CJK."
            )
            found.append(finding("no_glyph", file, f"page {number}", detail))
        _fonts(page, embedded)
    if not any(text.strip() for text in texts):
        detail = (
            "No text can be read out of it, so it cannot be searched or checked. Write text, "
            "not a picture of it."
        )
        found.append(finding("no_text", file, "", detail))
    missing = sorted(name for name, held in embedded.items() if not held)
    foreign = [name for name in missing if not name.lstrip("/").startswith(_STANDARD)]
    if foreign:
        detail = (
            f"Fonts are not embedded: {', '.join(foreign[:6])}. Register a TrueType font and use "
            "it throughout."
        )
        found.append(finding("font_not_embedded", file, "", detail))
    if count >= _NUMBERED_FROM:
        bare = [
            number for number, text in enumerate(texts, start=1) if number > 1 and not _numbered(text, number)
        ]
        if len(bare) > len(texts) / 2:
            detail = f"Pages {', '.join(map(str, bare[:6]))} show no page number. Write it in the footer."
            found.append(finding("no_page_numbers", file, "", detail))
    return found


def page_count(path):
    """None where the file does not open."""
    try:
        return len(PdfReader(path).pages)
    except (PyPdfError, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _fonts(page, embedded):
    """Notes of each font of a page whether its file is in the PDF; forms inside forms are not entered."""
    resources = _resolved(page.get("/Resources"))
    fonts = _resolved(resources.get("/Font")) if resources is not None else None
    for font in (fonts or {}).values():
        font = _resolved(font)
        if font is None or font.get("/Subtype") == "/Type3":
            continue
        below = font.get("/DescendantFonts")
        inner = _resolved(below.get_object()[0]) if below is not None else font
        descriptor = _resolved(inner.get("/FontDescriptor")) if inner is not None else None
        held = descriptor is not None and any(f"/FontFile{kind}" in descriptor for kind in ("", "2", "3"))
        name = str(font.get("/BaseFont", "a font"))
        embedded[name] = embedded.get(name, True) and held


def _resolved(value):
    value = value.get_object() if value is not None else None
    return value if isinstance(value, DictionaryObject) else None


def _numbered(text, number):
    lines = [line for line in text.splitlines() if line.strip()]
    edges = lines[:_EDGE_LINES] + lines[-_EDGE_LINES:]
    # a cover without a number, or one that counts from it, shifts them by one
    wanted = {str(number), str(number - 1)}
    return any(wanted & set(line.replace("/", " ").replace("|", " ").split()) for line in edges)
