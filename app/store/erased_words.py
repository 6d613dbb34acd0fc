"""What only the erased texts said, found and taken out wherever it was worked out of them, shortened, or worded again by a model.

A title, a summary, a statement, a name that a reference weighed, a label's preview, a file in a citation: none of them holds an erased
text whole, each may hold a word of it. A word is lonely when no message that is left and no memory in a person's or the rules' own
words says it. It is looked for only where it can have come from there: what was read together with the erased messages, or written after
them in the same place. What a person wrote stays. Costs the undo of what is touched, never a row of the person's. Source: QUALITY S10.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, or_, select, update

from app.store.chunked_parameters import slices
from app.store.journal import Write, table_of
from app.store.tables.context import CitationRow, ReceiptItemRow, ReceiptRow
from app.store.tables.core import (
    ChangeRow,
    ConversationRow,
    LearnedRuleRow,
    MessageRow,
    OperationRow,
    PairCheckRow,
    ReferenceRow,
    StreamRow,
)
from app.store.tables.judge import JudgeReadingRow, JudgeResultRow
from app.store.tables.memory import ContradictionRow, MemoryRow, MemorySourceRow, MemoryVersionRow
from app.values import DataKind

ERASED = "erased since"
NO_TITLE = "(title erased)"  # of a conversation whose text has left: none can be made again
NO_REASON = "the two cannot both hold"
_LEAST_CHARS = 4
_WORD = re.compile(r"[^\W_]+")
_OWN_WORDS = ("person", "rules")  # `worded_by` of what no model worded
# Whose images in the journal are worked out of texts: they go whole when they say such a word.
_WORKED_OUT = frozenset({"reference", "mention", "entity", "link", "tool_use", "chunk", "learned_rule"})
# Columns of images whose row may stay, as they may be kept.
BLANKS: dict[str, dict[str, Any]] = {
    "message": {"boundary_reason": ERASED, "boundary_factors": [], "expanded_text": None},
    "conversation": {
        "title": "", "auto_title": "", "summary": None, "summary_by": None, "distilled": None, "outcome_reason": "",
        "topics": [], "files": [],
    },
    "memory_source": {"conversation_title": ""},
    "stream": {"git_branch": ""},
    "contradiction": {"reason": NO_REASON},
}  # fmt: skip
_change, _operation, _memory, _source, _version = (
    table_of(row) for row in (ChangeRow, OperationRow, MemoryRow, MemorySourceRow, MemoryVersionRow)
)
_learned = table_of(LearnedRuleRow)
_check, _contradiction = table_of(PairCheckRow), table_of(ContradictionRow)
_reading, _result = table_of(JudgeReadingRow), table_of(JudgeResultRow)
_message, _conversation, _reference, _stream = (
    table_of(row) for row in (MessageRow, ConversationRow, ReferenceRow, StreamRow)
)

_LAST_PROMPTS = 25  # an assistant's report may use names of that many, a judge's request holds no more


@dataclass(slots=True)
class Ties:
    """What may hold words of messages that are about to go, by number. Found out before they go."""

    memories: set[int] = field(default_factory=set)  # worded by a model that read them
    conversations: set[int] = field(default_factory=set)  # which it is about
    projects: set[int] = field(default_factory=set)
    since: datetime | None = None  # nothing that is older can hold them


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


def find_ties(
    connection: Connection,
    message_ids: Sequence[int],
    session_ids: set[int],
    stream_ids: Iterable[int],
    since: datetime | None,
) -> Ties:
    """What was worded by who read these messages: judges, and assistants that reported what was said or wanted it remembered.

    `session_ids`: the streams that they are in; `stream_ids`: with others of the same places.
    """
    ties = Ties(since=since)
    read: set[int] = set()
    for ids in slices(message_ids):
        read |= set(connection.execute(select(_reading.c.request_id).where(_reading.c.message_id.in_(ids))).scalars())
    for ids in slices(sorted(read)):
        for row in connection.execute(select(_result).where(_result.c.request_id.in_(ids))).all():
            ties.memories |= set(row.remembered_ids)
            ties.conversations |= set(row.conversation_ids)
    for ids in slices(sorted(stream_ids)):
        places = connection.execute(
            select(_stream.c.project_id, _stream.c.app_id).where(_stream.c.id.in_(ids)).distinct()
        )
        for place in places.all():
            ties.projects.add(int(place.project_id))
            ties.memories |= _reported_in(connection, place, set(message_ids), since)
    for ids in slices(sorted(session_ids)):  # an assistant titles and sums up its session
        own = select(_conversation.c.id).where(_conversation.c.stream_id.in_(ids))
        ties.conversations |= set(connection.execute(own).scalars())
    for ids in slices(sorted(ties.conversations)):
        episode_ids = select(_source.c.memory_id).join(_memory, _memory.c.id == _source.c.memory_id)
        episode_ids = episode_ids.where(_memory.c.kind == "episode", _source.c.conversation_id.in_(ids))
        ties.memories |= set(connection.execute(episode_ids).scalars())
    return ties


def _reported_in(connection: Connection, place: Any, message_ids: set[int], since: datetime | None) -> set[int]:
    """What an assistant of this place proposed since, and what it reported with one of these among the prompts that it had seen."""
    here = (_memory.c.app_id == place.app_id) & _memory.c.project_id.is_not_distinct_from(place.project_id)
    proposed = select(_memory.c.id).where(here, _memory.c.trust == 0, _memory.c.kind == "fact")
    found = set(
        connection.execute(proposed if since is None else proposed.where(_memory.c.recorded_at >= since)).scalars()
    )
    found |= _taken_back_in(connection, place)
    said = select(_message.c.id).join(_stream, _stream.c.id == _message.c.stream_id)
    said = said.where(_stream.c.project_id == place.project_id, _stream.c.app_id == place.app_id)
    numbers = sorted({*connection.execute(said).scalars(), *message_ids})
    reported = select(_memory.c.id, _source.c.message_id).join(_source, _source.c.memory_id == _memory.c.id)
    reported = reported.where(here, _memory.c.worded_by.not_in(_OWN_WORDS), _source.c.message_id.is_not(None))
    for row in connection.execute(reported).all():
        end = bisect_right(numbers, row.message_id)
        if not message_ids.isdisjoint(numbers[max(0, end - _LAST_PROMPTS) : end]):
            found.add(int(row.id))
    return found


def _taken_back_in(connection: Connection, place: Any) -> set[int]:
    """What a model had worded in this place and an undo removed: only the journal has it."""
    image = {
        name: func.json_extract(_change.c.before, f"$.{name}")
        for name in ("project_id", "app_id", "worded_by", "trust")
    }
    gone = select(_change.c.row_id).where(
        _change.c.table_name == _memory.name,
        _change.c.action == "delete",
        image["project_id"].is_not_distinct_from(place.project_id),
        image["app_id"] == place.app_id,
        or_(image["worded_by"].not_in(_OWN_WORDS), image["trust"] == 0),
    )
    return set(connection.execute(gone).scalars())


def find_worded(connection: Connection, lonely: frozenset[str], ties: Ties) -> tuple[int, ...]:
    """Those of the tied memories that say such a word, though their own quotes do not have it."""
    found: list[int] = []
    for ids in slices(sorted(ties.memories) if lonely else []):
        rows = connection.execute(select(_memory).where(_memory.c.id.in_(ids), _is_worded())).all()
        found += [int(row.id) for row in rows if _says(dict(row._mapping), lonely)]
    return tuple(found)


def _is_worded() -> ColumnElement[bool]:
    return or_(_memory.c.worded_by.not_in(_OWN_WORDS), _memory.c.kind == "episode", _memory.c.trust == 0)


def read_again(connection: Connection, memory_ids: Sequence[int]) -> None:
    """The prompts that these were made of count as unread: what holds of them is worded again from what is left."""
    for ids in slices(memory_ids):
        said = select(_source.c.message_id).where(_source.c.memory_id.in_(ids), _source.c.message_id.is_not(None))
        connection.execute(delete(_reading).where(_reading.c.message_id.in_(said)))


def sweep_lonely(write: Write, lonely: frozenset[str], ties: Ties) -> set[int]:
    """Takes these words out of what was worked out; returns the operations that lost an image or whose label says one."""
    if not lonely:
        return set()
    connection = write.connection
    operations = _sweep_images(connection, lonely, ties)
    operations |= _sweep_versions(connection, lonely, ties)
    operations |= _sweep_references(connection, lonely)
    operations |= _sweep_rules(connection, lonely)
    operations |= sweep_verdicts(write, lonely)
    _sweep_titles(write, lonely, ties)
    _sweep_receipts_in(connection, lonely, ties)
    return operations | _find_labels(connection, lonely)


def _find_labels(connection: Connection, lonely: frozenset[str]) -> set[int]:
    """Operations whose label says such a word; that of a capture quotes its own message, and stays as long as that does."""
    columns = (_operation.c.id, _operation.c.label, _operation.c.undoes_id, _operation.c.message_id)
    rows = connection.execute(select(*columns).order_by(_operation.c.id)).all()
    own: set[int] = set()
    found: set[int] = set()
    for row in rows:
        if row.message_id is not None or row.undoes_id in own:
            own.add(int(row.id))
        elif _says(row.label, lonely):
            found.add(int(row.id))
    return found


def _sweep_versions(connection: Connection, lonely: frozenset[str], ties: Ties) -> set[int]:
    """Earlier wordings of a model, in the history of the tied memories and in the journal, also of some that went since."""
    operations: set[int] = set()
    for ids in slices(sorted(ties.memories)):
        for row in connection.execute(select(_version).where(_version.c.memory_id.in_(ids))).all():
            if _says(row.state, lonely):
                operations |= _forget(connection, _version, row.id)
                connection.execute(delete(_version).where(_version.c.id == row.id))
        of_version = func.json_extract(_change.c.before, "$.memory_id").in_(ids)
        about = or_(
            and_(_change.c.table_name == _memory.name, _change.c.row_id.in_(ids)),
            and_(_change.c.table_name.in_([_version.name, _source.name]), _change.c.before.is_not(None), of_version),
        )
        for row in connection.execute(select(_change).where(about)).all():
            if _says([row.before, row.after], lonely):
                operations.add(int(row.operation_id))
                connection.execute(delete(_change).where(_change.c.seq == row.seq))
                if row.action == "delete" and row.table_name == _memory.name:
                    operations |= _forget_parts(connection, int(row.row_id))
    return operations


def _forget_parts(connection: Connection, memory_id: int) -> set[int]:
    """What the journal has of a memory that came and went leaves as a whole: without it nobody could find the rest."""
    part = and_(_change.c.before.is_not(None), func.json_extract(_change.c.before, "$.memory_id") == memory_id)
    about = or_(and_(_change.c.table_name == _memory.name, _change.c.row_id == memory_id), part)
    found = set(connection.execute(select(_change.c.operation_id).where(about)).scalars())
    connection.execute(delete(_change).where(about))
    return found


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


def _sweep_images(connection: Connection, lonely: frozenset[str], ties: Ties) -> set[int]:
    untied = set(connection.execute(select(_conversation.c.id)).scalars()) - ties.conversations
    operations: set[int] = set()
    gone: list[int] = []
    kept = or_(_change.c.before.is_not(None), _change.c.after.is_not(None))
    of_these = _change.c.table_name.in_([*_WORKED_OUT, *BLANKS.keys() - {_contradiction.name}])
    for row in connection.execute(select(_change).where(kept, of_these)).all():
        if row.table_name == _conversation.name and row.row_id in untied:
            continue  # about its own messages only
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


def _sweep_titles(write: Write, lonely: frozenset[str], ties: Ties) -> None:
    """Titles and summaries of tied conversations that stay, and what is derived again of the others in the queue."""
    connection = write.connection
    can_say = or_(_conversation.c.state != "evicted", _conversation.c.id.in_(sorted(ties.conversations)))
    for row in connection.execute(select(_conversation).where(can_say)).all():
        blanks = {name: value for name, value in BLANKS["conversation"].items() if _says(row._mapping[name], lonely)}
        stays = set() if row.id in ties.conversations else {"title", "summary", "summary_by", "distilled"}
        for name in stays | (
            {"title"} if row.is_title_edited else set()
        ):  # about it alone, or in the person's own words
            blanks.pop(name, None)
        if not blanks:
            continue
        if "title" in blanks and row.state == "evicted":
            blanks["title"] = NO_TITLE
        if "summary" in blanks:
            blanks["summary_by"] = None
        _set(connection, _conversation, row.id, blanks)
        write.touched_conversations.add(int(row.id))
        write.touched.setdefault(DataKind.CONVERSATIONS, set()).add(int(row.id))
        own = and_(_source.c.conversation_id == row.id, _source.c.conversation_title != "")
        for source in connection.execute(select(_source.c.id, _source.c.conversation_title).where(own)).all():
            if _says(source.conversation_title, lonely):
                _set(connection, _source, source.id, {"conversation_title": ""})


def has_verdicts(connection: Connection) -> bool:
    """Whether a model has ever worded why two memories contradict each other."""
    explained = select(_check.c.id).where(or_(_check.c.why != "", _check.c.merged != "")).limit(1)
    judged = select(_contradiction.c.id).where(_contradiction.c.judged_by != "rules").limit(1)
    return any(connection.execute(one).first() is not None for one in (explained, judged))


def sweep_verdicts(write: Write, lonely: frozenset[str]) -> set[int]:
    """Why a judge says that two memories that stay contradict each other: it was shown others beside them, and may name theirs."""
    connection = write.connection
    worded_pairs = select(_check.c.id, _check.c.why, _check.c.merged).where(
        or_(_check.c.why != "", _check.c.merged != "")
    )
    for check in connection.execute(worded_pairs).all():
        if _says([check.why, check.merged], lonely):
            _set(connection, _check, check.id, {"why": "", "merged": ""})
    operations: set[int] = set()
    worded = select(_contradiction.c.id, _contradiction.c.reason).where(_contradiction.c.judged_by != "rules")
    for row in connection.execute(worded).all():
        if _says(row.reason, lonely):
            _set(connection, _contradiction, row.id, BLANKS["contradiction"])
            write.touched.setdefault(DataKind.CONTRADICTIONS, set()).add(int(row.id))
    about = select(_change).where(_change.c.table_name == _contradiction.name)
    for row in connection.execute(about).all():
        operations |= _blank(connection, row, lonely)
    return operations


def _sweep_rules(connection: Connection, lonely: frozenset[str]) -> set[int]:
    """Learned rules whose files, commands or errors say such a word."""
    operations: set[int] = set()
    for row in connection.execute(select(_learned)).all():
        if _says([row.pattern, row.details], lonely):
            operations |= _forget(connection, _learned, row.id)
            connection.execute(delete(_learned).where(_learned.c.id == row.id))
    return operations


def _sweep_references(connection: Connection, lonely: frozenset[str]) -> set[int]:
    """How messages that stay were read: what their words point at, and why they are where they are."""
    operations: set[int] = set()
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


def _sweep_receipts_in(connection: Connection, lonely: frozenset[str], ties: Ties) -> None:
    """Receipts and citations of what was given in these projects since: a log, its figures stay."""
    receipt = table_of(ReceiptRow)
    receipt_ids = select(receipt.c.id).where(
        or_(receipt.c.project_id.is_(None), receipt.c.project_id.in_(sorted(ties.projects)))
    )
    receipt_ids = receipt_ids if ties.since is None else receipt_ids.where(receipt.c.at >= ties.since)
    for row_type, number, blanks in (
        (CitationRow, "receipt_id", {"detail": ""}),
        (ReceiptRow, "id", {"text": "", "signals": {}, "left_out": [], "warnings": []}),
        (ReceiptItemRow, "receipt_id", {"text": "", "signals": [], "title": "", "reason": ERASED}),
    ):
        table = table_of(row_type)
        columns = [table.c[name] for name in ("id", *blanks)]
        for row in connection.execute(select(*columns).where(table.c[number].in_(receipt_ids))).all():
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
