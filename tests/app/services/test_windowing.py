"""The whole window: reserves, 60/40, the newest messages first, summaries with the rest, and what did not fit."""

from app.api import Engine, MemoryDraft
from app.recall.context_window import Counted, plan_window
from app.values import ContextRequest, ContextSignals, WindowPart, WindowPlan
from tests.conftest import Say

PROJECT = "/w/app"


def part(plan: WindowPlan, name: str) -> WindowPart:
    return next(one for one in plan.parts if one.name == name)


def texts(count: int, tokens: int) -> list[Counted]:
    return [Counted(f"number {at}", tokens) for at in range(count)]


def plan_of(total: int, *, messages: int = 0, chunks: int = 0, tokens: int = 1_000, prompt: int = 100) -> WindowPlan:
    return plan_window(
        total,
        prompt=Counted("do it", prompt),
        messages=texts(messages, tokens),
        memories=[],
        chunks=texts(chunks, tokens),
    )


def test_reserves_and_shares_of_the_seed() -> None:
    plan = plan_of(128_000)
    assert {one.name: one.budget_tokens for one in plan.parts} == {
        "system": 2_000, "working": 8_000, "recent": 70_800, "memories": 47_200, "chunks": 118_000,
    }  # fmt: skip
    assert [one.priority for one in plan.parts] == sorted((one.priority for one in plan.parts), reverse=True)
    assert plan.warnings == ()


def test_the_newest_messages_stay_and_the_rest_is_summed_up() -> None:
    plan = plan_of(128_000, messages=100, chunks=60)
    assert part(plan, "recent").texts == tuple(f"number {at}" for at in range(30, 100))
    assert part(plan, "chunks").texts == tuple(f"number {at}" for at in range(12, 60))
    assert plan.warnings == ("30 older messages did not fit.", "12 older summaries did not fit.")
    assert plan.used_tokens + plan.available_tokens <= 128_000


def test_never_above_the_window_whatever_its_size() -> None:
    for total in (0, 50, 1_000, 16_000, 200_000):
        plan = plan_of(total, messages=300, chunks=300, tokens=90, prompt=5)
        assert plan.used_tokens <= max(total, 5)


def test_a_small_window_and_a_long_prompt_are_said() -> None:
    assert any("reserves" in warning for warning in plan_of(4_000).warnings)
    assert any("prompt alone" in warning for warning in plan_of(128_000, prompt=9_000).warnings)


def test_the_engine_fills_it_from_the_session(engine: Engine, say: Say) -> None:
    say("first look at the invoice page", session="s1")
    say("something else entirely", session="s2")
    say("and now print the invoice", session="s1")
    engine.memories.create(MemoryDraft(text="Invoices are printed by WeasyPrint.", project_path=PROJECT))
    signals = ContextSignals(project_path=PROJECT, session="s1", prompt="how are invoices printed?")
    plan = engine.context.window(ContextRequest(signals, is_kept=False))
    assert part(plan, "recent").texts[-1] == "user: and now print the invoice"
    assert "something else entirely" not in " ".join(part(plan, "recent").texts)
    assert "WeasyPrint" in part(plan, "memories").texts[0]
    assert part(plan, "working").texts == ("how are invoices printed?",)
    assert plan.used_tokens < 1_000
    assert engine.context.receipts() == ()
