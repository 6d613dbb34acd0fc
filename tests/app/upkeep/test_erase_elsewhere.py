"""S10, the four that were found: words of what is erased that the app itself had copied or kept somewhere else."""

import json

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.store.tables.core import ReferenceRow
from app.values import ContextRequest, ContextSignals, MemoryDraft, Origin
from tests.conftest import Say
from tests.patience import PATIENCE_S

CANARY = "zyzzyvaquokka"
PLACE = "/w/shop"


def holding(places: Places) -> list[str]:
    home = places.data_dir.parent
    return [path.name for path in home.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes().lower()]


def test_a_name_that_another_reference_only_weighed_goes_with_its_message(
    engine: Engine, places: Places, say: Say
) -> None:
    erased = say(f"Add the {CANARY} button to the page", session="a")
    other = say("Add the settings panel and rename it", session="b")
    assert engine.events.wait_idle(PATIENCE_S)
    assert other.message_id
    ((reference_id, _), *_) = engine.messages.get(other.message_id).references
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        row = write.get(ReferenceRow, reference_id)
        weighed = [[f"the {CANARY} button", 0.31, erased.message_id, "further away"], *row.candidates]
        write.update(ReferenceRow, reference_id, {"candidates": weighed})
    engine.memories.erase_everything_of(conversation_id=erased.conversation_id)
    assert holding(places) == []
    assert engine.messages.get(other.message_id).references, "the reference itself stays"


def test_a_memory_that_was_taken_back_is_erased_with_its_project(engine: Engine, places: Places, say: Say) -> None:
    say("Carry on", cwd=PLACE)
    engine.memories.create(MemoryDraft(f"The port of {CANARY} is 8080", project_path=PLACE))
    engine.journal.undo()
    assert holding(places), "the control: whole in the journal"
    engine.memories.erase_everything_of(project=PLACE)
    assert holding(places) == []


def test_a_memory_that_was_taken_back_is_erased_by_its_number(engine: Engine, places: Places) -> None:
    made = engine.memories.create(MemoryDraft(f"The port of {CANARY} is 8080"))
    engine.journal.undo()
    assert engine.memories.erase([made]).memory_count == 1
    assert holding(places) == []


def test_a_capture_that_was_taken_back_is_erased_with_its_app(engine: Engine, places: Places, say: Say) -> None:
    say(f"We decided to use {CANARY} as the cache", cwd=PLACE)
    assert engine.events.wait_idle(PATIENCE_S)
    captured = next(one for one in engine.journal.list() if one.label.startswith("Captured"))
    engine.journal.undo(captured.id)
    assert holding(places), "the control: whole in the journal"
    engine.memories.erase_everything_of(app="claude-code")
    assert holding(places) == []


def test_a_line_of_an_error_leaves_the_receipts_of_other_sessions(engine: Engine, places: Places, say: Say) -> None:
    engine.memories.create(MemoryDraft("Deploy the shop with a plan", project_path=PLACE))
    conversation = say("Build the shop", cwd=PLACE).conversation_id
    failed = {
        "tool_name": "Bash",
        "tool_input": {"command": "npm run build"},
        "tool_response": {"exit_code": 2, "stdout": f"src/cart.ts(4,7): error TS1: {CANARY} is no type\n"},
    }
    event = CaptureRequest("claude-code", EventKind.TOOL, "t", "s1", cwd=PLACE, payload=failed)
    engine.events.capture([event], wait_s=PATIENCE_S)
    signals = ContextSignals(PLACE, "codex", "another", "fix the build error of the shop")
    assert CANARY in engine.context.assemble(ContextRequest(signals, delivery="mcp")).text, "the control"
    engine.memories.erase_everything_of(conversation_id=conversation)
    assert holding(places) == []


def test_half_made_backups_go_at_the_start_and_with_what_is_erased(
    places: Places, clock: FrozenClock, engine: Engine
) -> None:
    made = engine.memories.create(MemoryDraft(f"The port of {CANARY} is 8080"))
    left = places.backups_dir / "remanence-20260101T000000000000Z-by-hand.partial"
    left.write_bytes(json.dumps(CANARY).encode())
    engine.memories.erase([made])
    assert not left.exists()
    left.write_bytes(b"half")
    engine.close()
    Engine.open(places, clock=clock).close()
    assert not left.exists()
