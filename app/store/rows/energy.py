"""The SQL of the ledger of background work. Knows rows, no flow. Source: S5 "Energy Consumption"."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from app.store.journal import table_of
from app.store.tables.core import EnergyEntryRow

_entry = table_of(EnergyEntryRow)


def add_entry(connection: Connection, values: dict[str, Any]) -> None:
    empty = {"units": 0.0, "cpu_s": 0.0, "token_count": 0, "put_off": ""}
    connection.execute(insert(_entry), empty | values)


def newest_entry(connection: Connection) -> Any:
    """The entry that says the level last; None before the first."""
    return connection.execute(select(_entry.c.at, _entry.c.level).order_by(_entry.c.id.desc()).limit(1)).first()


def units_by_work(connection: Connection, since: datetime) -> Sequence[Any]:
    """(work, units, cpu_s, token_count, work_count, put_off_count) of each kind of work, what took most first."""
    is_done = _entry.c.put_off == ""
    units = func.sum(_entry.c.units)
    return connection.execute(
        select(
            _entry.c.work,
            units.label("units"),
            func.sum(_entry.c.cpu_s).label("cpu_s"),
            func.sum(_entry.c.token_count).label("token_count"),
            func.count().filter(is_done).label("work_count"),
            func.count().filter(~is_done).label("put_off_count"),
        )
        .where(_entry.c.at >= since)
        .group_by(_entry.c.work)
        .order_by(units.desc(), _entry.c.work)
    ).all()


def entries_since(connection: Connection, since: datetime) -> Sequence[Any]:
    """(at, work, units) of all that took something, oldest first."""
    taken = select(_entry.c.at, _entry.c.work, _entry.c.units).where(_entry.c.at >= since, _entry.c.put_off == "")
    return connection.execute(taken.order_by(_entry.c.id)).all()


def newest_put_off(connection: Connection, count: int) -> Sequence[Any]:
    """(at, work, put_off) of what was not begun, newest first."""
    kept = select(_entry.c.at, _entry.c.work, _entry.c.put_off).where(_entry.c.put_off != "")
    return connection.execute(kept.order_by(_entry.c.id.desc()).limit(count)).all()


def delete_before(connection: Connection, at: datetime) -> None:
    connection.execute(delete(_entry).where(_entry.c.at < at))
