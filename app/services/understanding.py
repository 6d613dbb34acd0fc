"""From an inbox row to a message that is understood: stream → boundary → entities → references → intents.

One event at a time, in order, inside the caller's transaction. Deciders judge, this loads and saves. A failing
event is the worker's business. Source: DESIGN section 5 "capture", S1 conversation lifecycle, S2 window.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from app.conversation.boundary import detect_boundary
from app.conversation.entities import extract_entities
from app.conversation.expansion import expand_text
from app.conversation.intents import classify_intents
from app.conversation.references import resolve_references
from app.conversation.sessions import hold_session
from app.conversation.summary import make_title
from app.services.judges import Judges, Rules
from app.services.queue import Queue, derive_conversation
from app.services.rows import AnyRow, factors_to_json, intents_to_json, mention_record, prior_of, reference_record
from app.services.streams import StreamIds, Streams
from app.services.talks import Talk, Talks
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.tables import ConversationRow, MentionRow, MessageRow, ReferenceRow, StreamRow, ToolUseRow
from app.values import (
    BoundaryDecision,
    BoundaryInput,
    Entity,
    EventKind,
    EventState,
    Intent,
    IntentScore,
    Reference,
    Speaker,
)

_RESUMABLE = timedelta(days=14)  # a new session asks about nothing older than this
_OTHER_SESSION_IDLE = timedelta(minutes=10)  # a conversation alive in another terminal is not taken away from it


@dataclass(frozen=True, slots=True)
class Understood:
    """What became of one event."""

    state: EventState
    note: str = ""
    message_id: int | None = None
    conversation_id: int | None = None
    boundary: BoundaryDecision | None = None
    references: tuple[Reference, ...] = ()
    intents: tuple[IntentScore, ...] = ()
    expanded_text: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a message against one history."""

    entities: tuple[Entity, ...]
    references: tuple[Reference, ...]
    expanded: str
    intents: tuple[IntentScore, ...]


