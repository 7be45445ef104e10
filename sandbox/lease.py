"""A lease on the host's disk: the folders that a container sees read-only, and the record of whose it is."""

import hashlib
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from sandbox.errors import SandboxUnavailable
from sandbox.names import is_script_name, split_path
from sandbox.session import InputFile, Workspace

_SKILL_FILES = 500
_SKILL_BYTES = 16 << 20
_RECORD = "lease.json"
_IDENTITY = "sandbox.id"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRecord:
    """What the reaper must know. Written before the container exists: one without is an orphan."""

    install: str
    owner: str
    containers: tuple[str, ...]
    """Every name that the container may have: the one it was made with, and the one of its lease."""
    uid: int
    deadline: float
    """Unix time, in seconds, from which the container may be removed whatever it does."""
    pid: int
    started: int
    """The owner process's start time in the kernel's ticks: a pid alone is used again."""
    pids: str = ""
    """The owner's PID namespace. From another one, such as outside of its container, it cannot be seen."""

    @property
    def owner_lives(self) -> bool:
        """Where that cannot be told, only the deadline counts."""
        return self.pids not in ("", pid_namespace()) or process_start(self.pid) == self.started


class LeaseFolder:
    """`leases/<random>` with input, code and skills below it, which the container sees, and incoming, which
    only the host does. No name in the path tells who a person is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.input = path / "input"
        self.code = path / "code"
        self.skills = path / "skills"
        self.incoming = path / "incoming"
        self.nothing = path / "nothing"

    @classmethod
    def named(cls, leases: Path) -> Self:
        """One that does not exist yet: who makes it knows what to remove, whatever interrupts the making."""
        return cls(leases / secrets.token_hex(16))

    def lay_out(self, record: LeaseRecord) -> None:
        """Make it, empty.

        Raises: OSError. Nothing is then left.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.mkdir(mode=0o755)
        try:
            self._record(record)
            self.incoming.mkdir(mode=0o700)
            _write(self.nothing, b"", 0o444)
            for part in (self.input, self.code, self.skills):
                part.mkdir()
                part.chmod(0o755)  # whatever the umask
        except BaseException:
            self.remove()
            raise

    def fill(self, record: LeaseRecord, workspace: Workspace, suffixes: Sequence[str] = (".py",)) -> None:
        """Make it the workspace's, with those scripts that the policy has a language for. The record is there
        first.

        Raises: OSError; ValueError: a name is not plain, a source no regular file.
        """
        self._record(record)
        self._add_inputs(workspace.inputs)
        self._add_skills(workspace.skills)
        self._add_scripts(workspace.code, suffixes)

    @property
    def binds(self) -> dict[str, Path]:
        return {f"/workspace/{path.name}": path for path in (self.input, self.code, self.skills)}

    def record(self) -> LeaseRecord | None:
        """None when none can be read: the folder is being made, or is a wreck."""
        try:
            fields: dict[str, Any] = json.loads((self.path / _RECORD).read_bytes())
            fields["containers"] = tuple(fields["containers"])
            return LeaseRecord(**fields)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def age(self) -> float:
        """Seconds since it was made or changed; infinite when it is gone."""
        try:
            return time.time() - self.path.stat().st_mtime
        except OSError:
            return float("inf")

    def expire(self) -> None:
        """Leave the container and this folder to the reaper."""
        with suppress(OSError):
            if (record := self.record()) is not None:
                self._record(replace(record, deadline=0.0))

    def input_files(self) -> list[tuple[str, int]]:
        return sorted((file.name, file.stat().st_size) for file in self.input.iterdir())

    def has_code(self, name: str) -> bool:
        return (self.code / name).is_file()

    def add_code(self, name: str, source: bytes) -> None:
        """`name` has been checked by `names.is_script_name`."""
        _write(self.code / name, source, 0o444)

    @staticmethod
    def keep_code(code: Path, name: str, source: bytes) -> None:
        """The host's own copy, which outlives the lease."""
        code.mkdir(parents=True, exist_ok=True)
        _write(code / name, source, 0o644)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _record(self, record: LeaseRecord) -> None:
        _write(self.path / _RECORD, json.dumps(asdict(record)).encode(), 0o600)

    def _add_scripts(self, code: Path, suffixes: Sequence[str]) -> None:
        if code.is_dir():
            for file in sorted(code.iterdir()):
                if is_script_name(file.name, suffixes) and stat.S_ISREG(file.lstat().st_mode):
                    self.add_code(file.name, file.read_bytes())

    def _add_inputs(self, inputs: Sequence[InputFile]) -> None:
        for file in inputs:
            if (parts := split_path(file.name)) is None or len(parts) != 1:
                message = f"{file.name!r} is no canonical name"
                raise ValueError(message)
            _place(file.source, self.input / file.name)

    def _add_skills(self, skills: Sequence[Path]) -> None:
        """A snapshot of each skill's scripts/, so that nothing changes under a running todo."""
        for skill in skills:
            count = size = 0
            for folder, names, files in os.walk(skill / "scripts"):
                names[:] = [name for name in names if name != "__pycache__" and not name.startswith(".")]
                target = self.skills / skill.name / Path(folder).relative_to(skill)
                target.mkdir(parents=True, exist_ok=True)
                for name in files:
                    source = Path(folder, name)
                    if not stat.S_ISREG(source.lstat().st_mode):
                        continue
                    count, size = count + 1, size + source.stat().st_size
                    if count > _SKILL_FILES or size > _SKILL_BYTES:
                        message = f"the scripts of the skill {skill.name} are too many or too large"
                        raise ValueError(message)
                    _place(source, target / name)
        for folder, _, _ in os.walk(self.skills):
            Path(folder).chmod(0o755)  # whatever the umask


