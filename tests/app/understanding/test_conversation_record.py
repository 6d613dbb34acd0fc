"""A conversation's record: its files with one line each and whose words it is, the conversations it continues or mentions."""

from collections.abc import Callable
from typing import Any

import pytest

from app.api import CaptureRequest, Engine, EventKind, FileChange, FrozenClock, MemoryStatus, Places, ReferenceWay
from app.deciders.conversation.file_changes import ToolStep, describe_file_changes
from app.store.tables.memory import MemoryRow
from app.values import ExclusionKind, Origin
from tests.patience import PATIENCE_S

Say = Callable[..., Any]


@pytest.fixture
def send(engine: Engine, clock: FrozenClock) -> Callable[..., None]:
    numbers = iter(range(1, 1_000))

    def note(kind: str, *, session: str = "s1", text: str = "", name: str = "", **given: Any) -> None:
        clock.advance(seconds=5)
        payload = {"tool_name": name, "tool_input": given, "tool_response": {}} if name else {}
        request = CaptureRequest(
            app="claude-code", kind=EventKind(kind), key=f"t:{session}:{next(numbers)}", session=session, text=text,
            cwd="/w/app", at=clock.now(), payload=payload,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)

    return note


@pytest.mark.seed("S1", "record.change-lines")
def test_files_bear_the_line_of_their_commit_or_of_the_answer(
    engine: Engine, say: Say, send: Callable[..., None]
) -> None:
    said = say("round the prices of the orders")
    send("tool", name="Edit", file_path="/w/app/src/orders.py", old_string="a", new_string="b")
    send("tool", name="Bash", command="git commit -m 'Prices are rounded half to even'")
    send("tool", name="Edit", file_path="/w/app/src/list.py", old_string="a", new_string="b")
    send("tool", name="Edit", file_path="/w/app/src/quiet.py", old_string="a", new_string="b")
    send("answer", text="I've updated list.py to show the rounded price. Anything else?")
    record = engine.conversations.record(said.conversation_id)
    expected = (
        FileChange("src/orders.py", "Prices are rounded half to even", is_commit=True, worded_by="claude-code"),
        FileChange("src/list.py", "I've updated list.py to show the rounded price.", worded_by="claude-code"),
        FileChange("src/quiet.py"),
    )
    assert record.changes == expected
    engine.conversations.end(said.conversation_id)
    engine.settings.set("queue_size", 5)
    for number in range(6):
        say(f"something else entirely, number {number} of the garden", session=f"s{number + 2}", minutes=600)
    left = engine.conversations.record(said.conversation_id)
    assert engine.conversations.get(said.conversation_id).messages == ()
    assert left.changes == expected, "its text is gone, what was changed is known"
    assert left.episode_ids == record.episode_ids or len(left.episode_ids) == 1


@pytest.mark.seed("S1", "record.cross")
@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("Make the header blue like in the conversation about the FAB button", ReferenceWay.MENTIONS),
        ("Make the header blue like the FAB button", ReferenceWay.MENTIONS),
        ("As in conversation 1, make the header blue", ReferenceWay.MENTIONS),
        ("Let's go back to the FAB button conversation and write its tests", ReferenceWay.CONTINUES),
        ("Let's pick up the conversation about the FAB button again", ReferenceWay.CONTINUES),
    ],
)
def test_both_ends_of_a_reference_know_it_also_when_the_text_is_gone(
    engine: Engine, say: Say, text: str, way: ReferenceWay
) -> None:
    first = say("Add a FAB button to the gallery", session="a")
    say("Add a search field to the list", session="b", minutes=600)
    second = say(text, session="c", minutes=600)
    assert second.conversation_id != first.conversation_id
    out = engine.conversations.record(second.conversation_id).references
    assert [(one.conversation_id, one.way, one.is_outgoing, one.is_kept) for one in out] == [
        (first.conversation_id, way, True, True)
    ]
    back = engine.conversations.record(first.conversation_id).references
    assert [(one.conversation_id, one.way, one.is_outgoing) for one in back] == [(second.conversation_id, way, False)]
    engine.settings.set("queue_size", 5)
    for number in range(6):
        say(f"something else entirely, number {number} of the garden", session=f"s{number}", minutes=600)
    for number in (first.conversation_id, second.conversation_id):
        assert engine.conversations.get(number).messages == ()
    gone = engine.conversations.record(second.conversation_id).references
    assert [(one.conversation_id, one.way, one.is_kept) for one in gone] == [(first.conversation_id, way, False)]


