"""Which branch is checked out in a folder: read from `.git/HEAD`, since hardly any host says it. Starts no program.

Two small files at most, besides looking for `.git` upwards: a worktree has a file there that says where its own HEAD is. Keeps
nothing. Source: issue 16 point 9.
"""

from pathlib import Path

_FOLDERS_MOST = 40  # upwards
_READ_BYTES = 4_096
_BRANCH_CHARS = 256
_HEADS = "ref: refs/heads/"


def find_branch(folder: str) -> str:
    """The name of the branch; "" outside of a repository, without a branch (detached), or when it cannot be read."""
    if not folder:
        return ""
    start = Path(folder)
    if not start.is_absolute():
        return ""
    for place in (start, *start.parents)[:_FOLDERS_MOST]:
        try:
            git_dir = _git_dir(place / ".git")
            if git_dir is not None:
                return _branch_in(_first_line(git_dir / "HEAD"))
        except (OSError, ValueError):
            return ""
    return ""


def _git_dir(mark: Path) -> Path | None:
    """Where HEAD lies; a worktree and a submodule have a file that says so."""
    if mark.is_dir():
        return mark
    if not mark.is_file():
        return None
    kind, _, place = _first_line(mark).partition(":")
    return mark.parent / place.strip() if kind == "gitdir" and place.strip() else None


def _first_line(path: Path) -> str:
    with path.open("rb") as handle:
        return handle.read(_READ_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


def _branch_in(head: str) -> str:
    """
    >>> _branch_in("ref: refs/heads/fix/login"), _branch_in("5f1c0de")
    ('fix/login', '')
    """
    return head[len(_HEADS) :][:_BRANCH_CHARS] if head.startswith(_HEADS) else ""
