"""Issue 18, to show 2: a code pattern and a workflow that were learned from the work come back when they are needed, and only then.

Claude Code's hook calls against the real `remanence serve`; the files lie on the disk, a consolidation learns from them.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.deciders.learning.endpoint_shapes import can_read
from tests.app.deciders import code_samples as samples
from tests.flows.processes import PATIENCE_S, environment, serving, wait_for
from tests.flows.scripted_session import Call, open_client, read_commands, run_hook, wait_understood

pytestmark = pytest.mark.skipif(not can_read("a.ts"), reason="the grammar is not installed")
PATTERN = "An endpoint here (.ts): route {method} /api/{resource}, validation zod_schema"
WORKFLOW = "For a deploy this is done every time: test (pnpm test), build (docker build -t shop:3 .), stage"
DEPLOY = ("pnpm test", "docker build -t shop:3 .", "kubectl apply -n staging -f web.yaml")


@dataclass
class Host:
    """An assistant that is connected, its project, and the owner's way to the app."""

    commands: dict[str, str]
    project: Path
    desk: httpx.Client
    said_count: int = 0
    used_count: int = 0
    sessions: set[str] = field(default_factory=set)

    def prompt(self, session: str, text: str) -> Call:
        if session not in self.sessions:
            self.sessions.add(session)
            self._hook("SessionStart", {"source": "startup"}, session)
        call = self._hook("UserPromptSubmit", {"prompt": text}, session)
        self.said_count += 1
        wait_understood(self.desk, self.said_count)
        return call

    def use(self, session: str, tool: str, **tool_input: str) -> None:
        self.used_count += 1
        body = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": f"t{self.used_count}"}
        self._hook("PostToolUse", body, session)
        wait_understood(self.desk, self.said_count)

    def _hook(self, event: str, body: dict[str, Any], session: str) -> Call:
        return run_hook(self.commands[event], event, body, self.project, session)

    def receipt_of(self, session: str, line: str) -> dict[str, Any]:
        """The item of the newest receipt that holds the line."""
        listed = self.desk.get("/v1/receipts", params={"session": session, "limit": 10}).json()
        wholes = [self.desk.get(f"/v1/receipts/{one['id']}").json() for one in listed]
        return next(item for one in wholes for item in one["context"]["items"] if line in item["text"])


@contextmanager
def connected(home: Path) -> Iterator[Host]:
    person, project = home / "person", home / "shop"
    (person / ".claude").mkdir(parents=True)
    (project / "src" / "api").mkdir(parents=True)
    (project / ".git").mkdir()
    env = {**environment(home / "remanence"), "HOME": str(person)}
    connect = [sys.executable, "-m", "app.cli", "connect", "claude-code", "--yes"]
    subprocess.run(connect, env=env, capture_output=True, check=True, timeout=PATIENCE_S)
    commands = read_commands(person / ".claude" / "settings.json")
    with serving(home / "remanence"), open_client(home / "remanence") as desk:
        yield Host(commands, project, desk)


def work(host: Host) -> None:
    """Three sessions: in each an endpoint is written, and then it is deployed."""
    for name in ("order", "user", "item"):
        host.prompt(name, f"Let customers see their {name}s")
        file = host.project / "src" / "api" / f"{name}.ts"
        file.write_text(samples.zod(name), encoding="utf-8")
        host.use(name, "Write", file_path=str(file))
        for command in DEPLOY:
            host.use(name, "Bash", command=command)
        talks = host.desk.get("/v1/conversations").json()
        host.desk.post(f"/v1/conversations/{talks[0]['id']}/end").raise_for_status()
    host.desk.post("/consolidate", json={}).raise_for_status()


def test_what_was_learned_is_served_when_it_is_needed(tmp_path: Path) -> None:
    with connected(tmp_path) as host:
        work(host)
        assert [one["hint"] for one in host.desk.get("/v1/patterns").json()] == [
            "endpoint: route→zod→result→query→json"
        ]
        assert [one["hint"] for one in host.desk.get("/v1/workflows").json()] == ["deploy: test→build→stage"]

        def ask(session: str, text: str, line: str) -> str:
            """Asked again in another session where a machine too busy missed the hook's budget."""
            given: list[Call] = []

            def has_come() -> bool:
                given.append(host.prompt(f"{session}{len(given)}", text))
                return bool(given[-1].context) or len(given) > 3

            wait_for(has_come)
            assert line in given[-1].context, given[-1].context
            return str(host.receipt_of(f"{session}{len(given) - 1}", line)["reason"])

        assert ask("ordered", "Add an endpoint for the invoices", PATTERN).startswith("you ask for it: a code pattern")
        assert ask("deployed", "Deploy it to staging, please", WORKFLOW)

        host.prompt("new", "Customers want to see their invoices")
        host.use("new", "Write", file_path=str(host.project / "src" / "api" / "invoice.ts"))
        for text in ("Take the customer's number from the token", "Use the number of the account, too"):
            beside = host.prompt("new", text)  # a second one, in case that a busy machine missed the first
            if beside.context:
                break
        assert PATTERN in beside.context, beside.context
        assert host.receipt_of("new", PATTERN)["reason"].startswith(
            "files beside src/api/invoice.ts are built like this"
        )

        elsewhere = host.prompt("other", "Why is the logo blurred?")
        assert PATTERN not in elsewhere.context
        assert WORKFLOW not in elsewhere.context
