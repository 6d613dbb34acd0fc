"""What the frame of the window shows of the engine: one read, one value. Runs on the read worker."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.api import Engine
    from app.values import Contradiction, Memory
    from app.values.admin import Health, Stats
    from app.values.judge import JudgeState
    from app.values.recall import MemoryCounts


@dataclass(frozen=True, slots=True)
class ShellState:
    """Light, badges, undo labels and the look the person chose."""

    health: "Health"
    stats: "Stats"
    undo_label: str
    redo_label: str
    theme: str
    font_percent: int
    is_motion_reduced: bool
    is_first_start_done: bool
    connected_count: int
    memories: "MemoryCounts"
    contradiction_count: int  # open ones, those that ask the same counted once
    given_today_tokens: int = 0
    given_today_count: int = 0  # contexts
    judge: "JudgeState | None" = None
    is_asking: bool = False  # whether somebody may read along
    closing: str = "ask"
    is_notifying: bool = True
    starts_with_computer: bool = False
    searches: tuple[tuple[int, str], ...] = ()  # number and name of the saved ones

    @property
    def reading(self) -> str:
        """The state of reading along, "done" where nothing waits to be read, "" while it is not known."""
        if self.judge is None:
            return ""
        is_done = self.judge.state == "idle" and not self.judge.unread_count
        return "done" if is_done else self.judge.state.value

    @property
    def needs_person_count(self) -> int:
        return count_needs(self.stats, self.memories.to_review, self.health.aside_count, is_asking=self.is_asking)


def count_needs(stats: "Stats", review_count: int, aside_count: int, *, is_asking: bool = False) -> int:
    """How many things wait for the person: one number for the rail and the screen.

    Waiting memories are one thing, and so is all that was set aside, and the question who may read along; of the open
    questions those that are asked today.
    """
    asked = stats.question_count + (1 if aside_count else 0) + is_asking
    return asked + stats.event_failed_count + (1 if review_count else 0)


def read_newest_question(engine: "Engine") -> "Contradiction | None":
    """The newest open contradiction, or None."""
    found = [one for group in engine.contradictions.groups() for one in (group.first, *group.alike)]
    return max(found, key=lambda one: (one.detected_at, one.id), default=None)


def read_memories(engine: "Engine", ids: tuple[int, ...]) -> "dict[int, Memory | None]":
    """The memories with these numbers; None for those that no longer exist."""
    from app.errors import NotFoundError

    found: dict[int, Memory | None] = {}
    for number in ids:
        try:
            found[number] = engine.memories.get(number).memory
        except NotFoundError:
            found[number] = None
    return found


def read_shell_state(engine: "Engine") -> ShellState:
    """Everything the frame shows, in one go."""
    settings = engine.settings.current
    given_today_tokens, given_today_count = engine.context.given_today()
    return ShellState(
        health=engine.stats.health(),
        stats=engine.stats.now(),
        undo_label=engine.journal.undo_label(),
        redo_label=engine.journal.redo_label(),
        theme=settings.theme,
        font_percent=settings.font_percent,
        is_motion_reduced=settings.is_motion_reduced,
        is_first_start_done=settings.first_start_done,
        connected_count=sum(not app.is_revoked for app in engine.apps.list()),
        memories=engine.memories.counts(),
        contradiction_count=engine.contradictions.count_questions(),
        given_today_tokens=given_today_tokens,
        given_today_count=given_today_count,
        judge=engine.judge.state(),
        closing=settings.closing,
        is_notifying=settings.is_notifying,
        starts_with_computer=settings.starts_with_computer,
        is_asking=engine.judge.question() is not None,
        searches=tuple((one.id, one.name) for one in engine.saved_searches.list()),
    )
