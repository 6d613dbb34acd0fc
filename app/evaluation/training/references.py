"""Learns the weights of references from labelled dialogues. The only user of scipy in this package.

`python -m app.evaluation.training.references` rewrites resources/references/weights.json after the examples beside it changed.
A dialogue is a block of lines: `- ` a person's message, `< ` the assistant's, `> ` the last one, `| ` its next line. A mention stands
as `[[it|what it stands for|another name]]`; `[[it|]]` stands for nothing that was said. Deterministic: same examples, same bytes.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.one_sided import signs_of
from app.deciders.conversation.references.resolution import (
    candidates_of,
    read_problem,
    resolve_in_order,
    resolve_references,
)
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import (
    ReferenceContext,
    candidate_points,
    context_points,
    read_context,
    with_salience,
)
from app.deciders.conversation.references.values import AntecedentCandidate, ReferenceMention
from app.resources import load_rules, resource_path
from app.values import Entity, PriorMessage, ReferenceKind, Speaker

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

PENALTY = 1.0  # on the square of a change: cross-validated, flat from 1 to 2
SIGN_PENALTY = 2.0
PAST_MESSAGES = 8
SHARE_RIGHT = 0.5  # of words in common: this much of the name is the name
DECIMALS = 3
# learned: what a message itself tells. The rest is set by hand: it tells how dialogues with both sides known run
LEARNED = frozenset(
    {
        "sentence_alone", "beside_alone", "next_verb_alone", "here_alone",
        "definite", "pointed_at_subject",
        "event", "event_for_demonstrative", "event_for_it", "event_for_subject", "event_for_object", "event_same_sentence",
        "event_state",
        "person_for_plural",
    }
)  # fmt: skip

_MARK = re.compile(r"\[\[([^\[\]]*)\]\]")
_WORDS = re.compile(r"[\w.#+/@-]+")
_ARTICLES = frozenset({"the", "a", "an", "this", "that", "these", "those", "my", "our", "your", "its"})
_SPEAKERS = {"-": Speaker.USER, ">": Speaker.USER, "<": Speaker.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Example:
    """One mention with what was said before it."""

    dialogue: int
    history: tuple[tuple[Speaker, str], ...]
    text: str
    start: int
    names: tuple[str, ...]  # empty: nothing that was said


class Case(NamedTuple):
    """An example as ranking sees it."""

    example: Example
    mention: ReferenceMention
    candidates: list[AntecedentCandidate]
    focus: list[str]
    points: "Array"  # (n_options,) by the weights set by hand
    features: "Array"  # (n_options, n_learned)
    is_meant: "Array"  # (n_options,) 1 for the right ones
    signs: list[dict[str, float]]  # per candidate, of `one_sided`


def load_examples(folder: Path) -> list[Example]:
    """The mentions of all dialogues of the folder's text files, in order."""
    blocks = [b for path in sorted(folder.glob("*.txt")) for b in path.read_text(encoding="utf-8").split("\n\n")]
    return [example for number, block in enumerate(blocks) for example in _read_block(number, block)]


def _read_block(number: int, block: str) -> Iterator[Example]:
    lines = [line for line in block.split("\n") if line and not line.startswith("## ")]
    turns: list[tuple[Speaker, str]] = []
    for line in "\n".join(lines).replace("\n| ", "\v").split("\n"):
        if not line:
            continue
        parts = _MARK.split(line[2:].replace("\v", "\n"))
        text, marks = "", []
        for index, part in enumerate(parts):
            mention, *names = part.split("|") if index % 2 else (part,)
            if index % 2:
                marks.append((len(text), tuple(name for name in names if name)))
            text += mention
        yield from (Example(number, tuple(turns), text, start, names) for start, names in marks)
        turns.append((_SPEAKERS[line[0]], text))


def with_past(examples: Sequence[Example]) -> list[Example]:
    """The examples behind the messages of other dialogues: a session is about something else before.

    Only where the assistant's side is not known; else what it said last would be missing in between.
    """
    ends = {example.dialogue: example for example in examples}
    talks = [(number, (*e.history, (Speaker.USER, e.text))) for number, e in sorted(ends.items()) if _is_alone(e)]
    return [_behind_others(example, talks) if _is_alone(example) else example for example in examples]


def _is_alone(example: Example) -> bool:
    return all(speaker is Speaker.USER for speaker, _ in example.history)


def _behind_others(example: Example, talks: Sequence[tuple[int, tuple[tuple[Speaker, str], ...]]]) -> Example:
    past: tuple[tuple[Speaker, str], ...] = ()
    room = PAST_MESSAGES - len(example.history)
    for step in range(PAST_MESSAGES):
        number, talk = talks[(example.dialogue * 37 + 101 + step * 61) % len(talks)]  # spread, the same each time
        if len(past) < room and number != example.dialogue:
            past = (*talk, *past)
    return replace(example, history=(*past[-room:], *example.history) if room > 0 else example.history)


