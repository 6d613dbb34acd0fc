"""One line for each file that was changed: of the commit that followed, else of the end of the answer that names it; and which files are
records of a decision.

And whether a message goes on with another conversation or only mentions it. Pure. Source: S1 "Each Conversation Contains"
(files_modified, cross_references), S4 "Episode artifacts".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from app.deciders.conversation.episode import read_answer_end
from app.resources import load_rules

LINE_CHARS = 160
_HEAD_CHARS = 200
_ADR_PATH = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision-records|architecture-decisions)/(?P<name>[^/]+)\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_ADR_FILE = re.compile(r"(?:^|/)(?P<name>adr[-_ ]?\d{1,5}[^/]*)\.(?:md|rst|adoc|txt)\Z", re.IGNORECASE)
_NOT_A_RECORD = frozenset({"readme", "index", "template", "0000-template", "adr-template"})


@dataclass(frozen=True, slots=True)
class ToolStep:
    """What tools did in order: files that were edited, then perhaps a commit; `answer`: the end of the turn's answer."""

    edited: Sequence[str] = ()
    commit: str = ""
    answer: str = ""


def describe_file_changes(steps: Sequence[ToolStep]) -> dict[str, tuple[str, bool]]:
    """By file its line and whether a commit says it; the last change of a file counts, in order of the first.

    >>> describe_file_changes([ToolStep(edited=["a.py"]), ToolStep(edited=["b.py"], commit="Round prices"), ToolStep(edited=["c.py"], answer="I've added c.py. Done.")])
    {'a.py': ('Round prices', True), 'b.py': ('Round prices', True), 'c.py': ("I've added c.py.", False)}
    """
    found: dict[str, tuple[str, bool]] = {}
    waiting: dict[str, None] = {}
    for step in steps:
        for file in step.edited:
            found[file] = (_from_answer(step, file), False)
            waiting[file] = None
        if step.commit:
            found |= dict.fromkeys(waiting, (_cut(step.commit), True))
            waiting = {}
    return found


def is_continuing(text: str) -> bool:
    """Whether a message goes on with what it refers to.

    >>> is_continuing("let's continue with the FAB button"), is_continuing("make it blue like the FAB button")
    (True, False)
    """
    return _continuing().search(text[:_HEAD_CHARS]) is not None


def _from_answer(step: ToolStep, file: str) -> str:
    """A sentence about what was done that names the file; any, where it is the only file of the turn."""
    done = read_answer_end(step.answer).done if step.answer else ()
    name = file.rpartition("/")[2]
    named = next((one for one in done if name in one), "")
    alone = done[0] if done and len(set(step.edited)) == 1 else ""
    return _cut(named or alone)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1].rstrip()}…"


@cache
def _continuing() -> re.Pattern[str]:
    listed = sorted(map(str, load_rules("episodes")["continuing"]), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, listed))})(?![\w-])", re.IGNORECASE)


def adr_of(path: str) -> str:
    """The path of a decision record; "" where it is another file.

    >>> adr_of("docs/adr/0012-use-sessions.md"), adr_of("docs/decisions/README.md"), adr_of("src/a.py")
    ('docs/adr/0012-use-sessions.md', '', '')
    """
    match = _ADR_PATH.search(path) or _ADR_FILE.search(path)
    return path if match is not None and match["name"].lower() not in _NOT_A_RECORD else ""
