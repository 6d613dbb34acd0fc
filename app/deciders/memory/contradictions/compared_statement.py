"""A statement as it is compared for contradictions: its clauses, the stems of what they are about, and every value in them.

Values are quantities in base units, dates, versions, places, technologies and products, persons, and words of which one excludes the other.
Pure; decides nothing. Source: issue 17 "the same relation with another object, numbers with units, versions, exclusive choices".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import pairwise

from app.deciders.memory.contradictions.rules import ContradictionRules
from app.deciders.memory.rules import MemoryRules
from app.deciders.memory.slots.rules import SlotRules, normal_name
from app.language.likeness import plain_words
from app.language.stems import stem
from app.values.fast_values import maker

MAX_CHARS = 700  # of longer texts the beginning is read: what is decided stands there
MAX_CLAUSES = 10
_CLAUSE = re.compile(r"[.;!?](?:\s+|$)|,\s+|\s+[–—-]\s+|\s*\(|\)|:\s+(?!\d)|\s+(?:but|so that|because)\s+|\n+")
_NUMBER = re.compile(r"^\d+(?:[.,]\d+)*$")
_VERSION = re.compile(r"^v?\d+(?:\.\d+)+$")
_CLOCK = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)$")
# "no upload may take longer than a minute" is a bound as "at most a minute" is, and denies nothing
_BOUNDED = re.compile(
    r"\b(?:no|not|never|nobody|cannot)\b[^.;]{0,60}?\b(?:more|longer|fewer|less|larger|bigger|higher|lower|older|later|earlier) than\b"
)
_GLUED = re.compile(r"^(\d+(?:[.,]\d+)?)([a-z]{1,4})$")
_PLACE = re.compile(r"^(?:https?:)?[~./]*[\w@.-]*(?:/[\w@.*-]+)+/?$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}$")
_NAME_VERSION = re.compile(r"^([a-z][a-z+#]*?)(\d{1,4})$")
_NAME = re.compile(r"^(?:[A-Z][a-z]+[\w+#]*|[A-Z]{2,}\d*|[A-Z]\w*[A-Z]\w*)$")
_TOKEN, _TOKEN_AND = re.compile(r"[\w.+#/-]*[\w+#]"), re.compile(r"[\w.+#/&-]*[\w+#]")
_TOWN = re.compile(r"\b(?:in|at|from) ([A-Z][a-z]{3,})\.?$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(-])")
_SLUG = re.compile(r"\b[a-z]+(?:-[a-z]+){2,}\b")
_STYLED = re.compile(r"-(?:style|based|first|only)$")
_MODALS = frozenset({"can", "could", "may", "might", "cannot", "would"})
_PERSON = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+\b")
_DAY_NAME = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?$")
_FIRST_NAME = re.compile(
    r"^(?:Dr\.? |Mr\.? |Ms\.? |Mrs\.? |team )?([A-Z][a-z]+)(?:'s (?:job|turf|task)|\s+(?:owns|maintains|leads|reviews|approves|signs off|handles|runs|looks after|is responsible|is in charge|is the|is (?:product )?owner|takes care|took over|has taken over))\b"
)
PREPOSITIONS = frozenset({"of", "for", "in", "on", "at", "under", "during", "within", "per"})
NEGATIONS = frozenset(
    {"not", "no", "never", "without", "nor", "none", "neither", "cannot", "nobody", "nothing", "stop", "unless"}
)
_DENIED = frozenset({"nobody", "none", "nothing"})
ARTICLES = frozenset({
    "a", "an", "the", "our", "my", "your", "their", "his", "her", "its", "this", "that", "these", "those", "some", "all", "we're", "i'm", "it's",
    "that's", "there's", "they're", "he's", "she's", "i've", "we've"
})  # fmt: skip
_AGAIN = frozenset({"interval", "intervals", "frequency", "cadence", "poll", "polls", "polled", "polling"})
_EVERY, _ONE = frozenset({"every", "each", "per"}), frozenset({"a", "an"})
_DECIMAL = re.compile(r"^\d+\.\d+$")
_BEFORE_STOP = frozenset({"", "to", "must", "should", "please", "we", "i", "and", "shall", "will"})
_NO_COUNTED = frozenset(
    {"and", "for", "per", "from", "with", "till", "until", "new", "more", "only", "because", "than", "times"}
)
_BOUND = frozenset(
    {"to", "with", "in", "on", "by", "via", "through", "using", "use", "uses", "is", "from", "chose", "take"}
)
NONE: frozenset[int] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()
_WISHED = re.compile(r"\b(?:wants?|likes?|prefers?|loves?|hates?|favou?rs?)\b")
_UNWANTED = re.compile(r"\b(?:do not|don't|never|does not|doesn't) (?:want|wish)\b")  # a ban, no wish
_PAST = re.compile(
    r"^(?:before|until|till|in|at|during|for|back) [^,]*?,? ?[^,]*?\b(?:was|were|had|ran|lived|used)\b|\b(?:was|were)\b[^,]* (?:before|until|till|back then)\b"
)

_PERIOD = re.compile(
    r"\b(?:in|since|until|till|with|during|before|after|from|for|under) (?:version |v|release )(\d[\w.]*)"
    r"|^(?:version |v|release )(\d[\w.]*) (?:used|uses|had|has|kept|keeps|stored|stores|was|wrote|writes|shipped|ran|runs)\b"
)
_EARLIER = frozenset({"old", "last", "previous", "former", "earlier"})
_WHICH = re.compile(r"\b(old|last|previous|former|earlier|new|this|next|current|coming) ([a-z]{3,})\b")
_TODAY = frozenset({"today", "now", "at the moment", "right now"})
_DAY = re.compile(r"(yesterday|today|now|right now|at the moment|last \w+|the day before)\b")
_POINTING = re.compile(
    r"(?:it|they|them|he|she)\b(?!')|(?:this|that|these|those)(?: one| ones)? (?:is|are|was|were|has|have|should|must|can|will|needs?|takes?|only|goes|runs)\b"
    r"|(?:please )?(?:make|set|move|put|turn|change|take|keep|leave) (?:it|that|this|them|those|these)\b(?! \w+ (?:is|are))"
)
_HABIT = re.compile(
    r"(?:(?P<me>I|We|The user)|(?P<who>[Mm]y \w+|(?:The|Our) (?:designer|tester|manager|boss|client|customer)s?))"
    r" (?:mostly |usually |always |still |now )?(?:use|prefer|like|love|work|write|code|want|develop)s? "
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: the stems of what it is about, the values in it, and whether it denies."""

    text: str  # lower case
    words: tuple[str, ...]  # folded stems in order, values and negations left out
    about: frozenset[str]  # of these without generic ones
    modifiers: frozenset[tuple[str, str]]  # (noun, the word right before it, or after "of", "for", "in")
    is_denied: bool
    quantities: tuple[tuple[str, float, str], ...]  # dimension, value in its base unit, as said
    places: frozenset[str]
    technologies: frozenset[str]
    persons: frozenset[str]
    names: frozenset[str]  # unknown ones that stand where one thing does it: "through Falcon"
    choices: tuple[tuple[int, str], ...]  # exclusive group, word
    # what follows from these, worked out once and not once a pair
    stems: frozenset[str]  # `words` as a set
    dimensions: frozenset[str]  # of `quantities`
    answers: frozenset[str]  # the questions that its technologies answer


