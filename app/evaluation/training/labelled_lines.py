"""Files of labelled sentences, one a line: read, and known again by their hash."""

import hashlib
from pathlib import Path


def hash_examples(folder: Path) -> str:
    """A short hash that changes when an example in `folder` does."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.txt")):
        digest.update(path.name.encode() + "\n".join(labelled_lines(path)).encode())
    return digest.hexdigest()[:16]


def labelled_lines(path: Path) -> list[str]:
    """The lines that are sentences: none that is empty or a heading."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line.strip() and not line.startswith("## ")]