class Trainer:
    """Reads examples into cases with the weights as they are set by hand."""

    def __init__(self) -> None:
        content = load_rules("references")
        rules = ReferenceRules.parse(content)
        by_hand = {str(name): float(value) for name, value in content["weights"].items()}
        self.rules = replace(rules, weights=by_hand, one_sided_weights={})
        self._reading = self.rules  # what earlier mentions are resolved with
        self.names = [name for name in by_hand if name in LEARNED]
        self._alone = [replace(rules, weights=_Single(name)) for name in self.names]
        self._entities = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))

    def read_with(self, fitted: "Fitted") -> None:
        """From now on what came before a mention is resolved as well as is known so far."""
        self._reading = self.with_fitted(fitted)

    def cases(self, examples: Sequence[Example]) -> list[Case]:
        """Those examples that have candidates."""
        found = (self._case(example) for example in examples)
        return [case for case in found if case is not None]

    def _case(self, example: Example) -> Case | None:
        import numpy as np

        history: list[PriorMessage] = []
        for number, (speaker, text) in enumerate(example.history, 1):
            entities = self._entities_of(text)
            references = resolve_references(text, entities, history, self._reading)
            history.append(PriorMessage(number, None, text, 1, speaker, entities, (), references))
        problem = read_problem(example.text, self._entities_of(example.text), history, self.rules)
        resolve_in_order(problem, example.text, self._reading, until=example.start)
        mention = next((s for s in problem.mentions if s.start <= example.start <= s.end), None)
        if mention is None or mention.kind in (ReferenceKind.DEFINITE, ReferenceKind.ORDINAL):
            return None
        candidates = candidates_of(mention, problem, self.rules) or []
        kept = [candidate for candidate in candidates if candidate_points(mention, candidate, self.rules) is not None]
        if not kept:
            return None
        context = read_context(mention, kept, problem.focus)
        by_hand = np.array([self._points(mention, candidate, context, self.rules) for candidate in kept])
        features = np.array([[self._points(mention, o, context, one) for one in self._alone] for o in kept])
        meant = [
            max((_likeness(candidate.thing.text, name) for name in example.names), default=0.0) for candidate in kept
        ]
        best = 1.0 if any(value == 1.0 for value in meant) else SHARE_RIGHT
        is_meant = np.array([float(value >= best) for value in meant])
        signs = [{} if context.nearby is None else signs_of(mention, candidate, context.nearby) for candidate in kept]
        return Case(example, mention, kept, list(problem.focus), by_hand, features, is_meant, signs)

    def _points(
        self,
        mention: ReferenceMention,
        candidate: AntecedentCandidate,
        context: ReferenceContext,
        rules: ReferenceRules,
    ) -> float:
        seen = candidate._replace(thing=with_salience(candidate.thing, rules))
        return (candidate_points(mention, seen, rules) or 0.0) + context_points(mention, seen, context, rules.weights)

    def _entities_of(self, text: str) -> tuple[Entity, ...]:
        return extract_entities(text, self._entities)

    def fit(self, cases: Sequence[Case]) -> "Fitted":
        """What to add to the weights, and the weights of the signs, so that the right candidates win."""
        import numpy as np
        from scipy.optimize import minimize

        used = [case for case in cases if 0 < case.is_meant.sum() < len(case.is_meant)]
        signs = sorted({name for case in used for candidate in case.signs for name in candidate})
        tables = [np.hstack([case.features, _table(case.signs, signs)]) for case in used]
        sharp = self.rules.weights["sharpness"]
        penalty = np.array([PENALTY] * len(self.names) + [SIGN_PENALTY] * len(signs))

        def loss(change: "Array") -> "tuple[float, Array]":
            total, slope = float((penalty * change) @ change), 2 * penalty * change
            for case, table in zip(used, tables, strict=True):
                height = sharp * (case.points + table @ change)
                chance = np.exp(height - height.max())
                right = chance * case.is_meant
                total -= math.log(right.sum() / chance.sum() + 1e-12)
                slope = slope - sharp * (right / (right.sum() + 1e-300) - chance / chance.sum()) @ table
            return total, slope

        start = np.zeros(len(penalty))
        change = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
        values = [round(float(value), DECIMALS) for value in change]
        known = len(self.names)
        return Fitted(dict(zip(self.names, values[:known], strict=True)), dict(zip(signs, values[known:], strict=True)))

    def with_fitted(self, fitted: "Fitted") -> ReferenceRules:
        """The rules with what was learned."""
        weights = {name: value + fitted.weights.get(name, 0.0) for name, value in self.rules.weights.items()}
        return replace(self.rules, weights=weights, one_sided_weights=fitted.alone)


class Fitted(NamedTuple):
    """What was learned."""

    weights: dict[str, float]  # added to those set by hand
    alone: dict[str, float]  # of the signs of `one_sided`


def _table(signs: Sequence[Mapping[str, float]], names: Sequence[str]) -> "Array":
    """The signs of the options as rows, in the order of the names."""
    import numpy as np

    return np.array([[candidate.get(name, 0.0) for name in names] for candidate in signs])


class _Single(dict[str, float]):
    """Weights of which one is 1 and all others 0: what is counted with it is its feature."""

    def __init__(self, name: str) -> None:
        super().__init__({name: 1.0})

    def __missing__(self, key: str) -> float:
        return 0.0


def _likeness(name: str, wanted: str) -> float:
    """Share of words in common, articles aside: 1 for the same name."""
    left, right = _words(name), _words(wanted)
    common = sum(min(left.count(word), right.count(word)) for word in set(left))
    return 2 * common / (len(left) + len(right)) if left and right else 0.0


def _words(name: str) -> list[str]:
    words = _WORDS.findall(name.lower())
    return [word for word in words if word not in _ARTICLES] or words


def main() -> None:
    """Rewrites the shipped weights from the shipped examples."""
    folder = resource_path("references")
    trainer = Trainer()
    examples = with_past(load_examples(folder))
    cases = trainer.cases(examples)
    trainer.read_with(trainer.fit(cases))
    cases = trainer.cases(examples)
    learned = trainer.fit(cases)
    (folder / "weights.json").write_text(
        json.dumps(learned._asdict(), indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
