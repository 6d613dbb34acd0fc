"""All SQL of pairs that wait for a verdict, and of verdicts as they fell. Logged, never journalled. Source: S4 `llm.judge`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, or_, select, text, update

from app.store.app_metadata import drop_marks, read_mark, set_marks
from app.store.chunked_parameters import slices
from app.store.journal import insert_rows, table_of
from app.store.tables.core import AppRow, PairCheckRow, ProjectRow
from app.store.tables.memory import ContradictionRow, MemoryRow

_check, _pair = table_of(PairCheckRow), table_of(ContradictionRow)
_memory, _app, _project = table_of(MemoryRow), table_of(AppRow), table_of(ProjectRow)
_a, _b = _memory.alias("a"), _memory.alias("b")
_LIVE = ("active", "proposed")
_LIVE_AMONG = select(_memory).where(
    text("memory.id IN (SELECT value FROM json_each(:ids))"),  # a list of binds is put into words again each time
    _memory.c.kind == "fact",
    _memory.c.status.in_(_LIVE),
    _memory.c.valid_to.is_(None),
)
_LEFT = "contradictions_left"
_NEWEST = 60
_SLOT_MOST = 20


def load_live(connection: Connection, ids: Iterable[int]) -> dict[int, Row[Any]]:
    """Facts among these that may hold: in use or proposed, not closed."""
    among = {"ids": json.dumps(sorted(set(ids)))}
    return {int(row.id): row for row in connection.execute(_LIVE_AMONG, among)}


def newest_live(connection: Connection, ids: Iterable[int] | None, most: int) -> list[int]:
    """The newest facts of these that may hold; None: of all."""
    wanted = None if ids is None else sorted(set(ids), reverse=True)
    statement = (
        select(_memory.c.id)
        .where(_memory.c.kind == "fact", _memory.c.status.in_(_LIVE), _memory.c.valid_to.is_(None))
        .order_by(_memory.c.id.desc())
        .limit(most)
    )
    if wanted is None:
        return list(connection.execute(statement).scalars())
    found: list[int] = []
    for some in slices(wanted[: 4 * most]):
        found += connection.execute(statement.where(_memory.c.id.in_(some))).scalars()
    return found[:most]


def load_left(connection: Connection) -> tuple[int, int]:
    """(first, end): the memories between these numbers are still to be held against what is known; (0, 0): none."""
    first, _, end = (read_mark(connection, _LEFT) or "0 0").partition(" ")
    return int(first), int(end)


def save_left(connection: Connection, first: int, end: int) -> None:
    if first < end:
        set_marks(connection, {_LEFT: f"{first} {end}"})
    else:
        drop_marks(connection, _LEFT)


def newest_between(connection: Connection, first: int, end: int, most: int) -> list[int]:
    """The newest facts that may hold of those numbers from `first` up to, but not with, `end`."""
    here = and_(_memory.c.id >= first, _memory.c.id < end)
    live = and_(_memory.c.kind == "fact", _memory.c.status.in_(_LIVE), _memory.c.valid_to.is_(None))
    return list(
        connection.execute(select(_memory.c.id).where(here, live).order_by(_memory.c.id.desc()).limit(most)).scalars()
    )


def find_newest(connection: Connection, project_id: int | None) -> list[int]:
    """The newest of a project that hold. Reads all of the project: asked for once in a run, not for each memory."""
    newest = select(_memory.c.id).where(_holds_in(project_id))
    return list(
        connection.execute(newest.order_by(_memory.c.updated_at.desc(), _memory.c.id.desc()).limit(_NEWEST)).scalars()
    )


def find_same_slot(connection: Connection, project_id: int | None, slot_key: str) -> list[int]:
    """What fills this slot in a project."""
    if not slot_key:
        return []
    same = select(_memory.c.id).where(_memory.c.slot_key == slot_key, _holds_in(project_id)).limit(_SLOT_MOST)
    return list(connection.execute(same).scalars())


def _holds_in(project_id: int | None) -> ColumnElement[bool]:
    here = func.coalesce(_memory.c.project_id, 0) == (project_id or 0)
    return and_(here, _memory.c.kind == "fact", _memory.c.status.in_(_LIVE), _memory.c.valid_to.is_(None))


def load_rivals(connection: Connection, memory_id: int) -> set[int]:
    """Memories that are or were in a contradiction with it."""
    a, b = _pair.c.memory_a_id, _pair.c.memory_b_id
    rows = connection.execute(select(a, b).where(or_(a == memory_id, b == memory_id)))
    return {one for row in rows for one in row} - {memory_id}


def load_all_rivals(connection: Connection) -> dict[int, set[int]]:
    """The same of every memory that has any."""
    found: dict[int, set[int]] = {}
    for a_id, b_id in connection.execute(select(_pair.c.memory_a_id, _pair.c.memory_b_id)):
        found.setdefault(int(a_id), set()).add(int(b_id))
        found.setdefault(int(b_id), set()).add(int(a_id))
    return found


def load_checks(connection: Connection, memory_id: int) -> dict[tuple[int, int], Row[Any]]:
    """What is kept of pairs with it, by their two numbers, the older first."""
    where = or_(_check.c.memory_a_id == memory_id, _check.c.memory_b_id == memory_id)
    rows = connection.execute(select(_check).where(where))
    return {(int(row.memory_a_id), int(row.memory_b_id)): row for row in rows}


def add_waiting(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Pairs that wait for a verdict; what was kept of the same pair goes."""
    for row in rows:
        is_pair = and_(_check.c.memory_a_id == row["memory_a_id"], _check.c.memory_b_id == row["memory_b_id"])
        connection.execute(delete(_check).where(is_pair))
    next_id = int(connection.execute(select(func.coalesce(func.max(_check.c.id), 0))).scalar() or 0)
    blank = {
        "verdict": "",
        "kind": "",
        "holds": "",
        "why": "",
        "confidence": 0.0,
        "judged_by": "",
        "judged_at": None,
        "merged": "",
    }
    numbered = [{**blank, **row, "id": next_id + n, "state": "waiting"} for n, row in enumerate(rows, 1)]
    if numbered:
        insert_rows(connection, _check, numbered)


