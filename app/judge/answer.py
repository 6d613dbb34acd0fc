"""What a judge answered, read tolerantly: JSON with words around it, fields that are missing, entries that are no entries.

Reads the named fields and nothing else; what is too large or no JSON at all is a failure. Pure. Source: JUDGE "It cannot be talked to".
"""

import re
from collections.abc import Iterator
from typing import Any

from app.errors import InvalidError
from app.interop.safe_json import parse_json
from app.judge.request import OUTCOMES, TYPES
from app.judge.tasks import T, TaskAnswer, TaskRequest
from app.judge.values import AnsweredChange, AnsweredMemory, AnsweredTopic, JudgeAnswer

MAX_ANSWER_BYTES = 1_000_000
MAX_ENTRIES = 200  # of one kind: a request has 25 prompts
MAX_STATEMENT_CHARS = 600
MAX_QUOTE_CHARS = 2_000
_MAX_TITLE_WORDS = 8
_MAX_SUMMARY_CHARS = 1_000
_MAX_DEPTH = 20
_ID = re.compile(r"[mk]\d{1,18}\Z")
_TASK_KEYS = frozenset({"memories", "changes", "topics"})


def parse_answer(text: str) -> JudgeAnswer:
    """The answer. Raises InvalidError when it is too large or holds no answer.

    >>> parse_answer('Here you are: {"memories": [], "changes": [{"message": "m2", "old": "k7"}]}').changes
    (AnsweredChange(message='m2', quote='', old='k7', new=''),)
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_ANSWER_BYTES:
        raise InvalidError("The answer is larger than a megabyte.", hint="Choose another model.")
    value = _find_object(text)
    memories = _read(value.get("memories"), _memory)
    changes = _read(value.get("changes"), _change)
    topics = _read(value.get("topics"), _topic)
    given = sum(len(found) for key in _TASK_KEYS if isinstance(found := value.get(key), list))
    kept = len(memories) + len(changes) + len(topics)
    return JudgeAnswer(tuple(memories), tuple(changes), tuple(topics), max(0, given - kept))


def parse_task_answer(text: str, request: TaskRequest[T]) -> TaskAnswer[T]:
    """What holds of the answer to another task. Raises InvalidError when it is too large or no answer to it."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_ANSWER_BYTES:
        raise InvalidError("The answer is larger than a megabyte.", hint="Choose another model.")
    return request.read(_find_object(text, frozenset(request.schema()["properties"]) | {"text"}))


def _find_object(text: str, keys: frozenset[str] = _TASK_KEYS) -> dict[str, Any]:
    """The JSON object that is an answer: the whole text, else the widest between braces."""
    first, last = text.find("{"), text.rfind("}")
    for part in (text, text[first : last + 1]) if 0 <= first < last else (text,):
        try:
            value = parse_json(part.encode("utf-8", "replace"), max_bytes=MAX_ANSWER_BYTES * 2, max_depth=_MAX_DEPTH)
        except InvalidError:
            continue
        if isinstance(value, dict) and value.keys() & keys:
            return value
    raise InvalidError(f"The answer is no JSON object of {', '.join(sorted(keys))}.", hint="Choose another model.")


def _read(listed: Any, read: Any) -> list[Any]:
    if not isinstance(listed, list):
        return []
    return [one for entry in listed[:MAX_ENTRIES] if isinstance(entry, dict) and (one := read(entry)) is not None]


def _memory(entry: dict[str, Any]) -> AnsweredMemory | None:
    message, quote, statement = _id(entry, "message"), _text(entry, "quote"), _text(entry, "statement")
    if not (message and quote and statement) or len(statement) > MAX_STATEMENT_CHARS or len(quote) > MAX_QUOTE_CHARS:
        return None
    fact_type = _text(entry, "type").lower()
    worth = entry.get("worth")
    return AnsweredMemory(
        message,
        quote,
        " ".join(statement.split()),
        fact_type if fact_type in TYPES else "fact",
        "person" if _text(entry, "scope").lower() == "person" else "project",
        min(3, max(1, worth)) if isinstance(worth, int) and not isinstance(worth, bool) else 2,
        tuple(dict.fromkeys(_ids(entry.get("replaces")))),
    )


def _change(entry: dict[str, Any]) -> AnsweredChange | None:
    message, old, quote = _id(entry, "message"), _text(entry, "old"), _text(entry, "quote")
    if not (message and old) or len(old) > MAX_QUOTE_CHARS or len(quote) > MAX_QUOTE_CHARS:
        return None
    return AnsweredChange(message, quote, old, _text(entry, "new")[:MAX_STATEMENT_CHARS])


def _topic(entry: dict[str, Any]) -> AnsweredTopic | None:
    starts = _id(entry, "starts")
    if not starts:
        return None
    title = " ".join(_text(entry, "title").split()[:_MAX_TITLE_WORDS])
    outcome = _text(entry, "outcome").lower()
    summary = " ".join(_text(entry, "summary").split())[:_MAX_SUMMARY_CHARS]
    return AnsweredTopic(starts, title, outcome if outcome in OUTCOMES else "", summary)


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value.strip() if isinstance(value, str) else ""


def _id(entry: dict[str, Any], name: str) -> str:
    value = _text(entry, name)
    return value if _ID.match(value) else ""


def _ids(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and _ID.match(one.strip()):
            yield one.strip()
