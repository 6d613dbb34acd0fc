"""R9: hostile text by the hook, valid text to the byte through store, export and import again."""

import json
from contextlib import closing
from pathlib import Path

from app.api import Engine, Places
from tests.flows.processes import run_hook, wait_for
from tests.flows.test_from_hook_to_store import connect_hook
from tests.patience import PATIENCE_S

VALID = (
    "naïve “quotes” 日本語 עברית 🧵👩‍👩‍👧 line\nand\ttab",
    "right to left \u202eevird\u202c ends",
    "one grapheme " + "e" + "\u0301" * 32_000,
    "</script><b>& 'x' \"y\" \\n \\u0000 {}",
)
HOSTILE = (
    b'{"session_id": "t", "prompt": "nul \\u0000 inside the text"}',
    b'{"session_id": "t", "prompt": "half \\ud83d of a pair"}',
    b'{"session_id": "t", "prompt": "broken \xff\xfe\xc3 bytes"}',
    b'{"session_id": "t", "prompt": "tags \\udb40\\udc41\\udb40\\udc42 here"}',
    b'{"session_id": "t\\u0000", "cwd": "/w/\\ud800", "prompt": "everywhere"}',
)


def texts(engine: Engine) -> list[str]:
    assert engine.events.wait_idle(PATIENCE_S)
    listed = reversed(engine.conversations.list())
    return [message.text for one in listed for message in engine.conversations.get(one.id).messages]


def test_hostile_text_is_no_fault_and_valid_text_stays_to_the_byte(tmp_path: Path) -> None:
    first, second, path = tmp_path / "first", tmp_path / "second", tmp_path / "history.jsonl"
    connect_hook(first)
    for text in VALID:
        run_hook(first, "prompt", json.dumps({"session_id": "v", "cwd": "/w", "prompt": text}).encode())
    for raw in HOSTILE:
        assert run_hook(first, "prompt", raw).returncode == 0
    spool = first / "state" / "spool" / "events.jsonl"  # a child of the hook writes what is long, in its own time
    wait_for(lambda: spool.read_bytes().count(b"\n") == len(VALID) + len(HOSTILE))
    with closing(Engine.open(Places.under(first))) as engine:
        kept = texts(engine)
        assert sorted(text for text in kept if text in VALID) == sorted(VALID)
        assert len(kept) == len(VALID) + len(HOSTILE), "hostile text costs its hostile characters, not the message"
        assert {event.state for event in engine.events.inbox()} == {"done"}
        engine.transfer.export("history", path)
    with closing(Engine.open(Places.under(second))) as engine:
        engine.transfer.import_history("seed-history", path)
        assert sorted(texts(engine)) == sorted(kept)
