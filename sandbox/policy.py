"""The policy: what a script may use. A frozen value that cannot say what we would refuse to run."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sandbox.degradation import Degradation
from sandbox.uidrange import UidRange, parse_uids
from sandbox.units import Number, Size

DEFAULT_NAME = "default"
RENDER_NAME = "render"
"""Of the policy that results are made pictures under: no chat, no skill and no file of an operator has it."""
MAX_INTERPRETERS = 10
RUNTIME_SET = 144 << 20
"""Bytes that PID 1 with its libraries (about 120 MiB) and the smallest script need beside files in memory."""


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # the items are checked after this


def _degradation(value: object) -> object:
    try:
        return Degradation(str(value))
    except ValueError:
        known = ", ".join(Degradation)
        message = f"{value!r} is no degradation; there are {known}"
        raise ValueError(message) from None


Program = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}\z")]
"""A program by the name that it is called by, without a folder."""
Startable = Annotated[
    str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._+-]{0,63}|(/[A-Za-z0-9][A-Za-z0-9._+-]{0,63}){2,10})\z")
]
"""The same, or the whole path of one that lies in no usual folder."""
PythonPackage = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}==[A-Za-z0-9][A-Za-z0-9.+!-]{0,63}\z")
]
DebianPackage = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9+.-]{0,98}[a-z0-9+](=[A-Za-z0-9]([A-Za-z0-9.+~:-]{0,98}[A-Za-z0-9])?)?\z"
    ),
]
"""No minus at the end, by which apt would remove it."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What out/ holds at most."""

    size: int
    """Bytes, of all files together."""
    files: int
    """Files and folders."""


class Packages(_Part):
    """What the image needs beside the usual. A derived image is built before any run, never in one."""

    python: Annotated[tuple[PythonPackage, ...], BeforeValidator(_tuple)] = Field(default=(), max_length=100)
    """`name==version`."""
    debian: Annotated[tuple[DebianPackage, ...], BeforeValidator(_tuple)] = Field(default=(), max_length=100)
    """`name` or `name=version`, of the release that the base image is made of."""

    def __bool__(self) -> bool:
        return bool(self.python or self.debian)

    def __add__(self, other: "Packages") -> "Packages":
        return Packages(
            python=tuple(sorted({*self.python, *other.python})),
            debian=tuple(sorted({*self.debian, *other.debian})),
        )


class Interpreter(_Part):
    """A language beside Python: scripts whose names end in `suffix` are given to `command`."""

    suffix: str = Field(pattern=r"^\.[A-Za-z0-9]{1,10}\z")
    command: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = Field(min_length=1, max_length=20)
    """The program's whole path and its options. The script's path and arguments follow."""

    @model_validator(mode="after")
    def _is_a_program(self) -> Self:
        if not re.fullmatch(r"(/[A-Za-z0-9._+-]+)+", self.command[0]) or ".." in self.command[0]:
            message = f"command: {self.command[0]!r} is no path of a program"
            raise ValueError(message)
        if self.suffix.lower() == ".py":
            message = "suffix: .py is Python's"
            raise ValueError(message)
        return self


class Tmpfs(_Part):
    """Folders in memory, by their place in the container. None: an eighth and a 32nd of the memory."""

    tmp: Size | None = Field(default=None, alias="/tmp", ge=1 << 20, le=8 << 30)  # noqa: S108  # in the guest
    shm: Size | None = Field(default=None, alias="/dev/shm", ge=1 << 20, le=8 << 30)  # noqa: S108  # the same


