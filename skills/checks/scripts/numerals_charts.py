"""Numbers of a native chart: the values it keeps a copy of, their names, and what is written in it."""

from dataclasses import dataclass, replace

from numerals_drawing import local, paragraphs
from numerals_formats import unit_of_format, written_in
from numerals_model import Numeral
from numerals_package import NS
from numerals_text import clean, extract_text

C, CX = f"{{{NS['c']}}}", f"{{{NS['cx']}}}"
MAX_POINTS = 100_000
"""Points of one chart that are looked at."""


@dataclass(frozen=True)
class Series:
    name: str
    categories: list
    values: list
    """[(what kind of values, number as text, index, format)]."""


def of_chart(root, place):
    """(numerals, names of categories and series, how many points were left out)."""
    found, names, left = [], [], 0
    written = [
        paragraphs(one)
        for one in root.iter(f"{C}tx", f"{CX}tx")
        if one.find(f".//{{{NS['a']}}}t") is not None
    ]
    titles = " ".join(written)
    for series in _series(root):
        names += [series.name, *series.categories]
        for kind, text, index, style in series.values:
            if len(found) >= MAX_POINTS:
                left += 1
                continue
            category = series.categories[index] if index < len(series.categories) else ""
            numeral = exact(text, style, place, (category, series.name), titles)
            if numeral is not None and not (kind == "xVal" and numeral.kind == "date"):
                found.append(numeral)
        found += labels(series.name, place)
    for name in dict.fromkeys(names):
        found += labels(name, f"{place}, category")
    for text in written:
        found += extract_text(text, f"{place}, text")
    codes = [one.get("formatCode", "") for one in root.iter(f"{C}numFmt")]
    codes += [one.text or "" for one in root.iter(f"{C}formatCode")]
    for code in dict.fromkeys(codes):
        found += labels(written_in(code), f"{place}, number format")
    return found, names, left


def exact(text, style, place, names, around="", file=""):
    """The numeral of a value that a file keeps as a number, or None when it is none."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return None
    unit = unit_of_format(style)
    shown = repr(value) if value % 1 or abs(value) >= 1e15 else str(int(value))
    decimals = len(shown.partition(".")[2]) if "e" not in shown else 0
    step = 10.0**-decimals if "e" not in shown else abs(value) * 1e-12
    context = " · ".join(filter(None, (clean(str(name)) for name in names)))
    kind = "date" if unit == "date" else "claim"
    return Numeral(
        file,
        place,
        shown,
        value,
        "" if unit == "date" else unit,
        decimals,
        context[:300],
        step=step,
        kind=kind,
        around=clean(around)[:600],
        labels=tuple(clean(str(name)) for name in names),
        exact=True,
    )


def labels(text, place):
    """Numbers in a name: only amounts with a sign, a size of a group, or decimals claim something there."""
    found = []
    for one in extract_text(text, place):
        bare = not one.unit and one.decimals == 0 and not one.scaled
        sized = one.context[: one.start].rstrip().endswith("=")
        found.append(one if not bare or sized or not one.claims else _name(one))
    return found


def _name(one):
    return replace(one, kind="name")


def _series(root):
    for one in root.iter(f"{C}ser"):
        name = " ".join(text.text or "" for text in one.findall(f"{C}tx//{C}v"))
        categories = _points(one.find(f"{C}cat"))
        values = []
        for kind in ("val", "yVal", "xVal", "bubbleSize"):
            cache = one.find(f"{C}{kind}")
            if cache is not None and cache.find(f".//{C}strCache") is None:
                style = next((code.text or "" for code in cache.iter(f"{C}formatCode")), "")
                values += [(kind, text, index, style) for index, text in _indexed(cache)]
        yield Series(name, categories, values)
    for data in root.iter(f"{CX}data"):
        categories = [point.text or "" for point in data.iterfind(f"{CX}strDim//{CX}pt")]
        values = [
            ("val", point.text or "", index, level.get("formatCode", ""))
            for level in data.iterfind(f"{CX}numDim/{CX}lvl")
            for index, point in enumerate(level.iter(f"{CX}pt"))
        ]
        yield Series("", categories, values)


def _indexed(cache):
    for point in cache.iter(f"{C}pt"):
        index, value = point.get("idx", ""), point.find(f"{C}v")
        if value is not None and index.isdecimal() and len(index) < 8:
            yield int(index), value.text or ""


def _points(cache):
    """Names of the categories by index; of several levels the innermost."""
    if cache is None:
        return []
    level = next((one for one in cache.iter() if local(one) == "lvl"), cache)
    found = dict(list(_indexed(level))[:MAX_POINTS])
    size = min(max(found, default=-1) + 1, MAX_POINTS)
    return [found.get(index, "") for index in range(size)]
