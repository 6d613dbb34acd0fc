"""Chunks of a long conversation: beyond 20 recent messages the oldest 10 are summed up; beyond the limit chunks merge.

The messages themselves stay as long as their conversation does. Chunks follow the messages: when a person splits, joins
or moves, what no longer fits is made again in the same operation. Source: S3 "Chunking Strategy", "Chunk Compression".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.summary import list_topics
from app.deciders.memory.levels.summarise import (
    merge_chunk_summaries,
    merge_topics,
    plan_chunks,
    plan_merges,
    summarise_messages,
)
from app.language.token_counts import count_tokens
from app.settings import Settings
from app.store.journal import Record, Write
from app.store.rows.message import expanded_texts
from app.store.table_queries import ids_with, rows_with
from app.store.tables.memory import ChunkRow
from app.understanding.message_rows import AnyRow, load_prior
from app.values import Chunk
from app.values.fast_values import value_of

_SUMMARY_TOKENS = 150  # S3: "Summaries ~100-200 tokens each"
_MERGED_TOKENS = 600  # a chain of merged summaries is not longer than this


class Chunker:
    """Keeps the chunks of conversations in step with their messages."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings

    def grow(self, write: Write, conversation_id: int, message_count: int) -> None:
        """After one more message: sums up when that made too many recent ones. Costs nothing in a short conversation."""
        recent = self._settings().recent_messages
        if message_count <= recent:
            return
        chunked = rows_with(write.connection, ChunkRow, "message_count", conversation_id=conversation_id)
        if message_count - sum(row.message_count for row in chunked) > recent:
            self.settle(write, conversation_id)

    def settle(self, write: Write, conversation_id: int) -> None:
        """Makes the chunks what the conversation's messages ask for; nothing is written when they are."""
        chunks = _load_chunks(write.connection, conversation_id)
        messages = expanded_texts(write.connection, conversation_id)
        fitting, used_count = _fitting(chunks, [int(row.id) for row in messages])
        stale = [int(row.id) for row in chunks[len(fitting) :]]
        settings = self._settings()
        size = min(settings.chunk_messages, settings.recent_messages)
        planned = plan_chunks(messages[used_count:], max_recent=settings.recent_messages, chunk_size=size)
        write.delete_many(ChunkRow, stale)
        number = max((int(row.number) for row in fitting), default=0)
        for place, group in enumerate(planned, start=number + 1):
            write.insert(ChunkRow, _record(write, conversation_id, place, group))
        if planned:
            self._merge(write, conversation_id, settings.max_chunks)

    def _merge(self, write: Write, conversation_id: int, max_chunks: int) -> None:
        chunks = _load_chunks(write.connection, conversation_id)
        merging = plan_merges(chunks, max_chunks=max_chunks)
        if not merging:
            return
        first, last = merging[0], merging[-1]
        summary = str(first.summary)
        for row in merging[1:]:
            summary = merge_chunk_summaries(summary, row.summary, max_tokens=_MERGED_TOKENS)
        values = {
            "last_message_id": last.last_message_id,
            "message_count": sum(row.message_count for row in merging),
            "summary": summary,
            "topics": list(merge_topics(*(row.topics for row in merging))),
            "token_count": count_tokens(summary),
            "is_merged": True,
        }
        write.update(ChunkRow, first.id, values)
        write.delete_many(ChunkRow, [int(row.id) for row in merging[1:]])


def drop_chunks(write: Write, conversation_id: int) -> None:
    """The chunks of a conversation whose text goes."""
    write.delete_many(ChunkRow, ids_with(write.connection, ChunkRow, conversation_id=conversation_id))


def list_chunks(connection: Connection, conversation_id: int) -> tuple[Chunk, ...]:
    """The chunks of one conversation, oldest first."""
    return tuple(_chunk_of(row) for row in _load_chunks(connection, conversation_id))


def _load_chunks(connection: Connection, conversation_id: int) -> list[AnyRow]:
    rows = rows_with(connection, ChunkRow, conversation_id=conversation_id)
    return sorted(rows, key=lambda row: row.number)


def _fitting(chunks: Sequence[AnyRow], message_ids: Sequence[int]) -> tuple[list[AnyRow], int]:
    """The chunks from the first on that still stand for the first messages, and how many messages those are."""
    fitting: list[AnyRow] = []
    used = 0
    for row in chunks:
        if not row.message_count:  # it came with a file, without the messages that it sums up
            fitting.append(row)
            continue
        theirs = message_ids[used : used + row.message_count]
        if len(theirs) < row.message_count or (theirs[0], theirs[-1]) != (row.first_message_id, row.last_message_id):
            break
        fitting.append(row)
        used += row.message_count
    return fitting, used


def _record(write: Write, conversation_id: int, number: int, group: Iterable[Any]) -> Record:
    listed = list(group)
    summary, words = summarise_messages([own_words(row.text) for row in listed], max_tokens=_SUMMARY_TOKENS)
    # the things that were named; weighty words only where none was
    ids = [int(row.id) for row in listed]
    topics = list_topics(load_prior(write.connection, ids=ids, newest=len(ids))) or words
    return {
        "conversation_id": conversation_id,
        "number": number,
        "first_message_id": listed[0].id,
        "last_message_id": listed[-1].id,
        "message_count": len(listed),
        "summary": summary,
        "topics": list(topics),
        "token_count": count_tokens(summary),
        "created_at": write.at,
        "is_merged": False,
    }


def _chunk_of(row: AnyRow) -> Chunk:
    return value_of(Chunk, row, topics=tuple(row.topics))
