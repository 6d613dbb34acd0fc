"""The rules of memory, read from `resources/rules/`: `statements.yaml`, `slots.yaml`, `clauses.yaml`, `likeness.yaml`.

Owns parsing and compiling; decides nothing. The names of technologies come from `gazetteer.yaml`, which attribute they
answer from `slots.yaml`. A person's own files of the same names extend all of them. Source: S3 fact extraction.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from app.deciders.memory.slots.rules import SlotRules
from app.deciders.memory.statements.clause_rules import ClauseRules
from app.errors import InvalidError
from app.language.likeness import LikenessRules
from app.resources import load_rules, misfit, own_rules
from app.values import FactType

FILES = ("statements", "slots", "gazetteer", "likeness", "clauses")
_ATTRIBUTE_NEEDS = frozenset({"attribute_subject"})
_CAPITAL = re.compile(r"(?<!\\)[A-Z]")
_MACRO = re.compile(r"%(\w+)%")
_PLACES = frozenset({"start", "clause", "any"})
_NEEDS = frozenset({"value", "new_value", "technology", "attribute_subject", "named", "lasting", "thing"})


@lru_cache(maxsize=1024)
def compiled(expression: str) -> re.Pattern[str]:
    """The expression ready to match, case ignored; compiled when first needed."""
    return re.compile(expression, re.IGNORECASE)


def _is_found(expression: re.Pattern[str], text: str, low: str, *, is_at_start: bool = False) -> bool:
    """Whether an expression that ignores case is found in the text, of which `low` is the lower case.

    >>> said = "I am NOT sure"
    >>> _is_found(re.compile(r"\\bnot sure\\b", re.IGNORECASE), said, said.lower())
    True
    """
    plain = _plain(expression.pattern) if text.isascii() else None
    if plain is None:
        plain, low = expression, text
    return (plain.match(low) if is_at_start else plain.search(low)) is not None


@lru_cache(maxsize=512)
def _plain(expression: str) -> re.Pattern[str] | None:
    """The expression for text in lower case; None when it names capitals, so that it has to ignore case itself."""
    return None if _CAPITAL.search(expression) else re.compile(expression)


def _has_any(hints: Sequence[str], low: str) -> bool:
    for hint in hints:  # noqa: SIM110 (runs for every sentence, and a generator costs as much again)
        if hint in low:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of saying something that lasts."""

    id: str
    type: FactType
    confidence: float
    words: frozenset[str]  # one of them must occur in the sentence
    place: str  # start, clause, any
    expression: str
    unless: str
    needs: frozenset[str]
    text: str  # how the memory reads; "" = as said
    keeps_rest: bool
    is_negated: bool
    reason: str

    @property
    def asks_attribute(self) -> bool:
        """Whether the sentence has to name a known attribute."""
        return not _ATTRIBUTE_NEEDS.isdisjoint(self.needs)


@dataclass(frozen=True, slots=True)
class Doubt:
    """What turns a sentence into a question, a supposition, a report."""

    kind: str
    expression: str
    reason: str
    hints: tuple[str, ...] = ()  # one of them must occur in the text; none = always tried

    def applies(self, text: str) -> bool:
        """Whether the text is what this describes."""
        low = text.lower()
        if self.hints and not _has_any(self.hints, low):
            return False
        return _is_found(compiled(self.expression), text, low, is_at_start=self.expression.startswith("^"))


@dataclass(frozen=True, slots=True)
class SentenceForm:
    """A way of speaking, and what a sentence that has it can be."""

    types: frozenset[FactType]
    expression: str

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "SentenceForm":
        return cls(frozenset(FactType(one) for one in raw["types"]), str(raw["match"]))


@dataclass(frozen=True, slots=True)
class StatementModelRules:
    """When a sentence that no pattern reads is kept all the same."""

    least: float  # so likely it has to state something
    most_words: int  # of the whole message: longer ones are mostly tasks
    long_least: float  # in a longer one
    plain_least: float  # of what only tells how things are
    told_least: float  # in a longer one, of what only tells how things are
    troubled_least: float  # in one that tells of a fault
    trailing_least: float  # of one that ends in dots
    long_words: int  # beyond so many nothing is judged
    likely_least: float  # so likely a sentence that nothing else read is proposed
    forms: tuple[SentenceForm, ...]  # the first that fits tells which types a sentence can be

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "StatementModelRules":
        return cls(
            least=float(raw["least"]),
            most_words=int(raw["most_words"]),
            long_least=float(raw["long_least"]),
            plain_least=float(raw["plain_least"]),
            told_least=float(raw["told_least"]),
            troubled_least=float(raw["troubled_least"]),
            trailing_least=float(raw["trailing_least"]),
            long_words=int(raw["long_words"]),
            likely_least=float(raw["likely_least"]),
            forms=tuple(map(SentenceForm.parse, raw["forms"])),
        )


