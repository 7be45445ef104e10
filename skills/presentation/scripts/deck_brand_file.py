"""The file of a brand before it is opened: no archive bomb, no macros, nothing that reaches outside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo, is_zipfile

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE = 60 * 2**20
MAX_WHOLE = 300 * 2**20
"""Bytes of all parts, unpacked."""
MAX_XML = 20 * 2**20
MAX_PARTS = 5_000
MAX_LAYOUTS = 100
_KEPT = re.compile(r"^ppt/(_rels/presentation|(slideMasters|slideLayouts|theme)/_rels/)")
"""Relations of what stays in the deck; those of the sample slides go with them."""
_LAYOUT = re.compile(r"ppt/slideLayouts/[^/]+\.xml$")
_OUTSIDE = re.compile(rb"TargetMode\s*=\s*[\"']External", re.IGNORECASE)
_ACTIVE = re.compile(r"vbaProject|activeX/|\.exe$|\.dll$", re.IGNORECASE)


class BrandError(Exception):
    """A template that will not do, and why."""


def inspect(path: Path) -> None:
    """Raises BrandError."""
    if path.stat().st_size > MAX_FILE:
        raise BrandError(f"it is larger than {MAX_FILE // 2**20} MB")
    if not is_zipfile(path):
        raise BrandError("it is not a .pptx file, or it has a password")
    with ZipFile(path) as archive:
        _inspect_list(archive)
        for part in archive.infolist():
            if part.filename.endswith((".xml", ".rels")):
                _inspect_part(part, archive)


def _inspect_list(archive: ZipFile) -> None:
    parts = archive.infolist()
    names = [part.filename for part in parts]
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_WHOLE:
        raise BrandError("it is too large when unpacked")
    if any(map(_ACTIVE.search, names)):
        raise BrandError("it has macros or programs inside")
    if len(set(names)) < len(names):
        raise BrandError("it holds two parts of one name")
    layouts = sum(bool(_LAYOUT.match(name)) for name in names)
    if layouts > MAX_LAYOUTS:
        raise BrandError(f"it has {layouts} layouts; {MAX_LAYOUTS} are the most")


def _inspect_part(part: ZipInfo, archive: ZipFile) -> None:
    if part.file_size > MAX_XML:
        raise BrandError("one of its parts is too large")
    content = archive.read(part)
    if b"<!DOCTYPE" in content[:4096] or b"<!ENTITY" in content[:4096]:
        raise BrandError("its XML declares entities")
    if _KEPT.match(part.filename) and _OUTSIDE.search(content):
        raise BrandError("its layouts link to something outside the file")
