"""R16, R17: memories against a model, crash and reopen among the rules: undo brings the same content back, rows agree."""

import contextlib
import json
import shutil
import tempfile
from pathlib import Path

import pysqlite3
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.api import Engine, FrozenClock, Origin, Places, UserError
from app.values import (
    ArtifactKind,
    Level,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryGroup,
    MemoryStatus,
    RecallQuery,
    Tier,
)
from tests.conftest import START
from tests.dump import dump_store

TEXTS = ("The port is {}.", "Never deploy on day {}.", "We decided to use SQLite {}.", "I prefer tabs of width {}.")
TAGS = st.sampled_from(("db", "api", "ui"))
PICK = st.integers(0, 30)
EVERY = MemoryFilter(statuses=tuple(MemoryStatus))


class Memories(RuleBasedStateMachine):
    """Each rule is one act; `dumps` is what the store held before each act that is not undone."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name) / "home"
        self.clock = FrozenClock(START)
        self.engine = Engine.open(Places.under(self.home), clock=self.clock)
        self.dumps: list[str] = []
        self.redos: list[str] = []
        self.count = 0

    @property
    def path(self) -> Path:
        return self.engine.places.store_path

    def ids(self) -> list[int]:
        return sorted(self.engine.memories.ids(EVERY))

    def one(self, pick: int) -> int:
        ids = self.ids()
        return ids[pick % len(ids)] if ids else 0

    @contextlib.contextmanager
    def act(self):  # type: ignore[no-untyped-def]
        """One act: what it changed can be undone; what it refused changed nothing."""
        self.clock.advance(minutes=7)
        before, newest = dump_store(self.path), self.newest()
        try:
            yield
        except UserError:
            assert dump_store(self.path) == before
            return
        if self.newest() != newest:
            self.dumps.append(before)
            self.redos.clear()

    def newest(self) -> int:
        listed = self.engine.journal.list(limit=1)
        return listed[0].id if listed else 0

    @rule(pick=PICK, tag=TAGS, is_person=st.booleans())
    def create(self, pick: int, tag: str, is_person: bool) -> None:
        draft = MemoryDraft(
            TEXTS[pick % len(TEXTS)].format(pick), tags=(tag,), project_path="/w/app" if pick % 2 else ""
        )
        with self.act():
            self.engine.memories.create(draft, origin=Origin.PERSON if is_person else Origin.API)

    @rule(pick=PICK, number=PICK, tag=TAGS)
    def edit(self, pick: int, number: int, tag: str) -> None:
        edit = MemoryEdit(
            full=TEXTS[number % len(TEXTS)].format(number), tags=(tag,), summary=None if pick % 2 else "S"
        )
        with self.act():
            self.engine.memories.edit(self.one(pick), edit)

    @rule(pick=PICK, other=PICK)
    def put_away(self, pick: int, other: int) -> None:
        with self.act():
            self.engine.memories.archive([self.one(pick), self.one(other)])

    @rule(pick=PICK)
    def bring_back(self, pick: int) -> None:
        with self.act():
            self.engine.memories.unarchive([self.one(pick)])

    @rule(pick=PICK)
    def accept(self, pick: int) -> None:
        with self.act():
            self.engine.memories.accept([self.one(pick)])

    @rule(pick=PICK)
    def reject(self, pick: int) -> None:
        with self.act():
            self.engine.memories.reject([self.one(pick)])

    @rule(pick=PICK, add=TAGS, remove=TAGS)
    def tag(self, pick: int, add: str, remove: str) -> None:
        with self.act():
            self.engine.memories.tag(self.ids()[: 1 + pick % 4], add=[add], remove=[remove])

    @rule(pick=PICK, is_pinned=st.booleans())
    def pin(self, pick: int, is_pinned: bool) -> None:
        with self.act():
            self.engine.memories.pin([self.one(pick)], is_pinned)

    @rule(pick=PICK, level=st.sampled_from((None, *Level)), tier=st.sampled_from((None, *Tier)))
    def place(self, pick: int, level: Level | None, tier: Tier | None) -> None:
        memory_id = self.one(pick)
        with self.act():
            self.engine.context.place_at_level([memory_id], level)
        with self.act():
            self.engine.context.place_in_tier([memory_id], tier)
        chosen = {one.memory_id: one for one in self.engine.context.placements()}.get(memory_id)
        assert (chosen.tier if chosen is not None else None) is (tier if memory_id else None)

    @rule(pick=PICK, other=PICK)
    def merge(self, pick: int, other: int) -> None:
        ids = list(dict.fromkeys((self.one(pick), self.one(other))))
        trusts = [self.engine.memories.get(one).memory.trust for one in ids if one]
        with self.act():
            kept = self.engine.memories.merge(ids, text="The port is 1, as all say.")
            assert self.engine.memories.get(kept).memory.trust is min(trusts)

    @rule(pick=PICK, other=PICK)
    def join(self, pick: int, other: int) -> None:
        with self.act():
            self.engine.memories.link(self.one(pick), self.one(other), LinkType.RELATED_TO, 0.3)
        with self.act():
            self.engine.memories.attach(self.one(pick), ArtifactKind.ADR, f"ADR-{other}")

    @rule(pick=PICK, number=PICK)
    def restore(self, pick: int, number: int) -> None:
        memory_id = self.one(pick)
        versions = self.engine.memories.get(memory_id).versions if memory_id else ()
        with self.act():
            self.engine.memories.restore_version(memory_id, versions[number % len(versions)].id if versions else 0)

    @precondition(lambda self: self.dumps)
    @rule()
    def undo(self) -> None:
        self.redos.append(dump_store(self.path))
        self.engine.journal.undo()
        assert dump_store(self.path) == self.dumps.pop(), "undo brings the same content back"

    @precondition(lambda self: self.redos)
    @rule()
    def redo(self) -> None:
        self.dumps.append(dump_store(self.path))
        self.engine.journal.redo()
        assert dump_store(self.path) == self.redos.pop(), "redo too"

    @rule()
    def crash_and_reopen(self) -> None:
        """What lies on the disk now is all that the next start has."""
        self.count += 1
        copy = Path(self.folder.name) / f"home{self.count}"
        before, ids = dump_store(self.path), self.ids()
        with self.engine.memories._core.store.database.lock:  # no write in between: files of one moment
            for place in (self.path, self.path.with_name(f"{self.path.name}-wal")):
                (copy / "data").mkdir(parents=True, exist_ok=True)
                shutil.copy(place, copy / "data" / place.name)
        self.engine.close()
        self.home = copy
        self.engine = Engine.open(Places.under(copy), clock=self.clock)
        assert dump_store(self.path) == before
        assert self.ids() == ids

    @invariant()
    def rows_agree(self) -> None:
        with contextlib.closing(pysqlite3.connect(str(self.path))) as store:
            memories = dict(store.execute("SELECT id, tags FROM memory").fetchall())
            kept = {(one, tag) for one, tags in memories.items() for tag in json.loads(tags)}
            assert set(store.execute("SELECT memory_id, tag FROM memory_tag").fetchall()) == kept
            orphans = "SELECT count(*) FROM {} WHERE memory_id NOT IN (SELECT id FROM memory)"
            for table in ("memory_version", "memory_source", "artifact"):
                assert store.execute(orphans.format(table)).fetchone()[0] == 0, table
        assert self.ids() == sorted(memories)
        assert self.engine.memories.list(EVERY).total == len(memories)
        for group in (MemoryGroup.TYPE, MemoryGroup.STATUS):
            assert sorted(self.engine.memories.ids(EVERY, group=group)) == sorted(memories)
            groups = self.engine.memories.groups(EVERY, group=group)
            assert sum(one.count for one in groups) == len(memories)

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            assert self.engine.search.status().waiting_count >= 0
            self.engine.close()
            self.folder.cleanup()


TestMemories = Memories.TestCase
TestMemories.settings = settings(
    max_examples=8,
    stateful_step_count=14,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


def test_the_index_finds_what_the_store_holds_after_undo_and_redo(engine: Engine) -> None:
    def hits() -> list[int]:
        return [hit.card.id for hit in engine.search.search(RecallQuery("zanzibar")).hits]

    first = engine.memories.create(MemoryDraft("The port of zanzibar is 8080."))
    assert hits() == [first]
    engine.journal.undo()
    assert hits() == []
    engine.journal.redo()
    assert hits() == [first]
    engine.memories.edit(first, MemoryEdit(full="The port of nairobi is 8080."))
    assert hits() == []
    engine.journal.undo()
    assert hits() == [first]
    engine.memories.archive([first])
    assert hits() == []
    engine.journal.undo()
    assert hits() == [first]
