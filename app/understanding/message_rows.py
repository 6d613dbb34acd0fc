"""Rows to values and back, in one place: what the tables keep as JSON is spelled out here only."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Row

from app.deciders.conversation.assistant_questions import question_answered
from app.deciders.conversation.authorship import foreign_reasons, own_words
from app.store.chunked_parameters import slices
from app.store.journal import Record
from app.store.rows.judge import load_asked
from app.store.rows.message import load_mentions, load_references_of, load_rows
from app.store.table_queries import rows_with
from app.store.tables.core import ConversationRow
from app.values import (
    BoundaryFactor,
    BoundaryJudgement,
    Candidate,
    Entity,
    EntityKind,
    Intent,
    IntentScore,
    Message,
    PriorMessage,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
)

AnyRow = Row[Any]


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """A row of the inbox before it is written."""

    id: int
    app_id: int
    kind: str
    session: str
    at: datetime
    payload: dict[str, Any]
    is_imported: bool


AnyEvent = AnyRow | TakenEvent
MESSAGES_REMEMBERED = 120  # of one conversation: what deciders and derived columns look at


def title_of(row: AnyRow) -> str:
    """What a conversation is called, by the person or by itself."""
    return str(row.title or row.auto_title or f"Conversation {row.id}")


def find_holder(connection: Connection, row: AnyRow) -> AnyRow | None:
    """The conversation that holds the messages of one that was joined with another, however often; None for any other."""
    holder: AnyRow | None = None
    next_id, seen = row.merged_into_id, {row.id}
    while next_id is not None and next_id not in seen:
        seen.add(next_id)
        found = rows_with(connection, ConversationRow, id=next_id)
        holder = found[0] if found else holder
        next_id = found[0].merged_into_id if found else None
    return holder


def intents_to_json(intents: Iterable[IntentScore]) -> list[list[Any]]:
    return [[score.intent.value, round(score.confidence, 4), score.reason] for score in intents]


def intents_from_json(stored: Iterable[Sequence[Any]]) -> tuple[IntentScore, ...]:
    return tuple(IntentScore(Intent(name), float(confidence), reason) for name, confidence, reason in stored)


def factors_to_json(factors: Iterable[BoundaryFactor]) -> list[list[Any]]:
    return [[factor.name, round(factor.vote, 4), factor.text] for factor in factors]


def factors_from_json(stored: Iterable[Sequence[Any]]) -> tuple[BoundaryFactor, ...]:
    return tuple(BoundaryFactor(name, float(vote), text) for name, vote, text in stored)


def reference_record(message_id: int, reference: Reference) -> Record:
    return {
        "message_id": message_id,
        "mention": reference.mention,
        "start": reference.start,
        "end": reference.end,
        "kind": reference.kind.value,
        "state": reference.state.value,
        "antecedent": reference.antecedent,
        "confidence": reference.confidence,
        "reason": reference.reason,
        "antecedent_message_id": reference.antecedent_message_id,
        "antecedent_conversation_id": reference.antecedent_conversation_id,
        "candidates": [
            [one.text, round(one.score, 4), one.message_id, one.conversation_id, one.reason]
            for one in reference.candidates
        ],
    }


def reference_of(row: AnyRow) -> Reference:
    return Reference(
        mention=row.mention,
        start=row.start,
        end=row.end,
        kind=ReferenceKind(row.kind),
        state=ReferenceState(row.state),
        antecedent=row.antecedent,
        confidence=row.confidence,
        reason=row.reason,
        antecedent_message_id=row.antecedent_message_id,
        antecedent_conversation_id=row.antecedent_conversation_id,
        candidates=tuple(Candidate(*one) for one in row.candidates),
    )


def mention_record(message_id: int, entity_id: int, entity: Entity) -> Record:
    return {
        "message_id": message_id,
        "entity_id": entity_id,
        "text": entity.text,
        "kind": entity.kind.value,
        "start": entity.start,
        "end": entity.end,
        "confidence": entity.confidence,
        "head": ""
        if entity.head == entity.text.lower()
        else entity.head,  # as nearly all: not kept twice [S1: queue size]
        "is_plural": entity.is_plural,
    }


class Details:
    """Mentions and references of a set of messages, read in two statements."""

    def __init__(self, connection: Connection, message_ids: Sequence[int]) -> None:
        self.entities: dict[int, list[Entity]] = defaultdict(list)
        self.references: dict[int, list[tuple[int, Reference]]] = defaultdict(list)
        for row in load_mentions(connection, message_ids):
            self.entities[row.message_id].append(_entity_of(row))
        for row in load_references_of(connection, message_ids):
            self.references[row.message_id].append((row.id, reference_of(row)))


def _entity_of(row: AnyRow) -> Entity:
    return Entity(
        text=row.text,
        kind=EntityKind(row.kind),
        start=row.start,
        end=row.end,
        canonical=row.canonical,
        confidence=row.confidence,
        head=row.head or row.text.lower(),
        is_plural=row.is_plural,
    )


def message_of(row: AnyRow, details: Details) -> Message:
    return Message(
        id=row.id,
        conversation_id=row.conversation_id,
        at=row.at,
        speaker=Speaker(row.speaker),
        text=row.text,
        expanded_text=row.text if row.expanded_text is None else row.expanded_text,
        entities=tuple(details.entities.get(row.id, ())),
        references=tuple(details.references.get(row.id, ())),
        intents=intents_from_json(row.intents),
        is_intent_corrected=row.is_intent_corrected,
        boundary=BoundaryJudgement(
            is_start=row.is_start,
            state=row.boundary_state,
            confidence=row.boundary_confidence,
            reason=row.boundary_reason,
            factors=factors_from_json(row.boundary_factors),
        ),
        redaction_count=row.redaction_count,
        is_imported=row.is_imported,
        foreign=foreign_reasons(row.text) if row.speaker == Speaker.USER else (),
    )


def load_messages(
    connection: Connection, *, ids: Sequence[int] | None = None, conversation_id: int | None = None
) -> tuple[Message, ...]:
    """Messages of these numbers, or of a conversation, oldest first."""
    rows = load_rows(connection, ids=ids, conversation_id=conversation_id)
    details = Details(connection, [row.id for row in rows])
    return messages_of(connection, rows, details)


def messages_of(connection: Connection, rows: Sequence[AnyRow], details: Details) -> tuple[Message, ...]:
    """Messages of rows in order, each with what it answers."""
    asked = _questions_before(connection, rows)
    made = (message_of(row, details) for row in rows)
    return tuple(replace(one, answers=asked[one.id]) if one.id in asked else one for one in made)


def _questions_before(connection: Connection, rows: Sequence[AnyRow]) -> dict[int, str]:
    """By prompt that looks like an answer: what was asked at the end of the answer to the prompt before it."""
    spoken = [row for row in rows if row.speaker == Speaker.USER]
    before = [(one, other.id) for other, one in pairwise(spoken) if other.conversation_id == one.conversation_id]
    ends: dict[int, tuple[str, dict[str, str]]] = {}
    for some in slices(sorted({other for _, other in before})):
        ends |= load_asked(connection, some)
    answered = {
        one.id: question_answered(ends[other][0], one.text, asked=ends[other][1])
        for one, other in before
        if other in ends
    }
    return {one: question for one, question in answered.items() if question}


def load_prior(
    connection: Connection,
    *,
    newest: int,
    ids: Sequence[int] | None = None,
    conversation_id: int | None = None,
    before_id: int | None = None,
) -> tuple[PriorMessage, ...]:
    """The latest of these as the deciders see them."""
    rows = load_rows(connection, ids=ids, conversation_id=conversation_id, before_id=before_id, newest=newest)
    details = Details(connection, [row.id for row in rows])
    return tuple(
        prior_of(row._mapping, details.entities.get(row.id, ()), details.references.get(row.id, ())) for row in rows
    )


def prior_of(
    row: Mapping[Any, Any], entities: Sequence[Entity], references: Sequence[tuple[int, Reference]]
) -> PriorMessage:
    return PriorMessage(
        id=row["id"],
        at=row["at"],
        text=own_words(row["text"]) if row["speaker"] == Speaker.USER else row["text"],
        conversation_id=row["conversation_id"],
        speaker=Speaker(row["speaker"]),
        entities=tuple(entities),
        intents=tuple(Intent(name) for name, _, _ in row["intents"]),
        references=tuple(reference for _, reference in references),
    )
