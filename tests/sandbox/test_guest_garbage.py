"""Any guest at all: garbage, halves, floods, silence. A session ends in time, in a value or in one error."""

import asyncio
import itertools
import json
import selectors
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.container import DockerSession
from sandbox.errors import NoSuchFile, SandboxUnavailable
from sandbox.frames import Channel
from sandbox.guest.wire import DATA, HEADER, JSON, MAX_DATA, MAX_JSON
from sandbox.lease import LeaseFolder
from sandbox.policy import Policy
from sandbox.session import Workspace
from tests.sandbox.test_frames import RAN, frame

Action = Callable[[DockerSession], Coroutine[Any, Any, object]]
MOST_SECONDS = 60 + 5 + 40
"""The policy's timeout and grace, and the copying of files."""
MOST_BYTES = 300 << 20
"""What out/ may hold, 256 MiB, and the frames around it."""

ACTIONS: dict[str, Action] = {
    "begin": lambda session: session.begin(),
    "write": lambda session: session.write("b.py", "1"),
    "run": lambda session: session.run("a.py"),
    "list": lambda session: session.list_outputs(),
    "excerpt": lambda session: session.excerpt("out/a"),
}
EXCERPT = {"size": 1, "encoding": None, "first_line": 1, "total_lines": 1, "text": "", "cut": False}
ANSWERS: list[dict[str, Any]] = [
    RAN,
    {"type": "hello", "protocol": 3, "confined": True, "python": "3", "seconds": 0.1},
    {"type": "open"},
    {"type": "begin"},
    {"type": "put", "problem": None},
    {"type": "file", "path": "a", "size": 3},
    {"type": "gone", "paths": ["a", "../b"]},
    {"type": "end", "skipped": [["\x1b", "x"]]},
    {"type": "check", "findings": [[1, "a", "b", True]]},
    {"type": "list", "files": [["a", 1]], "more": True},
    {"type": "list", "files": [], "more": False},
    {"type": "excerpt", "excerpt": EXCERPT, "failed": False},
]


class Hurried(asyncio.SelectorEventLoop):
    """A loop that never waits: when there is nothing to do, its clock goes on to the next timer."""

    def __init__(self) -> None:
        self.ahead = 0.0
        selector = selectors.SelectSelector()
        look = selector.select

        def select(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            assert timeout is not None, "somebody waits without a deadline"
            self.ahead += max(0.0, timeout)
            return look(0)

        selector.select = select
        super().__init__(selector)

    def time(self) -> float:
        return super().time() + self.ahead


class Speaker:
    """A guest that says `parts` whatever it is asked, then hangs up or falls silent."""

    def __init__(self, parts: Iterable[bytes], *, silent: bool) -> None:
        self.parts = iter(parts)
        self.silent = silent
        self.said = 0

    async def read(self) -> bytes:
        await asyncio.sleep(0)
        if (part := next(self.parts, None)) is None:
            if self.silent:
                await asyncio.Event().wait()
            return b""
        self.said += len(part)
        return part

    async def write(self, data: bytes) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garbage")
    for name in ("lease", "lease/code", "lease/incoming", "out", "code"):
        (folder / name).mkdir()
    (folder / "lease/code/a.py").touch()
    return folder


def listen(folder: Path, speaker: Speaker, actions: Iterable[Action]) -> int:
    """How many of the actions had a value."""

    async def session() -> int:
        ended = 0

        async def end() -> bool:
            nonlocal ended
            ended += 1
            return False

        workspace = Workspace(owner="a", code=folder / "code", out=folder / "out")
        lease = LeaseFolder(folder / "lease")
        session = DockerSession(Channel(speaker), policy=Policy(), workspace=workspace, folder=lease, end=end)
        values = 0
        for action in actions:
            began = asyncio.get_running_loop().time()
            with suppress(SandboxUnavailable, NoSuchFile):
                await action(session)
                values += 1
            assert asyncio.get_running_loop().time() - began < MOST_SECONDS + 10
        assert ended <= 1
        return values

    with asyncio.Runner(loop_factory=Hurried) as runner:
        return runner.run(session())


def _mutated(answer: dict[str, Any], key: str, value: object) -> bytes:
    return frame(answer | {key: value})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(sorted({key for answer in ANSWERS for key in answer}))
ONE = st.one_of(
    st.binary(max_size=300),
    st.sampled_from(ANSWERS).map(frame),
    st.builds(_mutated, st.sampled_from(ANSWERS), KEYS, VALUES),
    st.binary(max_size=10).map(lambda data: frame(data, DATA)),
    st.tuples(st.sampled_from([JSON, DATA, b"X"]), st.integers(0, 2**32 - 1)).map(
        lambda head: HEADER.pack(*head)
    ),
    VALUES.map(frame),
)


def _halved(parts: list[bytes], cut: int) -> list[bytes]:
    whole = b"".join(parts)
    return [whole[:cut], whole[cut:]]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    parts=st.lists(ONE, max_size=8) | st.builds(_halved, st.lists(ONE, max_size=4), st.integers(0, 400)),
    actions=st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=4),
    silent=st.booleans(),
)
def test_no_guest_does_anything_but_answer_or_fail_in_time(
    folder: Path, parts: list[bytes], actions: list[str], silent: bool
) -> None:
    listen(folder, Speaker(parts, silent=silent), [ACTIONS[name] for name in actions])


