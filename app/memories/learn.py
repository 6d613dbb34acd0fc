"""Statements of a message become memories: compared with what is known, then kept, proposed, quarantined or added to it.

A statement that is known reinforces, one that says it replaces closes the old fact in time, one that differs opens a
contradiction; nothing else is resolved here. What is less trusted never closes what is more trusted. Knows no boundary and
no reference: it gets what was read. Source: DESIGN section 5 "capture", S3 "Fact Lifecycle", QUALITY S7.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.contradictions.listing import Dismissed
from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.authorship_model import UNSURE_REASON, may_be_pasted
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.memory.contradictions.compare import Statement, compare_statements, text_key
from app.deciders.memory.contradictions.detection import find_contradiction
from app.deciders.memory.contradictions.reversals import says_it_replaces
from app.deciders.memory.rules import MemoryRules
from app.deciders.memory.sketch import LEAST_ALIKE, Sketch, compare_sketches, holds_other, make_sketch
from app.deciders.memory.statements.durability import Durability, judge_durability
from app.deciders.memory.statements.repeated_orders import SESSIONS, find_repeatable_orders
from app.deciders.memory.statements.self_contained import stand_alone
from app.deciders.memory.statements.statement_model import LIKELY_REASON
from app.deciders.memory.statements.statements import extract_statements, find_likely, guess_statement
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source, slot_key
from app.memories.note_sync import correct_notes
from app.memories.rules import KIND_OF_VERDICT, own_rules
from app.memories.versions import keep_versions
from app.privacy.secret_rules import MARK_START
from app.settings import Settings
from app.store.journal import Write
from app.store.rows import known_statements as rows_of
from app.store.rows.link import link_record
from app.store.rows.memory import count_sessions
from app.store.rows.rule import count_decided
from app.store.table_queries import rows_with
from app.store.tables.memory import ContradictionRow, LinkRow, MemoryRow
from app.understanding.message_analyzer import MessageReading, own_references
from app.understanding.message_rows import AnyRow
from app.values import Entity, FactCandidate, FactType, Likeness, LinkType, MemoryStatus, Slot, Trust

FindAlike = Callable[[Connection, str, int | None], Sequence[int]]

ALWAYS_RULE, NEVER_RULE = KIND_OF_VERDICT["always"], KIND_OF_VERDICT["never"]
_REINFORCED = 0.05  # DESIGN section 5, "learn rules": the same step and cap
_SUREST = 0.99
_LEAST_PASTED_WORDS = 5  # fewer, perhaps pasted, are a line of a log: "Key type is forbidden."
_SESSIONS_TO_KEEP = 3  # DESIGN section 2: a statement made in three sessions becomes active by itself


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """The message in which the statements stand. `message_id` None: its text is not kept, only the quote is."""

    text: str
    at: datetime
    app_id: int | None = None
    project_id: int | None = None
    message_id: int | None = None
    conversation_id: int | None = None
    is_imported: bool = False
    where: tuple[str, str] | None = None  # title of the conversation and name of the app, by whoever knows them


class Learner:
    """`read` finds statements without a store; `learn` keeps them inside a write."""

    def __init__(self, rules: Callable[[], MemoryRules], settings: Callable[[], Settings]) -> None:
        self._rules = rules
        self._settings = settings
        self.leaves_to_judge: Callable[[], bool] = lambda: False  # whether a judge says what contradicts
        self.find_alike: FindAlike = lambda _connection, _text, _project_id: ()  # given by whoever owns the index

    def read(self, text: str, reading: MessageReading) -> tuple[FactCandidate, ...]:
        """What the person's own words in the message state, sure enough to be kept or proposed."""
        settings = self._settings()
        if not settings.is_learning_memories:
            return ()
        own = own_words(text)
        references = own_references(text, reading.references)
        found = extract_statements(
            text,
            own=own,
            expanded=expand_text(text, references),
            references=references,
            entities=reading.entities,
            intents=reading.intents,
            rules=self._rules(),
        )
        sure = [one for one in found if one.confidence >= settings.propose_at or one.is_instruction_like]
        sure = [one for one in sure if MARK_START not in one.text]  # where a secret stood nothing is left to know
        sure = list(self._only_durable(sure, text))
        unsure = may_be_pasted(text, [(one.start, one.end) for one in sure]) if sure else ()
        return *self._as_typed(sure, unsure), *self._find_likely(text, own, found, sure)

    def _find_likely(
        self, text: str, own: str, found: Sequence[FactCandidate], sure: Sequence[FactCandidate]
    ) -> Iterator[FactCandidate]:
        """What is proposed beside what rules read; nothing of a stretch that sounds dangerous or may be pasted."""
        known = (*sure, *(one for one in found if one.is_instruction_like))
        likely = [
            one
            for one in find_likely(text, own, known, self._rules())
            if one.confidence >= self._settings().propose_at and MARK_START not in one.text
        ]
        unsure = may_be_pasted(text, [(one.start, one.end) for one in likely]) if likely else ()
        yield from (one for one, is_unsure in zip(likely, unsure, strict=True) if not is_unsure)

    @staticmethod
    def _as_typed(sure: Sequence[FactCandidate], unsure: Sequence[bool]) -> Iterator[FactCandidate]:
        """What may be pasted as quoted, or not at all where it is a few words."""
        return (
            replace(one, is_quoted=True, reason=f"{UNSURE_REASON}; {one.reason}") if is_unsure else one
            for one, is_unsure in zip(sure, unsure, strict=True)
            if not is_unsure or one.is_instruction_like or len(one.text.split()) >= _LEAST_PASTED_WORDS
        )

    def _only_durable(self, found: Sequence[FactCandidate], text: str) -> Iterator[FactCandidate]:
        """What asks to last as it is, what may stand as proposed, what is about now not at all; a dangerous order as it is."""
        settings = self._settings()
        for one in found:
            durability = (
                Durability.FROM_NOW_ON if one.is_instruction_like else judge_durability(one, text, self._rules())
            )
            if one.is_instruction_like or (durability is Durability.FROM_NOW_ON and one.slot is not None):
                yield one
            elif durability is not Durability.NOW and (readable := stand_alone(one, text, self._rules())) is not None:
                yield readable if durability is Durability.FROM_NOW_ON else _waiting(readable, settings)

    def read_alone(self, text: str, entities: tuple[Entity, ...] = ()) -> tuple[FactCandidate, ...]:
        """What a message states that is read without its conversation: what points elsewhere says nothing."""
        return self.read(text, MessageReading(entities, (), text, ()))

    def learn(
        self,
        write: Write,
        source: SourceMessage,
        statements: Iterable[FactCandidate],
        own_rules: Sequence[AnyRow] | None = None,
    ) -> tuple[int, ...]:
        """Keeps the statements; returns the numbers of the memories that they made or strengthened.

        `own_rules`: the person's own, by whoever learns from many messages in one write.
        """
        listed = tuple(statements)
        repeated = self._find_repeated(write.connection, source, listed)
        listed += tuple(repeated)
        if not listed:
            return ()
        own_rules = self.own_rules(write) if own_rules is None else own_rules
        learned = []
        for statement in listed:
            verdict, deciding = _verdict(statement, own_rules)
            count_decided(write, dict.fromkeys(deciding, 1))
            if verdict == NEVER_RULE:
                continue
            memory_id = self._keep(write, source, statement, is_always=verdict == ALWAYS_RULE)
            if memory_id is not None:
                learned.append(memory_id)
                self._add_earlier(write, memory_id, repeated.get(statement, ()))
        return tuple(learned)

    def propose(self, write: Write, source: SourceMessage, start: int, end: int, reason: str) -> int | None:
        """Keeps that stretch of a message as a memory that waits for the person; None where nothing is to be learned of it."""
        settings = self._settings()
        text = " ".join(source.text[start:end].split())
        if not settings.is_learning_memories or MARK_START in text:
            return None
        statement = FactCandidate(FactType.FACT, text, settings.propose_at, start, end, reason)
        return next(iter(self.learn(write, source, [_waiting(statement, settings)])), None)

    def _find_repeated(
        self, connection: Connection, source: SourceMessage, statements: Sequence[FactCandidate]
    ) -> dict[FactCandidate, list[tuple[SourceMessage, FactCandidate]]]:
        """Orders of the message that were typed in the same words in two other sessions, and where they are there."""
        if source.message_id is None or source.is_imported or not self._settings().is_learning_memories:
            return {}
        found: dict[FactCandidate, list[tuple[SourceMessage, FactCandidate]]] = {}
        for order in find_repeatable_orders(source.text, own_words(source.text), statements, self._rules()):
            words = source.text[order.start : order.end]
            rows = rows_of.typed_before(
                connection,
                words,
                project_id=source.project_id,
                message_id=source.message_id,
                conversation_id=source.conversation_id,
                most=SESSIONS - 1,
            )
            if len(rows) >= SESSIONS - 1:
                found[order] = [_typed_in(row, order, words, source.project_id) for row in rows]
        return found

    def _add_earlier(self, write: Write, memory_id: int, places: Iterable[tuple[SourceMessage, FactCandidate]]) -> None:
        """Where the same words were typed before."""
        for earlier, order in places:
            if not rows_of.is_source(write.connection, memory_id, earlier.message_id):
                self._add_source(write, memory_id, earlier, order)

    def is_refused(self, write: Write, statement: FactCandidate) -> bool:
        """Whether a rule of the person's own says that this is never learned."""
        return _verdict(statement, self.own_rules(write))[0] == NEVER_RULE

    @staticmethod
    def own_rules(write: Write) -> Sequence[AnyRow]:
        """The person's own rules about what is learned."""
        return own_rules(write.connection)

    def _keep(self, write: Write, source: SourceMessage, statement: FactCandidate, *, is_always: bool) -> int | None:
        settings = self._settings()
        key = text_key(statement.text)
        same = rows_of.find_same_text(write.connection, source.project_id, key)
        for row in same:
            if row.status in rows_of.LIVE and row.valid_to is None:
                return self._reinforce(write, row, source, statement)
        if any(row.status == MemoryStatus.ARCHIVED for row in same):
            return None  # it was rejected or forgotten: the same words do not bring it back
        known = self._known(write.connection, source, statement, key)
        live = [row for row in known if row.status in rows_of.LIVE and row.valid_to is None]
        says_so = not self.leaves_to_judge() and says_it_replaces(source.text[statement.start : statement.end])
        judged = [(row, self._compare_statement(row, statement, says_so=says_so)) for row in live]
        for row, likeness in judged:
            if likeness.relation == "duplicate" and _may_strengthen(row, statement):
                return self._reinforce(write, row, source, statement)
        before = None if statement.is_quoted else self._find_reworded(write.connection, source, statement)
        if before is not None and _may_strengthen(before, statement):
            return self._reinforce(write, before, source, statement)
        trust = Trust.IMPORTED if source.is_imported or statement.is_quoted else Trust.SPOKEN
        status = _status(statement, settings, is_always=is_always)
        rivals = [
            (row, likeness)
            for row, likeness in judged
            if likeness.relation in {"replace", "contradict"} and not statement.is_instruction_like
        ]
        is_active = status is MemoryStatus.ACTIVE  # what itself waits for a person closes nothing
        closed = [
            row
            for row, likeness in rivals
            if is_active and likeness.relation == "replace" and _may_close(row, trust, source)
        ]
        memory_id = insert_memory(write, _new(source, statement, trust, status, closed))
        self._add_source(write, memory_id, source, statement)
        for row in closed:
            close_memory(write, row, memory_id, source.at, source.message_id)
        dismissed = Dismissed(write.connection)
        for row, likeness in rivals:
            if row in closed or not self.leaves_to_judge():  # else it is unseen until the verdict
                note_contradiction(write, row, memory_id, likeness, is_closed=row in closed, dismissed=dismissed)
        return memory_id

    def _reinforce(self, write: Write, row: AnyRow, source: SourceMessage, statement: FactCandidate) -> int:
        """Said again: one source more, in another session surer by a step; what waits becomes active in the third.

        A quote says nothing again: whoever is quoted may be this very memory.
        """
        if statement.is_quoted or statement.is_instruction_like:
            return int(row.id)
        if source.message_id is not None and rows_of.is_source(write.connection, row.id, source.message_id):
            return int(row.id)
        before = count_sessions(write.connection, row.id)
        self._add_source(write, row.id, source, statement)
        sessions = count_sessions(write.connection, row.id)
        is_elsewhere = sessions != before or source.conversation_id is None
        surer = round(min(_SUREST, max(row.confidence, statement.confidence) + _REINFORCED * is_elsewhere), 3)
        values: dict[str, Any] = {"confidence": max(row.confidence, surer), "updated_at": write.at}
        asks_to_last = statement.confidence >= self._settings().promote_at
        is_kept = asks_to_last or (sessions >= _SESSIONS_TO_KEEP and self._holds_beyond(row, source, statement))
        if row.status == MemoryStatus.PROPOSED and not source.is_imported and is_kept:
            values["status"] = MemoryStatus.ACTIVE.value
        write.update(MemoryRow, row.id, values, was=row)
        return int(row.id)

    def _holds_beyond(self, row: AnyRow, source: SourceMessage, statement: FactCandidate) -> bool:
        """Whether saying it again shows that it lasts. A statement that only sounds likely needs the same words, and must not be about now."""
        if row.reason != LIKELY_REASON:
            return True
        is_verbatim = row.text_key == text_key(statement.text)
        return is_verbatim and judge_durability(statement, source.text, self._rules()) is not Durability.NOW

    def _add_source(self, write: Write, memory_id: int, source: SourceMessage, statement: FactCandidate) -> None:
        source_id = insert_source(write, memory_id, source_of(write, source, statement.start, statement.end))
        if not statement.is_quoted:
            self.keep_sketch(write, source_id, statement.text, source.conversation_id, source.project_id)

    def keep_sketch(
        self, write: Write, source_id: int, text: str, conversation_id: int | None, project_id: int | None
    ) -> None:
        """So that what was said there is known again in other words, and counted by sessions; nothing where it was said in none."""
        stream_id = rows_of.stream_of(write.connection, conversation_id)
        if stream_id is None:
            return
        sketch = make_sketch(text, self._rules())
        row = {
            "source_id": source_id, "stream_id": stream_id, "project_id": project_id or 0,
            "stems": _written(sketch.stems), "marks": _written(sketch.marks),
        }  # fmt: skip
        rows_of.add_sketch(write.connection, row)

    def _find_reworded(self, connection: Connection, source: SourceMessage, statement: FactCandidate) -> AnyRow | None:
        """The memory that was made of nearly the same words, in whatever order."""
        sketch = make_sketch(statement.text, self._rules())
        rows = rows_of.load_sketches(connection, source.project_id)
        known = [(Sketch(frozenset(row.stems.split()), frozenset(row.marks.split())), row) for row in rows]
        rated = [(compare_sketches(sketch, before), row) for before, row in known]
        likeness, found = max(rated, key=lambda pair: pair[0], default=(0.0, None))
        if likeness < LEAST_ALIKE:
            if statement.confidence >= self._settings().promote_at:
                return None
            waiting = (one for one in known if one[1].status == MemoryStatus.PROPOSED and holds_other(sketch, one[0]))
            found = next(waiting, (None, None))[1]
        return None if found is None else rows_with(connection, MemoryRow, id=found.id)[0]

    def compare_with_known(
        self, write: Write, memory_id: int, source: SourceMessage, statement: FactCandidate, trust: Trust
    ) -> None:
        """A memory written by hand meets what is known: it closes what it says it replaces, else opens contradictions."""
        known = self._known(write.connection, source, statement, text_key(statement.text))
        dismissed = Dismissed(write.connection)
        for row in known:
            if row.id == memory_id or row.status not in rows_of.LIVE or row.valid_to is not None:
                continue
            likeness = self._compare(row, statement)
            if likeness.relation not in {"replace", "contradict"}:
                continue
            is_closed = likeness.relation == "replace" and _may_close(row, trust, source)
            if is_closed:
                close_memory(write, row, memory_id, source.at, source.message_id)
            note_contradiction(write, row, memory_id, likeness, is_closed=is_closed, dismissed=dismissed)

    def alike(self, connection: Connection, text: str) -> list[tuple[int, Likeness]]:
        """Known memories that say the same as a text, that it would replace or contradict; the nearest first."""
        statement = guess_statement(text, self._rules())
        slot, near = _slot_of(statement), self.find_alike(connection, text, None)
        rows = rows_of.find_known_anywhere(connection, slot, text_key(text), near)
        judged = [(int(row.id), self._compare(row, statement)) for row in rows if row.status in rows_of.LIVE]
        order = ("duplicate", "replace", "contradict")
        told = [pair for pair in judged if pair[1].relation in order]
        return sorted(told, key=lambda pair: (order.index(pair[1].relation), -pair[1].confidence, -pair[0]))

    def learn_again(self, write: Write, source: SourceMessage, reading: MessageReading) -> None:
        """After a correction: what this message alone taught and no longer says goes to the archive; the rest is learned."""
        statements = self.read(source.text, reading)
        keys = {text_key(statement.text) for statement in statements}
        for row in rows_of.taught_by(write.connection, source.message_id):
            is_by_hand = row.trust >= Trust.CONFIRMED
            if not is_by_hand and row.source_count == 1 and row.text_key not in keys:
                keep_versions(write, [write.get(MemoryRow, row.id)], "no longer said")
                values = {"status": MemoryStatus.ARCHIVED.value, "retired_at": write.at, "updated_at": write.at}
                write.update(MemoryRow, row.id, values)
        self.learn(write, source, statements)

    def find_same(
        self, connection: Connection, statement: FactCandidate, project_id: int | None, *, is_exact: bool
    ) -> AnyRow | None:
        """A live memory of this project, else of none, that says the same; `is_exact`: in the same words."""
        key = text_key(statement.text)
        for place in dict.fromkeys((project_id, None)):
            known = self._known_in(connection, place, statement, key)
            live = [row for row in known if row.status in rows_of.LIVE and row.valid_to is None]
            same = [row for row in live if row.text_key == key]
            if not same and not is_exact:
                same = [row for row in live if self._compare(row, statement).relation == "duplicate"]
            if same:
                return same[0]
        return None

    def _known(
        self, connection: Connection, source: SourceMessage, statement: FactCandidate, key: str
    ) -> Sequence[AnyRow]:
        return self._known_in(connection, source.project_id, statement, key)

    def _known_in(
        self, connection: Connection, project_id: int | None, statement: FactCandidate, key: str
    ) -> Sequence[AnyRow]:
        alike = self.find_alike(connection, statement.text, project_id)
        return rows_of.find_known(connection, project_id, _slot_of(statement), key, alike)

    def _compare_statement(self, row: AnyRow, statement: FactCandidate, *, says_so: bool) -> Likeness:
        """`says_so`: it says "from now on" or "any more", so what it contradicts is replaced by it."""
        found = self._compare(row, statement)
        if says_so and found.relation == "compatible":
            found = find_contradiction(row.full, statement.text, self._rules()) or found
        return replace(found, relation="replace") if says_so and found.relation == "contradict" else found

    def _compare(self, row: AnyRow, statement: FactCandidate) -> Likeness:
        slot = Slot(row.subject, row.key, row.scope) if row.slot_key else None
        older = Statement(row.full, slot, row.value, row.is_negated, FactType(row.type or "fact"))
        newer = Statement(
            statement.text, statement.slot, statement.value, statement.is_negated, statement.type, statement.replaces
        )
        return compare_statements(older, newer, self._rules())