@dataclass(frozen=True, slots=True)
class TaskRules:
    """When a message orders work, and what in it reaches beyond that work."""

    requests: str  # opens or holds what asks for work
    described: str  # says how that work is to look
    durable: str  # a word of what holds beyond it
    durable_facts: str  # the same of plain facts: fewer

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "TaskRules":
        return cls(*(str(raw[name]) for name in ("requests", "described", "lasting", "standing")))


@dataclass(frozen=True, slots=True)
class DurabilityRules:
    """What asks to hold beyond today, and what is only about today."""

    asks: str  # says in so many words that it shall last
    chosen: str  # says that a choice was made
    general_signs: str  # a general sign that something stands: worth a look, no more
    momentary: str  # is about the moment: a report, a wish, a doubt
    work: str  # orders one piece of work, or talks about the talk
    troubled: str  # a message that reports a fault
    reports: str  # how things are just now, what is broken
    trials: str  # one try, one tweak, one wish
    rule_forms: tuple[str, ...]  # forms of a sentence that is worth a look where no pattern reads it

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "DurabilityRules":
        return cls(
            asks=str(raw["asks"]),
            chosen=str(raw["chosen"]),
            general_signs=str(raw["holds"]),
            momentary=str(raw["passing"]),
            work=str(raw["work"]),
            troubled=str(raw["troubled"]),
            reports="|".join(map(str, raw["reports"])),
            trials="|".join(map(str, raw["trials"])),
            rule_forms=tuple(map(str, raw["standing"])),
        )


@dataclass(frozen=True, slots=True)
class StandaloneRules:
    """When a message is nothing but rules for the assistant."""

    lasting: str  # says how to work from now on, by its form and by who is spoken to
    worth_a_look: str  # may be one
    for_now: str  # holds for the work at hand only
    answers: str  # opens a message that answers the assistant
    most_aside_words: int  # of the other sentences of the message

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "StandaloneRules":
        macros = {str(name): str(text) for name, text in raw["macros"].items()}

        def joined(name: str) -> str:
            return _expand("|".join(f"(?:{one})" for one in raw[name]), macros)

        return cls(
            lasting=joined("lasting"),
            worth_a_look=joined("worth_a_look"),
            for_now=str(raw["for_now"]),
            answers=str(raw["answers"]),
            most_aside_words=int(raw["most_aside_words"]),
        )


@dataclass(frozen=True, slots=True)
class SelfContainedRules:
    """What keeps a proposal from being read without the talk around it."""

    opens: str  # points back, or asks
    doubts: str  # is not sure
    about_conversation: str  # is about the talk
    itself: str  # names the project, though it begins with "this"
    dangling: str  # has no subject, or one that only the talk or the screen shows
    unnamed_context: str  # names by "the" what only the screen or the talk shows, with the noun as its group
    cut_off: str  # ends where something is to follow
    questioned: str  # what follows a statement that its own writer doubts at once
    opens_work: str  # opens a message that orders one piece of work, whose name its other sentences leave out

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "SelfContainedRules":
        return cls(
            opens=str(raw["opens"]),
            doubts=str(raw["doubts"]),
            about_conversation=str(raw["talks"]),
            itself=str(raw["itself"]),
            dangling="|".join(map(str, raw["dangling"])),
            unnamed_context=str(raw.get("unsaid", r"(?!)")),
            cut_off=str(raw["cut_off"]),
            questioned=str(raw["questioned"]),
            opens_work=str(raw["opens_work"]),
        )


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class MemoryRules:
    patterns_by_word: Mapping[str, tuple[int, ...]]
    patterns: tuple[Pattern, ...]
    doubts: tuple[Doubt, ...]
    instruction_like: tuple[Doubt, ...]
    about_to_change: str  # matches what follows a state that is to change
    told: str  # matches what asks to remember
    told_after: str  # the same at the end of a sentence
    openers: str  # matches what opens a sentence and says nothing
    closers: str
    cut_after: tuple[str, ...]  # here the main clause ends
    drop_after: tuple[str, ...]  # what follows is left out of the memory
    vague: frozenset[str]
    pronouns: frozenset[str]
    standing_words: frozenset[str]
    decision_cues: tuple[tuple[str, float], ...]
    decision_threshold: float
    statement_model: StatementModelRules
    tasks: TaskRules
    durability: DurabilityRules
    self_contained: SelfContainedRules
    standalone_rules: StandaloneRules
    slots: SlotRules
    likeness: LikenessRules
    clauses: ClauseRules

    @staticmethod
    def parse(
        statements: Mapping[str, Any],
        slots: Mapping[str, Any],
        gazetteer: Mapping[str, Any],
        likeness: Mapping[str, Any],
        clauses: Mapping[str, Any],
        *,
        is_own: bool = True,
    ) -> "MemoryRules":
        """The rules of the five files. Raises InvalidError naming what does not fit.

        The expressions of a person's own files (`is_own`) are tried now, shipped ones when they are first needed.
        """
        patterns = _read_patterns(statements, is_own=is_own)
        return MemoryRules(
            patterns_by_word=_index(patterns),
            patterns=patterns,
            doubts=_read_doubts(statements, "not_statements"),
            instruction_like=_read_doubts(statements, "instruction_like"),
            about_to_change=str(statements["about_to_change"]),
            told=_edge(statements["told"], is_opening=True),
            told_after=_edge(statements["told_after"], is_opening=False),
            openers=_edge(statements["openers"], is_opening=True),
            closers=_edge(statements["closers"], is_opening=False),
            cut_after=tuple(map(str, statements["cut_after"])),
            drop_after=tuple(map(str, statements["drop_after"])),
            vague=frozenset(map(str, statements["vague"])),
            pronouns=frozenset(map(str, statements["pronouns"])),
            standing_words=frozenset(map(str, statements["standing_words"])),
            decision_cues=tuple((str(cue["match"]), float(cue["weight"])) for cue in statements["decision_cues"]),
            decision_threshold=float(statements["decision_threshold"]),
            statement_model=StatementModelRules.parse(statements["sayings"]),
            tasks=TaskRules.parse(statements["tasks"]),
            durability=DurabilityRules.parse(statements["lasting"]),
            self_contained=SelfContainedRules.parse(statements["alone"]),
            standalone_rules=StandaloneRules.parse(statements["standalone_rules"]),
            slots=SlotRules.parse(slots, gazetteer),
            likeness=LikenessRules.parse(likeness),
            clauses=ClauseRules.parse(clauses),
        )

    def candidates(self, words: Iterable[str]) -> list[Pattern]:
        """The patterns that one of these lower-case words allows, in the order of the file."""
        numbers: set[int] = set()
        for word in words:
            numbers.update(self.patterns_by_word.get(word, ()))
        return [self.patterns[number] for number in sorted(numbers)]


