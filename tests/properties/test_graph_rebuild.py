"""What a rebuild finds at once is what runs found bit by bit, and what a person said of the graph stays."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.values.graph import NodeId, NodeKind, Relation
from tests.conftest import START
from tests.dump import dump_store

SUBJECTS = ("The exporter", "The nightly importer", "The billing worker", "The search index", "The login form")
SAYS = (
    "writes CSV with a semicolon", "retries with exponential backoff", "needs the tenant header", "is cached in Redis for an hour",
    "fails because the tenant header is missing", "was fixed by adding the tenant header",
)  # fmt: skip
Memory = tuple[int, int, int]  # subject, what it does, project
MEMORIES = st.tuples(st.integers(0, len(SUBJECTS) - 1), st.integers(0, len(SAYS) - 1), st.integers(0, 1))
_LINKS = "SELECT from_id, to_id, type, strength, reason, origin FROM link ORDER BY from_id, to_id, type"


def links_of(engine: Engine) -> list[tuple[object, ...]]:
    with engine._core.store.read() as connection:
        return [tuple(row) for row in connection.execute(text(_LINKS))]


@settings(
    max_examples=8,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(
    runs=st.lists(st.lists(MEMORIES, min_size=1, max_size=5, unique=True), min_size=2, max_size=4),
    judged=st.integers(0, 9),
)
def test_a_rebuild_is_what_runs_found(runs: list[list[Memory]], judged: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        engine = Engine.open(Places.under(Path(home)), clock=FrozenClock(START))
        engine.load()
        said: set[Memory] = set()
        for run in runs:
            for one in run:
                if one not in said:
                    said.add(one)
                    words = f"{SUBJECTS[one[0]]} {SAYS[one[1]]}"
                    engine.memories.create(MemoryDraft(words, project_path=f"/src/p{one[2]}"))
            engine.consolidation.run()
        found = links_of(engine)
        rebuilt = engine.graph.rebuild()
        assert rebuilt is not None
        assert links_of(engine) == found
        assert (rebuilt.added_count, rebuilt.removed_count) == (0, 0)
        runs_found = [one for one in found if one[5]]
        ends = runs_found[judged % len(runs_found)] if runs_found else (1, 2, "related_to")
        a, b = (NodeId(NodeKind.MEMORY, int(str(end))) for end in ends[:2])
        if runs_found:
            engine.graph.reject(a, b, Relation(str(ends[2])))
        if len(said) > 1:
            engine.graph.draw(a, b, Relation.DEPENDS_ON, reason="it was drawn")
        engine.graph.rebuild()
        after = links_of(engine)
        assert [one[4] for one in after if one[5] == "person"] == (["it was drawn"] if len(said) > 1 else [])
        assert (ends[0], ends[1], ends[2]) not in {one[:3] for one in after}, "what was rejected is not found again"
        before = dump_store(engine.places.store_path)
        engine.graph.rebuild()
        assert dump_store(engine.places.store_path) == before, "twice is once"
        engine.close()
