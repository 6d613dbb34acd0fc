"""Values for tests of the context widgets: an item, a context, a receipt, each with only what matters."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from app.values import (
    Activity,
    Context,
    ContextItem,
    ContextSignals,
    LeftOut,
    Level,
    Receipt,
    Signal,
    Tier,
    TierUse,
)

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
SHARES = {Tier.CRITICAL: 250, Tier.RELEVANT: 375, Tier.BACKGROUND: 250, Tier.INDEX: 125}


def item(number: int, text: str, tier: Tier = Tier.CRITICAL, **changes: object) -> ContextItem:
    values: dict[str, object] = {
        "memory_id": number,
        "tier": tier,
        "level": Level.FULL,
        "text": f"- [{number}] {text}",
        "token_count": 20,
        "score": 0.6,
        "reason": f"says “{text.split(maxsplit=1)[0]}”",
        "signals": (Signal("keyword", 0.8, 0.7), Signal("recency", 0.5, 0.3)),
        "title": text,
    }
    return ContextItem(**(values | changes))  # type: ignore[arg-type]


def context(items: Sequence[ContextItem], left_out: Sequence[LeftOut] = (), budget_tokens: int = 1_000) -> Context:
    """A context whose text and tiers are made of its items; shares of 25/37.5/25/12.5 %."""
    lines = ["<frame id=1>"]
    placed = []
    for tier in Tier:
        own = [one for one in items if one.tier is tier]
        lines += [f"## {tier.value}"] if own else []
        for one in own:
            start = sum(len(line) + 1 for line in lines)
            lines.append(one.text)
            values = {name: getattr(one, name) for name in ContextItem.__slots__}
            placed.append(ContextItem(**(values | {"start": start, "end": start + len(one.text)})))
    lines.append("</frame id=1>")
    uses, flowing = [], 0
    for tier in Tier:
        used = sum(one.token_count for one in placed if one.tier is tier)
        share = SHARES[tier] * budget_tokens // 1_000
        uses.append(TierUse(tier, share, used, sum(one.tier is tier for one in placed), flowing))
        flowing += share - used
    return Context(
        text="\n".join(lines) if placed else "",
        token_count=sum(one.token_count for one in placed) + 30 if placed else 0,
        budget_tokens=budget_tokens,
        tiers=tuple(uses),
        items=tuple(placed),
        left_out=tuple(left_out),
        activity=Activity.GENERAL,
    )


def receipt(number: int, **changes: object) -> Receipt:
    values: dict[str, object] = {
        "id": number,
        "at": NOW - timedelta(minutes=12),
        "app": "claude-code",
        "project": "hearth",
        "session": "s1",
        "delivery": "hook:prompt",
        "signals": ContextSignals(project_path="/src/hearth", app="claude-code", prompt="Fix the login"),
        "token_count": 1_980,
        "budget_tokens": 8_000,
        "item_count": 2,
        "retrieved_count": 2,
        "cited_count": 0,
        "ignored_count": 0,
        "took_ms": 12.0,
    }
    return Receipt(**(values | changes))  # type: ignore[arg-type]
