"""The parts of an Office file, unpacked within limits: sizes are counted as bytes arrive, headers may lie."""

import posixpath
import zipfile
import zlib

from lxml import etree
from numerals_model import Unreadable

MAX_PARTS = 5_000
MAX_PART = 16 * 1024 * 1024
"""Bytes of a part that is read as a whole."""
MAX_STREAMED = 192 * 1024 * 1024
"""Bytes of a sheet, which is read row by row."""
MAX_TOTAL = 384 * 1024 * 1024
"""Bytes of all that one file is unpacked to."""
MAX_DEPTH = 2
"""Workbooks may lie in decks; nothing lies in those."""
NS = {
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
}
R_ID = f"{{{NS['r']}}}id"
REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Package:
    """Raises Unreadable from every method: a broken part, or one that is too large."""

    def __init__(self, source, spent=None):
        """`source`: a path or a file. `spent` counts the bytes of a file within a file together."""
        self.spent = spent if spent is not None else [0]
        try:
            self.archive = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
            raise Unreadable(f"not a readable Office file: {error}") from error
        items = self.archive.infolist()
        if len(items) > MAX_PARTS:
            raise Unreadable(f"{len(items)} parts; {MAX_PARTS} is the most")
        self.names = {item.filename for item in items}

    def close(self):
        self.archive.close()

    def stream(self, name, limit=MAX_STREAMED):
        """A file of the part's bytes that refuses to be read beyond the limits."""
        try:
            return _Counted(self.archive.open(name), limit, self.spent, name)
        except (
            KeyError,
            zipfile.BadZipFile,
            RuntimeError,
            NotImplementedError,
            OSError,
            ValueError,
        ) as error:
            raise Unreadable(f"{name} cannot be read: {error}") from error

    def bytes(self, name):
        with self.stream(name, MAX_PART) as file:
            return file.read()

    def xml(self, name):
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            return etree.fromstring(self.bytes(name), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise Unreadable(f"{name} is broken: {error}") from error

    def rows(self, name, tag):
        """Elements of a large part one after the other; each is emptied when the next one is asked for."""
        with self.stream(name) as file:
            try:
                for _, element in etree.iterparse(
                    file, tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
                ):
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
            except (etree.XMLSyntaxError, ValueError) as error:
                raise Unreadable(f"{name} is broken: {error}") from error

    def relations(self, name):
        """{id: (last word of the type, name of the part)} of what belongs to a part, in order."""
        folder, base = posixpath.split(name)
        rels = posixpath.join(folder, "_rels", f"{base}.rels")
        if rels not in self.names:
            return {}
        found = {}
        for one in self.xml(rels).iter(REL):
            if one.get("TargetMode") == "External":
                continue
            target = one.get("Target", "")
            target = (
                target.lstrip("/")
                if target.startswith("/")
                else posixpath.normpath(posixpath.join(folder, target))
            )
            found[one.get("Id", "")] = (one.get("Type", "").rsplit("/", 1)[-1], target)
        return found

    def related(self, name, kind):
        return [
            target for word, target in self.relations(name).values() if word == kind and target in self.names
        ]

    def first(self, *endings):
        return next((name for ending in endings for name in sorted(self.names) if name.endswith(ending)), "")


class _Counted:
    def __init__(self, file, limit, spent, name):
        self.file, self.room, self.spent, self.name = file, limit, spent, name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read(self, size=-1):
        wanted = self.room + 1 if size is None or size < 0 else min(size, self.room + 1)
        try:
            block = self.file.read(wanted)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise Unreadable(f"{self.name} is broken: {error}") from error
        self.room -= len(block)
        self.spent[0] += len(block)
        if self.room < 0 or self.spent[0] > MAX_TOTAL:
            raise Unreadable(f"{self.name} is larger than what may be unpacked")
        return block
