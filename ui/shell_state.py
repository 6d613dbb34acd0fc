"""What the frame of the window shows of the engine: one read, one value. Runs on the read worker."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.values.desk import Health, Stats

if TYPE_CHECKING:
    from app.api import Engine


@dataclass(frozen=True, slots=True)
class ShellState:
    """Light, badges, undo labels and the look the person chose."""

    health: Health
    stats: Stats
    undo_label: str
    redo_label: str
    theme: str
    font_percent: int
    is_motion_reduced: bool
    is_first_start_done: bool
    connected_count: int

    @property
    def needs_person_count(self) -> int:
        return self.stats.clarification_count


def read_shell_state(engine: "Engine") -> ShellState:
    """Everything the frame shows, in one go."""
    settings = engine.settings.current
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
    )