def load_waiting(connection: Connection, limit: int) -> Sequence[Row[Any]]:
    """Pairs that wait, the oldest first, both sides as they are now, with app and project of the newer one."""
    joined = (
        _check.join(_a, _a.c.id == _check.c.memory_a_id)
        .join(_b, _b.c.id == _check.c.memory_b_id)
        .outerjoin(_app, _app.c.id == _b.c.app_id)
        .outerjoin(_project, _project.c.id == _b.c.project_id)
    )
    statement = (
        select(
            _check,
            _a.c.full.label("a_text"),
            _b.c.full.label("b_text"),
            _a.c.valid_from.label("a_at"),
            _b.c.valid_from.label("b_at"),
            _a.c.text_key.label("a_now"),
            _b.c.text_key.label("b_now"),
            func.coalesce(_app.c.name, "").label("app"),
            func.coalesce(_project.c.path, "").label("project"),
            _b.c.app_id,
            _b.c.project_id,
            _b.c.scope,
            _a.c.status.label("a_status"),
            _b.c.status.label("b_status"),
            _a.c.trust.label("a_trust"),
            _b.c.trust.label("b_trust"),
            and_(
                _a.c.status.in_(_LIVE), _b.c.status.in_(_LIVE), _a.c.valid_to.is_(None), _b.c.valid_to.is_(None)
            ).label("is_live"),
        )
        .select_from(joined)
        .where(_check.c.state == "waiting")
        .order_by(_check.c.id)
        .limit(limit)
    )
    return connection.execute(statement).all()


def load_proposal(connection: Connection, a_id: int, b_id: int) -> str:
    """The one text that a judge proposed for both as they are now; "" for none."""
    statement = (
        select(_check.c.merged)
        .join(_a, _a.c.id == _check.c.memory_a_id)
        .join(_b, _b.c.id == _check.c.memory_b_id)
        .where(
            _check.c.memory_a_id == a_id,
            _check.c.memory_b_id == b_id,
            _check.c.a_key == _a.c.text_key,
            _check.c.b_key == _b.c.text_key,
        )
    )
    return str(connection.execute(statement).scalar() or "")


def load_judged_duplicates(connection: Connection) -> list[tuple[int, int]]:
    """Pairs of memories in use, the older first, that a judge read as saying the same, in the texts that they have now."""
    statement = (
        select(_check.c.memory_a_id, _check.c.memory_b_id)
        .join(_a, _a.c.id == _check.c.memory_a_id)
        .join(_b, _b.c.id == _check.c.memory_b_id)
        .where(
            _check.c.state == "judged",
            _check.c.verdict == "duplicate",
            _check.c.a_key == _a.c.text_key,
            _check.c.b_key == _b.c.text_key,
            *(side.c.status == "active" for side in (_a, _b)),
            *(side.c.valid_to.is_(None) for side in (_a, _b)),
        )
        .order_by(_check.c.memory_a_id, _check.c.memory_b_id)
    )
    return [(int(row[0]), int(row[1])) for row in connection.execute(statement)]


def count_waiting(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).where(_check.c.state == "waiting")).scalar() or 0)


def settle(connection: Connection, check_id: int, values: Mapping[str, Any]) -> None:
    """The verdict on a pair that waited."""
    connection.execute(update(_check).where(_check.c.id == check_id).values(state="judged", **values))


def drop_checks(connection: Connection, check_ids: Sequence[int]) -> None:
    for some in slices(list(check_ids)):
        connection.execute(delete(_check).where(_check.c.id.in_(some)))
