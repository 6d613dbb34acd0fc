"""Receipts: kept to the byte, gone after their days, without what was erased; our own context is never captured again."""

from dataclasses import replace
from typing import Any

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.errors import NotFoundError
from app.language.token_counts import count_tokens
from app.values import Context, ContextRequest, ContextSignals
from tests.patience import PATIENCE_S

PROJECT = "/w/app"
CANARY = "The canary of the billing gateway is zyzzyva42."


def give(
    engine: Engine, prompt: str = "what about the billing gateway?", session: str = "s1", delivery: str = "mcp"
) -> Context:
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session=session, prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, delivery=delivery))


def test_a_receipt_holds_every_byte_and_goes_after_its_days(engine: Engine, clock: FrozenClock) -> None:
    engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    first = give(engine)
    assert first.receipt_id is not None
    detail = engine.context.receipt(first.receipt_id)
    assert detail.context.text == first.text
    assert [item.text for item in detail.context.items] == [item.text for item in first.items]
    counted = [(item.token_count, count_tokens(item.text + "\n")) for item in detail.context.items]
    assert counted
    assert all(said == real for said, real in counted)

    clock.advance(minutes=60 * 24 * (engine.settings.current.receipt_days + 1))
    second = give(engine, session="s2")
    engine._core.housekeeper.tidy()
    assert [receipt.id for receipt in engine.context.receipts()] == [second.receipt_id]
    with pytest.raises(NotFoundError):
        engine.context.receipt(first.receipt_id)


def test_who_reads_the_text_alone_leaves_the_same_receipt(engine: Engine) -> None:
    engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    whole = give(engine, session="s1")
    signals = ContextSignals(
        project_path=PROJECT, app="claude-code", session="s2", prompt="what about the billing gateway?"
    )
    given = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_text_only=True))
    assert (given.text, given.token_count, given.items, given.left_out) == (whole.text, whole.token_count, (), ())
    assert whole.receipt_id is not None
    assert given.receipt_id == whole.receipt_id + 1
    one, other = engine.context.receipt(whole.receipt_id), engine.context.receipt(given.receipt_id)
    seen = [
        [(item.memory_id, item.text, item.reason, item.start, bool(item.signals)) for item in each.context.items]
        for each in (one, other)
    ]
    assert seen[0] == seen[1]
    assert one.usage == other.usage


def test_what_was_erased_while_it_was_read_is_not_told(engine: Engine) -> None:
    memory_id = engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    assembler = engine._core.assembler
    find_stale = assembler._find_stale

    def erase_meanwhile(*args: Any) -> frozenset[int]:
        engine.memories.erase([memory_id])
        return frozenset()

    assembler._find_stale = erase_meanwhile
    assert give(engine).text == ""
    assembler._find_stale = find_stale
    assert engine.context.receipts() == ()


def test_what_is_told_makes_nobody_forget_who_speaks(engine: Engine) -> None:
    engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    event = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key="k", session="s1", text="hello", cwd=PROJECT)
    engine.events.capture([event], wait_s=PATIENCE_S)
    assert engine._core.streams.find_app("claude-code") is not None
    assert give(engine).receipt_id is not None
    assert len(engine.context.receipts()) == 1
    assert engine._core.streams.find_app("claude-code") is not None


def test_a_context_that_nobody_got_is_told_again_in_a_session_that_is_remembered(engine: Engine) -> None:
    engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    first = give(engine)
    assert CANARY in first.text
    assert CANARY not in give(engine).text
    assert first.receipt_id is not None
    engine.context.mark_undelivered(first.receipt_id)
    assert CANARY in give(engine).text
    assert CANARY not in give(engine).text


def test_erasing_a_memory_takes_its_bytes_out_of_receipts(engine: Engine, places: Places) -> None:
    memory_id = engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    given = give(engine)
    assert "zyzzyva42" in given.text
    engine.memories.erase([memory_id])
    assert given.receipt_id is not None
    assert "zyzzyva42" not in repr(engine.context.receipt(given.receipt_id))
    for path in places.data_dir.rglob("*"):
        if path.is_file() and "backup" not in str(path):
            assert b"zyzzyva42" not in path.read_bytes(), path


def test_our_own_context_is_never_captured_again(engine: Engine) -> None:
    engine.memories.create(MemoryDraft(text=CANARY, project_path=PROJECT))
    given = give(engine).text
    text = f"make the button blue\n{given}\nand round"
    event = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key="k", session="s1", text=text, cwd=PROJECT)
    [answer] = engine.events.capture([event], wait_s=PATIENCE_S)
    assert answer.message_id is not None
    kept = engine.messages.get(answer.message_id).text
    assert "zyzzyva42" not in kept
    assert "remanence" not in kept
    assert "make the button blue" in kept
    assert "and round" in kept


def hear(engine: Engine, prompt: str, session: str = "s1") -> Context:
    """What comes along with a prompt."""
    return give(engine, prompt, session, delivery="hook:prompt")


def run(engine: Engine, *, exit_code: int) -> None:
    """The assistant ran the tests of the gateway in a conversation of its own."""
    said = CaptureRequest(
        app="claude-code", kind=EventKind.PROMPT, key=f"p{exit_code}", session="s1", text="Run it", cwd=PROJECT
    )
    payload = {
        "tool_name": "Bash",
        "tool_input": {"command": "pytest tests/gateway"},
        "tool_response": {"exit_code": exit_code},
    }
    used = replace(said, kind=EventKind.TOOL, key=f"t{exit_code}", text="", payload=payload)
    engine.events.capture([said, used])
    assert engine.events.wait_idle(PATIENCE_S)


@pytest.mark.seed("S4", "tier1.errors", "assemble.tier1")
def test_a_failure_is_told_to_whom_it_is_about_and_once(engine: Engine) -> None:
    run(engine, exit_code=1)
    assert hear(engine, "What colour is the button?").is_empty
    given = hear(engine, "Why do the tests of the gateway fail?")
    assert [item.text for item in given.items] == ["- Failed lately: pytest tests/gateway (exit 1)"]
    assert hear(engine, "And why does pytest on the gateway fail?").is_empty, "this session has it"
    assert not hear(engine, "Why do the tests of the gateway fail?", session="s2").is_empty


def test_what_ran_well_since_did_not_fail_lately(engine: Engine) -> None:
    run(engine, exit_code=1)
    run(engine, exit_code=0)
    assert hear(engine, "Why do the tests of the gateway fail?").is_empty
