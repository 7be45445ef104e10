"""The host's side of the protocol against guests that speak nonsense: an error, never a hang or a value."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import SandboxUnavailable
from sandbox.frames import Channel, Checked, End, Hello, Ran
from sandbox.guest.wire import DATA, HEADER, JSON, MAX_DATA, MAX_JSON, PROTOCOL

RAN = {
    "type": "run", "exit_code": 0, "killed_for": "", "oom_kills": 0, "no_memory": False, "no_space": False,
    "stdout": "", "stderr": "", "stdout_dropped": 0, "stderr_dropped": 0, "seconds": 0.1, "cpu_seconds": 0.1,
    "peak_memory": 1, "processes": 1, "refused_forks": 0, "out_bytes": 0, "observed": [],
    "script_sha256": "0" * 64,
}  # fmt: skip


class Guest:
    """A guest whose whole output is known beforehand, given out in pieces of `size` bytes."""

    def __init__(self, output: bytes, size: int = 7) -> None:
        self.output = output
        self.size = size
        self.heard = b""

    async def read(self) -> bytes:
        part, self.output = self.output[: self.size], self.output[self.size :]
        return part

    async def write(self, data: bytes) -> None:
        self.heard += data


def frame(payload: Any, letter: bytes = JSON) -> bytes:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return HEADER.pack(letter, len(data)) + data


def channel(output: bytes, size: int = 7) -> Channel:
    return Channel(Guest(output, size))


async def test_frames_are_put_together_from_any_pieces() -> None:
    for size in (1, 5, 1000):
        speaker = channel(frame(RAN) + frame({"type": "end", "skipped": [["a", "b"]]}), size)
        assert (await speaker.answer(Ran)).script_sha256 == "0" * 64
        assert await speaker.change_or_end() == End(type="end", skipped=[("a", "b")])


async def test_a_question_is_one_frame_of_json() -> None:
    guest = Guest(b"")
    await Channel(guest).ask("run", name="a.py", arguments=["\udcff"])
    letter, length = HEADER.unpack(guest.heard[: HEADER.size])
    assert (letter, length) == (JSON, len(guest.heard) - HEADER.size)
    assert json.loads(guest.heard[HEADER.size :])["arguments"] == ["\udcff"]


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"J",
        frame(RAN)[:-1],
        b"hello\n",
        frame(RAN, b"X"),
        frame(b"x", DATA),
        HEADER.pack(JSON, MAX_JSON + 1),
        HEADER.pack(JSON, 2**32 - 1),
        frame(b""),
        frame(b"{"),
        frame(b"\xff\xfe"),
        frame(b"[" * 100_000),
        frame(b"null"),
        frame([]),
        frame({"type": "hello"}),
        frame({"type": "nothing"}),
        frame(RAN | {"more": 1}),
        frame(RAN | {"exit_code": "0"}),
        frame(RAN | {"exit_code": -1}),
        frame(RAN | {"exit_code": 256}),
        frame(RAN | {"exit_code": True}),
        frame(RAN | {"killed_for": "fun"}),
        frame(RAN | {"oom_kills": 2**70}),
        frame(RAN | {"seconds": float("nan")}),
        frame(RAN | {"seconds": float("inf")}),
        frame(RAN | {"seconds": -1}),
        frame(RAN | {"stdout": "x" * ((1 << 20) + 1)}),
        frame(RAN | {"stdout": None}),
        frame(RAN | {"script_sha256": "0" * 63 + "\n"}),
        frame(RAN | {"observed": [["fun", ""]]}),
        frame(RAN | {"observed": [["socket", "x" * 401]]}),
        frame(RAN | {"observed": [["socket", ""]] * 4}),
        frame(RAN | {"processes": -1}),
        frame({"type": "begin"}),
    ],
    ids=repr,
)
async def test_nonsense_is_an_error(output: bytes) -> None:
    with pytest.raises(SandboxUnavailable):
        async with asyncio.timeout(2):
            await channel(output, 1 << 16).answer(Ran)


@pytest.mark.parametrize(
    "output",
    [
        frame(b"abcd", DATA),
        frame(b"ab", DATA),
        frame(b"", DATA) * 3,
        frame(RAN),
        HEADER.pack(DATA, MAX_DATA + 1),
    ],
)
async def test_a_file_must_be_as_long_as_announced(output: bytes) -> None:
    received: list[bytes] = []
    with pytest.raises(SandboxUnavailable):
        await channel(output, 1 << 16).data(3, received.append)
    assert sum(map(len, received)) <= 3


async def test_a_file_comes_in_pieces() -> None:
    received: list[bytes] = []
    await channel(frame(b"ab", DATA) + frame(b"c", DATA)).data(3, received.append)
    assert b"".join(received) == b"abc"


def test_host_and_guest_speak_one_version() -> None:
    hello = Hello(type="hello", protocol=3, confined=True, python="3.11.2", seconds=0.5)
    assert hello.protocol == PROTOCOL


_ASKS: list[Callable[[Channel], Coroutine[Any, Any, object]]] = [
    lambda speaker: speaker.answer(Ran),
    lambda speaker: speaker.answer(Checked),
    lambda speaker: speaker.change_or_end(),
    lambda speaker: speaker.data(10, lambda data: None),
]


@given(st.binary(max_size=200), st.sampled_from(_ASKS))
def test_no_bytes_do_anything_but_answer_or_fail(
    output: bytes, ask: Callable[[Channel], Coroutine[Any, Any, object]]
) -> None:
    async def listen() -> None:
        async with asyncio.timeout(2):
            await ask(channel(output))

    with suppress(SandboxUnavailable):
        asyncio.run(listen())
