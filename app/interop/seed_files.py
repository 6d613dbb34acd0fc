"""Writes and reads `conversation-history.jsonl` and `conversation-context.jsonl`, one value per line.

The seeds' own fields come first and hold what they can; the key `remanence` beside them holds the rest (spans,
references, boundaries, confidences, ids), so that write and read give the same values. Files with the seeds' fields
only are read too.

Turns frozen values into plain JSON values and back by their type hints, without loss.

Source: S1, Conversation History; S2, Data Structure.
"""

import dataclasses
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from app.errors import InvalidError
from app.interop.prompts import parse_instant, str_of
from app.values import (
    BoundaryJudgement,
    Conversation,
    ConversationDetail,
    ConversationState,
    Entity,
    EntityKind,
    Intent,
    IntentScore,
    Message,
    Outcome,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
    TimelineEntry,
)

T = TypeVar("T")
Plain = Any  # what json.loads returns


def to_plain(value: object) -> Plain:
    """The value as JSON knows it: dataclasses as objects, tuples as lists, instants as ISO text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [to_plain(entry) for entry in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, StrEnum) else value


def from_plain(kind: type[T], plain: Plain) -> T:
    """The value of that type. Raises InvalidError when the plain value cannot be one.

    >>> from_plain(tuple[int, ...], [1, 2])
    (1, 2)
    """
    try:
        return cast(T, _read(kind, plain))
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidError(
            f"Not a {getattr(kind, '__name__', kind)}: {error}", hint="Write it as an export of ours does."
        ) from error


def _read(kind: Any, plain: Plain) -> object:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return None if plain is None else _read(next(arm for arm in get_args(kind) if arm is not type(None)), plain)
    if origin is tuple:
        return _read_tuple(get_args(kind), plain)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(cast(type, kind), plain)
    if kind is datetime:
        return datetime.fromisoformat(plain)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(plain)
    return _read_scalar(kind, plain)


def _read_tuple(arms: tuple[Any, ...], plain: Plain) -> tuple[object, ...]:
    if not isinstance(plain, list):
        raise TypeError("a list is needed")
    if len(arms) == 2 and arms[1] is Ellipsis:
        return tuple(_read(arms[0], entry) for entry in plain)
    return tuple(_read(arm, entry) for arm, entry in zip(arms, plain, strict=True))


def _read_dataclass(kind: type, plain: Plain) -> object:
    if not isinstance(plain, Mapping):
        raise TypeError("an object is needed")
    return kind(**{name: _read(hint, plain[name]) for name, hint in _fields(kind).items() if name in plain})


def _read_scalar(kind: Any, plain: Plain) -> object:
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if not isinstance(plain, kind) or (kind is int and isinstance(plain, bool)):
        raise TypeError(f"{kind.__name__} is needed, not {type(plain).__name__}")
    return plain


@cache
def _fields(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


HISTORY_NAME = "conversation-history.jsonl"
CONTEXT_NAME = "conversation-context.jsonl"
EXTRA = "remanence"
_TIMELESS = datetime(1970, 1, 1, tzinfo=UTC)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One line of the context file: the message and the session it was said in."""

    message: Message
    session: str = ""


def write_history(details: Iterable[ConversationDetail]) -> Iterator[bytes]:
    """One line of JSON per conversation."""
    for detail in details:
        yield _line(history_row(detail))


def read_history(lines: Iterable[bytes]) -> Iterator[ConversationDetail]:
    """The conversations of the lines. Raises InvalidError, naming the line, for one that is none."""
    for number, row in _rows(lines):
        try:
            yield read_detail(row, number)
        except InvalidError as error:
            raise _bad_line(HISTORY_NAME, number, str(error)) from error


def write_context(messages: Iterable[Message], sessions: Mapping[int, str] | None = None) -> Iterator[bytes]:
    """One line of JSON per message; `sessions` names the session of each conversation id."""
    for message in messages:
        yield _line(_context_row(message, (sessions or {}).get(message.conversation_id, "")))


def read_context(lines: Iterable[bytes]) -> Iterator[ContextEntry]:
    """The messages of the lines. Raises InvalidError, naming the line, for one that is none."""
    for number, row in _rows(lines):
        try:
            message = _read_message(row, number, "user_message", row.get("conversation_id"))
        except InvalidError as error:
            raise _bad_line(CONTEXT_NAME, number, str(error)) from error
        yield ContextEntry(message, str_of(row, "session_id"))


def _line(row: Row) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # lone surrogates have no UTF-8, but an escape
        return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
        except (ValueError, RecursionError) as error:
            raise _bad_line("the file", number, "it is not valid JSON") from error
        if not isinstance(row, dict):
            raise _bad_line("the file", number, "it is not a JSON object")
        yield number, row


def _bad_line(name: str, number: int, why: str) -> InvalidError:
    return InvalidError(
        f"Line {number} of {name} cannot be read: {why}.", hint="Correct or remove the line, then import again."
    )


def history_row(detail: ConversationDetail) -> Row:
    """One conversation as [S1] has it, with everything else under `remanence`."""
    conversation = detail.conversation
    extra = to_plain(conversation)
    for name in ("title", "started_at", "ended_at", "message_count", "files", "outcome"):
        del extra[name]
    names = dict.fromkeys(entity.text for message in detail.messages for entity in message.entities)
    return {
        "conversation_id": f"conv-{conversation.id:03d}",
        "title": conversation.title,
        "started": _iso(conversation.started_at),
        "ended": _iso(conversation.ended_at),
        "message_count": conversation.message_count,
        "active": conversation.state is ConversationState.ACTIVE,
        "messages": [_message_row(message) for message in detail.messages],
        "entities_discussed": list(names),
        "files_modified": list(conversation.files),
        "outcome": conversation.outcome,
        EXTRA: {"conversation": extra, "timeline": to_plain(detail.timeline)},
    }


