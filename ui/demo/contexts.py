"""Invented contexts for pictures and for trying the window: given to three assistants, one of them with too small a budget.

They are assembled by `engine.context`, as hooks and MCP have it. Nothing is written past the engine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from app.values import ContextRequest, ContextSignals
from app.values.capture import CaptureRequest
from ui.demo.when import When

if TYPE_CHECKING:
    from app.api import Engine

_ROOT = "/home/demo/src"


@dataclass(frozen=True, slots=True)
class _Given:
    when: When
    app: str
    project: str
    session: str
    prompt: str
    file: str = ""
    error: str = ""
    budget_tokens: int = 2_000
    is_asked: bool = False  # by the assistant itself: that fills its budget, a prompt is given only what it is about


_GIVEN: tuple[_Given, ...] = (
    _Given(When(3, "13:30"), "cursor", "lantern", "l1", ""),
    _Given(When(minutes_ago=36), "claude-code", "lantern", "l2", "Build a filter panel for the orders page, all by keyboard",
          "src/orders/FilterPanel.tsx"),
    _Given(When(2, "09:20"), "copilot", "orchard", "o1", "Why does the migration of shipments fail on production?",
          "db/migrations/0042_shipments.sql", 'psycopg.errors.UndefinedTable: relation "deliveries" does not exist', 320,
          is_asked=True),
    _Given(When(2, "09:31"), "copilot", "orchard", "o1", "Write the dump of the same day before the migration"),
    _Given(When(minutes_ago=7), "claude-code", "orchard", "o2",
          "Refactor the webhook handler: retries stop after five attempts, then the dead letter table of PostgreSQL",
          "api/webhook.py", budget_tokens=400),
)  # fmt: skip


def context_steps(now: datetime) -> list[tuple[datetime, "Callable[[Engine], None]"]]:
    """When each was asked for, and what asks for it."""
    return [(one.when.before(now), partial(_give, one=one)) for one in _GIVEN]


def give_at_prompt(engine: "Engine", request: CaptureRequest) -> None:
    """What an invented assistant was given with its first prompt."""
    signals = ContextSignals(
        project_path=request.project_root, app=request.app, session=request.session, prompt=request.text
    )
    engine.context.assemble(ContextRequest(signals, delivery="hook:prompt"))


def _give(engine: "Engine", one: _Given) -> None:
    signals = ContextSignals(
        project_path=f"{_ROOT}/{one.project}",
        app=one.app,
        session=f"demo-{one.session}",
        prompt=one.prompt,
        current_file=one.file,
        recent_errors=(one.error,) if one.error else (),
    )
    delivery = "mcp" if one.is_asked else "hook:prompt" if one.prompt else "hook:start"
    engine.context.assemble(ContextRequest(signals, budget_tokens=one.budget_tokens, delivery=delivery))
