"""The newest memories of a project, brought up to date by what changed, are what reading all of them anew gives."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, MemoryEdit
from app.context import cache as context_cache
from app.context.cache import ContextCache
from app.store.rows.project import find_project
from app.store.tables.types import to_microseconds

PROJECT = "/w/app"


def see(engine: Engine, cache: ContextCache, clock: FrozenClock) -> object:
    """The background as the cache has it now."""
    pending = cache.take()
    with engine._core.store.read() as connection:
        cache.refresh(connection, pending)
        project_id = find_project(connection, PROJECT)
        found = cache.background(connection, project_id, pending, to_microseconds(clock.now()))
    candidates = {key: one._replace(lines={}) for key, one in found.candidates.items()}  # known as soon as they are cut
    return candidates, found.topics, found.topic_of


def test_it_follows_every_change(engine: Engine, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(4)
    for name, few in (("_NEWEST_READ", 6), ("_MOST_READ", 8), ("_CONVENTIONS_KEPT", 4), ("_OTHERS_KEPT", 3)):
        monkeypatch.setattr(context_cache, name, few)
    cache = ContextCache(engine._core.store)
    ids = [
        engine.memories.create(MemoryDraft(text=f"We prefer tool number {at} in room {at * 3}.", project_path=PROJECT))
        for at in range(14)
    ]
    for step in range(24):
        clock.advance(minutes=1)
        one = draw.choice(ids)
        match step % 4:
            case 0:
                engine.memories.edit(one, MemoryEdit(full=f"We prefer tool number {step + 100} in room {step}."))
            case 1:
                engine.memories.archive([one])
            case 2:
                engine.memories.unarchive([one])
            case _:
                span = clock.now() + timedelta(minutes=2), clock.now() + timedelta(minutes=5)
                draft = MemoryDraft(text=f"Always lock door {step} of hall {step * 7}.", project_path=PROJECT)
                ids.append(engine.memories.create(replace(draft, valid_from=span[0], valid_to=span[1])))
        fresh = ContextCache(engine._core.store)
        assert see(engine, cache, clock) == see(engine, fresh, clock), step
