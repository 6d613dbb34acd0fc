"""Whether an answer may be believed: each quote stands letter for letter in the person's own words, and a statement brings nothing new.

Pure. A quote is found up to white space, outside of what is somebody else's. A statement may hold no name, number or negation that
stands neither in a message or answer's end of the request up to that message, nor in a known memory it replaces. What fails is
dropped, with the reason; what stays speaks to the person. Source: JUDGE "Verified or dropped", issue 16 item 4.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from app.deciders.conversation.authorship import split_authors
from app.judge.topic_overlap import content_words
from app.judge.values import (
    AnsweredChange,
    AnsweredMemory,
    JudgeAnswer,
    JudgeMessage,
    JudgeRequest,
    Verified,
    VerifiedChange,
    VerifiedMemory,
    VerifiedTopic,
)
from app.language.token_counts import is_usually_capital

_VERBS = {
    "has": "have", "is": "are", "does": "do", "was": "were", "tries": "try", "relies": "rely", "wishes": "wish", "teaches": "teach",
    **{f"{verb}s": verb for verb in (
        "want", "prefer", "like", "dislike", "lean", "need", "expect", "ask", "use", "work", "plan", "avoid", "favour", "favor", "insist",
        "intend", "keep", "know", "love", "hate", "write", "run", "own", "live", "speak",
    )},
}  # fmt: skip
_KEEP = ("would", "wanted", "asked", "decided", "will", "cannot", "can", "must", "should", "chose", "agreed")
_ACTS = re.compile(
    rf"\b(the person) ((?:also |always |never |usually |strongly )*)({'|'.join((*_VERBS, *_KEEP))})\b", re.IGNORECASE
)
_OWNS = re.compile(r"\bthe person's (?=own\b)", re.IGNORECASE)


def address_person(statement: str) -> str:
    """The statement, said to the person.

    >>> address_person("The person leans towards Ramda because the person would like to use it more.")
    'You lean towards Ramda because you would like to use it more.'
    >>> address_person("The app serves the person's own cottage."), address_person("The person table has no index.")
    ('The app serves your own cottage.', 'The person table has no index.')
    """

    def act(found: re.Match[str]) -> str:
        verb = found[3].lower()
        return f"{'You' if found[1][0] == 'T' else 'you'} {found[2]}{_VERBS.get(verb, found[3])}"

    addressed = _ACTS.sub(act, statement)
    return _OWNS.sub(lambda found: "Your " if found[0][0] == "T" else "your ", addressed)


def find_foreign(text: str) -> list[tuple[int, int]]:
    """Half-open spans, in code points.

    >>> text = "look:\\n> we use Mongo\\nwe do not"
    >>> [text[start:end].strip() for start, end in find_foreign(text)]
    ['> we use Mongo']
    """
    return [(one.start, one.end) for one in split_authors(text) if not one.is_own]


Span = tuple[int, int]
ForeignSpans = Callable[[str], Sequence[Span]]

_WORD = re.compile(r"[^\W_][\w.+#'’@/:-]*[\w+#]|[^\W_]")
_PIECE = re.compile(r"[^\W_]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;(“\"]\s*)$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|never|no|nor|none|nothing|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_NEGATION_SAID = re.compile(
    r"\b(?:not|never|no|nor|none|nothing|nowhere|without|cannot|cant|dont|doesnt|isnt|wont|shouldnt|didnt|arent|only|instead|rather"
    r"|avoid|remove|removed|drop|stop|skip|forbid|forbidden|ignore|disable|disabled|leave|except|unless|exclude|get rid|wrong|hate"
    r"|nicht|nie|kein\w*|ohne|jamais|pas|sans|nunca|sin)\b|n['’]t\b",
    re.IGNORECASE,
)
_WITH_UNIT = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)[ -]?(?P<unit>%|°C|(?:[kKMGT]i?)?(?:B|bit)\b|ms\b|(?:milli|micro)?seconds?\b|[smh]\b|min(?:ute)?s?\b|"
    r"hours?\b|days?\b|weeks?\b|months?\b|years?\b|[kKMGT]B/s\b|px\b|em\b|tokens?\b|lines?\b|times?\b|characters?\b|rows?\b|users?\b|requests?\b|"
    r"euros?\b|dollars?\b)"
)
_CLAUSE_END = re.compile(r"[.,;:!?()]|\b(?:and|but|or|because|so that|unless|when|if)\b")
_DENIED_WORDS = 3  # of the clause behind a negation
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {
    "once": "1",
    "twice": "2",
    "first": "1",
    "second": "2",
    "third": "3",
    "half": "50",
    "dozen": "12",
    "hundred": "100",
}
# Words of the trade that are written in capitals and name nothing in particular.
_PLAIN_CAPITALS = frozenset(
    [
        "api", "apis", "ui", "ux", "url", "urls", "id", "ids", "uuid", "uuids", "cli", "gui", "http", "https", "db",
        "os", "ide", "pr", "prs", "ci", "ai", "llm", "ok", "crud", "readme", "i", "todo",
    ]
)  # fmt: skip
NOT_SAID = "words that the person did not say"
IN_A_PASTE = "words that stand only in what was pasted"
_LONG_ENOUGH = 4  # a name of fewer letters must stand as it is
_MISTYPED_LEAST = 8  # from so many letters on, one that is mistyped is the same name: the reader writes it right


def verify(answer: JudgeAnswer, request: JudgeRequest, find_foreign: ForeignSpans) -> Verified:
    """What of the answer holds. `find_foreign`: the stretches of a text that are not the person's own."""
    messages = {one.id: one for one in request.messages}
    known = {one.id: one.text for one in request.known}
    memories: list[VerifiedMemory] = []
    changes: list[VerifiedChange] = []
    dropped = ["an entry that is none"] * answer.unread_count
    for one in answer.memories:
        found = _verify_memory(one, request, messages, known, find_foreign)
        if isinstance(found, str):
            dropped.append(found)
        else:
            memories.append(found)
    for change in answer.changes:
        checked = _verify_change(change, messages, find_foreign)
        if isinstance(checked, str):
            dropped.append(checked)
        else:
            changes.append(checked)
    topics = [
        VerifiedTopic(messages[one.starts], one.title, one.outcome, one.summary)
        for one in answer.topics
        if one.starts in messages
    ]
    dropped += ["a topic of no message"] * (len(answer.topics) - len(topics))
    return Verified(tuple(memories), tuple(changes), tuple(topics), tuple(dropped))


