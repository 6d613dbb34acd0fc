"""Rows of a list in groups: where headings stand between the cards, which are folded, and which card each row is.

Cards are numbered as the engine's list numbers them, rows as the eye counts them. Pure values, so that a million cards in three
hundred groups cost nothing. Source: UX 4.4 "Group by".
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.values import FacetValue


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A heading in the list."""

    value: str
    title: str
    count: int
    is_folded: bool = False


class RowPlan:
    """Without groups every row is a card.

    >>> plan = RowPlan(5, (FacetValue("a", "A", 2), FacetValue("b", "B", 3)), frozenset({"a"}))
    >>> plan.row_count, [plan.card_of(row) for row in range(plan.row_count)], plan.row_of(1), plan.row_of(4)
    (5, [None, None, 2, 3, 4], None, 4)
    """

    def __init__(
        self, card_count: int, groups: Sequence[FacetValue] = (), folded: frozenset[str] = frozenset()
    ) -> None:
        self.card_count = card_count
        self.groups = tuple(groups)
        self.folded = folded
        shown = [0 if one.value in folded else one.count for one in self.groups]
        self._cards = [0, *accumulate(one.count for one in self.groups)]  # first card of each group, and the end
        self._rows = [0, *accumulate(count + 1 for count in shown)]  # row of each heading, and the end

    @property
    def row_count(self) -> int:
        return self._rows[-1] if self.groups else self.card_count

    @property
    def heading_rows(self) -> tuple[int, ...]:
        return tuple(self._rows[:-1]) if self.groups else ()

    def heading_at(self, row: int) -> GroupRow | None:
        """The heading in a row, None for a card."""
        n = self._group_at(row)
        if n is None or self._rows[n] != row:
            return None
        one = self.groups[n]
        return GroupRow(one.value, one.title, one.count, one.value in self.folded)

    def heading_row_of(self, row: int) -> int | None:
        """Where the heading of the group stands in which a row lies."""
        n = self._group_at(row)
        return None if n is None else self._rows[n]

    def card_of(self, row: int) -> int | None:
        """The number of the card in a row."""
        if not self.groups:
            return row if 0 <= row < self.card_count else None
        n = self._group_at(row)
        if n is None or self._rows[n] == row:
            return None
        return self._cards[n] + row - self._rows[n] - 1

    def row_of(self, card: int) -> int | None:
        """The row of a card; None while its group is folded."""
        if not self.groups:
            return card
        n = bisect_right(self._cards, card) - 1
        if not 0 <= n < len(self.groups) or self.groups[n].value in self.folded:
            return None
        return self._rows[n] + 1 + card - self._cards[n]

    def cards_between(self, first: int, last: int) -> tuple[int, int] | None:
        """The first and the last card in the rows first .. last, both included."""
        cards = [self.card_of(row) for row in (first, last)]
        if self.groups:
            low, high = self._group_at(first), self._group_at(last)
            if low is None or high is None:
                return None
            start = cards[0] if cards[0] is not None else self._cards[low]
            end = cards[1] if cards[1] is not None else self._cards[high] - 1
            return (start, end) if start <= end else None
        return (cards[0], cards[1]) if cards[0] is not None and cards[1] is not None else None

    def _group_at(self, row: int) -> int | None:
        if not self.groups or not 0 <= row < self.row_count:
            return None
        return bisect_right(self._rows, row) - 1
