"""apt in a container of the base image: the way to Debian packages where the base has it."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from sandbox.buildbox import BuildBoxes
from sandbox.engine import deadline
from sandbox.errors import BuildFailed
from sandbox.ground import STATUS, Ground, tar_of
from sandbox.printed import LINES, last_lines

_SECONDS = 1800.0
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")


async def fetch_in_container(
    boxes: BuildBoxes,
    ground: Ground,
    folder: Path,
    script: bytes,
    arguments: Sequence[str],
    doing: str,
) -> None:
    """Run `script`, which fetches .deb files into its current folder, and copy them to `folder`.

    Raises:
        BuildFailed: it failed.
        SandboxUnavailable: the engine did not answer.
    """
    config = {
        "Image": ground.base,
        "Entrypoint": ["sh", "-c", 'mkdir /debs && cd /debs && exec sh /debs.sh "$@"', "debs"],
        "Cmd": list(arguments),
        "User": "0:0",
        # A proxy of the host may be one that only the host's own network reaches.
        "HostConfig": {"NetworkMode": "host"},
        "Env": [f"{name}={os.environ[name]}" for name in _PROXIES if name in os.environ],
    }
    async with boxes.box(config, doing) as container:
        async with deadline(_SECONDS, doing):
            await container.put_archive("/", tar_of({"debs.sh": script, STATUS.lstrip("/"): ground.status}))
            await container.start()
            ended = await container.wait()
            if ended["StatusCode"]:
                printed = "".join(await container.log(stdout=True, stderr=True, tail=LINES))
                raise BuildFailed(doing, f"exit code {ended['StatusCode']}", last_lines(printed.encode()))
            archive = await container.get_archive("/debs")
        with archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                if member.isreg() and name.endswith(".deb") and (file := archive.extractfile(member)):
                    (folder / name).write_bytes(file.read())
