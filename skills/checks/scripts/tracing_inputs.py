"""Cells of a sheet of raw data: the same numbers as in the files that came in."""

import contextlib

FEW = 200
"""Up to so many cells nothing is read again."""
MAX_BYTES = 64 * 1024 * 1024
MAX_NUMBERS = 1_000_000


class Inputs:
    """The numbers of all input tables, read when they are first needed."""

    def __init__(self):
        self.numbers = None

    def without(self, left, result):
        """`left` without the cells that are numbers of an input file."""
        cells = [one for one, _ in left if one.exact]
        if len(cells) < FEW:
            return left
        if self.numbers is None:
            self.numbers = _read()
        kept = [
            (one, trouble) for one, trouble in left if not (one.exact and round(one.value, 6) in self.numbers)
        ]
        result.traced += len(left) - len(kept)
        return kept


def _read():
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
