"""The shapes of a slide turned into pieces: groups are opened, fills and places resolved."""

from dataclasses import replace

from gate_colors import alpha_of, blend
from gate_pieces import Box, Cell, Piece
from gate_text import read_text
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.oxml.ns import qn

INCH = 914_400
MOST_PIECES = 400
"""Of one slide."""
MOST_CELLS = 4_000
_DEEPEST = 8
"""Groups inside groups."""


class Walk:
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
