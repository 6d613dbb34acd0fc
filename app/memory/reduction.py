"""A sentence reduced to what it says: its content words, who does it, what stands on either side of "before" or "over".

Owns how English turns one thing round: passive, converse phrases ("reserved for", "not without"), measures, irregular verbs.
Must not know how two of them are compared, nor slots. Source: S4; paraphrases as sorted by Bhagat & Hovy 2013.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from app.memory.likeness_rules import LikenessRules, ParaphraseRules
from app.memory.rules import MemoryRules
from app.memory.stems import NEGATION, plain_words, stem

_SHORTENED = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(it|that|there|here|what|who)'s\b", r"\1 is"),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\b(i|we|you|they)'(?:ve|d|ll)\b", r"\1"),
        (r"(\w)'s\b", r"\1"),
        (r"\bhalf an hour\b", "30 minutes"),
        (r"\b(?:a )?quarter of an hour\b", "15 minutes"),
        (r"\ban? (second|minute|hour|day|week|month|year)\b(?= (?:old|long|ago)|$)", r"1 \1"),
        (r"(?<=\d)[,'_](?=\d{3}\b)", ""),
        (r"\b(\d+) ?k\b", r"\g<1>000"),
        (r"(?<=\d)-(?=[a-z])", " "),
        (r"(?<=\d) ?mins?\b", " minutes"),
    )
)
_WITHOUT = re.compile(r"^(?:please )?(?:do not|never|no) (?P<act>.+?) (?:without|unless)(?: you have)? (?P<need>.+)$")
_NOT_BEFORE = re.compile(r"^(?:please )?(?:do not|never) (?P<act>.+?) (?:before|until|till) (?P<need>.+)$")
_COMES_FIRST = re.compile(r"^(?P<need>.+?) first,? (?P<rest>before .+)$")
_ONLY_FOR = re.compile(
    r"^(?P<act>.+?) (?:is|are) (?:reserved|restricted|limited|only allowed|only permitted|only open|allowed only|only possible) (?:for|to) (?P<who>\D[^,]*)$"
)
_BY_AGENT = re.compile(
    r"^.+? (?:is|are|be|been|being|was|were|gets?|got) (?:\w+ )?(?P<done>\w+) (?:\w+ )?by (?P<agent>\D.*)$"
)
_FROM_AGENT = re.compile(r"^.+? (?:come|comes|go|goes)(?P<done>) (?:from|to) (?P<agent>\D.*)$")
_BE = frozenset({"is", "are", "be", "been", "being", "was", "were", "get", "gets", "got"})
_COPULA = frozenset({"is", "are", "be", "was", "were"})
_NOBODY = frozenset({"we", "i", "you", "please", "user", "let", "lets"})
_DETERMINERS = frozenset({"the", "a", "an", "our", "my", "all", "every", "each", "any", "no", "this", "these"})
_WISH = re.compile(r"^(?:we|i) (?:want|would like|target|aim)\b.*\d")
_BOUNDED = frozenset({"only", "maximum", "minimum", NEGATION})
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
        ]
    )
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
_SECONDS = {"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?\Z")
_NO_CONTENT = frozenset({"", ",", NEGATION})
_JOINT = {
    joint: kind
    for kind, joints in {
        "in": ("in", "on", "at"),
        "with": ("with", "by", "via", "using"),
        "for": ("for",),
        "from": ("from",),
        "to": ("to", "into", "onto"),
    }.items()
    for joint in joints
}
_ENDS = frozenset({",", "in", "on", "at", "as", *_BE})
_UNNAMED = frozenset({"it", "they", "them", "he", "she"})
_LIKERS = frozenset({"prefers", "prefer", "wants", "want", "likes", "like", "expects", "asks", "asked"})
_PEOPLE = frozenset({"user", "users", "people", "person"})
_GROUPS = frozenset({"project", "team"})  # weak as "the project" only
_AND = re.compile(r"\b(?:and|or|but|while|whereas)\b|;")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence reduced to what it says."""

    words: tuple[str, ...]  # content, in order
    negation_count: int
    sides: tuple[tuple[str, frozenset[str], frozenset[str]], ...]  # of "before", "over", …
    pointed: tuple[tuple[str, frozenset[str]], ...]  # ("to", the content words after it)
    is_open: bool  # a question, or about something that it does not name
    agent: str  # who does it, when that is said: the first content word of it
    is_active: bool  # the agent stands first, before its verb
    is_joined: bool  # more than one clause
    segments: frozenset[frozenset[str]]  # between commas
    tense: frozenset[str]  # verbs that are told as past
    joints: Mapping[tuple[str, str], str]  # two content words side by side -> the kind of preposition between them


