"""Issue 4, to show 2: the two budget scenarios of S4, starting a feature and debugging an error, with the figures of the tiers.

Run with `python -m tests.benchmarks.bench_scenarios [BUDGET]`; prints a table per scenario beside the figures that S4 gives for 8,000
tokens, asserts nothing. The project is made up: a shop with six modules, its decisions, rules, procedures and past sessions.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.api import (
    ArtifactKind,
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
from app.values import Activity, Context, ContextItem, Memory, Tier

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
# every line of S4's two examples: tier, what it is called there, tokens there
LINES: dict[Activity, tuple[tuple[Tier, str, int], ...]] = {
    Activity.FEATURE: (
        (Tier.CRITICAL, "Active ADRs for this module", 800),
        (Tier.CRITICAL, "Recent team decisions", 600),
        (Tier.CRITICAL, "Open questions/blockers", 400),
        (Tier.RELEVANT, "Related patterns", 1_000),
        (Tier.RELEVANT, "Similar past features", 1_200),
        (Tier.RELEVANT, "Dependency context", 600),
        (Tier.BACKGROUND, "Project conventions", 800),
        (Tier.BACKGROUND, "Workflow hints", 400),
        (Tier.BACKGROUND, "Team preferences", 500),
        (Tier.INDEX, "Topic index", 600),
        (Tier.INDEX, "Expansion pointers", 300),
    ),
    Activity.DEBUGGING: (
        (Tier.CRITICAL, "Similar error patterns", 1_500),
        (Tier.CRITICAL, "Recent fixes in this file", 800),
        (Tier.CRITICAL, "Known issues", 500),
        (Tier.RELEVANT, "Module context", 1_000),
        (Tier.RELEVANT, "Dependency issues", 800),
        (Tier.RELEVANT, "Test failures history", 500),
        (Tier.BACKGROUND, "Debugging workflow", 600),
        (Tier.BACKGROUND, "Error handling conventions", 600),
        (Tier.INDEX, "Topic index", 600),
        (Tier.INDEX, "Expansion pointers", 300),
    ),
}
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


def make_history() -> Iterator[tuple[MemoryDraft, tuple[tuple[ArtifactKind, str], ...]]]:
    """What the examples name besides: decision records, what is not settled, what was done and repaired, and hangs on files."""
    adr = ((ArtifactKind.ADR, "docs/adr/0012-payment-in-cents.md"), (ArtifactKind.FILE, "src/payment/charge.py"))
    yield (
        _fact(
            FactType.DECISION,
            "ADR-012: amounts in the payment module are whole cents, because floats lost a cent in 2024.",
        ),
        adr,
    )
    yield (
        _fact(
            FactType.FACT,
            "We have not decided yet whether gift cards of the payment module expire; src/payment/gift_cards.py must not assume it.",
        ),
        (),
    )
    yield _fact(FactType.FACT, "Gift cards in src/payment/ are blocked by the missing refund API of the bank."), ()
    yield _fact(FactType.FACT, "Known issue: src/payment/charge.py rounds discounts of three digits down."), ()
    yield (
        _fact(
            FactType.PROCEDURE,
            "To debug a payment: run make payment-replay with the number of the charge, then read the log of the gateway.",
        ),
        (),
    )
    yield (
        _fact(
            FactType.CONSTRAINT, "Errors of payments are raised as PaymentError with a code and are never swallowed."
        ),
        (),
    )
    moments = [
        {"type": "issue_identified", "turn": 2, "text": "AssertionError: 10.004 is no amount", "significance": 0.4},
        {
            "type": "problem_solved",
            "turn": 5,
            "text": "AssertionError: 10.004 is no amount",
            "significance": 0.6,
            "fix": "changing charge.py, money.py",
        },
    ]
    for title, text, file in (
        (
            "Vouchers in the payment",
            "Vouchers were added to the payment module: a table, a service, checks of the amount in cents, tests.",
            "src/payment/vouchers.py",
        ),
        (
            "Refunds",
            "Refunds were split from charging in the payment module; both share the rounding of money.py.",
            "src/payment/charge.py",
        ),
    ):
        details = {"done": [text], "moments": moments if title == "Refunds" else [], "significance": 0.6}
        yield MemoryDraft(text, kind=MemoryKind.EPISODE, title=title, details=details), ((ArtifactKind.FILE, file),)


def _fact(fact_type: FactType, text: str) -> MemoryDraft:
    return MemoryDraft(text, type=fact_type)


def main() -> None:
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000
    with tempfile.TemporaryDirectory(prefix="remanence-scenarios-") as folder:
        project = Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        with closing(Engine.open(Places.under(Path(folder) / "home"))) as engine:
            fill(engine, str(project))
            for activity, signals in SCENARIOS.items():
                made = engine.context.assemble(make_request(signals, str(project), budget))
                _print(activity, made, engine)


def fill(engine: Engine, project: str) -> None:
    for draft in make_drafts():
        engine.memories.create(MemoryDraft(draft.text, kind=draft.kind, type=draft.type, project_path=project))
    for draft, artifacts in make_history():
        made = engine.memories.create(replace(draft, project_path=project))
        for kind, reference in artifacts:
            engine.memories.attach(made, kind, reference)
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


def make_request(signals: ContextSignals, project: str, budget: int) -> ContextRequest:
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
    _print_lines(activity, made, engine)
    print(
        f"left out: {len(made.left_out)} or more; the first: {made.left_out[0].title if made.left_out else 'nothing'}"
    )


def _print_lines(activity: Activity, made: Context, engine: Engine) -> None:
    """Each line of the seed's example, with what of ours answers to it."""
    spent: Counter[tuple[Tier, str]] = Counter()
    first: dict[tuple[Tier, str], str] = {}
    for item in made.items:
        memory = engine.memories.get(item.memory_id).memory if item.memory_id else None
        name = _line_of(activity, item, memory)
        spent[item.tier, name] += item.token_count
        first.setdefault((item.tier, name), item.text)
    print(f"{'tier':<12}{'line of S4':<32}{'S4':>7}{'here':>7}   the first")
    named = [(tier, name) for tier, name, _ in LINES[activity]]
    for tier, name, tokens in LINES[activity]:
        print(f"{tier.value:<12}{name:<32}{tokens:>7,}{spent[tier, name]:>7,}   {first.get((tier, name), '')[:90]}")
    for key, tokens in sorted(spent.items(), key=lambda pair: (list(Tier).index(pair[0][0]), -pair[1])):
        if key not in named:
            print(f"{key[0].value:<12}{'(' + key[1] + ')':<32}{'':>7}{tokens:>7,}   {first[key][:90]}")


