"""Short columns of a large table as arrays, a thousand rows in one value: SQLite packs them while other threads go on.

The driver gives the interpreter away for every row it steps to and takes it back for every value: a million rows are a million
waits beside a busy window. Here numbers travel as hex digits that SQLite turns into one blob, words as one text. Knows no
table's meaning. Source: QUALITY P7, P9.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

_AT_ONCE = 2_000
_ROW, _WORD = "\x1f", "\x1e"
_HALF = 2.0**62  # a ratio times this is a whole number for SQLite and the same ratio again here
_FORMATS = {"i8": "%016x", "i4": "%08x", "f8": "%016x"}
_VALUES = {"i8": "{0}", "i4": "({0}) & 4294967295", "f8": f"CAST(({{0}}) * {_HALF:.1f} AS INTEGER)"}

Column = tuple[str, str, str]  # name, kind of number, SQL; f8 holds ratios from 0 to 1
Part = tuple[dict[str, Any], list[tuple[str, ...]], Any]


class PackedRows:
    """`parts` of one table in the order of `key`, a unique whole number."""

    def __init__(self, table: str, numbers: Sequence[Column], words: Sequence[str], *, key: str = "id") -> None:
        named = [*(f"{sql} AS n{place}" for place, (_, _, sql) in enumerate(numbers)), *words]
        rows = f"SELECT {key} AS own_key, {', '.join(named)} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?"  # noqa: S608 (our own names)
        values = [_VALUES[kind].format(f"n{place}") for place, (_, kind, _) in enumerate(numbers)]
        form = "".join(_FORMATS[kind] for _, kind, _ in numbers)
        joined = f"||char({ord(_WORD)})||".join(words)
        self._packed = (
            f"SELECT count(*), max(own_key), unhex(group_concat(printf('{form}', {', '.join(values)}), '')), "  # noqa: S608
            f"group_concat({joined}, char({ord(_ROW)})) FROM ({rows})"
        )
        self._plain = f"SELECT {', '.join(words)} FROM ({rows})"  # noqa: S608
        self._numbers = numbers
        self._word_count = len(words)
        self._dtype = [(name, ">i4" if kind == "i4" else ">i8") for name, kind, _ in numbers]

    def parts(self, cursor: Any, is_cancelled: Callable[[], bool]) -> Iterator[Part]:
        """Arrays by name; the rows of words not met before; of each row the place of its words among all that were met."""
        import numpy as np

        known: dict[str | tuple[str, ...], int] = {}
        after = 0
        while not is_cancelled():
            count, last, blob, joined = cursor.execute(self._packed, (after, _AT_ONCE)).fetchone()
            if not count:
                return
            texts = self._texts(cursor, after, count, joined)
            met = len(known)
            places = np.fromiter((known.setdefault(text, len(known)) for text in texts), np.int64, count)
            new = [text if isinstance(text, tuple) else tuple(text.split(_WORD)) for text in islice(known, met, None)]
            packed = np.frombuffer(blob, self._dtype)
            yield {name: _column(packed[name], kind) for name, kind, _ in self._numbers}, new, places
            after = last

    def _texts(self, cursor: Any, after: int, count: int, joined: str) -> Sequence[str | tuple[str, ...]]:
        """The words of each row; read one by one where a word holds a mark that parts them."""
        texts: list[str] = joined.split(_ROW)
        if len(texts) == count and joined.count(_WORD) == count * (self._word_count - 1):
            return texts
        return [tuple(row) for row in cursor.execute(self._plain, (after, _AT_ONCE)).fetchall()]


def _column(packed: Any, kind: str) -> Any:
    """Numbers as the machine holds them."""
    return packed / _HALF if kind == "f8" else packed.astype(kind)
