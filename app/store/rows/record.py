"""What a conversation's record is made of: ends of answers by message, references to other conversations both ways. Plain SQL."""

# ruff: noqa: S608 (our own words)
import json
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.store.rows.context import fetch

_EPISODES = (
    "SELECT DISTINCT m.id, m.status, m.details FROM memory_source s JOIN memory m ON m.id = s.memory_id "
    "WHERE s.conversation_id = :conversation AND m.kind = 'episode' AND m.status <> 'quarantined' ORDER BY m.id DESC"
)
_ENDS = "SELECT e.message_id, e.text FROM answer_end e JOIN message m ON m.id = e.message_id WHERE m.conversation_id = :conversation"
_TITLE = "coalesce(nullif(c.title, ''), c.auto_title)"
_SAID = (
    "coalesce((SELECT m.text FROM reference r JOIN message m ON m.id = r.message_id WHERE m.conversation_id = o.id "
    "AND r.kind = 'conversation' AND r.antecedent_conversation_id = e.value ORDER BY r.id LIMIT 1), '')"
)
_KEPT = (
    "EXISTS (SELECT 1 FROM json_each(o.distilled, '$.continues') k WHERE k.value = e.value)"  # when its text is gone
)
_OUT = (
    f"SELECT c.id, {_TITLE}, c.state <> 'evicted', {_SAID}, {_KEPT} FROM conversation o, json_each(o.related_ids) e "
    "JOIN conversation c ON c.id = e.value WHERE o.id = :conversation ORDER BY e.key"
)
_IN = (
    f"SELECT c.id, {_TITLE}, c.state <> 'evicted', {_SAID}, {_KEPT} FROM conversation o, json_each(o.related_ids) e "
    "JOIN conversation c ON c.id = o.id WHERE e.value = :conversation AND c.id <> :conversation ORDER BY c.id"
)


class ReferringRow(NamedTuple):
    """The other conversation; `said`: the message that refers, "" when its text is gone."""

    conversation_id: int
    title: str
    is_kept: bool
    said: str
    was_continued: bool  # as was kept when its text went


class EpisodeRow(NamedTuple):
    number: int
    status: str
    details: dict[str, Any]


def load_episodes(connection: Connection, conversation_id: int) -> list[EpisodeRow]:
    """What tells of it, the newest first: also what was merged or forgotten."""
    rows = fetch(connection, _EPISODES, {"conversation": conversation_id})
    return [EpisodeRow(int(row[0]), str(row[1]), json.loads(row[2] or "{}")) for row in rows]


def load_answer_ends(connection: Connection, conversation_id: int) -> dict[int, str]:
    """By message."""
    rows = fetch(connection, _ENDS, {"conversation": conversation_id})
    return {int(row[0]): str(row[1]) for row in rows}


def load_references(connection: Connection, conversation_id: int, *, is_outgoing: bool) -> list[ReferringRow]:
    """Conversations that this one refers to, or that refer to it."""
    rows = fetch(connection, _OUT if is_outgoing else _IN, {"conversation": conversation_id})
    return [ReferringRow(int(row[0]), str(row[1] or ""), bool(row[2]), str(row[3]), bool(row[4])) for row in rows]
