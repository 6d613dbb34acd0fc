"""Whether two statements contradict each other, by what is said: numbers with units, places, names, alternatives, "not", what is retired.

For pairs that no slot joins. Silent in doubt: another subject or scope, a hedge, a wish against a fact, another time make no
contradiction. Each clause of one is held against each of the other. Pure. Source: S4 "Contradiction Scanner", issue 17.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from app.deciders.memory.contradictions.rules import ContradictionRules, load_contradiction_rules
from app.deciders.memory.rules import MemoryRules
from app.deciders.memory.slots.rules import SlotRules, normal_name
from app.language.likeness_stems import plain_words, stem
from app.values import Likeness

MAX_CHARS = 700  # of longer texts the beginning is read: what is decided stands there
MAX_CLAUSES = 10
_CLAUSE = re.compile(r"[.;!?](?:\s+|$)|,\s+|\s+[–—-]\s+|\s*\(|\)|:\s+|\s+(?:but|so that|because)\s+|\n+")
_NOT = re.compile(r"n't$")
_NUMBER = re.compile(r"^\d+(?:[.,]\d+)*$")
_VERSION = re.compile(r"^v?\d+(?:\.\d+)+$")
_GLUED = re.compile(r"^(\d+(?:[.,]\d+)?)([a-z]{1,4})$")
_PLACE = re.compile(r"^(?:https?:)?[~./]*[\w@.-]*(?:/[\w@.*-]+)+/?$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}$")
_NAME_VERSION = re.compile(r"^([a-z][a-z+#]*?)(\d{1,4})$")
_NAME = re.compile(r"^(?:[A-Z][a-z]+[\w+#]*|[A-Z]{2,}\d*|[A-Z]\w*[A-Z]\w*)$")
_SLUG = re.compile(r"\b[a-z]+(?:-[a-z]+){2,}\b")
_FROM = re.compile(r"\b(?:migrat|mov|switch|convert|port)\w*\b[^.,;]{0,40}?\bfrom\b")
_KEPT = re.compile(r"\b(?:not|never|cannot|can't|don't|without|being|be|is|are|to be|if|when)(?: be(?:ing)?| to)?\s*$")
_SENTENCE_END = re.compile(r"[.;](?:\s|$)|,")
_PURPOSE = re.compile(
    r"^(?:we |we will |we'll |chosen option: )?(?:use|adopt|rely on) (?P<by>.+?) (?P<lead>for|as|to) (?P<what>.+)$"
)
_PERSON = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+\b")
_FIRST_NAME = re.compile(r"^([A-Z][a-z]+)\s+(?:owns|maintains|leads|reviews|is responsible|is in charge|takes care)\b")
_PREPOSITIONS = frozenset({"of", "for", "in", "on", "at", "under", "during", "within", "per"})
_NEGATIONS = frozenset(
    {"not", "no", "never", "without", "nor", "none", "neither", "cannot", "nobody", "nothing", "stop", "unless"}
)
_DENIED = frozenset({"nobody", "none", "nothing"})
_ARTICLES = frozenset(
    {
        "a",
        "an",
        "the",
        "our",
        "my",
        "your",
        "their",
        "his",
        "her",
        "its",
        "this",
        "that",
        "these",
        "those",
        "some",
        "all",
    }
)
_Swap = tuple[tuple[str, str], str]  # what one says and the other, and the kind
_SUPPORT = stem("support")
_SHORT = 16  # words of both together: of longer ones a name says too little
_SURE, _FAIR, _WEAK = 0.85, 0.75, 0.7


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


@dataclass(frozen=True, slots=True)
class Said:
    """A whole statement, read."""

    text: str
    low: str
    clauses: tuple[Clause, ...]
    whole: Clause


def find_contradiction(
    older: str, newer: str, rules: MemoryRules, words: ContradictionRules | None = None
) -> Likeness | None:
    """The contradiction of two statements, with kind and reason in words for people; None where there is none, or in doubt.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> find_contradiction("Sessions expire after 2 hours.", "Sessions expire after 30 minutes.", load_memory_rules()).kind
    'number'
    >>> find_contradiction("Sessions expire after 2 hours.", "Sessions expire after 120 minutes.", load_memory_rules())
    """
    words = words or load_contradiction_rules()
    a, b = read_said(older, rules, words), read_said(newer, rules, words)
    if not is_comparable(older, newer, words):
        return _decided(a, b, words)
    return _retired(a, b, words) or _best(a, b, words, rules)


def may_contradict(older: str, newer: str, rules: MemoryRules, words: ContradictionRules | None = None) -> bool:
    """Whether what else says that two statements contradict may be believed: both are said as holding now, of one thing.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> may_contradict("The owner of payments is Anna.", "The owner of search is Ben.", load_memory_rules())
    False
    """
    if not older or not newer:
        return True
    words = words or load_contradiction_rules()
    if not is_comparable(older, newer, words):
        return False
    a, b = read_said(older, rules, words), read_said(newer, rules, words)
    return not speak_of_others(a.whole, b.whole, words, rules) and not have_same_amount(a.whole, b.whole)


def declares_change(text: str, words: ContradictionRules | None = None) -> bool:
    """Whether a statement itself says that it takes the place of something.

    >>> declares_change("We moved from SendGrid to SES."), declares_change("Mail goes through SES.")
    (True, False)
    """
    words = words or load_contradiction_rules()
    low = text.lower()[:MAX_CHARS]
    return any(one.search(low) for one in (words.retirements, words.after_retired, _FROM))


def have_same_amount(a: Clause, b: Clause) -> bool:
    """Whether both give one amount in other units: 2 hours, 120 minutes."""
    ours, theirs = ({(one[0], round(one[1], 9)) for one in side.quantities if one[0]} for side in (a, b))
    return bool(ours) and ours == theirs and {one[2] for one in a.quantities} != {one[2] for one in b.quantities}


def is_comparable(older: str, newer: str, words: ContradictionRules | None = None) -> bool:
    """Whether both are said as holding now: no hedge, no question, no wish against a fact, no other time."""
    words = words or load_contradiction_rules()
    low, other = older.lower()[:MAX_CHARS], newer.lower()[:MAX_CHARS]
    if any(words.hedges.search(text) or words.questions.search(text) or "?" in text for text in (low, other)):
        return False
    if bool(words.goals.search(low)) != bool(words.goals.search(other)):
        return "user wants" in low or "user wants" in other
    return not (words.past.search(low) or words.past.search(other))


# reading ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def read_said(text: str, rules: MemoryRules, words: ContradictionRules) -> Said:
    """The statement with its clauses."""
    said = _SLUG.sub(lambda found: found[0].replace("-", " "), " ".join(text[:MAX_CHARS].split()))
    parts = [part for part in _CLAUSE.split(said) if part and part.strip()][:MAX_CLAUSES]
    clauses = tuple(_read_clause(part.strip(), rules, words) for part in parts)
    whole = _read_clause(said, rules, words) if len(clauses) != 1 else clauses[0]
    return Said(said, said.lower(), clauses, whole)


def _read_clause(part: str, rules: MemoryRules, words: ContradictionRules) -> Clause:
    listed = _fold(plain_words(part), rules)
    technologies = _technologies(part, rules.slots)
    plain: list[str] = []
    placed: list[tuple[str, str]] = []  # (stem, the word as it stands)
    quantities: list[tuple[str, float, str]] = []
    places: set[str] = set()
    choices: list[tuple[int, str]] = []
    negations: list[str] = []
    skip = False
    for at, word in enumerate(listed):
        if skip:
            skip = False
            continue
        folded = rules.likeness.same.get(word, word)
        if word in _NEGATIONS or folded == "forbid" or _NOT.search(word):
            negations.append(word)
            placed += [("person", word)] if word in _DENIED else []
            continue
        before = listed[at - 1] if at else ""
        found = _quantity(word, listed[at + 1] if at + 1 < len(listed) else "", words) or _each(word, before, words)
        if found is None or not found[0][0]:
            found = _version_of(word, before, rules.slots) or found
        if found is not None:
            quantities.append(found[0])
            skip = found[1]
            continue
        if _PLACE.match(word) and normal_name(word) not in rules.slots.technologies:
            places |= _place_of(word, listed[:at], words)
            continue
        if word in words.exclusive:
            choices.append((words.exclusive[word], word))
        placed.append((_stem_of(word, rules, words), word))
    weak = rules.likeness.weak | rules.likeness.modals
    persons = _persons(part, technologies)
    tech_words = {one for name in technologies for one in plain_words(name)}
    for one, word in placed:
        if word not in weak and word not in _ARTICLES and word not in tech_words and one not in tech_words:
            plain.append(one)
    about = frozenset(one for one in plain if one not in words.generic and one not in words.floors)
    return Clause(
        part.lower(), tuple(plain), about, _modifiers(placed, weak, words, persons), _is_denied(negations), tuple(quantities),
        frozenset(places), technologies, persons, _bonded_names(part, technologies, words), tuple(choices),
    )  # fmt: skip


def _fold(listed: Sequence[str], rules: MemoryRules) -> list[str]:
    joined = f" {' '.join(listed)} "
    for phrase, name in rules.likeness.phrases:
        if phrase in joined:
            joined = joined.replace(f" {phrase} ", f" {name} ")
    return joined.split()


def _stem_of(word: str, rules: MemoryRules, words: ContradictionRules) -> str:
    word = word.removesuffix("'s")
    word = words.irregular.get(word, word)
    folded = stem(rules.likeness.same.get(word, word))
    return "person" if folded in words.everybody or word in words.everybody else folded


def _quantity(word: str, after: str, words: ContradictionRules) -> tuple[tuple[str, float, str], bool] | None:
    """The quantity that stands here, and whether the next word is its unit."""
    if _VERSION.match(word):
        parts = word.lstrip("v").split(".")
        return ("version", float(parts[0]) * 1e6 + float(parts[1]) * 1e3, word), False
    glued = _GLUED.match(word)
    number, unit = (glued[1], glued[2]) if glued else (word, after)
    if number in words.number_words:
        value = float(words.number_words[number])
    elif _NUMBER.match(number):
        value = float(number.replace(",", ""))
    else:
        return None
    known = words.units.get(unit) or words.units.get(stem(unit)) or words.units.get(unit.rstrip("s"))
    if known is None:
        return (("", value, number), False) if not glued else None
    dimension, factor = known
    if dimension == "frequency" and value:
        return ("time", 1 / value, f"{number} {unit}"), not glued
    return (dimension, value * factor, f"{number} {unit}"), not glued


def _place_of(word: str, before: Sequence[str], words: ContradictionRules) -> set[str]:
    """The place, where a word before says that something is there."""
    last = next((one for one in reversed(before) if one not in _ARTICLES), "")
    return {word.rstrip("/")} if last in words.held_in else set()


def _each(word: str, before: str, words: ContradictionRules) -> tuple[tuple[str, float, str], bool] | None:
    """ "Every minute" is one of them."""
    unit = words.units.get(word) or words.units.get(stem(word))
    if unit is None or before not in {"every", "each", "per"}:
        return None
    return (unit[0], unit[1], f"every {word}"), False


def _is_denied(negations: Sequence[str]) -> bool:
    """Two that take each other back deny nothing: "never without asking"."""
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


def _technologies(part: str, slots: SlotRules) -> frozenset[str]:
    """Known names in the clause; an everyday word counts only where it is written like a name."""
    tokens = re.findall(r"[\w.+#/-]*[\w+#]", part)
    found: set[str] = set()
    for at, token in enumerate(tokens):
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
    return frozenset(names - technologies - {"I"})


def _bonded_names(part: str, technologies: frozenset[str], words: ContradictionRules) -> frozenset[str]:
    """Words written like names right after "through", "with", "is": no known technology, and not the first word."""
    tokens = re.findall(r"[\w.+#/-]*[\w+#]", part)
    known = {one for name in technologies for one in plain_words(name)}
    found = {
        token
        for before, token in pairwise(tokens)
        if before.lower() in words.bonds and _NAME.match(token) and token.lower() not in known
    }
    return frozenset(found)


def _modifiers(
    placed: Sequence[tuple[str, str]], weak: frozenset[str], words: ContradictionRules, persons: frozenset[str]
) -> frozenset[tuple[str, str]]:
    """(noun, word before it) of neighbours, and (noun, word after) where "of", "for", "in" stands between."""
    names = {one.lower() for one in persons}
    placed = [pair for pair in placed if pair[1] not in names]
    found: set[tuple[str, str]] = set()
    for (one, word), (other, after) in pairwise(placed):
        if word not in weak and after not in weak and one not in words.generic and other not in words.generic:
            found.add((other, one))
    content = [(one, word) for one, word in placed if word not in _ARTICLES]
    for (one, word), (_, between), (other, after) in zip(content, content[1:], content[2:], strict=False):
        if between in _PREPOSITIONS and word not in weak and after not in weak and other not in words.generic:
            found.add((f"{one} {between}", other))
    return frozenset(found)


# other subjects and scopes -----------------------------------------------------------------------------------


def speak_of_others(a: Clause, b: Clause, words: ContradictionRules, rules: MemoryRules) -> bool:
    """Whether the same noun is another thing on each side: access token / refresh token, owner of payments / of search."""
    others: dict[str, set[str]] = {}
    for noun, modifier in a.modifiers:
        others.setdefault(noun, set()).add(modifier)
    for noun, modifier in b.modifiers:
        mine = others.get(noun)
        if mine is None or modifier in mine or modifier in a.words or mine & set(b.words):
            continue
        if not any(are_opposites(one, modifier, words, rules) for one in mine):
            return True
    return False


def are_opposites(one: str, other: str, words: ContradictionRules, rules: MemoryRules) -> bool:
    """Whether two stems exclude each other, as opposites or as two of one group of alternatives."""
    if other in words.opposites.get(one, ()) or other in _opposite_stems(rules).get(one, ()):
        return True
    group = words.exclusive.get(one)
    return group is not None and group == words.exclusive.get(other) and one != other


@lru_cache(maxsize=8)
def _opposite_stems(rules: MemoryRules) -> dict[str, frozenset[str]]:
    same = rules.likeness.same
    return {
        stem(same.get(word, word)): frozenset(stem(same.get(one, one)) for one in others)
        for word, others in rules.likeness.opposites.items()
    }


def have_other_scopes(a: Said, b: Said, slots: SlotRules) -> bool:
    """Whether they name different places where they hold: tests, staging, a language."""
    left, right = ({slots.scopes[word] for word in plain_words(said.low) if word in slots.scopes} for said in (a, b))
    return left != right and bool(left or right)


# evidence ------------------------------------------------------------------------------------------------------


def _best(a: Said, b: Said, words: ContradictionRules, rules: MemoryRules) -> Likeness | None:
    """The surest evidence of any clause against any."""
    slots = rules.slots
    if have_other_scopes(a, b, slots):
        return None
    is_change = bool(words.changes.search(b.low))
    is_short = len(a.whole.words) + len(b.whole.words) <= _SHORT
    found: list[Likeness] = []
    for ours, theirs in _clause_pairs(a, b):
        if speak_of_others(ours, theirs, words, rules):
            continue
        evidence = (
            _by_number(ours, theirs, words)
            or _by_version(ours, theirs, words)
            or _by_denial(ours, theirs, a, b, words)
            or _by_value(ours, theirs, words, slots, is_change=is_change, is_short=is_short)
            or _by_opposite(ours, theirs, words, rules)
            or _by_purpose(ours, theirs, words, slots)
            or _by_single(ours, theirs, words)
        )
        if evidence is not None:
            found.append(evidence)
    return max(found, key=lambda one: one.confidence, default=None)


def _clause_pairs(a: Said, b: Said) -> Iterator[tuple[Clause, Clause]]:
    yield a.whole, b.whole
    if len(a.clauses) > 1 or len(b.clauses) > 1:
        for ours in a.clauses:
            for theirs in b.clauses:
                if ours.words or theirs.words:
                    yield ours, theirs


def _left_and_right(a: Clause, b: Clause) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What both are about, and what only one is."""
    shared = a.about & b.about
    return shared, a.about - shared, b.about - shared


