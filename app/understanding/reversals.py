"""What the person gives up in so many words closes the memory that speaks of it; in doubt that memory waits for a look.

    message ── app/deciders/memory/contradictions/reversals.py ── what is given up
        ▼
    memories of the project that hold ── the one with the words of it ── closed by this message, one click back

Nothing is closed that a person confirmed, pinned or worded, that this message itself taught, or that is newer; an imported history
closes nothing. Knows rows and the decider. Source: issue 16, "real changes of mind that were heard"; DESIGN section 2 "except a
statement that itself says it replaces".
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from app.deciders.conversation.authorship import own_words
from app.deciders.memory.contradictions.reversals import Reversal, find_reversals, gives_up
from app.language.sentences import split_sentences
from app.memories.learn import Said, close_memory, note_rival, source_of
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.understanding.message_rows import AnyRow
from app.understanding.renaming import carry_over
from app.values import Likeness, Trust

_CONFIDENCE = 0.8
_REASON = "says that this holds no longer"


def read_reversals(text: str) -> tuple[Reversal, ...]:
    """What the message gives up in the person's own words.

    >>> [one.old for one in read_reversals("rename all the metrics to evaluators")]
    ['the metrics']
    """
    own = own_words(text)
    return find_reversals(
        [one for one in split_sentences(text) if own[one.start : one.end] == text[one.start : one.end]]
    )


def close_given_up(write: Write, said: Said, taught: Sequence[int]) -> tuple[int, ...]:
    """Closes what the message gives up; the numbers of what was closed. `taught`: the memories that it made or strengthened."""
    if said.is_imported or said.project_id is None:
        return ()
    closed: list[int] = []
    for reversal in read_reversals(said.text):
        row = _find(write.connection, reversal, said, {*taught, *closed})
        if row is not None:
            _close(write, row, reversal, said, taught)
            closed.append(int(row.id))
    return tuple(closed)


def _find(connection: Connection, reversal: Reversal, said: Said, passed: set[int]) -> AnyRow | None:
    rated = [
        (surely, row.id, row)
        for row in judge_rows.load_holding(connection, said.project_id or 0)
        if row.id not in passed and _may_close(row, said.at) and (surely := gives_up(reversal, row.full)) > 0
    ]
    return max(rated, key=lambda one: one[:2])[2] if rated else None


def _may_close(row: AnyRow, at: datetime) -> bool:
    is_own = row.trust >= Trust.CONFIRMED or row.is_pinned or row.worded_by == "person"
    return not is_own and row.valid_from <= at


def _close(write: Write, row: AnyRow, reversal: Reversal, said: Said, taught: Sequence[int]) -> None:
    by_id = taught[-1] if taught else None
    new_name = reversal.new.split(" ")[0]  # "rename A to B everywhere"
    source = source_of(write, said, reversal.start, reversal.end)
    heir_id = carry_over(write, row, [(reversal.old, new_name)], said.text, source)
    close_memory(write, row, heir_id or by_id, said.at, said.message_id)
    if by_id is not None:
        note_rival(write, row, by_id, Likeness("replace", _CONFIDENCE, _REASON), is_closed=True)
