"""Notes as an assistant is given them: S5's block, of its own app and of the project at hand, best first, with a receipt.

Owns which notes a moment is given and that each giving is booked. A note of another app, or of another project, is given to nobody.
Source: S5 "Context Integration".
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.capture.exclusion import Exclusions
from app.capture.streams import find_project_root, title_of_app
from app.context.receipts import PendingReceipt, Receipts
from app.deciders.memory.note_context import WHOLE_CHARS, fit_notes, render_notes
from app.deciders.recall.context.render import neutralise
from app.language.search_words import split_stems
from app.language.token_counts import count_tokens
from app.memories.draft_guess import would_steer_in
from app.settings import Settings
from app.store.rows import note as rows
from app.store.store import Store
from app.values import Activity, Context, ContextItem, ContextRequest, Level, Tier
from app.values.notes import NoteContext

_log = logging.getLogger(__name__)
PROMPT = "hook:prompt"
START = "hook:start"
NOTES_TITLE = "notes"
_HALF_LIFE = timedelta(days=30)
_CHARS_PER_TOKEN = 4
_FRAME_TOKENS = 40  # of the block beside its notes
_BEING_ANSWERED = timedelta(seconds=5)  # a prompt as new as this is the one that is answered: it was taken in first


@dataclass(frozen=True, slots=True)
class _Chosen:
    app_id: int
    title: str
    notes: tuple[Any, ...]


class NoteGiver:
    """Thread-safe."""

    def __init__(
        self, store: Store, settings: Callable[[], Settings], receipts: Receipts, excluded: Exclusions
    ) -> None:
        self._store = store
        self._settings = settings
        self._receipts = receipts
        self._excluded = excluded

    def block_for(self, request: ContextRequest) -> str:
        """What the first prompt of a session, or of a conversation that rested, is given besides memories; "" for nothing.

        It goes into the context that is given, whose receipt holds it.
        """
        settings, signals = self._settings(), request.signals
        if settings.notes_given != "start" or request.delivery != PROMPT or not (request.is_kept and signals.session):
            return ""
        now = signals.at or self._store.clock.now()
        with self._store.read() as connection:
            if not self._is_beginning(connection, signals.app, signals.session, now, settings):
                return ""
            used = rows.count_tokens_given(connection, signals.app, signals.session, START)
            room = min(settings.start_tokens - used, request.budget_tokens) - _FRAME_TOKENS
            if room <= 0:
                return ""
        with self._store.read_for_caller() as connection:
            chosen = self._choose(connection, signals.app, signals.project_path, signals.prompt, now)
        if chosen is None:
            return ""
        count = fit_notes(
            chosen.title, _dated_texts(chosen.notes), min(room * _CHARS_PER_TOKEN, request.max_chars or 10**9)
        )
        if not count:
            return ""
        self._book(chosen, chosen.notes[:count], session=signals.session)
        return render_notes(chosen.title, _dated_texts(chosen.notes[:count]))

    def give(
        self,
        app: str,
        *,
        project_path: str | None = None,
        query: str = "",
        conversation_id: int = 0,
        session: str = "",
        delivery: str = "notes:named",
        is_booked: bool = True,
    ) -> NoteContext:
        """The whole block of an app, at most 2,000 characters, for who asked for it by name. `project_path` None: of all projects."""
        now = self._store.clock.now()
        with self._store.read_for_caller() as connection:
            chosen = self._choose(connection, app, project_path, query, now)
        if chosen is None:
            return NoteContext("", ())
        count = fit_notes(chosen.title, _dated_texts(chosen.notes), WHOLE_CHARS)
        notes = chosen.notes[:count]
        text = render_notes(chosen.title, _dated_texts(notes))
        ids = tuple(int(note.id) for note in notes)
        if not is_booked or not notes:
            return NoteContext(text, ids)
        signals_path = project_path or ""
        receipt_id = self._receipts.keep(self._kept(app, signals_path, session, delivery, text, notes))
        self._book(chosen, notes, session=session, conversation_id=conversation_id)
        return NoteContext(text, ids, receipt_id)

    def _choose(
        self, connection: Connection, app: str, project_path: str | None, query: str, now: datetime
    ) -> _Chosen | None:
        """An app's notes that may be given here, best first; None where there are none."""
        found = rows.list_notes(connection, app=app)
        root = find_project_root(project_path) if project_path else ""
        kept = [
            note
            for note in found
            if (project_path is None or note.path in {root, ""})
            and not self._excluded.excludes([note.path], [note.content])
            and not would_steer_in([note.content])
        ]
        if not kept:
            return None
        wanted = set(split_stems(query))
        kept.sort(key=lambda note: (-_worth(note, wanted, now), -note.id))
        most = self._settings().notes_per_app
        return _Chosen(kept[0].app_id, kept[0].app_title or title_of_app(app), tuple(kept[:most]))

    def _is_beginning(self, connection: Connection, app: str, session: str, now: datetime, settings: Settings) -> bool:
        """Whether this prompt is the first of its session, or the first after a rest that pauses a conversation."""
        since = now - timedelta(seconds=settings.idle_pause_s)
        earlier_at = rows.find_last_prompt(connection, app, session, now - _BEING_ANSWERED)
        if earlier_at is not None and earlier_at > since:
            return False
        return not rows.was_given(connection, session, since)

    def _book(self, chosen: _Chosen, notes: Sequence[Any], *, session: str, conversation_id: int = 0) -> None:
        values = {
            "at": self._store.clock.now(), "kind": "given", "app_id": chosen.app_id, "note_count": len(notes),
            "session": session, "conversation_id": conversation_id,
        }  # fmt: skip
        with self._store.write_log() as connection:
            rows.add_log(connection, values)
        _log.info("Retrieved %d notes for app %s", len(notes), notes[0].app)

    def _kept(
        self, app: str, path: str, session: str, delivery: str, text: str, notes: Sequence[Any]
    ) -> PendingReceipt:
        from app.values import ContextSignals

        signals = ContextSignals(app=app, project_path=find_project_root(path) if path else "", session=session)
        request = ContextRequest(signals, delivery=delivery)
        return PendingReceipt(request, lambda: _context_of(text, notes), {}, frozenset(), self._store.last_seq)


def _context_of(text: str, notes: Sequence[Any]) -> Context:
    items = []
    for note in notes:
        start = text.index(_line_of(note))
        items.append(
            ContextItem(
                memory_id=None,
                tier=Tier.BACKGROUND,
                level=Level.FULL,
                text=note.content,
                token_count=count_tokens(note.content),
                score=note.importance,
                reason="a note of this app",
                signals=(),
                title=f"note {note.id}",
                start=start,
                end=start + len(_line_of(note)),
            )
        )
    tokens = count_tokens(text)
    return Context(
        text=text, token_count=tokens, budget_tokens=tokens, tiers=(), items=tuple(items), left_out=(),
        activity=Activity.GENERAL, warnings=(),
    )  # fmt: skip


def _line_of(note: Any) -> str:
    return neutralise(note.content)


def _dated_texts(notes: Sequence[Any]) -> list[tuple[datetime, str]]:
    return [(note.created_at, _line_of(note)) for note in notes]


def _worth(note: Any, wanted: set[str], now: datetime) -> float:
    """What is asked about first, then what is important and new."""
    stems = set(split_stems(note.content)) if wanted else set()
    fit = len(wanted & stems) / len(wanted) if wanted else 0.0
    age = max(0.0, (now - note.updated_at) / _HALF_LIFE)
    return float(fit + note.importance * 0.5 + 0.5 * 0.5**age)
