"""From an inbox row to a message that is understood: stream → boundary → entities → references → intents.

One event at a time, in order, inside the caller's transaction. Deciders decide, this loads and saves. A failing event is the worker's
business. Source: DESIGN section 5 "capture", S1 conversation lifecycle, S2 window.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.capture.checkout import find_branch
from app.capture.streams import StreamIds, Streams, title_of_app
from app.context.usage import Act, note_act, settle_session
from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.title_choice import choose_title
from app.memories.learn import Learner, SourceMessage
from app.settings import Settings
from app.store.journal import Write
from app.store.rows.conversation import current_of_stream
from app.store.rows.judge import ANSWER_END_CHARS, keep_answer_end
from app.store.rows.message import find_without_status
from app.store.rows.rule import count_changes
from app.store.rows.work_history import keep_branch
from app.store.table_queries import ids_with
from app.store.tables.core import ConversationRow, MentionRow, MessageRow, ReferenceRow, StreamRow, ToolUseRow
from app.understanding.conversations.chunking import Chunker
from app.understanding.conversations.derived import derive_conversation
from app.understanding.conversations.queue import Queue
from app.understanding.conversations.recent_messages import ConversationCache
from app.understanding.episodes.distil import DistilledSource, note_distilled, note_questions
from app.understanding.message_analyzer import MessageAnalysis, MessageAnalyzer, MessageReading
from app.understanding.message_rows import (
    AnyEvent,
    Details,
    factors_to_json,
    intents_from_json,
    intents_to_json,
    mention_record,
    prior_of,
    reference_record,
)
from app.understanding.rule_sets import RuleSets
from app.understanding.superseding import close_superseded
from app.understanding.understood_event import UnderstoodEvent
from app.values import (
    ActionKind,
    EventKind,
    EventState,
    Intent,
    IntentScore,
    Outcome,
    Speaker,
    ToolOutcome,
    distilled_from_json,
)

_STILL_NOW = timedelta(minutes=1)  # what came later than this tells of a folder as it was
_TOOL_FIELDS = ("tool", "file", "command", "exit_status", "is_error", "error")  # as the inbox keeps them
_NAMED_FILES = 3  # of those that an assistant changed in one go
_DONE = _TOOL_FIELDS.index("exit_status")  # before it stands what was done, not what a tool said
TakeAnswer = Callable[[Write, AnyEvent, StreamIds, Settings], UnderstoodEvent | None]


def _no_answer(_write: Write, _event: AnyEvent, _ids: StreamIds, _settings: Settings) -> UnderstoodEvent | None:
    return None


class MessagePipeline:
    def __init__(
        self,
        rule_sets: RuleSets,
        analyzer: MessageAnalyzer,
        queue: Queue,
        streams: Streams,
        conversations: ConversationCache,
        *,
        chunker: Chunker,
        learner: Learner,
        clean_branch: Callable[[str], str] = str,
    ) -> None:
        self._clean_branch = clean_branch
        self._chunker = chunker
        self._learner = learner
        self._rule_sets = rule_sets
        self._analyzer = analyzer
        self._queue = queue
        self._streams = streams
        self._conversations = conversations
        self.take_answer: TakeAnswer = _no_answer  # given by whoever can act on a message

    def analyze(
        self, connection: Connection, event: AnyEvent, settings: Settings, yield_to_foreground: Callable[[], None]
    ) -> MessageAnalysis | None:
        """What `understand` will save, found out ahead and without writing; None when that cannot be."""
        if EventKind(event.kind) is not EventKind.PROMPT:
            return None
        ids = self._streams.find_stream(event, event.payload or {})
        if ids is None:
            return None
        return self._analyzer.analyze(connection, event, ids, settings, yield_to_foreground=yield_to_foreground)

    def understand(
        self, write: Write, event: AnyEvent, settings: Settings, analysis: MessageAnalysis | None = None
    ) -> UnderstoodEvent:
        """Takes one pending event in. The write carries all its changes."""
        payload: dict[str, Any] = event.payload or {}
        ids = self._streams.ensure_stream(write, event, payload)
        branch = self._branch_of(event, payload, write.at)
        if branch:
            self._streams.note_branch(write.connection, ids.stream_id, branch)
        if not event.is_imported:
            _note_use(write, event, payload)
        match EventKind(event.kind):
            case EventKind.PROMPT:
                return self._prompt_or_answer(write, event, ids, settings, (analysis, branch))
            case EventKind.TOOL:
                return self._tool(write, event, ids, payload)
            case EventKind.SESSION_END:
                return self._session_end(write, event, ids, payload)
            case EventKind.ANSWER:
                self._conversations.note_answer(
                    ids.stream_id, str(payload.get("text", "")), event.at, self._rule_sets.rules.entities
                )
                return self._answer(write, event, ids, payload, settings)
            case EventKind.COMPACTION | EventKind.SIGNAL:
                self._note_distilled(write, event, ids, payload)
                return UnderstoodEvent(EventState.DONE)
            case EventKind.SESSION_START:
                return UnderstoodEvent(EventState.DONE)

    def _first_title(self, text: str) -> str:
        """What a conversation is called that begins so: after the person's words, of a paste alone after that."""
        rules = self._rule_sets.rules.titles
        return choose_title([own_words(text)], rules=rules) or choose_title([text], rules=rules)

    def settle(self, write: Write) -> None:
        """Brings the derived columns of everything that this write has touched up to date."""
        for conversation_id in sorted(write.touched_conversations):
            derive_conversation(write, conversation_id, self._conversations.known)
        write.touched_conversations.clear()

    def _prompt_or_answer(
        self,
        write: Write,
        event: AnyEvent,
        ids: StreamIds,
        settings: Settings,
        known: tuple[MessageAnalysis | None, str | None],
    ) -> UnderstoodEvent:
        analysis, branch = known
        answered = self.take_answer(write, event, ids, settings)
        if answered is not None:
            return answered
        understood = self._prompt(write, event, ids, settings, analysis)
        if branch and understood.message_id is not None:
            keep_branch(write.connection, understood.message_id, branch)
        return understood

    # prompts ---------------------------------------------------------------------------------------

    def _prompt(
        self, write: Write, event: AnyEvent, ids: StreamIds, settings: Settings, analysis: MessageAnalysis | None
    ) -> UnderstoodEvent:
        analysis = analysis or self._analyzer.analyze(write.connection, event, ids, settings)
        if analysis.is_new or analysis.conversation is None:
            if analysis.drops_conversation and analysis.conversation is not None and analysis.decision.is_new:
                write.update(
                    ConversationRow, analysis.conversation.conversation_id, {"outcome": Outcome.ABANDONED.value}
                )
            self.settle(write)  # who leaves the queue for this one leaves with its outcome
            conversation_id = self._queue.start(
                write,
                stream_id=ids.stream_id,
                at=event.at,
                settings=settings,
                is_imported=event.is_imported,
                title=self._first_title(analysis.text),
            )
            self._conversations.begin(conversation_id)
        else:
            conversation_id = analysis.conversation.conversation_id
            if analysis.conversation.state != "active" or analysis.conversation.stream_id != ids.stream_id:
                taken_up = {"state": "active", "stream_id": ids.stream_id, "ended_at": None}
                write.update(ConversationRow, conversation_id, taken_up)
        message_id = self._save(write, event, ids, conversation_id, analysis)
        write.touched_conversations.add(conversation_id)
        write.conversation_id, write.message_id = conversation_id, message_id
        write.label = f"Captured “{_preview(analysis.text)}”"
        return UnderstoodEvent(
            EventState.DONE,
            message_id=message_id,
            conversation_id=conversation_id,
            boundary=analysis.decision,
            references=analysis.reading.references,
            intents=analysis.reading.intents,
            expanded_text=analysis.reading.expanded,
        )

    def _save(
        self, write: Write, event: AnyEvent, ids: StreamIds, conversation_id: int, analysis: MessageAnalysis
    ) -> int:
        decision, reading = analysis.decision, analysis.reading
        other = analysis.conversation.conversation_id if analysis.conversation is not None else None
        record = {
            "conversation_id": conversation_id,
            "stream_id": ids.stream_id,
            "event_id": event.id,
            "at": event.at,
            "speaker": Speaker.USER.value,
            "text": analysis.text,
            "expanded_text": reading.expanded if reading.expanded != analysis.text else None,
            "intents": intents_to_json(reading.intents),
            "is_intent_corrected": False,
            "is_start": analysis.is_new,
            "boundary_state": "asked" if decision.is_new is None else "decided",
            "boundary_confidence": decision.confidence,
            "boundary_reason": decision.reason,
            "boundary_factors": factors_to_json(decision.factors),
            "continue_conversation_id": other if decision.is_new is None else None,
            "redaction_count": int(event.payload.get("redaction_count", 0)),
            "is_imported": event.is_imported,
            "is_out_of_window": False,
        }
        known = self._conversations.known(write.connection, conversation_id)
        message_id = write.insert(MessageRow, record)
        self._save_reading(write, message_id, reading)
        count_changes(write.connection, reading.rule_ids)
        source = _source_message(ids, record, message_id)
        close_superseded(write, source, self._learner.learn(write, source, analysis.statements), self._learner)
        known.add(prior_of(record | {"id": message_id}, reading.entities, [(0, one) for one in reading.references]))
        self._chunker.grow(write, conversation_id, known.message_count)
        return message_id

    def _save_reading(self, write: Write, message_id: int, reading: MessageReading) -> None:
        """Keeps mentions and references of a message."""
        entity_ids = self._conversations.entity_ids(write, reading.entities)
        found = zip(entity_ids, reading.entities, strict=True)
        write.insert_many(MentionRow, [mention_record(message_id, entity_id, one) for entity_id, one in found])
        write.insert_many(ReferenceRow, [reference_record(message_id, one) for one in reading.references])

    def learn_again(self, write: Write, message_id: int) -> None:
        """What the message teaches, from its references as they are in the store now."""
        row = write.get(MessageRow, message_id)
        stream = write.get(StreamRow, row.stream_id)
        details = Details(write.connection, [message_id])
        reading = MessageReading(
            entities=tuple(details.entities[message_id]),
            references=tuple(reference for _, reference in details.references[message_id]),
            expanded=row.expanded_text or row.text,
            intents=intents_from_json(row.intents),
        )
        ids = StreamIds(stream.app_id, stream.project_id, stream.id)
        self._learner.learn_again(write, _source_message(ids, row._mapping, message_id), reading)

    def read_again(self, write: Write, message_id: int, settings: Settings) -> None:
        """Reads a message again against its conversation as it is now (after a person moved or answered)."""
        row = write.get(MessageRow, message_id)
        conversation = write.get(ConversationRow, row.conversation_id)
        reading = self._analyzer.read_again(write.connection, row, conversation, settings)
        for kept in (MentionRow, ReferenceRow):
            write.delete_many(kept, ids_with(write.connection, kept, message_id=message_id))
        self._save_reading(write, message_id, reading)
        values: dict[str, Any] = {"expanded_text": reading.expanded if reading.expanded != row.text else None}
        if not row.is_intent_corrected:
            values["intents"] = intents_to_json(reading.intents)
        write.update(MessageRow, message_id, values)
        self.learn_again(write, message_id)
        write.touched_conversations.add(row.conversation_id)

    # everything else ---------------------------------------------------------------------------------

    def _tool(self, write: Write, event: AnyEvent, ids: StreamIds, payload: dict[str, Any]) -> UnderstoodEvent:
        tools = payload.get("tools") or []
        noted_for = self._note_distilled(write, event, ids, payload)
        conversation_id = current_of_stream(write.connection, ids.stream_id) if tools else None
        if conversation_id is None and noted_for is not None:
            return UnderstoodEvent(EventState.DONE, conversation_id=noted_for)
        if conversation_id is None:
            return UnderstoodEvent(EventState.IGNORED, "no file changed, no command run, or no conversation yet")
        if payload.get("completes"):
            return self._complete(write, ids, tools)
        known = self._conversations.known(write.connection, conversation_id)
        uses = [{"error": "", **dict(zip(_TOOL_FIELDS, one, strict=False))} for one in tools]
        write.insert_many(ToolUseRow, [{"conversation_id": conversation_id, "at": event.at, **one} for one in uses])
        for one in uses:
            known.tools.note(ToolOutcome(**one))
        write.label = f"{title_of_app(self._streams.name_of(write.connection, ids.app_id))} {describe_tools(uses)}"
        write.conversation_id = conversation_id
        write.touched_conversations.add(conversation_id)
        return UnderstoodEvent(EventState.DONE, conversation_id=conversation_id)

    def _note_distilled(self, write: Write, event: AnyEvent, ids: StreamIds, payload: dict[str, Any]) -> int | None:
        """Keeps what the assistant's model wrote of the work; says which conversation it belongs to, if there was anything."""
        items = distilled_from_json(payload.get("distilled"))
        if not items:
            return None
        conversation_id = current_of_stream(write.connection, ids.stream_id)
        app = self._streams.name_of(write.connection, ids.app_id)
        project_id = ids.project_id if payload.get("cwd") or payload.get("project_root") else None
        where = DistilledSource(app, ids.app_id, project_id, ids.stream_id, conversation_id, event.at)
        if kept := note_distilled(write, where, items):
            write.label = f"{title_of_app(app)} noted “{_preview(kept[-1].text)}”"
        write.conversation_id = conversation_id
        return conversation_id

    def _complete(self, write: Write, ids: StreamIds, tools: Sequence[Sequence[Any]]) -> UnderstoodEvent:
        """Adds what a command came to, to the use that a hook told of without it."""
        conversation_id = None
        for one in (dict(zip(_TOOL_FIELDS, tool, strict=False)) for tool in tools):
            row = find_without_status(write.connection, ids.stream_id, one["command"], one["file"])
            if row is None or one["exit_status"] is None:
                continue
            came_to: dict[str, Any] = {
                str(name): one[name] for name in ("exit_status", "is_error", "error") if name in one
            }
            write.update(ToolUseRow, row.id, came_to)
            conversation_id = write.conversation_id = row.conversation_id
            self._conversations.forget_conversation(row.conversation_id)
            write.touched_conversations.add(row.conversation_id)
            how = f"failed with {one['exit_status']}" if one["exit_status"] else "succeeded"
            write.label = f"“{_preview(str(one['command']))}” {how}"
        if conversation_id is None:
            return UnderstoodEvent(EventState.IGNORED, "nothing waits for how it came out")
        return UnderstoodEvent(EventState.DONE, conversation_id=conversation_id)

    def _session_end(self, write: Write, event: AnyEvent, ids: StreamIds, payload: dict[str, Any]) -> UnderstoodEvent:
        conversation_id = current_of_stream(write.connection, ids.stream_id)
        write.update(StreamRow, ids.stream_id, {"ended_at": event.at})
        if conversation_id is None:
            return UnderstoodEvent(EventState.DONE)
        if payload.get("reason") == "clear":
            self._queue.end(write, conversation_id, at=event.at)
            write.label = "Session cleared"
        else:
            self._queue.pause(write, conversation_id)
            write.label = "Session ended"
        write.conversation_id = conversation_id
        self._conversations.forget_conversation(conversation_id)
        return UnderstoodEvent(EventState.DONE, conversation_id=conversation_id)

    def _answer(
        self, write: Write, event: AnyEvent, ids: StreamIds, payload: dict[str, Any], settings: Settings
    ) -> UnderstoodEvent:
        """The other side is read in passing; its end is kept for who reads along, its text only where the person wants it."""
        conversation_id = current_of_stream(write.connection, ids.stream_id)
        text = str(payload.get("text", "")).strip()
        if conversation_id is not None and text and settings.is_keeping_answer_ends:
            keep_answer_end(write.connection, conversation_id, text[-ANSWER_END_CHARS:])
            if settings.is_distilling:
                note_questions(write, conversation_id, text)
            write.touched_conversations.add(conversation_id)
        if conversation_id is None or not text or not self._conversations.keeps_answers(write.connection, ids.app_id):
            return UnderstoodEvent(EventState.DONE)
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
        self._conversations.forget_conversation(conversation_id)
        write.touched_conversations.add(conversation_id)
        return UnderstoodEvent(EventState.DONE, conversation_id=conversation_id)

    def _branch_of(self, event: AnyEvent, payload: Mapping[str, Any], now: datetime) -> str | None:
        """The branch that it happened on, "" for none; None when nobody knows: the folder tells only of now.

        Said by the host, or looked up for what begins a session or is typed: so a checkout since is seen by itself.
        """
        branch = str(payload.get("git_branch", ""))
        if branch or event.is_imported or now - event.at > _STILL_NOW:
            return branch or None
        if EventKind(event.kind) not in (EventKind.PROMPT, EventKind.SESSION_START):
            return None
        found = find_branch(str(payload.get("cwd", "")) or str(payload.get("project_root", "")))
        return self._clean_branch(found) if found else ""


