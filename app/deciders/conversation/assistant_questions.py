"""What an assistant asked at the end of its answer, and what of it the next prompt answers: "1. yes 2. the second", "B", "the header";
and whether it only answers our own.

Pure. Nothing of it is put into the person's words: it stands beside them. Source: issue 16, "the question to which '1. yes 2. the
second' answers".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.language.sentences import cut_sentences

_ANSWERING = re.compile(
    r"\s*(?:(?:yes|no|yep|yeah|nope|ok|okay|sure|both|neither|y|n)\b|the (?:first|second|third|former|latter|last)\b"
    r"|option\s|\d{1,2}[.):]\s|[a-d][.):]\s)",
    re.IGNORECASE,
)
_BARE_WORDS, _QUESTION_CHARS, _QUESTIONS_CHARS = 4, 240, 400
_BARE_LEADS = frozenset({"the", "a", "an", "in", "on", "at", "just", "only", "for"})
_WORD = re.compile(r"[^\W_][\w.+#-]*")
_LABEL = re.compile(r"(?:^|(?<=\s))\(?(\d{1,2})[.):](?=\s)")
_FIRST = re.compile(r"^\s*\(?1[.):]\s", re.MULTILINE)
_HEAD = re.compile(r"\s{0,3}(?:[-*#]+\s)?\(?(\d{1,2}|[A-Ha-h])[.):]\s+(.+)")
_BELOW = re.compile(r"\s+(?:[-*•]\s+)?(.+)")
_INQUIRES = re.compile(
    r"\?|^(?:\w[\w -]{0,40}: )?(?:whether|which|what|how|where|when|should|do|does|is|are)\b", re.IGNORECASE
)
_CHOICE = re.compile(r"\s*(?:[-*•]|\(?[A-Za-z\d]{1,2}[.):])\s")
_CHOSEN = re.compile(
    r"(?:(?:let's |i'd )?go with |use )?(?:the |option )?\(?(?:(?P<letter>[a-h])|(?P<place>first|second|third|fourth))\)?(?: one| option)?[.!]?",
    re.IGNORECASE,
)
_PLACES = {"first": "1", "second": "2", "third": "3", "fourth": "4"}


def question_of(answer_end: str) -> str:
    """The questions that an answer ended with, which "1. yes 2. the second" answers; "" when it asked nothing.

    >>> question_of("Done. Two things:\\n1. Keep the old route?\\n2. JSON or CSV?")
    '1. Keep the old route? 2. JSON or CSV?'
    """
    lines = [" ".join(raw.replace("**", "").split()) for raw in answer_end.strip().splitlines()]
    asked = [line for line in lines if line.endswith("?")]
    if len(asked) == 1:
        asked = [next((one for one in reversed(cut_sentences(asked[0])) if one.endswith("?")), asked[0])]
    return " ".join(asked)[:_QUESTIONS_CHARS]


def is_answering(text: str) -> bool:
    """Whether a prompt looks like an answer to what was asked before it.

    >>> is_answering("1. yes 2. the second"), is_answering("Yes, please"), is_answering("add an export")
    (True, True, False)
    """
    return _ANSWERING.match(text) is not None


def list_questions(answer: str) -> dict[str, str]:
    """The numbered questions of a whole answer, by their numbers, each cut short; empty where it asks none.

    >>> list_questions("Plan:\\n1. Add a route\\n\\nBefore that:\\n1. **Format**: JSON or CSV?\\n2. Keep the old route?\\nThanks!")
    {'1': 'Format: JSON or CSV?', '2': 'Keep the old route?'}
    """
    listed = {name: question for name, question in _listed(answer).items() if name.isdigit()}
    asks = any("?" in question for question in listed.values())
    return {name: _cut(question) for name, question in listed.items() if asks and _INQUIRES.search(question)}


def question_answered(
    answer_end: str, text: str, start: int | None = None, asked: Mapping[str, str] | None = None
) -> str:
    """What a prompt answers of what was asked before it, or its words at `start`; "" where nothing shows it.

    A numbered answer answers the question of its number, "B" and "the second" one with the option of that name; a few bare words
    answer what was asked last. `asked`: the numbered questions of the whole answer, where more than its end is known.

    >>> end = "Two things:\\n1. Keep the old route?\\n2. Which format?\\n   - JSON\\n   - CSV"
    >>> question_answered(end, "1. yes 2. JSON", 10), question_answered(end, "3. later", 0), question_answered(end, "add an export")
    ('Which format? JSON / CSV', '', '')
    >>> question_answered("Where does it go?\\nA) the header\\nB) the menu", "B"), question_answered("In the header or below?", "the header")
    ('Where does it go? B: the menu', 'In the header or below?')
    """
    known = asked or list_questions(answer_end)
    is_numbered = _LABEL.match(text.lstrip()) is not None or (bool(known) and _FIRST.search(text) is not None)
    chosen = _CHOSEN.fullmatch(text.strip())
    is_bare = chosen is not None or _names_one(text, answer_end)
    if not (is_numbered or is_answering(text) or (is_bare and _asks_last(answer_end))):
        return ""
    if is_numbered and start is not None:
        labels = [found[1] for found in _LABEL.finditer(text) if found.start() <= start]
        return known.get(labels[-1], "") if labels else ""
    if is_numbered and asked:
        return _cut(" ".join(f"{name}. {question}" for name, question in asked.items()), _QUESTIONS_CHARS)
    name = "" if chosen is None else (chosen["letter"] or _PLACES[chosen["place"].lower()]).upper()
    option = _listed(answer_end).get(name, "")
    return _cut(" ".join(filter(None, (question_of(answer_end), option and f"{name}: {option}"))))


def _names_one(text: str, answer_end: str) -> bool:
    """Whether it is a few bare words: "the header", or words that the question offers."""
    words = [word.casefold() for word in _WORD.findall(text)]
    offered = {word.casefold() for word in _WORD.findall(answer_end)}
    return 0 < len(words) <= _BARE_WORDS and (words[0] in _BARE_LEADS or offered.issuperset(words))


def _cut(text: str, most: int = _QUESTION_CHARS) -> str:
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"


def _asks_last(answer_end: str) -> bool:
    """Whether its last line is a question, or stands with one above what may be chosen."""
    lines = [line.strip() for line in answer_end.replace("**", "").splitlines() if line.strip()]
    while lines and _CHOICE.match(lines[-1]) is not None and not lines[-1].endswith("?"):
        lines.pop()
    return bool(lines) and lines[-1].endswith("?")


def _listed(answer_end: str) -> dict[str, str]:
    """The items of a list by their numbers or letters, with what stands indented below them; of several lists the last."""
    found: dict[str, list[str]] = {}
    name = ""
    for raw in answer_end.replace("**", "").splitlines():
        if (head := _HEAD.match(raw)) is not None:
            name = head[1].upper()
            found = {} if name in found else found  # another list
            found[name] = [head[2].strip()]
        elif raw.strip() and name:
            below = _BELOW.match(raw)
            if below is None:
                name = ""
            else:
                found[name].append(below[1].strip())
    return {one: " ".join((parts[0], " / ".join(parts[1:]))).strip() for one, parts in found.items()}


_MOST_CHARS = 60
_MOST_WORDS = 4
_LETTER = re.compile(r"\W*([ab])\W*\Z", re.IGNORECASE)
_NEW = frozenset({"start new", "start a new one", "new conversation", "a new conversation", "start a new conversation", "something new"})  # fmt: skip
_SAME = frozenset({"same conversation", "the same conversation", "continue that conversation", "the earlier one"})
_DETERMINER = re.compile(r"(?:the|my|our|its|that|this|i mean|i meant|on|for|of)\s+", re.IGNORECASE)
_NAMING = re.compile(r"(?:the|my|our)\s+[\w#.+/-]+(?:\s+[\w#.+/-]+){0,3}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClarificationReply:
    """What was answered: whether something new begins, or what a word stands for; `name` as it is known, else as written."""

    is_new: bool | None = None
    name: str = ""


def read_clarification_reply(
    text: str, names: Sequence[str], *, is_boundary_asked: bool, is_thing_asked: bool
) -> ClarificationReply | None:
    """The answer that a prompt is, to what was asked about the one before it; None for anything else.

    `names`: what may be meant, the likeliest first.

    >>> read_clarification_reply("b)", [], is_boundary_asked=True, is_thing_asked=False)
    ClarificationReply(is_new=True, name='')
    >>> read_clarification_reply("The header", ["FAB button", "header"], is_boundary_asked=False, is_thing_asked=True)
    ClarificationReply(is_new=None, name='header')
    >>> read_clarification_reply("make the header blue", ["header"], is_boundary_asked=True, is_thing_asked=True) is None
    True
    """
    reply = " ".join(text.split()).strip(" .!?\"'“”")
    if not reply or len(reply) > _MOST_CHARS or "\n" in text.strip():
        return None
    if is_boundary_asked:
        letter = _LETTER.match(text.strip())
        if letter is not None:
            return ClarificationReply(is_new=letter[1].lower() == "b")
        if reply.lower() in _NEW or reply.lower() in _SAME:
            return ClarificationReply(is_new=reply.lower() in _NEW)
    bare = _bare(reply)
    known = next((name for name in names if _bare(name).lower() == bare.lower()), "")
    if known and len(bare.split()) <= _MOST_WORDS:
        return ClarificationReply(name=known)
    if is_thing_asked and _NAMING.match(reply):
        return ClarificationReply(name=bare)
    return None


def _bare(words: str) -> str:
    while (cut := _DETERMINER.sub("", words, count=1)) != words and _DETERMINER.match(words):
        words = cut
    return words
