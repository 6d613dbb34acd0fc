"""S10: what was told of an erased thing is in no receipt either: disputes, topics, prompts, files, failed commands."""

from typing import Any

import pytest

from app.api import CaptureRequest, Engine, EventKind, Places
from app.store.tables.memory import ContradictionRow
from app.values import Context, ContextRequest, ContextSignals, MemoryDraft, Origin
from tests.conftest import Say
from tests.patience import PATIENCE_S

CANARY = "zyzzyvaquokka"
PLACE = "/w/shop"
KNOWN = MemoryDraft('Deploy the shop with a "plan" only, it isn\'t frozen', project_path=PLACE)


def holding(places: Places) -> list[str]:
    home = places.data_dir.parent
    return [path.name for path in home.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes().lower()]


def give(engine: Engine, prompt: str = "How do we deploy the shop?", **more: object) -> Context:
    signals = ContextSignals(PLACE, "claude-code", "s1", prompt, **more)  # type: ignore[arg-type]
    return engine.context.assemble(ContextRequest(signals, delivery="mcp"))


@pytest.mark.parametrize(
    "text",
    [
        f"Don't  deploy the {CANARY} shop\nwith \"force\" <b>ever</b>, it's frozen",
        f"No {CANARY}",
    ],
    ids=["signs that are told otherwise", "short"],
)
def test_a_dispute_that_was_told_is_blanked(engine: Engine, places: Places, text: str) -> None:
    known = engine.memories.create(KNOWN)
    hidden = engine.memories.create(MemoryDraft(text, category=CANARY, project_path=PLACE))
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        record = {"memory_a_id": known, "memory_b_id": hidden, "state": "open", "detected_at": write.at}
        rest = {"resolution": "", "resolution_note": "", "reason": "", "confidence": 0.9, "resolved_at": None}
        write.insert(ContradictionRow, record | rest)
    assert CANARY in give(engine).text, "the control"
    engine.memories.erase([hidden])
    assert holding(places) == []


def test_a_topic_goes_with_the_last_memory_that_had_it(engine: Engine, places: Places) -> None:
    engine.memories.create(KNOWN)
    ids = [
        engine.memories.create(MemoryDraft(f"Cloud {one} is white", category=CANARY, project_path=PLACE))
        for one in range(170)  # more than are told one by one
    ]
    assert f"{CANARY} (" in give(engine).text, "the control"
    engine.memories.erase(ids[:2])
    assert holding(places) != [], "others have it still"
    engine.memories.erase(ids[2:])
    assert holding(places) == []


def moment(engine: Engine, say: Say) -> int:
    """A prompt in a project, a failed command, and a context that tells of both; the conversation's number."""
    engine.memories.create(KNOWN)
    conversation = say(f'Deploy it, don\'t touch "{CANARY}"', cwd=PLACE).conversation_id
    failed = {"tool": "Bash", "command": f"make {CANARY}", "exit_status": 2, "is_error": True}
    event = CaptureRequest("claude-code", EventKind.TOOL, "t", "s1", cwd=PLACE, payload={"tools": [failed]})
    engine.events.capture([event], wait_s=PATIENCE_S)
    given = give(engine, branch=CANARY, current_file=f"src/{CANARY}.py", recent_errors=(f"no {CANARY}",))
    assert given.receipt_id
    assert conversation
    return conversation


@pytest.mark.parametrize("scope", ["conversation_id", "project", "app"])
def test_what_was_told_in_an_erased_place_goes_with_it(engine: Engine, places: Places, say: Say, scope: str) -> None:
    conversation = moment(engine, say)
    assert holding(places), "the control"
    engine.memories.erase_everything_of(
        **{scope: {"conversation_id": conversation, "project": PLACE, "app": "claude-code"}[scope]}  # type: ignore[arg-type]
    )
    assert holding(places) == []


def test_what_was_told_elsewhere_stays(engine: Engine, say: Say) -> None:
    moment(engine, say)
    engine.memories.erase_everything_of(project="/w/other")
    engine.memories.erase_everything_of(app="codex")
    assert len(engine.context.receipts()) == 1


def test_what_is_erased_while_a_context_is_made_is_not_told_and_not_kept(engine: Engine, places: Places) -> None:
    hidden = engine.memories.create(MemoryDraft(f"Deploy the shop with {CANARY}", project_path=PLACE))
    gatherer = engine._core.assembler._collector

    class Slow:
        """Everything is read, then the person erases."""

        def collect(self, *asked: Any) -> Any:
            found = gatherer.collect(*asked)
            assert hidden in found.candidates, "the control"
            engine.memories.erase([hidden])
            return found

    engine._core.assembler._collector = Slow()  # type: ignore[assignment]
    assert give(engine).text == ""
    assert holding(places) == []
    place = engine.answers.place(PLACE)
    engine.answers._answers._count([hidden])
    assert engine.answers.expand([hidden], place).text == ""
