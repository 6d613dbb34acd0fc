"""Now is not from now on: what asks to last, what may stand, what is only about the moment."""

from app.deciders.memory.statements.durability import Durability, judge_durability
from app.deciders.memory.statements.statements import guess_statement
from app.values import FactCandidate, FactType
from tests.table import table

LASTS = (
    "From now on every invoice is sent as PDF.",
    "Remember that the staging box is called walrus.",
    "Never push to the release branch again.",
    "Going forward, tests live beside the code.",
    "Dates must always be in UTC.",
    "We decided to keep the importer in Go.",
    "Let's go with the queue.",
    "An address is mandatory.",
    "never use default exports in this project",
)
MAYBE = (
    "Always sort the list.",
    "The header should be blue.",
    "Every order belongs to one guest.",
    "Do you remember where the config is?",
    "I remember that it worked.",
    "Leave it where it is.",
    "We plan for future growth.",
    "Now users must only see their own parcels.",
    "The archive is not currently read, but should not be removed.",
    "Update the importer so that it only keeps the hash.",
    "Do not show the parcels of others.",
)
NOW = (
    "I've written the first label for the depot.",
    "I noticed the totals are wrong.",
    "We forgot the footer on the invoice page.",
    "Build some tests for the importer.",
    "The upload fails with an error.",
    "It seems the cache is cold.",
    "Tell me what you changed.",
    "Now we can edit parcels in two places.",
    "The Friday row is cut off.",
    "Search by street doesnt work at all.",
    "The totals keep getting recalculated.",
    "There are two parcels without a street.",
    "I do not want to see so many lines.",
    "When printing a label, show the weight.",
)


@table(
    ("said", "lasts"),
    [(said, lasts) for lasts, all_of in zip(Durability, (LASTS, MAYBE, NOW), strict=True) for said in all_of],
)
def test_how_long_the_words_want_to_hold(said: str, lasts: Durability) -> None:
    assert judge_durability(guess_statement(said), said) is lasts


def test_the_head_of_a_list_speaks_for_its_items() -> None:
    text = "Some rules for the docs:\n- short sentences\n- no jargon\n\nnow write the first page"
    start = text.index("no jargon")
    item = FactCandidate(FactType.CONSTRAINT, "No jargon.", 0.7, start, start + len("no jargon"), "")
    assert judge_durability(item, text) is Durability.FROM_NOW_ON


def test_a_report_vetoes_what_stands_beside_it() -> None:
    text = "Saving throws an exception. The dialog has two buttons."
    start = text.index("The dialog")
    beside = FactCandidate(FactType.FACT, "The dialog has two buttons.", 0.7, start, len(text), "")
    assert judge_durability(beside, text) is Durability.NOW
    decided = "Saving throws an exception. Drafts are kept for a week."
    kept = FactCandidate(FactType.DECISION, decided[27:], 0.7, 28, len(decided), "")
    assert judge_durability(kept, decided) is Durability.MAYBE, "what is decided is no report"
