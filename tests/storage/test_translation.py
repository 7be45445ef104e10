"""Callers see our errors, with the real ones behind them."""

import errno
import sqlite3

import pytest
from obstore.exceptions import GenericError
from sqlalchemy.exc import InvalidRequestError, OperationalError

from storage.errors import DiskFull, NoSuchRun, StorageError, StorageUnavailable
from storage.translation import translate, translated


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DiskFull),
        (PermissionError(errno.EACCES, "Permission denied"), StorageUnavailable),
        (GenericError("Unable to copy: No space left on device (os error 28)\n\nDebug source: …"), DiskFull),
        (GenericError("Generic S3 error"), StorageUnavailable),
        (
            OperationalError("SELECT 1", {}, sqlite3.OperationalError("database is locked")),
            StorageUnavailable,
        ),
        (sqlite3.ProgrammingError("Cannot operate on a closed database."), StorageUnavailable),
        (InvalidRequestError("pool"), StorageUnavailable),
    ],
)
def test_each_driver_error_has_its_place_in_the_tree(error: Exception, kind: type[StorageError]) -> None:
    ours = translate(error)
    assert type(ours) is kind
    assert "\n" not in str(ours)


def test_the_real_error_stays_behind_ours() -> None:
    real = sqlite3.OperationalError("disk I/O error")
    with pytest.raises(StorageUnavailable, match="disk I/O error") as caught, translated():
        raise real
    assert caught.value.__cause__ is real


@pytest.mark.parametrize("error", [KeyError("x"), NoSuchRun("r0"), sqlite3.IntegrityError("UNIQUE")])
def test_other_errors_pass_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, translated():
        raise error
    assert caught.value is error
