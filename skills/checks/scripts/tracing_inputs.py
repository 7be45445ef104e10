"""The numbers of the files that came in, and the texts with numbers in them."""

import contextlib
from functools import lru_cache

from tracing_labels import plain

MAX_BYTES = 64 * 1024 * 1024
"""Of a file that is read again for its numbers."""
MAX_NUMBERS = 1_000_000
MAX_TEXTS = 200_000


@lru_cache(maxsize=1)
def numbers_of_inputs():
    """A set of all numbers of all input tables, rounded to six decimals; empty where there are none."""
    found = set()
    for numbers in _columns(include="number"):
        found.update(numbers.dropna().round(6).tolist())
        if len(found) > MAX_NUMBERS:
            break
    return frozenset(found)


@lru_cache(maxsize=1)
def texts_of_inputs():
    """A set of the texts with digits and letters in all input tables, as `plain` gives them."""
    found = set()
    for texts in _columns(exclude=("number", "bool", "datetime")):
        for text in map(plain, texts.dropna().unique()):
            if any(mark.isdigit() for mark in text) and any(mark.isalpha() for mark in text):
                found.add(text)
                if len(found) > MAX_TEXTS:
                    return frozenset(found)
    return frozenset(found)


def _columns(**kinds):
    import tables  # only raw data pays for it
    from tables_errors import TableError

    with contextlib.suppress(OSError):
        for name in tables.files():
            if (tables.INPUT / name).stat().st_size > MAX_BYTES:
                continue
            with contextlib.suppress(TableError):
                for table in tables.look(name):  # nothing new is assumed
                    chosen = table.frame.select_dtypes(**kinds)
                    for place in range(chosen.shape[1]):
                        yield chosen.iloc[:, place]
