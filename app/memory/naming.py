"""What a memory is called in a list. Knows no levels and no store."""

from app.memory.shorten import Plan, choose_words, join_words, places_of
from app.memory.wording import Kind, read_words
from app.values.memory import FactType, Slot

MAX_TITLE_CHARS = 60
_TITLE_TOKENS = 12


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
    else:
        places = choose_words(words, _TITLE_TOKENS, Plan(always=places_of({Kind.NEGATION}, words)))
        title = join_words(words, places) or whole
    title = _cut(title)
    return (title[:1].upper() + title[1:]) or (type.value.capitalize() if type else "Memory")


def _cut(title: str) -> str:
    if len(title) <= MAX_TITLE_CHARS:
        return title
    cut = title[: MAX_TITLE_CHARS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ;,:") + "…"
