"""A deck as the gate sees it: pages of pieces, each with its place, its resolved text and its colours."""

from dataclasses import replace

from gate_colors import Palette
from gate_pieces import DeckView, Page
from gate_text import Inheritance
from gate_walk import INCH, Walk
from pptx.oxml.ns import qn

MOST_PAGES = 150


def read_deck(presentation):
    """A `DeckView` of a presentation of python-pptx."""
    pages, palettes = [], {}
    for number, slide in enumerate(presentation.slides, start=1):
        if number > MOST_PAGES:
            break
        pages.append(_page(presentation, slide, number, palettes))
    size = presentation.slide_width or 12_192_000, presentation.slide_height or 6_858_000
    palette = next(iter(palettes.values()), None)
    return DeckView(size[0] / INCH, size[1] / INCH, tuple(pages), len(presentation.slides), palette)


def _page(presentation, slide, number, palettes):
    layout = slide.slide_layout
    master = layout.slide_master
    key = id(master._element)
    if key not in palettes:
        palettes[key] = Palette(master)
    inheritance = Inheritance(presentation, layout, master, palettes[key])
    walk = Walk(inheritance)
    walk.add(slide.shapes)
    pieces = _with_title(walk.pieces)
    notes = ""
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = frame.text[:20_000]
    backdrop = Walk(inheritance)
    if slide._element.get("showMasterSp", "1") != "0":
        if layout._element.get("showMasterSp", "1") != "0":
            backdrop.add(shape for shape in master.shapes if not shape.is_placeholder)
        backdrop.add(shape for shape in layout.shapes if not shape.is_placeholder)
    hidden = slide._element.get("show") == "0"
    ground = _ground((slide, layout, master), palettes[key])
    return Page(number, tuple(pieces), ground, notes, hidden, tuple(backdrop.pieces))


def _with_title(pieces):
    """Where no placeholder is the title, the highest text of a title's size is; readers take it for one."""
    if any(piece.kind == "title" for piece in pieces):
        return pieces
    texts = [piece for piece in pieces if piece.kind == "text" and not piece.is_footer and not piece.turn]
    large = [piece for piece in texts if piece.text.largest >= 20 and piece.box.width >= 3]
    if not large:
        return pieces
    most = max(piece.text.largest for piece in large)
    first = min(
        (piece for piece in large if piece.text.largest >= most * 0.8), key=lambda piece: piece.box.top
    )
    return [replace(piece, kind="title") if piece is first else piece for piece in pieces]


def _ground(holders, palette):
    for holder in holders:
        background = holder._element.find(f"{qn('p:cSld')}/{qn('p:bg')}")
        if background is None:
            continue
        solid = background.find(f"{qn('p:bgPr')}/{qn('a:solidFill')}")
        if solid is not None:
            return palette.color(solid)
        reference = background.find(qn("p:bgRef"))
        if reference is not None and int(reference.get("idx", "0")) <= 1001:
            return palette.color(reference) or palette.named("bg1") or "FFFFFF"
        return None
    return palette.named("bg1") or "FFFFFF"
