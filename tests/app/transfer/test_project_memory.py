"""The four files of S3: every field written, read back without loss, and read with the seed's fields only."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.interop.seed3_files import EXTRA
from app.store.tables.core import JOURNALLED
from app.transfer.seed_import import FOUR_FILES
from app.values import FactType, LinkType, MemoryFilter, MemoryKind, MemoryStatus
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

EVERY = MemoryFilter(statuses=tuple(MemoryStatus))
IN_FILES = {
    "conversation",
    "reference",
    "chunk",
    "memory",
    "memory_source",
    "memory_version",
    "artifact",
    "link",
    "contradiction",
}
NOT_IN_FILES = (
    frozenset(JOURNALLED) - IN_FILES
)  # messages lose their event, entities their numbers: the files are compared, too


@pytest.fixture
def full(engine: Engine, say: Say, clock: FrozenClock) -> Engine:
    """A long conversation with chunks, a short one, memories of all kinds with links."""
    engine.settings.set("recent_messages", 5)
    engine.settings.set("chunk_messages", 2)
    for number in range(9):
        say(f"Put the invoice page into state number {number}", session="long")
        clock.advance(minutes=1)
    say("Remember: never deploy on Fridays.", session="short")
    assert engine.events.wait_idle(PATIENCE_S)
    for one in engine.conversations.list():
        engine.conversations.end(one.id)
    fact = engine.memories.create(MemoryDraft("Invoices are printed by WeasyPrint.", tags=("pdf",), category="tools"))
    number = engine.conversations.list()[-1].id
    details = {"outcome": "done", "valence": 0.5, "significance": 0.8, "conversation_id": number,
               "turn_range": {"start": 1, "end": 9}, "participants": ["you"]}  # fmt: skip
    episode = engine.memories.create(
        MemoryDraft("The invoice page was done.", kind=MemoryKind.EPISODE, details=details)
    )
    engine.memories.link(episode, fact, LinkType.RELATED_TO, 0.7)
    return engine


@pytest.fixture
def folder(full: Engine, tmp_path: Path) -> Path:
    made = tmp_path / ".project-memory"
    assert full.transfer.export("project-memory", made) > 0
    return made


@pytest.fixture
def fresh(tmp_path: Path, clock: FrozenClock) -> Iterator[Engine]:
    opened = Engine.open(Places.under(tmp_path / "fresh"), clock=clock)
    yield opened
    opened.close()


def rows_of(folder: Path, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / name).read_text())
    return found


FIELDS = {
    "long-term-memory.json": {"id", "type", "content", "category", "tags", "relationships", "validFrom", "validUntil",
                              "metadata", "createdAt", "updatedAt"},
    "episodic-memory.json": {"id", "type", "title", "summary", "context", "participants", "outcome", "emotionalValence",
                             "significance", "linkedMemories", "conversationRef", "metadata"},
    "conversations.json": {"id", "projectId", "startedAt", "endedAt", "status", "totalTurns", "chunks", "recentMessages",
                           "activeFacts", "milestones"},
    "conversation-chunks.json": {"id", "conversationId", "chunkNumber", "messages", "summary", "keyTopics", "tokenCount",
                                 "createdAt"},
}  # fmt: skip
METADATA = {"source", "importance", "accessCount", "lastAccessedAt", "decayFactor", "tokens", "embedding"}


@pytest.mark.seed("S3", "files.four", "long-term.fields", "episodic.fields", "conversation.fields", "chunk.fields")
@pytest.mark.parametrize("name", FOUR_FILES)
def test_every_field_of_the_seed_is_written(name: str, folder: Path) -> None:
    rows = [one for one in rows_of(folder, name) if set(one) != {EXTRA}]
    assert rows
    for row in rows:
        assert FIELDS[name] - row.keys() == set()


@pytest.mark.seed("S3", "metadata.fields", "metadata.embedding", "metadata.decay", "metadata.source")
def test_metadata_is_whole(folder: Path) -> None:
    row = next(one for one in rows_of(folder, "long-term-memory.json") if "Fridays" in str(one.get("content")))
    metadata = row["metadata"]
    assert isinstance(metadata, dict)
    assert set(metadata) == METADATA
    assert metadata["source"]["type"] == "conversation"
    assert metadata["source"]["messageId"].startswith("msg-")
    assert 0 < metadata["decayFactor"] <= 1
    assert sum(value * value for value in metadata["embedding"]) == pytest.approx(1, abs=0.01)
    (episode,) = [one for one in rows_of(folder, "episodic-memory.json") if one["emotionalValence"] == 0.5]
    assert len(episode["linkedMemories"]) == 1  # type: ignore[arg-type]
    reference = episode["conversationRef"]
    assert isinstance(reference, dict)
    assert reference["turnRange"] == {"start": 1, "end": 9}
    assert reference["conversationId"] in {one["id"] for one in rows_of(folder, "conversations.json")}


@pytest.mark.seed("S3", "files.round-trip", "relationships.fields")
def test_the_four_files_give_everything_back(full: Engine, folder: Path, fresh: Engine, tmp_path: Path) -> None:
    before = dump_store(full.places.store_path, without=NOT_IN_FILES)
    report = fresh.transfer.import_history("own-memories", folder)
    assert report.skipped_count == 0
    assert report.conversation_count == len(full.conversations.list())
    again = tmp_path / "again"
    fresh.transfer.export("project-memory", again)
    for name in FOUR_FILES:
        assert rows_of(again, name) == rows_of(folder, name), name
    after = dump_store(fresh.places.store_path, without=NOT_IN_FILES)
    assert after == before
    twice = fresh.transfer.import_history("own-memories", folder)
    assert (twice.message_count, twice.conversation_count) == (0, 0)
    fresh.journal.undo(report.operation_id)
    assert fresh.conversations.list() == ()
    assert fresh.memories.count(EVERY) == 0


SEED_ONLY = {
    "conversations.json": [
        {
            "id": "lxyz123-a1b2c3d4", "projectId": "shop", "startedAt": "2026-01-05T10:00:00Z",
            "endedAt": "2026-01-05T11:00:00Z", "status": "ended", "totalTurns": 4,
            "chunks": [
                {"id": "lxyz124-00ff00ff", "conversationId": "lxyz123-a1b2c3d4", "chunkNumber": 1,
                 "messages": [
                     {"id": "m1", "role": "user", "content": "What database should we use?",
                      "timestamp": "2026-01-05T10:00:00Z"},
                     {"id": "m2", "role": "assistant", "content": "I recommend PostgreSQL.",
                      "timestamp": "2026-01-05T10:01:00Z"}],
                 "summary": "Which database", "keyTopics": ["database"], "tokenCount": 12,
                 "createdAt": "2026-01-05T10:30:00Z"},
                {"id": "lxyz125-00ff00ff", "conversationId": "lxyz123-a1b2c3d4", "chunkNumber": 2, "messages": [],
                 "summary": "Earlier: setup\n\nThen: colours", "keyTopics": [], "tokenCount": 9,
                 "createdAt": "2026-01-05T10:40:00Z"}],
            "recentMessages": [
                {"id": "m3", "role": "user", "content": "We decided to use PostgreSQL.",
                 "timestamp": "2026-01-05T10:50:00Z"}],
            "activeFacts": ["lxyz126-11111111"], "milestones": [],
        }
    ],
    "conversation-chunks.json": [
        {"id": "lxyz127-00ff00ff", "conversationId": "other-a1b2", "chunkNumber": 1,
         "messages": [{"id": "n1", "role": "user", "content": "Paint it blue", "timestamp": "2026-01-06T10:00:00Z"}],
         "summary": "Paint", "keyTopics": [], "tokenCount": 3, "createdAt": "2026-01-06T10:00:00Z"}],
    "long-term-memory.json": [
        {"id": "lxyz126-11111111", "type": "decision", "content": "The database is PostgreSQL.", "category": "storage",
         "tags": ["db"], "relationships": [
             {"targetId": "lxyz128-22222222", "type": "depends_on", "strength": 0.8, "createdAt": "2026-01-05T11:00:00Z"}],
         "validFrom": "2026-01-05T10:50:00Z",
         "metadata": {"source": {"conversationId": "lxyz123-a1b2c3d4"}, "importance": 0.9, "accessCount": 4,
                      "lastAccessedAt": "2026-01-07T10:00:00Z", "decayFactor": 0.9, "tokens": 5},
         "createdAt": "2026-01-05T10:50:00Z", "updatedAt": "2026-01-05T10:50:00Z"},
        {"id": "lxyz128-22222222", "type": "constraint", "content": "Orders must be stored in JSON.", "category": "",
         "tags": [], "relationships": [], "validFrom": "2026-01-05T10:50:00Z", "metadata": {},
         "createdAt": "2026-01-05T10:51:00Z"}],
    "episodic-memory.json": [
        {"id": "lxyz129-33333333", "type": "episode", "title": "Database selection", "summary": "PostgreSQL was chosen",
         "context": "Chose PostgreSQL for its JSON support.", "participants": ["user", "assistant"], "outcome": "decided",
         "emotionalValence": 0.4, "significance": 0.8, "linkedMemories": ["lxyz126-11111111"],
         "conversationRef": {"conversationId": "lxyz123-a1b2c3d4", "turnRange": {"start": 1, "end": 3}},
         "metadata": {"importance": 0.8}, "createdAt": "2026-01-05T11:00:00Z"}],
}  # fmt: skip


@pytest.mark.seed("S3", "files.seed-only")
def test_files_with_the_fields_of_the_seed_only_are_read(fresh: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, rows in SEED_ONLY.items():
        (folder / name).write_text(json.dumps(rows))
    report = fresh.transfer.import_history("project-memory", folder)
    assert (report.conversation_count, report.skipped_count) == (2, 0)
    painted, talk = fresh.conversations.list()
    detail = fresh.conversations.get(talk.id)
    assert [(one.speaker.value, one.text) for one in detail.messages] == [
        ("user", "What database should we use?"), ("assistant", "I recommend PostgreSQL."),
        ("user", "We decided to use PostgreSQL."),
    ]  # fmt: skip
    chunks = fresh.memories.chunks(talk.id)
    assert [(one.summary, one.message_count) for one in chunks] == [
        ("Which database", 2), ("Earlier: setup\n\nThen: colours", 0),
    ]  # fmt: skip
    assert fresh.conversations.get(painted.id).messages[0].text == "Paint it blue"
    cards = {card.text: card for card in fresh.memories.list(EVERY).cards}
    database = fresh.memories.get(cards["The database is PostgreSQL."].id)
    assert database.memory.type is FactType.DECISION
    assert (database.memory.importance, database.memory.retrieved_count) == (0.9, 4)
    assert {link.type for link in database.links} == {LinkType.DEPENDS_ON, LinkType.RELATED_TO}
    (episode,) = [card for card in cards.values() if card.kind is MemoryKind.EPISODE]
    details = fresh.memories.get(episode.id).memory.details
    assert details["conversation_id"] == talk.id
    assert (details["valence"], details["turn_range"]) == (0.4, {"start": 1, "end": 3})
    fresh.conversations.reopen(talk.id)  # chunks without their messages stand in nobody's way
    twice = fresh.transfer.import_history("project-memory", folder)
    assert (twice.message_count, twice.conversation_count) == (0, 0)


@pytest.mark.parametrize("row", [{}, {"id": 7, "chunks": "x", "recentMessages": [{"content": 4}]}, {"chunks": [[]]}])
def test_rows_that_are_none_are_refused_or_left_out(row: object, fresh: Engine, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([row]))
    report = fresh.transfer.import_history("project-memory", path)
    assert (report.conversation_count, report.skipped_count) == (0, 1)


def test_a_folder_without_them_says_so(fresh: Engine, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="None of the four files"):
        fresh.transfer.import_history("project-memory", tmp_path)
