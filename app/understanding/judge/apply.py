"""A verified answer, or a verified report of an assistant at work, becomes memories: one journalled operation, one Undo.

What passes has the trust of its quote: typed here active, from an imported history proposed. What the rules had made of the same
prompts gives way: the judge read the whole, they guessed from a sentence. What a person confirmed, pinned or worded is never
touched; where an answer would, a contradiction opens. Knows no adapter. Source: JUDGE "Verified or dropped", "It closes only on the
person's words", "Topics never move boundaries".
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.contradictions.reversals import read_renames
from app.deciders.memory.statements.durability import is_asked_for
from app.judge.same_statement import says_same
from app.judge.topic_overlap import LEAST_SHARED, SAME_RATIO, agreement, content_words, what_holds
from app.judge.values import JudgeMessage, JudgeRequest, Verified, VerifiedChange, VerifiedMemory, VerifiedTopic
from app.judge.verification import denies, find_quote, find_unsupported
from app.memories.actions import edited_columns
from app.memories.draft_guess import would_steer_in, would_surely_steer
from app.memories.learn import Learner, close_memory, note_contradiction
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source
from app.memories.versions import keep_versions
from app.store.journal import Record, Write
from app.store.rows import judge as judge_rows
from app.store.table_queries import rows_with
from app.store.tables.core import ConversationRow
from app.store.tables.memory import MemoryRow
from app.understanding.conversations.derived import note_title_read
from app.understanding.entity_renames import carry_over
from app.understanding.episodes.writing import keep_episode
from app.understanding.message_rows import AnyRow, title_of
from app.values import (
    ConversationState,
    FactCandidate,
    FactType,
    Likeness,
    MemoryEdit,
    MemoryKind,
    MemoryStatus,
    Origin,
    Trust,
)

_IMPORTANCE = {1: 0.4, 2: 0.6, 3: 0.85}
_CONFIDENCE = 0.9  # as measured: nine of ten are right
_LIVE = (MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value)
_REJECTED_RATIO = 0.6
_SAID_AGAIN_RATIO = 0.6  # of the content words of either, where both quote the same stretch
NEVER = "what is never to be learned"
PUT_AWAY = "what was archived before"
OUTDATED = "what is older than what holds now"
_READ_BY = "read by "
FOR_ALL_PROJECTS = "said for all projects"  # the tag of what a person says of all their work
_PROJECTS_LEAST = 3
_SAME_SAYING = 0.6  # of the content words of either
_VALUE_WORDS = 3  # so few name what holds instead, and not of what
_CHANCE_RATIO = 0.25  # of a memory's words


@dataclass(slots=True)
class AppliedAnswer:
    """What became of an answer."""

    memory_ids: list[int] = field(default_factory=list)
    known_ids: list[int] = field(default_factory=list)  # said before, in these or nearly these words
    accepted_ids: list[int] = field(default_factory=list)  # of the known: waited, and is in use from now on
    disputed_ids: list[int] = field(default_factory=list)  # stand against what is new, until the person decides
    closed_ids: list[int] = field(default_factory=list)
    put_away_ids: list[int] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReadingSource:
    """Who read, and where."""

    name: str  # of the app or adapter, as kept in `worded_by`
    title: str
    app_id: int
    app: str
    project_id: int


def apply_answer(
    write: Write, source: ReadingSource, request: JudgeRequest, verified: Verified, learner: Learner
) -> AppliedAnswer:
    """Keeps what was verified. The request's messages are known to be there still, and booked as read."""
    run = _Run(write, source, request, learner, changes=verified.changes)
    for one in verified.memories:
        run.keep(one)
    for change in verified.changes:
        run.close(change)
    if not is_untrue(verified):  # who quotes what nobody said takes nothing away either
        run.put_away_guesses()
    for topic in verified.topics:
        run.note_topic(topic)
    run.finish_topics()
    return run.applied


def apply_report(
    write: Write, source: ReadingSource, request: JudgeRequest, one: VerifiedMemory, learner: Learner
) -> AppliedAnswer:
    """Keeps the one memory that an assistant reports while it works; what it names as replaced and hardly fits is asked."""
    run = _Run(write, source, request, learner, asks_in_doubt=True)
    run.keep(one)
    run.put_away_reworded(one)
    return run.applied


