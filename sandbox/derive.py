"""Builds a derived image: the sandbox image with a policy's packages. Never during a run."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import asyncio
import fcntl
import io
import tarfile
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import aiodocker
from aiodocker.exceptions import DockerError, DockerStreamError

from sandbox.engine import CALL_SECONDS, deadline
from sandbox.errors import BuildFailed, ImageMissing, SandboxUnavailable
from sandbox.fetching import Fetcher, last_lines
from sandbox.ground import BASE_LABEL, Ground, survey
from sandbox.images import RECIPE, image_of, image_tag
from sandbox.pins import Pins, parse_lock, read_lock, write_lock
from sandbox.policy import Policy

BUILD_SECONDS = 1800.0
KEEP = "deckhand-keep"
"""Tags of this name tell `make image` which images are in use: one an install and policy."""
_STAGE = "deckhand.stage=extra"
_STEP = "= "
"""Begins the lines that tell how far a build is."""
_LINES = 30
_WIDTH = 200
_LOOK_SECONDS = 0.5


async def build(
    policy: Policy,
    *,
    lock: Path,
    cache: Path,
    install: str,
    pin: bool = False,
    say: Callable[[str], None],
    root: Path | None = None,
) -> str:
    """The image of `policy`, built unless it is there. With `pin`, what there is today is pinned anew.

    `cache` keeps the fetched files, of which `lock` pins each; `install` names who uses the image; `say` gets
    a line at each step.

    Raises:
        BuildFailed: a package is not to be had as asked or pinned, or a step of the build failed.
        ImageMissing: the sandbox image itself has not been built.
        SandboxUnavailable: no engine answers.
    """
    root = root or Path(__file__).parents[1]
    await asyncio.to_thread(cache.mkdir, parents=True, exist_ok=True)
    async with _alone(cache / "build.flock", say), _engine() as docker:
        tag = await _build(docker, policy, lock, cache, pin=pin, say=say, root=root)
        async with deadline(CALL_SECONDS, "naming the image", image=tag):
            await docker.images.tag(tag, KEEP, tag=f"{install}-{policy.name}")
    return tag


async def _build(
    docker: aiodocker.Docker,
    policy: Policy,
    lock: Path,
    cache: Path,
    *,
    pin: bool,
    say: Callable[[str], None],
    root: Path,
) -> str:
    asked = policy.container.packages
    content = b"" if pin else read_lock(lock)
    pins = parse_lock(content, lock)
    if pins is not None:
        pins.check(asked)
        tag = image_of(policy, content, root)
        with suppress(ImageMissing):
            async with deadline(CALL_SECONDS, "looking for the image", image=tag):
                await docker.images.inspect(tag)
            say(f"{tag} is there")
            return tag
    ground = await survey(docker, policy.container.image or image_tag(root))
    fetcher = Fetcher(docker, ground, root=root, cache=cache, say=say)
    if pins is None:
        pins = await fetcher.resolve(asked)
        content = pins.dump()
    else:
        pins.check(asked, ground.target)
        await fetcher.fetch(pins)
    tag = image_of(policy, content, root)
    say(f"building {tag}: {len(pins.debs)} Debian and {len(pins.wheels)} Python packages are new")
    with tempfile.TemporaryFile(dir=cache) as context:
        await asyncio.to_thread(_pack, context, pins, fetcher, root)
        try:
            await _send(docker, context, tag, ground, say)
        finally:
            await _tidy(docker)
    if content != read_lock(lock):
        write_lock(lock, content)
        say(f"{lock} pins what is in it")
    return tag


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


async def _send(
    docker: aiodocker.Docker, context: IO[bytes], tag: str, ground: Ground, say: Callable[[str], None]
) -> None:
    """Have the engine build it. The tag goes to a whole image only."""
    printed: list[str] = []
    step = "sending the packages"
    try:
        async with deadline(BUILD_SECONDS, "building the image"):
            async for chunk in docker.images.build(
                fileobj=context,
                encoding="identity",
                tag=tag,
                buildargs={"BASE": ground.base, "IMAGE": ground.image},
                labels={BASE_LABEL: ground.base},
                forcerm=True,
                stream=True,
            ):
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


async def _tidy(docker: aiodocker.Docker) -> None:
    """The stage that packages were installed in is not needed any more; a failed build leaves its own."""
    filters = {"dangling": ["true"], "label": [_STAGE]}
    async with deadline(CALL_SECONDS, "removing what the build left"):
        for image in await docker.images.list(filters=filters):
            with suppress(DockerError):  # another build may be using it
                await docker.images.delete(image["Id"])


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
