"""A session start through the engine: few lines, whole sentences, what was done last, and the rest when it is asked for."""

import pytest

from app.api import Engine, FactType, MemoryDraft, Origin
from app.context.candidates.filtering import IRRELEVANT
from app.context.session_start import HALF_SAID, NOT_NOW
from app.store.tables.memory import MemoryRow
from app.values import Context, ContextRequest, ContextSignals, MemoryKind, Trust
from tests.conftest import Say

SHOP = "/w/shop"


@pytest.fixture
def known(engine: Engine) -> list[int]:
    engine.warm_up()
    animals = ("heron", "lynx", "otter", "wolf", "crane", "hare", "mole", "newt", "owl", "pike")
    plants = ("oak", "elm", "fir", "ash", "yew", "hop", "rye", "sage", "leek", "kale")
    texts = [f"The {animal} service stores {plant} records." for animal, plant in zip(animals, plants, strict=True)]
    texts += [
        f"{plant.title()} reports go to the {animal} desk as spreadsheets."
        for animal, plant in zip(animals, plants, strict=True)
    ]
    made = [engine.memories.create(MemoryDraft(text, project_path=SHOP)) for text in texts]
    rule = MemoryDraft("Never push to main.", type=FactType.CONSTRAINT, importance=0.9, project_path=SHOP)
    return [*made, engine.memories.create(rule)]


def give(engine: Engine, delivery: str = "hook:start", prompt: str = "", budget: int = 500) -> Context:
    signals = ContextSignals(SHOP, app="claude-code", session="new", prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, budget_tokens=budget, delivery=delivery, is_kept=False))


@pytest.mark.seed("S4", "goal.tokens")
def test_a_start_is_short_says_the_rule_and_names_what_it_left_out(engine: Engine, known: list[int]) -> None:
    given = give(engine)
    lines = [line for line in given.text.splitlines() if line.startswith("- ")]
    assert 8 <= len(lines) <= 15
    assert any("Never push to main." in line for line in lines)
    assert all(line.endswith(".") for line in lines), "whole sentences only"
    left_out = {one.memory_id: one.reason for one in given.left_out}
    given_ids = {item.memory_id for item in given.items}
    assert {left_out[number] for number in known if number not in given_ids} == {NOT_NOW}
    assert given_ids.isdisjoint(left_out)


@pytest.mark.parametrize("trust", [Trust.SPOKEN, Trust.CONFIRMED])
def test_half_a_sentence_stands_at_no_start_unless_the_person_confirmed_it(engine: Engine, trust: Trust) -> None:
    engine.warm_up()
    made = engine.memories.create(
        MemoryDraft("To keep the heron desk open instead of shut.", type=FactType.CONSTRAINT, project_path=SHOP)
    )
    engine.memories.create(MemoryDraft("To pack a crate, call the lynx desk.", project_path=SHOP))
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        write.update(MemoryRow, made, {"trust": int(trust)})
    given = give(engine)
    assert ("heron desk" in given.text) is (trust is Trust.CONFIRMED)
    assert "lynx desk" in given.text
    reasons = {one.memory_id: one.reason for one in given.left_out}
    assert reasons.get(made) == (None if trust is Trust.CONFIRMED else HALF_SAID)


def test_who_asks_is_given_the_rest(engine: Engine, known: list[int]) -> None:
    given_ids = {item.memory_id for item in give(engine, "mcp", budget=8_000).items}
    assert set(known) <= given_ids


def test_a_first_prompt_brings_what_was_said_in_a_prompt_like_it_and_a_later_one_does_not(
    engine: Engine, say: Say
) -> None:
    say(
        "Build the greenhouse irrigation planner with valves, moisture sensors and a frost alarm. Operators never share a login.",
        cwd=SHOP,
    )
    say(
        "Redo the newsletter template with a wide header and two columns. Photos never carry captions.",
        cwd=SHOP,
        session="s2",
    )
    prompt = "the irrigation planner of the greenhouse opens valves although the moisture sensors report frost"
    first = give(engine, "hook:prompt", prompt, budget=2_000).text
    assert "Operators never share a login." in first
    assert "captions" not in first
    for number in range(3):
        say(f"look at part {number}", cwd=SHOP, session="new")
    assert "login" not in give(engine, "hook:prompt", prompt, budget=2_000).text


