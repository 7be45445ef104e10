"""The database of one script: tables of its input files, locked before the first query."""

import difflib
import json
import re

import pandas as pd
import tables
from facts_literals import is_telling, is_typed
from facts_origin import FILES, files_of
from sql_errors import NotASelect, SqlError, TypedNumbers, UnknownTable
from sql_names import named, safe

MAX_ROWS = 200_000
"""Of a result."""
_SETTINGS = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "threads": 1,
    "memory_limit": "512MB",
}
_TEXT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_current = None


def current(folder=None):
    """That of this script; the files are read at the first call."""
    global _current
    if _current is None or folder is not None:
        _current = Database(tables.INPUT if folder is None else folder)
    return _current


class Database:
    """`named` are its tables; `unread` are sentences on files that are no tables."""

    def __init__(self, folder):
        import duckdb

        found, self.unread = [], []
        for file in tables.files(folder) if folder.is_dir() else []:
            try:
                found += tables.read(file, folder=folder)
            except tables.TableError as error:
                self.unread.append(str(error))
        self.named = named(found)
        self._duck = duckdb.connect(":memory:", config=_SETTINGS)
        self._duck.execute("SET lock_configuration = true")
        for item in self.named.values():
            self._duck.register(item.name, registrable(item.frame))

    def add(self, item):
        self.named[item.name] = item
        self._duck.register(item.name, registrable(item.frame))

    def select(self, text):
        """(frame, frames it was made of)."""
        import duckdb

        if not isinstance(text, str) or not text.strip():
            raise NotASelect("A query is a text: sql.query('SELECT … FROM …').")
        try:
            statements = duckdb.extract_statements(text)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise NotASelect("A query is one SELECT; tables are not changed. Make new columns in it.")
            used = self._used(text)
            found = self._duck.sql(text).limit(MAX_ROWS + 1).df()
        except duckdb.Error as error:
            raise self._advised(error) from None
        sources = [item.frame for item in used]
        refuse_typed(found, text, sources)
        return found, sources

    def _used(self, text):
        found = json.loads(self._duck.execute("SELECT json_serialize_sql(?)", [text]).fetchall()[0][0])
        if found.get("error"):
            raise NotASelect(f"The query cannot be taken apart: {found.get('error_message', '')!s:.200}")
        names, own = set(), set()
        _gather(found, names, own)
        if shadowed := own & {name.lower() for name in self.named}:
            raise SqlError(f"{min(shadowed)} is a table of the files: give the WITH another name.")
        if unknown := names - own - {name.lower() for name in self.named}:
            raise self._unknown(min(unknown))
        used = [item for item in self.named.values() if item.name.lower() in names]
        if not used:
            raise UnknownTable(
                f"The query reads none of the tables: {', '.join(self.named) or 'there is none'}."
            )
        return used

    def _advised(self, error):
        text = str(error)
        line = text.splitlines()[0]
        if match := re.search(r"Table with name (\S+) does not exist", text):
            return self._unknown(match[1])
        if match := re.search(r'Referenced column "([^"]+)" not found', text):
            columns = [name for item in self.named.values() for name, _ in item.columns()]
            told = _close(match[1], [name.strip('"') for name in columns])
            return UnknownTable(
                f"There is no column {match[1]!r}.{told} A text stands in single quotes: 'a'; "
                "sql.schema() lists the columns."
            )
        if "disabled" in text or "ermission" in text or "xternal" in text:
            return NotASelect(
                "A query reads no files and no network: the tables of the input files are there by name "
                f"({', '.join(self.named)})."
            )
        if "must appear in the GROUP BY" in text:
            return SqlError(f"{line} Put the column into GROUP BY, or sum it: sum(…), any_value(…).")
        return SqlError(f"{line} See sql.schema() for names and types; cast a text by TRY_CAST(x AS DOUBLE).")

    def _unknown(self, name):
        told = _close(safe(name), list(self.named))
        return UnknownTable(
            f"There is no table {name!r}.{told} There are: {', '.join(self.named) or 'none'}."
        )


def registrable(frame):
    """DuckDB knows no Period, and names of columns are texts there."""
    changed = {
        name: frame[name].astype(str) for name in frame.columns if str(frame[name].dtype).startswith("period")
    }
    frame = frame.assign(**changed) if changed else frame
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def origin(sources):
    """A frame of the rows that a query was made of, which tells all their files; one that has none counts."""
    unknown = [item for item in sources if not files_of(item)]
    if unknown or len(sources) == 1:
        return [*unknown, *sources][0]
    whole = pd.DataFrame(index=range(sum(map(len, sources))))
    whole.attrs[FILES] = list({file["name"]: file for item in sources for file in files_of(item)}.values())
    return whole


def _gather(node, names, own):
    """Tables that a parsed query reads, and names that it gives itself by WITH."""
    if isinstance(node, dict):
        if node.get("type") == "BASE_TABLE":
            names.add(str(node.get("table_name")).lower())
        if "cte_map" in node:
            own |= {str(item.get("key")).lower() for item in node["cte_map"].get("map", [])}
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            _gather(item, names, own)


def refuse_typed(found, text, sources):
    """A number that the query types is no result of it."""
    typed = {float(number) for number in _NUMBER.findall(_TEXT.sub(" ", text))}
    for name in found.columns:
        values = found[name]
        if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
            continue
        told = {float(value) for value in values.dropna().unique()[:500]}
        if not told or not all(is_telling(value) and is_typed(value, typed) for value in told):
            continue
        if not any(name in item.columns and told <= set(_floats(item[name])) for item in sources):
            raise TypedNumbers(
                f"The column {name!r} holds nothing but numbers that the query types. Compute it from the "
                "tables; what you know from elsewhere is facts.asserted(…, source=…)."
            )


def _floats(series):
    return pd.to_numeric(series, errors="coerce").dropna().astype(float).unique().tolist()


def _close(name, known):
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean {found[0]!r}?" if found else ""
