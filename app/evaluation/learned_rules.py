"""What learned rules bring: a labelled history, cut by time, is played with and without them.

The first part is played and consolidated, so that its conversations teach; the rest is judged, each message before anything comes
after it. `corrected`: in the first part a person put right what was judged wrong, as the labels say it. Owns the cut and the
corrections; `session_scores` holds against the labels. Source: S1 "With Long-Term Memory", issue 17 "Rules".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.evaluation.session_scores import score_references, score_topics
from app.evaluation.sessions import Ask, Player, Row, instant_of

# What an act may be called by our intents; an act that stands in none is not judged.
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
