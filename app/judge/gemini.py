"""Gemini CLI without a window: in plan mode, without extensions and hooks; the session that it writes down is taken away.

Tried with 0.61. It knows no switch for hooks and sessions, so settings in our folder turn the hooks off while it runs, and what it
keeps of that folder goes after the call. Source: JUDGE "Adapters", Gemini CLI.
"""

import contextlib
import json
import secrets
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.judge.children import check_refusal, find_program, run_child
from app.judge.port import Call, JudgeError
from app.judge.request import instructions, request_prompt
from app.judge.values import JudgeRequest, Reply
from app.places import make_private_dir, write_private

_OVERRIDES = {"hooksConfig": {"enabled": False}}


class GeminiAdapter:
    name = "gemini"
    title = "Gemini CLI"
    is_cut = True

    def ask(self, request: JudgeRequest, call: Call) -> Reply:
        words = [
            find_program("gemini", call), "-p", instructions(), "-o", "json", "--approval-mode", "plan", "-e", "none",
            "--skip-trust", *(["--model", call.model] if call.model else []),
        ]  # fmt: skip
        own = call.folder / ".gemini"
        make_private_dir(own)
        write_private(own / "settings.json", json.dumps(_OVERRIDES).encode())
        trusting = replace(call, env={**call.env, "GEMINI_CLI_TRUST_WORKSPACE": "true"})  # else they are not read
        try:
            return _read(run_child(words, request_prompt(request, secrets.token_hex(8)), trusting))
        finally:
            shutil.rmtree(own, ignore_errors=True)
            _forget_session(call)

    def sent_text(self, request: JudgeRequest) -> str:
        return f"{instructions()}\n{request_prompt(request, '0' * 16)}"


def _forget_session(call: Call) -> None:
    """Removes what Gemini CLI keeps of our empty folder: chats and checkpoints."""
    home = Path(call.env.get("GEMINI_CLI_HOME") or call.env.get("HOME") or Path.home()) / ".gemini"
    ours = {str(call.folder), str(call.folder.resolve())}
    for mark in (*home.glob("tmp/*/.project_root"), *home.glob("history/*/.project_root")):
        with contextlib.suppress(OSError):
            if mark.read_text(encoding="utf-8", errors="replace").strip() in ours and not mark.parent.is_symlink():
                shutil.rmtree(mark.parent)


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
