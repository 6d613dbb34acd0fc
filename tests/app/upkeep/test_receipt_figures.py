"""What was handed out, summed up by day, kind, project and app; what a host's hook prints for a text."""

import json

from app.api import Engine, FrozenClock
from app.values import ContextRequest, ContextSignals, FactType, MemoryDraft

PORT = MemoryDraft("The staging server answers on port 8443.", type=FactType.FACT, project_path="/w/barn")
TOOL = MemoryDraft("Prefer pnpm over npm for the shop.", type=FactType.PREFERENCE, project_path="/w/shop")


def tell(engine: Engine, app: str, path: str) -> int:
    signals = ContextSignals(project_path=path, app=app, prompt="Which port has the staging server? npm or pnpm?")
    return engine.context.assemble(ContextRequest(signals, delivery="api")).token_count


def test_tokens_add_up_by_day_project_and_app(engine: Engine, clock: FrozenClock) -> None:
    for draft in (PORT, TOOL):
        engine.memories.create(draft)
    first = tell(engine, "codex", "/w/barn")
    clock.advance(days=2)
    second = tell(engine, "codex", "/w/barn")
    third = tell(engine, "cursor", "/w/shop")
    figures = engine.context.figures(days=5)
    assert [count for _day, count in figures.by_day] == [0, 0, first, 0, second + third]
    assert figures.by_day[-1][0] == clock.now().astimezone().date()
    assert dict(figures.by_project) == {"barn": first + second, "shop": third}
    assert dict(figures.by_app) == {"codex": first + second, "cursor": third}
    assert (figures.today_tokens, figures.today_count) == (second + third, 2)
    assert engine.context.given_today() == (second + third, 2)
    assert (figures.token_count, figures.receipt_count) == (first + second + third, 3)
    assert {"fact", "preference"} <= dict(figures.by_kind).keys()


def test_a_scope_and_the_days_limit_what_counts(engine: Engine, clock: FrozenClock) -> None:
    engine.memories.create(PORT)
    tell(engine, "codex", "/w/barn")
    clock.advance(days=3)
    assert engine.context.figures(days=3).receipt_count == 0
    assert engine.context.figures(days=4, app="codex").receipt_count == 1
    assert engine.context.figures(days=4, app="cursor").by_kind == ()
    assert engine.context.figures(days=4, project="barn").receipt_count == 1
    assert engine.context.figures(days=4, project="shop").token_count == 0


def test_projects_come_newest_first(engine: Engine) -> None:
    for draft in (PORT, TOOL):
        engine.memories.create(draft)
    assert engine.context.projects() == (("shop", "/w/shop"), ("barn", "/w/barn"))


def test_a_text_is_printed_as_its_host_reads_it(engine: Engine) -> None:
    printed = json.loads(engine.context.as_printed("- x", app="claude-code", event="prompt"))
    assert printed["hookSpecificOutput"]["additionalContext"] == "- x"
    after_tool = json.loads(engine.context.as_printed("- x", app="claude-code", event="tool"))
    assert after_tool["hookSpecificOutput"] == {"hookEventName": "PostToolUse", "additionalContext": "- x"}
    assert engine.context.as_printed("- x", app="opencode", event="start") == b""
