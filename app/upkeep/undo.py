"""Undo, redo and the list of operations, over the journal, each change in words: "Memory “Staging port”", "Status: active → archived".

Source: STYLE "Undo is the engine's journal", UX 4.8 "before and after".
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row

from app.actor import actor
from app.errors import ForbiddenError, InvalidError, NotFoundError, StaleError
from app.journal_rights import Act, Need, check_revert
from app.settings import Settings
from app.store import operations
from app.store.journal import Write
from app.store.revert import revert, revert_notes
from app.store.store import Store
from app.store.table_queries import rows_with
from app.store.tables.core import JOURNALLED
from app.store.tables.types import from_microseconds
from app.transfer.import_positions import forget_positions
from app.understanding.message_rows import AnyRow
from app.values import ChangeDetail, Operation, Origin
from app.values.fast_values import value_of

_CHARS = 200
_LINE_CHARS = 60  # of before and after together: more wraps in the window, and nobody finds the arrow
_NOUNS = {
    "app": "assistant", "learned_rule": "learned rule", "tool_use": "step of your assistant", "archived_prompt": "archived prompt",
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
_PAIRS: Mapping[str, Callable[[Row[Any]], list[tuple[str, int, str]]]] = {  # what is between two others
    "link": lambda row: [
        (row.from_kind, row.from_id, row.from_name or ""), (row.to_kind, row.to_id, row.to_name or "")
    ],
    "contradiction": lambda row: [("memory", row.memory_a_id, ""), ("memory", row.memory_b_id, "")],
}  # fmt: skip
_TABLE_OF = {"rule": "learned_rule"}  # of what a link joins, where the table has another name
_END_TABLES = ("memory", "entity", "conversation", "learned_rule", "app")
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
        _before_after(_capital(title), _say(column, was.get(column), names), _say(column, is_now.get(column), names))
        for column, title in wording.items()
        if column in is_now
    ]
    return "\n".join((_capital(about), *lines)) if lines else ""


def _before_after(title: str, before: str, after: str) -> str:
    """Two short values on one line, longer ones below each other."""
    if len(before) + len(after) <= _LINE_CHARS:
        return f"{title}: {before} → {after}"
    return f"{title} before: {before}\n{title} now: {after}"


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
        for found in rows_with(connection, JOURNALLED[table_name], id=wanted[table_name]):
            names[table_name, int(found.id)] = _name_of(table_name, dict(found._mapping))
            if table_name in _PAIRS:
                pairs[table_name, int(found.id)] = _PAIRS[table_name](found)
    for table_name in _END_TABLES:
        ends = {
            number for pair in pairs.values() for kind, number, _ in pair if _TABLE_OF.get(kind, kind) == table_name
        }
        for found in rows_with(connection, JOURNALLED[table_name], id=ends):
            names[table_name, int(found.id)] = _name_of(table_name, dict(found._mapping))
    for key, pair in pairs.items():
        said = (names.get((_TABLE_OF.get(kind, kind), number), name) for kind, number, name in pair)
        names[key] = "” and “".join(filter(None, said))
    return names


_QUERY_CHARS = 500
_FIRST_INSTANT = 10**14  # microseconds, 1973: a number above it is a time
HIDDEN_KIND = "hidden"  # of an operation that is not for whoever asks
_WHY_NOT = {
    "erase": "What was erased is gone for good.",
    "purge_secrets": "A secret that was taken out is gone for good.",
    "archive_expired": "What expired is gone for good.",
    "evicted": "It came with another entry: undo that one.",
    "connect": "It changed files of the assistant: disconnect it under Apps.",
    "disconnect": "It changed files of the assistant: connect it again under Apps.",
}
_UNDID, _DID_AGAIN = "Undone: ", "Redone: "
_UNDID_BEFORE = "Undid: "  # as it was called in journals until 2026-11


def list_operations(
    connection: Connection, *, limit: int, before_id: int | None = None, origin: Origin | None = None, query: str = ""
) -> tuple[Operation, ...]:
    """Newest first."""
    words = query.strip()[:_QUERY_CHARS]
    rows = operations.load_operations(connection, limit=limit, before_id=before_id, origin=origin, query=words)
    return tuple(operation_of(row) for row in rows)


def list_since(connection: Connection, seq: int, limit: int) -> tuple[Operation, ...]:
    """Oldest first, those after `seq`; what is not for whoever asks has its number and time only."""
    rows = operations.load_operations_after(connection, seq, limit)
    return tuple(operation_of(row) if row.is_open else _without_words(operation_of(row)) for row in rows)


def _without_words(operation: Operation) -> Operation:
    return replace(operation, kind=HIDDEN_KIND, label="", app="", conversation_id=None, message_id=None)


def operation_of(row: AnyRow) -> Operation:
    return value_of(
        Operation,
        row,
        origin=Origin(row.origin),
        label=row.label or row.kind.replace("_", " "),
        is_undone=row.undone_by_id is not None,
        is_undoable=row.is_undoable and row.undone_by_id is None,
        why_not=_why_not(row),
    )


def _why_not(row: AnyRow) -> str:
    if row.undone_by_id is not None:
        return "This was undone already."
    return "" if row.is_undoable else _WHY_NOT.get(row.kind, "What it changed can be changed again by hand.")


def list_changes(connection: Connection, operation_id: int) -> tuple[ChangeDetail, ...]:
    if actor() is not None and not operations.may_read(connection, operation_id):
        raise NotFoundError(f"There is no entry {operation_id} in Activity.", hint="Look at the list again.")
    rows = operations.load_changes(connection, operation_id)
    words = say_changes(connection, rows, is_person=actor() is None)
    return tuple(
        ChangeDetail(row.table_name, row.row_id, row.action, _for_people(row.before), _for_people(row.after), wording)
        for row, wording in zip(rows, words, strict=True)
    )


def redo_label(connection: Connection) -> str:
    """What redoing would do again; "" when there is nothing to redo."""
    row = operations.next_redo(connection)
    done = None if row is None else operations.load_operation(connection, row.undoes_id)
    return "" if done is None else str(done.label or "")


def undone_label(label: str) -> str:
    """What undoing an act is called; undoing an undo is doing it again.

    >>> undone_label("Pinned “x”"), undone_label("Undone: Pinned “x”"), undone_label("Redone: Pinned “x”")
    ('Undone: Pinned “x”', 'Redone: Pinned “x”', 'Undone: Pinned “x”')
    """
    for word in (_UNDID, _UNDID_BEFORE):
        if label.startswith(word):
            return f"{_DID_AGAIN}{label.removeprefix(word)}"
    return f"{_UNDID}{label.removeprefix(_DID_AGAIN)}"


def undo(store: Store, operation_id: int | None, origin: Origin = Origin.PERSON) -> Operation:
    """Undoes one operation (None: the person's last). Raises StaleError when later changes stand in the way."""
    with store.write(origin=origin, kind="undo", label="") as write:
        row = (
            operations.next_undo(write.connection)
            if operation_id is None
            else _operation(write.connection, operation_id)
        )
        if row is None:
            raise InvalidError(
                "There is nothing to undo.", hint="Activity shows what happened, and what can be undone."
            )
        _check_right(row)
        _check(row)
        _revert(write, row, undone_label(row.label))
        revert_notes(write, row.id)
        if row.kind == "import":
            forget_positions(write)
    return _written(store, write)


def redo(store: Store, origin: Origin = Origin.PERSON) -> Operation:
    with store.write(origin=origin, kind="redo", label="") as write:
        row = operations.next_redo(write.connection)
        if row is None:
            raise InvalidError("There is nothing to redo.", hint="Only what was undone last can be done again.")
        original = _operation(write.connection, row.undoes_id)
        _check_right(row)
        _check_right(original)
        _revert(write, row, f"{_DID_AGAIN}{original.label.removeprefix(_DID_AGAIN)}")
        # what was done again can be undone again: the original holds once more, and so does what came of it
        operations.stand_again(write.connection, row.id)
    return _written(store, write)


def _revert(write: Write, row: AnyRow, label: str) -> None:
    # a part that was taken back by itself is not taken back twice; one that only stands for the others changed nothing
    parts = operations.parts_not_undone(write.connection, row.id) if row.group_id == row.id else [row.id]
    for part in parts or [row.id]:
        _check_untouched(write, part)
        revert(write, part)
    write.label = label
    write.need = Need(row.need)
    write.undoes_id = row.id
    write.conversation_id, write.message_id = row.conversation_id, row.message_id


def _operation(connection: Connection, operation_id: int) -> AnyRow:
    row = operations.load_operation(connection, operation_id)
    if row is None:
        raise NotFoundError(
            f"Entry {operation_id} of Activity is no longer kept.", hint="Undo reaches back 30 days by default."
        )
    return row


def _act_of(row: AnyRow) -> Act:
    return Act(row.app, Need(row.need), row.origin == Origin.API.value)


def _check_right(row: AnyRow) -> None:
    """The one place where any door's undo and redo are allowed or not. Raises ForbiddenError, naming nothing of the entry."""
    check_revert(actor(), _act_of(row))


def _check_untouched(write: Write, operation_id: int) -> None:
    """A program takes back nothing that somebody else has changed since: it would take theirs along."""
    who = actor()
    if who is None or who.is_admin:
        return
    if operations.is_changed_by_others(write.connection, operation_id, who.app):
        raise ForbiddenError(
            "Somebody else has changed this since.", hint="Only the person can undo it now, in Activity."
        )


def _check(row: AnyRow) -> None:
    if row.undone_by_id is not None:
        raise StaleError("This was undone already.", hint="Redo brings it back.")
    if not row.is_undoable:
        raise InvalidError(f"“{row.label}” cannot be undone.", hint="What it changed can be changed again by hand.")


def _written(store: Store, write: Write) -> Operation:
    if write.operation_id is None:
        raise InvalidError("This changed nothing.", hint="It is as you wanted it already.")
    with store.read() as connection:
        return operation_of(_operation(connection, write.operation_id))


def _for_people(image: dict[str, Any] | None) -> str:
    return "\n".join(f"{_name_for_people(name)}: {_value_for_people(value)}" for name, value in (image or {}).items())


def _name_for_people(name: str) -> str:
    """The name of a column as words.

    >>> _name_for_people("antecedent_message_id"), _name_for_people("is_pinned")
    ('antecedent message', 'pinned')
    """
    return name.removesuffix("_id").removeprefix("is_").replace("_", " ").strip() or name


def _value_for_people(value: object) -> str:
    """
    >>> _value_for_people(True), _value_for_people(None), _value_for_people(1_767_225_600_000_000)
    ('yes', 'none', '2026-01-01 00:00 UTC')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value > _FIRST_INSTANT:
        return f"{from_microseconds(value):%Y-%m-%d %H:%M} UTC"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
