"""Issue 4, to show 1: a session of Claude Code's hook calls against the real `remanence serve`, every byte that came back.

`python -m tests.flows.scripted_session [HOME]` prints it. The hook runs as *connect* wrote it into the assistant's own settings,
through a shell, with the JSON that the assistant puts on its standard input. `test_scripted_session.py` asserts what must hold.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.flows.processes import PATIENCE_S, environment, serving, wait_for

YESTERDAY = (  # what the person said before, in another session of the same project
    "We decided to keep the orders in PostgreSQL because of its JSON support.",
    "Card numbers must never be written to the log.",
    "I prefer pytest over unittest for everything in this repository.",
    "The staging server listens on port 8443.",
    "We use Redis for the cache.",
)
SESSION = "0f3a-today"
EDITED = "the person corrects a memory"  # at the desk, between two prompts
STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": "Which database do we keep the orders in?"}),
    ("UserPromptSubmit", {"prompt": "Add a column for the discount to the orders table"}),
    ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "{project}/src/orders.py"}, "tool_use_id": "t1"}),
    ("UserPromptSubmit", {"prompt": "What must never be written to the log?"}),
    ("UserPromptSubmit", {"prompt": "Run the tests of the orders with pytest"}),
    (
        "PostToolUseFailure",
        {
            "tool_name": "Bash",
            "tool_input": {"command": "pytest tests/test_orders.py"},
            "tool_use_id": "t2",
            "error": "Exit code 1\nFAILED tests/test_orders.py::test_discount - assert 90 == 100",
        },
    ),
    ("UserPromptSubmit", {"prompt": "Why does the test of the orders table fail with pytest?"}),
    ("UserPromptSubmit", {"prompt": "On which port does the staging server listen?"}),
    (EDITED, {"text": "Card numbers must never be written to the log or to a trace."}),
    ("UserPromptSubmit", {"prompt": "Do card numbers go into the log when a payment fails?"}),
    ("UserPromptSubmit", {"prompt": "We moved from Redis to Memcached for the cache."}),
    ("Stop", {"last_assistant_message": "The cache is in Memcached now."}),
    ("PreCompact", {"trigger": "auto", "custom_instructions": ""}),
    ("SessionStart", {"source": "compact"}),
    ("UserPromptSubmit", {"prompt": "Remind me, which database do we keep the orders in?"}),
    ("UserPromptSubmit", {"prompt": "Good. And what do we use for the cache?"}),
    ("SessionEnd", {"reason": "prompt_input_exit"}),
)


@dataclass(frozen=True)
class Call:
    """One run of the hook. `context` is what the host would put before the model."""

    event: str
    said: str
    out: bytes
    err: bytes
    exit_status: int

    @property
    def context(self) -> str:
        return json.loads(self.out)["hookSpecificOutput"]["additionalContext"] if self.out else ""


@dataclass
class Played:
    calls: list[Call] = field(default_factory=list)
    receipts: list[dict[str, Any]] = field(default_factory=list)  # as the engine tells them, oldest first


def play(home: Path) -> Played:
    """Connects, says what was said yesterday, plays the session, and asks for the receipts."""
    person, project = home / "person", home / "shop"
    (person / ".claude").mkdir(parents=True)
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / "src" / "orders.py").write_text("TABLE = 'orders'\n")
    env = {**environment(home / "remanence"), "HOME": str(person)}
    connect = [sys.executable, "-m", "app.cli", "connect", "claude-code", "--yes"]
    subprocess.run(connect, env=env, capture_output=True, check=True, timeout=PATIENCE_S)
    commands = read_commands(person / ".claude" / "settings.json")
    played = Played()
    with serving(home / "remanence"), open_client(home / "remanence") as desk:
        for text in YESTERDAY:
            run_hook(commands["UserPromptSubmit"], "UserPromptSubmit", {"prompt": text}, project, "yesterday")
        wait_understood(desk, len(YESTERDAY))
        desk.post("/v1/context/assemble", json={"project": str(project), "is_preview": True}).raise_for_status()
        said_count = len(YESTERDAY)
        for event, body in STEPS:
            if event == EDITED:
                played.calls.append(edit_memory(desk, str(body["text"])))
                continue
            played.calls.append(run_hook(commands[event], event, body, project, SESSION))
            said_count += event == "UserPromptSubmit"
            wait_understood(desk, said_count)
        listed = desk.get("/v1/receipts", params={"session": SESSION, "limit": 100}).json()
        played.receipts = [desk.get(f"/v1/receipts/{one['id']}").json() for one in reversed(listed)]
    return played


def read_commands(settings: Path) -> dict[str, str]:
    """The command that `connect` wrote for each event."""
    hooks = json.loads(settings.read_text())["hooks"]
    return {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}


def run_hook(command: str, event: str, body: Mapping[str, Any], project: Path, session: str) -> Call:
    """One call, as the assistant makes it: a shell, its own environment, JSON on stdin."""
    given = {"session_id": session, "cwd": str(project), "hook_event_name": event, **body}
    raw = json.dumps(given).replace("{project}", str(project)).encode()
    env = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG"}}
    done = subprocess.run(
        ["/bin/sh", "-c", command], input=raw, capture_output=True, env=env, cwd=project, timeout=PATIENCE_S
    )
    said = str(body.get("prompt", body.get("source", body.get("tool_name", ""))))
    return Call(event, said, done.stdout, done.stderr, done.returncode)


def edit_memory(desk: httpx.Client, text: str) -> Call:
    """The memory that says nearly this says it exactly now."""
    memory_id = desk.get("/v1/search", params={"q": text, "limit": 1}).json()["hits"][0]["card"]["id"]
    desk.patch(
        f"/v1/memories/{memory_id}", json={"full": text, "summary": "", "compressed": "", "index": ""}
    ).raise_for_status()
    return Call(EDITED, text, b"", b"", 0)


def open_client(home: Path) -> httpx.Client:
    """The owner's way to the running app."""
    lines = (home / "state" / "endpoint").read_text().splitlines()
    port = next(line.split()[1] for line in lines if line.startswith("port "))
    token = (home / "state" / "admin.token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=PATIENCE_S)


def wait_understood(desk: httpx.Client, message_count: int) -> None:
    """Until everything said so far is a message, and nothing waits."""

    def is_done() -> bool:
        stats = desk.get("/v1/stats").json()
        return stats["message_count"] >= message_count and stats["event_pending_count"] == 0

    wait_for(is_done)


def tell(played: Played) -> Iterator[str]:
    """The whole session as lines: what was said, the bytes that came back, then the receipts."""
    for call in played.calls:
        yield f"=== {call.event}: {call.said}" if call.said else f"=== {call.event}"
        yield f"    exit {call.exit_status}, {len(call.out)} bytes out, {len(call.err)} bytes err"
        if call.out:
            yield call.out.decode()
            yield from (f"    | {line}" for line in call.context.splitlines())
    yield "=== receipts"
    for one in played.receipts:
        receipt, context = one["receipt"], one["context"]
        head = f"{receipt['id']:>4} {receipt['delivery']:<12} {context['token_count']:>5} of {context['budget_tokens']} tokens"
        yield f"{head}, {len(context['items'])} lines, {'delivered' if receipt['is_delivered'] else 'not delivered'}"
        for item in context["items"]:
            yield f"       {item['tier']:<10} {item['level']:<10} {item['score']:.2f}  {item['reason']}"
            yield f"                  {item['text']}"


def main() -> None:
    if len(sys.argv) > 1:
        home = Path(sys.argv[1]).expanduser().absolute()
        home.mkdir(parents=True, exist_ok=True)
        print("\n".join(tell(play(home))))
        return
    with tempfile.TemporaryDirectory(prefix="remanence-session-") as folder:
        started_s = time.monotonic()
        print("\n".join(tell(play(Path(folder)))))
        print(f"({time.monotonic() - started_s:.1f} s)")


if __name__ == "__main__":
    main()
