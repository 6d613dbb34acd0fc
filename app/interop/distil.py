"""What assistants write down of their own work, found in tool calls, transcripts and their own memories.

Bytes in, short values out: to-dos with their states, accepted plans, commit messages and pull requests, lines of rule files, what
they remember by themselves, summaries of what was compacted, titles of sessions. All of it is worded by a model; who takes it in
says so. Knows no store and no flow. Source: INTEROP sections 1, 2, 5 to 7, DESIGN section 5 "distil".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from app.interop.prompts import dict_of, str_of
from app.values import Distilled, DistilledKind

TODO_TOOLS = frozenset({"todowrite", "todo_write", "write_todos", "update_plan"})
PLAN_TOOLS = frozenset({"exitplanmode", "exit_plan_mode"})
TASK_TOOLS = frozenset({"taskcreate", "taskupdate"})
MEMORY_TOOLS = frozenset({"save_memory"})
NOTING_TOOLS = TODO_TOOLS | PLAN_TOOLS | TASK_TOOLS | MEMORY_TOOLS  # that change no file and run no command
RULE_FILES = frozenset({"claude.md", "claude.local.md", "agents.md", "gemini.md", "qwen.md", "copilot-instructions.md"})
_ADDED_MEMORIES = re.compile(r"^##[ \t]+\w{1,20}[ \t]+Added Memories[ \t]*$", re.MULTILINE | re.IGNORECASE)
_INDEX = "MEMORY.md"
_ITEMS_MAX, _LINES_MAX = 60, 20
_TITLE_CHARS, _LINE_CHARS, _SUMMARY_CHARS, _PLAN_CHARS = 160, 400, 500, 600
_STATES = {
    "pending": "pending", "not_started": "pending", "in_progress": "in_progress", "completed": "completed", "done": "completed",
}  # fmt: skip

# git commit -m "…", -am '…', -m "$(cat <<'EOF' …"
_COMMIT = re.compile(r"\bgit\b[^\n;&|]{0,120}?\bcommit\b(?P<rest>.*)", re.DOTALL)
_MESSAGE = re.compile(
    r"(?:^|\s)(?:-[a-zA-Z]*m|--message)(?:\s+|=)"
    r"(?:\"\$\(cat\s+<<-?\s*['\"]?(?P<mark>\w+)['\"]?\s*\n(?P<here>.*?)\n\s*(?P=mark)\b|\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)')",
    re.DOTALL,
)
_PULL_REQUEST = re.compile(
    r"\b(?:gh\s+pr|glab\s+mr)\s+create\b[^\n]*?(?:--title|-t)(?:\s+|=)(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)')"
)
# what git prints of a commit in brackets before its subject, and the address that a new pull request has
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200} (?P<hash>[0-9a-f]{7,40})\] ", re.MULTILINE)
_OPENED = re.compile(r"https?://[^\s/]+/\S{1,200}/(?:pull|merge_requests)/(?P<number>\d{1,6})\b")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~-]\]\s+)?")
_NO_LINE = re.compile(r"^\s*(?:#|```|~~~|\||<|>|@|[-=*_]{3,}\s*$|!\[|\$ )")
_LINK_ONLY = re.compile(r"\[[^\]]*\]\([^)]*\)")
_LEAST_WORDS = 3
_FRONT = re.compile(r"\A---\s*\n(?P<front>.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*(?P<name>[\w-]{1,40}):[ \t]*(?P<value>[^\s][^\n]{0,400})$", re.MULTILINE)
_TAGS = re.compile(r"</?[\w-]{1,40}>")
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_CONTINUED = re.compile(r"\AThis session is being continued from a previous conversation[^\n]*\s*")
_CODEX_LEAD = re.compile(r"\AAnother language model started to solve this problem.{0,600}?own analysis:\s*", re.DOTALL)
_SECTION = re.compile(
    r"^\s*(?:#{1,4}\s*)?(?:\d{1,2}[.)]\s*)?\**(?P<name>[A-Z][\w ,/&'-]{2,48}?)\**\s*:\**[ \t]*(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_DONE_SECTIONS = ("work completed", "completed", "what was done", "progress", "current work", "current state", "status")
_NEXT_SECTIONS = ("pending tasks", "optional next step", "next steps", "next step", "what is next", "remaining", "todo")
_NOTHING = re.compile(r"\A(?:none|n/?a|nothing|no pending)\b", re.IGNORECASE)


def distil_tool(payload: Mapping[str, Any]) -> tuple[Distilled, ...]:
    """What a tool's use says of the work; nothing of one that failed.

    >>> made = {"tool_input": {"command": "git commit -m 'Export as CSV'"}, "tool_response": "[main 1a2b3c4] Export as CSV"}
    >>> [(one.text, one.detail) for one in distil_tool({"tool_name": "Bash", **made})]
    [('Export as CSV', '1a2b3c4')]
    """
    response = payload.get("tool_response")
    if isinstance(response, dict) and (response.get("is_error") is True or response.get("success") is False):
        return ()
    name, given = str_of(payload, "tool_name").lower(), dict_of(payload, "tool_input")
    if name in NOTING_TOOLS:
        found = _noted(name, given)
    elif command := _command(given):
        found = _from_command(command, response)
    elif file := str_of(given, "file_path", "path", "filePath"):
        found = _from_edit(file, given)
    else:
        return ()
    return tuple(found)[:_ITEMS_MAX]


def noting_input(name: str, given: object) -> dict[str, Any] | None:
    """Of a call that changes no file and runs no command what is kept until it is distilled; None of any other."""
    if name.lower() not in NOTING_TOOLS or not isinstance(given, dict):
        return None
    kept = {"todos", "plan", "subject", "taskId", "status", "fact", "steps"}
    return {key: value for key, value in given.items() if key in kept} or None


def written_lines(file: str, given: object) -> str:
    """What an edit adds to a rule file or to an assistant's own memory, for who reads it later; "" for other files."""
    if not (_is_rule_file(file) or _is_memory_file(file)) or not isinstance(given, dict):
        return ""
    return "\n".join(_added(given))[: _ITEMS_MAX * _LINE_CHARS]


