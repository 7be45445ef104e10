"""What a file holds beside tables: `documents.read(name)`, `documents.look(name)`, `documents.text(name)`.

Word documents, presentations, PDF, pictures, texts and archives. The content decides, not the suffix.
"""

import zipfile
from pathlib import Path

import documents_archive
import documents_office
import documents_pdf
import documents_picture
import documents_text
import tables
from documents_model import Document, Part, summary_lines
from facts_findings import register_text
from tables_documents import kind_of
from tables_errors import BrokenFile, HeaderOnly, NotATable, TableError

__all__ = ["Document", "Part", "look", "read", "summary_lines", "text"]

MAX_BYTES = tables.MAX_BYTES


def read(path_or_name, folder=tables.INPUT, *, silent=False):
    """(tables, `Document` or None): what there is of both. Raises a TableError where there is neither.

    `silent`: as `tables.look`, what was taken for granted is not told of.
    """
    path = tables.find(path_or_name, folder)
    try:
        found, without = (tables.look if silent else tables.read)(path), None
    except (NotATable, HeaderOnly) as error:
        found, without = [], error
    prose = isinstance(without, NotATable) or path.suffix.lower() in (".md", ".markdown")
    try:
        document = look(path, prose=prose)
    except TableError:
        if not found:
            raise
        document = None
    if without is not None and document is None:
        raise without
    return found, register_text(document, path)


def look(path_or_name, folder=tables.INPUT, *, prose=True):
    """A `Document`, or None for other kinds; without `prose` also for texts, such as the lines of a table.
    Raises a TableError: damaged, or protected."""
    path = tables.find(path_or_name, folder)
    if path.stat().st_size > MAX_BYTES:
        return None
    with path.open("rb") as file:
        head = file.read(4096)
    try:
        return _look(path, head, prose)
    except TableError:
        raise
    except (
        Exception
    ) as error:  # readers of foreign formats raise whatever they like; a traceback helps nobody
        kind = kind_of(head) or "a document"
        raise BrokenFile(path.name, kind=kind, reason=f"{type(error).__name__}: {error}"[:200]) from error


def text(path_or_name, folder=tables.INPUT):
    """All words of a document, a heading line ("# …") above each slide, page or section that has a name."""
    found = register_text(look(path_or_name, folder), tables.find(path_or_name, folder))
    if found is None:
        raise NotATable(Path(path_or_name).name, kind="a file without text")
    return "\n\n".join(
        f"# {part.name}\n{part.text}".strip() if part.name else part.text for part in found.parts
    )


def _look(path, head, prose):
    if head.startswith(b"PK"):
        return _package(path)
    kind = kind_of(head)
    if kind == "a PDF document":
        return documents_pdf.read(path)
    if kind.endswith("picture"):
        return documents_picture.read(path, kind)
    return None if kind or not head or not prose else documents_text.read(path, head)


def _package(path):
    try:
        with zipfile.ZipFile(path) as package:
            names = set(package.namelist())
    except zipfile.BadZipFile:
        return None
    if "word/document.xml" in names:
        return documents_office.read_word(path)
    if "ppt/presentation.xml" in names:
        return documents_office.read_deck(path)
    plain = not names & {"mimetype", "xl/workbook.xml", "xl/workbook.bin"}
    return documents_archive.read(path) if plain else None
