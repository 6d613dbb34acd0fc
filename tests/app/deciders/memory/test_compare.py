"""Two memories: a wrong merge loses one, so almost the same is not the same."""

import pytest

from app.deciders.memory.contradictions.compare import Statement, compare_statements, text_key
from app.deciders.memory.statements.statements import guess_statement
from app.values import Likeness, Slot
from tests.table import table


def by_hand(text: str) -> Statement:
    guess = guess_statement(text)
    return Statement(text, guess.slot, guess.value, guess.is_negated, guess.type, guess.replaces)


def compare(older: str, newer: str) -> Likeness:
    return compare_statements(by_hand(older), by_hand(newer))


@table(
    ("older", "newer"),
    [
        ("Timeouts are 30s", "timeouts are 30 s."),
        ("Never push to trunk", "Don't push to trunk"),
        ("the db is pg", "Database: PostgreSQL"),
        ("PRs need two approvals", "Pull requests need two approvals"),
        ("Keep methods short", "Methods should be kept short"),
        ("Mia owns search", "Mia is responsible for search"),
        ("We plot the routes with Leaflet", "We're plotting the routes with Leaflet"),
        ("Use getopt for reading of the options", "Use getopt for option reading"),
        ("The clinic website is served from Graz", "The clinic's website is served from Graz"),
        ("The config lives in `conf/app.toml`", "the config lives in conf/app.toml"),
    ],
)
def test_the_same_in_other_words(older: str, newer: str) -> None:
    assert compare(older, newer).relation == "duplicate"
    assert compare(newer, older).relation == "duplicate"


@pytest.mark.seed("S4", "con.dedup")
@table(
    ("older", "newer"),
    [
        ("Prefer Vim over Emacs", "Prefer Emacs over Vim"),
        ("The worker calls the gateway", "The gateway calls the worker"),
        ("Lint before the build", "Build before the lint"),
        ("Use Postgres 15", "Use Postgres 16"),
        ("Cache for 5 minutes", "Cache for 5 hours"),
        ("Mia owns search", "Noah owns search"),
        ("Use `load_all`", "Use `loadAll`"),
        ("Deploy on Monday", "Never deploy on Monday"),
        ("The cache was Redis", "The cache is Redis"),
        ("Goal: coverage of 90%", "Coverage is 90%"),
        ("Only admins can export", "Admins can export"),
        ("Keep methods under 30 lines", "Keep methods over 30 lines"),
        ("Merge with squash", "Merge without squash"),
        ("Use Redis in staging", "Use Redis in production"),
        ("Use C", "Use C++"),
        ("src/api holds routes", "src/app holds routes"),
        ("How do you deploy?", "How should you deploy?"),
        ("Use it", "Do it"),
        ("The clinic's server is old", "The clinic server's disk is old"),
        ("Testing of the parser blocks the release", "Releasing of the parser blocks the test"),
        ("The parser feeds the index", "The index feeds the parser"),
        ("Parser uses Index", "Index uses Parser"),
        ("Drafts are private and comments are public", "Drafts are not private and comments are not public"),
    ],
)
def test_almost_the_same_is_never_merged(older: str, newer: str) -> None:
    assert compare(older, newer).relation != "duplicate"
    assert compare(newer, older).relation != "duplicate"


@table(
    ("older", "newer"),
    [
        ("The database is MySQL", "The database is SQLite"),
        ("Indent with tabs", "Indent with spaces"),
        ("Uploads are limited to 5 files", "Uploads are limited to 9 files"),
        ("Push to trunk", "Never push to trunk"),
        ("Mock httpx", "Don't mock httpx"),
        ("Replies are synchronous", "Replies are asynchronous"),
        ("We run MySQL 5.7", "We run MySQL 8"),
    ],
)
def test_contradictions_by_slot_number_and_negation(older: str, newer: str) -> None:
    found = compare(older, newer)
    assert found.relation == "contradict"
    assert found.reason
    assert 0 < found.confidence <= 1


def test_a_statement_that_says_it_replaces_does() -> None:
    assert compare("We use MySQL", "We moved from MySQL to SQLite").relation == "replace"
    assert compare("We use MariaDB", "We moved from MySQL to SQLite").relation == "contradict"
    assert compare("We run MySQL 5.7", "We upgraded from MySQL 5.7 to 8.0").relation == "replace"


@table(
    ("older", "newer", "relation"),
    [
        ("We use pnpm as the package manager.", "We moved from pnpm to vlt.", "replace"),  # nobody has heard of it
    ],
)
def test_a_technology_that_was_left_is_asked_about_wherever_it_stands(older: str, newer: str, relation: str) -> None:
    assert compare(older, newer).relation == relation


@table(
    ("older", "newer"),
    [
        ("Use MySQL for the shop", "Use SQLite for the blog"),
        ("In tests use SQLite", "Use MySQL"),
        ("The supported platforms are Linux", "The supported platforms are Windows"),
        ("We run MySQL", "We run MySQL 8 in two racks"),
        ("We run MySQL", "We no longer support MySQL 5.6"),
    ],
)
def test_other_scope_subject_and_many_values_are_compatible(older: str, newer: str) -> None:
    assert compare(older, newer).relation == "compatible"


def test_values_that_are_only_wordings_do_not_contradict() -> None:
    slot = Slot("", "tone")
    one, other = (
        Statement("Answers are brief and dry", slot, "brief"),
        Statement("Answers go to the point", slot, "direct"),
    )
    assert compare_statements(one, other).relation == "compatible"


def test_long_texts_are_the_same_by_words_only() -> None:
    long = "the importer reads files " * 400
    assert compare_statements(Statement(long), Statement(long.upper())).relation == "duplicate"
    assert compare_statements(Statement(long), Statement(f"{long} twice")).relation == "compatible"


def test_keys_ignore_case_space_and_punctuation_only() -> None:
    assert text_key("Debounce is 50ms!") == text_key("  debounce\nis 50 ms")
    assert text_key("use a-b") != text_key("use ab")
    assert text_key("use C") != text_key("use C#")
    assert text_key("") == text_key(" . ")