_make_clause = maker(Clause)  # ten thousand in a run of consolidation


@dataclass(frozen=True)  # no slots: `clauses` is worked out once it is asked for
class ComparedStatement:
    """A whole statement, read."""

    text: str
    low: str
    parts: tuple[str, ...]
    read: Callable[[str], Clause] = field(repr=False, compare=False)
    whole: Clause
    is_doubtful: bool  # hedged, or a question
    is_wish: bool
    is_past: bool
    names_user: bool  # "the user wants"; with `has_wished`: a wish that is a fact about somebody
    has_wished: bool
    periods: tuple[tuple[str, str], ...]  # (noun, which of its kind by time): ("version", "2"), ("server", "old")
    is_pointing: bool  # its subject is "it" or the like: nobody knows what it speaks of
    holder: str  # whose habit it is: "" where nobody is named, "me", or a name

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(map(self.read, self.parts)) if len(self.parts) != 1 else (self.whole,)


@lru_cache(maxsize=256)  # some 7 kB each: two thousand were half of what a process grew by over 50,000 messages
def read_compared_statement(text: str, rules: MemoryRules, words: ContradictionRules) -> ComparedStatement:
    """The statement with its clauses; of several sentences those that leave something open are left out."""
    text = name_switches(_without_doubts(text[:MAX_CHARS], words), words)
    line = _SLUG.sub(lambda found: found[0].replace("-", " "), " ".join(text.split()))
    parts = tuple(part.strip() for part in _CLAUSE.split(line) if part and part.strip())[:MAX_CLAUSES]
    read = partial(_read_clause, rules=rules, words=words)
    low = line.lower()
    return ComparedStatement(
        line, low, parts, read, read(parts[0] if len(parts) == 1 else line), *_manner_of(text.lower()[:MAX_CHARS], words), tuple(_periods_of(low)),
        _POINTING.match(low) is not None, _holder_of(line),
    )  # fmt: skip


