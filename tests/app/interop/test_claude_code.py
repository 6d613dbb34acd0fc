"""Transcripts and the prompt list of Claude Code: what is a prompt, what is told of tools, going on where one stopped."""

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.assistants.claude_code import history as claude_code
from app.interop.prompts import SkippedLine
from app.values import EventKind

Line = Callable[..., dict[str, Any]]


def prompts_of(requests: list[Any]) -> list[str]:
    return [request.text for request in requests if request.kind is EventKind.PROMPT]


@pytest.mark.parametrize(
    ("content", "fields", "prompts"),
    [
        ("paint the lid teal", {}, ["paint the lid teal"]),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], {}, ["one\ntwo"]),
        ([{"type": "image", "source": {}}, {"type": "text", "text": "like here"}], {}, ["like here"]),
        ([{"type": "tool_result", "tool_use_id": "t", "content": "done"}], {}, []),
        ("a note for the model", {"isMeta": True}, []),
        ("what a helper was told", {"isSidechain": True}, []),
        ("what a helper was told", {"agentId": "a1"}, []),
        ("This session is continued from …", {"isCompactSummary": True}, []),
        ("[Request interrupted by user]", {}, []),
        ("[Request interrupted by user for tool use]", {}, []),
        ("<local-command-stdout>12 files</local-command-stdout>", {}, []),
        ("<system-reminder>be kind</system-reminder>\nrename the lid", {}, ["rename the lid"]),
        ('<remanence-context id="x">lid is teal</remanence-context>\nand the box?', {}, ["and the box?"]),
        ("<task-notification>done</task-notification>", {}, []),
        ("a teammate says", {"origin": {"kind": "peer"}}, []),
        ("I say", {"origin": {"kind": "human"}}, ["I say"]),
        (None, {}, []),
        ({"odd": 1}, {}, []),
    ],
)
def test_what_counts_as_a_prompt(claude_line, write_lines, events, content, fields, prompts) -> None:
    path = write_lines("s-1.jsonl", claude_line("u1", content, **fields))
    assert prompts_of(events(claude_code.read_events(path))) == prompts


def test_a_prompt_carries_where_and_when_it_was_said(claude_line, write_lines, events) -> None:
    path = write_lines("s-1.jsonl", claude_line("u1", "paint it", promptId="p-9"))
    start, prompt = events(claude_code.read_events(path))
    assert (start.kind, start.key) == (EventKind.SESSION_START, "claude-code:s-1:start")
    assert (prompt.key, prompt.session, prompt.cwd, prompt.git_branch) == ("claude-code:u1", "s-1", "/w/api", "main")
    assert prompt.at == datetime(2026, 8, 20, 9, tzinfo=UTC)
    assert prompt.payload == {"prompt_id": "p-9"}
    assert prompt.is_imported


def test_a_line_without_time_takes_the_one_before_it(claude_line, write_lines, events) -> None:
    path = write_lines("s-1.jsonl", claude_line("u1", "first"), claude_line("u2", "second", timestamp=None))
    assert {request.at for request in events(claude_code.read_events(path))} == {datetime(2026, 8, 20, 9, tzinfo=UTC)}


def test_lines_of_other_types_and_broken_lines_are_stepped_over(claude_line, write_lines, events) -> None:
    path = write_lines(
        "s-1.jsonl",
        {"type": "summary", "summary": "Lids", "leafUuid": "u1"},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s-1", "content": "not yet said"},
        {"type": "something-new", "sessionId": "s-1"},
        "{ this is no JSON",
        "[1, 2]",
        "[" * 3000,
        claude_line("u1", "after all that"),
    )
    items = list(claude_code.read_events(path))
    assert prompts_of(events(iter(items))) == ["after all that"]
    assert sum(isinstance(read.item, SkippedLine) for read in items) == 3


def test_a_torn_last_line_is_read_once_it_is_whole(claude_line, write_lines, events) -> None:
    whole = json.dumps(claude_line("u2", "second"))
    path = write_lines("s-1.jsonl", claude_line("u1", "first"))
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[:40])
    items = list(claude_code.read_events(path))
    assert prompts_of(events(iter(items))) == ["first"]
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[40:] + "\n")
    again = claude_code.read_events(path, start_offset=items[-1].end_offset)
    assert prompts_of(events(again)) == ["second"]


