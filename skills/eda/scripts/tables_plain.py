"""Columns that a program wrote: whole numbers, decimals and ISO dates are cast at once, not read by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NUMBERS = (
    (r"^-?(?:[1-9]\d{0,14}|0)$", pa.int64()),
    (r"^-?(?:(?:[1-9]\d{0,14}|0)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,2})?$", pa.float64()),
)
"""Narrower than what `tables_numbers` knows: no leading zeros, no marks, no signs."""
DATES = (r"^\d{4}-\d\d-\d\d$", r"^\d{4}-\d\d-\d\d \d\d:\d\d$", r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")


def cast(dictionary, gone):
    """The distinct texts as a NumPy array of int64, float64 or datetime64[us], parallel to `dictionary`; None
    when they are anything else. Texts in `gone` are missing: NaN or NaT."""
    missing = pc.is_in(dictionary, value_set=pa.array(sorted(gone)))
    texts = dictionary.filter(pc.invert(missing))
    values = _cast(texts) if len(texts) else None
    if values is None or len(texts) == len(dictionary):
        return values
    whole = np.issubdtype(values.dtype, np.integer)
    result = np.full(
        len(dictionary), np.nan if whole else _nothing(values), dtype=float if whole else values.dtype
    )
    result[pc.invert(missing).to_numpy(zero_copy_only=False)] = values
    return result


def _nothing(values):
    return np.nan if values.dtype.kind == "f" else np.datetime64("NaT")


def _cast(texts):
    first = texts.slice(0, 50)
    for shape, kind in (*NUMBERS, *((shape, pa.timestamp("us")) for shape in DATES)):
        if not _all(first, shape) or not _all(texts, shape):
            continue
        try:
            values = pc.cast(texts, kind).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:  # the thirtieth of February
            return None
        return values if values.dtype.kind != "f" or np.isfinite(values).all() else None
    return None


def _all(texts, shape):
    return pc.all(pc.match_substring_regex(texts, shape)).as_py()
