"""S6: made-up secrets go in by every door, and not one byte of them stands in any file, while running and after."""

import json
import random
from binascii import a2b_base64
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from app.api import Engine, Places, Scope
from app.capture.hook_files import write_hook_conf
from tests.app.privacy.secret_samples import SHAPES
from tests.flows.processes import environment, run_hook, serving, wait_for
from tests.patience import PATIENCE_S

PROSE = ("the database password is {}", "login with user admin and password {}", "export DB_PASSWORD={}")
URLS = ("postgres://app:{}@db.internal/main", "git clone https://bot:{}@git.internal/x.git")


@dataclass
class Planted:
    """The secrets that were said so far, and one ordinary word per door to prove that its text arrived."""

    chance: random.Random = field(default_factory=lambda: random.Random(20))
    secrets: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def shapes(self, count: int) -> list[str]:
        names = self.chance.sample(sorted(SHAPES), count)
        made = [SHAPES[name](self.chance) for name in names]
        self.secrets += made
        return made

    def password(self) -> str:
        letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        made = "".join(self.chance.choice(letters) for _ in range(11)) + "7!x"
        self.secrets.append(made)
        return made

    def sentences(self, door: str, count: int = 4) -> list[str]:
        """Prompts that each hold a secret, structured ones, prose and URLs."""
        word = f"lighthouse{len(self.words)}"
        self.words.append(word)
        texts = [f"{word} {door}: use {secret} for the deploy" for secret in self.shapes(count)]
        texts += [f"{word} {pattern.format(self.password())}" for pattern in (*PROSE, *URLS)]
        return texts


def read_all(home: Path) -> dict[Path, bytes]:
    """Every file below the folder; what the spool keeps as base64 is read as what it says."""
    found = {}
    for path in home.rglob("*"):
        try:
            if path.is_file():
                found[path] = path.read_bytes()
        except FileNotFoundError:
            continue  # a journal of SQLite or a spool that was just taken in
        if path.parent.name == "spool":
            for line in found.get(path, b"").splitlines():
                fields = json.loads(line)
                found[path] += a2b_base64(fields["body"]) + a2b_base64(fields["cwd"])
    return found


def leaks(home: Path, planted: Planted) -> list[str]:
    """Each secret that stands in a file, by its first characters; a key of many lines by any of them."""
    files = read_all(home)
    parts = [part for secret in planted.secrets for part in secret.splitlines() if len(part) >= 8 and " " not in part]
    return [f"{part[:9]}… in {path.name}" for part in parts for path, data in files.items() if part.encode() in data]


def has_word(home: Path, word: str) -> bool:
    return any(word.encode() in data for data in read_all(home).values())


def connect(home: Path, **flags: object) -> str:
    engine = Engine.open(Places.under(home), flags=flags)
    _, token = engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE, Scope.WRITE, Scope.READ}))
    write_hook_conf(engine.places.state_dir, "claude-code", {"token": token})
    engine.close()
    return token


def client(home: Path, token: str) -> httpx.Client:
    transport = httpx.HTTPTransport(uds=str(home / "state" / "capture.sock"))
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(transport=transport, base_url="http://localhost", headers=headers, timeout=PATIENCE_S)


def by_socket(line: httpx.Client, planted: Planted) -> None:
    for number, text in enumerate(planted.sentences("socket")):
        assert line.post("/v1/events", json={"text": text, "session": "s1", "key": f"k{number}"}).status_code == 200
    names = ("session", "key", "cwd", "project_root", "git_branch", "prompt_id", "agent_id", "transcript_path")
    for name, secret in zip(names, planted.shapes(len(names)), strict=True):
        value = secret if name in {"session", "key"} else f"/w/{secret.splitlines()[0]}"
        answer = line.post("/v1/events", json={"text": f"what about {name}", name: value[:500]})
        assert answer.status_code == 200, answer.text
    command, file, response = planted.shapes(3)
    tool = {"tool_name": "Bash", "tool_input": {"command": f"curl -H 'Authorization: Bearer {command}' -o /w/{file} x"}}
    tool["tool_response"] = {"stdout": response, "exit_code": 1}
    assert line.post("/v1/events", json={"kind": "tool", "session": "s1", "payload": tool}).status_code == 200
    written = {"tool_name": "Write", "tool_input": {"file_path": f"/w/{planted.shapes(1)[0]}", "content": response}}
    assert line.post("/v1/events", json={"kind": "tool", "session": "s1", "payload": written}).status_code == 200
    secret = planted.password()
    assert line.patch("/v1/conversations/1", json={"title": f"The password is {secret}"}).status_code in {200, 204}
    for text in planted.sentences("window", 1):
        assert line.post("/v1/window", json={"text": text, "session": "w"}).status_code == 200


