"""What a memory is called in a list. Knows no levels and no store."""

import re
from collections.abc import Sequence

from app.deciders.memory.levels.shorten import Plan, choose_words, join_words, places_of
from app.deciders.memory.levels.word_weights import Kind, Word, read_words
from app.values.memory import FactType, Slot

MAX_TITLE_CHARS = 60
_CLAUSE_END = re.compile(r"[,;:.](?= )(?: (?:so|and|but|or|then)\b)?")
_TITLE_TOKENS = 12
_LEAST_WORDS = 4
_NO_END = frozenset({"a", "an", "the", "our", "my", "all", "of", "to", "in", "on", "at", "by", "for", "with", "from", "into", "as", "and", "or", "but", "if", "is", "are", "be", "was", "that", "which", "when", "while", "so", "not", "only", "than", "via", "any", "each", "every", "this"})  # fmt: skip


def make_memory_title(text: str, slot: Slot | None, value: str, type: FactType | None) -> str:  # noqa: A002
    """A short name for people, at most MAX_TITLE_CHARS; the type's name for a text without words.

    >>> make_memory_title("We use Postgres.", Slot("", "database"), "PostgreSQL", FactType.DECISION)
    'Database: PostgreSQL'
    """
    words = read_words(text)
    whole = " ".join(text.split()).rstrip(".!")
    if slot is not None and slot.attribute and value and not any(word.kind is Kind.NEGATION for word in words):
        where = f" ({slot.scope})" if slot.scope else ""
        title = f"{_as_said(slot.subject, text)} {slot.attribute}".strip() + f"{where}: {_as_said(value, text)}"
    elif len(whole) <= MAX_TITLE_CHARS:
        title = whole
    elif (part := _head(whole, words) or _denying_part(whole, words)) is not None:
        return part
    else:
        places = choose_words(words, _TITLE_TOKENS, Plan(always=places_of({Kind.NEGATION}, words)))
        title = join_words(words, places) or whole
    title = _cut(title)
    return (title[:1].upper() + title[1:]) or (type.value.capitalize() if type else "Memory")


def _head(whole: str, words: Sequence[Word]) -> str | None:
    """The beginning as it was said, ended where a word may end it; None when a "not" would stand behind the end."""
    head = _ended(whole[: MAX_TITLE_CHARS - 1].rsplit(" ", 1)[0])
    denied = [word for word in words if word.kind is Kind.NEGATION]
    if (
        len(head.split()) < _LEAST_WORDS
        or any(word.lower not in head.lower() for word in denied)
        or head.count("(") > head.count(")")
    ):
        return None
    return f"{head[:1].upper()}{head[1:]}…"


def _denying_part(whole: str, words: Sequence[Word]) -> str | None:
    """The clause that says what is not; None when it is too long, or one clause would say it without the other."""
    parts = [part.strip() for part in _CLAUSE_END.split(whole)]
    denied = [word for word in words if word.kind is Kind.NEGATION]
    telling = max(denied, key=lambda word: word.weight).lower if denied else ""
    holding = [part for part in parts if telling and re.search(rf"\b{re.escape(telling)}\b", part.lower())]
    if len(holding) != 1 or len(holding[0]) >= MAX_TITLE_CHARS or len(holding[0].split()) < _LEAST_WORDS - 1:
        return None
    part = holding[0]
    if not part.lower().startswith("not "):
        return f"…{part}"
    room = max(0, MAX_TITLE_CHARS - len(part) - 2)
    head = _ended(whole[:room].rsplit(" ", 1)[0], 2)  # "not of the browser" says not what
    return f"{head[:1].upper()}{head[1:]}… {part}" if len(head.split()) >= _LEAST_WORDS - 1 else None


def _ended(head: str, least: int = _LEAST_WORDS) -> str:
    """The beginning of a sentence without last words that nothing can end with."""
    words = head.split(" ")
    while len(words) > least and words[-1].lower().strip(",;:(") in _NO_END:
        words.pop()
    return " ".join(words).rstrip(" ;,:(")


def _as_said(name: str, text: str) -> str:
    """The name with the capitals that the text gives it."""
    at = text.lower().find(name.lower()) if name.islower() else -1
    return text[at : at + len(name)] if at >= 0 else name


def _cut(title: str) -> str:
    if len(title) <= MAX_TITLE_CHARS:
        return title
    cut = title[: MAX_TITLE_CHARS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ;,:") + "…"
