"""How good the memory is that real sessions leave behind: a labelled history is played through the app's own routes and scored.

A session start, prompts, tool uses and ends of answers come in as a host sends them, in order; a judge, where one is set, is asked
before each session start and at the end. Then what was kept, closed, given and found is held against what a careful reader wrote
down. Owns the walk through the stream; `session_scores` compares. Knows no store and no server, only a way to ask. Source: issue 16,
eval/README "Real sessions".
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from app.evaluation.session_scores import Given, Kept, KeptSource, Played, score_sessions

Ask = Callable[..., Any]
Row = Mapping[str, Any]

_APP = "claude-code"
_ENDED_BEFORE = timedelta(minutes=20)  # the stream's last prompt, before now: nothing lies in the future
TOOLS_MAX = 12  # of one turn
_ANSWER_AFTER = timedelta(seconds=50)
_PAGE = 200
_WAIT_S = 600.0
_LOOK_EVERY_S = 0.005


def evaluate_sessions(
    ask: Ask, rows: Sequence[Row], starts: Sequence[Row] = (), questions: Sequence[Row] = ()
) -> tuple[int, dict[str, float]]:
    """How many rows are labelled, and the metrics of eval/README by name; one that has nothing to count is left out.

    `ask(method, path, query=…, body=…)` answers from an empty store. `starts` and `questions` of other streams are passed over.
    Raises ValueError where no row is labelled.
    """
    labelled = [place for place, row in enumerate(rows) if "act" in row]
    if not labelled:
        raise ValueError("no row is labelled")
    played_rows = rows[: labelled[-1] + 1]  # what comes later would change what is judged
    stream = stream_of(rows[0])
    own_starts = [row for row in starts if row["stream"] == stream]
    wanted = frozenset(str(row["session"]) for row in own_starts)
    player = Player(ask, f"/w/{stream}", wanted, is_judged(ask))
    played = player.play(played_rows)
    hits = {str(row["question"]): player.search(str(row["question"])) for row in questions if row["stream"] == stream}
    own_questions = [row for row in questions if row["stream"] == stream]
    metrics = score_sessions(played_rows, played, own_starts, own_questions, hits)
    spent = ask("GET", "/v1/stats").get("judge_token_count")
    if spent:
        metrics["judge_tokens_per_100"] = 100 * spent / len(played_rows)
    return len(labelled), metrics


def is_judged(ask: Ask) -> bool:
    return any(one["name"] == "judge" and one["value"] != "off" for one in ask("GET", "/v1/settings"))


def stream_of(row: Row) -> str:
    return str(row["id"]).rsplit("-", 1)[0]


@dataclass
class Player:
    """Plays one stream and remembers which message is which row."""

    ask: Ask
    project: str
    wanted_starts: frozenset[str]
    has_judge: bool
    row_of_message: dict[int, str] = field(default_factory=dict)
    is_new: dict[str, bool] = field(default_factory=dict)
    references: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    starts: dict[str, Given] = field(default_factory=dict)
    first_prompts: dict[str, Given] = field(default_factory=dict)
    _sessions: dict[str, str] = field(default_factory=dict)

    def play(self, rows: Sequence[Row]) -> Played:
        self.play_rows(rows, instant_of(rows[-1]))
        return Played(self.kept(), self.starts, self.first_prompts, self.is_new, self.references)

    def play_rows(self, rows: Sequence[Row], last_at: datetime) -> None:
        """Plays rows as if the stream, whose last row is of `last_at`, ended a moment ago."""
        shift = datetime.now(UTC) - _ENDED_BEFORE - last_at
        for row in rows:
            at = instant_of(row) + shift
            is_first = row["session"] not in self._sessions
            session = self._sessions.setdefault(row["session"], str(uuid.uuid4()))
            host = {"session_id": session, "cwd": self.project, "timestamp": at.isoformat()}
            is_wanted = is_first and row["session"] in self.wanted_starts
            if is_first:
                self._start(row, host, at)
            if is_wanted:
                self._type_by_hook(row, host, at)
            else:
                self._type(row, session, at)
            self._work(row, host, at)
        self._let_judge_read()

    def session_of(self, row: Row) -> str:
        """As the host of this play calls it."""
        return self._sessions[row["session"]]

    def search(self, question: str) -> list[tuple[str, int | None, str | None]]:
        """The first five hits: text, memory's number, row of the message."""
        asked = {"q": question, "limit": 5, "project": self.project}
        found = self.ask("GET", "/v1/search", query=asked)["hits"]
        return [
            (
                str(hit["text"]),
                hit["card"]["id"] if hit.get("card") else None,
                self.row_of_message.get(hit.get("message_id") or 0),
            )
            for hit in found
        ]

    def work_a_day(self, at: datetime) -> None:
        """A session of one prompt that says nothing and ends: a day on which the project was worked on, and what it was given was of no use."""
        session = str(uuid.uuid4())
        host = {"session_id": session, "cwd": self.project, "timestamp": at.isoformat()}
        self._hook("start", {**host, "hook_event_name": "SessionStart", "source": "startup"}, at)
        self._hook(
            "prompt", {**host, "hook_event_name": "UserPromptSubmit", "prompt": "continue", "prompt_id": session}, at
        )
        self._hook("end", {**host, "hook_event_name": "SessionEnd", "reason": "other"}, at)
        self._settle()

    def _start(self, row: Row, host: Mapping[str, str], at: datetime) -> None:
        self._let_judge_read()
        answer = self._hook("start", {**host, "hook_event_name": "SessionStart", "source": "startup"}, at)
        if row["session"] in self.wanted_starts:
            self.starts[row["session"]] = Given.of_hook(answer)

    def _type_by_hook(self, row: Row, host: Mapping[str, str], at: datetime) -> None:
        body = {**host, "hook_event_name": "UserPromptSubmit", "prompt": row["text"], "prompt_id": row["id"]}
        self.first_prompts[row["session"]] = Given.of_hook(self._hook("prompt", body, at))
        self._settle()
        newest = self.ask("GET", "/v1/conversations")[0]["id"]
        message = self.ask("GET", f"/v1/conversations/{newest}")["messages"][-1]
        # the conversation's own list has each reference behind its number
        references = [one[-1] if isinstance(one, list) else one for one in message["references"]]
        self.note(
            row,
            {
                **message,
                "message_id": message["id"],
                "is_new_conversation": message["boundary"]["is_start"],
                "references": references,
            },
        )

    def _type(self, row: Row, session: str, at: datetime) -> None:
        event = {
            "app": _APP, "kind": "prompt", "key": row["id"], "session": session, "cwd": self.project,
            "project": self.project, "text": row["text"], "at": at.isoformat(),
        }  # fmt: skip
        result = self.ask("POST", "/v1/events", body={"events": [event]})["results"][0]
        while result["state"] == "pending":
            self._settle()
            result = self.ask("POST", "/v1/events", body={"events": [event]})["results"][0]
        self.note(row, result)

    def note(self, row: Row, result: Mapping[str, Any]) -> None:
        """Remembers what came of a prompt."""
        self.row_of_message[result["message_id"]] = row["id"]
        self.is_new[row["id"]] = bool(result["is_new_conversation"])
        self.references[row["id"]] = list(result["references"])

    def _work(self, row: Row, host: Mapping[str, str], at: datetime) -> None:
        for place, tool in enumerate(row.get("tools", ())[:TOOLS_MAX], 1):
            body = {
                **host, "hook_event_name": "PostToolUse", "tool_name": tool["name"], "tool_input": tool["input"],
                "tool_response": {"stdout": tool["result"]}, "tool_use_id": f"{row['id']}-{place}",
            }  # fmt: skip
            self._hook("tool", body, at + timedelta(seconds=place))
        if row.get("answer"):
            body = {
                **host,
                "hook_event_name": "Stop",
                "last_assistant_message": row["answer"],
                "turn_id": f"{row['id']}-answer",
            }
            self._hook("stop", body, at + _ANSWER_AFTER)
        self._settle()

    def _hook(self, event: str, body: Mapping[str, object], at: datetime) -> Any:
        query = {"key": uuid.uuid4().hex, "cwd": self.project, "time_ns": str(int(at.timestamp() * 1e9))}
        return self.ask("POST", f"/v1/hook/{_APP}/{event}", query=query, body=body)

    def _settle(self) -> None:
        self._wait_for("event_pending_count")

    def _let_judge_read(self) -> None:
        if self.has_judge:
            self.ask("POST", "/v1/judge", body={})
            self._wait_for("judge_pending_count")

    def _wait_for(self, count: str) -> None:
        until_s = time.monotonic() + _WAIT_S
        while self.ask("GET", "/v1/stats")[count]:
            if time.monotonic() > until_s:
                raise TimeoutError(f"{count} does not come to an end")
            time.sleep(_LOOK_EVERY_S)

    def kept(self) -> tuple[Kept, ...]:
        kept: list[Kept] = []
        total = 1
        start = 0
        while start < total:
            page = self.ask("GET", "/v1/memories", query={"start": start, "limit": _PAGE})
            total = page["total"] if page["cards"] else 0
            start += len(page["cards"])
            kept += [self._read(self.ask("GET", f"/v1/memories/{card['id']}")) for card in page["cards"]]
        return tuple(kept)

    def _read(self, whole: Mapping[str, Any]) -> Kept:
        memory = whole["memory"]
        sources = [
            KeptSource(self.row_of_message.get(one["message_id"] or 0), one["start"], one["end"])
            for one in whole["sources"]
        ]
        return Kept(
            int(memory["id"]),
            memory["levels"]["full"]["text"],
            memory["kind"],
            memory["status"],
            tuple(sources),
            superseded_by=memory.get("superseded_by_id"),
            closed_by=self.row_of_message.get(memory.get("closed_by_message_id") or 0),
            contradicts=tuple(whole.get("contradiction_ids") or ()),
        )


def instant_of(row: Row) -> datetime:
    return datetime.fromisoformat(str(row["when"]))
