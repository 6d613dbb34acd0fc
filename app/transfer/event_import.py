"""Takes one event of an assistant's history into the store: each prompt once, understood, kept or put aside as failed.

What an import needs of the engine, in one place; its course is `import_run`. Source: issue "Import", QUALITY P10.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from app.capture.inbox import Inbox, seen_again
from app.capture.priority import PriorityGates
from app.capture.streams import Streams
from app.errors import EnvironmentProblem
from app.settings import Settings
from app.store.journal import Record, Write
from app.store.rows.conversation import active_of_session
from app.store.store import Store
from app.store.tables.core import EventRow
from app.transfer.archived_history import ArchivedHistoryImporter, ImportCounts
from app.understanding.conversations.queue import Queue
from app.understanding.conversations.recent_messages import ConversationCache
from app.understanding.message_analyzer import MessageAnalysis
from app.understanding.message_rows import TakenEvent
from app.understanding.pipeline import MessagePipeline
from app.values import CaptureRequest, EventKind, EventState

_log = logging.getLogger(__name__)
_LONG_CHARS = 2_000  # judging so many takes longer than an acknowledgement may wait
_SAVE_S = 0.03  # so long the write lock is held when nobody waits for it
_STILL_OPEN = timedelta(minutes=30)  # a session this fresh may still be going on


@dataclass(frozen=True, slots=True)
class ReadyEvent:
    """An event as far as it could be made ready without writing."""

    request: CaptureRequest
    row: Record
    analysis: MessageAnalysis | None
    seq: int  # of the store that it was judged by


class Importer:
    """`ready` an event outside the write lock, `keep` it inside; one import at a time holds `one_at_a_time`."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        understanding: MessagePipeline,
        streams: Streams,
        conversations: ConversationCache,
        queue: Queue,
        gates: PriorityGates,
        earlier: ArchivedHistoryImporter,
    ) -> None:
        self.store = store
        self.queue = queue
        self.gates = gates
        self.earlier = earlier
        self.one_at_a_time = threading.Lock()
        self.is_leaving = False  # the engine is about to be closed
        self._saved_seq = 0
        self._inbox = inbox
        self._understanding = understanding
        self._streams = streams
        self._conversations = conversations

    def ready(self, request: CaptureRequest, settings: Settings, yield_to_foreground: Callable[[], None]) -> ReadyEvent:
        """The event as it may be kept. Raises InvalidError when it is too large.

        A long prompt is judged here, while others may write; short ones in `keep`, many in one transaction.
        """
        row = self._inbox.row_of(request, settings)
        seq = self.store.last_seq
        if request.kind is not EventKind.PROMPT:
            return ReadyEvent(request, row, None, seq)
        with self.store.read() as connection:
            app_id = self._streams.find_app(request.app)
            analysis = None
            if app_id is not None and is_long(request) and row["state"] == EventState.PENDING.value:
                event = _taken(row, event_id=0, app_id=app_id)
                analysis = self._analyze(connection, event, settings, yield_to_foreground)
        return ReadyEvent(request, row, analysis, seq)

    def _analyze(
        self, connection: Connection, event: TakenEvent, settings: Settings, yield_to_foreground: Callable[[], None]
    ) -> MessageAnalysis | None:
        try:
            return self._understanding.analyze(connection, event, settings, yield_to_foreground)
        except (EnvironmentProblem, DatabaseError):
            raise
        except Exception:  # noqa: BLE001 (`keep` will trip over the same, and there the event is put aside)
            return None

    def keep_some(self, write: Write, waiting: deque[ReadyEvent], settings: Settings, tally: ImportCounts) -> bool:
        """Saves the first of those that wait, until the time is up or somebody else does; says whether a conversation began."""
        if self.store.last_seq != self._saved_seq:
            self._conversations.forget()
        until_s, has_begun = time.monotonic() + _SAVE_S, False
        while waiting:
            has_begun |= self._keep(write, waiting.popleft(), settings, tally)
            if self.gates.capture.is_busy or self.gates.understanding.is_busy or time.monotonic() > until_s:
                break
        return has_begun

    def note_saved(self, write: Write) -> None:
        """That this write was ours: what it taught is remembered rightly."""
        self._saved_seq = write.seq or self._saved_seq

    def _keep(self, write: Write, ready: ReadyEvent, settings: Settings, tally: ImportCounts) -> bool:
        """Saves an event that is ready; says whether it began a conversation."""
        app_id = self._streams.ensure_app(write, ready.request.app)
        row = ready.row | {"id": write.ids.take("event"), "app_id": app_id}
        row.pop("app")
        seen = self._inbox.find_seen(write.connection, ready.request, row)
        if seen is not None:  # kept, so that the next line with these words is known to tell of another prompt
            write.insert(EventRow, row | seen_again(seen))
            tally.duplicates += 1
            return False
        if row["state"] != EventState.PENDING.value:
            write.insert(EventRow, row)
            tally.skipped += row["kind"] == EventKind.PROMPT.value
            return False
        analysis = ready.analysis if ready.seq == self.store.last_seq else None
        event = _taken(ready.row, event_id=row["id"], app_id=app_id)
        mark, touched = write.mark(), frozenset(write.touched_conversations)
        try:
            with self.store.database.part(write.connection):
                result = self._understanding.understand(write, event, settings, analysis)
        except (EnvironmentProblem, DatabaseError):
            raise
        except Exception as error:  # noqa: BLE001 (whatever a decider trips over: the event is kept and shown)
            write.rewind(mark)
            write.touched_conversations |= touched  # what was derived of them in between is taken back, too
            self._put_aside(write, row, error, tally)
            return False
        done = {"state": result.state.value, "error": result.note, "payload": None, "message_id": result.message_id}
        write.insert(EventRow, row | done)
        if result.message_id is not None and result.conversation_id is not None:
            tally.messages += 1
            tally.conversations.add(result.conversation_id)
        return result.boundary is not None and result.boundary.is_new is not False

    def _put_aside(self, write: Write, row: Record, error: Exception, tally: ImportCounts) -> None:
        self.forget()
        _log.error("an imported event was not understood", exc_info=error)
        error_text = f"{type(error).__name__}: {error}"[:500]
        write.insert(EventRow, row | {"state": EventState.FAILED.value, "error": error_text, "attempt_count": 1})
        tally.fail("was not understood; it waits in the inbox")

    def close_session(self, write: Write, session: str, settings: Settings) -> None:
        """A session that was read to its end is over: its conversation pauses, unless it is fresh."""
        self._understanding.settle(write)
        for row in active_of_session(write.connection, session):
            if row.last_message_at < write.at - _STILL_OPEN:
                self.queue.pause(write, row.id)
        self._understanding.settle(write)
        self.queue.make_room(write, settings)

    def is_excluded(self, request: CaptureRequest) -> bool:
        """Whether a rule of the person's keeps it out; counted there."""
        return bool(self._inbox.excluded.leave_out([request]))

    def known_keys_of(self, connection: Connection, requests: Sequence[CaptureRequest]) -> set[tuple[str, str]]:
        """Which of these were taken in before, by app and key; also those whose prompt was captured live."""
        asked: dict[str, dict[str, str]] = {}
        for request in requests:
            keys = asked.setdefault(request.app, {})
            keys[self._inbox.clean_id(request.key)] = request.key
            if request.payload.get("prompt_id"):  # the assistant's own number, which its hook was told too
                keys[f"{request.session}:prompt:{request.payload['prompt_id']}"] = request.key
            if use := request.payload.get("tool_use_id"):  # as earlier versions named it
                keys |= {f"{request.session}:tool:{use}": request.key, f"{request.app}:tool:{use}": request.key}
        return {
            (app, keys[found])
            for app, keys in asked.items()
            for found in self._inbox.known_keys(connection, app, list(keys))
        }

    def live_sessions(self, connection: Connection, requests: Sequence[CaptureRequest]) -> set[str]:
        return self._inbox.live_sessions(
            connection,
            {
                self._inbox.clean_id(session)
                for one in requests
                for session in (one.session, str(one.payload.get("forked_from", "")))
                if session
            },
        )

    def forget(self) -> None:
        self._streams.forget()
        self._conversations.forget()


def is_long(request: CaptureRequest) -> bool:
    """Whether judging it would hold others up."""
    return len(request.text) > _LONG_CHARS


def _taken(row: dict[str, Any], *, event_id: int, app_id: int) -> TakenEvent:
    fields = {name: row[name] for name in ("kind", "session", "at", "payload", "is_imported")}
    return replace(TakenEvent(id=event_id, app_id=app_id, **fields), payload=row["payload"] or {})