def test_a_resumed_copy_has_the_same_keys(claude_line, write_lines, events) -> None:
    first = write_lines("p/s-1.jsonl", claude_line("u1", "first"))
    copied = [claude_line("u1", "first", sessionId="s-2"), claude_line("u2", "second", sessionId="s-2")]
    second = write_lines("p/s-2.jsonl", *copied)
    os.utime(first, (1_000_000, 1_000_000))
    assert claude_code.history_files(first.parent) == (first, second)
    said = [e for path in (first, second) for e in events(claude_code.read_events(path)) if e.text]
    assert [(e.key, e.session) for e in said] == [
        ("claude-code:u1", "s-1"),
        ("claude-code:u1", "s-2"),
        ("claude-code:u2", "s-2"),
    ]


def test_tool_outcomes_name_files_and_commands_and_drop_contents(claude_line, write_lines, events) -> None:
    calls = [
        {"type": "text", "text": "I will"},
        {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/w/a.py", "new_string": "SECRETCODE"}},
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "make test"}},
        {"type": "tool_use", "id": "t3", "name": "Read", "input": {"file_path": "/w/b.py"}},
        {"type": "tool_use", "id": "t4", "name": "NotebookEdit", "input": {"notebook_path": "/w/n.ipynb"}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "SECRETCODE", "is_error": True},
    ]
    path = write_lines("s-1.jsonl", claude_line("a1", calls, "assistant"), claude_line("u1", results))
    tools = [e for e in events(claude_code.read_events(path)) if e.kind is EventKind.TOOL]
    assert [(e.key, e.payload["tool_input"], e.payload["tool_response"]) for e in tools] == [
        ("s-1:tool:t1", {"file_path": "/w/a.py"}, {"is_error": False}),
        ("s-1:tool:t2", {"command": "make test"}, {"is_error": True}),
        ("s-1:tool:t4", {"file_path": "/w/n.ipynb"}, {}),
    ]
    assert "SECRETCODE" not in repr(tools)


def test_slash_commands_are_no_prompts_and_clear_ends_what_was_talked_about(claude_line, write_lines, events) -> None:
    clear = (
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>"
    )
    review = (
        "<command-message>review</command-message><command-name>/review</command-name><command-args>7</command-args>"
    )
    path = write_lines("s-1.jsonl", claude_line("u1", clear), claude_line("u2", review))
    told = [(e.kind, e.key, e.payload) for e in events(claude_code.read_events(path))][1:]
    assert told == [
        (EventKind.SESSION_END, "claude-code:u1:clear", {"reason": "clear"}),
        (EventKind.SIGNAL, "claude-code:u2:command", {"command": "/review", "args": "7"}),
    ]


@pytest.mark.parametrize(
    ("attachment", "prompts"),
    [
        ({"type": "queued_command", "prompt": "and the box too"}, ["and the box too"]),
        ({"type": "queued_command", "prompt": [{"type": "text", "text": "this"}], "commandMode": "prompt"}, ["this"]),
        ({"type": "queued_command", "prompt": "x", "origin": {"kind": "human"}}, ["x"]),
        ({"type": "queued_command", "prompt": "x", "origin": {"kind": "task-notification"}}, []),
        ({"type": "queued_command", "prompt": "x", "commandMode": "task-notification"}, []),
        ({"type": "todo_reminder", "prompt": "x"}, []),
        ("odd", []),
    ],
)
def test_what_was_typed_while_the_assistant_worked(claude_line, write_lines, events, attachment, prompts) -> None:
    path = write_lines("s-1.jsonl", claude_line("u1", None, "attachment", attachment=attachment))
    assert prompts_of(events(claude_code.read_events(path))) == prompts


def test_commands_that_stand_in_system_lines_are_told_too(claude_line, write_lines, events) -> None:
    clear = claude_line("u1", None, "system", subtype="local_command") | {
        "content": "<command-name>/clear</command-name>"
    }
    told = events(claude_code.read_events(write_lines("s-1.jsonl", clear)))
    assert [e.payload for e in told if e.kind is EventKind.SESSION_END] == [{"reason": "clear"}]


def test_compaction_is_told(claude_line, write_lines, events) -> None:
    mark = claude_line("c1", "", "system", subtype="compact_boundary")
    path = write_lines("s-1.jsonl", claude_line("u1", "first"), mark)
    assert [e.kind for e in events(claude_code.read_events(path))][2] is EventKind.COMPACTION


