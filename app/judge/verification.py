"""Whether an answer may be believed: each quote stands letter for letter in the person's own words, and a statement brings nothing new.

Pure. A quote is found up to white space, outside of what is somebody else's. A statement may hold no name, number or negation that
stands neither in a message or answer's end of the request up to that message, nor in a known memory it replaces. What fails is
dropped, with the reason; what only an answer says is marked. Source: JUDGE "Verified or dropped", issue 16 item 4.
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
from app.values import FactType

_PERSON = r"the person|you"
_USER = r"|the (?:user|developer|author|owner)"
_LITTLE = r"(?:(?:also|always|usually|strongly|really|generally|definitely|clearly) )*"
_TO_HAVE = r"(?: to (?:see|have|get|use)(?= \w))?"
_REFUSES = rf"(?:(?:does|do)(?: not|n['’]t) (?:want|like|wish(?: for)?)|dislikes?|hates?|never wants?|would(?: not|n['’]t) like){_TO_HAVE}"
_WANTS = rf"(?:wants?|wishes(?: for)?|would like){_TO_HAVE}"
_PREFERS = rf"(?:prefers?|favou?rs?|likes?|loves?|leans? (?:more )?towards?){_TO_HAVE}"
_ASKS = r"(?:wants?|asks?|asked|expects?|would like|wishes) (?:the|an|its|their|your) (?:assistant|agent) (?P<not>not )?to (?P<never>not )?"


def normalise_statement(statement: str, *, is_preference: bool = False) -> str:
    """The statement without who wants it: person and assistant read the same sentence, and "you" would be somebody else for each.

    `is_preference`: it is about the person, so that "the user" is they and no user of what is built.

    >>> normalise_statement("The person leans towards Ramda because the person would like to use it more.")
    'Preferred: Ramda because the person would like to use it more.'
    >>> normalise_statement("You don't want to see white space."), normalise_statement("The user likes posts.")
    ('Not wanted: white space.', 'The user likes posts.')
    >>> normalise_statement("The user wants the assistant to explain its plan first.", is_preference=True)
    'Explain its plan first.'
    """
    who = f"(?:{_PERSON}{_USER if is_preference else ''})"
    rest = re.match(rf"{who} {_LITTLE}{_ASKS}(?P<rest>\S.*)", statement, re.IGNORECASE | re.DOTALL)
    if rest is not None:
        act = rest["rest"]
        return f"Do not {act}" if rest["not"] or rest["never"] else act[:1].upper() + act[1:]
    for says, verbs in (("Not wanted", _REFUSES), ("Wanted", _WANTS), ("Preferred", _PREFERS)):
        rest = re.match(rf"{who} {_LITTLE}{verbs} (?P<rest>\S.*)", statement, re.IGNORECASE | re.DOTALL)
        if rest is not None:
            return f"{says}: {rest['rest']}"
    if is_preference:  # one name for one person
        return re.sub(
            rf"\b(?P<the>t)he (?:user|developer|author|owner)(?= {_LITTLE}(?:{_REFUSES}|{_WANTS}|{_PREFERS})\b)",
            lambda found: f"{found['the']}he person", statement, flags=re.IGNORECASE,
        )  # fmt: skip
    return statement


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
_ASIDE = re.compile(r" \([^()]*\)|; [^;]*[^;.](?=\.?$|;)")  # in brackets, or a clause of its own
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
_SENTENCE_BEGINS = frozenset(  # seldom anywhere else, so that their capital looks like a name's
    [
        "additionally", "although", "besides", "despite", "furthermore", "hence", "however", "moreover", "neither", "nevertheless",
        "therefore", "thus", "unless",
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
            begins = is_first and part[:1].isupper() and part.casefold() not in _SENTENCE_BEGINS
            has_capital = has_capital or (begins and is_usually_capital(part))
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
    said = [one.text for one in _until(request, message)]
    said += [request.project, *(known[name] for name in replaces if name in known)]
    # what is remembered of this project, and what was typed there before, names its parts: who read it may say them
    names = [name.casefold() for name in find_names(one.statement)]
    named = [*known.values(), *(text for text in request.earlier if any(name in text.casefold() for name in names))]
    statement, replied_to = one.statement, [*said, _answer_before(request, message)]
    answers = [*said, *(other.answer_end for other in _until(request, message))]
    for sources in (replied_to, answers):
        if find_unsupported(statement, sources, named):
            statement = _without_unsaid_asides(statement, sources, named)
    if brought := find_unsupported(statement, answers, named):
        return f"{brought} that nobody said"
    unsaid = find_unsupported(statement, said, named)
    is_from_reply = bool(unsaid) and not find_unsupported(statement, replied_to, named)
    is_preference = one.type == FactType.PREFERENCE or one.scope == "person"
    statement = normalise_statement(statement, is_preference=is_preference)
    return VerifiedMemory(
        message, *span, statement, one.type, one.scope, one.worth, replaces,
        unsaid="" if is_from_reply else unsaid, is_from_reply=is_from_reply,
    )  # fmt: skip


def _answer_before(request: JudgeRequest, message: JudgeMessage) -> str:
    """The end of the answer that the message replies to; "" where none is known."""
    before = [one for one in _until(request, message) if one is not message and one.session == message.session]
    return before[-1].answer_end if before else ""


def _without_unsaid_asides(statement: str, sources: Sequence[str], named: Sequence[str]) -> str:
    """The statement without the asides that say what nobody said, where the rest of it was said; else as it is."""

    def keep(found: re.Match[str]) -> str:
        return "" if find_unsupported(found[0].strip(), sources, named) else found[0]

    rest = _ASIDE.sub(keep, statement)
    return statement if find_unsupported(rest, sources, named) else rest


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
