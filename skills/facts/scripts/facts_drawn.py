"""What a deliverable shows: noted while it is made, registered when its file has a name."""

import re

import facts_doubt
import facts_record
import numpy as np
import pandas as pd
from deck_words import words
from facts_caller import caller
from facts_origin import files_of, loaded_files
from facts_run import current
from facts_values import flat, label, number, text, whole_number

_DIGITS = re.compile(r"\d[\d,\u00a0]*(?:\.\d+)?")


class Shown:
    """Of one deliverable. `language` is that of its numbers, and of facts from then on."""

    def __init__(self, language=None):
        if language is not None:
            current().words = words(language)
        self._noted = []

    def chart(self, where, planned, options, given):
        """A planned chart of a deck; `given` is what the script handed over for it."""
        table = planned.table
        numbers = [value for series in table.series for value in series.values]
        series = [item.name for item in table.series if item.name != current().words.missing]
        names = [*series, *table.labels, table.label_title]
        unit = "%" if options.percent or options.share else ""
        self.note(where, numbers, labels=names, given=given, unit=unit)
        told = [whole_number(found) for found in _DIGITS.findall(planned.caption)]
        if table.counts or told:
            self.note(f"{where}, counts", [*table.counts, *told])

    def cloud(self, where, cloud, given):
        """The dots of a scatter chart."""
        numbers = [part for _, pairs in cloud.groups for pair in pairs for part in pair]
        self.note(where, numbers, labels=[name for name, _ in cloud.groups], given=given)
        self.note(f"{where}, counts", [whole_number(found) for found in _DIGITS.findall(cloud.caption)])

    def cards(self, where, items):
        """(value, label) pairs, or {label: value}; a text such as '38.4%' is its number."""
        values = items.values() if isinstance(items, dict) else [value for value, _ in items]
        self.note(where, map(_number, values))

    def table(self, where, frame, given):
        """A table, and how many rows and columns it has."""
        numbers, labels = flat(_under_names(frame))
        self.note(where, numbers, labels=labels, given=given)
        self.note(f"{where}, counts", frame.shape, given=given)

    def note(self, where, numbers, *, labels=(), given=None, unit=""):
        """Plain numbers as they are shown, and the data that the script gave for them."""
        kept = [value for value in map(number, numbers) if value is not None]
        if not kept:
            return
        data, place = kept if given is None else given, caller()
        self._noted.append(
            {
                "source": text(where),
                "unit": unit,
                "numbers": kept,
                "labels": [name for name in map(label, labels) if name],
                "files": files_of(data) or loaded_files(),
                "doubt": facts_doubt.of_data(data, facts_record.known(), place.path, shown=kept),
                "where": place,
            }
        )

    def save(self, target):
        """Register all that was noted as shown in this file."""
        for item in self._noted:
            facts_record.write("drawn", f"{target}: {item['source']}", target=text(target), **item)


def picture(target, data, *, percent=False):
    """Register a chart that was drawn as a picture: its numbers, or of many its quartiles and size."""
    shown = Shown()
    if isinstance(data, np.ndarray):
        shown.note("picture", [*_quartiles(data), len(data)], given=data)
    elif isinstance(data, dict):
        for name, values in data.items():
            shown.note(f"picture, {name}", [*_quartiles(values), len(values)], given=values)
    else:
        numbers, labels = flat(data)
        shown.note("picture", numbers, labels=labels, given=data, unit="%" if percent else "")
    shown.save(target)


def _under_names(frame):
    """With the first column of names as its index, where each name is there once.

    A record tells names of columns, then of rows: a column of names among the former would shift all numbers.
    """
    if isinstance(frame.index, pd.RangeIndex):
        for place in range(frame.shape[1]):
            names = frame.iloc[:, place]
            if names.is_unique and names.notna().all() and _are_names(names):
                others = [other for other in range(frame.shape[1]) if other != place]
                return frame.iloc[:, others].set_index(names)
    return frame


def _are_names(series):
    return not pd.api.types.is_bool_dtype(series.dtype) and not flat(series.reset_index(drop=True))[0]


def _quartiles(values):
    return np.quantile(np.asarray(values, dtype=float), [0, 0.25, 0.5, 0.75, 1]).tolist()


def _number(value):
    """Of a fact, a plain number, or a text that is a number."""
    if isinstance(value, str):
        exact = getattr(value, "value", None)
        return exact if exact is not None else whole_number(value)
    return value
