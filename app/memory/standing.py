"""How much a plain clause sounds like something that still holds tomorrow: features weighed, no pattern.

A clause below the least weight is silence; in the middle it waits for the person (the review inbox); above, it is kept.
Knows clauses, slots and words; nothing of messages. Source: S3 (confidence, pending to validated).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.memory.clauses import Clause, parse_clause
from app.memory.faults import lower_words, tells_of_fault
from app.memory.identities import NAME, identity_features
from app.memory.phrasing import without_inside
from app.memory.rules import MemoryRules, compiled
from app.memory.slots import find_attributes, find_technologies
from app.memory.subjects import is_style, subject_kind
from app.values import FactType

_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_ROLE = re.compile(r"(?:the|our|my|an?) (?!\d)")
_AWAY = re.compile(
    r"on (?:vacation|holidays?|leave|pto|parental|sick|maternity|paternity)|sick|away|off\b|out\b|back\b|not (?:here|in)"
)
_POSITION = re.compile(
    rf"{_ROLE.pattern}|in charge|responsible|on[- ]call|based|from|away|out |off |on [a-z]|in [a-z]|with [a-z]"
)
_MANY = re.compile(r"\w+s (?:are|were|have|do)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_LONG_WORDS = 24
_LEAST_WORDS, _QUALITY_WORDS = 3, 3
_BRIEF_WORDS, _TALK_WORDS, _DOCUMENT_WORDS = 16, 40, 120
_ONWARDS = re.compile(r"\bfrom (?:now|here) on\b", re.IGNORECASE)
_DEPENDS = frozenset({"depend", "rely", "know", "import", "contain", "leak", "store", "hold", "reach", "access", "touch", "call", "talk", "use", "live", "read", "see"})  # fmt: skip
_MEASURED = frozenset({"measure", "number", "standing", "technology"})
_BURDENED = frozenset({"users", "people", "customers", "devs", "developers", "visitors", "clients"})
_NONE = ("nobody ", "no one ", "no-one ", "no ", "only ")
_NOBODY = frozenset({"nobody", "no one", "no-one", "nothing"})
_JUST_SO = frozenset({"be", "have", "know", "use", "need", "want", "care", "see", "notice", "notices", "knows", "cares", "think", "like", "remember", "read", "understand", "work", "happen", "come", "return", "show", "print", "log", "match", "change", "say", "answer"})  # fmt: skip
_GOES_ON = frozenset({"use", "run", "rely", "target", "host", "depend", "follow", "store", "keep"})
_SAME_PAST = frozenset({"reset", "put", "read", "set", "cut", "split"})
_COUNTED = re.compile(
    r"(?:an? (?!lot|bug|few)[\w-]+|\d+|two|three|four|five|six|seven|eight|nine|ten|only|all) ", re.IGNORECASE
)
_OPEN_VERBS = frozenset({"be", "need", "want", "get", "go", "have", "call", "start", "do", "come"})
_SEEN_KINDS = frozenset({"the", "a", "known", "bare", "code", "seen", "plural"})  # may be what is seen just now
_LASTING = frozenset({"standing", "technology", "firm"})
_REASONS = {
    FactType.CONSTRAINT: "says how things have to be",
    FactType.ENTITY: "says who does what",
    FactType.FACT: "says how things are",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """The message that a clause stands in."""

    word_count: int = 0
    is_troubled: bool = False  # tells of a fault: its plain clauses are about that
    is_asking: bool = False
    is_polite: bool = False  # says please
    is_custom: bool = False  # "…, that's the house style"

    @property
    def is_talk(self) -> bool:
        return self.word_count > _TALK_WORDS

    @property
    def is_document(self) -> bool:
        return self.word_count > _DOCUMENT_WORDS

    def features(self) -> Iterator[str]:
        if self.is_custom:
            yield "custom"
        if 0 < self.word_count <= _BRIEF_WORDS and not self.is_asking:
            yield "brief"
        if self.is_talk:
            yield "document" if self.is_document else "talk"
        if self.is_troubled:
            yield "troubled"
        if self.is_asking:
            yield "asks"


_ALONE = Setting()


@dataclass(frozen=True, slots=True)
class Judged:
    type: FactType
    confidence: float
    reason: str
    clause: Clause


def judge_clause(text: str, rules: MemoryRules, setting: Setting = _ALONE) -> Judged | None:
    """What the clause states and how sure that is; None below the least weight.

    >>> from app.memory.rules import load_memory_rules
    >>> judge_clause("our importer reads Latin-1 files", load_memory_rules()).type.value
    'fact'
    >>> judge_clause("the button shows the wrong text", load_memory_rules()) is None
    True
    """
    text = without_inside(text) if "this " in text.lower() else text
    clause = parse_clause(text, rules.clauses) if text.count(" ") >= _LEAST_WORDS - 1 else None
    if clause is None or tells_of_fault(text, rules):
        return None
    kind = subject_kind(clause.subject, rules)
    if kind == "person" and _MANY.match(text):
        kind = "plural"  # "Amounts are …"
    type_ = _type(clause, kind, rules) if kind else None
    if type_ is None:
        return None
    rest = tuple(_rest_features(clause, type_, rules))
    if _is_about_now(clause, kind, rest):
        return None
    named = [kind, *_verb_features(clause, kind, rules), *rest, *setting.features()]
    named += ["style"] * is_style(clause.subject, rules)
    named += ["measured"] * (
        type_ is FactType.FACT and compiled(rules.clauses.units).search(clause.subject) is not None
    )
    named += ["frame"] * bool(clause.frame) + ["long"] * (len(text.split()) > _LONG_WORDS)
    weights = rules.clauses.weights
    total = weights["base"] + sum(weights[name] for name in named) + rules.clauses.modals.get(clause.modal, 0.0)
    if total < rules.clauses.least:
        return None
    is_plain = type_ is FactType.FACT and kind in _SEEN_KINDS and clause.form != "passive" and clause.group != "place"
    most = rules.clauses.unsure if is_plain and _LASTING.isdisjoint(rest) else rules.clauses.most
    return Judged(type_, round(min(total, most), 2), _REASONS[type_], clause)


def _is_about_now(clause: Clause, kind: str, rest: tuple[str, ...]) -> bool:
    """Whether it tells what is being done or to be done next: "we need …", "we are …", "I have to …"."""
    is_open = _MEASURED.isdisjoint(rest)
    if clause.form == "progressive":
        return clause.verb not in _GOES_ON
    if kind == "i":
        return bool(clause.modal) or is_open or clause.verb in _SAME_PAST
    if kind != "we":
        return False
    if clause.verb in {"be", "have"} and not clause.modal:
        return _COUNTED.match(clause.rest) is None and {"measure", "standing"}.isdisjoint(rest)
    return is_open and (bool(clause.modal) or clause.verb in _OPEN_VERBS)


def is_verdict(clause: Clause, rules: MemoryRules) -> bool:
    """Whether it says what something is just now: "all tests are green", "one retry is enough"."""
    first = clause.rest.lower().split(" ", 1)[0]
    return clause.verb == "be" and clause.form == "plain" and first in rules.clauses.words["verdicts"]


def _type(clause: Clause, kind: str, rules: MemoryRules) -> FactType | None:
    low = clause.rest.lower()
    if is_verdict(clause, rules):
        return None
    if low.startswith("being "):
        return None  # what is happening just now
    if clause.modal:
        return FactType.CONSTRAINT if _obliges(clause, kind, rules) else None
    if _is_ban(clause) or rules.clauses.has("firm_words", low, lower_words(low)) or _permits(clause):
        return FactType.CONSTRAINT
    if clause.subject.lower() in _NOBODY:
        return None  # "nobody knows why"
    if kind == "person":
        is_role = clause.verb in rules.clauses.roles or (clause.verb == "be" and _is_position(low, rules))
        return FactType.ENTITY if is_role and clause.form != "passive" else None
    if kind == "i" and clause.group in {"be", "have", "role", ""}:
        return None
    if not clause.group or clause.group == "role":
        return None
    return FactType.FACT


def _is_ban(clause: Clause) -> bool:
    """Whether it says what nobody does, as a rule: "nobody pushes to main", not "nobody knows why"."""
    return clause.subject.lower() in _NOBODY and clause.verb not in _JUST_SO


def _is_position(low: str, rules: MemoryRules) -> bool:
    """Whether what somebody is said to be is a place in the team: "our designer", "in charge of …", "away until …"."""
    if _AWAY.match(low):
        return False
    return _POSITION.match(low) is not None or not rules.clauses.words["role_objects"].isdisjoint(low.split())


def _permits(clause: Clause) -> bool:
    """Whether it says what is allowed and what not."""
    return clause.verb in {"forbid", "ban"} or (clause.verb in {"allow", "permit"} and clause.form == "passive")


def _obliges(clause: Clause, kind: str, rules: MemoryRules) -> bool:
    """Whether the modal binds: "must", "can only"; not "can", "will"."""
    weight = rules.clauses.modals.get(clause.modal, 0.0)
    if clause.modal in {"may", "can"} and (clause.rest.startswith("no ") or clause.subject.lower().startswith(_NONE)):
        return True
    is_task = clause.verb in rules.clauses.orders and clause.verb != "be"
    if kind in {"i", "we"} and (is_task or clause.verb not in rules.clauses.states):
        return clause.modal == "cannot" and kind == "we" and not is_task
    is_burden = clause.modal in {"have to", "need to"} and clause.subject.lower().split()[-1] in _BURDENED
    if is_burden and clause.verb != "be" and clause.verb not in rules.clauses.states:
        return False  # "users have to scroll": a complaint
    is_measured = clause.modal in {"should", "ought", "should always", "should never"} and (
        compiled(rules.clauses.units).search(clause.rest) is not None or is_style(clause.subject, rules)
    )
    is_direction = clause.modal == "should" and clause.is_negated and clause.verb in _DEPENDS and kind != "seen"
    return (weight > 0 or is_measured or is_direction) and not (clause.verb == "be" and not clause.rest)


def _verb_features(clause: Clause, kind: str, rules: MemoryRules) -> Iterator[str]:
    if clause.group in rules.clauses.weights:
        yield clause.group
    elif clause.group == "role" and kind == "person":
        yield "make"
    if clause.form != "plain":
        yield clause.form
    if clause.is_past:
        yield "past"
    if _permits(clause) or _is_ban(clause):
        yield "firm"
    yield from _modal_features(clause, rules) if clause.modal else _plain_features(clause, kind)


def _modal_features(clause: Clause, rules: MemoryRules) -> Iterator[str]:
    if clause.verb in rules.clauses.states:
        yield "state"
        if clause.is_negated and clause.modal == "should":
            yield "direction"
    elif clause.verb in rules.clauses.orders and clause.verb != "be" and not clause.is_negated:
        yield "order"


def _plain_features(clause: Clause, kind: str) -> Iterator[str]:
    is_ours = kind in {"we", "ours"}
    if clause.verb in {"want", "need"} and is_ours:
        yield "want"
    if clause.verb == "work":
        yield "working"  # what is seen to work
    if (clause.is_negated or clause.rest.startswith("no ")) and not is_ours and not _permits(clause):
        yield "denied"


def _rest_features(clause: Clause, type_: FactType, rules: MemoryRules) -> Iterator[str]:
    rest, low, own = clause.rest, clause.rest.lower(), rules.clauses
    said = [*lower_words(low), *clause.adverbs]
    if not rest:
        yield "empty" if clause.form != "passive" else "bare_state"
    yield from _told_features(rest, [*said, *lower_words(clause.frame.lower())], rules)
    if own.has("standing", low, [*said, *lower_words(clause.frame.lower())]):
        yield "standing"
    if own.has("firm_words", low, said):
        yield "firm"
    if clause.verb in {"be", "stay", "remain"} and own.has("qualities", low, said[:_QUALITY_WORDS]):
        yield "quality"
    yield from identity_features(clause, rules)
    is_role = clause.verb == "be" and _ROLE.match(low) is not None
    if type_ is FactType.ENTITY and (is_role or own.words["role_objects"].intersection(said)):
        yield "role_object"
    if not clause.modal and clause.verb in own.words["consuming"] and compiled(own.units).search(rest):
        yield "consumed"
    if clause.group in {"have", "make"} and said and own.words["seen"].intersection(said[-2:]):
        yield "seen_rest"
    if own.has("passing", low, _without_lasting_now(said, rest, rules)):
        yield "passing"


def _without_lasting_now(said: list[str], rest: str, rules: MemoryRules) -> list[str]:
    """The words without a "now" that means from now on: "everything is Bun now", "paged from here on"."""
    if _ONWARDS.search(rest) is not None:
        return [word for word in said if word not in {"now", "here"}]
    is_new = "now" in said and bool(find_technologies(f"to {rest}", (), rules.slots))
    return [word for word in said if word != "now"] if is_new else said


def _told_features(rest: str, words: list[str], rules: MemoryRules) -> Iterator[str]:
    """What is named in what is said: a measure, a number, a technology, a name, a known attribute."""
    if compiled(rules.clauses.units).search(rest):
        yield "measure"
    elif _NUMBER.search(rest) or rules.clauses.words["number_words"].intersection(words):
        yield "number"
    if find_technologies(f"to {rest}", (), rules.slots):
        yield "technology"
    elif NAME.search(rest) or _PROPER.search(f"a {rest}"):
        yield "name"
    if find_attributes(rest, rules.slots):
        yield "attribute"
