"""What a run reads: only what is new, what is like it, and what has lain long enough for a step that goes by age."""

from collections.abc import Iterable
from typing import Any

import pytest

from app.api import Engine, FrozenClock
from app.consolidation import step_interface
from tests.app.consolidation.memories import project_of, remember, work

_TEXTS = (
    "The mail service writes each order into Postgres.",
    "Grafana shows the latency of the search gateway.",
    "Terraform keeps its state in the bucket of the ledger.",
)


def test_a_run_reads_what_changed_and_what_is_old_enough_and_nothing_else(
    engine: Engine, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, other = project_of(engine), project_of(engine, "/w/other")
    old = [remember(engine, text, project_id=project) for text in _TEXTS]
    young = [remember(engine, text, project_id=other) for text in _TEXTS]
    _plan(engine)
    read = _watch(monkeypatch)
    new = remember(engine, "The price list of the shop is a CSV file.", project_id=project)
    _plan(engine)
    assert set(read) == {new}, "nothing is old enough, and nothing is like the new one"
    work(engine, clock, project, 7)
    read.clear()
    _plan(engine)
    assert set(read) == {*old, new}, "seven days of work went by in one project; in the other none"
    assert not set(read) & set(young)
    assert len(read) == len(set(read)), "each is read once"


def test_what_is_pinned_or_confirmed_is_not_read_for_its_age(
    engine: Engine, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(engine)
    remember(engine, _TEXTS[0], project_id=project, is_pinned=True)
    remember(engine, _TEXTS[1], project_id=project, trust=3)
    plain = remember(engine, _TEXTS[2], project_id=project)
    _plan(engine)
    work(engine, clock, project, 40)
    read = _watch(monkeypatch)
    _plan(engine)
    assert set(read) == {plain}


def _plan(engine: Engine) -> None:
    while engine._core.indexing.catch_up():
        pass
    engine.consolidation.run()


def _watch(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the memories that are read for plans from now on."""
    read: list[int] = []
    load = step_interface.load_memories

    def watched(connection: Any, now: Any, ids: Iterable[int] | None = None, *rest: Any, **named: Any) -> Any:
        found = load(connection, now, ids, *rest, **named)
        read.extend(one.id for one in found)
        return found

    monkeypatch.setattr(step_interface, "load_memories", watched)
    return read