@lru_cache(maxsize=4096)
def reduce_sentence(text: str, rules: MemoryRules) -> Said:
    """What `text` says, for `say_the_same`."""
    plain = _plain(text)
    folded = _fold(_turn(plain), rules.likeness)
    tokens = list(_content(folded, rules.likeness, is_question="?" in text))
    words = tuple(word for word, _ in tokens if word not in _NO_CONTENT)
    kept = words if not (_WISH.match(plain) and "goal" not in words) else ("goal", *words)
    agent, is_active = _agent(plain, kept, rules)
    return Said(
        words=_join_only(kept),
        negation_count=sum(word == NEGATION for word, _ in tokens),
        sides=tuple(_sides(folded, rules.likeness)),
        pointed=tuple(_pointed(folded, rules.likeness)),
        is_open="?" in text or not _UNNAMED.isdisjoint(plain.split()),
        agent=agent,
        is_active=is_active,
        is_joined=_AND.search(plain) is not None,
        segments=frozenset(_segments(tokens)),
        tense=frozenset(_past_verbs(plain)),
        joints={(was, word): _JOINT[joint] for (was, _), (word, joint) in pairwise(tokens) if joint in _JOINT},
    )


def _plain(text: str) -> str:
    plain = " ".join(text.replace("’", "'").casefold().replace("`", " ").split()).rstrip(".! ")
    for pattern, words in _SHORTENED:
        plain = pattern.sub(words, plain)
    return plain


def _turn(plain: str) -> str:
    """Converse phrases turned one way: "not A without B" is "B before A", "A is reserved for B" is "only B A"."""
    found = _WITHOUT.match(plain) or _NOT_BEFORE.match(plain)
    if found is not None:
        return f"{found['need']} before {found['act']}"
    found = _COMES_FIRST.match(plain)
    if found is not None:
        return f"{found['need']} {found['rest']}"
    found = _ONLY_FOR.match(plain)
    return f"only {found['who']} {found['act']}" if found is not None else plain


def _fold(plain: str, rules: LikenessRules) -> list[str]:
    """Words with synonyms folded; commas stay, as words of their own."""
    said = rules.paraphrase
    parts = [f" {' '.join(plain_words(part))} " for part in plain.split(",")]
    words: list[str] = []
    for number, part in enumerate(parts):
        told = part
        for phrase in said.light_phrases:
            told = told.replace(f" {phrase} ", " ")
        for phrase, name in (*said.phrases, *rules.phrases):
            if phrase in told:
                told = told.replace(f" {phrase} ", f" {name} ")
        words.extend([","] if number else [])
        words.extend(said.same.get(word, word) for word in told.split())
    return words


def _content(folded: Sequence[str], rules: LikenessRules, *, is_question: bool) -> Iterator[tuple[str, str]]:
    """Content words, negations and commas, each with the word just before it."""
    weak = rules.weak if is_question else rules.weak | rules.modals
    names = {rules.same.get(word, word) for word in folded}
    is_bounded = bool(names & _BOUNDED) or not names.isdisjoint(rules.negations)
    before = ""
    skip = 0
    for place, word in enumerate(folded):
        if skip:
            skip -= 1
            continue
        name = rules.same.get(word, word)
        number = _number(word)
        unit = stem(rules.same.get(folded[place + 1], folded[place + 1])) if place + 1 < len(folded) else ""
        seconds = next((value for one, value in _SECONDS.items() if stem(one) == unit), None)
        if number is not None and seconds is not None:
            yield f"{number * seconds:g}sec", before
            skip = 1
        elif number is not None:
            yield f"{number:g}", before
        elif word == ",":
            yield ",", before
        elif name in rules.negations and word != "stop":
            yield NEGATION, before
        elif not _is_light(word, name, place, folded, weak, rules.paraphrase, is_bounded=is_bounded):
            yield stem(name), before
        if word not in _DETERMINERS:
            before = word


def _is_light(
    word: str,
    name: str,
    place: int,
    folded: Sequence[str],
    weak: frozenset[str],
    said: ParaphraseRules,
    *,
    is_bounded: bool,
) -> bool:
    if word == "every" and place + 1 < len(folded) and _number(folded[place + 1]) is not None:
        return False  # "every 3 minutes"
    if word in _PEOPLE and not (place <= 1 and not _LIKERS.isdisjoint(folded[place + 1 : place + 3])):
        return False
    if word in _GROUPS:
        return False
    if word == "new":
        return "add" in folded
    if word == "may":
        return is_bounded
    return word in weak or name in weak or word in said.light or name in said.light or word in said.connectives


