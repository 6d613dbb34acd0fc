"""What the frame of the window shows of the engine: one read, one value. Runs on the read worker."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.wording.figures import counted

if TYPE_CHECKING:
    from datetime import datetime

    from app.api import Engine
    from app.values import Contradiction, Memory
    from app.values.admin import Health, Stats
    from app.values.judge import JudgeState
    from app.values.recall import MemoryCounts


@dataclass(frozen=True, slots=True)
class Need:
    """So many of one kind that wait for the person, and the screen that lists them; "" where Now alone shows them."""

    count: int
    text: str
    screen: str = ""


@dataclass(frozen=True, slots=True)
class Needs:
    """What waits for the person, each thing counted once: the same number in the rail, on Now and in the tray."""

    contradiction_count: int = 0  # those that ask the same counted once
    review_count: int = 0  # memories
    change_count: int = 0  # that consolidation proposes
    topic_count: int = 0  # questions where a topic begins
    failed_count: int = 0  # messages that could not be captured
    is_asking: bool = False  # whether somebody may read along

    @property
    def count(self) -> int:
        return sum(one.count for one in self.parts)

    @property
    def parts(self) -> tuple[Need, ...]:
        """What there is of it.

        >>> [one.text for one in Needs(contradiction_count=3, review_count=1, is_asking=True).parts]
        ['3 contradictions', '1 memory to review', '1 question about reading along']
        """
        every = (
            Need(self.failed_count, f"{counted(self.failed_count, 'message')} not captured"),
            Need(self.contradiction_count, counted(self.contradiction_count, "contradiction"), "contradictions"),
            Need(self.review_count, f"{counted(self.review_count, 'memory', 'memories')} to review", "review"),
            Need(self.change_count, f"{counted(self.change_count, 'change')} to confirm", "consolidation"),
            Need(self.topic_count, f"{counted(self.topic_count, 'question')} about a topic", "conversations"),
            Need(int(self.is_asking), "1 question about reading along"),
        )
        return tuple(one for one in every if one.count)


@dataclass(frozen=True, slots=True)
class ShellState:
    """Light, badges, undo labels and the look the person chose."""

    read_at: "datetime"
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
    needs: Needs = Needs()
    new_contradiction: "Contradiction | None" = None  # the newest of those found since the reading before
    given_today_tokens: int = 0
    given_today_count: int = 0  # contexts
    judge: "JudgeState | None" = None
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


def read_new_contradiction(engine: "Engine", since: "datetime") -> "Contradiction | None":
    """The newest open contradiction that was found since then, or None."""
    every = [one for group in engine.contradictions.groups() for one in (group.first, *group.alike)]
    return max(
        (one for one in every if one.detected_at >= since), key=lambda one: (one.detected_at, one.id), default=None
    )


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


def read_shell_state(engine: "Engine", before: ShellState | None = None) -> ShellState:
    """Everything the frame shows, in one go. `before`: the reading before, to tell what is new."""
    settings = engine.settings.current
    read_at = engine.clock.now()
    given_today_tokens, given_today_count = engine.context.given_today()
    stats, health, memories = engine.stats.now(), engine.stats.health(), engine.memories.counts()
    contradiction_count = engine.contradictions.count_questions()
    is_more = before is not None and contradiction_count > before.needs.contradiction_count
    return ShellState(
        read_at=read_at,
        health=health,
        stats=stats,
        needs=Needs(
            contradiction_count=contradiction_count,
            review_count=memories.to_review,
            change_count=engine.consolidation.waiting_count(),
            topic_count=stats.topic_question_count,
            failed_count=stats.event_failed_count + health.aside_count,
            is_asking=engine.judge.question() is not None,
        ),
        new_contradiction=read_new_contradiction(engine, before.read_at) if is_more and before is not None else None,
        undo_label=engine.journal.undo_label(),
        redo_label=engine.journal.redo_label(),
        theme=settings.theme,
        font_percent=settings.font_percent,
        is_motion_reduced=settings.is_motion_reduced,
        is_first_start_done=settings.first_start_done,
        connected_count=sum(not app.is_revoked for app in engine.apps.list()),
        memories=memories,
        given_today_tokens=given_today_tokens,
        given_today_count=given_today_count,
        judge=engine.judge.state(),
        closing=settings.closing,
        is_notifying=settings.is_notifying,
        starts_with_computer=settings.starts_with_computer,
        searches=tuple((one.id, one.name) for one in engine.saved_searches.list()),
    )
