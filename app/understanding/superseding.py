"""What a message says explicitly no longer holds closes the memory that says it; in doubt that memory stays.

An order ("remove the export") and a declaration ("we no longer use Redis") close. A report ("the export was removed by the last
merge") tells what happened, not that it shall stay so: it waits as a proposal, and the two are a contradiction that a person resolves.
Source: DESIGN section 2 "except a statement that itself says it replaces"; issue 16.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from app.deciders.conversation.authorship import own_words
from app.deciders.memory.contradictions.reversals import Reversal, find_reversals, superseded_by
from app.language.sentences import split_sentences
from app.memories.learn import Learner, SourceMessage, close_memory, note_contradiction, source_of
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.understanding.entity_renames import carry_over
from app.understanding.message_rows import (
    AnyRow,
)
from app.values import (
    Likeness,
    Trust,
)

_CONFIDENCE = 0.8
_REASON = "says that this holds no longer"
_REPORTED = "reports that this is gone, and not that it shall stay so"


def read_reversals(text: str) -> tuple[Reversal, ...]:
    """What the message gives up in the person's own words.

    >>> [one.old for one in read_reversals("rename all the metrics to evaluators")]
    ['the metrics']
    """
    own = own_words(text)
    return find_reversals(
        [one for one in split_sentences(text) if own[one.start : one.end] == text[one.start : one.end]]
    )


def close_superseded(write: Write, source: SourceMessage, taught: Sequence[int], learner: Learner) -> tuple[int, ...]:
    """Closes what the message gives up; the numbers of what was closed. `taught`: the memories that it made or strengthened.

    What it only reports is asked: an open contradiction, and nothing closed.
    """
    if source.is_imported or source.project_id is None:
        return ()
    closed: list[int] = []
    asked: list[int] = []
    for reversal in read_reversals(source.text):
        row = _find(write.connection, reversal, source, {*taught, *closed, *asked})
        if row is None:
            continue
        if reversal.is_report:
            asked += _ask(write, row, reversal, source, taught, learner)
        else:
            _close(write, row, reversal, source, taught)
            closed.append(int(row.id))
    return tuple(closed)


def _find(connection: Connection, reversal: Reversal, source: SourceMessage, passed: set[int]) -> AnyRow | None:
    rated = [
        (surely, row.id)
        for row in judge_rows.list_holding(connection, source.project_id or 0)
        if row.id not in passed and _may_close(row, source.at) and (surely := superseded_by(reversal, row.full)) > 0
    ]
    return judge_rows.find_memory(connection, max(rated)[1]) if rated else None


def _may_close(row: AnyRow, at: datetime) -> bool:
    is_own = row.trust >= Trust.CONFIRMED or row.is_pinned or row.worded_by == "person"
    return not is_own and row.valid_from <= at


def _close(write: Write, row: AnyRow, reversal: Reversal, source: SourceMessage, taught: Sequence[int]) -> None:
    by_id = taught[-1] if taught else None
    new_name = reversal.new.split(" ")[0]  # "rename A to B everywhere"
    quote = source_of(write, source, reversal.start, reversal.end)
    heir_id = carry_over(write, row, [(reversal.old, new_name)], source.text, quote)
    close_memory(write, row, heir_id or by_id, source.at, source.message_id)
    if by_id is not None:
        note_contradiction(write, row, by_id, Likeness("replace", _CONFIDENCE, _REASON), is_closed=True)


def _ask(
    write: Write, row: AnyRow, reversal: Reversal, source: SourceMessage, taught: Sequence[int], learner: Learner
) -> tuple[int, ...]:
    """Opens a contradiction with what the message taught, else with the report itself, which waits; returns both numbers."""
    by_id = taught[-1] if taught else learner.propose(write, source, reversal.start, reversal.end, _REPORTED)
    if by_id is None or by_id == row.id:
        return (int(row.id),)
    if not judge_rows.are_rivals(write.connection, int(row.id), by_id):
        note_contradiction(write, row, by_id, Likeness("contradict", _CONFIDENCE, _REPORTED), is_closed=False)
    return int(row.id), by_id
