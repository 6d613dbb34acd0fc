"""Half-open and slow connections are closed in time, and honest clients do not notice them (QUALITY R11)."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from app.api import Scope
from tests.app.server.conftest import Running
from tests.app.server.raw import read_answer, status_of
from tests.patience import PATIENCE_S

HALVES = [
    b"",
    b"P",
    b"POST /v1/events HTTP/1.1\r\n",
    b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: ",
    (
        b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    ),
    (
        b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"
    ),
]


@contextmanager
def half_open(running: Running, count: int) -> Iterator[list[socket.socket]]:
    port, token = running.server.endpoint.port, running.token(Scope.CAPTURE).encode()
    lines = []
    for number in range(count):
        line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        text = HALVES[number % len(HALVES)]
        line.sendall(text % (port, token)[: text.count(b"%")])
        lines.append(line)
    try:
        yield lines
    finally:
        for line in lines:
            line.close()


def is_closed(line: socket.socket) -> bool:
    """True when the other side has closed; reads away a last word."""
    line.setblocking(False)
    try:
        while part := line.recv(4096):
            assert part.startswith(b"HTTP/1.1 408")
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


def wait_all_closed(lines: list[socket.socket], timeout_s: float) -> int:
    """How many are still open after at most `timeout_s`."""
    left, end = lines, time.monotonic() + timeout_s
    while left and time.monotonic() < end:
        left = [line for line in left if not is_closed(line)]
        time.sleep(0.05)
    return len(left)


def check(running: Running, count: int) -> None:
    with half_open(running, count) as lines, running.client(running.token(Scope.CAPTURE)) as honest:
        for number in range(50):
            body = {"text": f"honest {number}", "wait": "durable", "key": f"{count}-{number}"}
            assert honest.post("/v1/events", json=body).status_code == 200
        assert wait_all_closed(lines, PATIENCE_S) == 0


def test_two_hundred_half_open_connections_are_closed(hasty: Running) -> None:
    check(hasty, 200)


@pytest.mark.slow
def test_a_thousand_half_open_connections_are_closed(hasty: Running) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    try:
        check(hasty, 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def drip(line: socket.socket) -> None:
    for _ in range(500):
        line.sendall(b"x")
        time.sleep(0.02)


def test_a_dripping_client_is_closed(hasty: Running) -> None:
    with socket.create_connection(("127.0.0.1", hasty.server.endpoint.port), timeout=PATIENCE_S) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            drip(line)


def test_a_slow_second_request_on_an_open_line_is_closed(hasty: Running) -> None:
    port = hasty.server.endpoint.port
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
        assert status_of(read_answer(line)) == 200
        line.sendall(b"GET /heal")
        assert line.recv(4096).startswith(b"HTTP/1.1 408")
        assert line.recv(4096) == b""


def test_an_open_line_may_rest_between_requests(hasty: Running) -> None:
    limits = httpx.Limits(keepalive_expiry=60)
    with httpx.Client(base_url=hasty.url, trust_env=False, timeout=PATIENCE_S, limits=limits) as client:
        assert client.get("/healthz").status_code == 200
        time.sleep(3.5)  # longer than the deadline
        assert client.get("/healthz").status_code == 200
