"""How much room files take that another thread or process may remove meanwhile: an index that merges, a log that is folded in."""

import os
from pathlib import Path


def file_bytes(path: Path) -> int:
    """The size of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def folder_bytes(folder: Path) -> int:
    """The size of all files below a folder that are still there; 0 where there is none."""
    return sum(file_bytes(Path(below, name)) for below, _, names in os.walk(folder) for name in names)
