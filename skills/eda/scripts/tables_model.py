"""A table is a frame plus everything that was noticed on the way to it."""

from dataclasses import dataclass, field

import pandas as pd
from tables_words import MORE, SENTENCES, worded

SHOWN = 8
"""How many items of a list a sentence names."""

CELLS = frozenset(
    ("amount", "errors", "example", "examples", "first", "label", "labels", "last", "texts", "values")
)
"""Facts that hold values of cells, which some profiles leave out."""
WORDS = frozenset(
    (
        "counted",
        "delimiter",
        "format",
        "marks",
        "members",
        "order",
        "read_as",
        "rows",
        "side",
        "state",
        "types",
        "unit",
    )
)
"""Facts that hold words of the readers, which other languages have words for."""


@dataclass(frozen=True)
class Note:
    """One thing a reader of the numbers should know. `facts` is JSON-able; str() is an English sentence."""

    code: str
    facts: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.code not in SENTENCES["en"]:
            raise ValueError(f"no sentence for the note {self.code}")

    def __str__(self):
        return self.text()

    def text(self, language="en", *, cells=True):
        """The sentence in "en" or "ru"; without `cells` no value of a cell is in it."""
        facts = {
            key: _shown(key, value, language) if cells or key not in CELLS else "…"
            for key, value in self.facts.items()
        }
        return SENTENCES[language][self.code].format(**facts)

    def to_dict(self):
        return {"code": self.code, "facts": self.facts, "text": str(self)}


@dataclass(frozen=True, eq=False)
class Table:
    """`name` is the sheet or the file without its suffix, `file` the input file it came from."""

    name: str
    file: str
    frame: pd.DataFrame
    notes: tuple = ()

    def note(self, code):
        """The first note with this code, or None."""
        return next((note for note in self.notes if note.code == code), None)

    @property
    def hidden(self):
        return self.note("hidden_sheet") is not None

    def __repr__(self):
        rows, columns = self.frame.shape
        return f"Table({self.name!r}, {rows} rows x {columns} columns, {len(self.notes)} notes)"


class Facts:
    """Collects what is noticed about columns: one note per code that names them all, or one note each."""

    def __init__(self):
        self.by_column, self.single = {}, []

    def column(self, code, name, **facts):
        known = self.by_column.setdefault(code, {"columns": [], **facts})
        known["columns"].append(name)
        for key, value in facts.items():
            if isinstance(value, list):
                known[key] = sorted({*known[key], *value})

    def note(self, code, **facts):
        self.single.append((code, facts))

    def notes(self):
        return [Note(code, facts) for code, facts in (*self.by_column.items(), *self.single)]


def _shown(key, value, language):
    if isinstance(value, dict):
        value = [f"{name} {worded(str(item), language)}" for name, item in value.items()]
    elif key in WORDS:
        value = (
            [worded(str(item), language) for item in value]
            if isinstance(value, (list, tuple))
            else worded(str(value), language)
        )
    if not isinstance(value, (list, tuple)):
        return str(value)
    texts = [_clip(str(item)) for item in value[:SHOWN]]
    if len(value) > SHOWN:
        texts.append(MORE[language].format(len(value) - SHOWN))
    return ", ".join(texts)


def _clip(text):
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:87] + "..."
