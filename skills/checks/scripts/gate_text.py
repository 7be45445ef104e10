"""Text of a slide with what it inherits: size, family, weight and colour of every run."""

from dataclasses import dataclass
from functools import cached_property

from pptx.oxml.ns import qn

MOST_CHARACTERS = 6_000
"""Of one shape; more fits no slide at any size."""
_DEFAULT_SIZE = 18.0
_LEVELS = 9
_TITLES = ("title", "ctrTitle")
_OTHERS = ("dt", "ftr", "sldNum", "hdr")


@dataclass(frozen=True)
class Run:
    text: str
    size: float
    family: str
    bold: bool
    color: str | None
    """Six hex digits; None: could not be resolved."""


@dataclass(frozen=True)
class Paragraph:
    """Lengths in points; `spacing` multiplies the font's own pitch, unless `exact`, then it is the pitch."""

    runs: tuple
    bullet: bool = False
    indent: float = 0.0
    first: float = 0.0
    before: float = 0.0
    after: float = 0.0
    spacing: float = 1.0
    exact: bool = False
    align: str = "l"

    @property
    def words(self):
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, eq=False)
class TextBlock:
    """Paragraphs and the frame around them; insets in inches: left, top, right, bottom. Equal only to
    itself, so that what was measured of it can be kept.
    """

    paragraphs: tuple
    insets: tuple = (0.1, 0.05, 0.1, 0.05)
    wrapped: bool = True
    anchor: str = "t"
    columns: int = 1
    upright: bool = True

    @cached_property
    def words(self):
        return "\n".join(paragraph.words for paragraph in self.paragraphs).strip()

    @cached_property
    def runs(self):
        return tuple(run for paragraph in self.paragraphs for run in paragraph.runs if run.text.strip())

    @property
    def largest(self):
        return max((run.size for run in self.runs), default=0.0)


class Inheritance:
    """Where the text of one slide's shapes finds what it does not say itself."""

    def __init__(self, presentation, layout, master, palette):
        self.palette = palette
        self._defaults = presentation.element.find(qn("p:defaultTextStyle"))
        self._layout, self._master = layout, master
        self._styles = master._element.find(qn("p:txStyles"))

    def chain(self, shape):
        """Lists of levels, and of bodyPr, from the nearest to the farthest; for a shape of a slide."""
        body = shape._element.find(qn("p:txBody"))
        lists, frames = [_list_style(body)], [body.find(qn("a:bodyPr")) if body is not None else None]
        holder = shape._element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}")
        if holder is None:
            return [*lists, self._defaults], frames
        kind, place = holder.get("type", "obj"), holder.get("idx", "0")
        for owner in (self._layout, self._master):
            match = _matching(owner, kind, place, by_place=owner is self._layout)
            if match is not None:
                lists.append(_list_style(match))
                frames.append(match.find(qn("a:bodyPr")))
        name = "p:titleStyle" if kind in _TITLES else "p:otherStyle" if kind in _OTHERS else "p:bodyStyle"
        if self._styles is not None:
            lists.append(self._styles.find(qn(name)))
        return [*lists, self._defaults], frames

    def cell_text(self, cell, color, bold):
        """Text of a table's cell, under what the table's style says."""
        body = cell._tc.find(qn("a:txBody"))
        insets = tuple(
            value / 914_400
            for value in (cell.margin_left, cell.margin_top, cell.margin_right, cell.margin_bottom)
        )
        reader = _Reader([_list_style(body), self._defaults], self.palette, color=color, bold=bold)
        return TextBlock(reader.paragraphs(body), insets=insets)


def read_text(shape, inheritance):
    lists, frames = inheritance.chain(shape)
    body = shape._element.find(qn("p:txBody"))
    if body is None:
        return TextBlock(())
    reference = shape._element.find(f"{qn('p:style')}/{qn('a:fontRef')}")
    color = inheritance.palette.color(reference) if reference is not None else None

    def framed(name, otherwise):
        return next((f.get(name) for f in frames if f is not None and f.get(name) is not None), otherwise)

    scale, cut = 1.0, 0.0
    for frame in frames:
        fitted = frame.find(qn("a:normAutofit")) if frame is not None else None
        if fitted is not None:
            scale, cut = _percent(fitted.get("fontScale"), 1.0), _percent(fitted.get("lnSpcReduction"), 0.0)
            break
    reader = _Reader(lists, inheritance.palette, color=color, scale=scale, cut=cut)
    insets = tuple(
        int(framed(name, otherwise)) / 914_400
        for name, otherwise in (("lIns", 91_440), ("tIns", 45_720), ("rIns", 91_440), ("bIns", 45_720))
    )
    return TextBlock(
        reader.paragraphs(body),
        insets=insets,
        wrapped=framed("wrap", "square") != "none",
        anchor=framed("anchor", "t"),
        columns=max(1, min(16, int(framed("numCol", 1)))),
        upright=framed("vert", "horz") == "horz",
    )


