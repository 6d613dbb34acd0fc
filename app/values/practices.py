"""Workflows and code patterns as they leave the engine: a memory of either kind with its parts. Source: S4 "Code Patterns", "Workflows"."""

from dataclasses import dataclass

from app.values.memory import MemoryKind


@dataclass(frozen=True, slots=True)
class PracticePart:
    """A step with its command, or a part of a template with its shape."""

    name: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Practice:
    """A workflow or a code pattern. `times`: how often it was seen, 0 for one that was written by hand."""

    id: int  # of its memory
    kind: MemoryKind
    title: str
    trigger: str
    hint: str  # the line of a few tokens
    parts: tuple[PracticePart, ...]
    times: int = 0
    succeeded: int = 0  # of these times; 0 for a pattern
    share: float = 0.0  # of the times that its last step was done, it was done so
    examples: tuple[str, ...] = ()  # of a pattern: path:line
    project: str = ""
    is_on: bool = True  # given to assistants
    is_edited: bool = False

    @property
    def success_ratio(self) -> float:
        """0..1; 0 where nothing was counted."""
        return self.succeeded / self.times if self.times else 0.0
