"""R13: what hooks wrote down while nobody listened comes in at the next start, in order, once; nothing stops the start."""

import contextlib
import json
import resource
import signal
from binascii import crc32
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest

from app.api import Engine, FrozenClock, Places
from tests.app.capture.test_spool import line
from tests.flows.processes import run_hook, say, serving, wait_for
from tests.flows.test_from_hook_to_store import connect_hook, count, texts
from tests.patience import PATIENCE_S


def body(text: object, session: str = "s1", **more: object) -> bytes:
    return json.dumps({"session_id": session, "cwd": "/w/app", "prompt": text, **more}).encode()


def spool(home: Path) -> Path:
    folder = Places.under(home).spool_dir
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / "events.jsonl"


def events(home: Path) -> list[tuple[str, str]]:
    """Key and state of every event, in the order in which they were taken in."""
    with contextlib.closing(pysqlite3.connect(str(Places.under(home).store_path))) as connection:
        return [(row[0], row[1]) for row in connection.execute("SELECT key, state FROM event ORDER BY id")]


MANY = 90


def test_many_events_with_a_torn_line_come_in_once_and_in_order(tmp_path: Path) -> None:
    home = tmp_path / "home"
    said = [f"Add field number {number} to the form" for number in range(MANY)]
    lines = [line(number, body(text)) for number, text in enumerate(said)]
    spool(home).write_bytes(b"".join(lines) + line(MANY, body("torn"))[:-30])
    with serving(home) as process:
        wait_for(lambda: count(home) > 0)
        process.send_signal(signal.SIGKILL)  # in the middle: the rest must come, and what came must not come again
        process.wait()
    spool(home).write_bytes(b"".join(lines[-10:]))  # and hooks may say the same again
    with closing(Engine.open(Places.under(home), flags={"queue_size": 100})) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        assert events(home) == [(f"hook:k{number}", "done") for number in range(MANY)]
        assert engine.stats.now().message_count == MANY
        listed = sorted(engine.conversations.list(), key=lambda one: one.id)
        found = [message.text for one in listed for message in engine.conversations.get(one.id).messages]
        assert sorted(found, key=said.index) == said
    assert [path.name for path in spool(home).parent.iterdir()] == ["events.torn"]


def test_what_is_spooled_while_the_app_runs_comes_in_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    connect_hook(home)
    with serving(home):
        say(home, "The first one")
        wait_for(lambda: count(home) == 1)
        conf = home / "state" / "hook" / "claude-code.conf"
        kept = conf.read_bytes()
        conf.write_bytes(b"token rmn_wrong\n")  # 401: the hook keeps the event
        say(home, "The second one")
        assert spool(home).exists()
        conf.write_bytes(kept)
        wait_for(lambda: count(home) == 2)
        assert not spool(home).exists()
    assert texts(home) == ["The first one", "The second one"]


def test_a_hook_finds_the_app_behind_another_port(tmp_path: Path) -> None:
    """R12: two homes want one port; each hook reaches its own app, by TCP too."""
    first, second = tmp_path / "a", tmp_path / "b"
    for home in (first, second):
        connect_hook(home)
    with serving(first), serving(second):
        ports = {(home / "state" / "endpoint").read_text().split("port ")[1].strip() for home in (first, second)}
        assert len(ports) == 2
        for home in (first, second):
            (home / "state" / "capture.sock").unlink()
            say(home, f"I am {home.name}")
            wait_for(lambda home=home: count(home) == 1)
            wait_for(lambda home=home: not spool(home).exists())
    assert (texts(first), texts(second)) == (["I am a"], ["I am b"])


POISON = {
    "too large": ("claude-code", body("word " * 2_200_000)),
    "no JSON": ("claude-code", b"\x00\xff not json"),
    "no object": ("claude-code", b"[1, 2]"),
    "a bomb": ("claude-code", b"[" * 100_000),
    "wrong types": ("claude-code", json.dumps({"prompt": {"a": 1}, "session_id": ["x"], "cwd": 7}).encode()),
    "odd app": ("-_-", body("hello")),
    "endless numbers": ("claude-code", b'{"prompt": "x", "timestamp": 1e308, "session_id": ' + b"9" * 39 + b"}"),
    "surrogate": ("claude-code", b'{"prompt": "half \\ud83d pair", "session_id": "\\udc00"}'),
    "year 9999": ("claude-code", body("later", timestamp="9999-12-31T23:59:59-23:59")),
    "year 1": ("claude-code", body("early", timestamp="0001-01-01T00:00:00+14:00")),
    "odd tool": ("claude-code", b'{"tool_name": 5, "tool_input": [1], "tool_response": {"exit_code": "x"}}'),
}


@pytest.mark.parametrize("name", POISON)
def test_no_event_keeps_the_app_from_starting(places: Places, clock: FrozenClock, name: str) -> None:
    app, raw = POISON[name]
    lines = [
        line(1, body("before")),
        line(2, raw).replace(b'"claude-code"', b'"%s"' % app.encode()),
        line(3, body("after")),
    ]
    if app != "claude-code":
        lines[1] = with_crc(lines[1])
    spool(places.state_dir.parent).write_bytes(b"".join(lines))
    with closing(Engine.open(places, clock=clock)) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        found = events(places.state_dir.parent)
        assert [event for event in found if event[0] != "hook:k2"] == [("hook:k1", "done"), ("hook:k3", "done")]
        assert not list(places.spool_dir.glob("events*.taking")), "it is not read again at every start"


@pytest.mark.parametrize("name", ["events.jsonl", "late-00000000000000000005-k5.jsonl", "events.5.taking"])
def test_a_planted_link_is_not_read_and_keeps_nobody_from_starting(
    places: Places, clock: FrozenClock, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(line(1, body("not ours")) + b"a private line\n")
    (spool(places.state_dir.parent).parent / name).symlink_to(elsewhere)
    with closing(Engine.open(places, clock=clock)) as engine:
        assert engine.events.take_spool() == 0
        assert engine.events.inbox() == ()
        assert elsewhere.exists()
        assert not [path for path in places.spool_dir.iterdir() if path.name == "events.torn"]


def test_a_full_disk_at_the_start_leaves_the_spool_and_opens(places: Places, clock: FrozenClock) -> None:
    Engine.open(places, clock=clock).close()
    lines = [line(number, body(f"number {number} " + "many words " * 400)) for number in range(40)]
    spool(places.state_dir.parent).write_bytes(b"".join(lines))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))  # the log of the store cannot grow beyond
    try:
        with closing(Engine.open(places, clock=clock)) as engine:
            assert engine.stats.health().disk_problem
            assert engine.events.inbox() == ()
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert engine.events.take_spool() == 40
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("event", ["tool", "prompt", "stop", "compact", "start", "end"])
def test_hooks_of_every_kind_are_taken_from_the_spool(tmp_path: Path, event: str) -> None:
    home = tmp_path / "home"
    connect_hook(home)
    for raw in (POISON["wrong types"][1], POISON["surrogate"][1], body("fine"), POISON["odd tool"][1]):
        done = run_hook(home, event, raw)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with closing(Engine.open(Places.under(home))) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        assert all(one.state in {"done", "ignored"} for one in engine.events.inbox())
        assert not spool(home).exists()


def with_crc(spooled: bytes) -> bytes:
    fields = spooled.rpartition(b',"crc":"')[0]
    return fields + b',"crc":"%08x"}\n' % crc32(fields)
