"""The driver's errors, told as ours: callers never see SQLAlchemy, sqlite3 or obstore."""

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from obstore.exceptions import BaseError as ObjectStoreError
from sqlalchemy.exc import SQLAlchemyError, StatementError

from storage.errors import DiskFull, StorageDamaged, StorageError, StorageUnavailable

_FULL = {sqlite3.SQLITE_FULL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRIMARY_CODE = 0xFF
"""SQLite's extended result codes carry the primary one in their low byte."""


def translate(error: Exception) -> Exception:
    """Our error for one of the drivers'; any other error, which is a mistake of the program, as it is.

    A broken constraint is such a mistake too.
    """
    cause = error.orig if isinstance(error, StatementError) and error.orig is not None else error
    if isinstance(cause, sqlite3.IntegrityError):
        return error
    if isinstance(cause, sqlite3.Error):
        return _from_sqlite(cause)
    if isinstance(cause, OSError):
        kind = DiskFull if cause.errno in (errno.ENOSPC, errno.EDQUOT) else StorageUnavailable
        return kind(str(cause))
    if isinstance(cause, ObjectStoreError):
        # obstore keeps the number of the operating system's error only in its text.
        kind = DiskFull if f"os error {errno.ENOSPC}" in str(cause) else StorageUnavailable
        return kind(_first_line(cause))
    if isinstance(cause, SQLAlchemyError):
        return StorageUnavailable(_first_line(cause))
    # A value that a column refuses: the refusal without SQLAlchemy's wrapping.
    return cause if isinstance(cause, Exception) else error


@contextmanager
def translated() -> Generator[None]:
    """Raise the drivers' errors of the block as `StorageError`."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        ours = translate(error)
        if ours is error:
            raise
        raise ours from error


def _from_sqlite(error: sqlite3.Error) -> StorageError:
    # Errors of the Python module itself, such as a closed connection, carry no code.
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code in _FULL:
        return DiskFull(str(error))
    if code in _DAMAGED:
        return StorageDamaged(str(error))
    return StorageUnavailable(str(error))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
