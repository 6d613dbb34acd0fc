"""What learning leaves behind: a quote strengthens nothing, what is closed or taken back keeps its past, a rule counts."""

from app.api import Engine, FrozenClock, MemoryCard, MemoryFilter, MemoryStatus, Trust
from tests.conftest import Say

SAID = "We decided to use PostgreSQL for the orders service."
QUOTED = f"He wrote:\n> {SAID}\nhmm"


def only(engine: Engine) -> MemoryCard:
    (card,) = engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).cards
    return card


def test_quoting_it_again_makes_it_no_surer(engine: Engine, say: Say) -> None:
    say(SAID)
    before = only(engine)
    for number in range(4):
        say(QUOTED, session=f"s{number}")
    after = only(engine)
    assert (after.confidence, after.status, after.trust) == (before.confidence, before.status, before.trust)
    assert len(engine.memories.get(after.id).sources) == 1


def test_what_was_only_quoted_is_learned_once_the_person_says_it(engine: Engine, say: Say) -> None:
    say(QUOTED)
    assert engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).cards == ()
    say(SAID, session="other")
    assert only(engine).trust is Trust.SPOKEN


def test_what_is_closed_keeps_how_it_was_believed(engine: Engine, say: Say, clock: FrozenClock) -> None:
    say("We use PostgreSQL for the orders service.")
    believed = clock.now()
    clock.advance(hours=24)
    say("We moved from PostgreSQL to SQLite for the orders service.")
    old = min(engine.memories.list().cards, key=lambda card: card.id)
    assert not old.is_live
    (version,) = engine.memories.get(old.id).versions
    assert version.state["valid_to"] is None
    assert version.from_at <= believed < version.until_at
    assert version.label == "replaced"


def test_a_rule_counts_how_often_it_decided(engine: Engine, say: Say) -> None:
    never = engine.memories.add_rule("never", phrase="mongodb")
    always = engine.memories.add_rule("always", phrase="postgresql")
    assert [rule.hit_count for rule in engine.memories.rules()] == [0, 0]
    say("We decided to use MongoDB for the sessions.")
    say(SAID)
    say("We decided to use PostgreSQL for the search.")
    assert {rule.id: rule.hit_count for rule in engine.memories.rules()} == {never: 1, always: 2}
    engine.memories.remove_rule(never)
    engine.journal.undo()
    assert {rule.id: rule.hit_count for rule in engine.memories.rules()} == {never: 1, always: 2}
