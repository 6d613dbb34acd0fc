"""What a context is made of as rows: tiers with their items in the order told, the line where the budget ends, what is out.

Rows keep their key from reading to reading, so that the cursor stays. Knows no engine and no painting. Source: UX 4.6.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.values import Context, ContextItem, LeftOut, Placement, Tier
from app.values.context import FAILED_PREFIX, FIXED_PREFIX
from ui.screens.context.tiers import TIERS, said
from ui.wording.contexts import AUTOMATIC, TIER_HELP, spoken_item, spoken_left_out
from ui.wording.memories import LEVEL_WORDS, TIER_WORDS
from ui.wording.values import counted

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
Key = tuple[str, object]
NO_KEY: Key = ("", 0)
MEMORY_MIME = "application/x-remanence-memory"
NOTHING_CHOSEN: Mapping[int, Placement] = {}
NO_ACTS: Mapping[int, str] = {}
_OVER = re.compile(r"\bover\b")


class RowKind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    LINE = "line"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class ContextRow:
    kind: RowKind
    tier: Tier
    text: str
    spoken: str
    item: ContextItem | None = None
    number: int = -1  # among the items of the context
    out: LeftOut | None = None
    usage: str = ""
    act: str = ""  # what took it up, in words
    placement: Placement | None = None  # what a person chose of its memory

    @property
    def key(self) -> Key:
        if self.item is not None:
            return ("memory", self.item.memory_id or self.item.text)
        return ("memory", self.out.memory_id) if self.out is not None else (self.kind.value, self.text)

    @property
    def level_words(self) -> str:
        """The level it is told at; of what is left out the chosen one. "" for what is no memory."""
        if not self.memory_id:
            return ""
        chosen = self.placement.level if self.placement is not None else None
        level = self.item.level if self.item is not None else chosen
        return LEVEL_WORDS[level] if level is not None else AUTOMATIC

    @property
    def is_level_chosen(self) -> bool:
        """A person chose the level that is shown."""
        level = self.placement.level if self.placement is not None else None
        return level is not None and (self.item is None or self.item.level is level)

    @property
    def dismissable(self) -> str:
        """The line of what failed or was repaired lately, as the engine knows it; "" for any other."""
        title = self.item.title if self.item is not None and not self.item.memory_id else ""
        return title if title.startswith((FAILED_PREFIX, FIXED_PREFIX)) else ""

    @property
    def memory_id(self) -> int:
        """The memory it stands for, 0 for topic lines, questions and headings."""
        if self.item is not None:
            return self.item.memory_id or 0
        return self.out.memory_id if self.out is not None else 0


def build_rows(
    context: Context,
    usage: Mapping[int, str],
    placements: Mapping[int, Placement] = NOTHING_CHOSEN,
    *,
    acts: Mapping[int, str] = NO_ACTS,
    tier: Tier | None = None,
    needle: str = "",
) -> tuple[ContextRow, ...]:
    """The rows of a context, those of one tier, or those whose words hold `needle`."""
    wanted = needle.casefold().strip()
    rows: list[ContextRow] = []
    for each in TIERS if tier is None else (tier,):
        items = [
            (number, item)
            for number, item in enumerate(context.items)
            if item.tier is each and wanted in f"{item.text} {item.title} {item.reason}".casefold()
        ]
        if items:
            rows.append(_heading(each, len(items), sum(item.token_count for _, item in items)))
        rows += [
            replace(_item_row(number, item, usage, placements), act=acts.get(item.memory_id or 0, ""))
            for number, item in items
        ]
    out = [
        one
        for one in context.left_out
        if (tier is None or one.tier is tier) and wanted in f"{one.title} {one.reason}".casefold()
    ]
    if out:
        rows.append(_line(out))
        rows += [
            _out_row(one, placements.get(one.memory_id))
            for one in sorted(out, key=lambda one: (one.rank == 0, one.rank))
        ]
    return tuple(rows)


def _heading(tier: Tier, count: int, tokens: int) -> ContextRow:
    said_count = f"{counted(count, 'item')} · {counted(tokens, 'token')}"
    return ContextRow(
        RowKind.HEADING,
        tier,
        f"{TIER_WORDS[tier]} · {said_count}",
        f"{TIER_WORDS[tier]}: {TIER_HELP[tier]}, {said_count}",
    )


def _item_row(
    number: int, item: ContextItem, usage: Mapping[int, str], placements: Mapping[int, Placement]
) -> ContextRow:
    text, used = said(item), usage.get(item.memory_id or 0, "")
    placement = placements.get(item.memory_id or 0)
    return ContextRow(
        RowKind.ITEM, item.tier, text, spoken_item(item, text, used), item, number, usage=used, placement=placement
    )


def _line(out: Sequence[LeftOut]) -> ContextRow:
    is_over = any(_OVER.search(one.reason) for one in out)
    text = "budget ends here" if is_over else "not given"
    return ContextRow(RowKind.LINE, Tier.INDEX, text, f"{text}: {counted(len(out), 'memory', 'memories')} left out")


def _out_row(one: LeftOut, placement: Placement | None) -> ContextRow:
    text = one.title or f"Memory {one.memory_id}"
    return ContextRow(RowKind.OUT, one.tier, text, spoken_left_out(one, text), out=one, placement=placement)


def dragged_memory(data: QMimeData) -> int:
    """The memory that is being dragged, 0 for anything foreign."""
    raw = bytes(data.data(MEMORY_MIME).data()).decode("ascii", "replace") if data.hasFormat(MEMORY_MIME) else ""
    return int(raw) if raw.isdigit() else 0


def memory_mime(memory_id: int) -> QMimeData:
    """What is carried while a memory is dragged."""
    data = QMimeData()
    data.setData(MEMORY_MIME, str(memory_id).encode())
    return data


class ContextRows(QAbstractListModel):
    """Headings and the line cannot be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ContextRow, ...] = ()

    def set_rows(self, rows: Sequence[ContextRow]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def row_at(self, n: int) -> ContextRow | None:
        return self._rows[n] if 0 <= n < len(self._rows) else None

    def row_of(self, key: Key) -> int | None:
        return next((n for n, row in enumerate(self._rows) if row.key == key), None)

    def tier_of(self, memory_id: int) -> Tier | None:
        """The tier in which a memory is given; None when it is not."""
        return next((row.tier for row in self._rows if row.item is not None and row.memory_id == memory_id), None)

    def row_of_item(self, number: int) -> int | None:
        """Where the item with this number stands."""
        return next((n for n, row in enumerate(self._rows) if row.item is not None and row.number == number), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if row.kind in (RowKind.HEADING, RowKind.LINE):
            return Qt.ItemFlag.ItemIsEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return flags | Qt.ItemFlag.ItemIsDragEnabled if row.memory_id else flags

    def mimeTypes(self) -> list[str]:
        return [MEMORY_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        row = self.row_at(indexes[0].row()) if indexes else None
        return memory_mime(row.memory_id) if row is not None and row.memory_id else QMimeData()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        return None