def _noted(name: str, given: Mapping[str, Any]) -> Iterator[Distilled]:
    if name in PLAN_TOOLS:
        if plan := _first_lines(str_of(given, "plan"), _PLAN_CHARS):
            yield Distilled(DistilledKind.PLAN, plan)
    elif name in MEMORY_TOOLS:
        if fact := _line(str_of(given, "fact")):
            yield Distilled(DistilledKind.REMEMBERED, fact, "save_memory")
    elif name in TASK_TOOLS:
        yield from _task(given)
    else:
        listed: list[Any] = next(
            (given[key] for key in ("todos", "plan", "steps") if isinstance(given.get(key), list)), []
        )
        items = [item for item in listed if isinstance(item, dict)]
        if items:
            yield Distilled(DistilledKind.TODOS, "")
        for item in items[:_ITEMS_MAX]:
            if text := _line(str_of(item, "content", "step", "description", "text")):
                yield Distilled(DistilledKind.TODO, text, _state(str_of(item, "status", "state")))


def _task(given: Mapping[str, Any]) -> Iterator[Distilled]:
    if subject := _line(str_of(given, "subject")):
        yield Distilled(DistilledKind.TODO, subject, "pending")
    number, state = str_of(given, "taskId"), str_of(given, "status")
    if number.isdigit() and state:
        yield Distilled(DistilledKind.TODO_STATE, number, _state(state))


def _state(named: str) -> str:
    return _STATES.get(
        named.strip().lower().replace("-", "_"), "pending" if named.lower() != "cancelled" else "cancelled"
    )


def _command(given: Mapping[str, Any]) -> str:
    for key in ("command", "cmd"):
        value = given.get(key)
        if isinstance(value, list):
            return " ".join(word for word in value if isinstance(word, str))
        if isinstance(value, str):
            return value
    return ""


