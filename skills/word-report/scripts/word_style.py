"""How a Word report looks: styles of its own template, A4, language."""

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

FONT = "Calibri"
INK, TEXT, MUTED = RGBColor(0x17, 0x23, 0x3A), RGBColor(0x2B, 0x36, 0x48), RGBColor(0x5B, 0x67, 0x78)
ACCENT = RGBColor(0x1F, 0x5F, 0xA8)
HEAD, TINT, ZEBRA, RULE = "17233A", "EEF3F9", "F7F9FC", "D5DCE5"
MARGIN, WIDTH = Cm(2.2), Cm(21 - 4.4)
_STYLES = {
    # size, bold, colour, points before, points after
    "Normal": (10.5, False, TEXT, 0, 6),
    "Title": (24, True, INK, 0, 2),
    "Subtitle": (12, False, MUTED, 0, 10),
    "Heading 1": (16, True, INK, 16, 6),
    "Heading 2": (12.5, True, ACCENT, 10, 4),
    "Caption": (10.5, True, INK, 8, 4),
    "List Bullet": (10.5, False, TEXT, 0, 3),
    "Header": (9, False, MUTED, 0, 0),
    "Footer": (9, False, MUTED, 0, 0),
}
_OWN = {
    "Lead": (13, False, INK, 0, 8),
    "Note": (9.5, False, MUTED, 2, 10),
    "Cell": (9.5, False, TEXT, 1, 1),
    "Figure Value": (20, True, ACCENT, 4, 0),
    "Figure Label": (9.5, False, MUTED, 0, 4),
    "Contents Heading": (16, True, INK, 12, 6),
    "toc 1": (11, False, INK, 4, 2),
    "toc 2": (10, False, TEXT, 0, 2),
}


def new_document(locale, title, subtitle):
    """An empty document with our styles."""
    document = Document()
    for name, look in _STYLES.items():
        _look(document.styles[name], *look)
    for name, look in _OWN.items():
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles["Normal"]
        _look(style, *look)
    for name in ("toc 1", "toc 2"):
        shape = document.styles[name].paragraph_format
        shape.left_indent = Cm(0.6) if name == "toc 2" else Cm(0)
        shape.tab_stops.add_tab_stop(WIDTH, WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    for name in ("Caption", "Heading 1", "Heading 2", "Contents Heading"):
        document.styles[name].paragraph_format.keep_with_next = True
    for name in ("Caption", "Subtitle"):
        document.styles[name].font.italic = False
    _unspaced(document.styles["Subtitle"], document.styles["Title"])
    for name in ("Header", "Footer"):
        document.styles[name].paragraph_format.tab_stops.clear_all()
    _language(document, locale)
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = MARGIN
    section.top_margin, section.bottom_margin = Cm(2.4), Cm(2.2)
    section.header_distance = section.footer_distance = Cm(1.1)
    section.different_first_page_header_footer = True
    properties = document.core_properties
    properties.title, properties.subject, properties.language = title, subtitle, locale
    properties.author = properties.comments = properties.keywords = ""
    return document


def shade(cell, color):
    properties = cell._tc.get_or_add_tcPr()
    fill = OxmlElement("w:shd")
    for key, value in (("val", "clear"), ("color", "auto"), ("fill", color)):
        fill.set(qn(f"w:{key}"), value)
    properties.append(fill)


def _look(style, size, bold, color, before, after):
    font = style.font
    font.name, font.size, font.bold, font.color.rgb = FONT, Pt(size), bold, color
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for key in list(fonts.attrib):
        if "Theme" in key:  # else the theme's font would win over the name
            del fonts.attrib[key]
    for key in ("ascii", "hAnsi", "cs"):
        fonts.set(qn(f"w:{key}"), FONT)
    style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
    for border in style.element.findall(f"{qn('w:pPr')}/{qn('w:pBdr')}"):
        border.getparent().remove(border)


def _unspaced(*styles):
    """Letters as far apart as the font has them."""
    for style in styles:
        for spacing in style.element.findall(f"{qn('w:rPr')}/{qn('w:spacing')}"):
            spacing.getparent().remove(spacing)


def _language(document, locale):
    defaults = document.styles.element.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
    found = defaults.find(qn("w:lang"))
    language = OxmlElement("w:lang") if found is None else found
    if found is None:
        defaults.append(language)
    language.set(qn("w:val"), locale)
