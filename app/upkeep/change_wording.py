"""What a change of the journal is in words: "Memory “Staging port”", "Status: active → archived".

Source: UX 4.8 "before and after".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from app.settings import Settings
from app.store.journal import table_of
from app.store.slices import slices
from app.store.tables.core import JOURNALLED
from app.store.tables.types import from_microseconds

_CHARS = 200
_NOUNS = {
    "app": "assistant", "learned_rule": "learned rule", "tool_use": "tool use", "archived_prompt": "archived prompt",
    "entity": "name", "artifact": "attachment", "setting": "setting", "graph_pin": "place in the graph",
}  # fmt: skip
_NAMED_BY = ("title", "auto_title", "name", "text", "pattern", "content", "reference", "mention", "command", "file")
_SAID: Mapping[str, Mapping[str, str]] = {
    "memory": {
        "title": "title", "full": "text", "type": "type", "subject": "about", "key": "property", "value": "value",
        "scope": "where", "tags": "tags", "category": "category", "importance": "importance",
        "confidence": "confidence", "trust": "trust", "status": "state", "is_pinned": "pinned", "visibility": "given",
        "valid_from": "true from", "valid_to": "true until", "given_level": "given as",
    },
    "conversation": {"title": "title", "state": "state", "outcome": "outcome", "summary": "summary"},
    "message": {
        "text": "text", "intents": "intents", "conversation_id": "conversation", "is_start": "starts a conversation",
        "boundary_reason": "because", "is_out_of_window": "left out of what “it” may mean",
    },
    "setting": {"value": "value"},
    "app": {"title": "name", "is_paused": "paused", "is_revoked": "disconnected"},
    "project": {"name": "name"},
    "rule": {"pattern": "words"},
    "learned_rule": {"pattern": "words", "is_on": "in use"},
    "note": {"content": "text"},
    "reference": {"antecedent": "stands for", "state": "state"},
    "contradiction": {"state": "state", "resolution": "answer"},
    "link": {"type": "kind"},
    "artifact": {"reference": "reference"},
    "archived_prompt": {"text": "text"},
    "tool_use": {"file": "file", "command": "command"},
    "graph_pin": {},
}  # fmt: skip
_PAIRS: Mapping[str, Callable[[Row[Any]], list[tuple[str, int, str]]]] = {  # what stands between two others
    "link": lambda row: [
        (row.from_kind, row.from_id, row.from_name or ""), (row.to_kind, row.to_id, row.to_name or "")
    ],
    "contradiction": lambda row: [("memory", row.memory_a_id, ""), ("memory", row.memory_b_id, "")],
}  # fmt: skip
_TRUST = ("an assistant wrote it", "heard", "you said it", "confirmed by you")


def say_changes(connection: Connection, rows: Sequence[Row[Any]], *, is_person: bool) -> list[str]:
    """One text per change, "" for rows that only belong to another one."""
    names = _names(connection, rows) if is_person else {}
    return [
        say_change(row.table_name, row.action, row.before, row.after, names, (row.table_name, int(row.row_id)))
        for row in rows
    ]


def say_change(
    table: str,
    action: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    names: Mapping[tuple[str, int], str],
    key: tuple[str, int],
) -> str:
    """One change: what it is about, and a line for each thing that was one way and is another now.

    >>> say_change("memory", "update", {"status": "active", "retired_at": None}, {"status": "archived", "retired_at": 1},
    ...     {("memory", 7): "Staging port"}, ("memory", 7)).splitlines()
    ['Memory “Staging port”', 'State: active → archived']
    >>> say_change("memory_version", "insert", None, None, {}, ("memory_version", 1))
    ''
    """
    wording = _SAID.get(table)
    if wording is None:
        return ""
    noun = _NOUNS.get(table, table.replace("_", " "))
    name = names.get(key) or _name_of(table, before or {})
    about = f"{noun} “{name}”" if name else noun
    if action == "insert":
        return f"New: {about}"
    if action == "delete":
        return f"Removed: {about}"
    was, is_now = before or {}, after or {}
    lines = [
        f"{_capital(title)}: {_say(column, was.get(column), names)} → {_say(column, is_now.get(column), names)}"
        for column, title in wording.items()
        if column in is_now
    ]
    return "\n".join((_capital(about), *lines)) if lines else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _say(column: str, value: object, names: Mapping[tuple[str, int], str]) -> str:
    if column == "conversation_id" and isinstance(value, int):
        return f"“{names[('conversation', value)]}”" if ("conversation", value) in names else f"number {value}"
    if column == "trust" and isinstance(value, int) and 0 <= value < len(_TRUST):
        return _TRUST[value]
    if column in ("confidence", "importance") and isinstance(value, float):
        return f"{value:.0%}"
    if isinstance(value, list):
        value = ", ".join(str(one[0]) if isinstance(one, list) and one else str(one) for one in value)
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value > _FIRST_INSTANT:
        return f"{from_microseconds(value):%Y-%m-%d %H:%M} UTC"
    return _short(str(value))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARS else f"{line[: _CHARS - 1]}…"


def _name_of(table: str, image: Mapping[str, Any]) -> str:
    if table == "setting":
        field = Settings.model_fields.get(str(image.get("name", "")))
        return str(field.title) if field is not None else ""
    return next((_short(str(image[column])) for column in _NAMED_BY if image.get(column)), "")


def _names(connection: Connection, rows: Sequence[Row[Any]]) -> dict[tuple[str, int], str]:
    """What the rows that are there are called, and the conversations that messages came from and went to."""
    wanted: dict[str, set[int]] = {}
    for row in rows:
        wanted.setdefault(row.table_name, set()).add(int(row.row_id))
        if row.table_name == "message":
            images = (row.before or {}, row.after or {})
            ids = {image["conversation_id"] for image in images if image.get("conversation_id")}
            wanted.setdefault("conversation", set()).update(ids)
    names: dict[tuple[str, int], str] = {}
    pairs: dict[tuple[str, int], list[tuple[str, int, str]]] = {}
    for table_name in sorted(wanted.keys() & _SAID.keys()):
        for found in _present(connection, table_name, wanted[table_name]):
            names[table_name, int(found.id)] = _name_of(table_name, dict(found._mapping))
            if table_name in _PAIRS:
                pairs[table_name, int(found.id)] = _PAIRS[table_name](found)
    ends = {number for pair in pairs.values() for kind, number, _ in pair if kind == "memory"}
    for found in _present(connection, "memory", ends):
        names["memory", int(found.id)] = _name_of("memory", dict(found._mapping))
    for key, pair in pairs.items():
        names[key] = "” and “".join(filter(None, (names.get((kind, number), name) for kind, number, name in pair)))
    return names


def _present(connection: Connection, table_name: str, ids: set[int]) -> Iterator[Row[Any]]:
    table = table_of(JOURNALLED[table_name])
    for some in slices(sorted(ids)):
        yield from connection.execute(select(table).where(table.c.id.in_(some))).all()


_FIRST_INSTANT = 10**14  # microseconds, 1973: a number above it is a time
