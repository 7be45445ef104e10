"""SQL over the uploaded files: `sql.query("SELECT …")` gives a frame that knows the files it came from.

DuckDB in memory, over tables that `tables` has read. It opens no file, loads no extension, changes nothing.
"""

import sql_database
from facts_columns import register
from sql_database import MAX_ROWS
from sql_errors import NotASelect, SqlError, TypedNumbers, UnknownTable
from sql_names import Named

__all__ = ["NotASelect", "SqlError", "TypedNumbers", "UnknownTable", "add", "query", "schema", "tables"]


def tables():
    """{name in SQL: frame} of the input files and of what `add` gave."""
    return {name: item.frame for name, item in sql_database.current().named.items()}


def schema():
    """The tables as text to read: name, file and sheet, rows, columns with their types, what was noticed."""
    database = sql_database.current()
    parts = [_described(item) for item in database.named.values()]
    return "\n\n".join([*parts, *(f"Not read: {sentence}" for sentence in database.unread)])


def add(name, frame):
    """A frame of the script as a table, under this name. Raises SqlError for a name that SQL cannot hold."""
    sql_database.current().add(Named.of_frame(name, getattr(frame, "frame", frame)))


def query(text, id="", unit="", units=()):
    """The rows of one SELECT as a frame; its numbers are registered as facts, under `id` if it is given.

    `units` names the unit of a column where it is not `unit`; a column in % holds fractions of 1. Raises
    SqlError with advice: NotASelect, UnknownTable, TypedNumbers (a column of nothing but typed numbers).
    """
    found, sources = sql_database.current().select(text)
    if len(found) > MAX_ROWS:
        raise SqlError(f"More than {MAX_ROWS:,} rows: sum up in the query (GROUP BY), or end it with LIMIT.")
    how, origin = " ".join(text.split()), sql_database.origin(sources)
    return register(id or f"query: {how[:60]}", found, how=how, of=origin, unit=unit, units=units)


def _described(item):
    lines = [f"{item.name}: {item.source}, {len(item.frame):,} rows"]
    lines += [f"  {name} {kind}" for name, kind in item.columns()]
    return "\n".join([*lines, *(f"  - {note}" for note in item.notes)])
