"""The short columns of all memories, as arrays: lists of a million rows are filtered, sorted and counted in milliseconds.

A derived copy in order of id, read once and then kept up row by row, since SQLite would count again for each facet. A row that is gone
keeps its place and is not alive. Rows that have a few columns in common are one cell: lists filter and count by cells. They are read a
thousand in one value: the driver gives the interpreter away for every row it steps to and takes it back for every value, and a million
rows would be a million waits beside a busy window; so numbers travel as hex digits that SQLite turns into one blob, words as one text.
Not thread-safe: `memories.lists` holds the lock. Knows no flow and no text. Source: QUALITY P7, P9.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from app.store.chunked_parameters import slices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Places = NDArray[np.int32]
    Counts = NDArray[np.int64]

OPEN = 2**62  # an instant that is not there: later than all
WORDS = ("kind", "type", "status", "category")  # kept as the numbers of a dictionary
_COLUMNS: tuple[tuple[str, str, str], ...] = (  # name, kind of number, SQL
    ("id", "i8", "id"),
    ("kind", "i4", "kind"),
    ("type", "i4", "type"),
    ("status", "i4", "status"),
    ("category", "i4", "category"),
    ("trust", "i4", "trust"),
    ("is_pinned", "i4", "is_pinned"),
    ("project", "i4", "ifnull(project_id, 0)"),
    ("app", "i4", "ifnull(app_id, 0)"),
    ("importance", "f8", "importance"),
    ("confidence", "f8", "confidence"),
    ("tokens", "i4", "full_tokens"),
    ("retrieved", "i4", "retrieved_count"),
    ("updated_at", "i8", "updated_at"),
    ("recorded_at", "i8", "recorded_at"),
    ("retired_at", "i8", f"ifnull(retired_at, {OPEN})"),
    ("valid_from", "i8", "valid_from"),
    ("valid_to", "i8", f"ifnull(valid_to, {OPEN})"),
)
CELLS = ("kind", "type", "status", "trust", "project", "app")  # what is asked of cells and not of rows
_ARRAYS = (*((name, kind) for name, kind, _ in _COLUMNS), ("cell", "i8"))
_NUMBERS = tuple(column for column in _COLUMNS if column[0] not in WORDS)
_SELECT = f"SELECT {', '.join(sql for _, _, sql in _COLUMNS)} FROM memory"  # noqa: S608 (our own names)
_AT_ONCE = 10_000
_PATCHED_MAX = 2_000  # more changed rows than this: sort again
SORTS: dict[str, tuple[str, bool]] = {  # column, largest first; of equals the newest memory first
    "updated": ("updated_at", True),
    "retrieved": ("retrieved", True),
    "confidence": ("confidence", True),
    "importance": ("importance", True),
    "tokens": ("tokens", True),
    "oldest": ("recorded_at", False),
}
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_TABLE_MOST = 1 << 20  # numbers up to here are looked up in a table, larger ones are sorted
_ROWS_PACKED = 2_000
_ROW, _WORD = "\x1f", "\x1e"
_HALF = 2.0**62  # a ratio times this is a whole number for SQLite and the same ratio again here
_FORMATS = {"i8": "%016x", "i4": "%08x", "f8": "%016x"}
_VALUES = {"i8": "{0}", "i4": "({0}) & 4294967295", "f8": f"CAST(({{0}}) * {_HALF:.1f} AS INTEGER)"}

Column = tuple[str, str, str]  # name, kind of number, SQL; f8 holds ratios from 0 to 1
Part = tuple[dict[str, Any], list[tuple[str, ...]], Any]


class MemoryColumns:
    """All memories of a store at one moment. `load`, then `refresh` with what changed."""

    def __init__(self) -> None:
        import numpy as np

        self._np: Any = np
        self._room: dict[str, Any] = {}  # the arrays, with room for more rows
        self._data: dict[str, Any] = {}  # the part of them that is filled
        self._alive: Any = np.zeros(0, bool)
        self._tag_places: Any = np.zeros(0, np.int32)
        self._tag_codes: Any = np.zeros(0, np.int32)
        self._cells = MemoryCells(np, CELLS)
        self._codes: dict[str, dict[str, int]] = {name: {} for name in (*WORDS, "tag")}
        self._orders: dict[str, tuple[Any, int]] = {}  # and how many of the changes it has seen
        self._changes: list[Any] = []  # places that changed, one array for each refresh
        self._is_cancelled: Callable[[], bool] = lambda: False

    def __len__(self) -> int:
        return len(self._alive)

    # keeping in step ---------------------------------------------------------------------------------

    def load(self, cursor: Any, *, sorts: Iterable[str] = (), is_cancelled: Callable[[], bool] = lambda: False) -> None:
        """Reads everything through a cursor of the driver, and sorts it; seconds for a million memories.

        Nearly all of them inside SQLite: other threads go on meanwhile.
        """
        self._is_cancelled = is_cancelled
        rows = list(self._read_packed(cursor))
        self._data = {name: self._join([part[name] for part in rows], kind) for name, kind, _ in _COLUMNS}
        self._data["cell"] = self._cells.code_all(self._data)
        self._room = dict(self._data)
        self._alive = self._np.ones(len(self._data["id"]), bool)
        tags = list(self._packed_tags(cursor))
        self._tag_places = self._join([part[0] for part in tags], "i4")
        self._tag_codes = self._join([part[1] for part in tags], "i4")
        self._orders, self._changes = {}, []
        for sort in sorts:
            self.order(sort)

    def refresh(self, cursor: Any, ids: Sequence[int]) -> None:
        """Brings some memories up to date: changed, new, gone or back again."""
        np = self._np
        wanted = np.unique(np.asarray(ids, np.int64))
        found = self._fetch(cursor, wanted)
        new = found["id"][~self._places(found["id"])[1]]
        last = self._data["id"][-1] if len(self) else 0
        if len(new) and new[0] <= last:  # one came back that was gone when these were read
            self.load(cursor)
            return
        self._append(len(new), new)
        places, _ = self._places(wanted)
        here, _ = self._places(found["id"])
        for name, _, _ in _COLUMNS:
            self._data[name][here] = found[name]
        self._data["cell"][here] = self._cells.code(zip(*(found[name].tolist() for name in CELLS), strict=True))
        self._alive[places] = False
        self._alive[here] = True
        self._refresh_tags(cursor, wanted, places)
        self._changes.append(places)

    def _fetch(self, cursor: Any, ids: Any) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        for some in slices(ids.tolist()):
            marks = ",".join("?" * len(some))
            parts += self._read(cursor.execute(f"{_SELECT} WHERE id IN ({marks}) ORDER BY id", some))
        return {name: self._join([part[name] for part in parts], kind) for name, kind, _ in _COLUMNS}

    def _append(self, count: int, ids: Any) -> None:
        if not count:
            return
        np = self._np
        before = len(self)
        for name, kind in _ARRAYS:
            if len(self._room[name]) < before + count:
                more = np.zeros(max(count, before // 8, 1_000), kind)
                self._room[name] = np.concatenate([self._data[name], more])
            self._data[name] = self._room[name][: before + count]
        self._data["id"][before:] = ids
        self._alive = np.concatenate([self._alive, np.zeros(count, bool)])

    def _refresh_tags(self, cursor: Any, ids: Any, places: Any) -> None:
        np = self._np
        changed = np.zeros(len(self), bool)
        changed[places] = True
        kept = ~changed[self._tag_places]
        old = (self._tag_places[kept], self._tag_codes[kept])
        parts = [old]
        for some in slices(ids.tolist()):
            marks = ",".join("?" * len(some))
            found = cursor.execute(f"SELECT memory_id, tag FROM memory_tag WHERE memory_id IN ({marks})", some)  # noqa: S608
            parts += self._tag_parts(found)
        self._tag_places = self._join([part[0] for part in parts], "i4")
        self._tag_codes = self._join([part[1] for part in parts], "i4")

    def _read_packed(self, cursor: Any) -> Iterator[dict[str, Any]]:
        packed = PackedRows("memory", _NUMBERS, WORDS)
        table: list[list[int]] = []  # of each different row of words their codes
        for numbers, words, places in packed.parts(cursor, self._is_cancelled):
            table += [[self.code(*pair) for pair in zip(WORDS, row, strict=True)] for row in words]
            coded = self._np.array(table, self._np.int32)[places]
            yield numbers | {name: coded[:, place] for place, name in enumerate(WORDS)}

    def _packed_tags(self, cursor: Any) -> Iterator[tuple[Any, Any]]:
        packed = PackedRows("memory_tag", (("memory_id", "i8", "memory_id"),), ("tag",), key="rowid")
        codes: list[int] = []
        for numbers, words, of_row in packed.parts(cursor, self._is_cancelled):
            codes += [self.code("tag", tag) for (tag,) in words]
            places, is_known = self._places(numbers["memory_id"])
            yield places.astype(self._np.int32), self._np.array(codes, self._np.int32)[of_row][is_known]

    def _read(self, rows: Any) -> Iterator[dict[str, Any]]:
        """Columns of numbers, a slice of the rows at a time."""
        while (some := rows.fetchmany(_AT_ONCE)) and not self._is_cancelled():
            values = list(zip(*some, strict=True))
            part: dict[str, Any] = {}
            for (name, kind, _), column in zip(_COLUMNS, values, strict=True):
                numbers = [self.code(name, word) for word in column] if name in WORDS else column
                part[name] = self._np.array(numbers, kind)
            yield part

    def _tag_parts(self, rows: Any) -> Iterator[tuple[Any, Any]]:
        np = self._np
        while some := rows.fetchmany(_AT_ONCE):
            ids = np.array([row[0] for row in some], np.int64)
            codes = np.array([self.code("tag", row[1]) for row in some], np.int32)
            places, is_known = self._places(ids)
            yield places.astype(np.int32), codes[is_known]

    def _places(self, ids: Any) -> tuple[Any, Any]:
        """Where these ids stand, and which of them stand anywhere."""
        np = self._np
        if not len(self):
            return np.zeros(0, np.int64), np.zeros(len(ids), bool)
        places = np.searchsorted(self._data["id"], ids)
        is_known = self._data["id"][np.minimum(places, len(self) - 1)] == ids
        return places[is_known], is_known

    def _join(self, parts: list[Any], kind: str) -> Any:
        return self._np.concatenate(parts).astype(kind, copy=False) if parts else self._np.zeros(0, kind)

    # asking ------------------------------------------------------------------------------------------

    def code(self, name: str, word: str) -> int:
        """The number of a word; a new one gets the next."""
        known = self._codes[name]
        return known.setdefault(word, len(known))

    def everything(self) -> "Mask":
        return self._alive.copy()  # type: ignore[no-any-return]

    def every_cell(self) -> "Mask":
        return self._np.ones(len(self._cells), bool)  # type: ignore[no-any-return]

    def cells_among(self, name: str, values: Iterable[str | int]) -> "Mask":
        """Cells that have one of these words or numbers in one of the columns of `CELLS`."""
        return self._np.isin(self._cells.values(name), self._numbers(name, values))  # type: ignore[no-any-return]

    def cells_from(self, name: str, low: int) -> "Mask":
        """Cells with low <= value."""
        return self._cells.values(name) >= low

    def in_cells(self, cells: "Mask") -> "Mask":
        """The rows of these cells."""
        return self._alive & cells[self._data["cell"]]  # type: ignore[no-any-return]

    def among(self, name: str, values: Iterable[str | int]) -> "Mask":
        """Rows that have one of these words or numbers in a column."""
        numbers = self._numbers(name, values)
        column = self._data[name]
        if len(numbers) == 1:
            return column == numbers[0]  # type: ignore[no-any-return]
        return self._np.isin(column, numbers)  # type: ignore[no-any-return]

    def _numbers(self, name: str, values: Iterable[str | int]) -> list[Any]:
        known = self._codes.get(name)
        return [known.get(str(value), -1) if known is not None else value for value in values]

    def between(self, name: str, low: float | None, high: float | None) -> "Mask":
        """Rows with low <= value < high; None does not restrict."""
        column = self._data[name]
        mask = self._np.ones(len(self), bool)
        if low is not None:
            mask &= column >= low
        if high is not None:
            mask &= column < high
        return mask  # type: ignore[no-any-return]

    def tagged(self, tag: str) -> "Mask":
        mask = self._np.zeros(len(self), bool)
        mask[self._tag_places[self._tag_codes == self._codes["tag"].get(tag, -1)]] = True
        return mask  # type: ignore[no-any-return]

    def these(self, ids: Iterable[int]) -> "Mask":
        np = self._np
        mask = np.zeros(len(self), bool)
        places, _ = self._places(np.fromiter(ids, np.int64))
        mask[places] = True
        return mask  # type: ignore[no-any-return]

    def order(self, sort: str) -> "Places":
        """All places in the order of a sort. Kept, and mended by what changed since it was asked last."""
        order, seen = self._orders.get(sort, (None, 0))
        changed = self._np.unique(self._np.concatenate(self._changes[seen:])) if self._changes[seen:] else ()
        if order is None or len(changed) > _PATCHED_MAX:
            order = self._sort(sort)
        elif len(changed):
            order = self._mended(order, sort, changed)
        self._orders[sort] = (order, len(self._changes))
        return order  # type: ignore[no-any-return]

    def sorted_places(self, mask: "Mask", sort: str) -> "Places":
        """The places of the rows of a mask, in the order of a sort."""
        order = self.order(sort)
        return order[mask[order]]

    def first_places(self, mask: "Mask", sort: str, count: int) -> "Places":
        """The first of them: looks no further than it must."""
        np, order = self._np, self.order(sort)
        found: list[Any] = [order[:0]]
        start, step = 0, max(count, 1_024)
        while start < len(order) and count > 0:
            some = order[start : start + step]
            hits = some[mask[some]][:count]
            found.append(hits)
            count -= len(hits)
            start, step = start + step, step * 2
        return np.concatenate(found)  # type: ignore[no-any-return]

    def ids_at(self, places: "Places") -> list[int]:
        return self._data["id"][places].tolist()  # type: ignore[no-any-return]

    def values_at(self, name: str, places: "Places") -> Any:
        """What a column holds at these places: numbers, of words their codes."""
        return self._data[name][places]

    def words(self, name: str) -> list[str] | None:
        """The words of a column by their codes; None for one of numbers."""
        return list(self._codes[name]) if name in self._codes else None

    def size(self, mask: "Mask") -> int:
        """How many rows a mask has."""
        return int(self._np.count_nonzero(mask))

    def count_by_cell(self, mask: "Mask | None") -> "Counts":
        """How many rows of the mask, or of all, are in each cell."""
        mask = self._alive if mask is None else mask & self._alive
        cells = self._data["cell"] if mask.all() else self._data["cell"][mask]
        return self._np.bincount(cells, minlength=len(self._cells))  # type: ignore[no-any-return]

    def counts(self, name: str, by_cell: "Counts") -> dict[str | int, int]:
        """Counts by cell as counts by the words or numbers of one column of `CELLS`."""
        np = self._np
        values, places = np.unique(self._cells.values(name), return_inverse=True)
        counted = np.bincount(places, by_cell, minlength=len(values)).astype(np.int64)
        words = list(self._codes[name]) if name in self._codes else None
        pairs = zip(values.tolist(), counted.tolist(), strict=True)
        return {value if words is None else words[value]: count for value, count in pairs if count}

    def tag_counts(self, mask: "Mask") -> dict[str | int, int]:
        """How many rows of the mask have each tag."""
        numbers = self._np.bincount(self._tag_codes[mask[self._tag_places]], minlength=1)
        words = list(self._codes["tag"])
        return {words[code]: count for code, count in enumerate(numbers.tolist()) if count}

    def count_from(self, name: str, mask: "Mask", low: int) -> int:
        """How many rows of the mask have at least this in a column."""
        return self.size(mask & (self._data[name] >= low))

    def counts_by_span(
        self, mask: "Mask", name: str, bounds: Sequence[int], by: Sequence[str] = ()
    ) -> Iterator[tuple[int, tuple[str | int, ...], int]]:
        """How many rows of the mask are in each span [bounds[n], bounds[n + 1]) of a column, by these of `CELLS`: (n, values, count)."""
        np = self._np
        column, edges = self._data[name], np.asarray(bounds, np.int64)
        places = np.flatnonzero(mask & self._alive & (column >= edges[0]) & (column < edges[-1]))
        spans = np.searchsorted(edges, column[places], side="right") - 1
        values = np.stack([np.zeros(len(self._cells), np.int64), *(self._cells.values(one) for one in by)], axis=1)
        groups, group_of = np.unique(values, axis=0, return_inverse=True)
        both = spans * len(groups) + group_of.reshape(-1)[self._data["cell"][places]]
        words = [list(self._codes[one]) if one in self._codes else None for one in by]
        named = [
            tuple(code if known is None else known[code] for code, known in zip(group[1:], words, strict=True))
            for group in groups.tolist()
        ]
        codes, counts = np.unique(both, return_counts=True)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            yield code // len(groups), named[code % len(groups)], count

    # orders ------------------------------------------------------------------------------------------

    def _sort(self, sort: str) -> Any:
        np = self._np
        name, is_largest_first = SORTS[sort]
        if not is_largest_first:
            return np.argsort(self._data[name], kind="stable").astype(np.int32)
        backwards = np.arange(len(self) - 1, -1, -1, dtype=np.int32)  # of equals the newest comes first
        return backwards[np.argsort(-self._data[name][::-1], kind="stable")]

    def _mended(self, order: Any, sort: str, places: Any) -> Any:
        """The order with changed rows taken out and put in at their new place."""
        np = self._np
        name, is_largest_first = SORTS[sort]
        sign = -1 if is_largest_first else 1
        column = self._data[name]
        changed = np.zeros(len(self), bool)
        changed[places] = True
        rest = order[~changed[order]]
        keys = column[rest] * sign
        mine = sorted(places.tolist(), key=lambda place: (column[place] * sign, place * sign))
        spots = []
        for place in mine:
            low, high = (int(np.searchsorted(keys, column[place] * sign, side)) for side in ("left", "right"))
            spots.append(low + int(np.searchsorted(rest[low:high] * sign, place * sign)))
        return np.insert(rest, spots, np.array(mine, np.int32))


class MemoryCells:
    """`code_all` once, then `code` for what changed. The numbers of `names` are never below 0."""

    def __init__(self, np: Any, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._np = np
        self._known: dict[tuple[int, ...], int] = {}
        self._values: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._known)

    def code_all(self, columns: Mapping[str, Any]) -> "Numbers":
        """The cell of every row; what was known of cells before is forgotten."""
        np = self._np
        self._known, self._values = {}, {}
        count = len(columns[self.names[0]])
        if not count:
            return np.zeros(0, np.int64)  # type: ignore[no-any-return]
        keys = np.zeros(count, np.int64)
        for name in self.names:
            size, places = self._dense(columns[name])
            keys = keys * size + places
        size, cells = self._dense(keys)
        example = np.zeros(size, np.int64)
        example[cells] = np.arange(count)  # any row of each cell tells what it is
        self.code(zip(*(columns[name][example].tolist() for name in self.names), strict=True))
        return cells  # type: ignore[no-any-return]

    def code(self, rows: Iterable[tuple[int, ...]]) -> list[int]:
        """The cell of each row, given as its numbers in the order of `names`; a new combination gets the next."""
        before = len(self._known)
        found = [self._known.setdefault(row, len(self._known)) for row in rows]
        if len(self._known) != before:
            self._values = {}
        return found

    def values(self, name: str) -> "Numbers":
        """What a column is in each cell."""
        if not self._values:
            table = self._np.array(list(self._known), self._np.int64).reshape(-1, len(self.names))
            self._values = {one: table[:, place] for place, one in enumerate(self.names)}
        return self._values[name]  # type: ignore[no-any-return]

    def _dense(self, column: Any) -> tuple[int, Any]:
        """How many different numbers there are, and of each row the place of its number among them."""
        np = self._np
        top = int(column.max())
        if top >= _TABLE_MOST:
            values, places = np.unique(column, return_inverse=True)
            return len(values), places.astype(np.int64, copy=False)
        occurs = np.bincount(column) > 0
        place_of = np.cumsum(occurs) - 1
        return int(occurs.sum()), place_of[column]


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
            count, last, blob, joined = cursor.execute(self._packed, (after, _ROWS_PACKED)).fetchone()
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
        return [tuple(row) for row in cursor.execute(self._plain, (after, _ROWS_PACKED)).fetchall()]


def _column(packed: Any, kind: str) -> Any:
    """Numbers as the machine holds them."""
    return packed / _HALF if kind == "f8" else packed.astype(kind)
