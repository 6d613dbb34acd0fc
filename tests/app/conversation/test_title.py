"""Titles say what a conversation is about, never the raw head of a pasted wall."""

import pytest

from app.conversation.title import MAX_TITLE_CHARS, NO_TITLE, make_title, shorten_words, tidy_words
from app.values.understanding import Entity, EntityKind, Intent, IntentScore


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I want to add a FAB button", "FAB button"),
        ("can you fix the login 502 on staging?", "Fix the login 502 on staging"),
        ("Export invoices as PDF", "Export invoices as PDF"),
        ("what does `cargo tree` do?", "cargo tree (question)"),
        ("how do I center a table?", "Center a table (question)"),
        ("ok so let's work on dark mode. It should follow the system.", "Dark mode"),
        ("Make it purple", "Make it purple"),
        ("login is broken for guests, I get a 502 after the form", "Login is broken for guests"),
        ("The tests are flaky on CI, can you look?", "Tests are flaky on CI"),
        ("Implement the following plan:\n\n# Plan: Audit trail\n\n## Context\n\nEvery change…", "Audit trail"),
        ("## Context\n\n- Request: title: Shared address book\nstate: OPEN", "Shared address book"),
        ("sam@box:~/shop$ npm test\n\nFAIL src/cart.test.js", "npm test"),
        ("[03/02/26 9:57 ~/shop] make lint\nerror: unused import", "make lint"),
        ("Traceback (most recent call last):\n  File 'a.py'\nKeyError: 'user_id'", "KeyError: 'user_id'"),
        ("read ./docs/planning/ROADMAP-2027.md", "Read ROADMAP-2027.md"),
        ("please look at https://github.com/acme/shop/pull/17", "shop pull 17"),
        ("You are a senior engineer. Sort the invoice table", "Sort the invoice table"),
        ("proceed", "Proceed"),
        ("", NO_TITLE),
        ("```\n```", NO_TITLE),
    ],
)
def test_title_names_what_is_wanted(text: str, title: str) -> None:
    assert make_title(text, (), ()).lower() == title.lower()


def test_code_keeps_its_case() -> None:
    entity = Entity("parse_rows", EntityKind.SYMBOL, 7, 17, "parse_rows")
    assert make_title("please parse_rows fails on an empty table", (entity,), ()).startswith("parse_rows fails")


def test_question_intent_is_said() -> None:
    scores = (IntentScore(Intent.QUESTION, 0.9, ""),)
    assert make_title("difference between the two parsers", (), scores).endswith("(question)")


def test_the_expanded_text_is_better_than_a_pronoun() -> None:
    assert make_title("make it round", (), (), "make the FAB button round") == "Make the FAB button round"


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000,
        "word " * 5_000,
        "# " + "heading " * 100,
        "why " * 200 + "?",
        "a\n" * 5_000,
        "can you " * 500,
        "((((" * 500,
        "$ " + "run " * 300,
    ],
)
def test_title_is_short_and_on_one_line(text: str) -> None:
    title = make_title(text, (), ())
    assert 0 < len(title) <= MAX_TITLE_CHARS
    assert "\n" not in title


def test_long_clause_is_cut_at_a_border() -> None:
    title = make_title("Rename the customer address fields in every template and in the invoice export too", (), ())
    assert title == "Rename the customer address fields in every template"


def test_words_are_shortened_at_a_space() -> None:
    assert shorten_words("alpha beta gamma", 12) == "alpha beta…"
    assert shorten_words("alphabetagamma", 8) == "alphabe…"
    assert shorten_words("  two\n words ", 20) == "two words"


def test_paths_hashes_and_addresses_are_tidied() -> None:
    assert tidy_words("src/very/long/path/cart.py") == "cart.py"
    assert tidy_words("commit 0123456789abcdef0123456789abcdef01234567") == "commit 0123456"
    assert tidy_words("see https://example.org/") == "see example.org"
