"""What is checked out in a folder and who else works on it: read from `.git`, since hardly any host says it. Starts no program.

The branch takes two small files, besides looking for `.git` upwards: a worktree has a file there that says where its own HEAD is.
Who works on it: the newest commits of the branch, as far as git has not packed them. Keeps nothing. Source: issue 16 point 9, S4
"Collaborator joined".
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

_FOLDERS_MOST = 40  # upwards
_READ_BYTES = 4_096
_BRANCH_CHARS = 256
_HEADS = "ref: refs/heads/"
_COMMITS_MOST, _COMMIT_BYTES, _REFLOG_BYTES = 20, 64_000, 2_048
_TRUNKS = ("main", "master", "develop", "trunk")  # what is there is everybody's
_PERSON = r"([^<>\n]{1,80}?) <([^<>\n]{0,200})>"
_AUTHOR = re.compile(rf"^author {_PERSON}", re.MULTILINE)
_CO_AUTHOR = re.compile(rf"^co-authored-by: {_PERSON}", re.MULTILINE | re.IGNORECASE)
_COMMITTER = re.compile(rf"^[0-9a-f]{{40}} [0-9a-f]{{40}} {_PERSON}", re.MULTILINE)
_PARENT = re.compile(r"^parent ([0-9a-f]{40})$", re.MULTILINE)
_HASH = re.compile(r"[0-9a-f]{40}")
_NO_PERSON = re.compile(
    r"\[bot\]|\b(?:claude|copilot|codex|cursor|gemini|devin|aider|dependabot|renovate)\b", re.IGNORECASE
)


def find_branch(folder: str) -> str:
    """The name of the branch; "" outside of a repository, without a branch (detached), or when it cannot be read."""
    try:
        git_dir = _find_git_dir(folder)
        return _branch_in(_first_line(git_dir / "HEAD")) if git_dir is not None else ""
    except (OSError, ValueError):
        return ""


def find_collaborators(folder: str) -> tuple[str, ...]:
    """Who besides the person wrote the newest commits of a branch, or is named there as co-author; newest first, no assistants.

    Empty on a trunk, where everybody's work comes together, and where git has packed the commits.
    """
    try:
        git_dir = _find_git_dir(folder)
        branch = _branch_in(_first_line(git_dir / "HEAD")) if git_dir is not None else ""
        if git_dir is None or not branch or branch in _TRUNKS:
            return ()
        common = git_dir / _first_line(git_dir / "commondir") if (git_dir / "commondir").is_file() else git_dir
        own = _own_names(git_dir)
        trunks = {_first_line(path) for path in _trunk_refs(common) if path.is_file()}
        authors = list(_authors(common, _first_line(common / "refs" / "heads" / branch), trunks)) if own else []
    except (OSError, ValueError, zlib.error):
        return ()
    others = (name for name, mail in authors if not {name, mail} & own and not _NO_PERSON.search(f"{name} {mail}"))
    return tuple(dict.fromkeys(others))


def _trunk_refs(common: Path) -> Iterator[Path]:
    for name in _TRUNKS:
        yield common / "refs" / "heads" / name
        yield common / "refs" / "remotes" / "origin" / name


def _own_names(git_dir: Path) -> set[str]:
    """Name and address of whoever commits here, as the newest line of git's own log of HEAD says."""
    with (git_dir / "logs" / "HEAD").open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(max(0, size - _REFLOG_BYTES))
        said = _COMMITTER.findall(handle.read().decode("utf-8", "replace"))
    return set(said[-1]) if said else set()


def _authors(common: Path, commit: str, trunks: set[str]) -> Iterator[tuple[str, str]]:
    """Name and address of authors and co-authors, from the newest commit on."""
    for _ in range(_COMMITS_MOST):
        path = common / "objects" / commit[:2] / commit[2:]
        if not _HASH.fullmatch(commit) or commit in trunks or not path.is_file():
            return
        with path.open("rb") as handle:
            said = zlib.decompressobj().decompress(handle.read(_COMMIT_BYTES), _COMMIT_BYTES).decode("utf-8", "replace")
        if not said.startswith("commit "):
            return
        yield from _AUTHOR.findall(said.partition("\0")[2])
        yield from _CO_AUTHOR.findall(said)
        parent = _PARENT.search(said)
        commit = parent[1] if parent else ""


def _find_git_dir(folder: str) -> Path | None:
    """Of the repository that the folder is in; None for a relative one. Raises OSError, ValueError."""
    start = Path(folder)
    if not folder or not start.is_absolute():
        return None
    found = (_git_dir(place / ".git") for place in (start, *start.parents)[:_FOLDERS_MOST])
    return next((one for one in found if one is not None), None)


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