def _shared_dimension(a: Clause, b: Clause, words: ContradictionRules) -> str | None:
    """The one dimension in which both name a quantity; None where there is none, or several values may stand side by side."""
    dimensions = {one[0] for one in a.quantities} & {one[0] for one in b.quantities}
    if len(dimensions) != 1 or a.is_denied is not b.is_denied:
        return None
    [dimension] = dimensions
    said = {*a.words, *b.words}
    if dimension == "version" and _SUPPORT in said and not said & (words.floors - {_SUPPORT}):
        return None  # several versions may be supported, but one is the oldest of them
    return dimension


def _by_version(a: Clause, b: Clause, words: ContradictionRules) -> Likeness | None:
    """Another version of what the whole runs on: "we target Node 18", "the app runs on Node 20 now"."""
    if _shared_dimension(a, b, words) != "version" or not _is_version_of_all(a, b, words):
        return None
    ours, theirs = ([one for one in side.quantities if one[0] == "version"] for side in (a, b))
    if len(ours) != 1 or len(theirs) != 1 or ours[0][1] == theirs[0][1]:
        return None
    return Likeness("contradict", _FAIR, f"one says {ours[0][2]}, the other {theirs[0][2]}", "version")


def _by_number(a: Clause, b: Clause, words: ContradictionRules) -> Likeness | None:
    """The same with another quantity: one quantity of one dimension on each side, all else alike."""
    dimension = _shared_dimension(a, b, words)
    if dimension is None:
        return None
    (ours,), (theirs,) = (
        tuple({one[1]: one for one in side.quantities if one[0] == dimension}.values())[:1] for side in (a, b)
    )
    count = max(sum(one[0] == dimension for one in side.quantities) for side in (a, b))
    shared, left, right = _left_and_right(a, b)
    if (
        not set(a.words) & set(b.words) & words.floors
    ):  # "limit" of one side only is another thing than the other's own word
        left, right = (rest | (set(side.words) & words.floors) for rest, side in ((left, a), (right, b)))
    is_version = dimension == "version"
    named = a.technologies & b.technologies
    if count > 1 or abs(ours[1] - theirs[1]) < 1e-9 * max(1.0, abs(ours[1])):
        return None
    if is_version and not named and not shared:
        return None
    if not is_version and (not shared or a.technologies != b.technologies):
        return None
    if not is_version and left and right:
        return None
    rest = (left | right) - (words.floors if is_version else frozenset())
    if is_version and not shared and len(rest) > 1:
        return None
    if (left - words.floors and right - words.floors) or len(rest) > 2 + len(shared):
        return None
    floors = (set(a.words) | set(b.words)) & words.floors
    if not dimension and not (len(shared) >= 2 or floors or not (left | right)):
        return None
    kind = "version" if is_version else "number"
    return Likeness("contradict", _SURE, f"one says {ours[2]}, the other {theirs[2]}", kind)