def name_switches(text: str, words: ContradictionRules) -> str:
    """The text in which what is switched on or off is called enabled or disabled.

    >>> from app.deciders.memory.contradictions.rules import load_contradiction_rules
    >>> name_switches("Dark mode is off. We turned caching off in staging.", load_contradiction_rules())
    'Dark mode is disabled. We disabled caching in staging.'
    """
    for pattern in words.switches:
        text = pattern.sub(_as_switch, text)
    return text


def _as_switch(found: re.Match[str]) -> str:
    said = found.groupdict()
    state = said["state"].lower()
    verb = "disable" if state == "off" or state.startswith(("in", "de")) else "enable"
    thing = (said.get("thing") or "").strip()
    is_done = bool(said.get("lead")) or (bool(thing) and found[0].lower().startswith(("left", "kept")))
    ending = "ed" if is_done else said.get("ending") or ""
    done = f"{verb}d" if ending == "ed" else f"{verb[:-1]}ing" if ending == "ing" else verb
    return " ".join(filter(None, (said.get("lead"), done, thing)))


def _periods_of(low: str) -> Iterator[tuple[str, str]]:
    """Which of several that follow each other a noun is: "since version 2", "the old server", "this sprint"."""
    for found in _PERIOD.finditer(low):
        yield "version", found[1] or found[2]
    day = _DAY.match(low)
    if day is not None:
        yield "day", "new" if day[1] in _TODAY else "old"
    for found in _WHICH.finditer(low):
        yield found[2], "old" if found[1] in _EARLIER else "new"


def _without_doubts(text: str, words: ContradictionRules) -> str:
    """The text without sentences that hedge, ask, wish or tell of the past: a reason given in one makes no doubt of the decision."""
    sentences = _SENTENCE.split(text)
    if len(sentences) == 1:
        return text
    return " ".join([one for one in sentences if not any(_manner_of(one.lower(), words)[:3])]) or text


def _holder_of(text: str) -> str:
    found = _HABIT.match(text)
    if found is None:
        return ""
    return "me" if found["me"] else found["who"].lower()


def _manner_of(low: str, words: ContradictionRules) -> tuple[bool, bool, bool, bool, bool]:
    return (
        bool(words.hedges.search(low) or words.questions.search(low) or "?" in low or low.startswith("if ")),
        bool(words.goals.search(_UNWANTED.sub(" ", low))),
        bool(words.past.search(low) or _PAST.search(low)),
        "user wants" in low,
        bool(_WISHED.search(low)),
    )