def _verdict(statement: FactCandidate, rules: Sequence[AnyRow]) -> tuple[str, list[int]]:
    """The kind of the person's own rules that decide, "never" before "always", and their numbers; "" when none does."""
    fitting = [
        rule
        for rule in rules
        if rule.data.get("type") in ("", None, statement.type.value)
        and rule.data.get("attribute", "") in ("", statement.slot.attribute if statement.slot else None)
        and str(rule.pattern).casefold() in statement.text.casefold()
    ]
    is_own = not (statement.is_instruction_like or statement.is_quoted)
    for kind in (NEVER_RULE, ALWAYS_RULE) if is_own else (NEVER_RULE,):
        deciding = [int(rule.id) for rule in fitting if rule.kind == kind]
        if deciding:
            return kind, deciding
    return "", []


def _typed_in(
    row: Any, order: FactCandidate, words: str, project_id: int | None
) -> tuple[SourceMessage, FactCandidate]:
    start = row.text.index(words)
    earlier = SourceMessage(row.text, row.at, row.app_id, project_id, row.id, row.conversation_id)
    return earlier, replace(order, start=start, end=start + len(words))


def _status(statement: FactCandidate, settings: Settings, *, is_always: bool) -> MemoryStatus:
    if statement.is_instruction_like:
        return MemoryStatus.QUARANTINED
    if is_always:
        return MemoryStatus.ACTIVE
    is_sure = statement.confidence >= settings.promote_at and not statement.is_quoted
    return MemoryStatus.ACTIVE if is_sure else MemoryStatus.PROPOSED


