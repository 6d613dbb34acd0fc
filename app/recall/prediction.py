"""What will probably be needed next: files that change together, and memories for which there is evidence from several sides.

Pure arithmetic over what a service has read. A session or a commit is a group of files. Knows no store.
Source: S4 "Predictive Context Engine".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import PurePosixPath

from app.values import Prediction

_LARGE_GROUP = 30  # a group of so many files says little of any two
_FADE = 0.97  # what a group weighs, per later group that holds the file
_DOUBT = 0.5  # one time together is not yet a habit
_NAMESAKE, _SAME_FOLDER, _SAME_PACKAGE = 0.55, 0.12, 0.05
_OFTEN_SHARE = 0.3  # of what changes often anyway
_AFFIXES = re.compile(r"^(?:test_|spec_)|(?:[._-](?:test|tests|spec|stories|styles|module))+$")
_CONFIDENT_OF = 3  # the best so many say how sure the whole is


@dataclass(frozen=True, slots=True)
class FileGuess:
    path: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to expect a memory. `weight` 0..1: how often that alone is right."""

    memory_id: int
    weight: float
    reason: str


def predict_files(
    current: str, groups: Sequence[AbstractSet[str]], *, known: Iterable[str] = (), limit: int = 20
) -> tuple[FileGuess, ...]:
    """Files likely to be needed beside `current`, best first; `groups` oldest first, `known` are further files there are.

    >>> [guess.path for guess in predict_files("a.py", [{"a.py", "b.py"}, {"c.py", "d.py"}, {"a.py", "b.py"}], limit=1)]
    ['b.py']
    """
    together, times = _count_together(current, groups)
    often = Counter(chain.from_iterable(groups))
    base_share = _OFTEN_SHARE / max(1, len(groups))
    guesses = []
    for path in {*often, *known} - {current}:
        joint = together.get(path, 0.0) / (times + _DOUBT) if times else 0.0
        near, why = _nearness(current, path)
        base = base_share * often[path] if path in often else 0.0
        confidence = 1.0 - (1.0 - joint) * (1.0 - near) * (1.0 - base)
        if joint >= near and joint > 0:
            why = f"{_name(current)} and {_name(path)} change together"
        if confidence > 0:
            guesses.append(FileGuess(path, round(confidence, 4), why or f"{_name(path)} changes often"))
    return tuple(sorted(guesses, key=lambda guess: (-guess.confidence, guess.path))[:limit])


def _count_together(current: str, groups: Sequence[AbstractSet[str]]) -> tuple[dict[str, float], float]:
    """With which files `current` stood in a group, and how often it did; later groups weigh more."""
    together: dict[str, float] = defaultdict(float)
    times, weight = 0.0, 1.0
    for group in reversed(groups):
        if current not in group:
            continue
        share = weight * min(1.0, _LARGE_GROUP / len(group))
        times += weight
        for path in group:
            together[path] += share
        weight *= _FADE
    return together, times


def _nearness(current: str, path: str) -> tuple[float, str]:
    """How near two files are by their names alone, and why."""
    (a_name, a_stem, a_folder, a_above), (b_name, b_stem, b_folder, b_above) = _parts(current), _parts(path)
    if a_stem == b_stem:
        return _NAMESAKE, f"{b_name} belongs to {a_name}"
    if a_folder == b_folder:
        return _SAME_FOLDER, f"{b_name} lies beside {a_name}"
    if b_folder in {a_above, a_folder} or b_above == a_folder:
        return _SAME_PACKAGE, f"{b_name} lies near {a_name}"
    return 0.0, ""


@lru_cache(maxsize=16_384)
def _parts(path: str) -> tuple[str, str, str, str]:
    """Name, what it is about, folder, folder above."""
    place = PurePosixPath(path)
    name = place.name
    stem = _AFFIXES.sub("", name.split(".", 1)[0].lower() if "." in name[1:] else name.lower())
    return name, stem, str(place.parent), str(place.parent.parent)


def _name(path: str) -> str:
    return PurePosixPath(path).name


def error_signature(error: str) -> str:
    """The first line of an error without what differs each time: numbers, addresses, folders.

    >>> error_signature("KeyError: 'port' in /home/x/app/net.py line 42")
    "KeyError: 'port' in net.py line"
    """
    lines = error.strip().splitlines()
    line = lines[-1] if lines and lines[0].startswith("Traceback") else lines[0] if lines else ""
    line = re.sub(r"(?:[\w.~-]*/)+(?=[\w.-])", "", line)
    return re.sub(r"\s+", " ", re.sub(r"\b0x[0-9a-fA-F]+\b|\b\d+\b", "", line)).strip()[:400]


def combine(evidence: Iterable[Evidence], *, limit: int = 30, reasons_most: int = 8) -> Prediction:
    """What all the evidence comes to: memories best first, how sure, and why. Independent reasons add up to less than 1.

    >>> combine([Evidence(1, 0.5, "a"), Evidence(1, 0.5, "b"), Evidence(2, 0.6, "c")]).memory_ids
    (1, 2)
    """
    listed = sorted(evidence, key=lambda one: (-one.weight, one.memory_id))
    doubt: dict[int, float] = {}
    for one in listed:
        doubt[one.memory_id] = doubt.get(one.memory_id, 1.0) * (1.0 - min(max(one.weight, 0.0), 0.99))
    best = sorted(doubt, key=lambda key: (doubt[key], key))[:limit]
    sure = [1.0 - doubt[key] for key in best[:_CONFIDENT_OF]]
    kept = set(best)
    reasons = dict.fromkeys(one.reason for one in listed if one.memory_id in kept and one.reason)
    return Prediction(
        memory_ids=tuple(best),
        confidence=round(sum(sure) / len(sure), 4) if sure else 0.0,
        reasons=tuple(reasons)[:reasons_most],
    )