def _read_clause(part: str, rules: MemoryRules, words: ContradictionRules) -> Clause:
    dates = tuple(_dates(part, words))
    if dates:
        part = words.dates.sub(" ", part)
    listed = rules.likeness.phrases.fold(words.phrases.fold(plain_words(part)))
    tokens = _TOKEN.findall(part)
    technologies = _technologies(tokens, rules.slots) | _products(part, tokens, rules.slots, words)
    placed: list[tuple[str, str]] = []  # (stem, the word as it stands)
    quantities: list[tuple[str, float, str]] = [*dates]
    places: set[str] = set()
    choices: list[tuple[int, str]] = []
    negations: list[str] = []
    skip = False
    same, exclusive, number_words = rules.likeness.same, words.exclusive, words.number_words
    for at, word in enumerate(listed):
        if skip:
            skip = False
            continue
        is_word = word.isalpha()
        if (
            (word in NEGATIONS and _is_negation(word, listed, at))
            or same.get(word, word) == "forbid"
            or (not is_word and word.endswith("n't"))
        ):
            negations.append(word)
            placed += [("person", word)] if word in _DENIED else []
            continue
        # of letters alone only a number, "a" and what follows "every" can be an amount
        if not is_word or word in number_words or word in _ONE or (at and listed[at - 1] in _EVERY):
            found = _amount_at(listed, at, words, rules.slots)
            if found is not None:
                quantities.append(found[0])
                skip = found[1]
                continue
            is_path = ("/" in word or "." in word) and _PLACE.match(word)
            if is_path and normal_name(word) not in rules.slots.technologies:
                places |= _place_of(word, listed[:at], words)
                continue
        chosen = exclusive.get(word) if is_word else _choice_of(word, words)
        if chosen is not None and not (at and chosen == _choice_of(listed[at - 1], words)):  # "integer cents" is one
            choices.append(chosen)
        if word not in _MODALS:
            placed.append((_stem_of(word, rules, words), word))
    weak = rules.likeness.weak_or_modal
    persons = _persons(part, technologies)
    tech_words = {one for name in technologies for one in _words_of_name(name)}
    plain = [
        one
        for one, word in placed
        if word not in weak and word not in ARTICLES and word not in tech_words and one not in tech_words
    ]
    stems = frozenset(plain)
    about = stems - words.generic - words.floors
    return _make_clause(
        part.lower(), tuple(plain), about, _modifiers(placed, weak, words, persons), _is_denied(negations, part, quantities), tuple(quantities),
        frozenset(places), technologies, persons, _bonded_names(part, tokens, technologies, words), tuple(choices),
        stems, frozenset([one[0] for one in quantities]),
        _NO_WORDS.union(*[answers_of(name, rules.slots, words) for name in technologies]),
    )  # fmt: skip


@lru_cache(maxsize=512)  # few names stand in most clauses, each asked for twice
def _words_of_name(name: str) -> tuple[str, ...]:
    return tuple(plain_words(name))


def _choice_of(word: str, words: ContradictionRules) -> tuple[int, str] | None:
    choice = words.exclusive.get(word)
    return words.exclusive.get(_STYLED.sub("", word)) if choice is None and "-" in word else choice


def _amount_at(
    listed: Sequence[str], at: int, words: ContradictionRules, slots: SlotRules
) -> tuple[tuple[str, float, str], bool] | None:
    """The quantity or version that begins here, and whether the next word belongs to it."""
    word, (before, after) = listed[at], _around(listed, at)
    found = _quantity(word, after, words) or _each(word, before, words)
    if found is None or not found[0][0]:
        found = _version_of(word, before, slots) or found
    if found is None or found[0][0] != "time" or not (before in _EVERY or _AGAIN & set(listed)):
        return found
    return ("every", *found[0][1:]), found[1]


def _around(listed: Sequence[str], at: int) -> tuple[str, str]:
    return listed[at - 1] if at else "", listed[at + 1] if at + 1 < len(listed) else ""


def _is_negation(word: str, listed: Sequence[str], at: int) -> bool:
    """Whether the word denies; "the emergency stop" is a thing, and what must "stop after five attempts" is done."""
    if word != "stop":
        return word in NEGATIONS
    before, after = _around(listed, at)
    if after in PREPOSITIONS or after in {"after", "when", "before", "once", "if", "as"}:
        return False
    return before in _BEFORE_STOP or after.endswith("ing") or after in ARTICLES


def _dates(part: str, words: ContradictionRules) -> Iterator[tuple[str, float, str]]:
    """The days of the calendar that a clause names."""
    for found in words.dates.finditer(part):
        day = found["day"] or found["day_after"]
        month = words.months[(found["month"] or found["month_before"])[:3].lower()]
        yield "date", month * 100.0 + int(day), found[0].strip()


