"""The quiet thread that writes an app's notes behind the end of its conversations, and makes eleven ten again.

A note of rules is there at once; the judge's takes its place when it comes. Whatever goes wrong costs a line in the log: the
conversation has ended before any of this begins. Owns when, the retry, what is fallen back on; what a note says and which one goes
are deciders'. Source: S5 "Memory Sub-Agent", "Error Handling".
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.capture.exclusion import Exclusions
from app.capture.priority import PriorityGate
from app.capture.streams import title_of_app
from app.deciders.conversation.authorship import condense_pastes, own_words
from app.deciders.memory import note as deciding
from app.deciders.memory.note_compaction import KeptNote, decide_compaction, oldest, read_decision
from app.deciders.memory.note_context import compact_prompt, note_prompt
from app.errors import RemanenceError
from app.judge.adapter import JudgeCancelledError, JudgeError
from app.judge.registry import find_adapter
from app.judge.tasks import CompactRequest, TextRequest
from app.judge.verification import find_unsupported
from app.memories.draft_guess import would_steer_in
from app.settings import NOTE_TOKENS_PERCENT, Settings
from app.store.journal import Record, Write
from app.store.rows import judge as judge_rows
from app.store.rows import note as rows
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.core import MessageRow, NoteRow
from app.understanding.conversations.derived import READ_BY_MODEL
from app.understanding.judge.worker import JudgeWorker
from app.upkeep.energy import Energy
from app.values import Changes, DataKind, Origin
from app.values.energy import Work
from app.values.notes import NoteDecision

_log = logging.getLogger(__name__)
CALL_TIMEOUT_S = 30.0  # S5 "Timeout"
_ROUND_S = 60.0  # what was put off is looked at so often
_SETTLE_S = 0.2  # several conversations end in a row
_UNDO_S = 20.0  # what you split or ended by hand you may take back: a model is not asked meanwhile
_AT_ONCE = 20
_KEPT_LOG = timedelta(days=90)
_DATABASE_ERRORS = (SQLAlchemyError, RemanenceError)
_PERSON = "person"
_ROUTINE_TALKS = 2  # typed word for word in that many other conversations it is a routine
_READ_AGAIN = 3


class _ChangedError(Exception):
    """What a note is made of changed between reading and writing."""


@dataclass(frozen=True, slots=True)
class _Source:
    """All that a note is made of, read in one snapshot."""

    conversation_id: int
    message_id: int
    app_id: int
    app: str
    app_title: str
    project_id: int
    turns: tuple[tuple[str, str], ...]
    parts: deciding.NoteParts
    read: tuple[tuple[object, ...], ...] = ()  # the very rows, to see whether they still stand


@dataclass(frozen=True, slots=True)
class _Made:
    """A note as it was just written. `before`: the others, when one had to make room for it; `gone`: that one."""

    note_id: int
    content: str
    before: tuple[Record, ...] = ()
    decision: NoteDecision | None = None


@dataclass(frozen=True, slots=True)
class _Unworded:
    """A note that the judge is to word. `since_s`: from when on, on the monotonic clock."""

    source: _Source
    made: _Made
    since_s: float


class NoteKeeper:
    """Thread-safe. `start` and `stop` belong to the engine."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        excluded: Exclusions,
        judge: JudgeWorker,
        energy: Energy,
        gate: PriorityGate,
    ) -> None:
        self._store = store
        self._settings = settings
        self._excluded = excluded
        self._judge = judge
        self._energy = energy
        self._gate = gate
        self._condition = threading.Condition()
        self._is_stopping = False
        self._has_changed = True
        self._is_busy = False
        self._begins_after = 0  # the message after which conversations make notes; written down by the first round
        self._unworded: deque[_Unworded] = deque(maxlen=_AT_ONCE)  # by the judge; a restart forgets it
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Only reads: a capture that is being written may have started it, and holds the one transaction."""
        with self._store.read() as connection:
            first = rows.first_message(connection)
            self._begins_after = newest_id(connection, MessageRow) if first is None else first
        self._unsubscribe = self._store.subscribe(self._on_changes)
        self._thread = threading.Thread(target=self._run, name="remanence-notes", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """After the judge was stopped: a request that runs is cancelled with it."""
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    @property
    def pending_count(self) -> int:
        """Conversations whose note is still to be made or worded."""
        with self._store.read() as connection:
            waiting = len(rows.find_due(connection, self._begins_after, _AT_ONCE)) if self._is_on else 0
        with self._condition:
            return max(waiting, int(self._is_busy or self._has_changed))

    @property
    def _is_on(self) -> bool:
        settings = self._settings()
        return settings.is_noting and settings.is_learning_memories

    def _on_changes(self, changes: Changes) -> None:
        if {DataKind.CONVERSATIONS, DataKind.SETTINGS} & changes.kinds:
            with self._condition:
                self._has_changed = True
                self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_stopping or self._has_changed, timeout=self._rest_s())
                if not self._is_stopping:
                    self._condition.wait_for(lambda: self._is_stopping, timeout=_SETTLE_S)
                if self._is_stopping:
                    return
                self._has_changed, self._is_busy = False, True
            try:
                self._round()
            except Exception as error:  # noqa: BLE001 (this thread must outlive everything; the next round tries again)
                _log.warning("notes: %s", type(error).__name__, exc_info=not isinstance(error, RemanenceError))
            finally:
                with self._condition:
                    self._is_busy = False

    def _round(self) -> None:
        with self._store.read() as connection:
            is_kept = rows.first_message(connection) == self._begins_after
            due = rows.find_due(connection, self._begins_after, _AT_ONCE)
        if due and not self._is_on:
            with self._store.read() as connection:  # what ended meanwhile makes none when it is switched on again
                self._begins_after = newest_id(connection, MessageRow)
            is_kept, due = False, []
        if not is_kept:
            with self._store.write_log() as connection:
                rows.begin_after(connection, self._begins_after)
        for one in due:
            if self._is_stopping or self._energy.why_wait(Work.NOTE, is_tiny=True):
                return
            self.make(int(one.id), int(one.message_id))
        self._word_waiting()

    def _word_waiting(self) -> None:
        """The judge's part of what was made: put off on battery, under load and while energy is low."""
        for _ in range(len(self._unworded)):
            if self._is_stopping or self._energy.why_wait(Work.NOTE):
                return
            one = self._unworded.popleft()
            if one.since_s > time.monotonic():
                self._unworded.append(one)
            elif self._is_unchanged(one):
                self._let_judge(one.source, one.made)

    def _rest_s(self) -> float:
        """Waits until the next round, or until something changes."""
        waits = (one.since_s - time.monotonic() for one in self._unworded)
        return min((wait for wait in waits if wait > 0), default=_ROUND_S)

    def _is_unchanged(self, one: _Unworded) -> bool:
        """Whether the note still stands as it was written; one that was undone is not sent to the judge."""
        with self._store.read() as connection:
            row = _find(connection, one.source.app_id, one.made.note_id)
        return row is not None and row.content == one.made.content

    # one note -----------------------------------------------------------------------------------------------

    def make(self, conversation_id: int, message_id: int) -> None:
        """Writes the note of a conversation that is over, then lets the judge word it. Raises nothing that is to be expected."""
        self._gate.yield_to_foreground()
        tries = (self._try(conversation_id, message_id) for _ in range(_READ_AGAIN))
        if not any(tries):
            self._fail(None, conversation_id, message_id, _ChangedError())

    def _try(self, conversation_id: int, message_id: int) -> bool:
        """False where what it is made of was erased, purged or changed while it was read: then it is read again."""
        source: _Source | None = None
        made: _Made | None = None
        try:
            with self._energy.spends(Work.NOTE):
                source = self._read(conversation_id, message_id)
                composed = deciding.compose_note(source.parts, self._settings().note_chars) if source else None
                if source is None or composed is None:
                    self._drop_of_others(conversation_id, message_id)
                    self._book("none", source, conversation_id, message_id)
                    return True
                made = self._save(source, composed)
        except _ChangedError:
            return False
        except Exception as error:  # noqa: BLE001 (S5: log, skip; the conversation has ended)
            self._fail(source, conversation_id, message_id, error)
            return True
        if made is None:
            self._book("none", source, conversation_id, message_id)
            return True
        _log.info("Created note %d for app %s from conversation %d", made.note_id, source.app, conversation_id)
        if made.decision is not None:
            self._say_compacted(source.app, made.decision)
        self._announce()
        if self._is_judged(source.app):
            with self._store.read() as connection:
                is_by_hand = rows.is_over_by_hand(connection, conversation_id)
            self._unworded.append(_Unworded(source, made, time.monotonic() + (_UNDO_S if is_by_hand else 0.0)))
        return True

    def _drop_of_others(self, conversation_id: int, message_id: int) -> None:
        """A note that was made of prompts which belong to another conversation again, where the own ones are worth none."""
        with self._store.read() as connection:
            note = rows.find_of_conversation(connection, conversation_id)
            is_left = rows.looked_at(connection, conversation_id) > message_id
        if note is None or not is_left or note.worded_by == _PERSON:
            return
        label = "Deleted a note: its prompts belong to another conversation"
        with self._store.write(origin=Origin.ENGINE, kind="note", label=label) as write:
            write.conversation_id = conversation_id
            write.delete(NoteRow, note.id)
        self._announce()

    def _read(self, conversation_id: int, message_id: int) -> _Source | None:
        with self._store.read() as connection:
            row = rows.load_conversation(connection, conversation_id)
            if row is None or row.state not in {"ended", "paused"}:
                return None
            turns = rows.load_turns(connection, conversation_id)
            facts = rows.load_facts(connection, conversation_id)
            routine = rows.find_routine(connection, conversation_id, [one.text for one in turns], _ROUTINE_TALKS)
        own_turns = [one for one in turns if one.text not in routine] or turns
        kept = [(condense_pastes(own_words(one.text)).strip(), one.answer_end) for one in own_turns]
        kept = [(text, end) for text, end in kept if text and not self._is_kept_out(row.path, text)]
        noted: dict[str, Any] = row.distilled or {}
        known = [one for one in facts if not self._is_kept_out(row.path, one.full)]
        title = row.app_title or title_of_app(row.app)
        parts = deciding.NoteParts(
            facts=[(one.full, float(one.importance)) for one in known],
            prompts=[text for text, _ in kept],
            outcome=row.outcome or row.auto_outcome or "",
            outcome_reason="" if row.outcome or row.outcome_reason == READ_BY_MODEL else row.outcome_reason,
            next=str(noted.get("next", "")),
            commits=[one for one in map(str, noted.get("commits", ())) if not self._is_kept_out(row.path, one)],
            answer_end="" if not kept or self._is_kept_out(row.path, kept[-1][1]) else kept[-1][1],
            app=title,
            title=row.title or row.auto_title or "",
        )
        read = _as_read(row, turns, facts)
        return _Source(
            conversation_id, message_id, row.app_id, row.app, title, row.project_id, tuple(kept), parts, read
        )  # fmt: skip

    def _is_kept_out(self, path: str, text: str) -> bool:
        return bool(self._excluded.excludes([path], [text])) or would_steer_in([text])

    def _save(self, source: _Source, composed: deciding.ComposedNote) -> _Made | None:
        """The note in the store, with room made for it; after an error once more, then first in, first out."""
        try:
            return self._write(source, composed, is_fifo=self._is_judged(source.app))
        except _DATABASE_ERRORS:
            pass
        try:
            return self._write(source, composed, is_fifo=self._is_judged(source.app))
        except _DATABASE_ERRORS:
            if not self._is_full(source.app_id):
                raise
            return self._write(source, composed, is_fifo=True)

    def _write(self, source: _Source, composed: deciding.ComposedNote, *, is_fifo: bool) -> _Made | None:
        label = f"Wrote a note for {source.app_title}"
        with self._store.write(origin=Origin.ENGINE, kind="note", label=label) as write:
            write.conversation_id = source.conversation_id
            talk = source.conversation_id
            turns, facts = rows.load_turns(write.connection, talk), rows.load_facts(write.connection, talk)
            row = rows.load_conversation(write.connection, talk)
            if row is None or _as_read(row, turns, facts) != source.read:
                raise _ChangedError
            kept = rows.find_of_conversation(write.connection, source.conversation_id)
            log = {"at": write.at, "kind": "created", "app_id": source.app_id, **_of(source)}
            if kept is not None:
                if kept.worded_by == _PERSON:
                    return None
                values = {"content": composed.content, "importance": composed.importance, "updated_at": write.at}
                write.update(NoteRow, kept.id, values | {"worded_by": "rules"})
                rows.add_log(write.connection, log | {"note_id": kept.id, "action": "renewed"})
                return _Made(kept.id, composed.content)
            before = rows.load_kept(write.connection, source.app_id)
            note_id = write.insert(NoteRow, _new_note(source, composed, write))
            rows.add_log(write.connection, log | {"note_id": note_id})
            made = _Made(note_id, composed.content)
            while len(before) >= self._settings().notes_per_app:
                made = self._make_room(write, source, before, made, composed, is_fifo=is_fifo)
                if made.decision is not None and made.decision.action == "edit":
                    break
                before = [row for row in before if made.decision is None or row.id != made.decision.target_id]
            return made

    def _make_room(
        self,
        write: Write,
        source: _Source,
        before: Sequence[Any],
        made: _Made,
        composed: deciding.ComposedNote,
        *,
        is_fifo: bool,
    ) -> _Made:
        existing = [_kept(row) for row in before]
        decision, action = oldest(existing), "fifo"
        if not is_fifo:
            try:
                new = KeptNote(0, made.content, composed.importance, write.at, write.at, source.project_id)
                with self._energy.spends(Work.COMPACTION):
                    decision = decide_compaction(existing, new, self._settings().note_chars)
                action = decision.action
            except Exception as error:  # noqa: BLE001 (S5: whatever is wrong with a decision, the oldest goes)
                _log.warning("Note compaction failed for app %s: %s", source.app, type(error).__name__)
        _apply(write, decision, made.note_id, source.conversation_id)
        rows.add_log(write.connection, _compacted(write, source, decision, action))
        return _Made(made.note_id, made.content, tuple(dict(row._mapping) for row in before), decision)

    def _is_full(self, app_id: int) -> bool:
        with self._store.read() as connection:
            return len(rows.load_kept(connection, app_id)) >= self._settings().notes_per_app

    # the judge ----------------------------------------------------------------------------------------------

    def _is_judged(self, app: str) -> bool:
        """Whether somebody who reads along words this app's notes, and may be asked now."""
        settings = self._settings()
        if not settings.is_judge_noting or settings.is_judge_paused or find_adapter(settings, app) is None:
            return False
        cap = settings.judge_daily_tokens
        if not cap:
            return True
        now = self._store.clock.now()
        day = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        with self._store.read() as connection:
            spent = judge_rows.tokens_of_tasks(connection, ("note", "compact"), day)
        return spent < cap * NOTE_TOKENS_PERCENT / 100

    def _let_judge(self, source: _Source, made: _Made) -> None:
        if self._is_stopping or not self._is_judged(source.app):
            return
        adapter = find_adapter(self._settings(), source.app)
        name = adapter.name if adapter is not None else ""
        content = self._word(source, made, name)
        if made.decision is not None and made.before and not self._is_stopping:
            self._compact(source, made, content)

    def _word(self, source: _Source, made: _Made, name: str) -> str:
        """The judge's words in the note's place; returns what it says now."""
        chars = self._settings().note_chars
        prompt = note_prompt(source.turns, chars)
        try:
            answer = self._ask(TextRequest("note", prompt), source)
            text = deciding.cut_note(answer[0], chars) if answer else ""
            if not text or would_steer_in([text]):
                self._fail(source, source.conversation_id, 0, ValueError())
                return made.content
            with self._energy.spends(Work.NOTE):
                return str(self._twice(lambda: self._put_words(source, made, text, name)))
        except JudgeCancelledError:
            return made.content
        except Exception as error:  # noqa: BLE001 (S5: log, skip: the note of the rules stays)
            self._fail(source, source.conversation_id, 0, error)
            return made.content

    def _put_words(self, source: _Source, made: _Made, text: str, name: str) -> str:
        label = f"A model worded a note for {source.app_title}"
        with self._store.write(origin=Origin.ENGINE, kind="note", label=label) as write:
            write.conversation_id = source.conversation_id
            row = _find(write.connection, source.app_id, made.note_id)
            is_same = row is not None and row.content == made.content
            if row is None or not is_same or not self._is_source_there(write.connection, source):
                return made.content  # edited, erased or undone meanwhile
            write.update(NoteRow, made.note_id, {"content": text, "updated_at": write.at, "worded_by": name})
        return text

    def _is_source_there(self, connection: Connection, source: _Source) -> bool:
        """Whether all that the judge read is still kept: what was erased meanwhile comes back in no words."""
        return len(rows.load_turns(connection, source.conversation_id)) >= len(source.turns)

    def _compact(self, source: _Source, made: _Made, content: str) -> None:
        """The judge's decision in place of the oldest's going; whatever is wrong with it, that stands."""
        listed = [(int(one["id"]), str(one["content"])) for one in made.before]
        request = CompactRequest(compact_prompt(listed, content))
        try:
            answer = self._ask(request, source)
            ids = [number for number, _ in listed]
            decision = read_decision(answer[0], ids, self._settings().note_chars) if answer else None
            if decision is None or would_steer_in([decision.new_content, decision.reason]):
                raise JudgeError("no decision")
            target = next(text for number, text in listed if number == decision.target_id)
            if find_unsupported(decision.new_content, [target, content]):
                raise JudgeError("words of a third note")  # erasing that one would not find them
            if decision.action == "edit" and not self._may_edit(made, decision.target_id, source):
                raise JudgeError("a note of another project, or in the person's words")
            with self._energy.spends(Work.COMPACTION):
                is_done = self._twice(lambda: self._put_decision(source, made, content, decision))
        except JudgeCancelledError:
            return
        except Exception as error:  # noqa: BLE001 (S5: log; the oldest went already)
            _log.warning("Note compaction failed for app %s: %s", source.app, type(error).__name__)
            self._book("failed", source, 0, 0, action="compaction")
            return
        if is_done:
            self._say_compacted(source.app, decision)
            self._announce()

    @staticmethod
    def _may_edit(made: _Made, target_id: int, source: _Source) -> bool:
        """What is noted in one project is told in no other, and the person's words are the person's."""
        target = next(one for one in made.before if one["id"] == target_id)
        return bool(target["project_id"] == source.project_id and target["worded_by"] != _PERSON)

    def _put_decision(self, source: _Source, made: _Made, content: str, decision: NoteDecision) -> bool:
        label = f"A model made room among the notes of {source.app_title}"
        with self._store.write(origin=Origin.ENGINE, kind="note", label=label) as write:
            now = {int(row.id): row for row in rows.load_kept(write.connection, source.app_id)}
            gone = made.decision.target_id if made.decision is not None else 0
            expected = {int(one["id"]): str(one["content"]) for one in made.before if one["id"] != gone}
            expected[made.note_id] = content
            if {number: row.content for number, row in now.items()} != expected:
                return False  # the person changed something meanwhile
            back = next((one for one in made.before if one["id"] == gone), None)
            if decision.target_id != gone or decision.action == "edit":
                if back is not None:
                    write.insert(NoteRow, dict(back))
                _apply(write, decision, made.note_id, source.conversation_id)
            rows.add_log(write.connection, _compacted(write, source, decision, decision.action))
        return True

    def _ask(self, request: Any, source: _Source) -> tuple[Any, ...]:
        answer = self._judge.ask(
            request, app=source.app, project_id=source.project_id, app_id=source.app_id, timeout_s=CALL_TIMEOUT_S
        )
        return tuple(answer.found)

    @staticmethod
    def _twice(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except _DATABASE_ERRORS:
            time.sleep(0.05)
            return work()

    # telling ------------------------------------------------------------------------------------------------

    def _fail(self, source: _Source | None, conversation_id: int, message_id: int, error: Exception) -> None:
        _log.warning("Note failed for conversation %d: %s", conversation_id, type(error).__name__)
        self._book("failed", source, conversation_id, message_id, action=type(error).__name__)

    def _book(
        self, kind: str, source: _Source | None, conversation_id: int, message_id: int, *, action: str = ""
    ) -> None:
        """Writes down that a conversation was looked at; a store that takes nothing is asked again in the next round."""
        app_id = source.app_id if source is not None else 0
        now = self._store.clock.now()
        values = {"at": now, "kind": kind, "app_id": app_id, "action": action}
        try:
            with self._store.write_log() as connection:
                rows.add_log(
                    connection, values | {"conversation_id": conversation_id, "message_id": message_id}
                )  # fmt: skip
                rows.prune_log(connection, now - _KEPT_LOG)
        except _DATABASE_ERRORS as error:
            _log.warning("notes: %s", type(error).__name__)

    @staticmethod
    def _say_compacted(app: str, decision: NoteDecision) -> None:
        _log.info("Compacted notes of app %s: %s note %d", app, decision.action, decision.target_id)

    def _announce(self) -> None:
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.NOTES})))

    # once a day ---------------------------------------------------------------------------------------------

    def expire(self) -> int:
        """Lets notes go that are older than their app's choice says; returns how many. One Undo."""
        with self._store.read() as connection:
            due = rows.find_expired(connection, self._store.clock.now())
        if not due:
            return 0
        count = len(due)
        label = f"Deleted {count} note{'' if count == 1 else 's'}: older than you chose"
        with self._store.write(origin=Origin.ENGINE, kind="note", label=label) as write:
            write.delete_many(NoteRow, rows.numbers(rows.find_expired(write.connection, write.at)))
        return count


