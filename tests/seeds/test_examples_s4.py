"""S4's printed examples: compression, patterns, workflows, the tiers while debugging; as printed or with the reason."""

import pytest

from app.api import Engine, MemoryDraft, MemoryKind
from app.deciders.memory.levels.compress import compress
from app.deciders.recall.context.allocation import default_shares, tier_budgets
from app.language.token_counts import count_tokens
from app.values import Activity, Level, Memory

POSTGRES = (
    "The team decided to use PostgreSQL as the primary database because of its strong support for JSON operations and the "
    "team's existing expertise with it."
)
ERRORS = (
    "Tim mentioned that he strongly prefers using explicit error handling patterns with Result types instead of try-catch "
    "blocks, especially in TypeScript code where type safety is important."
)


def remembered(engine: Engine, text: str) -> Memory:
    return engine.memories.get(engine.memories.create(MemoryDraft(text))).memory


def texts(memory: Memory) -> list[str]:
    return [memory.levels.at(level).text for level in (Level.SUMMARY, Level.COMPRESSED, Level.INDEX)]


@pytest.mark.seed("S4", "compress.fact")
def test_the_database_in_three_levels(engine: Engine) -> None:
    """As printed."""
    memory = remembered(engine, POSTGRES)
    assert memory.slot is not None
    assert (memory.slot.subject, memory.slot.attribute, memory.value) == ("", "database", "PostgreSQL")
    assert texts(memory) == ["DB: PostgreSQL (JSON support, team expertise)", "db:postgres(json,exp)", "db:pg"]


@pytest.mark.seed("S4", "fact.example")
def test_a_preference_is_told_in_few_words(engine: Engine) -> None:
    """Printed: key, value, scope and confidence in 12 tokens in place of 47. Words for people have the same size."""
    memory = remembered(engine, ERRORS)
    assert memory.slot is not None
    assert (memory.slot.attribute, memory.slot.scope) == ("error handling", "typescript")
    assert "result" in memory.value.lower()
    assert count_tokens(memory.levels.at(Level.INDEX).text) <= 12
    assert "try-catch" in memory.levels.at(Level.COMPRESSED).text
    assert memory.confidence > 0.9


@pytest.mark.seed("S4", "episode.levels", "compress.episode")
def test_an_episode_in_three_levels() -> None:
    """Printed: "auth_fix: tz→utc, +test" and "auth_tz_fix". Ours keeps the turning points as they were said."""
    story = (
        "Debugged auth flow. Root cause: token expiry check used wrong timezone. Fixed by normalizing to UTC. "
        "Added regression test."
    )
    levels = compress(story, kind=MemoryKind.EPISODE, title="Auth tz fix")
    assert levels.index.text == "auth_tz_fix"
    assert levels.compressed.text.startswith("auth_tz_fix: ")
    for said in ("timezone", "UTC", "test"):
        assert said in levels.summary.text
    assert (
        levels.full.token_count > levels.summary.token_count > levels.compressed.token_count > levels.index.token_count
    )


@pytest.mark.seed("S4", "pattern.template", "compress.pattern")
def test_a_code_pattern_becomes_its_hint() -> None:
    """Printed: "endpoint: route→zod→result→json": there the values, here the parts, which the template explains."""
    details = {
        "trigger": "new_endpoint",
        "template": {"route": "{method} /api/{resource}", "validation": "zod_schema", "error_handling": "typed_result",
                     "response": "json_envelope"},
    }  # fmt: skip
    text = "Every new endpoint has a route, a schema that checks what comes in, typed results in place of errors, and one envelope."
    levels = compress(text, kind=MemoryKind.PATTERN, title="endpoint", details=details)
    assert levels.compressed.text == "endpoint: route→validation→error_handling→resp"
    assert levels.index.text == "endpoint"


@pytest.mark.seed("S4", "workflow.steps")
def test_a_workflow_is_one_line() -> None:
    steps = ["test", "build", "stage", "verify", "prod"]
    details = {"trigger": "deploy_request", "steps": steps, "details": {"test": "pnpm test --coverage >80%"}}
    text = "To deploy we first run the tests, then build the image, put it on the stage, verify it there and only then go to production."
    levels = compress(text, kind=MemoryKind.WORKFLOW, title="deploy", details=details)
    assert levels.compressed.text == "deploy: test→build→stage→verify→prod"


@pytest.mark.seed("S4", "tier.budget", "budget.debugging")
def test_debugging_moves_the_tiers() -> None:
    assert list(tier_budgets(8_000, default_shares(Activity.DEBUGGING)).values()) == [3_000, 2_500, 1_500, 1_000]
    assert list(tier_budgets(8_000, default_shares(Activity.FEATURE)).values()) == [2_000, 3_000, 2_000, 1_000]
