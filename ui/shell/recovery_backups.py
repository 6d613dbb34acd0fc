"""Backups as files, for when the engine cannot be opened to ask it. Reads names and sizes only."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from app.values.desk import Backup

PATTERN = "remanence-*.db"


def find_backups(folder: Path) -> tuple[Backup, ...]:
    """Backup files in `folder`, newest first; none when it cannot be read."""
    return tuple(sorted(_read(folder), key=lambda backup: backup.at, reverse=True))


def _read(folder: Path) -> Iterator[Backup]:
    if not folder.is_dir():
        return
    for path in folder.glob(PATTERN):
        if path.is_file() and not path.is_symlink():
            info = path.stat()
            yield Backup(path, datetime.fromtimestamp(info.st_mtime, UTC), info.st_size, "", is_verified=False)
