"""Issue 4, to show 2: the two budget scenarios of S4, starting a feature and debugging an error, with the figures of the tiers.

Run with `python -m tests.benchmarks.bench_scenarios [BUDGET]`; prints a table per scenario beside the figures that S4 gives for 8,000
tokens, asserts nothing. The project is made up: a shop with six modules, its decisions, rules, procedures and past sessions.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.api import (
    CaptureRequest,
    ContextRequest,
    ContextSignals,
    Engine,
    EventKind,
    FactType,
    MemoryDraft,
    MemoryKind,
    Places,
)
from app.values import Activity, Context, Tier

MODULES = ("checkout", "catalogue", "payment", "shipping", "account", "search")
TOPICS = (
    "caching",
    "retries",
    "validation",
    "logging",
    "pagination",
    "time zones",
    "rounding",
    "rate limits",
    "currencies",
    "discounts",
    "time limits",
    "translations",
    "exports",
    "audit trails",
    "feature flags",
    "uploads",
)
SEED = {  # S4 "Token Budget Examples"
    Activity.FEATURE: (2_000, 3_000, 2_000, 1_000),
    Activity.DEBUGGING: (3_000, 2_500, 1_500, 1_000),
}
ERROR = "ValueError: amount of the payment is not rounded (src/payment/charge.py, line 88)"
SCENARIOS = {
    Activity.FEATURE: ContextSignals(
        prompt="I want to start a new feature: gift cards in the payment module. How should amounts be handled?",
        current_file="src/payment/gift_cards.py",
        branch="feature/payment-gift-cards",
        activity=Activity.FEATURE,
    ),
    Activity.DEBUGGING: ContextSignals(
        prompt="Why does charging a payment fail with a rounding error?",
        current_file="src/payment/charge.py",
        recent_errors=(ERROR,),
        activity=Activity.DEBUGGING,
    ),
}


def make_drafts() -> Iterator[MemoryDraft]:
    """Some five hundred memories, as a project has them after half a year."""
    for module in MODULES:
        for number, topic in enumerate(TOPICS):
            yield _fact(FactType.DECISION, f"In the {module} module {topic} is done by the helper of src/{module}/{topic.replace(' ', '_')}.py, "
                        f"because two earlier ways of doing it gave different results in the tests and in production.")  # fmt: skip
            yield _fact(
                FactType.CONSTRAINT,
                f"The {module} module must never change its {topic} without a test in tests/{module}.",
            )
            yield _fact(
                FactType.FACT,
                f"The {topic} of {module} was last looked at in sprint {10 + number}; the owner of {module} has the notes.",
            )
            yield _fact(FactType.PREFERENCE, f"For {topic} in {module} I prefer small functions over classes.")
            yield _fact(
                FactType.PROCEDURE,
                f"To change {topic} in {module}: write the test, change the helper, run make {module}, update the notes.",
            )
        yield MemoryDraft(
            f"Session on {module}: the first attempt at retries failed because two requests shared one key. We looked at the log, "
            f"found that the key of {module} was made from the minute, made it from the amount and the customer instead, added a "
            f"test for two requests within one minute, and wrote down in the notes of {module} why the minute is not enough.",
            kind=MemoryKind.EPISODE,
        )  # fmt: skip
        yield MemoryDraft(
            f"Endpoint in {module}: route, validation, typed result, JSON envelope.", kind=MemoryKind.PATTERN
        )
        yield MemoryDraft(f"Release of {module}: test, build, stage, verify, production.", kind=MemoryKind.WORKFLOW)
    yield _fact(
        FactType.FACT,
        "The rounding error in src/payment/charge.py was fixed by rounding half to even before the tax is added.",
    )
    yield _fact(
        FactType.FACT, "A payment that is not rounded comes from the discount of the catalogue, which has four digits."
    )


def _fact(fact_type: FactType, text: str) -> MemoryDraft:
    return MemoryDraft(text, type=fact_type)


def main() -> None:
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000
    with tempfile.TemporaryDirectory(prefix="remanence-scenarios-") as folder:
        project = Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        engine = Engine.open(Places.under(Path(folder) / "home"))
        try:
            _fill(engine, str(project))
            for activity, signals in SCENARIOS.items():
                made = engine.context.assemble(_request(signals, str(project), budget))
                _print(activity, made, engine)
        finally:
            engine.close()


def _fill(engine: Engine, project: str) -> None:
    for draft in make_drafts():
        engine.memories.create(MemoryDraft(draft.text, kind=draft.kind, type=draft.type, project_path=project))
    payload = {
        "tool_name": "Bash",
        "tool_input": {"command": "pytest tests/payment/test_charge.py"},
        "tool_response": {"exit_code": 1},
    }
    said = CaptureRequest(
        app="api", kind=EventKind.PROMPT, key="p", session="s", text="Run the tests of the payment", cwd=project
    )
    ran = CaptureRequest(app="api", kind=EventKind.TOOL, key="t", session="s", cwd=project, payload=payload)
    engine.events.capture([said, ran])
    engine.events.wait_idle(60)


def _request(signals: ContextSignals, project: str, budget: int) -> ContextRequest:
    return ContextRequest(replace(signals, project_path=project), budget_tokens=budget, delivery="api")


def _print(activity: Activity, made: Context, engine: Engine) -> None:
    print(f"\n{activity.value}: {made.token_count} of {made.budget_tokens} tokens in {made.took_ms:.0f} ms")
    print(f"{'tier':<12}{'S4, of 8,000':>13}{'share':>8}{'flowed in':>11}{'used':>7}{'lines':>7}   what, in tokens")
    for use, seed in zip(made.tiers, SEED[activity], strict=True):
        spent = _by_kind(made, use.tier, engine)
        said = ", ".join(f"{name} {tokens}" for name, tokens in spent.most_common())
        print(
            f"{use.tier.value:<12}{seed:>13,}{use.budget_tokens:>8,}{use.inflow_tokens:>11,}{use.used_tokens:>7,}{use.item_count:>7}   {said}"
        )
    print(
        f"left out: {len(made.left_out)} or more; the first: {made.left_out[0].title if made.left_out else 'nothing'}"
    )


def _by_kind(made: Context, tier: Tier, engine: Engine) -> Counter[str]:
    spent: Counter[str] = Counter()
    for item in made.items:
        if item.tier is tier:
            memory = engine.memories.get(item.memory_id).memory if item.memory_id else None
            name = "failures and topics" if memory is None else str((memory.type or memory.kind).value)
            spent[f"{name}/{item.level.value}"] += item.token_count
    return spent


if __name__ == "__main__":
    main()
