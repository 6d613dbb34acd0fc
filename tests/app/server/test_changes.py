"""The stream of changes: repeats what was missed, follows what happens, ends with the server."""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from app.api import Changes, DataKind, Scope
from app.server import changes_feed
from app.server.changes_feed import FeedReader
from app.server.routes.change_stream import FRAMES_PER_CHUNK, repeat_missed
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S


@contextmanager
def follow(running: Running, since: int | None = None) -> Iterator[Iterator[tuple[str, int, dict[str, object]]]]:
    """(event, id, data) of each frame, as they come."""
    headers = {"Authorization": f"Bearer {running.token(Scope.READ)}"}
    params = {} if since is None else {"since": since}
    with httpx.stream(
        "GET", f"{running.url}/v1/changes", params=params, headers=headers, trust_env=False, timeout=PATIENCE_S
    ) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        yield _frames(stream.iter_lines())


def _frames(lines: Iterator[str]) -> Iterator[tuple[str, int, dict[str, object]]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield fields["event"], int(fields.get("id", 0)), json.loads(fields["data"])
            fields = {}


def test_what_was_missed_comes_first_and_then_what_happens(running: Running) -> None:
    running.engine.window.log("add a dark mode")
    running.engine.events.wait_idle(PATIENCE_S)
    with follow(running, since=0) as frames:
        first = next(frames)
        assert first[0] == "operation"
        newest = running.engine.journal.list(limit=1)[0].id
        last = first
        while last[1] < newest:
            last = next(frames)
        running.engine.conversations.rename(1, "Night colours")
        event, number, data = next(frames)
        assert (event, data["is_undoable"]) == ("changes", True)
        assert number > newest
        assert "conversations" in data["kinds"]  # type: ignore[operator]


def test_nothing_is_said_twice_after_a_pause(running: Running) -> None:
    running.engine.window.log("add a dark mode")
    running.engine.conversations.rename(1, "one")
    seen = running.engine.journal.list(limit=1)[0].id
    running.engine.conversations.rename(1, "two")
    with follow(running, since=seen) as frames:
        _, number, data = next(frames)
        assert number > seen
        assert "two" in str(data["label"])


def test_a_reader_that_went_away_is_noticed_between_two_chunks(running: Running) -> None:
    running.engine.window.log("add a dark mode")
    for number in range(20):
        running.engine.conversations.rename(1, f"number {number}")
    missed = running.engine.events.changes_since(0) * 20
    turns: list[int] = []

    async def read() -> None:
        loop, turn = asyncio.get_running_loop(), 0

        def count() -> None:
            nonlocal turn
            turn += 1
            loop.call_soon(count)

        loop.call_soon(count)
        frames = 0
        async for chunk in repeat_missed(missed):
            turns.append(turn)
            frames += chunk.count(b"\n\n")
        assert frames == len(missed)

    asyncio.run(read())
    assert len(turns) == -(-len(missed) // FRAMES_PER_CHUNK) > 3
    assert turns == sorted(set(turns)), "two chunks were written in one turn of the loop"


def test_readers_that_reset_their_line_leave_no_noise_in_the_log(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    running.engine.window.log("add a dark mode")
    for number in range(150):
        running.engine.conversations.rename(1, f"number {number}")
    port, token = urlsplit(running.url).port, running.token(Scope.READ)
    asked = f"GET /v1/changes?since=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    with caplog.at_level("WARNING"):
        for _ in range(4):
            line = socket.create_connection(("127.0.0.1", port or 0), timeout=PATIENCE_S)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets
            line.sendall(asked.encode())
            assert line.recv(1_000)
            line.close()
        with follow(running, since=0) as frames:  # is answered after those that went away
            assert next(frames)[0] == "operation"
    assert [record.getMessage() for record in caplog.records] == []


def test_the_stream_ends_with_the_server(own: Running) -> None:
    with follow(own) as frames:
        stopping = threading.Timer(0.2, own.server.stop)
        stopping.start()
        assert list(frames)[-1][0] == "end"
        stopping.join()


def test_there_is_room_for_so_many_and_no_more(running: Running) -> None:
    headers = {"Authorization": f"Bearer {running.token(Scope.READ)}"}
    limits = httpx.Limits(max_connections=100)
    with httpx.Client(
        base_url=running.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=limits
    ) as client:
        streams = []
        for _ in range(changes_feed.MAX_READER_COUNT):
            stream = client.stream("GET", "/v1/changes")
            assert stream.__enter__().status_code == 200
            streams.append(stream)
        assert client.get("/v1/changes").status_code == 503
        for stream in streams:
            stream.__exit__(None, None, None)


def test_a_reader_that_falls_behind_is_ended_and_never_blocks() -> None:
    reader = FeedReader()
    for number in range(changes_feed.QUEUE_LENGTH + 50):
        reader.put(Changes(number, frozenset({DataKind.MESSAGES})))
    found = [reader.queue.get_nowait() for _ in range(reader.queue.qsize())]
    assert found[-1] is None
    assert len(found) == changes_feed.QUEUE_LENGTH + 1
