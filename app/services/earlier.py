"""What an import keeps of conversations that are too old for the queue: a line under "Earlier", and that they were read.

Their messages would leave in the transaction that brings them in, so they are not written: each conversation gets
title, topics, files, dates and count, each prompt its key, so that twice is once. Sessions and long pauses part
conversations here. Used only while nobody learns from those that leave. Source: QUALITY P10, S1 "FIFO".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from app.conversation.entities import extract_entities
from app.conversation.intents import classify_intents
from app.conversation.summary import make_title
from app.errors import InvalidError
from app.interop.tools import tool_outcomes
from app.services.derive import Known, derived_columns
from app.services.inbox import Inbox, check_size, clean_id
from app.services.judges import Judges
from app.services.queue import new_conversation
from app.services.rows import TakenEvent
from app.services.streams import Streams
from app.settings import Settings
from app.store.journal import Record, Write
from app.store.tables import ConversationRow, EventRow
from app.store.types import to_microseconds
from app.values import CaptureRequest, ConversationState, EventKind, EventState, Intent, PriorMessage, ToolOutcome

_PAUSE = timedelta(hours=8)  # after so long another thing is talked about
_PROMPTS_READ = 3  # of one conversation: what it is called and about
_FILES_SEEN = 100


@dataclass(slots=True)
class _Past:
    """One conversation while its prompts pass by."""

    conversation_id: int
    stream_id: int
    session: str
    started_at: datetime
    last_at: datetime
    title: str = ""
    known: Known = field(default_factory=Known)
    is_saved: bool = False

    def record(self) -> Record:
        """Its derived columns."""
        values = derived_columns(self.known, is_ended=True) | {"last_message_at": self.last_at}
        values["auto_title"] = self.title
        return values


@dataclass(slots=True)
class Tally:
    """What an import has done so far."""

    messages: int = 0
    duplicates: int = 0
    skipped: int = 0
    failed: int = 0
    conversations: set[int] = field(default_factory=set)
    reasons: dict[str, int] = field(default_factory=dict)

    def note(self, reason: str) -> None:
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def fail(self, reason: str) -> None:
        self.failed += 1
        self.note(reason)


class Earlier:
    """`take` some requests of one import in order, then `forget` when it is over."""

    def __init__(self, inbox: Inbox, judges: Judges, streams: Streams) -> None:
        self._inbox = inbox
        self._judges = judges
        self._streams = streams
        self._past: _Past | None = None
        self._places: dict[tuple[str, str, str], dict[str, Any]] = {}

    def forget(self) -> None:
        self._past = None
        self._places.clear()

    def take(self, write: Write, requests: Sequence[CaptureRequest], settings: Settings, tally: Tally) -> None:
        """Keeps what is kept of these; those that are known already were left out before."""
        if not requests:
            return
        app_id = self._streams.ensure_app(write, requests[0].app)
        live = self._inbox.live_sessions(write.connection, app_id, {clean_id(one.session) for one in requests})
        events: list[Record] = []
        touched: dict[int, _Past] = {}
        for request in requests:
            try:
                past = self._one(write, app_id, request, settings, tally, events, is_live=request.session in live)
            except InvalidError as error:
                tally.fail(str(error))
                continue
            if past is not None:
                touched[past.conversation_id] = past
        self._save(write, list(touched.values()))
        write.insert_many(EventRow, events)

    def _one(
        self,
        write: Write,
        app_id: int,
        request: CaptureRequest,
        settings: Settings,
        tally: Tally,
        events: list[Record],
        *,
        is_live: bool,
    ) -> _Past | None:
        if request.kind is EventKind.TOOL:
            return self._tool(request, settings)
        if request.kind is EventKind.SESSION_END:
            self._past = None
        if request.kind is not EventKind.PROMPT or not request.text.strip():
            return None
        if is_live and self._inbox.prepare(write, request, settings)[1] is not None:
            tally.duplicates += 1
            return None
        check_size(request.text, settings)
        at = min(request.at or write.at, write.at)
        past = self._past_of(write, app_id, request, at, settings)
        self._add(past, request, at, settings)
        events.append(_event_record(app_id, request, at, write.at))
        tally.messages += 1
        tally.conversations.add(past.conversation_id)
        return past

    def _past_of(self, write: Write, app_id: int, request: CaptureRequest, at: datetime, settings: Settings) -> _Past:
        past = self._past
        if past is not None and past.session == request.session and at - past.last_at < _PAUSE:
            return past
        event = TakenEvent(0, app_id, request.kind.value, clean_id(request.session), at, {}, is_imported=True)
        ids = self._streams.ensure_stream(write, event, self._place_of(request, settings))
        self._past = _Past(write.ids.take("conversation"), ids.stream_id, request.session, at, at)
        return self._past

    def _place_of(self, request: CaptureRequest, settings: Settings) -> dict[str, Any]:
        where = (request.cwd, request.project_root, request.git_branch)
        if where not in self._places:
            self._places[where] = self._inbox.text_to_keep(request, settings)[1]
        return self._places[where]

    def _add(self, past: _Past, request: CaptureRequest, at: datetime, settings: Settings) -> None:
        past.last_at = max(past.last_at, at)
        if past.known.message_count >= _PROMPTS_READ:
            past.known.message_count += 1
            return
        rules = self._judges.rules
        text, _ = self._inbox.text_to_keep(request, settings)
        entities = extract_entities(text, rules.entities)
        intents: tuple[Intent, ...] = ()
        if not past.title:
            scores = classify_intents(text, (), rules.intents, rules.intent_model, expanded_text=text)
            past.title = make_title(text, entities, scores, text)
            intents = tuple(score.intent for score in scores)
        past.known.add(PriorMessage(0, at, text, entities=entities, intents=intents))

    def _tool(self, request: CaptureRequest, settings: Settings) -> _Past | None:
        past = self._past
        if past is None or past.session != request.session:
            return None
        for one in tool_outcomes(request.payload):
            if one.file and one.file not in past.known.tools.files and len(past.known.tools.files) < _FILES_SEEN:
                file = self._inbox.clean_short(one.file, settings)
                past.known.tools.note(ToolOutcome(one.tool, file, "", one.exit_status, is_error=one.is_error))
        return past

    @staticmethod
    def _save(write: Write, pasts: Sequence[_Past]) -> None:
        new = [past for past in pasts if not past.is_saved]
        write.insert_many(ConversationRow, [_new_record(past) for past in new])
        for past in pasts:
            if past.is_saved:
                write.unjournalled(ConversationRow, past.conversation_id, past.record())
            past.is_saved = True
            write.touched_conversations.discard(past.conversation_id)


def _new_record(past: _Past) -> Record:
    derived = past.record()
    values = new_conversation(past.stream_id, past.started_at, to_microseconds(past.started_at)) | derived
    return values | {
        "id": past.conversation_id,
        "state": ConversationState.EVICTED.value,
        "title": past.title,
        "outcome": derived["auto_outcome"],
    }


def _event_record(app_id: int, request: CaptureRequest, at: datetime, now: datetime) -> Record:
    return {
        "app_id": app_id, "key": clean_id(request.key), "kind": request.kind.value, "state": EventState.DONE.value,
        "session": clean_id(request.session), "text_hash": "", "at": at, "received_at": now, "payload": None, "error": "",
        "attempt_count": 0, "message_id": None, "is_imported": True,
    }  # fmt: skip
