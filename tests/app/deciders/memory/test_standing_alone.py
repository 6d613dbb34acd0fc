"""A proposal is read weeks later by somebody who did not read the talk."""

from dataclasses import replace

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.self_contained import stand_alone
from app.deciders.memory.statements.statements import guess_statement
from tests.table import table


def alone(said: str, above: str = "") -> str | None:
    message = f"{above}\n{said}" if above else said
    one = guess_statement(said)
    start = message.index(said)

    found = stand_alone(replace(one, start=start, end=len(message)), message, load_memory_rules())
    return None if found is None else found.text


@table(
    "said",
    [
        "Store the tokens in the keyring instead of the config file.",
        "This is a personal project, not an enterprise application.",
        "All prices are kept in cents.",
        "Add a cache folder and use that folder for the totals of this folder.",
        "If your notes change, append the reasons to the changelog.",
        "Both the importer and the exporter must log in UTC.",
    ],
)
def test_what_can_be_read_alone_stays_as_it_is(said: str) -> None:
    assert alone(said) == said


@table(
    "said",
    [
        "It should be stored in the keyring.",
        "Same for the invoices, they should be sorted.",
        "Reuse the keys for this task.",
        "SELECT weight FROM parcels WHERE the depot is ours",
        "git commit -m 'Weights are in grams'",
        "Use the other one for the parcels.",
        "I think the totals should be kept in cents.",
        "Ask me when the plan is unclear and let me know.",
        "How do I squash, so that only one commit stays.",
        "Persist the size of the window in a small.",
        "Keep the current layout as a fallback.",
        "For 4 the parser must be strict.",
        "The customs form is not needed.",
        "Keep the panel tidy and never drop old parcels.",
    ],
)
def test_what_points_asks_doubts_or_is_cut_off_is_no_proposal(said: str) -> None:
    assert alone(said) is None


def test_a_thing_named_by_the_stands_where_the_statement_names_it() -> None:
    said = "The form must never reset the weight."
    assert alone(said) is None
    assert alone(said, above="About the customs form:") is None, "whoever reads it does not see the message"
    assert alone("The form of the customs office must never reset the weight.") is not None


def test_what_its_own_writer_doubts_at_once_is_no_statement() -> None:
    said = "Parcels are weighed in grams."
    assert stand_alone(guess_statement(said), said, load_memory_rules()) is not None
    for doubt in ("Is this still right?", "Why not in ounces?", "What do you think?"):
        one = replace(guess_statement(said), end=len(said))
        assert stand_alone(one, f"{said} {doubt}", load_memory_rules()) is None


@table(
    ("above", "place"),
    [
        ("Now let's build the `parcel label` PDF.", " (`parcel label` PDF)"),
        ("In src/depot/label.py:", " (src/depot/label.py)"),
        ("Compare `label.py` with `stamp.py`.", ""),
        ("Now let's move from `label.py` to `stamp.py`.", ""),
    ],
)
def test_the_work_that_a_message_opens_with_is_named(above: str, place: str) -> None:
    said = "Printing by weight must be easy to find"
    assert alone(f"{said}.", above=above) == f"{said}{place}."
