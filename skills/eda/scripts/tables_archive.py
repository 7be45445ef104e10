"""Packed files: members are unpacked within limits into a folder of ours, never where they want to be."""

import errno
import gzip
import zipfile
import zlib
from dataclasses import dataclass

from tables_errors import BrokenFile, PasswordProtected, TooLarge
from tables_text import word_score

MAX_MEMBERS = 200
MAX_UNPACKED = 256 * 1024 * 1024
JUNK = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class Member:
    """`name` as its author wrote it; `path` is where the bytes are now, None when it was not unpacked."""

    name: str
    path: object


def unzip(path, folder):
    """Members of a zip, in its order, junk left out, each there until the next one is asked for. Sizes are
    counted as bytes arrive: headers may lie."""
    try:
        with zipfile.ZipFile(path) as archive:
            items = [item for item in archive.infolist() if not item.is_dir()]
            named = [(item, member_name(item)) for item in items]
            named = [(item, name) for item, name in named if not is_junk(name)]
            if any(item.flag_bits & 1 for item, _ in named):
                raise PasswordProtected(path.name)
            if len(named) > MAX_MEMBERS:
                raise TooLarge(path.name, size=len(named), unit="files in the archive", limit=MAX_MEMBERS)
            room = MAX_UNPACKED
            for index, (item, name) in enumerate(named):
                base = name.replace("\\", "/").rsplit("/", 1)[-1] or "member"
                target = folder / str(index) / base[-120:]
                target.parent.mkdir()
                with archive.open(item) as source:
                    room -= _copy(source, target, room, path.name)
                yield Member(name, target)
                target.unlink()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise BrokenFile(path.name, kind="a zip archive", reason=str(error)[:200]) from error


def gunzip(path, folder):
    target = folder / (path.name.removesuffix(".gz") or "member")
    try:
        with gzip.open(path) as source:
            _copy(source, target, MAX_UNPACKED, path.name)
    except (OSError, zlib.error, EOFError) as error:
        raise BrokenFile(path.name, kind="a gzip file", reason=str(error)[:200]) from error
    return Member(target.name, target)


def member_name(item):
    """The name as written: without the UTF-8 flag zipfile says cp437, where Russian Windows means cp866."""
    if item.flag_bits & 0x800 or item.filename.isascii():
        return item.filename
    try:
        raw = item.filename.encode("cp437")
    except UnicodeEncodeError:
        return item.filename
    for codec in ("utf-8", "cp866", "cp1251", "cp932"):
        try:
            name = raw.decode(codec)
        except UnicodeDecodeError:
            continue
        if codec == "utf-8" or word_score(name) > 0.6:
            return name
    return item.filename


def _copy(source, target, room, name):
    size, limit = 0, MAX_UNPACKED // 2**20
    try:
        with target.open("wb") as file:
            while block := source.read(1 << 16):
                size += len(block)
                if size > room:
                    raise TooLarge(name, size=f"over {limit}", unit="MiB unpacked", limit=limit)
                file.write(block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        limit = size // 2**20  # what /tmp has room for
        raise TooLarge(name, size=f"over {limit}", unit="MiB unpacked", limit=limit) from error
    return size


def is_junk(name):
    return any(part in name for part in JUNK) or name.rsplit("/", 1)[-1].startswith("._")
