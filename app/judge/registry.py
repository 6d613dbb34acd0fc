"""Which adapter reads the conversations of an app, as the person chose.

Any program: the request as JSON on stdin, the answer as JSON on stdout.

Source: JUDGE "Adapters"; JUDGE "Adapters", command.
"""

import os
import shlex

from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.codex import CodexAdapter
from app.judge.endpoint import EndpointAdapter
from app.judge.gemini import GeminiAdapter
from app.judge.port import Adapter, Call, JudgeError
from app.judge.request import AnyRequest, request_json
from app.judge.subprocesses import run_child
from app.judge.values import Reply
from app.settings import Settings


class CommandAdapter:
    name = "command"
    title = "Your command"
    is_cut = False

    def __init__(self, command: str) -> None:
        self._command = command

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        try:
            words = shlex.split(self._command)  # no shell: nothing is expanded, nothing else is run
        except ValueError as error:
            raise JudgeError(f"The command cannot be read: {error}.") from error
        if not words:
            raise JudgeError("No command is set.")
        return Reply(run_child(words, self.sent_text(request), call))

    def sent_text(self, request: AnyRequest) -> str:
        return request_json(request, is_cut=False)


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
