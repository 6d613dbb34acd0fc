"""R15, R16: over random stores a run and its undo leave the same content, also with other acts between; a second run proposes nothing.

A plan is the same list whenever and wherever it is made: twice in one process, and in two that hash strings differently.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.api import Engine, FrozenClock, Places
from app.errors import UserError
from app.store.journal import table_of
from app.store.rows import consolidation as run_rows
from app.store.tables.memory import UsageEventRow
from app.values import FactType
from app.values.consolidation import ActionState
from tests.app.consolidation.memories import project_of, remember, work
from tests.conftest import START
from tests.dump import dump_store

SUBJECTS = ("billing", "search", "the importer", "the api")
FORMS = (
    "{0} listens on port {1}.", "{0}, listens on port {1}!", "{0} is written in Rust number {1}.",
    "Never restart {0} before {1} o'clock.", "Restart {0} only after {1} o'clock, please.",
)  # fmt: skip
LONG = (
    " and then it checks every row of the catalogue before anything is changed, so that nobody sees half of a list" * 2
)
Said = tuple[int, int, int, int, int]
SAID = st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3), st.integers(0, 6), st.integers(0, 7))
RULES = settings(
    max_examples=10,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


def fill(engine: Engine, clock: FrozenClock, said: Sequence[Said]) -> list[int]:
    """Memories of two projects, some pinned, some long, some used, on days of work."""
    projects = [project_of(engine, "/w/a"), project_of(engine, "/w/b")]
    ids = []
    for subject, form, number, kind, extra in said:
        text = FORMS[form].format(SUBJECTS[subject], number) + (LONG if extra & 1 else "")
        columns = {"is_pinned": True} if extra & 2 else {}
        memory_id = remember(
            engine, text, type=list(FactType)[kind], project_id=projects[extra % 2], importance=0.5, **columns
        )
        ids.append(memory_id)
        if extra & 4:
            with engine._core.store.write_log() as connection:
                use = {"memory_id": memory_id, "at": clock.now(), "kind": "cited", "receipt_id": None}
                connection.execute(table_of(UsageEventRow).insert(), [use])
    for project in projects:
        work(engine, clock, project, 25 * (len(said) % 4))
    return ids


@RULES
@given(said=st.lists(SAID, min_size=1, max_size=14))
def test_a_run_taken_back_leaves_the_same_content(said: list[Said]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        with closing(Engine.open(Places.under(Path(folder)), clock=clock)) as engine:
            fill(engine, clock, said)
            before = dump_store(engine.places.store_path)
            card = engine.consolidation.run()
            after = dump_store(engine.places.store_path)
            assert (after != before) == card.is_undoable
            again = engine.consolidation.run()
            assert [one for one in engine.consolidation.actions(again.id) if one.state is ActionState.APPLIED] == []
            assert dump_store(engine.places.store_path) == after
            if card.is_undoable:
                applied = sum(one.applied for one in card.counts)
                assert engine.consolidation.undo(card.id) == (applied, 0)
            assert dump_store(engine.places.store_path) == before


@RULES
@given(said=st.lists(SAID, min_size=2, max_size=10), picks=st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_actions_taken_back_one_by_one_and_then_the_rest_leave_the_same_content(
    said: list[Said], picks: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        with closing(Engine.open(Places.under(Path(folder)), clock=clock)) as engine:
            fill(engine, clock, said)
            before = dump_store(engine.places.store_path)
            card = engine.consolidation.run()
            for pick in picks:
                left = engine.consolidation.actions(card.id, state=ActionState.APPLIED)
                if left:
                    try:
                        engine.consolidation.undo_action(left[-1 - pick % len(left)].id)
                    except UserError:  # a later action of the run stands on it
                        continue
            if engine.consolidation.get(card.id).is_undoable:
                assert engine.consolidation.undo(card.id)[1] == 0
            assert dump_store(engine.places.store_path) == before


def plan_of(engine: Engine) -> list[list[object]]:
    """What a preview proposes, in its order."""
    run_id = engine.consolidation.preview().id
    with engine._core.store.read() as connection:
        return [
            [one.step, one.kind, one.memory_ids, one.why, one.text, one.data, one.confidence, bool(one.is_sure)]
            for one in run_rows.load_actions(connection, run_id)
        ]


@settings(RULES, max_examples=5)
@given(said=st.lists(SAID, min_size=2, max_size=14))
def test_a_plan_made_twice_is_the_same_list(said: list[Said]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        with closing(Engine.open(Places.under(Path(folder)), clock=clock)) as engine:
            fill(engine, clock, said)
            assert plan_of(engine) == plan_of(engine)


def test_a_plan_made_in_two_processes_is_the_same_list(tmp_path: Path) -> None:
    clock = FrozenClock(START)
    engine = Engine.open(Places.under(tmp_path / "0"), clock=clock)
    fill(engine, clock, [(one % 4, one % 5, one % 3 + 1, one % 7, one % 8) for one in range(60)])
    engine.close()
    for copy in ("1", "2"):
        shutil.copytree(tmp_path / "0", tmp_path / copy)
    made = [
        subprocess.Popen(
            [sys.executable, "-m", __name__, str(tmp_path / copy), clock.now().isoformat()],
            env=os.environ | {"PYTHONHASHSEED": copy},
            stdout=subprocess.PIPE,
        )
        for copy in ("1", "2")
    ]
    one, other = (json.loads(process.communicate()[0]) for process in made)
    assert len(one) > 10
    assert one == other


def main(folder: str, now: str) -> None:
    with closing(Engine.open(Places.under(Path(folder)), clock=FrozenClock(datetime.fromisoformat(now)))) as engine:
        print(json.dumps(plan_of(engine)))


if __name__ == "__main__":
    main(*sys.argv[1:])
