"""A whole context window for a session: its recent messages, what is remembered, summaries of what was said before.

Loads and counts; the division is `app.recall.context_window`'s. Source: S3 "Context Building Process".
"""

from dataclasses import replace

from sqlalchemy import Connection

from app.memory.tokens import count_tokens
from app.recall.context_window import Counted, plan_window, window_shares
from app.recall.render import neutralise
from app.services.assembling import Assembler
from app.services.context_sources import find_project
from app.services.streams import find_project_root
from app.store.context_rows import fetch
from app.store.store import Store
from app.values import ContextRequest, ContextSignals, WindowPlan

_MESSAGES_READ = 2_000
_MESSAGE_TOKENS = 6  # who says it, and the space between two
_TALK = (
    "SELECT c.id FROM conversation c JOIN stream s ON s.id = c.stream_id WHERE c.state <> 'evicted' "
    "AND (:session = '' OR s.session = :session) AND (:project IS NULL OR s.project_id = :project) "
    "ORDER BY c.queue_key DESC LIMIT 1"
)
_MESSAGES = (
    "SELECT speaker, text FROM message WHERE conversation_id = :talk AND id > :after ORDER BY id DESC LIMIT :limit"
)
_CHUNKS = "SELECT summary, token_count, last_message_id FROM chunk WHERE conversation_id = :talk ORDER BY number"


class Windowing:
    """Thread-safe."""

    def __init__(self, store: Store, assembler: Assembler) -> None:
        self._store = store
        self._assembler = assembler

    def plan(self, request: ContextRequest, total_tokens: int) -> WindowPlan:
        """The plan for the session of the request, else for the newest conversation of its project."""
        signals = replace(request.signals, project_path=find_project_root(request.signals.project_path))
        shares = window_shares(total_tokens)
        wanted = replace(request, signals=signals, budget_tokens=max(1, shares.memories), delivery="window")
        context = self._assembler.assemble(wanted)
        with self._store.read() as connection:
            messages, chunks = _load(connection, signals)
        framed = (Counted(context.text, context.token_count),) if context.text else ()
        return plan_window(
            total_tokens,
            prompt=_counted(signals.prompt),
            messages=messages,
            memories=framed,
            chunks=chunks,
            memory_warnings=context.warnings,
        )


def _load(connection: Connection, signals: ContextSignals) -> tuple[list[Counted], list[Counted]]:
    """Messages that no chunk sums up, and the chunks, both oldest first."""
    project_id = find_project(connection, signals.project_path) if signals.project_path else None
    if signals.project_path and project_id is None:
        return [], []
    found = fetch(connection, _TALK, {"session": signals.session, "project": project_id})
    if not found:
        return [], []
    chunks = fetch(connection, _CHUNKS, {"talk": found[0][0]})
    after = max((row[2] for row in chunks), default=0)
    values = {"talk": found[0][0], "after": after, "limit": _MESSAGES_READ}
    messages = [_counted(f"{row[0]}: {row[1]}") for row in reversed(fetch(connection, _MESSAGES, values))]
    return messages, [_counted(neutralise(row[0])) for row in chunks]


def _counted(text: str) -> Counted:
    return Counted(text, count_tokens(text) + _MESSAGE_TOKENS) if text else Counted("", 0)
