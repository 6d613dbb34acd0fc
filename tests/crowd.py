"""Many memories in one act: each by itself costs a transaction and a round of all who hear of it."""

from collections.abc import Iterable

from app.api import Engine, MemoryDraft
from app.values import Origin


def remember_all(engine: Engine, drafts: Iterable[MemoryDraft]) -> list[int]:
    """The numbers of the memories, in order."""
    with engine._core.store.write(origin=Origin.PERSON, kind="create_memory", label="") as write:
        return [engine._core.memory_curator.create(write, draft) for draft in drafts]
