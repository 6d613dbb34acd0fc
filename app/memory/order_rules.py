"""The words and weights by which orders and styles are told from tasks: parsed from `resources/rules/orders.yaml`.

Owns parsing and compiling; decides nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.memory.lowered import is_found


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity, as the other rules
class OrderRules:
    conventions: frozenset[str]
    habits: frozenset[str]
    tasks: frozenset[str]
    displays: frozenset[str]
    no_bans: frozenset[str]
    topics: frozenset[str]
    fixed_parts: frozenset[str]
    places: frozenset[str]
    expressions: Mapping[str, re.Pattern[str]]
    weights: Mapping[str, float]
    least: float
    most: float
    style_weights: Mapping[str, float]
    style_least: float
    style_attributes: frozenset[str]

    @staticmethod
    def parse(rules: Mapping[str, Any]) -> "OrderRules":
        """The rules of the file. Raises KeyError for a missing part, re.error for a wrong expression."""
        words = {
            name: frozenset(str(one).lower() for one in value)
            for name, value in rules.items()
            if isinstance(value, list)
        }
        expressions = {str(name): re.compile(str(body), re.IGNORECASE) for name, body in rules["expressions"].items()}
        return OrderRules(
            conventions=words["conventions"],
            habits=words["habits"],
            tasks=words["tasks"],
            displays=words["displays"],
            no_bans=words["no_bans"],
            topics=words["topics"],
            fixed_parts=words["fixed_parts"],
            places=words["places"],
            expressions=expressions,
            weights={str(name): float(weight) for name, weight in rules["weights"].items()},
            least=float(rules["thresholds"]["least"]),
            most=float(rules["thresholds"]["most"]),
            style_weights={str(name): float(weight) for name, weight in rules["style_weights"].items()},
            style_least=float(rules["style_least"]),
            style_attributes=words["style_attributes"],
        )

    def has(self, name: str, text: str) -> bool:
        """Whether the expression `name` is found in the text."""
        return is_found(self.expressions[name], text, text.lower())
