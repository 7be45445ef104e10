"""Cells: each value as the kind that it is, and what had to be adapted for Excel, told once a column."""

import datetime
import decimal
import math
import re

import numpy as np
import pandas as pd

LONGEST_TEXT = 32_767
"""Characters (UTF-16) of a cell: Excel's own limit."""
EXACT_DIGITS = 15
_FIRST = pd.Timestamp(1900, 3, 1)
"""Before it Excel counts a day that never was."""
_LAST = pd.Timestamp("9999-12-31")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
_ACTIVE = ("=", "+", "-", "@")


class Cells:
    """Writes values into one sheet. `told` collects (kind of adaptation, column, detail)."""

    def __init__(self, sheet, formats):
        self.sheet, self.formats = sheet, formats
        self.told = {}

    def put(self, row, column, value, code="", *, name="", **look):
        """One value; gaps and infinities stay empty cells."""
        value = plain(value)
        form = self.formats.of(code, **look)
        if value is None:
            if look:
                self.sheet.write_blank(row, column, None, form)
        elif isinstance(value, bool):
            self.sheet.write_boolean(row, column, value, form)
        elif isinstance(value, (int, float)):
            if isinstance(value, int) and abs(value) >= 10**EXACT_DIGITS:
                self._tell("long_number", name)
                self.sheet.write_string(row, column, str(value), self.formats.of("", **look))
            else:
                self.sheet.write_number(row, column, value, form)
        elif isinstance(value, datetime.datetime):
            self._moment(row, column, value, code, name, look)
        elif isinstance(value, datetime.timedelta):
            self.sheet.write_datetime(row, column, value, form)
        else:
            self.text(row, column, value, name=name, **look)

    def text(self, row, column, value, *, name="", **look):
        """A text is never a formula, a link or a number."""
        raw = str(value)
        kept = _CONTROL.sub("", raw.replace("\r\n", "\n").replace("\r", "\n"))
        if kept != raw and _CONTROL.search(raw.replace("\r", "")):
            self._tell("controls", name)
        if len(kept.encode("utf-16-le")) // 2 > LONGEST_TEXT:
            self._tell("cut_text", name)
            kept = kept.encode("utf-16-le")[: 2 * LONGEST_TEXT].decode("utf-16-le", "ignore")
        if kept.startswith(_ACTIVE):
            if kept.startswith("="):
                self._tell("formula", name)
            look["quote_prefix"] = True  # else Excel would take it for a formula when somebody edits it
        if kept:
            self.sheet.write_string(row, column, kept, self.formats.of("", **look))

    def _moment(self, row, column, value, code, name, look):
        if value.tzinfo is not None:
            self._tell("zone", name, str(value.tzinfo))
            value = value.replace(tzinfo=None)
        if not _FIRST <= value <= _LAST:
            self._tell("early", name)
            shown = value.strftime("%Y-%m-%d") if value.time() == datetime.time() else str(value)
            self.sheet.write_string(row, column, shown, self.formats.of("", **look))
            return
        timed = value.time() != datetime.time()
        code = code or ("yyyy-mm-dd hh:mm" if timed else "yyyy-mm-dd")
        self.sheet.write_datetime(row, column, value, self.formats.of(code, **look))

    def _tell(self, kind, column, detail=""):
        if column:
            self.told.setdefault((kind, column), detail)


class Formats:
    """xlsxwriter's formats, each made once."""

    def __init__(self, book):
        self.book, self._made = book, {}

    def of(self, code="", **look):
        key = (code, *sorted(look.items()))
        if key not in self._made:
            base = {"font_name": "Calibri", "font_size": 11, "valign": "top"} | look
            self._made[key] = self.book.add_format(base | ({"num_format": code} if code else {}))
        return self._made[key]


def plain(value):
    """A value as Python's own kind: None, bool, int, float, datetime, timedelta or str."""
    if isinstance(value, str):
        return getattr(value, "value", value)  # of a fact its number
    if isinstance(value, np.generic):
        value = _of_numpy(value)
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (float, decimal.Decimal)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (datetime.date, pd.Timedelta)):
        return _of_time(value)
    return value if isinstance(value, (bool, int, datetime.timedelta)) else str(value)


def _of_numpy(value):
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return pd.Timedelta(value) if isinstance(value, np.timedelta64) else value.item()


def _of_time(value):
    if isinstance(value, pd.Timedelta):
        return value.to_pytimedelta()
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime(warn=False)
    return value if isinstance(value, datetime.datetime) else pd.Timestamp(value).to_pydatetime()
