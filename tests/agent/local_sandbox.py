"""A sandbox WITHOUT isolation, for tests only: our own recipes' scripts run by this Python in a subprocess.

Never give it a script that a model wrote.
"""

import ast
import asyncio
import hashlib
import os
import shutil
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox.errors import NoSuchFile, NoSuchScript
from sandbox.session import (
    Excerpt,
    ExitStatus,
    FileEntry,
    Finding,
    RunResult,
    SandboxSession,
    SandboxStats,
    Workspace,
)
from skills.catalog import built_in

GUEST = "/workspace"
SECONDS = 60.0


class LocalSandbox:
    """A `Sandbox`. The guest's absolute paths are rewritten to a folder below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._leases = 0

    def stats(self) -> SandboxStats:
        return SandboxStats(leases=self._leases)

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        self._leases += 1
        session = _LocalSession(self._root / f"lease-{self._leases}", workspace)
        await asyncio.to_thread(session.lay_out)
        yield session


class _LocalSession:
    def __init__(self, home: Path, workspace: Workspace) -> None:
        self._home = home
        self._workspace = workspace

    def lay_out(self) -> None:
        for folder in ("input", "out", "code", "skills"):
            (self._home / folder).mkdir(parents=True)
        for item in self._workspace.inputs:
            shutil.copy(item.source, self._home / "input" / item.name)
        shutil.copytree(self._workspace.out, self._home / "out", dirs_exist_ok=True)
        for script in self._workspace.code.glob("*.py"):
            self._stage(script.name, script.read_text("utf-8"))
        for scripts in built_in().glob("*/scripts"):
            for script in scripts.glob("*.py"):
                self._stage(script.name, script.read_text("utf-8"), "skills")

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        try:
            ast.parse(source)
        except SyntaxError as error:
            return (Finding(line=error.lineno or 0, message=str(error.msg)),)
        self._stage(name, source)
        (self._workspace.code / name).write_text(source, "utf-8")
        return ()

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        script = self._home / "code" / name
        if not script.exists():
            raise NoSuchScript(name)
        before, began = self._state(), time.monotonic()
        paths = os.pathsep.join(str(self._home / folder) for folder in ("code", "skills"))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(script),
            *arguments,
            cwd=self._home / "out",
            env={
                "PYTHONPATH": paths,
                "PATH": os.environ["PATH"],
                "MPLBACKEND": "agg",
                "HOME": str(self._home),
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        status = ExitStatus.OK
        try:
            async with asyncio.timeout(time_limit or SECONDS):
                stdout, stderr = await process.communicate()
        except TimeoutError:
            process.kill()
            stdout, stderr = await process.communicate()
            status = ExitStatus.TIMEOUT
        if status is ExitStatus.OK and process.returncode:
            status = ExitStatus.ERROR
        changed = sorted(path for path, stamp in self._state().items() if before.get(path) != stamp)
        for path in changed:
            (self._workspace.out / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self._home / "out" / path, self._workspace.out / path)
        return RunResult(
            status=status,
            exit_code=process.returncode or 0,
            stdout=stdout.decode("utf-8", "replace"),
            stderr=stderr.decode("utf-8", "replace"),
            files=tuple(
                FileEntry(path=path, size=(self._home / "out" / path).stat().st_size) for path in changed
            ),
            seconds=time.monotonic() - began,
            script_sha256=hashlib.sha256(script.read_bytes()).hexdigest(),
        )

    async def list_inputs(self) -> tuple[FileEntry, ...]:
        return self._listed("input")

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        return self._listed("out")

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        raise NoSuchFile(path)  # the recipes never ask for one

    def _stage(self, name: str, source: str, folder: str = "code") -> None:
        moved = source.replace(f"{GUEST}/", f"{self._home}/")
        (self._home / folder / name).write_text(moved, "utf-8")

    def _state(self) -> dict[str, tuple[int, int]]:
        found = [path for path in (self._home / "out").rglob("*") if path.is_file()]
        return {
            path.relative_to(self._home / "out").as_posix(): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in found
        }

    def _listed(self, folder: str) -> tuple[FileEntry, ...]:
        return tuple(
            FileEntry(path=path.name, size=path.stat().st_size)
            for path in sorted((self._home / folder).iterdir())
        )
