"""Which of the person's sentences may be somebody else's after all: the third answer beside own and foreign (`authorship`).

Where no form proves a paste, many small signs together make it likely: weights that were learned weigh them. What is learned from an
unsure sentence waits for the person. How the weights are learned: `app.evaluation.training.authorship`. Knows the text alone. Source: issue 15.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.deciders.conversation.authorship import split_authors
from app.deciders.conversation.authorship_features import SentenceAt, features_of
from app.errors import InvalidError
from app.resources import resource_path

SCALE = 100  # weights are kept as whole hundredths: small file, equal sums on every machine
UNSURE_REASON = "may be pasted"
_LEAST = (
    -0.3
)  # logits: what waits for no reason is confirmed with one click, what slips through is told as the person's word
_MAX_READ_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class AuthorshipModel:
    """Whole weights (hundredths) by the name of a feature."""

    weights: Mapping[str, int]
    bias: int
    examples_hash: str

    @classmethod
    def load(cls, path: Path) -> "AuthorshipModel":
        """The model in a weights file. Raises InvalidError when the file is damaged."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return cls(raw["weights"], int(raw["bias"]), str(raw["examples_hash"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidError(
                f"The weights {path} cannot be read: {error}", hint="Install the app again; the file is part of it."
            ) from error

    def dump(self) -> str:
        """What stands in a weights file; the same model gives the same text."""
        whole = {"examples_hash": self.examples_hash, "bias": self.bias, "weights": dict(sorted(self.weights.items()))}
        return json.dumps(whole, indent=0, ensure_ascii=False) + "\n"

    def score(self, names: frozenset[str]) -> float:
        """How much the signs speak for somebody else, in logits."""
        return (self.bias + sum(self.weights.get(name, 0) for name in names)) / SCALE


@cache
def _shipped_model() -> AuthorshipModel:
    return AuthorshipModel.load(resource_path("voices", "weights.json"))


def may_be_pasted(text: str, places: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """For each stretch [start, end) of the person's own words whether somebody else may have written it.

    >>> text = "thoughts?\\n\\nLinkedIn message, Carla M.: I only work with Vue. My rate is fixed until June."
    >>> may_be_pasted(text, [(text.index("My rate"), len(text))])
    (True,)
    """
    found = features_of(text[:_MAX_READ_CHARS], [SentenceAt(*place) for place in places], _foreign(text))
    return tuple(
        place[1] > _MAX_READ_CHARS or _shipped_model().score(names) > _LEAST
        for place, names in zip(places, found, strict=True)
    )


def _foreign(text: str) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split_authors(text) if not one.is_own]