def test_reading_again_from_any_place_loses_nothing(claude_line, write_lines, events) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/w/a.md"}}]
    path = write_lines(
        "s-1.jsonl",
        claude_line("u1", "first"),
        claude_line("a1", call, "assistant"),
        claude_line("u2", "while it works"),
        claude_line("u3", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]),
        claude_line("u4", "last"),
    )
    items = list(claude_code.read_events(path))
    offsets = [read.end_offset for read in items]
    assert offsets == sorted(offsets)
    for number, read in enumerate(items):
        rest = {e.key for e in events(claude_code.read_events(path, start_offset=read.end_offset))}
        assert {e.key for e in events(iter(items[number + 1 :]))} <= rest


def test_transcripts_are_read_in_the_order_of_their_first_words(claude_line, write_lines) -> None:
    late = write_lines("p/a.jsonl", claude_line("u1", "x", timestamp="2026-08-22T09:00:00Z"))
    early = write_lines("p/b.jsonl", {"type": "summary"}, claude_line("u2", "x", timestamp="2026-08-21T09:00:00Z"))
    assert claude_code.history_files(late.parent) == (early, late)
    assert set(claude_code.listed_files(late.parent)) == {early, late}


def test_folders_of_helpers_are_left_out(claude_line, write_lines) -> None:
    own = write_lines("projects/-w-api/s-1.jsonl", claude_line("u1", "first"))
    write_lines("projects/-w-api/s-1/subagents/agent-7.jsonl", claude_line("u2", "to a helper"))
    write_lines("projects/-w-api/agent-8.jsonl", claude_line("u3", "to a helper"))
    listed = write_lines("history.jsonl", {"display": "x", "timestamp": 1, "sessionId": "s-0"})
    assert claude_code.history_files(listed.parent) == (own, listed)


def test_the_prompt_list_speaks_for_sessions_without_transcript_only(claude_line, write_lines, events) -> None:
    write_lines("projects/-w-api/s-1.jsonl", claude_line("u1", "first"))
    pasted = {"1": {"id": 1, "type": "text", "content": "line a\nline b"}, "2": {"id": 2, "contentHash": "abc"}}
    common = {"timestamp": 1787216400000, "project": "/w/old", "pastedContents": {}}
    path = write_lines(
        "history.jsonl",
        {"display": "first", "sessionId": "s-1"} | common,
        {"display": "look: [Pasted text #1 +2 lines] [Pasted text #2]", "sessionId": "s-0"}
        | common
        | {"pastedContents": pasted},
        {"display": "/clear ", "sessionId": "s-0"} | common,
        {"display": "exit", "sessionId": "s-0"} | common,
        {"display": "known already", "sessionId": "s-00"} | common,
        {"display": "from an old version"} | common,
    )
    read = events(claude_code.read_history(path, known_sessions={"s-00"}))
    mark = read[0].text[7:].partition(">")[0]
    assert re.fullmatch(r'pasted_content id="[0-9a-f]{4}"', mark)
    assert [(e.kind, e.text, e.session, e.cwd) for e in read] == [
        (EventKind.PROMPT, f"look: <{mark}>\nline a\nline b\n</{mark}> [Pasted text #2]", "s-0", "/w/old"),
        (EventKind.SESSION_END, "", "s-0", "/w/old"),
    ]
    assert read[0].at == datetime(2026, 8, 20, 9, tzinfo=UTC)
    again = events(claude_code.read_events(path))
    assert [e.key for e in again][:2] == [e.key for e in read]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    junk=st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.fixed_dictionaries(
                {
                    "type": st.sampled_from(["user", "assistant", "system", "attachment", [], {}]),
                    "sessionId": st.sampled_from(["s", 3, None]),
                },
                optional={
                    "timestamp": st.one_of(st.text(max_size=20), st.floats(), st.integers(), st.none()),
                    "subtype": st.sampled_from(["local_command", [], {}, None]),
                    "attachment": st.sampled_from([{"type": []}, {"type": "queued_command", "prompt": [3]}, []]),
                    "uuid": st.one_of(st.text(max_size=5), st.integers()),
                    "message": st.recursive(
                        st.one_of(st.none(), st.text(max_size=9), st.booleans()),
                        lambda inner: st.one_of(
                            st.lists(inner, max_size=3),
                            st.dictionaries(st.sampled_from(["content", "type", "text", "id", "name"]), inner),
                        ),
                        max_leaves=8,
                    ),
                },
            ).map(lambda row: json.dumps(row).encode()),
        ),
        max_size=8,
    )
)
def test_nothing_in_a_file_stops_the_reader(tmp_path: Path, junk: list[bytes]) -> None:
    path = tmp_path / "junk.jsonl"
    path.write_bytes(b"\n".join(junk))
    offsets = [read.end_offset for read in claude_code.read_events(path)]
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= path.stat().st_size for offset in offsets)
