"""Memories as capture would have made them, and days on which a project was worked on, without waiting for either."""

from datetime import timedelta
from typing import Any

from app.api import Engine, FrozenClock
from app.memories.new_memory import NewMemory, insert_memory
from app.store.tables.core import ConversationRow, StreamRow
from app.store.tables.memory import MemoryRow
from app.values import FactType, Origin, Slot


def project_of(engine: Engine, path: str = "/w/app") -> int:
    core = engine._core
    with core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        return core.streams.ensure_project(write, path)


def remember(
    engine: Engine,
    text: str,
    *,
    type: FactType = FactType.FACT,  # noqa: A002
    project_id: int | None = None,
    slot: Slot | None = None,
    value: str = "",
    **columns: Any,
) -> int:
    """One active memory of trust 2, unless `columns` say otherwise."""
    with engine._core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        memory_id = insert_memory(write, NewMemory(text=text, type=type, project_id=project_id, slot=slot, value=value))
        if columns:
            write.update(MemoryRow, memory_id, columns)
    return memory_id


def work(engine: Engine, clock: FrozenClock, project_id: int, days: int) -> None:
    """So many days pass, and on each something is said in that project."""
    core = engine._core
    with core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        app_id = core.streams.ensure_app(write, "claude-code")
        for _ in range(days):
            now = clock.advance(days=1)
            values = {
                "app_id": app_id,
                "project_id": project_id,
                "session": f"day-{now.isoformat()}",
                "started_at": now,
            }
            stream_id = write.insert(StreamRow, {**values, "git_branch": "", "ended_at": None})
            write.insert(
                ConversationRow,
                {
                    "stream_id": stream_id, "queue_key": 0, "state": "evicted", "started_at": now,
                    "last_message_at": now, "title": "a day", "topics": [], "intents": [], "files": [], "related_ids": [],
                },
            )  # fmt: skip


def rest(clock: FrozenClock, days: int) -> None:
    """So many days pass, and nothing is said."""
    clock.advance(minutes=days * timedelta(days=1).total_seconds() / 60)
