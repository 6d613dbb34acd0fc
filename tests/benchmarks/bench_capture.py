"""P3: from sending an event to its durable acknowledgement, over the real socket, store and disk.

Prints milliseconds; asserts nothing about time. Two controls are measured in the same run: one fsync of the same size in
the same folder (where that takes 5 ms, no acknowledgement can take 2) and an answer that needs no store.
"""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, Places, Scope
from app.cli.process import prefer_latency
from app.server import ServerHandle, start_server

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

WAL_BYTES = 16_480  # four pages and their headers: what one captured prompt adds to the log

CLIENT = """
import http.client, json, os, sys, threading, time
port, token, count, clients, pause_s = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
took, numbers = [], []
def work(number):
    line = http.client.HTTPConnection("127.0.0.1", port)
    for turn in range(count):
        text = f"add a retry to the upload of part {number} number {turn} and test it with a broken line"
        body = json.dumps({"text": text, "wait": "durable", "session": f"s{number}", "key": os.urandom(8).hex()})
        started = time.perf_counter()
        line.request("POST", "/v1/events", body, headers)
        answer = line.getresponse()
        said = answer.read()
        took.append((time.perf_counter() - started) * 1000)
        numbers.append(json.loads(said)["results"][0]["event_id"])
        assert answer.status == 200, answer.status
        time.sleep(pause_s)
threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps([took, numbers]))
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Engine, ServerHandle, str]]:
    prefer_latency()  # as `serve` and the window do
    engine = Engine.open(Places.under(tmp_path))
    server = start_server(engine, port=0)
    engine.warm_up()
    server.warm_up()
    _, token = engine.apps.create("bench", "Bench", frozenset({Scope.CAPTURE}))
    yield engine, server, token
    server.stop()
    engine.close()


def quantiles(took_ms: list[float]) -> str:
    ordered = sorted(took_ms)
    p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99))
    return f"p50 {p50:6.2f}  p95 {p95:6.2f}  p99 {p99:6.2f}  max {ordered[-1]:6.1f} ms  (n {len(ordered)})"


def disk_control(folder: Path) -> list[float]:
    took = []
    descriptor = os.open(folder / "control", os.O_WRONLY | os.O_CREAT, 0o600)
    for _ in range(200):
        started = time.perf_counter()
        os.write(descriptor, b"x" * WAL_BYTES)
        os.fsync(descriptor)
        took.append((time.perf_counter() - started) * 1000)
    os.close(descriptor)
    return took


def network_control(port: int) -> list[float]:
    line, took = http.client.HTTPConnection("127.0.0.1", port), []
    for _ in range(200):
        started = time.perf_counter()
        line.request("GET", "/healthz")
        line.getresponse().read()
        took.append((time.perf_counter() - started) * 1000)
    line.close()
    return took


@pytest.mark.parametrize(
    ("name", "count", "clients", "pause_s"),
    [
        ("1 client, a prompt every 50 ms", 200, 1, 0.05),
        ("1 client, one after the other", 500, 1, 0.0),
        ("8 clients at once", 50, 8, 0.0),
        ("64 clients, one event each at once", 1, 64, 0.0),
        ("64 clients, 10 events each at once", 10, 64, 0.0),
    ],
)
def test_acknowledgement(
    served: tuple[Engine, ServerHandle, str], name: str, count: int, clients: int, pause_s: float
) -> None:
    engine, server, token = served
    control = quantiles(disk_control(engine.places.data_dir))
    network = quantiles(network_control(server.endpoint.port))
    command = [sys.executable, "-c", CLIENT, *map(str, (server.endpoint.port, token, count, clients, pause_s))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    took, numbers = json.loads(done.stdout)
    assert engine.events.wait_idle(300)
    assert len(set(numbers)) == count * clients
    assert engine.stats.now().event_failed_count == 0
    print(
        f"\n{name:36} {quantiles(took)}\n{'  control: one fsync':36} {control}\n{'  control: an answer without a store':36} {network}"
    )
