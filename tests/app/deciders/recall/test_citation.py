"""What counts as taking up something that was told, and what does not."""

from app.deciders.recall.context.citation import GivenText, find_citations
from tests.table import table

CADDY = GivenText(1, "We decided to use Caddy as the reverse proxy", "Caddy")
CENTS = GivenText(2, "The ledger service stores every amount in integer cents")
HELPER = GivenText(3, "Retries live in src/net/backoff.py, never inline")
PORT = GivenText(4, "The staging port is 8443", "8443")
TOLD = (CADDY, CENTS, HELPER, PORT)


@table(
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
    given = [
        GivenText(key, f"Postgres rule number {word}") for key, word in enumerate(["alpha", "beta", "gamma", "delta"])
    ]
    assert find_citations("I opened Postgres.", given) == frozenset()


def test_a_small_number_alone_proves_nothing_and_a_large_one_does() -> None:
    given = [GivenText(1, "Retries stop after 7 attempts"), GivenText(2, "Traces are sampled at 1250 a minute")]
    assert find_citations("The build took 7 minutes and wrote 1250 lines.", given) == {2}


def test_common_words_count_only_where_they_stand_together() -> None:
    given = [GivenText(1, "Guests pay on arrival and cancel by phone")]
    together = "The page says that guests pay on arrival. Whoever wants to cancel has to phone."
    apart = (
        "Guests see a menu.\nThe list is sorted.\nYou can cancel the dialog.\nIt fits a phone.\nBills we pay are grey."
    )
    assert find_citations(together, given) == {1}
    assert find_citations(apart, given) == frozenset()


@table(
    ("given", "said"),
    [
        ("Bullets come out of ShotPool, none is made while one plays", "The boss asks `ShotPool.Take(3)` for three."),
        ("Alarms go to the channel #nachtwache", "post(channel='#nachtwache', text=body)"),
        ("Tables of the last layer begin with rep_", "Wrote models/rep_daily_sales.sql and built it."),
        ("Requests are made by hooks below web/src/calls", "Edit\nweb/src/calls/useWeather.ts"),
    ],
)
def test_names_are_known_by_their_members_marks_beginnings_and_folders(given: str, said: str) -> None:
    assert find_citations(said, [GivenText(1, given)]) == {1}
    assert find_citations("Done, all of it is in place and built.", [GivenText(1, given)]) == frozenset()
