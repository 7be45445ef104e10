"""What can go wrong with keeping things.

StorageError
├── StorageUnavailable   the database or the store cannot be reached, is locked or read-only
│   ├── DiskFull         no space was left; the change was rolled back and what was stored before is intact
│   └── StorageDamaged   the bytes on the disk are not what was written
├── NewerDatabase        a later version of the program has migrated the database
├── UnknownType          a value that checkpoints may not hold
├── TooLarge             a stream went on after its limit
├── AlreadyRepeated      a failed run is tried again once
├── BadBackup            a file is no backup, or not a whole one
├── FolderInUse          something is where a backup should be restored to
└── NotFound             nothing has that id
    ├── NoSuchConversation
    ├── NoSuchRun
    └── NoSuchArtifact
"""

from typing import ClassVar


class StorageError(Exception):
    """Something could not be kept or found again."""


class StorageUnavailable(StorageError):
    """The database or the artifact store cannot be reached, is locked, or is read-only."""


class DiskFull(StorageUnavailable):
    """No space was left. The change was rolled back; what was stored before is intact."""


class StorageDamaged(StorageUnavailable):
    """The bytes on the disk are not what was written."""


class NewerDatabase(StorageError):
    """A later version of the program has migrated the database."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"the database is at revision {revision!r}, which this version does not know: "
            "run the newer version, or restore the backup from before the upgrade"
        )
        self.revision = revision


class UnknownType(StorageError):
    """A value that checkpoints may not hold."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(f"not on the list of types that checkpoints may hold: {', '.join(names)}")
        self.names = names


class TooLarge(StorageError):
    """A stream went on after its limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes came")
        self.limit = limit


class AlreadyRepeated(StorageError):
    """A failed run is tried again once."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"another run repeats {run_id!r} already")
        self.run_id = run_id


class BadBackup(StorageError):
    """A file is no backup, or not a whole one. Nothing was changed."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class FolderInUse(StorageError):
    """Something is where a backup should be restored to. Nothing was changed."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is there already")
        self.path = path


class NotFound(StorageError):
    """Nothing has that id."""

    kind: ClassVar[str]

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no {self.kind} {key!r}")
        self.key = key


class NoSuchConversation(NotFound):
    kind = "conversation"


class NoSuchRun(NotFound):
    kind = "run"


class NoSuchArtifact(NotFound):
    kind = "artifact"
