"""SELECT over a frame by DuckDB, in memory: it reads no file, loads no extension, and changes nothing."""

import functools
import re

from facts_errors import FactError, NotAnExpression, UnknownName
from facts_expression import Calculation

MAX_ROWS = 20_000
_SELECT = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
_FILTER = re.compile(r"\bfrom\s+df\b(?P<filter>(?:\s+where\s.*)?)$", re.IGNORECASE | re.DOTALL)
_GROUPED = re.compile(
    r"\b(group\s+by|having|union|intersect|except|limit|qualify|window|join|order\s+by)\b|;|\bfrom\b.*\bfrom\b",
    re.IGNORECASE | re.DOTALL,
)
_FRAME = re.compile(r"\b(?:from|join)\s+df\b", re.IGNORECASE)
_SETTINGS = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
    "python_enable_replacements": False,
    "memory_limit": "512MB",
}
_NUMBER = re.compile(r"(?<![\w.'\"])\d+(?:\.\d+)?(?![\w.'\"])")
_UNKNOWN = re.compile(r'Referenced column "([^"]+)" not found')


def is_query(expression):
    """Whether it is to be given to DuckDB."""
    return isinstance(expression, str) and bool(_SELECT.match(expression))


def select(query, frame, scale=1):
    """A Calculation, with every typed number times `scale`. Raises FactError with advice."""
    if not _FRAME.search(query):
        raise NotAnExpression("A query reads the frame, which is called df: SELECT count(*) FROM df WHERE ….")
    import duckdb

    database = _database()
    try:
        database.register("df", _registrable(frame))
        typed = [float(text) for text in _NUMBER.findall(query)]
        query = query if scale == 1 else _NUMBER.sub(lambda match: str(float(match[0]) * scale), query)
        statements = duckdb.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise NotAnExpression("A query is one SELECT over df.")
        result = database.sql(query).limit(MAX_ROWS).df()
        rows = _rows(database, query, len(frame))
    except duckdb.Error as error:
        raise _advised(error, query, frame) from None
    finally:
        database.unregister("df")
    named = [
        name for name in frame.columns if re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", query, re.I)
    ]
    return Calculation(result.iloc[0, 0] if result.shape == (1, 1) else result, named, typed, rows)


@functools.cache
def _database():
    import duckdb

    database = duckdb.connect(":memory:", config=_SETTINGS)
    database.execute("SET lock_configuration = true")
    return database


def _registrable(frame):
    """DuckDB knows no Period, and names of columns are texts there."""
    changed = {
        name: frame[name].astype(str) for name in frame.columns if str(frame[name].dtype).startswith("period")
    }
    frame = frame.assign(**changed) if changed else frame
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _rows(database, query, whole):
    """Those that the filter of a plain query keeps; of any other, all rows of the frame."""
    found = _FILTER.search(query.strip())
    if found is None or _GROUPED.search(query):
        return whole
    return database.sql(f"SELECT count(*) FROM df{found['filter']}").fetchall()[0][0]  # noqa: S608 - as it was asked


def _advised(error, query, frame):
    text = str(error).splitlines()[0]
    if unknown := _UNKNOWN.search(str(error)):
        error = UnknownName(unknown[1], frame.columns)
        return (
            FactError(f"{error} A text stands in single quotes: 'a'.")
            if f'"{unknown[1]}"' in query
            else error
        )
    if "does not exist" in text and "Table" in text:
        return FactError(f"{text} The frame is called df in a query: … FROM df WHERE ….")
    if "disabled" in text or "permission" in text.lower():
        return NotAnExpression("A query reads df only: load a file by facts.load('name') and give it as of=.")
    return FactError(f"The query {query!r:.120} failed: {text}")