def _products(part: str, tokens: Sequence[str], slots: SlotRules, words: ContradictionRules) -> frozenset[str]:
    """Names of `rivals` in the clause; an everyday word counts where it is written like a name, or beside what it is for."""
    if "&" in part:
        tokens = _TOKEN_AND.findall(part)
    low = [token.lower() for token in tokens]
    if words.rival_starts.isdisjoint(low):  # most clauses
        return _NO_WORDS
    found: set[str] = set()
    for at in range(len(tokens)):
        if low[at] not in words.rival_starts:
            continue
        for length in range(min(3, len(tokens) - at), 0, -1):
            name = " ".join(low[at : at + length])
            if name not in words.rivals or (name in slots.technologies and name not in slots.guarded):
                continue
            is_name = any(token[:1].isupper() for token in tokens[at : at + length]) and at > 0
            is_bound = at > 0 and low[at - 1] in _BOUND
            if (
                not (name in words.everyday or name in slots.guarded)
                or is_name
                or is_bound
                or words.rival_words[name] & set(low)
            ):
                found.add(words.rival_names[name])
                break
    return frozenset(found)


def answers_of(name: str, slots: SlotRules, words: ContradictionRules) -> frozenset[str]:
    """The questions that a technology or a product answers."""
    return slots.answers.get(name, frozenset()) | words.rivals.get(name.lower(), frozenset())


def _stem_of(word: str, rules: MemoryRules, words: ContradictionRules) -> str:
    word = word.removesuffix("'s")
    word = words.irregular.get(word, word)
    folded = stem(rules.likeness.same.get(word, word))
    return "person" if folded in words.everybody or word in words.everybody else folded


def _quantity(word: str, after: str, words: ContradictionRules) -> tuple[tuple[str, float, str], bool] | None:
    """The quantity that stands here, and whether the next word is its unit."""
    clock = _CLOCK.match(word)
    if clock is not None:
        return ("clock", float(clock[1]) * 60 + float(clock[2]), word), False
    if _VERSION.match(word) and not (_DECIMAL.match(word) and _unit_of(after, words)):
        parts = word.lstrip("v").split(".")
        return ("version", float(parts[0]) * 1e6 + float(parts[1]) * 1e3, word), False
    glued = _GLUED.match(word)
    number, unit = (glued[1], glued[2]) if glued else (word, after)
    if number in words.number_words:
        value = float(words.number_words[number])
    elif word in _ONE and (unit_known := _unit_of(after, words)) and unit_known[0] == "time":
        return ("time", unit_known[1], f"{word} {after}"), True
    elif _NUMBER.match(number):
        value = _value_of(number)
    else:
        return None
    known = _unit_of(unit, words)
    if known is None:
        return ((_counted(after, words), value, f"{number} {after}".strip()), False) if not glued else None
    dimension, factor = known
    if dimension == "frequency" and value:
        return ("every", 1 / value, f"{number} {unit}"), not glued
    return (dimension, value * factor, f"{number} {unit}"), not glued


def _unit_of(unit: str, words: ContradictionRules) -> tuple[str, float] | None:
    return words.units.get(unit) or words.units.get(stem(unit)) or words.units.get(unit.rstrip("s"))


def _value_of(number: str) -> float:
    """ "1,000" is a thousand, "1.5" one and a half."""
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else float(plain.replace(".", ""))


def _counted(after: str, words: ContradictionRules) -> str:
    """The dimension of a plain number: what is counted, where it says so."""
    one = stem(after)
    groups = words.topics.get(one, NONE)
    is_thing = len(after) > 2 and after.isalpha() and (groups or one not in words.generic) and after not in _NO_COUNTED
    return f"#{min(groups)}" if groups else f"#{one}" if is_thing else ""


def _place_of(word: str, before: Sequence[str], words: ContradictionRules) -> set[str]:
    """The place, where a word before says that something is there."""
    last = next((one for one in reversed(before) if one not in ARTICLES), "")
    return {word.rstrip("/")} if last in words.held_in else set()


