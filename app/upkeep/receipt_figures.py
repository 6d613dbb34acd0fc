"""What was handed out, summed up from the receipts that are kept: by day, kind, project and app.

Reads only; days are those of this computer's time zone. Source: issue 4 "tokens by kind, project and day".
"""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, case, func, select

from app.assistant_instructions import LINE_TITLE
from app.store.journal import table_of
from app.store.tables.context import ReceiptItemRow, ReceiptRow
from app.store.tables.core import ProjectRow
from app.store.tables.memory import MemoryRow
from app.values import ContextFigures

_PROJECTS_READ = 200
ASKING = "asking to remember"

_receipt, _item = table_of(ReceiptRow), table_of(ReceiptItemRow)
_memory, _project = table_of(MemoryRow), table_of(ProjectRow)


def load_figures(
    connection: Connection, now: datetime, *, days: int, app: str = "", project: str = ""
) -> ContextFigures:
    """The figures of the last `days` local days, today included. `project` is a path or a name."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=days - 1)
    conditions = _conditions(since, app, project)
    given = (
        select(_receipt.c.at, _receipt.c.app, _receipt.c.token_count, _project.c.name)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(*conditions)
    )
    by_day: Counter[Any] = Counter()
    by_app: Counter[str] = Counter()
    by_project: Counter[str] = Counter()
    today_count = receipt_count = 0
    for at, name, token_count, project_name in connection.execute(given):
        day = at.astimezone().date()
        by_day[day] += token_count
        by_app[name] += token_count
        by_project[project_name or ""] += token_count
        receipt_count += 1
        today_count += day == midnight.date()
    dates = [since.date() + timedelta(days=number) for number in range(days)]
    return ContextFigures(
        by_day=tuple((day, by_day[day]) for day in dates),
        by_kind=_by_kind(connection, conditions),
        by_project=_most_first(by_project),
        by_app=_most_first(by_app),
        today_tokens=by_day[midnight.date()],
        today_count=today_count,
        token_count=sum(by_day.values()),
        receipt_count=receipt_count,
        **_asked(connection, conditions),
    )


def load_given_today(connection: Connection, now: datetime) -> tuple[int, int]:
    """Tokens handed out since midnight, and in how many contexts."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    statement = select(func.coalesce(func.sum(_receipt.c.token_count), 0), func.count()).where(
        _receipt.c.at >= midnight, _receipt.c.is_delivered
    )
    tokens, count = connection.execute(statement).one()
    return int(tokens), int(count)


def load_places(connection: Connection) -> tuple[tuple[str, str], ...]:
    """Name and path of projects, the newest first."""
    statement = select(_project.c.name, _project.c.path).order_by(_project.c.id.desc()).limit(_PROJECTS_READ)
    return tuple((str(name), str(path)) for name, path in connection.execute(statement))


def _conditions(since: datetime, app: str, project: str) -> list[Any]:
    found: list[Any] = [_receipt.c.at >= since, _receipt.c.is_delivered]
    if app:
        found.append(_receipt.c.app == app)
    if project:
        found.append((_project.c.path == project) | (_project.c.name == project))
    return found


def _asked(connection: Connection, conditions: list[Any]) -> dict[str, int]:
    """How often an assistant was asked to remember, and the tokens of that."""
    statement = (
        select(func.count(), func.coalesce(func.sum(_item.c.token_count), 0))
        .select_from(_item)
        .join(_receipt, _receipt.c.id == _item.c.receipt_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(_item.c.memory_id == 0, _item.c.title == LINE_TITLE, *conditions)
    )
    count, tokens = connection.execute(statement).one()
    return {"asked_count": int(count), "asked_tokens": int(tokens)}


def _by_kind(connection: Connection, conditions: list[Any]) -> tuple[tuple[str, int], ...]:
    """Tokens by what the memories are; the type says more than the kind where there is one."""
    is_asking = and_(_item.c.memory_id == 0, _item.c.title == LINE_TITLE)
    kind = case((is_asking, ASKING), else_=_memory.c.kind)
    statement = (
        select(kind, _memory.c.type, func.sum(_item.c.token_count))
        .select_from(_item)
        .join(_receipt, _receipt.c.id == _item.c.receipt_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .outerjoin(_memory, _memory.c.id == _item.c.memory_id)
        .where(*conditions)
        .group_by(kind, _memory.c.type)
    )
    counts: Counter[str] = Counter()
    for kind, fact_type, tokens in connection.execute(statement):
        counts[fact_type if kind == "fact" and fact_type else kind or ""] += int(tokens)
    return _most_first(counts)


def _most_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
