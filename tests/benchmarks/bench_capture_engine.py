"""P3 and P11 in the engine: from `capture` to its durable acknowledgement; alone, in a burst, and beside an import.

The control is one fsync of the same size in the same folder and run: no acknowledgement can be faster than the disk.
Run: `python -m tests.benchmarks.bench_capture_engine`. Prints milliseconds; asserts nothing about time.
"""

import os
import platform
import random
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places
from tests.benchmarks.histories import words, write_transcripts
from tests.benchmarks.stolen import tell_stolen_at_exit

WAL_BYTES = 16_480  # four pages and their headers: what one captured prompt adds to the log
CLIENTS = 64


def quantiles(took_ms: list[float]) -> str:
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
        print("fsync (control)     ", quantiles(measure_fsync(folder)))
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
        print("one every 50 ms     ", quantiles(paced))
        engine.events.wait_idle(60)
        print("back to back        ", quantiles([capture("hasty", number) for number in range(200)]))
        engine.events.wait_idle(60)
        print(f"{CLIENTS} clients at once ", quantiles(measure_clients(capture)))
        engine.events.wait_idle(60)
        print("beside an import    ", quantiles(measure_beside_import(engine, capture, folder / "claude")))
        engine.events.wait_idle(60)
        print(f"idle                 {measure_idle(60):.2f} % of one core")
        print(f"RSS                  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
        engine.close()


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
