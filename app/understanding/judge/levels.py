"""Shorter wordings of memories by a judge: which are due, and what becomes of the answer.

The rules shorten by leaving words out; a judge words what is long, and what does not keep every number with its unit, every name and
what is denied is given whole instead. Due is a long memory of the person's whose summary is still the rules', so an edit makes it due
again, and no mark is kept. Knows no adapter and no thread. Source: JUDGE "Other tasks", issue 16 point 4.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection

from app.deciders.memory.levels.compress import compress
from app.judge.tasks import LevelItem, LevelsRequest, WordedLevels
from app.language.token_counts import count_tokens
from app.memories.queries import slot_of
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.store.tables.memory import MemoryRow
from app.store.visibility import load_never_given
from app.understanding.message_rows import AnyRow
from app.values import FactType, MemoryKind, MemoryStatus

LEAST_TOKENS = 24  # a shorter text is short enough
AT_ONCE = 12
LEAST_WAITING = 6  # unless it is asked for


@dataclass(frozen=True, slots=True)
class AskedLevels:
    """A request for memories of one app and project, and their rows as they were."""

    request: LevelsRequest
    app: str
    app_id: int
    project_id: int
    rows: Mapping[str, AnyRow]

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(int(row.id) for row in self.rows.values())


def levels_request(
    connection: Connection,
    *,
    is_read: Callable[[str], bool],
    is_hidden: Callable[[str, str], bool],
    passed: Container[int],
    least: int,
) -> AskedLevels | None:
    """The newest that are due, of one app and project; None where there are fewer than `least`.

    `is_read`: whether somebody reads for an app; `is_hidden`: of a path and a text; `passed`: numbers that are not asked about again.
    """
    withheld = load_never_given(connection)
    rows = [
        row
        for row in judge_rows.load_shortable(connection, LEAST_TOKENS)
        if row.id not in passed and row.id not in withheld and is_read(row.app) and not is_hidden(row.path, row.full)
    ]
    if len(rows) < least or not rows:
        return None
    first = rows[0]
    due = (
        row for row in rows if (row.app_id, row.project_id) == (first.app_id, first.project_id) and _is_by_rules(row)
    )
    chosen = {f"k{row.id}": row for row in islice(due, AT_ONCE)}
    if len(chosen) < max(1, least):
        return None
    request = LevelsRequest(tuple(LevelItem(name, row.full) for name, row in chosen.items()))
    return AskedLevels(request, str(first.app), int(first.app_id), int(first.project_id), chosen)


def apply_levels(write: Write, title: str, asked: AskedLevels, found: Sequence[WordedLevels]) -> int:
    """Puts the wordings in place of the rules', the whole text where none stood the check; how many memories changed."""
    by_id = {one.id: one for one in found}
    count = 0
    for name, before in asked.rows.items():
        row = judge_rows.find_memory(write.connection, int(before.id))
        if row is None or (row.full, row.summary, row.edited_levels) != (before.full, before.summary, []):
            continue  # edited, undone or erased meanwhile
        if row.status != MemoryStatus.ACTIVE:
            continue
        worded = by_id.get(name, WordedLevels(name, row.full, row.full))
        compressed = worded.compressed if count_tokens(worded.compressed) >= row.index_tokens else worded.summary
        keep_versions(write, [write.get(MemoryRow, row.id)], f"shortened by {title}")
        values = {
            "summary": worded.summary, "summary_tokens": count_tokens(worded.summary),
            "compressed": compressed, "compressed_tokens": count_tokens(compressed),
        }  # fmt: skip
        write.update(MemoryRow, row.id, values)
        count += 1
    return count


def _is_by_rules(row: AnyRow) -> bool:
    """Whether its summary is what the rules make of it, and shorter than the whole."""
    fact_type = FactType(row.type) if row.type else None
    made = compress(
        row.full,
        kind=MemoryKind(row.kind),
        type=fact_type,
        slot=slot_of(row),
        value=row.value,
        is_negated=row.is_negated,
        title=row.title,
        details=row.details,
    )
    return bool(row.summary == made.summary.text != row.full)
