"""What is given up in so many words, and which known memory that is."""

import pytest

from app.deciders.memory.contradictions import reversals
from app.deciders.memory.contradictions.reversals import find_reversals, says_it_replaces, superseded_by
from app.language.sentences import split_sentences
from tests.table import table


def old_of(text: str) -> list[str]:
    return [one.old for one in find_reversals(split_sentences(text))]


@table(
    ("said", "old"),
    [
        ("move away from the legacy broker", "the legacy broker"),
        ("please rename all parcels to shipments", "parcels"),
        ("we no longer use Terraform for the staging hosts", "Terraform for the staging hosts"),
        ("can you remove the nightly CSV export", "the nightly CSV export"),
        ("store the tokens in the keyring instead of the config file", "the config file"),
        ("replace the cron job with a queue", "the cron job"),
        ("switch from npm to pnpm", "npm"),
        ("let's get rid of the preview server", "the preview server"),
        ("switch to pnpm, yarn is gone", "yarn"),
        ("we no longer deploy on Fridays", "deploy on Fridays"),
        ("you don't have to ask me before each push any more", "ask me before each push"),
        ("you may edit the seeds again", "not edit the seeds"),
        ("Semicolons are fine again.", "not Semicolons"),
    ],
)
def test_it_reads_what_is_given_up(said: str, old: str) -> None:
    assert old_of(said) == [old]


@table(
    ("said", "old", "is_report"),
    [
        ("My notes on the export were removed by the last merge.", "My notes on the export", True),
        ("the formatter replaced our tabs with spaces", "our tabs", True),
        ("It was slow, so Redis was dropped completely.", "Redis", True),
        ("Redis has been replaced by a queue.", "Redis", False),
        ("we replaced Redis with a queue", "Redis", False),
        ("remove the nightly export", "the nightly export", False),
    ],
)
def test_a_report_is_told_from_an_order_and_a_declaration(said: str, old: str, *, is_report: bool) -> None:
    (found,) = find_reversals(split_sentences(said))
    assert (found.old, found.is_report) == (old, is_report)


@table(
    "said",
    [
        "Undo itself seems to work.",
        "The undo history should be kept.",
        "should we remove the nightly export?",
        "how would one move away from the legacy broker",
        "> we no longer use Terraform",
        "remove or update it as needed",
        "keep the keys in a folder instead of keeping them there",
        "the export is fine",
        "hide parcels that are no longer on their way",
        "the preview is no longer shown",
        "the button is gone",
        "you don't have to test the footer",
        "you may use the second port",
    ],
)
def test_what_is_asked_quoted_or_only_pointed_at_gives_nothing_up(said: str) -> None:
    assert old_of(said) == []


@table(
    ("said", "known"),
    [
        ("I don't see the save button any more.", "The save button is green."),
        ("I no longer see the login button.", "The login button stands on the start page."),
        ("I stopped the dev server.", "The dev server runs on port 5173."),
        ("I don't have the test data any more", "The test data lies in fixtures/."),
        ("We no longer get the timeout error.", "A timeout error is shown for ten seconds."),
        ("I moved to the settings page, and the save button is gone.", "The save button is green."),
        ("The migrations are ok now.", "Never edit migrations."),
        ("The build is fine again.", "Do not break the build."),
        ("You can push now.", "Never push to main."),
        ("You can push it again.", "Never push to main."),
        ("You can push to staging again.", "Never push to main."),
        ("ok you can commit now", "Do not commit to main."),
        ("It is ok to look at the login form again.", "Do not change the login form."),
        ("We no longer write comments in German.", "Write comments in English."),
        ("Get rid of the clock on the map.", "The clock strikes on Sundays."),
        ("We no longer deploy docs with Docker.", "We deploy with Docker."),
        ("You may write comments in German again.", "Never write comments in English."),
    ],
)
def test_a_report_and_a_leave_for_once_close_nothing(said: str, known: str) -> None:
    assert [one for one in find_reversals(split_sentences(said)) if superseded_by(one, known) > 0] == []


