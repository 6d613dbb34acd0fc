"""Finding histories on this disk, and naming what a person drops on the window."""

import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.assistants import discover
from app.assistants import histories as readers
from app.errors import NotFoundError

CLAUDE = {"type": "user", "uuid": "u1", "sessionId": "s-1", "message": {"role": "user", "content": "hi"}}
CODEX = {"timestamp": "2026-08-20T09:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
GPT = [{"title": "t", "mapping": {}}]
CLAUDE_AI = [{"uuid": "c", "name": "t", "chat_messages": []}]


def put(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_histories_are_found_with_their_counts(tmp_path: Path) -> None:
    first = put(tmp_path / ".claude/projects/-w/s-1.jsonl", CLAUDE)
    put(tmp_path / ".claude/projects/-w/s-1/subagents/agent-1.jsonl", CLAUDE)
    listed = put(tmp_path / ".claude/history.jsonl", {"display": "hi", "timestamp": 1, "sessionId": "s-1"})
    os.utime(first, (1_000_000_000, 1_000_000_000))
    os.utime(listed, (900_000_000, 900_000_000))
    rollout = put(tmp_path / "elsewhere/sessions/2026/08/20/rollout-1.jsonl", CODEX)
    claude, codex = discover.find_histories(tmp_path, {"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert (claude.source, claude.file_count) == ("claude-code", 2)
    assert claude.byte_count == first.stat().st_size + listed.stat().st_size
    assert claude.newest_at == datetime.fromtimestamp(1_000_000_000, UTC)
    assert (codex.source, codex.file_count, codex.path) == ("codex", 1, tmp_path / "elsewhere")
    assert discover.history_files("codex", codex.path) == (rollout,)


def test_nothing_on_disk_is_nothing_found(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    assert discover.find_histories(tmp_path, {}) == ()


@pytest.mark.parametrize(
    ("name", "rows", "source"),
    [
        ("s-1.jsonl", [{"type": "summary", "summary": "x", "leafUuid": "l"}, CLAUDE], "claude-code"),
        ("history.jsonl", [{"display": "hi", "timestamp": 1, "project": "/w"}], "claude-code"),
        ("rollout-1.jsonl", [CODEX], "codex"),
        ("conversations.json", [GPT], "chatgpt"),
        ("conversations-001.json", [CLAUDE_AI], "claude-ai"),
        ("conversation-history.jsonl", [{"conversation_id": "conv-1", "messages": []}], "seed-history"),
        ("conversation-context.jsonl", [{"timestamp": "x", "user_message": "hi"}], "seed-context"),
        ("notes.jsonl", [{"a": 1}], None),
        ("conversations.json", [[{"a": 1}]], None),
        ("conversations.json", [{"a": 1}], None),
        ("conversations.json", [[]], None),
        ("photo.png", [1], None),
    ],
)
def test_a_file_is_named(tmp_path: Path, name: str, rows: list[object], source: str | None) -> None:
    path = put(tmp_path / "in" / name, *rows)
    assert discover.recognise(path) == source
    assert discover.recognise(path.parent) == source
    (found,) = discover.recognise_drop([path.parent])
    assert found.source == (source or discover.UNKNOWN)
    assert found.file_count == 1


def test_packed_exports_are_named_and_hostile_ones_are_unknown(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    for path, member in ((good, "conversations.json"), (bad, "../conversations.json")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, json.dumps(GPT))
    assert [discover.recognise(path) for path in (good, bad, tmp_path / "none.zip")] == ["chatgpt", None, None]
    assert discover.history_files("chatgpt", tmp_path) == (good,)


def test_an_unknown_reader_names_the_known_ones() -> None:
    with pytest.raises(NotFoundError) as refused:
        readers.reader("diary")
    assert refused.value.hint == f"Choose one of: {', '.join(readers.READERS)}."


def test_a_mixed_folder_is_named_by_all_it_holds(tmp_path: Path) -> None:
    put(tmp_path / "a/s-1.jsonl", CLAUDE)
    put(tmp_path / "b/rollout-1.jsonl", CODEX)
    put(tmp_path / "conversations.json", GPT)
    put(tmp_path / "notes.md", "x")
    found = {one.source: one.file_count for one in discover.recognise_drop([tmp_path])}
    assert found == {"claude-code": 1, "codex": 1, "chatgpt": 1, "unknown": 1}
    assert discover.recognise_drop([tmp_path])[-1].source == discover.UNKNOWN
    (nothing,) = discover.recognise_drop([tmp_path / "missing"])
    assert (nothing.source, nothing.file_count) == (discover.UNKNOWN, 0)


def test_an_offset_holds_while_a_transcript_grows_and_not_for_another_export(tmp_path: Path) -> None:
    transcript = put(tmp_path / "s-1.jsonl", CLAUDE, CLAUDE)
    mark = discover.resume_mark("claude-code", transcript)
    put(transcript, CLAUDE, CLAUDE, CLAUDE)
    assert discover.resume_mark("claude-code", transcript) == mark
    put(transcript, CLAUDE | {"uuid": "u9"}, CLAUDE, CLAUDE)
    assert discover.resume_mark("claude-code", transcript) != mark
    export = put(tmp_path / "conversations.json", CLAUDE_AI)
    mark = discover.resume_mark("claude-ai", export)
    assert discover.resume_mark("claude-ai", export) == mark
    put(export, CLAUDE_AI * 2)
    assert discover.resume_mark("claude-ai", export) != mark


def test_an_assistants_whole_folder_is_known_whatever_else_lies_in_it(tmp_path: Path) -> None:
    for number in range(500):
        put(tmp_path / f".claude/a-cache/{number}.md", "x")
    put(tmp_path / ".claude/projects/-w/s-1.jsonl", CLAUDE)
    put(tmp_path / ".codex/log/x.txt", "x")
    put(tmp_path / ".codex/sessions/2026/08/20/rollout-1.jsonl", CODEX)
    found = discover.recognise_drop([tmp_path / ".claude", tmp_path / ".codex"])
    assert [(one.source, one.file_count) for one in found] == [("claude-code", 1), ("codex", 1)]
    assert discover.recognise(tmp_path / ".claude") == "claude-code"
