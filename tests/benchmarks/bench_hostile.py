"""R10, R11: how soon JSON abuse is refused, and what honest clients wait while a thousand half-open sockets stand.

Prints milliseconds; asserts nothing about time. Each has its control in the same run: a small honest event, and the
same honest clients without the half-open sockets. The server is a process of its own, set up as `serve` sets itself up.
"""

import contextlib
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.server.lifecycle import raise_file_limit
from tests.app.server.raw import post, read_answer, status_of
from tests.app.server.test_deadline import HALVES, wait_all_closed
from tests.benchmarks.bench_capture import quantiles

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

BODY_BYTES = 10_000_000
SECONDS = 11.0  # longer than a half-open socket may live
SERVER = """
import gc, sys
from pathlib import Path
from app.api import Engine, Places, Scope
from app.cli.process import prefer_latency, settle
from app.server import start_server
prefer_latency()
engine = Engine.open(Places.under(Path(sys.argv[1])))
server = start_server(engine, port=0)
engine.warm_up()
server.warm_up()
gc.collect()
settle()
_, token = engine.apps.create("bench", "Bench", frozenset({Scope.CAPTURE}))
print(server.endpoint.port, token, flush=True)
sys.stdin.read()
server.stop()
engine.close()
"""
HONEST = """
import http.client, json, sys, time
port, token, seconds, is_fresh, mark = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4] == "fresh", sys.argv[5]
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
line, took, end = None, [], time.monotonic() + seconds
while time.monotonic() < end:
    started = time.perf_counter()
    line = line or http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"text": f"honest {len(took)}", "wait": "durable", "key": f"{mark}-{is_fresh}-{len(took)}"})
    line.request("POST", "/v1/events", body, headers)
    answer = line.getresponse()
    answer.read()
    took.append((time.perf_counter() - started) * 1000)
    assert answer.status == 200, answer.status
    if is_fresh:
        line.close()
        line = None
    time.sleep(0.01)
print(json.dumps(took))
"""
ABUSE = {
    "control: a small honest event": b'{"text": "hi", "wait": "durable"}',
    "string that never ends": b'{"text": "' + b"a" * BODY_BYTES,
    "string that never ends, but a brace": b'{"text": "' + b"a" * BODY_BYTES + b"}",
    "escapes that never end": b'{"text": "' + b'\\"' * (BODY_BYTES // 2) + b"}",
    "whole number": b'{"text": ' + b"9" * BODY_BYTES + b"}",
    "fraction": b'{"text": 0.' + b"9" * BODY_BYTES + b"}",
    "depth, at once": b"[" * BODY_BYTES,
    "depth, late": b'{"text": "' + b"a" * (BODY_BYTES // 2) + b'", "payload": ' + b"[" * (BODY_BYTES // 2) + b"}",
    "NaN, late": b'{"text": "' + b"a" * BODY_BYTES + b'", "payload": {"n": NaN}}',
    "a key twice, late": b'{"text": "' + b"a" * BODY_BYTES + b'", "text": 1}',
    "bytes that are no text": b'{"text": "' + b"a" * BODY_BYTES + b'\xff"}',
    "blanks": b'{"text": ' + b" " * BODY_BYTES + b"}",
    "lists": b'{"payload": {"a": [' + b"[]," * (BODY_BYTES // 3) + b"1]}}",
    "values": b'{"payload": {"a": [' + b"1," * (BODY_BYTES // 2) + b"1]}}",
    "keys": b"{" + b",".join(b'"k%d":1' % number for number in range(700_000)) + b"}",
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[int, str, psutil.Process]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port, token = process.stdout.readline().split()
        yield int(port), token, psutil.Process(process.pid)
        process.communicate()


def test_abuse(served: tuple[int, str, psutil.Process]) -> None:
    port, token, server = served
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in ABUSE}
    for _ in range(7):
        for name, body in ABUSE.items():
            with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
                spent, started = sum(server.cpu_times()[:2]), time.perf_counter()
                with contextlib.suppress(ConnectionError):
                    line.sendall(post("/v1/events", port, token, body))
                status = status_of(read_answer(line))
                took_ms = (time.perf_counter() - started) * 1000
                took[name].append((took_ms, (sum(server.cpu_times()[:2]) - spent) * 1000))
                assert (400 <= status < 500) != name.startswith("control"), (name, status)
    print()
    for name, found in took.items():
        wall, cpu = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:36} first byte to answer {wall:6.1f} ms, of the server's CPU {cpu:5.0f} ms")


def honest(port: int, token: str, mark: str) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", HONEST, str(port), token, str(SECONDS), kind, mark],
            stdout=subprocess.PIPE,
            text=True,
        )
        for kind in ("kept", "fresh")
    ]


def report(name: str, clients: list[subprocess.Popen[str]]) -> None:
    for kind, client in zip(("one line", "a line each"), clients, strict=True):
        took = json.loads(client.communicate()[0])
        print(f"{name:24} {kind:12} {quantiles(took)}")


def test_half_open(served: tuple[int, str, psutil.Process]) -> None:
    port, token, _ = served
    raise_file_limit()
    print()
    for turn in range(2):
        report("control", honest(port, token, f"control {turn}"))
        clients = honest(port, token, f"half {turn}")
        time.sleep(0.5)
        with contextlib.ExitStack() as stack:
            lines = []
            for number in range(1_000):
                line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
                text = HALVES[number % len(HALVES)]
                line.sendall(text % (port, token.encode())[: text.count(b"%")])
                lines.append(line)
            started = time.monotonic()
            assert wait_all_closed(lines, 20) == 0
            print(f"a thousand half-open sockets were gone after {time.monotonic() - started:.1f} s")
            report("with half-open sockets", clients)