class Understanding:
    def __init__(self, judges: Judges, queue: Queue, streams: Streams, talks: Talks) -> None:
        self._judges = judges
        self._queue = queue
        self._streams = streams
        self._talks = talks

    def understand(self, write: Write, event: AnyRow, settings: Settings) -> Understood:
        """Takes one pending event in. The write carries all its changes."""
        payload: dict[str, Any] = event.payload or {}
        ids = self._streams.ensure_stream(write, event, payload)
        match EventKind(event.kind):
            case EventKind.PROMPT:
                return self._prompt(write, event, ids, settings)
            case EventKind.TOOL:
                return self._tool(write, event, ids, payload)
            case EventKind.SESSION_END:
                return self._session_end(write, event, ids, payload)
            case EventKind.ANSWER:
                self._talks.note_answer(
                    ids.stream_id, str(payload.get("text", "")), event.at, self._judges.rules.entities
                )
                return self._answer(write, event, ids, payload)
            case EventKind.SESSION_START | EventKind.COMPACTION | EventKind.SIGNAL:
                return Understood(EventState.DONE)

    # prompts ---------------------------------------------------------------------------------------

    def _prompt(self, write: Write, event: AnyRow, ids: StreamIds, settings: Settings) -> Understood:
        rules = self._judges.rules
        text = str(event.payload["text"])
        talk, is_first = self._talk_of(write, ids, event.at)
        entities = extract_entities(text, rules.entities)
        reading = self._read(write, text, entities, talk, rules, event.at, settings)
        decision = self._decide(text, event, reading, talk, rules, settings, is_first=is_first)
        is_new = talk is None or (decision.leaning if decision.is_new is None else decision.is_new)
        if is_new and talk is not None:
            reading = self._read(write, text, entities, None, rules, event.at, settings)
        if is_new or talk is None:
            conversation_id = self._queue.start(
                write, stream_id=ids.stream_id, at=event.at, settings=settings, is_imported=event.is_imported
            )
        else:
            conversation_id = talk.conversation_id
            self._take_up(write, conversation_id, ids.stream_id)
        message_id = self._save(write, event, ids, conversation_id, reading, decision, talk, is_new=is_new)
        write.conversation_id, write.message_id = conversation_id, message_id
        write.label = f"Captured “{_preview(text)}”"
        return Understood(
            EventState.DONE,
            message_id=message_id,
            conversation_id=conversation_id,
            boundary=decision,
            references=reading.references,
            intents=reading.intents,
            expanded_text=reading.expanded,
        )

    def _talk_of(self, write: Write, ids: StreamIds, at: datetime) -> tuple[Talk | None, bool]:
        """The conversation that this stream would continue, and whether a new session begins."""
        conversation = table_of(ConversationRow)
        stream = table_of(StreamRow)
        own = write.connection.execute(
            select(conversation)
            .where(conversation.c.stream_id == ids.stream_id, conversation.c.state != "evicted")
            .order_by(conversation.c.queue_key.desc())
            .limit(1)
        ).one_or_none()
        if own is not None:
            return self._talks.talk(write.connection, own), False
        earlier = write.connection.execute(
            select(conversation)
            .join(stream, stream.c.id == conversation.c.stream_id)
            .where(
                stream.c.app_id == ids.app_id,
                stream.c.project_id == ids.project_id,
                conversation.c.state != "evicted",
                conversation.c.last_message_at > at - _RESUMABLE,
                conversation.c.last_message_at < at,
            )
            .order_by(conversation.c.last_message_at.desc())
            .limit(1)
        ).one_or_none()
        if earlier is None:
            return None, True
        if earlier.state == "active" and at - earlier.last_message_at < _OTHER_SESSION_IDLE:
            return None, True
        return self._talks.talk(write.connection, earlier), True

    def _read(
        self,
        write: Write,
        text: str,
        entities: tuple[Entity, ...],
        talk: Talk | None,
        rules: Rules,
        at: datetime,
        settings: Settings,
    ) -> _Reading:
        history = () if talk is None else talk.window(settings.window_messages)
        references = resolve_references(
            text,
            entities,
            history,
            rules.references,
            conversations=self._talks.mentions(write.connection, text),
            now=at,
        )
        expanded = expand_text(text, references)
        intents = classify_intents(text, history, rules.intents, rules.intent_model, expanded_text=expanded)
        return _Reading(entities, references, expanded, intents)

    @staticmethod
    def _decide(
        text: str,
        event: AnyRow,
        reading: _Reading,
        talk: Talk | None,
        rules: Rules,
        settings: Settings,
        *,
        is_first: bool,
    ) -> BoundaryDecision:
        if talk is None or not talk.messages:
            return BoundaryDecision(is_new=True, confidence=1.0, reason="first message of a session", leaning=True)
        given = BoundaryInput(
            text=text,
            at=event.at,
            entities=reading.entities,
            references=reading.references,
            intents=tuple(score.intent for score in reading.intents),
            history=tuple(talk.messages),
            is_first_of_session=is_first,
            is_session_ended=talk.is_session_ended,
            outcome=talk.outcome,
        )
        feedback = rules.feedback if settings.is_learning_from_corrections else ()
        decision = hold_session(given, detect_boundary(given, rules.boundary, feedback), rules.sessions)
        if event.is_imported and decision.is_new is None:
            return replace(decision, is_new=decision.leaning)  # nobody wants to be asked about last month
        return decision

    def _take_up(self, write: Write, conversation_id: int, stream_id: int) -> None:
        row = write.get(ConversationRow, conversation_id)
        if row.state != "active" or row.stream_id != stream_id:
            write.update(
                ConversationRow, conversation_id, {"state": "active", "stream_id": stream_id, "ended_at": None}
            )

    def _save(
        self,
        write: Write,
        event: AnyRow,
        ids: StreamIds,
        conversation_id: int,
        reading: _Reading,
        decision: BoundaryDecision,
        talk: Talk | None,
        *,
        is_new: bool,
    ) -> int:
        text = str(event.payload["text"])
        other = talk.conversation_id if talk is not None else None
        message_id = write.insert(
            MessageRow,
            {
                "conversation_id": conversation_id,
                "stream_id": ids.stream_id,
                "event_id": event.id,
                "at": event.at,
                "speaker": Speaker.USER.value,
                "text": text,
                "expanded_text": reading.expanded if reading.expanded != text else None,
                "intents": intents_to_json(reading.intents),
                "is_intent_corrected": False,
                "is_start": is_new,
                "boundary_state": "asked" if decision.is_new is None else "decided",
                "boundary_confidence": decision.confidence,
                "boundary_reason": decision.reason,
                "boundary_factors": factors_to_json(decision.factors),
                "continue_conversation_id": other if decision.is_new is None else None,
                "redaction_count": int(event.payload.get("redaction_count", 0)),
                "is_imported": event.is_imported,
                "is_out_of_window": False,
            },
        )
        self.save_reading(write, message_id, reading.entities, reading.references)
        prior = prior_of(
            {
                "id": message_id, "at": event.at, "text": text, "conversation_id": conversation_id,
                "speaker": Speaker.USER.value, "intents": intents_to_json(reading.intents),
            },
            reading.entities,
            [(0, reference) for reference in reading.references],
        )  # fmt: skip
        messages = self._talks.append(write.connection, conversation_id, prior)
        title = make_title(text, reading.entities, reading.intents, reading.expanded) if is_new else ""
        derive_conversation(write, conversation_id, messages, title=title)
        write.touched_conversations.discard(conversation_id)
        return message_id

    def save_reading(
        self, write: Write, message_id: int, entities: tuple[Entity, ...], references: tuple[Reference, ...]
    ) -> None:
        """Keeps mentions and references of a message."""
        entity_ids = [self._talks.entity_id(write, entity) for entity in entities]
        write.insert_many(
            MentionRow,
            [mention_record(message_id, entity_id, one) for entity_id, one in zip(entity_ids, entities, strict=True)],
        )
        write.insert_many(ReferenceRow, [reference_record(message_id, one) for one in references])

    def read_again(self, write: Write, message_id: int, settings: Settings) -> None:
        """Reads a message anew against its conversation as it is now (after a person moved or answered)."""
        row = write.get(MessageRow, message_id)
        conversation = write.get(ConversationRow, row.conversation_id)
        talk = self._talks.talk(write.connection, conversation, before_id=message_id)
        rules = self._judges.rules
        entities = extract_entities(row.text, rules.entities)
        reading = self._read(write, row.text, entities, talk if talk.messages else None, rules, row.at, settings)
        for kept in (MentionRow, ReferenceRow):
            table = table_of(kept)
            found = write.connection.execute(select(table.c.id).where(table.c.message_id == message_id)).scalars().all()
            write.delete_many(kept, found)
        self.save_reading(write, message_id, reading.entities, reading.references)
        values: dict[str, Any] = {"expanded_text": reading.expanded if reading.expanded != row.text else None}
        if not row.is_intent_corrected:
            values["intents"] = intents_to_json(reading.intents)
        write.update(MessageRow, message_id, values)
        write.touched_conversations.add(row.conversation_id)

    # everything else ---------------------------------------------------------------------------------

    def _tool(self, write: Write, event: AnyRow, ids: StreamIds, payload: dict[str, Any]) -> Understood:
        tools = payload.get("tools") or []
        conversation_id = self._current(write, ids)
        if not tools or conversation_id is None:
            return Understood(EventState.IGNORED, "no file changed, no command run, or no conversation yet")
        for tool, file, command, exit_status, is_error in tools:
            write.insert(
                ToolUseRow,
                {
                    "conversation_id": conversation_id, "at": event.at, "tool": tool, "file": file,
                    "command": command, "exit_status": exit_status, "is_error": is_error,
                },
            )  # fmt: skip
        first = tools[0]
        write.label = f"{first[0]}: {first[1] or _preview(first[2])}"
        write.conversation_id = conversation_id
        derive_conversation(write, conversation_id, self._talks.messages(write.connection, conversation_id))
        write.touched_conversations.discard(conversation_id)
        return Understood(EventState.DONE, conversation_id=conversation_id)

    def _session_end(self, write: Write, event: AnyRow, ids: StreamIds, payload: dict[str, Any]) -> Understood:
        conversation_id = self._current(write, ids)
        write.update(StreamRow, ids.stream_id, {"ended_at": event.at})
        if conversation_id is None:
            return Understood(EventState.DONE)
        if payload.get("reason") == "clear":
            self._queue.end(write, conversation_id, at=event.at)
            write.label = "Session cleared"
        else:
            self._queue.pause(write, conversation_id)
            write.label = "Session ended"
        write.conversation_id = conversation_id
        self._talks.forget_talk(conversation_id)
        return Understood(EventState.DONE, conversation_id=conversation_id)

    def _answer(self, write: Write, event: AnyRow, ids: StreamIds, payload: dict[str, Any]) -> Understood:
        """The other side is read in passing; its text is kept only where the person switched that on."""
        conversation_id = self._current(write, ids)
        text = str(payload.get("text", "")).strip()
        if conversation_id is None or not text or not self._talks.keeps_answers(write.connection, ids.app_id):
            return Understood(EventState.DONE)
        write.insert(
            MessageRow,
            {
                "conversation_id": conversation_id, "stream_id": ids.stream_id, "event_id": event.id, "at": event.at,
                "speaker": Speaker.ASSISTANT.value, "text": text, "expanded_text": None,
                "intents": intents_to_json((IntentScore(Intent.INFORM, 1.0, "an answer of the assistant"),)),
                "is_intent_corrected": False, "is_start": False, "boundary_state": "decided", "boundary_confidence": 1.0,
                "boundary_reason": "an answer belongs to what it answers", "boundary_factors": [],
                "continue_conversation_id": None, "redaction_count": int(payload.get("redaction_count", 0)),
                "is_imported": event.is_imported, "is_out_of_window": True,
            },
        )  # fmt: skip
        write.touched_conversations.add(conversation_id)
        return Understood(EventState.DONE, conversation_id=conversation_id)

    @staticmethod
    def _current(write: Write, ids: StreamIds) -> int | None:
        table = table_of(ConversationRow)
        found = write.connection.execute(
            select(table.c.id)
            .where(table.c.stream_id == ids.stream_id, table.c.state.in_(("active", "paused")))
            .order_by(table.c.queue_key.desc())
            .limit(1)
        ).scalar()
        return None if found is None else int(found)


def _preview(text: str, limit: int = 60) -> str:
    line = " ".join(text[:400].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
