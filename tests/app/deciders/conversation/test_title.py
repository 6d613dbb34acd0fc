"""Titles say what a conversation is about, never the raw head of a pasted wall."""

import pytest

from app.deciders.conversation.title import MAX_TITLE_CHARS, NO_TITLE, TitleRules, make_title, shorten_words, tidy_words
from app.resources import load_rules
from tests.table import table


@table(
    ("text", "title"),
    [
        ("I want to add a FAB button", "FAB button"),
        ("can you fix the login 502 on staging?", "Fix the login 502 on staging"),
        ("Export invoices as PDF", "Export invoices as PDF"),
        ("what does `cargo tree` do?", "What does cargo tree do?"),
        ("how do I center a table?", "How do I center a table?"),
        ("ok, which cache do we use?", "Which cache do we use?"),
        ("where does the search index live?", "Where does the search index live?"),
        ("in which file does the parser begin?", "In which file does the parser begin?"),
        ("should we use RabbitMQ for mails?", "Should we use RabbitMQ for mails?"),
        ("should we use RabbitMQ for mails", "Should we use RabbitMQ for mails?"),
        ("can we cache it?", "Can we cache it?"),
        ("won't this break the import?", "Won't this break the import?"),
        (
            "For the nightly build, which image do we take and who renews it?",
            "For the nightly build, which image do we take and who renews it?",
        ),
        ("Any news from the auditors?", "Any news from the auditors?"),
        ("the build is red?", "Build is red?"),
        (
            "In the order form when picking a courier. Show its price next to the total.",
            "Order form when picking a courier: show its price next to the total",
        ),
        (
            "The linter is unhappy with this file - it knows no globals. How do I tell it about the runner?",
            "How do I tell it about the runner?",
        ),
        ("see:@docs/price.md @src/a/cart.py update the totals of the cart", "Update the totals of the cart"),
        ("#file:rates.csv check this file. Can you import the rates into the shop?", "Import the rates into the shop"),
        (
            "When I open the console it says: the account has been closed due to inactivity and more",
            "When I open the console it says: the account has been closed due to inactivity and more",
        ),
        ("redirect me to the profile page", "Redirect to the profile page"),
        (
            "check the fixtures once more and make sure no cart is empty",
            "Check the fixtures once more and make sure no cart is empty",
        ),
        ("uhh. The preview is empty", "Preview is empty"),
        ("If the row is empty, skip it and count it", "If the row is empty, skip it and count it"),
        ("add a limit to the export", "Add a limit to the export"),
        ("yes", NO_TITLE),
        ("I have few things to fix. The pager skips a page.", "Pager skips a page"),
        ("Go ahead with what you suggested. Then rename the pager to a scroller", "Rename the pager to a scroller"),
        ("Based on the totals above, please check the pager", "Check the pager"),
        ("Going back to your list, what does the pager do?", "What does the pager do?"),
        ("Before the release, the pager shows nothing", "Before the release, the pager shows nothing"),
        (
            "add new table parcels where each row is a parcel - it should have weight, size and sender and a route",
            "New table parcels where each row is a parcel",
        ),
        ("Let's switch gears for a bit. Rename the pager", "Rename the pager"),
        ("This is how the pager is set", "This is how the pager is set"),
        ("Let's switch gears. The pager skips a page.", "Pager skips a page"),
        ("I'm having a hard time with the pager", "Hard time with the pager"),
        ("when saving the form I get this error: no such column total", "When saving the form: no such column total"),
        ("That worked! Now add a pager to the list", "Add a pager to the list"),
        ("add a pager that stops on the last page", "Pager that stops on the last page"),
        (
            "Write notes/shop.md. Give it these sections:\n\n## Overview\nBrief\n\n## Payment flow\nAll of it",
            "Write shop.md",
        ),
        ("ok so let's work on dark mode. It should follow the system.", "Dark mode"),
        ("Make it purple", "Make it purple"),
        (
            "login is broken for guests, I get a 502 after the form",
            "Login is broken for guests, I get a 502 after the form",
        ),
        ("The tests are flaky on CI, can you look?", "Tests are flaky on CI, can you look?"),
        ("Implement the following plan:\n\n# Plan: Audit trail\n\n## Context\n\nEvery change…", "Audit trail"),
        ("## Context\n\n- Request: title: Shared address book\nstate: OPEN", "Shared address book"),
        ("sam@box:~/shop$ npm test\n\nFAIL src/cart.test.js", "npm test"),
        ("[03/02/26 9:57 ~/shop] make lint\nerror: unused import", "make lint"),
        ("Traceback (most recent call last):\n  File 'a.py'\nKeyError: 'user_id'", "KeyError: 'user_id'"),
        ("read ./docs/planning/ROADMAP-2027.md", "Read ROADMAP-2027.md"),
        ("please look at https://github.com/acme/shop/pull/17", "shop pull 17"),
        ("You are a senior engineer. Sort the invoice table", "Sort the invoice table"),
        ("proceed", NO_TITLE),
        ("y", NO_TITLE),
        ("ok", NO_TITLE),
        ("", NO_TITLE),
        ("```\n```", NO_TITLE),
    ],
)
def test_title_names_what_is_wanted(text: str, title: str) -> None:
    assert make_title(text).lower() == title.lower()


