"""What the pointing words of a quote stand for: shown beside it, so that the person's words stay the person's words.

Derived: read from the references of the quoted message when a memory is shown, so a correction, a judge's reading and an erasure are
followed at once. Knows no window. Source: issue 16, "The person's words stay the person's words".
"""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from app.deciders.conversation.references.values import AHEAD
from app.store.journal import table_of
from app.store.slices import slices
from app.store.tables.core import MessageRow, ReferenceRow
from app.understanding.message_rows import AnyRow
from app.values import Gloss, ReferenceKind, ReferenceState

_reference, _message = table_of(ReferenceRow), table_of(MessageRow)
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
                _reference.c.reason != AHEAD,
            )
            .order_by(_reference.c.start)
        )
    ]
    found: dict[int, tuple[Gloss, ...]] = {}
    for source in kept:
        quote = source.quote.casefold()
        found[source.id] = tuple(
            Gloss(row.mention, row.start, row.antecedent, row.reason, _named_in(row))
            for row in rows
            if row.message_id == source.message_id
            and source.start <= row.start
            and row.end <= source.end
            and row.mention
            and row.antecedent.casefold() not in quote
        )
    return found


def _named_in(row: AnyRow) -> int | None:
    is_here = row.antecedent_message_id is None and row.antecedent.casefold() in row.text.casefold()
    return int(row.message_id) if is_here else row.antecedent_message_id
