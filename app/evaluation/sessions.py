"""How good the memory is that real sessions leave behind: a labelled history is played through the app's own routes and scored;
also what is lost when time goes by, and what learned rules bring.

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
from typing import Any, NamedTuple

from app.evaluation.session_scores import (
    Given,
    Kept,
    KeptSource,
    Played,
    answered_questions,
    score_references,
    score_sessions,
    score_topics,
    stated_labels,
)

Ask = Callable[..., Any]
Row = Mapping[str, Any]

_APP = "claude-code"
_ENDED_BEFORE = timedelta(minutes=20)  # the stream's last prompt, before now: nothing is in the future
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


HORIZONS_DAYS = (30, 90, 365)
_RUN_EVERY_DAYS = 7


def evaluate_forgetting(
    ask: Ask, move_days: Callable[[int], datetime], rows: Sequence[Row], questions: Sequence[Row]
) -> tuple[int, dict[str, float]]:
    """How many statements and questions are held against, and the metrics by name, shares 0..1.

    `…_answers_lost` is of what a memory answered, whether or not a message answers it still; `…_message_answers_lost` of what
    only a message answered, which nobody forgets: it leaves with its conversation, the 21st newest. `move_days(n)` moves the engine's clock on and returns the new time. Raises ValueError where no row is labelled.
    """
    labelled = [place for place, row in enumerate(rows) if "act" in row]
    if not labelled:
        raise ValueError("no row is labelled")
    played_rows = rows[: labelled[-1] + 1]
    stream = stream_of(rows[0])
    has_judge = any(one["name"] == "judge" and one["value"] != "off" for one in ask("GET", "/v1/settings"))
    player = Player(ask, f"/w/{stream}", frozenset(), has_judge)
    kept = player.play(played_rows).kept
    own = [row for row in questions if row["stream"] == stream]
    stated, answers = stated_labels(kept, played_rows), _find_answers(player, kept, own)
    active_count = _active_count(kept)
    metrics: dict[str, float] = {
        "statements": len(stated), "questions_answered": len(answers.of_all), "questions_answered_by_memory": len(answers.of_memories),
        "memories": active_count,
    }  # fmt: skip
    for name, pass_days in (("rest", _rest), ("work", _work)):
        passed = 0
        for horizon in HORIZONS_DAYS:
            pass_days(ask, player, move_days, horizon - passed)
            passed = horizon
            now = player.kept()
            lost_said = len(stated - stated_labels(now, played_rows))
            left = _find_answers(player, now, own)
            metrics |= {
                f"{name}_{horizon}_statements_lost": _share(lost_said, len(stated)),
                f"{name}_{horizon}_answers_lost": _share_lost(answers.of_memories, left.of_memories),
                f"{name}_{horizon}_message_answers_lost": _share_lost(answers.of_messages, left.of_all),
                f"{name}_{horizon}_archived": _share(active_count - _active_count(now, kept), active_count),
            }
    return len(stated) + len(answers.of_all), metrics


def _rest(ask: Ask, player: Player, move_days: Callable[[int], datetime], days: int) -> None:
    del player
    move_days(days)
    ask("POST", "/consolidate", body={})


def _work(ask: Ask, player: Player, move_days: Callable[[int], datetime], days: int) -> None:
    for day in range(1, days + 1):
        player.work_a_day(move_days(1))
        if day % _RUN_EVERY_DAYS == 0:
            ask("POST", "/consolidate", body={})
    ask("POST", "/consolidate", body={})


class _Answers(NamedTuple):
    """Questions that are answered: by a memory or a message, and by a memory."""

    of_all: frozenset[str]
    of_memories: frozenset[str]

    @property
    def of_messages(self) -> frozenset[str]:
        """Those that no memory answers."""
        return self.of_all - self.of_memories


def _find_answers(player: Player, kept: Sequence[Kept], questions: Sequence[Row]) -> _Answers:
    hits = {str(row["question"]): player.search(str(row["question"])) for row in questions}
    return _Answers(
        answered_questions(kept, questions, hits), answered_questions(kept, questions, hits, by_memory=True)
    )


def _active_count(kept: Sequence[Kept], before: Sequence[Kept] = ()) -> int:
    """How many are active; with `before`, of those that were there then."""
    wanted = {one.id for one in before if one.status == "active"}
    return sum(one.status == "active" and (not before or one.id in wanted) for one in kept)


def _share_lost(before: frozenset[str], now: frozenset[str]) -> float:
    return _share(len(before - now), len(before))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# What an act may be called by our intents; an act that is in none is not judged.
_INTENTS_OF_ACT: Mapping[str, tuple[str, ...]] = {
    "order": ("EXECUTE", "PLAN", "TEST", "DEBUG", "REVIEW", "DOCUMENT"),
    "question": ("QUESTION",),
    "report": ("DEBUG",),
    "correction": ("CORRECT",),
    "information": ("INFORM",),
    "decision": ("INFORM", "PLAN", "EXECUTE"),
    "rule": ("INFORM", "PLAN"),
    "control": ("EXECUTE",),
}
_FEWEST = 5  # judged rows: fewer say nothing


@dataclass
class RulePlayer(Player):
    """Plays a stream in two parts; in the first a person corrects, where they do."""

    corrects: bool = False
    intents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _is_teaching: bool = False

    def teach(self, rows: Sequence[Row], last: Row) -> None:
        """Plays what is learned from, ends all conversations but the newest, and consolidates. `last`: the stream's last row."""
        self._is_teaching = True
        self.play_rows(rows, instant_of(last))
        self._is_teaching = False
        for one in self.ask("GET", "/v1/conversations")[1:]:
            if one["state"] in {"active", "paused"}:
                self.ask("POST", f"/v1/conversations/{one['id']}/end", body={})
        self.ask("POST", "/consolidate", body={})

    def note(self, row: Row, result: Mapping[str, Any]) -> None:
        super().note(row, result)
        self.intents[row["id"]] = tuple(one["intent"] for one in result["intents"])
        if self._is_teaching and self.corrects and "act" in row:
            self._correct(row, result)

    def _correct(self, row: Row, result: Mapping[str, Any]) -> None:
        number = result["message_id"]
        right = _INTENTS_OF_ACT.get(row["act"], ())
        if right and not set(right) & set(self.intents[row["id"]][:1]):
            self.ask("PATCH", f"/v1/messages/{number}", body={"intents": [right[0]]})
        if row["starts_topic"] and not result["is_new_conversation"]:
            self.ask("POST", f"/v1/conversations/{result['conversation_id']}/split", body={"message_id": number})


