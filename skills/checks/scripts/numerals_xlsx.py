"""A workbook: cells with their formats, charts, comments, headers and footers, drawings."""

import re

from numerals_charts import exact, labels
from numerals_drawing import alt_of, local, paragraphs, relation_ids, shapes
from numerals_embedded import chart
from numerals_formats import BUILT_IN
from numerals_model import Extraction, Unreadable
from numerals_package import NS, R_ID, Package
from numerals_text import clean, extract_text

S = f"{{{NS['s']}}}"
MAX_CELLS = 400_000
"""Cells of one workbook that are looked at."""
MAX_STRINGS = 300_000
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
    strings, formats = _strings(package, found), _formats(package)
    room = MAX_CELLS
    for sheet in package.xml(main).iter(f"{S}sheet"):
        word, part = related.get(sheet.get(R_ID, ""), ("", ""))
        if part not in package.names:
            continue
        title = sheet.get("name", "")
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
    """Of each cell style the code of its number format."""
    part = package.first("xl/styles.xml")
    if not part:
        return []
    root = package.xml(part)
    codes = BUILT_IN | {
        int(one.get("numFmtId")): one.get("formatCode", "")
        for one in root.iter(f"{S}numFmt")
        if one.get("numFmtId", "").isdecimal()
    }
    styles = root.find(f"{S}cellXfs")
    return [
        codes.get(int(one.get("numFmtId", "0") or 0), "") for one in (styles if styles is not None else ())
    ]


def _sheet(package, part, title, strings, formats, found, room):
    heads, left, row_number = {}, 0, 0
    for row in package.rows(part, f"{S}row"):
        row_number = int(row.get("r") or row_number + 1)
        name = None
        for cell in row.iter(f"{S}c"):
            kind, text, written = _content(cell, strings)
            column = re.sub(r"\d", "", cell.get("r", ""))
            if not text:
                continue
            if kind == "text":
                text = clean(text)
                if name is None:
                    name = text[:120]
                if column not in heads and len(heads) < MAX_HEADS:
                    heads[column] = text[:120]
            if room <= 0:
                left += 1
                continue
            room -= 1
            place = f"sheet {title}, cell {cell.get('r', f'row {row_number}')}"
            if kind == "text":
                if any(mark.isdigit() for mark in text):
                    numerals = labels(text, place) if not written else extract_text(text, place)
                    found.add(numerals, around=f"{heads.get(column, '')} {name or ''}")
                continue
            style = cell.get("s", "")
            code = formats[int(style)] if style.isdecimal() and int(style) < len(formats) else ""
            if name is None and kind == "number":
                name = text  # years and codes name rows too
                numeral = exact(text, code, place, ("", heads.get(column, "")))
            else:
                numeral = exact(text, code, place, (name or "", heads.get(column, "")))
            if numeral is not None:
                found.add([numeral])
    for one in _footers(package, part):
        found.add(extract_text(one, f"sheet {title}, header or footer"))
    if left:
        found.notes.append(f"sheet {title}: {left} cells were not read")
    return room


def _content(cell, strings):
    """("text" or "number" or "", the text, whether it is a sentence rather than a name)."""
    kind, value = cell.get("t", "n"), cell.find(f"{S}v")
    if kind == "inlineStr":
        text = "".join(one.text or "" for one in cell.iter(f"{S}t"))
    elif value is None or not value.text:
        return "", "", False
    elif kind == "s":
        index = value.text.strip()
        text = strings[int(index)] if index.isdecimal() and int(index) < len(strings) else ""
    elif kind == "str":
        text = value.text
    elif kind == "n":
        return "number", value.text, False
    else:  # errors, logical values, dates
        return "", "", False
    return "text", text, len(text.split()) > 3


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
