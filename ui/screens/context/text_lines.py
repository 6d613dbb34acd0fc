"""The text of a context cut into bounded lines, and which item stands on which: the one place that maps both ways.

Offsets of items are code points of the whole text, a viewer counts blocks of bounded lines. Pure. Source: UX 4.6.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from app.values import ContextItem
from ui.widgets.plain_viewer import MAX_LINE_CHARS, bound_text


@dataclass(frozen=True, slots=True)
class TextMap:
    """`text` as shown; `blocks[n]` are first and last block of item n, `items[b]` the item of block b or -1."""

    text: str
    blocks: tuple[tuple[int, int], ...]
    items: tuple[int, ...]

    def item_of(self, block: int) -> int:
        return self.items[block] if 0 <= block < len(self.items) else -1


def map_text(text: str, items: Sequence[ContextItem]) -> TextMap:
    """The map of a text; each item lies on one line of it.

    >>> from app.values import Level, Tier
    >>> item = ContextItem(7, Tier.CRITICAL, Level.FULL, "- [7] b", 3, 0.5, "", start=2, end=9)
    >>> map_text("a\\n- [7] b\\nc", [item]).items
    (-1, 0, -1)
    """
    lines = text.split("\n") if text else []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    owner = {bisect_right(starts, item.start) - 1: number for number, item in enumerate(items)}
    shown: list[str] = []
    owners: list[int] = []
    blocks: dict[int, tuple[int, int]] = {}
    for n, line in enumerate(lines):
        parts = bound_text(line, max_chars=len(line) + 1, max_line_chars=MAX_LINE_CHARS).split("\n")
        number = owner.get(n, -1)
        if number >= 0:
            blocks[number] = (len(shown), len(shown) + len(parts) - 1)
        shown += parts
        owners += [number] * len(parts)
    return TextMap("\n".join(shown), tuple(blocks.get(n, (-1, -1)) for n in range(len(items))), tuple(owners))
