"""The plan of a whole context window: reserves, then recent messages and memories, then summaries of what was said before.

Pure: takes texts with their tokens, says what stands where and what did not fit. Source: S3 "Context Window Management".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.values import TokenBudget, WindowPart, WindowPlan

RECENT_SHARE = 0.6  # of what the reserves leave; memories get the rest
PRIORITIES = {"system": 1.0, "working": 0.95, "recent": 0.9, "memories": 0.7, "chunks": 0.5}
_SYSTEM_MOST, _WORKING_MOST = 0.1, 0.2  # of a window too small for the reserves


@dataclass(frozen=True, slots=True)
class Counted:
    text: str
    token_count: int


@dataclass(frozen=True, slots=True)
class Reserves:
    """Tokens that are kept free for what every call needs."""

    system: int = 2_000
    working: int = 8_000


@dataclass(frozen=True, slots=True)
class WindowShares:
    """Tokens of each part before what is unused flows on."""

    system: int
    working: int
    recent: int
    memories: int


@dataclass(frozen=True, slots=True)
class WindowTexts:
    """What may stand in a window. `messages` and `chunks` oldest first; `memories` are within their share already."""

    system: Counted = Counted("", 0)
    active: Sequence[Counted] = ()
    prompt: Counted = Counted("", 0)
    messages: Sequence[Counted] = ()
    memories: Sequence[Counted] = ()
    chunks: Sequence[Counted] = ()


def window_shares(total_tokens: int, reserves: Reserves = Reserves(), *, system_tokens: int = 0) -> WindowShares:
    """How a window is divided. A system prompt longer than its reserve takes from the rest: it cannot be cut.

    >>> window_shares(128_000)
    WindowShares(system=2000, working=8000, recent=70800, memories=47200)
    """
    system = max(min(reserves.system, int(total_tokens * _SYSTEM_MOST)), system_tokens)
    working = min(reserves.working, int(total_tokens * _WORKING_MOST))
    available = max(0, total_tokens - system - working)
    recent = int(available * RECENT_SHARE)
    return WindowShares(system, working, recent, available - recent)


def plan_window(
    total_tokens: int,
    texts: WindowTexts,
    *,
    reserves: Reserves = Reserves(),
    memory_ids: Sequence[int] = (),
    memory_warnings: Sequence[str] = (),
) -> WindowPlan:
    """The parts, the most important first; of messages and summaries the newest go in before older ones.

    Active items go in, in their order, as long as the turn has room for them beside the prompt, which is never cut. What recent
    messages and memories leave is for chunk summaries.
    """
    shares = window_shares(total_tokens, reserves, system_tokens=texts.system.token_count)
    active = _first(texts.active, shares.working - texts.prompt.token_count)
    working = (*active, texts.prompt) if texts.prompt.text else active
    recent = _newest(texts.messages, shares.recent)
    memory_tokens = _sum(texts.memories)
    rest = max(0, shares.recent + shares.memories - _sum(recent) - memory_tokens)
    summaries = _newest(texts.chunks, rest)
    parts = (
        _part("system", shares.system, (texts.system,) if texts.system.text else ()),
        _part("working", shares.working, working),
        _part("recent", shares.recent, recent),
        _part("memories", shares.memories, texts.memories),
        _part("chunks", rest, summaries),
    )
    used = sum(part.used_tokens for part in parts)
    reserved = max(0, shares.system - parts[0].used_tokens) + max(0, shares.working - parts[1].used_tokens)
    budget = TokenBudget(
        total=total_tokens,
        system_prompt=shares.system,
        working_memory=shares.working,
        retrieved_context=shares.memories,
        recent_messages=shares.recent,
        used=used,
        available=max(0, total_tokens - used - reserved),
    )
    left_out = (
        (len(texts.active) - len(active), "active item", "active items"),
        (len(texts.messages) - len(recent), "older message", "older messages"),
        (len(texts.chunks) - len(summaries), "older summary", "older summaries"),
    )
    warnings = (*memory_warnings, *_size_warnings(total_tokens, texts, shares, reserves), *_left_out(left_out))
    return WindowPlan(budget, parts, warnings, tuple(memory_ids))


def _size_warnings(total_tokens: int, texts: WindowTexts, shares: WindowShares, reserves: Reserves) -> tuple[str, ...]:
    """What is larger than the room that was kept for it."""
    warnings = []
    if shares.system < reserves.system or shares.working < reserves.working:
        warnings.append(f"{total_tokens:,} tokens are too few for the usual reserves; they were made smaller.")
    if texts.system.token_count > reserves.system:
        warnings.append(
            f"The system prompt takes {texts.system.token_count:,} tokens, {reserves.system:,} are kept for it."
        )
    if texts.prompt.token_count > shares.working:
        warnings.append(
            f"The prompt alone takes {texts.prompt.token_count:,} of the {shares.working:,} tokens kept for the turn."
        )
    if texts.system.token_count + texts.prompt.token_count > total_tokens:
        warnings.append(f"System prompt and prompt alone are more than {total_tokens:,} tokens.")
    return tuple(warnings)


def _left_out(counts: Sequence[tuple[int, str, str]]) -> tuple[str, ...]:
    """Sentences on what did not fit.

    >>> _left_out([(1, "older message", "older messages"), (0, "thing", "things")])
    ('1 older message did not fit.',)
    """
    return tuple(f"{count} {one if count == 1 else many} did not fit." for count, one, many in counts if count)


def _first(items: Sequence[Counted], budget_tokens: int) -> tuple[Counted, ...]:
    """Those that fit, in their order."""
    taken, left = [], budget_tokens
    for one in items:
        if one.token_count <= left:
            taken.append(one)
            left -= one.token_count
    return tuple(taken)


def _newest(items: Sequence[Counted], budget_tokens: int) -> tuple[Counted, ...]:
    """The longest end of the list that fits, in its order."""
    left, first = budget_tokens, len(items)
    while first > 0 and items[first - 1].token_count <= left:
        first -= 1
        left -= items[first].token_count
    return tuple(items[first:])


def _sum(items: Sequence[Counted]) -> int:
    return sum(one.token_count for one in items)


def _part(name: str, budget_tokens: int, items: Sequence[Counted]) -> WindowPart:
    return WindowPart(name, PRIORITIES[name], budget_tokens, _sum(items), tuple(one.text for one in items))
