"""Scores which pairs are seen to contradict each other, and whether the older one is among the candidates of the newer.

Candidates and verdicts apart: the pool of candidates is all older texts of the file. Each text is read as a memory written by hand,
so that slots take part as in the app. With REMANENCE_JUDGE set the verdicts are the judge's; with `off` the rules'. Precision comes
before recall: a false one costs a person's attention. Source: eval/README, contradictions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.contradictions.finding import judge_texts
from app.deciders.memory.contradictions.candidates import CandidateMemory, rank_candidates
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.evaluation.tasks.duplicates import as_statement
from app.evaluation.tasks.judged_pairs import find_environment_judge, judge_pairs
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.judge.adapter import Adapter
from app.judge.tasks import Verdict
from app.memories.new_memory import slot_key

_CONTRADICT = "contradict"
_MAX_ERROR_CHARS = 240


@dataclass(frozen=True, slots=True)
class _Row:
    older: str
    newer: str
    kind: str
    is_one: bool
    label: str


def evaluate(rows: list[dict[str, Any]]) -> Evaluation:
    """Precision, recall and F1 of verdicts, the share of true pairs among the candidates, and recall by kind."""
    rules, listed = load_memory_rules(), [one for row in rows for one in _read(row)]
    adapter = find_environment_judge()
    seen = _judged(listed, adapter) if adapter is not None else [_by_rules(one, rules) for one in listed]
    both = sum(found is not None and one.is_one for found, one in zip(seen, listed, strict=True))
    predicted, true = sum(found is not None for found in seen), sum(one.is_one for one in listed)
    precision, recall = both / predicted if predicted else 1.0, both / true if true else 0.0
    metrics: dict[str, float] = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if both else 0.0,
        "candidates": _candidates(listed, rules),
    }
    totals = Counter(one.kind for one in listed if one.is_one)
    hits = Counter(one.kind for one, found in zip(listed, seen, strict=True) if one.is_one and found is not None)
    wrong = Counter(one.kind for one, found in zip(listed, seen, strict=True) if not one.is_one and found is not None)
    metrics |= {f"recall_{kind}": hits[kind] / count for kind, count in sorted(totals.items()) if kind}
    metrics |= {f"wrong_count_{kind}": float(count) for kind, count in sorted(wrong.items()) if kind}
    return Evaluation("contradictions", len(listed), metrics, tuple(_errors(listed, seen)[:MAX_ERROR_COUNT]))


def _read(row: Mapping[str, Any]) -> Iterator[_Row]:
    """The pairs of a row: the one that it is; of a prompt its changes, and its lasting statements, which hold side by side."""
    if "label" not in row:
        yield from _of_prompt(row)
        return
    label, kind = str(row["label"]), str(row.get("kind") or "")
    is_one = label.startswith(_CONTRADICT)
    if "old" in row:
        yield _Row(str(row["old"]["text"]), str(row["new"]["text"]), kind, is_one, label)
    else:
        yield _Row(str(row["a"]), str(row["b"]), kind, is_one, label)


def _of_prompt(row: Mapping[str, Any]) -> Iterator[_Row]:
    for change in row.get("changes") or ():
        yield _Row(str(change["old"]), str(change["new"] or row["text"]), str(change["how"]), True, _CONTRADICT)
    stated = [str(one["statement"]) for one in row.get("durable") or ()]
    for older, newer in pairwise(stated):
        yield _Row(older, newer, "beside", False, "compatible")


def _by_rules(one: _Row, rules: MemoryRules) -> str | None:
    found = judge_texts(as_statement(one.older, rules), as_statement(one.newer, rules), rules)
    return None if found is None else f"{found.kind or found.relation}: {found.reason}"


def _candidates(listed: Sequence[_Row], rules: MemoryRules) -> float:
    """The share of true pairs whose older side is among the twenty candidates of the newer."""
    pool = [CandidateMemory(n, one.older, _slot_key(one.older, rules)) for n, one in enumerate(listed)]
    true = [(n, one) for n, one in enumerate(listed) if one.is_one]
    texts = [one.older for one in listed]
    found = 0
    for n, one in true:
        best = rank_candidates(CandidateMemory(-1, one.newer, _slot_key(one.newer, rules)), pool, rules)
        found += any(texts[number] == texts[n] for number in best)
    return found / len(true) if true else 1.0


def _slot_key(text: str, rules: MemoryRules) -> str:
    slot = as_statement(text, rules).slot
    return slot_key(slot) if slot is not None else ""


def _judged(listed: Sequence[_Row], adapter: Adapter) -> list[str | None]:
    """What the judge calls a contradiction, and why."""
    verdicts = judge_pairs([(one.older, one.newer) for one in listed], adapter)
    return [f"judged: {one.why}" if one is not None and one.verdict is Verdict.CONTRADICT else None for one in verdicts]


def _errors(listed: Sequence[_Row], seen: Sequence[str | None]) -> list[EvaluationError]:
    """False ones first: they are the ones that hurt."""
    wrong: list[EvaluationError] = []
    missed: list[EvaluationError] = []
    for one, found in zip(listed, seen, strict=True):
        if (found is not None) == one.is_one:
            continue
        text = f"[{one.kind}] {one.older} | {one.newer}"[:_MAX_ERROR_CHARS]
        (missed if one.is_one else wrong).append(EvaluationError(one.label, found or "nothing", text))
    return [*wrong, *missed]
