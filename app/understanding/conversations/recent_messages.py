"""What is remembered between captures so that a message costs no re-reading: recent messages per conversation.

A cache over the store: everything here can be forgotten at any time and is read again. Owns the reference window
[S2]: the last messages the person typed, without those they cleared. Knows no decider's rules but what it gets.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Connection

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.references.values import ConversationMention
from app.store.journal import Write
from app.store.rows.conversation import load_queue
from app.store.rows.message import find_entities, names_by_conversation
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow, EntityRow, StreamRow
from app.understanding.conversations.derived import KnownConversation, ToolSignals, load_known
from app.understanding.message_rows import MESSAGES_REMEMBERED, AnyRow, load_prior
from app.understanding.rule_sets import Rules
from app.values import Entity, PriorMessage, Speaker

_ANSWER_CHARS = 8_000
_CACHED_CONVERSATIONS = 64
_ENTITIES_CACHED = 8_192  # some 2 MB
_ANSWERS_CACHED = 128  # of as many sessions the last one; up to 20 kB each
_NAMES_ANOTHER = re.compile(
    r"\b(?:conversations?|chats?|threads?|yesterday|last (?:time|week|month|night)|"
    r"the other day|(?:like|same as|as in|as with|matching|similar to) (?:the|our|that|my)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|ago)\b|#\d",
    re.IGNORECASE,
)


@dataclass(slots=True)
class ConversationView:
    """One conversation as the deciders get it."""

    conversation_id: int
    stream_id: int
    state: str
    messages: list[PriorMessage]
    is_session_ended: bool = False
    outcome: str = ""
    hidden_ids: frozenset[int] = field(default_factory=frozenset)
    answer: PriorMessage | None = None  # the assistant's last answer, read in passing, never stored

    def window(self, size: int) -> tuple[PriorMessage, ...]:
        """The last `size` messages the person typed, oldest first, and what the assistant said after them."""
        typed = [one for one in self.messages if one.speaker is Speaker.USER and one.id not in self.hidden_ids][-size:]
        if self.answer is not None and typed and (self.answer.at or _never) >= (typed[-1].at or _never):
            typed.append(self.answer)
        return tuple(typed)


class ConversationCache:
    def __init__(self, rules: Callable[[], Rules | None] = lambda: None) -> None:
        self._rules = rules
        self._known: dict[int, KnownConversation] = {}
        self._entities: dict[str, int] = {}
        self._answers: dict[int, PriorMessage] = {}
        self._keeps_answers: dict[int, bool] = {}

    def forget(self) -> None:
        """After anything but a capture has changed the store, and after a failed capture."""
        self._known.clear()
        self._entities.clear()
        self._keeps_answers.clear()

    def forget_conversation(self, conversation_id: int) -> None:
        self._known.pop(conversation_id, None)

    def view(self, connection: Connection, row: AnyRow) -> ConversationView:
        """The conversation of `row`, which carries `session_ended_at` of its stream."""
        known = self.known(connection, row.id)
        outcome = row.outcome or known.outcome(is_ended=row.state == "ended")[0] or ""
        return ConversationView(
            conversation_id=row.id,
            stream_id=row.stream_id,
            state=row.state,
            messages=list(known.messages),
            is_session_ended=row.state == "ended" or row.session_ended_at is not None,
            outcome=str(outcome),
            hidden_ids=known.hidden_ids,
            answer=self._answers.get(row.stream_id),
        )

    def view_before(self, connection: Connection, row: AnyRow, message_id: int) -> ConversationView:
        """The conversation of `row` as it was before that message."""
        ended_at = rows_with(connection, StreamRow, "ended_at", id=row.stream_id)[0].ended_at
        return ConversationView(
            conversation_id=row.id,
            stream_id=row.stream_id,
            state=row.state,
            messages=list(
                load_prior(connection, conversation_id=row.id, before_id=message_id, newest=MESSAGES_REMEMBERED)
            ),
            is_session_ended=row.state == "ended" or ended_at is not None,
            outcome=row.outcome or row.auto_outcome or "",
            hidden_ids=self.known(connection, row.id).hidden_ids,
        )

    def known(self, connection: Connection, conversation_id: int) -> KnownConversation:
        """What is remembered of a conversation, read when it is not."""
        known = self._known.get(conversation_id)
        if known is None:
            rules = self._rules()
            known = load_known(
                connection,
                conversation_id,
                rules.outcomes if rules is not None else None,
                rules.titles if rules is not None else None,
            )
            while len(self._known) >= _CACHED_CONVERSATIONS:
                self._known.pop(next(iter(self._known)), None)
            self._known[conversation_id] = known
        return known

    def begin(self, conversation_id: int) -> None:
        """A conversation that has just been made needs no reading."""
        rules = self._rules()
        known = KnownConversation(tools=ToolSignals(rules=rules.outcomes if rules is not None else None))
        known.title_rules = rules.titles if rules is not None else None
        self._known[conversation_id] = known

    def note_answer(self, stream_id: int, text: str, at: datetime, rules: EntityRules) -> None:
        """Reads the assistant's answer in passing: later references may point into it."""
        if not text.strip():
            self._answers.pop(stream_id, None)
            return
        short = text[:_ANSWER_CHARS]
        self._answers.pop(stream_id, None)  # the newest stands last
        self._answers[stream_id] = PriorMessage(
            id=0, at=at, text=short, speaker=Speaker.ASSISTANT, entities=extract_entities(short, rules)
        )
        while len(self._answers) > _ANSWERS_CACHED:
            self._answers.pop(next(iter(self._answers)))

    def keeps_answers(self, connection: Connection, app_id: int) -> bool:
        if app_id not in self._keeps_answers:
            self._keeps_answers[app_id] = bool(ids_with(connection, AppRow, id=app_id, keeps_answers=True))
        return self._keeps_answers[app_id]

    def entity_ids(self, write: Write, entities: Sequence[Entity]) -> list[int]:
        """The numbers of these entities; new ones are added in one statement."""
        if len(self._entities) > _ENTITIES_CACHED:
            self._entities.clear()
        wanted = {one.canonical: one for one in reversed(entities) if one.canonical not in self._entities}
        if wanted:
            self._entities |= find_entities(write.connection, wanted)
            new = [one for one in wanted.values() if one.canonical not in self._entities]
            records = [{"canonical": one.canonical, "kind": one.kind.value, "name": one.text} for one in new]
            numbers = write.insert_many(EntityRow, records)
            self._entities.update((one.canonical, number) for one, number in zip(new, numbers, strict=True))
        return [self._entities[one.canonical] for one in entities]

    def mentions(self, connection: Connection, text: str) -> tuple[ConversationMention, ...]:
        """The other conversations a message may name; empty unless its words hint at one."""
        if not _NAMES_ANOTHER.search(text[:4_000]):
            return ()
        rows = load_queue(connection)
        named_entities: dict[int, list[tuple[str, datetime | None]]] = defaultdict(list)
        for row in names_by_conversation(connection):
            named_entities[row.conversation_id].append((row.name, row.at))
        return tuple(
            ConversationMention(
                id=row.id,
                position=place,
                title=row.title or row.auto_title,
                entities=tuple(named_entities.get(row.id, ())),
                started_at=row.started_at,
            )
            for place, row in enumerate(rows, start=1)
        )


_never = datetime.min.replace(tzinfo=UTC)