def _from_command(command: str, response: object) -> Iterator[Distilled]:
    """The first line of each commit message, and the title of a pull request; with the number that the tool printed."""
    found = _COMMIT.search(command[:8_000]) if "commit" in command else None
    if found is not None:
        message = _MESSAGE.search(found["rest"])
        if message is not None and (subject := _subject(message)):
            made = _COMMITTED.search(_printed(response))
            yield Distilled(DistilledKind.COMMIT, subject, made["hash"] if made is not None else "")
    request = _PULL_REQUEST.search(command[:8_000]) if " create" in command else None
    if request is not None and (title := _line(request["double"] or request["single"] or "", _TITLE_CHARS)):
        opened = _OPENED.search(_printed(response))
        yield Distilled(DistilledKind.PULL_REQUEST, title, f"#{opened['number']}" if opened is not None else "")


def _printed(response: object) -> str:
    """What the tool printed, its beginning."""
    said = (
        response
        if isinstance(response, str)
        else str_of(response, "stdout", "output", "llmContent", "textResultForLlm")
    )
    return said[:4_000]


def _subject(message: re.Match[str]) -> str:
    said = message["here"] or message["single"] or (message["double"] or "").replace('\\"', '"').replace("\\n", "\n")
    return next((line for part in said.splitlines() if (line := _line(part, _TITLE_CHARS))), "")


# files -------------------------------------------------------------------------------------------------


def _from_edit(file: str, given: Mapping[str, Any]) -> Iterator[Distilled]:
    name = PurePath(file).name
    if _is_memory_file(file):
        if "content" in given:
            yield from distil_memory(name, str_of(given, "content"))
    elif _is_rule_file(file):
        for line in list(read_rule_lines("\n".join(_added(given))))[:_LINES_MAX]:
            yield Distilled(DistilledKind.RULE_LINE, line, name)


def _is_rule_file(file: str) -> bool:
    return PurePath(file.replace("\\", "/")).name.lower() in RULE_FILES


def _is_memory_file(file: str) -> bool:
    parts = file.replace("\\", "/").split("/")
    return len(parts) > 2 and parts[-2] == "memory" and "projects" in parts and parts[-1].endswith(".md")


def _added(given: Mapping[str, Any]) -> list[str]:
    """The lines that were not there before."""
    edits = given.get("edits")
    changes: Sequence[Any] = edits if isinstance(edits, list) else [given]
    lines: list[str] = []
    for change in changes:
        before = set(str_of(change, "old_string", "oldString").splitlines())
        after = str_of(change, "new_string", "newString", "content", "new_str", "file_text")
        lines += [line for line in after.splitlines() if line not in before]
    return lines


def read_rule_lines(text: str) -> Iterator[str]:
    """The sentences of a rule file, without headings, code and links.

    >>> list(read_rule_lines("# Rules\\n- Run the tests with `just check`\\n```\\nmake\\n```\\n"))
    ['Run the tests with `just check`']
    """
    is_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code and not _NO_LINE.match(line):
            said = _line(_BULLET.sub("", line).strip())
            words = _LINK_ONLY.sub("", said).split()
            if len(words) >= _LEAST_WORDS and not said.endswith(":"):
                yield said


def distil_memory(name: str, text: str) -> Iterator[Distilled]:
    """What an assistant remembers by itself: one value a topic file, the lines of an index that point nowhere.

    >>> text = "---\\nname: tests\\ndescription: Tests run with just check\\ntype: feedback\\n---\\nLong text."
    >>> [(one.text, one.detail) for one in distil_memory("tests.md", text)]
    [('Tests run with just check', 'memory/tests.md, feedback')]
    """
    place = f"memory/{PurePath(name).name}"
    if PurePath(name).name == _INDEX:
        for line in list(_unlinked(text))[:_LINES_MAX]:
            yield Distilled(DistilledKind.REMEMBERED, line, place)
        return
    front = _FRONT.match(text)
    fields = (
        {found["name"]: found["value"].strip().strip("\"'") for found in _FIELD.finditer(front["front"])}
        if front
        else {}
    )
    body = text[front.end() :] if front else text
    said = _line(fields.get("description", "")) or next(read_rule_lines(body), "")
    if said:
        kind = fields.get("type", "")
        yield Distilled(DistilledKind.REMEMBERED, said, f"{place}, {kind}" if kind else place)


def _unlinked(text: str) -> Iterator[str]:
    for line in read_rule_lines(text):
        if not _LINK_ONLY.match(line):
            yield line


