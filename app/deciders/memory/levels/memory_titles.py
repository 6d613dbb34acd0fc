"""What a memory is called in a list. Knows no levels and no store."""

import re
from collections.abc import Sequence

from app.deciders.memory.levels.word_weights import Kind, Word, read_words
from app.values.memory import FactType, Slot

MAX_TITLE_CHARS = 60
_CLAUSE_END = re.compile(r"[,;:.](?= )(?: (?:so|and|but|or|then)\b)?")
MAX_DENIED_CHARS = 96  # of a title that has to reach its "not"
_BEHIND_DENIAL, _LEAST_CLAUSE = (
    12,
    24,
)  # characters behind a "not" that say what is denied; of a clause that says something
_OPENS = re.compile(
    r"(?:when|if|after|before|while|once|until|since|because|for|in|on|at|with|from|to|as)\b", re.IGNORECASE
)
_LEAST_WORDS = 4
_NO_END = frozenset({"a", "an", "the", "our", "my", "all", "of", "to", "in", "on", "at", "by", "for", "with", "from", "into", "as", "and", "or", "but", "if", "is", "are", "be", "was", "that", "which", "when", "while", "so", "not", "only", "than", "via", "any", "each", "every", "this", "must", "should", "can", "may", "will", "have", "has", "its", "their", "such"})  # fmt: skip


def make_memory_title(text: str, slot: Slot | None, value: str, type: FactType | None) -> str:  # noqa: A002
    """A short name for people: a readable beginning of the text, of some MAX_TITLE_CHARS; the type's name for a text without words.

    >>> make_memory_title("We use Postgres.", Slot("", "database"), "PostgreSQL", FactType.DECISION)
    'Database: PostgreSQL'
    """
    words = read_words(text)
    whole = " ".join(text.split()).rstrip(".!")
    if slot is not None and slot.attribute and value and not any(word.kind is Kind.NEGATION for word in words):
        where = f" ({slot.scope})" if slot.scope else ""
        title = f"{_as_said(slot.subject, text)} {slot.attribute}".strip() + f"{where}: {_as_said(value, text)}"
        title = _cut(title)
    else:
        title = _stretch(whole, words)
    return (title[:1].upper() + title[1:]) or (type.value.capitalize() if type else "Memory")


def _stretch(whole: str, words: Sequence[Word]) -> str:
    """The statement from its beginning, ended where a clause or a word may end it, with "…" where something follows.

    A "not" that stands further on is reached, up to MAX_DENIED_CHARS; where it stands further still, the clauses before its own are told.

    >>> said = "Receipts are printed on the small printer of the till, never on the one in the office that is shared"
    >>> _stretch(said, read_words(said))
    'Receipts are printed on the small printer of the till…'
    """
    borders = [match.start() for match in _CLAUSE_END.finditer(whole)]
    limit, is_border = MAX_TITLE_CHARS, False
    reached = 0
    for start, end in _denials(whole, words):
        clause_end = next((border for border in borders if border >= end), len(whole))
        if end + _BEHIND_DENIAL <= limit:
            reached = end + 4  # the least that is denied
        elif clause_end <= MAX_DENIED_CHARS:
            limit, is_border, reached = clause_end, True, clause_end
        else:
            before = [border for border in borders if _LEAST_CLAUSE <= border <= start]
            limit, is_border = (
                (min(before[-1], limit), True) if before and before[-1] <= limit else (MAX_DENIED_CHARS, False)
            )
            break
    if len(whole) <= limit:
        return whole
    ends = [border for border in borders if max(_LEAST_CLAUSE, reached) <= border <= limit and _stands(whole[:border])]
    if ends:
        limit, is_border = ends[-1], True
    head = whole[:limit] if is_border else whole[: limit - 1].rsplit(" ", 1)[0]
    head = head.rsplit("(", 1)[0] if head.count("(") > head.count(")") else head
    return f"{_ended(head)}…"


def _denials(whole: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where each word stands that says what is not."""
    denied = {word.lower for word in words if word.kind is Kind.NEGATION}
    return sorted(
        match.span() for word in denied for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", whole.lower())
    )


def _stands(clause: str) -> bool:
    """Whether a beginning says something by itself: not "When the cart is paid"."""
    return _OPENS.match(clause) is None or "," in clause


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