class _Run:
    def __init__(
        self,
        write: Write,
        reader: ReadingSource,
        request: JudgeRequest,
        learner: Learner,
        *,
        changes: Sequence[VerifiedChange] = (),
        asks_in_doubt: bool = False,
    ) -> None:
        self.applied = AppliedAnswer()
        self._changes = changes
        self._changing = {one.message.id for one in changes}
        self._asks_in_doubt = asks_in_doubt
        self._write = write
        self._reader = reader
        self._learner = learner
        self._messages = {one.message_id: one for one in request.messages}
        self._known = {one.id: one.memory_id for one in request.known}
        self._made: dict[str, list[int]] = {}  # of each message id, what was made of it
        self._stated: dict[str, str] = {}  # of each message id, what its statements say
        self._orders = {one.message_id: one.order for one in request.messages}
        self._guesses = judge_rows.learned_from(write.connection, list(self._messages))
        self._past = {(one.conversation_id, one.at): one.message_id for one in request.messages if one.is_past}
        if self._past:
            self._guesses += judge_rows.learned_at(write.connection, self._past)
        self._topics: dict[int, list[VerifiedTopic]] = {}

    # memories --------------------------------------------------------------------------------------------

    def keep(self, one: VerifiedMemory) -> None:
        reason = self._reason_against(one)
        if reason:
            self.applied.dropped.append(reason)
            return
        status = self._status(one)
        known = self._find_known(one, status)
        olds: list[AnyRow] = []
        doubtful: list[AnyRow] = []
        if status is MemoryStatus.ACTIVE:
            olds, doubtful = self._rows_of(one, known)
        closed = [row for row in olds if not is_persons_own(row)]
        if known is None:
            new = self._new(one, status, closed)
            if status is MemoryStatus.ACTIVE and one.scope == "person" and self._is_from_three_projects(one):
                new = replace(new, project_id=None)  # given everywhere from now on
            memory_id = insert_memory(self._write, new)
            self._add_source(memory_id, one)
            self.applied.memory_ids.append(memory_id)
        else:
            memory_id = int(known.id)
            self._reinforce(known, one, status)
        self._made.setdefault(one.message.id, []).append(memory_id)
        self._stated[one.message.id] = f"{self._stated.get(one.message.id, '')} {one.statement}"
        for row in closed:
            heir_id = self._carry_over(row, one.message, f"{one.quote} {one.statement}", self._source(one))
            close_memory(self._write, row, heir_id or memory_id, one.message.at, one.message.message_id)
            self.applied.closed_ids.append(int(row.id))
        reason = f"{self._reader.title} reads the newer words as replacing the older"
        for row in olds:
            self._note_rival(row, memory_id, Likeness("replace", _CONFIDENCE, reason), is_closed=row in closed)
        for row in doubtful:
            reason = f"{self._reader.title} says that the newer replaces the older; they share few words"
            self._note_rival(row, memory_id, Likeness("contradict", _CONFIDENCE, reason), is_closed=False)

    def _note_rival(self, row: AnyRow, memory_id: int, likeness: Likeness, *, is_closed: bool) -> None:
        if not judge_rows.are_rivals(self._write.connection, int(row.id), memory_id):
            by = self._reader.name
            note_contradiction(self._write, row, memory_id, likeness, is_closed=is_closed, judged_by=by)
        if not is_closed:
            self.applied.disputed_ids.append(int(row.id))

    def _reason_against(self, one: VerifiedMemory) -> str:
        candidate = FactCandidate(FactType(one.type), one.statement, _CONFIDENCE, one.start, one.end, "")
        if self._learner.is_refused(self._write, candidate):
            return NEVER
        if one.message.is_past and self._is_outdated(one):
            return OUTDATED
        for row in self._overlapping(one):
            is_alike = agreement(row.full, f"{one.quote} {one.statement}") >= _REJECTED_RATIO
            if is_alike and _is_put_away(self._write, row):
                return PUT_AWAY
            if row.status in _LIVE and is_persons_own(row):
                self.applied.known_ids.append(int(row.id))
                return "what you confirmed already"
        if was_put_away(self._write, self._reader.project_id, one.statement):
            return PUT_AWAY
        return ""

    def _is_outdated(self, one: VerifiedMemory) -> bool:
        """Whether it names as replaced what was said after it: read from the past it would come back as the newest."""
        holding = self._holding()
        named = [holding[self._known[name]] for name in one.replaces if self._known.get(name) in holding]
        statement = f"{one.quote} {one.statement}"
        return any(row.valid_from > one.message.at and self._is_of_same(row, statement) for row in named)

    def _find_known(self, one: VerifiedMemory, status: MemoryStatus) -> AnyRow | None:
        """What says the same already: in the same words, nearly the same of the very stretch that is quoted, or all but an aside.

        Where the message is said to change something, "all but an aside" may be what it changes.
        """
        overlapping = self._overlapping(one)
        same = judge_rows.find_same(self._write.connection, self._reader.project_id, text_key(one.statement))
        if status is MemoryStatus.QUARANTINED:
            held = [row for row in (*same, *overlapping) if row.status == MemoryStatus.QUARANTINED]
            return next((row for row in held if self._asks_in_doubt or row.worded_by != "rules"), None)
        nearly = [
            row
            for row in overlapping
            if min(agreement(row.full, one.statement), agreement(one.statement, row.full)) >= _SAID_AGAIN_RATIO
        ]
        said_before = () if one.message.id in self._changing else self._said_before(one)
        guessed = {int(row.id) for row in self._guesses if row.worded_by == "rules"}
        found = (row for row in chain(same, nearly, said_before) if row.status in _LIVE and row.valid_to is None)
        return next((row for row in found if row.worded_by != "rules" or self._is_kept_guess(row, guessed)), None)

    @staticmethod
    def _is_kept_guess(row: AnyRow, guessed: AbstractSet[int]) -> bool:
        """Whether the rules kept it of other messages than those that are read now, and it is in use."""
        return int(row.id) not in guessed and row.status == MemoryStatus.ACTIVE

    def _said_before(self, one: VerifiedMemory) -> list[AnyRow]:
        """What holds in the project and says the same but for an aside, the likest first; nothing of the same message."""
        connection, project_id = self._write.connection, self._reader.project_id
        near = [*self._learner.find_alike(connection, one.statement, project_id), *self.applied.memory_ids]
        own = self._made.get(one.message.id, ())
        rows = [self._write.get(MemoryRow, number) for number in dict.fromkeys(near) if number not in own]
        return [
            row
            for row in rows
            if row.project_id == project_id
            and row.kind == MemoryKind.FACT
            and row.valid_from <= one.message.at
            and says_same(row.full, one.statement)
        ]

    def _status(self, one: VerifiedMemory) -> MemoryStatus:
        is_held = self._asks_in_doubt and any(
            row.status == MemoryStatus.QUARANTINED for row in self._overlapping(one)
        )  # what the rules hold back of these very words no report lets in
        # the sentence is what assistants are given; a quote is a piece of one, in which a model of whole orders hears too much
        if is_held or would_steer_in([one.statement]) or would_surely_steer(one.quote):
            return MemoryStatus.QUARANTINED
        # what only an answer says, and not the one that the person replied to, waits for the person
        return MemoryStatus.PROPOSED if one.message.is_imported or one.unsaid else MemoryStatus.ACTIVE

    def _new(self, one: VerifiedMemory, status: MemoryStatus, closed: Sequence[AnyRow]) -> NewMemory:
        return NewMemory(
            text=one.statement,
            type=FactType(one.type),
            tags=(FOR_ALL_PROJECTS,) if one.scope == "person" else (),
            importance=_IMPORTANCE[one.worth],
            confidence=_CONFIDENCE,
            trust=Trust.IMPORTED if one.message.is_imported else Trust.SPOKEN,
            status=status,
            project_id=self._reader.project_id,
            app_id=self._reader.app_id,
            valid_from=one.message.at,
            supersedes_id=max((int(row.id) for row in closed), default=None),
            reason=self._reason(one),
            worth=one.worth,
            worded_by=self._reader.name,
        )

    def _reason(self, one: VerifiedMemory) -> str:
        worded = f"worded by {self._reader.title} from your words"
        if one.is_from_reply:
            return f"{worded} and the answer that they reply to"
        return f"{worded}; {one.unsaid} is from an answer" if one.unsaid else worded

    def _is_from_three_projects(self, one: VerifiedMemory) -> bool:
        """Whether two other projects have the same marked for all: only then it is given elsewhere without a click."""
        others = {
            row.project_id
            for row in judge_rows.load_marked(self._write.connection, FOR_ALL_PROJECTS)
            if min(agreement(one.statement, row.full), agreement(row.full, one.statement)) >= _SAME_SAYING
        }
        return len(others - {None, self._reader.project_id}) >= _PROJECTS_LEAST - 1

    def _add_source(self, memory_id: int, one: VerifiedMemory) -> None:
        source_id = insert_source(self._write, memory_id, self._source(one))
        if not one.message.is_imported:
            place = one.message.conversation_id, self._reader.project_id
            self._learner.keep_sketch(self._write, source_id, one.statement, *place)

    def _source(self, one: VerifiedMemory) -> NewSource:
        return self._source_at(one.message, one.quote, one.start, one.end)

    def _source_of(self, change: VerifiedChange) -> NewSource:
        """The quote of a change; of one without a quote the new name, else nothing but the message."""
        text = change.message.text
        start, end = find_quote(text, change.quote or change.new) or (0, 0)
        return self._source_at(change.message, text[start:end], start, end)

    def _source_at(self, message: JudgeMessage, quote: str, start: int, end: int) -> NewSource:
        found = rows_with(self._write.connection, ConversationRow, id=message.conversation_id)
        return NewSource(
            at=message.at,
            quote=quote,
            message_id=message.message_id if message.message_id > 0 else None,
            conversation_id=message.conversation_id,
            conversation_title=title_of(found[0]) if found else "",
            app=self._reader.app,
            start=start,
            end=end,
        )

    def _reinforce(self, row: AnyRow, one: VerifiedMemory, status: MemoryStatus) -> None:
        """One source more; what waited because nobody had said it is in use, now that somebody has."""
        self.applied.known_ids.append(int(row.id))
        connection, message = self._write.connection, one.message
        has_source = judge_rows.has_source_in(connection, int(row.id), message.message_id) or (
            message.is_past and judge_rows.has_source_at(connection, int(row.id), message.conversation_id, message.at)
        )
        if not has_source:
            self._add_source(int(row.id), one)
            self._write.update(MemoryRow, row.id, {"updated_at": self._write.at} | self._reworded(row, one))
        new = self._new(one, status, ())
        if row.status == MemoryStatus.PROPOSED and status is MemoryStatus.ACTIVE and row.trust <= new.trust:
            keep_versions(self._write, [self._write.get(MemoryRow, row.id)], "said by you")
            values = {"status": status.value, "trust": int(new.trust), "worth": one.worth, "confidence": new.confidence}
            more = {"importance": new.importance, "reason": new.reason, "updated_at": self._write.at}
            self._write.update(MemoryRow, row.id, {**values, **more})
            self.applied.accepted_ids.append(int(row.id))

    def _reworded(self, row: AnyRow, one: VerifiedMemory) -> Record:
        """The newer sentence where it says more; what a person worded or confirmed stays as it is."""
        is_more = len(content_words(one.statement)) > len(content_words(row.full))
        is_kept = is_persons_own(row) or row.status != MemoryStatus.ACTIVE or bool(row.edited_levels)
        if not is_more or is_kept or one.unsaid:
            return {}
        keep_versions(self._write, [row], "said again, and more")
        return edited_columns(row, MemoryEdit(full=one.statement))

    def _overlapping(self, one: VerifiedMemory) -> list[AnyRow]:
        return [
            row
            for row in self._guesses
            if row.message_id == one.message.message_id and row.start < one.end and row.end > one.start
        ]

    # closing ---------------------------------------------------------------------------------------------

    def _rows_of(self, one: VerifiedMemory, known: AnyRow | None) -> tuple[list[AnyRow], list[AnyRow]]:
        """The memories that it says it replaces, that still hold and speak of the same; of a message's several the likest.

        A reader names as replaced what it only says in more words, too: where it reports no change of the same message, half of
        the older has to be said again (of five such messages on three labelled streams none was a change). Then those of which that
        is in doubt, where somebody named them who had read them.
        """
        is_of_same = self._is_of_same if one.message.id in self._changing else self._is_restated
        holding = self._holding()
        statement = f"{one.quote} {one.statement}"
        found: dict[int, AnyRow] = {}
        doubtful: dict[int, AnyRow] = {}
        for name in one.replaces:
            numbers = [self._known[name]] if name in self._known else self._made.get(name, [])
            earlier = [holding[number] for number in numbers if number in holding]
            earlier = [row for row in earlier if one.message.at >= row.valid_from and row.id != getattr(known, "id", 0)]
            rows = [row for row in earlier if is_of_same(row, statement)]
            if rows:
                best = max(rows, key=lambda row: (agreement(row.full, statement), row.id))
                found[int(best.id)] = best
            elif earlier and self._asks_in_doubt:
                doubtful[int(earlier[0].id)] = earlier[0]
            else:
                self.applied.dropped.append("a replacement of something else")
        return list(found.values()), list(doubtful.values())

    def _holding(self) -> Mapping[int, AnyRow]:
        return {int(row.id): row for row in judge_rows.load_holding(self._write.connection, self._reader.project_id)}

    @staticmethod
    def _is_of_same(row: AnyRow, statement: str) -> bool:
        shared = content_words(row.full) & content_words(statement)
        return len(shared) >= LEAST_SHARED or agreement(row.full, statement) >= SAME_RATIO

    def _is_restated(self, row: AnyRow, statement: str) -> bool:
        return self._is_of_same(row, statement) if self._asks_in_doubt else agreement(row.full, statement) >= SAME_RATIO

    def close(self, change: VerifiedChange) -> None:
        """A change closes what it speaks of; what holds instead is a memory only if the answer has one of the same message."""
        if change.message.is_imported:
            self.applied.dropped.append("a change in an imported history")
            return
        row = self._find_old(change)
        if row is None:
            self.applied.dropped.append("a change of nothing that is remembered")
            return
        made = [number for number in self._made.get(change.message.id, []) if number != row.id]
        if is_persons_own(row):
            self._ask(row, self._likest_made(change, made), "a change that only you can decide")
            return
        stated = f"{change.quote} {self._stated.get(change.message.id, '')}"
        heir_id = self._carry_over(row, change.message, stated, self._source_of(change))
        if heir_id is None and self._is_in_doubt(change, row):
            self.applied.dropped.append("a change of something else")
            return
        by_id = heir_id or self._likest_made(change, made)
        close_memory(self._write, row, by_id, change.message.at, change.message.message_id)
        self.applied.closed_ids.append(int(row.id))

    def _likest_made(self, change: VerifiedChange, made: Sequence[int]) -> int | None:
        """Of the memories that the message made the one that says what holds instead; the last of equals."""
        rows = [self._write.get(MemoryRow, number) for number in made]
        said = [(agreement(change.new, row.full) if change.new else 0.0, at) for at, row in enumerate(rows)]
        return int(rows[max(said)[1]].id) if said else None

    def _ask(self, row: AnyRow, memory_id: int | None, otherwise: str) -> None:
        """Both stand until the person says which holds; `otherwise`: why nothing is asked where the message made no memory."""
        if memory_id is None:
            self.applied.dropped.append(otherwise)
            return
        reason = f"{self._reader.title} reads that this does not hold any more"
        self._note_rival(row, memory_id, Likeness("contradict", _CONFIDENCE, reason), is_closed=False)

    def _is_in_doubt(self, change: VerifiedChange, row: AnyRow) -> bool:
        """Whether what is named by its number is hardly what the change speaks of: a number is soon mistaken among forty."""
        if len(content_words(change.new)) <= _VALUE_WORDS or not (
            change.old in self._known or change.old in self._made
        ):
            return False  # "drop that" and "Vitest" say no subject; words were compared already
        change_text = f"{change.message.text} {change.new}"
        return max(agreement(change.new, row.full), agreement(row.full, change_text)) < SAME_RATIO

    def _carry_over(self, row: AnyRow, message: JudgeMessage, message_text: str, source: NewSource) -> int | None:
        """The memory that says the same of a thing by its new name, with the same sources; None where nothing was renamed."""
        renames = [
            (one.old, one.new)
            for one in self._changes
            if one.message is message and one.new in f"{message.text} {message.answer_end}"
        ]
        renames += [
            pair for pair in read_renames(message_text) if pair[1] in message.text
        ]  # the change may name the old by number
        heir_id = carry_over(self._write, row, renames, f"{message.text} {message_text}", source)
        if heir_id is not None:
            self.applied.memory_ids.append(heir_id)
        return heir_id

    def _find_old(self, change: VerifiedChange) -> AnyRow | None:
        """The memory of the old words: named by its id, else the one that shares most of them, at least half.

        One that shares less was asked about once: of six such questions four were none, and two named the wrong memory.
        """
        holding = self._holding()
        if change.old in self._known or change.old in self._made:
            numbers = [self._known[change.old]] if change.old in self._known else self._made[change.old]
            words = content_words(f"{change.message.text} {change.message.answer_end} {change.new}")
            rows = [holding[number] for number in numbers if number in holding]
            rows = [row for row in rows if not change.message.is_past or row.valid_from <= change.message.at]
            rows = [row for row in rows if not change.new or words & content_words(row.full)]
            return max(rows, key=lambda row: agreement(row.full, f"{change.message.text} {change.new}"), default=None)
        place = change.message.order
        own = {made for name, all_made in self._made.items() if int(name[1:]) >= place for made in all_made}
        own |= {
            int(row.id) for row in self._guesses if self._orders[row.message_id] >= place
        }  # it closes nothing that it says itself
        quotes = judge_rows.load_quotes(self._write.connection, self._reader.project_id)
        rated = [
            (ratio, int(row.id))
            for row in holding.values()
            if row.id not in own and row.valid_from <= change.message.at
            if (ratio := self._rate_old(change, (row.full, quotes.get(int(row.id), "")))) >= SAME_RATIO
        ]
        return holding[max(rated)[1]] if rated else None

    @staticmethod
    def _rate_old(change: VerifiedChange, texts: Sequence[str]) -> float:
        """How much of the old words the memory has; 0 when that is a single word or chance, or when it rather says what holds instead.

        0, too, when it lacks a name that the old words have, or denies what they say: "src/a.py is one file" is not what
        "src/b.py is one file" was, and "no routes of their own" not what "routes of their own" were. What it says itself is given up
        ("a table of its own instead of the shared one") it does not say.
        """
        if find_unsupported(change.old, texts) or (denies(texts[0]) and not denies(f"{change.old} {change.new}")):
            return 0.0
        texts = [what_holds(text) for text in texts]
        wanted = content_words(change.old)
        shares = ((len(wanted & words), len(words)) for words in map(content_words, texts))
        # two words that a long memory has, too, are chance
        shared = max((own for own, of in shares if own > LEAST_SHARED or own >= _CHANCE_RATIO * of), default=0)
        ratio = shared / len(wanted) if wanted else 0.0
        is_news = bool(change.new) and (
            max(agreement(change.new, text) for text in texts) > ratio
            or agreement(change.new, texts[0]) > agreement(change.old, texts[0])  # it was said, and says it by now
        )
        is_single = shared < min(LEAST_SHARED, len(wanted))
        return 0.0 if is_news or is_single else ratio

    # what the rules had guessed -----------------------------------------------------------------------------

    def put_away_guesses(self) -> None:
        """What rules made of these prompts alone, unless it was asked for explicitly and the answer says nothing of it."""
        kept = {number for made in self._made.values() for number in made}
        rows = {int(row.id): row for row in self._guesses}
        for memory_id, row in rows.items():
            is_guess = row.worded_by == "rules" and row.status in _LIVE and row.valid_to is None
            if not is_guess or memory_id in kept or is_persons_own(row):
                continue
            quotes = [
                self._messages[one.message_id].text[one.start : one.end] for one in self._guesses if one.id == memory_id
            ]
            was_asked_for = any(is_asked_for(quote) for quote in (*quotes, row.full))
            if (was_asked_for and not self._is_reworded(memory_id)) or judge_rows.has_unread_source(
                self._write.connection, memory_id, self._past
            ):
                continue
            self._put_away(memory_id)

    def put_away_reworded(self, one: VerifiedMemory) -> None:
        """What rules made of the quoted stretch alone, and is in words now that stand by themselves."""
        if not self.applied.memory_ids and not self.applied.accepted_ids:
            return
        kept = {*self.applied.memory_ids, *self.applied.known_ids}
        for row in {int(row.id): row for row in self._overlapping(one)}.values():
            is_guess = row.worded_by == "rules" and row.status in _LIVE and row.valid_to is None
            if not is_guess or row.id in kept or is_persons_own(row):
                continue
            if not judge_rows.has_source_outside(self._write.connection, int(row.id), one.message.message_id):
                self._put_away(int(row.id))

    def _put_away(self, memory_id: int) -> None:
        current = self._write.get(MemoryRow, memory_id)
        keep_versions(self._write, [current], f"{_READ_BY}{self._reader.title}")
        away = {"status": MemoryStatus.ARCHIVED.value, "retired_at": self._write.at, "updated_at": self._write.at}
        self._write.update(MemoryRow, memory_id, away)
        self.applied.put_away_ids.append(memory_id)

    def _is_reworded(self, memory_id: int) -> bool:
        places = [(row.message_id, row.start, row.end) for row in self._guesses if row.id == memory_id]
        return any(
            source.message_id == message_id and source.start < end and source.end > start
            for message_id, start, end in places
            for source in judge_rows.learned_from(self._write.connection, [message_id])
            if source.id in self.applied.memory_ids
        )

    # topics ----------------------------------------------------------------------------------------------

    def note_topic(self, topic: VerifiedTopic) -> None:
        if topic.message.is_past:  # what is kept of a conversation that has left stays as it is
            return
        self._topics.setdefault(topic.message.conversation_id, []).append(topic)

    def finish_topics(self) -> None:
        """The topic that took most of a conversation names it, all together say how it ended; what a person edited stays."""
        for conversation_id, listed in self._topics.items():
            topics = sorted(listed, key=lambda one: one.message.message_id)  # a model may list them in any order
            row = self._write.get(ConversationRow, conversation_id)
            if row.state == ConversationState.EVICTED:  # left while it was read
                continue
            values: dict[str, Any] = {}
            is_over = row.state in {ConversationState.ENDED, ConversationState.PAUSED}
            told = [[one.message.message_id, one.title, one.outcome, one.summary] for one in topics if one.title]
            if told:
                read_until = max(
                    one.message_id for one in self._messages.values() if one.conversation_id == conversation_id
                )
                noted = row.distilled or {}
                before = [one for one in noted.get("topics") or [] if one[0] < told[0][0]]  # of an earlier reading
                noted = {**noted, "topics": before + told, "read_until": read_until}
                values |= note_title_read(self._write.connection, row, noted)
                self._write.touched_conversations.add(conversation_id)  # its outcome follows
            if topics[-1].summary:
                values |= {"summary": topics[-1].summary, "summary_by": self._reader.name}
            if values:
                self._write.update(ConversationRow, conversation_id, values)
            if is_over:
                keep_episode(self._write, conversation_id)


def was_put_away(write: Write, project_id: int, statement: str) -> bool:
    """Whether these very words were archived by somebody."""
    same = judge_rows.find_same(write.connection, project_id, text_key(statement))
    is_live = any(row.status in _LIVE for row in same)
    return not is_live and any(_is_put_away(write, row) for row in same)


def _is_put_away(write: Write, row: AnyRow) -> bool:
    """Not by time alone, and not because other words took its place: somebody did not want it."""
    if row.status != MemoryStatus.ARCHIVED:
        return False
    origin, label = judge_rows.was_changed_last(write.connection, int(row.id))
    return origin != Origin.ENGINE and not label.startswith(_READ_BY)


def is_untrue(verified: Verified) -> bool:
    """Whether more of the answer was made up than was said."""
    return len(verified.dropped) > len(verified.memories) + len(verified.changes) + len(verified.topics)


def is_persons_own(row: AnyRow) -> bool:
    """Confirmed, pinned or worded by the person: nothing that a model answers touches it."""
    return bool(row.trust >= Trust.CONFIRMED or row.is_pinned or row.worded_by == "person")
