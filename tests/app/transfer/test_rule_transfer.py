"""E9: what a person chose to search for, to keep out and to learn comes back with their own export, and with nobody else's."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, Places
from app.interop.seed3_files import EXTRA
from app.store.tables.core import JOURNALLED
from app.transfer.memory_files import RULES
from app.values import CaptureRequest, EventKind, ExclusionKind, FactType, MemoryDraft, SavedSearch
from tests.dump import dump_store

BUT_RULES = frozenset(JOURNALLED) - {"rule"}
FOUND = SavedSearch(
    0, "Auth", text="token", choices=(("type", "decision"), ("tag", "auth")), sort="oldest", group="type"
)


@pytest.fixture
def ruled(engine: Engine, clock: FrozenClock) -> Engine:
    """Rules of every kind, some removed again, so that their numbers have gaps."""
    gone = engine.saved_searches.save(SavedSearch(0, "gone"))
    engine.saved_searches.save(FOUND)
    clock.advance(hours=1)
    engine.rules.exclude(ExclusionKind.FOLDER, "/w/secret")
    engine.saved_searches.remove(gone)
    engine.rules.exclude(ExclusionKind.WORDS, "project zeus")
    engine.memories.add_rule("never", type=FactType.PREFERENCE, phrase="tabs")
    engine.memories.create(MemoryDraft("The door is painted yearly."))
    return engine


@pytest.fixture
def wiped(tmp_path: Path, clock: FrozenClock) -> Iterator[Engine]:
    clock.advance(hours=1)
    engine = Engine.open(Places.under(tmp_path / "wiped"), clock=clock)
    yield engine
    engine.close()


def rules_of(engine: Engine) -> str:
    return dump_store(engine.places.store_path, without=BUT_RULES)


def test_export_wipe_import_gives_the_same_rules_in_one_undoable_act(
    ruled: Engine, wiped: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "long-term-memory.json"
    assert ruled.transfer.export("memories", path) == 1, "rules are no memories"
    report = wiped.transfer.import_history("own-memories", path)
    assert rules_of(wiped) == rules_of(ruled)
    assert (report.message_count, report.notes) == (1, ("Saved searches and rules imported: 4.",))
    assert "4 rules" in wiped.journal.list()[0].label
    (search,) = wiped.saved_searches.list()
    assert (search.name, search.choices) == (FOUND.name, FOUND.choices)
    kept_out = wiped.events.capture([CaptureRequest("codex", EventKind.PROMPT, "1", "s", "about project zeus")])
    assert "excluded" in kept_out[0].error
    again = wiped.transfer.import_history("own-memories", path)
    assert (again.message_count, again.duplicate_count, again.notes, again.operation_id) == (0, 5, (), None)
    wiped.journal.undo(report.operation_id)
    assert rules_of(wiped) == ""
    assert not wiped.rules.is_excluded("about project zeus")


def test_rules_come_back_without_any_memory(engine: Engine, wiped: Engine, tmp_path: Path) -> None:
    path = tmp_path / "long-term-memory.json"
    engine.saved_searches.save(FOUND)
    assert engine.transfer.export("memories", path) == 0
    assert wiped.transfer.import_history("own-memories", path).operation_id is not None
    assert rules_of(wiped) == rules_of(engine)


def test_some_memories_and_episodes_go_without_rules(ruled: Engine, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    assert ruled.transfer.export_some(ruled.memories.ids(), path) == 1
    assert len(json.loads(path.read_bytes())) == 1
    assert ruled.transfer.export("episodes", path, is_replacing=True) == 0
    assert json.loads(path.read_bytes()) == []


def test_a_strangers_file_makes_no_rule(ruled: Engine, wiped: Engine, tmp_path: Path) -> None:
    path = tmp_path / "long-term-memory.json"
    ruled.transfer.export("memories", path)
    report = wiped.transfer.import_history("seed-memories", path)
    assert (report.message_count, report.skipped_count) == (1, 4)
    assert rules_of(wiped) == ""


def test_what_is_here_stays_and_what_could_not_be_made_here_is_left_out(
    ruled: Engine, wiped: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "long-term-memory.json"
    ruled.transfer.export("memories", path)
    entry, memory = json.loads(path.read_bytes())
    search, folder, words, never = entry[EXTRA][RULES]
    entry[EXTRA][RULES] = [
        search,
        search | {"pattern": "No choices", "data": {"text": "x"}},
        folder | {"pattern": "secret"},
        folder | {"pattern": "/"},
        words | {"pattern": "ghp_" + "Zq7x" * 9},
        never | {"data": {"type": "mood", "attribute": ""}},
        never | {"kind": "boundary"},
        never | {"created_at": "yesterday"},
        words,
        7,
    ]
    path.write_text(json.dumps([entry, memory]))
    wiped.saved_searches.save(SavedSearch(0, "AUTH", text="mine"))
    report = wiped.transfer.import_history("own-memories", path)
    assert (report.duplicate_count, report.skipped_count) == (1, 7)
    assert [one.text for one in wiped.saved_searches.list()] == ["mine"]
    assert [one.text for one in wiped.rules.exclusions()] == ["project zeus"]
    assert wiped.memories.rules() == ()