def test_a_first_prompt_brings_what_the_session_was_not_told_and_less_of_it_where_much_was(engine: Engine) -> None:
    engine.warm_up()
    plants = [
        "oak",
        "elm",
        "fir",
        "ash",
        "yew",
        "hop",
        "rye",
        "sage",
        "leek",
        "kale",
        "beet",
        "corn",
        "dill",
        "fern",
        "iris",
        "lily",
        "mint",
        "moss",
        "palm",
        "pine",
    ]
    made = {
        engine.memories.create(MemoryDraft(f"Heron desk spreadsheets list {one} invoices.", project_path=SHOP))
        for one in plants
    }
    for number in range(40):
        engine.memories.create(MemoryDraft(f"Gate {number} closes at dusk.", project_path=SHOP))

    def ask() -> set[int]:
        prompt = (
            "since the heron desk waits for its spreadsheets, look whether the tax rounding of the invoices suffers when a "
            "browser tab sleeps and the printer queue is full and nobody has restarted the worker since the last release"
        )
        signals = ContextSignals(SHOP, app="claude-code", session="new", prompt=prompt)
        given = engine.context.assemble(ContextRequest(signals, budget_tokens=500, delivery="hook:prompt"))
        return {item.memory_id for item in given.items if item.memory_id}

    first, second = ask(), ask()
    assert (len(first), len(second)) == (8, 6)
    assert first | second < made
    assert not first & second


def test_what_shares_one_word_with_a_first_prompt_is_not_given(engine: Engine, known: list[int]) -> None:
    prompt = "look whether the records of the tax rounding in the invoice preview suffer when a browser tab sleeps"
    given = give(engine, "hook:prompt", prompt, budget=2_000)
    assert not [item for item in given.items if item.memory_id]


def test_what_nobody_confirmed_says_what_its_conversation_was_about_where_it_does_not_itself(
    engine: Engine, say: Say
) -> None:
    for text in (
        "I want to add a booking calendar for the cottage guests.",
        "Guests never pay twice.",
        "User can add more guests to every booking.",
    ):
        say(text, cwd=SHOP)
    text = give(engine, "hook:prompt", "a booking is paid twice when more guests are added", budget=2_000).text
    assert "(unconfirmed, about “Booking calendar for the cottage guests”) Guests never pay twice." in text
    assert "(unconfirmed) User can add more guests to every booking." in text


def test_a_task_that_nothing_bears_on_gets_nothing_not_even_the_rules(engine: Engine, known: list[int]) -> None:
    for prompt in (
        "bump it with `npm version`",
        "how do I use `npm version`?",
        "it still fails with the same error, try again",
    ):
        given = give(engine, "mcp", prompt, budget=8_000)
        assert not [item for item in given.items if item.memory_id]
        assert {one.reason for one in given.left_out if one.memory_id in known} == {IRRELEVANT}


def test_a_task_gets_what_shares_much_with_it(engine: Engine, known: list[int]) -> None:
    given = give(engine, "mcp", "move the oak records of the heron service", budget=8_000)
    given_ids = {item.memory_id for item in given.items if item.memory_id}
    assert known[0] in given_ids, "it is about just that"
    assert known[5] not in given_ids, "another service is not"


def test_that_files_were_changed_is_told_to_who_asks_for_the_past(engine: Engine) -> None:
    texts = (
        "You worked on “Exports”. Claude Code changed export.py and 3 more.",
        "You worked on “Exports”. All tests passed.",
    )
    thin, rich = (
        engine.memories.create(MemoryDraft(text, kind=MemoryKind.EPISODE, project_path=SHOP)) for text in texts
    )
    given_ids = {item.memory_id for item in give(engine, "mcp", "how do the exports work?", budget=8_000).items}
    assert (thin in given_ids, rich in given_ids) == (False, True)
    given_ids = {
        item.memory_id for item in give(engine, "mcp", "what did we do last about exports?", budget=8_000).items
    }
    assert thin in given_ids


def test_one_thing_in_two_wordings_is_said_once_and_the_wording_that_says_more_stays(engine: Engine) -> None:
    texts = (
        "Webhook retries stop after five attempts.",
        "Webhook retries stop after five attempts and then go to the dead letter table.",
        "Webhook retries stop after six attempts in staging.",
    )
    brief, whole, other = (engine.memories.create(MemoryDraft(text, project_path=SHOP)) for text in texts)
    for delivery, prompt in (("hook:start", ""), ("mcp", "how many attempts do webhook retries make?")):
        given_ids = {item.memory_id for item in give(engine, delivery, prompt).items}
        assert (brief in given_ids, whole in given_ids, other in given_ids) == (False, True, True)
