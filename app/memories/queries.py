"""Reading memories for the API: cards, one memory whole, those of a message or conversation, chunks. Never writes.

Owns how rows become values, the decay that is computed when read, and what was believed at an instant (text from the
versions). Finding which memories a list holds is `memory_lists`. What the pointing words of a quote stand for is read beside it
when a memory is shown, so that a correction is followed at once. Source: DESIGN section 4, S3 "Decay Function".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.context.citations import load_of_memory
from app.deciders.conversation.assistant_questions import question_answered
from app.deciders.memory.decay import decay
from app.errors import NotFoundError
from app.memories.new_memory import LEVEL_COLUMNS
from app.memories.versions import list_versions
from app.store.memory_cards import CardRow, load_card_rows, load_placed
from app.store.rows.judge import load_asked
from app.store.rows.link import links_of
from app.store.rows.memory import (
    count_sessions,
    disputed_ids,
    ids_of_conversation,
    ids_of_message,
    load_known_references,
    load_sources,
    load_titles,
    load_whole,
    load_with_prompt_before,
    state_at,
    usage_since,
)
from app.store.table_queries import rows_with
from app.store.tables.memory import ArtifactRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.store.visibility import is_valid
from app.understanding.message_rows import AnyRow
from app.values import (
    Artifact,
    ArtifactKind,
    FactType,
    Gloss,
    Level,
    Levels,
    LevelText,
    LinkType,
    Memory,
    MemoryCard,
    MemoryDetail,
    MemoryKind,
    MemoryLink,
    MemorySource,
    MemoryStatus,
    Slot,
    Tier,
    Trust,
    Visibility,
)
from app.values.fast_values import maker, value_of
from app.values.graph import NodeKind

ANSWERS = "asked by the answer before it"


def load_glosses(connection: Connection, sources: Sequence[AnyRow]) -> dict[int, tuple[Gloss, ...]]:
    """By the number of a source, in the order of its words; what the quote says itself needs none.

    `sources`: rows of `memory_source` with `kept_id`, None where the message has left.
    """
    kept = [row for row in sources if row.kept_id is not None and row.end > row.start]
    rows = load_known_references(connection, (one.message_id for one in kept))
    answered = _load_answered(connection, kept)
    found: dict[int, tuple[Gloss, ...]] = {}
    for source in kept:
        quote = source.quote.casefold()
        found[source.id] = (
            *answered.get(source.id, ()),
            *(
                Gloss(row.mention, row.start, row.antecedent, row.reason, _named_in(row))
                for row in rows
                if row.message_id == source.message_id
                and source.start <= row.start
                and row.end <= source.end
                and row.mention
                and row.antecedent.casefold() not in quote
            ),
        )
    return found


def _load_answered(connection: Connection, sources: Sequence[AnyRow]) -> dict[int, tuple[Gloss]]:
    """By the number of a source the question that it answers, of those that answer one."""
    rows = load_with_prompt_before(connection, (one.message_id for one in sources))
    asked = load_asked(connection, sorted({row.before for row in rows.values() if row.before is not None}))
    found: dict[int, tuple[Gloss]] = {}
    for source in sources:
        row = rows.get(source.message_id)
        end, numbered = asked.get(row.before, ("", {})) if row is not None else ("", {})
        question = question_answered(end, row.text, source.start, numbered) if row is not None else ""
        if question:
            found[source.id] = (Gloss("", source.start, question, ANSWERS, None),)
    return found


def _named_in(row: AnyRow) -> int | None:
    is_here = row.antecedent_message_id is None and row.antecedent.casefold() in row.text.casefold()
    return int(row.message_id) if is_here else row.antecedent_message_id


_USAGE_DAYS = 90
_NOT_PLACED = ("", False)
# by value: a page is 128 cards, and calling the type costs ten times as much
_STATUSES, _KINDS, _TYPES, _TRUSTS, _TIERS = (
    {one.value: one for one in MemoryStatus}, {one.value: one for one in MemoryKind},
    {one.value: one for one in FactType}, {int(one): one for one in Trust},
    {one.value: one for one in Tier},
)  # fmt: skip
_make_card = maker(MemoryCard)


def load_cards(connection: Connection, ids: Sequence[int], now: datetime) -> tuple[MemoryCard, ...]:
    """One card per memory that is still there, in the order of `ids`."""
    if not ids:
        return ()
    instant, placed = to_microseconds(now), load_placed(connection)
    return tuple(_card_of(row, instant, placed.get(row.id, _NOT_PLACED)) for row in load_card_rows(connection, ids))


def as_believed(connection: Connection, cards: Sequence[MemoryCard], at: datetime) -> tuple[MemoryCard, ...]:
    """The cards with what their memories said at that instant."""
    states = state_at(connection, [card.id for card in cards], at)
    return tuple(_card_as(card, states[card.id]) if card.id in states else card for card in cards)


def _card_as(card: MemoryCard, state: Mapping[str, Any]) -> MemoryCard:
    return replace(
        card,
        type=FactType(state["type"]) if state["type"] else None,
        title=state["title"],
        summary=state["summary"],
        status=MemoryStatus(state["status"]),
        trust=Trust(state["trust"]),
        confidence=state["confidence"],
        importance=state["importance"],
        token_count=state["full_tokens"],
        tags=tuple(state["tags"]),
        text=state["full"],
    )


def get_memory(connection: Connection, memory_id: int, now: datetime, half_life_days: float) -> MemoryDetail:
    """One memory with everything around it. Raises NotFoundError."""
    row = load_whole(connection, memory_id)
    if row is None:
        raise NotFoundError(f"There is no memory number {memory_id}.", hint="It may have been erased.")
    return MemoryDetail(
        memory=_memory_of(row, now, half_life_days),
        sources=_sources(connection, memory_id),
        versions=list_versions(connection, memory_id),
        links=_links(connection, memory_id),
        artifacts=_artifacts(connection, memory_id),
        contradiction_ids=tuple(sorted(disputed_ids(connection, [memory_id]) - {memory_id})),
        usage_days=_usage_days(connection, memory_id, now),
        session_count=count_sessions(connection, memory_id),
        citations=load_of_memory(connection, memory_id),
    )


def of_message(connection: Connection, message_id: int, now: datetime) -> tuple[MemoryCard, ...]:
    """Memories from there, in the order in which they were learned."""
    return load_cards(connection, ids_of_message(connection, message_id), now)


def of_conversation(connection: Connection, conversation_id: int, now: datetime) -> tuple[MemoryCard, ...]:
    """What was learned there; its own episode tells of it and is none of these."""
    return load_cards(connection, ids_of_conversation(connection, conversation_id, is_episode=False), now)


def episodes_of(connection: Connection, conversation_id: int, now: datetime) -> tuple[MemoryCard, ...]:
    """The episodes that tell of a conversation, oldest first."""
    return load_cards(connection, ids_of_conversation(connection, conversation_id, is_episode=True), now)


def slot_of(row: AnyRow) -> Slot | None:
    return Slot(row.subject, row.key, row.scope) if row.slot_key else None


def levels_of(row: AnyRow) -> Levels:
    full, summary, compressed, index = (
        LevelText(getattr(row, text), getattr(row, count)) for text, count in LEVEL_COLUMNS.values()
    )
    return Levels(full, summary, compressed, index)


def _card_of(row: CardRow, now: int, placed: tuple[str, bool]) -> MemoryCard:
    (
        memory_id, kind, fact_type, title, summary, status_said, trust, confidence, importance, is_pinned, valid_from, valid_to,
        full_tokens, tags, updated_at, last_accessed_at, retrieved_count, text, project, app, is_disputed, given_tier,
    ) = row  # fmt: skip
    status = _STATUSES[status_said]
    return _make_card(  # in its order: names cost half as much again
        memory_id,
        _KINDS[kind],
        _TYPES[fact_type] if fact_type else None,
        title,
        summary,
        status,
        _TRUSTS[trust],
        confidence,
        importance,
        bool(is_pinned),
        status is MemoryStatus.ACTIVE and is_valid(valid_from, valid_to, now),
        full_tokens,
        tuple(json.loads(tags)) if tags != "[]" else (),
        project,
        app,
        from_microseconds(updated_at),
        None if last_accessed_at is None else from_microseconds(last_accessed_at),
        retrieved_count,
        bool(is_disputed),
        text,
        placed[1],
        _TIERS.get(placed[0] or given_tier or ""),
    )


def _memory_of(row: AnyRow, now: datetime, half_life_days: float) -> Memory:
    return value_of(
        Memory,
        row,
        kind=MemoryKind(row.kind),
        type=FactType(row.type) if row.type else None,
        levels=levels_of(row),
        edited_levels=frozenset(Level(name) for name in row.edited_levels),
        slot=slot_of(row),
        tags=tuple(row.tags),
        trust=Trust(row.trust),
        status=MemoryStatus(row.status),
        visibility=Visibility(row.visibility),
        project=row.project_name or "",
        project_path=row.project_path or "",
        app=row.app_name or "",
        decay=decay(row.last_accessed_at or row.recorded_at, row.retrieved_count, now, half_life_days),
        superseded_by_id=row.superseded_by,
    )


def _sources(connection: Connection, memory_id: int) -> tuple[MemorySource, ...]:
    rows = load_sources(connection, memory_id)
    glosses = load_glosses(connection, rows)
    return tuple(
        value_of(MemorySource, row, is_message_kept=row.kept_id is not None, glosses=glosses.get(row.id, ()))
        for row in rows
    )


def _links(connection: Connection, memory_id: int) -> tuple[MemoryLink, ...]:
    """Links from and to the memory, strongest first."""
    rows = links_of(connection, NodeKind.MEMORY, [memory_id])
    ends = [
        (row.to_kind, row.to_id, True)
        if row.from_kind == "memory" and row.from_id == memory_id
        else (row.from_kind, row.from_id, False)
        for row in rows
    ]
    titles = {
        kind: load_titles(connection, kind, (number for other, number, _ in ends if other == kind))
        for kind in {kind for kind, _, _ in ends}
    }
    links = [
        MemoryLink(
            id=row.id,
            type=LinkType(row.type),
            strength=row.strength,
            other_kind=kind,
            other_id=other_id,
            other_title=row.to_name or titles[kind].get(other_id, ""),
            is_outgoing=is_outgoing,
            created_at=row.created_at,
        )
        for row, (kind, other_id, is_outgoing) in zip(rows, ends, strict=True)
    ]
    return tuple(sorted(links, key=lambda link: (-link.strength, link.id)))


def _artifacts(connection: Connection, memory_id: int) -> tuple[Artifact, ...]:
    rows = rows_with(connection, ArtifactRow, memory_id=memory_id)
    return tuple(Artifact(row.id, ArtifactKind(row.kind), row.reference) for row in rows)


def _usage_days(connection: Connection, memory_id: int, now: datetime) -> tuple[int, ...]:
    """Uses per day of the last 90, oldest first; () when there was none."""
    first = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=_USAGE_DAYS - 1)
    used = usage_since(connection, memory_id, first)
    days = [0] * _USAGE_DAYS
    for at in used:
        if at <= now:
            days[(at - first).days] += 1
    return tuple(days) if used else ()
