"""What an expression may name beside the columns of its frame."""

import pandas as pd
from facts_errors import NotAnExpression

BUILTINS = {f.__name__: f for f in (abs, bool, float, int, len, max, min, round, sorted, str, sum)}
PANDAS = (
    "NA", "NaT", "Grouper", "Interval", "NamedAgg", "Period", "Timedelta", "Timestamp", "concat", "crosstab",
    "cut", "isna", "isnull", "merge", "notna", "notnull", "qcut", "to_datetime", "to_numeric", "to_timedelta",
)  # fmt: skip
FILTERS = {
    "drop_duplicates", "dropna", "explode", "filter", "head", "nlargest", "nsmallest", "query", "sample",
    "tail",
}  # fmt: skip
"""Methods whose result holds rows of what they are called on."""
_FORBIDDEN = {
    "attrs", "boxplot", "eval", "flags", "hist", "info", "pipe", "plot", "set_flags", "style", "update",
}  # fmt: skip
_CONVERSIONS = {
    "to_dict", "to_flat_index", "to_frame", "to_julian_date", "to_list", "to_numpy", "to_period",
    "to_pydatetime", "to_series", "to_timestamp",
}  # fmt: skip
"""Of the methods called to_…, those that write no file."""


def permit(owner, name):
    """Raises NotAnExpression for an attribute that reaches beyond the frame or changes it."""
    if owner is pd:
        if name not in PANDAS:
            raise NotAnExpression(f"An expression has no pd.{name}. It has: {', '.join(PANDAS)}.")
    elif name.startswith("_") or name in _FORBIDDEN or (name.startswith("to_") and name not in _CONVERSIONS):
        raise NotAnExpression(f"An expression may not use .{name}.")
