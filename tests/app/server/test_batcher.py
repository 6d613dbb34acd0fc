"""Captures that come together share a call, keep their own results, and fail each for itself."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.api import CaptureRequest, CaptureResult, DiskProblem, Engine, EventKind, EventState, InvalidError
from app.server.batcher import CaptureBatcher
from app.server.offload import Offload
from tests.patience import PATIENCE_S


class Door:
    """The engine's one verb: slow enough for others to gather, refusing what is marked."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.is_in = threading.Event()
        self.go_on = threading.Event()
        self.problem: Exception | None = None

    def capture_if_free(self, requests: Sequence[CaptureRequest]) -> None:
        """Somebody else writes."""

    def capture(self, requests: Sequence[CaptureRequest], *, wait_s: float) -> tuple[CaptureResult, ...]:
        assert wait_s == 0
        self.sizes.append(len(requests))
        self.is_in.set()
        assert self.go_on.wait(PATIENCE_S)
        if self.problem is not None:
            raise self.problem
        if any(request.text == "bad" for request in requests):
            raise InvalidError("This one is not taken.")
        return tuple(CaptureResult(number, request.key, EventState.PENDING) for number, request in enumerate(requests))


def prompt(key: str, text: str = "add a test") -> CaptureRequest:
    return CaptureRequest("editor", EventKind.PROMPT, key, text=text)


@pytest.fixture
def gather() -> Iterator[Callable[..., tuple[Door, list[Any]]]]:
    """Sends one part first and all others while it is being written; gives the door and the outcomes in order."""
    offload = Offload()

    def run(parts: list[list[CaptureRequest]], problem: Exception | None = None) -> tuple[Door, list[Any]]:
        door = Door()
        door.problem = problem

        async def go() -> list[Any]:
            batcher = CaptureBatcher(cast(Engine, SimpleNamespace(events=door)), offload)
            tasks = [asyncio.create_task(batcher.capture(parts[0]))]
            assert await asyncio.to_thread(door.is_in.wait, 5)
            tasks += [asyncio.create_task(batcher.capture(part)) for part in parts[1:]]
            await asyncio.sleep(0.01)
            door.go_on.set()
            return await asyncio.gather(*tasks, return_exceptions=True)

        return door, asyncio.run(go())

    yield run
    assert offload.stop(2)


def test_what_comes_meanwhile_shares_one_call(gather: Callable[..., tuple[Door, list[Any]]]) -> None:
    door, outcomes = gather([[prompt("a")], *[[prompt(f"b{n}"), prompt(f"c{n}")] for n in range(20)]])
    assert door.sizes == [1, 40]
    assert [[result.key for result in outcome] for outcome in outcomes] == [
        ["a"],
        *[[f"b{n}", f"c{n}"] for n in range(20)],
    ]


def test_a_refused_one_is_refused_alone(gather: Callable[..., tuple[Door, list[Any]]]) -> None:
    _, outcomes = gather([[prompt("a")], [prompt("b")], [prompt("c", "bad")], [prompt("d")]])
    assert [type(outcome) for outcome in outcomes] == [tuple, tuple, InvalidError, tuple]
    assert outcomes[3][0].key == "d"


@pytest.mark.parametrize("problem", [DiskProblem("The disk is full."), RuntimeError("a bug")])
def test_trouble_of_all_is_told_to_all(gather: Callable[..., tuple[Door, list[Any]]], problem: Exception) -> None:
    _, outcomes = gather([[prompt("a")], [prompt("b")], [prompt("c")]], problem)
    assert outcomes == [problem] * 3


class FreeDoor(Door):
    """An engine that nobody else writes to."""

    def __init__(self) -> None:
        super().__init__()
        self.inline_sizes: list[int] = []
        self.wake_count = 0
        self.go_on.set()

    def capture_if_free(self, requests: Sequence[CaptureRequest]) -> tuple[CaptureResult, ...]:  # type: ignore[override]
        if any(request.text == "bad" for request in requests):
            raise InvalidError("This one is not taken.")
        self.inline_sizes.append(len(requests))
        return tuple(CaptureResult(number, request.key, EventState.PENDING) for number, request in enumerate(requests))

    def understand_soon(self) -> None:
        self.wake_count += 1


def send_to_free(parts: list[list[CaptureRequest]]) -> tuple[FreeDoor, list[Any]]:
    door, offload = FreeDoor(), Offload()

    async def go() -> list[Any]:
        batcher = CaptureBatcher(cast(Engine, SimpleNamespace(events=door)), offload)
        return await asyncio.gather(*[batcher.capture(part) for part in parts], return_exceptions=True)

    outcomes = asyncio.run(go())  # ends at once: what is to be understood must not be forgotten with the loop
    assert offload.stop(2)
    return door, outcomes


def test_small_captures_share_one_writing_without_a_thread_and_are_understood_after_it() -> None:
    door, outcomes = send_to_free([[prompt("a")], [prompt("b"), prompt("c")]])
    assert [[result.key for result in outcome] for outcome in outcomes] == [["a"], ["b", "c"]]
    assert (door.inline_sizes, door.sizes, door.wake_count) == ([3], [], 1)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([[prompt("a", "x" * 70_000)]], id="large"),
        pytest.param([[prompt(str(number)) for number in range(200)]], id="many"),
        pytest.param([[CaptureRequest("editor", EventKind.TOOL, "t")]], id="tool"),
    ],
)
def test_what_takes_long_is_left_to_a_thread(parts: list[list[CaptureRequest]]) -> None:
    door, outcomes = send_to_free(parts)
    assert (door.inline_sizes, door.sizes) == ([], [len(parts[0])])
    assert [result.key for result in outcomes[0]] == [request.key for request in parts[0]]


def test_a_refused_one_is_refused_alone_without_a_thread_too() -> None:
    _, outcomes = send_to_free([[prompt("a")], [prompt("b", "bad")], [prompt("c")]])
    assert [type(outcome) for outcome in outcomes] == [tuple, InvalidError, tuple]


class LongDoor(Door):
    """Works on a long text until it is told to go on; all else is taken at once."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def capture(self, requests: Sequence[CaptureRequest], *, wait_s: float) -> tuple[CaptureResult, ...]:
        if len(requests[0].text) > 1_000:
            self.is_in.set()
            assert self.go_on.wait(PATIENCE_S)
        self.order += [request.key for request in requests]
        return tuple(CaptureResult(number, request.key, EventState.PENDING) for number, request in enumerate(requests))


def test_a_long_text_holds_up_nobody_but_its_own_session() -> None:
    door, offload = LongDoor(), Offload()

    async def go() -> None:
        batcher = CaptureBatcher(cast(Engine, SimpleNamespace(events=door)), offload)
        long = asyncio.create_task(
            batcher.capture([CaptureRequest("editor", EventKind.PROMPT, "long", "s1", "x" * 20_000)])
        )
        assert await asyncio.to_thread(door.is_in.wait, 60)
        behind = asyncio.create_task(
            batcher.capture([CaptureRequest("editor", EventKind.ANSWER, "behind", "s1", "ok")])
        )
        for number in range(5):
            await batcher.capture([CaptureRequest("editor", EventKind.PROMPT, f"beside {number}", "s2", "hi")])
        assert not long.done()
        assert not behind.done(), "what a session said later is not taken in before"
        door.go_on.set()
        await asyncio.gather(long, behind)
        await batcher.capture([CaptureRequest("editor", EventKind.PROMPT, "last", "s1", "hi")])

    asyncio.run(go())
    assert door.order == [*(f"beside {number}" for number in range(5)), "long", "behind", "last"]
    assert offload.stop(60)
