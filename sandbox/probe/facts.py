"""What the probe script saw, as the guest tells it: hostile data, so typed, capped and cleaned."""

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sandbox.errors import SandboxUnavailable
from sandbox.names import clean_text

MAX_FACTS = 256 << 10
"""Bytes of the whole answer; an honest one has about 8 KiB."""
_ITEMS = 200

T = TypeVar("T")


def _line(text: str) -> str:
    return " ".join(clean_text(text).split())


Text = Annotated[str, Field(max_length=1000), AfterValidator(_line)]
Resolver = Annotated[str, Field(max_length=20_000), AfterValidator(clean_text)]
Number = Annotated[int, Field(ge=-(2**63), le=2**64)]
Texts = Annotated[tuple[Text, ...], Field(max_length=_ITEMS)]
Mapped = Annotated[dict[Text, T], Field(max_length=_ITEMS)]
Pair = tuple[Number, Number]


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Mount(_Fact):
    target: Text
    options: Text
    """Of this mount, not of its file system."""
    kind: Text
    root: Text
    """The path within its file system: for a bind it shows where the source lies on the host."""
    source: Text

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(self.options.split(","))


class Facts(_Fact):
    """Error numbers are those of errno; 0 says that the attempt succeeded."""

    status: Mapped[Text]
    """Lines of /proc/self/status."""
    uid_map: Text
    mounts: Annotated[tuple[Mount, ...], Field(max_length=_ITEMS)]
    sizes: Mapped[Pair]
    """Bytes and inodes of a file system, by its folder."""
    writes: Mapped[Number]
    """What came of making a file in a folder."""
    cgroup: Mapped[Text]
    """As the kernel tells them; absent where the host's cgroups have no such file."""
    swaps: bool
    """The host has swap at all."""
    limits: Mapped[Pair]
    interfaces: Texts
    sockets: Mapped[Number]
    calls: Mapped[Number]
    """Empty on a processor whose numbers of system calls the script does not know."""
    setuid: Texts
    searched: bool
    """All files were looked at for setuid bits and capabilities."""
    programs: Mapped[Number]
    """Programs that may not be started, with what came of starting them."""
    masked: Mapped[Text]
    """`absent`, `empty`, `closed` or `readable`."""
    label: Text
    """Of AppArmor or SELinux; empty without either."""
    landlock: Number
    confined: bool
    """Landlock is in force for the script."""
    hostname: Text
    resolver: Resolver
    threads: Text
    """OMP_NUM_THREADS of the script's environment."""
    core_pattern: Text
    kernel: Text


def read_facts(content: bytes) -> Facts:
    """Raises: SandboxUnavailable: this is not what our script writes."""
    try:
        if len(content) <= MAX_FACTS:
            return Facts.model_validate_json(content)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"][:1])) or "JSON"
        message = f"the probe's answer is malformed: {where}"
        raise SandboxUnavailable(message) from error
    message = f"the probe's answer is larger than {MAX_FACTS >> 10} KiB"
    raise SandboxUnavailable(message)
