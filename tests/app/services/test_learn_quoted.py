"""S7: an always rule is for what the person says; what they only quote waits for them."""

import pytest

from app.api import Engine, FactType
from app.values import MemoryStatus, Trust
from tests.conftest import Say


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He wrote:\n> We decided to use MongoDB for the sessions.\nhmm", (MemoryStatus.PROPOSED, Trust.IMPORTED)),
        ("We decided to use MongoDB for the sessions.", (MemoryStatus.ACTIVE, Trust.SPOKEN)),
    ],
    ids=["quoted", "said"],
)
def test_an_always_rule_takes_what_is_said_and_not_what_is_quoted(
    engine: Engine, say: Say, text: str, expected: tuple[MemoryStatus, Trust]
) -> None:
    engine.memories.add_rule("always", type=FactType.DECISION)
    say(text)
    (card,) = engine.memories.list().cards
    assert (card.status, card.trust) == expected
