"""The schema: brought up to date at start by the migrations that ship in the package."""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from storage.errors import NewerDatabase


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest revision, inside the transaction that `connection` is in.

    A crash half-way leaves the old schema, since SQLite's DDL is transactional.

    Raises:
        NewerDatabase: the database is at a revision that this version does not have.
    """
    config = configuration(connection)
    known = _revisions(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in known:
        raise NewerDatabase(current)
    command.upgrade(config, "head")


def revisions() -> frozenset[str]:
    """Those that this version knows."""
    return _revisions(configuration())


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's settings for running on a connection that is already open."""
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    config.attributes["connection"] = connection
    return config


def _revisions(config: Config) -> frozenset[str]:
    return frozenset(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())