def _waiting(statement: FactCandidate, settings: Settings) -> FactCandidate:
    """What is true of today's work is proposed; said in a third session it becomes active."""
    most = max(settings.propose_at, settings.promote_at - _SESSIONS_TO_KEEP * _REINFORCED)
    return replace(statement, confidence=min(statement.confidence, most))


def _written(hashes: Iterable[str]) -> str:
    return " ".join(sorted(hashes))


def _may_strengthen(row: AnyRow, statement: FactCandidate) -> bool:
    """Nearly the same words: an assistant's wording and what is held back are not strengthened by a person's own."""
    is_held = row.trust == Trust.AGENT or row.status == MemoryStatus.QUARANTINED
    return statement.is_instruction_like or not is_held


def _may_close(row: AnyRow, trust: Trust, source: SourceMessage) -> bool:
    """What is less trusted, or older, never supersedes."""
    return bool(trust >= row.trust and source.at >= row.valid_from)


def _new(
    source: SourceMessage, statement: FactCandidate, trust: Trust, status: MemoryStatus, closed: Sequence[AnyRow]
) -> NewMemory:
    return NewMemory(
        text=statement.text,
        type=statement.type,
        slot=statement.slot,
        value=statement.value,
        is_negated=statement.is_negated,
        tags=statement.tags,
        category=statement.slot.attribute if statement.slot else "",
        confidence=round(statement.confidence, 3),
        trust=trust,
        status=status,
        project_id=source.project_id,
        app_id=source.app_id,
        valid_from=source.at,
        supersedes_id=max((int(row.id) for row in closed), default=None),
        reason=statement.reason,
    )


