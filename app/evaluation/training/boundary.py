"""Refits the weights of timed streams: `python -m app.evaluation.training.boundary` prints them for rules/conversation/boundary.yaml.

Reads resources/conversations: `streams.txt`, written for this project, and `public.json`, what streams of real sessions say of
the weights (where they would have them and how sure they are of each, no text); with a file of such streams as argument it
writes that one again. Signs are held, so that few examples cannot turn an observation round. Must not know the store;
deterministic; numpy loads here only. Source: S1, Combined Detection Algorithm; logistic regression with Laplace's approximation.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from app.deciders.conversation.boundary.boundary import PAUSE, BoundaryRules, weighed_values
from app.deciders.conversation.boundary.factors import HISTORY_COUNT, observe_message
from app.deciders.conversation.boundary.markers import speech_head
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.resolution import ReferenceRules, resolve_references
from app.resources import load_rules, resource_path
from app.values.understanding import BoundaryInput, PriorMessage

if TYPE_CHECKING:
    import numpy as np

_RIDGE = 0.7  # how hard a weight is held near zero that no stream speaks for
_PLANTED_RATIO = (
    0.35  # streams.txt continues after a long pause oftener than people do, so that how they do it is learned
)
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
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Prior:
    """What public streams say: weights, how sure they are (a row per name), and signs that may not turn (1, -1)."""

    names: tuple[str, ...]  # "bias" first
    weights: tuple[float, ...]
    precision: tuple[tuple[float, ...], ...]  # (n_names, n_names), symmetric
    signs: Mapping[str, int]

    @classmethod
    def load(cls, path: Path) -> "Prior":
        read = json.loads(path.read_text(encoding="utf-8"))
        half = read["precision"]
        whole = tuple(
            tuple(half[max(row, column)][min(row, column)] for column in range(len(half))) for row in range(len(half))
        )
        return cls(tuple(read["names"]), tuple(read["weights"]), whole, read["signs"])

    @classmethod
    def flat(cls, names: Iterable[str], signs: Mapping[str, int]) -> "Prior":
        """Knows nothing: every weight is held a little near zero, the bias not."""
        every = ("bias", *names)
        precision = tuple(
            tuple(_RIDGE * (row == column) * (0.02 if row == "bias" else 1.0) for column in every) for row in every
        )
        return cls(every, (0.0,) * len(every), precision, signs)

    def dump(self) -> str:
        half = [[_shorten(value) for value in row[: number + 1]] for number, row in enumerate(self.precision)]
        lines = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in half)
        parts = {"names": self.names, "weights": [round(weight, 4) for weight in self.weights], "signs": self.signs}
        content = ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in parts.items())
        return f'{{\n {content},\n "precision": [\n  {lines}\n ]\n}}\n'


def _shorten(value: float) -> float:
    return float(f"{value:.4g}")


def load_streams(path: Path) -> tuple[LabelledStream, ...]:
    """The streams of the file: `== name`, then `> minutes text` for a start and `. minutes text` for what continues."""
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


def fit_weights(observed: Sequence[Observed], prior: Prior, *, strength: float = 1.0) -> dict[str, float]:
    """Weights by name, `bias` among them: the most probable ones given the prior, `strength` times as sure as it is."""
    import numpy as np

    matrix, truth, shares = _tabulate(observed, prior.names)
    before = np.array(prior.weights)
    precision = strength * np.array(prior.precision)
    signs = [prior.signs.get(name, 0) for name in prior.names]
    low = np.array([0.0 if sign > 0 else -np.inf for sign in signs])
    high = np.array([0.0 if sign < 0 else np.inf for sign in signs])
    step = 1 / (0.25 * np.linalg.norm(matrix, 2) ** 2 + np.linalg.norm(precision, 2))
    weights = ahead = np.clip(before, low, high)
    for number in range(1, _STEP_COUNT + 1):  # accelerated projected gradient, Nesterov 1983
        slope = matrix.T @ (shares * (_chances(matrix, ahead) - truth)) + precision @ (ahead - before)
        moved = np.clip(ahead - step * slope, low, high)
        ahead = moved + (number - 1) / (number + 2) * (moved - weights)
        weights = moved
    return dict(zip(prior.names, (float(weight) for weight in weights), strict=True))


def summarise_streams(public: Sequence[Observed], own: Sequence[Observed], flat: Prior) -> Prior:
    """What `public` says of the weights, as a parabola that touches its likelihood where both together are likeliest."""
    import numpy as np

    fitted = fit_weights([*public, *own], flat)
    at = np.array([fitted[name] for name in flat.names])
    matrix, truth, shares = _tabulate(public, flat.names)
    chance = _chances(matrix, at)
    bend = matrix.T @ (matrix * (shares * chance * (1 - chance))[:, None])
    precision = bend + np.array(flat.precision)
    mean = np.linalg.solve(precision, bend @ at - matrix.T @ (shares * (chance - truth)))
    return Prior(flat.names, tuple(map(float, mean)), tuple(tuple(map(float, row)) for row in precision), flat.signs)


def _tabulate(
    observed: Sequence[Observed], names: Sequence[str]
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """(n_observed, n_names) values, the bias as ones; which of them are starts; how much each counts."""
    import numpy as np

    rows = [[1.0 if name == "bias" else one.values.get(name, 0.0) for name in names] for one in observed]
    truth = np.array([float(one.is_start) for one in observed])
    return np.array(rows), truth, np.array([one.weight for one in observed])


def _chances(matrix: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    import numpy as np

    chances: np.ndarray[Any, Any] = 1 / (1 + np.exp(-(matrix @ weights)))
    return chances


def read_public(path: Path) -> Iterator[LabelledStream]:
    """Streams of a file with one a line: `id`, `messages` with `when`, `text` and `boundary`."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        messages = tuple(
            PriorMessage(number, datetime.fromisoformat(entry["when"]), entry["text"])
            for number, entry in enumerate(row["messages"], 1)
        )
        yield LabelledStream(row["id"], messages, tuple(bool(entry["boundary"]) for entry in row["messages"]))


