"""Issue 2, to show 3: a labelled stream of real messages, once through the socket and once as transcripts through the importer.

`python -m tests.flows.real_stream FILE.jsonl` prints what stood in the queue and whether it is what had to stand there: the twenty
conversations spoken in last, the active one whole, the same after saying all of it twice, the same after a restart. FILE has
the shape of `specstory-stream`: `{id, messages: [{when, session, text, …}]}`. `test_real_stream.py` plays a small one of our own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.flows.processes import PATIENCE_S, environment, serving, wait_for
from tests.flows.scripted_session import open_client

QUEUE_SIZE = 20


@dataclass(frozen=True)
class Said:
    key: str
    at: str
    session: str
    project: str
    text: str


@dataclass
class Outcome:
    """What one way of telling the stream left behind. `problems` is empty when all holds."""

    queue: list[dict[str, Any]]
    message_count: int
    took_s: float
    problems: list[str] = field(default_factory=list)


def read_stream(path: Path) -> list[Said]:
    """Every message in the order of its time."""
    found = [
        Said(f"{stream['id']}-{number}", one["when"], f"{stream['id']}-{one['session']}", stream["id"], one["text"])
        for stream in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        for number, one in enumerate(stream["messages"])
    ]
    return sorted(found, key=lambda said: said.at)


def through_socket(said: list[Said], home: Path) -> Outcome:
    """Every message as one event, its sender waiting until it is understood; then all of it again; then a restart."""
    spoken: dict[int, list[str]] = {}  # conversation → texts, as the answers said
    order: list[int] = []  # conversations, the one spoken in last at the end
    problems = []
    with serving(home), open_client(home) as desk:
        begun = time.monotonic()
        for one in said:
            answer = _send(desk, one)
            where = answer["conversation_id"]
            if where is None:
                problems.append(f"{one.key} was not understood in time: {answer['state']} {answer['error']}")
                continue
            spoken.setdefault(where, []).append(one.text)
            order = [each for each in order if each != where] + [where]
        took_s = time.monotonic() - begun
        wait_for(lambda: desk.get("/v1/stats").json()["event_pending_count"] == 0)
        first = _queue(desk)
        problems += _missing(first, order) + _not_whole(desk, first, spoken)
        again = [_send(desk, one) for one in said]
        problems += [f"{answer['key']} was taken twice" for answer in again if not answer["is_duplicate"]]
        problems += _differs("saying it twice", first, _queue(desk))
        count = _message_count(desk)
    with serving(home), open_client(home) as desk:
        problems += _differs("a restart", first, _queue(desk))
    return Outcome(first, count, took_s, problems)


def through_importer(said: list[Said], home: Path) -> Outcome:
    """The same messages as Claude Code's transcripts, read twice by the command line; then a restart."""
    folder = home / "transcripts"
    write_transcripts(said, folder)
    begun = time.monotonic()
    _import(home, folder)
    took_s = time.monotonic() - begun
    problems: list[str] = []
    with serving(home), open_client(home) as desk:
        first, count = _queue(desk), _message_count(desk)
    _import(home, folder)
    with serving(home), open_client(home) as desk:
        problems += _differs("reading it twice and a restart", first, _queue(desk))
        if (now := _message_count(desk)) != count:
            problems.append(f"reading it twice made {now} messages of {count}")
    sessions = {one.session: one.at for one in said}
    newest = max(sessions, key=sessions.__getitem__)
    if _uuid(newest) not in {one["session"] for one in first}:
        problems.append("the session spoken in last is not in the queue")
    return Outcome(first, count, took_s, problems)


