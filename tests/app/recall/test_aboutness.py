"""Whether a message is about a memory: which shared words count, and how many a long message needs."""

import pytest

from app.recall.aboutness import is_about
from app.recall.rank import Candidate, Ranked
from app.recall.sought import ALIKE, EXACT, SYNONYM, Sought

MEMORY = ("orders", "live", "in", "postgres", "tables")


def sought(word: str, *, means: str = "", idf: float = 2.0, is_known: bool = True) -> Sought:
    stands_for = {word: (1.0, EXACT)} | ({means: (0.3, SYNONYM)} if means else {})
    return Sought(word, word, idf, False, is_known, stands_for)


def judge(*entries: Sought, memory: tuple[str, ...] = MEMORY) -> bool:
    found = {at: 1.0 for at, entry in enumerate(entries) if set(entry.stands_for) & set(memory)}
    return is_about(Ranked(Candidate(1, memory, 0), found=found), entries)


def others(count: int) -> list[Sought]:
    return [sought(f"word{number}") for number in range(count)]


@pytest.mark.parametrize(
    ("entries", "is_told"),
    [
        pytest.param([sought("orders"), *others(4)], True, id="one word of a short question"),
        pytest.param([sought("database", means="postgres"), sought("talks")], True, id="a word that means the same"),
        pytest.param([sought("database", means="postgres")], False, id="nothing but that"),
        pytest.param([sought("orders"), *others(14)], False, id="one word of a long message"),
        pytest.param([sought("orders", idf=6.0), *others(14)], True, id="a rare one"),
        pytest.param([sought("orders"), sought("tables"), *others(14)], True, id="two of them"),
        pytest.param(
            [sought("database", means="postgres"), *others(14)], False, id="a long message that says it in other words"
        ),
        pytest.param(others(3), False, id="nothing in common"),
    ],
)
def test_enough_must_be_shared(entries: list[Sought], is_told: bool) -> None:
    assert judge(*entries) is is_told


def test_a_digit_that_stands_in_both_says_nothing() -> None:
    steps = ("just", "2", "categories")
    assert not judge(sought("2"), sought("drop"), memory=steps)
    assert judge(sought("2"), sought("categories"), memory=steps)


def test_parts_of_one_name_count_once() -> None:
    parts = [Sought(stem, "orders/tables.py", 2.0, False, True, {stem: (1.0, EXACT)}) for stem in ("orders", "tables")]
    assert not judge(*parts, *others(14))


@pytest.mark.parametrize(("typed", "meant", "is_told"), [("cart", "card", False), ("postgers", "postgres", True)])
def test_a_short_word_is_no_slip_for_another(typed: str, meant: str, is_told: bool) -> None:
    slip = Sought(typed, typed, 5.0, False, True, {typed: (1.0, EXACT), meant: (0.7, ALIKE)})
    assert judge(slip, sought("unit"), sought("test"), memory=("never", "store", meant, "numbers")) is is_told