def _number(word: str) -> float | None:
    digits = _NUMBERS.get(word, word)
    return float(digits.replace(",", ".")) if _NUMBER.match(digits) else None


def _join_only(words: Sequence[str]) -> tuple[str, ...]:
    """ "only" belongs to the word after it: "only admins delete" is not "admins only delete"."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "onli":
            joined[-1] = f"only+{word}"
        else:
            joined.append(word)
    return tuple(joined)


def _sides(folded: Sequence[str], rules: LikenessRules) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    text = " ".join(folded)
    for word in rules.paraphrase.connectives:
        left, found, right = f" {text} ".partition(f" {word} ")
        if not found:
            continue
        if not left.strip():  # "before you push, run …"
            right, _, left = right.partition(" , ")
        sides = [
            frozenset(one for one, _ in _content(side.split(), rules, is_question=False) if one not in _NO_CONTENT)
            for side in (left, right)
        ]
        if word == "after":
            yield "before", sides[1], sides[0]
        else:
            yield word, sides[0], sides[1]


def _pointed(folded: Sequence[str], rules: LikenessRules) -> Iterator[tuple[str, frozenset[str]]]:
    """Each "to", "per", "from" with the content words up to the next preposition or verb."""
    pointers = rules.paraphrase.pointers
    for place, word in enumerate(folded):
        if word not in pointers:
            continue
        rest = folded[place + 1 :]
        end = next((at for at, one in enumerate(rest) if one in pointers or one in _ENDS), len(rest))
        target = frozenset(one for one, _ in _content(rest[:end], rules, is_question=False) if one not in _NO_CONTENT)
        if target:
            yield word, target


def _segments(tokens: Sequence[tuple[str, str]]) -> Iterator[frozenset[str]]:
    current: set[str] = set()
    for word, _ in [*tokens, (",", "")]:
        if word == ",":
            if current:
                yield frozenset(current)
            current = set()
        else:
            current.add(word)


def _agent(plain: str, words: Sequence[str], memory_rules: MemoryRules) -> tuple[str, bool]:
    """Who does it, and whether the sentence is active with that one as its subject."""
    rules = memory_rules.likeness
    said = rules.paraphrase
    found = _BY_AGENT.match(plain)
    if found is None:
        found = _FROM_AGENT.match(plain)
    if found is not None and (not found["done"] or _is_participle(found["done"], said)):
        named = [word for word, _ in _content(_fold(found["agent"], rules), rules, is_question=False)]
        return (named[0] if named else ""), False
    tokens = plain_words(plain)
    if not tokens or not words or tokens[0] in _NOBODY or ":" in plain:
        return "", False
    if any(one in _COPULA and other.endswith("ing") for one, other in pairwise(tokens)):
        return words[0], True  # "the woman is lifting …"
    if not _COPULA.isdisjoint(tokens):
        return "", False
    if any(one in _BE and _is_participle(other, said) for one, other in pairwise(tokens)):
        return "", False
    if tokens[0] in memory_rules.clauses.orders | said.orders or (
        not _PEOPLE.isdisjoint(tokens[:2]) and not _LIKERS.isdisjoint(tokens[:4])
    ):
        return "", False
    if tokens[0] in _DETERMINERS or (tokens[0].endswith("s") and not tokens[0].endswith("ss")):
        return words[0], True
    if any(word.endswith("s") and len(word) > 3 and place for place, word in enumerate(tokens[:4])):
        return words[0], True  # "Prometheus collects"
    return "", False


def _is_participle(word: str, said: ParaphraseRules) -> bool:
    return word.endswith("ed") or word in said.participles


def _past_verbs(plain: str) -> Iterator[str]:
    """Verbs told as past: "releases happened", not "are released", "a cached value" or "files updated by hand"."""
    tokens = plain_words(plain)
    if not _BE.isdisjoint(tokens) or "have" in tokens or "has" in tokens:
        return
    for place, word in enumerate(tokens):
        if word.endswith("ed") and len(word) > 4 and place and tokens[place - 1] not in _DETERMINERS:
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            if following in {"", "on", "in", "at", "to", "the", "a", "an", "our"}:
                yield stem(word)
