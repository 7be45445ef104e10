"""Results with one thing in them made wrong: what a clause must notice.

A wrong number is put wherever the right one stood: paragraphs, cells, charts' caches, notes, the answer and
what was registered as drawn. A PDF is set anew from its lines, since its text cannot be changed in place.
"""

import copy
import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from pptx import Presentation
from pypdf import PdfReader

from tests.tasks.clauses import AnyOf, Clause, Shape
from tests.tasks.numbers import plain
from tests.tasks.reading import MAX_ROWS, Reading, Statement, as_text, said, shown

etree: Any = import_module("lxml.etree")
Spoil = Callable[[str], str]
_PARTS = re.compile(
    r"(slides/slide|notesSlides/notesSlide|charts/chart|worksheets/sheet|sharedStrings|word/document)[^/]*\.xml$"
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """All that a reading is made of."""

    answer: str
    files: Sequence[Path]
    facts: Sequence[dict[str, Any]] = ()

    def read(self) -> Reading:
        statements = [s for path in self.files for s in _shown(path, json.dumps(self.facts))]
        return Reading(self.answer, self.files, [*said(self.answer), *statements])


def spoilt(delivery: Delivery, clause: Clause | AnyOf, folder: Path) -> Delivery:
    """The delivery, written to `folder` with what the clause speaks of made wrong."""
    folder.mkdir(parents=True)
    if isinstance(clause, Shape):
        change = _SHAPES[clause.spoilt_by]
        files = [made for path in delivery.files if (made := change(path, folder / path.name)) is not None]
        return Delivery(delivery.answer, files, delivery.facts)
    files = [
        rewritten(path, folder / path.name, clause.spoil) if _tells(path, delivery.facts, clause) else path
        for path in delivery.files
    ]
    return Delivery(
        _lines(delivery.answer, clause.spoil), files, [_fact(fact, clause.spoil) for fact in delivery.facts]
    )


def trimmed(delivery: Delivery, folder: Path) -> Delivery:
    """Without the rows of sheets that a reading leaves out, which would only cost time."""
    folder.mkdir(parents=True)
    files: list[Path] = []
    for path in delivery.files:
        files.append(path if path.suffix != ".xlsx" else folder / path.name)
        if path.suffix == ".xlsx":
            with (
                zipfile.ZipFile(path) as source,
                zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED) as out,
            ):
                for name in source.namelist():
                    sheet = "worksheets/sheet" in name and name.endswith(".xml")
                    out.writestr(name, _head(source.read(name)) if sheet else source.read(name))
    return Delivery(delivery.answer, files, delivery.facts)


def _head(content: bytes) -> bytes:
    root = etree.fromstring(content)
    for row in list(root.iter("{*}row")):
        if int(row.get("r") or 0) > MAX_ROWS:
            row.getparent().remove(row)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _tells(path: Path, facts: Sequence[dict[str, Any]], clause: Clause | AnyOf) -> bool:
    """A file that does not need to be written anew keeps what it says."""
    return clause.holds(Reading("", [path], _shown(path, json.dumps(facts))))


@lru_cache(maxsize=64)
def _shown(path: Path, facts: str) -> tuple[Statement, ...]:
    return tuple(shown(path, json.loads(facts)))


def rewritten(path: Path, target: Path, spoil: Spoil) -> Path:
    match path.suffix.lower():
        case ".pptx" | ".docx":
            _package(path, target, spoil)
        case ".xlsx":
            _package(path, target, spoil)
            _dates(target, spoil)
        case ".pdf":
            pages = [page.extract_text().splitlines() for page in PdfReader(path).pages]
            target.write_bytes(set_anew([[spoil(line) for line in lines] for lines in pages]))
        case ".csv":
            rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")))
            with target.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([[_cell(cell, spoil) for cell in row] for row in rows])
        case ".md" | ".txt":
            target.write_text(_lines(path.read_text(encoding="utf-8"), spoil), encoding="utf-8")
        case _:
            target.write_bytes(path.read_bytes())
    return target


def _lines(text: str, spoil: Spoil) -> str:
    return "\n".join(spoil(line) for line in text.split("\n"))


def _cell(text: str, spoil: Spoil) -> str:
    try:
        value = float(text)
    except ValueError:
        return spoil(text)
    return _number(text, value, spoil)


def _number(text: str, value: float, spoil: Spoil) -> str:
    """A bare number may be a fraction of 1 that is shown as a percentage."""
    if spoil(plain(value)) != plain(value):
        return plain(value + 5 + abs(value) / 3)
    shown = f"{plain(value * 100)}%"
    return plain(value / 2 + 0.003) if -1 <= value <= 1 and spoil(shown) != shown else text


def _package(path: Path, target: Path, spoil: Spoil) -> None:
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for name in source.namelist():
            content = source.read(name)
            if _PARTS.search(name):
                root = etree.fromstring(content)
                _change(root, spoil)
                content = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
            out.writestr(name, content)


