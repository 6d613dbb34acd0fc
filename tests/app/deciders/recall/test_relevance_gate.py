"""Whether a message is about a memory: which shared words count, how many a long message needs, and what the message says itself."""

import pytest

from app.deciders.recall.ranking.query import ALIKE, EXACT, SYNONYM, QueryTerm
from app.deciders.recall.ranking.rank import Candidate, RankedCandidate
from app.deciders.recall.ranking.relevance_gate import RelevanceGate
from tests.table import table

MEMORY = ("orders", "live", "in", "postgres", "tables")
USUAL = {"live": 0.4, "word0": 0.4}


def query_term(word: str, *, means: str = "", is_known: bool = True) -> QueryTerm:
    stands_for = {word: (1.0, EXACT)} | ({means: (0.3, SYNONYM)} if means else {})
    return QueryTerm(word, word, 2.0, False, is_known, stands_for)


def judge(*entries: QueryTerm, memory: tuple[str, ...] = MEMORY) -> bool:
    found = {at: 1.0 for at, entry in enumerate(entries) if set(entry.stands_for) & set(memory)}
    message = RelevanceGate("", entries, lambda word: USUAL.get(word, 1.0))
    return message.is_about(RankedCandidate(Candidate(1, memory, 0), found=found))


def others(count: int) -> list[QueryTerm]:
    return [query_term(f"word{number}") for number in range(count)]


@table(
    ("entries", "is_told"),
    [
        pytest.param([query_term("orders"), *others(2)], True, id="one word of a short question"),
        pytest.param([query_term("live"), *others(2)], False, id="a usual one"),
        pytest.param([query_term("orders"), *others(9)], False, id="one word of a long message"),
        pytest.param([query_term("orders"), query_term("tables"), *others(14)], True, id="two of them"),
        pytest.param(
            [query_term("database", means="postgres"), query_term("orders"), *others(4)], True, id="one in other words"
        ),
        pytest.param([query_term("database", means="postgres")], False, id="nothing but that"),
        pytest.param(
            [query_term("orders", is_known=False), *others(1)], True, id="a word that stands in this memory alone"
        ),
        pytest.param(others(3), False, id="nothing in common"),
    ],
)
def test_enough_must_be_shared(entries: list[QueryTerm], is_told: bool) -> None:
    assert judge(*entries) is is_told


def test_a_short_question_gets_an_answer_that_an_order_does_not() -> None:
    entries = [query_term("orders"), *others(4)]
    found = RankedCandidate(Candidate(1, MEMORY, 0), found={0: 1.0})
    assert RelevanceGate("where do orders go?", entries, lambda _: 1.0).is_about(found)
    assert not RelevanceGate("let the orders go", entries, lambda _: 1.0).is_about(found)


@table(("said", "is_told"), [(("orders",), False), (("orders", "postgres", "tables"), True)])
def test_what_scores_far_below_the_best_is_told_only_where_much_is_shared(said: tuple[str, ...], is_told: bool) -> None:
    entries = [*map(query_term, said), *others(2)]
    message = RelevanceGate("", entries, lambda _: 1.0)
    found = RankedCandidate(Candidate(1, MEMORY, 0), found=dict.fromkeys(range(len(said)), 1.0))
    assert message.is_about(found)
    assert message.is_about(found, 0.3) is is_told


def test_the_longer_a_memory_the_more_of_it_must_be_said() -> None:
    longer = (*MEMORY, "since", "march", "behind", "gateway", "with", "replicas", "daily", "dumps")
    assert judge(query_term("orders"), *others(2))
    assert not judge(query_term("orders"), *others(2), memory=longer)
    assert judge(query_term("orders"), query_term("replicas"), query_term("dumps"), *others(2), memory=longer)


def test_a_digit_that_stands_in_both_says_nothing() -> None:
    steps = ("just", "2", "categories")
    assert not judge(query_term("2"), query_term("drop"), memory=steps)
    assert judge(query_term("2"), query_term("categories"), memory=steps)


def test_parts_of_one_name_count_once() -> None:
    parts = [
        QueryTerm(stem, "orders/tables.py", 2.0, False, True, {stem: (1.0, EXACT)}) for stem in ("orders", "tables")
    ]
    assert judge(*parts)
    assert not judge(*parts, *others(8), memory=(*MEMORY, "beside", "carts"))


@table(("typed", "meant", "is_told"), [("cart", "card", False), ("postgers", "postgres", True)])
def test_a_short_word_is_no_slip_for_another(typed: str, meant: str, is_told: bool) -> None:
    slip = QueryTerm(typed, typed, 5.0, False, True, {typed: (1.0, EXACT), meant: (0.7, ALIKE)})
    assert judge(slip, query_term("unit"), query_term("test"), memory=("never", "store", meant, "numbers")) is is_told


@table(
    ("text", "repeats"),
    [
        pytest.param("Fine. We use Valkey for the carts, so drop the rest.", True, id="in the middle of a sentence"),
        pytest.param("do we use valkey for carts", False, id="asked without a mark"),
        pytest.param("Valkey holds carts; is that used for sessions, too?", False, id="asked"),
        pytest.param("We're done: use Valkey for the carts", True, id="an abbreviation asks nothing"),
        pytest.param("Use Valkey to cache the carts.", False, id="another word between"),
    ],
)
def test_what_a_message_states_word_for_word(text: str, repeats: bool) -> None:
    assert RelevanceGate(text, (), lambda word: 1.0).repeats("Use Valkey for carts.") is repeats


def test_one_word_is_not_repeated_by_every_message_that_has_it() -> None:
    assert not RelevanceGate("What is missing in orders.db. Look", (), lambda word: 1.0).repeats("Use it.")
