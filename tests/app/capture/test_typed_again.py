"""An order that comes in the same words in session after session is a way of working, and is given at the next start."""

import pytest

from app.api import Engine
from app.values import ContextRequest, ContextSignals, FactType, MemoryStatus
from tests.conftest import Say

ORDER = "Update docs/orders.md with what is new about the code you just changed."


def _kept(engine: Engine) -> list[tuple[str, MemoryStatus]]:
    return [(card.text, card.status) for card in engine.memories.list().cards if "docs/orders.md" in card.text]


def test_the_third_session_makes_it_a_memory_with_all_its_places(engine: Engine, say: Say) -> None:
    for number in range(2):
        say(f"Looks good. {ORDER}", session=f"s{number}", minutes=60)
        say(ORDER, session=f"s{number}", minutes=1)
        assert not _kept(engine), "two sessions are no habit"
    say(ORDER, session="s2", minutes=60)
    ((_, status),) = _kept(engine)
    assert status is MemoryStatus.ACTIVE
    (card,) = [one for one in engine.memories.list().cards if "docs/orders.md" in one.text]
    whole = engine.memories.get(card.id)
    assert whole.memory.type is FactType.PROCEDURE
    assert len(whole.sources) == 3
    assert {source.quote for source in whole.sources} == {ORDER}
    given = engine.context.assemble(
        ContextRequest(
            ContextSignals("/w/app", app="claude-code", session="s3"), budget_tokens=500, delivery="hook:start"
        )
    )
    assert "docs/orders.md" in given.text


def test_elsewhere_it_was_said_for_that_project(engine: Engine, say: Say) -> None:
    for number in range(2):
        say(ORDER, session=f"s{number}", minutes=60, cwd="/w/other")
    say(ORDER, session="s2", minutes=60)
    assert not _kept(engine)


RADIO = "Readings of the north site arrive by radio, those of the others by cable."
CABLE = "Readings of the north site arrive by radio and those of the others arrive by cable."
LOST = "The readings of the north site come in through the old gateway and get lost at night."


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ((RADIO, RADIO, RADIO), MemoryStatus.ACTIVE),
        ((RADIO, RADIO, CABLE), MemoryStatus.PROPOSED),  # in other words it is as often one fault that is told again
        ((LOST, LOST, LOST), MemoryStatus.PROPOSED),  # tells how things are now, and is pasted again
    ],
)
def test_what_only_sounds_likely_becomes_active_by_the_same_words(
    engine: Engine, say: Say, said: tuple[str, ...], status: MemoryStatus
) -> None:
    for number, text in enumerate(said):
        say(text, session=f"s{number}", minutes=60)
    (card,) = engine.memories.list().cards
    assert card.status is status
    assert len(engine.memories.get(card.id).sources) == 3
