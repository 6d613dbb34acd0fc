"""What is told along with a prompt that nobody asked it for: what the prompt is about, what a person pinned, and nothing else."""

import pytest

from app.api import Engine, FactType, MemoryDraft
from app.context.candidates.collector import SAID_BY_PROMPT
from app.values import Context, ContextRequest, ContextSignals

SHOP = "/w/shop"
PARCELS = "Parcels above thirty kilos are sent by Hermes freight."
MAIN = "Never commit straight to main."
CACHE, OTHER_CACHE = "We decided to use Redis for caching", "We decided to use Memcached for caching"


@pytest.fixture(autouse=True)
def known(engine: Engine) -> dict[str, int]:
    drafts = (
        MemoryDraft(PARCELS, type=FactType.DECISION, project_path=SHOP),
        MemoryDraft(MAIN, type=FactType.CONSTRAINT, project_path=SHOP),
        *(MemoryDraft(text, project_path=SHOP) for text in (CACHE, OTHER_CACHE)),
    )
    return {draft.text: engine.memories.create(draft) for draft in drafts}


def tell(engine: Engine, prompt: str, delivery: str = "hook:prompt") -> Context:
    signals = ContextSignals(SHOP, app="claude-code", session="s", prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, budget_tokens=2_000, delivery=delivery, is_kept=False))


def test_a_prompt_is_told_what_it_is_about_and_a_session_what_holds(engine: Engine, known: dict[str, int]) -> None:
    given = tell(engine, "how do we send heavy parcels?")
    assert [item.memory_id for item in given.items] == [known[PARCELS]]
    assert MAIN in tell(engine, "", "hook:start").text
    assert MAIN in tell(engine, "how do we send heavy parcels?", "mcp").text, (
        "who asks for a context gets what holds, too"
    )


def test_an_open_question_is_told_to_whom_it_concerns(engine: Engine) -> None:
    assert "Unresolved" not in tell(engine, "how do we send heavy parcels?").text
    assert "Unresolved" in tell(engine, "which caching do we use?").text


def test_one_word_of_a_long_prompt_brings_nothing(engine: Engine) -> None:
    prompt = (
        "The sent mails look broken in the dark theme: headings are black, the footer has no links, and the logo of the shop is "
        "too wide on phones. Please rework the template so that it reads well there, and keep the plain text part as it was."
    )
    assert tell(engine, prompt).is_empty


def test_a_prompt_about_two_things_is_told_both(engine: Engine, known: dict[str, int]) -> None:
    given = tell(engine, "are parcels above thirty kilos sent as freight, and who may commit straight to main?")
    assert {item.memory_id for item in given.items} == {known[PARCELS], known[MAIN]}


def test_what_a_person_pinned_is_told_with_every_prompt(engine: Engine, known: dict[str, int]) -> None:
    assert MAIN not in tell(engine, "how do we send heavy parcels?").text
    engine.memories.pin([known[MAIN]])
    assert MAIN in tell(engine, "how do we send heavy parcels?").text


def test_what_the_prompt_says_itself_is_not_said_back_unless_it_asks(engine: Engine, known: dict[str, int]) -> None:
    given = tell(engine, f"The heavy ones broke again. {PARCELS} So print another label for them.")
    assert known[PARCELS] not in [item.memory_id for item in given.items]
    asked = tell(engine, "are parcels above thirty kilos sent by Hermes freight")
    assert [item.memory_id for item in asked.items] == [known[PARCELS]]
    prompt = f"{PARCELS} And never commit to main"
    left_out = {one.memory_id: one.reason for one in tell(engine, prompt).left_out}
    assert left_out[known[PARCELS]] == SAID_BY_PROMPT


@pytest.mark.parametrize(("project", "is_told"), [("/w/till", True), ("/w/kassandra", False)])
def test_the_projects_own_name_says_nothing_in_it(engine: Engine, project: str, is_told: bool) -> None:
    kept = engine.memories.create(MemoryDraft("Kassandra has to start offline.", project_path=project))
    signals = ContextSignals(project, app="claude-code", session="s", prompt="is kassandra slow")
    asked = ContextRequest(signals, budget_tokens=2_000, delivery="hook:prompt", is_kept=False)
    assert (kept in [item.memory_id for item in engine.context.assemble(asked).items]) is is_told
