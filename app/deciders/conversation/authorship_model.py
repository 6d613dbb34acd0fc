"""Which of the person's sentences may be somebody else's after all: the third answer beside own and foreign (`authorship`).

Where no form proves a paste, many small signs together make it likely: weights that were learned weigh them. What is learned from an
unsure sentence waits for the person. How the weights are learned: `app.evaluation.training.authorship`. Knows the text alone. Source: issue 15.
"""

from collections.abc import Sequence
from functools import cache

from app.deciders.conversation.authorship import split_authors
from app.deciders.conversation.authorship_features import SentenceAt, features_of
from app.deciders.feature_weights import SCALE, FeatureWeights
from app.resources import resource_path

UNSURE_REASON = "may be pasted"
_LEAST = (
    -0.3
)  # logits: what waits for no reason is confirmed with one click, what slips through is told as the person's word
_MAX_READ_CHARS = 20_000


def _score(names: frozenset[str]) -> float:
    """How much the features speak for somebody else, in logits."""
    model = _shipped_model()
    return (model.bias + sum(model.weights.get(name, 0) for name in names)) / SCALE


@cache
def _shipped_model() -> FeatureWeights:
    return FeatureWeights.load(resource_path("voices", "weights.json"))


def may_be_pasted(text: str, places: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """For each stretch [start, end) of the person's own words whether somebody else may have written it.

    >>> text = "thoughts?\\n\\nLinkedIn message, Carla M.: I only work with Vue. My rate is fixed until June."
    >>> may_be_pasted(text, [(text.index("My rate"), len(text))])
    (True,)
    """
    found = features_of(text[:_MAX_READ_CHARS], [SentenceAt(*place) for place in places], _foreign(text))
    return tuple(
        place[1] > _MAX_READ_CHARS or _score(names) > _LEAST for place, names in zip(places, found, strict=True)
    )


def _foreign(text: str) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split_authors(text) if not one.is_own]
