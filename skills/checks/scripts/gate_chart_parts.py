"""The XML of a native chart: its texts with size, font and colour, its series' caches, its axes."""

from dataclasses import dataclass

from pptx.oxml.ns import qn

MOST_VALUES = 20_000
_AXES = ("c:catAx", "c:valAx", "c:dateAx", "c:serAx")
INSIDE = ("ctr", "inEnd", "inBase")
"""Places of a value that lie on its own bar."""


@dataclass(frozen=True)
class Series:
    """`values` are numbers, None for gaps, or the text where it is none; `reference` names their cells."""

    name: str
    values: tuple
    reference: str
    labels: tuple = ()
    labels_reference: str = ""


@dataclass(frozen=True)
class Axis:
    kind: str
    title: str
    deleted: bool
    number_format: str


def root(chart):
    return chart._chartSpace


def strings(chart):
    """Every text that is written on the chart, labels included; bounded."""
    texts = [found.text for found in root(chart).iter(qn("a:t")) if found.text]
    for cache in root(chart).iter(qn("c:strCache")):
        texts += [found.text for found in cache.iter(qn("c:v")) if found.text]
    return texts[:2_000]


def axes(chart):
    """Of charts with axes; a pie has none."""
    result = []
    for name in _AXES:
        for element in root(chart).iter(qn(name)):
            title = element.find(qn("c:title"))
            words = "".join(found.text or "" for found in title.iter(qn("a:t"))) if title is not None else ""
            deleted = element.find(qn("c:delete"))
            shown = element.find(qn("c:numFmt"))
            result.append(
                Axis(
                    name[2:],
                    words.strip(),
                    deleted is not None and deleted.get("val", "1") in ("1", "true"),
                    shown.get("formatCode", "") if shown is not None else "",
                )
            )
    return result


def series_of(chart):
    """Every series with its caches."""
    result = []
    for element in root(chart).iter(qn("c:ser")):
        names = [found.text or "" for found in element.findall(f"{qn('c:tx')}//{qn('c:v')}")]
        categories = element.find(qn("c:cat"))
        labels, labels_reference = _cache(categories) if categories is not None else ((), "")
        for name in ("c:val", "c:yVal", "c:xVal", "c:bubbleSize"):
            holder = element.find(qn(name))
            if holder is not None:
                values, reference = _cache(holder)
                result.append(Series(names[0] if names else "", values, reference, labels, labels_reference))
    return result


def plots(chart):
    """Names of the plots' elements: 'barChart', 'pie3DChart', …"""
    area = root(chart).find(f"{qn('c:chart')}/{qn('c:plotArea')}")
    names = (
        [child.tag.split("}")[1] for child in area if isinstance(child.tag, str)] if area is not None else []
    )
    return [name for name in names if name.endswith("Chart")]


def is_solid(chart):
    """Whether it is drawn with depth."""
    return root(chart).find(f".//{qn('c:view3D')}") is not None or any("3D" in name for name in plots(chart))


def type_sizes(chart):
    """Sizes in points that texts of the chart name."""
    sizes = []
    for element in root(chart).iter(qn("a:defRPr"), qn("a:rPr")):
        if element.get("sz", "").isdigit():
            sizes.append(int(element.get("sz")) / 100)
    return sizes


def typefaces(chart):
    return {found.get("typeface") for found in root(chart).iter(qn("a:latin")) if found.get("typeface")}


def text_colors(chart, palette):
    """(what it is, colour, colours of the bars under it or None for the slide's ground) of coloured texts."""
    result = []
    for element in root(chart).iter(qn("a:defRPr"), qn("a:rPr")):
        solid = element.find(qn("a:solidFill"))
        color = palette.color(solid) if solid is not None else None
        if color is None:
            continue
        labels = _ancestor(element, (qn("c:dLbls"), qn("c:dLbl")))
        if labels is not None and _inside(labels):
            result.append(("a value on its bar", color, _bars(labels, palette)))
        else:
            result.append(("a text of the chart", color, None))
    base = root(chart).find(f"{qn('c:txPr')}//{qn('a:defRPr')}/{qn('a:solidFill')}")
    if base is None and not result:
        result.append(("a text of the chart", palette.named("tx1") or "000000", None))
    return result[:500]


def ground_of(chart, palette):
    """The chart's own ground, where it has one."""
    solid = root(chart).find(f"{qn('c:spPr')}/{qn('a:solidFill')}")
    return palette.color(solid) if solid is not None else None


def _cache(holder):
    reference = holder.find(f".//{qn('c:f')}")
    count = holder.find(f".//{qn('c:ptCount')}")
    length = min(MOST_VALUES, int(count.get("val", "0"))) if count is not None else 0
    values = [None] * length
    for point in holder.iter(qn("c:pt")):
        place, text = int(point.get("idx", "0")), point.find(qn("c:v"))
        if 0 <= place < length and text is not None and text.text is not None:
            values[place] = text.text
    return tuple(values), (reference.text or "") if reference is not None else ""


def _ancestor(element, tags):
    while element is not None and element.tag not in tags:
        element = element.getparent()
    return element


def _inside(labels):
    place = labels.find(qn("c:dLblPos"))
    if place is not None:
        return place.get("val") in INSIDE
    plot = _ancestor(labels, (qn("c:barChart"),))
    grouping = plot.find(qn("c:grouping")) if plot is not None else None
    return grouping is not None and grouping.get("val") in ("stacked", "percentStacked")


def _bars(labels, palette):
    """Fills under values: of the label's own series, or of all of the plot."""
    own = _ancestor(labels, (qn("c:ser"),))
    holder = own if own is not None else labels.getparent()
    fills = []
    for solid in holder.iterfind(f".//{qn('c:spPr')}/{qn('a:solidFill')}"):
        parent = solid.getparent().getparent()
        if parent.tag in (qn("c:ser"), qn("c:dPt")):
            fills.append(palette.color(solid))
    return [fill for fill in fills if fill]