def _is_version_of_all(a: Clause, b: Clause, words: ContradictionRules) -> bool:
    """Whether both speak of one technology, and say of nothing but the whole that it runs on it: "we target Node 18"."""
    if len(a.technologies) != 1 or a.technologies != b.technologies:
        return False
    [name] = a.technologies
    parts = {stem(part) for part in plain_words(name) for part in (part, part.split(".")[0])}
    rest = {one for side in (a, b) for one in side.words if one not in words.runs and one not in words.everywhere}
    return not rest - parts - words.light


def _by_denial(a: Clause, b: Clause, whole: Said, other: Said, words: ContradictionRules) -> Likeness | None:
    """One says it, the other says not: what is denied is said by the other, up to a detail."""
    if a.is_denied is b.is_denied:
        return None
    denied, said = (a, b) if a.is_denied else (b, a)
    said_by = other if denied is a else whole
    if words.conditions.search(denied.text) or words.conditions.search(said.text):
        return None
    if denied.quantities and {one[1] for one in denied.quantities} != {one[1] for one in said.quantities}:
        return None
    if denied.technologies - said.technologies or denied.places - said.places or _takes_out_a_part(denied, words):
        return None
    heavy = frozenset(denied.words) - words.floors
    heavy -= (
        {"person"} if any(one in denied.text for one in ("nobody", "no one")) else set()
    )  # whoever does it is denied
    shared = heavy & frozenset(said.words)
    missing = {one for one in heavy - shared if one not in words.light}
    about = shared & (denied.about | said.about)
    names = len(denied.technologies & said.technologies)
    if _denies_alone(denied, shared, said_by, whole if said_by is other else other):
        return Likeness("contradict", _FAIR, "one says it, the other says that there is none", "negation")
    if len(shared) + names < 2 or not (about or names):
        return None
    if missing and (len(missing) > 1 or len(shared) < 3 or said.about - denied.about):
        return None  # it denies a part only: "requests are logged", "bodies of requests are not logged"
    return Likeness("contradict", _FAIR if missing else _SURE, "one says it, the other says not", "negation")


