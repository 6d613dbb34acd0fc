"""What acts on memories have in common: the rows they are about, who may touch them, what is no text, how they are named.

Each check raises one of the errors that people read. Knows no act and no transaction of its own. Source: QUALITY S7.
"""

from collections.abc import Sequence
from datetime import datetime

from app.errors import ForbiddenError, InvalidError, NotFoundError
from app.memories.new_memory import TITLE_CHARS
from app.store.journal import Write
from app.store.table_queries import rows_with
from app.store.tables.memory import MemoryRow
from app.store.visibility import check_row
from app.understanding.message_rows import AnyRow
from app.values import Origin, Trust

TEXT_CHARS_MAX = 20_000  # as much as is read of a text: nothing behind it goes unseen
_LABEL_CHARS = 60


def rows_of(write: Write, ids: Sequence[int]) -> list[AnyRow]:
    """The rows in the order of `ids`, each once. Raises NotFoundError for one that is gone."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        raise InvalidError("No memory is chosen.", hint="Choose at least one.")
    for one in wanted:
        check_row(write.connection, "memory", one)
    found = {row.id: row for row in rows_with(write.connection, MemoryRow, id=wanted)}
    missing = [one for one in wanted if one not in found]
    if missing:
        raise NotFoundError(f"There is no memory number {missing[0]}.", hint="It may have been erased.")
    return [found[one] for one in wanted]


def check_may_touch(write: Write, rows: Sequence[AnyRow]) -> None:
    """What a person said or confirmed only a person changes (S7)."""
    if write.origin is Origin.API and any(row.trust > Trust.IMPORTED for row in rows):
        raise ForbiddenError(
            "An assistant may not change what a person said.", hint="Propose a new memory; the person decides."
        )


def check_text(text: str) -> None:
    if not text.strip():
        raise InvalidError("A memory needs a text.", hint="Write one sentence that stands alone.")
    if len(text) > TEXT_CHARS_MAX:
        raise InvalidError(f"A memory holds at most {TEXT_CHARS_MAX:,} characters.", hint="Make several of it.")


def check_ratio(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InvalidError(f"The {name} must be between 0 and 1, not {value:g}.", hint="For example: 0.7")


def check_period(valid_from: datetime, valid_to: datetime | None) -> None:
    if valid_to is not None and valid_to < valid_from:
        raise InvalidError("It cannot end before it begins.", hint="Check 'valid from' and 'valid to'.")


def clean_title(title: str) -> str:
    return " ".join(title.split())[:TITLE_CHARS]


def named(write: Write, ids: Sequence[int]) -> str:
    """How a label names these memories."""
    count = len(dict.fromkeys(ids))
    if count != 1:
        return f"{count} memories"
    titles = [row.title for row in rows_with(write.connection, MemoryRow, "title", id=ids[0])]
    return f"“{short(str(next(iter(titles), '') or 'a memory'))}”"


def short(title: str) -> str:
    return title if len(title) <= _LABEL_CHARS else title[: _LABEL_CHARS - 1] + "…"
