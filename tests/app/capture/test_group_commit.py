"""What shares a commit shares its fate: in order, once, told alike; and nothing waits behind another writer unasked."""

import threading

import pytest

from app.api import CaptureRequest, Engine, EventKind, EventState
from app.capture import inbox
from app.capture.priority import PriorityGate
from tests.patience import PATIENCE_S


def prompts(*keys: str, app: str = "claude-code") -> list[CaptureRequest]:
    return [CaptureRequest(app, EventKind.PROMPT, key, session="s1", text=f"add the page {key}") for key in keys]


def test_many_rows_at_once_keep_their_order_and_every_one_its_number(engine: Engine) -> None:
    engine.events.capture(prompts("first"), wait_s=0)
    keys = [f"k{number}" for number in range(150)]
    taken = engine.events.capture(prompts(*keys), wait_s=0)
    assert [result.key for result in taken] == keys
    assert [result.event_id for result in taken] == list(range(2, 152))
    again = engine.events.capture(prompts(*keys, "k0"), wait_s=0)
    assert {result.is_duplicate for result in again} == {True}
    assert [result.event_id for result in again] == [*range(2, 152), 2]


def test_nobody_is_acknowledged_by_a_commit_that_failed(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.events.capture(prompts("known"), wait_s=0)
    heard: list[str] = []

    def tell(key: str) -> None:
        try:
            engine.events.capture(prompts(key), wait_s=0)
        except RuntimeError as error:
            heard.append(str(error))

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(inbox, "add_events", broken)
    with engine._core.store.database.lock:  # so that both wait for the same commit
        senders = [threading.Thread(target=tell, args=(key,)) for key in ("a", "b")]
        for sender in senders:
            sender.start()
        while len(engine._core.inbox._queue) < len(senders):
            threading.Event().wait(0.01)
    for sender in senders:
        sender.join(PATIENCE_S)
    monkeypatch.undo()
    assert heard == ["a bug", "a bug"]
    assert [result.is_duplicate for result in engine.events.capture(prompts("a", "b"), wait_s=0)] == [False, False]


def test_who_will_not_wait_for_another_writer_is_told_so_and_nothing_is_done(engine: Engine) -> None:
    is_held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with engine._core.store.database.lock:
            is_held.set()
            let_go.wait(PATIENCE_S)

    writer = threading.Thread(target=hold)
    writer.start()
    assert is_held.wait(PATIENCE_S)
    assert engine.events.capture_if_free(prompts("a")) is None
    let_go.set()
    writer.join(PATIENCE_S)
    taken = engine.events.capture_if_free(prompts("a"))
    assert taken is not None
    assert taken[0].state is EventState.PENDING
    engine.events.understand_soon()
    assert engine.events.wait_idle(PATIENCE_S)
    assert engine.stats.now().message_count == 1


def test_quiet_is_waited_for_but_not_for_ever() -> None:
    gate = PriorityGate()
    gate.wait_for_quiet(0.0)
    with gate.foreground():
        gate.wait_for_quiet(0.0, at_most_s=0.01)
        assert gate.is_busy
