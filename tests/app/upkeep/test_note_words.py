"""What a note by rules says: whole sentences of the person's, named, in the order in which they help the next conversation."""

import pytest

from app.deciders.memory.note import NoteParts, compose_note, note_contents, sentences_of


def compose(*prompts: str, chars: int = 200, **parts: object) -> str:
    note = compose_note(NoteParts(prompts=prompts, **parts), chars)  # type: ignore[arg-type]
    return note.content if note is not None else ""


@pytest.mark.parametrize(
    ("prompts", "content"),
    [
        (("Proceed",), ""),
        (("ok go on", "try again", "commit and push"), ""),
        (("How do I undo the last commit?",), ""),
        (("How do I open the port in docker?", "thanks"), ""),
        (("{", '"name": 1', "}"), ""),
        (("can you please add a date filter to the list",), "About: Add a date filter to the list."),
        (("ok, now let's move the parser into a module",), "About: Move the parser into a module."),
        (("Ask any questions. Split the parser into modules.",), "About: Split the parser into modules."),
        (("Do that for the other one too", "Rename the parser"), "About: Rename the parser."),
        (("src/app.py is too large",), "About: src/app.py is too large."),
        (("the build fails:\n[code, 12 lines]",), "About: The build fails."),
        (
            ("Rework the parser.", "the parser still does not work with tabs"),
            "About: Rework the parser. Open at the end: The parser still does not work with tabs.",
        ),
    ],
)
def test_what_was_about_and_no_chat(prompts: tuple[str, ...], content: str) -> None:
    assert compose(*prompts) == content


def test_what_was_learned_is_told_whole_or_not_at_all() -> None:
    facts = [
        ("We deploy on Fridays with the blue script, never by hand, because the last outage came of that.", 0.8),
        ("Dates are ISO.", 0.5),
        ("Do it as before.", 0.9),
    ]
    assert compose("Add an export", facts=facts, chars=120) == ("About: Add an export. Dates are ISO."), (
        "too long goes, what points at something else goes"
    )


def test_commits_come_before_the_end_of_an_answer_which_is_marked_as_the_apps() -> None:
    answer = "I've added the export button. All tests pass."
    both = {"answer_end": answer, "app": "Codex", "commits": ["feat(ui): add export button", "fix: dates in UTC"]}
    assert compose("Add an export", **both) == "About: Add an export. Committed: add export button; dates in UTC."
    assert compose("Add an export", answer_end=answer, app="Codex") == (
        "About: Add an export. Codex: “I've added the export button.”"
    )


def test_an_outcome_that_holds_leaves_nothing_open() -> None:
    said = ("Rework the parser.", "it fails with tabs in the parser")
    assert compose(*said, outcome="tested") == "About: Rework the parser. Tests passed."
    assert "Open at the end: It fails" in compose(*said, outcome="implemented")


@pytest.mark.parametrize(
    ("outcome", "reason", "end"),
    [
        ("implemented", 'the person says "commit this"', " The person called it done."),
        ("implemented", "files were changed", " Files were changed."),
        ("completed", 'the person says "looks great"', " The person called it done."),
        ("tested", "tests passed after the last change", " Tests passed after the last change."),
        ("implemented", "files were changed, the last tests failed", " Files were changed; the last tests failed."),
        ("implemented", "", " Implemented."),
        ("planned", "only plans were made", " Planned, not built yet."),
    ],
)
def test_that_something_was_done_is_told_only_where_something_shows_it(outcome: str, reason: str, end: str) -> None:
    content = compose("Rework the parser.", outcome=outcome, outcome_reason=reason)
    assert content == f"About: Rework the parser.{end}"


@pytest.mark.parametrize(
    ("prompts", "content"),
    [
        (("The parser fails with tabs in it", "Pinpoint it", "That's it, it is working"), ""),
        (("Did you see the two scale factors in the sketch?", "Proceed"), ""),
        (("The rows of the day are clipped", "Limit the past events of a day to one row"), ""),
    ],
)
def test_what_may_be_settled_is_not_told(prompts: tuple[str, ...], content: str) -> None:
    assert compose(*prompts) == content


def test_the_sentence_of_the_title_says_what_it_was_about() -> None:
    said = "I had a look at the plan. The parser of the import is too slow for large files. Split the writer."
    assert compose(said, title="The parser of the import is too…").startswith(
        "About: The parser of the import is too slow"
    )
    assert compose(said, title="Something a model said").startswith("About: Split the writer.")


@pytest.mark.parametrize("chars", [60, 100, 200, 1_000])
def test_the_length_wins_and_what_was_cut_shows_it(chars: int) -> None:
    long = (
        "Create an overview for the parser, including the tokens of the lexer, the tables, the errors that it knows "
        * 3
    )
    content = compose(long, facts=[("Dates are ISO.", 0.5)], outcome="implemented", chars=chars)
    assert len(content) <= chars
    assert content.startswith("About: Create an overview")
    first = sentences_of(content)[0]
    assert "…" in first or first.endswith(("know.", "knows."))


def test_each_thing_is_said_once() -> None:
    assert compose("Exports are CSV with a header.", facts=[("Exports are CSV with a header.", 0.7)]) == (
        "About: Exports are CSV with a header."
    )


def test_what_was_said_is_found_again_for_erasing() -> None:
    assert note_contents("About: Add a quagga. Committed: Quagga CSV; Zebra PDF. Claude Code: “I did the okapi.”") == [
        "Add a quagga", "Quagga CSV", "Zebra PDF", "I did the okapi",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("prompts", "content"),
    [
        (
            ("When adding items to an order and when you need. Show the price of each item in the list.",),
            "About: Show the price of each item in the list.",
        ),
        (
            ("In the admin part of the shop, disable the edit button",),
            "About: In the admin part of the shop, disable the edit button.",
        ),
        (
            (
                "Rework the parser.",
                "For some reason it doesn't work. When I open a file with tabs, the menu disappeared.",
            ),
            "About: Rework the parser. Open at the end: When I open a file with tabs, the menu disappeared.",
        ),
        (("Lock paid orders. Those shouldn't be changed at all.",), "About: Lock paid orders."),
        (
            ("Set up the tests.", "npm install --save-dev vitest @vue/test-utils", "at new Sketch (sketch.js:757:1)"),
            "About: Set up the tests.",
        ),
        (
            ("Based on the changes of today, update the overview of the modules",),
            "About: Based on the changes of today, update the overview of the modules.",
        ),
        (("Would you be able to import the calendar file",), "About: Import the calendar file."),
    ],
)
def test_no_clause_stands_alone_and_a_rule_is_no_fault(prompts: tuple[str, ...], content: str) -> None:
    assert compose(*prompts) == content


def test_what_an_answer_says_was_done_is_cut_to_the_room_and_beside_files_that_were_changed_more_was_asked() -> None:
    order = "Create a seeds file with some sample data so that I can see how the app handles more data"
    end = "Done. The database is now seeded with hundreds of records across all entities, which were asked for in the plan."
    content = compose(order, answer_end=end, app="Codex", outcome="implemented", outcome_reason="files were changed")
    assert (
        content == f"About: {order}. Codex: “The database is now seeded with hundreds of records across all entities…”"
    )
    said = ("Add a table for tests.", "Add a table for tools as well.")
    assert compose(*said, outcome="implemented", outcome_reason="files were changed") == (
        "About: Add a table for tests. Files were changed. Also: Add a table for tools as well."
    )
