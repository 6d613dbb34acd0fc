"""Connecting and disconnecting: nothing of the person's is lost, and what we put in goes to the byte."""

import errno
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import app
from app.assistants import connecting
from app.assistants.connecting import (
    ConnectContext,
    ConnectRefusedError,
    apply_plan,
    connectors,
    find_all,
    preview_connect,
    preview_disconnect,
    refresh_launcher,
)
from app.connect import base, file_connector, files
from app.errors import DiskProblem, NotFoundError, StaleError

NewContext = Callable[[], AbstractContextManager[ConnectContext]]
HOOKS_PATHS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}


def connect(name: str, ctx: ConnectContext) -> None:
    apply_plan(preview_connect(name, ctx), ctx)


def disconnect(name: str, ctx: ConnectContext) -> None:
    apply_plan(preview_disconnect(name, ctx), ctx)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below, our own state left out."""
    found = {p: p.relative_to(folder).as_posix() for p in folder.rglob("*")}
    return {n: p.read_bytes() if p.is_file() else None for p, n in found.items() if not n.startswith(".local")}


def commands(path: Path) -> list[str]:
    hooks = json.loads(path.read_bytes().decode("utf-8-sig"))["hooks"]
    return [handler["command"] for groups in hooks.values() for group in groups for handler in group["hooks"]]


FOREIGN_GROUP = st.fixed_dictionaries(
    {
        "hooks": st.lists(
            st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=9)}), max_size=2
        )
    },
    optional={"matcher": st.sampled_from(["Bash", "*", "Edit|Write"])},
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["opus", 'a {brace} and a "quote" [x], é']),
        "permissions": st.fixed_dictionaries({"allow": st.lists(st.text(max_size=5), max_size=2)}),
        "empty": st.just({}),
        "hooks": st.dictionaries(
            st.sampled_from(["Stop", "SessionStart", "PreToolUse", "PostToolUse"]),
            st.lists(FOREIGN_GROUP, max_size=2),
            max_size=3,
        ),
    },
)


@st.composite
def laid_out(draw: st.DrawFn) -> bytes:
    """Settings as one file or another may have them: indent, separators, line ends, byte order mark, blanks."""
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
    text = json.dumps(draw(SETTINGS), indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\n", " "])) + text + draw(st.sampled_from(["", "\n", "\n\n", " \n"]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.replace("\n", newline).encode("utf-8")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(laid_out(), st.sampled_from([None, b"", b" \n", b"{}", b"{ }\n"])),
    name=st.sampled_from(list(HOOKS_PATHS)),
)
def test_out_is_to_the_byte(new_context: NewContext, content: bytes | None, name: str) -> None:
    with new_context() as ctx:
        path = ctx.home / HOOKS_PATHS[name]
        if content is not None:
            path.write_bytes(content)
        before = tree(ctx.home)
        foreign = json.loads(content.decode("utf-8-sig")) if content is not None and content.strip() else {}
        connect(name, ctx)
        now = json.loads(path.read_bytes().decode("utf-8-sig"))
        for event, groups in foreign.get("hooks", {}).items():
            assert now["hooks"][event][: len(groups)] == groups
        assert {key: value for key, value in now.items() if key != "hooks"} == {
            key: value for key, value in foreign.items() if key != "hooks"
        }
        assert preview_connect(name, ctx).edits == ()
        disconnect(name, ctx)
        assert tree(ctx.home) == before
        assert not (ctx.state_dir / "connect" / name).exists()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=laid_out())
def test_edits_of_others_in_between_stay(new_context: NewContext, content: bytes) -> None:
    with new_context() as ctx:
        path = ctx.home / HOOKS_PATHS["claude-code"]
        path.write_bytes(content)
        connect("claude-code", ctx)
        value = json.loads(path.read_bytes().decode("utf-8-sig"))
        theirs = {"hooks": [{"type": "command", "command": "their new one"}]}
        value["hooks"]["Stop"].append(theirs)
        value["theme"] = "dark"
        path.write_text(json.dumps(value, indent=3), encoding="utf-8")
        assert preview_connect("claude-code", ctx).edits == ()
        disconnect("claude-code", ctx)
        left = json.loads(path.read_bytes())
        expected = json.loads(content.decode("utf-8-sig"))
        expected["theme"] = "dark"
        hooks = {event: groups for event, groups in expected.get("hooks", {}).items() if groups}
        expected["hooks"] = hooks | {"Stop": [*hooks.get("Stop", []), theirs]}
        left["hooks"] = {event: groups for event, groups in left["hooks"].items() if groups}
        assert left == expected


def test_what_is_written_runs_our_hook_for_each_event(ctx: ConnectContext) -> None:
    connect("claude-code", ctx)
    path = ctx.home / HOOKS_PATHS["claude-code"]
    words = [shlex.split(command) for command in commands(path)]
    assert all(w[:-1] == [str(ctx.state_dir / "remanence-hook"), "claude-code"] for w in words)
    assert [w[-1] for w in words] == ["start", "prompt", "tool", "tool", "stop", "compact", "compact", "end"]
    hooks = json.loads(path.read_bytes())["hooks"]
    assert hooks["PostToolUse"][0]["matcher"].startswith("Edit|Write|MultiEdit|NotebookEdit|Bash|TodoWrite|")
    (failed,), (used,) = hooks["PostToolUseFailure"], hooks["PostToolUse"]
    assert f"{failed['matcher']}|Read" == used["matcher"], "what failed comes by an event of its own"
    assert used["hooks"][0].pop("async") is True
    assert failed["hooks"] == used["hooks"], "and is waited for: the known fix goes back the same way"
    assert all(group["hooks"][0]["timeout"] <= 5 for groups in hooks.values() for group in groups)


@pytest.mark.parametrize("python", ["/opt/py bin/python", f"/opt/{'deep/' * 30}python"], ids=["a space", "too long"])
def test_where_no_first_line_can_name_the_interpreter_the_command_is_long(ctx: ConnectContext, python: str) -> None:
    connect("codex", replace(ctx, python=Path(python), env={"REMANENCE_HOME": "/data/our memory"}))
    words = [shlex.split(command) for command in commands(ctx.home / HOOKS_PATHS["codex"])]
    script = "/opt/our app/app/hook/remanence_hook.py"
    assert words[0] == [python, "-I", "-S", "-E", script, "--home", "/data/our memory", "codex", "start"]
    assert [w[-1] for w in words] == ["start", "prompt", "tool", "compact", "stop"]
    assert not (ctx.state_dir / "remanence-hook").exists()


def test_a_home_of_ours_that_was_moved_is_named_in_the_launcher(ctx: ConnectContext, tmp_path: Path) -> None:
    connect("codex", replace(ctx, state_dir=tmp_path / "our memory" / "state"))
    text = (tmp_path / "our memory" / "state" / "remanence-hook").read_text()
    assert f'sys.argv[1:1] = ["--home", {str(tmp_path / "our memory")!r}]' in text
    connect("codex", ctx)
    assert "--home" not in (ctx.state_dir / "remanence-hook").read_text()


@pytest.mark.parametrize("name", HOOKS_PATHS)
def test_entries_of_earlier_count_and_are_replaced_by_connecting_again(
    ctx: ConnectContext, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = ctx.home / HOOKS_PATHS[name]
    path.write_text('{"a": 1}\n')
    with monkeypatch.context() as earlier:
        for module in (base, connecting, file_connector):
            earlier.setattr(module, "can_launch", lambda _ctx: False)
        connect(name, ctx)
    assert "remanence_hook.py" in commands(path)[0]
    assert {one.name: one.is_connected for one in find_all(ctx)}[name]
    connect(name, ctx)
    assert all("remanence_hook.py" not in command for command in commands(path))
    assert {one.name: one.is_connected for one in find_all(ctx)}[name]
    assert preview_connect(name, ctx).edits == ()
    disconnect(name, ctx)
    assert path.read_text() == '{"a": 1}\n'


def test_without_its_launcher_an_assistant_is_not_connected_and_connecting_brings_it_back(ctx: ConnectContext) -> None:
    connect("claude-code", ctx)
    launcher = ctx.state_dir / "remanence-hook"
    launcher.unlink()
    assert not find_all(ctx)[0].is_connected
    connect("claude-code", ctx)
    assert find_all(ctx)[0].is_connected
    assert launcher.stat().st_mode & 0o777 == 0o700


def test_a_program_that_is_only_called_alike_is_left_alone(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    theirs = {"type": "command", "command": "/opt/x/remanence-hook-of-mine.sh stop"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [theirs]}]}}))
    connect("claude-code", ctx)
    assert theirs["command"] in commands(path)
    disconnect("claude-code", ctx)
    assert commands(path) == [theirs["command"]]


def test_the_configuration_stays_as_it_is_when_we_are_moved(ctx: ConnectContext) -> None:
    connect("claude-code", ctx)
    before = tree(ctx.home)
    moved = replace(ctx, python=Path("/new/python"))
    refresh_launcher(moved)
    assert (ctx.state_dir / "remanence-hook").read_text().startswith("#!/new/python -ISE\n")
    assert find_all(moved)[0].is_connected is False, "the memory tools name the interpreter themselves"
    assert tree(ctx.home) == before


def test_the_preview_writes_nothing_and_shows_every_line(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text('{\n  "model": "opus"\n}\n')
    before = tree(ctx.home)
    plan = preview_connect("claude-code", ctx)
    assert tree(ctx.home) == before
    added = [line[1:] for line in plan.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    removed = [line[1:] for line in plan.diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert removed == ['  "model": "opus"']
    apply_plan(plan, ctx)
    servers = (ctx.home / ".claude.json").read_text()
    assert {*path.read_text().splitlines(), *servers.splitlines()} == {"{", "}", *added}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{\n  "model": "opus",\n}', "line 3, a comma that nothing follows"),
        (b'{\n  // a comment\n  "a": 1}', "line 2, a comment, which JSON does not have"),
        (b'{"a": 1', "line 1"),
        (b'{"a": "\xff"}', "not valid UTF-8: line 1"),
        (b"[]", "shape of a hooks file"),
        (b'{"hooks": []}', "shape of a hooks file"),
        (b'{"hooks": {"Stop": {}}}', "shape of a hooks file"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
@pytest.mark.parametrize("name", list(HOOKS_PATHS))
def test_a_broken_file_is_refused_by_name_and_line_and_left_alone(
    ctx: ConnectContext, name: str, content: bytes, sentence: str
) -> None:
    path = ctx.home / HOOKS_PATHS[name]
    path.write_bytes(content)
    before = tree(ctx.home)
    with pytest.raises(ConnectRefusedError, match=sentence) as refused:
        preview_connect(name, ctx)
    assert str(path) in str(refused.value)
    assert tree(ctx.home) == before
    (found,) = (f for f in find_all(ctx) if f.name == name)
    assert not found.is_connected
    assert sentence in found.problem


def test_a_change_after_the_preview_is_not_overwritten(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text("{}")
    plan = preview_connect("claude-code", ctx)
    path.write_text('{"theme": "dark"}')
    with pytest.raises(StaleError, match="changed by another program"):
        apply_plan(plan, ctx)
    assert path.read_text() == '{"theme": "dark"}'
    connect("claude-code", ctx)
    disconnect("claude-code", ctx)
    assert path.read_text() == '{"theme": "dark"}'


def test_a_moved_installation_replaces_its_old_entries(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text('{"a": 1}\n')
    connect("claude-code", ctx)
    moved = replace(ctx, python=Path("/new/python"))
    connect("claude-code", moved)
    assert len(commands(path)) == 8
    assert (ctx.state_dir / "remanence-hook").read_text().startswith("#!/new/python -ISE\n")
    disconnect("claude-code", moved)
    assert path.read_text() == '{"a": 1}\n'


def test_without_our_memory_of_it_only_our_entries_go(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text(
        '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "x"}]}\n    ]\n  }\n}\n'
    )
    before = path.read_bytes()
    connect("claude-code", ctx)
    disconnect("claude-code", replace(ctx, state_dir=ctx.home / "another"))
    assert path.read_bytes() == before


def test_a_handler_of_ours_in_a_foreign_group_goes_alone(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    connect("claude-code", ctx)
    value = json.loads(path.read_bytes())
    value["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "theirs"})
    path.write_text(json.dumps(value))
    disconnect("claude-code", ctx)
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}


def test_mode_and_link_of_a_file_are_kept(ctx: ConnectContext) -> None:
    real = ctx.home / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.symlink_to(real)
    connect("claude-code", ctx)
    assert path.is_symlink()
    assert len(commands(real)) == 8
    assert real.stat().st_mode & 0o777 == 0o640
    disconnect("claude-code", ctx)
    assert real.read_text() == "{}"
    assert sorted(p.name for p in real.parent.iterdir()) == ["settings.json"]


@pytest.mark.parametrize("name", list(HOOKS_PATHS))
def test_a_write_protected_file_is_refused_with_what_to_do(ctx: ConnectContext, name: str) -> None:
    path = ctx.home / HOOKS_PATHS[name]
    path.write_text("{}")
    path.chmod(0o444)
    before = tree(ctx.home)
    with pytest.raises(ConnectRefusedError, match="write-protected") as refused:
        preview_connect(name, ctx)
    assert "chmod u+w" in refused.value.hint
    assert tree(ctx.home) == before
    path.chmod(0o644)
    connect(name, ctx)
    path.chmod(0o444)
    with pytest.raises(ConnectRefusedError, match="write-protected"):
        disconnect(name, ctx)
    path.chmod(0o644)
    disconnect(name, ctx)
    assert path.read_text() == "{}"


def test_links_to_what_is_no_file_are_refused(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    os.mkfifo(ctx.home / "pipe")
    for target, why in (
        (ctx.home / "nowhere", "does not exist"),
        (ctx.home / "pipe", "not a regular file"),
        (path, "cannot be followed"),
    ):
        path.symlink_to(target)
        with pytest.raises(ConnectRefusedError, match=why):
            preview_connect("claude-code", ctx)
        path.unlink()


def test_a_new_file_and_what_we_keep_are_private(ctx: ConnectContext) -> None:
    connect("claude-code", ctx)
    assert (ctx.home / HOOKS_PATHS["claude-code"]).stat().st_mode & 0o777 == 0o600
    kept = [ctx.state_dir, *ctx.state_dir.rglob("*")]
    assert {p.stat().st_mode & 0o777 for p in kept if p.is_dir()} == {0o700}
    modes = {p.name: p.stat().st_mode & 0o777 for p in kept if p.is_file()}
    assert modes.pop("remanence-hook") == 0o700
    assert set(modes.values()) == {0o600}


def test_an_assistant_is_found_by_its_folder_its_variable_or_its_program(ctx: ConnectContext, tmp_path: Path) -> None:
    assert [found.name for found in find_all(ctx)] == ["claude-code", "codex"]
    bare = replace(ctx, home=tmp_path / "nobody")
    assert find_all(bare) == ()
    with pytest.raises(NotFoundError, match="Claude Code was not found"):
        preview_connect("claude-code", bare)
    other = replace(bare, env={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    assert [found.config_dir for found in find_all(other)] == [tmp_path]
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    on_path = replace(bare, env={"PATH": str(program.parent)})
    connect("claude-code", on_path)
    assert find_all(on_path)[0].is_connected
    disconnect("claude-code", on_path)
    assert not (tmp_path / "nobody" / ".claude").exists()


def test_an_unknown_assistant_is_named_with_the_known_ones(ctx: ConnectContext) -> None:
    with pytest.raises(NotFoundError) as refused:
        preview_connect("telegraph", ctx)
    assert refused.value.hint == f"Choose one of: {', '.join(one.name for one in connectors())}."
    assert [one.title for one in connectors()][:2] == ["Claude Code", "Codex"]


def test_disconnecting_what_was_never_connected_changes_nothing(ctx: ConnectContext) -> None:
    settings: dict[str, Any] = {"hooks": {"Stop": []}}
    (ctx.home / HOOKS_PATHS["claude-code"]).write_text(json.dumps(settings))
    for name in HOOKS_PATHS:
        assert preview_disconnect(name, ctx).edits == ()


def test_a_switch_that_stops_all_hooks_is_told(ctx: ConnectContext) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in preview_connect("claude-code", ctx).notes[-1]
    connect("claude-code", ctx)
    found = find_all(ctx)[0]
    assert found.is_connected
    assert found.problem.startswith("Claude Code runs no hooks now")


def test_when_our_memory_cannot_be_kept_nothing_is_written(ctx: ConnectContext) -> None:
    ctx.state_dir.parent.mkdir(parents=True)
    ctx.state_dir.write_text("a file where the folder should be")
    before = tree(ctx.home)
    with pytest.raises(DiskProblem, match="cannot be written"):
        connect("claude-code", ctx)
    assert tree(ctx.home) == before


@pytest.mark.parametrize("stage", ["before the file", "after the file"])
def test_a_crash_while_connecting_can_be_undone(ctx: ConnectContext, stage: str) -> None:
    path = ctx.home / HOOKS_PATHS["claude-code"]
    path.write_text('{ "a":1 }')
    connect("claude-code", ctx)
    if stage == "before the file":  # our memory was kept, the file not yet written
        path.write_text('{ "a":1 }')
    disconnect("claude-code", ctx)
    assert path.read_text() == '{ "a":1 }'


def test_what_is_written_can_be_run_by_a_shell(ctx: ConnectContext) -> None:
    source = Path(app.__file__).parent / "hook"
    script = ctx.home / "it's a path" / "remanence_hook.py"
    shutil.copytree(source, script.parent, ignore=shutil.ignore_patterns("__pycache__"))
    own = replace(ctx, python=Path(sys.executable), hook_script=script)
    connect("claude-code", own)
    env = {"PATH": os.defpath, "HOME": str(ctx.home), "REMANENCE_HOME": str(ctx.home / "ours")}
    for command in commands(ctx.home / HOOKS_PATHS["claude-code"]):
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=b'{"prompt": "hi"}', env=env, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), command


@pytest.mark.parametrize("failing_write", range(1, 6))
@pytest.mark.parametrize("is_tried_again", [True, False])
def test_a_disk_that_fails_at_any_write_costs_nothing(
    ctx: ConnectContext, monkeypatch: pytest.MonkeyPatch, failing_write: int, *, is_tried_again: bool
) -> None:
    (ctx.home / ".codex/hooks.json").write_text('{"hooks":{"Stop":[{"hooks":[]}]}}')
    (ctx.home / ".codex/config.toml").write_text("[features]\nhooks = false # no\n")
    before = tree(ctx.home)
    count = 0

    def replace_once_less(target: Path, content: bytes) -> None:
        nonlocal count
        count += 1
        if count == failing_write:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(target, content)

    real = files._replace
    monkeypatch.setattr(files, "_replace", replace_once_less)
    with pytest.raises(DiskProblem, match="No space left"):
        connect("codex", ctx)
    if is_tried_again:
        connect("codex", ctx)
        assert preview_connect("codex", ctx).edits == ()
    disconnect("codex", ctx)
    assert tree(ctx.home) == before