def _line_of(activity: Activity, item: ContextItem, memory: Memory | None) -> str:
    """What S4 would call it, by what it is and why it is in."""
    is_debugging = activity is Activity.DEBUGGING
    if item.tier is Tier.INDEX:
        return "Topic index" if memory is None else "Expansion pointers"
    if any(word in item.reason for word in ("open question", "a blocker", "known issue")):
        return "Known issues" if is_debugging else "Open questions/blockers"
    if memory is None:
        return "Test failures history" if item.tier is Tier.RELEVANT else "Similar error patterns"
    if item.tier is Tier.CRITICAL:
        is_record = "ADR" in memory.levels.full.text
        return (
            ("Similar error patterns" if "error" in item.reason else "Recent fixes in this file")
            if is_debugging
            else ("Active ADRs for this module" if is_record else "Recent team decisions")
        )
    if item.tier is Tier.RELEVANT:
        is_linked = item.reason.startswith(("linked", "expected"))
        if is_debugging:
            return "Dependency issues" if is_linked else "Module context"
        if memory.kind is MemoryKind.EPISODE:
            return "Similar past features"
        return "Dependency context" if is_linked or memory.type is FactType.FACT else "Related patterns"
    if memory.kind is MemoryKind.EPISODE:
        return "history of the module"
    if memory.kind is MemoryKind.WORKFLOW or memory.type is FactType.PROCEDURE:
        return "Debugging workflow" if is_debugging else "Workflow hints"
    if is_debugging:
        return "Error handling conventions"
    return "Team preferences" if memory.type is FactType.PREFERENCE else "Project conventions"


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
