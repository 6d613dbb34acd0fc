"""A store of its own for measuring recall: memories go in as the app writes them, questions are asked as the app asks.

Lies in a temporary folder, never in the person's; no thread runs beside it. Knows no task and no file. Source: eval/README.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from app.capture.priority import PriorityGate
from app.clock import FrozenClock
from app.consolidation.runner import Consolidator
from app.consolidation.steps.compress import COMPRESS
from app.consolidation.steps.deduplicate import deduplicate
from app.consolidation.steps.forget import ARCHIVE, FORGET
from app.consolidation.steps.links import links
from app.consolidation.steps.usage import USAGE
from app.context.assembly import Assembler
from app.context.receipts import Receipts
from app.deciders.recall.ranking.recipes import load_recipes
from app.deciders.recall.rules import load_recall_rules
from app.memories.draft_guess import fill_draft
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source
from app.places import Places
from app.retrieval.indexing import Indexing
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.after_write import follow_memories
from app.store.store import Store
from app.store.table_queries import ids_with
from app.store.tables.core import AppRow, ConversationRow, ProjectRow, StreamRow
from app.store.tables.memory import MemoryRow
from app.upkeep.energy import Energy
from app.values import Context, ContextRequest, ContextSignals, MemoryDraft, Origin, RecallAnswer, RecallQuery


@dataclass(frozen=True, slots=True)
class Statement:
    """One text of a pool."""

    text: str
    at: datetime
    conversation_id: int = 0  # 0: said nowhere
    message_id: int = 0


class TemporaryRecall:
    """A pool that can be asked. All of it is in one project, the folder of the store."""

    def __init__(self, store: Store, indexing: Indexing, places: Places, clock: FrozenClock) -> None:
        self._store = store
        self._clock = clock
        self._indexing = indexing
        self._project_path = str(places.data_dir)
        self._recall = Recall(store, indexing, Settings, load_recall_rules(), load_recipes())
        self._assembler = Assembler(store, self._recall, Receipts(store), Settings, places.state_dir)
        self.places: dict[int, int] = {}  # memory → place in what was added
        self._texts: tuple[str, ...] = ()
        self._project_id = 0
        self._stream_id = 0

    def add(self, statements: Sequence[Statement]) -> None:
        with self._store.write(origin=Origin.ENGINE, kind="evaluation", label="") as write:
            project_id = write.insert(ProjectRow, {"path": self._project_path, "name": "Evaluation"})
            self._project_id, self._texts = project_id, tuple(one.text for one in statements)
            for place, statement in enumerate(statements):
                read = fill_draft(MemoryDraft(statement.text))
                new = NewMemory(
                    statement.text,
                    type=read.type,
                    slot=read.slot,
                    value=read.value,
                    is_negated=read.is_negated,
                    project_id=project_id,
                    recorded_at=statement.at,
                )
                memory_id = insert_memory(write, new)
                self.places[memory_id] = place
                if statement.conversation_id:
                    source = NewSource(
                        statement.at,
                        "",
                        message_id=statement.message_id,
                        conversation_id=statement.conversation_id,
                    )
                    insert_source(write, memory_id, source)
        while self._indexing.catch_up():
            pass

    def ask(self, text: str, *, limit: int = 20) -> RecallAnswer:
        return self._recall.search(RecallQuery(text, limit=limit, is_counted=False))

    def tell(self, text: str, *, budget_tokens: int) -> Context:
        """What an assistant would get along with this prompt."""
        signals = ContextSignals(project_path=self._project_path, prompt=text)
        return self._assembler.assemble(
            ContextRequest(signals, budget_tokens=budget_tokens, delivery="evaluation", is_kept=False)
        )

    def pass_days(self, days: int, *, is_worked: bool = False) -> None:
        """Moves the clock; on a day of work something is said in the project, and nothing of the pool is used."""
        now = self._clock.advance(days=days)
        if not is_worked:
            return
        with self._store.write(origin=Origin.ENGINE, kind="evaluation", label="") as write:
            if not self._stream_id:
                app = {"name": "evaluation", "title": "Evaluation", "scopes": [], "created_at": now}
                stream = {"app_id": write.insert(AppRow, app), "project_id": self._project_id, "session": "s"}
                self._stream_id = write.insert(StreamRow, {**stream, "git_branch": "", "started_at": now})
            record = {"stream_id": self._stream_id, "queue_key": 0, "state": "evicted", "started_at": now}
            lists: dict[str, list[str]] = {"topics": [], "intents": [], "files": [], "related_ids": []}
            write.insert(ConversationRow, {**record, "last_message_at": now, "title": "", **lists})

    def consolidate(self) -> None:
        """One run, here and now."""
        self._consolidator.run_here()
        while self._indexing.catch_up():
            pass

    def left(self) -> frozenset[int]:
        """Places of what can still be found: active, or merged into an active one that has all its words."""
        with self._store.read() as connection:
            active = ids_with(connection, MemoryRow, status="active")
        kept = {self.places[one] for one in active}
        words = [frozenset(self._texts[place].lower().split()) for place in sorted(kept)]
        gone = (place for place in self.places.values() if place not in kept)
        held = {place for place in gone if any(set(self._texts[place].lower().split()) <= one for one in words)}
        return frozenset(kept | held)

    @cached_property
    def _consolidator(self) -> Consolidator:
        made = Consolidator(self._store, Settings, PriorityGate(), Energy(self._store, Settings))
        alike = self._recall.find_alike
        made.register(deduplicate(alike), COMPRESS, USAGE, FORGET, links(alike), ARCHIVE)
        return made

    def ranked(self, answer: RecallAnswer) -> list[int]:
        """Places of what came back, best first, whether or not it was judged to fit."""
        return [self.places[hit.card.id] for hit in answer.hits or answer.nearest]


@contextmanager
def open_pool(statements: Iterable[Statement]) -> Iterator[TemporaryRecall]:
    """A pool of these statements, asked a day after the last one."""
    listed = list(statements)
    with tempfile.TemporaryDirectory(prefix="remanence-eval-") as folder:
        clock = FrozenClock(max(statement.at for statement in listed) + timedelta(days=1))
        places = Places.under(Path(folder))
        store = Store(places, clock, owner="serve")
        indexing = Indexing(store)
        store.after_write = follow_memories
        try:
            pool = TemporaryRecall(store, indexing, places, clock)
            pool.add(listed)
            yield pool
        finally:
            indexing.stop()
            store.close()
