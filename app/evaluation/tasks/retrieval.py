"""Scores retrieval: long chats (a memory is one turn, the pool its conversation) and memory queries. Source: eval/README.

Recall at k is the mean share of a question's evidence among the first k memories; what was judged not to fit and is only shown as
"nearest" counts at its place, and `silent` says how often that was so. `current_first`: the fact in force is above the one
it replaced. Milliseconds are of the whole search, hits with texts and reasons.
"""

import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.evaluation.tasks.temporary_store import Statement, open_pool
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError, mean_of, texts_of

BESIDE = ("queries", "pairs")  # the pool of a file of queries is beside it under this other name
_DEPTHS = (1, 5, 10, 20)
_START = datetime(2024, 1, 1, tzinfo=UTC)
_WHEN = "%I:%M %p on %d %B, %Y"
_Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    relevant: frozenset[int]  # places in the pool
    current: frozenset[int] = frozenset()
    category: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation: what was said, what is asked."""

    statements: tuple[Statement, ...]
    questions: tuple[Question, ...]


def evaluate(rows: list[dict[str, object]], beside: Sequence[_Row] = ()) -> Evaluation:
    """Metrics of the module docstring over `rows`; `beside`: the pairs that hold the pool of a file of queries."""
    chats = read_chats(rows) if any("kind" in row for row in rows) else [_read_queries(rows, beside)]
    ranks: list[tuple[Question, list[int], Sequence[Statement], bool]] = []
    spent_ms: list[float] = []
    for chat in chats:
        with open_pool(chat.statements) as pool:
            for question in chat.questions:
                started = time.perf_counter()
                answer = pool.ask(question.text, limit=max(_DEPTHS))
                spent_ms.append((time.perf_counter() - started) * 1000)
                ranks.append((question, pool.ranked(answer), chat.statements, not answer.hits))
    return Evaluation("retrieval", len(ranks), _measure(ranks, spent_ms), tuple(_errors(ranks)))


def read_chats(rows: Iterable[_Row]) -> list[Chat]:
    """Chats in the order of the file."""
    turns: dict[str, list[_Row]] = defaultdict(list)
    asked: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        (turns if row["kind"] == "turn" else asked)[str(row["conv"])].append(row)
    chats = []
    for number, (name, utterance) in enumerate(turns.items(), 1):
        place = {str(turn["id"]): at for at, turn in enumerate(utterance)}
        statements = tuple(
            Statement(f"{turn['speaker']}: {turn['text']}", _instant(str(turn["when"]), at), number, at + 1)
            for at, turn in enumerate(utterance)
        )
        chats.append(Chat(statements, tuple(_question(row, place) for row in asked[name])))
    return chats


def _question(row: _Row, place: Mapping[str, int]) -> Question:
    evidence = row["evidence"]
    found = {place[str(one)] for one in evidence if str(one) in place} if isinstance(evidence, list) else set()
    return Question(
        str(row["text"]), frozenset(found), category=str(row.get("category", "")), answer=str(row.get("answer", ""))
    )


def _instant(when: str, at: int) -> datetime:
    """When a turn was said: sessions have one time, turns follow by seconds."""
    tidy = re.sub(r"\s+", " ", when).replace("am", "AM").replace("pm", "PM")
    return datetime.strptime(tidy, _WHEN).replace(tzinfo=UTC) + timedelta(seconds=at % 3_600)


def _read_queries(rows: Iterable[_Row], beside: Iterable[_Row]) -> Chat:
    texts: dict[str, int] = {}
    for pair in beside:
        for side in ("a", "b"):
            texts.setdefault(str(pair[side]), len(texts))
    statements = tuple(Statement(text, _START + timedelta(minutes=at)) for text, at in texts.items())
    return Chat(statements, tuple(_read_query(row, texts) for row in rows))


def _read_query(row: _Row, texts: Mapping[str, int]) -> Question:
    relevant, current = (
        [texts[text] for text in texts_of(row[name]) if text in texts] for name in ("relevant", "current")
    )
    return Question(str(row["query"]), frozenset(relevant), frozenset(current))


def _measure(
    ranks: Sequence[tuple[Question, list[int], Sequence[Statement], bool]], spent_ms: Sequence[float]
) -> dict[str, float]:
    judged = [(question, found) for question, found, _, _ in ranks if question.relevant]
    metrics = {
        f"recall_at_{depth}": mean_of(
            len(question.relevant.intersection(found[:depth])) / len(question.relevant) for question, found in judged
        )
        for depth in _DEPTHS
    }
    metrics["mrr"] = mean_of(
        max((1 / (at + 1) for at, place in enumerate(found) if place in question.relevant), default=0.0)
        for question, found in judged
    )
    rivals = [(question, found) for question, found in judged if question.current]
    if rivals:
        metrics["current_first"] = mean_of(float(_is_current_first(question, found)) for question, found in rivals)
    metrics["silent"] = mean_of(float(is_silent) for _, _, _, is_silent in ranks)
    ordered = sorted(spent_ms)
    metrics["p50_ms"] = statistics.median(ordered) if ordered else 0.0
    metrics["p95_ms"] = ordered[int(len(ordered) * 0.95)] if ordered else 0.0
    return metrics


def _is_current_first(question: Question, found: Sequence[int]) -> bool:
    """The first of the relevant memories that came back is one in force."""
    first = next((place for place in found if place in question.relevant), None)
    return first in question.current


def _errors(
    ranks: Sequence[tuple[Question, list[int], Sequence[Statement], bool]],
) -> Iterator[EvaluationError]:
    """Questions whose evidence did not come back at all."""
    missed = [entry for entry in ranks if entry[0].relevant and not entry[0].relevant.intersection(entry[1])]
    for question, found, statements, _ in missed[:MAX_ERROR_COUNT]:
        wanted = statements[min(question.relevant)].text
        got = statements[found[0]].text if found else "(nothing)"
        yield EvaluationError(wanted[:120], got[:120], question.text[:160], question.category)
