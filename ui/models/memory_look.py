"""How the list of memories looks: cards or a dense table, which columns, in which groups. Kept by the window between starts.

A value and its words in a file; knows no widget. Source: UX 4.4 "List".
"""

from dataclasses import dataclass, replace

from app.values import MemoryGroup

DEFAULT_COLUMNS = ("state", "project", "confidence", "told", "changed")
ALL_COLUMNS = (
    "state", "type", "project", "assistant", "tags", "importance", "confidence", "tokens", "tier", "told", "last-told", "changed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryLook:
    """`columns` beside the title, which is always there, from left to right."""

    is_table: bool = False
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    group: MemoryGroup | None = None

    def toggled(self, column: str) -> "MemoryLook":
        """With a column put in or out, in the order of all.

        >>> MemoryLook(columns=("type",)).toggled("tokens").toggled("type").columns
        ('tokens',)
        """
        wanted = set(self.columns) ^ {column}
        return replace(self, columns=tuple(one for one in ALL_COLUMNS if one in wanted))


def parse_look(*, is_table: bool, columns: str, group: str) -> MemoryLook:
    """As it was written; what nobody knows is left out.

    >>> parse_look(is_table=True, columns="type,wrong", group="project").columns
    ('type',)
    """
    known = tuple(one for one in ALL_COLUMNS if one in columns.split(","))
    return MemoryLook(
        is_table,
        known if columns.strip() else DEFAULT_COLUMNS,
        MemoryGroup(group) if group in set(MemoryGroup) else None,
    )