def load_memory_rules(folder: Path | None = None) -> MemoryRules:
    """The shipped rules with a person's own files in `folder` laid over them; the shipped ones are read once."""
    own = own_rules(folder)
    return _shipped() if own is None else _load(own)


@cache
def _shipped() -> MemoryRules:
    return _load(None)


def _load(folder: Path | None) -> MemoryRules:
    files = {name: load_rules(name, folder) for name in FILES}
    try:
        return MemoryRules.parse(**files, is_own=folder is not None)
    except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
        raise misfit("statements", error) from error


def _read_patterns(statements: Mapping[str, Any], *, is_own: bool) -> tuple[Pattern, ...]:
    macros: dict[str, str] = {}
    for name, body in statements["macros"].items():  # a macro may use those above it
        macros[str(name)] = _expand(str(body), macros)
    return tuple(_read_pattern(raw, macros, is_own=is_own) for raw in statements["patterns"])


def _read_pattern(raw: Mapping[str, Any], macros: Mapping[str, str], *, is_own: bool) -> Pattern:
    try:
        pattern = Pattern(
            id=str(raw["id"]),
            type=FactType(raw["type"]),
            confidence=float(raw["confidence"]),
            words=frozenset(str(word).lower() for word in raw["words"]),
            place=str(raw["at"]),
            expression=_expand(str(raw["match"]), macros),
            unless=_expand(str(raw.get("unless", "")), macros),
            needs=frozenset(map(str, raw.get("needs", ()))),
            text=str(raw.get("text", "")),
            keeps_rest=bool(raw.get("keep_rest", False)),
            is_negated=bool(raw.get("negated", False)),
            reason=str(raw["reason"]),
        )
        if is_own:
            compiled(pattern.expression)
        if pattern.place not in _PLACES or not pattern.needs <= _NEEDS or not 0 < pattern.confidence < 1:
            raise ValueError(f"at is one of {sorted(_PLACES)}, needs are among {sorted(_NEEDS)}")
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise InvalidError(
            f"A pattern in statements.yaml is not right: {dict(raw)!r:.120} ({error})",
            hint="Correct the pattern in your own statements.yaml or remove it.",
        ) from error
    return pattern


def _expand(body: str, macros: Mapping[str, str]) -> str:
    return _MACRO.sub(lambda found: macros[found[1]], body)


def _read_doubts(statements: Mapping[str, Any], name: str) -> tuple[Doubt, ...]:
    return tuple(
        Doubt(str(raw.get("kind", name)), str(raw["match"]), str(raw["reason"]), tuple(map(str, raw.get("words", ()))))
        for raw in statements[name]
    )


def _index(patterns: Sequence[Pattern]) -> dict[str, tuple[int, ...]]:
    index: dict[str, list[int]] = {}
    for number, pattern in enumerate(patterns):
        for word in pattern.words:
            index.setdefault(word, []).append(number)
    return {word: tuple(numbers) for word, numbers in index.items()}


def _edge(phrases: Sequence[object], *, is_opening: bool) -> str:
    body = "|".join(re.escape(str(phrase)) for phrase in sorted(map(str, phrases), key=len, reverse=True))
    return rf"^(?:{body})(?:[,:!.…—–-]+\s*|\s+)" if is_opening else rf"(?:,\s*|\s+)(?:{body})$"