def _takes_out_a_part(denied: Clause, words: ContradictionRules) -> bool:
    """ "…, not the guests", "at night it is not": nothing is denied that the other says."""
    listed = denied.text.split()
    at = max((n for n, word in enumerate(listed) if word in {"not", "never"} or _NOT.search(word)), default=-1)
    after = listed[at + 1] if 0 <= at < len(listed) - 1 else ""
    return at >= 0 and (not after or (at == 0 and after in words.no_denials))


def _denies_alone(denied: Clause, shared: frozenset[str], said_by: Said, denied_by: Said) -> bool:
    """ "No polling: the watcher …" against "The watcher polls": one word denied, and both statements are about one thing."""
    if len(shared) != 1 or frozenset(denied.words) != shared or len(denied_by.clauses) < 2:
        return False
    return bool((said_by.whole.about & denied_by.whole.about) - shared)


def _by_value(
    a: Clause, b: Clause, words: ContradictionRules, slots: SlotRules, *, is_change: bool, is_short: bool
) -> Likeness | None:
    """The same relation with another object: a place, a technology of one kind, a person, one of a few alternatives."""
    if a.is_denied or b.is_denied:
        return None
    pair = _other_place(a, b) or _other_technology(a, b, slots) or _other_person(a, b) or _other_choice(a, b)
    pair = pair or (_other_name(a, b) if is_short else None)
    if pair is None:
        return None
    (was, now), kind = pair
    shared, left, right = _left_and_right(a, b)
    said = {stem(part) for value in (was, now) for part in plain_words(value)}
    shared, left, right = shared - said, left - said, right - said
    shared -= words.everywhere if kind == "replaced" else frozenset()
    if not shared:
        is_one = kind == "replaced" and _is_of_all(left, right, (was, now), words, slots)
        return Likeness("contradict", _FAIR, f"one says {was}, the other {now}", kind) if is_one else None
    least = min(len(left), len(right))
    if least > (1 if is_change or len(shared) > 1 else 0) or len(left | right) > 3 + 2 * len(shared):
        return None
    if not is_change and a.words and b.words and a.words[0] in left and b.words[0] in right:
        return None  # they begin with different things: "mail goes through …", "invoices go through …"
    return Likeness("contradict", _SURE if not least else _FAIR, f"one says {was}, the other {now}", kind)


