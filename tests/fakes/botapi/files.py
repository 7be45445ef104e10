"""Every file that went through the server, in either direction, byte for byte."""

import secrets
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.fakes.botapi.errors import refuse
from tests.fakes.botapi.limits import DOWNLOAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A file that a person sends."""

    name: str
    data: bytes
    mime: str = "application/octet-stream"
    size: int | None = None
    """Bytes that Telegram states; None for the true number. Lets a small file pass for a huge one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    id: str
    unique_id: str
    kind: str
    """document, photo, voice, …"""
    name: str
    mime: str
    data: bytes
    size: int
    path: str
    width: int = 0
    height: int = 0


class Files:
    """With a folder it is a server in --local mode: no limit of size, and paths are absolute."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.expired: set[str] = set()
        """Paths whose links are dead. A new getFile revives one."""
        self._by_id: dict[str, StoredFile] = {}

    def add(self, sent: Sent, kind: str, *, width: int = 0, height: int = 0) -> StoredFile:
        number = len(self._by_id) + 1
        path = f"{kind}s/file_{number}{PurePosixPath(sent.name).suffix}"
        if self.folder is not None:
            whole = self.folder / path
            whole.parent.mkdir(parents=True, exist_ok=True)
            whole.write_bytes(sent.data)
            path = str(whole)
        file = StoredFile(
            id=f"BQAC{number}-{secrets.token_urlsafe(24)}",
            unique_id=f"AgAD{number}",
            kind=kind,
            name=sent.name,
            mime=sent.mime,
            data=sent.data,
            size=len(sent.data) if sent.size is None else sent.size,
            path=path,
            width=width,
            height=height,
        )
        self._by_id[file.id] = file
        return file

    def by_id(self, file_id: str) -> StoredFile:
        if file_id not in self._by_id:
            refuse("wrong file_id or the file is temporarily unavailable")
        return self._by_id[file_id]

    def link(self, file_id: str) -> StoredFile:
        """What getFile answers."""
        file = self.by_id(file_id)
        if self.folder is None and file.size > DOWNLOAD:
            refuse("file is too big")
        self.expired.discard(file.path)
        return file

    def at(self, path: str) -> StoredFile | None:
        """What the address of a download shows."""
        if self.folder is not None or path in self.expired:
            return None
        return next((file for file in self._by_id.values() if file.path == path), None)
