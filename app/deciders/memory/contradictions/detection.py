"""Whether two statements contradict each other, by what is said: numbers with units, places, names, alternatives, "not", what is retired.

For pairs that no slot joins. Silent in doubt: another subject or scope, a hedge, a wish against a fact, another time make no
contradiction. Each clause of one is held against each of the other. Pure. Source: S4 "Contradiction Scanner", issue 17.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from app.deciders.memory.contradictions.compared_statement import (
    ARTICLES,
    MAX_CHARS,
    NEGATIONS,
    NONE,
    PREPOSITIONS,
    Clause,
    ComparedStatement,
    answers_of,
    read_compared_statement,
)
from app.deciders.memory.contradictions.rules import ContradictionRules, load_contradiction_rules
from app.deciders.memory.rules import MemoryRules
from app.deciders.memory.slots.rules import SlotRules
from app.language.likeness import original_word, plain_words
from app.language.stems import stem
from app.values import Likeness

_WANTED = re.compile(
    r"\b(?:wants?|likes?|prefers?|loves?|use|uses|add|adds|include|includes|there is|there are|there's|has|have)\b"
)
_LIGHT_ALONE = frozenset({"need", "me", "plea", "you", "requir", "want"})
_FROM = re.compile(r"\b(?:migrat|mov|switch|convert|port|renam|chang|went|upgrad)\w*\b[^.,;]{0,40}?\bfrom\b")
_BOTH_SAY = re.compile(r"one says (.+?), the other (.+)")
_ANY_MORE = re.compile(r"\bany ?(?:more|longer)\b", re.IGNORECASE)
_NOT = re.compile(r"n't$")
_KEPT = re.compile(r"\b(?:not|never|cannot|can't|don't|without|being|be|is|are|to be|if|when)(?: be(?:ing)?| to)?\s*$")
_GONE_BEFORE = re.compile(r"^(?:\s*$|\s*[.,;]|\s+(?:from|of)\b)")
_JOINS = frozenset({"and", "but", "or", "so", "because"})
_RECURS = re.compile(r"^\s+(?:only|when|whenever|once|after|if|until|unless|before|as soon as|every|each|by)\b")
_AUXILIARIES = _JOINS | {"is", "are", "was", "were", "has", "have", "been", "be", "got", "completely", "now"}
_SENTENCE_END = re.compile(r"[.;](?:\s|$)|,")
_PURPOSE = re.compile(
    r"^(?:we |we will |we'll |chosen option: )?(?:use|adopt|rely on) (?P<by>.+?) (?P<lead>for|as|to) (?P<what>.+)$"
)
_PREFERRED = re.compile(
    r"\b(?:prefers?|preferred|rather(?: have| use| write| see)?|use|take|choose|chose|want|favou?rs?|likes?|loves?)\s+(?P<better>[^.,;]+?)\s+(?:(?:better|more) than|over|than|instead of|rather than|and not|to|,? not)\s+(?P<worse>[^.,;]+)"
)
_SUBJECT = re.compile(r"(?:the|our|all|every|each|a) (\w+)|(\w{2,}s)\b")
_EXCEPTED = re.compile(r"\b(?:unless|except|only|other than|apart from)\b")
_Swap = tuple[tuple[str, str], str]  # what one says and the other, and the kind
_SUPPORT = stem("support")
_EVERYTHING = frozenset({"everything", "everywhere", "whole", "entire", "all"})
_NONE_STEMS: frozenset[str] = frozenset()
_SAME_SHARE = 0.03  # of two amounts in other units: a month is 30 or 31 days, a GB 1,000 or 1,024 MB
_SHORT = 16  # words of both together: of longer ones a name says too little
_SURE, _FAIR, _WEAK = 0.85, 0.75, 0.7


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
    a, b = read_compared_statement(older, rules, words), read_compared_statement(newer, rules, words)
    if not _are_comparable(a, b):
        found = _decided(a, b, words)
    else:
        found = _retired(a, b, words) or _by_preference(a, b) or _best(a, b, words, rules)
    return found and replace(found, reason=_as_written(found.reason, older, newer))


def _as_written(reason: str, older: str, newer: str) -> str:
    """The reason with what both say written as they write it: "one says German, the other English"."""
    said = _BOTH_SAY.fullmatch(reason)
    if said is None:
        return reason
    places = (
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
        for word, text in zip(said.groups(), (older, newer), strict=True)
    )
    was, now = (found[0] if found is not None else word for found, word in zip(places, said.groups(), strict=True))
    return f"one says {was}, the other {now}"


def may_contradict(older: str, newer: str, rules: MemoryRules, words: ContradictionRules | None = None) -> bool:
    """Whether what else says that two statements contradict may be believed: both are said as holding now, of one thing.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> may_contradict("The owner of payments is Anna.", "The owner of search is Ben.", load_memory_rules())
    False
    """
    if not older or not newer:
        return True
    words = words or load_contradiction_rules()
    a, b = read_compared_statement(older, rules, words), read_compared_statement(newer, rules, words)
    if not _are_comparable(a, b):
        return False
    if words.additions.search(newer.lower()):
        return False  # "PayPal is accepted too"
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
    ours, theirs = (sorted({one for one in side.quantities if one[0]}) for side in (a, b))
    is_same = len(ours) == len(theirs) and all(
        one[0] == other[0] and _is_same_amount(one, other) for one, other in zip(ours, theirs, strict=False)
    )
    return bool(ours) and is_same and {one[2] for one in a.quantities} != {one[2] for one in b.quantities}


def _is_same_amount(one: tuple[str, float, str], other: tuple[str, float, str]) -> bool:
    """Whether two quantities of one dimension are one, in other units up to what these are rounded by."""
    if abs(one[1] - other[1]) <= 1e-9 * max(1.0, abs(one[1])):
        return True
    units = {wording.split()[-1].rstrip("s") for _, _, wording in (one, other)}
    return len(units) > 1 and abs(one[1] - other[1]) < _SAME_SHARE * min(abs(one[1]), abs(other[1]))


def _are_comparable(a: ComparedStatement, b: ComparedStatement) -> bool:
    """Whether both are said as holding now: no hedge, no question, no wish against a fact, no other time."""
    if a.is_doubtful or b.is_doubtful or a.is_pointing or b.is_pointing or _are_of_other_times(a, b):
        return False
    if a.holder and b.holder and a.holder != b.holder:
        return False  # what I use and what a colleague uses
    if a.is_wish != b.is_wish:
        return a.names_user or b.names_user or (a.has_wished and b.has_wished)
    return not (a.is_past or b.is_past)


def _are_of_other_times(a: ComparedStatement, b: ComparedStatement) -> bool:
    """Whether one thing is another of its kind on each side: the old server and the new one, version 1 and since version 2."""
    ours, theirs = dict(a.periods), dict(b.periods)
    return any(ours[noun] != theirs[noun] for noun in ours.keys() & theirs.keys())


# other subjects and scopes -----------------------------------------------------------------------------------


def speak_of_others(a: Clause, b: Clause, words: ContradictionRules, rules: MemoryRules) -> bool:
    """Whether the same noun is another thing on each side: access token / refresh token, owner of payments / of search."""
    nouns = {noun for noun, _ in a.modifiers}
    for noun, modifier in b.modifiers:
        if noun not in nouns or modifier in a.stems:
            continue
        mine = {one for its, one in a.modifiers if its == noun}
        if modifier in mine or not mine.isdisjoint(b.stems):
            continue
        if not any(are_opposites(one, modifier, words, rules) for one in mine):
            return True
    return False


def are_opposites(one: str, other: str, words: ContradictionRules, rules: MemoryRules) -> bool:
    """Whether two stems exclude each other, as opposites or as two of one group of alternatives."""
    if other in words.opposites.get(one, ()) or other in _opposite_stems(rules).get(one, ()):
        return True
    group, its = words.exclusive.get(one), words.exclusive.get(other)
    return group is not None and its is not None and group[0] == its[0] and group != its


@lru_cache(maxsize=8)
def _opposite_stems(rules: MemoryRules) -> dict[str, frozenset[str]]:
    same = rules.likeness.same
    return {
        stem(same.get(word, word)): frozenset(stem(same.get(one, one)) for one in others)
        for word, others in rules.likeness.opposites.items()
    }


@lru_cache(maxsize=2_048)
def _excluded_by(stem_of: str, words: ContradictionRules, rules: MemoryRules) -> frozenset[str]:
    """The stems that `are_opposites` of this one."""
    group = words.exclusive.get(stem_of)
    rivals = {one for one, its in words.exclusive.items() if group and its[0] == group[0] and its != group}
    return words.opposites.get(stem_of, _NONE_STEMS) | _opposite_stems(rules).get(stem_of, _NONE_STEMS) | rivals


def have_other_scopes(a: ComparedStatement, b: ComparedStatement, slots: SlotRules) -> bool:
    """Whether they name different places where they hold: tests, staging, a language."""
    left, right = (_scopes_of(other_words.low, slots) for other_words in (a, b))
    if not left and not right:
        return False
    ours, theirs = ({slots.scopes[word] for word in found} for found in (left, right))
    if not (ours and theirs):  # one names it: no scope where the other speaks of the same thing, or of everything
        found, other = (left, b) if left else (right, a)
        other_words = {*other.whole.words, *plain_words(other.low)}
        named = {slots.scopes[word] for word in other_words if word in slots.scopes}
        return not other_words & _EVERYTHING and any(
            stem(word) not in other_words and slots.scopes[word] not in named for word in found
        )
    return ours != theirs


@lru_cache(maxsize=256)
def _scopes_of(low: str, slots: SlotRules) -> frozenset[str]:
    """Words for a place where something holds, after "in" or "on", or at the beginning: "CI", "on staging", "in our tests"."""
    listed = plain_words(low)
    near = (
        (word, at < 2 or bool({*listed[max(0, at - 3) : at]} & slots.scope_prepositions))
        for at, word in enumerate(listed)
    )
    return frozenset(word for word, is_near in near if is_near and word in slots.scopes)


# evidence ------------------------------------------------------------------------------------------------------


def _best(a: ComparedStatement, b: ComparedStatement, words: ContradictionRules, rules: MemoryRules) -> Likeness | None:
    """The surest evidence of any clause against any."""
    slots = rules.slots
    worth = [pair for pair in _clause_pairs(a, b) if _may_show(*pair, words, rules)]
    if not worth or have_other_scopes(a, b, slots):
        return None
    is_change = bool(words.changes.search(b.low))
    is_short = len(a.whole.words) + len(b.whole.words) <= _SHORT
    found: list[Likeness] = []
    for ours, theirs in worth:
        if speak_of_others(ours, theirs, words, rules):
            continue
        evidence = (
            _by_number(ours, theirs, words)
            or _by_version(ours, theirs, words, is_change=is_change)
            or _by_denial(ours, theirs, a, b, words)
            or _by_value(ours, theirs, words, slots, is_change=is_change, is_short=is_short)
            or _by_opposite(ours, theirs, words, rules, is_short=is_short)
            or _by_purpose(ours, theirs, words, slots)
        )
        if evidence is not None:
            found.append(evidence)
    return max(found, key=lambda one: one.confidence, default=None)


def _may_show(a: Clause, b: Clause, words: ContradictionRules, rules: MemoryRules) -> bool:
    """Whether any evidence could be found in two clauses: most pairs have none of what it needs, and are read no further."""
    if a.is_denied is not b.is_denied or not a.dimensions.isdisjoint(b.dimensions):
        return True
    if a.is_denied:
        return False
    return bool(
        (a.places and b.places)
        or (a.choices and b.choices)
        or (a.persons and b.persons)
        or ((a.names or a.technologies) and (b.names or b.technologies))
        or any(not _excluded_by(one, words, rules).isdisjoint(b.stems) for one in a.stems)
        or (_purpose_of(a.text, words) is not None and _purpose_of(b.text, words) is not None)
    )


def _by_preference(a: ComparedStatement, b: ComparedStatement) -> Likeness | None:
    """What one would rather have than the other, the other way round."""
    ours, theirs = _preference_of(a.low), _preference_of(b.low)
    if ours is None or theirs is None:
        return None
    (better, worse), (other_better, other_worse) = ours, theirs
    if better and worse and better & other_worse and worse & other_better and not better & other_better - other_worse:
        return Likeness("contradict", _SURE, "each would rather have the other", "preference")
    return None


@lru_cache(maxsize=256)
def _preference_of(low: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What a statement would rather have, and than what."""
    found = _PREFERRED.search(low)
    return None if found is None else (_named(found["better"]), _named(found["worse"]))


