"""Invented contexts for pictures and for trying the window: told to three assistants, one of them with too small a budget.

They are assembled by `engine.context`, as hooks and MCP have it. Nothing is written past the engine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.values import ContextRequest, ContextSignals

if TYPE_CHECKING:
    from app.api import Engine

_ROOT = "/home/demo/src"


@dataclass(frozen=True, slots=True)
class _Told:
    app: str
    project: str
    session: str
    prompt: str
    file: str = ""
    error: str = ""
    budget_tokens: int = 2_000
    is_asked: bool = False  # by the assistant itself: that fills its budget, a prompt is told only what it is about


_TOLD: tuple[_Told, ...] = (
    _Told("cursor", "lantern", "l1", ""),
    _Told("claude-code", "lantern", "l2", "Build a filter panel for the orders page, all by keyboard",
          "src/orders/FilterPanel.tsx"),
    _Told("codex", "orchard", "o1", "Why does the migration of shipments fail on production?",
          "db/migrations/0042_shipments.sql", 'psycopg.errors.UndefinedTable: relation "deliveries" does not exist', 320,
          is_asked=True),
    _Told("codex", "orchard", "o1", "Write the dump of the same day before the migration", budget_tokens=400),
    _Told("claude-code", "orchard", "o2",
          "Refactor the webhook handler: retries stop after five attempts, then the dead letter table of PostgreSQL",
          "api/webhook.py", budget_tokens=400),
)  # fmt: skip


def fill_with_contexts(engine: "Engine") -> int:
    """How many contexts were handed out."""
    count = 0
    for one in _TOLD:
        signals = ContextSignals(
            project_path=f"{_ROOT}/{one.project}",
            app=one.app,
            session=f"demo-{one.session}",
            prompt=one.prompt,
            current_file=one.file,
            recent_errors=(one.error,) if one.error else (),
        )
        delivery = "mcp" if one.is_asked else "hook:prompt" if one.prompt else "hook:start"
        told = engine.context.assemble(ContextRequest(signals, budget_tokens=one.budget_tokens, delivery=delivery))
        count += not told.is_empty
    return count
