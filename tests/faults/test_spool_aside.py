"""What hooks kept and the app refuses is never dropped: it lies aside, is counted and shown, and comes in when it can."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from app.api import Engine, Places
from app.capture.spool import ASIDE_NAME
from tests.faults.test_spool_taken_in import body, line, spool
from tests.patience import PATIENCE_S


def texts(engine: Engine) -> list[str]:
    found = engine.conversations.list()
    return [message.text for one in found for message in engine.conversations.get(one.id).messages]


def test_what_is_too_long_comes_in_once_more_is_allowed_and_only_once(places: Places) -> None:
    text = "many words " * 8_000
    spool(places.state_dir.parent).write_bytes(line(1, body("before")) + line(2, body(text)) + line(3, body("after")))
    with closing(Engine.open(places, flags={"max_message_bytes": 65_536})) as engine:
        assert engine.stats.health().aside_count == 1
        assert engine.events.retry_spooled() == 0
        assert engine.stats.health().aside_count == 1, "tried again, refused again, kept again"
        assert engine.events.wait_idle(PATIENCE_S)
        assert sorted(texts(engine)) == ["after", "before"]
    with closing(Engine.open(places)) as engine:
        assert engine.events.retry_spooled() == 0
        assert engine.events.wait_idle(PATIENCE_S)
        assert sorted(map(len, texts(engine))) == [5, 6, len(text)]
        assert not (places.spool_dir / ASIDE_NAME).exists()


@pytest.mark.parametrize("raw", [b"\x00\xff not json", b'{"prompt": "cut', b"[1, 2]"], ids=["bytes", "cut", "a list"])
def test_what_is_no_event_of_an_assistant_is_kept_to_the_byte(places: Places, raw: bytes) -> None:
    spool(places.state_dir.parent).write_bytes(line(1, body("before")) + line(2, raw))
    for _ in range(3):
        Engine.open(places).close()
        assert (places.spool_dir / ASIDE_NAME).read_bytes() == line(2, raw)


def test_a_start_that_was_cut_short_keeps_it_once(places: Places, tmp_path: Path) -> None:
    kept = line(2, json.dumps([1]).encode())
    spool(places.state_dir.parent).write_bytes(kept)
    (places.spool_dir / ASIDE_NAME).write_bytes(kept)
    (places.spool_dir / "events.5.taking").write_bytes(kept)
    Engine.open(places).close()
    assert (places.spool_dir / ASIDE_NAME).read_bytes() == kept