def _by_single(a: Clause, b: Clause, words: ContradictionRules) -> Likeness | None:
    """Another value of what has one at a time: "the default role is viewer", "the default role is editor"."""
    if a.is_denied or b.is_denied or not (_IS.search(a.text) and _IS.search(b.text)):
        return None
    shared, left, right = _left_and_right(a, b)
    if not shared & words.single or not left or not right or max(len(left), len(right)) > 2 or len(shared) < 2:
        return None
    if _subject_of(a) != _subject_of(b):
        return None
    return Likeness("contradict", _WEAK, "each names another value of what has one at a time", "value")


_IS = re.compile(r"\b(?:is|are|called|named|becomes?)\b|[=:]")


def _subject_of(clause: Clause) -> frozenset[str]:
    """What stands before "is"."""
    head = _IS.split(clause.text)[0]
    return frozenset(stem(word) for word in plain_words(head) if word not in _ARTICLES)


def _other_name(a: Clause, b: Clause) -> _Swap | None:
    """Two names that nobody knows, or one and a known technology, each where the one stands that does it."""
    unknown, other_unknown = (_unknown_names(side) for side in (a, b))
    ours, theirs = unknown or a.technologies, other_unknown or b.technologies
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs or not (unknown or other_unknown):
        return None
    [was], [now] = ours, theirs
    return (was, now), "replaced"


