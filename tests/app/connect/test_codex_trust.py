"""What Codex leaves out until the person trusts it is told, with what to press; the hashes are those of Codex 0.169.0 itself."""

import json
from pathlib import Path

import pytest

from app.assistants.codex.connect import hook_hash
from app.assistants.connecting import (
    ConnectContext,
    FoundAssistant,
    apply_plan,
    find_all,
    preview_connect,
    preview_disconnect,
)

SAID_BY_CODEX = {  # `codex app-server`, method `hooks/list`, for these two entries
    "user_prompt_submit": "sha256:87d70c0444a9655776d99014b4f3761e8a8d3f15b86dea91be98ebda6d921124",
    "post_tool_use": "sha256:dfa64f6dd669e4a71b4041291fa752eefddeefa98855d3c997099fc186b61116",
}


def codex(ctx: ConnectContext) -> FoundAssistant:
    return next(one for one in find_all(ctx) if one.name == "codex")


def trust(ctx: ConnectContext, *, but: str = "", enabled: bool = True) -> None:
    """Writes what Codex writes when the person chooses “Trust all and continue”."""
    path = ctx.home / ".codex" / "hooks.json"
    lines = [(ctx.home / ".codex" / "config.toml").read_text(), "[hooks.state]"]
    for event, groups in json.loads(path.read_text())["hooks"].items():
        snake = "".join(f"_{mark.lower()}" if mark.isupper() else mark for mark in event).strip("_")
        for index, group in enumerate(groups):
            if event != but:
                lines += [
                    f"[hooks.state.{json.dumps(f'{path}:{snake}:{index}:0')}]",
                    f"enabled = {json.dumps(enabled)}",
                ]
                lines += [f'trusted_hash = "{hook_hash(event, group, group["hooks"][0])}"']
    (ctx.home / ".codex" / "config.toml").write_text("\n".join(lines) + "\n")


def test_the_hash_is_the_one_that_codex_says() -> None:
    prompt = {"type": "command", "command": "/opt/x/remanence-hook codex prompt", "timeout": 5}
    assert hook_hash("UserPromptSubmit", {"hooks": [prompt]}, prompt) == SAID_BY_CODEX["user_prompt_submit"]
    tool = {"type": "command", "command": "/opt/x/remanence-hook codex tool", "timeout": 5}
    group = {"matcher": "Bash|apply_patch", "hooks": [tool]}
    assert hook_hash("PostToolUse", group, tool) == SAID_BY_CODEX["post_tool_use"]


def test_a_connection_that_codex_was_not_told_to_trust_says_what_to_press(ctx: ConnectContext) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    found = codex(ctx)
    assert found.is_connected
    assert "leaves out our hooks, because you have not trusted them" in found.waiting
    assert "start codex and choose “Trust all and continue”" in found.waiting
    trust(ctx)
    assert codex(ctx).waiting == ""


def test_another_trusted_at_another_place_is_no_trust_of_ours(ctx: ConnectContext) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    trust(ctx)
    path = ctx.home / ".codex" / "hooks.json"
    hooks = json.loads(path.read_text())
    hooks["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "theirs"}]})
    path.write_text(json.dumps(hooks))
    assert "1 of our 5 hooks (Stop)" in codex(ctx).waiting


@pytest.mark.parametrize(
    ("but", "enabled", "said"), [("Stop", True, "1 of our 5 hooks (Stop)"), ("", False, "our hooks")]
)
def test_what_was_left_out_or_switched_off_is_named(ctx: ConnectContext, but: str, enabled: bool, said: str) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    trust(ctx, but=but, enabled=enabled)
    assert said in codex(ctx).waiting


def test_an_entry_that_changed_since_has_to_be_trusted_anew(ctx: ConnectContext) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    trust(ctx)
    path = ctx.home / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 6', 1))
    assert "codex" in {one.name for one in find_all(ctx)}
    assert not codex(ctx).is_connected
    apply_plan(preview_connect("codex", ctx), ctx)
    assert codex(ctx).waiting == "", "as it was when it was trusted"


@pytest.mark.parametrize("state", ["hooks = 1\n", "[hooks]\nstate = 1\n", '[hooks.state]\n"x" = 1\n'])
def test_a_trust_that_cannot_be_read_is_none(ctx: ConnectContext, state: str) -> None:
    apply_plan(preview_connect("codex", ctx), ctx)
    config = ctx.home / ".codex" / "config.toml"
    config.write_text(state + config.read_text() if state.startswith("hooks") else config.read_text() + state)
    assert "Trust all and continue" in codex(ctx).waiting


def test_the_trust_stays_when_we_go_since_it_is_the_person_s(ctx: ConnectContext) -> None:
    config = Path(ctx.home / ".codex" / "config.toml")
    config.write_text('model = "x"\n')
    apply_plan(preview_connect("codex", ctx), ctx)
    trust(ctx)
    apply_plan(preview_disconnect("codex", ctx), ctx)
    assert config.read_text().startswith('model = "x"\n')
    assert "trusted_hash" in config.read_text()
