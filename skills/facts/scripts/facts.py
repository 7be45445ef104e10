"""Facts with a source: stated as an expression over a loaded frame, computed here, recorded, handed back as text."""

import math

import facts_ledger
import pandas as pd
from deck_words import words
from facts_caller import caller
from facts_errors import FactError, NotAnExpression, NotOneNumber, UnknownName
from facts_expression import calculate
from facts_origin import files_of, loaded_files
from facts_query import is_query, select
from facts_run import current
from facts_text import MAX_DIGITS, Fact, default_digits, shown
from facts_values import MAX_LABELS, MAX_VALUES, flat, label, number, scalar, text

__all__ = [
    "Fact",
    "FactError",
    "NotAnExpression",
    "NotOneNumber",
    "UnknownName",
    "asserted",
    "assume",
    "assumptions",
    "computed",
    "drawn",
    "fact",
    "facts",
    "language",
    "load",
    "table",
]


def fact(id, expression, *, of, unit="", digits=None):
    """One number (or name) computed from a frame, as text to print: '38.4%'. `.value` is exact."""
    frame = _frame(of)
    result = _compute(expression, frame)
    value = _single(result.value, expression)
    digits = _digits(digits, value, unit)
    if unit == "%" and isinstance(value, (int, float)) and abs(value) > 1.5 and 100 in result.literals:
        raise FactError(f"A fact in % keeps a fraction of 1, and this came to {value:g}: leave out the 100.")
    made = Fact(
        shown(value, unit, digits, current().words), id=_id(id), value=value, unit=unit, digits=digits
    )
    files = files_of(frame) or loaded_files()
    doubt = "" if files else "no file was loaded for it"
    _write(
        "fact",
        made,
        expression=expression,
        rows=result.rows,
        columns=result.columns,
        files=files,
        doubt=doubt,
    )
    return made


def table(id, expression, *, of, unit="", digits=None):
    """A frame or series computed from a frame; all its numbers are registered under the id."""
    frame = _frame(of)
    result = _compute(expression, frame)
    if not isinstance(result.value, (pd.DataFrame, pd.Series)):
        raise NotOneNumber(
            f"{expression!r} gives {type(result.value).__name__}, not a table: state it by facts.fact."
        )
    files = files_of(frame) or loaded_files()
    doubt = "" if files else "no file was loaded for it"
    more = {"rows": result.rows or len(frame), "columns": result.columns, "files": files, "doubt": doubt}
    _write("table", _named(id, unit, digits), expression=expression, data=result.value, **more)
    return result.value


def drawn(target, where, data, *, unit="", id=""):
    """Register what a deliverable shows; the libraries that draw call it."""
    files = files_of(data) or loaded_files()
    doubt = "" if files else "no file was loaded for it"
    _write(
        "drawn",
        _named(id or f"{target}: {where}", unit),
        data=data,
        target=str(target),
        source=str(where),
        files=files,
        doubt=doubt,
    )


def computed(id, value, *, unit="", how="", of=None, digits=None):
    """Register a statistic that a library computed: a number, a table, or any nesting of them."""
    files = files_of(of) or loaded_files()
    doubt = "" if files else "no file was loaded for it"
    plain = None if isinstance(value, (dict, list, tuple, set, pd.DataFrame, pd.Series)) else scalar(value)
    made = _named(id, unit, digits, plain)
    rows = len(of) if isinstance(of, (pd.DataFrame, pd.Series)) else None
    _write(
        "computed",
        made,
        expression=how,
        data=value if plain is None else None,
        rows=rows,
        files=files,
        doubt=doubt,
    )
    return made


def asserted(id, value, *, source, unit="", digits=None):
    """A number that no data of this run gives; it counts as untraced and is listed with its source."""
    if not text(source):
        raise FactError("Say where the number is from: facts.asserted('market', 12.5, source='the request').")
    plain = value.value if isinstance(value, Fact) else scalar(value)
    made = _named(id, unit, digits, plain)
    _write("asserted", made, source=text(source))
    return made


def assume(sentence):
    """What was taken for granted, for the answer and the last slide."""
    told = text(sentence)
    if not told:
        raise FactError("Say the assumption: facts.assume('Rows with a negative quantity are returns').")
    _write("assumption", _named("assumption", "", None, told))
    return told


