"""A workbook: cells with their formats, charts, comments, headers and footers, drawings."""

import re
from dataclasses import replace

from numerals_charts import exact, labels
from numerals_drawing import alt_of, local, paragraphs, relation_ids, shapes
from numerals_embedded import chart
from numerals_formats import BUILT_IN, written_in
from numerals_kinds import YEAR
from numerals_model import Extraction, Unreadable
from numerals_package import NS, R_ID, Package
from numerals_text import clean, extract_text

S = f"{{{NS['s']}}}"
MAX_CELLS = 400_000
"""Cells of one workbook that are looked at."""
MAX_STRINGS = 300_000
SENTENCE = 3
"""A text of more words is one; of fewer, it names something."""
NAMING = re.compile(
    r"(?i:(?:\b|_)(?:id|ids|code|no|zip|postal|sku|year|month|day|rank|index|invoice|phone|год|месяц|день|код|номер|ранг"
    r"|индекс|артикул|место|инн)(?:\b|_))|№|^#$|(?<=[a-z])(?:ID|Id|No|Code)$"
)
"""Heads of columns whose whole numbers are names."""
ROW_ID = re.compile(r"(?i:(?:\b|_)(?:ids?|index|индекс)(?:\b|_))|№|^#$|(?<=[a-z])(?:ID|Id|No)$")
"""Heads of columns that number the rows of a list."""
MAX_HEADS = 2_000
"""Columns whose heads are remembered."""


def read(path, name):
    package = Package(path)
    try:
        return read_package(package, name)
    finally:
        package.close()


def read_package(package, name, charts=True):
    found = Extraction(name)
    main = package.first("xl/workbook.xml")
    if not main:
        raise Unreadable("it holds no workbook")
    related = package.relations(main)
    strings, (formats, codes) = _strings(package, found), _formats(package)
    for code in codes:
        found.add(labels(written_in(code), "a number format"))
    room = MAX_CELLS
    for sheet in package.xml(main).iter(f"{S}sheet"):
        word, part = related.get(sheet.get(R_ID, ""), ("", ""))
        if part not in package.names:
            continue
        title = sheet.get("name", "")
        found.add(labels(title, f"sheet {title}, name"))
        try:
            if word == "worksheet":
                room = _sheet(package, part, title, strings, formats, found, room)
            if charts:
                _drawings(package, part, title, found)
        except Unreadable as error:
            found.notes.append(f"sheet {title}: {error}")
    return found


def _strings(package, found):
    part = package.first("xl/sharedStrings.xml")
    texts = []
    if part:
        for item in package.rows(part, f"{S}si"):
            if len(texts) >= MAX_STRINGS:
                found.notes.append(f"texts after the first {MAX_STRINGS} were not read")
                break
            texts.append(
                "".join(one.text or "" for one in item.iter(f"{S}t") if local(one.getparent()) != "rPh")
            )
    return texts


def _formats(package):
    """Of each cell style the code of its number format; and all codes, those of conditions included."""
    part = package.first("xl/styles.xml")
    if not part:
        return [], []
    root = package.xml(part)
    own = list(dict.fromkeys(one.get("formatCode", "") for one in root.iter(f"{S}numFmt")))
    codes = BUILT_IN | {
        int(one.get("numFmtId")): one.get("formatCode", "")
        for one in root.iter(f"{S}numFmt")
        if one.get("numFmtId", "").isdecimal()
    }
    styles = root.find(f"{S}cellXfs")
    return [
        codes.get(int(one.get("numFmtId", "0") or 0), "") for one in (styles if styles is not None else ())
    ], own


