"""Read any input file as tables: `tables.read(name)`, `tables.read_one(name)`, `tables.files()`.

The content decides, not the suffix. Nothing is dropped in silence: see the notes of a table.
"""

import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import tables_archive
import tables_assumed
import tables_documents
import tables_excel
import tables_json
import tables_sample
import tables_text
from facts_origin import mark
from tables_errors import (
    BrokenFile,
    EmptyFile,
    HeaderOnly,
    NotATable,
    PasswordProtected,
    TableError,
    TooLarge,
    UnknownFile,
    UnreadableFile,
)
from tables_model import Note, Table
from tables_room import text_limit

__all__ = [
    "BrokenFile",
    "EmptyFile",
    "HeaderOnly",
    "NotATable",
    "Note",
    "PasswordProtected",
    "Table",
    "TableError",
    "TooLarge",
    "UnknownFile",
    "UnreadableFile",
    "combine",
    "files",
    "find",
    "glance",
    "look",
    "read",
    "read_one",
    "records",
    "sample",
]

INPUT = Path("/workspace/input")
MAX_BYTES = text_limit()
"""Of a file that is read whole."""
MAX_PART = 40 * 1024 * 1024
"""Bytes of one part of a document."""
TEXT_SUFFIXES = {".csv", ".tsv", ".tab", ".psv", ".dat", ".xls", ".xlsx", ".ods"}


def files(folder=INPUT):
    """Names of the input files, sorted."""
    return sorted(
        path.name for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith(".")
    )


def read(path_or_name, folder=INPUT):
    """All tables of a file, in its order, hidden sheets too (see Table.hidden). Raises a TableError.

    What was taken for granted goes to the run's assumptions, see `tables_assumed`.
    """
    return _told(look(path_or_name, folder), find(path_or_name, folder))


def look(path_or_name, folder=INPUT):
    """The same, and nothing is said of it anywhere else."""
    path = find(path_or_name, folder)
    try:
        return _read(path, depth=0)
    except TableError:
        raise
    except (
        Exception
    ) as error:  # readers of foreign formats raise whatever they like; a traceback helps nobody
        raise UnreadableFile(path.name, reason=f"{type(error).__name__}: {error}"[:200]) from error


def read_one(path_or_name, table=None, folder=INPUT):
    """One table: the one named, or the visible one with most cells. Others are named in its notes."""
    found, path = look(path_or_name, folder), find(path_or_name, folder)
    if table is not None:
        chosen = next((item for item in found if item.name == table), None)
        if chosen is None:
            raise UnknownFile(str(table), available=[item.name for item in found])
        return _told([chosen], path)[0]
    chosen = max(found, key=lambda item: (not item.hidden, item.frame.size))
    (chosen,) = _told([chosen], path)
    others = [item.name for item in found if item is not chosen]
    return (
        replace(chosen, notes=(*chosen.notes, Note("other_tables", {"names": others}))) if others else chosen
    )


def sample(path_or_name, folder=INPUT):
    """Tables of a text file or of JSON lines that `read` calls too large: of lines from evenly spread places,
    with a note `sampled`; of a smaller file all lines. Raises a TableError, TooLarge where the kind of file
    cannot be read in part."""
    return _told(glance(path_or_name, folder), find(path_or_name, folder))


