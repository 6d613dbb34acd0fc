"""The feature flag of Codex: one flag changes, not one byte more, and it goes back to what it was."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from app.assistants.connecting import (
    ConnectContext,
    ConnectRefusedError,
    apply_plan,
    preview_connect,
    preview_disconnect,
)
from app.connect.toml_text import read_flag, with_flag, without_flag
from app.errors import StaleError

PATH = Path("config.toml")
TRUST = '\n[hooks.state."x"]\ntrusted_hash = "abc"\n'
TABLES = [
    "",
    'model = "x"',
    'model = "x"\r\n\r\n[tui]\r\nbell = true\r\n',
    "[features]\nweb = true # on\n\n[tui]\nbell = 1\n",
    "[features]",
    "[ features ] # mine\nweb = true",
    "[features]\nweb = true\n\n# about hooks\nhooks = false # not yet\n[tui]\n",
    "features.web = true\n[tui]\nbell = 1\n",
    "features.hooks = false\n",
    'features = { web = true }\n[tui]\nx = "[features]"\n',
    "features = {}\n",
    'note = """\n[features]\nhooks = false\n"""\n[features]\nweb = true\n',
    "[tui]\nhooks = false\n[features]\nweb = true\n",
    "[[list]]\na = 1\n[features.deep]\nb = 2\n",
]


@pytest.mark.parametrize("text", TABLES)
def test_one_flag_changes_and_goes_back(text: str) -> None:
    before = text.encode()
    after = with_flag(PATH, before, "features", "hooks")
    expected = tomllib.loads(text)
    expected.setdefault("features", {})["hooks"] = True
    assert tomllib.loads(after.decode()) == expected
    assert {line for line in text.splitlines() if "hooks = false" not in line and "features = " not in line} <= set(
        after.decode().splitlines()
    )
    assert with_flag(PATH, after, "features", "hooks") == after
    later = after + b"\n[later]\nadded = true\n"
    left = without_flag(PATH, later, before, "features", "hooks")
    kept = expected if "features = {" in text else tomllib.loads(text)  # an inline table is left as it is
    assert tomllib.loads(left.decode()) == kept | {"later": {"added": True}}


def test_a_flag_that_is_on_stays_as_it_is() -> None:
    content = b"[features]\n  hooks   =   true\n"
    assert with_flag(PATH, content, "features", "hooks") == content
    assert without_flag(PATH, content, content, "features", "hooks") == content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a = \n", "not valid TOML: line 1"),
        (b"a = 1\nb = 2\nb = 3\n", "not valid TOML: line 3"),
        (b"a = 1\nb = '\xff'\n", "not valid UTF-8: line 2"),
        (b"[features]\nhooks = 'yes'\n", "cannot be changed safely"),
        (b"features = 3\n", "cannot be changed safely"),
        (b"[[features]]\na = 1\n", "cannot be changed safely"),
    ],
)
def test_what_cannot_be_changed_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ConnectRefusedError, match=sentence):
        with_flag(PATH, content, "features", "hooks")


@pytest.mark.parametrize("text", TABLES)
def test_codex_comes_in_and_goes_out_to_the_byte(ctx: ConnectContext, text: str) -> None:
    path = ctx.home / ".codex" / "config.toml"
    path.write_bytes(text.encode())
    plan = preview_connect("codex", ctx)
    assert [edit.path.name for edit in plan.edits] == ["hooks.json", "config.toml"]
    assert "Trust all and continue" in plan.notes[0]
    apply_plan(plan, ctx)
    assert read_flag(path, path.read_bytes(), "features", "hooks") is True
    assert preview_connect("codex", ctx).edits == ()
    apply_plan(preview_disconnect("codex", ctx), ctx)
    assert path.read_bytes() == text.encode()
    assert not (path.parent / "hooks.json").exists()


def test_the_trust_that_codex_wrote_stays(ctx: ConnectContext) -> None:
    path = ctx.home / ".codex" / "config.toml"
    path.write_text('model = "x"\n')
    apply_plan(preview_connect("codex", ctx), ctx)
    path.write_text(path.read_text() + TRUST)
    apply_plan(preview_disconnect("codex", ctx), ctx)
    assert path.read_text() == 'model = "x"\n' + TRUST


def test_the_flag_stays_on_while_hooks_of_others_need_it(ctx: ConnectContext) -> None:
    hooks, config = (ctx.home / ".codex" / name for name in ("hooks.json", "config.toml"))
    apply_plan(preview_connect("codex", ctx), ctx)
    value = json.loads(hooks.read_bytes())
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    hooks.write_text(json.dumps(value))
    config.write_text(config.read_text() + TRUST)
    apply_plan(preview_disconnect("codex", ctx), ctx)
    assert json.loads(hooks.read_bytes()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}
    }
    assert tomllib.loads(config.read_text())["features"] == {"hooks": True}


def test_without_our_memory_of_it_the_flag_stays(ctx: ConnectContext) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    apply_plan(preview_disconnect("codex", replace(ctx, state_dir=ctx.home / "another")), ctx)
    assert (ctx.home / ".codex" / "config.toml").read_bytes() == b"[features]\nhooks = true\n"


def test_one_file_that_changed_since_stops_the_whole_plan(ctx: ConnectContext) -> None:
    path = ctx.home / ".codex" / "config.toml"
    plan = preview_connect("codex", ctx)
    path.write_text(TRUST)
    with pytest.raises(StaleError):
        apply_plan(plan, ctx)
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]
    assert path.read_text() == TRUST
