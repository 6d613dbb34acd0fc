"""Forward-only, numbered steps from an older store to today's; blind to today's tables.

Each step is a function `upgrade_2(op)` … that is handed alembic's operations, so that the same step runs on PostgreSQL; a module
is named for the first version that it leads to. A step that was released is never changed. All steps of one start run in one transaction with foreign keys off, checked before commit, after a
verified backup. alembic is imported only when there is something to do. Source: STYLE "Store".
"""

import contextlib
import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pysqlite3
from sqlalchemy.exc import DatabaseError

from app.errors import StoreCorruptError, StoreForeignError, StoreNewerError
from app.store.backups import TABLES_OF_EVERY_VERSION, Backups
from app.store.database import explained, opening
from app.store.missing_store import connect_existing
from app.store.tables.core import SCHEMA_VERSION

_FAR_AHEAD = 100  # versions count up by one: what is further ahead is a header with a wrong bit


def read_version(path: Path) -> int:
    """The store's schema version; 0 for a file that does not exist or is empty.

    Raises StoreForeignError for a database of another program, StoreCorruptError, DiskProblem.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return 0
    with opening(path), contextlib.closing(connect_existing(path)) as connection:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and not tables >= TABLES_OF_EVERY_VERSION:
        raise StoreForeignError(
            f"The file {path} is a database of another program. It was left untouched.",
            hint="Move it away, or point REMANENCE_HOME to another folder.",
        )
    return version


def migrate_if_old(path: Path, backups: Backups, *, package: str = __name__, newest: int = SCHEMA_VERSION) -> int:
    """Brings the store to version `newest`; returns the version it had. Old state or new, never between.

    Raises StoreNewerError, StoreCorruptError, leaving the file untouched.
    """
    version = read_version(path)
    if version > newest + _FAR_AHEAD:
        raise StoreCorruptError(
            f"The store {path} is damaged: its header names version {version}, which no Remanence has.",
            hint="Restore a backup: remanence restore --latest. The damaged file is kept.",
        )
    if version > newest:
        raise StoreNewerError(
            f"The store {path} was written by a newer Remanence (version {version}, this one knows {newest}). "
            "It was left untouched.",
            hint="Update Remanence, or point REMANENCE_HOME to another folder.",
        )
    if 0 < version < newest:
        backups.create("before migration")
        try:
            with explained(path):
                _run(path, package, version, newest)
        except DatabaseError as error:  # a header with a wrong bit: the steps meet tables that are newer than it says
            raise StoreCorruptError(
                f"The store {path} is damaged: its header names version {version}, its tables are not of that version. "
                "It was left as it was.",
                hint="Restore a backup: remanence restore --latest. The damaged file is kept.",
            ) from error
    return version


def _find_step(package: str, version: int) -> Callable[..., None]:
    """The step that leads to `version`, in the last module that begins at it or before."""
    names = sorted(found.name for found in pkgutil.iter_modules(importlib.import_module(package).__path__))
    module = [name for name in names if "m0002" <= name <= f"m{version:04d}"][-1]
    step: Callable[..., None] = getattr(importlib.import_module(f"{package}.{module}"), f"upgrade_{version}")
    return step


def _run(path: Path, package: str, version: int, newest: int) -> None:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from sqlalchemy import create_engine, text

    engine = create_engine(f"sqlite:///{path}", module=pysqlite3.dbapi2)
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        if raw is None:
            raise StoreCorruptError(
                f"The store {path} cannot be opened for its update.",
                hint="remanence restore --latest puts the newest backup in its place.",
            )
        raw.isolation_level = None
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("PRAGMA synchronous=FULL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        operations = Operations(MigrationContext.configure(connection))
        for step in range(version + 1, newest + 1):
            _find_step(package, step)(operations)
        if connection.execute(text("PRAGMA foreign_key_check")).first() is not None:
            connection.exec_driver_sql("ROLLBACK")
            raise StoreCorruptError(
                "The update of the store found rows that belong to nothing; nothing was changed.",
                hint="Run remanence doctor, then restore a backup.",
            )
        connection.exec_driver_sql(f"PRAGMA user_version={newest}")
        connection.exec_driver_sql("COMMIT")
    engine.dispose()
