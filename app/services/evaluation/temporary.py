"""A store of its own for measuring recall: memories go in as the app writes them, questions are asked as the app asks.

Lies in a temporary folder, never in the person's; no thread runs beside it. Knows no task and no file. Source: eval/README.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from app.clock import FrozenClock
from app.places import Places
from app.recall.recipes import load_recipes
from app.recall.rules import load_recall_rules
from app.services.assembling import Assembler
from app.services.indexing import Indexing
from app.services.memory_follow import follow_memories
from app.services.memory_guess import fill_draft
from app.services.memory_rows import NewMemory, NewSource, insert_memory, insert_source
from app.services.recall import Recall
from app.services.receipts import Receipts
from app.settings import Settings
from app.store.store import Store
from app.store.tables import ProjectRow
from app.values import Context, ContextRequest, ContextSignals, MemoryDraft, Origin, RecallAnswer, RecallQuery


@dataclass(frozen=True, slots=True)
class Statement:
    """One text of a pool."""

    text: str
    at: datetime
    conversation_id: int = 0  # 0: said nowhere
    message_id: int = 0


class TemporaryRecall:
    """A pool that can be asked. All of it lies in one project, the folder of the store."""

    def __init__(self, store: Store, indexing: Indexing, places: Places) -> None:
        self._store = store
        self._indexing = indexing
        self._project_path = str(places.data_dir)
        self._recall = Recall(store, indexing, Settings, load_recall_rules(), load_recipes())
        self._assembler = Assembler(store, self._recall, Receipts(store), Settings, places.state_dir)
        self.places: dict[int, int] = {}  # memory → place in what was added

    def add(self, statements: Sequence[Statement]) -> None:
        with self._store.write(origin=Origin.ENGINE, kind="evaluation", label="") as write:
            project_id = write.insert(ProjectRow, {"path": self._project_path, "name": "Evaluation"})
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
            pool = TemporaryRecall(store, indexing, places)
            pool.add(listed)
            yield pool
        finally:
            indexing.stop()
            store.close()
