"""A deck as the gate sees it: pages of pieces, each with its place, its resolved text and its colours."""

from dataclasses import dataclass, field, replace

from gate_colors import Palette, alpha_of, blend
from gate_text import Inheritance, TextBlock, read_text
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.oxml.ns import qn

INCH = 914_400
MOST_PAGES = 150
MOST_PIECES = 400
"""Of one slide."""
MOST_CELLS = 4_000
_DEEPEST = 8
"""Groups inside groups."""
_FOOTERS = ("dt", "ftr", "sldNum", "hdr")


@dataclass(frozen=True)
class Box:
    """A rectangle on the slide, in inches; of a turned shape, the one around it."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self):
        return self.left + self.width

    @property
    def bottom(self):
        return self.top + self.height

    def contains(self, other, slack=0.03):
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def common(self, other):
        """Width and height of what both cover; not above zero where they are apart."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across, down


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    width: float
    height: float
    text: TextBlock
    fill: str | None


@dataclass(frozen=True)
class Piece:
    """One shape. `kind`: title, text, picture, chart, table, shape, line, or empty: an unused placeholder."""

    kind: str
    name: str
    box: Box
    order: int
    """From the back to the front."""
    shape: object = None
    text: TextBlock | None = None
    alt: str = ""
    fill: str | None = None
    """Six hex digits; None: nothing, a gradient or a picture."""
    painted: bool = False
    """Whether the ground is covered at all, be it by what `fill` cannot say."""
    placeholder: str | None = None
    inherited_place: bool = False
    turn: float = 0.0
    cells: tuple = ()
    grouped: bool = False

    @property
    def is_footer(self):
        return self.placeholder in _FOOTERS

    @property
    def words(self):
        return self.text.words if self.text else ""

    @property
    def is_content(self):
        """What a reader reads: neither decoration nor ground."""
        return self.kind in ("picture", "chart", "table") or bool(self.words)


@dataclass(frozen=True)
class Page:
    number: int
    pieces: tuple
    ground: str | None
    """The slide's background; None when a picture or a gradient."""
    notes: str
    hidden: bool
    backdrop: tuple = ()
    """Pieces of the layout and the master that are drawn below the slide's own."""

    @property
    def place(self):
        return f"slide {self.number}"

    @property
    def title(self):
        return next((piece for piece in self.pieces if piece.kind == "title"), None)

    def content(self):
        return [piece for piece in self.pieces if piece.is_content]


@dataclass(frozen=True)
class DeckView:
    width: float
    height: float
    pages: tuple
    count: int
    """Of all slides, also beyond those that are looked at."""
    palette: Palette = field(repr=False, default=None)


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
    walk = _Walk(inheritance)
    walk.add(slide.shapes)
    pieces = _with_title(walk.pieces)
    notes = ""
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = frame.text[:20_000]
    backdrop = _Walk(inheritance)
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


class _Walk:
    """Collects the pieces of a tree of shapes, groups' members in the slide's own coordinates."""

    def __init__(self, inheritance):
        self.inheritance, self.pieces = inheritance, []

    def add(self, shapes, scale=(1.0, 1.0), shift=(0.0, 0.0), depth=0):
        for shape in shapes:
            if len(self.pieces) >= MOST_PIECES:
                return
            if shape._element.find(f".//{qn('p:cNvPr')}") is not None and _is_hidden(shape):
                continue
            if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
                if depth < _DEEPEST:
                    self.add(shape.shapes, *_inner(shape, scale, shift), depth + 1)
                continue
            self.pieces.append(self._piece(shape, scale, shift, grouped=depth > 0))

    def _piece(self, shape, scale, shift, *, grouped):
        box, turn = _box(shape, scale, shift)
        element, palette = shape._element, self.inheritance.palette
        properties = element.find(f".//{qn('p:cNvPr')}")
        alt = (properties.get("descr") or properties.get("title") or "") if properties is not None else ""
        holder = _placeholder(shape)
        piece = Piece("shape", shape.name or "", box, len(self.pieces), shape, alt=alt.strip(), turn=turn,
                      placeholder=holder, grouped=grouped)  # fmt: skip
        piece = replace(
            piece, inherited_place=holder is not None and element.find(f".//{qn('a:xfrm')}") is None
        )
        if getattr(shape, "has_chart", False) and shape.has_chart:
            return replace(piece, kind="chart")
        if getattr(shape, "has_table", False) and shape.has_table:
            return replace(piece, kind="table", cells=tuple(self._cells(shape)))
        if element.tag == qn("p:pic"):
            return replace(piece, kind="picture", painted=True)
        if element.tag == qn("p:cxnSp"):
            return replace(piece, kind="line")
        fill, painted = _fill(element.find(qn("p:spPr")), element, palette)
        piece = replace(piece, fill=fill, painted=painted)
        if not getattr(shape, "has_text_frame", False):
            return replace(piece, kind="empty") if holder and not piece.is_footer else piece
        text = read_text(shape, self.inheritance)
        if text.words:
            title = holder in ("title", "ctrTitle")
            return replace(piece, kind="title" if title else "text", text=text)
        return replace(piece, kind="empty") if holder and not piece.is_footer else piece

    def _cells(self, shape):
        table = shape.table
        rows, columns = list(table.rows), list(table.columns)
        style = _style_of(table)
        palette = self.inheritance.palette
        for r in range(len(rows)):
            for c in range(len(columns)):
                if r * len(columns) + c >= MOST_CELLS:
                    return
                cell = table.cell(r, c)
                if cell.is_spanned:
                    continue
                wide, high = (cell.span_width, cell.span_height) if cell.is_merge_origin else (1, 1)
                width = sum(other.width for other in columns[c : c + wide]) / INCH
                height = sum(other.height for other in rows[r : r + high]) / INCH
                head = r == 0 and table.first_row
                color, ground, bold = style(palette, head, (r - bool(table.first_row)) % 2 == 0, table)
                own, painted = _fill(cell._tc.tcPr, cell._tc, palette)
                text = self.inheritance.cell_text(cell, color, bold)
                yield Cell(r + 1, c + 1, width, height, text, own if painted else ground)