def _find(connection: Connection, app_id: int, note_id: int) -> Any:
    return next((row for row in rows.load_kept(connection, app_id) if row.id == note_id), None)


def _as_read(conversation: Any, turns: Sequence[Any], facts: Sequence[Any]) -> tuple[tuple[object, ...], ...]:
    return (tuple((conversation.distilled or {}).get("commits", ())), *(tuple(row) for row in (*turns, *facts)))


def _of(source: _Source) -> Record:
    return {"conversation_id": source.conversation_id, "message_id": source.message_id}


def _new_note(source: _Source, composed: deciding.ComposedNote, write: Write) -> Record:
    return {
        "app_id": source.app_id, "project_id": source.project_id, "content": composed.content, "created_at": write.at,
        "updated_at": write.at, "conversation_id": source.conversation_id, "importance": composed.importance, "tags": [],
        "related_ids": [], "worded_by": "rules", "memory_id": None,
    }  # fmt: skip


def _kept(row: Any) -> KeptNote:
    is_of_person = row.worded_by == _PERSON
    return KeptNote(
        int(row.id), row.content, row.importance, row.created_at, row.updated_at, row.project_id, is_of_person
    )


def _apply(write: Write, decision: NoteDecision, note_id: int, conversation_id: int) -> None:
    """Ten again: the target goes, or takes the new one in."""
    if decision.action == "delete":
        write.delete(NoteRow, decision.target_id)
        return
    row = write.get(NoteRow, decision.target_id)
    related = sorted({*row.related_ids, conversation_id})
    values = {"content": decision.new_content, "updated_at": write.at, "related_ids": related}
    write.update(NoteRow, decision.target_id, values)
    write.delete(NoteRow, note_id)


def _compacted(write: Write, source: _Source, decision: NoteDecision, action: str) -> Record:
    return {
        "at": write.at, "kind": "compacted", "app_id": source.app_id, "conversation_id": source.conversation_id,
        "note_id": decision.target_id, "action": action, "reason": decision.reason,
    }  # fmt: skip
