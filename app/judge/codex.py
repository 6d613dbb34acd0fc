"""Codex without a window: read-only, nothing of the person's settings and rules, no tools, no session kept.

Our instructions are in place of its own, and everything that it would add is switched off by name; a name that a version does not
know is passed over. Tried with 0.169: 39 kB of its own in a request become 1.5 (a model that writes its tools as code: 50 become 11).
Source: JUDGE "Adapters", Codex.
"""

import contextlib
import json
import secrets
from pathlib import Path

from app.judge.adapter import Call, JudgeError
from app.judge.request import AnyRequest, answer_schema, instructions, request_prompt
from app.judge.subprocesses import check_refusal, find_program, run_child, scratch_file
from app.judge.values import Reply

_OFF = (
    *(f"include_{name}=false" for name in (
        "permissions_instructions", "environment_context", "apps_instructions", "collaboration_mode_instructions",
    )),
    *(f"features.{name}=false" for name in (
        "shell_tool", "unified_exec", "multi_agent", "multi_agent_v2", "goals", "view_image", "apps", "plugins", "hooks",
        "memories", "image_generation", "sleep_tool", "tool_suggest", "browser_use", "computer_use", "code_mode_host",
        "incremental_tools",
    )),
    "skills.include_instructions=false", "skills.bundled.enabled=false", "agents.enabled=false", 'web_search="disabled"',
    "tools.view_image=false", "tools.experimental_request_user_input.enabled=false", "project_doc_max_bytes=0",
)  # fmt: skip


class CodexAdapter:
    name = "codex"
    title = "Codex"
    is_cut = True

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        schema, answer = scratch_file(".json", json.dumps(answer_schema(request))), scratch_file(".txt")
        told = scratch_file(".md", instructions(request))
        words = [
            find_program("codex", call), "exec", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--sandbox", "read-only",
            "--skip-git-repo-check", "--output-schema", schema, "-o", answer, "--json",
            *(word for one in (f"model_instructions_file={json.dumps(told)}", *_OFF) for word in ("-c", one)),
            *(["--model", call.model] if call.model else []), "-",
        ]  # fmt: skip
        try:
            events = run_child(words, request_prompt(request, secrets.token_hex(8)), call)
            text = Path(answer).read_text(encoding="utf-8", errors="replace")
        finally:
            for path in (schema, answer, told):
                with contextlib.suppress(OSError):
                    Path(path).unlink()
        if not text.strip():
            raise JudgeError("Codex left no answer.", is_refused=check_refusal(events[-4_000:]))
        sent, received = _usage(events)
        return Reply(text, sent, received)

    def sent_text(self, request: AnyRequest) -> str:
        return f"{instructions(request)}\n\n{request_prompt(request, '0' * 16)}"


def _usage(events: str) -> tuple[int | None, int | None]:
    """Tokens as the last event with a usage says."""
    for line in reversed(events.splitlines()):
        with contextlib.suppress(ValueError, AttributeError):
            usage = json.loads(line).get("usage")
            if isinstance(usage, dict) and isinstance(usage.get("input_tokens"), int):
                output_tokens = usage.get("output_tokens")
                return usage["input_tokens"], output_tokens if isinstance(output_tokens, int) else None
    return None, None