def _unknown_names(clause: Clause) -> frozenset[str]:
    """Its names without those by which a known technology is called: "Node" is Node.js."""
    known = [one.lower() for one in clause.technologies]
    return frozenset(one for one in clause.names if not any(name.startswith(one.lower()) for name in known))


def _by_purpose(a: Clause, b: Clause, words: ContradictionRules, slots: SlotRules) -> Likeness | None:
    """Another means for one purpose that takes one: "use A for hosting", "sessions are kept using A", "A as the core language"."""
    if a.is_denied or b.is_denied:
        return None
    ours, theirs = (_purpose_of(one.text, words) for one in (a, b))
    if ours is None or theirs is None or ours[2] != theirs[2]:
        return None
    (by, what, lead), (other_by, other_what, _) = ours, theirs
    if not what or not other_what or (by <= other_by and other_by <= by):
        return None
    if lead == "by":
        is_same = (
            what == other_what and len(what) > 1 and not by & other_by and not any(one.endswith("ing") for one in what)
        )
    elif lead == "as":
        is_same = what == other_what
    else:
        is_one = any(
            one in slots.attribute_words and slots.attribute_words[one] not in _MANY
            for one in _plain(what & other_what)
        )
        is_same = is_one and (what <= other_what or other_what <= what) and not by & other_by
    if not is_same or _answer_others(a, b, slots):
        return None
    return Likeness("contradict", _WEAK, "each takes another means for the same purpose", "replaced")


_MANY = frozenset({"test runner", "mocking", "logging", "code style", "naming", "errors", "error handling"})


def _plain(stems: frozenset[str]) -> Iterator[str]:
    """The forms in which a stem may stand among the names of attributes."""
    for one in stems:
        yield from (one, f"{one}e", f"{one}ing", f"{one}ation", f"{one}s")


def _purpose_of(text: str, words: ContradictionRules) -> tuple[frozenset[str], frozenset[str], str] | None:
    """(means, purpose, how they are joined) of a clause that names both."""
    found = _PURPOSE.match(text)
    if found is not None:
        lead = "as" if found["lead"] == "as" else "for"
        return _stems(found["by"], words), _stems(found["what"], words), lead
    for word in words.mechanisms:
        what, between, by = text.partition(f" {word} ")
        if between:
            return _stems(by, words), _stems(what, words), "by"
    return None


def _stems(text: str, words: ContradictionRules) -> frozenset[str]:
    found = (stem(word) for word in plain_words(text) if word not in _ARTICLES and word not in _PREPOSITIONS)
    return frozenset(one for one in found if one not in words.generic and one not in {"and", "or", "with", "our"})


