"""The plan of a whole context window: reserves, then recent messages and memories, then summaries of what was said before.

Pure: takes texts with their tokens, says what stands where and what did not fit. Source: S3 "Context Window Management".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.values import WindowPart, WindowPlan

SYSTEM_TOKENS, WORKING_TOKENS = 2_000, 8_000
RECENT_SHARE = 0.6  # of what the reserves leave; memories get the rest
PRIORITIES = {"system": 1.0, "working": 0.95, "recent": 0.9, "memories": 0.7, "chunks": 0.5}
_SYSTEM_MOST, _WORKING_MOST = 0.1, 0.2  # of a window too small for the reserves


@dataclass(frozen=True, slots=True)
class Counted:
    text: str
    token_count: int


@dataclass(frozen=True, slots=True)
class WindowShares:
    """Tokens of each part before what is unused flows on."""

    system: int
    working: int
    recent: int
    memories: int


def window_shares(total_tokens: int) -> WindowShares:
    """How a window is divided.

    >>> window_shares(128_000)
    WindowShares(system=2000, working=8000, recent=70800, memories=47200)
    """
    system = min(SYSTEM_TOKENS, int(total_tokens * _SYSTEM_MOST))
    working = min(WORKING_TOKENS, int(total_tokens * _WORKING_MOST))
    available = max(0, total_tokens - system - working)
    recent = int(available * RECENT_SHARE)
    return WindowShares(system, working, recent, available - recent)


def plan_window(
    total_tokens: int,
    *,
    prompt: Counted,
    messages: Sequence[Counted],
    memories: Sequence[Counted],
    chunks: Sequence[Counted],
    memory_warnings: Sequence[str] = (),
) -> WindowPlan:
    """The parts, the most important first. `messages` and `chunks` oldest first: the newest go in before older ones.

    `memories` are within their share already. What recent messages and memories leave is for chunk summaries.
    """
    shares = window_shares(total_tokens)
    warnings = list(memory_warnings)
    if shares.system < SYSTEM_TOKENS or shares.working < WORKING_TOKENS:
        warnings.append(f"{total_tokens:,} tokens are too few for the usual reserves; they were made smaller.")
    if prompt.token_count > shares.working:
        warnings.append(
            f"The prompt alone takes {prompt.token_count:,} of the {shares.working:,} tokens kept for the turn."
        )
    recent = _newest(messages, shares.recent)
    if len(recent) < len(messages):
        warnings.append(f"{len(messages) - len(recent)} older messages did not fit.")
    told = sum(one.token_count for one in memories)
    rest = max(0, shares.recent + shares.memories - _sum(recent) - told)
    summaries = _newest(chunks, rest)
    if len(summaries) < len(chunks):
        warnings.append(f"{len(chunks) - len(summaries)} older summaries did not fit.")
    parts = (
        _part("system", shares.system, ()),
        _part("working", shares.working, (prompt,) if prompt.text else ()),
        _part("recent", shares.recent, recent),
        _part("memories", shares.memories, memories),
        _part("chunks", rest, summaries),
    )
    used = sum(part.used_tokens for part in parts)
    reserved = max(0, shares.system + max(0, shares.working - prompt.token_count))
    return WindowPlan(total_tokens, used, max(0, total_tokens - used - reserved), parts, tuple(warnings))


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
