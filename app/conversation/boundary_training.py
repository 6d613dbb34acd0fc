"""Refits the weights of timed streams: `python -m app.conversation.boundary_training` prints them for rules/boundary.yaml.

Reads resources/conversations: `streams.txt`, written for this project, and `public.json`, the weights that public streams
gave before. The fit stays near those (a Gaussian prior) and keeps every sign, so that few examples cannot turn an
observation round. Must not know the store; deterministic; numpy loads here only.
Source: S1, Combined Detection Algorithm; maximum a posteriori logistic regression.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.conversation.boundary import BoundaryRules, weighed_values
from app.conversation.boundary_factors import HISTORY_COUNT, observe_message
from app.conversation.boundary_markers import speech_head
from app.conversation.entities import EntityRules, extract_entities
from app.conversation.gazetteer import Gazetteer
from app.conversation.references import ReferenceRules, resolve_references
from app.resources import load_rules, resource_path
from app.values.understanding import BoundaryInput, PriorMessage

PRIOR_STRENGTH = 8.0  # how hard a weight is held near what public streams gave
FROZEN = frozenset(
    {"single", "size", "heading", "pasted", "lines", "greeting"}
)  # streams written by hand do not show these
_STEP_COUNT = 4000
_WINDOW_COUNT = 10  # S2: references look at the last ten messages
_SMALLEST_WEIGHT = 0.05
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_LINE = re.compile(r"(?P<mark>[>.]) (?P<minutes>\d+) (?P<text>.+)")


@dataclass(frozen=True, slots=True)
class LabelledStream:
    """Messages of one person in order; `is_start`: where a conversation begins."""

    name: str
    messages: tuple[PriorMessage, ...]
    is_start: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed at one message, and whether it starts a conversation."""

    values: Mapping[str, float]
    is_start: bool


@dataclass(frozen=True, slots=True)
class Prior:
    """Weights of public streams, and the sign that an observation may only have (1, -1; 0: either)."""

    weights: Mapping[str, float]
    signs: Mapping[str, int]

    @classmethod
    def load(cls, path: Path) -> "Prior":
        read = json.loads(path.read_text(encoding="utf-8"))
        return cls(weights=read["weights"], signs=read["signs"])

    def sign_of(self, name: str) -> int:
        weight = self.weights.get(name, 0.0)
        return self.signs.get(name, (weight > 0) - (weight < 0))


def load_streams(path: Path) -> tuple[LabelledStream, ...]:
    """The streams of the file: `== name`, then `> minutes text` for a start and `. minutes text` for what goes on."""
    found: list[LabelledStream] = []
    for block in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, *lines = block.strip().split("\n")
        read = [line for line in map(_LINE.fullmatch, lines) if line is not None]
        at, messages = _START, []
        for number, line in enumerate(read, 1):
            at += timedelta(minutes=int(line["minutes"]))
            messages.append(PriorMessage(id=number, at=at, text=line["text"].replace("\\n", "\n")))
        found.append(LabelledStream(name, tuple(messages), tuple(line["mark"] == ">" for line in read)))
    return tuple(found)


def observe_streams(streams: Iterable[LabelledStream], rules: BoundaryRules) -> list[tuple[Observed, ...]]:
    """Per stream what is observed at each message that no marker decides, with the true conversation before it."""
    entities = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
    references = ReferenceRules.parse(load_rules("references"))
    return [tuple(_observe_stream(stream, rules, entities, references)) for stream in streams]


def _observe_stream(
    stream: LabelledStream, rules: BoundaryRules, entity_rules: EntityRules, reference_rules: ReferenceRules
) -> Iterator[Observed]:
    history: list[PriorMessage] = []
    for plain, is_start in zip(stream.messages, stream.is_start, strict=True):
        entities = extract_entities(plain.text, entity_rules)
        references = resolve_references(plain.text, entities, history[-_WINDOW_COUNT:], reference_rules)
        message = replace(plain, entities=entities, references=references)
        if history and rules.markers.find(speech_head(plain.text)) is None:
            given = BoundaryInput(
                message.text, message.at, entities, references, history=tuple(history[-HISTORY_COUNT:])
            )
            yield Observed(weighed_values(observe_message(given, rules.lexicon), rules), is_start)
        if is_start:
            history.clear()
        history.append(message)


def fit_weights(
    observed: Sequence[Observed],
    prior: Prior,
    *,
    strength: float = PRIOR_STRENGTH,
    frozen: Collection[str] = FROZEN,
) -> dict[str, float]:
    """Weights by name, `bias` among them: the most probable ones given the prior and what was observed."""
    import numpy as np

    names = sorted({*prior.weights, *prior.signs} - {"bias"})
    matrix = np.array([[1.0, *(one.values.get(name, 0.0) for name in names)] for one in observed])
    truth = np.array([float(one.is_start) for one in observed])
    before = np.array([prior.weights["bias"], *(prior.weights.get(name, 0.0) for name in names)])
    signs = [0, *map(prior.sign_of, names)]
    low = np.array([0.0 if sign > 0 else -np.inf for sign in signs])
    high = np.array([0.0 if sign < 0 else np.inf for sign in signs])
    is_held = np.array([name in frozen for name in ["bias", *names]])
    low, high = np.where(is_held, before, low), np.where(is_held, before, high)
    step = 1 / (0.25 * np.linalg.norm(matrix, 2) ** 2 + strength)
    weights = ahead = before
    for number in range(1, _STEP_COUNT + 1):  # accelerated projected gradient, Nesterov 1983
        chance = 1 / (1 + np.exp(-(matrix @ ahead)))
        slope = matrix.T @ (chance - truth) + strength * (ahead - before)
        moved = np.clip(ahead - step * slope, low, high)
        ahead = moved + (number - 1) / (number + 2) * (moved - weights)
        weights = moved
    return dict(zip(["bias", *names], (float(weight) for weight in weights), strict=True))


def main() -> None:
    folder = resource_path("conversations")
    rules = BoundaryRules.parse(load_rules("boundary"))
    observed = [one for stream in observe_streams(load_streams(folder / "streams.txt"), rules) for one in stream]
    fitted = fit_weights(observed, Prior.load(folder / "public.json"))
    kept = {name: weight for name, weight in fitted.items() if abs(weight) >= _SMALLEST_WEIGHT}
    ordered = sorted(kept, key=lambda name: (name != "bias", -abs(kept[name])))
    print(", ".join(f"{name}: {kept[name]:.2f}" for name in ordered))


if __name__ == "__main__":
    main()
