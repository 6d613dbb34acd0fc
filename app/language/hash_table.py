"""Keys by number without the keys: of each only its hash of 64 bits is kept, in a table with open addresses.

For large tables that are asked and never listed: a dictionary of as many strings takes ten times the memory. Two keys with one
hash are not to be feared. Good for this process alone, since Python's hashes of texts change from one to the next.
"""

from array import array
from collections.abc import Hashable, Iterable


class HashedNumbers:
    """The keys' numbers are 0, 1, 2… in the order in which they were added.

    `slot_count`: a power of two, at least twice the number of keys.

    >>> numbers = HashedNumbers(8)
    >>> numbers.add(["a", "b"])
    >>> numbers.number("b"), numbers.number("c"), len(numbers)
    (1, None, 2)
    """

    def __init__(self, slot_count: int) -> None:
        self._hashes = array("q")  # by number
        self._slots = array("i", bytes(4 * slot_count))  # number + 1 where a hash belongs or the next free place behind
        self._mask = slot_count - 1

    def add(self, keys: Iterable[Hashable]) -> None:
        """The next numbers."""
        slots, mask, number = self._slots, self._mask, len(self._hashes)
        found = list(map(hash, keys))
        self._hashes.extend(found)
        for one in found:
            at = one & mask
            while slots[at]:
                at = (at + 1) & mask
            number += 1
            slots[at] = number

    def __len__(self) -> int:
        return len(self._hashes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HashedNumbers) and self._hashes == other._hashes

    __hash__ = None  # type: ignore[assignment]

    def number(self, key: Hashable) -> int | None:
        """The number of a key; None for one that was not added."""
        slots, hashes, mask = self._slots, self._hashes, self._mask
        wanted = hash(key)
        at = wanted & mask
        while found := slots[at]:
            if hashes[found - 1] == wanted:
                return found - 1
            at = (at + 1) & mask
        return None
