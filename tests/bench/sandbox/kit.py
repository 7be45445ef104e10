"""What the peers need beside the image: an environment from the lock, a kernel's packages, a shell."""

import asyncio
import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.bench.sandbox.approach import Failed
from tests.bench.sandbox.flags import FONTS, LABEL
from tests.bench.sandbox.plain import PYTHON

_HERE = Path(__file__).parent
_FACTS = (
    "import json, platform, sysconfig;"
    "print(json.dumps([platform.python_version(), platform.machine(), sysconfig.get_path('purelib')]))"
)
_GLIBC = (28, 27, 26, 24, 17, 12, 5)


@dataclass(frozen=True, slots=True)
class Kit:
    python: Path
    """Of the peers' environment."""
    kernel: Path
    """Packages of a Jupyter kernel and its gateway, for the image's Python."""
    shell_image: str
    libraries: str
    """Where the image's own packages lie in it."""


async def make_kit(image: str, target: Path, *, python: str) -> Kit:
    """Makes what is not there yet. Raises: Failed."""
    version, machine, libraries = json.loads(
        await call("docker", "run", "--rm", "--network=none", image, PYTHON, "-c", _FACTS)
    )
    venv = target / "venv"
    if not _made(venv, "peers.lock"):
        await call(python, "-m", "venv", "--clear", str(venv))
        pip = (str(venv / "bin/python"), "-m", "pip", "install", "--quiet", "--require-hashes")
        await call(*pip, "-r", str(_HERE / "peers.lock"))
        _mark(venv, "peers.lock")
    kernel = target / "kernel"
    short = ".".join(version.split(".")[:2])
    if not _made(kernel, "kernel.lock", short):
        shutil.rmtree(kernel, ignore_errors=True)
        pip = (str(venv / "bin/python"), "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps")
        where = ("--target", str(kernel), "--only-binary=:all:", "--python-version", short)
        platforms = [f"--platform=manylinux_2_{glibc}_{machine}" for glibc in _GLIBC]
        await call(*pip, *where, "--implementation=cp", *platforms, "-r", str(_HERE / "kernel.lock"))
        _mark(kernel, "kernel.lock", short)
    return Kit(venv / "bin/python", kernel, await _shell_image(image), libraries)


async def make_fonts(image: str, target: Path) -> Path:
    """The image's font cache in a folder that every session may write to."""
    fonts = target / "fonts"
    shutil.rmtree(fonts, ignore_errors=True)
    fonts.mkdir(parents=True)
    fonts.chmod(0o777)
    copy = f"import glob, shutil; [shutil.copy(path, '{FONTS}') for path in glob.glob('/opt/mplcache/*')]"
    mount = f"--volume={fonts}:{FONTS}"
    await call("docker", "run", "--rm", "--network=none", mount, image, PYTHON, "-c", copy)
    return fonts


async def sweep() -> None:
    """Remove what a peer may have left behind."""
    for mark in (f"label={LABEL}", "name=bench-autogen-"):
        left = (await call("docker", "ps", "-aq", "--filter", mark)).split()
        if left:
            await call("docker", "rm", "-f", *left)


async def call(*command: str) -> str:
    """What it prints. Raises: Failed: it did not end well."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await process.communicate()
    if process.returncode:
        message = f"{' '.join(command[:4])} … failed: {error.decode()[-800:]}"
        raise Failed(message)
    return out.decode()


async def _shell_image(image: str) -> str:
    """Programs are copied from the base image, whose libraries are those of the image."""
    inspect = ("docker", "image", "inspect", "--format")
    number = (await call(*inspect, "{{.Id}}", image)).strip().rpartition(":")[2][:12]
    tag = f"deckhand-bench:{number}"
    if (await call("docker", "image", "ls", "-q", tag)).strip():
        return tag
    base = (await call(*inspect, '{{index .Config.Labels "deckhand.base"}}', image)).strip()
    for name in (os.environ.get("SANDBOX_BASE"), "python:3.12-slim", "deckhand-base"):
        base = base or (name and (await call("docker", "image", "ls", "-q", name)).partition("\n")[0]) or ""
    if not base:
        message = "the image that the sandbox's was built on is gone: docker image rm it and run make image"
        raise Failed(message)
    await call("docker", "tag", base, "deckhand-bench:base")  # a builder may know images by name only
    arguments = ("--build-arg=BASE=deckhand-bench:base", f"--build-arg=IMAGE={image}")
    file = str(_HERE / "shell.Dockerfile")
    await call("docker", "build", "-q", "--network=none", *arguments, "-t", tag, "-f", file, str(_HERE))
    return tag


def _key(*parts: str) -> str:
    lock, *more = parts
    content = (_HERE / lock).read_bytes() + json.dumps(more).encode()
    return hashlib.sha256(content).hexdigest()


def _made(folder: Path, *parts: str) -> bool:
    mark = folder / "made-of"
    return mark.is_file() and mark.read_text() == _key(*parts)


def _mark(folder: Path, *parts: str) -> None:
    (folder / "made-of").write_text(_key(*parts))
