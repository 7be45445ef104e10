"""The packages of a derived image as files on the host: found with all that they need, or fetched as pinned.

pip and apt do it, with the settings that they have here: mirrors, proxies, certificates. Nothing of a
package runs.
"""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from pydantic import ValidationError

from sandbox.aptbox import fetch_in_container
from sandbox.buildbox import BuildBoxes
from sandbox.errors import BuildFailed
from sandbox.ground import Ground
from sandbox.pins import ANEW, Pin, Pins, sha256_of
from sandbox.policy import Packages
from sandbox.printed import last_lines

FETCH_SECONDS = 1800.0
SCRIPT = Path("deploy/sandbox/debs.sh")
LIBRARIES = Path("deploy/sandbox/requirements.lock")
_PYTHON, _DEBIAN = "fetching Python packages", "fetching Debian packages"
_PINNING = "pinning what was found"
_GLIBC = (28, 27, 26, 24, 17, 12, 5)
"""Minor versions of the C libraries that wheels are made for and every base has."""


_INSTALLED = re.compile(rb"^Package: (\S+)\nStatus: install ok installed$", re.MULTILINE)
"""dpkg writes the two first, one below the other."""


class Fetcher:
    """Files go to `cache`, under their own names, and are used again as long as their sha256 is right."""

    def __init__(
        self, boxes: BuildBoxes, ground: Ground, *, root: Path, cache: Path, say: Callable[[str], None]
    ) -> None:
        self._boxes = boxes
        self._ground = ground
        self._root = root
        self._cache = cache
        self._say = say

    async def resolve(self, asked: Packages) -> Pins:
        """Pin what is asked, with all that it needs and the image lacks.

        Raises: BuildFailed: there is no such package, or it does not go together with the image.
        """
        wheels: tuple[Pin, ...] = ()
        debs: tuple[Pin, ...] = ()
        if asked.python:
            self._say(f"looking for {', '.join(asked.python)} and what they need")
            with self._folder() as folder:
                await self._pip(folder, asked.python, constrained=True)
                inside = set(self._libraries())
                found = map(_wheel, folder.iterdir())
                wheels = self._keep(wheel for wheel in found if f"{wheel[1]}=={wheel[2]}" not in inside)
        if asked.debian:
            self._say(f"looking for {', '.join(asked.debian)} and what they need")
            with self._folder() as folder:
                await self._apt(folder, "resolve", asked.debian)
                debs = self._keep(map(_deb, folder.iterdir()))
            check_debs(asked.debian, debs, self._ground.status)
        try:
            return Pins(asked=asked, target=self._ground.target, wheels=wheels, debs=debs)
        except ValidationError as error:
            raise BuildFailed(_PINNING, first_reason(error)) from error

    async def fetch(self, pins: Pins) -> None:
        """Have every pinned file in the cache.

        Raises: BuildFailed: a version is not to be had any more, or a file is not the pinned one.
        """
        wheels = [pin for pin in pins.wheels if not self._intact(pin)]
        debs = [pin for pin in pins.debs if not self._intact(pin)]
        with self._folder() as folder:
            try:
                if wheels:
                    self._say(f"fetching {len(wheels)} Python packages")
                    specs = [f"{pin.name}=={pin.version}" for pin in wheels]
                    await self._pip(folder, specs, constrained=False)
                if debs:
                    self._say(f"fetching {len(debs)} Debian packages")
                    await self._apt(folder, "fetch", [f"{pin.name}={pin.version}" for pin in debs])
            except BuildFailed as error:
                why = f"{error.why}. Check the network; if a pinned version is gone, {ANEW}"
                raise BuildFailed(error.doing, why, error.lines) from error
            for pin in (*wheels, *debs):
                found = folder / pin.file
                if not found.is_file() or sha256_of(found) != pin.sha256:
                    doing = f"checking {pin.name} {pin.version}"
                    raise BuildFailed(doing, f"its sha256 is not that of the lock; {ANEW}")
                found.replace(self._cache / pin.file)

    def path(self, pin: Pin) -> Path:
        return self._cache / pin.file

    def _intact(self, pin: Pin) -> bool:
        return self.path(pin).is_file() and sha256_of(self.path(pin)) == pin.sha256

    def _keep(self, found: Iterable[tuple[Path, str, str]]) -> tuple[Pin, ...]:
        pins: list[Pin] = []
        for path, name, version in sorted(found):
            try:
                pins.append(Pin(name=name, version=version, file=path.name, sha256=sha256_of(path)))
            except ValidationError as error:
                raise BuildFailed(_PINNING, f"{path.name}: {first_reason(error)}") from error
            path.replace(self._cache / path.name)
        return tuple(pins)

    def _libraries(self) -> list[str]:
        """What the image holds, as `name==version`: none of it is replaced."""
        lock = (self._root / LIBRARIES).read_text("utf-8")
        return re.findall(r"^([a-z0-9][^\s;]*==[^\s;]+)", lock, re.MULTILINE)

    async def _pip(self, folder: Path, specs: Sequence[str], *, constrained: bool) -> None:
        target = self._ground.target
        python, version = await _pip_python()
        if version != target.python:
            self._say(
                f"pip is Python {version}'s and the image has {target.python}: what a package needs under a"
                f" condition on Python's version is told for {version}"
            )
        command = [
            python,
            "-m",
            "pip",
            "download",
            "-q",
            "--disable-pip-version-check",
            "--only-binary=:all:",
        ]
        command += ["--python-version", target.python, "--implementation", "cp", "-d", str(folder)]
        command += ["--platform", f"manylinux2014_{target.machine}"]  # 2_17's older name, for pip another
        for minor in _GLIBC:
            command += ["--platform", f"manylinux_2_{minor}_{target.machine}"]
        if constrained:
            constraints = folder.parent / "constraints.txt"
            constraints.write_text("\n".join(self._libraries()))
            command += ["-c", str(constraints)]
        else:
            command += ["--no-deps"]
        await run_program([*command, *specs], _PYTHON, cwd=folder)

    async def _apt(self, folder: Path, how: str, specs: Sequence[str]) -> None:
        if self._ground.apt:
            script = (self._root / SCRIPT).read_bytes()
            await fetch_in_container(self._boxes, self._ground, folder, script, [how, *specs], _DEBIAN)
            return
        if shutil.which("apt-get") is None:
            raise BuildFailed(_DEBIAN, "neither the base image nor this machine has apt")
        state = self._cache / "apt"
        for name in ("lists/partial", "archives/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "status").write_bytes(self._ground.status)
        config = state / "apt.conf"
        config.write_text(
            f'Dir::State "{state}"; Dir::State::status "{state}/status"; Dir::Cache "{state}";\n'
            'Debug::NoLocking "true"; APT::Sandbox::User "root";\n'
        )
        command = ["sh", str(self._root / SCRIPT), how, *specs]
        await run_program(command, _DEBIAN, cwd=folder, environment={"APT_CONFIG": str(config)})

    def _folder(self) -> "_Folder":
        return _Folder(self._cache)


class _Folder:
    """A folder for files that nobody has checked yet; beside it lies what the fetching itself needs."""

    def __init__(self, cache: Path) -> None:
        self._temporary = tempfile.TemporaryDirectory(dir=cache, prefix="partial-")

    def __enter__(self) -> Path:
        folder = Path(self._temporary.name) / "files"
        folder.mkdir()
        return folder

    def __exit__(self, *_: object) -> None:
        self._temporary.cleanup()


async def run_program(
    command: Sequence[str], doing: str, *, cwd: Path, environment: Mapping[str, str] | None = None
) -> None:
    """Raises: BuildFailed: it failed, cannot be started, or took too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as error:
        raise BuildFailed(doing, f"{command[0]}: {error.strerror}") from error
    try:
        async with asyncio.timeout(FETCH_SECONDS):
            printed, _ = await process.communicate()
    except TimeoutError as error:
        raise BuildFailed(doing, f"it took more than {FETCH_SECONDS:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise BuildFailed(doing, f"exit code {process.returncode}", last_lines(printed))


def check_debs(asked: Sequence[str], debs: Iterable[Pin], status: bytes) -> None:
    """apt also takes expressions, and names that another package provides, and brings what they mean.

    `status` is dpkg's list of what the image has. Raises: BuildFailed: a package is in neither.
    """
    there = {name.decode() for name in _INSTALLED.findall(status)} | {pin.name for pin in debs}
    if missing := [spec for spec in asked if spec.partition("=")[0] not in there]:
        raise BuildFailed(_DEBIAN, f"there is no package of the very name {', '.join(missing)}")


def first_reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


async def _pip_python() -> tuple[str, str]:
    """A Python with pip, and its version: our own environment may have none."""
    for python in (sys.executable, "python3"):
        process = await asyncio.create_subprocess_exec(
            python,
            "-c",
            "import pip, sys; print('%d.%d' % sys.version_info[:2])",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        version, _ = await process.communicate()
        if process.returncode == 0:
            return python, version.decode().strip()
    raise BuildFailed(_PYTHON, "there is no pip; apt install python3-pip")


def _wheel(path: Path) -> tuple[Path, str, str]:
    name, version, *_ = path.name.split("-")
    return path, re.sub(r"[-_.]+", "-", name).lower(), version


def _deb(path: Path) -> tuple[Path, str, str]:
    name, version, _ = path.name.split("_")
    return path, name, unquote(version)
