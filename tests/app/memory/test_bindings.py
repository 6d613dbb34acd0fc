"""Pointing words that are understood inside their sentence: it is kept as it was typed."""

import pytest

from app.memory.bindings import is_bound, is_number, stand_alone
from app.services.evaluation.facts import Reader
from app.values import Reference, ReferenceKind, ReferenceState

READER = Reader()


def pointing(text: str, mention: str, antecedent: str | None = None) -> Reference:
    start = text.index(mention)
    state = ReferenceState.RESOLVED if antecedent else ReferenceState.UNRESOLVED
    return Reference(mention, start, start + len(mention), ReferenceKind.PRONOUN, state, antecedent, 0.7, "")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("meters report their values every 20 seconds", "Meters report their values every 20 seconds."),
        ("pupils can see only their own marks", "Pupils can see only their own marks."),
        ("bookings are checked by a second clerk before they're sent", "Bookings are checked by a second clerk before they're sent."),
        ("Edda left in May, her modules are with Tomas now", "Edda left in May, her modules are with Tomas now."),
    ],
)  # fmt: skip
def test_a_sentence_that_points_into_itself_is_kept_as_typed(text: str, kept: str) -> None:
    assert [one.text for one in READER.read(text)] == [kept]


@pytest.mark.parametrize("text", ["it has to be checked by a second clerk", "that gets sent every 20 seconds"])
def test_what_points_out_of_its_sentence_says_nothing(text: str) -> None:
    assert READER.read(text) == ()


def test_a_number_is_no_pointing_word() -> None:
    counted, meant = "one queue for each school", "take the last one of them"
    assert is_number(pointing(counted, "one"), counted)
    assert not is_number(pointing(meant, "one"), meant)


def test_an_antecedent_counts_only_before_the_mention_in_its_sentence() -> None:
    text = "The gate is new. It opens when the gate hears a beep"
    late = pointing(text, "It", "gate")
    assert not is_bound(late, text, text.index("It"))
    assert is_bound(late, text, 0)
    assert not stand_alone([], text, 0)
    assert stand_alone([late], text, 0)
