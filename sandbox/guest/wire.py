"""The protocol's bytes: one letter, four bytes of length, the payload. `J` is JSON, `D` is file content.

The host asks with one J frame (`put` adds D frames); every answer begins with one J frame. After a script's
answer come J frames with the paths that are gone, then, for each changed file, a J frame with its path and
size and D frames with exactly that many bytes; at last a J frame that says `end`.
"""

import json
import os
import select
import struct
from collections.abc import Mapping
from typing import Any

HEADER = struct.Struct(">cI")
JSON = b"J"
DATA = b"D"
MAX_JSON = 4 << 20
MAX_DATA = 256 << 10
PROTOCOL = 3


class HostGone(Exception):
    """The host closed its end, or spoke nonsense. PID 1 ends, and the container with it."""


class Wire:
    """Blocking frames over two file descriptors."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader = reader
        self.writer = writer
        self._line = select.poll()
        self._line.register(reader, 0)  # only a hang-up

    def receive(self) -> tuple[bytes, bytes]:
        kind, length = HEADER.unpack(self._exactly(HEADER.size))
        if kind not in (JSON, DATA) or length > (MAX_JSON if kind == JSON else MAX_DATA):
            raise HostGone(f"frame {kind!r} of {length} bytes")
        return kind, self._exactly(length)

    def receive_json(self) -> dict[str, Any]:
        kind, payload = self.receive()
        if kind != JSON:
            raise HostGone("data without a request")
        return json.loads(payload)

    def receive_data(self) -> bytes:
        kind, payload = self.receive()
        if kind != DATA:
            raise HostGone("a request in the middle of a file")
        return payload

    def send(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
        self._write(JSON, text.encode("utf-8", "replace"))  # a script may put half a surrogate pair anywhere

    def send_data(self, payload: bytes) -> None:
        self._write(DATA, payload)

    def _write(self, kind: bytes, payload: bytes) -> None:
        if self._line.poll(0):  # the engine takes what nobody reads any more
            raise HostGone("hung up during an answer")
        view = memoryview(HEADER.pack(kind, len(payload)) + payload)
        while view:
            view = view[os.write(self.writer, view) :]

    def _exactly(self, length: int) -> bytes:
        buffer = bytearray()
        while len(buffer) < length:
            part = os.read(self.reader, min(length - len(buffer), 1 << 16))
            if not part:
                raise HostGone("end of input")
            buffer += part
        return bytes(buffer)