def _each(word: str, before: str, words: ContradictionRules) -> tuple[tuple[str, float, str], bool] | None:
    """ "Every minute" is one of them."""
    unit = words.units.get(word) or words.units.get(stem(word))
    if unit is None or before not in _EVERY:
        return None
    return ("every" if unit[0] == "time" else unit[0], unit[1], f"every {word}"), False


def _is_denied(negations: Sequence[str], part: str, quantities: Sequence[object]) -> bool:
    """Two that take each other back deny nothing: "never without asking"; nor does a bound of an amount."""
    if negations and quantities and _BOUNDED.search(part.lower()):
        return False
    around = {"without", "unless"} & set(negations)
    return bool(negations) and not (around and len(set(negations) - around) > 0)


def _version_of(word: str, before: str, slots: SlotRules) -> tuple[tuple[str, float, str], bool] | None:
    """A whole number that is the version of a technology: "Node 18", "C++17"."""
    glued = _NAME_VERSION.match(word)
    if glued is not None and glued[1] in slots.technologies:
        return ("version", float(glued[2]) * 1e6, word), False
    if word.isdecimal() and before in slots.technologies:
        return ("version", float(word) * 1e6, word), False
    return None


def _technologies(tokens: Sequence[str], slots: SlotRules) -> frozenset[str]:
    """Known names in the clause; an everyday word counts only where it is written like a name."""
    starts = slots.technology_starts
    found: set[str] = set()
    for at, token in enumerate(tokens):
        first = token.lower() if token.isalnum() else normal_name(token).partition(" ")[0]
        if (
            first
            and first not in starts
            and (not first[-1:].isdecimal() or _NAME_VERSION.sub(r"\1", first) not in starts)
        ):
            continue
        for length in range(min(4, len(tokens) - at), 0, -1):
            name = normal_name(" ".join(tokens[at : at + length]))
            known = slots.technologies.get(name) or slots.technologies.get(_NAME_VERSION.sub(r"\1", name))
            if (
                known is None
                or len(name) < 2
                or (length == 1 and name in slots.guarded and not (at and token[:1].isupper()))
            ):
                continue
            found.add(known)
            break
    return frozenset(found)


def _persons(part: str, technologies: frozenset[str]) -> frozenset[str]:
    names = {found[0] for found in _PERSON.finditer(part)} | {found[1] for found in _FIRST_NAME.finditer(part)}
    return frozenset(name for name in names - technologies - {"I"} if not _DAY_NAME.match(name))


def _bonded_names(
    part: str, tokens: Sequence[str], technologies: frozenset[str], words: ContradictionRules
) -> frozenset[str]:
    """Words written like names right after "through", "with", "is": no known technology, and not the first word."""
    known = {one for name in technologies for one in _words_of_name(name)}
    found = {
        token
        for before, token in pairwise(tokens)
        if _NAME.match(token) and before.lower() in words.bonds and token.lower() not in known
    }
    town = _TOWN.search(part)
    if town is not None and town[1].lower() not in known and not technologies:
        found.add(town[1])
    return frozenset(found)


def _modifiers(
    placed: Sequence[tuple[str, str]], weak: frozenset[str], words: ContradictionRules, persons: frozenset[str]
) -> frozenset[tuple[str, str]]:
    """(noun, word before it) of neighbours, and (noun, word after) where "of", "for", "in" stands between."""
    if persons:
        names = {one.lower() for one in persons}
        placed = [pair for pair in placed if pair[1] not in names]
    found: set[tuple[str, str]] = set()
    for (_, before), (one, word), (other, after) in zip([("", ""), *placed], placed, placed[1:], strict=False):
        if word in ARTICLES:
            continue
        is_weak = word in weak or one in words.generic
        if before in ARTICLES and word not in words.which:
            is_weak = False  # "the team plan" is another than "the free plan"
        if not is_weak and after not in weak and other not in words.generic:
            found.add((other, one))
    content = [(one, word) for one, word in placed if word not in ARTICLES]
    for (one, word), (_, between), (other, after) in zip(content, content[1:], content[2:], strict=False):
        if between in PREPOSITIONS and word not in weak and after not in weak and other not in words.generic:
            found.add((f"{one} {between}", other))
    return frozenset(found)
