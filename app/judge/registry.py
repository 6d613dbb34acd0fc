"""Which adapter reads the conversations of an app, as the person chose. Source: JUDGE "Adapters"."""

import os

from app.judge.adapter import Adapter
from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.codex import CodexAdapter
from app.judge.command import CommandAdapter
from app.judge.endpoint import EndpointAdapter
from app.judge.gemini import GeminiAdapter
from app.settings import Settings

_PROGRAMS: dict[str, type[Adapter]] = {one.name: one for one in (ClaudeCodeAdapter, CodexAdapter, GeminiAdapter)}


def find_adapter(settings: Settings, app: str) -> Adapter | None:
    """The adapter for conversations of `app`; None when nobody reads them."""
    choice = settings.judge
    if choice == "off" or not settings.is_learning_memories:
        return None
    if choice == "command":
        return CommandAdapter(settings.judge_command)
    if choice == "endpoint":
        key = os.environ.get(settings.judge_key_variable, "") if settings.judge_key_variable else ""
        return EndpointAdapter(settings.judge_endpoint, is_remote_allowed=settings.is_judge_endpoint_remote, key=key)
    program = _PROGRAMS.get(app if choice == "same" else choice)
    return program() if program is not None else None
