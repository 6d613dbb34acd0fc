"""A context that nobody got counts as not told: its receipt says so, its items come with the next prompt."""

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import httpx
import pytest

from app.api import Engine, MemoryDraft, Scope
from app.errors import DiskProblem
from app.values import Context, ContextRequest
from tests.app.server.conftest import Running
from tests.app.server.raw import post
from tests.flows.processes import wait_for
from tests.patience import PATIENCE_MS, PATIENCE_S

QUESTION = {
    "session_id": "s1",
    "cwd": "/w/shop",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "Which database does the orders service use?",
}
HOOK = "/v1/hook/claude-code/prompt"


@pytest.fixture
def known(running: Running) -> Engine:
    running.engine.warm_up()
    running.engine.memories.create(MemoryDraft(text="We use PostgreSQL for orders.", project_path="/w/shop"))
    return running.engine


@pytest.fixture
def token(running: Running) -> str:
    return running.engine.apps.create("claude-code", "Claude", frozenset({Scope.CAPTURE, Scope.READ}))[1]


@pytest.fixture
def hook_line(running: Running, token: str) -> Iterator[httpx.Client]:
    with running.client(token) as client:
        yield client


@pytest.fixture
def hold(known: Engine) -> Iterator[Callable[[float], threading.Event]]:
    """Keeps the next assemblies back, after their receipts, until the event is set or the test is over."""
    with pytest.MonkeyPatch.context() as patch:
        may_end = threading.Event()
        assemble = known.context.assemble

        def slow(request: ContextRequest) -> Context:
            made = assemble(replace(request, within_ms=None))
            assert may_end.wait(PATIENCE_S)
            return made

        def begin(within_ms: float) -> threading.Event:
            patch.setattr(known.context, "assemble", slow)
            patch.setattr("app.server.routes.capture.WITHIN_MS", within_ms)
            return may_end

        yield begin
        may_end.set()


def delivered(engine: Engine) -> list[bool]:
    return [one.is_delivered for one in engine.context.receipts()]


def uses(engine: Engine) -> list[int]:
    return [card.retrieved_count for card in engine.memories.list().cards]


def test_what_came_too_late_is_told_with_the_next_prompt(
    known: Engine,
    hook_line: httpx.Client,
    hold: Callable[[float], threading.Event],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end = hold(20.0)
    late = hook_line.post(HOOK, json=QUESTION)
    may_end.set()
    wait_for(lambda: delivered(known) == [False])
    assert (late.status_code, late.content) == (200, b"")
    assert uses(known) == [0]
    assert known.context.given_today() == (0, 0)
    assert known.context.figures().receipt_count == 0

    monkeypatch.setattr("app.server.routes.capture.WITHIN_MS", PATIENCE_MS)
    again = hook_line.post(HOOK, json=QUESTION)
    assert b"PostgreSQL" in again.content
    assert delivered(known) == [True, False]
    assert uses(known) == [1]
    [late_receipt] = known.context.receipts()[1:]
    assert set(known.context.receipt(late_receipt.id).usage.values()) == {""}


def test_what_is_said_next_cites_nothing_of_what_was_not_delivered(
    known: Engine, hook_line: httpx.Client, hold: Callable[[float], threading.Event]
) -> None:
    may_end = hold(20.0)
    hook_line.post(HOOK, json=QUESTION)
    may_end.set()
    wait_for(lambda: delivered(known) == [False])
    hook_line.post(HOOK, json=QUESTION | {"prompt": "Move the PostgreSQL orders to a second server."})
    assert known.events.wait_idle(PATIENCE_S)
    assert [one.cited_count for one in known.context.receipts()][-1] == 0


def test_what_a_client_did_not_wait_for_is_not_delivered(
    known: Engine, running: Running, token: str, hold: Callable[[float], threading.Event]
) -> None:
    may_end = hold(PATIENCE_MS)
    port = running.server.endpoint.port
    body = httpx.Request("POST", "http://x", json=QUESTION).content
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as line:
        line.sendall(post(HOOK, port, token, body))
        wait_for(lambda: delivered(known) == [True])
    may_end.set()
    wait_for(lambda: delivered(known) == [False])
    assert uses(known) == [0]


def test_the_context_of_a_turn_that_could_not_be_kept_counts_as_not_told(
    known: Engine, hook_line: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made while the prompt is written down."""
    turn = {"text": QUESTION["prompt"], "session": "s1", "project_root": "/w/shop", "wait": "durable"}
    made = threading.Event()
    assemble = known.context.assemble

    def note(request: ContextRequest) -> Context:
        found = assemble(request)
        made.set()
        return found

    def fail(*_: object, **__: object) -> None:
        assert made.wait(PATIENCE_S)
        raise DiskProblem("The disk is full.")

    monkeypatch.setattr(known.context, "assemble", note)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known.events, "capture_if_free", fail)
        patch.setattr(known.events, "capture", fail)
        assert hook_line.post("/v1/turn", json=turn).status_code >= 500
    wait_for(lambda: delivered(known) == [False])
    given = hook_line.post("/v1/turn", json=turn).json()
    assert "PostgreSQL" in given["context"]
    assert given["receipt_id"] is not None
    assert delivered(known) == [True, False]
    assert uses(known) == [1]
