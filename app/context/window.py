"""A whole context window for a session: its recent messages, what is remembered, summaries of what was said before.

Loads and counts; the division is `app.deciders.recall.context.window`'s. Source: S3 "Context Building Process".
"""

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Connection

from app.capture.streams import find_project_root
from app.context.assembly import Assembler
from app.deciders.recall.context.render import neutralise
from app.deciders.recall.context.window import Counted, Reserves, WindowTexts, plan_window, window_shares
from app.language.token_counts import count_tokens
from app.settings import Settings
from app.store.rows.project import find_project
from app.store.rows.work_history import find_current, load_recent_texts
from app.store.store import Store
from app.values import ContextSignals, WindowPlan, WindowRequest

_MESSAGE_TOKENS = 6  # who says it, and the space between two


class WindowPlanner:
    """Thread-safe."""

    def __init__(self, store: Store, assembler: Assembler, settings: Callable[[], Settings]) -> None:
        self._store = store
        self._assembler = assembler
        self._settings = settings

    def plan(self, request: WindowRequest, prompt: str) -> WindowPlan:
        """The plan for the session of the request, else for the newest conversation of its project; `prompt`: as it was typed, whole."""
        settings, moment = self._settings(), request.context
        total = settings.window_tokens if request.total_tokens is None else request.total_tokens
        reserves = Reserves(settings.window_system_tokens, settings.window_working_tokens)
        signals = replace(moment.signals, project_path=find_project_root(moment.signals.project_path))
        system = _counted(request.system_prompt)
        shares = window_shares(total, reserves, system_tokens=system.token_count)
        wanted = replace(moment, signals=signals, budget_tokens=max(1, shares.memories), delivery="window")
        context = self._assembler.assemble(wanted)
        with self._store.read() as connection:
            messages, chunks = _load(connection, signals, settings.window_turns)
        texts = WindowTexts(
            system=system,
            active=tuple(_counted(text) for text in (*_active(signals), *request.active)),
            prompt=_counted(prompt),
            messages=messages,
            memories=(Counted(context.text, context.token_count),) if context.text else (),
            chunks=chunks,
        )
        retrieved = [one.memory_id for one in context.items if one.memory_id is not None]
        return plan_window(total, texts, reserves=reserves, memory_ids=retrieved, memory_warnings=context.warnings)


def _active(signals: ContextSignals) -> list[str]:
    """The open file and the errors just seen, as they stand in a window: data, not orders."""
    file = [f"Open file: {neutralise(signals.current_file)}"] if signals.current_file else []
    return [*file, *(f"Last error: {neutralise(one)}" for one in signals.recent_errors)]


def _load(connection: Connection, signals: ContextSignals, most: int) -> tuple[list[Counted], list[Counted]]:
    """Messages that no chunk sums up, at most so many, and the chunks, both oldest first; none for somebody who is nowhere."""
    if not signals.project_path and not signals.session:
        return [], []
    project_id = find_project(connection, signals.project_path) if signals.project_path else None
    if signals.project_path and project_id is None:
        return [], []
    conversation_id = find_current(connection, signals.session, project_id)
    if conversation_id is None:
        return [], []
    messages, chunks = load_recent_texts(connection, conversation_id, most)
    return [_counted(f"{who}: {text}") for who, text in messages], [_counted(neutralise(one)) for one, _ in chunks]


def _counted(text: str) -> Counted:
    return Counted(text, count_tokens(text) + _MESSAGE_TOKENS) if text else Counted("", 0)
