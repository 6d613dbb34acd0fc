"""What the hooks of Qwen Code, Copilot CLI, Gemini CLI and OpenCode were given, recorded from the real clients."""

import json
from pathlib import Path

import pytest

from app.api import Engine
from app.assistants.hook_answers import write_hook_answer
from app.assistants.hook_payload import parse_hook_payload
from app.interop.tool_calls import tool_outcomes
from app.values import CaptureRequest, EventKind
from tests.patience import PATIENCE_S

RECORDED = Path(__file__).parents[1] / "assistants" / "recorded"
WORDS = {"chat.message": "prompt", "tool.execute.after": "tool"}


def recorded(app: str) -> list[CaptureRequest]:
    found = []
    for number, line in enumerate((RECORDED / f"{app}.hooks.jsonl").read_text(encoding="utf-8").splitlines()):
        told = json.loads(line)
        given = {"input": told["stdin"], "output": told["output"]} if app == "opencode" else told["stdin"]
        word = WORDS.get(told["event"], told["event"])
        raw = json.dumps(given).encode()
        found.append(parse_hook_payload(app, word, raw, key=f"{number:024x}c0ffee00", cwd="", at=None))
    return [one for one in found if one is not None]


TYPED = ["We decided to use PostgreSQL here.", "run the failing command", "edit the file please"]


@pytest.mark.parametrize("app", ["qwen", "gemini", "opencode"])
def test_what_was_typed_is_kept_once_and_nothing_else(engine: Engine, app: str) -> None:
    for one in recorded(app):
        engine.events.capture([one], wait_s=PATIENCE_S)
    messages = [one.text for card in engine.conversations.list() for one in engine.conversations.get(card.id).messages]
    assert sorted(messages) == sorted(TYPED)


@pytest.mark.parametrize("said", ['"name the largest files"', "name the largest files"])
def test_what_opencode_run_puts_around_a_prompt_goes_whichever_way_a_plugin_hands_it_on(said: str) -> None:
    raw = json.dumps({"prompt": said, "session_id": "s"}).encode()

    found = parse_hook_payload("opencode", "prompt", raw, key="0" * 24 + "c0ffee00", cwd="", at=None)

    assert found is not None
    assert found.text == "name the largest files"


def test_copilot_tells_by_two_names_of_one_event(engine: Engine) -> None:
    """Both hook files were there, with another command line each: camelCase and PascalCase."""
    prompts = [one for one in recorded("copilot") if one.kind is EventKind.PROMPT]
    assert [one.text for one in prompts] == [text for text in TYPED for _ in range(2)]
    for number, one in enumerate(prompts):
        command = "c0ffee00" if number % 2 else "0000beef"
        seen = CaptureRequest(
            **{name: getattr(one, name) for name in one.__dataclass_fields__} | {"key": one.key[:-8] + command}
        )
        engine.events.capture([seen], wait_s=PATIENCE_S)
    messages = [one.text for card in engine.conversations.list() for one in engine.conversations.get(card.id).messages]
    assert sorted(messages) == sorted(TYPED)


@pytest.mark.parametrize("app", ["qwen", "copilot", "opencode"])
def test_commands_and_files_come_with_their_status(app: str) -> None:
    uses = [outcome for one in recorded(app) if one.kind is EventKind.TOOL for outcome in tool_outcomes(one.payload)]
    commands = {(one.command, one.exit_status, one.is_error) for one in uses if one.command}
    files = {one.file for one in uses if one.file}
    assert commands == {("echo boom >&2; exit 3", 3, True)}
    assert files == {"/home/dev/shop/b.py"}


@pytest.mark.parametrize(
    ("app", "event", "expected"),
    [
        ("copilot", "prompt", {"additionalContext": "x"}),
        ("copilot", "start", {"additionalContext": "x"}),
        ("opencode", "prompt", {"additionalContext": "x"}),
        ("gemini", "prompt", {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "x"}}),
        ("qwen", "prompt", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}}),
    ],
)
def test_each_host_gets_the_form_that_it_reads(app: str, event: str, expected: dict[str, object]) -> None:
    assert json.loads(write_hook_answer(app, event, "x")) == expected


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Exit code: 0\nthe test said: Exit Code: 3 was expected\nmore", 0),
        ("Chunk ID: 22e77a\nWall time: 5.8763 seconds\nProcess exited with code 4\nOutput:\nExit Code: 9\n", 4),
        ("I read that Exit Code: 3 means usage", None),
        ("boom", None),
    ],
)
def test_a_status_is_the_assistants_own_line_and_not_what_was_printed(said: str, status: int | None) -> None:
    [use] = tool_outcomes({"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": said})
    assert use.exit_status == status
