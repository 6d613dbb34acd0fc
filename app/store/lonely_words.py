"""What only the erased texts said, found and taken out wherever it was worked out of them, shortened, or worded anew by a model.

A title, a summary, a statement, a name that a reference weighed, a label's preview, a file in a citation: none of them holds an erased
text whole, each may hold a word of it. A word is lonely when no message that is left and no memory in a person's or the rules' own
words says it. What a person wrote stays. Costs the undo of what is touched, never a row of the person's. Source: QUALITY S10.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, or_, select, update

from app.store.context_tables import CitationRow, ReceiptItemRow, ReceiptRow
from app.store.journal import Write, table_of
from app.store.judge_tables import JudgeReadingRow
from app.store.memory_tables import MemoryRow, MemorySourceRow, MemoryVersionRow
from app.store.slices import slices
from app.store.tables import ChangeRow, ConversationRow, MessageRow, OperationRow, ReferenceRow, StreamRow
from app.values import DataKind

ERASED = "erased since"
_LEAST_CHARS = 4
_WORD = re.compile(r"[^\W_]+")
_OWN_WORDS = ("person", "rules")  # `worded_by` of what no model worded
# Whose images in the journal are worked out of texts: they go whole when they say such a word.
_WORKED_OUT = frozenset({"reference", "mention", "entity", "link", "tool_use", "chunk"})
# Columns of images whose row may stay, as they may be kept.
BLANKS: dict[str, dict[str, Any]] = {
    "message": {"boundary_reason": ERASED, "boundary_factors": [], "expanded_text": None},
    "conversation": {
        "title": "", "auto_title": "", "summary": None, "summary_by": None, "distilled": None, "outcome_reason": "",
        "topics": [], "files": [],
    },
    "memory_source": {"conversation_title": ""},
    "stream": {"git_branch": ""},
}  # fmt: skip
_change, _operation, _memory, _source, _version, _reading = (
    table_of(row) for row in (ChangeRow, OperationRow, MemoryRow, MemorySourceRow, MemoryVersionRow, JudgeReadingRow)
)
_message, _conversation, _reference, _stream, _citation = (
    table_of(row) for row in (MessageRow, ConversationRow, ReferenceRow, StreamRow, CitationRow)
)

Place = tuple[int, int]  # project and app


def split_words(text: str) -> set[str]:
    """Its words of four letters and more, in lower case.

    >>> sorted(split_words("Use src/tax_rate.py, v10"))
    ['rate']
    """
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= _LEAST_CHARS}


def find_lonely(connection: Connection, texts: Iterable[str]) -> frozenset[str]:
    """Words of these texts, which are erased by now, that nothing says any more."""
    lonely = {word for text in texts for word in split_words(text)}
    own = _memory.c.worded_by.in_(_OWN_WORDS)
    quotes = select(_source.c.quote).join(_memory, _memory.c.id == _source.c.memory_id)
    for statement in (
        select(_message.c.text),
        select(_memory.c.full).where(own, _memory.c.kind != "episode"),
        select(_memory.c.title).where(own, _memory.c.kind != "episode"),
        quotes.where(_source.c.message_id.is_not(None)),
    ):
        for text in connection.execute(statement).scalars():
            if not lonely:
                return frozenset()
            lonely -= split_words(text)
    return frozenset(lonely)


def places_of(connection: Connection, message_ids: Sequence[int], conversation_ids: Iterable[int]) -> set[Place]:
    """Where these were: what a model worded there may hold their words."""
    found: set[Place] = set()
    for ids in slices(sorted(conversation_ids)):
        talks = select(_stream.c.project_id, _stream.c.app_id).join(_conversation)
        found |= {(row.project_id, row.app_id) for row in connection.execute(talks.where(_conversation.c.id.in_(ids)))}
    for ids in slices(message_ids):
        said = select(_stream.c.project_id, _stream.c.app_id).join(_message, _message.c.stream_id == _stream.c.id)
        found |= {(row.project_id, row.app_id) for row in connection.execute(said.where(_message.c.id.in_(ids)))}
    return found


def find_worded(connection: Connection, lonely: frozenset[str], places: set[Place]) -> tuple[int, ...]:
    """Memories of these places that a model worded with such a word, though their own quotes do not have it.

    A judge and an assistant read several messages before they word what one of them says.
    """
    if not lonely or not places:
        return ()
    found: list[int] = []
    for row in connection.execute(select(_memory).where(_worded())).all():
        is_there = any(row.app_id in (None, app) and row.project_id in (None, project) for project, app in places)
        said = "\n".join(leaves(dict(row._mapping)))
        if is_there and not lonely.isdisjoint(split_words(said)):
            found.append(int(row.id))
    return tuple(found)


def _sweep_versions(connection: Connection, lonely: frozenset[str]) -> set[int]:
    """Earlier wordings of a model, in the history of memories that stay and in the journal."""
    operations: set[int] = set()
    worded = set(connection.execute(select(_memory.c.id).where(_worded())).scalars())
    for row in connection.execute(select(_version)).all():
        if (row.memory_id in worded or _is_worded(row.state)) and _says(row.state, lonely):
            operations |= _forget(connection, _version, row.id)
            connection.execute(delete(_version).where(_version.c.id == row.id))
    images = select(_change).where(
        _change.c.table_name.in_([_memory.name, _version.name]), _change.c.before.is_not(None)
    )
    for row in connection.execute(images).all():
        state = row.before.get("state") or row.before
        if (row.row_id in worded or _is_worded(state)) and _says([row.before, row.after], lonely):
            operations.add(int(row.operation_id))
            connection.execute(delete(_change).where(_change.c.seq == row.seq))
    return operations


def _worded() -> ColumnElement[bool]:
    return or_(_memory.c.worded_by.not_in(_OWN_WORDS), _memory.c.kind == "episode", _memory.c.trust == 0)


def _is_worded(state: Mapping[str, Any]) -> bool:
    return (
        state.get("worded_by", "person") not in _OWN_WORDS or state.get("kind") == "episode" or state.get("trust") == 0
    )


def read_again(connection: Connection, memory_ids: Sequence[int]) -> None:
    """The prompts that these were made of count as unread: what holds of them is worded anew from what is left."""
    for ids in slices(memory_ids):
        said = select(_source.c.message_id).where(_source.c.memory_id.in_(ids), _source.c.message_id.is_not(None))
        connection.execute(delete(_reading).where(_reading.c.message_id.in_(said)))


def sweep_lonely(write: Write, lonely: frozenset[str]) -> set[int]:
    """Takes these words out of what was worked out; returns the operations that lost an image or whose label says one."""
    if not lonely:
        return set()
    connection = write.connection
    operations = _sweep_images(connection, lonely)
    operations |= _sweep_versions(connection, lonely)
    operations |= _sweep_rows(write, lonely)
    _sweep_told(connection, lonely)
    labels = connection.execute(select(_operation.c.id, _operation.c.label)).all()
    return operations | {int(row.id) for row in labels if not lonely.isdisjoint(split_words(row.label))}


def blank_images(connection: Connection, table: str, row_ids: Iterable[int]) -> set[int]:
    """Empties what was worked out in all images of these rows, which stay; returns the operations."""
    operations: set[int] = set()
    for ids in slices(sorted(row_ids)):
        for row in connection.execute(
            select(_change).where(_change.c.table_name == table, _change.c.row_id.in_(ids))
        ).all():
            operations |= _blank(connection, row, frozenset())
    return operations


# where it may stand ----------------------------------------------------------------------------------------


def _sweep_images(connection: Connection, lonely: frozenset[str]) -> set[int]:
    operations: set[int] = set()
    gone: list[int] = []
    kept = or_(_change.c.before.is_not(None), _change.c.after.is_not(None))
    of_these = _change.c.table_name.in_([*_WORKED_OUT, *BLANKS])
    for row in connection.execute(select(_change).where(kept, of_these)).all():
        if row.table_name in BLANKS:
            operations |= _blank(connection, row, lonely)
        elif _says([row.before, row.after], lonely):
            gone.append(row.seq)
            operations.add(row.operation_id)
    for seqs in slices(gone):
        connection.execute(delete(_change).where(_change.c.seq.in_(seqs)))
    return operations


def _blank(connection: Connection, row: Any, lonely: frozenset[str]) -> set[int]:
    """Takes columns that say such a word out of an image, any that say something without `lonely`.

    Of an update they leave both images, so that its undo lets them be; of a row that went they are emptied, so that it can come back.
    """
    blanks = BLANKS[row.table_name]
    images = [image or {} for image in (row.before, row.after)]
    is_edited = images[0].get("is_title_edited") or images[1].get("is_title_edited")
    said = {
        name
        for name, blank in blanks.items()
        if any(image.get(name) not in (None, blank) for image in images)
        and (_says([image.get(name) for image in images], lonely) if lonely else not (name == "title" and is_edited))
    }
    if not said:
        return set()
    if row.action == "update":
        images = [{name: value for name, value in image.items() if name not in said} for image in images]
        if not images[0]:
            connection.execute(delete(_change).where(_change.c.seq == row.seq))
            return {int(row.operation_id)}
    else:
        images = [image and {**image, **{name: blanks[name] for name in said}} for image in images]
    values = {"before": images[0] or None, "after": images[1] or None}
    connection.execute(update(_change).where(_change.c.seq == row.seq).values(values))
    return {int(row.operation_id)}


def _sweep_rows(write: Write, lonely: frozenset[str]) -> set[int]:
    """Titles, summaries and readings of what stays."""
    connection = write.connection
    operations: set[int] = set()
    is_told = or_(_conversation.c.title != "", _conversation.c.summary.is_not(None), _conversation.c.auto_title != "")
    for row in connection.execute(select(_conversation).where(is_told)).all():
        blanks = {name: value for name, value in BLANKS["conversation"].items() if _says(row._mapping[name], lonely)}
        if row.is_title_edited:  # in the person's own words
            blanks.pop("title", None)
        if "summary" in blanks:
            blanks["summary_by"] = None
        if blanks:
            _set(connection, _conversation, row.id, blanks)
            write.touched_conversations.add(int(row.id))
            write.touched.setdefault(DataKind.CONVERSATIONS, set()).add(int(row.id))
    for stream in connection.execute(
        select(_stream.c.id, _stream.c.git_branch).where(_stream.c.git_branch != "")
    ).all():
        if _says(stream.git_branch, lonely):
            _set(connection, _stream, stream.id, {"git_branch": ""})
    for source in connection.execute(
        select(_source.c.id, _source.c.conversation_title).where(_source.c.conversation_title != "")
    ).all():
        if _says(source.conversation_title, lonely):
            _set(connection, _source, source.id, {"conversation_title": ""})
    for row in connection.execute(select(_reference)).all():
        left = [one for one in row.candidates if not _says(one, lonely)]
        values: dict[str, Any] = {} if len(left) == len(row.candidates) else {"candidates": left}
        if _says([row.antecedent, row.reason], lonely):
            values |= {"antecedent": None, "state": "unresolved", "reason": ERASED, "antecedent_message_id": None}
        if values:
            operations |= _forget(connection, _reference, row.id)
            _set(connection, _reference, row.id, values)
    columns = [_message.c[name] for name in ("id", *BLANKS["message"])]
    for row in connection.execute(select(*columns)).all():
        values = {name: value for name, value in BLANKS["message"].items() if _says(row._mapping[name], lonely)}
        if values:
            operations |= _forget(connection, _message, row.id)
            _set(connection, _message, row.id, values)
    return operations


def _sweep_told(connection: Connection, lonely: frozenset[str]) -> None:
    """Receipts and citations of what was told elsewhere: a log, its figures stay."""
    for row_type, blanks in (
        (CitationRow, {"detail": ""}),
        (ReceiptRow, {"text": "", "signals": {}, "left_out": [], "warnings": []}),
        (ReceiptItemRow, {"text": "", "signals": [], "title": "", "reason": ERASED}),
    ):
        table = table_of(row_type)
        columns = [table.c[name] for name in ("id", *blanks)]
        for row in connection.execute(select(*columns)).all():
            if _says([row._mapping[name] for name in blanks], lonely):
                _set(connection, table, row.id, blanks)


def _forget(connection: Connection, table: Table, row_id: int) -> set[int]:
    about: ColumnElement[bool] = (_change.c.table_name == table.name) & (_change.c.row_id == row_id)
    found = set(connection.execute(select(_change.c.operation_id).where(about)).scalars())
    connection.execute(delete(_change).where(about))
    return found


def _set(connection: Connection, table: Table, row_id: int, values: Mapping[str, Any]) -> None:
    connection.execute(update(table).where(table.c.id == row_id).values(dict(values)))


def _says(value: Any, lonely: frozenset[str]) -> bool:
    return any(not lonely.isdisjoint(split_words(text)) for text in leaves(value))


def leaves(value: Any) -> Iterator[str]:
    """Every text in a column, also inside JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from leaves(one)
