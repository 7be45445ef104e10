"""What scripts registered: records of `.deckhand/facts/*.jsonl`, read with distrust."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

FOLDER = ".deckhand/facts"
MAX_FILES = 64
MAX_BYTES = 4 * 1024 * 1024
"""Of one file; the library writes half of it at most."""
MAX_RECORDS = 20_000
MAX_VALUES = 1_000_000
"""Numbers of all records together."""


@dataclass(frozen=True)
class Record:
    """`values` are all its numbers; `labels` the names around them; `target` the file that shows them and
    `source` the place in it, or where an asserted number is from."""

    kind: str
    id: str
    value: object = None
    unit: str = ""
    text: str = ""
    expression: str = ""
    rows: object = None
    columns: tuple = ()
    labels: tuple = ()
    values: tuple = ()
    source: str = ""
    target: str = ""
    traced: bool = True
    cut: bool = False

    @property
    def hints(self):
        """What its author called it, in lower case."""
        return f"{self.id} {self.expression} {self.unit}".lower()


def read(folder="."):
    """Records of all scripts whose facts lie below `folder`; lines that are no records are left out."""
    found, room = [], MAX_VALUES
    for path in sorted(Path(folder, FOLDER).glob("*.jsonl"))[:MAX_FILES]:
        try:
            with path.open("rb") as file:
                lines = file.read(MAX_BYTES).splitlines()
        except OSError:
            continue
        for line in lines:
            if len(found) >= MAX_RECORDS:
                return found
            try:
                data = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                record = of_dict(data, room)
                room -= len(record.values)
                found.append(record)
    return found


def of_dict(data, room=MAX_VALUES):
    """A Record of one line's dict; what has not the expected type is as if it were not there."""
    value = data.get("value")
    values = tuple(one for one in _list(data.get("values"))[:room] if is_number(one))
    return Record(
        kind=_text(data.get("kind")),
        id=_text(data.get("id")),
        value=value if isinstance(value, str) or is_number(value) else None,
        unit=_text(data.get("unit")),
        text=_text(data.get("text")),
        expression=_text(data.get("expression")),
        rows=data.get("rows") if is_number(data.get("rows")) else None,
        columns=tuple(_text(one) for one in _list(data.get("columns"))),
        labels=tuple(str(one) for one in _list(data.get("labels")) if isinstance(one, (str, int, float))),
        values=values,
        source=_text(data.get("source")),
        target=_text(data.get("target")),
        traced=data.get("traced") is not False,
        cut=data.get("cut") is True,
    )


def is_number(value):
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < 1e300
        and math.isfinite(value)
    )


def _list(value):
    return value if isinstance(value, list) else []


def _text(value):
    return value if isinstance(value, str) else ""
