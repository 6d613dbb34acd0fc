"""What a memory is called in a list. Knows no levels and no store."""

from collections.abc import Sequence

from app.memory.shorten import Plan, choose_words, join_words, places_of
from app.memory.wording import Kind, Word, read_words
from app.values.memory import FactType, Slot

MAX_TITLE_CHARS = 60
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
        title = f"{slot.subject} {slot.attribute}".strip() + f"{where}: {value}"
    elif len(whole) <= MAX_TITLE_CHARS:
        title = whole
    elif (head := _head(whole, words)) is not None:
        return head
    else:
        places = choose_words(words, _TITLE_TOKENS, Plan(always=places_of({Kind.NEGATION}, words)))
        title = join_words(words, places) or whole
    title = _cut(title)
    return (title[:1].upper() + title[1:]) or (type.value.capitalize() if type else "Memory")


def _head(whole: str, words: Sequence[Word]) -> str | None:
    """The beginning as it was said, ended where a word may end it; None when a "not" would stand behind the end."""
    head = whole[: MAX_TITLE_CHARS - 1].rsplit(" ", 1)[0]
    said = head.split(" ")
    while len(said) > _LEAST_WORDS and said[-1].lower().strip(",;:(") in _NO_END:
        said.pop()
    head = " ".join(said).rstrip(" ;,:(")
    denied = [word for word in words if word.kind is Kind.NEGATION]
    if (
        len(said) < _LEAST_WORDS
        or any(word.lower not in head.lower() for word in denied)
        or head.count("(") > head.count(")")
    ):
        return None
    return f"{head[:1].upper()}{head[1:]}…"


def _cut(title: str) -> str:
    if len(title) <= MAX_TITLE_CHARS:
        return title
    cut = title[: MAX_TITLE_CHARS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ;,:") + "…"
