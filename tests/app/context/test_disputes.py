"""What cannot both hold is never given side by side: not in an answer to an assistant, not in a context, not across scopes."""

import pytest

from app.api import Engine, FrozenClock, MemoryDraft
from app.context.answers import CallerProject
from app.context.open_contradictions import HELD_HERE
from app.values import CaptureRequest, ContextRequest, ContextSignals, EventKind, MemoryFilter, MemoryStatus
from tests.flows.processes import wait_for

REDIS, MEMCACHED = "We decided to use Redis for caching", "We decided to use Memcached for caching"
SHOP = "/w/shop"


@pytest.fixture
def pair(engine: Engine) -> tuple[int, int]:
    first, second = (engine.memories.create(MemoryDraft(text, project_path=SHOP)) for text in (REDIS, MEMCACHED))
    assert engine.memories.get(second).contradiction_ids == (first,), "the control: they contradict"
    return first, second


@pytest.fixture
def here(engine: Engine, pair: tuple[int, int]) -> CallerProject:
    return engine.answers.place(SHOP)


def memory_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def assert_one_question(text: str) -> None:
    [line] = memory_lines(text)
    assert "Unresolved:" in line
    assert line.index("Redis") < line.index("(older)") < line.index("Memcached") < line.index("(newer)")


@pytest.mark.seed("S4", "tier1.contradictions")
def test_recall_asks_instead_of_telling_both(engine: Engine, here: CallerProject, pair: tuple[int, int]) -> None:
    given = engine.answers.recall("caching", here)
    assert_one_question(given.text)
    assert sorted(given.memory_ids) == sorted(pair)


def test_it_asks_too_when_only_one_side_is_found(engine: Engine, here: CallerProject) -> None:
    assert_one_question(engine.answers.recall("Redis", here, limit=1).text)


def test_a_search_lists_the_question_once_and_fetch_says_who_disagrees(engine: Engine, here: CallerProject) -> None:
    [found] = engine.answers.list_hits("caching", here)
    assert found.title.startswith("Unresolved:")
    assert_one_question(found.text)
    fetched = engine.answers.fetch(found.id, here)
    assert "Memcached" in fetched.title
    assert "Disputed: memory" in fetched.text
    assert "Redis" in fetched.text


def test_expand_says_beside_each_text_that_it_is_disputed(
    engine: Engine, here: CallerProject, pair: tuple[int, int]
) -> None:
    lines = memory_lines(engine.answers.expand(pair, here).text)
    assert [f"Disputed: memory {other} says" in line for other, line in zip(pair[::-1], lines, strict=True)] == [
        True
    ] * 2


def test_the_timeline_shows_the_question(engine: Engine, here: CallerProject) -> None:
    assert_one_question(engine.answers.timeline(here).text)


def test_what_was_disputed_then_is_disputed_when_then_is_asked_for(
    engine: Engine, clock: FrozenClock, here: CallerProject, pair: tuple[int, int]
) -> None:
    clock.advance(days=2)
    then = clock.now()
    clock.advance(days=2)
    assert_one_question(engine.answers.recall("caching", here, at=then).text)
    assert "(disputed then" in engine.answers.recall("Redis", here, at=then, limit=1).text
    engine.memories.archive([pair[0]])
    assert "Unresolved" not in engine.answers.recall("caching", here).text
    assert len(memory_lines(engine.answers.recall("caching", here).text)) == 1


def test_two_of_no_project_are_a_question_everywhere(engine: Engine) -> None:
    for text in (REDIS, MEMCACHED):
        engine.memories.create(MemoryDraft(text))
    assert_one_question(engine.answers.recall("caching", engine.answers.place("")).text)
    assert_one_question(engine.answers.recall("caching", engine.answers.place(SHOP)).text)
    assert_one_question(assemble(engine, "How do we do caching?"))


def assemble(engine: Engine, prompt: str, project: str = SHOP) -> str:
    return engine.context.assemble(ContextRequest(ContextSignals(project, prompt=prompt), is_kept=False)).text


def test_a_context_prefers_what_the_project_says_and_tells_why(engine: Engine) -> None:
    own = engine.memories.create(MemoryDraft(REDIS, project_path=SHOP))
    common = engine.memories.create(MemoryDraft(MEMCACHED))
    signals = ContextSignals(SHOP, prompt="How do we do caching?")
    made = engine.context.assemble(ContextRequest(signals, is_kept=False))
    assert [item.memory_id for item in made.items if item.memory_id] == [own]
    assert {one.memory_id: one.reason for one in made.left_out}[common] == HELD_HERE
    assert "Memcached" not in engine.answers.recall("caching", engine.answers.place(SHOP)).text
    asked = engine.answers.expand([common], engine.answers.place(SHOP)).text
    assert "Memcached" in asked
    assert HELD_HERE in asked
    assert "Memcached" in assemble(engine, "How do we do caching?", "/w/elsewhere"), "the control"


