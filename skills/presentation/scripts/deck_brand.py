"""The brand: a person's .pptx as the template, its layouts, fonts and colours; ours where it will not do."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

from deck_brand_file import BrandError, inspect
from deck_brand_grounds import grounds_under
from deck_brand_layouts import Chosen, choose
from deck_brand_palette import Palette
from deck_brand_places import cover_of, places
from deck_color import apart, mixed, readable
from deck_fonts import line_height
from deck_sources import BRAND, INPUT
from deck_template import Page, Template, own_template
from deck_theme import OURS, Theme
from pptx import Presentation
from pptx.oxml.ns import qn

_PAGES_OF_TWO = (Page.COLUMNS, Page.METHOD, Page.BESIDE)
_PAGES_OF_TEXT = (Page.TEXT, Page.BELOW, Page.TABLE)


def template_of(path: object = None) -> Template:
    """The one at `path`, else the brand of the chat, else our own. Raises ValueError for a wrong path."""
    source = Path(str(path)) if path else INPUT / BRAND
    if not source.is_file():
        if path:
            raise ValueError(f"There is no template {str(path)!r}. Give the path of a .pptx file.")
        return own_template()
    try:
        return _brand(source)
    except BrandError as error:
        reason = str(error)
    except (
        BadZipFile,
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        AssertionError,
        SyntaxError,
    ):
        # whatever a damaged package makes its reader say
        reason = "it cannot be read as a presentation"
    print(f"the template {source.name} is not used: {reason}; the deck has the usual look")
    return own_template()


def _brand(source: Path) -> Template:
    inspect(source)
    presentation = Presentation(str(source))
    _drop_slides(presentation)
    chosen = choose(presentation)
    palette = Palette.of(chosen.content.slide_master)
    theme = _theme(presentation, chosen, palette)
    size = (theme.width, theme.height)
    layouts = dict.fromkeys(Page, chosen.canvas)
    layouts |= dict.fromkeys(_PAGES_OF_TEXT, chosen.content)
    layouts |= dict.fromkeys(_PAGES_OF_TWO, chosen.two)
    layouts |= {Page.COVER: chosen.cover, Page.SECTION: chosen.section}
    return Template(
        presentation,
        theme,
        layouts,
        cover_of(chosen.cover, palette, size),
        cover_of(chosen.section, palette, size),
    )


def _theme(presentation, chosen: Chosen, palette: Palette) -> Theme:
    place = places(presentation, chosen)
    grounds = set()
    for layout in chosen.of_content:
        for box in (place.title, place.body, place.footer):
            found = grounds_under(layout, box, palette)
            if found is None:
                raise BrandError(
                    "its layouts have pictures under the text, where nothing can be read for certain"
                )
            grounds |= found
    paper = grounds_under(chosen.content, place.body, palette) or {palette.paper}
    paper = next(iter(sorted(paper, key=str)))
    accent = palette.accents[0]
    tint = mixed(paper, accent, 0.08)
    under = (*sorted(grounds, key=str), tint)
    text = readable(palette.text, *under)
    colors = [readable(color, paper) for color in palette.accents]
    return Theme(
        font=palette.font,
        heading_font=palette.heading_font,
        line_height=max(_pitch(palette.font), _pitch(palette.heading_font)),
        title_bold=palette.title_bold,
        title_anchor=place.anchor,
        ink=readable(palette.title, *under),
        text=text,
        muted=readable(mixed(text, paper, 0.35), *under),
        paper=paper,
        tint=tint,
        rule=mixed(paper, text, 0.18),
        soft=readable(mixed(text, paper, 0.35), *under),
        accent=readable(accent, *under),
        faded=readable(mixed(text, paper, 0.5), paper, ratio=3.0),
        series=apart(colors, tuple(readable(color, paper) for color in OURS.series)),
        width=presentation.slide_width / 914_400,
        height=presentation.slide_height / 914_400,
        margin=place.body.left,
        content=place.body.width,
        title=place.title,
        body_top=place.body.top,
        body_bottom=place.body.bottom,
        footer=place.footer,
        number=place.number,
    )


def _pitch(family: str) -> float:
    return OURS.line_height if family == OURS.font else max(1.2, line_height(family))


def _drop_slides(presentation) -> None:
    """The samples go, with what names them: sections and shows that would point to nothing."""
    listed = presentation.part._element
    for identifier in list(listed.sldIdLst if listed.sldIdLst is not None else ()):
        presentation.part.drop_rel(identifier.rId)
        listed.sldIdLst.remove(identifier)
    for name in ("p:custShowLst", "p:extLst"):
        for element in listed.findall(qn(name)):
            listed.remove(element)
