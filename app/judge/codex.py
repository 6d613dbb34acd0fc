"""Codex without a window: read-only, nothing of the person's settings and rules, no session kept.

About 9,000 tokens of its own instructions go with each call. Source: JUDGE "Adapters", Codex.
"""

import contextlib
import json
import secrets
from pathlib import Path

from app.judge.children import check_refusal, find_program, run_child, scratch_file
from app.judge.port import Call, JudgeError
from app.judge.request import answer_schema, instructions, request_prompt
from app.judge.values import JudgeRequest, Reply


class CodexAdapter:
    name = "codex"
    title = "Codex"
    is_cut = True

    def ask(self, request: JudgeRequest, call: Call) -> Reply:
        schema, answer = scratch_file(".json", json.dumps(answer_schema())), scratch_file(".txt")
        words = [
            find_program("codex", call), "exec", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--sandbox", "read-only",
            "--skip-git-repo-check", "--output-schema", schema, "-o", answer, "--json",
            *(["--model", call.model] if call.model else []), "-",
        ]  # fmt: skip
        try:
            events = run_child(words, f"{instructions()}\n\n{request_prompt(request, secrets.token_hex(8))}", call)
            text = Path(answer).read_text(encoding="utf-8", errors="replace")
        finally:
            for path in (schema, answer):
                with contextlib.suppress(OSError):
                    Path(path).unlink()
        if not text.strip():
            raise JudgeError("Codex left no answer.", is_refused=check_refusal(events[-4_000:]))
        sent, said = _usage(events)
        return Reply(text, sent, said)

    def sent_text(self, request: JudgeRequest) -> str:
        return f"{instructions()}\n\n{request_prompt(request, '0' * 16)}"


def _usage(events: str) -> tuple[int | None, int | None]:
    """Tokens as the last event with a usage says."""
    for line in reversed(events.splitlines()):
        with contextlib.suppress(ValueError, AttributeError):
            usage = json.loads(line).get("usage")
            if isinstance(usage, dict) and isinstance(usage.get("input_tokens"), int):
                said = usage.get("output_tokens")
                return usage["input_tokens"], said if isinstance(said, int) else None
    return None, None
