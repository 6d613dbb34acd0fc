"""S6, P3: how long the redactor takes for the worst text that a search finds, in seconds of this process a megabyte.

Repeats fragments made of all words and shapes that rules ask for, breeds the worst ones on, and prints the list. Then the same
for the hook's patterns. Asserts nothing about time, but that all were marked alike by both.
"""

import random
import time

import pytest

from app.privacy.detector import Detector
from app.privacy.hook_rules import write_hook_rules
from app.privacy.redaction import SecretRules
from app.privacy.stored_rules import read_detector
from app.resources import load_rules
from tests.benchmarks.material.dense_texts import WORST, made_text, made_unit

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(900)]

SEARCH_BYTES, FULL_BYTES = 150_000, 1_000_000
FRAGMENTS, KEPT, CHILDREN = 60, 5, 3


def took_s(detector: Detector, text: str) -> float:
    data = text.encode()
    begun = time.process_time()
    detector.redact(data)
    return time.process_time() - begun


def repeated(unit: str, byte_count: int) -> str:
    return unit * (byte_count // len(unit.encode()) + 1)


def mutated(rng: random.Random, unit: str) -> str:
    at = rng.randrange(len(unit) + 1)
    return rng.choice((unit[:at] + made_unit(rng) + unit[at:], unit[:at] + unit[at + 3 :], unit + unit[:at])) or "x"


def search_worst(detector: Detector, rng: random.Random) -> list[tuple[float, str]]:
    units = [*WORST, *(made_unit(rng) for _ in range(FRAGMENTS))]
    scored = sorted(((took_s(detector, repeated(unit, SEARCH_BYTES)), unit) for unit in units), reverse=True)
    for _ in range(2):
        bred = [mutated(rng, unit) for _, unit in scored[:KEPT] for _ in range(CHILDREN)]
        scored += [(took_s(detector, repeated(unit, SEARCH_BYTES)), unit) for unit in bred]
        scored.sort(reverse=True)
    return scored[:KEPT]


def test_the_worst_text_that_a_search_finds(tmp_path) -> None:
    rules = SecretRules.parse(load_rules("secrets"), is_proven=True)
    rules.prepare()
    path = tmp_path / "rules.marshal"
    write_hook_rules(path, rules)
    stored = path.read_bytes()
    hook = read_detector(lambda start, end: stored[start:end])
    rng = random.Random()  # another one each time: what was found once stands in WORST
    for name, detector in (("engine", rules), ("hook", hook)):
        worst = search_worst(detector, rng)
        for _, unit in worst[:3]:
            text = repeated(unit, FULL_BYTES)
            print(f"\n{name}: {took_s(detector, text) / len(text.encode()) * 1e6:5.2f} s/MB  {unit[:70]!r}", end="")
        mixed = max(took_s(detector, made_text(random.Random(seed), FULL_BYTES)) for seed in range(4))
        print(f"\n{name}: {mixed:5.2f} s/MB  texts of ever new fragments (worst of 4)")
    text = made_text(random.Random(9), 200_000)
    assert hook.redact(text.encode())[0] == rules.redact(text.encode())[0]
