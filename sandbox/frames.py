"""The host's side of the protocol. Every byte of the container counts as hostile: capped, typed, checked."""

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, NoReturn, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sandbox.errors import ContainerEnded, SandboxUnavailable
from sandbox.failure import KilledFor
from sandbox.guest.wire import DATA, HEADER, JSON, MAX_DATA, MAX_JSON

Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Path = Annotated[str, Field(max_length=4000)]
Text = Annotated[str, Field(max_length=1 << 20)]


class _Frame(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Hello(_Frame):
    type: Literal["hello"]
    protocol: Literal[3]
    """`wire.PROTOCOL`: an image of another version is told apart by it."""
    confined: bool
    """Scripts are kept from offering PID 1 to the kernel's out-of-memory killer."""
    python: Annotated[str, Field(max_length=40)]
    seconds: Seconds


Observed = tuple[
    Literal["socket", "forbidden-command", "unlisted-program"], Annotated[str, Field(max_length=400)]
]


class Opened(_Frame):
    type: Literal["open"]


class Begun(_Frame):
    type: Literal["begin"]


class Put(_Frame):
    type: Literal["put"]
    problem: Path | None


class Ran(_Frame):
    type: Literal["run"]
    exit_code: Annotated[int, Field(ge=0, le=255)]
    killed_for: KilledFor
    oom_kills: Count
    no_memory: bool
    no_space: bool
    stdout: Text
    stderr: Text
    stdout_dropped: Count
    stderr_dropped: Count
    seconds: Seconds
    cpu_seconds: Seconds
    peak_memory: Count
    processes: Count
    refused_forks: Count
    """How often the script came to the limit of processes."""
    out_bytes: Count
    observed: Annotated[list[Observed], Field(max_length=3)]
    """What the script reached for, as it lets us believe."""
    script_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class File(_Frame):
    type: Literal["file"]
    path: Path
    size: Count


class Gone(_Frame):
    type: Literal["gone"]
    paths: Annotated[list[Path], Field(max_length=2000)]


class End(_Frame):
    type: Literal["end"]
    skipped: Annotated[list[tuple[Path, Path]], Field(max_length=2000)]


class Checked(_Frame):
    type: Literal["check"]
    findings: Annotated[list[tuple[Count, Path, Path, bool]], Field(max_length=5000)]


class Listed(_Frame):
    type: Literal["list"]
    files: Annotated[list[tuple[Path, Count]], Field(max_length=2000)]
    more: bool
    """Another such frame follows."""


class Lines(_Frame):
    size: Count
    encoding: Annotated[str, Field(max_length=40)] | None
    first_line: Count
    total_lines: Count | None
    text: Text
    cut: bool


class Excerpted(_Frame):
    type: Literal["excerpt"]
    excerpt: Lines | None
    failed: bool


Answer = Hello | Opened | Begun | Put | Ran | Gone | File | End | Checked | Listed | Excerpted
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="type")])

_PART = re.compile(rb'[^"]*+(")(?:[^"\\]++|\\.)*+"', re.DOTALL)
"""JSON up to the end of its next string."""
_MAX_SHAPE = 64 << 10
"""Bytes of JSON beside what its strings say: a frame of nothing but brackets would grow a hundredfold when it
is read."""

AnswerT = TypeVar("AnswerT", bound=_Frame)


class ByteStream(Protocol):
    async def read(self) -> bytes:
        """Some bytes of the container's stdout, empty at its end."""
        ...

    async def write(self, data: bytes) -> None: ...


class Channel:
    """Frames over an attached container. It has no clock: callers put every call under a deadline."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def ask(self, operation: str, **arguments: Any) -> None:
        await self._send(JSON, json.dumps({"op": operation, **arguments}).encode())

    async def send_data(self, data: bytes) -> None:
        """At most `wire.MAX_DATA` bytes."""
        await self._send(DATA, data)

    async def answer(self, kind: type[AnswerT]) -> AnswerT:
        """The next frame, which must be a `kind`.

        Raises: SandboxUnavailable: it is anything else, or the container's stdout ended.
        """
        answer = await self._answer()
        if not isinstance(answer, kind):
            _nonsense(f"{answer.type!r} where another answer was due")
        return answer

    async def change_or_end(self) -> Gone | File | End:
        answer = await self._answer()
        if not isinstance(answer, (Gone, File, End)):
            _nonsense(f"{answer.type!r} where a file was due")
        return answer

    async def data(self, size: int, sink: Callable[[bytes], None]) -> None:
        """Exactly `size` bytes of a file, in pieces."""
        while size > 0:
            letter, payload = await self._frame()
            if letter != DATA or not payload or len(payload) > size:
                _nonsense("a file that is not as long as announced")
            size -= len(payload)
            sink(payload)

    async def _answer(self) -> Answer:
        letter, payload = await self._frame()
        if letter != JSON:
            _nonsense("data where an answer was due")
        if _shape(payload) > _MAX_SHAPE:
            _nonsense("an answer of too many parts")
        try:
            return _ANSWER.validate_json(payload)
        except ValidationError as error:
            _nonsense(f"a malformed answer ({error.error_count()} errors)")

    async def _frame(self) -> tuple[bytes, bytes]:
        letter, length = HEADER.unpack(await self._exactly(HEADER.size))
        if length > {JSON: MAX_JSON, DATA: MAX_DATA}.get(letter, -1):
            _nonsense(f"a frame {letter!r} of {length} bytes")
        return letter, await self._exactly(length)

    async def _exactly(self, length: int) -> bytes:
        while len(self._buffer) < length:
            part = await self._stream.read()
            if not part:
                raise ContainerEnded
            self._buffer += part
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    async def _send(self, letter: bytes, payload: bytes) -> None:
        await self._stream.write(HEADER.pack(letter, len(payload)) + payload)


def _shape(payload: bytes) -> int:
    """Bytes beside what the strings say, their quotes included; counted until they are too many."""
    if len(payload) <= _MAX_SHAPE:
        return len(payload)
    size = place = 0
    while size <= _MAX_SHAPE and (part := _PART.match(payload, place)):
        size += part.start(1) - place + 2
        place = part.end()
    return size + (len(payload) - place if size <= _MAX_SHAPE else 0)


def _nonsense(what: str) -> NoReturn:
    message = f"the sandbox container sent {what}"
    raise SandboxUnavailable(message)
