"""Which memories a new one is held against: what shares slot, rare words, values of one kind or what it retires; at most twenty."""

import pytest

from app.deciders.memory.contradictions.candidates import CANDIDATES_MOST, CandidateMemory, rank_candidates
from app.deciders.memory.rules import load_memory_rules
from tests.table import table

OTHERS = [
    CandidateMemory(100 + n, f"Page {name} has a footer with links.")
    for n, name in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
]
CASES = [
    ("Sessions live in Memcached.", "Sessions are kept in Redis.", ""),
    ("Throw out Jenkins.", "CI runs on Jenkins.", ""),
    ("The timeout of uploads is 2 minutes.", "Uploads expire after 30 seconds.", ""),
    ("Use spaces.", "Tabs it is.", "|indentation|"),
]


@table(("new", "old", "slot"), CASES)
def test_the_rival_is_first(new: str, old: str, slot: str) -> None:
    ranked = rank_candidates(
        CandidateMemory(1, new, slot), [*OTHERS, CandidateMemory(2, old, slot)], load_memory_rules()
    )
    assert ranked[:1] == (2,)


@pytest.mark.seed("S4", "contra.similar")
def test_at_most_twenty_and_never_itself() -> None:
    ranked = rank_candidates(CandidateMemory(100, OTHERS[0].text), OTHERS, load_memory_rules())
    assert len(ranked) <= CANDIDATES_MOST
    assert 100 not in ranked


def test_what_shares_nothing_is_no_question() -> None:
    assert rank_candidates(CandidateMemory(1, "Use tabs."), OTHERS, load_memory_rules()) == ()