def install_name(data: Path) -> str:
    """Tells the containers of this installation from those of another data folder on the same engine."""
    return f"deckhand-{hashlib.sha256(bytes(data)).hexdigest()[:8]}"


def identity(root: Path) -> str:
    """Tells the containers of this data folder from those of every other, also of a copy of it.

    Made of its path and of a random id kept in it.

    Raises: SandboxUnavailable: it cannot be written or read.
    """
    file = root / _IDENTITY
    try:
        root.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            partial = root / f".{secrets.token_hex(8)}"
            partial.write_text(secrets.token_hex(16))
            with suppress(FileExistsError):  # the first one counts, for all who start at once
                os.link(partial, file)
            partial.unlink()
        content = file.read_bytes()
    except OSError as error:
        message = f"the data folder cannot be used: {error}"
        raise SandboxUnavailable(message) from error
    return hashlib.sha256(bytes(root.resolve()) + b"\0" + content).hexdigest()[:16]


def lease_folders(leases: Path) -> list[LeaseFolder]:
    try:
        return [LeaseFolder(path) for path in sorted(leases.iterdir()) if path.is_dir()]
    except FileNotFoundError:
        return []


def pid_namespace() -> str:
    """Empty where the kernel does not tell."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115  # no file is there to be resolved
    except OSError:
        return ""


def process_start(pid: int) -> int:
    """Start time of a living process in the kernel's ticks, 0 when there is no such process."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()  # a process may call itself what is no text
    except OSError:
        return 0
    fields = content.rpartition(b")")[2].split()
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


def _place(source: Path, target: Path) -> None:
    """Link when the file is readable by all and writable by its owner alone at most, copy otherwise."""
    status = source.lstat()
    if not stat.S_ISREG(status.st_mode):
        message = f"{source.name} is not a regular file"
        raise ValueError(message)
    if target.exists():  # which may be a link to somebody's original
        message = f"{target.name} is there twice"
        raise ValueError(message)
    if status.st_mode & 0o444 == 0o444 and not status.st_mode & 0o7022:
        with suppress(OSError):  # another file system, or links to others' files are forbidden
            os.link(source, target)
            return
    shutil.copyfile(source, target)
    target.chmod(0o444)


def _write(target: Path, content: bytes, mode: int) -> None:
    """Whole or not at all."""
    partial = target.with_name(f".{secrets.token_hex(8)}")
    partial.write_bytes(content)
    partial.chmod(mode)
    partial.replace(target)
