"""`deckhand backup` and `deckhand restore`: what a person gives, and what they are told."""

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bot.entry import ExitCode, Session
from bot.errors import SettingsError
from bot.ops.lock import alone
from bot.ops.version import version
from bot.render import file_size
from bot.settings import Settings
from bot.stores import open_store
from storage.backup import Places, write_backup
from storage.database import database_path
from storage.errors import BadBackup, FolderInUse
from storage.records import utc_now
from storage.restore import restore_backup


async def backup(session: Session, file: Path) -> ExitCode:
    """Raises: SettingsError: the file cannot be made there. StorageError: what is kept cannot be read."""
    where = places(session.settings)
    _check_target(file, where)
    made = await asyncio.to_thread(write_backup, where, file, version=version(), now=utc_now())
    session.screen.say(
        session.t("backup-made", file=str(file), size=file_size(made.size), count=made.members)
    )
    if made.missing:
        session.note(session.t("backup-missing", count=made.missing))
    if where.artifacts is None:
        session.note(session.t("backup-bucket", url=_bucket(session.settings)))
    return ExitCode.DONE


async def restore(session: Session, file: Path, *, force: bool) -> ExitCode:
    """Raises: SettingsError: a bot runs, the folder is not empty, or the file is no whole backup."""
    settings = session.settings
    where = places(settings)
    _check_source(file)
    with alone(settings.data):
        try:
            found = await asyncio.to_thread(restore_backup, file, where, now=utc_now(), force=force)
        except FolderInUse as fault:
            key = "restore-not-empty"
            raise SettingsError(key, path=fault.path) from fault
        except BadBackup as fault:
            key = "restore-bad"
            raise SettingsError(key, file=str(file), reason=str(fault)) from fault
        for path in found.aside:
            session.note(session.t("restore-aside", path=str(path)))
        async with open_store(settings) as store:  # which brings an older schema up to date
            waiting = len(await store.runs.unfinished())
    session.screen.say(
        session.t("restore-done", at=found.at[:16].replace("T", " "), count=found.members, runs=waiting)
    )
    if not found.artifacts or where.artifacts is None:
        session.note(session.t("restore-bucket", url=_bucket(settings)))
    return ExitCode.DONE


def places(settings: Settings) -> Places:
    """Raises: StorageUnavailable: the database's URL is not for SQLite."""
    return Places(
        database=database_path(settings.database),
        checkpoints=settings.data / "checkpoints.db",
        runs=settings.data / "runs",
        secret=settings.data / "secret",
        artifacts=_folder(settings.artifacts),
    )


def _check_target(file: Path, where: Places) -> None:
    if not file.parent.is_dir() or file.is_dir():
        key = "backup-no-folder"
        raise SettingsError(key, file=str(file))
    kept = (where.artifacts, where.runs, where.database, where.checkpoints, where.secret)
    for place in filter(None, kept):
        if file.resolve().is_relative_to(place.resolve()):  # it would become part of itself, or replace it
            key = "backup-inside"
            raise SettingsError(key, file=str(file))


def _check_source(file: Path) -> None:
    if not file.is_file():
        key = "restore-no-file"
        raise SettingsError(key, file=str(file))


def _folder(url: str) -> Path | None:
    """The folder that a store's URL names; None for a bucket."""
    if "://" not in url:
        return Path(url)
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _bucket(settings: Settings) -> str:
    """Without the user and the password that may stand in it."""
    parts = urlsplit(settings.artifacts)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
