"""QUALITY A9: of what the next turn needed, how much was expected when its prompt came in, and what each signal brings to that.

A history is played as its hooks send it. With each prompt, before anything of its turn is known, `POST /v1/context/predict` is asked
for the session and the prompt, once with all signals and once without each. Needed are the files that the turn changed, and the
memories that it took up, by the same rule as citations. Owns the walk and the count; knows only a way to ask. Source: S4, issue 18.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, NamedTuple

from app.deciders.recall.context.citation import GivenText, find_citations, split_spoken
from app.evaluation.sessions import TOOLS_MAX, Ask, Player, Row, instant_of, is_judged, stream_of
from app.values import PredictionSignal

_DEPTHS = (5, 10, 20)
_DEPTH = 10  # what the signals are held against each other at
_CHANGED_READ = 20  # numbers of memories rise: the newest is among those that changed last
_ALL, _GRAPH = "all", "graph"
_OF_GRAPH = (  # what links of the knowledge graph say, together
    PredictionSignal.CO_MODIFIED,
    PredictionSignal.IMPORTS,
    PredictionSignal.ERROR,
    PredictionSignal.COLLABORATOR,
)
_EPISODE = "episode"


class _Expected(NamedTuple):
    """Best first, each with how sure it is."""

    files: Mapping[str, float]
    memories: Mapping[int, float]


class Switch(NamedTuple):
    """What a signal brings: the share of the needed among the first ten without it."""

    signal: str  # or all that the graph says
    files: float | None
    memories: float | None


class CertaintyBin(NamedTuple):
    """Of what was said with that many tenths, how much was needed."""

    what: str  # file, memory
    tenth: int
    said_count: int
    needed: float


@dataclass(frozen=True, slots=True)
class Measured:
    turn_count: int  # that needed a file or a memory
    metrics: Mapping[str, float]
    switches: tuple[Switch, ...]
    curve: tuple[CertaintyBin, ...]


@dataclass
class _Asking(Player):
    """Asks at each prompt what is expected."""

    expected: dict[str, Mapping[str, _Expected]] = field(default_factory=dict)
    newest_memory: dict[str, int] = field(default_factory=dict)

    def note(self, row: Row, result: Mapping[str, Any]) -> None:
        super().note(row, result)
        variants: dict[str, Sequence[str]] = {one.value: [one.value] for one in PredictionSignal}
        variants |= {_ALL: [], _GRAPH: _OF_GRAPH}
        self.expected[row["id"]] = {name: self._predict(row, without) for name, without in variants.items()}
        changed = self.ask("GET", "/v1/memories", query={"limit": _CHANGED_READ})["cards"]
        so_far = max(self.newest_memory.values(), default=0)
        self.newest_memory[row["id"]] = max([so_far, *(one["id"] for one in changed)])

    def _predict(self, row: Row, without: Sequence[str]) -> _Expected:
        body = {
            "project": self.project,
            "session": self.session_of(row),
            "prompt": row["text"][:100_000],
            "without": without,
        }
        made = self.ask("POST", "/v1/context/predict", body=body)
        return _Expected(
            {_whole(one["path"], self.project): one["confidence"] for one in made["files"]},
            {one["id"]: one["confidence"] for one in made["memories"]},
        )


def evaluate_prediction(ask: Ask, rows: Sequence[Row]) -> Measured:
    """`ask` answers from an empty store. Raises ValueError where no turn needed anything."""
    player = _Asking(ask, f"/w/{stream_of(rows[0])}", frozenset(), is_judged(ask))
    player.play_rows(rows, instant_of(rows[-1]))
    texts = [GivenText(one.id, one.text) for one in player.kept() if one.status == "active" and one.kind != _EPISODE]
    wanted = {row["id"]: frozenset(_whole(one, player.project) for one in files_of(row)) for row in rows}
    files = _Tally(wanted)
    memories = _Tally({row["id"]: _taken_up(row, texts, player.newest_memory[row["id"]]) for row in rows})
    for row, expected in player.expected.items():
        files.count(row, {name: one.files for name, one in expected.items()})
        memories.count(row, {name: one.memories for name, one in expected.items()})
    if not files.turn_count and not memories.turn_count:
        raise ValueError("no turn changed a file or took a memory up")
    metrics = files.metrics("file") | memories.metrics("memory")
    known = _known_before(wanted)
    foreseen = sum(
        len(files.needed[row] & known[row] & {*list(one[_ALL].files)[:_DEPTH]}) for row, one in player.expected.items()
    )
    metrics["file_hit_of_known_at_10"] = _share(foreseen, sum(len(files.needed[one] & known[one]) for one in known))
    metrics["file_known"] = _share(sum(len(files.needed[one] & known[one]) for one in known), files.needed_count)
    metrics |= {f"file_{name}": value for name, value in _beside(wanted).items()}
    names = [_GRAPH, *(one.value for one in PredictionSignal)]
    switches = tuple(Switch(one, files.hits(one, _DEPTH), memories.hits(one, _DEPTH)) for one in names)
    curve = (*files.curve("file"), *memories.curve("memory"))
    return Measured(files.turn_count + memories.turn_count, metrics, switches, curve)


def _whole(path: str, project: str) -> str:
    """As a host names it, where the answer names it as seen from the project."""
    return path if path.startswith("/") else f"{project}/{path}"


def files_of(row: Row) -> frozenset[Any]:
    """What the turn changed, as far as it is played."""
    inputs = (tool["input"] for tool in row.get("tools", ())[:TOOLS_MAX] if tool["name"] == "Edit")
    return frozenset(one["file_path"] for one in inputs if one.get("file_path"))


def _taken_up(row: Row, memories: Sequence[GivenText], newest: int) -> frozenset[Any]:
    """Memories of before this turn whose words the turn takes up beyond those of the prompt."""
    commands = [str(tool["input"].get("command", "")) for tool in row.get("tools", ())[:TOOLS_MAX]]
    text = "\n".join([str(row.get("answer", "")), *commands])
    known = [one for one in memories if one.key <= newest]
    return (
        find_citations(split_spoken(text), known, question=str(row["text"])) if known and text.strip() else frozenset()
    )


@dataclass
class _Tally:
    """What was needed by turn, and how much of it stood among the first so many."""

    needed: Mapping[str, frozenset[Any]]
    _shares: defaultdict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    predicted: Counter[int] = field(default_factory=Counter)
    sure: Counter[int] = field(default_factory=Counter)  # the sum of what was said, in ten thousandths
    right: Counter[int] = field(default_factory=Counter)

    @property
    def turn_count(self) -> int:
        return sum(bool(one) for one in self.needed.values())

    @property
    def needed_count(self) -> int:
        return sum(len(one) for one in self.needed.values())

    def count(self, row: str, expected: Mapping[str, Mapping[Any, float]]) -> None:
        needed = self.needed[row]
        for key, sure in expected[_ALL].items():
            self.predicted[int(sure * 10)] += 1
            self.right[int(sure * 10)] += key in needed
            self.sure[int(sure * 10)] += round(sure * 10_000)
        if needed:
            for name, found in expected.items():
                for depth in (*_DEPTHS, 0):
                    first = list(found)[: depth or None]
                    self._shares[name, depth].append(len(needed.intersection(first)) / len(needed))

    def hits(self, name: str, depth: int) -> float | None:
        """Mean over the turns that needed something; `depth` 0: among all that was expected."""
        shares = self._shares[name, depth]
        return mean(shares) if shares else None

    def metrics(self, what: str) -> dict[str, float]:
        found: dict[str, float | None] = {f"{what}_turns": self.turn_count, f"{what}_needed": self.needed_count}
        found |= {f"{what}_hit_at_{depth}": self.hits(_ALL, depth) for depth in _DEPTHS}
        found[f"{what}_hit_all"] = self.hits(_ALL, 0)
        if self.predicted:
            off = sum(abs(self.sure[tenth] / 10_000 - self.right[tenth]) for tenth in self.predicted)
            found[f"{what}_calibration_error"] = off / self.predicted.total()
        return {name: value for name, value in found.items() if value is not None}

    def curve(self, what: str) -> tuple[CertaintyBin, ...]:
        return tuple(
            CertaintyBin(what, tenth, count, self.right[tenth] / count)
            for tenth, count in sorted(self.predicted.items())
        )


def _known_before(wanted: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Per turn the files that the history held before it: no other can be foreseen from it."""
    known: dict[str, frozenset[str]] = {}
    so_far = frozenset[str]()
    for row, files in wanted.items():
        known[row] = so_far
        so_far |= files
    return known


def _beside(needed: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """What two simple lists reach: the files changed most often, and those changed last in the session and then before."""
    often, last = Counter[str](), dict[str, None]()
    shares = defaultdict[str, list[float]](list)
    for wanted in needed.values():
        if wanted:
            frequent = [path for path, _ in often.most_common(_DEPTH)]
            shares["most_often_at_10"].append(len(wanted.intersection(frequent)) / len(wanted))
            shares["last_at_10"].append(len(wanted.intersection(list(last)[::-1][:_DEPTH])) / len(wanted))
        often.update(wanted)
        for path in sorted(wanted):
            last.pop(path, None)
            last[path] = None
    return {name: mean(found) for name, found in shares.items()}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
