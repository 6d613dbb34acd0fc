"""Compress: what is long and lies unused is given as its summary, later in its compressed form. Source: S4 `summarize_episodes`,
`compress_episodes` (7 and 30 days).

The short form is whole sentences of the memory, word by word: forms that leave words out told a stranger the opposite ("was
being fixed" became "fixed"). Of an episode stay the title of each part, how the part ended, and what is left open: a stranger who read title or first
sentence alone missed the other parts, and once was told the opposite of how it ended. The full text stays, and what is used again is given in full again (`usage`). Short memories, those of one
sentence, what the person keeps, and rules that must be told word by word are left alone.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
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
_OPEN = re.compile(
    r"\b(?:not (?:yet|tried|confirmed|done|finished)|next\b|still|remains?\b|to follow|(?:is|are|was|were) (?:being|begun|started|agreed|ordered)|did not|does not|was to be|(?:is|are) to be"
    r"|waits?\b|open\b|for now|only\b|later\b|instead|dropped|rejected|back to|because)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:[A-Z][\w ]{0,24} (?:changed|committed) |(?:All )?(?:\d+ )?[Tt]ests pass(?:ed)?|Your \w+ is working)|(?:^|: )(?:An? )?[Cc]ommit message (?:was|is) \w+|commit message (?:was )?(?:written|made)\.?$"
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
        make = shorten_story if one.kind == MemoryKind.EPISODE else leading_sentences
        short = make(one.text, int(one.tokens[0] * _SHARE[level]))
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
    kept = ""
    for sentence in _sentences(text):
        longer = f"{kept} {sentence}".strip()
        if count_tokens(longer) > most_tokens:
            break
        kept = longer
    return kept


def shorten_story(text: str, most_tokens: int) -> str:
    """An episode with fewer sentences: the title of each of its parts stays, so do what is left open and how each part ended; then what came first, as far as it fits; "" where hardly anything would go.

    >>> text = "You worked on “Export”. CSV files are written. Dates were fixed after a long search. Import: Not tried yet. All 3 tests pass."
    >>> shorten_story(text, 20)
    'You worked on “Export”. Dates were fixed after a long search. Import: Not tried yet.'
    >>> shorten_story("3 May 2026, “Export”: It took a day. CSV is written.\\n4 May 2026, “Import”: It took a week. CSV is read.", 9)
    '3 May 2026, “Export”. CSV is written. 4 May 2026, “Import”. CSV is read.'
    """
    sentences = _sentences(text)
    heads = [_head_of(one) for one in sentences]
    told = [place for place, one in enumerate(sentences) if heads[place] != one]
    kept = {place for place in told if _OPEN.search(sentences[place])}
    filler = {place for place in told if _FILLER.search(sentences[place])}
    worth = [place for place in told if place not in filler]
    kept |= _ends(heads, worth, kept)
    for place in [*worth, *sorted(filler)]:
        if count_tokens(_told(sentences, heads, kept | {place})) <= most_tokens:
            kept.add(place)
    if not kept:
        kept = set(told[-1:])
    short = _told(sentences, heads, kept)
    return short if kept and count_tokens(short) <= _SHORTER * count_tokens(text) else ""


def _ends(heads: Sequence[str], worth: Sequence[int], is_open: AbstractSet[int]) -> set[int]:
    """The last sentence of each part that says something, beside what is left open."""
    starts = [place for place, head in enumerate(heads) if head]
    found = set()
    for start, end in pairwise([*starts, len(heads)] if starts[:1] == [0] else [0, *starts, len(heads)]):
        own = [place for place in worth if start <= place < end and place not in is_open]
        found.update(own[-1:])
    return found


def _told(sentences: Sequence[str], heads: Sequence[str], kept: AbstractSet[int]) -> str:
    """The kept sentences, and of the others the titles."""
    return " ".join(filter(None, (one if at in kept else heads[at] for at, one in enumerate(sentences))))


def _head_of(sentence: str) -> str:
    """The title that a part of an episode begins with, as a sentence; "" for what goes on."""
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
