"""Our MCP server in the configurations of Claude Code and Codex: one entry comes in, and goes to the byte."""

import json
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.assistants.connecting import (
    ConnectContext,
    ConnectRefusedError,
    apply_plan,
    find_all,
    preview_connect,
    preview_disconnect,
)

NewContext = Callable[[], AbstractContextManager[ConnectContext]]
ARGS = ["-P", "/opt/our app/app/cli/remanence_cli.py", "mcp"]
CLAUDE = {"type": "stdio", "command": "/opt/py/bin/python", "args": [*ARGS, "claude-code"], "env": {}}
CODEX = {"command": "/opt/py/bin/python", "args": [*ARGS, "codex"]}
CONFIGS = [
    "",
    'model = "x"',
    "# only a comment\n",
    'model = "x"\r\n\r\n[tui]\r\nbell = true\r\n',
    '[mcp_servers.docs]\ncommand = "docs"\nargs = [\n  "a",\n  "[x]",\n]\n\n[mcp_servers.docs.env]\nA = "1"\n',
    "[mcp_servers]\n",
    '[features]\nweb = true # on\n\n# about the rest\n[tui]\nnote = """\n[mcp_servers.remanence]\n"""\n',
    'mcp_servers.docs.command = "docs"\n',
    "[[list]]\na = 1\n\n\n",
]


def connect(name: str, ctx: ConnectContext) -> None:
    apply_plan(preview_connect(name, ctx), ctx)


def disconnect(name: str, ctx: ConnectContext) -> None:
    apply_plan(preview_disconnect(name, ctx), ctx)


def servers_of(path: Path) -> Any:
    return json.loads(path.read_bytes().decode("utf-8-sig"))["mcpServers"]


OTHER_SERVERS = st.dictionaries(
    st.sampled_from(["docs", "browser", 'a "name"']),
    st.fixed_dictionaries(
        {"command": st.text(max_size=9)}, optional={"args": st.lists(st.text(max_size=4), max_size=2)}
    ),
    max_size=2,
)
CLAUDE_JSON = st.fixed_dictionaries(
    {"numStartups": st.integers(0, 99)},
    optional={
        "mcpServers": OTHER_SERVERS,
        "projects": st.just({"/w/app": {"mcpServers": {"remanence": {"command": "theirs"}}, "history": ["[{"]}}),
        "oauthAccount": st.fixed_dictionaries({"name": st.text(max_size=6)}),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=CLAUDE_JSON, indent=st.sampled_from([None, 2, "\t"]), end=st.sampled_from(["", "\n", "\r\n"]))
def test_one_server_comes_in_and_goes_to_the_byte(
    new_context: NewContext, value: dict[str, Any], indent: int | str | None, end: str
) -> None:
    with new_context() as ctx:
        path = ctx.home / ".claude.json"
        before = (json.dumps(value, indent=indent, ensure_ascii=False) + end).encode()
        path.write_bytes(before)
        connect("claude-code", ctx)
        now = json.loads(path.read_bytes())
        assert now["mcpServers"].pop("remanence") == CLAUDE
        assert now == {"mcpServers": {}} | value
        assert preview_connect("claude-code", ctx).edits == ()
        disconnect("claude-code", ctx)
        assert path.read_bytes() == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=CLAUDE_JSON)
def test_what_claude_code_writes_meanwhile_stays(new_context: NewContext, value: dict[str, Any]) -> None:
    with new_context() as ctx:
        path = ctx.home / ".claude.json"
        path.write_text(json.dumps(value))
        connect("claude-code", ctx)
        kept = json.loads(path.read_bytes()) | {"numStartups": 100, "tips": {"seen": True}}
        path.write_text(json.dumps(kept, indent=2))
        disconnect("claude-code", ctx)
        assert json.loads(path.read_bytes()) == value | {"numStartups": 100, "tips": {"seen": True}}


@pytest.mark.parametrize("text", CONFIGS)
def test_one_table_comes_in_and_goes_to_the_byte(ctx: ConnectContext, text: str) -> None:
    path = ctx.home / ".codex" / "config.toml"
    path.write_bytes(text.encode())
    connect("codex", ctx)
    now = tomllib.loads(path.read_bytes().decode())
    assert now["mcp_servers"].pop("remanence") == CODEX
    assert now["features"].pop("hooks") is True
    expected = tomllib.loads(text)
    assert now == {"features": {}, "mcp_servers": {}} | expected
    assert preview_connect("codex", ctx).edits == ()
    disconnect("codex", ctx)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("later", ["\n[later]\nadded = true\n", "\n# theirs\n[[later]]\nadded = true\n"])
