"""P10 and P11: how fast transcripts come in, that memory does not grow with them, and how large the queue is then.

Writes histories of our own words, a small and a large one and a single long session, and takes each in with a fresh process.
A transcript's messages are the prompts, answers, tool calls and results in it, one line each; every line is read, what a person
typed is kept. Conversations that stay are understood in full, older ones keep a line: so the first prompts cost most, and
"further" is what the large history has beyond the small one. Our prompts repeat; a person's do not, and cost more to learn from.
Run: `python -m tests.benchmarks.bench_backfill [--sessions 1500] [--prompts 12]`. Asserts nothing about time.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pysqlite3

from app.api import Engine, Places, Progress
from tests.benchmarks.bench_capture import machine
from tests.benchmarks.material.histories import write_transcripts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

_QUEUE_TABLES = ("conversation", "message", "mention", "reference", "tool_use")


def rss_mb() -> float:
    """What this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def queue_kb(path: Path) -> float:
    """Size of the conversations that stay, with all that belongs to them, in their rows."""
    connection = pysqlite3.connect(str(path))
    total = 0
    for table in _QUEUE_TABLES:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        size = " + ".join(f'coalesce(length(cast("{name}" as blob)), 0)' for name in columns)
        kept = "WHERE state != 'evicted'" if table == "conversation" else ""
        total += connection.execute(f'SELECT coalesce(sum({size}), 0) FROM "{table}" {kept}').fetchone()[0]
    connection.close()
    return float(total) / 1000


def count_lines(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*.jsonl"):
        with path.open("rb") as file:
            total += sum(1 for _ in file)
    return total


def measure(folder: Path, home: Path) -> dict[str, object]:
    """Figures of one history, taken in by this process."""
    engine = Engine.open(Places.under(home))
    engine.warm_up()
    marks: list[tuple[float, float]] = []  # seconds, share done
    peaks = [rss_mb()]
    begun, begun_cpu = time.perf_counter(), time.process_time()

    def note(progress: Progress) -> None:
        if progress.total:  # None while the prompts are counted
            marks.append((time.perf_counter() - begun, progress.done / progress.total))
        peaks.append(rss_mb())

    report = engine.transfer.import_history("claude-code", folder, progress=note)
    took_s, cpu_s = time.perf_counter() - begun, time.process_time() - begun_cpu
    undo_begun = time.perf_counter()
    engine.journal.undo(report.operation_id)
    undo_s = time.perf_counter() - undo_begun
    engine.journal.redo()
    conversation_count = len(engine.conversations.list())
    engine.close()
    return {
        "transcript_messages": count_lines(folder),
        "prompts": report.message_count,
        "conversations": report.conversation_count,
        "kept": conversation_count,
        "took_s": round(took_s, 2),
        "cpu_s": round(cpu_s, 2),
        "prompts_per_s": round(report.message_count / took_s),
        "prompts_per_cpu_s": round(report.message_count / cpu_s),
        "transcript_messages_per_cpu_s": round(count_lines(folder) / cpu_s),
        "longest_silence_s": round(max((b[0] - a[0] for a, b in pairwise(marks)), default=0.0), 2),
        "undo_s": round(undo_s, 2),
        "rss_before_mb": round(peaks[0]),
        "rss_peak_mb": round(max(peaks)),
        "rss_end_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "queue_kb": round(queue_kb(engine.places.store_path)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=1_500)
    parser.add_argument("--prompts", type=int, default=12, help="in each session")
    parser.add_argument("--measure", nargs=2, metavar=("FOLDER", "HOME"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(Path(options.measure[0]), Path(options.measure[1]))), flush=True)
        return
    print(machine(), flush=True)
    few, prompts = options.sessions // 10, options.prompts
    small, large, _ = [
        measure_beside(*size) for size in ((few, prompts), (options.sessions, prompts), (1, few * prompts))
    ]
    more, cpu_s = large["prompts"] - small["prompts"], large["cpu_s"] - small["cpu_s"]
    print(f"further prompts: {round(more / cpu_s)} a CPU second", flush=True)


def measure_beside(sessions: int, prompts: int) -> dict[str, float]:
    """Figures of one history, taken in by a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_transcripts(folder / "claude", session_count=sessions, prompts_per_session=prompts)
        print(f"sessions: {sessions}, with {prompts} prompts each, {size / 1e6:.0f} MB", flush=True)
        here = [sys.executable, "-m", "tests.benchmarks.bench_backfill", "--measure"]
        command = [*here, str(folder / "claude"), str(folder / "home")]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(told, end="", flush=True)
    figures: dict[str, float] = json.loads(told.splitlines()[0])
    return figures


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
