"""The flow of `real_stream` on a stream of our own: more conversations than the queue holds, through socket and importer."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.flows.real_stream import QUEUE_SIZE, pictures, read_stream, through_importer, through_socket

THINGS = ("login page", "csv export", "map view", "price table", "news feed", "audit log", "date picker", "cache layer")
SESSIONS = QUEUE_SIZE + 2
BEGUN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def write_stream(path):
    messages = []
    for number in range(SESSIONS):
        thing = f"{THINGS[number % len(THINGS)]} of shop {number}"
        for turn, text in enumerate((f"Add a retry to the {thing}", "now test it")[: 1 + number % 2]):
            when = BEGUN + timedelta(days=number, minutes=turn)
            messages.append({"when": when.isoformat(), "session": f"session {number}", "text": text})
    path.write_text(json.dumps({"id": "own", "messages": messages}) + "\n")
    return read_stream(path)


@pytest.mark.slow
def test_a_stream_leaves_the_same_queue_both_ways_twice_and_after_a_restart(tmp_path):
    said = write_stream(tmp_path / "stream.jsonl")
    live = through_socket(said, tmp_path / "live")
    imported = through_importer(said, tmp_path / "imported")
    assert live.problems == imported.problems == []
    assert len(live.queue) == QUEUE_SIZE
    assert [card["session"] for card in live.queue] == [card["session"] for card in imported.queue]
    assert pictures(live) == pictures(imported)
