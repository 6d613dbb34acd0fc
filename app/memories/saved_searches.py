"""Searches that a person keeps under a name: the words, the filters that were clicked, order and groups.

Each is one rule of the kind "memory.search": its name in `pattern`, the rest in `data`; journalled as every act, so that it can
be undone. What the words mean is the search's. Source: UX 4.4 "saved searches".
"""

from collections.abc import Mapping

from sqlalchemy import Connection

from app.errors import InvalidError, NotFoundError
from app.store.journal import Record, Write
from app.store.table_queries import rows_with
from app.store.tables.core import RuleRow
from app.understanding.message_rows import AnyRow
from app.values import SavedSearch

SEARCH_RULE = "memory.search"
NAME_CHARS, TEXT_CHARS = 60, 500
CHOICES_MAX = 100
SEARCHES_MAX = 200


def list_searches(connection: Connection) -> tuple[SavedSearch, ...]:
    """By name."""
    rows = rows_with(connection, RuleRow, kind=SEARCH_RULE)
    return tuple(
        sorted(
            (_search_of(row.id, row.pattern, row.data) for row in rows), key=lambda one: (one.name.casefold(), one.id)
        )
    )


def _search_of(search_id: int, name: str, data: Record) -> SavedSearch:
    return SavedSearch(
        id=search_id,
        name=name,
        text=str(data.get("text", "")),
        choices=tuple((str(facet), str(value)) for facet, value in data.get("choices", ())),
        sort=str(data.get("sort", "")),
        group=str(data.get("group", "")),
        is_inbox=bool(data.get("is_inbox", False)),
    )


def save_search(write: Write, search: SavedSearch) -> int:
    """Keeps a search under its name, in place of the one that has this name; returns its number."""
    name = _checked_name(search.name)
    _check_size(search)
    write.label = f"Saved the search “{name}”"
    known = _numbers_by_name(write)
    if name.casefold() in known:
        write.update(RuleRow, known[name.casefold()], {"pattern": name, "data": _data(search)})
        return known[name.casefold()]
    _check_room(known)
    columns = {"kind": SEARCH_RULE, "pattern": name, "confidence": 1.0, "learned_from": 1, "created_at": write.at}
    return write.insert(RuleRow, columns | {"data": _data(search)})


def take_search(write: Write, record: Record) -> bool:
    """Adds the row of a search that a file holds; not when its name is known. Raises InvalidError for one that cannot be."""
    name, data = _checked_name(record["pattern"]), record["data"]
    choices = data.get("choices")
    is_search = isinstance(choices, list) and all(
        isinstance(one, list) and [type(part) for part in one] == [str, str] for one in choices
    )
    if not is_search or name != record["pattern"]:
        raise InvalidError("This is not a saved search.", hint="Save it again.")
    search = _search_of(0, name, data)
    _check_size(search)
    known = _numbers_by_name(write)
    if name.casefold() in known:
        return False
    _check_room(known)
    write.insert(RuleRow, record | {"data": _data(search)})
    return True


def rename_search(write: Write, search_id: int, name: str) -> None:
    row = _row(write, search_id)
    wanted = _checked_name(name)
    if _numbers_by_name(write).get(wanted.casefold(), search_id) != search_id:
        raise InvalidError(f"There is a search “{wanted}” already.", hint="Choose another name.")
    write.update(RuleRow, search_id, {"pattern": wanted})
    write.label = f"Renamed the search “{row.pattern}” to “{wanted}”"


def remove_search(write: Write, search_id: int) -> None:
    row = _row(write, search_id)
    write.delete(RuleRow, search_id)
    write.label = f"Removed the search “{row.pattern}”"


def _checked_name(typed_name: str) -> str:
    name = " ".join(typed_name.split())[:NAME_CHARS]
    if not name:
        raise InvalidError("A saved search needs a name.", hint="Type a word that says what it finds.")
    return name


def _check_size(search: SavedSearch) -> None:
    if len(search.text) > TEXT_CHARS or len(search.choices) > CHOICES_MAX:
        raise InvalidError("This search is too long to be kept.", hint="Take some filters out.")


def _check_room(known: Mapping[str, int]) -> None:
    if len(known) >= SEARCHES_MAX:
        raise InvalidError(f"There are {SEARCHES_MAX} saved searches already.", hint="Remove one that is not used.")


def _numbers_by_name(write: Write) -> dict[str, int]:
    """Names as they are compared: however they are written, there is one of each."""
    return {one.name.casefold(): one.id for one in list_searches(write.connection)}


def _row(write: Write, search_id: int) -> AnyRow:
    rows = rows_with(write.connection, RuleRow, id=search_id, kind=SEARCH_RULE)
    if not rows:
        raise NotFoundError(f"There is no saved search number {search_id}.", hint="It may have been removed.")
    return rows[0]


def _data(search: SavedSearch) -> Record:
    return {
        "text": search.text,
        "choices": [list(choice) for choice in search.choices],
        "sort": search.sort,
        "group": search.group,
        "is_inbox": search.is_inbox,
    }
