"""Sessions that Qwen Code, Copilot CLI, Gemini CLI and OpenCode left on disk: found, read, met with what the hooks told."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pysqlite3 as sqlite3
import pytest

from app.api import Engine
from app.assistants import discover
from app.assistants.histories import reader
from app.assistants.hook_payload import parse_hook_payload
from app.interop.tool_calls import tool_outcomes
from app.values import CaptureRequest, EventKind
from tests.conftest import FrozenClock
from tests.patience import PATIENCE_S

RECORDED = Path(__file__).parent / "recorded"
TYPED = ["We decided to use PostgreSQL here.", "run the failing command", "edit the file please"]
PLACES = {
    "qwen": ".qwen/projects/-home-dev-shop/chats/{}.jsonl",
    "copilot": ".copilot/session-state/{}/events.jsonl",
    "gemini": ".gemini/tmp/shop/chats/session-{}.jsonl",
}
HEARD = {"chat.message": "prompt", "tool.execute.after": "tool"}


def left_on_disk(app: str, home: Path) -> None:
    """The recorded files at their places."""
    if app == "opencode":
        return write_opencode(home / ".local/share/opencode/opencode.db")
    for number, path in enumerate(sorted(RECORDED.glob(f"{app}.*.jsonl"))):
        if ".hooks." not in path.name:
            target = home / PLACES[app].format(number)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return None


def write_opencode(path: Path) -> None:
    """The tables as OpenCode 1.18 makes them, as far as they are read, with the recorded messages."""
    path.parent.mkdir(parents=True)
    store = sqlite3.connect(path)
    store.execute("PRAGMA journal_mode=WAL")
    store.execute("CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, time_created INTEGER)")
    store.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
    store.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
    count = 0
    for line in (RECORDED / "opencode.hooks.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        session = told["stdin"].get("sessionID")
        if told["event"] == "chat.message":
            message, parts = told["output"]["message"], told["output"]["parts"]
            created = message["time"]["created"]
            store.execute("INSERT OR IGNORE INTO session VALUES (?, NULL, '/home/dev/shop', ?)", (session, created))
            store.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)", (message["id"], session, created, '{"role":"user"}')
            )
            extra = [{"id": "prt_z", "type": "text", "text": "put in by a program", "synthetic": True}]
            for part in [*parts, *extra]:
                store.execute(
                    "INSERT INTO part VALUES (?, ?, ?, ?)", (part["id"], message["id"], session, json.dumps(part))
                )
        elif told["event"] == "tool.execute.after":
            count += 1
            state = {"status": "completed", "input": told["stdin"]["args"], "metadata": told["output"]["metadata"]}
            part = {"type": "tool", "tool": told["stdin"]["tool"], "callID": told["stdin"]["callID"], "state": state}
            answer = f"msg_z{count}"
            store.execute(
                'INSERT INTO message VALUES (?, ?, 9999999999999, \'{"role":"assistant"}\')', (answer, session)
            )
            store.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"prt_{count}", answer, session, json.dumps(part)))
    store.execute("INSERT INTO session VALUES ('ses_helper', 'ses_parent', '/home/dev/shop', 1)")
    store.execute("INSERT INTO message VALUES ('msg_helper', 'ses_helper', 1, '{\"role\":\"user\"}')")
    store.execute(
        "INSERT INTO part VALUES ('p', 'msg_helper', 'ses_helper', '{\"type\":\"text\",\"text\":\"do my work\"}')"
    )
    store.commit()
    store.close()


def read(app: str, home: Path) -> list[CaptureRequest]:
    (found,) = discover.find_histories(home, {})
    assert (found.source, found.byte_count > 0) == (app, True)
    files = discover.history_files(app, found.path)
    return [one.item for file in files for one in reader(app)(file) if isinstance(one.item, CaptureRequest)]


@pytest.mark.parametrize(
    ("app", "typed"), [("qwen", TYPED), ("copilot", TYPED), ("opencode", TYPED), ("gemini", TYPED[2:])]
)
def test_the_persons_words_are_read_and_nothing_that_was_put_in(tmp_path: Path, app: str, typed: list[str]) -> None:
    left_on_disk(app, tmp_path)
    events = read(app, tmp_path)
    assert [one.text for one in events if one.kind is EventKind.PROMPT] == typed
    assert {one.cwd for one in events} <= {"/home/dev/shop", ""}
    assert len({one.key for one in events}) == len(events)


@pytest.mark.parametrize("app", ["qwen", "copilot", "opencode"])
def test_commands_and_files_come_with_their_outcome(tmp_path: Path, app: str) -> None:
    left_on_disk(app, tmp_path)
    uses = [use for one in read(app, tmp_path) if one.kind is EventKind.TOOL for use in tool_outcomes(one.payload)]
    assert {(use.command, use.exit_status) for use in uses if use.command} == {("echo boom >&2; exit 3", 3)}
    assert {use.file for use in uses if use.file} == {"/home/dev/shop/b.py"}


@pytest.mark.parametrize("app", ["qwen", "copilot", "opencode"])
def test_what_the_hooks_told_is_not_told_again(engine: Engine, clock: FrozenClock, tmp_path: Path, app: str) -> None:
    clock.advance(minutes=365 * 24 * 60)
    for number, line in enumerate((RECORDED / f"{app}.hooks.jsonl").read_text(encoding="utf-8").splitlines()):
        told = json.loads(line)
        given = {"input": told["stdin"], "output": told["output"]} if app == "opencode" else told["stdin"]
        if app == "copilot" and "hook_event_name" in given:
            continue  # the other of two hook files
        word = HEARD.get(told["event"], told["event"])
        created = ((told.get("output") or {}).get("message") or {}).get("time", {}).get("created", 0)
        at = datetime.fromtimestamp(created / 1000, UTC)  # the plugin of OpenCode runs at once
        one = parse_hook_payload(app, word, json.dumps(given).encode(), key=f"{number:024x}c0ffee00", cwd="", at=at)
        if one is not None:
            engine.events.capture([one], wait_s=PATIENCE_S)
    left_on_disk(app, tmp_path)
    before = rows(engine)
    (found,) = discover.find_histories(tmp_path, {})
    report = engine.transfer.import_history(app, found.path)
    assert (report.message_count, report.duplicate_count) == (0, len(TYPED))
    assert rows(engine) == before


def rows(engine: Engine) -> tuple[int, int]:
    engine.events.wait_idle(PATIENCE_S)
    store = sqlite3.connect(engine.places.store_path)
    counts = [store.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("message", "tool_use")]
    store.close()
    return counts[0], counts[1]


def test_of_gemini_the_last_line_with_a_number_counts_and_a_rewind_takes_back(tmp_path: Path) -> None:
    head = {"sessionId": "s", "projectHash": "h", "startTime": "2026-03-02T09:00:00Z", "kind": "main"}
    user = {"type": "user", "timestamp": "2026-03-02T09:00:01Z"}
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "status": "success"}
    output = {"output": "Output: boom\nExit Code: 3\nSignal: 0"}
    done = call | {"result": [{"functionResponse": {"id": "c1", "response": output}}]}
    lines = [
        head,
        user | {"id": "a", "content": [{"text": "make it pur"}]},
        user | {"id": "a", "content": [{"text": "make it purple"}]},
        {"type": "gemini", "id": "g", "content": "", "toolCalls": [call]},
        {"type": "gemini", "id": "g", "content": "", "toolCalls": [done]},
        user | {"id": "r", "content": [{"functionResponse": {"id": "c1", "response": output}}]},
        user | {"id": "b", "content": [{"text": "taken back"}]},
        user | {"id": "c", "content": [{"text": "taken back, too"}]},
        {"$rewindTo": "b"},
    ]
    path = tmp_path / "session-1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert discover.recognise(path) == "gemini"
    events = [one.item for one in reader("gemini")(path) if isinstance(one.item, CaptureRequest)]
    assert [one.text for one in events if one.kind is EventKind.PROMPT] == ["make it purple"]
    (use,) = [use for one in events if one.kind is EventKind.TOOL for use in tool_outcomes(one.payload)]
    assert (use.command, use.exit_status) == ("make", 3)


@pytest.mark.parametrize(("app", "name"), [("qwen", "qwen.168002d5.jsonl"), ("copilot", "copilot.8f5411c3.jsonl")])
def test_a_dropped_file_is_known_by_its_lines(app: str, name: str) -> None:
    assert discover.recognise(RECORDED / name) == app


def test_a_fork_of_opencode_says_again_nothing_of_what_it_copied(tmp_path: Path) -> None:
    """As 1.18.33 writes a fork: a session of its own, the messages before it under new ids with their old times."""
    left_on_disk("opencode", tmp_path)
    store = sqlite3.connect(tmp_path / ".local/share/opencode/opencode.db")
    store.execute("INSERT INTO session VALUES ('ses_fork', NULL, '/home/dev/shop', 9999999999990)")
    store.execute(
        "INSERT INTO message SELECT 'fork_' || id, 'ses_fork', time_created, data FROM message WHERE session_id <> 'ses_helper'"
    )
    store.execute(
        "INSERT INTO part SELECT 'fork_' || id, 'fork_' || message_id, 'ses_fork', data FROM part WHERE session_id <> 'ses_helper'"
    )
    store.execute("INSERT INTO message VALUES ('msg_new', 'ses_fork', 9999999999999, '{\"role\":\"user\"}')")
    store.execute(
        "INSERT INTO part VALUES ('prt_new', 'msg_new', 'ses_fork', '{\"type\":\"text\",\"text\":\"in this copy\"}')"
    )
    store.commit()
    store.close()
    said = [one.text for one in read("opencode", tmp_path) if one.kind is EventKind.PROMPT]
    assert sorted(said) == sorted([*TYPED, "in this copy"])


def test_nothing_of_ours_comes_to_lie_beside_the_store_of_opencode(tmp_path: Path) -> None:
    left_on_disk("opencode", tmp_path)
    folder = tmp_path / ".local/share/opencode"
    before = sorted(folder.iterdir())
    assert read("opencode", tmp_path)
    assert sorted(folder.iterdir()) == before
