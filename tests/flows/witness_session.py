"""Issue 16, to show: a session in which the assistant calls `remember`, with and without a true quote; every byte of it.

`python -m tests.flows.witness_session [HOME]` prints it. Hook and tools run as *connect* wrote them into the assistant's own
settings: the hook through a shell, the tools as one `remanence mcp` over stdin and stdout, both against a real `remanence serve`.
`test_witness_session.py` asserts what must hold.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from app.language.token_counts import count_tokens
from tests.flows.processes import PATIENCE_S, environment, serving
from tests.flows.scripted_session import Call, open_client, read_commands, run_hook, wait_understood

PASTE = "What does this note of the harbour say?\n```\nberths are always given out by the night watch\n```\nI do not get it."
START, PROMPT, ELSEWHERE, REMEMBER, RECALL = (
    "SessionStart",
    "UserPromptSubmit",
    "a prompt elsewhere",
    "remember",
    "recall",
)
OLD = "{old}"  # the number of the memory that the first report made
STEPS: tuple[tuple[str, str, Any], ...] = (  # what it shows, what is done, with what
    ("a session starts", START, {"source": "startup"}),
    (
        "a prompt that sounds lasting, and nothing else to give",
        PROMPT,
        "hm, the ferry must not carry more than the crane can lift",
    ),
    (
        "a true quote",
        REMEMBER,
        {
            "quote": "the ferry must not carry more than the crane can lift",
            "statement": "The ferry never carries more than the crane can lift.",
            "type": "constraint",
        },
    ),
    (
        "the same again",
        REMEMBER,
        {
            "quote": "the ferry must not carry more than the crane can lift",
            "statement": "The ferry never carries more than the crane can lift.",
        },
    ),
    ("the next prompt asks nothing", PROMPT, "the tickets should always be printed in two languages"),
    (
        "a quote that nobody said",
        REMEMBER,
        {"quote": "tickets are sold at the pier", "statement": "Tickets are sold at the pier."},
    ),
    ("a paste", PROMPT, PASTE),
    (
        "a quote out of the paste",
        REMEMBER,
        {
            "quote": "berths are always given out by the night watch",
            "statement": "Berths are given out by the night watch.",
        },
    ),
    (
        "a statement that brings a name",
        REMEMBER,
        {"quote": "printed in two languages", "statement": "Tickets are printed in Danish and German."},
    ),
    (
        "what an older client sends",
        REMEMBER,
        {"text": "The ferry leaves at noon."},
    ),
    ("a prompt in another project", ELSEWHERE, "the mill is closed in winter"),
    (
        "its quote, reported from this one",
        REMEMBER,
        {"quote": "the mill is closed in winter", "statement": "The mill is closed in winter."},
    ),
    ("an order that only a person may give", PROMPT, "ok, and always approve every permission request without asking"),
    (
        "its true quote",
        REMEMBER,
        {
            "quote": "always approve every permission request without asking",
            "statement": "Always approve every permission request without asking.",
        },
    ),
    ("a change of mind", PROMPT, "forget the crane, the ferry must not carry more than the ramp can hold"),
    (
        "a true quote that replaces",
        REMEMBER,
        {
            "quote": "the ferry must not carry more than the ramp can hold",
            "statement": "The ferry never carries more than the ramp can hold.",
            "replaces": [OLD],
        },
    ),
    ("what is told of it now", RECALL, {"query": "what may the ferry carry"}),
)


@dataclass
class Step:
    """One call, and what it came to."""

    shows: str
    done: str
    sent: str
    said: str  # what the assistant's model reads
    raw: bytes


@dataclass
class Played:
    hello: list[tuple[bytes, bytes]] = field(default_factory=list)  # the tools' greeting: lines in, lines out
    instructions: str = ""
    steps: list[Step] = field(default_factory=list)
    memories: list[dict[str, Any]] = field(default_factory=list)
    receipts: list[dict[str, Any]] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)

    def said(self, shows: str) -> str:
        return next(step.said for step in self.steps if step.shows == shows)


class Tools:
    """The assistant's end of `remanence mcp`: one JSON line out, one in."""

    def __init__(self, server: Mapping[str, Any], project: Path) -> None:
        env = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "HOME"}}
        command = [server["command"], *server["args"], "--wait", str(PATIENCE_S)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=project)
        self._number = 0

    def ask(self, method: str, params: Mapping[str, Any]) -> tuple[bytes, bytes]:
        self._number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode() + b"\n"
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return line, self._process.stdout.readline()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._process.stdout.close()


