"""Registers what a library computed from a frame: a table or a dict whose columns have their own units."""

import facts_record
import pandas as pd
from facts_caller import caller
from facts_doubt import of_frame
from facts_origin import FILES, files_of, loaded_files
from facts_values import flat, label


def register(id, data, *, how, of, units=(), unit="", columns=(), words=()):
    """`units` names the unit of a column or key where it is not `unit`; `columns` are those of the frame `of`
    that the numbers were made of, `words` are more names by which a sentence may call them. The data are
    returned, and a frame tells the files from then on.

    One record a unit. A number of a frame that came from no file counts as asserted.
    """
    units = dict(units)
    files, doubt = files_of(of) or loaded_files(), _doubt(of, columns)
    parts = {}
    for key in data.columns if isinstance(data, pd.DataFrame) else data if isinstance(data, dict) else [None]:
        parts.setdefault(units.get(key, unit), []).append(key)
    for place, (kind, keys) in enumerate(parts.items()):
        some = data if keys == [None] else data[keys] if isinstance(data, pd.DataFrame) else _some(data, keys)
        numbers, labels = flat(some)
        labels += [word for word in words if word not in labels]
        if numbers:
            name = id if place == 0 else f"{id}, {kind or 'counts'}"
            facts_record.write(
                "computed",
                label(name),
                unit=kind,
                numbers=numbers,
                labels=labels,
                expression=how,
                rows=len(of),
                columns=columns,
                files=files,
                doubt=doubt,
            )
    if isinstance(data, (pd.DataFrame, pd.Series)) and not doubt:
        data.attrs[FILES] = files
    return data


def _some(data, keys):
    return {key: data[key] for key in keys}


def _doubt(frame, columns):
    known = [name for name in columns if name in frame.columns]
    if files_of(frame) and not known:
        return ""
    return of_frame(frame, known, None, caller().path)