class Container(_Part):
    image: str | None = Field(default=None, min_length=1, max_length=200)
    """None for the image that belongs to this source tree. Nothing is ever pulled."""
    packages: Packages = Packages()
    interpreters: Annotated[tuple[Interpreter, ...], BeforeValidator(_tuple)] = Field(
        default=(), max_length=MAX_INTERPRETERS
    )
    read_only: Literal[True] = True
    tmpfs: Tmpfs = Tmpfs()
    user: str = "20000-29999"
    """`first-last`: each container has a uid and gid of its own from the range. `uid:gid`, the two alike,
    is a range of one, so that only one container lives at a time."""
    user_namespace: bool = False
    """True: the engine must map the container's users to others of the host, or nothing starts."""
    seccomp: str = Field(default="default", min_length=1, max_length=4096)
    """`default` for our profile, or the path of a profile as the engine reads them."""
    runtime: str = Field(default="runc", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z")
    """A runtime that is registered with the engine, by its name."""

    @model_validator(mode="after")
    def _user_is_safe(self) -> Self:
        parse_uids(self.user)
        return self

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of the names that scripts may have."""
        return (".py", *(interpreter.suffix for interpreter in self.interpreters))

    def command_of(self, name: str) -> tuple[str, ...] | None:
        """What a script is given to; None for Python, which is there already."""
        for interpreter in self.interpreters:
            if name.endswith(interpreter.suffix):
                return interpreter.command
        return None

    @property
    def uids(self) -> UidRange:
        return parse_uids(self.user)


class Network(_Part):
    enabled: bool = False
    """True puts scripts on the engine's bridge. Doctor and every log name it."""


class Commands(_Part):
    """Depth and not the boundary: the mounts, seccomp and the missing network are that."""

    allow: Annotated[tuple[Startable, ...], BeforeValidator(_tuple)] = Field(
        default=("python3",), max_length=100
    )
    """Programs that scripts may start, where the kernel has Landlock. Empty for all that the image has."""
    deny: Annotated[tuple[Program, ...], BeforeValidator(_tuple)] = Field(default=(), max_length=100)
    """Programs that are not there: an empty file lies over each."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Of those allowed the ones that are told by their whole path."""
        return tuple(program for program in self.allow if program.startswith("/"))

    @model_validator(mode="after")
    def _python_stays(self) -> Self:
        if both := sorted({*self.allow} & {*self.deny}):
            message = f"{both[0]} is both allowed and denied"
            raise ValueError(message)
        if refused := sorted(name for name in self.deny if re.fullmatch(r"python[0-9.]*", name)):
            message = f"deny: {refused[0]} runs the scripts themselves"
            raise ValueError(message)
        return self


class OutLimits(_Part):
    size: Size | None = Field(default=None, ge=1 << 20, le=8 << 30)
    """Bytes of all files in out/ together, enforced by the file system. None: a quarter of the memory."""
    files: int = Field(default=2000, ge=1, le=2000)
    """Files and folders. The protocol lists no more than 2,000."""


class StdoutLimits(_Part):
    keep: Size = Field(default=64 << 10, ge=1 << 10, le=256 << 10)
    """Bytes kept of each stream: its beginning and its end."""
    ceiling: Size = Field(default=16 << 20, ge=64 << 10, le=1 << 30)
    """Bytes printed at which the script is killed."""


class Resources(_Part):
    cpu: Number = Field(default=1.0, ge=0.01, le=64)
    """Processors, as in `0.5`."""
    memory: Size = Field(default=1 << 30, ge=1 << 20, le=1 << 40)
    """Bytes for everything in the container. There is no swap beside it."""
    pids: int = Field(default=128, ge=16, le=4096)
    timeout: Number = Field(default=60.0, ge=1, le=86400)
    """Wall seconds of one script."""
    grace: Number = Field(default=5.0, ge=1, le=60)
    """Seconds beyond a limit after which the host ends a container that has not answered."""
    session: Number = Field(default=3600.0, ge=10, le=604800)
    """Seconds that one container lives from its lease, scripts and waiting together."""
    out: OutLimits = OutLimits()
    stdout: StdoutLimits = StdoutLimits()

    @model_validator(mode="after")
    def _a_script_fits_into_a_session(self) -> Self:
        if self.timeout + self.grace > self.session:
            message = (
                f"session: {self.session:g} s end before a script of {self.timeout:g} + {self.grace:g} s"
            )
            raise ValueError(message)
        return self


class Pool(_Part):
    size: int = Field(default=2, ge=0, le=256)
    """Containers kept warm. Each idles at about 95 MiB and no CPU."""
    limit: int = Field(default=16, ge=1, le=1024)
    """Containers of this policy at once, warm and leased; further todos wait in line."""
    starts: int = Field(default=2, ge=1, le=32)
    """Containers that start at once: more of them only make each other slow."""

    @model_validator(mode="after")
    def _holds_the_warm_ones(self) -> Self:
        if self.size > self.limit:
            message = f"size: {self.size} is more than the limit of {self.limit}"
            raise ValueError(message)
        return self


class Policy(_Part):
    version: Literal[1] = 1
    name: str = Field(default=DEFAULT_NAME, pattern=r"^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?\z")
    container: Container = Container()
    network: Network = Network()
    commands: Commands = Commands()
    resources: Resources = Resources()
    pool: Pool = Pool()
    allow_degraded: Annotated[
        tuple[Annotated[Degradation, BeforeValidator(_degradation)], ...], BeforeValidator(_tuple)
    ] = (Degradation.LANDLOCK,)
    """What may be missing on this host. With anything else missing the bot does not start."""

    @property
    def out(self) -> FileLimits:
        size = self.resources.out.size
        return FileLimits(self.resources.memory // 4 if size is None else size, self.resources.out.files)

    @property
    def tmp(self) -> int:
        """Bytes."""
        size = self.container.tmpfs.tmp
        return self.resources.memory // 8 if size is None else size

    @property
    def shm(self) -> int:
        """Bytes."""
        size = self.container.tmpfs.shm
        return self.resources.memory // 32 if size is None else size

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Keys by which an operator has made this policy weaker than the baseline: doctor names them."""
        weaker = {
            "network.enabled": self.network.enabled,
            "container.seccomp": self.container.seccomp != "default",
        }
        return tuple(key for key, weak in weaker.items() if weak)

    @model_validator(mode="after")
    def _fits_into_memory(self) -> Self:
        memory = self.resources.memory
        needed = self.out.size + self.tmp + self.shm + RUNTIME_SET
        if needed > memory:
            message = (
                f"resources.memory: {memory >> 20}M is less than the {-(-needed >> 20)}M of"
                f" out {self.out.size >> 20}M + /tmp {self.tmp >> 20}M + /dev/shm {self.shm >> 20}M, which"
                f" lie in memory, + {RUNTIME_SET >> 20}M for Python with its libraries"
            )
            raise ValueError(message)
        return self
