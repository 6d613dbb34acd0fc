"""Settings in the store: only so that a change of one is journalled and can be undone; what holds is in the person's file."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from app.store.journal import Write, table_of
from app.store.tables.core import SettingRow

_setting = table_of(SettingRow)


def load_values(connection: Connection, ids: Iterable[int]) -> list[tuple[str, object]]:
    """Name and value of each."""
    found = connection.execute(select(_setting.c.name, _setting.c.value).where(_setting.c.id.in_(list(ids)))).all()
    return [(row.name, row.value) for row in found]


def save_value(write: Write, name: str, value: object, before: object) -> None:
    """`before`: what the file says now. It may have been edited by hand since; undo goes back to that."""
    setting_id = write.connection.execute(select(_setting.c.id).where(_setting.c.name == name)).scalar()
    if setting_id is None:
        setting_id = write.ids.take("setting")
        write.connection.execute(_setting.insert(), {"id": setting_id, "name": name, "value": before})
    else:
        write.connection.execute(_setting.update().where(_setting.c.id == setting_id).values(value=before))
    write.update(SettingRow, setting_id, {"value": value})
