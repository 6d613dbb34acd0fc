"""Whether an edit or a command shows that a rule was followed: it names a program, or a folder, that the rule asks for.

Precision first: what everybody runs proves nothing by its name alone, what the person asked for in the same breath neither, and a
name that the rule turns down is none that it asks for. Pure: knows no store. Source: issue 16 point 11, S4 "Usage Tracker".
"""

import re
import shlex
from collections.abc import Iterator, Sequence

_PART = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNED = re.compile(r"^[A-Za-z_]\w*=")
_WORD = re.compile(r"[A-Za-z0-9_@./:+-]*[A-Za-z0-9_]")
_CLAUSE_END = re.compile(r"[.;,:!?()\n]\s|[.;,!?]$|\n|\b(?:but|and|then)\b")
_DOWN = re.compile(  # what stands after it is turned down
    r"\b(?:not|never|no|without|instead of|rather than|avoid|stop|over|don['’]?t|do not|must ?n['’]?t|away from|drop|forbid|ban)\b", re.IGNORECASE
)  # fmt: skip
_ASKED = re.compile(
    r"\b(?:use|uses|using|run|runs|running|with|via|through|prefers?|always|only|call|need|needs|pass|add)\b|`", re.IGNORECASE
)  # fmt: skip
_PLACED = re.compile(
    r"\b(?:go|goes|live|lives|belong|belongs|put|keep|kept|place|placed|write|in|into|under|inside)\b", re.IGNORECASE
)
_EVERYBODYS = frozenset({
    "git", "cd", "ls", "cat", "echo", "grep", "rg", "rm", "cp", "mv", "mkdir", "touch", "sed", "awk", "find", "head", "tail", "python", "python3",
    "node", "bash", "sh", "curl", "wget", "sudo", "env", "source", "export", "chmod", "which", "test", "time", "xargs", "sort", "wc", "kill", "ps",
    "docker", "npm", "make", "set", "true", "sleep", "tee", "tar", "open", "code", "pip", "go", "cargo"
})  # fmt: skip
_BEFORE = frozenset({"sudo", "time", "env", "exec", "nohup", "command"})
_NEAR_WORDS = 6  # so many before a name may ask for it or turn it down


def follows_command(rule: str, command: str, asked: str = "") -> bool:
    """Whether `command` runs what `rule` asks for; `asked`: what the person typed, whose own words prove nothing.

    >>> follows_command("Use pnpm, never npm.", "pnpm install --frozen-lockfile")
    True
    >>> follows_command("Use pnpm, never npm.", "npm install"), follows_command("Use git.", "git status")
    (False, False)
    >>> follows_command("Run `python -m pytest -q` before each commit.", "cd api && python -m pytest -q tests")
    True
    """
    said = asked.lower()
    for words in _programs(command):
        for length in range(min(4, len(words)), 0, -1):
            if length == 1 and words[0] in _EVERYBODYS:
                continue
            name = " ".join(words[:length])
            if len(name) > 1 and name.lower() not in said and _is_asked_for(rule, name, _ASKED):
                return True
    return False


def follows_edit(rule: str, file: str, asked: str = "") -> bool:
    """Whether the edited `file` lies where `rule` puts such files.

    >>> follows_edit("Migrations go into db/migrations.", "/w/shop/db/migrations/0007_rooms.sql")
    True
    >>> follows_edit("Never edit db/migrations by hand.", "/w/shop/db/migrations/0007_rooms.sql")
    False
    """
    path = "/" + file.replace("\\", "/").strip("/")
    return any(
        f"/{folder}/" in path and folder.lower() not in asked.lower() and _is_asked_for(rule, folder, _PLACED)
        for folder in {one.strip("/.") for one in _WORD.findall(rule) if "/" in one.strip("/.")}
    )


def _programs(command: str) -> Iterator[Sequence[str]]:
    """The words of each program that a command line runs, its name first, without what is set before it."""
    for part in _PART.split(command):
        try:
            words = shlex.split(part)
        except ValueError:
            words = part.split()
        while words and (_ASSIGNED.match(words[0]) or words[0] in _BEFORE):
            words = words[1:]
        if words:
            yield words


def _is_asked_for(rule: str, name: str, asks: re.Pattern[str]) -> bool:
    """Whether the rule names it with a word that asks for it before, and none that turns it down."""
    found = False
    for one in re.finditer(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", rule, re.IGNORECASE):
        before = _CLAUSE_END.split(rule[: one.start()])[-1]
        near = " ".join(before.split()[-_NEAR_WORDS:])
        if _DOWN.search(near):
            return False
        found = found or asks.search(f"{near}{rule[one.start() - 1 : one.start()]}") is not None
    return found