def source_of(write: Write, source: SourceMessage, start: int, end: int) -> NewSource:
    """That stretch of the message, as where something was said."""
    title, app = source.where or rows_of.conversation_and_app(write.connection, source.conversation_id, source.app_id)
    return NewSource(
        at=source.at,
        quote=source.text[start:end],
        message_id=source.message_id,
        conversation_id=source.conversation_id,
        conversation_title=title,
        app=app,
        start=start,
        end=end,
    )


def _slot_of(statement: FactCandidate) -> str:
    return slot_key(statement.slot) if statement.slot is not None else ""


def close_memory(write: Write, row: AnyRow, by_id: int | None, at: datetime, message_id: int | None) -> None:
    """From `at` on it does not hold any more; `by_id`: what holds in its place."""
    keep_versions(write, [row], "replaced" if by_id is not None else "taken back")
    write.update(MemoryRow, row.id, {"valid_to": at, "closed_by_message_id": message_id, "updated_at": write.at})
    if by_id is not None:
        write.insert(LinkRow, link_record(by_id, row.id, LinkType.SUPERSEDES, 1.0, write.at))
    correct_notes(write, row)


def note_contradiction(
    write: Write,
    row: AnyRow,
    memory_id: int,
    likeness: Likeness,
    *,
    is_closed: bool,
    judged_by: str = "rules",
    holds: str = "",
    dismissed: Dismissed | None = None,
) -> bool:
    """Keeps the contradiction: resolved when the statement itself said so, else open until a person clicks.

    False, and nothing kept, where the person has said of the same two things that they do not contradict each other;
    `dismissed`: these answers, where several are asked about.
    """
    answered = dismissed or Dismissed(write.connection)
    if not is_closed and answered.holds(row, write.get(MemoryRow, memory_id)):
        return False
    write.insert(
        ContradictionRow,
        {
            "memory_a_id": row.id,
            "memory_b_id": memory_id,
            "state": "resolved" if is_closed else "open",
            "resolution": "b_wins" if is_closed else "",
            "resolution_note": "The newer statement says that it replaces the older." if is_closed else "",
            "reason": likeness.reason,
            "confidence": round(likeness.confidence, 3),
            "detected_at": write.at,
            "resolved_at": write.at if is_closed else None,
            "kind": likeness.kind or likeness.relation,
            "judged_by": judged_by,
            "holds": holds or ("b" if likeness.relation == "replace" else ""),
            "resolved_by": ("text" if judged_by == "rules" else judged_by) if is_closed else "",
        },
    )
    if not is_closed:
        write.insert(
            LinkRow, link_record(memory_id, row.id, LinkType.CONTRADICTS, round(likeness.confidence, 3), write.at)
        )
    return True
