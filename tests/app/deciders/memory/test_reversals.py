"""What is given up in so many words, and which known memory that is."""

import pytest

from app.deciders.memory.contradictions import reversals
from app.deciders.memory.contradictions.reversals import find_reversals, superseded_by
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
    "said",
    [
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
    (given_up,) = find_reversals(split_sentences("Remove the weekly summary mail."))
    assert superseded_by(given_up, "A weekly summary mail goes out on Fridays.") == 1.0