def _observe_all(streams: Iterable[LabelledStream], rules: BoundaryRules) -> list[Observed]:
    return [one for stream in observe_streams(streams, rules) for one in stream]


def _usual_pause(observed: Sequence[Observed], weights: Mapping[str, float]) -> float:
    """What pauses speak for on average: less than that is said to speak against a new start."""
    names = [name for name in weights if name.startswith(PAUSE)]
    return fmean(sum(weights[name] * one.values.get(name, 0.0) for name in names) for one in observed)


def _weigh(one: Observed) -> Observed:
    telling = "pause_4" if one.is_start else "pause_300"
    is_reached = one.values.get(telling, 0.0) >= 1
    return one if is_reached == one.is_start else replace(one, weight=_PLANTED_RATIO)


def main(arguments: Sequence[str]) -> None:
    folder = resource_path("conversations")
    rules = BoundaryRules.parse(load_rules("boundary"))
    own = [_weigh(one) for one in _observe_all(load_streams(folder / "streams.txt"), rules)]
    prior = Prior.load(folder / "public.json")
    if arguments:
        public = _observe_all(read_public(Path(arguments[0])), rules)
        prior = summarise_streams(public, own, Prior.flat(prior.names[1:], prior.signs))
        (folder / "public.json").write_text(prior.dump(), encoding="utf-8")
    fitted = fit_weights(own, prior)
    usual = _usual_pause(own, fitted)
    fitted["bias"] += usual
    fitted[f"{PAUSE}{rules.pauses[0]:g}"] = -usual
    kept = {name: weight for name, weight in fitted.items() if abs(weight) >= _SMALLEST_WEIGHT}
    ordered = sorted(kept, key=lambda name: (name != "bias", -abs(kept[name])))
    print(", ".join(f"{name}: {kept[name]:.2f}" for name in ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
