"""What a message says in so many words holds no longer: "move away from X", "rename all Y to Z", "we no longer use X", "remove X".

Reads the person's own sentences, the ways stand in `reversals.yaml`; says of a known memory whether it is that which is given up:
it has the words of what is given up, and neither denies them nor gives them up itself. A rename
closes the name, not the rule: what the memory says goes on under the new one. Knows no store. Source: issue 16,
"real changes of mind that were heard"; JUDGE "A later message may
replace, remove, rename or flip something".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from app.language.likeness import plain_words
from app.language.sentences import Sentence
from app.language.stems import stem
from app.resources import load_rules

_READ_CHARS = 240  # of a sentence: what is given up stands near the word that says so
_MOST_WORDS = 9  # more words name no one thing
_LEAST_SHARED = 2
_LEAST_RATIO = 0.65
# "Remove past events from the page" may be an order for today, "write comments in German" is not all comments; "remove the wait of
# 10 seconds" names its thing.
_LEAST_RATIO_WHOLE = 1.0
_NUMBER = re.compile(r"(?<![\w./-])\d+(?![\w./-])")
_LEAST_OF_MEMORY = 0.3  # a single plain word has to be so much of the memory
_NAME = re.compile(r"[A-Z_.@#/0-9]")
_DENIED = re.compile(r"\b(?:not|never|no|none|without|avoid)\b|n't\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:()]|\s[-–]\s|\.\s|\b(?:and|but|so that|because)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\?[\"')\s]*$|^(?:and |but |so |ok,? )*(?:what|how|why|which|where|when|who|should|is|are|do|does|did)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:and|but|so|from|using) ", re.IGNORECASE)
_JOINED = re.compile(r"(?:or|and) ", re.IGNORECASE)  # "remove or update it": of something said before
_POINTS = re.compile(r"(?:it|this|that|these|those|them|they)\b(?! \w+s?\b)|them\b", re.IGNORECASE)
_PIECES = re.compile(r"[_\-./@#]+")
_NOTHING: frozenset[str] = frozenset()
_AND = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or|as well as)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reversal:
    """What is given up, as stems; what takes its place, "" when nothing is named; where the sentence stands."""

    old: str
    new: str
    start: int
    end: int
    is_work: bool  # may be one piece of work only
    is_act: bool = False  # what is given up is something done: `old` begins with its verb
    is_report: bool = False  # tells what happened, and not that it shall stay so

    @property
    def words(self) -> frozenset[str]:
        return subject_words(self.old)

    @property
    def things(self) -> tuple[frozenset[str], ...]:
        """The words of all that is given up, of each of several ("the tax tables and the fee columns"), and of what an act is done to."""
        things = _things_of(self.old)
        done_to = subject_words(self.old.removeprefix("not ").partition(" ")[2]) if self.is_act else _NOTHING
        return (*things, done_to) if len(done_to) >= _LEAST_SHARED else things


def find_reversals(sentences: Sequence[Sentence]) -> tuple[Reversal, ...]:
    """What the sentences give up, in order; nothing of what is asked or quoted.

    >>> text = "please move away from the temp tasks table. Should we remove redis?"
    >>> from app.language.sentences import split_sentences
    >>> [(one.old, one.is_work) for one in find_reversals(split_sentences(text))]
    [('the temp tasks table', False)]
    """
    return tuple(found for one in sentences if not one.is_quoted for found in _read(one))


def superseded_by(reversal: Reversal, text: str) -> float:
    """How surely a memory of this text is what is given up, 0..1; 0 where it is another, or says itself that it is given up.

    >>> from app.language.sentences import split_sentences
    >>> (one,) = find_reversals(split_sentences("remove the wait of 10 seconds between retries"))
    >>> superseded_by(one, "Jobs are not retried at once: wait 10 seconds between retries."), superseded_by(one, "Do not wait 10 seconds between retries.")
    (1.0, 0.0)
    """
    known = subject_words(text)
    is_name = _NAME.search(reversal.old) is not None
    is_loose = (reversal.is_work or reversal.is_act) and not _shares_number(reversal.old, text)
    least = _LEAST_RATIO_WHOLE if is_loose else _LEAST_RATIO
    if not any(_share_of(wanted, known, _NOTHING, least, is_name=is_name) for wanted in reversal.things):
        return 0.0  # most memories: the rest of their words is not read
    is_denial = _denies(reversal.old)
    if is_denial and not _denies(text):
        return 0.0
    denied = frozenset[str]() if is_denial else _denied_words(text)
    news = subject_words(reversal.new) - reversal.words
    if news and news <= known:  # it says what holds instead
        return 0.0
    reversed_words = frozenset(word for one in _read(Sentence(text, 0, len(text))) for word in one.words)
    subjects = [one for one in reversal.things if 2 * len(one & known & denied) < len(one & known)]
    return max((_share_of(wanted, known, reversed_words, least, is_name=is_name) for wanted in subjects), default=0.0)


def _shares_number(old: str, text: str) -> bool:
    numbers = set(_NUMBER.findall(old))
    return bool(numbers) and not numbers.isdisjoint(_NUMBER.findall(text))


def says_it_replaces(sentence: str) -> bool:
    """Whether a statement says in its own sentence that it takes the place of what was said before.

    >>> says_it_replaces("From now on use spaces."), says_it_replaces("Use spaces.")
    (True, False)
    """
    return bool(replacing_words(sentence))


def replacing_words(sentence: str) -> str:
    """The words that say so, "" for none.

    >>> replacing_words("From now on use spaces.")
    'From now on'
    """
    found = _replaces().search(sentence)
    return found[0].strip(" ,.;:") if found is not None else ""


@cache
def _replaces() -> re.Pattern[str]:
    return re.compile(str(load_rules("reversals")["replaces"]), re.IGNORECASE)


@lru_cache(maxsize=16)  # held against each memory of a project
def _things_of(old: str) -> tuple[frozenset[str], ...]:
    several = [subject_words(one) for one in _AND.split(old)]
    named = [one for one in several if len(one) >= _LEAST_SHARED]  # "and their routes" names nothing alone
    return (subject_words(old), *named) if len(several) > 1 else (subject_words(old),)


def _denied_words(text: str) -> frozenset[str]:
    """The words of the clauses that say what is not: of those a memory says the opposite."""
    return frozenset(word for one in _CLAUSE_END.split(text) if _denies(one) for word in subject_words(one))


def _share_of(
    wanted: frozenset[str], known: frozenset[str], reversed_words: frozenset[str], least: float, *, is_name: bool
) -> float:
    """The share of the wanted words that the memory has; 0 where too few, or where it says itself that they are given up."""
    shared = wanted & known
    is_named = is_name or len(shared) >= _LEAST_OF_MEMORY * len(known)
    is_enough = len(shared) >= _LEAST_SHARED or (is_named and shared == wanted)
    if not shared or not is_enough or shared <= reversed_words:
        return 0.0
    ratio = len(shared) / len(wanted)
    return ratio if ratio >= least else 0.0


def subject_words(text: str) -> frozenset[str]:
    """Stems of the words that name something, names taken apart.

    >>> sorted(subject_words("the agent_test_jobs tables"))
    ['agent', 'job', 'tabl', 'test']
    """
    weak = _weak()
    pieces = (piece for word in plain_words(text) for piece in _PIECES.split(word))
    return frozenset(stem(piece) for piece in pieces if len(piece) > 1 and piece not in weak)


def _denies(text: str) -> bool:
    return _DENIED.search(text) is not None


def _read(sentence: Sentence) -> Iterator[Reversal]:
    text = sentence.text[:_READ_CHARS].replace("’", "'")
    if _ASKED.search(sentence.text):
        return
    taken: list[tuple[int, int]] = []
    is_report = _reports().search(text) is not None
    for pattern, is_work, is_act, is_lifted, is_subject in _patterns():
        for found in pattern.finditer(text):
            start, end = found.span("old")
            moved = found.groupdict().get("moved") or ""
            said = text[start:end]
            if is_subject:
                said = _clause_starts().sub("", said)
            if not is_lifted:  # "push to main": all of it is allowed
                said = _ends().sub("", said)
            old = _LEADING.sub("", said.strip(" `\"'.:!"))
            old = f"{moved} {old}".strip()
            words = subject_words(old)
            if (
                not words
                or _POINTS.match(old)
                or (_JOINED.match(text[start:end]) and is_work)
                or len(words) > _MOST_WORDS
                or any(start < stop and end > begin for begin, stop in taken)
            ):
                continue
            taken.append((start, end))
            new = (found.groupdict().get("new") or "").strip(" `\"'.:!")
            old = f"not {old}" if is_lifted else old
            yield Reversal(old, new, sentence.start, sentence.end, is_work, is_act, is_report)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], bool, bool, bool, bool], ...]:
    return tuple(
        (
            re.compile(str(one["match"]), re.IGNORECASE),
            bool(one.get("is_work")),
            bool(one.get("is_act")),
            bool(one.get("is_lifted")),
            bool(one.get("is_subject")),
        )
        for one in load_rules("reversals")["ways"]
    )


@cache
def _reports() -> re.Pattern[str]:
    return re.compile(str(load_rules("reversals")["reports"]), re.IGNORECASE)


@cache
def _clause_starts() -> re.Pattern[str]:
    return re.compile(str(load_rules("reversals")["clause_starts"]), re.IGNORECASE)


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(str(load_rules("reversals")["ends"]), re.IGNORECASE)


@cache
def _weak() -> frozenset[str]:
    return frozenset(load_rules("reversals")["weak"])


_NAME_IN_CODE = re.compile(r"(?=[\w./@#-]*(?:[_./@#0-9]|(?<=\w)[A-Z]))[\w@#][\w./@#-]*")
_PAIR = re.compile(
    r"(?P<old>[\w@#][\w./@#-]*)[`\"']? (?:(?:is|was|gets|has been|now) )*(?:renamed)(?: (?:to|as|into))? [`\"']?(?P<new>[\w@#][\w./@#-]*)"
    r"|\brenam(?:e|ed|es|ing) [`\"']?(?P<old2>[\w@#][\w./@#-]*)[`\"']? (?:to|as|into) [`\"']?(?P<new2>[\w@#][\w./@#-]*)",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(
    r"\b(?:re-?nam(?:e|ed|es|ing)|call(?:ed)? (?:it|them|this|that)|is now called|new name)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_SAID = 4  # words beside the name


def read_renames(message_text: str) -> list[tuple[str, str]]:
    """Old and new names of which the words say so themselves.

    >>> read_renames("CartStore is renamed BasketStore, since it holds baskets. Rename cart_rows to basket_rows.")
    [('CartStore', 'BasketStore'), ('cart_rows', 'basket_rows')]
    """
    pairs = ((one["old"] or one["old2"], one["new"] or one["new2"]) for one in _PAIR.finditer(message_text))
    return [(old.rstrip("./-"), new.rstrip("./-")) for old, new in pairs]


def say_with_new_name(text: str, old: str, new: str, message_text: str) -> str:
    """The text with the new name; "" where it is no rename, or where the text says no more than the name.

    `message_text`: the words of the message that reports it.

    >>> say_with_new_name("CartStore objects are closed after each request.", "CartStore", "BasketStore", "please rename it")
    'BasketStore objects are closed after each request.'
    >>> say_with_new_name("CartStore is the name of the store.", "CartStore", "BasketStore", "use BasketStore instead")
    ''
    """
    names = (old.strip("`\"' "), new.strip("`\"' "))
    if (
        names[0] == names[1]
        or not all(_NAME_IN_CODE.fullmatch(name) for name in names)
        or _SAYS_SO.search(message_text) is None
    ):
        return ""
    place = re.compile(rf"(?<![\w./@#-]){re.escape(names[0])}(?![\w@#-])")
    beside = _WORD.findall(place.sub(" ", text))
    if place.search(text) is None or len(beside) < _LEAST_SAID or names[1] in text:
        return ""
    return place.sub(lambda _: names[1], text)