def _answer_others(a: Clause, b: Clause, slots: SlotRules) -> bool:
    """Whether both name technologies that answer different questions: a test runner and a container."""
    left, right = ({one for name in side.technologies for one in slots.answers.get(name, ())} for side in (a, b))
    return bool(a.technologies and b.technologies) and not left & right and not a.technologies & b.technologies


@lru_cache(maxsize=256)
def _question_stems(slots: SlotRules, attributes: frozenset[str]) -> frozenset[str]:
    """The words by which these questions are asked."""
    names = {name for name, attribute in slots.attribute_words.items() if attribute in attributes} | attributes
    return frozenset(stem(one) for name in names for one in name.split())


def _is_of_all(
    left: frozenset[str], right: frozenset[str], pair: tuple[str, str], words: ContradictionRules, slots: SlotRules
) -> bool:
    """One side names the question that both answer ("as primary database"), the other speaks of the whole ("the app stores in …")."""
    names = _question_stems(slots, slots.answers.get(pair[0], frozenset()) & slots.answers.get(pair[1], frozenset()))
    named, open_side = (left, right) if left & names else (right, left)
    return bool(named & names) and open_side <= words.everywhere


def _other_place(a: Clause, b: Clause) -> _Swap | None:
    if len(a.places) != 1 or len(b.places) != 1 or a.places == b.places:
        return None
    [was], [now] = a.places, b.places
    if was in now or now in was:
        return None  # one is said more exactly
    return (was, now), "place"


def _other_technology(a: Clause, b: Clause, slots: SlotRules) -> _Swap | None:
    """One known name for another that answers the same question."""
    left, right = a.technologies - b.technologies, b.technologies - a.technologies
    if len(left) != 1 or len(right) != 1 or a.technologies & b.technologies:
        return None
    [was], [now] = left, right
    if not slots.answers.get(was, frozenset()) & slots.answers.get(now, frozenset()):
        return None
    return (was, now), "replaced"


def _other_person(a: Clause, b: Clause) -> _Swap | None:
    if len(a.persons) != 1 or len(b.persons) != 1 or a.persons == b.persons:
        return None
    if "owner" not in set(a.words) | set(b.words):
        return None
    [was], [now] = a.persons, b.persons
    return (was, now), "owner"


def _other_choice(a: Clause, b: Clause) -> _Swap | None:
    """Two of one group of alternatives, one on each side."""
    ours, theirs = dict(a.choices), dict(b.choices)
    for group in ours.keys() & theirs.keys():
        if ours[group] != theirs[group] and len([one for one in (*a.choices, *b.choices) if one[0] == group]) == 2:
            return (ours[group], theirs[group]), "exclusive"
    return None


def _by_opposite(a: Clause, b: Clause, words: ContradictionRules, rules: MemoryRules) -> Likeness | None:
    """The same with the opposite word."""
    if a.is_denied or b.is_denied:
        return None
    ours, theirs = set(a.words), set(b.words)
    shared = (ours & theirs) - words.generic
    left, right = ours - theirs, theirs - ours
    pairs = ((one, other) for one in sorted(left) for other in sorted(right) if are_opposites(one, other, words, rules))
    pair = next(pairs, None)
    if pair is None or not shared:
        return None
    rest_left, rest_right = (side - set(pair) - words.generic for side in (left, right))
    if (rest_left and rest_right) or len(rest_left | rest_right) > (1 if len(shared) > 3 else 0):
        return None
    return Likeness("contradict", _WEAK, f"{pair[0]} against {pair[1]}", "opposite")


# declared -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Gone:
    """One thing that a statement says is gone."""

    stems: tuple[str, ...]
    said: str  # as it stands there
    actions: frozenset[str]  # stems of "changing", "returning": what is given up is the doing
    place: frozenset[str]  # stems of what follows "from": it goes only there
    is_all: bool  # whether a part of the name is enough


def _retired(a: Said, b: Said, words: ContradictionRules) -> Likeness | None:
    """The newer one takes out of use what the older one puts to use."""
    if words.retirements.search(a.low) and not words.retirements.search(b.low):
        return None
    known = _parts(a.low)
    for gone in _retired_things(b, words):
        thing = frozenset(gone.stems)
        is_elsewhere = bool(gone.place) and len(gone.place & known) * 2 <= len(gone.place)
        if not thing or not gone.actions <= known or is_elsewhere:
            continue  # it goes only there, and the older one speaks of another place
        hit = {one for one in thing if one in known or _is_part_of(one, known)}
        specific = hit - words.generic
        share = len(specific) / len(thing)
        is_meant = share >= (0.6 if gone.is_all else 0.99) and _is_name_or_theme(gone, a, b, specific)
        if specific and is_meant and _is_denied_nowhere(a, specific):
            sure = _SURE if share == 1 else _FAIR
            return Likeness("contradict", sure, f"the newer one says that {gone.said} goes", "retirement")
    return None