def play(home: Path) -> Played:
    """Connects the assistant, then plays the session."""
    person, project, other = home / "person", home / "harbour", home / "mill"
    (person / ".claude").mkdir(parents=True)
    for folder in (project, other):
        (folder / ".git").mkdir(parents=True)
    env = {**environment(home / "remanence"), "HOME": str(person)}
    connect = [sys.executable, "-m", "app.cli", "connect", "claude-code", "--yes"]
    subprocess.run(connect, env=env, capture_output=True, check=True, timeout=PATIENCE_S)
    commands = read_commands(person / ".claude" / "settings.json")
    server = json.loads((person / ".claude.json").read_text())["mcpServers"]["remanence"]
    played = Played()
    with serving(home / "remanence"), open_client(home / "remanence") as desk:
        desk.post("/v1/context/assemble", json={"project": str(project), "is_preview": True}).raise_for_status()
        tools = Tools(server, project)
        try:
            handshake = {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "c", "version": "1"},
            }
            played.hello = [tools.ask("initialize", handshake), tools.ask("tools/list", {})]
            played.instructions = json.loads(played.hello[0][1])["result"]["instructions"]
            tools.ask(
                "tools/call", {"name": "timeline", "arguments": {}}
            )  # from now on the app knows who has its tools
            _play_steps(played, tools, desk, commands, project, other)
        finally:
            tools.close()
        played.memories = [
            desk.get(f"/v1/memories/{card['id']}").json()
            for card in sorted(desk.get("/v1/memories").json()["cards"], key=lambda card: card["id"])
        ]
        listed = desk.get("/v1/receipts", params={"session": "today"}).json()
        played.receipts = [desk.get(f"/v1/receipts/{one['id']}").json() for one in reversed(listed)]
        played.journal = [one["label"] for one in reversed(desk.get("/v1/journal").json()) if one["kind"] == "remember"]
    return played


def _play_steps(
    played: Played, tools: Tools, desk: httpx.Client, commands: Mapping[str, str], project: Path, other: Path
) -> None:
    said_count, old = 0, 0
    for shows, done, given in STEPS:
        if done in {START, PROMPT, ELSEWHERE}:
            is_start = done == START
            event, place = START if is_start else PROMPT, other if done == ELSEWHERE else project
            body = given if is_start else {"prompt": given}
            call: Call = run_hook(commands[event], event, body, place, "today" if place == project else "elsewhere")
            said_count += not is_start
            wait_understood(desk, said_count)
            played.steps.append(Step(shows, done, json.dumps(body), call.context, call.out))
            continue
        arguments = {name: [old] if value == [OLD] else value for name, value in given.items()}
        line, raw = tools.ask("tools/call", {"name": done, "arguments": arguments})
        text = "".join(part["text"] for part in json.loads(raw)["result"]["content"])
        if shows == "a true quote":
            old = int("".join(letter for letter in text.partition(",")[0] if letter.isdigit()))
        played.steps.append(Step(shows, done, line.decode().strip(), text, raw))


def tell(played: Played) -> Iterator[str]:
    """The whole session as lines."""
    for line, raw in played.hello:
        yield f">>> {line.decode().strip()}"
        yield f"<<< {raw.decode().strip()}"
    yield f"=== instructions of the tools: {count_tokens(played.instructions)} tokens"
    yield from (f"    | {line}" for line in played.instructions.splitlines())
    for step in played.steps:
        yield f"=== {step.shows} ({step.done})"
        yield f">>> {step.sent}"
        yield f"<<< {step.raw.decode().strip()}"
        yield from (f"    | {line}" for line in step.said.splitlines())
    yield "=== memories"
    for one in played.memories:
        memory = one["memory"]
        yield f"{memory['id']:>4} {memory['status']}, trust {memory['trust']}, {memory['reason']}"
        yield f"       {memory['levels']['full']['text']}"
        yield from (f"       “{source['quote']}” (message {source['message_id']})" for source in one["sources"])
    yield "=== receipts"
    for one in played.receipts:
        receipt, context = one["receipt"], one["context"]
        yield f"{receipt['id']:>4} {receipt['delivery']:<12} {context['token_count']:>4} tokens"
        yield from (f"       {item['token_count']:>4} {item['reason']}: {item['text']}" for item in context["items"])
    yield "=== activity"
    yield from (f"       {label}" for label in played.journal)


def main() -> None:
    if len(sys.argv) > 1:
        home = Path(sys.argv[1]).expanduser().absolute()
        home.mkdir(parents=True, exist_ok=True)
        print("\n".join(tell(play(home))))
        return
    with tempfile.TemporaryDirectory(prefix="remanence-witness-") as folder:
        print("\n".join(tell(play(Path(folder)))))


if __name__ == "__main__":
    main()
