"""What a tool call did, reduced to what is kept of it: files touched, the command, whether it failed.

File contents, patches and outputs are dropped (DESIGN section 2, user messages only). A reduced payload has the
shape of a live hook's, `{tool_name, tool_use_id, tool_input, tool_response}`, so that `tool_outcomes` reads both.
Knows nothing of conversations. Source: INTEROP sections 1, 2 and 5.
"""

import re
from collections.abc import Mapping
from typing import Any

from app.interop.distil import noting_input, written_lines
from app.interop.prompts import dict_of, str_of
from app.values import ToolOutcome

# in lower case; as Claude Code, Codex, Gemini, Qwen, Copilot and OpenCode call them
EDIT_TOOLS = frozenset(
    {"edit", "write", "multiedit", "notebookedit", "write_file", "replace", "create", "str_replace", "insert"}
)
_READ_TOOLS = frozenset({"read", "read_file", "view", "notebookread"})
_SHELL_TOOLS = frozenset(
    {
        "bash",
        "shell",
        "exec_command",
        "local_shell",
        "container.exec",
        "shell_command",
        "run_shell_command",
        "powershell",
    }
)
# in a text of an assistant's own around what the command printed: at its beginning or its end, on a line of its own
_HEAD_STATUS = re.compile(r"^(?:.{0,80}\n){0,6}?(?:Process exited with code|Exit code:?) (-?\d{1,6})\b", re.IGNORECASE)
_TAIL_STATUS = re.compile(
    r"(?:^|\n)(?:<[^<>\n]{0,60}completed with exit code (-?\d{1,6})>|Exit Code: (-?\d{1,6})(?:\n[^\n]{0,80}){0,4})\s*$"
)
_STATUS = re.compile(r"\bexit(?:ed with)? (?:code|status)[ :]{1,3}(\d{1,5})\b", re.IGNORECASE)
_STATUS_CHARS = 600
_OWN_TEXTS = ("llmContent", "textResultForLlm", "text_result_for_llm")
_LONE_ID_CHARS = 20  # an id so long is nobody else's; a short one may come again in another session
_PATCH_TOOL = "apply_patch"
_SAID = ("error", "stderr", "message", "stdout", "output", "content", "text", *_OWN_TEXTS)
_COMMAND_LIMIT_CHARS = 2_000
_PATCH_BEGIN = "*** Begin Patch"
_PATCHED_LINE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,1024})$", re.MULTILINE)


def reduced_call(name: str, tool_use_id: str, tool_input: object) -> dict[str, Any] | None:
    """The payload of a TOOL event; None for tools that neither change files nor run commands nor note what is to do.

    >>> reduced_call("Edit", "t1", {"file_path": "/w/a.py", "old_string": "x"})["tool_input"]
    {'file_path': '/w/a.py'}
    """
    kept: dict[str, Any] | None = _reduced_input(name, tool_input)
    if kept is None:
        kept = noting_input(name, tool_input)
    elif "file_path" in kept and (written := written_lines(kept["file_path"], tool_input)):
        kept = kept | {"content": written}
    return None if kept is None else {"tool_name": name, "tool_use_id": tool_use_id, "tool_input": kept}


def file_read(payload: Mapping[str, Any]) -> str:
    """The name of the file that the tool read; "" for any other tool.

    >>> file_read({"tool_name": "Read", "tool_input": {"file_path": "/w/a.py", "limit": 40}})
    '/w/a.py'
    """
    if str_of(payload, "tool_name").lower() not in _READ_TOOLS:
        return ""
    return str_of(payload.get("tool_input"), "file_path", "absolute_path", "notebook_path", "path", "filePath")


def tool_key(session: str, tool_use_id: str) -> str:
    """The key of a tool's use, the same when it comes from a hook and from a transcript.

    A fork copies the uses of the session that it came from, with their ids and under its own name.
    """
    return f"tool:{tool_use_id}" if len(tool_use_id) >= _LONE_ID_CHARS else f"{session}:tool:{tool_use_id}"


