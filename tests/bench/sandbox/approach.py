"""A way to run scripts in a container, as the benchmark drives it."""

import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from aiodocker.exceptions import DockerError

from sandbox.errors import SandboxError
from tests.bench.sandbox.workloads import ENDINGS, SOURCES, TABLE, Kind


class Failed(Exception):
    """An approach did not do a script's work, or could not begin a session."""


TROUBLE = (Failed, SandboxError, DockerError)
"""What ends one session and not the benchmark."""


class Approach(Protocol):
    """One session after the other, each `prepare`, `lease`, `run` a few times, `close`."""

    @property
    def name(self) -> str: ...

    @property
    def without(self) -> tuple[str, ...]:
        """Flags of the common set that it cannot take, and what it needs instead."""
        ...

    async def prepare(self) -> None:
        """What stands before a session in use too, such as a full pool. Not timed."""
        ...

    async def lease(self) -> float:
        """Seconds until a session is there and the table lies in its input folder."""
        ...

    async def run(self, kind: Kind) -> float:
        """Seconds from handing the script over to having its output. Raises: Failed."""
        ...

    async def close(self) -> None:
        """The end of the session. Not timed."""
        ...


class Stopwatch:
    """Seconds of a `with`, on a clock that only goes forward."""

    seconds = 0.0

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._start


@dataclass(frozen=True, slots=True)
class Folder:
    """The host's side of a session: what a container sees as /workspace."""

    path: Path

    @classmethod
    def fresh(cls, root: Path) -> Self:
        folder = cls(root / secrets.token_hex(6))
        for part in (folder.path, folder.input, folder.code, folder.out):
            part.mkdir()
        folder.out.chmod(0o777)  # the guest is not the user who runs this
        shutil.copy(root / TABLE, folder.input / TABLE)
        for kind, source in SOURCES.items():
            (folder.code / f"{kind}.py").write_text(source, encoding="utf-8")
        return folder

    @property
    def input(self) -> Path:
        return self.path / "input"

    @property
    def code(self) -> Path:
        return self.path / "code"

    @property
    def out(self) -> Path:
        return self.path / "out"


def check(kind: Kind, code: int, output: str) -> None:
    """Raises: Failed: the script did not do its work."""
    lines = output.rstrip().splitlines()
    if code or not lines or lines[-1].strip() != ENDINGS[kind]:
        message = f"{kind} ended with {code}: {output[-600:]}"
        raise Failed(message)
