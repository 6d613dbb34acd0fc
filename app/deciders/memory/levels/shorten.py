"""Shortens a text to a budget of tokens by keeping its weightiest words in their order.

Owns the choice of words; a "not" goes with what it denies, a number with its unit. Deterministic, O(n log n).
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from app.deciders.memory.levels.word_weights import Kind, Word

_MAX_NEEDS = 16  # "from a to b to c …" without an end is no statement


@dataclass(frozen=True, slots=True)
class Plan:
    """Which places are kept in any case, which come first with a budget of their own, which are never taken."""

    always: AbstractSet[int] = frozenset()
    preferred: AbstractSet[int] = frozenset()
    preferred_tokens: int = 0
    dear_tokens: int = 0  # a preferred word of more tokens has no claim beyond the first; 0 = any has
    reserved_tokens: int = 0  # for other words, however much the preferred ones took
    skipped: AbstractSet[int] = frozenset()
    limit: int = 0  # so many words are chosen by weight; 0 = any number


def choose_words(words: Sequence[Word], budget_tokens: int, plan: Plan = Plan()) -> list[int]:
    """Places of the words to keep, ascending: those `always` kept, the preferred ones, then the weightiest that fit.

    A word is chosen once however often it is said.
    """
    kept: set[int] = set()
    for place in sorted(plan.always):
        kept |= with_needs(place, words) - plan.skipped
    seen = {words[place].lower for place in kept}
    spent = sum(words[place].token_count for place in kept)
    by_gain = _by_gain(words, kept | plan.skipped)
    claims = [place for place in by_gain if place in plan.preferred]
    if plan.dear_tokens:
        claims = claims[:1] + [place for place in claims[1:] if words[place].token_count <= plan.dear_tokens]
    budget = max(budget_tokens, plan.preferred_tokens)
    chosen_count = 0
    for turn, place in enumerate((*claims, *by_gain)):
        if plan.limit and chosen_count >= plan.limit:
            break
        if turn == len(claims):
            budget = max(budget_tokens, spent + plan.reserved_tokens)
        wanted = with_needs(place, words) - kept - plan.skipped
        cost = sum(words[k].token_count for k in wanted)
        if words[place].lower not in seen and spent + cost <= budget:
            kept |= wanted
            seen.add(words[place].lower)
            spent += cost
            chosen_count += 1
    return sorted(kept)


def places_of(kinds: AbstractSet[Kind], words: Sequence[Word]) -> set[int]:
    """Where each distinct word of these kinds is said with most weight, the first such place."""
    best: dict[str, int] = {}
    for place, word in enumerate(words):
        if word.kind in kinds and (word.lower not in best or word.weight > words[best[word.lower]].weight):
            best[word.lower] = place
    return set(best.values())


def with_needs(place: int, words: Sequence[Word]) -> set[int]:
    """`place` and every place without which its word would mislead."""
    wanted = [place]
    for current in wanted:  # grows while it is read: the nearest needs first
        wanted += [need for need in words[current].needs if need not in wanted]
        if len(wanted) >= _MAX_NEEDS:
            break
    return set(wanted)


def join_words(words: Sequence[Word], kept: Iterable[int], *, marks_sentences: bool = True) -> str:
    """The kept words as a line; "; " where a sentence ended, and always where the reach of a "not" ended."""
    parts: list[str] = []
    before: Word | None = None
    for word in (words[place] for place in kept):
        if before is not None:
            ends = marks_sentences and word.sentence != before.sentence
            is_denied = any(words[need].kind is Kind.NEGATION for need in before.needs)
            if before.is_asked and word.sentence != before.sentence:
                parts.append("? ")
            else:
                parts.append("; " if ends or (is_denied and word.clause != before.clause) else " ")
        parts.append(word.text)
        before = word
    return "".join(parts) + ("?" if before is not None and before.is_asked else "")


def _by_gain(words: Sequence[Word], without: AbstractSet[int]) -> list[int]:
    places = [
        k
        for k, word in enumerate(words)
        if k not in without and word.kind not in {Kind.FUNCTION, Kind.COMPARATOR, Kind.NEGATION}
    ]
    return sorted(places, key=lambda k: (-words[k].weight / words[k].token_count ** 0.5, k))