def _leave(engine: Engine, say: Say, conversation_id: int) -> None:
    """Pushes it out of the queue: its record is what its episode kept."""
    engine.conversations.end(conversation_id)
    engine.settings.set("queue_size", 5)
    for number in range(6):
        say(f"something else entirely, number {number} of the garden", session=f"s{number + 2}", minutes=600)
    assert engine.conversations.get(conversation_id).messages == ()


def _change(send: Callable[..., None], said: str) -> None:
    send("tool", name="Edit", file_path="/w/app/src/qzplumvex.py", old_string="a", new_string="b")
    send("tool", name="Bash", command=f"git commit -m '{said}'")


def test_what_was_changed_is_erased_with_its_conversation(
    engine: Engine, say: Say, send: Callable[..., None], places: Places
) -> None:
    said = say("round the prices of the orders")
    _change(send, "Round qzapplevex to cents")
    _leave(engine, say, said.conversation_id)
    assert engine.conversations.record(said.conversation_id).changes[0].line == "Round qzapplevex to cents"
    assert _holding(places) != []
    engine.memories.erase_everything_of(conversation_id=said.conversation_id, includes_backups=True)
    engine.close()
    assert _holding(places) == []


def _holding(places: Places) -> list[str]:
    words = (b"qzapplevex", b"qzplumvex")
    files = [path for path in places.data_dir.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word in path.read_bytes() for word in words)]


def test_a_record_is_read_also_when_its_episode_was_merged_away(
    engine: Engine, say: Say, send: Callable[..., None]
) -> None:
    said = say("round the prices of the orders")
    _change(send, "Round the prices of the orders to cents")
    _leave(engine, say, said.conversation_id)
    before = engine.conversations.record(said.conversation_id)
    (own,) = before.episode_ids
    with engine._core.store.write(origin=Origin.PERSON, kind="edit", label="") as write:
        write.update(MemoryRow, own, {"status": MemoryStatus.ARCHIVED.value})
    left = engine.conversations.record(said.conversation_id)
    assert left.changes == before.changes
    assert own not in left.episode_ids, "what is not in use is not walked to"


def test_a_secret_in_a_line_is_taken_out_by_the_scan(engine: Engine, say: Say, send: Callable[..., None]) -> None:
    token = "ghp_" + "Zq7x" * 9
    engine.settings.set("is_redacting", False)
    said = say("round the prices of the orders")
    _change(send, f"Round with {token}")
    _leave(engine, say, said.conversation_id)
    assert token in engine.conversations.record(said.conversation_id).changes[0].line
    engine.memories.scan_secrets(purge=True)
    (left,) = engine.conversations.record(said.conversation_id).changes
    assert token not in left.line
    assert left.line.startswith("Round with [secret")


def test_what_is_excluded_changes_no_line(engine: Engine, say: Say, send: Callable[..., None]) -> None:
    engine.rules.exclude(ExclusionKind.WORDS, "project falcon")
    said = say("round the prices of the orders")
    _change(send, "Prices for Project Falcon")
    (change,) = engine.conversations.record(said.conversation_id).changes
    assert (change.file, change.line) == ("src/qzplumvex.py", "")
    _leave(engine, say, said.conversation_id)
    assert all(not one.line for one in engine.conversations.record(said.conversation_id).changes)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [ToolStep(edited=["a.py", "b.py"], answer="I've fixed both. Tests pass.")],
            {"a.py": ("", False), "b.py": ("", False)},
        ),
        ([ToolStep(edited=["a.py"], answer="Shall I go on?")], {"a.py": ("", False)}),
        (
            [ToolStep(edited=["a.py"], answer="I've fixed a.py."), ToolStep(commit="Fix it")],
            {"a.py": ("Fix it", True)},
        ),
        ([ToolStep(edited=["a.py"], commit="One"), ToolStep(edited=["a.py"], commit="Two")], {"a.py": ("Two", True)}),
        ([], {}),
    ],
)
def test_a_line_is_said_by_somebody_or_is_empty(steps: list[ToolStep], expected: dict[str, tuple[str, bool]]) -> None:
    assert describe_file_changes(steps) == expected
