"""One microVM of E2B's, over their SDK: made, filled, asked, emptied and killed, each under a deadline."""

import asyncio
import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import structlog
from pydantic import ValidationError

from sandbox.e2b.answers import MAX_ANSWER, Answer
from sandbox.errors import NoSuchFile, SandboxError, SandboxUnavailable
from sandbox.names import clean_text
from sandbox.service.wire import Place
from sandbox.upload import copy_seconds

if TYPE_CHECKING:
    from e2b import AsyncSandbox

WORKSPACE = "/workspace"
_TOOLS = f"{WORKSPACE}/.deckhand"
_SOURCES = Path(__file__).parents[1]
_MODULES = ("__init__", "capture", "excerpt", "outbox", "watch", "wire")
_UPLOADED = ("__init__.py", *(f"guest/{name}.py" for name in _MODULES), "e2b/__init__.py", "e2b/tool.py")
"""The tool with the modules that it imports, as paths below this package."""
_NEWBORN_SECONDS = 120
"""What a machine lives at most before it has been told otherwise: nobody knows of one whose making failed."""
_MAX_REASON = 500
"""Characters."""
_log = structlog.get_logger()

AnswerT = TypeVar("AnswerT", bound=Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whose machines they are, and what they are made of."""

    template: str | None = None
    """Of E2B, by name or id; it needs Python 3.10 or later as `python3`. None for E2B's own base."""
    api_key: str | None = None
    """None for the environment's E2B_API_KEY."""
    api_url: str | None = None
    sandbox_url: str | None = None
    """Both None for E2B's cloud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Wall seconds after which E2B, or a machine, is given up on."""

    create: float = 60.0
    call: float = 30.0
    """For one call beside the scripts, a check, a list or an excerpt among them."""
    kill: float = 30.0


class NoAnswer(SandboxUnavailable):
    """The tool ended and said nothing."""

    def __init__(self, exit_code: int, stderr: str) -> None:
        self.killed = exit_code < 0 or exit_code > 128
        """By a signal: as E2B tells it, or as a shell would."""
        shown = clean_text(stderr).strip()[-_MAX_REASON:]
        super().__init__(f"the sandbox's tool ended with {exit_code} and no answer: {shown}")


class Machine:
    def __init__(self, sandbox: "AsyncSandbox", deadlines: Deadlines) -> None:
        self._sandbox = sandbox
        self._deadlines = deadlines

    @classmethod
    async def create(cls, account: Account, deadlines: Deadlines, owner: str) -> Self:
        """Raises: SandboxUnavailable."""
        sdk = load_sdk()
        async with _deadline(deadlines.create, "making a sandbox"):
            sandbox = await sdk.create(
                template=account.template,
                timeout=_NEWBORN_SECONDS,
                metadata={"deckhand": owner},
                allow_internet_access=False,
                lifecycle={"on_timeout": "kill"},
                api_key=account.api_key,
                api_url=account.api_url,
                sandbox_url=account.sandbox_url,
                debug=False,  # E2B_DEBUG in the environment would keep the SDK from killing anything
                request_timeout=deadlines.create,
            )
        return cls(sandbox, deadlines)

    async def prepare(self, seconds: float) -> None:
        """Let it live for so long, and make the workspace's folders with the tool beside them.

        Raises: SandboxUnavailable.
        """
        folders = " ".join(f"{WORKSPACE}/{name}" for name in (*Place, ".deckhand"))
        async with _deadline(self._deadlines.call, "preparing the sandbox"):
            await self._sandbox.set_timeout(math.ceil(seconds))
            # Only root may make a folder at the top. All else is done as the template's own user.
            made = f"mkdir -p {folders} && chmod 777 {WORKSPACE} {folders}"
            await self._sandbox.commands.run(made, user="root", timeout=self._deadlines.call)
            async with asyncio.TaskGroup() as group:
                for name in _UPLOADED:
                    content = (_SOURCES / name).read_bytes()
                    group.create_task(self._write(f"{_TOOLS}/sandbox/{name}", content))

    async def receive(self, place: Place, name: str, size: int, pieces: AsyncIterator[bytes]) -> None:
        """As `upload.Receiver` has it."""
        async with _deadline(copy_seconds(size), "sending a file"):
            await self._write(f"{WORKSPACE}/{place}/{name}", pieces)

    async def write_code(self, name: str, content: bytes) -> None:
        async with _deadline(self._deadlines.call, "staging a script"):
            await self._write(f"{WORKSPACE}/{Place.CODE}/{name}", content)

    async def ask(
        self, answer: type[AnswerT], job: Mapping[str, object], *, doing: str, seconds: float = 0.0
    ) -> AnswerT:
        """`seconds` come on top of those that any call may take.

        Raises: NoAnswer; SandboxUnavailable.
        """
        seconds += self._deadlines.call
        async with _deadline(seconds, doing):
            await self._write(f"{_TOOLS}/job.json", json.dumps(job).encode())
            said = await self._execute(f"cd {_TOOLS} && exec python3 -B -m sandbox.e2b.tool", seconds)
        try:
            return answer.model_validate_json(said)
        except ValidationError as error:
            message = f"the sandbox sent a malformed answer ({error.error_count()} errors)"
            raise SandboxUnavailable(message) from None

    async def download(self, path: str, size: int, sink: Callable[[bytes], None]) -> None:
        """As `collection.Download` has it; `path` is below out/."""
        from e2b import FileNotFoundException  # the extra is there: this machine was made by it

        left = size
        async with _deadline(copy_seconds(size), "fetching a file"):
            try:
                stream = await self._sandbox.files.read(f"{WORKSPACE}/{Place.OUT}/{path}", format="stream")
            except FileNotFoundException:
                raise NoSuchFile(path) from None
            async with stream:
                async for piece in stream:
                    left -= len(piece)
                    if left < 0:
                        break
                    sink(piece)
        if left:
            message = "the sandbox sent a file that is not as long as announced"
            raise SandboxUnavailable(message)

    async def kill(self) -> None:
        """Never fails: what cannot be killed is told, and ends by E2B's own clock."""
        try:
            async with _deadline(self._deadlines.kill, "killing a sandbox"):
                await self._sandbox.kill(request_timeout=self._deadlines.kill)
        except SandboxError as error:
            _log.warning("sandbox.e2b_left", machine=self._sandbox.sandbox_id, reason=str(error))

    async def _write(self, path: str, content: bytes | AsyncIterator[bytes]) -> None:
        await self._sandbox.files.write(  # pyright: ignore[reportUnknownMemberType]  # files may be any IO there
            path, content, use_octet_stream=True
        )

    async def _execute(self, command: str, seconds: float) -> str:
        """What it printed. Raises: NoAnswer."""
        from e2b import CommandExitException  # as above

        said, errors = _Said(), _Said()
        exit_code = 0
        try:
            await self._sandbox.commands.run(
                command,
                on_stdout=said.hear,
                on_stderr=errors.hear,
                timeout=seconds,
                retain_output=False,
            )
        except CommandExitException as error:
            exit_code = error.exit_code
        if exit_code or not said.text:
            raise NoAnswer(exit_code, errors.text)
        return said.text


class _Said:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0

    def hear(self, part: str) -> None:
        self._parts.append(part)
        self._length += len(part)
        if self._length > MAX_ANSWER:
            message = f"the sandbox sent an answer of more than {MAX_ANSWER >> 10} KiB"
            raise SandboxUnavailable(message)

    @property
    def text(self) -> str:
        return "".join(self._parts)


def load_sdk() -> "type[AsyncSandbox]":
    """Raises: SandboxUnavailable: the extra is missing."""
    try:
        from e2b import AsyncSandbox  # an extra: only those who use it must have it
    except ImportError as error:
        message = f'E2B\'s SDK is missing ({error}): pip install "deckhand[e2b]"'
        raise SandboxUnavailable(message) from error
    return AsyncSandbox


@asynccontextmanager
async def _deadline(seconds: float, doing: str) -> AsyncGenerator[None]:
    """Raises: SandboxUnavailable: the block took longer, or E2B failed in it."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except SandboxError:
        raise
    except TimeoutError as error:
        message = f"E2B did not answer in time while {doing}"
        raise SandboxUnavailable(message) from error
    except (
        Exception
    ) as error:  # the SDK raises its own, httpx's, and bare ones for answers that it cannot read
        reason = clean_text(str(error))[:_MAX_REASON] or type(error).__name__
        message = f"E2B failed while {doing}: {reason}"
        raise SandboxUnavailable(message) from error
