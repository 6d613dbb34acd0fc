"""E9: export, wipe, import gives the same memories; S12: a stranger's file is an import at trust 1, one undoable act."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, InvalidError, Places
from app.interop.seed3_files import EXTRA
from app.values import (
    ArtifactKind,
    FactType,
    Level,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Tier,
    Trust,
)
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

OTHERS = frozenset(
    {"conversation", "stream", "message", "mention", "reference", "entity", "tool_use", "app", "rule", "setting"}
)
EVERY = MemoryFilter(statuses=tuple(MemoryStatus))


@pytest.fixture
def full(engine: Engine, say: Say, clock: FrozenClock) -> Engine:
    """Memories said and written, edited, linked, contradicting, put away."""
    say("We use MySQL as the database.")
    say("Never deploy on Fridays.")
    assert engine.events.wait_idle(PATIENCE_S)
    one = engine.memories.create(MemoryDraft("The database is PostgreSQL.", tags=("db",), project_path="/w/app"))
    clock.advance(hours=1)
    engine.memories.edit(one, MemoryEdit(full="The database is SQLite.", summary="SQLite it is"))
    other = engine.memories.create(
        MemoryDraft(
            "Moved the login to sessions.", kind=MemoryKind.EPISODE, details={"outcome": "done", "valence": 0.5}
        )
    )
    engine.memories.link(one, other, LinkType.CAUSED_BY, 0.7)
    engine.memories.attach(one, ArtifactKind.ADR, "ADR-012")
    engine.memories.archive([engine.memories.create(MemoryDraft("Backups run at night."))])
    return engine


def test_our_own_files_give_everything_back(full: Engine, tmp_path: Path, clock: FrozenClock) -> None:
    facts, episodes = tmp_path / "long-term-memory.json", tmp_path / "episodic-memory.json"
    total = full.memories.count(EVERY)
    assert full.transfer.export("memories", facts) + full.transfer.export("episodes", episodes) == total
    before = dump_store(full.places.store_path, without=OTHERS)
    with closing(Engine.open(Places.under(tmp_path / "wiped"), clock=clock)) as wiped:
        wiped.transfer.import_history("own-memories", episodes)
        assert wiped.transfer.import_history("own-memories", facts).message_count == total - 1
        assert dump_store(wiped.places.store_path, without=OTHERS) == before
        again = wiped.transfer.import_history("own-memories", facts)
        assert (again.message_count, again.duplicate_count) == (0, total - 1)
        assert wiped.memories.list(MemoryFilter(tags=("db",))).total == 1
        wiped.journal.undo(wiped.journal.list()[0].id)
        assert wiped.memories.count(EVERY) == 1


def placed(engine: Engine) -> list[tuple[str, Level | None, Tier | None]]:
    chosen = {one.memory_id: one for one in engine.context.placements()}
    return sorted((engine.memories.get(key).memory.title, one.level, one.tier) for key, one in chosen.items())


def test_how_a_person_wants_them_told_goes_with_our_own_files_only(
    full: Engine, tmp_path: Path, clock: FrozenClock
) -> None:
    ids = full.memories.ids(EVERY)
    full.context.place_at_level(ids[:1], Level.COMPRESSED)
    full.context.place_in_tier(ids[1:2], Tier.CRITICAL)
    path = tmp_path / "long-term-memory.json"
    full.transfer.export("memories", path)
    episodes = tmp_path / "episodic-memory.json"
    full.transfer.export("episodes", episodes)
    before = placed(full)
    assert len(before) == 2
    for kind, expected in (("own-memories", before), ("seed-memories", [])):
        with closing(Engine.open(Places.under(tmp_path / kind), clock=clock)) as fresh:
            for file in (episodes, path):
                fresh.transfer.import_history(kind, file)
            assert placed(fresh) == expected
            if expected:
                assert not any(one.is_undone for one in fresh.journal.list())
                for one in fresh.journal.list():
                    fresh.journal.undo(one.id)
                assert placed(fresh) == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (None, None),
        ("nonsense", None),
        ({"level": "huge", "tier": 7}, None),
        ({"level": "compressed"}, (Level.COMPRESSED, None)),
        ({"level": "full", "tier": "index"}, (None, Tier.INDEX)),
    ],
)
def test_files_without_a_choice_or_with_an_odd_one_are_read(
    said: object, expected: object, full: Engine, tmp_path: Path, clock: FrozenClock
) -> None:
    path = tmp_path / "long-term-memory.json"
    full.transfer.export("memories", path)
    rows = json.loads(path.read_bytes())
    del rows[0][EXTRA]["placement"]  # as files were written before there was a choice
    if said is not None:
        rows[0][EXTRA]["placement"] = said
    path.write_text(json.dumps(rows))
    with closing(Engine.open(Places.under(tmp_path / "fresh"), clock=clock)) as fresh:
        assert fresh.transfer.import_history("own-memories", path).message_count == len(rows)
        chosen = [(one.level, one.tier) for one in fresh.context.placements()]
        assert chosen == ([expected] if expected else [])


def test_a_strangers_file_is_only_imported(full: Engine, tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "long-term-memory.json"
    full.transfer.export("memories", path)
    rows = json.loads(path.read_bytes())
    key = "ghp_" + "Zq7x" * 9
    rows[0][EXTRA]["memory"]["full"] += f" The token is {key}."
    rows[1][EXTRA]["memory"]["trust"] = 99
    rows[2][EXTRA]["memory"]["valid_from"] = "yesterday"
    path.write_text(json.dumps([*rows, "nonsense", {"content": ""}]))
    with closing(Engine.open(Places.under(tmp_path / "fresh"), clock=clock)) as fresh:
        report = fresh.transfer.import_history("seed-memories", path)
        assert (report.message_count, report.skipped_count) == (len(rows) - 2, 4)
        details = [fresh.memories.get(card.id).memory for card in fresh.memories.list(EVERY).cards]
        assert {memory.trust for memory in details} == {Trust.IMPORTED}
        assert not any(key in memory.levels.full.text for memory in details)
        fresh.journal.undo(report.operation_id)
        assert fresh.memories.count(EVERY) == 0


def test_a_file_with_the_seeds_fields_only_is_read(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "long-term-memory.json"
    path.write_text(
        json.dumps(
            [
                {
                    "id": "lxyz123-a1b2c3d4", "type": "decision", "content": "We chose Redis for sessions.",
                    "category": "architecture", "tags": ["cache"], "validFrom": "2026-01-05T09:00:00Z",
                    "metadata": {"importance": 0.8, "accessCount": 3}, "createdAt": "2026-01-05T09:00:00Z",
                },
                {"id": "ep-1", "type": "episode", "title": "Auth refactor", "context": "JWT replaced.", "outcome": "done"},
            ]
        )
    )  # fmt: skip
    assert engine.transfer.import_history("seed-memories", path).message_count == 2
    assert engine.transfer.import_history("seed-memories", path).message_count == 0
    (card,) = engine.memories.list(MemoryFilter(tags=("cache",), statuses=(MemoryStatus.PROPOSED,))).cards
    memory = engine.memories.get(card.id).memory
    assert (memory.type, memory.importance, memory.trust) == (FactType.DECISION, 0.8, Trust.IMPORTED)
    assert memory.valid_from == memory.recorded_at
    assert memory.recorded_at.year == 2026
    with pytest.raises(InvalidError):
        engine.transfer.import_history("seed-memories", tmp_path / "nowhere.json")


@pytest.mark.seed("S3", "files.readable")
def test_the_files_have_the_fields_of_the_seed(full: Engine, tmp_path: Path) -> None:
    full.transfer.export("memories", tmp_path / "m.json")
    full.transfer.export("episodes", tmp_path / "e.json")
    for row in json.loads((tmp_path / "m.json").read_bytes()):
        assert {"id", "type", "content", "category", "tags", "relationships", "validFrom", "metadata"} <= set(row)
    (episode,) = json.loads((tmp_path / "e.json").read_bytes())
    assert (episode["outcome"], episode["emotionalValence"]) == ("done", 0.5)


def test_conversations_and_chunks_have_the_fields_of_the_seed(engine: Engine, say: Say, tmp_path: Path) -> None:
    say("We decided to use Redis for sessions.")
    for number in range(24):
        say(f"and field number {number} too", minutes=0.2)
    assert engine.events.wait_idle(PATIENCE_S)
    assert engine.transfer.export("conversations", tmp_path / "conversations.json") == 1
    chunk_count = engine.transfer.export("chunks", tmp_path / "conversation-chunks.json")
    (one,) = json.loads((tmp_path / "conversations.json").read_bytes())
    chunks = json.loads((tmp_path / "conversation-chunks.json").read_bytes())
    assert chunks == one["chunks"]
    assert (len(chunks), chunk_count) == (1, 1)
    assert len(chunks[0]["messages"]) + len(one["recentMessages"]) == one["totalTurns"] == 25
    assert chunks[0]["summary"]
    assert one["activeFacts"]
