"""Workbooks: every sheet a table, hidden ones marked, formulas without a stored result told."""

import html
import re
import zipfile
import zlib
from datetime import time, timedelta

import openpyxl
import xlrd
from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum
from python_calamine import PasswordError as CalaminePasswordError
from tables_errors import BrokenFile, EmptyFile, HeaderOnly, PasswordProtected, TooLarge
from tables_model import Note
from tables_shape import build

MAX_UNPACKED = 600 * 1024 * 1024
MAX_SHEET = 250 * 1024 * 1024
"""Bytes of XML: some 5 million cells, near a minute of reading."""
CELL = re.compile(rb'<(?:x:)?c [^>]*?r="([A-Z]+\d+)"[^>]*?(?:/>|>(.*?)</(?:x:)?c>)', re.DOTALL)
MERGE = re.compile(rb'<(?:x:)?mergeCell ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    LookupError,
    ValueError,
    SyntaxError,
    OSError,
)
"""What openpyxl and zipfile raise on a broken package; SyntaxError is broken XML."""
STATES = {"hidden": "hidden", "veryHidden": "very hidden"}


def read_xlsx(path, name):
    """Tables of a modern workbook. Stored values only: nothing is computed here."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as package:
            size = sum(item.file_size for item in package.infolist())
            if size > MAX_UNPACKED:
                raise TooLarge(
                    path.name, size=size // 2**20, unit="MiB unpacked", limit=MAX_UNPACKED // 2**20
                )
            book = openpyxl.load_workbook(
                file, read_only=True, data_only=True
            )  # of a path it minds the suffix
            sheets = []
            for sheet in book.worksheets:
                part = (
                    sheet._worksheet_path
                )  # openpyxl tells merged ranges only when it loads all cells at once
                if package.getinfo(part).file_size > MAX_SHEET:
                    size = package.getinfo(part).file_size // 2**20
                    raise TooLarge(path.name, size=size, unit="MiB in one sheet", limit=MAX_SHEET // 2**20)
                sheets.append(_xlsx_sheet(sheet, package.read(part)))
            book.close()
    except DAMAGE as error:
        raise BrokenFile(path.name, kind="an Excel workbook", reason=str(error)[:200]) from error
    return _tables(path, name, sheets)


def read_xls(path, name):
    try:
        book = xlrd.open_workbook(path, logfile=_Silent())
    except xlrd.XLRDError as error:
        if "encrypt" in str(error).lower() or "password" in str(error).lower():
            raise PasswordProtected(path.name) from error
        raise BrokenFile(path.name, kind="an old Excel workbook", reason=str(error)[:200]) from error
    sheets = []
    for sheet in book.sheets():
        rows = [[_xls_cell(cell, book.datemode) for cell in sheet.row(i)] for i in range(sheet.nrows)]
        sheets.append((sheet.name, ["", "hidden", "very hidden"][sheet.visibility], _trimmed(rows), {}, []))
    return _tables(path, name, sheets)


def read_ods(path, name):
    try:
        with path.open("rb") as file, CalamineWorkbook.from_filelike(file) as book:
            hidden = {
                sheet.name for sheet in book.sheets_metadata if sheet.visible is not SheetVisibleEnum.Visible
            }
            cells = {title: book.get_sheet_by_name(title).to_python() for title in book.sheet_names}
    except CalaminePasswordError as error:
        raise PasswordProtected(path.name) from error
    except (CalamineError, *DAMAGE) as error:
        raise BrokenFile(path.name, kind="an OpenDocument sheet", reason=str(error)[:200]) from error
    sheets = []
    for title, lines in cells.items():
        rows = [[None if cell == "" else cell for cell in line] for line in lines]
        sheets.append((title, "hidden" if title in hidden else "", _trimmed(rows), {}, []))
    return _tables(path, name, sheets)


def _tables(path, name, sheets):
    tables, empty, headers = [], [], []
    for title, state, rows, merges, notes in sheets:
        told = [Note("hidden_sheet", {"sheet": title, "state": state})] if state else []
        try:
            tables.append(
                build(
                    rows,
                    title,
                    path.name,
                    [*told, *notes],
                    merges=merges,
                    loose=True,
                    size=path.stat().st_size,
                )
            )
        except EmptyFile:
            empty.append(title)
        except HeaderOnly as error:
            empty.append(title)
            headers.append(error)
    if not tables:
        raise headers[0] if headers else EmptyFile(path.name, size=path.stat().st_size)
    if empty:
        first = tables[0]
        told = (*first.notes, Note("empty_sheets", {"sheets": empty}))
        tables[0] = type(first)(first.name, first.file, first.frame, told)
    return tables


def _xlsx_sheet(sheet, xml):
    sheet.reset_dimensions()
    rows = _trimmed([[_cell(cell) for cell in row] for row in sheet.iter_rows(values_only=True)])
    notes, sideways, filled = [], {}, 0
    for left, top, right, bottom in MERGE.findall(xml):
        first, last, column = int(top) - 1, int(bottom) - 1, _column(left)
        if left != right:
            sideways[first] = sideways.get(first, 0) + _column(right) - column
        value = rows[first][column] if first < len(rows) and column < len(rows[first]) else None
        if isinstance(value, str) and value.strip():  # a merged number counts once, or sums would be wrong
            for row in rows[first + 1 : min(last + 1, len(rows))]:
                row.extend([None] * (column + 1 - len(row)))
                row[column] = value
                filled += 1
    if filled:
        notes.append(Note("merged_cells", {"count": filled}))
    if formulas := _without_values(xml):
        notes.append(
            Note(
                "formulas_without_values",
                {
                    "count": len(formulas),
                    "examples": formulas[:5],
                    "cells": [item.split(" ")[0] for item in formulas[:200]],
                },
            )
        )
    return sheet.title, STATES.get(sheet.sheet_state, ""), rows, sideways, notes


def _without_values(xml):
    """Cells like "C2 =A2+B2" whose formula was never computed by the program that wrote the file."""
    if b"<f" not in xml and b"<x:f" not in xml:
        return []
    found = []
    for reference, inner in CELL.findall(xml):
        if re.search(rb"<(?:x:)?f[ >/]", inner) and not re.search(rb"<(?:x:)?v>[^<]", inner):
            text = re.search(rb"<(?:x:)?f[^>]*>([^<]*)</", inner)
            shown = html.unescape(text[1].decode("utf-8", "replace")) if text else "shared formula"
            found.append(f"{reference.decode()} ={shown}")
    return found


def _column(letters):
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _cell(value):
    return str(value) if isinstance(value, (time, timedelta)) else value


def _xls_cell(cell, datemode):
    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return None
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return xlrd.xldate_as_datetime(cell.value, datemode)
        except (xlrd.XLDateError, OverflowError, ValueError):
            return cell.value
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return xlrd.error_text_from_code.get(cell.value, "#N/A")
    return cell.value


def _trimmed(rows):
    """Rows end at their last filled cell, since sheets carry formatted emptiness."""
    for row in rows:
        while row and (row[-1] is None or (isinstance(row[-1], str) and not row[-1].strip())):
            row.pop()
    while rows and not rows[-1]:
        rows.pop()
    return rows


class _Silent:
    """xlrd writes its warnings here: they are not for the reader of a report."""

    def write(self, text):
        return len(text)

    def flush(self):
        return None
