"""Lists asked of columns in memory find what the database finds, whatever was changed, undone or erased in between."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock
from app.deciders.memory.statements.statement_model import LIKELY_REASON
from app.memories import lists as memory_lists
from app.memories.lists import MemoryLists
from app.store.store import Store
from app.values import (
    ArtifactKind,
    FactType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryKind,
    MemorySort,
    MemoryStatus,
    Origin,
    Resolution,
    ResolutionRequest,
    Tier,
    Trust,
)
from tests.conftest import START
from tests.patience import PATIENCE_S

CHANCE = random.Random(7)
SORTS = [sort for sort in MemorySort if sort is not MemorySort.RELEVANCE]


def store_of(engine: Engine) -> Store:
    return engine.memories._core.store


def fill(engine: Engine, clock: FrozenClock, count: int) -> list[int]:
    ids = []
    for number in range(count):
        clock.advance(hours=CHANCE.choice((0, 1, 30)))
        draft = MemoryDraft(
            f"The limit of service {number} is {CHANCE.randrange(50)} requests.",
            kind=CHANCE.choice(list(MemoryKind)),
            type=CHANCE.choice(list(FactType)),
            tags=tuple(CHANCE.sample(("api", "db", "ui"), CHANCE.randrange(3))),
            category=CHANCE.choice(("", "limits")),
            importance=CHANCE.choice((0.2, 0.5, 0.5, 0.9)),
            confidence=CHANCE.choice((0.4, 0.6, 1.0)),
            project_path=CHANCE.choice(("", "/w/app", "/w/site")),
            app=CHANCE.choice(("", "claude-code")),
            valid_from=START,
            valid_to=CHANCE.choice((None, START + timedelta(days=9))),
            reason=CHANCE.choice(("", LIKELY_REASON)),
        )
        ids.append(engine.memories.create(draft, origin=CHANCE.choice((Origin.PERSON, Origin.API))))
    return ids


def act(engine: Engine, ids: list[int]) -> None:
    """Something that changes lists, or undoes it."""
    some = CHANCE.sample(ids, 3)
    acts: list[Callable[[], object]] = [
        lambda: engine.memories.archive(some),
        lambda: engine.memories.accept(some),
        lambda: engine.memories.pin(some),
        lambda: engine.memories.tag(some, add=["new"], remove=["db"]),
        lambda: engine.memories.edit(some[0], MemoryEdit(importance=0.7, full="Shorter now.")),
        lambda: engine.memories.attach(some[0], ArtifactKind.FILE, "src/limits.py"),
        lambda: engine.context.place_in_tier(some, CHANCE.choice(list(Tier))),
        engine.journal.undo,
        engine.journal.undo,
    ]
    CHANCE.choice(acts)()


def questions(now_days: int) -> list[MemoryFilter]:
    at = START + timedelta(days=now_days)
    return [
        MemoryFilter(),
        MemoryFilter(kinds=(MemoryKind.FACT, MemoryKind.PATTERN), includes_episodes=False),
        MemoryFilter(types=(FactType.GOAL,), statuses=(MemoryStatus.ACTIVE,)),
        MemoryFilter(tags=("api", "db")),
        MemoryFilter(tags=("nowhere",)),
        MemoryFilter(categories=("limits",), projects=("app",)),
        MemoryFilter(projects=("/w/site",), apps=("claude-code",)),
        MemoryFilter(projects=("nowhere",)),
        MemoryFilter(min_importance=0.5, max_confidence=0.6),
        MemoryFilter(min_confidence=0.6, min_trust=Trust.SPOKEN),
        MemoryFilter(from_at=START + timedelta(days=2), to_at=at),
        MemoryFilter(valid_at=START + timedelta(days=9)),
        MemoryFilter(believed_at=at),
        MemoryFilter(believed_at=at, statuses=(MemoryStatus.PROPOSED,)),
        MemoryFilter(believed_at=at, valid_at=START + timedelta(days=9)),
        MemoryFilter(is_pinned=True),
        MemoryFilter(is_live=True),
        MemoryFilter(is_live=False, statuses=tuple(MemoryStatus)),
        MemoryFilter(is_over=True),
        MemoryFilter(is_over=False, statuses=tuple(MemoryStatus)),
        MemoryFilter(is_used=False),
        MemoryFilter(is_likely=False),
        MemoryFilter(is_likely=True, statuses=(MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)),
        MemoryFilter(has_contradiction=False),
        MemoryFilter(is_shared=True),
        MemoryFilter(is_shared=False),
        MemoryFilter(has_contradiction=True),
        MemoryFilter(file="limits.py"),
        MemoryFilter(tiers=(Tier.CRITICAL, Tier.INDEX)),
        MemoryFilter(ids=(1, 4, 7, 9_999), statuses=tuple(MemoryStatus)),
        MemoryFilter(ids=()),
    ]


def by_sql(engine: Engine, where: MemoryFilter, sort: MemorySort) -> tuple[int, list[int]]:
    store = store_of(engine)
    with store.read() as connection:
        return MemoryLists._by_sql(connection, where, sort, start=0, limit=-1, now=store.clock.now())


def test_columns_find_what_the_database_finds(engine: Engine, clock: FrozenClock) -> None:
    ids = fill(engine, clock, 60)
    for round_number in range(25):
        act(engine, ids)
        ids = list(engine.memories.ids(MemoryFilter(statuses=tuple(MemoryStatus))))
        for where in questions(round_number):
            sort = CHANCE.choice(SORTS)
            total, expected = by_sql(engine, where, sort)
            assert list(engine.memories.ids(where, sort=sort)) == expected, (where, sort)
            assert engine.memories.count(where) == total
            page = engine.memories.list(where, sort=sort, start=total // 2, limit=7)
            assert [card.id for card in page.cards] == expected[total // 2 : total // 2 + 7]


def test_the_one_count_of_memories_adds_up_and_agrees_with_what_was_learned(engine: Engine, clock: FrozenClock) -> None:
    ids = fill(engine, clock, 40)
    engine.memories.archive(ids[:7])
    counts = engine.memories.counts()
    waited = engine.memories.count(MemoryFilter(statuses=(MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)))
    waits = counts.to_review + counts.less_likely
    replaced = waited - waits  # while it waited: it waits no more
    assert counts.to_review > 0 < counts.less_likely
    assert waits < waited
    assert (counts.in_use + counts.no_longer_true + waits, counts.archived) == (engine.memories.count(), 7)
    assert engine.memories.count(MemoryFilter(statuses=tuple(MemoryStatus))) == 40
    learned = sum(day.learned_count for day in engine.stats.year().days)
    assert learned == counts.in_use + counts.no_longer_true - replaced + counts.archived
    shop = MemoryFilter(projects=("/w/app",), statuses=(MemoryStatus.ACTIVE,))
    assert engine.memories.counts(shop).in_use == engine.memories.count(replace(shop, is_live=True))


def test_what_is_no_longer_true_is_not_in_use(engine: Engine) -> None:
    for text in ("The port of the shop is 8080.", "The port of the shop is 9090."):
        engine.memories.create(MemoryDraft(text, project_path="/w/shop"))
    assert engine._core.scanner.wait_idle(PATIENCE_S)
    (found,) = engine.contradictions.list()
    engine.contradictions.resolve(found.id, ResolutionRequest(Resolution.B_WINS))
    counts = engine.memories.counts()
    assert (counts.in_use, counts.no_longer_true) == (1, 1)


def test_facets_count_what_choosing_them_would_list(engine: Engine, clock: FrozenClock) -> None:
    fill(engine, clock, 80)
    chosen = MemoryFilter(
        types=(FactType.GOAL, FactType.FACT, FactType.DECISION), statuses=(MemoryStatus.ACTIVE, MemoryStatus.PROPOSED)
    )
    facets = engine.memories.facets(chosen)
    fields: dict[str, Callable[[str], dict[str, object]]] = {
        "kind": lambda value: {"kinds": (MemoryKind(value),), "types": ()},  # one takes the place of the other
        "type": lambda value: {"types": (FactType(value),), "kinds": ()},
        "status": lambda value: {"statuses": (MemoryStatus(value),)},
        "project": lambda value: {"projects": (value,)},
        "app": lambda value: {"apps": (value,)},
        "tag": lambda value: {"tags": (value,)},
    }
    for name, choose in fields.items():
        assert facets[name], name
        for facet in facets[name]:
            if facet.value:
                where = replace(chosen, **choose(facet.value))  # type: ignore[arg-type]
                assert by_sql(engine, where, MemorySort.UPDATED)[0] == facet.count, (name, facet)
    times = {facet.value: facet.count for facet in facets["time"]}
    assert times["month"] + times["older"] == engine.memories.count(chosen)
    assert times["today"] <= times["week"] <= times["month"]


def test_a_large_store_answers_while_it_is_being_read(
    engine: Engine, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(engine, clock, 30)
    monkeypatch.setattr(memory_lists, "READ_AT_ONCE", 5)
    lists = MemoryLists(store_of(engine))
    try:
        expected = by_sql(engine, MemoryFilter(), MemorySort.UPDATED)
        page = lists.page(MemoryFilter(), MemorySort.UPDATED, 0, 100)  # starts the thread, is answered by the database
        assert (page.total, [card.id for card in page.cards]) == expected
        engine.memories.archive(ids[:3])  # heard by the lists, whether the thread has read it or not
        lists.wait_ready()
        assert lists.facets(MemoryFilter())["status"]
        expected = by_sql(engine, MemoryFilter(), MemorySort.UPDATED)
        page = lists.page(MemoryFilter(), MemorySort.UPDATED, 0, 100)
        assert (page.total, [card.id for card in page.cards]) == expected
    finally:
        lists.close()


def test_a_restored_store_is_read_anew(engine: Engine, clock: FrozenClock) -> None:
    fill(engine, clock, 5)
    backup = engine.backups.create()
    fill(engine, clock, 5)
    assert engine.memories.count() == 10
    engine.backups.restore(backup.path)
    assert engine.memories.count() == 5
