"""The workbook of a cleaning: data, log, questions, removed rows."""

import datetime

import facts
import pandas as pd
import xlsxwriter

WIDEST = 60
ROWS = 1_048_575


def write(path, made):
    """Sheets in this order; cells are numbers, dates and texts, never formulas. The path is returned."""
    words = made.words
    sheets = {words["data"]: made.frame, words["log"]: made.log}
    if len(made.questions):
        sheets[words["questions"]] = made.questions
    if len(made.removed):
        sheets[words["removed"]] = made.removed
    options = {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": False}
    with xlsxwriter.Workbook(str(path), options) as book:
        for name, frame in sheets.items():
            _sheet(book, name, frame)
    for name, frame in sheets.items():
        facts.drawn(str(path), name, frame)
    print(f"saved {path}")
    return str(path)


def removed(parts, words):
    """One frame of all removed rows, with their place in the source (1 is the first) and the reason."""
    frames = [
        rows.assign(**{words["row"]: [int(place) + 1 for place in rows.index], words["why"]: why})
        for rows, why in parts
        if len(rows)
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _sheet(book, name, frame):
    sheet = book.add_worksheet(name[:31])
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    for place, column in enumerate(frame.columns):
        sheet.write_string(0, place, str(column), head)
        values = frame.iloc[:ROWS, place].tolist()
        times = pd.api.types.is_datetime64_any_dtype(frame.dtypes.iloc[place])
        with_time = times and bool(
            (frame.iloc[:, place].dropna().dt.normalize() != frame.iloc[:, place].dropna()).any()
        )
        for row, value in enumerate(values, start=1):
            _cell(sheet, row, place, value, moment if with_time else day)
        longest = max([len(str(column)), *(10 if times else len(str(value)) for value in values[:500])])
        sheet.set_column(place, place, min(WIDEST, longest + 2))
    sheet.freeze_panes(1, 0)
    if len(frame):
        sheet.autofilter(0, 0, len(frame), max(0, frame.shape[1] - 1))


def _cell(sheet, row, place, value, dates):
    if value is None or value is pd.NaT or value is pd.NA or value != value or value == "":
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif isinstance(value, (datetime.datetime, datetime.date)):
        if value.year < 1900:  # before the first day that a sheet knows
            sheet.write_string(row, place, str(value)[:10])
        else:
            sheet.write_datetime(row, place, pd.Timestamp(value).tz_localize(None).to_pydatetime(), dates)
    elif isinstance(value, (int, float)) and abs(value) < 1e300:
        sheet.write_number(row, place, value)
    else:
        sheet.write_string(row, place, str(value)[:32_767])