def find_quoted_message(messages: Sequence[JudgeMessage], quote: str, find_foreign: ForeignSpans) -> JudgeMessage | str:
    """The newest message in which the person says this in their own words; else why there is none."""
    is_foreign = False
    for one in reversed(messages):
        if find_quote(one.text, quote) is None:
            continue
        if find_quote(one.text, quote, find_foreign(one.text)) is not None:
            return one
        is_foreign = True
    return IN_A_PASTE if is_foreign else NOT_SAID


def find_quote(text: str, quote: str, foreign: Sequence[Span] = ()) -> Span | None:
    """Where the quote stands, up to white space, outside of `foreign`; None when nowhere.

    >>> find_quote("always  use\\npnpm here", "use pnpm"), find_quote("use pnpm", "use pnpm", [(0, 3)])
    ((8, 16), None)
    """
    parts = quote.split()
    if not parts:
        return None
    for found in re.finditer(r"\s+".join(map(re.escape, parts)), text):
        if not any(start < found.end() and end > found.start() for start, end in foreign):
            return found.span()
    return None


def find_unsupported(statement: str, sources: Iterable[str], named: Iterable[str] = ()) -> str:
    """What the statement says and no text of `sources` does: a number, a name, a negation; "" when nothing.

    `named`: texts whose names may be used, but not their numbers and negations.

    >>> find_unsupported("Exports are CSV, never PDF.", ["csv please"])
    'the name PDF'
    >>> find_unsupported("Use 3 workers.", ["three workers"]), find_unsupported("Never use pnpm.", ["use pnpm"])
    ('', 'a negation')
    """
    texts = list(sources)
    whole = "\n".join(texts).casefold()
    words = set(_PIECE.findall(whole))
    squeezed = "".join(_PIECE.findall(whole))
    numbers = {_plain_number(one) for one in _NUMBER.findall(whole)} | {
        _NUMBER_WORDS[word] for word in words & _NUMBER_WORDS.keys()
    }
    for one in _NUMBER.findall(statement):
        if _plain_number(one) not in numbers and one not in squeezed:
            return f"the number {one}"
    known = "\n".join(named).casefold()
    words |= set(_PIECE.findall(known))
    squeezed += "\n" + "".join(_PIECE.findall(known))
    for name in find_names(statement):
        if not _is_said(name.casefold(), words, squeezed):
            return f"the name {name}"
    if _NEGATION.search(statement) and not any(_NEGATION_SAID.search(text) for text in texts):
        return "a negation"
    return ""


def find_dropped(full: str, shorter: str) -> str:
    """What a shorter wording leaves out that it must not: a name, a number, its unit, a negation or what is denied; "" when nothing.

    >>> full = "Results are kept for 60 seconds, and never in the cache."
    >>> find_dropped(full, "Kept for 60 minutes, never in the cache."), find_dropped(full, "Kept for 60 seconds: never stored.")
    ('the unit seconds', 'what is denied: cache')
    >>> find_dropped(full, "Kept 60 seconds, never in the cache.")
    ''
    """
    if lost := find_unsupported(full, [shorter]):
        return lost
    kept = content_words(shorter)
    for found in _WITH_UNIT.finditer(full):
        number, unit = re.escape(found["number"]), found["unit"]
        if not re.search(rf"{number}[ -]?{re.escape(unit.rstrip('s'))}", shorter, re.IGNORECASE):
            return f"the unit {unit}"
    for negation in _NEGATION.finditer(full):
        clause = _CLAUSE_END.split(full[negation.end() :], maxsplit=1)[0]
        denied = [word for word in _PIECE.findall(clause) if content_words(word)][:_DENIED_WORDS]
        if gone := [word for word in denied if not content_words(word) <= kept]:
            return f"what is denied: {gone[0]}"
    return ""


