"""Archives: what is in them by name and size. Nothing is unpacked here."""

import zipfile

from documents_model import Document, Part, counted
from tables_archive import is_junk, member_name


def read(path):
    with zipfile.ZipFile(path) as archive:
        items = [(item, member_name(item)) for item in archive.infolist() if not item.is_dir()]
    parts = tuple(Part(name, _size(item.file_size)) for item, name in items if not is_junk(name))
    return Document(path.name, "an archive", counted(files=len(parts)), parts)


def _size(count):
    return f"{count} bytes" if count < 10_000 else f"{count / 1024:,.0f} KiB"
