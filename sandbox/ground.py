"""What a derived image stands on: the sandbox image, the base that it was made of, and what both hold."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import io
import re
import tarfile
from dataclasses import dataclass
from typing import Any

from aiodocker.exceptions import DockerError

from sandbox.buildbox import BuildBoxes
from sandbox.engine import CALL_SECONDS, deadline
from sandbox.errors import BuildFailed
from sandbox.pins import Target

BASE_LABEL = "deckhand.base"
"""On a sandbox image: the id of the base that deploy/sandbox/image.sh built it on."""
STATUS = "/var/lib/dpkg/status"
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    image: str
    image_id: str
    base: str
    """An image id. It has dpkg and pip, which the sandbox image lacks."""
    apt: bool
    """Whether the base has apt, too."""
    target: Target
    status: bytes
    """The sandbox image's list of Debian packages."""


async def survey(boxes: BuildBoxes, image: str) -> Ground:
    """Raises:
    ImageMissing: it is not here.
    BuildFailed: it is no sandbox image, or its base is gone.
    SandboxUnavailable: the engine did not answer.
    """
    async with deadline(CALL_SECONDS, "looking for the image", image=image):
        facts: dict[str, Any] = await boxes.docker.images.inspect(image)
    labels: dict[str, str] = facts["Config"].get("Labels") or {}
    base = labels.get(BASE_LABEL)
    doing = "looking for the base image"
    if not base:
        raise BuildFailed(doing, f"{image} does not tell what it was built on; run `make image`")
    async with deadline(CALL_SECONDS, doing):
        try:
            await boxes.docker.images.inspect(base)
        except DockerError as error:
            if error.status != 404:
                raise
            raise BuildFailed(
                doing, f"what {image} was built on is gone; run `docker image rm {image} && make image`"
            ) from error
    machine = _MACHINES.get(facts["Architecture"])
    if machine is None:
        raise BuildFailed(doing, f"there are no wheels for {facts['Architecture']}")
    config = (await read_file(boxes, image, "/opt/venv/pyvenv.cfg") or b"").decode()
    release = (await read_file(boxes, image, "/usr/lib/os-release") or b"").decode()
    status = await read_file(boxes, image, STATUS)
    python = re.search(r"^version = (\d+\.\d+)", config, re.MULTILINE)
    name = re.search(r"^VERSION_CODENAME=\"?(\w+)", release, re.MULTILINE)
    if python is None or name is None or status is None:
        raise BuildFailed(doing, f"{image} is no sandbox image of Debian packages")
    return Ground(
        image=image,
        image_id=facts["Id"],
        base=base,
        apt=await read_file(boxes, base, "/usr/bin/apt-get") is not None,
        target=Target(machine=machine, python=python[1], release=name[1]),
        status=status,
    )


async def read_file(boxes: BuildBoxes, image: str, path: str) -> bytes | None:
    """A file of an image, without starting anything of it; None when it is not there."""
    doing = "reading a file of the image"
    async with (
        boxes.box({"Image": image, "Cmd": ["none"]}, doing) as container,
        deadline(CALL_SECONDS, doing),
    ):
        try:
            archive = await container.get_archive(path)
        except DockerError as error:
            if error.status != 404:
                raise
            return None
    with archive:
        return next((file.read() for member in archive if (file := archive.extractfile(member))), None)


def tar_of(files: dict[str, bytes]) -> bytes:
    """An archive of root's, as the engine takes them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
