"""Values for tests of models and widgets: a conversation, a message, a reference, each with only what matters."""

from datetime import UTC, datetime, timedelta

from app.values import (
    BoundaryJudgement,
    Candidate,
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationState,
    Entity,
    Intent,
    IntentScore,
    Message,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
)

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)


def conversation(number: int, title: str = "", **changes: object) -> Conversation:
    values: dict[str, object] = {
        "id": number,
        "title": title or f"Conversation {number}",
        "is_title_edited": False,
        "state": ConversationState.PAUSED,
        "position": number,
        "app": "claude-code",
        "project": "hearth",
        "project_path": "/src/hearth",
        "session": "s1",
        "started_at": NOW - timedelta(hours=50 - number),
        "last_message_at": NOW - timedelta(hours=30 - number),
        "ended_at": None,
        "message_count": 3,
        "topics": (),
        "files": (),
        "intents": (),
        "outcome": None,
        "is_outcome_edited": False,
        "is_next_out": False,
        "has_clarification": False,
        "related_ids": (),
    }
    return Conversation(**(values | changes))  # type: ignore[arg-type]


def message(number: int, text: str, **changes: object) -> Message:
    values: dict[str, object] = {
        "id": number,
        "conversation_id": 1,
        "at": NOW + timedelta(minutes=number),
        "speaker": Speaker.USER,
        "text": text,
        "expanded_text": text,
        "entities": (),
        "references": (),
        "intents": (IntentScore(Intent.EXECUTE, 0.9, 'starts with "add"'),),
        "is_intent_corrected": False,
        "boundary": BoundaryJudgement(is_start=number == 1, state="decided", confidence=0.95, reason="4 minutes later"),
        "redaction_count": 0,
        "is_imported": False,
    }
    return Message(**(values | changes))  # type: ignore[arg-type]


def entity(text: str, word: str, kind: str) -> Entity:
    start = text.index(word)
    return Entity(word, kind, start, start + len(word), word.lower())  # type: ignore[arg-type]


def reference(
    text: str, mention: str, antecedent: str | None, state: ReferenceState = ReferenceState.RESOLVED, **changes: object
) -> Reference:
    """A reference to the first place of `mention` in `text`; an empty mention stands at the end."""
    start = text.index(mention) if mention else len(text)
    values: dict[str, object] = {
        "mention": mention,
        "start": start,
        "end": start + len(mention),
        "kind": ReferenceKind.PRONOUN if mention else ReferenceKind.IMPLICIT,
        "state": state,
        "antecedent": antecedent,
        "confidence": 0.9,
        "reason": 'object of "add" in the message before',
        "antecedent_message_id": 1,
        "candidates": (Candidate(antecedent or "", 0.9, 1), Candidate("header", 0.8, 1)),
    }
    return Reference(**(values | changes))  # type: ignore[arg-type]


def detail(*messages: Message, **changes: object) -> ConversationDetail:
    return ConversationDetail(conversation(1, message_count=len(messages), **changes), tuple(messages), ())


def question(message_id: int, title: str = "Rate limiting") -> Clarification:
    return Clarification(message_id, 1, "Make it stricter", 2, title, 0.6, "new: 5 h gap", NOW)
