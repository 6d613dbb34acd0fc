"""S1: what the queue takes on disk, part by part, after a history was played through the app's own routes.

Run: `python -m tests.benchmarks.bench_queue STREAM…`: files as `remanence eval sessions` reads them, or none for S1's own sizes: 20
conversations of 15 prompts of 200 bytes, 3 edited files and 4 commands each. Prints bytes of every column's content as SQLite keeps it,
and what 20 conversations of 15 such prompts would take; asserts nothing.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from app.api import CaptureRequest, Engine, EventKind, Places
from app.api.evaluation import read_rows
from app.cli.client import EngineClient
from app.evaluation.sessions import Player, instant_of
from app.server.in_process import InProcess
from tests.benchmarks.material.made_texts import make_texts

USUAL_PROMPTS = 15  # S1: 15 messages of 200 bytes on average
_OF_TALK = {  # where the rows of the queue's conversations are found
    "conversation": "id IN (SELECT id FROM kept)",
    "message": "conversation_id IN (SELECT id FROM kept)",
    "mention": "message_id IN (SELECT id FROM said)",
    "reference": "message_id IN (SELECT id FROM said)",
    "tool_use": "conversation_id IN (SELECT id FROM kept)",
    "answer_end": "message_id IN (SELECT id FROM said)",
    "chunk": "conversation_id IN (SELECT id FROM kept)",
}
_BYTES = (  # SQLite: a whole number in as few bytes as it needs, another one in eight
    'CASE typeof("{0}") WHEN \'integer\' THEN (abs("{0}") > 1) + (abs("{0}") > 127) + (abs("{0}") > 32767) '
    '+ (abs("{0}") > 8388607) + 2 * (abs("{0}") > 2147483647) + 2 * (abs("{0}") > 140737488355327) '
    "WHEN 'real' THEN 8 ELSE coalesce(length(CAST(\"{0}\" AS BLOB)), 0) END"
)
_WITH = (
    "WITH kept AS (SELECT id FROM conversation WHERE state <> 'evicted'), "
    "said AS (SELECT id FROM message WHERE conversation_id IN (SELECT id FROM kept)) "
)


def measure(connection: Connection) -> tuple[Counter[str], int, int]:
    """Bytes of content by table and column, conversations, prompts."""
    found: Counter[str] = Counter()
    for table, where in _OF_TALK.items():
        columns = [row[1] for row in connection.execute(text(f"PRAGMA table_info({table})"))]
        sums = ", ".join(f"coalesce(sum({_BYTES.format(column)}), 0)" for column in columns)
        sizes = connection.execute(text(f"{_WITH} SELECT {sums} FROM {table} WHERE {where}")).one()
        for column, size in zip(columns, sizes, strict=True):
            found[f"{table}.{column}"] += int(size)
    counts = connection.execute(text(f"{_WITH} SELECT (SELECT count(*) FROM kept), (SELECT count(*) FROM said)")).one()
    return found, int(counts[0]), int(counts[1])


def tell(name: str, connection: Connection) -> None:
    found, conversations, prompts = measure(connection)
    by_table: Counter[str] = Counter()
    for column, size in found.items():
        by_table[column.partition(".")[0]] += size
    total = by_table.total()
    print(f"\n{name}: {conversations} conversations, {prompts} prompts, {total / 1_000:,.0f} KB")
    for table, size in by_table.most_common():
        largest = ", ".join(
            f"{column.partition('.')[2]} {bytes_ / 1_000:,.0f}"
            for column, bytes_ in found.most_common()
            if column.startswith(f"{table}.") and bytes_ > total / 100
        )
        print(f"  {table:<14}{size / 1_000:8,.0f} KB   {largest}")
    if prompts:
        usual = total / prompts * USUAL_PROMPTS * 20 / 1_000
        print(
            f"  20 conversations of {USUAL_PROMPTS} such prompts: {usual:,.0f} KB ({total / prompts:,.0f} bytes a prompt)"
        )


def main() -> None:
    for name in sys.argv[1:]:
        _play(Path(name))
    if not sys.argv[1:]:
        _make()


def _play(path: Path) -> None:
    rows: list[Mapping[str, Any]] = read_rows(path)
    with tempfile.TemporaryDirectory(prefix="remanence-queue-") as folder:
        engine = Engine.open(Places.under(Path(folder)), flags={"is_consolidating": False})
        try:
            with InProcess(engine) as wire:
                project = Path(folder) / "work"
                (project / ".git").mkdir(parents=True)
                player = Player(EngineClient(wire).ask, str(project), frozenset(), False)
                player.play_rows(rows, instant_of(rows[-1]))
            with engine._core.store.read() as connection:
                tell(path.name, connection)
        finally:
            engine.close()


def _make() -> None:
    with tempfile.TemporaryDirectory(prefix="remanence-queue-") as folder:
        engine = Engine.open(Places.under(Path(folder)), flags={"is_consolidating": False})
        try:
            engine.events.capture(list(make_requests(20)))
            engine.events.wait_idle(300)
            with engine._core.store.read() as connection:
                tell("S1's own sizes", connection)
        finally:
            engine.close()


def make_requests(sessions: int) -> Iterable[CaptureRequest]:
    """Sessions one after the other: prompts of some 200 bytes, edits and commands."""
    texts, at, number = make_texts(10_000), datetime.now(UTC) - timedelta(days=20), 0
    for session in range(sessions):
        at += timedelta(hours=20)
        for prompt in range(USUAL_PROMPTS):
            number += 1
            at += timedelta(minutes=2)
            said = next(texts)
            while len(said) < 200:
                said = f"{said} {next(texts)}"
            common = {"app": "claude-code", "session": f"s{session}", "cwd": f"/w/p{session % 3}"}
            yield CaptureRequest(kind=EventKind.PROMPT, key=f"p{number}", text=said[:200], at=at, **common)
            if prompt % 2:
                payload: dict[str, Any] = (
                    {
                        "tool_name": "Edit",
                        "tool_input": {
                            "file_path": f"/w/p{session % 3}/src/file_{prompt}.py",
                            "old_string": "a",
                            "new_string": "b",
                        },
                        "tool_response": {},
                    }
                    if prompt < 6
                    else {
                        "tool_name": "Bash",
                        "tool_input": {"command": f"pytest tests/test_{prompt}.py -q"},
                        "tool_response": {"exit_code": 0},
                    }
                )
                yield CaptureRequest(
                    kind=EventKind.TOOL, key=f"t{number}", at=at + timedelta(seconds=9), payload=payload, **common
                )


if __name__ == "__main__":
    main()