def write_transcripts(said: list[Said], folder: Path) -> None:
    """One file a session, in the shape that Claude Code writes: prompt, answer."""
    for session in dict.fromkeys(one.session for one in said):
        lines = [line for one in said if one.session == session for line in _lines(one)]
        project = folder / "projects" / f"-w-{lines[0]['cwd'][3:]}"
        project.mkdir(parents=True, exist_ok=True)
        name = f"{_uuid(session)}.jsonl"
        (project / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _lines(one: Said) -> Iterator[dict[str, Any]]:
    contents = (("user", one.text), ("assistant", [{"type": "text", "text": "Done."}]))
    for role, content in contents:
        yield {
            "type": role, "uuid": _uuid(f"{one.key} {role}"), "sessionId": _uuid(one.session), "timestamp": one.at,
            "cwd": f"/w/{one.project}", "gitBranch": "main", "isSidechain": False, "version": "2.1.0",
            "message": {"role": role, "content": content},
        }  # fmt: skip


def _uuid(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def _send(desk: httpx.Client, one: Said) -> dict[str, Any]:
    project = f"/w/{one.project}"
    event = {
        "app": "claude-code", "key": one.key, "at": one.at, "session": _uuid(one.session), "text": one.text,
        "cwd": project, "project_root": project, "wait": "understood",
    }  # fmt: skip
    answer = desk.post("/v1/events", json=event)
    answer.raise_for_status()
    (result,) = answer.json()["results"]
    if result["conversation_id"] is None and not result["is_duplicate"]:  # it took longer than the answer waits
        wait_for(lambda: desk.get("/v1/stats").json()["event_pending_count"] == 0)
        (result,) = desk.post("/v1/events", json=event).json()["results"]
        result = {**result, **_place_of(desk, result["message_id"])}
    return dict(result)


def _place_of(desk: httpx.Client, message_id: int | None) -> dict[str, Any]:
    if message_id is None:
        return {}
    for card in _queue(desk):
        messages = desk.get(f"/v1/conversations/{card['id']}").json()["messages"]
        if any(message["id"] == message_id for message in messages):
            return {"conversation_id": card["id"]}
    return {}


def _queue(desk: httpx.Client) -> list[dict[str, Any]]:
    return [dict(card) for card in desk.get("/v1/conversations").json()]


def _message_count(desk: httpx.Client) -> int:
    return int(desk.get("/v1/stats").json()["message_count"])


def _missing(queue: list[dict[str, Any]], order: list[int]) -> list[str]:
    """The twenty spoken in last must stand there, and nothing else."""
    due, found = set(order[-QUEUE_SIZE:]), {card["id"] for card in queue}
    wrong = [f"conversation {one} should not have left" for one in sorted(due - found)]
    return wrong + [f"conversation {one} should have left" for one in sorted(found - due)]


def _not_whole(desk: httpx.Client, queue: list[dict[str, Any]], spoken: dict[int, list[str]]) -> list[str]:
    wrong = []
    for card in queue:
        kept = len(desk.get(f"/v1/conversations/{card['id']}").json()["messages"])
        if kept != len(spoken.get(card["id"], ())):
            wrong.append(f"conversation {card['id']} holds {kept} messages of {len(spoken.get(card['id'], ()))}")
    return wrong


def _differs(when: str, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    return [] if before == after else [f"the queue looks different after {when}"]


def _import(home: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "app.cli", "import", "claude-code", str(folder)]
    subprocess.run(command, env=environment(home), capture_output=True, check=True, timeout=PATIENCE_S * PATIENCE_S)


def tell(name: str, outcome: Outcome, said: list[Said]) -> Iterator[str]:
    """The outcome as lines."""
    yield f"=== {name}: {len(said)} messages in {outcome.took_s:.1f} s, {outcome.message_count} kept in {len(outcome.queue)} conversations"
    for card in outcome.queue:
        flags = "".join(
            mark for key, mark in (("is_next_out", " (next to go)"), ("has_clarification", " (asks)")) if card[key]
        )
        state = f"{card['state']:<7} {card['outcome']:<11}"
        yield f"{card['position']:>3}  {card['last_message_at'][:16]}  {state} {card['message_count']:>3}  {card['title']}{flags}"
    yield from (f"  WRONG: {problem}" for problem in outcome.problems)
    yield "  everything holds" if not outcome.problems else f"  {len(outcome.problems)} problems"


def pictures(outcome: Outcome) -> list[tuple[object, ...]]:
    """What a person sees of each conversation, whichever way it came in: place, title, messages, time of the last."""
    shown = ("position", "title", "message_count", "last_message_at", "outcome")
    return [tuple(card[name] for name in shown) for card in outcome.queue]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    said = read_stream(parser.parse_args().file)
    ways: dict[str, Callable[[list[Said], Path], Outcome]] = {"socket": through_socket, "importer": through_importer}
    outcomes = {}
    for name, way in ways.items():
        with tempfile.TemporaryDirectory(prefix="remanence-stream-") as folder:
            outcomes[name] = way(said, Path(folder))
        print("\n".join(tell(name, outcomes[name], said)), flush=True)
    is_same = pictures(outcomes["socket"]) == pictures(outcomes["importer"])
    print(f"both ways left the same conversations: {'yes' if is_same else 'NO'}")
    return 1 if any(outcome.problems for outcome in outcomes.values()) or not is_same else 0


if __name__ == "__main__":
    sys.exit(main())
