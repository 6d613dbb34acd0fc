"""Gemini CLI without a window: without tools, MCP, extensions, skills and hooks; the session that it writes down is removed.

Tried with 0.61: 33 kB of its own in a request become one. It knows no switches for hooks, tools and sessions, so settings in our
folder turn them off while it runs, our instructions are in place of its own, and what it keeps of that folder goes after the call.
One tool stays, because its service refuses an empty list: listing our folder, which holds nothing else. The person's own
GEMINI.md of their home goes with each call; nothing but another home would keep it out. Source: JUDGE "Adapters", Gemini CLI.
"""

import contextlib
import json
import secrets
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.judge.adapter import Call, JudgeError
from app.judge.request import AnyRequest, instructions, request_prompt
from app.judge.subprocesses import check_refusal, find_program, run_child
from app.judge.values import Reply
from app.places import make_private_dir, write_private

_OVERRIDES = {
    "hooksConfig": {"enabled": False},
    "tools": {"core": ["list_directory"]},
    "mcp": {"allowed": ["none"]},
    "skills": {"enabled": False},
    "context": {"includeDirectoryTree": False},
    "experimental": {"enableAgents": False},
    "general": {"topicUpdateNarration": False, "plan": {"enabled": False}},
    "useWriteTodos": False,
}


class GeminiAdapter:
    name = "gemini"
    title = "Gemini CLI"
    is_cut = True

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        words = [
            find_program("gemini", call), "-p", "", "-o", "json", "--approval-mode", "default", "-e", "none", "--skip-trust",
            "--allowed-mcp-server-names", "none", *(["--model", call.model] if call.model else []),
        ]  # fmt: skip
        own = call.folder / ".gemini"
        make_private_dir(own)
        write_private(own / "settings.json", json.dumps(_OVERRIDES).encode())
        write_private(own / "system.md", instructions(request).encode())
        more = {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_SYSTEM_MD": str(own / "system.md"),
        }  # trusted, else not read
        trusting = replace(call, env={**call.env, **more})
        try:
            return _read(run_child(words, request_prompt(request, secrets.token_hex(8)), trusting))
        finally:
            shutil.rmtree(own, ignore_errors=True)
            _forget_session(call)

    def sent_text(self, request: AnyRequest) -> str:
        return f"{instructions(request)}\n{request_prompt(request, '0' * 16)}"


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
    sent, received = _usage(value.get("stats"))
    return Reply(value["response"], sent, received)


def _usage(stats: Any) -> tuple[int | None, int | None]:
    """Tokens of all models that took part."""
    models = stats.get("models") if isinstance(stats, dict) else None
    tokens = [one.get("tokens") for one in models.values() if isinstance(one, dict)] if isinstance(models, dict) else []
    known = [one for one in tokens if isinstance(one, dict)]
    sent = [one["prompt"] for one in known if isinstance(one.get("prompt"), int)]
    output_tokens = [one["candidates"] for one in known if isinstance(one.get("candidates"), int)]
    return (sum(sent) if sent else None), (sum(output_tokens) if output_tokens else None)
