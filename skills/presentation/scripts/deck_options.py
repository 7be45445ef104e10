"""Options of a chart slide, and calls whose mistakes are answered with a sentence."""

from __future__ import annotations

import difflib
import functools
import inspect
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from deck_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class ChartOptions:
    """What every chart method takes after title and data, by keyword."""

    percent: bool = False
    """Values are shares of 1: 0.742 is written 74.2%."""
    x_title: str = ""
    """Names the categories, whichever way the bars lie; of a scatter, the horizontal axis."""
    y_title: str = ""
    """Names the values."""
    takeaway: str | list[str] = ""
    """A sentence, or a few short lines, beside the chart."""
    source: str = ""
    notes: str = ""
    unit: str = ""
    """Of the values, behind their name on the axis: 'Revenue, £'."""
    alt: str = ""
    """Alternative text; made from the data when empty."""
    sort: bool = False
    """Largest first."""
    n: Mapping[Any, int] | None = None
    """{label: number of cases}, written under each label of bars and columns."""
    highlight: str | None = None
    """The label whose bar keeps its colour while the rest are grey."""
    other: bool = False
    """Too many categories: add the rest up (only where adding makes sense) rather than leave them out."""
    share: bool = False
    """Stacked: turn every bar into shares of its own total."""
    number_format: str = ""
    """An Excel number format, such as '#,##0.0'; chosen from the data when empty."""

    @classmethod
    def read(cls, call: str, keywords: dict[str, Any]) -> ChartOptions:
        """Raises ValueError for a keyword that charts do not have."""
        known = [field.name for field in fields(cls)]
        for name in keywords:
            if name not in known:
                raise ValueError(
                    f"{call} has no {name!r}{_guess(name, known)}. It takes: {', '.join(known)}."
                )
        options = cls(**keywords)
        if not isinstance(options.percent, bool):
            raise ValueError(f"{call}: percent is True or False.")
        return options

    def with_unit(self, name: str) -> ChartOptions:
        """The unit put behind the name of the values, which is `name` where the author gave none."""
        unit = one_line(self.unit)
        return replace(self, y_title=f"{one_line(self.y_title) or name}, {unit}") if unit else self


def _guess(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def advised(method: Callable[P, R]) -> Callable[P, R]:
    """A call with wrong arguments raises ValueError that says how to write it."""
    signature = inspect.signature(method)
    shown = [
        str(p).split(":")[0].split(" =")[0] for name, p in signature.parameters.items() if name != "self"
    ]

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            takes = ", ".join(shown)
            raise ValueError(f"{method.__name__}: {error}. Write d.{method.__name__}({takes}).") from None
        args[0]._enter()
        return method(*args, **kwargs)

    return call
