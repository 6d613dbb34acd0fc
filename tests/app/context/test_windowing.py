"""The whole window: reserves, 60/40, the newest messages first, summaries with the rest, and what did not fit."""

import pytest

from app.api import Engine, MemoryDraft, Places
from app.deciders.recall.context.window import Counted, WindowTexts, plan_window
from app.values import ContextRequest, ContextSignals, WindowPart, WindowPlan, WindowRequest
from tests.conftest import Say

PROJECT = "/w/app"


def part(plan: WindowPlan, name: str) -> WindowPart:
    return next(one for one in plan.parts if one.name == name)


def texts(count: int, tokens: int) -> list[Counted]:
    return [Counted(f"number {at}", tokens) for at in range(count)]


def plan_of(total: int, *, messages: int = 0, chunks: int = 0, tokens: int = 1_000, prompt: int = 100) -> WindowPlan:
    return plan_window(
        total,
        WindowTexts(prompt=Counted("do it", prompt), messages=texts(messages, tokens), chunks=texts(chunks, tokens)),
    )


@pytest.mark.seed("S3", "window.reserves", "window.priorities")
def test_reserves_and_shares_of_the_seed() -> None:
    plan = plan_of(128_000)
    assert {one.name: one.budget_tokens for one in plan.parts} == {
        "system": 2_000, "working": 8_000, "recent": 70_800, "memories": 47_200, "chunks": 118_000,
    }  # fmt: skip
    assert [one.priority for one in plan.parts] == [1.0, 0.95, 0.9, 0.7, 0.5]
    assert plan.warnings == ()


@pytest.mark.seed("S3", "working.priority", "chunk.not-sent", "window.chunks")
def test_the_newest_messages_stay_and_the_rest_is_summed_up() -> None:
    plan = plan_of(128_000, messages=100, chunks=60)
    assert part(plan, "recent").texts == tuple(f"number {at}" for at in range(30, 100))
    assert part(plan, "chunks").texts == tuple(f"number {at}" for at in range(12, 60))
    assert plan.warnings == ("30 older messages did not fit.", "12 older summaries did not fit.")
    assert plan.budget.used + plan.budget.available <= 128_000


def test_never_above_the_window_whatever_its_size() -> None:
    for total in (0, 50, 1_000, 16_000, 200_000):
        plan = plan_of(total, messages=300, chunks=300, tokens=90, prompt=5)
        assert plan.budget.used <= max(total, 5)


@pytest.mark.seed("S3", "window.warnings")
def test_a_small_window_and_a_long_prompt_are_said() -> None:
    assert any("reserves" in warning for warning in plan_of(4_000).warnings)
    assert any("prompt alone" in warning for warning in plan_of(128_000, prompt=9_000).warnings)


@pytest.mark.seed("S3", "window.query")
def test_the_engine_fills_it_from_the_session(engine: Engine, say: Say) -> None:
    say("first look at the invoice page", session="s1")
    say("something else entirely", session="s2")
    say("and now print the invoice", session="s1")
    engine.memories.create(MemoryDraft(text="Invoices are printed by WeasyPrint.", project_path=PROJECT))
    signals = ContextSignals(project_path=PROJECT, session="s1", prompt="how are invoices printed?")
    plan = engine.context.window(WindowRequest(ContextRequest(signals, is_kept=False)))
    assert part(plan, "recent").texts[-1] == "user: and now print the invoice"
    assert "something else entirely" not in " ".join(part(plan, "recent").texts)
    assert "WeasyPrint" in part(plan, "memories").texts[0]
    assert part(plan, "working").texts == ("how are invoices printed?",)
    assert plan.budget.used < 1_000
    assert engine.context.receipts() == ()


def test_a_long_system_prompt_takes_from_the_rest() -> None:
    plan = plan_window(100_000, WindowTexts(system=Counted("rules", 12_000), prompt=Counted("go", 5)))
    assert plan.budget.system_prompt == 12_000
    assert plan.budget.recent_messages + plan.budget.retrieved_context == 80_000
    assert plan.warnings == ("The system prompt takes 12,000 tokens, 2,000 are kept for it.",)


def test_what_is_worked_on_goes_in_while_the_turn_has_room() -> None:
    active = (Counted("file", 3_000), Counted("log", 6_000), Counted("error", 2_000))
    plan = plan_window(128_000, WindowTexts(active=active, prompt=Counted("go", 1_000)))
    assert part(plan, "working").texts == ("file", "error", "go")
    assert plan.warnings == ("1 active item did not fit.",)


@pytest.mark.seed("S3", "config.max-tokens", "config.working", "config.system", "config.retention")
def test_every_size_of_the_seed_is_a_setting(engine: Engine, say: Say) -> None:
    for number in range(8):
        say(f"the invoice page needs change number {number}", session="s1")
    engine.settings.set("window_tokens", 50_000)
    engine.settings.set("window_system_tokens", 1_000)
    engine.settings.set("window_working_tokens", 4_000)
    engine.settings.set("window_turns", 3)
    plan = engine.context.window(
        WindowRequest(ContextRequest(ContextSignals(project_path=PROJECT, session="s1"), is_kept=False))
    )
    budget = plan.budget
    assert (budget.total, budget.system_prompt, budget.working_memory) == (50_000, 1_000, 4_000)
    assert (budget.recent_messages, budget.retrieved_context) == (27_000, 18_000)
    assert len(part(plan, "recent").texts) == 3


@pytest.mark.seed("S3", "working.rebuilt")
def test_nothing_of_a_window_is_kept_but_its_moment(engine: Engine, places: Places) -> None:
    request = WindowRequest(ContextRequest(ContextSignals(project_path=PROJECT)), None, "Xyzzy system", ("Xyzzy file",))
    assert "Xyzzy system" in engine.context.window(request).text
    engine.close()
    kept = b"".join(one.read_bytes() for one in places.store_path.parent.rglob("*") if one.is_file())
    assert b"Xyzzy" not in kept