def assumptions():
    """Sentences of this script and of those before it, each once."""
    told = [record.get("value") for record in facts_ledger.read() if record["kind"] == "assumption"]
    return list(dict.fromkeys(item for item in told if isinstance(item, str)))


def facts():
    """Records of this script and of those before it."""
    return facts_ledger.read()


def language(code):
    """Of the numbers from now on: 'en' or 'ru'. A Deck sets its own."""
    current().words = words(code)


def load(name, table=None):
    """The frame of an input file, or of a file that an earlier script wrote to the current folder."""
    import tables  # noqa: PLC0415 - it imports what marks its frames

    return tables.read_one(name, table).frame


def _frame(of):
    frame = getattr(of, "frame", of)
    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name=frame.name if frame.name is not None else "value")
    if not isinstance(frame, pd.DataFrame):
        raise FactError(f"of= is the frame that the expression is about, not a {type(of).__name__}.")
    return frame


def _compute(expression, frame):
    from facts_expression import Calculation  # noqa: PLC0415

    if is_query(expression):
        result, rows, named = select(expression, frame)
        value = result.iloc[0, 0] if result.shape == (1, 1) else result
        return Calculation(value, named, [], [], rows)
    try:
        found = calculate(expression, frame)
    except FactError:
        raise
    except Exception as error:  # pandas raises whatever it likes
        raise FactError(f"{expression!r} failed: {type(error).__name__}: {error}"[:400]) from error
    found.rows = len(frame) if found.rows is None else found.rows
    return found


def _single(value, expression):
    if isinstance(value, (pd.DataFrame, pd.Series)):
        size = " × ".join(map(str, value.shape))
        raise NotOneNumber(
            f"{expression!r} gives {size} values, and a fact is one: end it with .sum(), .mean(), .iloc[0] or "
            ".loc['name'], or state all of them by facts.table."
        )
    try:
        plain = scalar(value)
    except TypeError as error:
        raise NotOneNumber(f"{expression!r} gives a {error}, and a fact is one number.") from None
    if plain is None or (isinstance(plain, float) and not math.isfinite(plain)):
        raise NotOneNumber(
            f"{expression!r} came out as {value}: no rows are left, or a value is missing. Look at the filter, at "
            "Column.isna().sum(), and at what is divided by zero."
        )
    if isinstance(plain, bool):
        raise NotOneNumber(f"{expression!r} is {plain}, and a fact is a number: count with .sum().")
    return plain


def _digits(digits, value, unit):
    if digits is None:
        return default_digits(value, unit)
    if not isinstance(digits, int) or not 0 <= digits <= MAX_DIGITS:
        raise FactError(f"digits is a whole number from 0 to {MAX_DIGITS}, not {digits!r}.")
    return digits


def _id(id):
    name = label(id)
    if not name:
        raise FactError("The id names the fact in a word or two: facts.fact('survived_share', …).")
    return name


def _named(id, unit, digits=None, value=None):
    digits = _digits(digits, value, unit)
    written = "" if value is None else shown(value, unit, digits, current().words)
    return Fact(written, id=_id(id), value=value, unit=unit, digits=digits)


def _write(
    kind, made, *, data=None, expression="", rows=None, columns=(), files=(), source="", target="", doubt=""
):
    numbers, labels = flat(data) if data is not None else ([], [])
    where = caller()
    record = {
        "kind": kind,
        "id": made.id,
        "value": made.value,
        "unit": text(made.unit),
        "digits": made.digits,
        "text": text(made),
        "expression": text(expression),
        "rows": rows,
        "columns": [label(name) for name in columns],
        "labels": labels[:MAX_LABELS],
        "values": numbers[:MAX_VALUES],
        "files": list(files),
        "script": text(where.script),
        "line": where.line,
        "code": text(where.code),
        "source": source,
        "target": text(target),
        "traced": kind not in ("asserted",) and not doubt,
    }
    if len(numbers) > MAX_VALUES or len(labels) > MAX_LABELS:
        record["cut"] = True
    facts_ledger.write(record)
