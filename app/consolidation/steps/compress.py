"""Compress: what is long and lies unused is given as its summary, later in its compressed form. Source: S4 `summarize_episodes`,
`compress_episodes` (7 and 30 days).

The short form is whole sentences of the memory, word by word: forms that leave words out told a stranger the opposite ("was
being fixed" became "fixed"). Of an episode only sentences go that say nothing of what was done ("All tests pass"), each where its part keeps another: strangers who read
single sentences of stories missed the other parts, the change itself, or were told the opposite of how it ended. The full text stays, and what is used again is given in full again (`usage`). Short memories, those of one
sentence, what the person keeps, and rules that must be told word by word are left alone.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.consolidation.steps.forget import is_last, load_aged
from app.language.sentences import split_sentences
from app.language.token_counts import count_tokens
from app.store.journal import Write
from app.store.tables.memory import MemoryRow
from app.values import Level, MemoryKind

_LONG_TOKENS = 40  # shorter ones cost a context hardly anything
_SHARE = {Level.SUMMARY: 0.6, Level.COMPRESSED: 0.35}  # of the tokens of the full text, at most
_SHORTER = 0.85  # of its tokens at most: else it is left as it is
_DAYS = r"\d{1,2} \w{3} \d{4}(?:, \d{1,2} \w{3} \d{4})*,"  # with which a part of merged episodes begins
_TITLE = re.compile(rf"(?:You worked on|{_DAYS}) “[^”]+”\.")
_PART = re.compile(rf"({_DAYS} “[^”]+”|(?!Next\b)[^\s“”](?:[^.!?;“”]|\.(?=\w)){{2,90}}): (?=\S)")
_FILLER = re.compile(
    r"^(?:[A-Z][\w ]{0,24} changed |(?:All )?(?:\d+ )?[Tt]ests pass(?:ed)?|Your \w+ is working)|(?:^|: )(?:An? )?[Cc]ommit message (?:was|is) \w+|commit message (?:was )?(?:written|made)\.?$"
)
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
        is_story = one.kind == MemoryKind.EPISODE
        short = shorten_story(one.text) if is_story else leading_sentences(one.text, int(one.tokens[0] * _SHARE[level]))
        saved = one.tokens[_PLACE[one.given_level]] - count_tokens(short)
        if short and saved > 0:
            why = f"not used on {days} days of work"
            data = {"level": level.value}
            found.append(Proposal("shorten", (one.id,), why, data=data, text=short, saved_tokens=saved))
    return found


def leading_sentences(text: str, most_tokens: int) -> str:
    """As many whole sentences from the start as fit, as they are; "" where the first does not fit.

    >>> leading_sentences("Exports are CSV. The header is in English, because the office in Oslo reads it. Dates are ISO.", 12)
    'Exports are CSV.'
    """
    kept = ""
    for sentence in _sentences(text):
        longer = f"{kept} {sentence}".strip()
        if count_tokens(longer) > most_tokens:
            break
        kept = longer
    return kept


def shorten_story(text: str) -> str:
    """An episode without the sentences that say nothing of what was done, where the part they are in keeps another; "" where hardly anything would go.

    >>> text = "You worked on “Export”. CSV is written. All 3 tests pass. Import: Not tried yet."
    >>> shorten_story(text)
    'You worked on “Export”. CSV is written. Import: Not tried yet.'
    >>> shorten_story("You worked on “Export”. A commit message was written for the new header.")
    ''
    """
    sentences = _sentences(text)
    heads = [_head_of(one) for one in sentences]
    parts = list(accumulate(bool(head) for head in heads))
    said = [head != one and not _FILLER.search(one) for head, one in zip(heads, sentences, strict=True)]
    telling = {part for part, is_said in zip(parts, said, strict=True) if is_said}
    kept = [
        one
        for one, part, head in zip(sentences, parts, heads, strict=True)
        if head or part not in telling or not _FILLER.search(one)
    ]
    short = " ".join(kept)
    return short if count_tokens(short) <= _SHORTER * count_tokens(text) else ""


def _head_of(sentence: str) -> str:
    """The title that a part of an episode begins with, as a sentence; "" for what continues."""
    if _TITLE.fullmatch(sentence):
        return sentence
    found = _PART.match(sentence)
    return f"{found[1]}." if found is not None else ""


def _sentences(text: str) -> list[str]:
    """Whole sentences: what a semicolon or a colon parts belongs together."""
    found: list[str] = []
    start = 0
    for one in split_sentences(text):
        piece = text[start : one.end].strip()
        if not piece.endswith((";", ":", ",")):
            found.append(piece)
            start = one.end
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _apply(write: Write, action: Row[Any]) -> None:
    (memory_id,) = action.memory_ids
    row = write.get(MemoryRow, memory_id)
    level = str(action.data["level"])
    is_of_it = all(one.rstrip(".") in row.full for one in _sentences(str(action.text)))
    if _PLACE[row.given_level] >= _PLACE[level] or not is_of_it:
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
