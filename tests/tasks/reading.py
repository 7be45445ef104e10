"""What a person finds in a result, read without the product's own libraries: sentences, and cells and points
of charts each with the words that say what they are."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from docx import Document
from openpyxl import load_workbook
from pptx import Presentation
from pypdf import PdfReader

from tests.tasks.numbers import plain

etree: Any = import_module("lxml.etree")
MAX_ROWS = 400
"""Of a table that are read: below them it is data, and tells a reader nothing."""
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


@dataclass(frozen=True, slots=True)
class Statement:
    file: str
    """Empty for the answer."""
    text: str
    """A sentence or a line; of a cell or a chart's point: its labels and its value."""
    about: str = ""
    """Headings above it."""
    fraction: str = ""
    """The same with its value as a percentage, if it is a bare number between -1 and 1."""


@dataclass(frozen=True, slots=True)
class Reading:
    answer: str
    files: Sequence[Path]
    statements: Sequence[Statement]

    def of_kind(self, kind: str) -> list[Path]:
        return [path for path in self.files if path.suffix == f".{kind}"]


def said(answer: str) -> list[Statement]:
    return list(_markdown("", answer))


def shown(path: Path, facts: Sequence[dict[str, Any]]) -> list[Statement]:
    if path.suffix.lower() in (".png", ".svg", ".jpg"):
        return list(_drawn(path.name, facts))
    return list(_file(path))


def _file(path: Path) -> Iterator[Statement]:
    match path.suffix.lower():
        case ".pptx":
            yield from _deck(path)
        case ".xlsx":
            yield from _workbook(path)
        case ".pdf":
            yield from _pdf(path)
        case ".docx":
            yield from _document(path)
        case ".md" | ".txt":
            yield from _markdown(path.name, path.read_text(encoding="utf-8"))
        case ".csv":
            text = path.read_text(encoding="utf-8-sig")
            yield from _grid(path.name, path.stem, list(csv.reader(io.StringIO(text)))[:MAX_ROWS])
        case _:
            return


def _value(
    file: str, labels: Sequence[str], value: object, about: str, *, percent: bool = False
) -> Statement:
    words = " | ".join(label for label in labels if label)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Statement(file, f"{words}: {as_text(value)}", about)
    fraction = f"{words}: {plain(value * 100)}%" if -1 <= value <= 1 else ""
    if percent:
        return Statement(file, f"{words}: {plain(value * 100)}%", about)
    return Statement(file, f"{words}: {plain(value)}", about, fraction)


def as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def _grid(file: str, about: str, rows: Sequence[Sequence[object]]) -> Iterator[Statement]:
    """Cells of a table, each with the words of its row and with the nearest words above it."""
    heads: dict[int, str] = {}
    for row in rows:
        filled = [(place, cell) for place, cell in enumerate(row) if cell not in (None, "")]
        words = [(place, str(cell)) for place, cell in filled if _is_words(cell)]
        if filled and len(words) == len(filled):
            yield Statement(file, " | ".join(word for _, word in words), about)
            heads |= dict(words)
            continue
        labels = [word for _, word in words]
        if not labels and filled:
            labels = [as_text(filled[0][1])]  # a year, a class: a number that names the row
        elif filled and not _is_words(filled[0][1]):
            labels = [as_text(filled[0][1]), *labels]
        for place, cell in filled:
            if not _is_words(cell):
                yield _value(file, [*labels, heads.get(place, "")], _number(cell), about)
        yield Statement(file, " | ".join(as_text(cell) for _, cell in filled), about)


def _is_words(cell: object) -> bool:
    return isinstance(cell, str) and not re.fullmatch(r"[-−+]?[£$€]?\d[\d\s.,']*%?", cell.strip())


def _number(cell: object) -> object:
    if isinstance(cell, str) and re.fullmatch(r"-?\d+(\.\d+)?", cell):
        return float(cell)
    return cell


