"""Scores contexts: how much of a question's evidence is inside 500, 2,000 and 8,000 tokens. Source: eval/README, issue 4.

A memory is one turn, the pool its conversation, all of it one project; a question is the prompt. `evidence_N` is the mean share of a
question's evidence turns that are in the context assembled for N tokens: as they were said, by their summary, or in words that
hold 90 % of theirs (stems without stop words). Compressed lines, numbers to expand and topics do not count: measured on this
set a summary keeps 91 % of the words of the labelled answers at 44 % of the tokens, a compressed line 34 %. `whole_N` is the same
without summaries. `topk_N` is what plain retrieval gives: whole texts in the order of the search, no frame around them, until N
tokens are used. `answer_N` and `topk_answer_N` ask nothing of levels: the share of the words of the labelled answer that are there,
of those that any turn holds. `used_N` is the share of the budget that is filled, `over_N` how many contexts were above it.
`per_1000_N` and `topk_per_1000_N` are the evidence for each thousand tokens that were spent on it (1.0: all that a question needs);
`full_per_1000` is the same when the whole conversation is told, which takes `full_tokens`.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from app.deciders.recall.rules import load_recall_rules
from app.evaluation.tasks.retrieval import Chat, Question, read_chats
from app.evaluation.tasks.temporary_store import TemporaryRecall, open_pool
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError, mean_of
from app.language.search_words import find_runs
from app.language.token_counts import count_tokens
from app.values import Context, Level

BUDGETS = (500, 2_000, 8_000)
_KEPT_RATIO = 0.9
_TOPK_DEPTH = 700  # more whole turns than the largest budget takes
_NEWLINE = 1


@dataclass(slots=True)
class _Tally:
    """What was measured at one budget, one entry per question."""

    evidence: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    topk: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    topk_answer: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    topk_tokens: list[float] = field(default_factory=list)
    over_count: int = 0

    def metrics(self, budget: int) -> dict[str, float]:
        named = {
            "evidence": self.evidence,
            "whole": self.whole,
            "topk": self.topk,
            "answer": self.answer,
            "topk_answer": self.topk_answer,
            "used": self.used,
        }
        return {f"{name}_{budget}": mean_of(values) for name, values in named.items()} | {
            f"over_{budget}": float(self.over_count),
            f"per_1000_{budget}": _per_1000(self.evidence, self.tokens),
            f"topk_per_1000_{budget}": _per_1000(self.topk, self.topk_tokens),
        }


def evaluate(rows: list[dict[str, object]]) -> Evaluation:
    """Metrics of the module docstring over `rows`."""
    tallies = {budget: _Tally() for budget in BUDGETS}
    spent_ms: list[float] = []
    full_tokens: list[float] = []
    missed: list[EvaluationError] = []
    for chat in read_chats(rows):
        known = frozenset().union(*(content_stems(one.text) for one in chat.statements))
        with open_pool(chat.statements) as pool:
            for question in chat.questions:
                if question.relevant:
                    full_tokens.append(sum(_count(one.text) + _NEWLINE for one in chat.statements))
                    missed += _ask(pool, chat, question, known, tallies, spent_ms)
    ordered = sorted(spent_ms)
    metrics = {key: value for budget, tally in tallies.items() for key, value in tally.metrics(budget).items()}
    metrics["full_tokens"] = mean_of(full_tokens)
    metrics["full_per_1000"] = _per_1000([1.0] * len(full_tokens), full_tokens)
    metrics["p95_ms"] = ordered[int(len(ordered) * 0.95)] if ordered else 0.0
    return Evaluation("context", len(tallies[BUDGETS[0]].evidence), metrics, tuple(missed[:MAX_ERROR_COUNT]))


def _ask(
    pool: TemporaryRecall,
    chat: Chat,
    question: Question,
    known: frozenset[str],
    tallies: Mapping[int, _Tally],
    spent_ms: list[float],
) -> Iterator[EvaluationError]:
    texts = [statement.text for statement in chat.statements]
    ranked = pool.ranked(pool.ask(question.text, limit=_TOPK_DEPTH))
    wanted = content_stems(question.answer) & known
    for budget, tally in tallies.items():
        started = time.perf_counter()
        context = pool.tell(question.text, budget_tokens=budget)
        spent_ms.append((time.perf_counter() - started) * 1000)
        given = given_places(context, pool.places, texts)
        plain = fill_plainly(ranked, texts, budget)
        share = _share(question.relevant, given)
        tally.evidence.append(share)
        tally.whole.append(_share(question.relevant, given_places(context, pool.places, texts, has_summaries=False)))
        tally.topk.append(_share(question.relevant, plain))
        tally.used.append(context.token_count / budget)
        tally.tokens.append(context.token_count)
        tally.topk_tokens.append(sum(_count(texts[at]) + _NEWLINE for at in plain))
        tally.over_count += context.token_count > budget
        if wanted:
            tally.answer.append(_share(wanted, content_stems(context.text)))
            tally.topk_answer.append(_share(wanted, content_stems(" ".join(texts[at] for at in plain))))
        if budget == BUDGETS[-1] and share == 0:
            yield EvaluationError(texts[min(question.relevant)][:120], f"{len(given)} others", question.text[:160])


def given_places(
    context: Context, places: Mapping[int, int], texts: Sequence[str], *, has_summaries: bool = True
) -> frozenset[int]:
    """Places of the turns that the context says: whole, by their summary if that counts, or in nearly all of their words."""
    counted = {Level.FULL, Level.SUMMARY} if has_summaries else {Level.FULL}
    found = set()
    for item in context.items:
        place = places.get(item.memory_id or 0)
        if place is None or item.level is Level.INDEX:
            continue
        if item.level in counted or _says(item.text, texts[place]):
            found.add(place)
    return frozenset(found)


def _says(line: str, text: str) -> bool:
    wanted = content_stems(text)
    return len(wanted & content_stems(line)) >= _KEPT_RATIO * len(wanted)


def fill_plainly(ranked: Iterable[int], texts: Sequence[str], budget: int) -> list[int]:
    """The first of `ranked` whose whole texts fit together; the first that does not fit ends it.

    >>> fill_plainly([1, 0], ["four words are here", "two words"], 4)
    [1]
    """
    kept, left = [], budget
    for place in ranked:
        left -= _count(texts[place]) + _NEWLINE
        if left < 0:
            break
        kept.append(place)
    return kept


@lru_cache(maxsize=20_000)
def _count(text: str) -> int:
    return count_tokens(text)


@lru_cache(maxsize=20_000)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that are no stop words.

    >>> sorted(content_stems("The tests were on a Friday"))
    ['friday', 'test']
    """
    stop_words = load_recall_rules().stop_words
    return frozenset(run.stems[0] for run in find_runs(text) if run.words[0] not in stop_words)


def _share(wanted: Iterable[object], found: Iterable[object]) -> float:
    needed = set(wanted)
    return len(needed.intersection(found)) / len(needed)


def _per_1000(shares: Sequence[float], tokens: Sequence[float]) -> float:
    return 1_000 * sum(shares) / sum(tokens) if sum(tokens) else 0.0