def _dates(path: Path, spoil: Spoil) -> None:
    """Dates are numbers in the package, and sheets are named in another part."""
    book = load_workbook(path)
    changed = False
    for sheet in book.worksheets:
        if spoil(sheet.title) != sheet.title:
            sheet.title, changed = f"s{id(sheet)}", True
        for row in sheet.iter_rows(max_row=MAX_ROWS):
            for cell in row:
                if isinstance(cell.value, date) and spoil(as_text(cell.value)) != as_text(cell.value):
                    cell.value, changed = None, True
    if changed:
        book.save(path)


def _change(root: Any, spoil: Spoil) -> None:
    for node in root.iter():
        kind = etree.QName(node).localname if isinstance(node.tag, str) else ""
        if kind in ("p", "si", "is"):  # a sentence may be cut into runs
            texts = [text for text in node.iter() if isinstance(text.tag, str) and text.tag.endswith("}t")]
            whole = "".join(text.text or "" for text in texts)
            if texts and (changed := spoil(whole)) != whole:
                texts[0].text = changed
                for text in texts[1:]:
                    text.text = ""
        elif kind == "v" and node.text and node.getparent().get("t") not in ("s", "b"):
            node.text = _cell(node.text, spoil)


def _fact(fact: dict[str, Any], spoil: Spoil) -> dict[str, Any]:
    fact = copy.deepcopy(fact)
    fact["labels"] = [spoil(str(label)) for label in fact.get("labels") or ()]
    fact["values"] = [
        float(_number(repr(value), float(value), spoil))
        if isinstance(value, int | float) and not isinstance(value, bool)
        else value
        for value in fact.get("values") or ()
    ]
    return json.loads(json.dumps(fact))


def set_anew(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF of these lines: one font, whose codes are the letters themselves."""
    used = sorted(
        {ord(letter) for lines in pages for line in lines for letter in line if ord(letter) < 0xD800}
    )
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /L def /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        + b"".join(b"1 beginbfchar <%04X> <%04X> endbfchar\n" % (code, code) for code in used)
        + b"endcmap end end"
    )
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (7 + 2 * n) for n in range(len(pages))), len(pages)),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding /Identity-H /DescendantFonts [4 0 R]"
        b" /ToUnicode 6 0 R >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /F /CIDSystemInfo << /Registry (Adobe)"
        b" /Ordering (Identity) /Supplement 0 >> /FontDescriptor 5 0 R /DW 500 >>",
        b"<< /Type /FontDescriptor /FontName /F /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0"
        b" /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
        _stream(cmap),
    ]
    for number, lines in enumerate(pages):
        shown = b"".join(
            b"BT /F 10 Tf 1 0 0 1 40 %d Tm <%s> Tj ET\n"
            % (5000 - 14 * place, line.encode("utf-16-be", "replace").hex().encode())
            for place, line in enumerate(lines)
        )
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 5100] /Contents %d 0 R"
            b" /Resources << /Font << /F 3 0 R >> >> >>" % (8 + 2 * number)
        )
        bodies.append(_stream(shown))
    out, places = bytearray(b"%PDF-1.7\n"), list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start)
    return bytes(out)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _drop_slide(path: Path, target: Path) -> Path:
    if path.suffix != ".pptx":
        target.write_bytes(path.read_bytes())
        return target
    deck: Any = Presentation(str(path))
    ids = deck.slides._sldIdLst
    deck.part.drop_rel(ids[-1].rId)
    ids.remove(ids[-1])
    deck.save(str(target))
    return target


def _drop_charts(path: Path, target: Path) -> Path:
    if path.suffix != ".pptx":
        return _each_sheet(path, target, _without_charts)
    deck: Any = Presentation(str(path))
    for slide in deck.slides:
        for shape in list(slide.shapes):
            if shape.has_chart:
                slide.part.drop_rel(shape._element.chart_rId)
                shape._element.getparent().remove(shape._element)
    deck.save(str(target))
    return target


def _without_charts(sheet: Any) -> None:
    sheet._charts = []


def _drop_file(path: Path, target: Path) -> None:
    del path, target


def _numbers_to_text(path: Path, target: Path) -> Path:
    return _each_sheet(path, target, _to_text)


def _drop_rows(path: Path, target: Path) -> Path:
    return _each_sheet(path, target, lambda sheet: sheet.delete_rows(3, 9))


def _to_text(sheet: Any) -> None:
    for row in sheet.iter_rows():
        for cell in row:
            if isinstance(cell.value, int | float):
                cell.value = plain(cell.value).replace(".", ",")


def _each_sheet(path: Path, target: Path, change: Callable[[Any], object]) -> Path:
    if path.suffix != ".xlsx":
        target.write_bytes(path.read_bytes())
        return target
    book = load_workbook(path)
    for sheet in book.worksheets:
        change(sheet)
    book.save(target)
    return target


_SHAPES: dict[str, Callable[[Path, Path], Path | None]] = {
    "drop_slide": _drop_slide,
    "drop_charts": _drop_charts,
    "drop_files": _drop_file,
    "numbers_to_text": _numbers_to_text,
    "drop_rows": _drop_rows,
}
