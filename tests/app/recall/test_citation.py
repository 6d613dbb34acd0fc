"""What counts as taking up something that was told, and what does not."""

import pytest

from app.recall.citation import ToldText, find_citations

CADDY = ToldText(1, "We decided to use Caddy as the reverse proxy", "Caddy")
CENTS = ToldText(2, "The ledger service stores every amount in integer cents")
HELPER = ToldText(3, "Retries live in src/net/backoff.py, never inline")
PORT = ToldText(4, "The staging port is 8443", "8443")
TOLD = (CADDY, CENTS, HELPER, PORT)


@pytest.mark.parametrize(
    ("said", "cited"),
    [
        ("I added a block to the Caddy configuration.", {1}),
        ("The amount of the ledger is now kept in cents.", {2}),
        ("Edit\nsrc/net/backoff.py", {3}),
        ("curl https://localhost:8443/health", {4}),
        ("I used Caddy and listened on 8443.", {1, 4}),
        ("Done, all tests pass.", set()),
        ("The service is up.", set()),
        ("", set()),
    ],
)
def test_own_words_names_values_and_files_are_citations(said: str, cited: set[int]) -> None:
    assert find_citations(said, TOLD, question="put it online") == cited


def test_words_of_the_question_prove_nothing() -> None:
    assert find_citations("Caddy it is, as you said.", TOLD, question="why do we run Caddy?") == frozenset()


def test_a_name_that_many_of_the_told_share_does_not_cite_them_all() -> None:
    told = [
        ToldText(key, f"Postgres rule number {word}") for key, word in enumerate(["alpha", "beta", "gamma", "delta"])
    ]
    assert find_citations("I opened Postgres.", told) == frozenset()
