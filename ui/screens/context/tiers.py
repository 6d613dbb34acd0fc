"""The four tiers of a context as a picture needs them: own share, room with what was borrowed, blocks in stable order.

Tokens of a tier are those of its lines; frame and headings are told apart. Pure. Source: S4 tiers, UX 4.6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.values import Context, ContextItem, Tier

TIERS = (Tier.CRITICAL, Tier.RELEVANT, Tier.BACKGROUND, Tier.INDEX)
HEADINGS_MOST = 100  # tokens by which the headings may differ from what was kept for them
BORDER_STEPS = 32  # a border moves by this part of the budget: 250 of 8,000


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a tier. `number` is its place among the items of the context."""

    number: int
    token_count: int
    memory_id: int | None
    title: str


@dataclass(frozen=True, slots=True)
class TierView:
    tier: Tier
    share_tokens: int  # its own share of the budget
    room_tokens: int  # with what it took over from tiers before it, without what it gave
    used_tokens: int
    blocks: tuple[Block, ...]

    @property
    def borrowed_tokens(self) -> int:
        return max(0, self.room_tokens - self.share_tokens)


def view_tiers(context: Context) -> tuple[TierView, ...]:
    """One view per tier. With the tokens of the headings the rooms add up to the budget, unless the text is over it."""
    shares = own_shares(context)
    over = sum(shares.values()) + frame_tokens(context) - context.budget_tokens
    if (
        context.items and abs(over) <= HEADINGS_MOST
    ):  # room was kept for headings before it was known how many there are
        shares[Tier.RELEVANT] = max(0, shares[Tier.RELEVANT] - over)
    blocks: dict[Tier, list[Block]] = {tier: [] for tier in TIERS}
    for number, item in enumerate(context.items):
        blocks[item.tier].append(Block(number, item.token_count, item.memory_id, said(item)))
    used = [sum(block.token_count for block in blocks[tier]) for tier in TIERS]
    rooms = _rooms([shares[tier] for tier in TIERS], used)
    return tuple(TierView(tier, shares[tier], rooms[n], used[n], tuple(blocks[tier])) for n, tier in enumerate(TIERS))


def own_shares(context: Context) -> dict[Tier, int]:
    """The share of each tier before anything flowed."""
    return dict.fromkeys(TIERS, 0) | {use.tier: use.budget_tokens for use in context.tiers}


def _rooms(shares: list[int], used: list[int]) -> list[int]:
    """What a tier uses above its share comes from the nearest tier before it that has room left."""
    rooms = list(shares)
    for n, count in enumerate(used):
        for giver in range(n - 1, -1, -1):
            taken = min(max(0, count - rooms[n]), max(0, rooms[giver] - used[giver]))
            rooms[giver] -= taken
            rooms[n] += taken
        rooms[n] = max(rooms[n], count)
    return rooms


def said(item: ContextItem) -> str:
    """A line of a context without the mark in front of it.

    >>> from app.values import Level
    >>> said(ContextItem(7, Tier.CRITICAL, Level.FULL, "- [7] DB: PostgreSQL", 9, 0.5, ""))
    'DB: PostgreSQL'
    """
    text = item.text.removeprefix("- ")
    return text.removeprefix(f"[{item.memory_id}] ") if item.memory_id else text


def frame_tokens(context: Context) -> int:
    """What frame and headings cost."""
    return max(0, context.token_count - sum(item.token_count for item in context.items)) if context.items else 0


def move_border(shares: Mapping[Tier, float], border: int, steps: int, budget_tokens: int) -> dict[Tier, float]:
    """The shares in tokens after border 0, 1 or 2 moved by that many steps to the right; the sum stays the budget.

    >>> move_border({tier: 2000.0 for tier in TIERS}, 0, 1, 8000)[Tier.CRITICAL]
    2250.0
    """
    total = sum(shares.get(tier, 0.0) for tier in TIERS) or 1.0
    step = budget_tokens / BORDER_STEPS
    made = {tier: round(shares.get(tier, 0.0) * budget_tokens / total / step) * step for tier in TIERS}
    made[Tier.RELEVANT] += budget_tokens - sum(made.values())  # what rounding left over
    left, right = TIERS[border], TIERS[border + 1]
    moved = min(max(steps * step, -made[left]), made[right])
    made[left] += moved
    made[right] -= moved
    return made


def shares_text(shares: Mapping[Tier, float]) -> str:
    """The shares as the setting keeps them: percent, in order of the tiers.

    >>> shares_text({Tier.CRITICAL: 2250.0, Tier.RELEVANT: 2750.0, Tier.BACKGROUND: 2000.0, Tier.INDEX: 1000.0})
    '28.1/34.4/25/12.5'
    """
    total = sum(shares.values()) or 1.0
    return "/".join(f"{100 * shares.get(tier, 0.0) / total:.1f}".removesuffix(".0") for tier in TIERS)


def with_shares(views: Sequence[TierView], shares: Mapping[Tier, float]) -> tuple[TierView, ...]:
    """The tiers with other shares and the lines that they have, until it is known which lines then fit.

    >>> [view.share_tokens for view in with_shares([TierView(tier, 25, 25, 0, ()) for tier in TIERS],
    ...     {Tier.CRITICAL: 60.0, Tier.RELEVANT: 20.0, Tier.BACKGROUND: 60.0, Tier.INDEX: 60.0})]
    [30, 10, 30, 30]
    """
    scale = sum(view.share_tokens for view in views) / (sum(shares.values()) or 1.0)
    made = []
    for view in views:
        share = round(shares.get(view.tier, 0.0) * scale)
        made.append(replace(view, share_tokens=share, room_tokens=max(share, view.used_tokens)))
    return tuple(made)
