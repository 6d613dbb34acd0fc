"""Rollouts of Codex, plain and packed: what is a turn of the person, forks, tool outcomes, going on."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.assistants.codex import history as codex
from app.interop.prompts import ImportRefusedError
from app.values import EventKind

RECORDED = Path(__file__).parents[2] / "clients" / "recorded"  # what real clients wrote: tests/clients/README.md
SESSION = "0198a000-0000-7000-8000-000000000001"
META = {"id": SESSION, "cwd": "/w/api", "git": {"branch": "dev"}, "source": "cli"}


def row(kind: str, at: str = "2026-08-20T09:00:00.000Z", **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def said(text: str) -> dict[str, Any]:
    return row("event_msg", type="user_message", message=text)


def item(text: str, role: str = "user") -> dict[str, Any]:
    return row("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}])


def prompts(requests: list[Any]) -> list[str]:
    return [request.text for request in requests if request.kind is EventKind.PROMPT]


def test_turns_are_read_once_though_they_stand_twice(write_lines, events) -> None:
    path = write_lines("rollout-1.jsonl", row("session_meta", **META), item("paint it"), said("paint it"))
    start, prompt = events(codex.read_events(path))
    assert (start.kind, start.session) == (EventKind.SESSION_START, SESSION)
    assert (prompt.text, prompt.cwd, prompt.git_branch) == ("paint it", "/w/api", "dev")


def test_what_an_assistant_told_its_helper_is_nobody_s_prompt(write_lines, events) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}}
    path = write_lines(
        "rollout-1.jsonl",
        row("session_meta", **META | {"id": "helper", "source": spawned}),
        row("session_meta", **META),  # the head of its parent, as helpers with a copied history have it
        item("Count all files below this folder"),
        row("response_item", type="function_call", name="exec_command", call_id="c1", arguments='{"cmd": "ls"}'),
        row("response_item", type="function_call_output", call_id="c1", output="2"),
    )
    assert events(codex.read_events(path)) == []


def test_the_helper_of_a_real_session_left_nothing(events) -> None:
    paths = sorted((RECORDED / "codex").glob("transcript-*.jsonl"))
    helpers = [path for path in paths if '"source": {"subagent"' in path.read_text(encoding="utf-8").partition("\n")[0]]
    assert helpers
    for path in helpers:
        assert events(codex.read_events(path)) == []


def test_versions_without_user_events_are_read_by_their_items(write_lines, events) -> None:
    path = write_lines(
        "rollout-1.jsonl",
        row("session_meta", **META),
        item("# AGENTS.md instructions for /w/api\n\nuse tabs"),
        item("<environment_context><cwd>/w</cwd></environment_context>"),
        item("house rules", role="developer"),
        item("paint it"),
        item('say "user_message" twice'),
    )
    assert prompts(events(codex.read_events(path))) == ["paint it", 'say "user_message" twice']


def test_a_fork_repeats_the_keys_of_its_parent(write_lines, events) -> None:
    parent = write_lines("rollout-1.jsonl", row("session_meta", **META), said("one"), said("two"))
    fork_meta = META | {"id": "fork", "forked_from_id": SESSION}
    fork = write_lines(
        "rollout-2.jsonl", row("session_meta", **fork_meta), row("session_meta", **META), said("one"), said("three")
    )
    keys, fork_keys = ([e.key for e in events(codex.read_events(p)) if e.text] for p in (parent, fork))
    assert keys[0] == fork_keys[0]
    assert keys[1] != fork_keys[1]
    assert {e.session for e in events(codex.read_events(fork))} == {"fork"}


def test_the_same_words_twice_are_two_prompts(write_lines, events) -> None:
    path = write_lines("rollout-1.jsonl", row("session_meta", **META), said("go on"), said("go on"))
    assert len({e.key for e in events(codex.read_events(path)) if e.text}) == 2


def test_tool_outcomes(write_lines, events) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n+hi\n*** End Patch"
    shell = json.dumps({"command": ["bash", "-lc", "make test"]})
    path = write_lines(
        "rollout-1.jsonl",
        row("session_meta", **META),
        row("response_item", type="custom_tool_call", name="apply_patch", call_id="c1", input=patch),
        row("response_item", type="function_call", name="shell", call_id="c2", arguments=shell),
        row("response_item", type="custom_tool_call_output", call_id="c1", output='{"metadata":{"exit_code":0}}'),
        row("response_item", type="function_call_output", call_id="c2", output="Exit code: 2\nOutput: no"),
        row("event_msg", type="patch_apply_end", call_id="c3", success=False, changes={"/w/c.py": {}}),
        row("response_item", type="function_call", name="update_plan", call_id="c4", arguments="{}"),
    )
    tools = [e.payload for e in events(codex.read_events(path)) if e.kind is EventKind.TOOL]
    assert [(t["tool_name"], t["tool_input"]["command"], t["tool_response"]) for t in tools] == [
        ("apply_patch", "*** Begin Patch\n*** Update File: src/a.py\n*** Update File: b.md", {"exit_code": 0}),
        ("shell", "make test", {"exit_code": 2}),
        ("apply_patch", "*** Begin Patch\n*** Update File: /w/c.py", {"exit_code": 1}),
    ]


def test_a_packed_rollout_reads_like_the_plain_one(write_lines, events) -> None:
    plain = write_lines("a/rollout-1.jsonl", row("session_meta", **META), said("one"), said("two"))
    packed = plain.parent.parent / "b" / "rollout-1.jsonl.zst"
    packed.parent.mkdir()
    half = len(plain.read_bytes()) // 2
    frames = [zstandard.compress(part) for part in (plain.read_bytes()[:half], plain.read_bytes()[half:])]
    packed.write_bytes(b"".join(frames))
    read = [[(e.key, e.text) for e in events(codex.read_events(p))] for p in (plain, packed)]
    assert read[0] == read[1]
    assert codex.history_files(packed.parent.parent) == (plain, packed)
    (packed.parent / "rollout-1.jsonl").write_bytes(plain.read_bytes())
    assert codex.history_files(packed.parent) == (packed.with_suffix(""),)


def test_a_packed_bomb_and_a_torn_pack_are_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "rollout-1.jsonl.zst"
    bomb.write_bytes(zstandard.compress(b"\n" * (64 * 1024 * 1024), 19))
    with pytest.raises(ImportRefusedError, match="unpacks to far more"):
        list(codex.read_events(bomb))
    bomb.write_bytes(b"this is not packed at all")
    with pytest.raises(ImportRefusedError, match="not a whole Zstandard file"):
        list(codex.read_events(bomb))


def test_going_on_from_any_place_loses_nothing(write_lines, events) -> None:
    shell = json.dumps({"cmd": "make"})
    path = write_lines(
        "rollout-1.jsonl",
        row("session_meta", **META),
        said("one"),
        row("response_item", type="function_call", name="exec_command", call_id="c1", arguments=shell),
        said("two"),
        row("response_item", type="function_call_output", call_id="c1", output="ok"),
        said("three"),
    )
    items = list(codex.read_events(path))
    for number, read in enumerate(items):
        rest = {e.key for e in events(codex.read_events(path, start_offset=read.end_offset))}
        assert {e.key for e in events(iter(items[number + 1 :]))} <= rest
    assert prompts(events(codex.read_events(path, start_offset=items[-1].end_offset))) == []


def test_the_prompt_list_speaks_for_sessions_without_rollout_only(write_lines, events) -> None:
    write_lines(f"sessions/2026/08/20/rollout-2026-08-20T09-00-00-{SESSION}.jsonl", row("session_meta", **META))
    path = write_lines(
        "history.jsonl",
        {"session_id": SESSION, "ts": 1787216400, "text": "has a rollout"},
        {"session_id": "gone", "ts": 1787216400, "text": "has none"},
    )
    assert [(e.session, e.text) for e in events(codex.read_events(path))] == [("gone", "has none")]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_nothing_in_a_file_stops_the_reader(tmp_path: Path, data: st.DataObject) -> None:
    odd = st.one_of(st.none(), st.text(max_size=5), st.integers(), st.just([]), st.just({}), st.just({"type": []}))
    names = (
        "type",
        "role",
        "name",
        "call_id",
        "id",
        "arguments",
        "input",
        "output",
        "content",
        "message",
        "git",
        "changes",
    )
    kinds = ["session_meta", "event_msg", "response_item", "turn_context", "compacted", [], None]
    inner = ["message", "user_message", "function_call", "function_call_output", "patch_apply_end"]
    payload = st.dictionaries(st.sampled_from(names), st.one_of(st.sampled_from(inner), odd), max_size=6)
    rows = st.fixed_dictionaries({"type": st.sampled_from(kinds), "timestamp": odd, "payload": st.one_of(payload, odd)})
    path = tmp_path / "rollout-1.jsonl"
    lines = [row("session_meta", **META), *data.draw(st.lists(rows, max_size=8))]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    offsets = [read.end_offset for read in codex.read_events(path)]
    assert offsets == sorted(offsets)
