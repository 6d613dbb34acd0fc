"""S6 on a set by a writer who had not read the rules: 250 structured texts, 150 in prose, 600 without a secret.

Split by the hash of the id: half A was learned from, of half B only totals were looked at. All values are invented; the file is
in rot13, so that no scanner of repositories takes them for real ones. Thresholds stand below what was measured.
"""

import codecs
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from app.privacy.redaction import redact
from tests.shipped_rules import secret_rules
from tests.table import table

RULES = secret_rules()
SET = Path(__file__).parent / "labels" / "secrets_by_another.jsonl"


def plain(text: str) -> str:
    return codecs.encode(text, "rot13")


def half_of(name: str) -> str:
    return "A" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0 else "B"


@pytest.fixture(scope="module")
def counts() -> Counter[tuple[str, str]]:
    """By half and class: secrets, those that were missed, ordinary texts, those that were marked."""
    found: Counter[tuple[str, str]] = Counter()
    for line in SET.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        half, kind, done = half_of(entry["id"]), entry["class"], redact(plain(entry["text"]), RULES)
        if kind == "none":
            found[half, "ordinary"] += 1
            found[half, "marked"] += bool(done.findings)
        for secret in entry["secret"]:
            found[half, kind] += 1
            found[half, f"{kind} missed"] += plain(secret) in done.text
    print(dict(found))
    return found


def share_found(counts: Counter[tuple[str, str]], half: str, kind: str) -> float:
    return 1 - counts[half, f"{kind} missed"] / counts[half, kind]


@table(("half", "least"), [("A", 0.99), ("B", 0.96)])
def test_structured_secrets_go(counts: Counter[tuple[str, str]], half: str, least: float) -> None:
    assert share_found(counts, half, "structured") >= least


@table(("half", "least"), [("A", 0.90), ("B", 0.80)])
def test_secrets_told_in_prose_go(counts: Counter[tuple[str, str]], half: str, least: float) -> None:
    assert share_found(counts, half, "prose") >= least


@table(("half", "most"), [("A", 0), ("B", 8)])
def test_ordinary_texts_stay(counts: Counter[tuple[str, str]], half: str, most: int) -> None:
    assert counts[half, "marked"] <= most
