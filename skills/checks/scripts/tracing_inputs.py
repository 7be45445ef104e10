"""The numbers of the files that came in."""

import contextlib
from functools import lru_cache

MAX_BYTES = 64 * 1024 * 1024
"""Of a file that is read again for its numbers."""
MAX_NUMBERS = 1_000_000


@lru_cache(maxsize=1)
def numbers_of_inputs():
    """A set of all numbers of all input tables, rounded to six decimals; empty where there are none."""
    import tables  # only raw data pays for it
    from tables_errors import TableError

    found = set()
    with contextlib.suppress(OSError):
        for name in tables.files():
            if (tables.INPUT / name).stat().st_size > MAX_BYTES:
                continue
            with contextlib.suppress(TableError):
                for table in tables.read(name):
                    numbers = table.frame.select_dtypes("number")
                    for place in range(numbers.shape[1]):
                        found.update(numbers.iloc[:, place].dropna().round(6).tolist())
                        if len(found) > MAX_NUMBERS:
                            return frozenset(found)
    return frozenset(found)