def _note_use(write: Write, event: AnyEvent, payload: dict[str, Any]) -> None:
    """What the session was told and this takes up, or lets go."""
    match EventKind(event.kind):
        case EventKind.SESSION_END:
            settle_session(write.connection, event.app_id, event.session, event.at)
        case EventKind.TOOL:
            for one in payload.get("tools") or ():
                note_act(write.connection, event.app_id, event.session, _act_of(one), event.at)
        case EventKind.PROMPT | EventKind.ANSWER:
            kind = ActionKind.PROMPT if event.kind == EventKind.PROMPT else ActionKind.ANSWER
            act = Act(kind, str(payload.get("text", "")))
            note_act(write.connection, event.app_id, event.session, act, event.at)
        case EventKind.SESSION_START | EventKind.COMPACTION | EventKind.SIGNAL:
            pass


def _act_of(tool: Sequence[Any]) -> Act:
    """What a tool did, as the inbox keeps it: tool, file, command."""
    name, file, command = (str(part or "") for part in tool[:_DONE])
    text = f"{name}\n{file}\n{command}"
    return Act(ActionKind.COMMAND, text, command) if command else Act(ActionKind.EDIT, text, file)


def _source_message(ids: StreamIds, message: Mapping[Any, Any], message_id: int) -> SourceMessage:
    return SourceMessage(
        text=message["text"],
        at=message["at"],
        app_id=ids.app_id,
        project_id=ids.project_id,
        message_id=message_id,
        conversation_id=message["conversation_id"],
        is_imported=message["is_imported"],
    )


def describe_tools(uses: Sequence[Mapping[str, Any]]) -> str:
    """What an assistant did, in words: the files by name, else the command.

    >>> describe_tools([{"file": "/w/shop/api/hook.py", "command": ""}, {"file": "", "command": "pytest -q"}])
    'changed hook.py'
    >>> describe_tools([{"file": f"/w/{name}.py", "command": ""} for name in "abcd"]), describe_tools([{"command": "pytest  -q"}])
    ('changed 4 files: a.py, b.py, c.py and 1 more', 'ran “pytest -q”')
    """
    paths = dict.fromkeys(str(one.get("file") or "") for one in uses)
    names = [re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in paths if path]
    if not names:
        return f"ran “{_preview(str(uses[0].get('command') or uses[0].get('tool') or ''))}”"
    if len(names) == 1:
        return f"changed {names[0]}"
    rest = f" and {len(names) - _NAMED_FILES:,} more" if len(names) > _NAMED_FILES else ""
    return f"changed {len(names):,} files: {', '.join(names[:_NAMED_FILES])}{rest}"


def _preview(text: str, limit: int = 60) -> str:
    line = " ".join(text[:400].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