@table(
    ("said", "known"),
    [
        ("We stopped writing comments in German.", "Write comments in German."),
        ("I don't want comments in German any more.", "Write comments in German."),
        ("We don't deploy on Fridays any more.", "We deploy on Fridays."),
        ("You can push to main again.", "Never push to main."),
        ("Emojis are allowed now.", "Never use emojis."),
        ("You may change the legacy folder again.", "Don't touch the legacy folder."),
    ],
)
def test_a_custom_given_up_and_a_ban_lifted_close(said: str, known: str) -> None:
    assert [one for one in find_reversals(split_sentences(said)) if superseded_by(one, known) > 0]


@table(
    ("sentence", "is_so"),
    [
        ("From now on use spaces.", True),
        ("We deploy with Fly now.", True),
        ("Change to spaces.", True),
        ("The API listens on port 8080 for now.", False),
        ("A title is no longer than 60 characters.", False),
        ("Add a changelog line for every change to the API.", False),
    ],
)
def test_what_says_that_it_replaces(sentence: str, *, is_so: bool) -> None:
    assert says_it_replaces(sentence) is is_so


def test_what_is_allowed_again_closes_the_ban_and_nothing_else() -> None:
    (lifted,) = find_reversals(split_sentences("You may use emojis again."))
    assert superseded_by(lifted, "Never use emojis in your answers.") > 0
    assert superseded_by(lifted, "Use emojis in the headings.") == 0


@pytest.mark.parametrize(
    ("said", "known", "is_given_up"),
    [
        ("remove the nightly CSV export", "The nightly export writes CSV files.", True),
        ("switch from npm to pnpm", "Use npm for the web client.", True),
        ("remove the nightly CSV export", "Never add a nightly CSV export.", False),
        ("stop using the legacy broker any more", "Move to Kafka instead of the legacy broker.", False),
        (
            "rename all parcels to shipments",
            "The parcels page lists weight, size, sender and state of each one.",
            False,
        ),
        ("remove the tax rate tables and the fee columns and their routes", "Add a table of tax rates.", True),
        (
            "move the discount from customers to orders",
            "Customers may get a different discount for each of their orders.",
            False,
        ),
        ("remove the fee columns and their routes", "Routes have a prefix.", False),
        ("remove the unused import of lodash", "Use lodash for debouncing.", False),
    ],
)
def test_it_closes_what_speaks_of_it_and_nothing_else(said: str, known: str, *, is_given_up: bool) -> None:
    (reversal,) = find_reversals(split_sentences(said))
    assert (superseded_by(reversal, known) > 0) is is_given_up


def test_a_memory_that_shares_no_word_is_not_read_further(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = find_reversals(split_sentences("please move away from the temp tasks table"))
    assert superseded_by(one, "Tasks wait in the temp tasks table.") > 0
    monkeypatch.setattr(reversals, "_read", lambda _sentence: pytest.fail("it was read"))
    assert superseded_by(one, "The office in Oslo reads exports, so headers are in English.") == 0


def test_a_piece_of_work_closes_only_what_has_all_its_words() -> None:
    (order,) = find_reversals(
        split_sentences("Please remove unpaid bookings of last week, when the list is this long.")
    )
    assert superseded_by(order, "When the list starts in mid-week, it opens the last week with bookings.") == 0.0
    (named,) = find_reversals(split_sentences("Remove the unused import from src/app.py."))
    assert superseded_by(named, "src/app.py imports the settings first.") == 0.0
    (numbered,) = find_reversals(split_sentences("Remove the 20 min pause after each mail."))
    assert superseded_by(numbered, "There is a pause of 20 minutes after each mail.") > 0
    assert superseded_by(numbered, "There is a pause of 5 minutes after each mail.") == 0.0
    (given_up,) = find_reversals(split_sentences("Remove the weekly summary mail."))
    assert superseded_by(given_up, "A weekly summary mail goes out on Fridays.") == 1.0
