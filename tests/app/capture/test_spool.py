"""The spool is taken in whole, in order, and deleted only when the caller says so."""

import logging
import os
from binascii import b2a_base64, crc32
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.capture.spool import parse_spool_line, take_spool


def line(number: int, body: bytes = b"{}") -> bytes:
    fields = b'{"v":1,"key":"k%d","app":"claude-code","event":"prompt","time_ns":%d,"cwd":"%s","body":"%s"' % (
        number,
        1_772_352_000_000_000_000 + number * 1_000,
        b2a_base64(b"/w", newline=False),
        b2a_base64(body, newline=False),
    )
    return fields + b',"crc":"%08x"}\n' % crc32(fields)


def keys(folder: Path) -> list[str]:
    return [event.key for event in take_spool(folder)]


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def test_one_event_to_the_byte(spool):
    body = bytes(range(256))
    (spool / "events.jsonl").write_bytes(line(3, body))
    [event] = take_spool(spool)
    assert (event.key, event.app, event.event, event.cwd, event.raw) == ("k3", "claude-code", "prompt", "/w", body)
    assert event.at == datetime(2026, 3, 1, 8, 0, 0, 3, tzinfo=UTC)


def test_a_thousand_events_with_a_torn_last_line(spool, caplog):
    (spool / "events.jsonl").write_bytes(b"".join(line(n) for n in range(1_000)) + line(1_000)[:-20])
    take = take_spool(spool)
    assert [event.key for event in take] == [f"k{n}" for n in range(1_000)]
    with caplog.at_level(logging.WARNING):
        take.finish()
    assert (spool / "events.torn").read_bytes() == line(1_000)[:-20] + b"\n"
    assert "1 spooled lines could not be read" in caplog.text
    assert [path.name for path in spool.iterdir()] == ["events.torn"]


def test_torn_line_in_the_middle_takes_no_other_with_it(spool):
    (spool / "events.jsonl").write_bytes(line(1) + line(2)[:40] + b"\n" + line(3))
    assert keys(spool) == ["k1", "k3"]


@pytest.mark.parametrize("at", range(0, 140, 7))
def test_every_flipped_byte_is_seen(at):
    damaged = bytearray(line(1, b'{"prompt":"hi"}'))
    damaged[at] ^= 1
    assert parse_spool_line(bytes(damaged)) is None


@pytest.mark.parametrize("bad", [b"", b"\n", b"{}", b'{"v":1,"crc":"00000000"}', b'x,"crc":"zz"}', b"\xff" * 50])
def test_foreign_lines_are_no_events(bad):
    assert parse_spool_line(bad) is None


def test_nothing_is_deleted_before_finish_and_nothing_is_left_after(spool):
    (spool / "events.jsonl").write_bytes(line(1) + line(2))
    assert keys(spool) == ["k1", "k2"]
    assert keys(spool) == ["k1", "k2"]  # as after a crash between reading and committing
    take = take_spool(spool)
    assert [event.key for event in take] == ["k1", "k2"]
    take.finish()
    assert list(spool.iterdir()) == []
    assert take_spool(spool).is_empty


def test_left_over_takes_come_first_and_in_order(spool):
    for number in (1, 2, 3):
        (spool / "events.jsonl").write_bytes(line(number))
        take_spool(spool)
    (spool / "events.jsonl").write_bytes(line(4))
    (spool / "late-00000000000000000005-k5.jsonl").write_bytes(line(5))
    take = take_spool(spool)
    assert [event.key for event in take] == ["k1", "k2", "k3", "k4", "k5"]
    take.finish()
    assert list(spool.iterdir()) == []


def test_hooks_go_on_into_a_new_file_during_a_take(spool):
    (spool / "events.jsonl").write_bytes(line(1))
    take = take_spool(spool)
    (spool / "events.jsonl").write_bytes(line(2))
    assert [event.key for event in take] == ["k1"]
    take.finish()
    assert keys(spool) == ["k2"]


def test_no_spool_is_an_empty_one(tmp_path):
    take = take_spool(tmp_path / "nothing")
    assert take.is_empty
    assert list(take) == []
    take.finish()


def test_planted_link_is_not_read(spool, tmp_path):
    (tmp_path / "elsewhere").write_bytes(line(1))
    (spool / "events.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=os.strerror(40)):
        take_spool(spool)
