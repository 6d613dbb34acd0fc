"""The model that reads along, on demand: what is unread is queued, or only shown.

Knows neither HTTP nor Qt. Source: JUDGE "On demand".
"""

from datetime import datetime

from app.api.clean_arguments import takes_any_text
from app.api.core import Core
from app.values.desk import JudgePlan


@takes_any_text
class Judge:
    """Thread-safe; reading itself goes on in the background."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def read(self, *, project: str = "", since: datetime | None = None) -> int:
        """Queues all unread prompts, those of active conversations too; returns how many requests wait. Raises InvalidError."""
        return self._core.judge_worker.demand(project=project, since=since)

    def read_references(self, conversation_id: int) -> int:
        """Queues the question what the words of a conversation point at; returns how many requests wait. Raises InvalidError."""
        return self._core.judge_worker.demand_references(conversation_id)

    def plan(self, *, project: str = "", since: datetime | None = None) -> JudgePlan:
        """What `read` would send now, word for word."""
        return self._core.judge_worker.plan(project=project, since=since, shows_requests=True)