def _style_of(table):
    """Colours by the style that python-pptx gives new tables, 'Medium Style 2 - Accent 1'; else none."""
    found = table._tbl.find(f"{qn('a:tblPr')}/{qn('a:tableStyleId')}")
    known = found is not None and (found.text or "").upper() == "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"

    def medium(palette, head, odd, table):
        accent = palette.named("accent1") or "4472C4"
        if head:
            return palette.named("bg1") or "FFFFFF", accent, True
        banded = table.horz_banding and odd
        return palette.named("tx1") or "000000", blend(accent, "FFFFFF", 0.4 if banded else 0.2), False

    def plain(palette, head, odd, table):
        return palette.named("tx1") or "000000", None, False

    return medium if known else plain


def _fill(properties, element, palette):
    """(colour or None, whether the ground is covered) of a shape or cell."""
    for child in properties if properties is not None else ():
        if child.tag == qn("a:solidFill"):
            alpha = alpha_of(child)
            color = palette.color(child)
            return (color, True) if alpha >= 0.99 else (None, alpha > 0.1)
        if child.tag == qn("a:noFill"):
            return None, False
        if child.tag in (qn("a:gradFill"), qn("a:blipFill"), qn("a:pattFill")):
            return None, True
    reference = element.find(f"{qn('p:style')}/{qn('a:fillRef')}")
    if reference is not None and reference.get("idx", "0") != "0":
        return palette.color(reference), True
    return None, False


def _placeholder(shape):
    found = shape._element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}")
    return None if found is None else found.get("type", "obj")


def _is_hidden(shape):
    properties = shape._element.find(f".//{qn('p:cNvPr')}")
    return properties.get("hidden") in ("1", "true")


def _box(shape, scale, shift):
    left, top = shape.left or 0, shape.top or 0
    width, height = shape.width or 0, shape.height or 0
    left, top = left * scale[0] + shift[0], top * scale[1] + shift[1]
    width, height = width * scale[0], height * scale[1]
    turn = getattr(shape, "rotation", 0.0) or 0.0
    if 45 <= turn % 180 < 135:
        middle = left + width / 2, top + height / 2
        width, height = height, width
        left, top = middle[0] - width / 2, middle[1] - height / 2
    return Box(left / INCH, top / INCH, width / INCH, height / INCH), turn


def _inner(group, scale, shift):
    """Scale and shift of what lies inside a group."""
    place = group._element.find(f"{qn('p:grpSpPr')}/{qn('a:xfrm')}")
    if place is None:
        return scale, shift
    numbers = {}
    for name in ("off", "ext", "chOff", "chExt"):
        child = place.find(qn(f"a:{name}"))
        if child is None:
            return scale, shift
        numbers[name] = tuple(int(value) for value in list(child.attrib.values())[:2])
    ratio = [numbers["ext"][i] / numbers["chExt"][i] if numbers["chExt"][i] else 1.0 for i in (0, 1)]
    inner = tuple(scale[i] * ratio[i] for i in (0, 1))
    moved = tuple(shift[i] + scale[i] * numbers["off"][i] - inner[i] * numbers["chOff"][i] for i in (0, 1))
    return inner, moved
