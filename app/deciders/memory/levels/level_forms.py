"""How a statement is written at each level, before the guarantees of `app.deciders.memory.levels.compress`.

Owns the two forms of a fact: as it was said, and by its slot ("Database: PostgreSQL (JSON support)", "db:pg"). The
other kinds are in `app.deciders.memory.levels.compress`. Source: S4, "Fact Compression".
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from app.deciders.memory.levels.shorten import Plan, choose_words, join_words, places_of, with_needs
from app.deciders.memory.levels.word_weights import CARRYING, Kind, Word
from app.language.abbreviations import load_abbreviations, split_words
from app.language.token_counts import count_tokens
from app.values.memory import Slot

# Shares of the tokens of the full text. A name, a number, a "not" or a "must" may go beyond what other words may fill.
SUMMARY_RATIO = 0.37
SUMMARY_CARRYING_RATIO = 0.80
COMPRESSED_RATIO = 0.08
COMPRESSED_CARRYING_RATIO = 0.40
MIN_SUMMARY_TOKENS = 4
MIN_SUMMARY_CARRYING_TOKENS = 10
MIN_COMPRESSED_TOKENS = 2
MIN_COMPRESSED_TOKENS_OF_SHORT = 3  # two words of a short statement rarely say what it is about
MIN_COMPRESSED_CARRYING_TOKENS = 5
SHORT_TOKENS = 16
RESERVED_TOKENS = 2  # for who or what, in a short statement whose names and numbers fill the budget
MAX_SUMMARY_TOKENS = 240
MAX_COMPRESSED_TOKENS = 48
DEAR_TOKENS = 3  # a path or link of more tokens is in the summary, not in the compressed level
MAX_INDEX_CHARS = 50
_MAX_HEAD_RATIO = 0.7  # a slot that takes more of the text than that says it no shorter
_INDEX_WORDS = 3
_MIN_STEM_CHARS = 4
_LINKING = frozenset({"with", "without", "in", "to", "from", "by", "on", "at", "for", "via", "through", "into", "under", "per", "of", "as", "between", "over", "behind", "before", "after"})  # fmt: skip
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "its", "all", "every", "each", "this"})
_STATING = frozenset({Kind.NUMBER, Kind.IDENTIFIER, Kind.NAME})


@dataclass(frozen=True, slots=True)
class Forms:
    """What each level may be, the best draft first: the first that is not longer than the level above is taken."""

    summaries: tuple[str, ...]
    compressed: tuple[str, ...]
    indexes: Iterable[str]  # may be drafted only when asked for


def text_forms(words: Sequence[Word], full_tokens: int) -> Forms:
    """The levels of a statement as it was said."""
    summary = _with_prepositions(words, choose_words(words, *_summary_plan(words, full_tokens)))
    compressed = choose_words(words, *_compressed_plan(words, full_tokens))
    return Forms((join_words(words, summary),), (abbreviate(words, compressed),), index_drafts(words))


def _with_prepositions(words: Sequence[Word], kept: Sequence[int]) -> Sequence[int]:
    """ "deployed with Docker Compose": what follows a preposition is not told without it."""
    more = set(kept)
    for place in kept:
        before = place - 2 if place > 1 and words[place - 1].lower in _ARTICLES else place - 1
        if before >= 0 and words[before].lower in _LINKING and words[before].clause == words[place].clause:
            more.add(before)
    return sorted(more)


def slot_forms(words: Sequence[Word], full_tokens: int, slot: Slot, value: str, *, is_negated: bool) -> Forms | None:
    """The levels of a statement about a slot; None when its "not" would not be told so."""
    covered = _covered_places(words, slot, value)
    denying = {need for place in covered for need in words[place].needs if words[need].kind is Kind.NEGATION}
    if denying and not is_negated:
        return None
    head = _SlotHead.of(words, slot, value, is_negated=is_negated)
    skipped = covered | denying | {place for place, word in enumerate(words) if word.kind is Kind.WEAK}
    budget, plan = _summary_plan(words, full_tokens, skipped)
    used = count_tokens(head.summary) + 2
    if used - 2 > full_tokens * _MAX_HEAD_RATIO:
        return None
    more_places = choose_words(words, budget - used, _less(plan, used))
    if not places_of(_STATING, words) - covered <= set(more_places):
        return None  # as it was said it keeps more names and numbers
    more = join_words(words, more_places)
    budget, plan = _compressed_plan(words, full_tokens, skipped)
    used = count_tokens(head.compressed) + 2
    few = abbreviate(words, choose_words(words, budget - used, _less(plan, used)))
    return Forms(
        (f"{head.summary} ({more})" if more else head.summary,),
        (f"{head.compressed}({few})" if few else head.compressed, head.compressed),
        head.indexes,
    )


def name_drafts(words: Sequence[Word], slot: Slot, value: str, *, is_negated: bool) -> tuple[str, ...]:
    """What and its value in short forms, the fuller first: "session-file-name:x_2", "session-file:x_2"."""
    head = _SlotHead.of(words, slot, value, is_negated=is_negated)
    short = "-".join(load_abbreviations().shorten(slot.subject.lower().split()))
    return (head.compressed, *((f"{short}:{'not ' if is_negated else ''}{value}",) if short else ()))


@dataclass(frozen=True, slots=True)
class _SlotHead:
    summary: str
    compressed: str
    indexes: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[Word], slot: Slot, value: str, *, is_negated: bool) -> "_SlotHead":
        surface = {word.lower: word.text for word in words}
        shorter = load_abbreviations()
        no = "not " if is_negated else ""
        name = " ".join(surface.get(part, part) for part in f"{slot.subject} {slot.attribute}".split())
        value_words = [part for part in value.split() if part.lower() not in slot.attribute.split()] or value.split()
        value = " ".join(value_words)
        written = surface.get(value.lower(), value)
        short_name = "-".join(shorter.shorten(name.lower().split()))
        where = "-".join(shorter.shorten(slot.scope.lower().split(), includes_names=True))
        at = f"@{where}" if where else ""
        short_value = "-".join(shorter.shorten(f"{no}{value}".lower().split(), includes_names=True))
        return cls(
            summary=f"{name[:1].upper()}{name[1:]}{f' ({slot.scope})' if slot.scope else ''}: {no}{written}",
            compressed=f"{short_name}{at}:{no}{' '.join(shorter.shorten(written.split()))}",
            indexes=(
                f"{short_name}{at}:{short_value}".lower(),
                f"{short_name}:{short_value}".lower(),
                short_value.lower(),
            ),
        )


def abbreviate(words: Sequence[Word], kept: Sequence[int]) -> str:
    """The kept words as a line in short forms."""
    line = join_words(words, kept, marks_sentences=False)
    return "; ".join(" ".join(load_abbreviations().shorten(part.split(" "))) for part in line.split("; "))


def index_drafts(words: Sequence[Word]) -> Iterator[str]:
    """Drafts of an index: the weightiest words joined, from three down to one, each with its "not"."""
    negation = main_negation(words)
    for count in range(_INDEX_WORDS, 0, -1):
        kept = choose_words(words, MAX_INDEX_CHARS, Plan(always=negation, limit=count))
        draft = join_words(words, kept, marks_sentences=False)
        short = load_abbreviations().shorten(draft.lower().split(" "), includes_names=True)
        yield "_".join(short).replace(";_", ",")
        yield " ".join(short)
        yield draft
    for place in negation:
        yield " ".join(words[k].text for k in sorted(with_needs(place, words)))


def main_negation(words: Sequence[Word]) -> set[int]:
    """The negation of the most telling sentence, the first of equals; empty when nothing is denied."""
    places = [place for place, word in enumerate(words) if word.kind is Kind.NEGATION]
    return {max(places, key=lambda place: (words[place].weight, -place))} if places else set()


def _summary_plan(words: Sequence[Word], full_tokens: int, skipped: AbstractSet[int] = frozenset()) -> tuple[int, Plan]:
    negations = {place for place, word in enumerate(words) if word.kind is Kind.NEGATION}
    carrying_tokens = max(MIN_SUMMARY_CARRYING_TOKENS, round(full_tokens * SUMMARY_CARRYING_RATIO))
    budget = max(MIN_SUMMARY_TOKENS, round(full_tokens * SUMMARY_RATIO))
    return min(budget, MAX_SUMMARY_TOKENS), Plan(
        always=(negations if full_tokens <= MAX_SUMMARY_TOKENS else main_negation(words)) - skipped,
        preferred=places_of(CARRYING, words),
        preferred_tokens=min(carrying_tokens, MAX_SUMMARY_TOKENS),
        reserved_tokens=RESERVED_TOKENS if full_tokens <= SHORT_TOKENS else 0,
        skipped=skipped,
    )


def _compressed_plan(
    words: Sequence[Word], full_tokens: int, skipped: AbstractSet[int] = frozenset()
) -> tuple[int, Plan]:
    floor = MIN_COMPRESSED_TOKENS_OF_SHORT if full_tokens <= SHORT_TOKENS else MIN_COMPRESSED_TOKENS
    carrying_tokens = max(MIN_COMPRESSED_CARRYING_TOKENS, round(full_tokens * COMPRESSED_CARRYING_RATIO))
    budget = max(floor, round(full_tokens * COMPRESSED_RATIO))
    return min(budget, MAX_COMPRESSED_TOKENS), Plan(
        always=main_negation(words) - skipped,
        preferred=places_of(_STATING, words),
        preferred_tokens=min(carrying_tokens, MAX_COMPRESSED_TOKENS),
        dear_tokens=DEAR_TOKENS,
        skipped=skipped,
    )


def _less(plan: Plan, used_tokens: int) -> Plan:
    return replace(plan, preferred_tokens=plan.preferred_tokens - used_tokens)


def _covered_places(words: Sequence[Word], slot: Slot, value: str) -> set[int]:
    """Places of words that the slot and its value say already; "Postgres" is said by "postgresql"."""
    slot_words = {
        part for text in (slot.subject, slot.attribute, slot.scope, value) for part in split_words(text.lower())
    }
    slot_words.add(value.lower())
    stems = {part for part in slot_words if len(part) >= _MIN_STEM_CHARS}
    return {
        place
        for place, word in enumerate(words)
        if word.lower in slot_words
        or (len(word.lower) >= _MIN_STEM_CHARS and any(stem.startswith(word.lower) for stem in stems))
    }
