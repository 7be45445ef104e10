"""The package of an Office file: a zip that is whole, of a bearable size, whose parts are all there."""

import posixpath
import zipfile
from pathlib import Path

from gate_model import finding
from lxml import etree

MOST_BYTES = 100 * 2**20
"""Of the file."""
MOST_UNPACKED = 400 * 2**20
MOST_ENTRIES = 5_000
MOST_RELS = 2 * 2**20
"""Bytes of one part of relationships."""


def package_findings(path, file):
    """Check 1 before any library opens the file; what comes back ends the checks of this file."""
    size = Path(path).stat().st_size
    if size == 0:
        return [finding("empty", file, "", "The file has no bytes. Save it again.")]
    if size > MOST_BYTES:
        return [finding("too_large", file, "", f"The file has {size / 2**20:,.0f} MiB; 100 is the most.")]
    try:
        with zipfile.ZipFile(path) as archive:
            return _inside(archive, file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, RuntimeError) as error:
        return [finding("unreadable", file, "", f"It is not a whole Office file: {error}. Save it again.")]


def _inside(archive, file):
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES or unpacked > MOST_UNPACKED:
        detail = f"{len(entries)} parts of {unpacked / 2**20:,.0f} MiB unpacked are more than can be checked."
        return [finding("too_large", file, "", detail)]
    names = {entry.filename.lower() for entry in entries}
    if "[content_types].xml" not in names:
        return [finding("unreadable", file, "", "It has no [Content_Types].xml, so Office will not open it.")]
    if damaged := archive.testzip():
        return [finding("broken_package", file, damaged, "This part is damaged. Save the file again.")]
    found = []
    for entry in entries:
        if entry.filename.lower().endswith(".rels") and entry.file_size <= MOST_RELS:
            found += _missing(archive, entry.filename, names, file)
    return found


def _missing(archive, rels, names, file):
    folder, name = posixpath.split(rels)
    base = posixpath.dirname(folder)
    try:
        root = etree.fromstring(archive.read(rels), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        return [finding("broken_package", file, rels, f"This part is not XML: {error}.")]
    found = []
    for relation in root:
        target = relation.get("Target") if isinstance(relation.tag, str) else None
        if target is None or relation.get("TargetMode") == "External" or target.startswith("#"):
            continue
        target = target.split("#")[0]
        whole = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(base, target))
        if whole.lower() not in names and target != "NULL":
            detail = f"{name[:-5] or 'the file'} names {whole}, which is not in the file. Save it again."
            found.append(finding("broken_package", file, rels, detail))
    return found
