"""What comes of an invented history behind the conversations: connected assistants, contexts given to three of them (one with too small a
budget), contradictions, readings, a run of consolidation, and what a person who works there would draw into the graph.

Who reads along is `ui.demo.judge`, a program with invented answers that stands where Claude Code's would. Everything through the engine's
own doors; a thing that is not there is left out of the graph, so that another history needs no other links.
"""

import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.values import ContextRequest, ContextSignals, MemoryDraft
from app.values.capture import CaptureRequest, Scope
from app.values.graph import NodeId, NodeKind, Relation
from ui.demo.when import When

if TYPE_CHECKING:
    from app.api import Engine

_PATIENCE_S = 60.0  # what is not there then is not shown
_LOOK_EVERY_S = 0.02
_ROOT = "/home/demo/src"
_JUDGE = ("-P", "-m", f"{__name__.removesuffix('derived_data')}judge")
_WRITTEN = (
    (
        When(10, "09:20"),
        "orchard",
        "Labels of the customs office are printed twice, once for the box and once for the file.",
    ),
    (When(9, "08:50"), "orchard", "Releases go out on Mondays."),
    (When(8, "14:10"), "orchard", "A shipment that comes back is counted again before it is put on the shelf."),
    (When(5, "09:00"), "lantern", "The shop is deployed with Docker Compose."),
    (When(4, "16:45"), "orchard", "Every release gets a line in the changelog."),
    (When(3, "11:40"), "orchard", "Releases never go out on Mondays."),
    (
        When(2, "10:10"),
        "orchard",
        "Each release gets a line in the changelog.",
    ),  # says what is known: the run merges it
    # the same words in another order, once with the same meaning and once with another: the run asks
    (
        When(2, "16:30"),
        "orchard",
        "Labels of the customs office are printed twice: once for the file, once for the box.",
    ),
    (When(1, "09:40"), "orchard", "A shipment that comes back is put on the shelf again before it is counted."),
    (When(1, "11:00"), "lantern", "The shop is deployed with Kubernetes instead of Docker Compose."),
    (
        When(minutes_ago=190),
        "orchard",
        "Delivery notes must not be kept for longer than ten years.",
    ),  # known too: left for the next run
)
_RUN = When(minutes_ago=240)
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
    ((_MEMORY, "Delivery notes must not be kept"), Relation.ABOUT, (_NAME, "delivery notes"), ""),
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


def background_steps(now: datetime) -> list[tuple[datetime, "Callable[[Engine], None]"]]:
    """When each was written and when the memory was consolidated, and what does it."""
    steps: list[tuple[datetime, Callable[[Engine], None]]] = [
        (when.before(now), partial(_write, draft=MemoryDraft(text, project_path=f"{_ROOT}/{project}")))
        for when, project, text in _WRITTEN
    ]
    return [*steps, (_RUN.before(now), _consolidate)]


def let_read(engine: "Engine") -> None:
    """From now on the model of the example reads along."""
    _put_on_path("claude", engine.places.state_dir)
    engine.judge.decline()  # the one question was answered
    engine.settings.set_together({"is_judge_noting": False, "judge": "claude-code"}, "Claude Code reads along")


def wait_for_background(engine: "Engine") -> None:
    """Until notes are written and all that was asked for is read."""
    _wait(lambda: not engine.notes.pending_count and not engine.stats.now().judge_pending_count)


def connect_assistants(engine: "Engine", home: Path) -> None:
    """As a person does it: one by its own settings, in a home of the example's own, two by a token."""
    (home / ".claude").mkdir(exist_ok=True)
    engine.apps.connect("claude-code")
    for name, title in (("cursor", "Cursor"), ("copilot", "Copilot")):
        engine.apps.create(name, title, frozenset((Scope.CAPTURE, Scope.READ)))


def _write(engine: "Engine", *, draft: MemoryDraft) -> None:
    engine.memories.create(draft)


def _consolidate(engine: "Engine") -> None:
    engine.contradictions.settle(_PATIENCE_S)
    engine.consolidation.run()


def _put_on_path(name: str, folder: Path) -> None:
    """A program of that name that starts our reader, before any other: nothing is sent to anybody."""
    program = folder / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.join((sys.executable, *_JUDGE))}\n", encoding="utf-8")
    program.chmod(0o700)
    os.environ["PATH"] = os.pathsep.join((str(program.parent), os.environ.get("PATH", os.defpath)))


def _wait(is_done: "Callable[[], bool]") -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not is_done() and time.monotonic() < end_s:
        time.sleep(_LOOK_EVERY_S)


@dataclass(frozen=True, slots=True)
class _Given:
    when: When
    app: str
    project: str
    session: str
    prompt: str
    file: str = ""
    error: str = ""
    budget_tokens: int | None = None  # None: the limit of the settings for its kind
    is_asked: bool = False  # by the assistant itself: that fills its budget, a prompt is given only what it is about


_GIVEN: tuple[_Given, ...] = (
    _Given(When(3, "13:30"), "cursor", "lantern", "l1", ""),
    _Given(When(minutes_ago=36), "claude-code", "lantern", "l2", "Build a filter panel for the orders page, all by keyboard",
          "src/orders/FilterPanel.tsx"),
    _Given(When(2, "09:20"), "copilot", "orchard", "o1", "Why does the migration of shipments fail on production?",
          "db/migrations/0042_shipments.sql", 'psycopg.errors.UndefinedTable: relation "deliveries" does not exist', 320,
          is_asked=True),
    _Given(When(2, "09:31"), "copilot", "orchard", "o1", "Write the dump of the same day before the migration"),
    _Given(When(minutes_ago=7), "claude-code", "orchard", "o2",
          "Refactor the webhook handler: retries stop after five attempts, then the dead letter table of PostgreSQL",
          "api/webhook.py"),
)  # fmt: skip


def context_steps(now: datetime) -> list[tuple[datetime, "Callable[[Engine], None]"]]:
    """When each was asked for, and what asks for it."""
    return [(one.when.before(now), partial(_give, one=one)) for one in _GIVEN]


def give_at_prompt(engine: "Engine", request: CaptureRequest) -> None:
    """What an invented assistant was given with its first prompt."""
    signals = ContextSignals(
        project_path=request.project_root, app=request.app, session=request.session, prompt=request.text
    )
    limit = engine.settings.current.hook_tokens
    engine.context.assemble(ContextRequest(signals, budget_tokens=limit, delivery="hook:prompt"))


def _give(engine: "Engine", one: _Given) -> None:
    signals = ContextSignals(
        project_path=f"{_ROOT}/{one.project}",
        app=one.app,
        session=f"demo-{one.session}",
        prompt=one.prompt,
        current_file=one.file,
        recent_errors=(one.error,) if one.error else (),
    )
    delivery = "mcp" if one.is_asked else "hook:prompt" if one.prompt else "hook:start"
    settings = engine.settings.current
    limit = settings.start_tokens if delivery == "hook:start" else settings.hook_tokens
    engine.context.assemble(ContextRequest(signals, budget_tokens=one.budget_tokens or limit, delivery=delivery))


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