def by_hook(home: Path, planted: Planted, tmp_path: Path) -> None:
    for number, text in enumerate(planted.sentences("hook")):
        body = {"session_id": "h1", "cwd": "/w/app", "prompt": text, "prompt_id": f"p{len(planted.words)}-{number}"}
        assert run_hook(home, "prompt", json.dumps(body).encode()).returncode == 0
    session, branch, folder, command = planted.shapes(4)
    working = tmp_path / "work" / folder.replace("/", "_").splitlines()[0][:200]
    working.mkdir(parents=True, exist_ok=True)
    body = {"session_id": session[:500], "git_branch": f"feature/{branch}", "prompt": "and what about the folder"}
    assert run_hook(home, "prompt", json.dumps(body).encode(), cwd=working).returncode == 0
    tool = {"session_id": "h1", "tool_name": "Bash", "tool_input": {"command": f"deploy --token={command}"}}
    assert run_hook(home, "tool", json.dumps(tool).encode()).returncode == 0


def write_transcript(path: Path, planted: Planted) -> None:
    lines = []
    for number, text in enumerate(planted.sentences("import")):
        lines.append(
            {
                "type": "user", "uuid": f"u{number}", "sessionId": "imported", "cwd": "/w/app", "gitBranch": "main",
                "timestamp": f"2026-01-05T09:0{number}:00.000Z", "version": "2.0.0", "isSidechain": False,
                "message": {"role": "user", "content": text},
            }
        )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_own_history(path: Path, exported: Path, planted: Planted) -> None:
    """One of our own exports into which somebody wrote secrets by hand."""
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    word, secret = f"lighthouse{len(planted.words)}", planted.shapes(1)[0]
    planted.words.append(word)
    for line in lines:
        for number, message in enumerate(line["messages"]):
            kept = f"{word} {number} uses {secret} and password is {planted.password()}"
            line["messages"][number] = {name: kept if name == "user" else value for name, value in message.items()}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def engine_import(home: Path, source: str, path: Path) -> None:
    with closing(Engine.open(Places.under(home))) as engine:
        assert engine.transfer.import_history(source, path).message_count > 0
        assert engine.events.wait_idle(PATIENCE_S)


def test_no_secret_reaches_a_file_by_any_door(tmp_path: Path) -> None:
    home, planted = tmp_path / "home", Planted()
    token = connect(home)
    by_hook(home, planted, tmp_path)
    assert leaks(home, planted) == [], "in the spool"
    assert has_word(home, planted.words[-1])
    with serving(home):
        with client(home, token) as line:
            by_socket(line, planted)
            assert leaks(home, planted) == [], "while running, by socket"
            by_hook(home, planted, tmp_path)
            assert leaks(home, planted) == [], "while running, by hook"
            wait_for(lambda: line.get("/v1/stats").json()["event_pending_count"] == 0)
        assert leaks(home, planted) == [], "while running"
    write_transcript(tmp_path / "projects" / "p" / "imported.jsonl", planted)
    engine_import(home, "claude-code", tmp_path / "projects")
    engine = Engine.open(Places.under(home))
    engine.transfer.export("history", tmp_path / "ours.jsonl")
    engine.backups.create()
    engine.close()
    write_own_history(tmp_path / "edited.jsonl", tmp_path / "ours.jsonl", planted)
    other = tmp_path / "other"
    engine_import(other, "seed-history", tmp_path / "edited.jsonl")
    assert leaks(home, planted) + leaks(other, planted) == []
    arrived = [word for word in planted.words if has_word(home, word) or has_word(other, word)]
    assert arrived == planted.words, "every door let its ordinary words in"
    assert len(planted.secrets) > 60
    assert [name for name in planted.secrets if name.encode() in (tmp_path / "ours.jsonl").read_bytes()] == []


@pytest.mark.parametrize("is_redacting", [True, False])
def test_the_search_would_find_a_secret(tmp_path: Path, is_redacting: bool) -> None:
    home, planted = tmp_path / "home", Planted()
    with closing(Engine.open(Places.under(home), flags={"is_redacting": is_redacting})) as engine:
        for text in planted.sentences("here"):
            engine.window.log(text)
        assert bool(leaks(home, planted)) is not is_redacting
    assert environment(home)["REMANENCE_HOME"] == str(home)