def added_memories(text: str, place: str) -> Iterator[Distilled]:
    """The lines below "Added Memories", where Gemini CLI and Qwen Code write what they are to remember."""
    heading = _ADDED_MEMORIES.search(text)
    if heading is None:
        return
    section = text[heading.end() :].split("\n## ", 1)[0]
    for line in list(read_rule_lines(section))[:_ITEMS_MAX]:
        yield Distilled(DistilledKind.REMEMBERED, line, place)


# summaries, titles -----------------------------------------------------------------------------------------


def distil_summary(text: str) -> tuple[Distilled, ...]:
    """Of the summary of a compacted session what was done and what is left, a few sentences each.

    >>> [one.text for one in distil_summary("<summary>They added the export.\\n7. Pending Tasks:\\n - wire the button</summary>")]
    ['They added the export.', 'wire the button']
    """
    said = _CODEX_LEAD.sub("", _REMINDER.sub("", _ANALYSIS.sub("", text)))
    said = _CONTINUED.sub("", said).strip()
    said = _TAGS.sub("", said).split("If you need specific details from before compaction", 1)[0]
    said = re.sub(r"\A\s*Summary:\s*", "", said)
    sections = _sections(said)
    lead = sections.pop("", "")
    done = next((sections[name] for name in _DONE_SECTIONS if sections.get(name)), "") or lead
    left = next(
        (sections[name] for name in _NEXT_SECTIONS if sections.get(name) and not _NOTHING.match(sections[name])), ""
    )
    found = []
    if done:
        found.append(Distilled(DistilledKind.DONE, done))
    if left:
        found.append(Distilled(DistilledKind.NEXT, left))
    return tuple(found)


def _sections(text: str) -> dict[str, str]:
    """What is below each heading, in one line of at most 500 characters; "" for what is before the first."""
    marks = list(_SECTION.finditer(text))
    found = {"": _first_lines(text[: marks[0].start()] if marks else text, _SUMMARY_CHARS)}
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        found.setdefault(
            mark["name"].strip().lower(), _first_lines(f"{mark['rest']}\n{text[mark.end() : end]}", _SUMMARY_CHARS)
        )
    return found


def title_of_entry(entry: Mapping[str, Any]) -> Distilled | None:
    """The title that a line of a transcript gives its session; None when it gives none.

    >>> title_of_entry({"type": "ai-title", "aiTitle": "Export orders as CSV"}).text
    'Export orders as CSV'
    """
    payload = dict_of(entry, "payload")
    named: Iterable[tuple[DistilledKind, str]] = (
        (DistilledKind.NAME, str_of(entry, "customTitle") if entry.get("type") == "custom-title" else ""),
        (DistilledKind.TITLE, str_of(entry, "aiTitle", "title") if entry.get("type") == "ai-title" else ""),
        (DistilledKind.TITLE, str_of(payload, "thread_name") if payload.get("type") == "thread_name_updated" else ""),
        (DistilledKind.TITLE, str_of(dict_of(entry, "$set"), "summary")),
    )
    return next((Distilled(kind, title) for kind, text in named if (title := clean_title(text))), None)


def clean_title(text: str) -> str:
    """A title in one line; "" for what is no title: a path, a greeting of the program, the words of a command.

    >>> clean_title("  Export orders\\n as CSV "), clean_title("New session - 2026-01-02"), clean_title("/clear")
    ('Export orders as CSV', '', '')
    """
    title = _line(text, _TITLE_CHARS).strip("\"'“” ")
    is_none = len(title) < 3 or title.startswith(("/", "<", "New session", "Untitled", "No prompt"))
    return "" if is_none else title


def _line(text: str, most: int = _LINE_CHARS) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _first_lines(text: str, most: int) -> str:
    """The first lines as one, cut where a line ends."""
    kept: list[str] = []
    for part in text.splitlines():
        line = " ".join(_BULLET.sub("", part.strip().strip("#")).replace("**", "").split())
        if not line or part.lstrip().startswith("```"):
            continue
        if sum(map(len, kept)) + len(line) > most:
            if not kept:
                kept.append(f"{line[: most - 1].rstrip()}…")
            break
        kept.append(line)
    joined = " ".join(line if line[-1] in ".!?:;…" else f"{line};" for line in kept)
    return joined.rstrip("; ")
