"""Workbooks: the beginning of each sheet as one page, and the formulas that fail."""

import posixpath
import re
import shutil
import zipfile
from typing import NamedTuple

from lxml import etree

ROWS, COLUMNS = 45, 20
"""What is shown of a sheet: as much as can be read on one page…"""
FAR_ROWS, FAR_COLUMNS = 70, 30
"""…and as far as a chart may draw that out."""
MAX_PART = 128 << 20
"""Bytes of a sheet. A larger one is left as it is, and so are those that are not written in UTF-8."""
MAX_ERRORS = 20
_NOWHERE = "$XFD$1048576:$XFD$1048576"
"""Where nothing is, so that no page is made of it: LibreOffice would print hidden sheets too."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACED = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_CELL = (609_600, 190_500)
"""EMU of a cell's width and height as they are when nobody sets them."""
_WORKBOOK = "xl/workbook.xml"
_END = re.compile(rb"</((?:\w+:)?)worksheet>\s*$")
_SETUP = re.compile(rb"<(?:\w+:)?(?:pageSetup|pageSetUpPr)\b[^>]*/>")
_BREAKS = re.compile(rb"<((?:\w+:)?(?:row|col)Breaks)\b[^>]*>.*?</\1>", re.DOTALL)
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >]")
_USED = re.compile(rb'<(?:\w+:)?dimension\s+ref="(?:\$?[A-Z]{1,3}\$?\d+:)?\$?([A-Z]{1,3})\$?(\d+)"')
_FAILED = re.compile(
    rb'<c r="([A-Z]{1,3}\d{1,7})"[^>]* t="e"[^>]*>(?:<f[^>]*(?:/>|>[^<]*</f>))?<v>([^<]{1,40})</v>'
)


def has_formulas(source):
    with zipfile.ZipFile(source) as archive:
        return any(_FORMULA.search(_read(archive, sheet.part)) for sheet in _sheets(archive))


def write_first_pages(source, target):
    """A copy whose sheets are one lying page each: the first rows and columns of what is used."""
    with (
        zipfile.ZipFile(source) as archive,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy,
    ):
        changed, areas = {}, {}
        for place, sheet in enumerate(_sheets(archive)):
            content = _read(archive, sheet.part)
            if not sheet.shown:
                areas[place] = f"{_quoted(sheet.name)}!{_NOWHERE}"
            elif (prepared := _one_page(content)) is not None:
                changed[sheet.part] = prepared
                areas[place] = f"{_quoted(sheet.name)}!$A$1:{_corner(content, archive, sheet.part)}"
        if areas:
            changed[_WORKBOOK] = _with_areas(archive.read(_WORKBOOK), areas)
        for entry in archive.infolist():
            if entry.filename in changed:
                copy.writestr(entry.filename, changed[entry.filename])
            else:
                as_it_is = zipfile.ZipInfo(entry.filename)
                as_it_is.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry) as old, copy.open(as_it_is, "w", force_zip64=True) as new:
                    shutil.copyfileobj(old, new)


def errors_in(recalculated):
    """`Sheet!B7: #DIV/0!` of the workbook that LibreOffice wrote, at most `MAX_ERRORS`."""
    found = []
    with zipfile.ZipFile(recalculated) as archive:
        for sheet in _sheets(archive):
            for cell, error in _FAILED.findall(_read(archive, sheet.part)):
                found.append(f"{sheet.name}!{cell.decode()}: {error.decode('utf-8', 'replace')}")
                if len(found) == MAX_ERRORS:
                    return found
    return found


class _Sheet(NamedTuple):
    name: str
    part: str
    """Empty for one that is not there."""
    shown: bool


def _sheets(archive):
    """In their order."""
    targets = _targets(archive, _WORKBOOK)
    book = _parsed(archive.read(_WORKBOOK))
    return [
        _Sheet(
            sheet.get("name", ""),
            targets.get(sheet.get(_RELATED), ("", ""))[1],
            sheet.get("state", "visible") == "visible",
        )
        for sheet in book.iterfind(f"{_MAIN}sheets/{_MAIN}sheet")
    ]


def _targets(archive, part):
    """Kind and part of what `part` refers to, by the id of the reference."""
    folder, name = posixpath.split(part)
    try:
        content = archive.read(f"{folder}/_rels/{name}.rels")
    except KeyError:
        return {}
    return {
        relation.get("Id"): (
            relation.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/" + folder, relation.get("Target", ""))).lstrip("/"),
        )
        for relation in _parsed(content)
    }


def _parsed(content):
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def _read(archive, part):
    """Empty for what is not there or too large."""
    try:
        return archive.read(part) if archive.getinfo(part).file_size <= MAX_PART else b""
    except KeyError:
        return b""


def _one_page(content):
    """The sheet with a page set-up of ours; None for what is no worksheet."""
    end = _END.search(content[-200:])
    if end is None:
        return None
    prefix = end[1]
    head, rest = content[: len(content) - len(content[-200:]) + end.start()], end[0]
    head = _BREAKS.sub(b"", _SETUP.sub(b"", head))
    fit = b'<%bsheetPr><%bpageSetUpPr fitToPage="1"/></%bsheetPr>' % (prefix, prefix, prefix)
    page = b'<%bpageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="1"/>' % prefix
    return head + fit + page + rest


def _corner(content, archive, part):
    """The last cell that is shown: of what is used, and of where the charts lie."""
    used = _USED.search(content[:8192])
    columns = min(_number(used[1]) if used else COLUMNS, COLUMNS)
    rows = min(int(used[2]) if used else ROWS, ROWS)
    for kind, drawing in _targets(archive, part).values():
        if kind == "drawing" and (placed := _read(archive, drawing)):
            for right, bottom in _ends(_parsed(placed)):
                columns = max(columns, min(right, FAR_COLUMNS))
                rows = max(rows, min(bottom, FAR_ROWS))
    return f"${_letters(columns)}${rows}"


def _ends(drawing):
    """The column and row, from 1, in which each thing that is drawn on a sheet ends."""
    for anchor in drawing:
        end, size = anchor.find(f"{_PLACED}to"), anchor.find(f"{_PLACED}ext")
        start = anchor.find(f"{_PLACED}from")
        if end is not None:
            yield _at(end)
        elif start is not None and size is not None:
            column, row = _at(start)
            yield column + int(size.get("cx", 0)) // _CELL[0], row + int(size.get("cy", 0)) // _CELL[1]


def _at(corner):
    return int(corner.findtext(f"{_PLACED}col", "0")) + 1, int(corner.findtext(f"{_PLACED}row", "0")) + 1


def _with_areas(content, areas):
    book = _parsed(content)
    names = book.find(f"{_MAIN}definedNames")
    if names is None:
        names = etree.Element(f"{_MAIN}definedNames")
        book.find(f"{_MAIN}sheets").addnext(names)
    for name in list(names):
        if name.get("name") in ("_xlnm.Print_Area", "_xlnm.Print_Titles"):
            names.remove(name)
    for place, area in areas.items():
        entry = etree.SubElement(
            names, f"{_MAIN}definedName", name="_xlnm.Print_Area", localSheetId=str(place)
        )
        entry.text = area
    return etree.tostring(book, xml_declaration=True, encoding="UTF-8", standalone=True)


def _quoted(name):
    return "'" + name.replace("'", "''") + "'"


def _number(letters):
    number = 0
    for letter in letters.decode():
        number = number * 26 + ord(letter) - 64
    return number


def _letters(number):
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
