"""Every number in a deliverable, with its place, and what it is: an amount, or the structure around amounts.

    from numerals import extract, extract_text
    extract("deck.pptx")               # [Numeral(...), ...] of slides, charts, tables, notes
    extract_text("38,4 % of 891", "slide 2")

Files are opened as hostile: sizes are bounded, nothing is unpacked to disk, broken ones are told as a note.
"""

from pathlib import Path

import numerals_docx
import numerals_pdf
import numerals_plain
import numerals_pptx
import numerals_xlsx
from numerals_model import CLAIM, WEAK, Extraction, Numeral, Unreadable
from numerals_text import extract_text

__all__ = [
    "CLAIM",
    "READERS",
    "WEAK",
    "Extraction",
    "Numeral",
    "Unreadable",
    "extract",
    "extract_text",
    "read",
]

READERS = {
    **dict.fromkeys((".pptx", ".pptm", ".potx", ".ppsx"), numerals_pptx.read),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), numerals_xlsx.read),
    **dict.fromkeys((".docx", ".docm", ".dotx"), numerals_docx.read),
    ".pdf": numerals_pdf.read,
    **dict.fromkeys((".md", ".txt", ".html", ".htm", ".csv", ".tsv"), numerals_plain.read),
}


def extract(path):
    """All numerals of a file, structure included; none when it cannot be read."""
    return read(path).numerals


def read(path, name=""):
    """Extraction(file, numerals, notes) of a file; `name` is how it is called in places and reports.

    What cannot be read, or lies beyond a limit, is told in `notes`; no exception but MemoryError leaves.
    """
    path = Path(path)
    name = name or path.name
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        return Extraction(name)
    try:
        return reader(path, name)
    except Unreadable as error:
        return Extraction(name, notes=[f"unreadable: {error}"])
    except (
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        return Extraction(name, notes=[f"unreadable: {type(error).__name__}: {str(error)[:200]}"])


def readable(path):
    return Path(path).suffix.lower() in READERS
