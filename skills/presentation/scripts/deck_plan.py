"""The plan of a chart: which labels are kept, which way the bars lie, how the numbers are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import deck_theme as theme
from deck_data import passive
from deck_text import one_line, shorten, width, words_of, wrap

if TYPE_CHECKING:
    from deck_data import ChartTable
    from deck_options import ChartOptions
    from deck_words import Words

MAX_LABELS = 12
MAX_TIMED_BARS = 60
MAX_SLICES = 6
LABEL_ROOM = 220
"""Points that a category label may take beside horizontal bars."""


class Kind(StrEnum):
    """Charts with categories."""

    BAR = "bar"
    COLUMN = "column"
    LINE = "line"
    PIE = "pie"
    STACKED = "stacked"
    STACKED_BAR = "stacked bar"


@dataclass(frozen=True)
class Drawing:
    """A decided chart: what is drawn, and what the reader is told about what is not."""

    kind: Kind
    table: ChartTable
    caption: str
    number_format: str
    highlight: int | None = None
    """The place of the label that keeps its colour."""
    adapted: tuple[str, ...] = ()
    """What was changed to fit, for whoever wrote the script."""


def plan(kind: Kind, table: ChartTable, options: ChartOptions, words: Words, width: float) -> Drawing:
    """Raises ValueError, with advice, for numbers that the kind of chart cannot show."""
    if options.percent and max(abs(value) for value in table.numbers) > 10:
        raise ValueError(
            "percent=True takes shares of 1 (0.742 is shown as 74.2%). Divide the values by 100."
        )
    if options.share:
        table, options = table.as_shares(), replace(options, percent=True)
    if kind is Kind.PIE:
        _check_pie(table)
    if options.sort and not table.timed:
        table = table.take(table.by_size())
    given = table.labels
    table, caption = _limited(kind, table, options, words)
    adapted = [_told(given, table.labels, options)] if len(table.labels) < len(given) else []
    base = table.labels
    if kind in (Kind.COLUMN, Kind.STACKED) and not table.timed and not _stand(table, words, width):
        kind = Kind.BAR if kind is Kind.COLUMN else Kind.STACKED_BAR
        adapted.append("the columns lie as bars, since their labels are long")
    short = [shorten_label(label, len(base), counted=bool(table.counts)) for label in base]
    cut = sum("…" in shown and "…" not in label for shown, label in zip(short, base, strict=True))
    if cut:
        adapted.append(f"{cut} of {len(base)} labels were shortened")
    table = replace(
        table,
        labels=_counted(_unique(short, base), table.counts, words, flat=kind in (Kind.BAR, Kind.STACKED_BAR)),
        series=tuple(
            replace(s, name=passive(shorten(s.name, theme.AXIS_SIZE, LABEL_ROOM))) for s in table.series
        ),
    )
    wanted = None if options.highlight is None else one_line(options.highlight)
    if wanted is not None and wanted not in base:
        adapted.append(f"highlight={wanted!r} is none of the labels")
    return Drawing(
        kind,
        table,
        caption,
        options.number_format or number_format(table.numbers, options.percent),
        base.index(wanted) if wanted in base else None,
        tuple(adapted),
    )


def _told(given: tuple[str, ...], kept: tuple[str, ...], options: ChartOptions) -> str:
    if options.other or (len(kept) > 1 and kept[-1] not in given):
        return f"{len(given) - len(kept) + 1} of {len(given)} categories were added up"
    count = f"{len(given) - len(kept)} of {len(given)}"
    return f"{count} categories were left out; choose them, or use other=True for sums"


def number_format(numbers: list[float], percent: bool) -> str:
    """An Excel format with as many decimals as the numbers need, at most two."""
    if percent:
        whole = all(abs(value * 100 - round(value * 100)) < 0.005 for value in numbers)
        return "0%" if whole else "0.0%"
    if all(value == int(value) for value in numbers):
        return "#,##0"
    largest = max(abs(value) for value in numbers)
    return (
        "#,##0"
        if largest >= 1000
        else "#,##0.0"
        if largest >= 10
        else "0.00"
        if largest >= 0.1
        else "0.0E+00"
    )


def shorten_label(label: str, count: int, *, counted: bool = False) -> str:
    """A category as it is written beside its bar: in two lines where there are few of them."""
    two = count <= (6 if counted else 8)
    return passive(shorten(label, theme.AXIS_SIZE, 180 if two else LABEL_ROOM, lines=2 if two else 1))


def _counted(
    labels: tuple[str, ...], counts: tuple[int, ...], words: Words, *, flat: bool
) -> tuple[str, ...]:
    """With the number of cases on a second line, or behind the label where bars lie close."""
    if not counts:
        return labels
    form = "{} ({})" if flat and len(labels) > 8 else "{}\n{}"
    return tuple(form.format(label, words.size(n)) for label, n in zip(labels, counts, strict=True))


def signed(chosen: str, numbers: list[float]) -> str:
    """The format with a true minus sign, as the texts beside the chart have it; for data that need one."""
    return chosen if ";" in chosen or min(numbers) >= 0 else f'{chosen};"−"{chosen}'


def axis_format(numbers: list[float], chosen: str) -> str:
    """The format of the values, without decimals where the axis is too long to need them."""
    span = max(numbers) - min(0.0, *numbers)
    if chosen == "0.0%" and span >= 0.1:
        return "0%"
    return "#,##0" if chosen == "#,##0.0" and span >= 20 else chosen


def alt_of(title: object, drawing: Drawing, options: ChartOptions, words: Words) -> str:
    """Alternative text of a chart: the finding, and the first numbers."""
    write = words.percent if options.percent or options.share else words.number
    pairs = zip(drawing.table.labels, drawing.table.series[0].values, strict=True)
    told = [f"{one_line(label)}: {write(value)}" for label, value in pairs if value is not None][:12]
    return f"{drawing.kind.capitalize()} chart: {one_line(title)}. {'; '.join(told)}"


def _check_pie(table: ChartTable) -> None:
    if len(table.series) > 1:
        raise ValueError("A pie shows one series. Use d.stacked(...) for several.")
    if min(table.numbers) < 0 or sum(table.numbers) <= 0:
        raise ValueError(
            "A pie shows parts of a whole: values must be 0 or more, and not all 0. Use d.bar(...)."
        )


def _limited(kind: Kind, table: ChartTable, options: ChartOptions, words: Words) -> tuple[ChartTable, str]:
    count = len(table.labels)
    limit = MAX_SLICES if kind is Kind.PIE else MAX_TIMED_BARS if table.timed else MAX_LABELS
    if kind is Kind.LINE or count <= limit:
        return table, ""
    if kind is Kind.PIE or options.other:
        kept = sorted(table.by_size()[: limit - 1]) if not options.sort else list(range(limit - 1))
        return table.fold(kept, f"{words.other} ({count - limit + 1})"), ""
    if table.timed:
        return table.take(range(count - limit, count)), words.last_shown.format(limit, count)
    sentence = words.top_shown if options.sort else words.first_shown
    return table.take(range(limit)), sentence.format(limit, count)


def _stand(table: ChartTable, words: Words, across: float) -> bool:
    """Whether the labels fit, in two lines, under columns."""
    slot = (across - 0.8) * 72 / len(table.labels) - 6
    sizes = [words.size(count) for count in table.counts]
    tokens = [token for label in table.labels for token in words_of(label)]
    words_fit = all(width(token, theme.AXIS_SIZE) <= slot for token in [*tokens, *sizes])
    return words_fit and all(len(wrap(label, theme.AXIS_SIZE, slot)) <= 2 for label in table.labels)


def _unique(short: list[str], base: tuple[str, ...]) -> tuple[str, ...]:
    """Shortened labels that became alike are cut in the middle, and numbered if need be."""
    alike = {label for label in short if "…" in label and short.count(label) > 1}
    short = [_middle(whole) if label in alike else label for label, whole in zip(short, base, strict=True)]
    seen: dict[str, int] = {}
    result = []
    for label in short:
        seen[label] = seen.get(label, 0) + 1
        result.append(label if seen[label] == 1 or "…" not in label else f"{label} {seen[label]}")
    return tuple(result)


def _middle(label: str) -> str:
    """Beginning and end of a long label, in one line."""
    kept = len(label) // 2
    while kept > 1 and width(f"{label[:kept]}…{label[-kept:]}", theme.AXIS_SIZE) > LABEL_ROOM:
        kept -= 1
    return passive(f"{label[:kept].rstrip()}…{label[-kept:].lstrip()}")
