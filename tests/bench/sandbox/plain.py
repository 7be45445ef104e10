"""Docker by itself: the floor, `docker run` for each script, and `exec` into a container that stays."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiodocker

from tests.bench.sandbox.approach import Failed, Folder, Stopwatch, check
from tests.bench.sandbox.flags import binds, body, options
from tests.bench.sandbox.workloads import SOURCES, Kind

if TYPE_CHECKING:
    from aiodocker.containers import DockerContainer
    from aiodocker.stream import Stream

PYTHON = "/opt/venv/bin/python"
_FLOOR = Path(__file__).parent / "floor.py"
_WAIT = "import signal; signal.pause()"
"""The image has no `sleep`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where sessions live."""

    image: str
    root: Path
    fonts: Path


class BareFork:
    name = "bare-fork"
    without: tuple[str, ...] = ("session start: not counted, one container serves all sessions",)

    def __init__(self, engine: aiodocker.Docker, place: Place) -> None:
        self._engine = engine
        self._place = place
        self._container: DockerContainer | None = None
        self._stream: Stream | None = None
        self._buffer = b""

    async def prepare(self) -> None:
        if self._stream is not None:
            return
        mounts = {
            **binds(Folder.fresh(self._place.root), self._place.fonts),
            "/floor.py": (_FLOOR, "ro"),
        }
        config = body(self._place.image, [PYTHON, "-I", "-u", "/floor.py"], mounts)
        config |= {"OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "AttachStdout": True}
        self._container = await self._engine.containers.create(config)
        self._stream = self._container.attach(stdin=True, stdout=True, stderr=True, logs=False)
        await self._stream.__aenter__()
        await self._container.start()
        await self._answer()

    async def lease(self) -> float:
        return 0.0

    async def run(self, kind: Kind) -> float:
        assert self._stream is not None
        with Stopwatch() as watch:
            await self._stream.write_in(json.dumps({"source": SOURCES[kind]}).encode() + b"\n")
            answer = await self._answer()
        check(kind, answer["code"], answer["output"])
        return watch.seconds

    async def close(self) -> None:
        """Nothing: the container goes with `end`."""

    async def end(self) -> None:
        if self._stream is not None:
            await self._stream.close()
        if self._container is not None:
            await self._container.delete(force=True)

    async def _answer(self) -> dict[str, Any]:
        assert self._stream is not None
        while b"\n" not in self._buffer:
            message = await self._stream.read_out()
            if message is None or message.stream != 1:
                text = f"the floor ended: {message.data if message else ''!r}"
                raise Failed(text)
            self._buffer += message.data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)


class DockerRun:
    name = "docker-run"
    without: tuple[str, ...] = ()

    def __init__(self, place: Place) -> None:
        self._place = place
        self._folder: Folder | None = None

    async def prepare(self) -> None:
        self._folder = Folder.fresh(self._place.root)

    async def lease(self) -> float:
        return 0.0

    async def run(self, kind: Kind) -> float:
        assert self._folder is not None
        script = (PYTHON, f"/workspace/code/{kind}.py")
        with Stopwatch() as watch:
            process = await asyncio.create_subprocess_exec(
                "docker",
                "run",
                "--rm",
                *options(binds(self._folder, self._place.fonts)),
                self._place.image,
                *script,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            out, error = await process.communicate()
        check(kind, process.returncode or 0, out.decode() or error.decode())
        return watch.seconds

    async def close(self) -> None:
        """Nothing: every script had a container of its own."""


class Exec:
    name = "exec"
    without: tuple[str, ...] = ()

    def __init__(self, engine: aiodocker.Docker, place: Place) -> None:
        self._engine = engine
        self._place = place
        self._folder: Folder | None = None
        self._container: DockerContainer | None = None

    async def prepare(self) -> None:
        self._folder = Folder.fresh(self._place.root)

    async def lease(self) -> float:
        assert self._folder is not None
        command = [PYTHON, "-I", "-S", "-c", _WAIT]
        config = body(self._place.image, command, binds(self._folder, self._place.fonts))
        with Stopwatch() as watch:
            self._container = await self._engine.containers.create(config)
            await self._container.start()
        return watch.seconds

    async def run(self, kind: Kind) -> float:
        assert self._container is not None
        output = b""
        with Stopwatch() as watch:
            command = [PYTHON, f"/workspace/code/{kind}.py"]
            process = await self._container.exec(command, stdout=True, stderr=True, stdin=False)
            async with process.start(detach=False) as stream:
                while (message := await stream.read_out()) is not None:
                    output += message.data
            code = (await process.inspect())["ExitCode"]
        check(kind, code, output.decode())
        return watch.seconds

    async def close(self) -> None:
        container, self._container = self._container, None
        if container is not None:
            await container.delete(force=True)