@pytest.mark.parametrize("text", CONFIGS)
def test_tables_that_came_after_ours_stay(ctx: ConnectContext, text: str, later: str) -> None:
    path = ctx.home / ".codex" / "config.toml"
    path.write_bytes(text.encode())
    connect("codex", ctx)
    path.write_bytes(path.read_bytes() + later.encode())
    disconnect("codex", ctx)
    left = path.read_bytes().decode()
    assert left.endswith(later)
    assert tomllib.loads(left) == tomllib.loads(text) | tomllib.loads(later)


def test_what_codex_added_below_our_server_goes_with_it(ctx: ConnectContext) -> None:
    path = ctx.home / ".codex" / "config.toml"
    connect("codex", ctx)
    path.write_text(path.read_text() + '[mcp_servers.remanence.tools.recall]\napproval = "auto"\n\n[tui]\nbell = 1\n')
    disconnect("codex", ctx)
    assert tomllib.loads(path.read_text()) == {"tui": {"bell": 1}}


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("claude-code", ".claude.json", b'{"mcpServers": {"remanence": {"command": "theirs"}}}'),
        ("codex", ".codex/config.toml", b'[mcp_servers.remanence]\ncommand = "theirs"\n'),
    ],
)
def test_a_server_of_our_name_that_is_not_ours_is_left_alone(
    ctx: ConnectContext, name: str, file: str, content: bytes
) -> None:
    path = ctx.home / file
    path.write_bytes(content)
    with pytest.raises(ConnectRefusedError, match="not ours"):
        preview_connect(name, ctx)
    assert all(edit.path != path for edit in preview_disconnect(name, ctx).edits)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "file", "content", "sentence"),
    [
        ("claude-code", ".claude.json", b'{"mcpServers": []}', "shape of a list of servers"),
        ("claude-code", ".claude.json", b'{"a": 1,}', "not valid JSON: line 1"),
        ("codex", ".codex/config.toml", b"mcp_servers = { docs = { command = 'x' } }\n", "no further server"),
        ("codex", ".codex/config.toml", b"mcp_servers = 3\n", "no further server"),
    ],
)
def test_a_file_of_another_shape_is_refused_and_nothing_is_written(
    ctx: ConnectContext, name: str, file: str, content: bytes, sentence: str
) -> None:
    path = ctx.home / file
    path.write_bytes(content)
    with pytest.raises(ConnectRefusedError, match=sentence) as refused:
        preview_connect(name, ctx)
    assert str(path) in str(refused.value)
    assert path.read_bytes() == content
    assert not (ctx.home / ".codex" / "hooks.json").exists()
    assert not (ctx.home / ".claude" / "settings.json").exists()


def test_a_moved_installation_replaces_its_old_server(ctx: ConnectContext) -> None:
    moved = replace(ctx, python=Path("/new/python"), env={"REMANENCE_HOME": "/data/our memory"})
    for name in ("claude-code", "codex"):
        connect(name, ctx)
        connect(name, moved)
    entry = servers_of(ctx.home / ".claude.json")["remanence"]
    assert entry["command"] == "/new/python"
    assert entry["args"][-4:] == ["mcp", "--home", "/data/our memory", "claude-code"]
    config = tomllib.loads((ctx.home / ".codex" / "config.toml").read_text())
    assert config["mcp_servers"] == {
        "remanence": {"command": "/new/python", "args": [*ARGS, "--home", "/data/our memory", "codex"]}
    }
    for name in ("claude-code", "codex"):
        disconnect(name, moved)
    assert not (ctx.home / ".claude.json").exists()
    assert not (ctx.home / ".codex" / "config.toml").exists()


def test_a_chosen_folder_of_claude_code_holds_the_servers_too(ctx: ConnectContext, tmp_path: Path) -> None:
    chosen = replace(ctx, env={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    connect("claude-code", chosen)
    assert servers_of(tmp_path / ".claude.json") == {"remanence": CLAUDE}
    assert not (ctx.home / ".claude.json").exists()


def test_hooks_alone_are_not_connected_any_more(ctx: ConnectContext) -> None:
    connect("claude-code", ctx)
    (ctx.home / ".claude.json").unlink()
    assert not find_all(ctx)[0].is_connected
    assert [edit.path.name for edit in preview_connect("claude-code", ctx).edits] == [".claude.json"]
