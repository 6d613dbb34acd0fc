"""A value that no other words can say - a path, a number, a date - stands at every level and in the title as it was said."""

from app.deciders.memory.levels.compress import compress, make_memory_title
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.phrasing import write_sentence
from app.deciders.memory.statements.statements import guess_statement
from app.values.memory import MemoryKind
from tests.table import table


@table(
    ("said", "value"),
    [
        ("The reports are at ../shared/reports.", "../shared/reports"),
        ("The traces go to ./out/trace.bin", "./out/trace.bin"),
        ("The deadline is Tuesday 3 November.", "tuesday 3 november"),
        ("The release date is the 12th of October.", "the 12th of october"),
    ],
)
def test_an_exact_value_is_whole_at_every_level(said: str, value: str) -> None:
    fact = guess_statement(said, load_memory_rules(None))
    assert fact.value == value
    levels = compress(fact.text, kind=MemoryKind.FACT, slot=fact.slot, value=fact.value)
    for level in (levels.summary, levels.compressed, levels.index):
        assert value in level.text.lower()


def test_a_number_joined_to_its_unit_is_not_lost() -> None:
    levels = compress("The poller wakes on a 5-second timer in the tray.", kind=MemoryKind.FACT)
    assert "5-second" in levels.summary.text
    assert "5-second" in levels.compressed.text


def test_a_path_with_my_in_it_stays_a_path() -> None:
    assert write_sentence("my notes are in ~/sync/my-notes") == "My notes are in ~/sync/my-notes."


@table(
    ("said", "title"),
    [
        (
            "Amounts are shown in the currency of the account holder, not of the person who is logged in",
            "Amounts are shown in the currency of the account holder, not of the person who is logged in",
        ),
        (
            "Whatever comes in over the bus has to be stored as it was sent, so do not trim the payload",
            "Whatever comes in over the bus has to be stored as it was sent, so do not trim the payload",
        ),
        (
            "The ledger has just nine accounts, so one plain list is enough to choose from",
            "The ledger has just nine accounts…",
        ),
        (
            "When the scale reports a weight twice the second one must be dropped before the label is printed and logged",
            "When the scale reports a weight twice the second one…",
        ),
    ],
)
def test_a_long_title_is_a_piece_of_what_was_said(said: str, title: str) -> None:
    assert make_memory_title(said, None, "", None) == title


def test_a_title_keeps_the_capitals_that_were_said() -> None:
    fact = guess_statement("The web API is at ../gateway.", load_memory_rules(None))
    assert make_memory_title(fact.text, fact.slot, fact.value, fact.type) == "Web API location: ../gateway"