def test_code_keeps_its_case() -> None:
    assert make_title("please parse_rows fails on an empty table").startswith("parse_rows fails")


def test_a_long_question_ends_as_one() -> None:
    text = "what happens to invoices of customers who moved abroad before their yearly statement was sent out?"
    title = make_title(text)
    assert title.startswith("What happens to invoices of customers who moved")
    assert title.endswith("…?")


STATUS = """- Current git status: On branch invoices
Your branch is up to date with 'origin/invoices'.

Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
\tmodified:   src/total.py

Untracked files:
\tnotes.txt

no changes added to commit

- Current diff: diff --git a/src/total.py b/src/total.py
index 83db48f..bf269f4 100644
--- a/src/total.py
+++ b/src/total.py
@@ -1,2 +1,2 @@
-rate = 7
+rate = 19

- Recent commits: 83db48f Round the total
"""


def test_what_git_says_is_no_title() -> None:
    task = "Write the changelog entry for this change."
    assert make_title(f"## Context\n\n{STATUS}\n## Your task\n\n{task}") == "Write the changelog entry for this change"
    assert make_title(f"## Context\n\n{STATUS}") == "Changes on invoices"


@table(
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
    title = make_title(text)
    assert 0 < len(title) <= MAX_TITLE_CHARS
    assert "\n" not in title


def test_long_clause_is_cut_at_a_border() -> None:
    text = "Rename the customer address fields in every template, because the export needs the invoice fields too"
    assert make_title(text) == "Rename the customer address fields in every template"


def test_words_are_shortened_at_a_space() -> None:
    assert shorten_words("alpha beta gamma", 12) == "alpha beta…"
    assert shorten_words("alphabetagamma", 8) == "alphabe…"
    assert shorten_words("  two\n words ", 20) == "two words"


def test_paths_hashes_and_addresses_are_tidied() -> None:
    assert tidy_words("src/very/long/path/cart.py") == "cart.py"
    assert tidy_words("commit 0123456789abcdef0123456789abcdef01234567") == "commit 0123456"
    assert tidy_words("see https://example.org/") == "see example.org"


@table(
    ("text", "title"),
    [
        ("We have a cart page. I would like to pay from there by card.", "cart page"),
        (
            "Now we have a solid order list for the office. But we need to add a faster screen for the people at the counter.",
            "faster screen for the people at the counter",
        ),
        ("I'm running on Debian 12. I have podman installed, but how do I get its socket enabled?", "How do I get its socket enabled?"),
        (
            "Guests can have long remarks for now, which is fine. I want to add a short label to the guest list.",
            "add a short label to the guest list",
        ),
        ("change the list so that it says\n# Orders\nabove each page", "Change the list so that it says"),
    ],
)  # fmt: skip
def test_how_things_stand_is_no_title_where_something_is_wanted(text: str, title: str) -> None:
    assert make_title(text).lower() == title.lower()


def test_a_persons_own_file_from_before_chore_words_is_read() -> None:
    older = {key: one for key, one in load_rules("titles").items() if key != "chore_words"}
    assert make_title("Export invoices as PDF", rules=TitleRules.parse(older)) == "Export invoices as PDF"


@table(
    ("text", "title"),
    [
        pytest.param(
            "update worker.py flow so that after the job is complete the signed link of the file is not stored in the table",
            "worker.py flow: signed link of the file is not stored in the table",
            id="change",
        ),
        pytest.param(
            "When printing a ticket I need to be able to create a new customer or find it among the old customers",
            "Create a new customer or find it among the old customers",
            id="condition-and-wish",
        ),
        pytest.param("Week view can you make it so that hours are not shown", "Week view: hours are not shown", id="asked-of"),
        pytest.param(
            "Create a file of sample data with a hundred rows of every kind so I can see how the table scrolls with many of them",
            "File of sample data with a hundred rows of every kind",
            id="reason",
        ),
        pytest.param("Check how the calendar works. I would need to choose which rooms are shown in it", "Choose which rooms are shown in it", id="reading-first"),
        pytest.param("Now I need add add rooms to the plan", "Add rooms to the plan", id="twice"),
        pytest.param("In the admin part where orders are edited, disable it for paid ones", "In the admin part where orders are edited, disable it for paid ones", id="short-stays"),
    ],
)  # fmt: skip
def test_a_title_names_its_subject_without_when_why_and_wishing(text: str, title: str) -> None:
    assert make_title(text) == title