class _Reader:
    """Resolves runs and paragraphs along a chain of list styles."""

    def __init__(self, lists, palette, *, color=None, bold=False, scale=1.0, cut=0.0):
        self.lists, self.palette = [item for item in lists if item is not None], palette
        self.color, self.bold, self.scale, self.cut = color, bold, scale, cut

    def paragraphs(self, body):
        result, left = [], MOST_CHARACTERS
        for element in body.iterfind(qn("a:p")) if body is not None else ():
            if left <= 0:
                break
            paragraph = self._paragraph(element)
            left -= len(paragraph.words) + 1
            result.append(paragraph)
        return tuple(result)

    def _paragraph(self, element):
        own = element.find(qn("a:pPr"))
        level = min(_LEVELS, int(own.get("lvl", "0")) + 1) if own is not None else 1
        levels = [
            item for item in (found.find(qn(f"a:lvl{level}pPr")) for found in self.lists) if item is not None
        ]
        chain = [own, *levels] if own is not None else levels
        defaults = [item for item in (found.find(qn("a:defRPr")) for found in levels) if item is not None]
        runs = []
        for child in element:
            if child.tag in (qn("a:r"), qn("a:fld")):
                text = child.find(qn("a:t"))
                words = (text.text or "") if text is not None else ""
                runs.append(self._run(words[:MOST_CHARACTERS], child.find(qn("a:rPr")), defaults))
            elif child.tag == qn("a:br"):
                runs.append(self._run("\n", child.find(qn("a:rPr")), defaults))
        if not any(run.text for run in runs):
            runs = [self._run("", element.find(qn("a:endParaRPr")), defaults)]
        size = max(run.size for run in runs)
        spacing, exact = self._space(chain, "lnSpc", size, 1.0)
        before, _ = self._space(chain, "spcBef", size, 0.0, pitch=1.2)
        after, _ = self._space(chain, "spcAft", size, 0.0, pitch=1.2)
        return Paragraph(
            tuple(runs),
            bullet=_has_bullet(chain),
            indent=_length(chain, "marL"),
            first=_length(chain, "indent"),
            before=before,
            after=after,
            spacing=spacing if exact else spacing * (1 - self.cut),
            exact=exact,
            align=next((item.get("algn") for item in chain if item.get("algn")), "l"),
        )

    def _run(self, text, own, defaults):
        chain = [own, *defaults] if own is not None else defaults
        size = next((item.get("sz") for item in chain if item.get("sz")), None)
        bold = next((item.get("b") for item in chain if item.get("b")), "1" if self.bold else "0")
        typeface = None
        for item in chain:
            latin = item.find(qn("a:latin"))
            if latin is not None and latin.get("typeface"):
                typeface = latin.get("typeface")
                break
        points = float(size) / 100 if size else _DEFAULT_SIZE
        capital = next((item.get("cap") for item in chain if item.get("cap")), "none") == "all"
        return Run(
            text.upper() if capital else text,
            points * self.scale,
            self.palette.family(typeface),
            bold in ("1", "true"),
            self._color(own, defaults),
        )

    def _color(self, own, defaults):
        near = own.find(qn("a:solidFill")) if own is not None else None
        if near is not None:
            return self.palette.color(near)
        if self.color is not None:
            return self.color
        for item in defaults:
            solid = item.find(qn("a:solidFill"))
            if solid is not None:
                return self.palette.color(solid)
        return self.palette.named("tx1") or "000000"

    @staticmethod
    def _space(chain, name, size, otherwise, *, pitch=1.0):
        """(value, whether it is in points): a share of the line, or points."""
        for item in chain:
            found = item.find(qn(f"a:{name}"))
            if found is None:
                continue
            percent, points = found.find(qn("a:spcPct")), found.find(qn("a:spcPts"))
            if points is not None:
                return float(points.get("val", "0")) / 100, True
            if percent is not None:
                share = _percent(percent.get("val"), 1.0)
                return (share if name == "lnSpc" else share * size * pitch), False
        return otherwise, False


def _list_style(body):
    return body.find(qn("a:lstStyle")) if body is not None else None


def _matching(owner, kind, place, *, by_place):
    """The text body of the placeholder that one of a slide takes after."""
    fallback = None
    for shape in owner.placeholders:
        holder = shape._element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}")
        body = shape._element.find(qn("p:txBody"))
        other = holder.get("type", "obj")
        if by_place and holder.get("idx", "0") == place:
            return body
        same = other == kind or (kind in _TITLES and other in _TITLES)
        if same or (not by_place and kind in ("obj", "subTitle") and other == "body"):
            fallback = body if fallback is None else fallback
    return fallback


def _has_bullet(chain):
    for item in chain:
        for child in item:
            if child.tag == qn("a:buNone"):
                return False
            if child.tag in (qn("a:buChar"), qn("a:buAutoNum"), qn("a:buBlip")):
                return True
    return False


def _length(chain, name):
    """Points."""
    found = next((item.get(name) for item in chain if item.get(name) is not None), "0")
    return int(found) / 12_700


def _percent(value, otherwise):
    if value is None:
        return otherwise
    return float(value.rstrip("%")) / (100 if value.endswith("%") else 100_000)
