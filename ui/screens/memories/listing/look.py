"""How the list of memories looks: cards or a dense table, which columns, in which groups. Kept by the window between starts.

A value and its words in a file; knows no widget. Source: UX 4.4 "List".
"""

import re
from dataclasses import dataclass, replace

from app.values import MemoryGroup

DEFAULT_COLUMNS = ("state", "project", "confidence", "told", "changed")
ALL_COLUMNS = (
    "state", "type", "project", "assistant", "tags", "importance", "confidence", "tokens", "tier", "told", "last-told", "changed",
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,3}(\.\d{1,3})?")
LEAST_EM, MOST_EM = 2.5, 40.0
Widths = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MemoryLook:
    """`columns` beside the title, which is always there, from left to right; `widths_em` of those that a person made wider."""

    is_table: bool = False
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    group: MemoryGroup | None = None
    widths_em: Widths = ()

    def toggled(self, column: str) -> "MemoryLook":
        """With a column put in or out, in the order of all.

        >>> MemoryLook(columns=("type",)).toggled("tokens").toggled("type").columns
        ('tokens',)
        """
        wanted = set(self.columns) ^ {column}
        return replace(self, columns=tuple(one for one in ALL_COLUMNS if one in wanted))

    def resized(self, column: str, width_em: float | None) -> "MemoryLook":
        """With a column of another width, within bounds; None: as wide as shipped.

        >>> MemoryLook().resized("type", 99).resized("told", 5).resized("told", None).widths_em
        (('type', 40.0),)
        """
        widths = {name: width for name, width in self.widths_em if name != column}
        if width_em is not None:
            widths[column] = round(float(min(max(width_em, LEAST_EM), MOST_EM)), 2)
        return replace(self, widths_em=tuple(sorted(widths.items())))

    def written_columns(self) -> str:
        """Columns and their widths as a file keeps them.

        >>> MemoryLook(columns=("type", "told")).resized("type", 8).written_columns()
        'type:8.0,told'
        """
        widths = dict(self.widths_em)
        return ",".join(f"{name}:{widths[name]}" if name in widths else name for name in self.columns)


def parse_look(*, is_table: bool, columns: str, group: str) -> MemoryLook:
    """As it was written; what nobody knows is left out.

    >>> look = parse_look(is_table=True, columns="type:7.5,wrong,told:wide", group="project")
    >>> look.columns, look.widths_em
    (('type', 'told'), (('type', 7.5),))
    """
    asked = dict(one.partition(":")[::2] for one in columns.split(","))
    known = tuple(one for one in ALL_COLUMNS if one in asked)
    look = MemoryLook(
        is_table,
        known if columns.strip() else DEFAULT_COLUMNS,
        MemoryGroup(group) if group in set(MemoryGroup) else None,
    )
    for name in known:
        if _NUMBER.fullmatch(asked[name]):
            look = look.resized(name, float(asked[name]))
    return look
