"""S7: an always rule is for what the person says; what they only quote teaches nothing."""

from app.api import Engine, FactType
from app.values import MemoryStatus, Trust
from tests.conftest import Say


def test_an_always_rule_takes_what_is_said_and_not_what_is_quoted(engine: Engine, say: Say) -> None:
    engine.memories.add_rule("always", type=FactType.DECISION)
    said = "We decided to use MongoDB for the sessions."
    say(f"He wrote:\n> {said}\nhmm")
    assert engine.memories.list().cards == ()
    say(said)
    (card,) = engine.memories.list().cards
    assert (card.status, card.trust) == (MemoryStatus.ACTIVE, Trust.SPOKEN)
