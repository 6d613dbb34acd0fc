"""P3: from sending an event to its durable acknowledgement, over the real socket, store and disk.

Prints milliseconds; asserts nothing about time. Two controls are measured in the same run: one fsync of the same
size in the same folder (where that takes 5 ms, no acknowledgement can take 2) and an answer that needs no store.

P3 and P11 in the engine: from `capture` to its durable acknowledgement; alone, in a burst, and beside an import.
"""

import http.client
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, Places, Scope
from app.cli.process import prefer_latency
from app.server import ServerHandle, start_server
from tests.benchmarks.material.histories import words, write_transcripts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

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


CLIENTS = 64


def tell_quantiles(took_ms: list[float]) -> str:
    """Percentiles of some measurements, as text."""
    ordered = sorted(took_ms)
    if not ordered:
        return "nothing measured"
    p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.5, 0.95, 0.99))
    return f"n {len(ordered):5}  p50 {p50:7.2f}  p95 {p95:7.2f}  p99 {p99:7.2f}  max {ordered[-1]:7.2f} ms"


def machine() -> str:
    """What this ran on, and how busy that was."""
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, load {load:.1f}"


def measure_fsync(folder: Path, count: int = 200) -> list[float]:
    """Milliseconds of one write and its way to the disk."""
    took: list[float] = []
    with (folder / "control").open("wb", buffering=0) as file:
        for _ in range(count):
            begun = time.perf_counter()
            file.write(b"x" * WAL_BYTES)
            os.fsync(file.fileno())
            took.append((time.perf_counter() - begun) * 1000)
    return took


def capture_of(engine: Engine) -> Callable[[str, int], float]:
    """A function that captures one prompt and gives the milliseconds until it was acknowledged."""
    rng = random.Random(1)

    def capture(session: str, number: int) -> float:
        text = words(rng, "login page", is_first=number == 0)
        key = f"{session}:{number}"
        request = CaptureRequest(
            app="bench", kind=EventKind.PROMPT, key=key, session=session, text=text, cwd="/w/bench"
        )
        begun = time.perf_counter()
        engine.events.capture([request], wait_s=0)
        return (time.perf_counter() - begun) * 1000

    return capture


def measure_clients(capture: Callable[[str, int], float], rounds: int = 8) -> list[float]:
    """All clients at once, again and again."""
    took: list[float] = []
    gate = threading.Barrier(CLIENTS)

    def work(client: int) -> None:
        for number in range(rounds):
            gate.wait()
            took.append(capture(f"client-{client}", number))
            time.sleep(0.2)

    threads = [threading.Thread(target=work, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def measure_beside_import(engine: Engine, capture: Callable[[str, int], float], folder: Path) -> list[float]:
    """A prompt every 100 ms while a history is taken in."""
    write_transcripts(folder, session_count=400, prompts_per_session=12)
    took: list[float] = []
    reading = threading.Thread(target=lambda: engine.transfer.import_history("claude-code", folder))
    reading.start()
    while reading.is_alive():
        took.append(capture("beside", len(took)))
        time.sleep(0.1)
    reading.join()
    return took


def measure_understanding(engine: Engine, capture: Callable[[str, int], float], count: int = 200) -> float:
    """Milliseconds of processor time for one prompt, from capture to understood."""
    begun = time.process_time()
    for number in range(count):
        capture("understood", number)
        engine.events.wait_idle(60)
    return (time.process_time() - begun) / count * 1000


def measure_idle(seconds: float) -> float:
    """Percent of one core that an engine takes which nobody talks to."""
    begun = time.process_time()
    time.sleep(seconds)
    return (time.process_time() - begun) / seconds * 100


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("fsync (control)     ", tell_quantiles(measure_fsync(folder)))
        engine = Engine.open(Places.under(folder / "home"))
        engine.warm_up()
        capture = capture_of(engine)
        capture("first", 0)
        engine.events.wait_idle(60)
        print(f"understanding one    {measure_understanding(engine, capture):.2f} ms of processor time")
        paced: list[float] = []
        for number in range(200):
            paced.append(capture("paced", number))
            time.sleep(0.05)
        print("one every 50 ms     ", tell_quantiles(paced))
        engine.events.wait_idle(60)
        print("back to back        ", tell_quantiles([capture("hasty", number) for number in range(200)]))
        engine.events.wait_idle(60)
        print(f"{CLIENTS} clients at once ", tell_quantiles(measure_clients(capture)))
        engine.events.wait_idle(60)
        print("beside an import    ", tell_quantiles(measure_beside_import(engine, capture, folder / "claude")))
        engine.events.wait_idle(60)
        print(f"idle                 {measure_idle(60):.2f} % of one core")
        print(f"RSS                  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
        engine.close()


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
