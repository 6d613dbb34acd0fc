"""Claude Code without a window: no tools, no MCP, no hooks, no project files, no session left behind.

Tried with 2.1. Source: JUDGE "Adapters", Claude Code.
"""

import json
import secrets
from typing import Any

from app.judge.adapter import Call, JudgeError
from app.judge.request import AnyRequest, answer_schema, instructions, request_prompt
from app.judge.subprocesses import check_refusal, find_program, run_child
from app.judge.values import Reply


class ClaudeCodeAdapter:
    name = "claude-code"
    title = "Claude Code"
    is_cut = True

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        words = [
            find_program("claude", call), "-p", "--safe-mode", "--tools", "", "--strict-mcp-config", "--setting-sources", "",
            "--no-session-persistence", "--output-format", "json", "--json-schema", json.dumps(answer_schema(request)),
            "--model", call.model or "haiku", "--system-prompt", instructions(request),
        ]  # fmt: skip
        return _read(run_child(words, request_prompt(request, secrets.token_hex(8)), call))

    def sent_text(self, request: AnyRequest) -> str:
        return f"{instructions(request)}\n{request_prompt(request, '0' * 16)}"


def _read(output: str) -> Reply:
    """The answer in Claude Code's own JSON, with what it says that it cost."""
    try:
        value = json.loads(output)
    except ValueError as error:
        raise JudgeError("Claude Code printed no JSON.", is_refused=check_refusal(output[:4_000])) from error
    if isinstance(value, list):  # newer ones list every message; the result comes last
        value = next((one for one in reversed(value) if isinstance(one, dict) and one.get("type") == "result"), {})
    if not isinstance(value, dict):
        raise JudgeError("Claude Code printed no result.")
    result = value.get("result")
    if value.get("is_error"):
        raise JudgeError("Claude Code answered with an error.", is_refused=check_refusal(str(result)))
    structured = value.get("structured_output")
    text = json.dumps(structured) if isinstance(structured, dict) else str(result or "")
    found = value.get("usage")
    usage: dict[str, Any] = found if isinstance(found, dict) else {}
    sent = [usage.get(name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")]
    return Reply(text, _sum(sent), _sum([usage.get("output_tokens")]), _money(value.get("total_cost_usd")))


def _sum(counts: list[Any]) -> int | None:
    known = [one for one in counts if isinstance(one, int) and not isinstance(one, bool) and one >= 0]
    return sum(known) if known else None


def _money(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