def test_the_common_one_does_not_stand_beside_the_question(engine: Engine, pair: tuple[int, int]) -> None:
    engine.memories.create(MemoryDraft(MEMCACHED))
    lines = [line for line in memory_lines(assemble(engine, "How do we do caching?")) if "Ask about" not in line]
    assert_one_question("\n".join(lines))
    assert_one_question(engine.answers.recall("caching", engine.answers.place(SHOP)).text)


def test_another_value_of_what_takes_many_stands_beside(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("We never use jQuery", project_path=SHOP))
    engine.memories.create(MemoryDraft("We never use Moment"))
    given = assemble(engine, "Should we use jQuery or Moment?")
    assert "jQuery" in given
    assert "Moment" in given


def test_three_that_contradict_each_other_are_one_question(engine: Engine, pair: tuple[int, int]) -> None:
    third = engine.memories.create(MemoryDraft("We decided to use Valkey for caching", project_path=SHOP))
    given = engine.answers.recall("caching", engine.answers.place(SHOP))
    [line] = memory_lines(given.text)
    assert all(name in line for name in ("Redis", "Memcached", "Valkey"))
    assert sorted(given.memory_ids) == sorted((*pair, third))
    assert assemble(engine, "How do we do caching?").count("Unresolved:") == 1


def test_at_a_start_a_question_takes_its_place_by_what_its_sides_are_worth(
    engine: Engine, pair: tuple[int, int]
) -> None:
    animals = [
        "heron",
        "lynx",
        "otter",
        "wolf",
        "crane",
        "hare",
        "mole",
        "newt",
        "owl",
        "pike",
        "ibis",
        "swan",
        "toad",
        "carp",
    ]
    for at, animal in enumerate(animals):
        draft = MemoryDraft(f"The {animal} service keeps its own ledger {at}.", importance=0.85, project_path=SHOP)
        engine.memories.create(draft)
    for port, worth in ((8080, 0.9), (9090, 0.95)):
        engine.memories.create(MemoryDraft(f"The API runs on port {port}.", importance=worth, project_path=SHOP))
    signals = ContextSignals(SHOP, session="new")
    request = ContextRequest(signals, budget_tokens=500, delivery="hook:start", is_kept=False)
    given = engine.context.assemble(request).text
    lines = [line for line in given.splitlines() if "Unresolved" in line]
    [line] = lines
    assert "“The API runs on port 8080.” (older) or “The API runs on port 9090.” (newer)" in line, "in whole sentences"


def test_a_series_is_no_dispute(engine: Engine) -> None:
    for number in range(10, 20):
        engine.memories.create(
            MemoryDraft(f"Crane number {number} in the yard lifts {number} tons.", project_path=SHOP)
        )
    given = engine.answers.recall("crane yard", engine.answers.place(SHOP), limit=10)
    assert len(memory_lines(given.text)) == 10


def test_what_waits_for_a_click_hides_nothing(engine: Engine) -> None:
    """A prompt that contradicts asks the person; an assistant is told what holds until they accept it."""
    engine.warm_up()
    engine.memories.create(MemoryDraft("The API runs on port 8080.", project_path=SHOP))
    said = "The API runs on port 9090."
    engine.events.capture([CaptureRequest("codex", EventKind.PROMPT, "k", "s", said, cwd=SHOP, project_root=SHOP)])
    proposed = MemoryFilter(statuses=(MemoryStatus.PROPOSED,))
    wait_for(lambda: engine.memories.list(proposed).cards)
    [waiting] = engine.memories.list(proposed).cards
    assert engine.memories.get(waiting.id).contradiction_ids, "the control: they contradict"
    start = ContextRequest(ContextSignals(SHOP, session="new"), delivery="hook:start", is_kept=False)
    assert "8080" in engine.context.assemble(start).text
    assert "Unresolved" not in assemble(engine, "On which port does the API run?")
    assert "8080" in engine.answers.recall("API port", engine.answers.place(SHOP)).text
    engine.memories.accept([waiting.id])
    assert "Unresolved" in assemble(engine, "On which port does the API run?")