def _is_name_or_theme(gone: _Gone, a: Said, b: Said, specific: set[str]) -> bool:
    """Whether the thing is a name, or both statements share more than a word of it: "results" are many things."""
    is_name = bool(re.search(r"[\d_/.]|[a-z][A-Z]|(?<=\S )[A-Z]", f". {gone.said}"[1:]))
    is_known = any(name.lower() in gone.said.lower() for name in a.whole.technologies)
    return is_name or is_known or bool((a.whole.about & b.whole.about) - specific)


def retired_parts(said: Said, words: ContradictionRules) -> frozenset[str]:
    """The stems of all that a statement says is gone."""
    return frozenset(one for gone in _retired_things(said, words) for one in gone.stems)


def _is_part_of(one: str, known: set[str]) -> bool:
    """A longer form of the same name: "verifi" of "verify", "docker" of "dockerfil"."""
    return len(one) >= 5 and any(
        other.startswith(one) or (len(other) >= 5 and one.startswith(other)) for other in known
    )


def _is_denied_nowhere(a: Said, specific: set[str]) -> bool:
    """Whether the older one speaks for the thing: no clause denies it."""
    return not any(clause.is_denied and specific & set(clause.words) for clause in a.clauses)


def _retired_things(b: Said, words: ContradictionRules) -> Iterator[_Gone]:
    """What the newer one says is gone."""
    for found in words.retirements.finditer(b.low):
        if _KEPT.search(b.low[max(0, found.start() - 24) : found.start()]):
            continue  # "cannot be deleted", "never remove"
        yield _thing_after(b.text[found.end() :], words)
    for found in _FROM.finditer(b.low):
        yield _thing_after(b.text[found.end() :], words)
    for found in words.after_retired.finditer(b.low):
        before = re.split(r"[.,;:](?:\s|$)", b.text[: found.start()])[-1].split()[-4:]
        yield _gone([word for word in before if word.lower() not in _ARTICLES | _PREPOSITIONS], (), words, is_all=False)


def _thing_after(rest: str, words: ContradictionRules) -> _Gone:
    """The name that follows, up to what ends it, and the place from which it goes."""
    listed = _SENTENCE_END.split(rest)[0].split()[:9]
    if listed and listed[0].lower() in _PREPOSITIONS:
        return _gone((), (), words, is_all=True)
    end = next((n for n, word in enumerate(listed) if _ends_thing(word.lower(), words)), len(listed))
    at = next((n for n, word in enumerate(listed) if word.lower() in {"from", "in"}), len(listed))
    place = listed[at + 1 :]
    return _gone([word for word in listed[:end] if word.lower() not in _ARTICLES][:7], place, words, is_all=True)


def _ends_thing(word: str, words: ContradictionRules) -> bool:
    return word in words.retired_ends or word in _NEGATIONS or word == "in"


def _gone(listed: Sequence[str], place: Sequence[str], words: ContradictionRules, *, is_all: bool) -> _Gone:
    """The stems that name the thing, without those that only say what kind of thing it is, unless nothing else is left."""
    plain = [word for word in plain_words(" ".join(listed)) if word not in _PREPOSITIONS]
    parts = [part for word in plain for part in re.split(r"[-_/]", word) if part]
    stems = [one for one in map(stem, parts) if one not in words.generic]
    there = (stem(word) for word in plain_words(" ".join(place)) if word not in _ARTICLES | _PREPOSITIONS)
    return _Gone(
        tuple(one for one in stems if one not in words.shells) or tuple(stems),
        " ".join(listed).strip(".,;:"),
        frozenset(stem(word) for word in plain if word.endswith("ing") and len(word) > 5),
        frozenset(one for one in there if one not in words.generic),
        is_all,
    )


def _parts(text: str) -> set[str]:
    """The stems of all words of a text, compounds also by their parts."""
    return {stem(part) for word in plain_words(text) for part in (word, *re.split(r"[-_/.]", word)) if part}


def _decided(a: Said, b: Said, words: ContradictionRules) -> Likeness | None:
    """The newer one answers what the older one left open."""
    if (
        not (words.questions.search(a.low) or a.low.rstrip().endswith("?"))
        or words.questions.search(b.low)
        or "?" in b.low
    ):
        return None
    if words.hedges.search(b.low.replace("undecided", "")):
        return None
    shared = set(a.whole.about & b.whole.about)
    if len(shared) < 2 and not (shared and words.decided.search(b.low)):
        return None
    return Likeness("contradict", _WEAK, "the newer one decides what the older one left open", "decided")
