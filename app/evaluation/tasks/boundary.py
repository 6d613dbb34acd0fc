"""Scores the boundary decider on streams of messages: dev-domain, specstory, TIAGE.

Messages go in one after the other as in the app: after a predicted boundary the history restarts with the new
conversation. The first message of a stream is a trivial boundary and is not counted; where the app would ask,
what it leans to counts. Source: eval/README, Boundaries; Beeferman 1999 (Pk), Pevzner & Hearst 2002 (WindowDiff).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.deciders.conversation.boundary.boundary import BoundaryRules, detect_boundary
from app.deciders.conversation.boundary.factors import HISTORY_COUNT
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.resolution import ReferenceRules, resolve_references
from app.deciders.conversation.summary import shorten_words
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.resources import load_rules
from app.values.understanding import BoundaryDecision, BoundaryInput, PriorMessage

_MAX_ERROR_CHARS = 120
_WINDOW_COUNT = 10  # S2: references look at the last ten messages


@dataclass(frozen=True, slots=True)
class Stream:
    """Messages of one person in order, with the marks of a human."""

    id: str
    messages: tuple[PriorMessage, ...]
    is_start: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Analyzer:
    """Runs entities, references and the boundary over a stream as capture does."""

    entities: EntityRules
    references: ReferenceRules
    boundary: BoundaryRules

    @classmethod
    def load(cls) -> "_Analyzer":
        return cls(
            entities=EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer"))),
            references=ReferenceRules.parse(load_rules("references")),
            boundary=BoundaryRules.parse(load_rules("boundary")),
        )

    def decide(self, stream: Stream) -> list[BoundaryDecision]:
        """One decision per message, each seeing only the conversation that the earlier decisions left."""
        history: list[PriorMessage] = []
        decisions: list[BoundaryDecision] = []
        for plain in stream.messages:
            message = self._understand(plain, history)
            given = BoundaryInput(
                text=message.text,
                at=message.at,
                entities=message.entities,
                references=message.references,
                history=tuple(history[-HISTORY_COUNT:]),
            )
            decision = detect_boundary(given, self.boundary)
            decisions.append(decision)
            if decision.leaning:
                history.clear()
            history.append(message)
        return decisions

    def _understand(self, message: PriorMessage, history: Sequence[PriorMessage]) -> PriorMessage:
        entities = extract_entities(message.text, self.entities)
        window = history[-_WINDOW_COUNT:]
        references = resolve_references(message.text, entities, window, self.references)
        return replace(message, entities=entities, references=references)


def evaluate(rows: Iterable[Mapping[str, Any]]) -> Evaluation:
    """F1, precision and recall at the exact message, Pk, WindowDiff and the share of questions asked."""
    analyzer = _Analyzer.load()
    streams = read_streams(rows)
    decided = [analyzer.decide(stream) for stream in streams]
    pairs = [
        (is_start, decision.leaning, decision.is_new is None)
        for stream, decisions in zip(streams, decided, strict=True)
        for is_start, decision in list(zip(stream.is_start, decisions, strict=True))[1:]
    ]
    metrics = measure_hits(pairs)
    metrics |= measure_windows(
        [
            (stream.is_start, tuple(decision.leaning for decision in decisions))
            for stream, decisions in zip(streams, decided, strict=True)
        ]
    )
    metrics["asked"] = sum(is_asked for _, _, is_asked in pairs) / len(pairs) if pairs else 0.0
    return Evaluation(task="boundary", n=len(pairs), metrics=metrics, errors=_collect_errors(streams, decided))


def read_streams(rows: Iterable[Mapping[str, Any]]) -> list[Stream]:
    """Streams out of the three forms: `messages`, `texts`, or one message a row (one stream)."""
    streams: list[Stream] = []
    single: list[Mapping[str, Any]] = []
    for row in rows:
        if "messages" in row:
            streams.append(_make_stream(str(row["id"]), row["messages"]))
        elif "texts" in row:
            marks = zip(row["texts"], row["boundary"], strict=True)
            streams.append(_make_stream(str(row["id"]), [{"text": text, "boundary": mark} for text, mark in marks]))
        else:
            single.append(row)
    if single:
        streams.append(_make_stream("messages", single))
    return streams


def _make_stream(stream_id: str, entries: Sequence[Mapping[str, Any]]) -> Stream:
    messages = tuple(
        PriorMessage(id=number, at=_read_instant(entry.get("when")), text=str(entry["text"]))
        for number, entry in enumerate(entries, 1)
    )
    return Stream(stream_id, messages, tuple(bool(entry["boundary"]) for entry in entries))


def _read_instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def measure_hits(pairs: Sequence[tuple[bool, bool, bool]]) -> dict[str, float]:
    hits = sum(truth and predicted for truth, predicted, _ in pairs)
    predicted_count = sum(predicted for _, predicted, _ in pairs)
    true_count = sum(truth for truth, _, _ in pairs)
    precision = hits / predicted_count if predicted_count else 0.0
    recall = hits / true_count if true_count else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}


def measure_windows(streams: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> dict[str, float]:
    """Pk and WindowDiff over windows of k steps, k half the mean true segment of the whole set."""
    message_count = sum(len(truth) for truth, _ in streams)
    segment_count = sum(1 + sum(truth[1:]) for truth, _ in streams)
    if not segment_count:
        return {"pk": 0.0, "windowdiff": 0.0}
    k = max(1, round(message_count / segment_count / 2))
    windows = [
        (sum(truth[start + 1 : start + k + 1]), sum(predicted[start + 1 : start + k + 1]))
        for truth, predicted in streams
        for start in range(len(truth) - k)
    ]
    if not windows:
        return {"pk": 0.0, "windowdiff": 0.0}
    return {
        "pk": sum((truth == 0) != (predicted == 0) for truth, predicted in windows) / len(windows),
        "windowdiff": sum(truth != predicted for truth, predicted in windows) / len(windows),
    }


def _collect_errors(
    streams: Sequence[Stream], decided: Sequence[Sequence[BoundaryDecision]]
) -> tuple[EvaluationError, ...]:
    """The surest wrong decisions first."""
    wrong = [
        (decision, message, is_start)
        for stream, decisions in zip(streams, decided, strict=True)
        for decision, message, is_start in list(zip(decisions, stream.messages, stream.is_start, strict=True))[1:]
        if decision.leaning != is_start
    ]
    wrong.sort(key=lambda entry: -entry[0].confidence)
    return tuple(
        EvaluationError(
            expected="new" if is_start else "continues",
            got="new" if decision.leaning else "continues",
            text=shorten_words(message.text, _MAX_ERROR_CHARS),
            note=f"{decision.confidence:.2f} {decision.reason}",
        )
        for decision, message, is_start in wrong[:MAX_ERROR_COUNT]
    )