@pytest.mark.parametrize("action", ACTIONS)
def test_a_guest_that_says_nothing_is_given_up_on(folder: Path, action: str) -> None:
    assert listen(folder, Speaker([], silent=True), [ACTIONS[action]] * 3) == 0


def _run_and(more: bytes) -> Iterator[bytes]:
    return itertools.chain([frame(RAN)], itertools.repeat(more))


FLOODS: dict[str, Callable[[], Iterator[bytes]]] = {
    "bytes": lambda: itertools.repeat(b"\xff" * 65536),
    "a frame in small pieces": lambda: itertools.chain(
        [HEADER.pack(JSON, MAX_JSON)], itertools.repeat(b"[" * 99)
    ),
    "data": lambda: _run_and(frame(b"x" * MAX_DATA, DATA)),
    "empty data": lambda: itertools.chain(
        [frame(RAN), frame({"type": "file", "path": "a", "size": 3})], itertools.repeat(frame(b"", DATA))
    ),
    "files": lambda: _run_and(frame({"type": "file", "path": "a", "size": 0})),
    "large files": lambda: _run_and(
        frame({"type": "file", "path": "a", "size": 3 * MAX_DATA}) + frame(bytes(MAX_DATA), DATA) * 3
    ),
    "gone": lambda: _run_and(frame({"type": "gone", "paths": []})),
    "lists": lambda: itertools.repeat(frame({"type": "list", "files": [["a", 1]] * 2000, "more": True})),
    "short lists": lambda: itertools.repeat(frame({"type": "list", "files": [["a", 1]], "more": True})),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_guest_that_never_ends_is_cut_off(folder: Path, flood: str) -> None:
    """The action that would take it fails; how much was read before that has a bound."""
    for action in ("run", "list"):
        speaker = Speaker(FLOODS[flood](), silent=False)
        assert listen(folder, speaker, [ACTIONS[action]]) == 0
        assert speaker.said < MOST_BYTES


@pytest.mark.parametrize("piece", [b"[],", b"{},", b"1,", b'"",', b'"a":1,', b"[[1]],", b'"', b'"\\"'])
def test_an_answer_of_nothing_but_structure_is_not_even_read(folder: Path, piece: bytes) -> None:
    """Four megabytes of brackets would take hundreds as values."""
    data = b'{"type":"end","skipped":[' + piece * ((MAX_JSON - 100) // len(piece)) + b"[]]}"
    speaker = Speaker([frame(RAN), frame(data)], silent=False)

    async def refused(session: DockerSession) -> None:
        with pytest.raises(SandboxUnavailable, match="too many parts"):
            await session.run("a.py")

    assert listen(folder, speaker, [refused]) == 1


def test_a_long_text_full_of_brackets_is_an_answer_like_any_other(folder: Path) -> None:
    text = json.dumps([{"a": '"['}] * 20_000)
    speaker = Speaker([frame(RAN | {"stdout": text}), frame({"type": "end", "skipped": []})], silent=False)
    assert listen(folder, speaker, [ACTIONS["run"]]) == 1
