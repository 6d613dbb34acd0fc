"""Recipes: how recall weighs relevance, age, importance and use. Data in `resources/rules/recall/recipes.yaml`.

Owns reading and checking them; the weighing is in `rank`. Source: S3 "Retrieval Weights", DESIGN section 2.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import InvalidError
from app.resources import load_rules, misfit

PARTS = frozenset({"meaning", "keyword", "relevance", "recency", "importance", "access", "time"})
_ALSO_CALLED = {"semantic": "meaning"}  # by [S3]
_GIVEN = "weights as given"


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    is_gated: bool
    weights: Mapping[str, float]  # of PARTS, none below 0

    def weight(self, part: str) -> float:
        return self.weights.get(part, 0.0)


def parse_recipes(rules: Mapping[str, Any]) -> dict[str, Recipe]:
    """Recipes by name. Raises InvalidError naming what does not fit.

    >>> parse_recipes({"recipes": {"mine": {"kind": "weighted", "weights": {"keyword": 1}}}})["mine"].weight("keyword")
    1.0
    """
    try:
        return {str(name): _parse(str(name), entry) for name, entry in rules["recipes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise misfit("recipes", error) from error


def _parse(name: str, entry: Mapping[str, Any]) -> Recipe:
    weights = {str(part): float(weight) for part, weight in entry["weights"].items()}
    unknown = weights.keys() - PARTS
    if unknown:
        raise ValueError(f"{name} weighs {', '.join(sorted(unknown))}; known are {', '.join(sorted(PARTS))}")
    if entry["kind"] not in {"gated", "weighted"} or min(weights.values(), default=0) < 0:
        raise ValueError(f"{name} must be gated or weighted, with weights of 0 or more")
    is_gated = entry["kind"] == "gated"
    if not is_gated and sum(weights.values()) <= 0:
        raise ValueError(f"{name} weighs nothing")
    return Recipe(name, is_gated, weights)


def load_recipes(user_dir: Path | None = None) -> dict[str, Recipe]:
    return parse_recipes(load_rules("recipes", user_dir))


def choose_recipe(recipes: Mapping[str, Recipe], name: str) -> Recipe:
    """The recipe called `name`. Raises InvalidError naming those that exist."""
    if name not in recipes:
        raise InvalidError(f"There is no recipe called {name!r}.", hint=f"Choose one of: {', '.join(recipes)}.")
    return recipes[name]


def parse_weights(text: str) -> dict[str, float]:
    """Weights by part, as typed. Raises InvalidError naming what does not fit.

    >>> parse_weights("semantic .4, keyword=0.3 recency:1"), parse_weights(" ")
    ({'meaning': 0.4, 'keyword': 0.3, 'recency': 1.0}, {})
    """
    words = text.replace(",", " ").replace("=", " ").replace(":", " ").split()
    if len(words) % 2:
        raise _no_weights("each part needs a number after it")
    try:
        return check_weights({part: float(weight) for part, weight in zip(words[::2], words[1::2], strict=True)})
    except ValueError as error:
        raise _no_weights(str(error)) from error


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The same weights by the names that recall uses. Raises InvalidError naming what does not fit."""
    known = {_ALSO_CALLED.get(part, part): weight for part, weight in weights.items()}
    unknown = known.keys() - PARTS
    if unknown:
        raise _no_weights(f"{', '.join(sorted(unknown))} is no part of a score")
    if not all(math.isfinite(weight) and weight >= 0 for weight in known.values()):
        raise _no_weights("a weight is a number of 0 or more")
    if known and sum(known.values()) <= 0:
        raise _no_weights("they weigh nothing")
    return known


def weigh(recipe: Recipe, weights: Mapping[str, float]) -> Recipe:
    """The recipe of a query that brings its own weights: their mean, as in [S3]; without any the recipe itself."""
    return Recipe(_GIVEN, is_gated=False, weights=weights) if weights else recipe


def _no_weights(why: str) -> InvalidError:
    known = ", ".join(sorted(PARTS - {"time"}))
    return InvalidError(
        f"These weights cannot be used: {why}.", hint=f"For example: keyword .3, recency .7. You can weigh {known}."
    )
