"""What an assistant's model wrote in passing about its work, reduced to short values: the text it was in is dropped.

Owns the kinds and how they are written into an event's payload. Knows neither payloads of assistants nor the store. Source: DESIGN
section 5 "distil".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class DistilledKind(StrEnum):
    TITLE = "title"  # of the session
    NAME = "name"  # of the session, typed by the person
    DONE = "done"  # of a summary: what was done
    NEXT = "next"  # of a summary: what is left
    PLAN = "plan"  # that was accepted
    TODOS = "todos"  # a whole list begins
    TODO = "todo"  # `detail`: pending, in_progress or completed
    TODO_STATE = "todo_state"  # `text`: the number in the list, from 1
    COMMIT = "commit"  # `detail`: its hash, as far as the tool printed it
    PULL_REQUEST = "pull_request"  # `detail`: "#12"
    RULE_LINE = "rule_line"  # written into a rule file; `detail`: the file's name
    REMEMBERED = "remembered"  # by the assistant's own memory; `detail`: where, and its type there


@dataclass(frozen=True, slots=True)
class Distilled:
    """One such value."""

    kind: DistilledKind
    text: str
    detail: str = ""

    def to_json(self) -> list[str]:
        return [self.kind.value, self.text, self.detail]


def distilled_from_json(items: object) -> tuple[Distilled, ...]:
    """What a payload holds; what is none of ours is left out.

    >>> distilled_from_json([["title", "Export as CSV", ""], ["poem", "x", ""], 3])
    (Distilled(kind=<DistilledKind.TITLE: 'title'>, text='Export as CSV', detail=''),)
    """
    return tuple(_read(items)) if isinstance(items, list | tuple) else ()


def _read(items: Iterable[object]) -> Iterable[Distilled]:
    kinds = frozenset(DistilledKind)
    for item in items:
        if isinstance(item, list | tuple) and len(item) == 3 and all(isinstance(part, str) for part in item):
            kind, text, detail = item
            if kind in kinds:
                yield Distilled(DistilledKind(kind), text, detail)
