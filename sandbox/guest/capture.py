"""A stream's head and tail: what a script printed, within a fixed amount of memory."""


class Capture:
    """Keeps the first and the last half of `limit` bytes and counts the rest."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self.limit - self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data[-self._half :] if self._half else b""
            if len(self._tail) > 4 * self._half:
                self._trim()

    @property
    def dropped(self) -> int:
        return max(0, self.total - self.limit)

    def content(self) -> bytes:
        """Everything, when nothing was dropped; otherwise head and tail without a mark between them."""
        self._trim()
        return bytes(self._head + self._tail)

    def text(self) -> str:
        """Valid text. A character that the cut went through is left out rather than shown broken."""
        self._trim()
        if not self.dropped:
            return self.content().decode("utf-8", "replace")
        head = _without_broken_end(bytes(self._head)).decode("utf-8", "replace")
        tail = bytes(self._tail)
        start = 0
        while start < min(3, len(tail)) and tail[start] & 0xC0 == 0x80:
            start += 1
        return f"{head}\n[... {self.dropped:,} bytes cut ...]\n{tail[start:].decode('utf-8', 'replace')}"

    def _trim(self) -> None:
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]


def _without_broken_end(data: bytes) -> bytes:
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if needed > back else data
    return data
