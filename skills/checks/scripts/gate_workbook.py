"""Check 15: cells of a workbook without errors, numbers that are numbers, formulas that somebody meant."""

import re
import zipfile
from itertools import repeat, zip_longest
from types import SimpleNamespace

from gate_charts import drawn_findings
from gate_leftovers import leftovers
from gate_model import finding, quoted
from lxml import etree
from openpyxl import load_workbook
from openpyxl.formula import Tokenizer
from openpyxl.utils import get_column_letter

MOST_CELLS = 150_000
"""Of all sheets; a workbook of more is checked as far as that."""
ERRORS = ("#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#N/A", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
_NUMERIC = re.compile(
    r"\s*[-+−(]?\s*(?:[€$£₽¥]\s*)?\d{1,3}(?:[  \u00a0\u202f,.']?\d{3})*(?:[.,]\d+)?\s*(?:%|[€$£₽¥]"
    r"|руб\.?)?\)?\s*|[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
)
_CODE = re.compile(r"0\d+|\d{10,}|\d{4}-\d\d.*|[+]\d{7,}")
_ID_NAMES = re.compile(
    r"\bids?\b|_id\b|code|phone|zip|postal|sku|account|invoice|ticket|номер|\bкод|инн|артикул|телефон|индекс|счёт|счет|version|версия",
    re.I,
)
_HOSTILE = re.compile(
    r"\|\s*['\"!]|\bcmd\b|\b(?:WEBSERVICE|DDE|CALL|REGISTER|FILTERXML|RTD|EXEC)\s*\(|\[\d+\]|https?://", re.I
)
_CELL = re.compile(
    r"(?:(?:'[^']+'|[\w.]+)!)?(?:\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+)",
    re.I,
)
_FORMULA = re.compile(rb"<f[ />]")
MOST_FORMULAS = 2_000
"""Of one sheet, that are taken apart."""
_LEAST_TEXTS = 3
MOST_CHART_XML = 5 * 2**20


def workbook_findings(path, file, *, recalculated=None):
    """`recalculated`: the same workbook as LibreOffice saved it after computing every formula."""
    written = load_workbook(path, read_only=True)
    # a second reading, for what formulas came to, is dear: only where there are any
    computed = (
        load_workbook(recalculated or path, read_only=True, data_only=True) if _computes(path) else None
    )
    found, left, unknown = [], MOST_CELLS, 0
    try:
        for sheet in written.worksheets:
            reading = _Sheet(sheet.title, file, set(written.defined_names))
            known = computed is not None and sheet.title in computed.sheetnames
            results = computed[sheet.title].iter_rows(values_only=True) if known else repeat(())
            for row, values in zip(sheet.iter_rows(), results, strict=False):
                for cell, value in zip_longest(row, values[: len(row)]):
                    if cell.value is not None:
                        left -= 1
                        reading.add(cell, value)
                if left <= 0:
                    break
            found += reading.findings()
            unknown += reading.uncomputed
    finally:
        written.close()
        if computed is not None:
            computed.close()
    if unknown:
        detail = (
            f"{unknown} formulas have no computed value, so readers of previews see nothing "
            "there. Write values."
        )
        found.append(finding("formula_unchecked", file, "", detail))
    return found + _charts(path, file)


class _Sheet:
    """What was seen of one sheet, column by column."""

    def __init__(self, title, file, names):
        self.title, self.file, self.names = title, file, names
        self.columns, self.found, self.uncomputed, self.formulas = {}, [], 0, 0

    def add(self, cell, value):
        column = self.columns.setdefault(cell.column, _Column())
        place = f"sheet {self.title}, {get_column_letter(cell.column)}{cell.row}"
        text = cell.value if isinstance(cell.value, str) else ""
        if cell.data_type == "f":
            self._formula(str(getattr(cell.value, "text", cell.value)), value, column, place)
        elif cell.data_type == "e" or text in ERRORS:
            self._error(text, place)
        elif isinstance(cell.value, str):
            column.texts.append((cell.row, text))
            self.found += leftovers(text, self.file, place)
        else:
            column.others += 1

    def findings(self):
        for number, column in self.columns.items():
            letter = get_column_letter(number)
            if column.is_numbers_as_text():
                row, example = column.numeric[0]
                detail = (
                    f"Column {letter} holds numbers as text, such as {quoted(example)} in row {row}. "
                    "Write numbers, and "
                    "give the cells a number format."
                )
                self.found.append(
                    finding("number_as_text", self.file, f"sheet {self.title}, column {letter}", detail)
                )
            if column.formulas and len(column.texts) >= _LEAST_TEXTS and not column.others:
                place, formula = column.formulas[0]
                if len(column.texts) > 2 * len(column.formulas):
                    self._from_text(formula, place, "stands in a column of texts")
        return self.found

    def _formula(self, formula, computed, column, place):
        if isinstance(computed, str) and computed in ERRORS:
            self._error(computed, place)
        elif computed is None:
            self.uncomputed += 1
        elif isinstance(computed, str):
            column.formulas.append((place, formula))
        self.formulas += 1
        if _HOSTILE.search(formula):
            self._from_text(formula, place, "reaches outside of the workbook")
        elif self.formulas <= MOST_FORMULAS and not _is_formula(formula, self.names):
            self._from_text(formula, place, "is no formula that Excel knows")

    def _error(self, text, place):
        detail = f"The cell shows {quoted(text or 'an error')}. Mend the formula, or write the value."
        self.found.append(finding("formula_error", self.file, place, detail))

    def _from_text(self, formula, place, why):
        detail = (
            f"{quoted(formula, 50)} {why}. Write text that begins with '=' as text (xlsxwriter: "
            "write_string)."
        )
        self.found.append(finding("formula_from_text", self.file, place, detail))


class _Column:
    def __init__(self):
        self.texts, self.others, self.formulas = [], 0, []

    @property
    def numeric(self):
        return [
            (row, text)
            for row, text in self.texts
            if _NUMERIC.fullmatch(text) and not _CODE.fullmatch(text.strip())
        ]

    def is_numbers_as_text(self):
        """Most texts below the header are numbers, and neither their form nor the header makes them codes."""
        numbers = self.numeric
        if len(numbers) < _LEAST_TEXTS or any(_ID_NAMES.search(text) for _, text in self.texts[:3]):
            return False
        if any(_CODE.fullmatch(text.strip()) for _, text in self.texts):
            return False
        return len(numbers) >= 0.8 * max(1, len(self.texts) - 1)


def _is_formula(formula, names):
    """Whether all that a formula names are cells or names that there are."""
    try:
        tokens = Tokenizer(formula).items
    except Exception:  # the tokenizer raises errors of many kinds for what is no formula
        return False
    for token in tokens:
        plain = token.value.strip()
        if token.type == "OPERAND" and token.subtype == "RANGE":
            if not (
                _CELL.fullmatch(plain) or plain in names or "[" in plain or plain.upper() in ("TRUE", "FALSE")
            ):
                return False
        elif (
            token.type == "FUNC"
            and token.subtype == "OPEN"
            and not re.fullmatch(r"[A-Z_][\w.]*\(", plain, re.I)
        ):
            return False
    return True


def _computes(path):
    """Whether any sheet has a formula."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/"):
                with archive.open(name) as sheet:
                    last = b""
                    while chunk := sheet.read(2**20):
                        if _FORMULA.search(last + chunk):
                            return True
                        last = chunk[-2:]
    return False


def _charts(path, file):
    """Native charts of a workbook: flat, with titles of axes."""
    found = []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist()[:5_000]:
            if re.fullmatch(r"xl/charts/chart\d+\.xml", entry.filename) and entry.file_size <= MOST_CHART_XML:
                parser = etree.XMLParser(resolve_entities=False, no_network=True)
                space = etree.fromstring(archive.read(entry), parser)
                chart = SimpleNamespace(_chartSpace=space)
                found += drawn_findings(chart, file, entry.filename.rsplit("/", 1)[-1].removesuffix(".xml"))
    return found
