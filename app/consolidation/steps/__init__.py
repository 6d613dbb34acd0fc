"""The steps of consolidation, each a module of its own, and the order in which they run (see the README). Source: S4, DESIGN 5."""

from collections.abc import Iterable

from app.consolidation.step_interface import Step

ORDER = (
    "deduplicate",
    "episodes",
    "compress",
    "usage",
    "contradictions",
    "forget",
    "links",
    "rules",
    "workflows",
    "code_patterns",
    "decay",
    "archive",
    "notes",
)


def in_order(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Each name once, by `ORDER`; a name that is not in it comes last."""
    by_name = {one.name: one for one in steps}
    places = {name: place for place, name in enumerate(ORDER)}
    return tuple(sorted(by_name.values(), key=lambda one: (places.get(one.name, len(ORDER)), one.name)))
