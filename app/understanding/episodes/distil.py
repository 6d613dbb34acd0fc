"""What an assistant's model wrote of its work becomes the conversation's: its title, its to-dos, plan, commits and summary.

What it wrote to be remembered becomes a proposal with its origin, of no trust, and never goes back to the assistant that wrote it.
Texts were dropped before (`app.interop.distil`); what stays here goes with the conversation's messages. Source: DESIGN section 5
"distil", issue 16 point 3, QUALITY S7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.capture.streams import title_of_app
from app.deciders.conversation.assistant_questions import list_questions
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.statements.statements import guess_statement
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source
from app.store.journal import Write
from app.store.rows.context import find_worded_by
from app.store.rows.message import last_prompt
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import ConversationRow
from app.store.tables.memory import MemoryRow
from app.understanding.conversations.derived import make_unique_title
from app.values import Distilled, DistilledKind, MemoryStatus, Trust

WRITTEN_IN = "written_in"  # in the details of a memory that an assistant had written down itself: where
ASKED = "asked"  # in what a conversation has noted: by the number of a prompt, what the answer to it asked, by number
_COMMITS_MAX, _TODOS_MAX, _ASKED_MAX = 20, 60, 12
_PROPOSED = frozenset({DistilledKind.RULE_LINE, DistilledKind.REMEMBERED})
_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class DistilledSource:
    """Who noted something, where and when. `project_id` None: for all projects."""

    app: str
    app_id: int
    project_id: int | None
    stream_id: int
    conversation_id: int | None
    at: datetime


def note_distilled(write: Write, where: DistilledSource, items: Sequence[Distilled]) -> Sequence[Distilled]:
    """Keeps what an event brought, and says what of it: without a conversation only proposals."""
    proposed = [one for one in items if one.kind in _PROPOSED]
    for one in proposed:
        _propose(write, where, one)
    rest = [one for one in items if one.kind not in _PROPOSED]
    if where.conversation_id is None:
        return proposed
    if not rest:
        return items
    row = write.get(ConversationRow, where.conversation_id)
    kept = distilled_of(row.distilled, rest)
    if kept != (row.distilled or {}):
        write.update(ConversationRow, where.conversation_id, {"distilled": kept})
        write.touched_conversations.add(where.conversation_id)
    for one in rest:
        if one.kind in {DistilledKind.TITLE, DistilledKind.NAME}:
            _give_title(write, where.stream_id, where.conversation_id, one)
    return items


def distilled_of(before: Mapping[str, Any] | None, items: Sequence[Distilled]) -> dict[str, Any]:
    """What a conversation's assistant has written, with what it wrote now.

    >>> distilled_of(None, [Distilled(DistilledKind.TODOS, ""), Distilled(DistilledKind.TODO, "Wire the button", "pending")])
    {'todos': [['Wire the button', 'pending']]}
    """
    kept: dict[str, Any] = {
        name: list(value) if isinstance(value, list) else value for name, value in (before or {}).items()
    }
    for one in items:
        match one.kind:
            case DistilledKind.TODOS:
                kept["todos"] = []
            case DistilledKind.TODO:
                kept["todos"] = [*kept.get("todos", []), [one.text, one.detail or "pending"]][-_TODOS_MAX:]
            case DistilledKind.TODO_STATE:
                _set_state(kept.get("todos", []), one)
            case DistilledKind.COMMIT | DistilledKind.PULL_REQUEST:
                name = f"{one.kind.value}s"
                kept[name] = [*(text for text in kept.get(name, []) if text != one.text), one.text][-_COMMITS_MAX:]
                if one.detail:
                    kept["references"] = {**kept.get("references", {}), one.text: one.detail}
            case DistilledKind.PLAN | DistilledKind.DONE | DistilledKind.NEXT:
                kept[one.kind.value] = one.text
            case _:
                pass
    return kept


def note_questions(write: Write, conversation_id: int, answer: str) -> None:
    """Keeps the numbered questions that an answer asks, beside the prompt that it answers: their numbers come back in the next one."""
    asked = list_questions(answer)
    prompt = last_prompt(write.connection, conversation_id=conversation_id) if asked else None
    if prompt is None:
        return
    message_id = int(prompt.id)
    noted = dict(write.get(ConversationRow, conversation_id).distilled or {})
    known = {name: question for name, question in noted.get(ASKED, {}).items() if name != str(message_id)}
    kept = dict([*known.items(), (str(message_id), asked)][-_ASKED_MAX:])
    write.unjournalled(
        ConversationRow, conversation_id, {"distilled": {**noted, ASKED: kept}}
    )  # as the ends of answers


def _set_state(todos: list[list[str]], one: Distilled) -> None:
    place = int(one.text) - 1 if one.text.isdigit() else -1
    if 0 <= place < len(todos):
        todos[place] = [todos[place][0], one.detail]


# titles ---------------------------------------------------------------------------------------------------


def _give_title(write: Write, stream_id: int, conversation_id: int, one: Distilled) -> None:
    """A host's title names its session: the first conversation of it, and the one at hand when the session is called again."""
    rows = [row for row in rows_with(write.connection, ConversationRow, stream_id=stream_id) if row.state != "evicted"]
    named = {(row.distilled or {}).get("title", ""): row.id for row in rows}
    if one.text in named or would_steer_in([one.text]):  # a session start would tell it
        return
    wanted = rows[0].id if rows and set(named) == {""} else conversation_id
    row = write.get(ConversationRow, wanted)
    values: dict[str, Any] = {"distilled": {**(row.distilled or {}), "title": one.text}}
    if not row.is_title_edited:
        values["title"] = make_unique_title(write.connection, one.text, wanted)
    write.update(ConversationRow, wanted, values)
    write.touched_conversations.add(wanted)


# proposals ------------------------------------------------------------------------------------------------


def _propose(write: Write, where: DistilledSource, one: Distilled) -> None:
    """What an assistant wrote down to be remembered: the person decides; once put away it does not come back."""
    same = {"text_key": text_key(one.text), "kind": "fact", "project_id": where.project_id}
    if ids_with(write.connection, MemoryRow, **same):
        return
    guessed = guess_statement(one.text)
    place = one.detail.partition(",")[0] or "its memory"
    is_steering = would_steer_in([one.text])
    memory_id = insert_memory(
        write,
        NewMemory(
            text=one.text,
            type=guessed.type,
            slot=guessed.slot,
            value=guessed.value,
            is_negated=guessed.is_negated,
            details={WRITTEN_IN: one.detail or "its own memory"},
            confidence=_CONFIDENCE,
            trust=Trust.AGENT,
            status=MemoryStatus.QUARANTINED if is_steering else MemoryStatus.PROPOSED,
            project_id=where.project_id,
            app_id=where.app_id,
            valid_from=where.at,
            reason=f"{title_of_app(where.app)} wrote this in {place}",
            worded_by=where.app,
        ),
    )
    insert_source(
        write, memory_id, NewSource(at=where.at, quote=one.text, conversation_id=where.conversation_id, app=where.app)
    )


def find_written_by(connection: Connection, app: str, memory_ids: Sequence[int]) -> frozenset[int]:
    """Which of these memories this assistant had written down itself: it has them already."""
    if not app or not memory_ids:
        return frozenset()
    return find_worded_by(connection, memory_ids, app, WRITTEN_IN)
