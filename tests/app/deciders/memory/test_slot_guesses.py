"""Slots that no attribute names: made of where and called what; none where the subject is missing."""

from app.deciders.memory.statements.statements import extract_statements
from app.values import Slot
from tests.table import table


def slot_of(text: str) -> tuple[Slot | None, str]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    assert len(found) == 1, found
    return found[0].slot, found[0].value


@table(
    ("text", "slot", "value"),
    [
        ("the exports live in /srv/exports", Slot("exports", "location"), "/srv/exports"),
        ("the relay board is called `tern`", Slot("relay board", "name"), "tern"),
    ],
)
def test_the_sentence_makes_its_slot(text: str, slot: Slot, value: str) -> None:
    found, said = slot_of(text)
    assert found == slot
    assert said.startswith(value)


@table("text", ["we cut the wizard from the mvp", "never log raw requests", "we only ship on weekdays"])
def test_without_subject_or_value_there_is_no_slot(text: str) -> None:
    assert slot_of(text) == (None, "")


def test_what_is_given_up_fills_no_slot_when_the_new_is_unknown() -> None:
    assert slot_of("use Wombat instead of threads")[0] is None
