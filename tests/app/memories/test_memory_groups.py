"""Lists in groups: same rows, each in its group, groups in their order, in pages, after changes, with filters."""

import pytest

from app.api import Engine, FrozenClock
from app.values import FactType, MemoryDraft, MemoryFilter, MemoryGroup, MemoryKind, MemorySort, MemoryStatus


@pytest.fixture
def ids(engine: Engine, clock: FrozenClock) -> list[int]:
    clock.advance(days=-40)
    drafts = (
        MemoryDraft("Ports are odd.", type=FactType.FACT, project_path="/w/shop"),
        MemoryDraft("We chose Redis.", type=FactType.DECISION, project_path="/w/till"),
        MemoryDraft("A release: tag, build, publish.", kind=MemoryKind.WORKFLOW),
        MemoryDraft("We chose Go.", type=FactType.DECISION, project_path="/w/shop"),
        MemoryDraft("Names are short.", type=FactType.FACT, project_path="/w/shop"),
        MemoryDraft("We chose Kafka.", type=FactType.DECISION),
    )
    made = []
    for draft in drafts:
        made.append(engine.memories.create(draft))
        clock.advance(days=8)
    return made


def grouped(engine: Engine, group: MemoryGroup, where: MemoryFilter | None = None) -> list[tuple[str, list[str]]]:
    """Each group's value with the texts of its rows, read in pages of two."""
    where = where or MemoryFilter()
    total = engine.memories.count(where)
    cards = [
        card
        for start in range(0, total, 2)
        for card in engine.memories.list(where, sort=MemorySort.OLDEST, group=group, start=start, limit=2).cards
    ]
    ids = engine.memories.ids(where, sort=MemorySort.OLDEST, group=group)
    assert [card.id for card in cards] == list(ids)
    found, at = [], 0
    for one in engine.memories.groups(where, sort=MemorySort.OLDEST, group=group):
        found.append((one.value, [card.text for card in cards[at : at + one.count]]))
        at += one.count
    assert at == total
    return found


def test_by_type_largest_first_and_sorted_within(engine: Engine, ids: list[int]) -> None:
    assert grouped(engine, MemoryGroup.TYPE) == [
        ("decision", ["We chose Redis.", "We chose Go.", "We chose Kafka."]),
        ("fact", ["Ports are odd.", "Names are short."]),
        ("workflow", ["A release: tag, build, publish."]),
    ]


def test_by_project_with_those_of_none_last(engine: Engine, ids: list[int]) -> None:
    found = grouped(engine, MemoryGroup.PROJECT)
    assert [(value.rsplit("/")[-1], len(texts)) for value, texts in found] == [("shop", 3), ("till", 1), ("", 2)]


def test_by_age_newest_first(engine: Engine, ids: list[int]) -> None:
    assert [(value, len(texts)) for value, texts in grouped(engine, MemoryGroup.TIME)] == [("month", 3), ("older", 3)]


def test_by_state_and_with_a_filter_and_after_a_change(engine: Engine, ids: list[int]) -> None:
    everything = MemoryFilter(statuses=tuple(MemoryStatus))
    engine.memories.archive(ids[:2])
    assert [(value, len(texts)) for value, texts in grouped(engine, MemoryGroup.STATUS, everything)] == [
        ("active", 4),
        ("archived", 2),
    ]
    assert grouped(engine, MemoryGroup.TYPE, MemoryFilter(types=(FactType.DECISION,))) == [
        ("decision", ["We chose Go.", "We chose Kafka."])
    ]


@pytest.mark.parametrize("group", list(MemoryGroup))
def test_every_way_holds_every_row_once(engine: Engine, ids: list[int], group: MemoryGroup) -> None:
    found = [text for _, texts in grouped(engine, group) for text in texts]
    assert len(found) == len(set(found)) == len(ids)


def test_of_nothing_there_is_no_group(engine: Engine) -> None:
    assert engine.memories.groups(group=MemoryGroup.TYPE) == ()
    assert engine.memories.groups(MemoryFilter(tags=("none",)), group=MemoryGroup.TIME) == ()
