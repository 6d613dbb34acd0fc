"""The prompt archive as a file, one line a prompt, and back: kept, not understood; what is there already is left out.

Source: issue 16 point 13, QUALITY E9, S12.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

from sqlalchemy import Connection

from app.capture.streams import Streams
from app.interop.prompts import parse_object, read_lines, str_of
from app.store.journal import Write
from app.store.rows.archived_prompts import PastPrompt, load_archived_prompts, load_prompts_of
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import ConversationRow
from app.store.tables.types import to_microseconds
from app.understanding.conversations.queue import new_conversation

KIND = "archived_prompt"
_AT_ONCE = 500
Keep = Callable[[Write, Sequence[tuple[int, int, datetime, str]]], None]


def archive_lines(connection: Connection) -> Iterator[bytes]:
    """Every archived prompt, the newest first, with the title and beginning of its conversation."""
    before: int | None = None
    while some := load_archived_prompts(connection, before_id=before, limit=_AT_ONCE):
        ids = sorted({one.conversation_id for one in some})
        conversations = {row.id: row for row in rows_with(connection, ConversationRow, id=ids)}
        for one in some:
            conversation = conversations.get(one.conversation_id)
            yield _line(
                one, conversation.title if conversation else "", conversation.started_at if conversation else one.at
            )
        before = some[-1].id


def _line(one: PastPrompt, title: str, started_at: datetime) -> bytes:
    entry = {
        "kind": KIND, "at": one.at.isoformat(), "app": one.app, "project": one.project, "session": one.session,
        "title": title, "started_at": started_at.isoformat(), "text": one.text,
    }  # fmt: skip
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def is_archive_line(entry: Mapping[str, Any]) -> bool:
    return entry.get("kind") == KIND and "text" in entry and "at" in entry


def import_archive(
    write: Write,
    stream: BinaryIO,
    streams: Streams,
    *,
    clean: Callable[[str], str],
    is_excluded: Callable[[Iterable[str], Iterable[str]], bool],
    keep: Keep,
) -> tuple[int, int, int]:
    """Taken, left out, unreadable: `clean` takes secrets out, `keep` puts into the archive what the choice keeps."""
    taken = known = failed = 0
    conversations: dict[tuple[int, datetime], int] = {}
    there: dict[int, set[tuple[int, str]]] = {}
    for line in read_lines(stream, 0):
        entry = parse_object(line)
        if entry is None:
            continue
        at = _instant(str_of(entry, "at")) if isinstance(entry, dict) and is_archive_line(entry) else None
        if not isinstance(entry, dict) or at is None:
            failed += 1
            continue
        started_at = _instant(str_of(entry, "started_at"))
        if is_excluded([str_of(entry, "project")], [str_of(entry, "text")]):
            known += 1
            continue
        at = min(at, write.at)
        app_id = streams.ensure_app(write, clean(str_of(entry, "app"))[:64] or "api")
        ids = streams.ensure_in(
            write, app_id=app_id, path=clean(str_of(entry, "project")), session=clean(str_of(entry, "session")) or KIND,
            at=at,
        )  # fmt: skip
        began = min(started_at or at, at)
        conversation_id = conversations.get((ids.stream_id, began)) or _conversation_of(
            write, ids.stream_id, began, clean(str_of(entry, "title"))
        )
        conversations[ids.stream_id, began] = conversation_id
        if conversation_id not in there:
            there[conversation_id] = {(one.at, one.text) for one in load_prompts_of(write.connection, conversation_id)}
        text = clean(str_of(entry, "text"))
        key = (to_microseconds(at), text)
        if key in there[conversation_id] or not text.strip():
            known += 1
            continue
        there[conversation_id].add(key)
        keep(write, [(conversation_id, ids.stream_id, at, text)])
        taken += 1
    return taken, known, failed


def _conversation_of(write: Write, stream_id: int, began: datetime, title: str) -> int:
    """The conversation of this stream that began then; a new one that has left the queue already."""
    known = ids_with(write.connection, ConversationRow, stream_id=stream_id, started_at=began)
    if known:
        return known[0]
    values = new_conversation(stream_id, began, to_microseconds(began))
    made = write.insert(
        ConversationRow, values | {"state": "evicted", "title": title, "ended_at": began, "auto_title": title}
    )
    write.touched_conversations.discard(made)
    return made


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
