"""What hangs together in the invented history, as a person who works there would draw it: reasons, parts, causes; and a place of their own.

Everything through `engine.graph`; a thing that is not there is left out, so that another history needs no other links.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from app.values.graph import NodeId, NodeKind, Relation
from ui.demo.when import When

if TYPE_CHECKING:
    from app.api import Engine

_WHEN = (When(9, "17:00"), When(6, "17:30"), When(4, "17:00"), When(2, "17:00"), When(1, "17:00"), When(minutes_ago=6))
_MEMORY, _NAME, _TALK = NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.CONVERSATION
_End = tuple[NodeKind, str]  # its kind, and how its title or text begins
_LINKS: tuple[tuple[_End, Relation, _End, str], ...] = (
    ((_MEMORY, "Shipments are stored in PostgreSQL"), Relation.ABOUT, (_NAME, "shipments"), ""),
    ((_MEMORY, "Shipments are stored in PostgreSQL"), Relation.SUPERSEDES, (_MEMORY, "Shipments are stored in MySQL"), "every import locked the whole table"),
    ((_MEMORY, "Rename deliveries to shipments"), Relation.ABOUT, (_NAME, "shipments"), ""),
    ((_MEMORY, "Rename deliveries to shipments"), Relation.DEPENDS_ON, (_MEMORY, "Never run migrations"), "there was a dump of the same day"),
    ((_MEMORY, "Never run migrations"), Relation.ABOUT, (_NAME, "migration"), ""),
    ((_MEMORY, "Never run migrations"), Relation.ABOUT, (_NAME, "production data"), ""),
    ((_MEMORY, "To rebuild the index"), Relation.ABOUT, (_NAME, "index"), ""),
    ((_MEMORY, "To rebuild the index"), Relation.DEPENDS_ON, (_MEMORY, "Shipments are stored in PostgreSQL"), "only PostgreSQL builds an index while work goes on"),
    ((_MEMORY, "The nightly job should"), Relation.ABOUT, (_NAME, "nightly job"), ""),
    ((_MEMORY, "The nightly job should"), Relation.CAUSED_BY, (_TALK, "Why does the nightly job"), "forty minutes were too long"),
    ((_MEMORY, "To rebuild the index"), Relation.PART_OF, (_MEMORY, "The nightly job should"), "a fresh index made the second query fast"),
    ((_MEMORY, "The supplier portal sends"), Relation.CAUSES, (_MEMORY, "The nightly job should"), "the files are there at 04:30, people at 05:00"),
    ((_MEMORY, "The supplier portal sends"), Relation.ABOUT, (_NAME, "supplier portal"), ""),
    ((_MEMORY, "Mara looks after"), Relation.ABOUT, (_NAME, "supplier portal"), ""),
    ((_MEMORY, "Delivery notes may not"), Relation.ABOUT, (_NAME, "delivery notes"), ""),
    ((_MEMORY, "The nightly job should"), Relation.DEPENDS_ON, (_MEMORY, "Shipments are stored in PostgreSQL"), ""),
    ((_MEMORY, "The importer must not"), Relation.ABOUT, (_NAME, "import"), ""),
    ((_MEMORY, "The importer must not"), Relation.RELATED_TO, (_MEMORY, "The supplier portal sends"), "one file a day, and a large one"),
    ((_MEMORY, "Webhook retries stop"), Relation.ABOUT, (_NAME, "webhook"), ""),
    ((_MEMORY, "Webhook retries stop"), Relation.ABOUT, (_NAME, "retry table"), ""),
    ((_MEMORY, "The retry table has"), Relation.PART_OF, (_MEMORY, "Webhook retries stop"), "it says when the next attempt is due"),
    ((_MEMORY, "The router stays"), Relation.ABOUT, (_NAME, "router"), ""),
    ((_MEMORY, "The router stays"), Relation.DEPENDS_ON, (_MEMORY, "The settings page is to be"), "the page is migrated with its translation"),
    ((_MEMORY, "The settings page is to be"), Relation.ABOUT, (_NAME, "settings page"), ""),
    ((_MEMORY, "The settings page is to be"), Relation.RELATED_TO, (_NAME, "language switch"), ""),
    ((_MEMORY, "All dialogs must be"), Relation.ABOUT, (_NAME, "accessibility"), ""),
    ((_MEMORY, "All dialogs must be"), Relation.RELATED_TO, (_TALK, "Add a language switch"), "the review asked for it"),
    ((_MEMORY, "The bundle of the login"), Relation.ABOUT, (_NAME, "login form"), ""),
    ((_MEMORY, "Sessions expire"), Relation.RELATED_TO, (_NAME, "login form"), ""),
    ((_MEMORY, "The brand colour is"), Relation.ABOUT, (_NAME, "brand colour"), ""),
    ((_MEMORY, "The export button calls"), Relation.ABOUT, (_NAME, "export button"), ""),
    ((_MEMORY, "FilterPanel is the side"), Relation.ABOUT, (_NAME, "filter panel"), ""),
    ((_MEMORY, "FilterPanel is the side"), Relation.PART_OF, (_NAME, "orders page"), ""),
    ((_MEMORY, "The export button calls"), Relation.DEPENDS_ON, (_MEMORY, "FilterPanel is the side"), "it sends the current filter along"),
    ((_MEMORY, "Before a pull request"), Relation.RELATED_TO, (_MEMORY, "To release"), "the one comes before the other"),
    ((_MEMORY, "Prefers pnpm"), Relation.RELATED_TO, (_NAME, "dependencies"), ""),
    ((_MEMORY, "Uses pytest"), Relation.ABOUT, (_NAME, "tests"), ""),
    ((_MEMORY, "Lantern is the web shop"), Relation.RELATED_TO, (_NAME, "warehouse service"), ""),
    ((_MEMORY, "Prefers small functions"), Relation.RELATED_TO, (_TALK, "Refactor the webhook"), "that is how it was asked for"),
    ((_MEMORY, "A handler takes"), Relation.RELATED_TO, (_TALK, "Refactor the webhook"), ""),
    ((_MEMORY, "Feature flags live"), Relation.RELATED_TO, (_MEMORY, "The settings page is to be"), "the translation is behind a flag"),
)  # fmt: skip


def link_steps(now: datetime) -> list[tuple[datetime, Callable[["Engine"], None]]]:
    """When a person drew links, and what draws those whose ends are there by then and that are not drawn yet."""
    drawn: set[int] = set()
    return [(when.before(now), partial(_link, drawn=drawn)) for when in _WHEN]


def _link(engine: "Engine", *, drawn: set[int]) -> None:
    known: dict[_End, NodeId | None] = {}

    def find(end: _End) -> NodeId | None:
        if end not in known:
            kind, words = end
            hits = [node for node in engine.graph.find(words) if node.id.kind is kind]
            named = [node for node in hits if node.title.casefold() == words.casefold()]
            begun = [node for node in hits if words in (node.text or node.title) or node.title.startswith(words)]
            known[end] = next((node.id for node in (*named, *begun)), None)
        return known[end]

    for place, (first, relation, second, reason) in enumerate(_LINKS):
        a, b = (find(first), find(second)) if place not in drawn else (None, None)
        if a is not None and b is not None and a != b:
            engine.graph.draw(a, b, relation, reason=reason)
            drawn.add(place)
