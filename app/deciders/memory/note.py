"""What a conversation leaves for the next one, in at most so many characters: two to four sentences, in the person's own words.

What it was about stands first and says so ("About:"), so that nobody takes an old order for a new one; then what was learned, what was
done, what was open at the end. What was wanted last is not said: read from the words alone, it was wrong in nine of thirty-five notes.
That something was done stands there only where something shows it: a tool, a commit, the end of an answer, the person. A fault or a
thing that was only seen stands there when it was said last, or with what came of it. Whole sentences only; where they and the length do
not both fit, the length wins.
A question that nothing came of leaves nothing. Pure: knows neither store nor times. Source: S5 "Memory Creation Process", issue 17.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.deciders.conversation.episode import read_answer_end
from app.language.sentences import cut_sentences

MOST_SENTENCES = 4
_LEAST_SENTENCES = 2
_LEAST_WORDS, _LEAST_CHARS = 3, 12
_MATTER_SHARE, _MATTER_LEAST = 0.6, 60  # what it was about takes no more of the room, so that something else fits
_READ_SENTENCES = 4  # of each prompt: more is pasted
_FACTS, _COMMITS = 2, 2
_DONE_LEAST = 60  # characters of what an answer says was done
_ONE_CHARS = 160  # a longer sentence is no sentence
_PLAIN_LEAST = 0.6  # of the words: less is code
_BULLET = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,2}[.)])\s+")
_NAMED = re.compile(r"\[(?:code|diff|log|text|table|secret|quote|list)[^\]]*\]|@\w+ |```\w*")
_EMPTY_TALK = re.compile(
    r"\b(?:(?:thanks?|thank you|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|perfect|nice|good|cool|go|go on|continue|proceed|next|please|hi|hello|"
    r"hey|done|now|and|so|well|that works?|works|it works?|it'?s working|looks good|lgtm|commit|push|accept|try again)\b[\s,.!:]*)+",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:ok(?:ay)?|yes|no|great|perfect|good|hi|hello|hey|so|now|well|thanks|please|also|actually|whoops|oops|ouch|hm+|sorry|however|unfortunately|next|then|"
    r"and|but|(?:would|will|are) you (?:be )?able to|can you|could you|would you|can we|could we|let'?s|i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need (?:you )?to)\b[\s,.!:–-]*)+",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|this|these|those|them|here|above|below|following|the same|the other)\b|^that\b|\bthat(?:'s|\W*$)|\b(?:of|in|to|with|for|on|do|did|use|like) that\b",
    re.IGNORECASE,
)
_OF_THE_MOMENT = re.compile(  # said to get on, of no use to whoever comes later
    r"\bcommits?\b|\b(?:git )?push\b|\bstag(?:e|ed|ing)\b|\bscreen ?shots?\b|\btry again\b|\bfamiliari[sz]e\b|\bacquainted\b|\bcode.?block\b"
    r"|\b(?:one moment|attached|step.by.step|sequential|think|thinking|repeat|ambiguous|unclear|questions?|take action|go ahead|your reasoning|thank\w*)\b"
    r"|\bsave (?:the )?context\b|\bmove on\b|\bi stopped\b|\bswitch gears\b|\bplease advise\b|\bas (?:needed|required|necessary)\b|\bif (?:needed|required|necessary)\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:error|errors|fails?|failed|failing|failures?|broken|crash\w*|bug|wrong|truncated|clipped|clipping|missing|unable|exception|undefined|uncaught|stuck|disappear\w*|vanish\w*|freez\w*|hangs)\b"
    r"|(?:(?<!should )(?<!must )(?<!shall )\bnot|(?<!should)(?<!must)n't|\bnever|\bno longer|\bstill) (?:\w+ )?(?:work\w*|appear\w*|show\w*|see|change\w*|load\w*|run|start\w*|find|found|fixed)\b",
    re.IGNORECASE,
)
_WANTING = re.compile(
    r"(?:i|we|you|it|there|(?:the|my|our) [\w.-]+)\b.{0,30}?\b(?:want|need|should|must|would like|have to|prefer)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?:i|we|you|he|she|they|it|there|the|my|our|your|this|that|a|an|some|all|currently|still|already|looks?|based|since|as|when|if|in|on|for|after|because|recently)\b"
    r"|[a-z]+ing\b|\S+ (?:\w+ )?(?:is|are|was|were|has|have|had|does|did|seems?|looks?)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:[,(…]|\.\.\.|\b(?:with|of|the|to|and|or|a|an|by|for|from|as|follows|following|like|is|are))[\W]*\Z"
)
_TYPED = re.compile(
    r"\A(?:npm|npx|yarn|pnpm|pip|uv|git|docker|kubectl|curl|cargo|go|make|sudo|cd|brew|apt) [\w-]+\b.*(?: --?\w|@|/)|:\d+:\d+\)?\W*\Z"
)  # a command, a line of a stack
_WHERE = re.compile(r"(?:when|if|in|on|for|after|once|at|based on|since|as)\b[^,.;:]{3,80}, (?=\w)", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:it|this|that|these|those|they)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\A(?:when(?:ever)?|while|whereas|although|because|since|as|if|unless|once|until|so that|which|that)\b[^,;:]*\Z"
    r"|\A(?:with|without|including|especially|like|such as|by|via|from|of)\b[^,;:]*\Z",
    re.IGNORECASE,
)  # a sentence without what it hangs on
_CODE_WORD = re.compile(r"[\w-]*[_./\\(][\w-]|[a-z]+[A-Z]")
_CLAUSE = re.compile(
    r"[,;:](?= )| [-–(]|(?= (?:as|and|or|but|so|because|which|that|when|where|with|including|like|using|instead)\b)"
)
_JOINING = re.compile(r"[\s,]+(?:and|or|but|so|as|to|of|for|with|the|a)\s*\Z", re.IGNORECASE)
_CHANGE = re.compile(r"(?:feat|fix|docs|chore|refactor|test|style|perf|build|ci)(?:\([^)]*\))?!?:\s*", re.IGNORECASE)
_MARKS = ' .…!?“”"'
_LABEL = re.compile(r"(?:About|Open at the end|Also|Next|Committed|\w[\w ]{0,30}(?=: “)): ")
_OUTCOMES = {
    "tested": "Tests passed.",
    "completed": "Completed.",
    "implemented": "Implemented.",
    "planned": "Planned, not built yet.",
    "abandoned": "Abandoned.",
}
_GUESSED = {  # said only where the answer says nothing of what was done
    "files were changed": "Files were changed.",
    "the assistant says that it is done": "The assistant says that it is done.",
}
_BY_PERSON, _CALLED_DONE = 'the person says "', "The person called it done."
_SHOWN = {  # why an outcome was read, where that shows that something was done, as it stands in a note
    "tests passed after the last change": "Tests passed after the last change.",
    "tests passed": "Tests passed.",
    "files were changed, the last tests failed": "Files were changed; the last tests failed.",
    "changes were committed": "Changes were committed.",
    "a pull request was opened": "A pull request was opened.",
}
_PASSING = frozenset({*_OUTCOMES.values(), *_GUESSED.values(), *_SHOWN.values(), _CALLED_DONE})  # of one conversation
_UNDONE = {"planned", "abandoned"}
_FRAGMENT = 0.5  # of a sentence: what says less of it may have lost where it holds


class _Kind(StrEnum):
    """What a sentence is, in the order in which it says what a conversation was about."""

    ORDER = "order"
    REPORT = "report"
    SAID = "said"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class NoteParts:
    """What is known of a conversation. `title`: its name, a sentence of the person's or a model's; `facts`: what was learned in it, what matters most first, with importance 0..1; `prompts`: what was typed, in
    order; `outcome_reason`: why rules read the outcome, "" where the person or a model says it; `answer_end`: how the last answer ended, `app`: who gave it; `commits`: their first lines.
    """

    facts: Sequence[tuple[str, float]] = ()
    prompts: Sequence[str] = ()
    outcome: str = ""
    outcome_reason: str = ""
    next: str = ""
    commits: Sequence[str] = ()
    answer_end: str = ""
    app: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ComposedNote:
    content: str
    importance: float  # 0..1


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str  # as it was said
    kind: _Kind
    prompt: int  # number of its prompt


def compose_note(parts: NoteParts, max_chars: int) -> ComposedNote | None:
    """The note; None where nothing was said that says anything to the next conversation.

    >>> note = compose_note(NoteParts([("Exports are CSV.", 0.7)], ["please add an export button", "thanks"], "tested"), 200)
    >>> note.content
    'About: Add an export button. Tests passed. Exports are CSV.'
    >>> compose_note(NoteParts(prompts=["thanks", "ok", "commit and push"]), 200) is None
    True
    >>> compose_note(NoteParts(prompts=["How do I list files in git?"]), 200) is None
    True
    >>> compose_note(NoteParts(prompts=["The login page shows the error twice", "still not fixed: the login page shows it"]), 200).content
    'About: The login page shows the error twice. Open at the end: Still not fixed: the login page shows it.'
    """
    sentences = list(_read(parts.prompts))
    facts = [(_closed(text), weight) for text, weight in parts.facts if _is_worth_telling(text)]
    facts = [one for one in facts if not _is_fragment(one[0], parts.prompts)]
    done = list(_done(parts))
    told_end = [one] if (one := _came_of(parts) or ("" if done else _guessed(parts))) else []
    open_at_end = _open_at_end(parts, sentences)
    is_shown = bool(done or told_end or open_at_end is not None)
    matter = _matter(sentences, parts.title, len(parts.prompts) - 1, is_shown=is_shown)
    is_idle = not (facts or is_shown or parts.next)
    if is_idle and matter is not None and matter.kind is _Kind.QUESTION:
        return None
    if matter is None and not facts:
        return None
    room = max(_MATTER_LEAST, int(max_chars * _MATTER_SHARE)) if facts or done or told_end else max_chars
    first = f"About: {_cut_at_clause(_closed(matter.text), min(room, max_chars) - 7)}" if matter is not None else ""
    done = [_cut_to_room(one, max_chars - len(first) - 1) for one in done]
    facts = [one for one in facts if matter is None or not _says_same(one[0], matter.text)][:_FACTS]
    end = _end(parts, told_end, open_at_end if open_at_end is not matter else None)
    told = [first, *done, *end, *(text for text, _ in facts)]
    says_most = [one for one in told if one and one != _guessed(parts)]
    told += _others(sentences, matter) if len(says_most) < _LEAST_SENTENCES else ()
    content = _joined([one for one in told if one], max_chars)
    importance = max((weight for _, weight in parts.facts), default=0.4 if parts.outcome else 0.3)
    return ComposedNote(content, round(importance, 3)) if content else None


def _read(prompts: Sequence[str]) -> Iterator[_Sentence]:
    """The sentences of what was typed that may stand in a note."""
    for number, prompt in enumerate(prompts):
        for raw in (one.rstrip(" :") for one in sentences_of(_NAMED.sub(" ", prompt))[:_READ_SENTENCES]):
            text = _LEAD.sub("", raw, count=1) if _LEAD.match(raw) else raw
            if _is_whole(text):
                yield _Sentence(text, _kind(text, raw), number)


def _kind(text: str, raw: str) -> _Kind:
    if raw.endswith("?"):
        return _Kind.QUESTION
    if _TROUBLE.search(text):
        return _Kind.REPORT
    main = _WHERE.sub("", text, count=1)  # "in the admin part, disable it" is an order
    return _Kind.ORDER if _WANTING.match(raw) or not _TELLING.match(main) else _Kind.SAID


def _is_whole(text: str) -> bool:
    """Whether it is a sentence of somebody: no chat, no fragment, no code, no paste."""
    rest = _EMPTY_TALK.sub("", text).strip(" .,!?:")
    words = text.split()
    plain = sum(one.strip("'\"`“”’(),.;:!?-").replace("'", "").replace("-", "").isalpha() for one in words)
    is_long = len(rest) >= _LEAST_CHARS and len(rest.split()) >= _LEAST_WORDS
    is_begun = text[:1].isalnum() or text[:1] in "`'\"“_@/.~"
    return (
        not any(one.search(text) for one in (_DANGLING, _SUBORDINATE, _TYPED))
        and is_begun
        and is_long
        and plain >= _PLAIN_LEAST * len(words)
    )


def _is_worth_telling(text: str) -> bool:
    """Whether it says something that is of use later and needs no other sentence."""
    is_alone = len(text) <= _ONE_CHARS and not _POINTING.search(text) and not text.endswith("?")
    return is_alone and _is_whole(text) and not _OF_THE_MOMENT.search(text)


def _matter(sentences: Sequence[_Sentence], title: str, last: int, *, is_shown: bool) -> _Sentence | None:
    """What it was about: the sentence of the title, else the one that says most of it; None where that may be settled long since.

    That is a fault, a thing that was seen or a question of an earlier prompt than the `last`, of which nothing `is_shown` how it ended.
    """
    good = [one for one in sentences if not _OF_THE_MOMENT.search(one.text)]
    name = title.casefold().strip(" .…?!")
    found = next((one for one in good if name and name in one.text.casefold()), None)
    found = found or min(good, key=_distance, default=None)
    if found is None or is_shown or found.kind is _Kind.ORDER:
        return found
    is_newest = found.prompt == last and (found.kind is _Kind.REPORT or not last)
    return found if is_newest else None


def _is_fragment(fact: str, prompts: Sequence[str]) -> bool:
    """Whether it is a lesser part of a sentence that was said, and so may have lost where it holds.

    >>> _is_fragment("Show no old bookings.", ["In the list view, add a filter by default, ie. show no old bookings"])
    True
    """
    part = fact.rstrip(_MARKS).casefold()
    whole = (one for prompt in prompts for one in sentences_of(prompt) if part in one.casefold())
    return any(len(part.split()) < _FRAGMENT * len(one.split()) for one in whole)


def _distance(one: _Sentence) -> tuple[int, int, int]:
    """From what a conversation was about: an order or a report that needs no other sentence first, then the earlier one."""
    is_weak = one.kind in {_Kind.SAID, _Kind.QUESTION}
    is_pointing = bool(_POINTING.search(one.text)) + bool(_PRONOUN.match(one.text))
    return (is_weak + is_pointing, one.prompt, list(_Kind).index(one.kind))


def _done(parts: NoteParts) -> Iterator[str]:
    """What came of it, as commits say it, else the end of the last answer."""
    commits = [
        " ".join(_CHANGE.sub("", one).split()).rstrip(".") for one in parts.commits if _CHANGE.sub("", one).strip()
    ]
    if commits:
        yield f"Committed: {'; '.join(dict.fromkeys(commits[-_COMMITS:]))}."
        return
    end = read_answer_end(parts.answer_end)
    sentence = next((one for one in (*end.done, *end.works) if _is_worth_telling(one)), "")
    if sentence and parts.app:
        yield f"{parts.app}: “{sentence}”"


def _guessed(parts: NoteParts) -> str:
    """What speaks for an end without showing it."""
    if parts.outcome in {"implemented", "completed"} and parts.outcome_reason.startswith(_BY_PERSON):
        return _CALLED_DONE
    return _GUESSED.get(parts.outcome_reason, "")


def _cut_to_room(done: str, room: int) -> str:
    """What an answer says was done, cut where a clause ends if that leaves enough of it."""
    if len(done) <= room or room < _DONE_LEAST or not done.endswith("”"):
        return done
    return f"{_cut_at_clause(done[:-1], room - 1)}”"


def _came_of(parts: NoteParts) -> str:
    """How it ended, where the person, a model, a tool or a commit says so; "" where rules guessed it from what was said next.

    >>> _came_of(NoteParts(outcome="implemented", outcome_reason="files were changed")), _came_of(NoteParts(outcome="tested"))
    ('', 'Tests passed.')
    """
    if not parts.outcome_reason or parts.outcome in _UNDONE:
        return _OUTCOMES.get(parts.outcome, "")
    return _SHOWN.get(parts.outcome_reason, "")


def _open_at_end(parts: NoteParts, sentences: Sequence[_Sentence]) -> _Sentence | None:
    """The fault that the last prompt names, unless it is known that it was settled."""
    last = len(parts.prompts) - 1
    reports = [one for one in sentences if one.kind is _Kind.REPORT and one.prompt == last]
    reports.sort(key=lambda one: _POINTING.search(one.text) is None)  # "it doesn't work" says less than what is seen
    return reports[-1] if reports and parts.outcome not in {"tested", "completed"} else None


def _end(parts: NoteParts, came_of: Sequence[str], open_at_end: _Sentence | None) -> Iterator[str]:
    """How it ended, and what was open."""
    if open_at_end is not None:
        yield f"Open at the end: {_closed(open_at_end.text)}"
    else:
        yield from came_of
    if parts.next:
        yield _closed(f"Next: {parts.next}")


def _others(sentences: Sequence[_Sentence], matter: _Sentence | None) -> list[str]:
    """What else was wanted, the latest first."""
    orders = [one for one in sentences if one.kind is _Kind.ORDER and one is not matter]
    return [f"Also: {_closed(one.text)}" for one in reversed(orders) if _is_worth_telling(one.text)]


def _joined(wanted: Sequence[str], max_chars: int) -> str:
    """As many whole sentences as fit, each thing once; the first in any case."""
    taken: list[str] = []
    left = max_chars
    for one in wanted:
        is_new = not any(_says_same(one, other) for other in taken)
        if len(taken) < MOST_SENTENCES and is_new and (len(one) <= left or not taken):
            taken.append(_cut_at_word(one, left))
            left -= len(taken[-1]) + 1
    return " ".join(taken)


def cut_note(text: str, max_chars: int) -> str:
    """A text as one paragraph of at most so many characters: whole sentences if it can be, else cut at a word.

    >>> cut_note("Exports are CSV.\\nDates are ISO.", 20), cut_note("Exports are comma separated", 20)
    ('Exports are CSV.', 'Exports are comma…')
    """
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    kept = ""
    for sentence in cut_sentences(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > max_chars:
            break
        kept = longer
    return kept or _cut_at_word(line, max_chars)


def sentences_of(text: str) -> list[str]:
    """The sentences of a note, without marks of lists.

    >>> sentences_of("- Exports are CSV. Dates are ISO.")
    ['Exports are CSV.', 'Dates are ISO.']
    """
    found = (" ".join(_BULLET.sub("", one).split()) for one in cut_sentences(text.strip()))
    return [one for one in found if one]


def note_contents(text: str) -> list[str]:
    """What was said, of the sentences of a note: without what names them, quotes and marks at the end.

    >>> note_contents("About: Add an export button. Committed: Add CSV; Fix dates. Codex: “All tests pass.”")
    ['Add an export button', 'Add CSV', 'Fix dates', 'All tests pass']
    """
    sentences = (_LABEL.sub("", one) for one in sentences_of(text))
    return [piece.strip(_MARKS) for one in sentences for piece in one.split("; ")]


def lasting_contents(text: str) -> list[str]:
    """Of what a note says, what is meant to hold from then on: not what was asked, done, committed or open at that time.

    >>> lasting_contents("About: Fix the dates. Committed: Dates are ISO. Tests passed. Dates are ISO. Open at the end: One test fails.")
    ['Dates are ISO']
    """
    kept = [one for one in sentences_of(text) if _LABEL.match(one) is None and one not in _PASSING]
    return [piece.strip(_MARKS) for one in kept for piece in one.split("; ")]


def without_contents(text: str, is_gone: Callable[[str], bool]) -> str:
    """The note without what `is_gone` says of its parts, "" where nothing is left.

    >>> without_contents("About: Add CSV; Fix dates. Mails are queued.", lambda said: said == "Add CSV")
    'About: Fix dates. Mails are queued.'
    """
    kept = []
    for sentence in sentences_of(text):
        label = _LABEL.match(sentence)
        start = label.end() if label is not None else 0
        pieces = sentence[start:].split("; ")
        left = [one for one in pieces if not is_gone(one.strip(_MARKS))]
        if len(left) == len(pieces):
            kept.append(sentence)
        elif left:
            kept.append(_closed(sentence[:start] + "; ".join(left)))
    return " ".join(kept)


def _says_same(one: str, other: str) -> bool:
    """Whether one says all that the other does."""
    first, second = (set(re.findall(r"\w+", _LABEL.sub("", text).casefold())) for text in (one, other))
    return first <= second or second <= first


def _closed(sentence: str) -> str:
    """With a capital letter, unless it begins with a name of code, and a stop."""
    sentence = sentence.strip()
    first = sentence if _CODE_WORD.match(sentence) else sentence[:1].upper() + sentence[1:]
    return first if first.endswith((".", "!", "?", "…")) else f"{first.rstrip(' ,;:')}."


def _cut_at_clause(text: str, most: int) -> str:
    """A sentence that is too long ends where a clause does, if that fills half of the room; else at a word. It shows that it was cut."""
    if len(text) <= most:
        return text
    ends = [found.start() for found in _CLAUSE.finditer(text) if most // 2 <= found.start() < most - 1]
    return f"{_JOINING.sub('', text[: ends[-1]]).rstrip(' ,;:')}…" if ends else _cut_at_word(text, most)


def _cut_at_word(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    return f"{(head[:at] if at > most // 2 else head).rstrip(' ,;:')}…"