def _named(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in plain_words(text) if word not in ARTICLES)


def _clause_pairs(a: ComparedStatement, b: ComparedStatement) -> Iterator[tuple[Clause, Clause]]:
    yield a.whole, b.whole
    if len(a.clauses) > 1 or len(b.clauses) > 1:
        for ours in a.clauses:
            for theirs in b.clauses:
                if ours.words or theirs.words:
                    yield ours, theirs


def _shared_dimension(a: Clause, b: Clause, words: ContradictionRules) -> str | None:
    """The one dimension in which both name a quantity; None where there is none, or several values may stand side by side."""
    dimensions = a.dimensions & b.dimensions
    if len(dimensions) > 1:
        dimensions -= {one for one in dimensions if one[:1] != "#" and _values_of(a, one) == _values_of(b, one)}
    if len(dimensions) != 1 or a.is_denied is not b.is_denied:
        return None
    [dimension] = dimensions
    stems = a.stems | b.stems
    if dimension == "version" and _SUPPORT in stems and not stems & (words.floors - {_SUPPORT}):
        return None  # several versions may be supported, but one is the oldest of them
    return dimension


def _values_of(side: Clause, dimension: str) -> frozenset[float]:
    return frozenset(value for its, value, _ in side.quantities if its == dimension)


def _by_version(a: Clause, b: Clause, words: ContradictionRules, *, is_change: bool) -> Likeness | None:
    """Another version of what the whole runs on: "we target Node 18", "the app runs on Node 20 now"."""
    if _shared_dimension(a, b, words) != "version" or not _is_version_of_all(a, b, words, is_change=is_change):
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
    shared, left, right = _laid_for_numbers(dimension, a, b, words)
    is_version = dimension == "version"
    named = a.technologies & b.technologies
    if count > 1 or ours[1] == theirs[1] or (not is_version and _is_same_amount(ours, theirs)):
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


