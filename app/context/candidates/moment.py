"""The moment that a context is for: who asks, for which project, with what signals, and the snapshot it is read from.

What follows from it for every source is decided here once: whether somebody asked, or a hook passed a prompt on, and whether
what nobody confirmed may be given. Source: DESIGN section 5 "assemble", QUALITY S7.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from app.context.recent_failures import RecentFailures
from app.store.tables.types import to_microseconds
from app.values import ContextRequest, ContextSignals

ONLY_A_PROMPT = "hook:prompt"  # the session's start has given what holds in the whole project
_UNASKED = ("hook:", "turn")  # nobody asked: only what fits is given
_ERRORS_RETRIEVED = 3


class Moment(NamedTuple):
    """What is asked, for which project, when, and the snapshot it is answered from."""

    connection: Connection
    signals: ContextSignals
    request: ContextRequest
    project_id: int | None
    at: datetime
    failures: RecentFailures
    is_first_prompt: bool
    excluded: frozenset[int]  # projects
    given_before: AbstractSet[int] = frozenset()  # in this session, before one of its first prompts

    @property
    def errors(self) -> Sequence[str]:
        """Those that were given; of a hook, which gives none, those of what failed last."""
        given = self.signals.recent_errors[:_ERRORS_RETRIEVED]
        return given or (() if self.is_asked_for else self.failures.errors)

    @property
    def now(self) -> int:
        """Microseconds."""
        return to_microseconds(self.at)

    @property
    def is_asked_for(self) -> bool:
        return not self.request.delivery.startswith(_UNASKED)

    @property
    def has_task(self) -> bool:
        """Whether whoever asks says what for."""
        signals = self.signals
        return self.is_asked_for and bool(signals.prompt.strip() or signals.current_file or self.errors)

    @property
    def takes_unconfirmed(self) -> bool:
        """Whoever asks, and the prompts that a session begins with; never the start itself (S7)."""
        return self.is_asked_for or self.is_first_prompt

    @property
    def is_only_a_prompt(self) -> bool:
        return self.request.delivery == ONLY_A_PROMPT
