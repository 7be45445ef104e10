"""What speaks against sending a file to a person: it is not what its name says, or it acts when it is opened.

The host reads first bytes and, of an Office document, the list of its parts. Nothing is unpacked or parsed.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

_OFFICE = (".pptx", ".xlsx", ".docx")
_ZIP = b"PK\x03\x04"
_BEGINNINGS = {
    **dict.fromkeys((*_OFFICE, ".zip"), (_ZIP,)),
    ".pdf": (b"%PDF-",),
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".parquet": (b"PAR1",),
}
_TEXT = (".csv", ".tsv", ".md", ".txt", ".html", ".svg", ".json", ".py", ".ipynb")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""Text in UTF-16 begins so, and has NUL bytes."""
_SAMPLE = 4096
_ACTIVE = re.compile(
    r"vba|activex|externallinks|customui|macrosheets|dialogsheets|oleobject|embeddings/.*(?<!\.xlsx)$",
    re.IGNORECASE,
)
"""Programs, controls, ribbons, what is fetched from elsewhere. Charts of a deck have tables as .xlsx."""
_END = struct.Struct("<4s4H2IH")
_PART = struct.Struct("<4s6H3I5H2I")
_LONGEST_COMMENT = 1 << 16
_LONGEST_LIST = 4 << 20
"""Bytes of the list of parts that are read; a deck of a hundred slides has some 100 KiB."""


def objection(path: Path) -> str | None:
    """None when nothing speaks against it. Raises: OSError."""
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    if suffix in _TEXT:
        return "it is no text" if b"\0" in sample and not sample.startswith(_WIDE) else None
    if suffix not in _BEGINNINGS:
        return "files of this kind are not sent"
    if not sample.startswith(_BEGINNINGS[suffix]):
        return f"it is no {suffix} file"
    if suffix in _OFFICE:
        try:
            active = next(filter(_ACTIVE.search, _parts(path)), None)
        except (ValueError, struct.error):
            return "its list of parts cannot be read"
        return None if active is None else "it has a part that acts when it is opened"
    return None


def _parts(path: Path) -> Iterator[str]:
    """Names in the directory at a zip's end. Raises: ValueError, struct.error: it is damaged or too long."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LONGEST_COMMENT - _END.size))
        tail = file.read()
        _, _, _, _, count, length, start, _ = _END.unpack_from(tail, tail.rindex(b"PK\5\6"))
        if not 0 < length <= _LONGEST_LIST:
            message = f"a list of {length} bytes"
            raise ValueError(message)
        file.seek(start)
        listed = file.read(length)
    place = 0
    for _ in range(count):
        letters, *_, name, extra, comment, _, _, _, _ = _PART.unpack_from(listed, place)
        if letters != b"PK\1\2":
            message = "no entry where one was due"
            raise ValueError(message)
        place += _PART.size
        yield listed[place : place + name].decode("utf-8", "replace")
        place += name + extra + comment
