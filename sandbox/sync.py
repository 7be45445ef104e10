"""The client for code that does not await: notebooks, and the tools of other frameworks."""

import secrets
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from sandbox.client import SandboxClient
from sandbox.errors import SandboxUnavailable
from sandbox.outfolder import OutFolder
from sandbox.session import ExitStatus, FileEntry, InputFile, RunResult, SandboxSession, Workspace


class SyncSandbox:
    """One leased sandbox, from `with` to the end of its block.

    Files stay from one `run` to the next, variables do not. Any thread may call; calls take turns.

        with SyncSandbox("unix:///run/deckhand/sandbox.sock", inputs={"data.csv": Path("data.csv")}) as box:
            print(box.run("print(open('/workspace/input/data.csv').read())").stdout)
    """

    def __init__(
        self,
        base_url: str,
        *,
        policy: str | None = None,
        token: str | None = None,
        inputs: Mapping[str, Path] | None = None,
    ) -> None:
        """`inputs`: files by the plain names that scripts find in /workspace/input.

        Raises: ValueError: `base_url` is neither unix:///path nor http(s)://host.
        """
        self._client = SandboxClient(base_url, policy=policy, token=token)
        self._inputs = tuple(InputFile(name=name, source=file) for name, file in (inputs or {}).items())
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._session: SandboxSession | None = None
        self._out = Path()
        self._scripts = 0
        self._turn = threading.Lock()

    def __enter__(self) -> Self:
        """Raises: SandboxUnavailable; PolicyError: there is no policy of that name."""
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deckhand-")))
            self._out = folder / "out"
            workspace = Workspace(
                owner=f"sync-{secrets.token_hex(8)}",
                inputs=self._inputs,
                code=folder / "code",
                out=self._out,
            )
            portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(portal.wrap_async_context_manager(self._client))
            session = stack.enter_context(portal.wrap_async_context_manager(self._client.lease(workspace)))
            self._portal, self._session = portal, session
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._portal = self._session = None
        self._stack.close()

    def run(self, source: str, *, time_limit: float | None = None) -> RunResult:
        """Check and run Python source in /workspace/out. What the checker finds fatal is an error's result.

        Raises: SandboxUnavailable; ValueError: the time limit is none.
        """
        with self._turn:
            portal, session = self._opened()
            self._scripts += 1
            return portal.call(_write_and_run, session, f"script_{self._scripts}.py", source, time_limit)

    def list_files(self) -> tuple[FileEntry, ...]:
        """The files of out/. Raises: SandboxUnavailable."""
        portal, session = self._opened()
        return portal.call(session.list_outputs)

    def get_file(self, path: str) -> bytes:
        """A file of out/ as the last script left it.

        Raises: NoSuchFile: it is not there, or was not copied; the run's `skipped` says why.
        """
        self._opened()
        with OutFolder(self._out, self._out) as out:
            file = out.open(path)
        with open(file, "rb") as content:  # noqa: PTH123  # a descriptor
            return content.read()

    def _opened(self) -> tuple[BlockingPortal, SandboxSession]:
        if self._portal is None or self._session is None:
            message = "the sandbox is not open: use it inside its `with`"
            raise SandboxUnavailable(message)
        return self._portal, self._session


async def _write_and_run(
    session: SandboxSession, name: str, source: str, time_limit: float | None
) -> RunResult:
    findings = await session.write(name, source)
    if fatal := [finding for finding in findings if finding.fatal]:
        lines = (f"line {finding.line}: {finding.message} {finding.advice}".strip() for finding in fatal)
        return RunResult(status=ExitStatus.ERROR, exit_code=1, stdout="", stderr="\n".join(lines))
    return await session.run(name, time_limit=time_limit)