def _sheet(package, part, title, strings, formats, found, room):
    grid, left = _Grid(found.file, title, formats), 0
    for number, row in enumerate(package.rows(part, f"{S}row"), start=1):
        if number % 500 == 0 and found.late(f"sheet {title}: rows from {number} on were"):
            break
        grid.begin()
        for cell in row.iter(f"{S}c"):
            kind, text = _content(cell, strings)
            if not text:
                continue
            numerals = grid.cell(kind, text, cell.get("r", f"row {number}"), cell.get("s", ""))
            if room > 0:
                found.numerals += numerals
            room, left = room - 1, left + (room <= 0)
    for one in _footers(package, part):
        found.add(extract_text(one, f"sheet {title}, header or footer"))
    if left:
        found.notes.append(f"sheet {title}: {left} cells were not read")
    return max(room, 0)


class _Grid:
    """Knows the heads above and the name to the left while a sheet is read row by row."""

    def __init__(self, file, title, formats):
        self.file, self.title, self.formats = file, title, formats
        self.heads, self.before, self.name = {}, {}, None

    def begin(self):
        self.name = None

    def cell(self, kind, text, address, style):
        column, place = address.rstrip("0123456789"), f"sheet {self.title}, cell {address}"
        head = self.heads.get(column, "")
        if kind == "text":
            text = clean(text)
            if self.name is None:
                self.name = text[:120]
            if column not in self.heads and len(self.heads) < MAX_HEADS:
                self.heads[column] = text[:120]
            if not any(mark.isdigit() for mark in text):
                return []
            sentence = len(text.split()) > SENTENCE
            numerals = extract_text(text, place) if sentence else labels(text, place)
            return [replace(one, file=self.file, around=f"{head} {self.name}") for one in numerals]
        code = self.formats[int(style)] if style.isdecimal() and int(style) < len(self.formats) else ""
        first = self.name is None
        numeral = exact(text, code, place, ("" if first else self.name, head), file=self.file)
        if numeral is None:
            return []
        if first:
            # years and codes name rows too; what only numbers them is a name of many other things
            self.name = "" if ROW_ID.search(head) else text[:120]
        return [replace(numeral, kind="name")] if self._names(numeral, column, first, head) else [numeral]

    def _names(self, numeral, column, first, head):
        """Codes and years, told by the head of their column, and what numbers the rows."""
        bare = not numeral.unit and numeral.decimals == 0
        before, self.before[column] = self.before.get(column), numeral.value
        if not bare:
            return False
        if NAMING.search(head) or (first and YEAR.fullmatch(numeral.text)):
            return True
        return first and (numeral.value == 1 if before is None else numeral.value == before + 1)


def _content(cell, strings):
    """("text" or "number" or "", the text)."""
    kind, value = cell.get("t", "n"), cell.find(f"{S}v")
    if kind == "inlineStr":
        text = "".join(one.text or "" for one in cell.iter(f"{S}t"))
    elif value is None or not value.text:
        return "", ""
    elif kind == "s":
        index = value.text.strip()
        text = strings[int(index)] if index.isdecimal() and int(index) < len(strings) else ""
    elif kind == "str":
        text = value.text
    elif kind == "n":
        return "number", value.text
    else:  # errors, logical values, dates
        return "", ""
    return "text", text


def _footers(package, part):
    """Texts of the page's header and footer, codes of fields and fonts taken out."""
    for block in package.rows(part, f"{S}headerFooter"):
        for one in block.iter():
            if one.text and one.text.strip():
                yield re.sub(r'&(?:"[^"]*"|K[0-9A-F]{6}|\d+|.)', " ", one.text)


def _drawings(package, part, title, found):
    for comments in package.related(part, "comments"):
        for one in package.xml(comments).iter(f"{S}text"):
            text = "".join(piece.text or "" for piece in one.iter(f"{S}t"))
            found.add(extract_text(text, f"sheet {title}, comment"))
    for drawing in package.related(part, "drawing"):
        related = package.relations(drawing)
        for count, shape in enumerate(shapes(package.xml(drawing)), start=1):
            where = f"sheet {title}, drawing {count}"
            found.add(extract_text(alt_of(shape), f"{where}, alt text"))
            found.add(extract_text(paragraphs(shape), where))
            for word, key in relation_ids(shape):
                if word == "chart" and key in related and related[key][1] in package.names:
                    chart(package, related[key][1], where, "", found)