def tool_outcomes(payload: Mapping[str, Any]) -> tuple[ToolOutcome, ...]:
    """What a TOOL event left behind, live or imported: one value per file, or one for a command.

    >>> [outcome.file for outcome in tool_outcomes({"tool_name": "Write", "tool_input": {"file_path": "a.md"}})]
    ['a.md']
    """
    name = str_of(payload, "tool_name")
    kept = _reduced_input(name, payload.get("tool_input"))
    if kept is None:
        return ()
    response = payload.get("tool_response")
    status = exit_status(response)
    if status is None and name.lower() in _SHELL_TOOLS:
        status = stated_exit_status(response)
    is_error = dict_of(payload, "tool_response").get("is_error") is True or bool(status)
    error = _said(response) if is_error else ""
    files = [kept["file_path"]] if "file_path" in kept else patched_files(kept["command"])
    command = "" if "file_path" in kept or name == _PATCH_TOOL else kept["command"].partition(_PATCH_BEGIN)[0]
    if not files:
        return (ToolOutcome(tool=name, command=command, exit_status=status, is_error=is_error, error=error),)
    return tuple(ToolOutcome(name, file, command, status, is_error, error) for file in files)


def patched_files(patch: str) -> list[str]:
    """The paths named in a patch of the `*** Begin Patch` form, once each, in order."""
    if "*** " not in patch:
        return []
    return list(dict.fromkeys(found.strip() for found in _PATCHED_LINE.findall(patch)))


def exit_status(response: object) -> int | None:
    """The exit status in a tool's response; None when there is none."""
    for told in (dict_of(response, "metadata"), response):
        for key in ("exit_code", "exitCode", "exit_status", "exit"):
            status = told.get(key) if isinstance(told, dict) else None
            if isinstance(status, int) and not isinstance(status, bool):
                return status
    return 1 if isinstance(response, dict) and response.get("success") is False else None


def stated_exit_status(response: object) -> int | None:
    """The status that an assistant wrote around what a command printed; None when it wrote none.

    >>> stated_exit_status({"llmContent": "Command: x\\nOutput: boom\\nExit Code: 3\\nSignal: 0"})
    3
    >>> stated_exit_status({"textResultForLlm": "boom\\n<shellId: 0 completed with exit code 3>"})
    3
    """
    told = response if isinstance(response, str) else str_of(response, *_OWN_TEXTS)
    found = _HEAD_STATUS.match(told[:_STATUS_CHARS]) or _TAIL_STATUS.search(told[-_STATUS_CHARS:])
    return int(next(group for group in found.groups() if group)) if found else None


def status_in(said: str) -> int | None:
    """The first exit status that these words of an assistant's name."""
    found = _STATUS.search(said)
    return int(found[1]) if found else None


def _said(response: object) -> str:
    """What a failed tool said, its errors before the rest."""
    if isinstance(response, str):
        return response
    said = (str_of(response, name) for name in _SAID)
    return "\n".join(text for text in said if text)


def _reduced_input(name: str, tool_input: object) -> dict[str, str] | None:
    if name.lower() in EDIT_TOOLS:
        path = str_of(tool_input, "file_path", "notebook_path", "path", "filePath")
        return {"file_path": path} if path else None
    if name == _PATCH_TOOL:
        files = patched_files(tool_input if isinstance(tool_input, str) else _command(tool_input))
        return {"command": named_patch(files)} if files else None
    if name.lower() in _SHELL_TOOLS:
        command = _command(tool_input)
        short, _, patch = command.partition(_PATCH_BEGIN)
        named = named_patch(patched_files(patch)) if patch else ""
        return {"command": short[:_COMMAND_LIMIT_CHARS] + named} if command else None
    return None


def named_patch(files: list[str]) -> str:
    """A patch without its contents."""
    return "\n".join([_PATCH_BEGIN, *(f"*** Update File: {file}" for file in files)])


def _command(tool_input: object) -> str:
    if not isinstance(tool_input, dict):
        return ""
    for key in ("command", "cmd", "input", "patch"):
        value = tool_input.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            is_wrapped = len(words) == 3 and words[1] in {"-c", "-lc"}  # ["bash", "-lc", "npm test"]
            return words[2] if is_wrapped else " ".join(words)
    return ""
