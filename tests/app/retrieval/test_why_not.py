"""Why a memory that one expects is not there: computed by the conditions of search and context, condition by condition."""

import pytest

from app.api import (
    ContextRequest,
    ContextSignals,
    Engine,
    FactType,
    MemoryDraft,
    MemoryFilter,
    MemoryStatus,
    RecallQuery,
)
from tests.conftest import Say

BARN, MILL = "/w/barn", "/w/mill"
PROMPT = ContextSignals(project_path=BARN, app="codex", prompt="Which port has the staging server?")


@pytest.fixture
def port(engine: Engine) -> int:
    return engine.memories.create(
        MemoryDraft(
            "The staging server answers on port 8443.", type=FactType.FACT, title="Staging port", project_path=BARN
        )
    )


def searched(engine: Engine, expected: str, text: str, where: MemoryFilter = MemoryFilter()) -> str:  # noqa: B008
    return engine.search.why_not(expected, RecallQuery(text, filters=where))[0].reason


def given(engine: Engine, expected: str, signals: ContextSignals = PROMPT, budget_tokens: int = 2_000) -> str:
    return engine.context.why_not(expected, ContextRequest(signals, budget_tokens, delivery="preview"))[0].reason


def test_a_search_says_the_first_condition_that_is_not_met(engine: Engine, port: int) -> None:
    assert searched(engine, "staging port", "staging server") == "is here, at place 1"
    assert searched(engine, "staging port", "invoice layout") == "no word in common with the search"
    elsewhere = MemoryFilter(projects=(MILL,))
    assert searched(engine, "staging port", "staging server", elsewhere) == "belongs to another project: barn"
    assert searched(engine, "staging port", "port", MemoryFilter(types=(FactType.DECISION,))) == "is of the type fact"
    assert searched(engine, "staging port", "port", MemoryFilter(is_pinned=True)) == "is not pinned"
    engine.memories.archive((port,))
    in_use = MemoryFilter(statuses=(MemoryStatus.ACTIVE,))
    assert searched(engine, "staging port", "staging server", in_use) == "archived"
    engine.journal.undo()
    assert searched(engine, "staging port", "staging server", in_use) == "is here, at place 1"


def test_a_context_says_why_it_does_not_give_it(engine: Engine, port: int) -> None:
    assert given(engine, "staging port").startswith("is given, in the tier ")
    in_mill = ContextSignals(project_path=MILL, app="codex", prompt=PROMPT.prompt)
    assert given(engine, "staging port", in_mill) == "belongs to another project: barn"
    assert " over" in given(engine, "staging port", budget_tokens=48)
    engine.context.withhold((port,), is_withheld=True)
    assert "never" in given(engine, "staging port")
    engine.journal.undo()
    engine.memories.archive((port,))
    assert given(engine, "staging port") == "archived"


def test_what_is_not_confirmed_says_that_it_waits(engine: Engine, say: Say) -> None:
    say("Maybe we should use Kafka for the delivery events", cwd=BARN)
    waiting = engine.memories.list(MemoryFilter(statuses=(MemoryStatus.PROPOSED,))).cards
    if not waiting:  # nothing was learned: then that is what is said
        assert "no memory was made of it" in searched(engine, "Kafka for the delivery events", "x y z")
        return
    in_use = MemoryFilter(statuses=(MemoryStatus.ACTIVE,))
    assert searched(engine, "Kafka delivery", "Kafka", in_use) == "not confirmed: it waits for your yes or no"


def test_what_stood_beside_a_secret_was_not_learned_and_says_so(engine: Engine, say: Say) -> None:
    say("The mail relay uses the password = hunter2secret77 for outgoing letters", cwd=BARN)
    (one,) = engine.search.why_not("mail relay outgoing letters", RecallQuery("relay"))
    assert one.memory_id is None
    assert one.message_id is not None
    assert "beside a secret" in one.reason


def test_nothing_that_says_it_is_no_answer(engine: Engine) -> None:
    assert engine.search.why_not("zeppelin hangar", RecallQuery("zeppelin")) == ()
