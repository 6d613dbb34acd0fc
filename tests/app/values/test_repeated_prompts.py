"""One prompt seen again, or typed again: who saw it, when, with which words."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pysqlite3 as sqlite3

from app.api import CaptureRequest, Engine, EventKind
from app.assistants.hook_payload import parse_hook_payload
from app.values.repeated_prompts import WORDS_GONE, Sighting, find_same, hook_key, witness_of
from tests.conftest import FrozenClock
from tests.patience import PATIENCE_S
from tests.table import table

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OWN, OTHER = "c0ffee00", "0000beef"


def seen(number: int, witness: str, after_s: float = 0, *, same_as: int | None = None, words: str = "h") -> Sighting:
    is_imported = witness == "transcript"
    key = "claude-code:u" if is_imported else hook_key(f"{number:024x}{witness}") if witness else "mine"
    at = AT + timedelta(seconds=after_s)
    return Sighting(number, key, at, is_imported, words, "done", number, "s", same_as)


@table(
    ("known", "witness", "after_s", "same"),
    [
        ([seen(1, OWN)], OWN, 0.08, None),
        ([seen(1, OWN)], OTHER, 0.08, 1),
        ([seen(1, OWN)], OTHER, 11, None),
        ([seen(1, OWN), seen(2, OWN, 0.08)], OTHER, 0.09, 2),
        ([seen(1, OWN), seen(2, OTHER, 0.08, same_as=1)], OTHER, 0.1, None),
        ([seen(1, OWN)], "transcript", 100, 1),
        ([seen(1, OWN)], "transcript", 121, None),
        ([seen(1, OWN), seen(2, "transcript", 1, same_as=1)], "transcript", 2, None),
        ([seen(1, "transcript")], OWN, 100, 1),
        ([seen(1, OWN, words=WORDS_GONE)], "transcript", 1, 1),
        ([seen(1, OWN, words=WORDS_GONE)], "transcript", 2, None),
        ([seen(1, "")], "", 0, None),
        ([seen(1, "")], OWN, 0, None),
        ([seen(1, "")], "transcript", 5, 1),
    ],
    ids=[
        "the same command line sees no prompt twice",
        "another command line sees it too",
        "but not that late",
        "the nearest of two",
        "it has seen that one",
        "a transcript is late",
        "but not that late",
        "a transcript has each once",
        "the hook was spooled",
        "erased: known by its time",
        "erased: another time",
        "who names own keys",
        "who names own keys is no hook",
        "a hook of an earlier version",
    ],
)
def test_a_sighting_is_told_from_a_prompt(
    known: list[Sighting], witness: str, after_s: float, same: int | None
) -> None:
    found = find_same(known, witness, AT + timedelta(seconds=after_s))
    assert (found and found.event_id) == same


def test_what_waited_for_its_turn_was_typed_long_before() -> None:
    at = AT + timedelta(hours=1)
    assert find_same([seen(1, OWN)], "transcript", at) is None
    assert find_same([seen(1, OWN)], "transcript", at, typed_since=AT - timedelta(hours=1)) is not None
    assert find_same([seen(1, OWN)], "transcript", at, typed_since=AT, taken={1}) is None


def test_a_key_of_a_hook_says_which_command_line_ran() -> None:
    assert witness_of(hook_key("0" * 24 + OWN), is_imported=False) == OWN
    assert witness_of("0" * 24 + OWN, is_imported=False) == "", "whoever sends by a key of its own is no hook"


def hook(text: str, number: int, *, at: datetime = AT, turn: str = "t1") -> CaptureRequest:
    value = {"session_id": "s-1", "prompt_id": turn, "cwd": "/w/shop", "prompt": text}
    found = parse_hook_payload(
        "claude-code", "prompt", json.dumps(value).encode(), key=f"{number:024x}{OWN}", cwd="", at=at
    )
    assert found is not None
    return found


def transcript(folder: Path, *typed: tuple[str, datetime]) -> Path:
    path = folder / "projects/-w-shop/s-1.jsonl"
    path.parent.mkdir(parents=True)
    base = {"type": "user", "sessionId": "s-1", "cwd": "/w/shop", "promptId": "t1", "isSidechain": False}
    lines = (
        base | {"uuid": f"u{number}", "timestamp": at.isoformat(), "message": {"role": "user", "content": text}}
        for number, (text, at) in enumerate(typed)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def kept(engine: Engine) -> list[str]:
    store = sqlite3.connect(engine.places.store_path)
    found = [text for (text,) in store.execute("SELECT text FROM message ORDER BY id")]
    store.close()
    return found


def test_two_texts_of_one_turn_never_share_a_key(engine: Engine) -> None:
    for number, text in enumerate(("run the tests", "use tabs", "use tabs", "never force push")):
        engine.events.capture([hook(text, number)], wait_s=PATIENCE_S)
    assert kept(engine) == ["run the tests", "use tabs", "use tabs", "never force push"]


def test_what_was_erased_does_not_come_back_from_the_transcript(
    engine: Engine, clock: FrozenClock, tmp_path: Path
) -> None:
    clock.advance(minutes=60)
    (said,) = engine.events.capture([hook("the canary is yellow", 1)], wait_s=PATIENCE_S)
    engine.events.capture([replace(hook("the canary is yellow", 2), key=hook_key("0" * 24 + OTHER))], wait_s=PATIENCE_S)
    conversation = engine.messages.get(said.message_id or 0).conversation_id
    engine.memories.erase_everything_of(conversation_id=conversation)
    store = sqlite3.connect(engine.places.store_path)
    assert set(store.execute("SELECT text_hash FROM event WHERE kind = 'prompt'")) == {(WORDS_GONE,)}
    store.close()
    report = engine.transfer.import_history("claude-code", transcript(tmp_path / "c", ("the canary is yellow", AT)))
    assert (report.message_count, kept(engine)) == (0, [])


def test_what_was_said_while_capture_was_paused_is_not_brought_by_the_transcript(
    engine: Engine, clock: FrozenClock, tmp_path: Path
) -> None:
    clock.advance(minutes=60)
    engine.events.pause(None)
    engine.events.capture([hook("between us", 1)], wait_s=PATIENCE_S)
    engine.events.resume()
    later = AT + timedelta(seconds=40)
    folder = transcript(tmp_path / "c", ("between us", AT), ("now openly", later))
    engine.transfer.import_history("claude-code", folder)
    assert kept(engine) == ["now openly"]


def test_an_import_that_is_undone_and_done_again_meets_the_hooks_again(
    engine: Engine, clock: FrozenClock, tmp_path: Path
) -> None:
    clock.advance(minutes=60)
    engine.events.capture([hook("go on", 1)], wait_s=PATIENCE_S)
    folder = transcript(tmp_path / "c", ("go on", AT), ("go on", AT + timedelta(seconds=3)))
    report = engine.transfer.import_history("claude-code", folder)
    assert (report.message_count, report.duplicate_count) == (1, 1)
    assert report.operation_id is not None
    engine.journal.undo(report.operation_id)
    again = engine.transfer.import_history("claude-code", folder)
    assert (again.message_count, again.duplicate_count, kept(engine)) == (1, 1, ["go on", "go on"])


def test_tool_uses_of_a_transcript_are_those_of_the_hooks(engine: Engine, clock: FrozenClock, tmp_path: Path) -> None:
    clock.advance(minutes=60)
    engine.events.capture([hook("edit it", 1)], wait_s=PATIENCE_S)
    for use_id in ("call_1", "toolu_01ABCDEFGHIJKLMNOPQRSTUV"):
        value = {
            "session_id": "s-1",
            "cwd": "/w/shop",
            "tool_name": "Edit",
            "tool_use_id": use_id,
            "tool_input": {"file_path": f"/w/{use_id}"},
        }
        request = parse_hook_payload("claude-code", "tool", json.dumps(value).encode(), key="k", cwd="", at=AT)
        assert request is not None
        assert request.kind is EventKind.TOOL
        engine.events.capture([request], wait_s=PATIENCE_S)
    folder = transcript(tmp_path / "c", ("edit it", AT))
    with (folder / "projects/-w-shop/s-1.jsonl").open("a", encoding="utf-8") as lines:
        for use_id in ("call_1", "toolu_01ABCDEFGHIJKLMNOPQRSTUV"):
            call = {"type": "tool_use", "id": use_id, "name": "Edit", "input": {"file_path": f"/w/{use_id}"}}
            result = {"type": "tool_result", "tool_use_id": use_id, "content": "ok"}
            for kind, block in (("assistant", call), ("user", result)):
                line = {
                    "type": kind,
                    "uuid": f"{use_id}-{kind}",
                    "sessionId": "s-1",
                    "cwd": "/w/shop",
                    "timestamp": AT.isoformat(),
                }
                lines.write(json.dumps(line | {"message": {"role": kind, "content": [block]}}) + "\n")
    engine.transfer.import_history("claude-code", folder)
    store = sqlite3.connect(engine.places.store_path)
    assert [row for (row,) in store.execute("SELECT file FROM tool_use")] == [
        "/w/call_1",
        "/w/toolu_01ABCDEFGHIJKLMNOPQRSTUV",
    ]
    store.close()


def test_a_paste_is_the_same_under_another_number(engine: Engine, clock: FrozenClock, tmp_path: Path) -> None:
    clock.advance(minutes=60)
    form = '{}<pasted_content id="{}">\nWe use MongoDB.\n</pasted_content id="{}">{} what is this?'
    engine.events.capture([hook(form.format("\n\n", "9150", "9150", "\n\n"), 1)], wait_s=PATIENCE_S)
    listed = form.format("", "abcd", "abcd", "")
    report = engine.transfer.import_history("claude-code", transcript(tmp_path / "c", (listed, AT)))
    assert (report.message_count, report.duplicate_count) == (0, 1)
    assert '<pasted_content id="9150">' in kept(engine)[0], "kept as it came: the deciders know it by its mark"
