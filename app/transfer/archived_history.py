"""What an import keeps of conversations that are too old for the queue: a line under "Earlier", and that they were read.

Their messages would leave in the transaction that brings them in, so they are not written: each conversation gets
title, topics, files, dates and count, each prompt its key, so that twice is once. Sessions and long pauses part
conversations here. What they state is learned all the same, with the quote that said it. Used only while nothing else is
learned from conversations that leave. Source: QUALITY P10, S1 "FIFO".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.capture.inbox import Inbox, check_size, seen_again
from app.capture.streams import StreamIds, Streams
from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.title_choice import choose_title
from app.interop.tool_calls import tool_outcomes
from app.memories.learn import Learner, SourceMessage
from app.settings import Settings
from app.store.journal import Record, Write
from app.store.store import Store
from app.store.tables.core import ConversationRow, EventRow
from app.store.tables.types import to_microseconds
from app.understanding.conversations.derived import KnownConversation, derived_columns
from app.understanding.conversations.queue import new_conversation
from app.understanding.message_analyzer import find_entities, read_intents
from app.understanding.message_rows import AnyRow, TakenEvent
from app.understanding.rule_sets import RuleSets
from app.values import (
    CaptureRequest,
    ConversationState,
    EventKind,
    EventState,
    FactCandidate,
    Intent,
    PriorMessage,
    ToolOutcome,
)
from app.values.repeated_prompts import WORDS_GONE

_PAUSE = timedelta(hours=8)  # after so long another thing is talked about
_PROMPTS_READ = 2  # of one conversation: what it is called and about
_FILES_SEEN = 100
_READ_KEPT, _READ_CHARS = 4_096, 400  # short prompts and what they said, mostly nothing: "go on", "use pnpm for that"
_Statements = tuple[str, tuple[FactCandidate, ...]]  # the text as it may be kept, and what it states


@dataclass(slots=True)
class _ArchivedConversation:
    """One conversation while its prompts pass by."""

    request: CaptureRequest  # that it began with
    session: str  # of all its requests, as it may be kept
    started_at: datetime
    last_at: datetime
    conversation_id: int = 0  # none before it is saved
    title: str = ""
    known: KnownConversation = field(default_factory=KnownConversation)
    files: set[str] = field(default_factory=set)
    statements: list[tuple[datetime, str, tuple[FactCandidate, ...]]] = field(default_factory=list)
    prompts: list[tuple[datetime, str]] = field(default_factory=list)  # for the archive, as they may be kept

    def record(self) -> Record:
        """Its derived columns."""
        values = derived_columns(self.known, is_ended=True) | {"last_message_at": self.last_at}
        values["auto_title"] = self.title
        return values


@dataclass(slots=True)
class ImportCounts:
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


KeepPast = Callable[[Write, Sequence[tuple[int, int, datetime, str]]], None]


def _keep_nothing(_write: Write, _prompts: Sequence[tuple[int, int, datetime, str]]) -> None:
    return None


class ArchivedHistoryImporter:
    """`take` requests of one import in order, `save` now and then, `forget` when it is over."""

    def __init__(self, store: Store, inbox: Inbox, rule_sets: RuleSets, streams: Streams, learner: Learner) -> None:
        self._learner = learner
        self._store = store
        self._inbox = inbox
        self._rule_sets = rule_sets
        self._streams = streams
        self.archive: KeepPast = _keep_nothing  # given by whoever has a prompt archive
        self._past: _ArchivedConversation | None = None
        self._touched: dict[int, _ArchivedConversation] = {}
        self._events: list[tuple[str, Record]] = []
        self._places: dict[tuple[str, str, str], dict[str, str]] = {}
        self._read: dict[str, _Statements] = {}  # by the prompt as it was typed
        self._taken: set[int] = set()  # events that lines of this import were found to tell of

    def forget(self) -> None:
        self._past = None
        self._read.clear()
        self._taken.clear()
        self._touched, self._events = {}, []
        self._places.clear()

    @property
    def waiting_count(self) -> int:
        return len(self._events) or len(self._touched)

    def take(self, request: CaptureRequest, settings: Settings, tally: ImportCounts, *, is_live: bool) -> None:
        """Reads one event without writing; nobody may have told it before. Raises InvalidError when it is too large."""
        match request.kind:
            case EventKind.TOOL:
                self._tool(request, settings)
            case EventKind.SESSION_END:
                self._past = None
            case EventKind.PROMPT if request.text.strip():
                self._prompt(request, settings, tally, is_live=is_live)

    def _prompt(self, request: CaptureRequest, settings: Settings, tally: ImportCounts, *, is_live: bool) -> None:
        check_size(request.text, settings)
        now = self._store.clock.now()
        if is_live and (again := self._seen_again(request, settings)) is not None:
            self._events.append((request.app, again))
            tally.duplicates += 1
            return
        at = min(request.at or now, now)
        past = self._past
        if past is None or past.request.session != request.session or at - past.last_at >= _PAUSE:
            past = self._past = _ArchivedConversation(request, self._inbox.clean_id(request.session), at, at)
        self._add(past, request, at, settings)
        self._read_statements(past, request, at, settings)
        if settings.archive != "off":
            past.prompts.append((at, self._inbox.prompt_to_keep(request, settings)))
        self._touched[id(past)] = past
        self._events.append((request.app, self._event_record(past, request, at, now)))

    def _event_record(
        self, past: _ArchivedConversation, request: CaptureRequest, at: datetime, now: datetime
    ) -> Record:
        return {
            "key": self._inbox.clean_id(request.key), "kind": request.kind.value, "state": EventState.DONE.value,
            "session": past.session, "text_hash": WORDS_GONE, "at": at, "received_at": now, "payload": None, "error": "",
            "attempt_count": 0, "message_id": None, "is_imported": True,
        }  # fmt: skip

    def _seen_again(self, request: CaptureRequest, settings: Settings) -> Record | None:
        """The row of a line that tells of a prompt which a hook has seen; None when none has."""
        row = self._inbox.row_of(request, settings)
        with self._store.read() as connection:
            seen = self._inbox.find_seen(connection, request, row, taken=self._taken)
        if seen is None:
            return None
        self._taken.add(seen.same_as or seen.event_id)
        row.pop("app")
        return row | seen_again(seen)

    def save(self, write: Write, tally: ImportCounts, settings: Settings) -> None:
        """Writes all that was taken since the last time."""
        if not self._touched and not self._events:
            return
        pasts = list(self._touched.values())
        new: list[Record] = []
        for past in pasts:
            if past.conversation_id:
                _bring_up(write, past)
            else:
                past.conversation_id = write.ids.take("conversation")
                new.append(_new_record(past, self._ids_of(write, past, settings).stream_id))
                tally.conversations.add(past.conversation_id)
        write.insert_many(ConversationRow, new)
        own_rules = self._learner.own_rules(write) if any(past.statements for past in pasts) else ()
        for past in pasts:
            if past.statements:
                self._learn(write, past, self._ids_of(write, past, settings), own_rules)
            if past.prompts:
                stream_id = self._ids_of(write, past, settings).stream_id
                self.archive(write, [(past.conversation_id, stream_id, at, text) for at, text in past.prompts])
                past.prompts.clear()
            write.touched_conversations.discard(past.conversation_id)
        records = [one | {"app_id": self._streams.ensure_app(write, app)} for app, one in self._events]
        write.insert_many(EventRow, records)
        tally.messages += sum(record["state"] == EventState.DONE.value for record in records)
        self._events, self._touched = [], {}

    def _ids_of(self, write: Write, past: _ArchivedConversation, settings: Settings) -> StreamIds:
        request = past.request
        app_id = self._streams.ensure_app(write, request.app)
        event = TakenEvent(0, app_id, request.kind.value, past.session, past.started_at, {}, is_imported=True)
        return self._streams.ensure_stream(write, event, self._place_of(request, settings))

    def _place_of(self, request: CaptureRequest, settings: Settings) -> dict[str, str]:
        where = (request.cwd, request.project_root, request.git_branch)
        if where not in self._places:
            self._places[where] = self._inbox.place_to_keep(request, settings)
        return self._places[where]

    def _add(self, past: _ArchivedConversation, request: CaptureRequest, at: datetime, settings: Settings) -> None:
        past.last_at = max(past.last_at, at)
        if past.known.message_count >= _PROMPTS_READ:
            past.known.message_count += 1
            return
        rules = self._rule_sets.rules
        text = self._inbox.prompt_to_keep(request, settings)
        entities = find_entities(text, rules)
        intents: tuple[Intent, ...] = ()
        if not past.title:
            scores = read_intents(text, text, (), rules)
            intents = tuple(score.intent for score in scores)
        past.known.add(PriorMessage(0, at, own_words(text), entities=entities, intents=intents))
        own = [one.text for one in past.known.messages]
        past.title = choose_title(own, rules=rules.titles) or choose_title([text], rules=rules.titles)

    def _read_statements(
        self, past: _ArchivedConversation, request: CaptureRequest, at: datetime, settings: Settings
    ) -> None:
        """People say "go on" a hundred times (in one labelled history a fifth of the prompts repeat another word for word, in a second hardly any): once is enough."""
        known = self._read.get(request.text)
        if known is None:
            known = self._read_closely(request, settings)
            if len(self._read) < _READ_KEPT and len(request.text) <= _READ_CHARS:
                self._read[request.text] = known
        text, found = known
        if found:
            past.statements.append((at, text, found))

    def _read_closely(self, request: CaptureRequest, settings: Settings) -> _Statements:
        """Most prompts state nothing: only of those that do the secrets are taken out and the words read with all they name."""
        if not self._learner.read_alone(request.text):
            return "", ()
        text = self._inbox.prompt_to_keep(request, settings)
        return text, self._learner.read_alone(text, find_entities(text, self._rule_sets.rules))

    def _learn(self, write: Write, past: _ArchivedConversation, ids: StreamIds, own_rules: Sequence[AnyRow]) -> None:
        for at, text, found in past.statements:
            source = SourceMessage(
                text=text,
                at=at,
                app_id=ids.app_id,
                project_id=ids.project_id,
                conversation_id=past.conversation_id,
                is_imported=True,
                where=(past.title, past.request.app),
            )
            self._learner.learn(write, source, found, own_rules)
        past.statements.clear()

    def _tool(self, request: CaptureRequest, settings: Settings) -> None:
        past = self._past
        if past is None or past.request.session != request.session or len(past.files) >= _FILES_SEEN:
            return
        for one in tool_outcomes(request.payload):
            if one.file and one.file not in past.files:
                past.files.add(one.file)
                file = self._inbox.clean_short(one.file, settings)
                past.known.tools.note(ToolOutcome(one.tool, file, "", one.exit_status, is_error=one.is_error))
                self._touched[id(past)] = past


def _bring_up(write: Write, past: _ArchivedConversation) -> None:
    """What came since its first half was saved counts too: where a batch ends is chance."""
    row, values = write.get(ConversationRow, past.conversation_id), past.record()
    if not row.is_outcome_edited:
        values["outcome"] = values["auto_outcome"]
    if not row.is_title_edited:
        values["title"] = past.title
    write.update(ConversationRow, past.conversation_id, values, was=row)


def _new_record(past: _ArchivedConversation, stream_id: int) -> Record:
    derived = past.record()
    values = new_conversation(stream_id, past.started_at, to_microseconds(past.started_at)) | derived
    return values | {
        "id": past.conversation_id,
        "state": ConversationState.EVICTED.value,
        "title": past.title,
        "outcome": derived["auto_outcome"],
    }
