"""What changed from one context to the next, line by line: gone, come, and what stands in another tier now. Pure."""

from app.values import Context, Tier
from ui.wording.memories import TIER_WORDS


def compare_contexts(older: Context, newer: Context) -> tuple[str, int, int, int]:
    """The difference as lines with - and + in front, then how many lines came, went and moved.

    A memory told in other words stands as both. What only moved between tiers is one line without a sign.
    """
    was = {item.text: item.tier for item in older.items}
    now = {item.text: item.tier for item in newer.items}
    by_memory = {item.memory_id: item.text for item in older.items if item.memory_id}
    gone = [text for text in was if text not in now]
    lines: list[str] = []
    came_count = 0
    for item in newer.items:
        if item.text in was:
            continue
        former = by_memory.get(item.memory_id) if item.memory_id else None
        if former in gone:
            gone.remove(former)
            lines.append(_signed("-", former))
        lines.append(_signed("+", item.text))
        came_count += 1
    lines = [_signed("-", text) for text in gone] + lines
    gone_count = sum(line.startswith("-") for line in lines)
    moved = [(text, was[text], tier) for text, tier in now.items() if text in was and was[text] is not tier]
    lines += [_moved(text, before, after) for text, before, after in moved]
    return "\n".join(lines), came_count, gone_count, len(moved)


def _signed(sign: str, line: str) -> str:
    """Without the dash that begins each line of a context: it would read as a sign."""
    return f"{sign} {line.removeprefix('- ')}"


def _moved(text: str, before: Tier, after: Tier) -> str:
    return f"{_signed(' ', text)} ({TIER_WORDS[after]}, was {TIER_WORDS[before]})"