def _laid_for_numbers(
    dimension: str, a: Clause, b: Clause, words: ContradictionRules
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What both are about, and what only one is, without words for an amount that one side alone has."""
    counted = _counted_stems(dimension, a, b, words)
    aligned = _align(a, b, counted, words)
    left, right = aligned.left, aligned.right
    if not (left & words.spans and right & words.spans):
        left, right = left - words.spans, right - words.spans
    if not counted and not set(a.words) & set(b.words) & words.floors:
        # "limit" of one side only is another thing than the other's own word
        left, right = (rest | (set(side.words) & words.floors) for rest, side in ((left, a), (right, b)))
    return aligned.shared, left, right


def _counted_stems(dimension: str, a: Clause, b: Clause, words: ContradictionRules) -> frozenset[str]:
    """The words for what is counted: they are the dimension, not the subject."""
    name = dimension.removeprefix("#")
    if not dimension.startswith("#"):
        return _NONE_STEMS
    if not name.isdecimal():
        return frozenset({name})
    return frozenset(one for one in a.about | b.about if int(name) in words.topics.get(one, NONE))


def _is_version_of_all(a: Clause, b: Clause, words: ContradictionRules, *, is_change: bool) -> bool:
    """Whether both speak of one technology, and say of nothing but the whole that it runs on it: "we target Node 18"."""
    if len(a.technologies) != 1 or a.technologies != b.technologies:
        return False
    [name] = a.technologies
    parts = {stem(part) for part in plain_words(name) for part in (part, part.split(".")[0])}
    aligned = _align(a, b, words.runs | words.everywhere | words.light | parts, words)
    most = 3 if is_change else 1 if _EVERYTHING & {*plain_words(a.text), *plain_words(b.text)} else 0
    return not aligned.least and len(aligned.left | aligned.right) <= most


def _by_denial(
    a: Clause, b: Clause, whole: ComparedStatement, other: ComparedStatement, words: ContradictionRules
) -> Likeness | None:
    """One says it, the other says not: what is denied is said by the other, up to a detail."""
    if a.is_denied is b.is_denied:
        return None
    denied, affirmed = (a, b) if a.is_denied else (b, a)
    affirming = other if denied is a else whole
    if words.conditions.search(denied.text) or _EXCEPTED.search(affirmed.text):
        return None
    if denied.quantities and {one[1] for one in denied.quantities} != {one[1] for one in affirmed.quantities}:
        return None
    if (
        denied.technologies - affirmed.technologies
        or denied.places - affirmed.places
        or _takes_out_a_part(denied, words)
    ):
        return None
    heavy = frozenset(denied.words) - words.floors
    heavy -= (
        {"person"} if any(one in denied.text for one in ("nobody", "no one")) else set()
    )  # whoever does it is denied
    shared = heavy & frozenset(affirmed.words)
    missing = {one for one in heavy - shared if one not in words.light}
    if _lacks_what_it_adds(denied, affirmed, heavy):
        return None
    about = shared & (denied.about | affirmed.about)
    names = len(denied.technologies & affirmed.technologies)
    if _denies_alone(denied, shared, affirming, whole if affirming is other else other):
        return Likeness("contradict", _FAIR, "one says it, the other says that there is none", "negation")
    if len(shared) + names < 2 or not (about or names):
        return None
    if missing and (len(missing) > 1 or len(shared) < 3 or affirmed.about - denied.about):
        return None  # it denies a part only: "requests are logged", "bodies of requests are not logged"
    return Likeness("contradict", _FAIR if missing else _SURE, "one says it, the other says not", "negation")


def _takes_out_a_part(denied: Clause, words: ContradictionRules) -> bool:
    """ "…, not the guests", "at night it is not": nothing is denied that the other says."""
    listed = denied.text.split()
    at = max((n for n, word in enumerate(listed) if word in {"not", "never"} or _NOT.search(word)), default=-1)
    after = listed[at + 1] if 0 <= at < len(listed) - 1 else ""
    return at >= 0 and (not after or (at == 0 and after in words.no_denials))


def _lacks_what_it_adds(denied: Clause, affirmed: Clause, heavy: frozenset[str]) -> bool:
    """ "The build runs without network" adds to "the build runs": it denies only what the other speaks of too."""
    before, without, after = denied.text.partition("without ")
    if not without or any(word in NEGATIONS or _NOT.search(word) for word in before.split()):
        return False
    added = {stem(word) for word in plain_words(after)} & heavy or heavy - {stem(word) for word in plain_words(before)}
    return not added & affirmed.stems


def _denies_alone(
    denied: Clause, shared: frozenset[str], affirming: ComparedStatement, denying: ComparedStatement
) -> bool:
    """ "No polling: the watcher …" against "The watcher polls": one word denied, and both statements are about one thing."""
    heavy = frozenset(one for one in denied.words if one not in _LIGHT_ALONE)
    if len(shared) != 1 or heavy != shared:
        return False
    if len(denying.clauses) < 2:
        return bool(_WANTED.search(affirming.low)) and len(affirming.whole.words) <= 4
    return bool((affirming.whole.about & denying.whole.about) - shared)


def _by_value(
    a: Clause, b: Clause, words: ContradictionRules, slots: SlotRules, *, is_change: bool, is_short: bool
) -> Likeness | None:
    """The same relation with another object: a place, a technology of one kind, a person, one of a few alternatives."""
    if a.is_denied or b.is_denied:
        return None
    pair = (
        _other_place(a, b) or _other_technology(a, b, slots, words) or _other_person(a, b, words) or _other_choice(a, b)
    )
    is_known = pair is not None
    pair = pair or (_other_name(a, b) if is_short else None)
    if pair is None or (pair[1] != "exclusive" and words.additions.search(b.text)):
        return None
    (was, now), kind = pair
    aligned = _align(a, b, _stems_of_values(pair, a, b, words), words)
    if kind == "replaced":
        aligned = aligned.without(words.everywhere, _stems_of_questions((was, now), words, slots))
    if kind == "exclusive" and (_amounts(a) != _amounts(b) or not is_short):
        return None  # "the French course has 40 lessons, the Dutch one 25"
    if not aligned.shared:
        is_one = kind == "replaced" and is_known and aligned.is_all_the_same and not _name_others(a, b, words)
        return Likeness("contradict", _FAIR, f"one says {was}, the other {now}", kind) if is_one else None
    if not aligned.is_one_thing(is_loose=is_change, most_more=3 if is_known else 1):
        return None
    if not is_change and a.words and b.words and a.words[0] in aligned.left and b.words[0] in aligned.right:
        return None  # they begin with different things: "mail goes through …", "invoices go through …"
    return Likeness("contradict", _FAIR if aligned.least else _SURE, f"one says {was}, the other {now}", kind)


def _amounts(side: Clause) -> frozenset[tuple[str, float]]:
    """Its quantities, whatever is counted."""
    return frozenset((dimension.partition("#")[0], value) for dimension, value, _ in side.quantities)


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Two clauses laid over each other without the values that they differ in: stems of both, of one only, of the other only."""

    shared: frozenset[str]
    left: frozenset[str]
    right: frozenset[str]

    @property
    def least(self) -> int:
        return min(len(self.left), len(self.right))

    @property
    def is_all_the_same(self) -> bool:
        return not self.left and not self.right

    def without(self, everywhere: frozenset[str], of_one_side: frozenset[str]) -> "_Aligned":
        """Without words for the whole, and without these where only one side has them."""
        gone = everywhere | of_one_side
        return _Aligned(self.shared - everywhere, self.left - gone, self.right - gone)

    def is_one_thing(self, *, is_loose: bool = False, most_more: int = 3) -> bool:
        """Whether both speak of the same: one may say more, but not each something else."""
        count = len(self.shared)
        more = len(self.left) + len(self.right)
        return self.least <= (1 if is_loose or count > 1 else 0) and count > 0 and more <= most_more + 2 * count


def _align(a: Clause, b: Clause, values: frozenset[str], words: ContradictionRules) -> _Aligned:
    """Without values, and without verbs that only say that something goes on; forms of one word are one."""
    one, other = (frozenset(words.measures.get(word, word) for word in side.about - values) for side in (a, b))
    shared = one & other
    subjects = {_subject_of(a)} & {_subject_of(b)}
    left, right = one - shared - words.doing, other - shared - words.doing
    same = [
        (word, its)
        for word in left
        for its in right
        if _is_one_word(word, its) or words.topics.get(word, NONE) & words.topics.get(its, NONE)
    ]
    shared |= {min(pair) for pair in same}
    left, right = left - {word for word, _ in same}, right - {its for _, its in same}
    return _Aligned((shared - words.doing) | (shared & subjects), left, right)


def _name_others(a: Clause, b: Clause, words: ContradictionRules) -> bool:
    """Whether each begins with a noun of its own: "invoices are sent", "reports are sent"."""
    one, other = _subject_of(a), _subject_of(b)
    if not one or not other or one in b.stems or other in a.stems or {one, other} & words.everywhere:
        return False
    return not words.topics.get(one, NONE) & words.topics.get(other, NONE)


def _subject_of(clause: Clause) -> str:
    """The stem of the noun that it begins with, which may be a verb elsewhere: "the build", "builds"; "" for an order."""
    found = _SUBJECT.match(clause.text)
    return stem(found[1] or found[2]) if found else ""


def _is_one_word(one: str, other: str) -> bool:
    """ "recogni-s" and "recogni-tion"."""
    same = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    return same >= 5 and same >= 0.7 * max(len(one), len(other)) and one.isalpha() and other.isalpha()


def _stems_of_questions(values: tuple[str, str], words: ContradictionRules, slots: SlotRules) -> frozenset[str]:
    """The words by which one asks for both: "sends mail", "the editor"."""
    answered = frozenset.intersection(*(answers_of(value, slots, words) for value in values))
    return _question_stems(slots, answered).union(*(words.kinds.get(kind, ()) for kind in answered))


def _stems_of_values(pair: _Swap, a: Clause, b: Clause, words: ContradictionRules) -> frozenset[str]:
    """The stems of the values."""
    values, kind = pair
    stems = {stem(part) for value in values for part in plain_words(value)}
    if kind == "exclusive":
        stems |= {one for choice in (*a.choices, *b.choices) for one in words.choice_stems[choice]}
    if kind == "owner":
        stems |= words.caring
    return frozenset(stems)


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


@lru_cache(maxsize=256)
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
    found = (stem(word) for word in plain_words(text) if word not in ARTICLES and word not in PREPOSITIONS)
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


def _other_place(a: Clause, b: Clause) -> _Swap | None:
    if len(a.places) != 1 or len(b.places) != 1 or a.places == b.places:
        return None
    [was], [now] = a.places, b.places
    if was in now or now in was:
        return None  # one is said more exactly
    return (was, now), "place"


def _other_technology(a: Clause, b: Clause, slots: SlotRules, words: ContradictionRules) -> _Swap | None:
    """One known name for another that answers the same question."""
    if a.answers.isdisjoint(b.answers):
        return None
    rivals = [
        (one, other)
        for one in sorted(a.technologies - b.technologies)
        for other in sorted(b.technologies - a.technologies)
        if answers_of(one, slots, words) & answers_of(other, slots, words)
    ]
    if len(rivals) != 1:
        return None
    [(was, now)] = rivals
    if len(a.technologies) + len(b.technologies) > 2 and a.technologies & b.technologies:
        return None
    return (was, now), "replaced"


def _other_person(a: Clause, b: Clause, words: ContradictionRules) -> _Swap | None:
    if len(a.persons) != 1 or len(b.persons) != 1 or a.persons == b.persons:
        return None
    if words.caring.isdisjoint(a.stems) or words.caring.isdisjoint(b.stems):
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


def _by_opposite(
    a: Clause, b: Clause, words: ContradictionRules, rules: MemoryRules, *, is_short: bool
) -> Likeness | None:
    """The same with the opposite word."""
    if a.is_denied or b.is_denied:
        return None
    shared = (a.stems & b.stems) - words.generic
    left, right = a.stems - b.stems, b.stems - a.stems
    pairs = ((one, other) for one in sorted(left) for other in sorted(right & _excluded_by(one, words, rules)))
    pair = next(pairs, None)
    if pair is None or _amounts(a) != _amounts(b):
        return None
    if not is_short and words.exclusive.get(pair[0]):
        return None  # the colour of one thing in a long sentence: there may be several of it
    rest_left, rest_right = (side - set(pair) - words.generic for side in (left, right))
    aligned = _align(a, b, frozenset(pair), words)
    if not aligned.least and aligned.is_one_thing(most_more=0) and is_short:
        return _opposite(pair, a, b, rules)
    if not shared or (rest_left and rest_right) or len(rest_left | rest_right) > (1 if len(shared) > 3 else 0):
        return None
    return _opposite(pair, a, b, rules)


def _opposite(pair: tuple[str, str], a: Clause, b: Clause, rules: MemoryRules) -> Likeness:
    was, now = original_word(pair[0], a.text, rules.likeness), original_word(pair[1], b.text, rules.likeness)
    return Likeness("contradict", _WEAK, f"one says {was}, the other {now}", "opposite")


# declared -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _RetiredThing:
    """One thing that a statement says is gone."""

    stems: tuple[str, ...]
    text: str  # as it stands there
    actions: frozenset[str]  # stems of "changing", "returning": what is given up is the doing
    place: frozenset[str]  # stems of what follows "from": it goes only there
    is_all: bool  # whether a part of the name is enough


def _retired(a: ComparedStatement, b: ComparedStatement, words: ContradictionRules) -> Likeness | None:
    """The newer one takes out of use what the older one puts to use."""
    things = _retired_things(b.text, words)
    if not things or (words.retirements.search(a.low) and not words.retirements.search(b.low)):
        return None
    known = _parts(a.low)
    about = NONE.union(*(words.topics.get(one, NONE) for one in a.whole.about))
    for gone in things:
        thing = frozenset(gone.stems)
        is_elsewhere = bool(gone.place) and len(gone.place & known) * 2 <= len(gone.place)
        if not thing or not gone.actions <= known or is_elsewhere:
            continue  # it goes only there, and the older one speaks of another place
        hit = {one for one in thing if one in known or _is_part_of(one, known)}
        if len(thing - hit) == 1 and any(about & words.topics.get(one, NONE) for one in thing - hit):
            hit = set(thing)  # "Facebook login" of "sign in with Facebook"
        specific = hit - words.generic
        share = len(specific) / len(thing)
        is_meant = share >= (0.6 if gone.is_all else 0.99) and _is_name_or_theme(gone, a, b, specific)
        if specific and is_meant and _is_denied_nowhere(a, specific):
            sure = _SURE if share == 1 else _FAIR
            return Likeness("contradict", sure, f"the newer one says that {gone.text} is no longer used", "retirement")
    return None


def _is_name_or_theme(retired: _RetiredThing, a: ComparedStatement, b: ComparedStatement, specific: set[str]) -> bool:
    """Whether the thing is a name, or both statements share more than a word of it: "results" are many things."""
    is_name = bool(re.search(r"[\d_/.]|[a-z][A-Z]|(?<=\S )[A-Z]|[A-Z]{2}", f". {retired.text}"[1:]))
    is_known = any(name.lower() in retired.text.lower() for name in a.whole.technologies)
    if a.whole.words[:1] and a.whole.words[0] in specific and not retired.place:
        return True  # the older one is about it
    return is_name or is_known or len(set(retired.stems)) > 1 or bool((a.whole.about & b.whole.about) - specific)


def retired_parts(statement: ComparedStatement, words: ContradictionRules) -> frozenset[str]:
    """The stems of all that a statement says is gone."""
    return frozenset(one for thing in _retired_things(statement.text, words) for one in thing.stems)


def _is_part_of(one: str, known: frozenset[str]) -> bool:
    """A longer form of the same name: "verifi" of "verify", "docker" of "dockerfil"."""
    return len(one) >= 5 and any(
        other.startswith(one) or (len(other) >= 5 and one.startswith(other)) for other in known
    )


def _is_denied_nowhere(a: ComparedStatement, specific: set[str]) -> bool:
    """Whether the older one speaks for the thing: no clause denies it."""
    return not any(clause.is_denied and specific & set(clause.words) for clause in a.clauses)


@lru_cache(maxsize=256)
def _retired_things(text: str, words: ContradictionRules) -> tuple[_RetiredThing, ...]:
    """What a statement says is gone: worked out once, not once a pair."""
    return tuple(_list_retired(text, text.lower(), words))


def _list_retired(text: str, low: str, words: ContradictionRules) -> Iterator[_RetiredThing]:
    for found in words.retirements.finditer(low):
        if _KEPT.search(low[max(0, found.start() - 24) : found.start()]):
            continue  # "cannot be deleted", "never remove"
        if found[0].endswith(("ed", "off", "out")) and _GONE_BEFORE.match(low[found.end() :]):
            if not words.conditions.search(low[: found.start()]):
                yield _thing_before(text[: found.start()], words)
        else:
            yield _thing_after(text[found.end() :], words)
    for found in _FROM.finditer(low):
        yield _thing_after(text[found.end() :], words)
    for found in words.after_retired.finditer(low):
        if found[0].startswith(("is ", "are ")) and _RECURS.match(low[found.end() :]):
            continue  # "the entry is removed when the job is over": it happens again and again
        yield _thing_before(text[: found.start()], words)


def _thing_before(text: str, words: ContradictionRules) -> _RetiredThing:
    """The name that stands at the end of it."""
    before = re.split(r"[.,;:](?:\s|$)", text)[-1].split()[-4:]
    return _retired_thing(
        [word for word in before if word.lower() not in ARTICLES | PREPOSITIONS | _AUXILIARIES],
        (),
        words,
        is_all=False,
    )


def _thing_after(rest: str, words: ContradictionRules) -> _RetiredThing:
    """The name that follows, up to what ends it, and the place from which it goes."""
    listed = _ANY_MORE.split(_SENTENCE_END.split(rest)[0])[0].split()[:9]
    if listed and listed[0].lower() in PREPOSITIONS:
        return _retired_thing((), (), words, is_all=True)
    end = next((n for n, word in enumerate(listed) if _ends_thing(word.lower(), words)), len(listed))
    at = next((n for n, word in enumerate(listed[:-1]) if _begins_place(word.lower(), listed[n + 1])), len(listed))
    place = list(takewhile(lambda word: word.lower() not in _JOINS, listed[at + 1 :]))
    return _retired_thing(
        [word for word in listed[:end] if word.lower() not in ARTICLES][:7], place, words, is_all=True
    )


def _begins_place(word: str, after: str) -> bool:
    return word == "from" or (word == "in" and not after.lower().startswith("favo"))


def _ends_thing(word: str, words: ContradictionRules) -> bool:
    return word in words.retired_ends or word in NEGATIONS or word == "in"


def _retired_thing(
    listed: Sequence[str], place: Sequence[str], words: ContradictionRules, *, is_all: bool
) -> _RetiredThing:
    """The stems that name the thing, without those that only say what kind of thing it is, unless nothing else is left."""
    plain = [word for word in plain_words(" ".join(listed)) if word not in PREPOSITIONS]
    parts = [part for word in plain for part in re.split(r"[-_/]", word) if part]
    stems = [one for one in map(stem, parts) if one not in words.generic]
    there = (stem(word) for word in plain_words(" ".join(place)) if word not in ARTICLES | PREPOSITIONS)
    return _RetiredThing(
        tuple(one for one in stems if one not in words.shells) or tuple(stems),
        " ".join(listed).strip(".,;:"),
        frozenset(stem(word) for word in plain if word.endswith("ing") and len(word) > 5),
        frozenset(one for one in there if one not in words.generic),
        is_all,
    )


def _parts(text: str) -> frozenset[str]:
    """The stems of all words of a text, compounds also by their parts."""
    return frozenset(stem(part) for word in plain_words(text) for part in (word, *re.split(r"[-_/.]", word)) if part)


def _decided(a: ComparedStatement, b: ComparedStatement, words: ContradictionRules) -> Likeness | None:
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
    is_whole = a.whole.about - words.asking <= b.whole.stems and len(a.whole.stems & b.whole.stems) > 1
    if len(shared) < 2 and not (shared and (is_whole or words.decided.search(b.low))):
        return None
    return Likeness("contradict", _WEAK, "the newer one decides what the older one left open", "decided")
