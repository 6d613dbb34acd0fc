"""What "it" means as a judge reads it, for display: the pointing words of one conversation, asked on demand.

A reading takes the place of the rules' on the conversation screen and says who read it; what a person corrected or dismissed stays,
and nothing is learned from it. Knows no adapter. Source: JUDGE "The request and the answer", references; issue 16 point 7.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.references.expansion import expand_text
from app.judge.request import MAX_MESSAGES, cut_text
from app.judge.tasks import MentionSpan, ReadReference, ReferencesRequest
from app.judge.values import JudgeMessage
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.store.tables.core import MessageRow, ReferenceRow
from app.understanding.message_rows import reference_of
from app.values import ReferenceState

CONFIDENCE = 0.9
_OPEN = frozenset({ReferenceState.RESOLVED, ReferenceState.AMBIGUOUS, ReferenceState.UNRESOLVED})


@dataclass(frozen=True, slots=True)
class PendingReferences:
    """A request for one conversation, and the rows that its mentions stand for."""

    request: ReferencesRequest
    app: str
    app_id: int
    project_id: int
    reference_ids: Mapping[tuple[str, int], int]


def references_request(
    connection: Connection, conversation_id: int, is_hidden: Callable[[str, str], bool]
) -> PendingReferences | None:
    """What is asked of the conversation; None when no word of it points anywhere. `is_hidden`: of a path and a text."""
    rows = [
        row
        for row in judge_rows.load_conversation(connection, conversation_id, MAX_MESSAGES)
        if row.text.strip() and not is_hidden(row.path, row.text)
    ]
    # a text that would be cut in the middle has other places, so its words are not asked about
    shown = {int(row.id) for row in rows if cut_text(row.text) == row.text}
    spans: dict[tuple[str, int], Any] = {}
    for row in judge_rows.load_references(connection, sorted(shown)):
        if row.state in _OPEN and row.end > row.start:
            spans[f"m{row.message_id}", int(row.start)] = row
    if not spans:
        return None
    messages = tuple(
        JudgeMessage(
            int(row.id), conversation_id, str(row.session), row.at, cut_text(row.text), row.answer_end or ""
        )
        for row in rows
    )  # fmt: skip
    mentions = tuple(MentionSpan(message, start, int(row.end)) for (message, start), row in spans.items())
    first = rows[0]
    request = ReferencesRequest(str(first.project), messages, mentions)
    ids = {place: int(row.id) for place, row in spans.items()}
    return PendingReferences(request, str(first.app), int(first.app_id), int(first.project_id), ids)


def apply_references(write: Write, title: str, asked: PendingReferences, found: Sequence[ReadReference]) -> int:
    """Puts the readings in place of the rules'; how many. What was corrected or has gone meanwhile is left alone."""
    changed: set[int] = set()
    count = 0
    wanted = {asked.reference_ids[one.message, one.start]: one for one in found}
    rows = judge_rows.load_references(write.connection, sorted({int(one.message[1:]) for one in found}))
    for row in rows:
        one = wanted.get(int(row.id))
        if one is None or row.state not in _OPEN:
            continue
        source = int(one.source[1:]) if one.source[1:].isdigit() else None
        values = {
            "state": ReferenceState.RESOLVED.value, "antecedent": one.antecedent, "confidence": CONFIDENCE,
            "reason": f"read by {title}", "antecedent_message_id": source,
            "antecedent_conversation_id": asked.request.messages[0].conversation_id if source else None,
        }  # fmt: skip
        write.update(ReferenceRow, row.id, values)
        changed.add(int(row.message_id))
        count += 1
    for message_id in changed:
        message = write.get(MessageRow, message_id)
        references = [reference_of(row) for row in judge_rows.load_references(write.connection, [message_id])]
        expanded = expand_text(message.text, references)
        write.update(MessageRow, message_id, {"expanded_text": expanded if expanded != message.text else None})
        write.touched_conversations.add(message.conversation_id)
    return count
