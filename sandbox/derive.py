"""Builds a derived image: the sandbox image with a policy's packages. Never during a run."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import asyncio
import fcntl
import io
import json
import tarfile
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import aiodocker
import aiohttp
from aiodocker.exceptions import DockerError, DockerStreamError

from sandbox.buildbox import BuildBoxes
from sandbox.engine import CALL_SECONDS, deadline
from sandbox.errors import BuildFailed, ImageMissing, SandboxUnavailable
from sandbox.fetching import Fetcher
from sandbox.ground import BASE_LABEL, Ground, survey
from sandbox.images import RECIPE, image_of, image_tag
from sandbox.pins import Pins, parse_lock, read_lock, write_lock
from sandbox.policy import Policy
from sandbox.printed import last_lines

BUILD_SECONDS = 1800.0
KEEP = "deckhand-keep"
"""Tags of this name tell `make image` which images are in use: one an install and policy."""
ON_LABEL = "deckhand.on"
"""On a derived image: the id of the sandbox image below it, which may be built anew under the same name."""
_STAGE = "deckhand.stage=extra"
_STEP = "= "
"""Begins the lines that tell how far a build is."""
_LINES = 30
_WIDTH = 200
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageBuilder:
    cache: Path
    """Keeps the fetched files, so that a second build needs no network."""
    install: str
    """Names who uses the images, for `make image` to leave them alone."""
    say: Callable[[str], None]
    """Gets a line at each step."""
    root: Path = Path(__file__).parents[1]
    """The source tree."""

    async def build(self, policy: Policy, lock: Path | None, *, pin: bool = False) -> str:
        """The image of `policy`, built unless it is there, of exactly the files that `lock` pins.

        Where there is no such file yet, or with `pin`, what there is today is pinned and the lock written.
        None for a policy of ours, which is built of what there is today and pinned nowhere.

        Raises:
            BuildFailed: a package is not to be had as asked or pinned, or a step of the build failed.
            ImageMissing: the sandbox image itself has not been built.
            SandboxUnavailable: no engine answers.
        """
        await asyncio.to_thread(self.cache.mkdir, parents=True, exist_ok=True)
        async with _alone(self.cache / "build.flock", self.say), _engine() as docker:
            boxes = BuildBoxes(docker, str(self.cache.resolve()))
            await boxes.sweep()
            tag = await self._find_or_build(boxes, policy, lock, pin=pin)
            async with deadline(CALL_SECONDS, "naming the image", image=tag):
                await docker.images.tag(tag, KEEP, tag=f"{self.install}-{policy.name}")
        return tag

    async def _find_or_build(self, boxes: BuildBoxes, policy: Policy, lock: Path | None, *, pin: bool) -> str:
        docker, usual = boxes.docker, policy.container.image or image_tag(self.root)
        asked = policy.container.packages
        content = None if lock is None else b"" if pin else read_lock(lock)
        pins = parse_lock(content, lock) if content and lock else None
        there: dict[str, Any] | None = None
        if pins is not None or content is None:
            if pins is not None:
                pins.check(asked)
            tag = image_of(policy, content, self.root)
            if (there := await _inspect(docker, tag)) is not None:
                below = await _inspect(docker, usual)
                if below is None or (there["Config"].get("Labels") or {}).get(ON_LABEL) == below["Id"]:
                    self.say(f"{tag} is there")
                    return tag
                self.say(f"{usual} is another than {tag} was built on")
        ground = await survey(boxes, usual)
        fetcher = Fetcher(boxes, ground, root=self.root, cache=self.cache, say=self.say)
        if pins is None:
            pins = await fetcher.resolve(asked)
            content = None if lock is None else pins.dump()
        else:
            pins.check(asked, ground.target)
            await fetcher.fetch(pins)
        tag = image_of(policy, content, self.root)
        self.say(f"building {tag}: {len(pins.debs)} Debian and {len(pins.wheels)} Python packages are new")
        with tempfile.TemporaryFile(dir=self.cache) as context:
            await asyncio.to_thread(_pack, context, pins, fetcher, self.root)
            try:
                await send_context(docker, context, tag, ground, self.say)
            finally:
                await _tidy(docker)
        if there is not None:
            await _delete(docker, there["Id"])
        if lock is not None and content is not None and content != read_lock(lock):
            write_lock(lock, content)
            self.say(f"{lock} pins what is in it")
        return tag


async def _inspect(docker: aiodocker.Docker, image: str) -> dict[str, Any] | None:
    """None when it is not here."""
    with suppress(ImageMissing):
        async with deadline(CALL_SECONDS, "looking for the image", image=image):
            return await docker.images.inspect(image)
    return None


def _pack(context: IO[bytes], pins: Pins, fetcher: Fetcher, root: Path) -> None:
    """The build's context, alike for alike packages, so that the engine's cache serves the next build."""
    requirements = [f"{pin.name}=={pin.version} --hash=sha256:{pin.sha256}\n" for pin in pins.wheels]
    with tarfile.open(fileobj=context, mode="w") as archive:
        _add(archive, "Dockerfile", (root / RECIPE).read_bytes())
        _add(archive, "debs/none", b"")  # a folder has to be there, also when no file is
        _add(archive, "wheels/requirements.txt", "".join(requirements).encode())
        for folder, files in (("debs", pins.debs), ("wheels", pins.wheels)):
            for pin in files:
                _add(archive, f"{folder}/{pin.file}", fetcher.path(pin).read_bytes())
    context.seek(0)


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


async def send_context(
    docker: aiodocker.Docker, context: IO[bytes], tag: str, ground: Ground, say: Callable[[str], None]
) -> None:
    """Have the engine build it, without a network: no package's script can bring what no lock pins.

    The tag goes to a whole image only. Raises: BuildFailed: a step failed.
    """
    printed: list[str] = []
    step = "sending the packages"
    parameters: dict[str, str] = {
        "t": tag,
        "networkmode": "none",
        "forcerm": "true",
        "buildargs": json.dumps({"BASE": ground.base, "IMAGE": ground.image_id}),
        "labels": json.dumps({BASE_LABEL: ground.base, ON_LABEL: ground.image_id}),
    }
    try:
        async with deadline(BUILD_SECONDS, "building the image"):
            async for chunk in _build(docker, context, parameters):
                line = str(chunk.get("stream", "")).strip()
                if line.startswith(_STEP):
                    step = line.removeprefix(_STEP)
                    say(step)
                elif line:
                    printed.append(line)
    except SandboxUnavailable as error:
        if isinstance(error.__cause__, DockerStreamError):
            end = last_lines("\n".join(printed[-_LINES:]).encode())
            doing = f"building the image: {step}"
            raise BuildFailed(doing, error.__cause__.message[:_WIDTH], end) from error
        raise


def _build(
    docker: aiodocker.Docker, context: IO[bytes], parameters: dict[str, str]
) -> AsyncIterator[dict[str, Any]]:
    # aiodocker's own `build` cannot name a network.
    answer = docker._query(  # pyright: ignore[reportPrivateUsage]  # see above
        "build",
        "POST",
        params=parameters,
        headers={"content-type": "application/x-tar"},
        data=docker.images._stream(context),  # pyright: ignore[reportPrivateUsage]  # see above
        timeout=aiohttp.ClientTimeout(),  # none: the caller has one
    )
    chunks = docker.images._handle_stream(answer)  # pyright: ignore[reportPrivateUsage, reportUnknownVariableType]  # see above
    return cast("AsyncIterator[dict[str, Any]]", chunks)


async def _tidy(docker: aiodocker.Docker) -> None:
    """The stage that packages were installed in is not needed any more; a failed build leaves its own."""
    filters = {"dangling": ["true"], "label": [_STAGE]}
    async with deadline(CALL_SECONDS, "removing what the build left"):
        for image in await docker.images.list(filters=filters):
            await _delete(docker, image["Id"])


async def _delete(docker: aiodocker.Docker, image: str) -> None:
    async with deadline(CALL_SECONDS, "removing what a newer image replaces"):
        with suppress(DockerError):  # a build, a container or another name may be using it
            await docker.images.delete(image)


@asynccontextmanager
async def _engine() -> AsyncGenerator[aiodocker.Docker]:
    try:
        docker = aiodocker.Docker()
    except AssertionError as error:  # aiodocker's way to say that it found no socket
        message = "there is no Docker engine: no socket was found and DOCKER_HOST is not set"
        raise SandboxUnavailable(message) from error
    async with docker:
        yield docker


@asynccontextmanager
async def _alone(path: Path, say: Callable[[str], None]) -> AsyncGenerator[None]:
    """One build at a time, over all processes that share the cache."""
    with path.open("w") as file:
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not told:
                    say("another build is under way, waiting for it")
                told = True
                await asyncio.sleep(_LOOK_SECONDS)
            else:
                break
        yield
