"""Facts with a source: an expression over a loaded frame, computed here, recorded, handed back as text."""

import math

import facts_doubt
import facts_ledger
import facts_record
import pandas as pd
from deck_words import words
from facts_caller import caller
from facts_errors import FactError, NotAnExpression, NotOneNumber, UnknownName
from facts_expression import calculate
from facts_origin import FILES, files_of, loaded_files
from facts_query import is_query, select
from facts_run import current
from facts_text import MAX_DIGITS, Fact
from facts_values import flat, label, scalar, text

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

MAX_ASSUMPTION = 500
"""Characters."""


def fact(id, expression, *, of, unit="", digits=None):
    """One number (or name) computed from a frame, as text to print: '38.4%'. `.value` is exact.

    Raises FactError for what is no expression, names no column of the frame, or is not one number.
    """
    id, digits, frame = _id(id), _digits(digits), _frame(of)
    result, doubt = _compute(expression, frame)
    value = _single(result.value, expression)
    if unit == "%" and isinstance(value, (int, float)) and abs(value) > 1.5 and 100 in result.literals:
        raise FactError(f"A fact in % keeps a fraction of 1, and this came to {value:g}: leave out the 100.")
    return facts_record.write(
        "fact",
        id,
        value=value,
        unit=unit,
        digits=digits,
        expression=expression,
        rows=result.rows,
        columns=result.columns,
        files=files_of(frame) or loaded_files(),
        doubt=doubt,
    )


def table(id, expression, *, of, unit="", digits=None):
    """A frame or series computed from a frame; all its numbers are registered under the id."""
    id, digits, frame = _id(id), _digits(digits), _frame(of)
    result, doubt = _compute(expression, frame)
    found = result.value
    if not isinstance(found, (pd.DataFrame, pd.Series)):
        kind = type(found).__name__
        raise NotOneNumber(f"{expression!r} gives a {kind}, not a table: state it by facts.fact.")
    files = files_of(frame) or loaded_files()
    if not doubt:
        found.attrs[FILES] = files
    numbers, labels = flat(found)
    facts_record.write(
        "table",
        id,
        unit=unit,
        digits=digits,
        numbers=numbers,
        labels=labels,
        expression=expression,
        rows=result.rows,
        columns=result.columns,
        files=files,
        doubt=doubt,
    )
    return found


def drawn(target, where, data, *, unit="", id=""):
    """Register what a deliverable shows, labels included; the libraries that draw call it."""
    numbers, labels = flat(data)
    facts_record.write(
        "drawn",
        id or f"{target}: {where}",
        unit=unit,
        numbers=numbers,
        labels=labels,
        files=files_of(data) or loaded_files(),
        source=where,
        target=target,
        doubt=facts_doubt.of_data(data, facts_record.known(), caller().path),
    )


def computed(id, value, *, unit="", how="", of=None, digits=None):
    """Register a statistic that an expression cannot tell: a number, a table, or any nesting of them."""
    single = not isinstance(value, (dict, list, tuple, set, pd.DataFrame, pd.Series))
    numbers, labels = ([], []) if single else flat(value)
    return facts_record.write(
        "computed",
        _id(id),
        value=scalar(value) if single else None,
        unit=unit,
        digits=_digits(digits),
        numbers=numbers,
        labels=labels,
        expression=how,
        rows=len(of) if isinstance(of, (pd.DataFrame, pd.Series)) else None,
        files=files_of(of) or loaded_files(),
        doubt=facts_doubt.of_data([value] if single else value, facts_record.known(), caller().path),
    )


def asserted(id, value, *, source, unit="", digits=None):
    """A number that no data of this run gives; it counts as untraced and is listed with its source."""
    if not text(source):
        raise FactError("Say where the number is from: facts.asserted('market', 12.5, source='the request').")
    plain = value.value if isinstance(value, Fact) else scalar(value)
    return facts_record.write(
        "asserted", _id(id), value=plain, unit=unit, digits=_digits(digits), source=source
    )


def assume(sentence):
    """What was taken for granted, for the answer and the last slide."""
    told = text(sentence)[:MAX_ASSUMPTION]
    if not told:
        raise FactError("Say the assumption: facts.assume('Rows with a negative quantity are returns').")
    facts_record.write("assumption", "assumption", value=told)
    return told


def assumptions():
    """Sentences of this script and of those before it, each once."""
    told = [record.get("value") for record in facts() if record["kind"] == "assumption"]
    return list(dict.fromkeys(item for item in told if isinstance(item, str)))


def facts():
    """Records of this script and of those before it."""
    return facts_ledger.read()


def language(code):
    """Of the numbers from now on: 'en' or 'ru'. A Deck sets its own."""
    current().words = words(code)


def load(name, table=None):
    """The frame of an input file, or of a file that an earlier script wrote to the current folder."""
    import tables

    return tables.read_one(name, table).frame


def _frame(of):
    frame = getattr(of, "frame", of)
    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name=frame.name if frame.name is not None else "value")
    if not isinstance(frame, pd.DataFrame):
        raise FactError(f"of= is the frame that the expression is about, not a {type(of).__name__}.")
    return frame


def _compute(expression, frame):
    """The calculation, and what speaks against its being one of the data."""
    compute = select if is_query(expression) else calculate
    found = compute(expression, frame)
    doubt = facts_doubt.of_expression(
        found, frame, lambda other, scale: compute(expression, other, scale).value
    )
    return found, doubt or facts_doubt.of_frame(frame, found.columns, found.value, caller().path)


def _single(value, expression):
    if isinstance(value, (pd.DataFrame, pd.Series)):
        size = " × ".join(map(str, value.shape))
        raise NotOneNumber(
            f"{expression!r} gives {size} values, and a fact is one: end it with .sum(), .mean(), "
            ".iloc[0] or .loc['name'], or state all of them by facts.table."
        )
    try:
        plain = scalar(value)
    except TypeError as error:
        raise NotOneNumber(f"{expression!r} gives a {error}, and a fact is one number.") from None
    if plain is None or (isinstance(plain, float) and not math.isfinite(plain)):
        raise NotOneNumber(
            f"{expression!r} came out as {value}: no rows are left, or a value is missing. Look at "
            "the filter, at Column.isna().sum(), and at what is divided by zero."
        )
    if isinstance(plain, bool):
        raise NotOneNumber(f"{expression!r} is {plain}, and a fact is a number: count with .sum().")
    return plain


def _digits(digits):
    if digits is None or (isinstance(digits, int) and 0 <= digits <= MAX_DIGITS):
        return digits
    raise FactError(f"digits is a whole number from 0 to {MAX_DIGITS}, not {digits!r}.")


def _id(id):
    name = label(id)
    if not name:
        raise FactError("The id names the fact in a word or two: facts.fact('survived_share', …).")
    return name
