"""Whether a text concerns a file: what is looked for first finds no less than the pattern does."""

import itertools
import random

import pytest

from app.deciders.recall.context.file_scope import _pattern_of, concerns_file

FILES = (
    "src/net/login.py",
    "lib/Billing/tax.ts",
    "a/b.rs",
    "docs/straße/plan.md",
    "web/ſtyle/x.css",
    "Makefile",
    "x/y/z",
    "",
)
PARTS = (
    "python", "Python", "PY", "typescript", "net/", "NET folder", "billing package", "Rust", "straße/", "STRASSE/", "ſtyle/", "style/",
    "the", "a", "network", "pythonic", ".net/", "css", "markdown", "src/net/x", "K", "lib module",
)  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_what_is_looked_for_first_hides_nothing(file: str) -> None:
    rng = random.Random(9)
    pairs = (" ".join(pair) for pair in itertools.permutations(PARTS, 2))
    longer = (" ".join(rng.sample(PARTS, 5)) for _ in range(200))
    found = _pattern_of(file) if file else None
    for text in (*PARTS, *pairs, *longer):
        assert concerns_file(text, file) == (found is not None and found[0].search(text) is not None), text


def test_both_answers_come_up() -> None:
    answers = {concerns_file(text, file) for text in PARTS for file in FILES}
    assert answers == {True, False}