def cut(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """What is learned from, and what is judged: the labelled rows in two halves by time. Raises ValueError for too few."""
    labelled = [place for place, row in enumerate(rows) if "act" in row]
    if len(labelled) < 2 * _FEWEST:
        raise ValueError(f"{len(labelled)} rows are labelled, {2 * _FEWEST} are needed")
    middle = labelled[len(labelled) // 2]
    return rows[:middle], rows[middle : labelled[-1] + 1]


def evaluate_rules(ask: Ask, rows: Sequence[Row], *, corrects: bool) -> dict[str, float]:
    """How well the second half is understood: shares 0..1 and counts. `ask` answers from an empty store."""
    taught, judged = cut(rows)
    player = RulePlayer(ask, f"/w/{rows[0]['id'].rsplit('-', 1)[0]}", frozenset(), False, corrects=corrects)
    player.teach(taught, judged[-1])
    player.play_rows(judged, instant_of(judged[-1]))
    scored = score_topics(player.is_new, judged) | score_references(player.references, judged)
    metrics = {name: value for name, value in scored.items() if value is not None}
    acts = [row for row in judged if row["act"] in _INTENTS_OF_ACT]
    right = sum(bool(set(_INTENTS_OF_ACT[row["act"]]) & set(player.intents[row["id"]][:1])) for row in acts)
    metrics["intent_accuracy"] = right / len(acts)
    rules = ask("GET", "/v1/rules")
    for kind in sorted({one["kind"] for one in rules}):
        metrics[f"{kind}_rules"] = sum(one["kind"] == kind for one in rules)
    metrics["judgements_changed"] = sum(one["changed_count"] for one in rules)
    return metrics
