"""The peers from the package index, each in a process and an environment of its own."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.sandbox.approach import Failed, Folder, check
from tests.bench.sandbox.flags import binds, keywords
from tests.bench.sandbox.kit import Kit
from tests.bench.sandbox.plain import Place
from tests.bench.sandbox.workloads import SOURCES, Kind

_DRIVER = Path(__file__).parent / "driver.py"
_STEP_SECONDS = 180
_LINE = 4 << 20
_SHELL = "needs sh and coreutils in the image: a copy of the image has them"

WITHOUT = {
    "llm-sandbox": ("non-root: it puts each script in as a file that only root may read", _SHELL),
    "llm-sandbox-pool": (
        "non-root: as llm-sandbox",
        "its containers go back to the pool and serve the next session too",
        _SHELL,
    ),
    "jupyter-kernel": ("scripts of a session share one process, so nothing is imported twice",),
    "smolagents": (
        "no-network: it speaks to its kernel over a published port",
        "scripts of a session share one process",
    ),
    "autogen": (
        "memory, cpus, pids, read-only, cap-drop, no-network: it takes no such options",
        _SHELL,
    ),
}


@dataclass
class Peer:
    """A peer's driver, started when it is first needed."""

    name: str
    place: Place
    kit: Kit
    log: Path
    _process: asyncio.subprocess.Process | None = None
    _session: dict[str, Any] | None = None

    @property
    def without(self) -> tuple[str, ...]:
        return WITHOUT[self.name]

    async def prepare(self) -> None:
        folder = await asyncio.to_thread(Folder.fresh, self.place.root)
        mounts = binds(folder, self.place.fonts)
        self._session = {
            "image": self.place.image,
            "shell_image": self.kit.shell_image,
            "kernel": str(self.kit.kernel),
            "libraries": self.kit.libraries,
            "session": str(folder.path),
            "flags": keywords(),
            "mounts": {
                str(source): {"bind": target, "mode": mode} for target, (source, mode) in mounts.items()
            },
        }
        await self._ask("prepare", place=self._session)

    async def lease(self) -> float:
        return (await self._ask("lease", place=self._session))["seconds"]

    async def run(self, kind: Kind) -> float:
        answer = await self._ask("run", fails=False, source=SOURCES[kind])
        check(kind, answer["code"], answer["output"])
        return answer["seconds"]

    async def close(self) -> None:
        await self._ask("close")

    async def end(self) -> None:
        if self._process is not None:
            await self._ask("end")
            assert self._process.stdin is not None
            self._process.stdin.close()
            await asyncio.wait_for(self._process.wait(), _STEP_SECONDS)

    async def _ask(self, step: str, *, fails: bool = True, **more: Any) -> dict[str, Any]:
        process = self._process = self._process or await self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"do": step, **more}).encode() + b"\n")
        await process.stdin.drain()
        try:
            line = await asyncio.wait_for(process.stdout.readline(), _STEP_SECONDS)
        except TimeoutError as error:
            process.kill()
            message = f"{step} took more than {_STEP_SECONDS} s"
            raise Failed(message) from error
        if not line:
            message = f"{step}: its process ended, see {self.log}"
            raise Failed(message)
        answer = json.loads(line)
        if fails and answer["code"]:
            message = f"{step}: {answer['output'][:600]}"
            raise Failed(message)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        with self.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                str(self.kit.python),
                str(_DRIVER),
                self.name,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE,
            )
