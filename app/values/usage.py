"""What became of what was given: the prompts, answers, edits and commands that took it up. Source: S4 "Usage Tracker"."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ActionKind(StrEnum):
    """What took up a memory that was given [S4]."""

    PROMPT = "prompt"
    ANSWER = "answer"
    EDIT = "edit"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Citation:
    """One thing that was said or done and took up a memory of a receipt."""

    memory_id: int
    receipt_id: int
    at: datetime
    kind: ActionKind
    detail: str = ""  # the file or the command; "" for what was said
    is_followed: bool = False  # it shows a rule as followed
    app: str = ""


@dataclass(frozen=True, slots=True)
class UsedMemory:
    """A memory that was of use: the newest thing that an assistant did with it, and the context that it came in."""

    title: str
    citation: Citation
    prompt: str = ""  # that it was given with; "" at a session start
    project: str = ""
