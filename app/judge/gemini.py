"""Gemini CLI without a window. Its call is read from its own help, not tried against a real account.

Source: JUDGE "Adapters", Gemini CLI.
"""

import json
import secrets
from typing import Any

from app.judge.children import check_refusal, find_program, run_child
from app.judge.port import Call, JudgeError
from app.judge.request import instructions, request_prompt
from app.judge.values import JudgeRequest, Reply


class GeminiAdapter:
    name = "gemini"
    title = "Gemini CLI"
    is_cut = True

    def ask(self, request: JudgeRequest, call: Call) -> Reply:
        words = [
            find_program("gemini", call), "-p", instructions(), "-o", "json", "--approval-mode", "plan", "-e", "none",
            "--skip-trust", *(["--model", call.model] if call.model else []),
        ]  # fmt: skip
        return _read(run_child(words, request_prompt(request, secrets.token_hex(8)), call))

    def sent_text(self, request: JudgeRequest) -> str:
        return f"{instructions()}\n{request_prompt(request, '0' * 16)}"


def _read(output: str) -> Reply:
    try:
        value = json.loads(output[output.index("{") :])
    except ValueError as error:
        raise JudgeError("Gemini CLI printed no JSON.", is_refused=check_refusal(output[:4_000])) from error
    if not isinstance(value, dict) or not isinstance(value.get("response"), str):
        raise JudgeError("Gemini CLI gave no answer.", is_refused=check_refusal(output[:4_000]))
    sent, said = _usage(value.get("stats"))
    return Reply(value["response"], sent, said)


def _usage(stats: Any) -> tuple[int | None, int | None]:
    """Tokens of all models that took part."""
    models = stats.get("models") if isinstance(stats, dict) else None
    tokens = [one.get("tokens") for one in models.values() if isinstance(one, dict)] if isinstance(models, dict) else []
    known = [one for one in tokens if isinstance(one, dict)]
    sent = [one["prompt"] for one in known if isinstance(one.get("prompt"), int)]
    said = [one["candidates"] for one in known if isinstance(one.get("candidates"), int)]
    return (sum(sent) if sent else None), (sum(said) if said else None)
