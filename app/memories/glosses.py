"""What the pointing words of a quote stand for, and what it answers: shown beside it, so that the person's words stay the person's.

Derived: read from the references of the quoted message and the answer before it when a memory is shown, so a correction, a judge's
reading and an erasure are followed at once. Knows no window. Source: issue 16, "The person's words stay the person's words".
"""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from app.deciders.conversation.assistant_questions import question_answered
from app.deciders.conversation.references.values import QUOTED_BEHIND
from app.store.journal import table_of
from app.store.rows.judge import load_asked
from app.store.slices import slices
from app.store.tables.core import MessageRow, ReferenceRow
from app.understanding.message_rows import AnyRow
from app.values import Gloss, ReferenceKind, ReferenceState, Speaker

_reference, _message = table_of(ReferenceRow), table_of(MessageRow)
ANSWERS = "asked by the answer before it"
_before = _message.alias()
_KNOWN = (ReferenceState.RESOLVED.value, ReferenceState.CORRECTED.value)


def load_glosses(connection: Connection, sources: Sequence[AnyRow]) -> dict[int, tuple[Gloss, ...]]:
    """By the number of a source, in the order of its words; what the quote says itself needs none.

    `sources`: rows of `memory_source` with `kept_id`, None where the message has left.
    """
    kept = [row for row in sources if row.kept_id is not None and row.end > row.start]
    rows = [
        row
        for ids in slices(sorted({one.message_id for one in kept}))
        for row in connection.execute(
            select(_reference, _message.c.text)
            .join(_message, _message.c.id == _reference.c.message_id)
            .where(
                _reference.c.message_id.in_(ids),
                _reference.c.state.in_(_KNOWN),
                _reference.c.antecedent.is_not(None),
                _reference.c.kind != ReferenceKind.CONVERSATION.value,
                _reference.c.reason != QUOTED_BEHIND,
            )
            .order_by(_reference.c.start)
        )
    ]
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
    ids = sorted({one.message_id for one in sources})
    before = (
        select(func.max(_before.c.id))
        .where(
            _before.c.conversation_id == _message.c.conversation_id,
            _before.c.speaker == Speaker.USER.value,
            _before.c.id < _message.c.id,
        )
        .scalar_subquery()
    )
    rows = {
        row.id: row
        for some in slices(ids)
        for row in connection.execute(
            select(_message.c.id, _message.c.text, before.label("before")).where(_message.c.id.in_(some))
        )
    }
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
