"""Some lines of a file in the workspace, in its own encoding; or what a binary file is and how to open it."""

import codecs
import io
import os
import stat
import zipfile
from importlib import import_module
from typing import Any

ROOTS = ("input", "out", "code", "skills")
MAX_TEXT = 16 << 10
MAX_LINE = 2000
"""Characters of one line."""
MAX_COUNTED = 64 << 20
"""Bytes of a file whose lines are still counted."""
_SAMPLE = 64 << 10
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_BINARY = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file: .xls opens with pandas.read_excel (xlrd)"),
    (b"PAR1", "a Parquet file: pandas.read_parquet opens it"),
    (b"ARROW1", "an Arrow file: pandas.read_feather opens it"),
    (b"SQLite format 3\x00", "an SQLite database: sqlite3.connect opens it"),
    (b"\x89PNG", "a PNG picture: PIL.Image.open opens it"),
    (b"\xff\xd8\xff", "a JPEG picture: PIL.Image.open opens it"),
    (b"GIF8", "a GIF picture: PIL.Image.open opens it"),
    (b"%PDF", "a PDF document: pypdf.PdfReader opens it"),
    (b"\x1f\x8b", "gzip-compressed: pandas reads .csv.gz by itself, gzip.open the rest"),
    (b"\x80\x04\x95", "a pickle: do not load one that you did not make"),
)  # fmt: skip
_ZIP = b"PK\x03\x04"
_OFFICE = (
    ("xl/", "an Excel workbook: pandas.read_excel opens it"),
    ("ppt/", "a PowerPoint deck: pptx.Presentation opens it"),
    ("word/", "a Word document: docx.Document opens it"),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(path: str, first_line: int, lines: int, root: str = "/workspace") -> dict[str, Any] | None:
    """None when there is no regular file at `path`, relative to `root`, below one of its four folders."""
    descriptor = _open(root, path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        sample = file.read(_SAMPLE)
        kind = _zip_kind(file) if sample.startswith(_ZIP) else binary_kind(sample)
        encoding = None if kind else guess_encoding(sample, whole=size <= len(sample))
        if encoding is None:
            text = f"binary: {kind or 'no kind of text'}"
            return {
                "size": size,
                "encoding": None,
                "first_line": 1,
                "total_lines": None,
                "text": text,
                "cut": False,
            }
        file.seek(0)
        reader = io.TextIOWrapper(file, encoding, "replace", newline="\n")
        text, cut, total = _lines(reader, first_line, lines, count=size <= MAX_COUNTED)
        return {
            "size": size,
            "encoding": "utf-8" if encoding == "ascii" else encoding,
            "first_line": first_line,
            "total_lines": total,
            "text": text,
            "cut": cut,
        }


def binary_kind(sample: bytes) -> str | None:
    return next((kind for magic, kind in _BINARY if sample.startswith(magic)), None)


def _zip_kind(file: io.BufferedReader) -> str:
    """What a zip holds, by the names in its directory; nothing is unpacked."""
    try:
        names = zipfile.ZipFile(file).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "a zip archive that is damaged"
    for folder, kind in _OFFICE:
        if any(name.startswith(folder) for name in names):
            return kind
    shown = ", ".join(names[:20])
    return f"a zip archive of {len(names)} files, zipfile.ZipFile opens it: {shown}"[:MAX_LINE]


def guess_encoding(sample: bytes, *, whole: bool = True) -> str | None:
    """The encoding of text that begins with `sample`; None when it is not text."""
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if b"\x00" in sample:
        return _utf16_without_mark(sample)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        best = import_module("charset_normalizer").from_bytes(sample).best()
        return best.encoding if best else None
    return "utf-8"


def _utf16_without_mark(sample: bytes) -> str | None:
    even, odd = sample[::2], sample[1::2]
    if odd.count(0) > 0.6 * len(odd) and not even.count(0):
        return "utf-16-le"
    if even.count(0) > 0.6 * len(even) and not odd.count(0):
        return "utf-16-be"
    return None


def _lines(reader: io.TextIOWrapper, first: int, wanted: int, *, count: bool) -> tuple[str, bool, int | None]:
    """Walk through the file in pieces, so that one endless line costs no more than its shown part.

    Lines end with a line feed, and a carriage return before it belongs to the end.
    """
    kept: list[str] = []
    number, room, shown = 1, MAX_TEXT, 0
    cut = begun = False
    while piece := reader.read(1 << 16):
        begun = not piece.endswith("\n")
        ends = piece.count("\n")
        if number + ends < first or number >= first + wanted or room <= 0:  # nothing of it is shown
            cut = cut or first <= number < first + wanted
            number += ends
            if not count and (number >= first + wanted or room <= 0):
                break
            continue
        for part in piece.split("\n"):
            ended, ends = ends > 0, ends - 1
            if first <= number < first + wanted and (part or ended):
                body = part.rstrip("\r")
                fit = body[: max(0, min(MAX_LINE - shown, room))]
                cut = cut or room <= 0 or len(fit) < len(body)
                shown += len(body)
                if room > 0:
                    end = "\n" if shown <= MAX_LINE else f" [... {shown - MAX_LINE:,} characters cut]\n"
                    kept.append(fit + end if ended else fit)
                    room -= len(fit.encode()) + ended
            if ended:
                number += 1
                shown = 0
    else:
        return "".join(kept).removesuffix("\n"), cut, number if begun else number - 1
    return "".join(kept).removesuffix("\n"), cut, None


def _open(root: str, path: str) -> int | None:
    """Open a regular file below one of the four folders, following no link on the way."""
    parts = path.split("/")
    if (
        len(parts) < 2
        or parts[0] not in ROOTS
        or any(part in ("", ".", "..") or "\x00" in part for part in parts)
    ):
        return None
    folder = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        file = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    return file