def glance(path_or_name, folder=INPUT):
    """The same, and nothing is said of it anywhere else."""
    path = find(path_or_name, folder)
    with path.open("rb") as file:
        head = file.read(4096)
    if b"\x00" * 64 in head:
        raise NotATable(path.name, kind="a binary file of an unknown format")
    packed = head[:2] in (b"PK", b"\x1f\x8b") or head.startswith((b"PAR1", b"\xd0\xcf\x11\xe0"))
    array = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    size = path.stat().st_size
    if size <= MAX_BYTES:
        return look(path)
    if packed or array or tables_documents.kind_of(head):
        raise TooLarge(path.name, size=size // 2**20, unit="MiB", limit=MAX_BYTES // 2**20)
    with tempfile.TemporaryDirectory() as room:
        part = Path(room) / path.name
        taken = tables_sample.take(path, part, MAX_BYTES)
        found = _read(part, depth=1)
    return [_sampled(table, path, size, taken) for table in found]


def _sampled(table, path, size, taken):
    facts = {
        "size": size // 2**20,
        "rows": f"{taken.lines - 1:,}" if taken.counted else f"about {taken.lines - 1:,}",
        "counted": "by its lines" if taken.counted else "estimated from the sample",
        "taken": f"{len(table.frame):,}",
        "places": taken.places,
    }
    return replace(table, name=path.stem, file=path.name, notes=(Note("sampled", facts), *table.notes))


def combine(found):
    """Visible tables with nearly the same columns as one, joined by name; None when they differ in kind.

    The first column says which table a row is from. What a table lacks is missing there, and told.
    """
    visible = [item for item in found if not item.hidden]
    names = list(dict.fromkeys(name for item in visible for name in item.frame.columns))
    if len(visible) < 2 or any(len(item.frame.columns) < 0.8 * len(names) for item in visible):
        return None
    column = next(name for name in ("table", "table_name", "table_of_origin") if name not in names)
    parts = [item.frame.reindex(columns=names).assign(**{column: item.name}) for item in visible]
    frame = pd.concat(parts, ignore_index=True)[[column, *names]]
    for name in names:
        if frame[name].dtype == object:
            frame[name] = frame[name].astype("str")
    lacking = [
        f"{name} in {item.name}" for item in visible for name in names if name not in item.frame.columns
    ]
    notes = [Note("combined", {"tables": [item.name for item in visible], "column": column})]
    notes += [Note("lacking_columns", {"columns": lacking})] if lacking else []
    seen = {str(note): note for item in visible for note in item.notes}
    return Table(Path(visible[0].file).stem, visible[0].file, frame, (*notes, *seen.values()))


def records(path_or_name, folder=INPUT):
    """The untouched objects of a JSON or JSON-lines file, to unroll nested lists by your own rule."""
    return tables_json.records(find(path_or_name, folder))[0]


def find(path_or_name, folder=INPUT):
    """The path of an input file. Raises UnknownFile."""
    path = Path(path_or_name)
    if not path.is_file():
        path = Path(folder) / path_or_name
    if not path.is_file():
        available = files(folder) if Path(folder).is_dir() else []
        raise UnknownFile(str(path_or_name), available=available or ["no files"])
    return path


def _told(found, path):
    """Tables on their way to a script: they know their file, and what was taken for granted is told."""
    tables_assumed.assume(found)
    return mark(found, path)


def _read(path, depth):
    name, size = path.stem, path.stat().st_size
    if size > MAX_BYTES:
        raise TooLarge(path.name, size=size // 2**20, unit="MiB", limit=MAX_BYTES // 2**20)
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        raise EmptyFile(path.name, size=0)
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _read_package(path, name, depth)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return _read_ole(path, name)
    if head[:1] == b"\x09" and head[1:2] in (b"\x00", b"\x02", b"\x04", b"\x08") and head[3:4] == b"\x00":
        return tables_excel.read_xls(path, name)  # the stream of an old workbook without its container
    if head.startswith(b"PAR1"):
        return tables_documents.read_parquet(path, name)
    if head.startswith(b"\x1f\x8b") and depth == 0:
        with tempfile.TemporaryDirectory() as folder:
            return _from_members(path, [tables_archive.gunzip(path, Path(folder))])
    if kind := tables_documents.kind_of(head):
        raise NotATable(path.name, kind=kind)
    return _read_text(path, name, head)


def _read_text(path, name, head):
    suffix = path.suffix.lower()
    start = head.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if suffix in (".json", ".jsonl", ".ndjson", ".geojson") or (
        start[:1] in b"{[" and start and suffix != ".csv"
    ):
        return tables_json.read(path, name)
    lower = start[:2000].lower()
    if lower.startswith((b"<!doctype html", b"<html", b"<table", b"<meta")):
        return tables_documents.read_html(path, name)
    if start.startswith(b"<?xml"):
        raise NotATable(path.name, kind="an XML document")
    if suffix in (".md", ".markdown"):
        return tables_documents.read_markdown(path, name)
    return [tables_text.read(path, name, strict=suffix not in TEXT_SUFFIXES)]


def _read_package(path, name, depth):
    """Zip is the wrapping of many formats: what is inside tells them apart."""
    try:
        with zipfile.ZipFile(path) as package:
            names = set(package.namelist())
            kind = package.read("mimetype")[:100] if "mimetype" in names else b""
            _check_parts(path, package.infolist())
    except (zipfile.BadZipFile, RuntimeError, OSError) as error:
        raise BrokenFile(path.name, kind="a zip archive", reason=str(error)[:200]) from error
    if "xl/workbook.xml" in names:
        return tables_excel.read_xlsx(path, name)
    if b"opendocument.spreadsheet" in kind:
        return tables_excel.read_ods(path, name)
    if "word/document.xml" in names:
        return tables_documents.read_docx(path, name)
    if "ppt/presentation.xml" in names:
        return tables_documents.read_pptx(path, name)
    if "xl/workbook.bin" in names:
        raise NotATable(path.name, kind="a binary Excel workbook (.xlsb); save it as .xlsx")
    if kind:
        raise NotATable(path.name, kind="a document of the kind " + kind.decode("ascii", "replace"))
    if depth:
        raise NotATable(path.name, kind="an archive inside an archive")
    with tempfile.TemporaryDirectory() as folder:
        return _from_members(path, tables_archive.unzip(path, Path(folder)))


def _check_parts(path, items):
    """The readers of Word and PowerPoint hold every part in memory, and its XML tenfold."""
    for item in items:
        if item.filename.startswith(("word/", "ppt/")) and item.file_size > MAX_PART:
            size = item.file_size // 2**20
            raise TooLarge(path.name, size=size, unit="MiB unpacked", limit=MAX_PART // 2**20)


def _read_ole(path, name):
    data = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise PasswordProtected(path.name)
    if "Workbook".encode("utf-16-le") in data or "Book".encode("utf-16-le") in data:
        return tables_excel.read_xls(path, name)
    word = "WordDocument".encode("utf-16-le") in data
    raise NotATable(path.name, kind="an old Word document" if word else "an old Office document")


def _from_members(path, members):
    found, skipped, errors = [], [], []
    for member in members:
        try:
            inside = _read(member.path, depth=1)
        except TableError as error:
            errors.append(error)
            skipped.append(f"{member.name} ({error.code})")
            continue
        origin = Note("archive", {"member": member.name, "archive": path.name})
        found += [replace(table, file=path.name, notes=(origin, *table.notes)) for table in inside]
    if not found:
        if len(errors) == 1:
            raise errors[0]
        raise NotATable(path.name, kind="an archive without a table in it")
    if skipped:
        told = (*found[0].notes, Note("archive_skipped", {"members": skipped}))
        found[0] = replace(found[0], notes=told)
    return found
