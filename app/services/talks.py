"""What is remembered between captures so that a message costs no re-reading: recent messages per conversation.

A cache over the store: everything here can be forgotten at any time and is read again. Owns the reference window
[S2]: the last messages the person typed, without those they cleared. Knows no decider's rules but what it is handed.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, select

from app.conversation.entities import EntityRules, extract_entities
from app.conversation.references_values import ConversationMention
from app.services.rows import MESSAGES_REMEMBERED, AnyRow, load_prior
from app.store.journal import Write, table_of
from app.store.tables import AppRow, ConversationRow, EntityRow, MentionRow, MessageRow, StreamRow
from app.values import Entity, PriorMessage, Speaker

_ANSWER_CHARS = 8_000
_CACHED_TALKS = 64
_NAMES_ANOTHER = re.compile(
    r"\b(?:conversations?|chats?|threads?|yesterday|last (?:time|week|month|night)|"
    r"the other day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|ago)\b|#\d",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Talk:
    """One conversation as the deciders are handed it."""

    conversation_id: int
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


class Talks:
    def __init__(self) -> None:
        self._messages: dict[int, list[PriorMessage]] = {}
        self._hidden: dict[int, frozenset[int]] = {}
        self._entities: dict[str, int] = {}
        self._answers: dict[int, PriorMessage] = {}
        self._keeps_answers: dict[int, bool] = {}

    def forget(self) -> None:
        """After anything but a capture has changed the store, and after a failed capture."""
        self._messages.clear()
        self._hidden.clear()
        self._entities.clear()
        self._keeps_answers.clear()

    def forget_talk(self, conversation_id: int) -> None:
        self._messages.pop(conversation_id, None)
        self._hidden.pop(conversation_id, None)

    def talk(self, connection: Connection, row: AnyRow, *, before_id: int | None = None) -> Talk:
        """The conversation of `row`; with `before_id` as it stood before that message."""
        if before_id is None:
            messages = self._load(connection, row.id)
        else:
            message = table_of(MessageRow)
            where = (message.c.conversation_id == row.id) & (message.c.id < before_id)
            messages = list(load_prior(connection, where, newest=MESSAGES_REMEMBERED))
        stream = table_of(StreamRow)
        ended_at = connection.execute(select(stream.c.ended_at).where(stream.c.id == row.stream_id)).scalar()
        return Talk(
            conversation_id=row.id,
            messages=messages,
            is_session_ended=row.state == "ended" or ended_at is not None,
            outcome=row.outcome or row.auto_outcome or "",
            hidden_ids=self._hidden.get(row.id, frozenset()),
            answer=self._answers.get(row.stream_id) if before_id is None else None,
        )

    def messages(self, connection: Connection, conversation_id: int) -> tuple[PriorMessage, ...]:
        return tuple(self._load(connection, conversation_id))

    def append(self, connection: Connection, conversation_id: int, message: PriorMessage) -> tuple[PriorMessage, ...]:
        """Adds the message that was just saved; returns what is remembered of the conversation."""
        known = self._messages.get(conversation_id)
        if known is None:
            known = self._load(connection, conversation_id)
        if not known or known[-1].id != message.id:
            known.append(message)
        del known[:-MESSAGES_REMEMBERED]
        return tuple(known)

    def note_answer(self, stream_id: int, text: str, at: datetime, rules: EntityRules) -> None:
        """Reads the assistant's answer in passing: later references may point into it."""
        if not text.strip():
            self._answers.pop(stream_id, None)
            return
        short = text[:_ANSWER_CHARS]
        self._answers[stream_id] = PriorMessage(
            id=0, at=at, text=short, speaker=Speaker.ASSISTANT, entities=extract_entities(short, rules)
        )

    def keeps_answers(self, connection: Connection, app_id: int) -> bool:
        if app_id not in self._keeps_answers:
            table = table_of(AppRow)
            found = connection.execute(select(table.c.keeps_answers).where(table.c.id == app_id)).scalar()
            self._keeps_answers[app_id] = bool(found)
        return self._keeps_answers[app_id]

    def entity_id(self, write: Write, entity: Entity) -> int:
        if entity.canonical not in self._entities:
            table = table_of(EntityRow)
            found = write.connection.execute(select(table.c.id).where(table.c.canonical == entity.canonical)).scalar()
            self._entities[entity.canonical] = found or write.insert(
                EntityRow, {"canonical": entity.canonical, "kind": entity.kind.value, "name": entity.text}
            )
        return self._entities[entity.canonical]

    def mentions(self, connection: Connection, text: str) -> tuple[ConversationMention, ...]:
        """The other conversations a message may name; empty unless its words hint at one."""
        if not _NAMES_ANOTHER.search(text[:4_000]):
            return ()
        conversation, message = table_of(ConversationRow), table_of(MessageRow)
        mention, entity = table_of(MentionRow), table_of(EntityRow)
        rows = connection.execute(
            select(conversation)
            .where(conversation.c.state != "evicted")
            .order_by(conversation.c.queue_key, conversation.c.id)
        ).all()
        spoken: dict[int, list[tuple[str, datetime | None]]] = defaultdict(list)
        found = connection.execute(
            select(message.c.conversation_id, entity.c.name, func.max(message.c.at).label("at"))
            .join(mention, mention.c.message_id == message.c.id)
            .join(entity, entity.c.id == mention.c.entity_id)
            .group_by(message.c.conversation_id, entity.c.id)
        )
        for row in found:
            spoken[row.conversation_id].append((row.name, row.at))
        return tuple(
            ConversationMention(
                id=row.id,
                position=place,
                title=row.title or row.auto_title,
                entities=tuple(spoken.get(row.id, ())),
                started_at=row.started_at,
            )
            for place, row in enumerate(rows, start=1)
        )

    def _load(self, connection: Connection, conversation_id: int) -> list[PriorMessage]:
        known = self._messages.get(conversation_id)
        if known is None:
            message = table_of(MessageRow)
            where = message.c.conversation_id == conversation_id
            known = list(load_prior(connection, where, newest=MESSAGES_REMEMBERED))
            hidden: Any = select(message.c.id).where(where, message.c.is_out_of_window)
            self._hidden[conversation_id] = frozenset(connection.execute(hidden).scalars().all())
            if len(self._messages) >= _CACHED_TALKS:
                self._messages.pop(next(iter(self._messages)))
            self._messages[conversation_id] = known
        return known


_never = datetime.min.replace(tzinfo=UTC)
