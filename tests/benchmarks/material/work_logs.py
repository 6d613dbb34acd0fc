"""Real histories for measuring prediction: commits as pieces of work, oldest first. Reads, writes nothing.

From a git repository, or from a log that packages ship as their change log (`/usr/share/doc/*/changelog.gz`): what
`git log --stat` printed, or a GNU ChangeLog. Merges are left out.
"""

import gzip
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from app.deciders.recall.context.work_history import Work, find_task_words

_COMMIT = re.compile(r"^commit (?=[0-9a-f]{40})", re.MULTILINE)
_STAT = re.compile(r"^ (\S.*?) +\| +(?:\d|Bin)")
_MOVED = re.compile(r"\{.*? => (.*?)\}")
_GNU_DAY = re.compile(r"^(?=\d{4}-\d\d-\d\d  \S)", re.MULTILINE)
_GNU_FILES = re.compile(r"^\s+\* ([\w/.+-]+(?:, [\w/.+-]+)*)(?= ?[(:\[<])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    files: frozenset[str]
    said: str  # its first line


def read_history(path: Path) -> list[Work]:
    """The pieces of work of a repository or a log, oldest first."""
    return [Work(commit.files, find_task_words(commit.said)) for commit in read_commits(path)]


def read_commits(path: Path) -> list[Commit]:
    """The same with the words as they were written."""
    if path.is_dir():
        return _read_repository(path)
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    log = text.decode(errors="replace")
    return _read_stat(log) if _COMMIT.search(log) else _read_gnu(log)


def _read_repository(repository: Path) -> list[Commit]:
    command = ["git", "-C", str(repository), "log", "--no-merges", "--reverse", "--name-only", "--pretty=format:%x01%s"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, errors="replace")
    parts = ([line for line in part.splitlines() if line] for part in done.stdout.split("\x01"))
    return [Commit(frozenset(lines[1:]), lines[0]) for lines in parts if len(lines) > 1]


def _read_stat(log: str) -> list[Commit]:
    found = []
    for part in reversed(_COMMIT.split(log)[1:]):
        lines = part.splitlines()
        paths = [match[1] for match in map(_STAT.match, lines) if match]
        if paths and not any(line.startswith("Merge:") for line in lines):
            said = next((line.strip() for line in lines if line.startswith("    ") and line.strip()), "")
            found.append(([_new_name(path) for path in paths], said))
    whole: defaultdict[str, set[str]] = defaultdict(set)  # long paths are cut: "…/rest"
    for path in {path for paths, _ in found for path in paths if not path.startswith("...")}:
        pieces = path.split("/")
        for at in range(len(pieces)):
            whole["/".join(pieces[at:])].add(path)
    return [Commit(frozenset(_make_whole(path, whole) for path in paths), said) for paths, said in found]


def _new_name(path: str) -> str:
    return _MOVED.sub(r"\1", path).rsplit(" => ", 1)[-1].replace("//", "/").strip()


def _make_whole(path: str, whole: dict[str, set[str]]) -> str:
    if not path.startswith("..."):
        return path
    meant = whole.get(path[3:].lstrip("/"), set())
    return next(iter(meant)) if len(meant) == 1 else path


def _read_gnu(log: str) -> list[Commit]:
    found = []
    for day in reversed(_GNU_DAY.split(log)[1:]):
        for entry in reversed(re.split(r"\n\s*\n", day.partition("\n")[2])):
            files = {path for group in _GNU_FILES.findall(entry) for path in group.split(", ") if path.strip("/.")}
            lines = [line.strip() for line in entry.splitlines() if line.strip()]
            if files:
                found.append(Commit(frozenset(files), "" if lines[0].startswith("*") else lines[0]))
    return found
