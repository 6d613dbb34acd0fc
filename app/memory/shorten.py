"""Shortens a text to a budget of tokens by keeping its weightiest words in their order.

Owns the choice of words; a "not" goes with what it denies, a number with its unit. Deterministic, O(n log n).
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from app.memory.wording import Kind, Word


def choose_words(
    words: Sequence[Word],
    budget_tokens: int,
    *,
    always: AbstractSet[int] = frozenset(),
    skipped: AbstractSet[int] = frozenset(),
    limit: int = 0,
) -> list[int]:
    """Places of the words to keep, ascending: those `always` kept, then the weightiest that fit the budget.

    A word is chosen once however often it is said; places in `skipped` never; at most `limit` by weight (0: any).
    """
    kept: set[int] = set()
    for place in sorted(always):
        kept |= with_needs(place, words) - skipped
    seen = {words[place].lower for place in kept}
    spent = sum(words[place].token_count for place in kept)
    chosen_count = 0
    for place in _by_gain(words, kept | skipped):
        if limit and chosen_count >= limit:
            break
        wanted = with_needs(place, words) - kept - skipped
        cost = sum(words[k].token_count for k in wanted)
        if words[place].lower in seen or spent + cost > budget_tokens:
            continue
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
    wanted, open_places = set[int](), [place]
    while open_places:
        current = open_places.pop()
        if current not in wanted:
            wanted.add(current)
            open_places.extend(words[current].needs)
    return wanted


def join_words(words: Sequence[Word], kept: Iterable[int]) -> str:
    """The kept words as a line; "; " where a sentence of the source ended."""
    parts: list[str] = []
    before: Word | None = None
    for word in (words[place] for place in kept):
        if before is not None:
            parts.append("; " if word.sentence != before.sentence else " ")
        parts.append(word.text)
        before = word
    return "".join(parts)


def _by_gain(words: Sequence[Word], without: AbstractSet[int]) -> list[int]:
    places = [
        k
        for k, word in enumerate(words)
        if k not in without and word.kind not in {Kind.FUNCTION, Kind.COMPARATOR, Kind.NEGATION}
    ]
    return sorted(places, key=lambda k: (-words[k].weight / words[k].token_count ** 0.5, k))