def _message_row(message: Message) -> Row:
    row: Row = {"id": f"msg-{message.id:03d}", "timestamp": _iso(message.at), message.speaker.value: message.text}
    row |= {"intent": _first_intent(message), "entities": [entity.text for entity in message.entities]}
    return _with_reference(row, message) | {EXTRA: message_extra(message)}


def _context_row(message: Message, session: str) -> Row:
    row: Row = {"timestamp": _iso(message.at), "user_message": message.text, "intent": _first_intent(message)}
    row["session_id"] = session or None
    return _with_reference(row, message) | {EXTRA: message_extra(message)}


def _with_reference(row: Row, message: Message) -> Row:
    named = (reference.antecedent for _, reference in message.references if reference.antecedent)
    first = next(named, None)
    return row if first is None else row | {"context_ref": first}


def _first_intent(message: Message) -> str | None:
    return message.intents[0].intent.value if message.intents else None


def message_extra(message: Message) -> Row:
    """What the seeds' fields do not hold of a message."""
    extra: Row = to_plain(message)
    del extra["at"], extra["text"]
    if message.expanded_text == message.text:
        del extra["expanded_text"]
    return extra


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def read_detail(row: Row, number: int) -> ConversationDetail:
    """The conversation of such a row. Raises InvalidError for one that is none."""
    extra = _object(row.get(EXTRA))
    conversation_id = _number_in(row.get("conversation_id"), number)
    rows = row.get("messages")
    listed = [entry for entry in rows if isinstance(entry, dict)] if isinstance(rows, list) else []
    messages = tuple(
        _read_message(entry, index, "user", conversation_id) for index, entry in enumerate(listed, start=1)
    )
    timeline = from_plain(tuple[TimelineEntry, ...], extra.get("timeline", []))
    return ConversationDetail(_read_conversation(row, conversation_id, messages), messages, timeline)


def _read_conversation(row: Row, conversation_id: int, messages: tuple[Message, ...]) -> Conversation:
    extra = _object(_object(row.get(EXTRA)).get("conversation"))
    started = parse_instant(row.get("started")) or (messages[0].at if messages else _TIMELESS)
    ended = parse_instant(row.get("ended"))
    last = max([started, *(message.at for message in messages)])
    is_active = row.get("active") is True or ("active" not in row and ended is None)
    count = row.get("message_count")
    seed = {
        "id": conversation_id,
        "is_title_edited": False,
        "state": "active" if is_active else "ended",
        "position": None,
        "app": "",
        "project": "",
        "project_path": "",
        "session": "",
        "last_message_at": last.isoformat(),
        "topics": _strings(row.get("entities_discussed")),
        "intents": [],
        "is_outcome_edited": False,
        "is_next_out": False,
        "has_clarification": False,
        "related_ids": [],
    }
    own = {
        "title": str_of(row, "title"),
        "started_at": started.isoformat(),
        "ended_at": None if ended is None else ended.isoformat(),
        "message_count": count if isinstance(count, int) else len(messages),
        "files": _strings(row.get("files_modified")),
        "outcome": named if (named := str_of(row, "outcome")) in set(Outcome) else None,
    }
    return from_plain(Conversation, seed | extra | own)


def _read_message(row: Row, number: int, text_key: str, conversation_id: object) -> Message:
    extra = _object(row.get(EXTRA))
    speaker = Speaker.ASSISTANT if Speaker.ASSISTANT.value in row else Speaker.USER
    text = row.get(speaker.value if speaker is Speaker.ASSISTANT else text_key)
    if not isinstance(text, str):
        raise InvalidError(f"message {number} has no text", hint="Give it one, or take it out.")
    message = Message(
        id=_number_in(row.get("id"), number),
        conversation_id=conversation_id if isinstance(conversation_id, int) else 0,
        at=parse_instant(row.get("timestamp")) or _TIMELESS,
        speaker=speaker,
        text=text,
        expanded_text=text,
        entities=(),
        references=(),
        intents=(),
        is_intent_corrected=False,
        boundary=BoundaryJudgement(is_start=number == 1, state="decided", confidence=1.0, reason="as in the file"),
        redaction_count=0,
        is_imported=True,
    )
    if not extra:
        return _with_seed_judgements(message, row)
    return from_plain(Message, to_plain(message) | extra)


def _with_seed_judgements(message: Message, row: Row) -> Message:
    """What the seeds' fields tell of intent, entities and reference; spans where the words can be found."""
    entities = tuple(_entity(message.text, name) for name in _strings(row.get("entities")))
    named = str_of(row, "intent")
    intents = (IntentScore(Intent(named), 1.0, "as in the file"),) if named in set(Intent) else ()
    antecedent = str_of(row, "context_ref")
    references = ((0, _reference(message.text, antecedent)),) if antecedent else ()
    return replace(message, entities=entities, intents=intents, references=references)


def _entity(text: str, name: str) -> Entity:
    found = re.search(re.escape(name), text, re.IGNORECASE)
    start, end = found.span() if found else (0, 0)
    return Entity(text=name, kind=EntityKind.THING, start=start, end=end, canonical=name.lower(), confidence=1.0)


def _reference(text: str, antecedent: str) -> Reference:
    return Reference(
        mention="",
        start=len(text),
        end=len(text),
        kind=ReferenceKind.IMPLICIT,
        state=ReferenceState.RESOLVED,
        antecedent=antecedent,
        confidence=1.0,
        reason="as in the file",
    )


def _number_in(name: object, fallback: int) -> int:
    """The number of "conv-004"; the fallback when there is none."""
    digits = name.rpartition("-")[2] if isinstance(name, str) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else fallback


def _object(value: object) -> Row:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
