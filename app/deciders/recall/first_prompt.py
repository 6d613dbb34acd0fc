"""What the first prompts of a session are given though its start did not: what was said of what such a prompt is about.

A memory is rarely worded as the next prompt is. So three texts are held against the prompt: the memory's own words with the person's,
which count half, the prompt that it was said in, the title of that conversation. Pure: how rare a word is in the language is handed
in; knows no store and no clock. Source: issue 16 point 9.
"""

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

# Over nine starts of three streams that the weight was chosen on two of: 24 wanted statements of 107 instead of 20 with the memories of
# rules (.40 of 55 lines useful instead of .39 of 46), 55 instead of 53 with a judge's (.41 of 46 instead of .42 of 41); in no stream
# fewer. Weights fitted to more signs (titles, episodes, worth, type, newness, likeness to the last work) were no better.
_OWN_SHARE, _LEAST = 0.5, 1.2
# A reader who saw no code judged 63 lines that nobody had confirmed, given to 41 sessions of one project: of the 20 below this one was
# useful and 17 were noise, of the others 11 and 22.
_LEAST_UNCONFIRMED = 1.5
_UNKNOWN_SHARE = 0.7  # of what its own words are alike, for a prompt or a title that is not known
_EXTRA_STEMS = 3  # a title of two words is no better sign than a sentence


class PromptCandidate(NamedTuple):
    """A memory by the stems of all that is known of where it comes from."""

    key: int
    own: AbstractSet[str]  # its statement, and the person's words for it
    prompts: Sequence[AbstractSet[str]]  # it was said in, as far as these are kept
    title: AbstractSet[str]  # of the conversation
    is_unconfirmed: bool = False


def choose_alike(
    prompt: AbstractSet[str], known: Sequence[PromptCandidate], rarity: Callable[[str], float], most: int
) -> dict[int, float]:
    """The keys of at most `most` memories with how much each has to do with the prompt, best first. `rarity`: 0..1, of a stem.

    >>> gate = PromptCandidate(1, frozenset({"gate", "dusk"}), [frozenset({"gate", "timer"})], frozenset({"gate"}))
    >>> choose_alike(frozenset({"gate", "timer"}), [gate, PromptCandidate(2, frozenset({"port"}), [], frozenset())], lambda stem: 1.0, 5)
    {1: 1.62}
    """

    def liken(stems: AbstractSet[str]) -> float:
        return sum(map(rarity, stems & prompt)) / math.sqrt(_EXTRA_STEMS + len(stems))

    def fit(one: PromptCandidate) -> float:
        own = liken(one.own)
        prompts = max(map(liken, one.prompts)) if one.prompts else _UNKNOWN_SHARE * own
        return round(_OWN_SHARE * own + prompts + (liken(one.title) if one.title else _UNKNOWN_SHARE * own), 2)

    fits = {one.key: fit(one) for one in known}
    least = {one.key: _LEAST_UNCONFIRMED if one.is_unconfirmed else _LEAST for one in known}
    best = sorted((key for key, share in fits.items() if share >= least[key]), key=lambda key: (-fits[key], key))
    return {key: fits[key] for key in best[: max(0, most)]}