def _markdown(file: str, text: str) -> Iterator[Statement]:
    table: list[list[str]] = []
    about = ""
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith("|"):
            cells = [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                table.append(cells)
            continue
        yield from _grid(file, about, table)
        table = []
        if line.strip():
            yield Statement(file, line.strip(), about)
        if line.startswith("#") or line.rstrip(" *").endswith(":") or line.startswith("**"):
            about = line.strip("#* ")


def _deck(path: Path) -> Iterator[Statement]:
    for slide in Presentation(str(path)).slides:
        box: Any = slide.shapes.title
        title = box.text_frame.text if box is not None else ""
        for shape in _shapes(slide.shapes):
            if shape.has_text_frame:
                texts = [
                    paragraph.text for paragraph in shape.text_frame.paragraphs if paragraph.text.strip()
                ]
                yield from (Statement(path.name, text, title) for text in texts)
                if 1 < len(texts) <= 3:  # a card: its number, and below it what it is
                    yield Statement(path.name, " — ".join(texts), title)
            if getattr(shape, "has_table", False) and shape.has_table:
                yield from _grid(path.name, title, [[c.text for c in row.cells] for row in shape.table.rows])
            if getattr(shape, "has_chart", False) and shape.has_chart:
                yield from _chart(path.name, title, shape.chart._chartSpace)
        if slide.has_notes_slide:
            notes: Any = slide.notes_slide.notes_text_frame
            yield from (Statement(path.name, p.text, title) for p in (notes.paragraphs if notes else ()))


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == 6:  # a group
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _chart(file: str, about: str, root: Any) -> Iterator[Statement]:
    """The cached numbers, which are what is drawn."""
    title = " ".join(t.text or "" for t in root.iter(f"{A}t"))
    for series in root.iter(f"{C}ser"):
        name = " ".join(v.text or "" for v in series.findall(f"{C}tx//{C}v"))
        labels = _points(series.find(f"{C}cat"))
        values = series.find(f"{C}val")
        code = "" if values is None else (values.findtext(f".//{C}formatCode") or "")
        for place, text in _points(values).items():
            try:
                value = float(text)
            except ValueError:
                continue
            yield _value(file, [labels.get(place, ""), name], value, f"{about} {title}", percent="%" in code)


def _points(node: Any) -> dict[str, str]:
    if node is None:
        return {}
    return {point.get("idx"): point.findtext(f"{C}v") or "" for point in node.iter(f"{C}pt")}


def _workbook(path: Path) -> Iterator[Statement]:
    for title, rows in sheets_of(path):
        yield Statement(path.name, title)
        yield from _grid(path.name, title, rows)
    for chart in charts_of(path):
        yield from _chart(path.name, "", chart)


def sheets_of(path: Path) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Titles, and the upper rows as they were last calculated."""
    with path.open("rb") as file:
        book = load_workbook(file, data_only=True, read_only=True)
        return [
            (sheet.title, list(sheet.iter_rows(max_row=MAX_ROWS, values_only=True)))
            for sheet in book.worksheets
        ]


def charts_of(path: Path) -> list[Any]:
    """The native charts of an Office file."""
    with ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.search(r"/charts/chart[^/]*\.xml$", name)]
        return [etree.fromstring(archive.read(name)) for name in names]


def _pdf(path: Path) -> Iterator[Statement]:
    for page in PdfReader(path).pages:
        lines = [line.strip() for line in page.extract_text().splitlines() if line.strip()]
        about = " ".join(lines[:3])
        for place, line in enumerate(lines):
            yield Statement(path.name, line, about)
            if place + 1 < len(lines):  # a sentence goes on, or a number stands above its label
                yield Statement(path.name, f"{line} {lines[place + 1]}", about)


def _document(path: Path) -> Iterator[Statement]:
    document = Document(str(path))
    yield from (Statement(path.name, p.text) for p in document.paragraphs if p.text.strip())
    for table in document.tables:
        yield from _grid(path.name, "", [[cell.text for cell in row.cells] for row in table.rows])


def _drawn(file: str, facts: Sequence[dict[str, Any]]) -> Iterator[Statement]:
    for fact in facts:
        if fact.get("kind") != "drawn" or fact.get("target") != file:
            continue
        labels = [str(label) for label in fact.get("labels") or ()]
        values = [value for value in fact.get("values") or () if isinstance(value, int | float)]
        labels = labels[len(labels) % len(values) if values else 0 :]
        for place, value in enumerate(values):
            label = labels[place % len(labels)] if labels else ""
            yield _value(
                file, [label, str(fact.get("unit") or "")], value, "", percent=fact.get("unit") == "%"
            )
