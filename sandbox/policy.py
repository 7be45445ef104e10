"""The policy: what a script may use. Read from YAML, frozen, refused with key and reason when unsafe."""

from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sandbox.errors import PolicyError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MAX_FILE = 64 << 10
DEFAULT = Path(__file__).parent / "policies" / "default.yaml"
WORKING_SET = 512 << 20
"""Bytes that PID 1 with its libraries (about 120 MiB) and a script need beside the files in memory."""


def _size(value: object) -> object:
    """`512M` and `1G` with a capital letter and nothing else, or a whole number of bytes."""
    if isinstance(value, str) and value[:-1].isascii() and value[:-1].isdigit() and value[-1:] in _UNITS:
        return int(value[:-1]) * _UNITS[value[-1]]
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"{value!r} is no size; write bytes, or 64K, 512M, 1G"
    raise ValueError(message)


Size = Annotated[int, BeforeValidator(_size)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OutLimits(_Part):
    size: Size = Field(default=256 << 20, ge=1 << 20, le=8 << 30)
    """Bytes of all files in out/ together, enforced by the file system."""
    files: int = Field(default=2000, ge=1, le=2000)
    """Files and folders. The protocol lists no more than 2,000."""


class StdoutLimits(_Part):
    keep: Size = Field(default=64 << 10, ge=1 << 10, le=256 << 10)
    """Bytes kept of each stream: its beginning and its end."""
    ceiling: Size = Field(default=16 << 20, ge=64 << 10, le=1 << 30)
    """Bytes printed at which the script is killed."""


class UidRange(_Part):
    first: int = Field(default=20000, ge=1000, le=2**31)
    last: int = Field(default=29999, ge=1000, le=2**31)

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.last < self.first:
            message = "last is below first"
            raise ValueError(message)
        return self


class Policy(_Part):
    image: str | None = Field(default=None, min_length=1, max_length=200)
    """None for the image that belongs to this source tree."""
    cpus: float = Field(default=1.0, gt=0, le=64)
    memory: Size = Field(default=1 << 30, ge=256 << 20, le=1 << 40)
    """Bytes for everything in the container. There is no swap beside it."""
    pids: int = Field(default=128, ge=16, le=4096)
    time_limit: float = Field(default=60.0, ge=1, le=86400)
    """Wall seconds of one script."""
    grace: float = Field(default=5.0, ge=1, le=60)
    """Seconds beyond a limit after which the host ends a container that has not answered."""
    session_limit: float = Field(default=3600.0, ge=10, le=604800)
    """Seconds that one container lives, scripts and waiting together."""
    out: OutLimits = OutLimits()
    tmp: Size = Field(default=128 << 20, ge=16 << 20, le=8 << 30)
    shm: Size = Field(default=32 << 20, ge=1 << 20, le=8 << 30)
    stdout: StdoutLimits = StdoutLimits()
    uids: UidRange = UidRange()

    @model_validator(mode="after")
    def _fits_into_memory(self) -> Self:
        needed = self.out.size + self.tmp + self.shm + WORKING_SET
        if needed > self.memory:
            message = (
                f"memory: {self.memory >> 20}M is less than the {needed >> 20}M of out {self.out.size >> 20}M"
                f" + tmp {self.tmp >> 20}M + shm {self.shm >> 20}M, which lie in memory,"
                f" + {WORKING_SET >> 20}M for the script"
            )
            raise ValueError(message)
        return self


def load_policy(path: Path = DEFAULT) -> Policy:
    """Raises: PolicyError: it cannot be read, is malformed, or asks for what we refuse to run."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise PolicyError(message) from error
    if len(content) > _MAX_FILE:
        message = f"{path}: larger than {_MAX_FILE >> 10} KiB"
        raise PolicyError(message)
    return parse_policy(content, str(path))


def parse_policy(content: bytes | str, origin: str = "policy") -> Policy:
    """As `load_policy`; `origin` names the text in messages."""
    try:
        data: Any = yaml.load(content, _StrictLoader)  # noqa: S506  # a SafeLoader with more refused
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        message = f"{origin}: not valid YAML: {' '.join(str(error).split())}"
        raise PolicyError(message) from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        message = f"{origin}: a policy is a mapping of keys to values"
        raise PolicyError(message)
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        raise PolicyError(f"{origin}: " + "; ".join(map(_reason, error.errors()))) from error


def _reason(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"])
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        text = "there is no such key"
    return f"{key}: {text}" if key else text


class _StrictLoader(yaml.SafeLoader):
    """No aliases, so nothing can grow; no key twice, so nothing is silently replaced."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            message = "aliases are not allowed"
            raise yaml.YAMLError(message)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[object] = set()
        for key, _ in node.value:
            if key.value in seen:
                message = f"the key {key.value} is there twice"
                raise yaml.YAMLError(message)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
