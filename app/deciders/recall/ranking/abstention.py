"""Decides that nothing fits, so that a question without an answer gets none instead of the least bad memory.

Looks at how much of what was asked one memory and its neighbours hold, weighed by rarity; at names that nobody here bears; and at
whether what was found is said by somebody else than the one asked about. Weights and bounds are round numbers set by hand, not
learnt. Pure; the same in the app and in the evaluation. Source: QUALITY A8.
"""

from collections.abc import Callable, Mapping, Sequence

from app.deciders.recall.ranking.query import QueryTerm
from app.deciders.recall.ranking.rank import RankedCandidate

LEAST_SHARE = 0.15  # of the rarity asked for, in one memory and its neighbours
LEAST_WITHOUT_NAME = 0.7  # when the one asked about is not among those who speak, or stands nowhere
CLEARLY_SAID = 0.5  # by somebody else
_LONG_QUERY = 8  # things asked for; a prompt of a hundred words is answered by no single memory
_DEPTH = 10
_LEAST_HELD = 0.5  # a synonym ranks low, but says that the thing is spoken of
_LABEL_DEPTH = 40


def find_abstention_reason(ranked: Sequence[RankedCandidate], query_terms: Sequence[QueryTerm]) -> str:
    """Why the answer should be empty, for people; "" when something fits.

    >>> find_abstention_reason([], ())
    'No memory holds any of these words.'
    """
    if not ranked:
        return "No memory holds any of these words."
    names = [at for at, entry in enumerate(query_terms) if entry.is_name]
    rest = [at for at, entry in enumerate(query_terms) if not entry.is_name]
    share = _joint_share(ranked[:_DEPTH], query_terms, rest, names[:1])
    if share < LEAST_SHARE * min(1.0, _LONG_QUERY / max(len(rest), 1)):
        return "Nothing that is remembered holds enough of what was asked."
    if not names or len(rest) > _LONG_QUERY * 2:
        return ""
    return _judge_names(ranked, query_terms, names, rest, share)


def _judge_names(
    ranked: Sequence[RankedCandidate],
    query_terms: Sequence[QueryTerm],
    names: Sequence[int],
    rest: Sequence[int],
    share: float,
) -> str:
    asked = [query_terms[at].stem for at in names]
    labels = {one.candidate.label for one in ranked[:_LABEL_DEPTH]}
    name = query_terms[names[0]].word
    is_talk = all(labels)
    if not query_terms[names[0]].is_known and (is_talk or share < LEAST_WITHOUT_NAME):
        return f"Nothing called {name} is remembered."
    if not is_talk:
        return ""
    present = labels.intersection(asked)
    if not present and share < LEAST_WITHOUT_NAME:
        return f"What is remembered was not said by {name}, and says too little of this."
    if len(present) == 1 and len(labels) > 1:
        own = _best_share(ranked, query_terms, rest, lambda label: label in present)
        others = _best_share(ranked, query_terms, rest, lambda label: label not in present)
        if others >= CLEARLY_SAID and own < others / 2:
            return f"This was said by somebody other than {name}."
    return ""


def _joint_share(
    ranked: Sequence[RankedCandidate], query_terms: Sequence[QueryTerm], rest: Sequence[int], first_name: Sequence[int]
) -> float:
    """The largest share of the rest's rarity that one memory with its neighbours holds, the name being there too."""
    near = [one.near for one in ranked]
    with_name = [found for found in near if first_name[0] in found] if first_name else near
    if not rest:
        return 1.0 if with_name else 0.0
    is_name_known = not first_name or query_terms[first_name[0]].is_known
    return _best_held(with_name if is_name_known else near, query_terms, rest)


def _best_share(
    ranked: Sequence[RankedCandidate],
    query_terms: Sequence[QueryTerm],
    rest: Sequence[int],
    fits: Callable[[str], bool],
) -> float:
    return _best_held([one.found for one in ranked[:_LABEL_DEPTH] if fits(one.candidate.label)], query_terms, rest)


def _best_held(held: Sequence[Mapping[int, float]], query_terms: Sequence[QueryTerm], rest: Sequence[int]) -> float:
    """The largest share of the rest's rarity in one of `held`."""
    rarity = [(at, query_terms[at].idf) for at in rest]
    total = sum([idf for _, idf in rarity])
    if not total:
        return 0.0
    sums = [sum([idf * max(found[at], _LEAST_HELD) for at, idf in rarity if at in found]) for found in held]
    return max(sums, default=0.0) / total
