"""Any program as a judge: the request as JSON on stdin, the answer as JSON on stdout. Source: JUDGE "Adapters", command."""

import shlex

from app.judge.adapter import Call, JudgeError
from app.judge.request import AnyRequest, request_json
from app.judge.subprocesses import run_child
from app.judge.values import Reply


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
