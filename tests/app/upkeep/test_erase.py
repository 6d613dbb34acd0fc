"""S10: what a person erases is in no file any more; everything else is as it was."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from app.api import DiskProblem, Engine, FrozenClock, InvalidError, NotFoundError, Origin, Places
from app.values import ArtifactKind, LinkType, MemoryDraft, MemoryEdit, MemoryFilter, MemoryStatus, RecallQuery
from tests.conftest import START, Say
from tests.patience import PATIENCE_S

CANARY = "zanzibar-lighthouse-7731"


def found_in(home: Path, *, canary: str = CANARY, backups: bool = False) -> list[str]:
    """Files that hold the canary, in either case and in the forms that JSON gives it."""
    names = []
    for path in sorted(home.rglob("*")):
        if path.is_file() and (backups or "backups" not in path.parts):
            data = path.read_bytes().lower()
            if canary.encode() in data or canary.replace("-", "").encode() in data:
                names.append(path.name)
    return names


@pytest.fixture
def home(places: Places) -> Path:
    return places.data_dir.parent


def add(engine: Engine, text: str, **more: object) -> int:
    return engine.memories.create(MemoryDraft(text, **more))  # type: ignore[arg-type]


def live_through_everything(engine: Engine, clock: FrozenClock) -> tuple[int, int]:
    """A memory with the canary in every place that keeps anything of a memory, and another beside it."""
    memories = engine.memories
    one = add(engine, f"The staging port of {CANARY} is 8080.", tags=(CANARY,), details={"steps": [CANARY]})
    other = add(engine, "Backups run at night.")
    clock.advance(minutes=20)  # no longer: after half an hour a backup is made by itself
    memories.edit(one, MemoryEdit(full=f"The staging port of {CANARY} is 9090.", summary=f"{CANARY} on 9090"))
    memories.edit(one, MemoryEdit(full="The port is secret now.", title=CANARY, category=CANARY))
    engine.journal.undo()
    engine.journal.redo()
    memories.restore_version(one, memories.get(one).versions[-1].id)
    memories.link(one, other, LinkType.RELATED_TO)
    memories.unlink(memories.link(other, one, LinkType.DEPENDS_ON))
    memories.attach(one, ArtifactKind.FILE, f"src/{CANARY}.py")
    memories.detach(memories.attach(one, ArtifactKind.ADR, f"ADR {CANARY}"))
    memories.tag([one, other], add=["shared"])
    memories.archive([one])
    engine.journal.undo()
    engine.search.search(RecallQuery(f"port of {CANARY}"))
    engine.journal.undo()
    return one, other


def test_nothing_of_an_erased_memory_is_left(engine: Engine, clock: FrozenClock, home: Path) -> None:
    one, other = live_through_everything(engine, clock)
    engine.backups.create()
    assert found_in(home), "the control: it was there"
    before = engine.memories.get(other)
    report = engine.memories.erase([one])
    assert (report.memory_count, report.message_count, report.backups_removed, report.backups_kept) == (1, 0, 0, 1)
    assert found_in(home) == [], "while running"
    assert found_in(home, backups=True), "the backup was kept"
    with pytest.raises(NotFoundError):
        engine.memories.get(one)
    after = engine.memories.get(other)
    assert (after.memory.levels, after.memory.tags) == (before.memory.levels, before.memory.tags)
    assert after.links == ()
    assert [card.id for card in engine.memories.list().cards] == [other]
    assert engine.memories.erase([other], includes_backups=True).backups_removed == 1
    assert found_in(home, backups=True) == []
    engine.close()
    assert found_in(home, backups=True) == [], "after the end"


def test_erasing_is_told_and_cannot_be_undone(engine: Engine, clock: FrozenClock) -> None:
    one, other = live_through_everything(engine, clock)
    engine.memories.erase([one])
    newest = engine.journal.list()[0]
    assert (newest.kind, newest.label, newest.is_undoable) == ("erase", "Erased 1 memory", False)
    assert not any(CANARY in entry.label for entry in engine.journal.list())
    with pytest.raises(InvalidError, match="cannot be undone"):
        engine.journal.undo(newest.id)
    while engine.journal.undo_label():
        engine.journal.undo()  # what is left of bulk acts can still be taken back
    assert engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).total == 0
    with pytest.raises(NotFoundError):
        engine.memories.get(other)


def test_a_replacing_memory_survives_what_it_replaced(engine: Engine, say: Say) -> None:
    say("We use MySQL as the database.")
    say("We moved from MySQL to PostgreSQL as the database.")
    assert engine.events.wait_idle(PATIENCE_S)
    everything = engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).cards
    newer = [card for card in everything if engine.memories.get(card.id).memory.supersedes_id]
    older_id = engine.memories.get(newer[0].id).memory.supersedes_id
    assert older_id is not None
    engine.memories.erase([older_id])
    assert engine.memories.get(newer[0].id).memory.supersedes_id is None


def test_the_message_stays_unless_it_is_erased_too(engine: Engine, say: Say, home: Path) -> None:
    said = say(f"We decided to use Redis for {CANARY}.")
    say("Add a settings page and test it")
    assert engine.events.wait_idle(PATIENCE_S)
    assert said.message_id is not None
    (card,) = engine.memories.of_message(said.message_id)
    engine.memories.erase([card.id])
    assert CANARY in engine.messages.get(said.message_id).text
    assert found_in(home)
    again = add(engine, f"Redis is for {CANARY}.")
    assert engine.memories.erase([again]).message_count == 0
    assert found_in(home), "the message still says it"
    report = engine.memories.erase_everything_of(conversation_id=engine.messages.get(said.message_id).conversation_id)
    assert report.message_count >= 1
    assert found_in(home) == []


def test_erasing_with_its_messages_leaves_the_rest_of_the_conversation(
    engine: Engine, say: Say, home: Path, clock: FrozenClock
) -> None:
    first = say(f"We decided to use Redis for {CANARY}.")
    second = say("Never commit to main.")
    third = say("Test it and tell me")
    assert engine.events.wait_idle(PATIENCE_S)
    assert first.message_id is not None
    cards = engine.memories.of_message(first.message_id)
    report = engine.memories.erase([card.id for card in cards], erase_messages=True)
    assert (report.memory_count, report.message_count) == (len(cards), 1)
    left = {message.id for one in engine.conversations.list() for message in engine.conversations.get(one.id).messages}
    assert left == {second.message_id, third.message_id}
    assert not any(CANARY in one.title for one in engine.conversations.list())
    assert found_in(home) == []
    say("and another one", minutes=2)
    assert engine.memories.count() >= 1


@pytest.mark.parametrize("scope", ["project", "app", "span"])
def test_everything_of_a_scope(engine: Engine, say: Say, home: Path, clock: FrozenClock, scope: str) -> None:
    say("We decided to use Kafka for billing.", session="other", cwd="/w/other", app="codex")
    clock.advance(days=3)
    begun = clock.now()
    say(f"We decided to use Redis for {CANARY}.", cwd="/w/gone")
    add(engine, f"The port of {CANARY} is 8080.", project_path="/w/gone", app="claude-code")
    clock.advance(days=1)
    say("Never deploy on Fridays.", session="other", cwd="/w/other", app="codex")
    scopes: dict[str, Callable[[], object]] = {
        "project": lambda: engine.memories.erase_everything_of(project="/w/gone"),
        "app": lambda: engine.memories.erase_everything_of(app="claude-code"),
        "span": lambda: engine.memories.erase_everything_of(from_at=begun, to_at=begun + timedelta(hours=5)),
    }
    scopes[scope]()
    assert found_in(home) == []
    said = [
        message.text for one in engine.conversations.list() for message in engine.conversations.get(one.id).messages
    ]
    assert sorted(said) == ["Never deploy on Fridays.", "We decided to use Kafka for billing."]
    assert engine.memories.count() >= 2
    assert begun > START


def test_erasing_needs_to_be_told_what(engine: Engine) -> None:
    with pytest.raises(InvalidError, match="Erase what"):
        engine.memories.erase_everything_of()
    kept = add(engine, "Backups run at night.")
    with pytest.raises(NotFoundError, match="999"):
        engine.memories.erase([kept, 999])
    with pytest.raises(NotFoundError):
        engine.memories.erase_everything_of(conversation_id=999)
    assert engine.memories.count() == 1


def test_an_erased_memory_is_not_found_and_its_words_can_be_said_again(engine: Engine) -> None:
    one = add(engine, f"The port of {CANARY} is 8080.")
    engine.memories.erase([one])
    assert engine.search.search(RecallQuery(CANARY)).hits == ()
    again = engine.memories.create(MemoryDraft(f"The port of {CANARY} is 8080."), origin=Origin.API)
    assert engine.memories.get(again).memory.status is MemoryStatus.PROPOSED


def test_the_next_start_finishes_an_erase_that_the_disk_broke_off(
    engine: Engine, clock: FrozenClock, home: Path
) -> None:
    memory_id = add(engine, f"The port of {CANARY} is 8080.")
    engine.backups.create("by hand")
    in_the_way = engine.places.log_path.with_name(f"{engine.places.log_path.name}.9")
    in_the_way.mkdir()  # a log file that cannot be looked through, behind the commit
    with pytest.raises(DiskProblem, match="could not be finished"):
        engine.memories.erase([memory_id], includes_backups=True)
    with pytest.raises(NotFoundError):
        engine.memories.get(memory_id)
    engine.close()
    assert found_in(home, backups=True), "the control: the backup has it still"
    in_the_way.rmdir()
    Engine.open(engine.places, clock=clock).close()
    assert found_in(home, backups=True) == []
    assert not list(engine.places.data_dir.glob("erase.*"))