def denies(text: str) -> bool:
    """Whether it says in plain words what is not.

    >>> denies("Pivot tables have no routes."), denies("CSV instead of PDF")
    (True, False)
    """
    return _NEGATION.search(text) is not None


def find_names(statement: str) -> list[str]:
    """Words that name something: with a capital inside a sentence, with a sign or a digit inside, in code marks."""
    names = [name for marked in re.findall(r"`([^`\n]{1,80})`", statement) for name in _PIECE.findall(marked)]
    for found in _WORD.finditer(statement):
        word = found.group().rstrip(".:'’-/")
        is_first = _SENTENCE_START.search(statement[: found.start()]) is not None
        for part in re.split(r"[/–—]|(?<=\w)-(?=\w)", word):
            has_capital = any(letter.isupper() for letter in (part[1:] if is_first else part))
            has_capital = has_capital or (is_first and part[:1].isupper() and is_usually_capital(part))
            has_sign = re.search(r"\w[_.@:#]\w", part) is not None
            bare = part.removesuffix("'s").removesuffix("’s")
            if (has_capital or has_sign) and bare.casefold() not in _PLAIN_CAPITALS:
                names.append(bare)
    return names


def _verify_memory(
    one: AnsweredMemory,
    request: JudgeRequest,
    messages: dict[str, JudgeMessage],
    known: dict[str, str],
    find_foreign: ForeignSpans,
) -> VerifiedMemory | str:
    message = messages.get(one.message)
    if message is None:
        return "a message that was not in the request"
    span = find_quote(message.text, one.quote, find_foreign(message.text))
    if span is None:
        return NOT_SAID
    replaces = tuple(name for name in one.replaces if (name in known or name in messages) and name != one.message)
    sources = [text for other in _until(request, message) for text in (other.text, other.answer_end)]
    sources += [request.project, *(known[name] for name in replaces if name in known)]
    # what is remembered of this project names its parts: who read that the shop is called Kiosk may say so
    brought = find_unsupported(one.statement, sources, known.values())
    if brought:
        return f"{brought} that nobody said"
    return VerifiedMemory(message, *span, address_person(one.statement), one.type, one.scope, one.worth, replaces)


def _verify_change(
    one: AnsweredChange, messages: dict[str, JudgeMessage], find_foreign: ForeignSpans
) -> VerifiedChange | str:
    message = messages.get(one.message)
    if message is None:
        return "a message that was not in the request"
    foreign = find_foreign(message.text)
    if not one.quote:
        is_own = any(
            not any(start <= at < end for start, end in foreign)
            for at, char in enumerate(message.text)
            if not char.isspace()
        )
        return VerifiedChange(message, "", one.old, one.new) if is_own else NOT_SAID
    if find_quote(message.text, one.quote, foreign) is None:
        return NOT_SAID
    return VerifiedChange(message, one.quote, one.old, one.new)


def _until(request: JudgeRequest, message: JudgeMessage) -> Iterable[JudgeMessage]:
    """The messages up to this one, which is the last."""
    for other in request.messages:
        if other is message:
            yield message
            return
        yield other


def _plain_number(number: str) -> str:
    return number.rstrip(".,").replace(",", "")


def _is_said(name: str, words: set[str], squeezed: str) -> bool:
    """Whether a name was said: its pieces as words, in the singular or the plural, or written together."""
    together = "".join(_PIECE.findall(name))
    if len(together) >= _LONG_ENOUGH and (together in squeezed or together.removesuffix("s") in squeezed):
        return True
    return all(
        piece in words or piece.removesuffix("s") in words or f"{piece}s" in words or _is_mistyped(piece, words)
        for piece in _PIECE.findall(name)
    )


def _is_mistyped(name: str, words: set[str]) -> bool:
    """Whether a long name without digits was said with one letter wrong, missing or too many."""
    if len(name) < _MISTYPED_LEAST or not name.isalpha():
        return False
    return any(abs(len(word) - len(name)) <= 1 and word.isalpha() and _differ_in_one(name, word) for word in words)


def _differ_in_one(a: str, b: str) -> bool:
    start = next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
    return a[start + 1 :] == b[start + 1 :] or a[start + 1 :] == b[start:] or a[start:] == b[start + 1 :]
