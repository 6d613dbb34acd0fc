"""Scores references: developer messages, MuDoCo rows, GECOR rewrites. Source: eval/README, references.

`exact` and `loose` count what was answered (RESOLVED) over all rows that have a gold antecedent; `exact_best` and
`loose_best` also take the first candidate of an ambiguous answer. `right_of_answered` is loose. `left_alone`: rows
whose antecedent only the assistant said, not answered. `ellipsis_f1`: words of the expanded text against the full version.
"""

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import ReferenceRules, resolve_references
from app.evaluation.tasks.entities import normalise, word_f1
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError, texts_of
from app.resources import load_rules
from app.values import PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

LOOSE_F1 = 0.5


class _Analyzer:
    """Runs the deciders over rows as capture does, message by message."""

    def __init__(self) -> None:
        self._entities = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
        self._references = ReferenceRules.parse(load_rules("references"))

    def references(self, row: dict[str, object]) -> tuple[Reference, ...]:
        history: list[PriorMessage] = []
        turns = row.get("history")
        for number, turn in enumerate(turns if isinstance(turns, list) else [], 1):
            speaker = Speaker(str(turn.get("speaker", "user")))
            history.append(self._message(number, str(turn.get("text", "")), speaker, history))
        message = self._message(len(history) + 1, str(row.get("message", "")), Speaker.USER, history)
        return message.references

    def _message(self, number: int, text: str, speaker: Speaker, history: list[PriorMessage]) -> PriorMessage:
        entities = extract_entities(text, self._entities)
        references = resolve_references(text, entities, history, self._references)
        return PriorMessage(number, None, text, 1, speaker, entities, (), references)


def evaluate(rows: list[dict[str, object]]) -> Evaluation:
    """Metrics of the module docstring over `rows`."""
    analyzer = _Analyzer()
    counts = dict.fromkeys(("exact", "loose", "answered", "asked", "exact_best", "loose_best"), 0)
    errors: list[tuple[float, EvaluationError]] = []  # the surest mistakes tell most
    ellipsis: list[float] = []
    n = left = alone = 0
    for row in rows:
        references = analyzer.references(row)
        if row.get("kind") == "ellipsis":
            ellipsis.append(word_f1(expand_text(str(row["message"]), references), str(row.get("complete", ""))))
            continue
        gold = texts_of(row.get("gold"))
        found = find_reference(row, references)
        if not gold:
            left += 1
            alone += found is None or found.state is not ReferenceState.RESOLVED
            continue
        n += 1
        _count(counts, found, gold)
        if not _is_right(found, gold):
            errors.append((found.confidence if found is not None else 0.0, _error(row, found, gold)))
    metrics = {name: value / n if n else 0.0 for name, value in counts.items()}
    metrics["right_of_answered"] = counts["loose"] / counts["answered"] if counts["answered"] else 0.0
    if left:
        metrics["left_alone"] = alone / left
    if ellipsis:
        metrics["ellipsis_f1"] = sum(ellipsis) / len(ellipsis)
    telling = {error.text: error for _, error in sorted(errors, key=lambda pair: pair[0])}  # one per message
    worst = list(telling.values())[::-1][:MAX_ERROR_COUNT]
    return Evaluation("references", len(rows), metrics, tuple(worst))


def find_reference(row: dict[str, object], references: tuple[Reference, ...]) -> Reference | None:
    """Our reference for a row: at its place, else with its words, else an implicit one for a bracketed mention."""
    mention, place = str(row.get("mention", "")), row.get("start")
    if mention.startswith("("):
        return next((r for r in references if r.kind is ReferenceKind.IMPLICIT), None)
    if isinstance(place, int):
        for reference in references:
            if reference.start <= place < reference.end and mention.lower() in reference.mention.lower():
                return reference
    wanted = mention.lower().split()
    same = [r for r in references if r.mention.lower() == mention.lower()]
    return next(iter(same), None) or next((r for r in references if set(r.mention.lower().split()) & set(wanted)), None)


def _count(counts: dict[str, int], found: Reference | None, gold: list[str]) -> None:
    if found is None or found.antecedent is None:
        return
    is_exact = any(normalise(found.antecedent) == normalise(name) for name in gold)
    is_loose = any(word_f1(found.antecedent, name) >= LOOSE_F1 for name in gold)
    counts["exact_best"] += is_exact
    counts["loose_best"] += is_loose
    counts["asked"] += found.state is ReferenceState.AMBIGUOUS
    if found.state is ReferenceState.RESOLVED:
        counts["answered"] += 1
        counts["exact"] += is_exact
        counts["loose"] += is_loose


def _is_right(found: Reference | None, gold: list[str]) -> bool:
    if found is None or found.antecedent is None or found.state is not ReferenceState.RESOLVED:
        return False
    return any(word_f1(found.antecedent, name) >= LOOSE_F1 for name in gold)


def _error(row: dict[str, object], found: Reference | None, gold: list[str]) -> EvaluationError:
    got = "(not seen)" if found is None else f"{found.antecedent} ({found.state})"
    return EvaluationError(" | ".join(gold), got, str(row.get("message", ""))[:160], str(row.get("mention", "")))
