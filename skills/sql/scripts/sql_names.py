"""Names that SQL can hold: of files and sheets, without quotes."""

import re
from dataclasses import dataclass

import pandas as pd
from sql_errors import SqlError

_PLAIN = re.compile(r"[^\W\d]\w{0,62}")
RESERVED = frozenset(
    re.findall(
        r"\w+",
        "all and any as asc case cast check column constraint create cross default desc distinct do else end "
        "except exists false for foreign from full group having if in inner intersect into is join left like "
        "limit natural not null offset on only or order outer primary references right select set some table "
        "then to true union unique using values when where window with",
    )
)
KINDS = {"i": "integer", "u": "integer", "f": "double", "b": "boolean", "M": "timestamp", "m": "interval"}


@dataclass(frozen=True)
class Named:
    """A frame under its name in SQL; `source` tells a person which file and sheet it is."""

    name: str
    frame: pd.DataFrame
    source: str
    notes: tuple = ()

    @classmethod
    def of_frame(cls, name, frame):
        if not isinstance(name, str) or not _PLAIN.fullmatch(name) or name.lower() in RESERVED:
            raise SqlError(
                f"{name!r} is no name of a table: take letters, digits and _, such as clean_sales."
            )
        return cls(name, frame, "a frame of this script")

    def columns(self):
        """(name as it is written in SQL, type) of each."""
        return [
            (written(str(name)), KINDS.get(getattr(kind, "kind", "O"), "text"))
            for name, kind in zip(self.frame.columns, self.frame.dtypes, strict=True)
        ]


def named(found):
    """Tables of `tables.read` under names of their own: the file's, with the sheet's where it has several."""
    files = {}
    for item in found:
        files.setdefault(item.file, []).append(item)
    result = {}
    for file, items in files.items():
        stem = re.sub(r"\.\w{1,8}(\.gz)?$", "", file)
        for item in items:
            name = _free(safe(stem if len(items) == 1 else f"{stem}_{item.name}"), result)
            sheet = "" if len(items) == 1 else f", table {item.name}"
            hidden = " (hidden)" if item.hidden else ""
            notes = tuple(str(note) for note in item.notes)
            result[name] = Named(name, item.frame, f"{file}{sheet}{hidden}", notes)
    return result


def safe(text):
    """A name without quotes, in small letters; other alphabets keep theirs."""
    name = re.sub(r"\W+", "_", text.lower()).strip("_")[:60] or "data"
    return f"t_{name}" if name[0].isdigit() or name in RESERVED else name


def written(name):
    """A column as a query writes it."""
    plain = _PLAIN.fullmatch(name) and name.lower() not in RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


def _free(name, taken):
    place, free = 2, name
    while free in taken:
        free, place = f"{name}_{place}", place + 1
    return free
