"""What the person typed and has not confirmed: found by whoever asks, marked, never critical, never said at a start (S7).

What an assistant wrote or a file brought is found by nobody before the person has accepted it.
"""

from collections.abc import Callable

import pytest

from app.api import Engine, FactType, MemoryDraft, Origin
from app.store.tables.memory import MemoryRow
from app.values import (
    CaptureRequest,
    Context,
    ContextRequest,
    ContextSignals,
    EventKind,
    Level,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    RecallQuery,
    Tier,
    Trust,
)

SHOP, ASKED = "/w/shop", "which heron desk prints the invoices?"
TEXT = "The heron desk prints invoices on violet paper."


@pytest.fixture
def keep(engine: Engine) -> Callable[[Trust], int]:
    """A proposal of so much trust, beside what is known."""
    engine.warm_up()
    for text in ("Orders are stored in cents.", "The lynx desk answers letters.", "Rooms have beds."):
        engine.memories.create(MemoryDraft(text, project_path=SHOP))

    def make(trust: Trust) -> int:
        made = engine.memories.create(MemoryDraft(TEXT, type=FactType.DECISION, project_path=SHOP))
        values = {"status": MemoryStatus.PROPOSED.value, "trust": int(trust)}
        with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
            write.update(MemoryRow, made, values)
        return made

    return make


def give(engine: Engine, delivery: str, prompt: str = ASKED, session: str = "new") -> Context:
    signals = ContextSignals(SHOP, app="claude-code", session=session, prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, delivery=delivery, budget_tokens=2_000, is_kept=False))


def searched(engine: Engine, number: int) -> str:
    query = RecallQuery(ASKED, filters=MemoryFilter(projects=(SHOP,)))
    hits = [hit for hit in engine.search.find(query).hits if hit.card is not None]
    listed = engine.search.search(query).hits
    assert {hit.card.id for hit in listed} == {hit.card.id for hit in hits if hit.card is not None}
    return "\n".join(f"{hit.text} {hit.reason}" for hit in listed)


WAYS: dict[str, Callable[[Engine, int], str]] = {
    "search": searched,
    "recall": lambda engine, number: engine.answers.recall(ASKED, engine.answers.place(SHOP)).text,
    "expand": lambda engine, number: engine.answers.expand([number], engine.answers.place(SHOP)).text,
    "timeline": lambda engine, number: engine.answers.timeline(engine.answers.place(SHOP), topic="invoices").text,
    "list": lambda engine, number: "".join(
        f"{one.title} {one.text}" for one in engine.answers.list_hits(ASKED, engine.answers.place(SHOP))
    ),
    "context": lambda engine, number: give(engine, "mcp").text,
    "first prompt": lambda engine, number: give(engine, "hook:prompt").text,
}


@pytest.mark.parametrize("name", WAYS)
def test_what_was_typed_is_found_and_marked(engine: Engine, keep: Callable[[Trust], int], name: str) -> None:
    said = WAYS[name](engine, keep(Trust.SPOKEN))
    assert "invoices" in said
    assert "unconfirmed" in said


@pytest.mark.parametrize("trust", [Trust.AGENT, Trust.IMPORTED])
@pytest.mark.parametrize("name", WAYS)
def test_what_others_wrote_is_found_by_nobody(
    engine: Engine, keep: Callable[[Trust], int], name: str, trust: Trust
) -> None:
    assert "invoices" not in WAYS[name](engine, keep(trust))


def test_it_is_never_critical_whatever_was_chosen_for_it(engine: Engine, keep: Callable[[Trust], int]) -> None:
    number = keep(Trust.SPOKEN)
    engine.context.place_in_tier([number], Tier.CRITICAL)
    engine.context.place_at_level([number], Level.FULL)
    (item,) = [one for one in give(engine, "mcp").items if one.memory_id == number]
    assert item.tier is not Tier.CRITICAL


def test_a_start_and_a_later_prompt_do_not_say_it(engine: Engine, keep: Callable[[Trust], int]) -> None:
    keep(Trust.SPOKEN)
    assert "invoices" not in give(engine, "hook:start", "").text
    for number in range(3):
        request = CaptureRequest(
            "claude-code", EventKind.PROMPT, f"k{number}", "long", f"look at part {number}", cwd=SHOP, project_root=SHOP
        )
        engine.events.capture([request])
    assert "invoices" not in give(engine, "hook:prompt", session="long").text


def test_confirmed_it_is_told_as_anything_else(engine: Engine, keep: Callable[[Trust], int]) -> None:
    number = keep(Trust.SPOKEN)
    engine.memories.accept([number])
    said = engine.answers.recall(ASKED, engine.answers.place(SHOP)).text
    assert "invoices" in said
    assert "unconfirmed" not in said


def test_of_few_memories_it_is_given_only_where_it_bears_on_the_task(
    engine: Engine, keep: Callable[[Trust], int]
) -> None:
    number = keep(Trust.SPOKEN)
    history = engine.memories.create(
        MemoryDraft("You worked on “Desks”. The printing was tried out.", kind=MemoryKind.EPISODE, project_path=SHOP)
    )
    unrelated = "do otters ever print maps of rivers, winter coats or harbours for foreign visitors?"
    given = {item.memory_id for item in give(engine, "mcp", unrelated).items}
    assert given.isdisjoint({number, history})
    assert any("cents" in item.text for item in give(engine, "mcp", unrelated).items), "what is sure stays"
    assert number in {item.memory_id for item in give(engine, "mcp").items}
    assert history in {item.memory_id for item in give(engine, "mcp", "what did we do last?").items}
