"""Compress: what is long and lies unused is given as its summary, later in its compressed form. Source: S4 `summarize_episodes`,
`compress_episodes` (7 and 30 days).

The short form is the first whole sentences of the memory, word by word: forms that leave words out told a stranger the opposite ("was
being fixed" became "fixed"). The full text stays, and what is used again is given in full again (`usage`). Short memories, those of one
sentence, what the person keeps, and rules that must be told word by word are left alone.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.consolidation.steps.forget import is_last, load_aged
from app.language.sentences import split_sentences
from app.language.token_counts import count_tokens
from app.store.journal import Write
from app.store.tables.memory import MemoryRow
from app.values import Level

_LONG_TOKENS = 40  # shorter ones cost a context hardly anything
_SHARE = {Level.SUMMARY: 0.6, Level.COMPRESSED: 0.35}  # of the tokens of the full text, at most
_COLUMN = {Level.SUMMARY.value: "summary", Level.COMPRESSED.value: "compressed"}
_PLACE = {Level.FULL.value: 0, Level.SUMMARY.value: 1, Level.COMPRESSED.value: 2}


def _load(connection: Connection, context: PlanContext) -> tuple[MemoryFacts, ...]:
    return load_aged(connection, context)


def plan(memories: Sequence[MemoryFacts], context: PlanContext) -> list[Proposal]:
    """One proposal for each that has lain long enough and would be shorter."""
    settings = context.settings
    found = []
    for one in memories:
        if one.is_kept or is_last(one) or one.is_closed or one.tokens[0] < _LONG_TOKENS:
            continue
        days = context.work_days.since(one.used_at, one.project_id)
        level = Level.FULL
        if days >= settings.compressed_days:
            level = Level.COMPRESSED
        elif days >= settings.summary_days:
            level = Level.SUMMARY
        if _PLACE[level.value] <= _PLACE[one.given_level]:
            continue
        short = leading_sentences(one.text, int(one.tokens[0] * _SHARE[level]))
        saved = one.tokens[_PLACE[one.given_level]] - count_tokens(short)
        if short and saved > 0:
            why = f"not used on {days} days of work"
            data = {"level": level.value}
            found.append(Proposal("shorten", (one.id,), why, data=data, text=short, saved_tokens=saved))
    return found


def leading_sentences(text: str, most_tokens: int) -> str:
    """As many whole sentences from the start as fit, as they stand; "" where the first does not fit.

    >>> leading_sentences("Exports are CSV. The header is in English, because the office in Oslo reads it. Dates are ISO.", 12)
    'Exports are CSV.'
    """
    end = 0
    for sentence in split_sentences(text):
        if count_tokens(text[: sentence.end]) > most_tokens:
            break
        end = sentence.end
    return text[:end].strip()


def _apply(write: Write, action: Row[Any]) -> None:
    (memory_id,) = action.memory_ids
    row = write.get(MemoryRow, memory_id)
    level = str(action.data["level"])
    if _PLACE[row.given_level] >= _PLACE[level] or not row.full.startswith(action.text):
        raise SkipAction("It is given as short already, or says something else since.")
    column = _COLUMN[level]
    values = {"given_level": level, column: action.text, f"{column}_tokens": count_tokens(action.text)}
    write.update(MemoryRow, memory_id, values, was=row)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    return DiffLines(tuple(texts[one].full for one in action.memory_ids if one in texts), (action.text,))


COMPRESS = Step(
    "compress",
    "Shortening what is unused",
    _load,
    plan,
    {"shorten": StepAction("shortened", _apply, counts_as=("compressed",), show=_show)},
)
