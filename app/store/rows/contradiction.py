"""Reading contradictions: which stand open, which were resolved, each with its two memories' numbers. All SQL of the noun.

Open are those of which both sides may still hold: what was closed, archived or held back leaves nothing to decide, and comes back
when that is undone. Source: S4, DESIGN section 6.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, case, func, or_, select, text

from app.errors import NotFoundError
from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.project import is_project
from app.store.tables.core import ChangeRow, OperationRow, ProjectRow
from app.store.tables.memory import ContradictionRow, MemoryRow
from app.store.tables.types import to_microseconds
from app.store.visibility import where

_pair = table_of(ContradictionRow)
_a, _b = table_of(MemoryRow).alias("a"), table_of(MemoryRow).alias("b")
_project = table_of(ProjectRow)
_JOINED = _pair.join(_a, _a.c.id == _pair.c.memory_a_id).join(_b, _b.c.id == _pair.c.memory_b_id)
_HOLD = and_(*(text(f"{side}.status IN ('active', 'proposed') AND {where('ended', memory=side)}") for side in "ab"))
_USED = _a.c.retrieved_count + _b.c.retrieved_count + 2 * (_a.c.cited_count + _b.c.cited_count)
_BOTH_ACTIVE = case((and_(_a.c.status == "active", _b.c.status == "active"), 1), else_=0)
_WEIGHT = (
    _BOTH_ACTIVE.desc(),
    (_a.c.is_pinned | _b.c.is_pinned).desc(),
    _USED.desc(),
    func.max(_a.c.importance, _b.c.importance).desc(),
    _pair.c.detected_at.desc(),
    _pair.c.id.desc(),
)


def load_open(connection: Connection, now: datetime, *, project: str = "", limit: int = 500) -> Sequence[Row[Any]]:
    """Those to decide, what changes most first: both in use, pinned, given often, weighty, new."""
    statement = select(_pair).select_from(_JOINED).where(_pair.c.state == "open", _HOLD)
    if project:
        own = select(_project.c.id).where(is_project(project))
        statement = statement.where(or_(_a.c.project_id.in_(own), _b.c.project_id.in_(own)))
    return connection.execute(statement.order_by(*_WEIGHT).limit(limit), {"now": to_microseconds(now)}).all()


def load_settled(connection: Connection, states: Sequence[str], limit: int = 500) -> Sequence[Row[Any]]:
    """Resolved or dismissed ones, the newest first."""
    statement = select(_pair).where(_pair.c.state.in_(states))
    return connection.execute(statement.order_by(_pair.c.resolved_at.desc(), _pair.c.id.desc()).limit(limit)).all()


def load_sides(connection: Connection, ids: Iterable[int]) -> dict[int, Row[Any]]:
    """What is compared of these memories."""
    memory = table_of(MemoryRow)
    listed: list[Any] = [memory.c[name] for name in ("id", "full", "slot_key", "value", "project_id")]
    found: dict[int, Row[Any]] = {}
    for some in slices(sorted(set(ids))):
        found |= {int(row.id): row for row in connection.execute(select(*listed).where(memory.c.id.in_(some)))}
    return found


def load_dismissed(connection: Connection, project_id: int | None, limit: int = 300) -> list[Any]:
    """Pairs of a project that the person called no contradiction, the newest first."""
    here = func.coalesce(_a.c.project_id, 0) == (project_id or 0)
    joined = _pair.join(_a, _a.c.id == _pair.c.memory_a_id)
    statement = select(_pair.c.memory_a_id, _pair.c.memory_b_id).select_from(joined)
    statement = statement.where(_pair.c.state == "dismissed", here).order_by(_pair.c.id.desc()).limit(limit)
    return list(connection.execute(statement).all())


def load_one(connection: Connection, contradiction_id: int) -> Row[Any]:
    """Raises NotFoundError."""
    row = connection.execute(select(_pair).where(_pair.c.id == contradiction_id)).one_or_none()
    if row is None:
        raise NotFoundError(
            f"There is no contradiction number {contradiction_id}.", hint="One of its memories may have been erased."
        )
    return row


def count_open(connection: Connection, now: datetime) -> int:
    statement = select(func.count()).select_from(_JOINED).where(_pair.c.state == "open", _HOLD)
    return int(connection.execute(statement, {"now": to_microseconds(now)}).scalar() or 0)


def find_resolving(connection: Connection, contradiction_id: int) -> Row[Any] | None:
    """The operation of a person that resolved it last and that can still be taken back."""
    operation, change = table_of(OperationRow), table_of(ChangeRow)
    statement = (
        select(operation)
        .join(change, change.c.operation_id == operation.c.id)
        .where(
            change.c.table_name == "contradiction",
            change.c.row_id == contradiction_id,
            operation.c.kind == "resolve_contradiction",
            operation.c.undone_by_id.is_(None),
            operation.c.is_undoable,
        )
        .order_by(operation.c.id.desc())
        .limit(1)
    )
    return connection.execute(statement).first()
