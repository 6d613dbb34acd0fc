"""Scores the four levels: tokens after / before, and what of the meaning is still there. Source: eval/README, QUALITY A12.

Rows with `facts` name the words that must survive. Rows with `label` (sentences of decision records) do not: there every
number, name, identifier, negation and modal ("must", "always", "only", "never") of the text must. A word survives when
it is there in any case, or in a short form that the dictionary of abbreviations gives it. Ratios are over all tokens of
the file; the same by length of the text: short (up to 12 tokens), medium (up to 30), long.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.deciders.memory.levels.compress import compress
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.language.abbreviations import Abbreviations, load_abbreviations
from app.resources import load_rules
from app.values.memory import Level, Levels, MemoryKind

SHORT_TOKENS = 12
MEDIUM_TOKENS = 30
_LEVELS = (Level.SUMMARY, Level.COMPRESSED)
_WORD = re.compile(r"[^\s`\"“”()\[\],;:!?]+")
_STATES = re.compile(r"\d|[a-z][A-Z]|[_/\\@#$=<>{}*~]|\w\.\w|^[A-Z]{2,}")
_NEGATION = re.compile(r"\b(?:not|no|never|without|cannot|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_MODALS = frozenset({"must", "shall", "always", "only"})
_NOT = "not"
_GRAMMAR = (
    "determiners",
    "possessives",
    "demonstratives",
    "pronouns",
    "prepositions",
    "conjunctions",
    "question_words",
    "auxiliaries",
)


@dataclass(slots=True)
class _Tally:
    """Tokens and words of one class of length."""

    full: int = 0
    summary: int = 0
    compressed: int = 0
    index: int = 0
    wanted: int = 0
    in_summary: int = 0
    in_compressed: int = 0

    def metrics(self, suffix: str = "") -> dict[str, float]:
        return {
            f"summary_ratio{suffix}": _ratio(self.summary, self.full),
            f"summary_kept{suffix}": _ratio(self.in_summary, self.wanted),
            f"compressed_ratio{suffix}": _ratio(self.compressed, self.full),
            f"compressed_kept{suffix}": _ratio(self.in_compressed, self.wanted),
            f"index_ratio{suffix}": _ratio(self.index, self.full),
        }


def evaluate(rows: list[dict[str, Any]]) -> Evaluation:
    """Ratios and shares kept over `rows` with `text` and either `facts` (each with `must`) or `label`."""
    shorter = load_abbreviations()
    tallies = {name: _Tally() for name in ("", "_short", "_medium", "_long")}
    errors: list[tuple[int, EvaluationError]] = []
    for row in rows:
        text = str(row["text"])
        levels = compress(text, kind=MemoryKind.FACT)
        wanted = _must_words(row) if "facts" in row else carrying_words(text)
        missing = {
            level: [word for word in wanted if not is_kept(word, text, levels.at(level).text, shorter)]
            for level in _LEVELS
        }
        for name in ("", _class_of(levels)):
            _count(tallies[name], levels, len(wanted), missing)
        for level, weight in ((Level.SUMMARY, 10), (Level.COMPRESSED, 1)):
            if missing[level]:
                error = EvaluationError(", ".join(missing[level]), levels.at(level).text[:80], text[:160], level.value)
                errors.append((-weight * len(missing[level]), error))
    errors.sort(key=lambda entry: entry[0])
    metrics = {
        key: value for name, tally in tallies.items() if tally.full for key, value in tally.metrics(name).items()
    }
    return Evaluation("compression", len(rows), metrics, tuple(error for _, error in errors[:MAX_ERROR_COUNT]))


def carrying_words(text: str) -> tuple[str, ...]:
    """The words of `text` that name, count, deny or bind, each once, lower case; "not" stands for any negation.

    >>> carrying_words("The cache must not hold more than 500 rows of PostgreSQL or Redis.")
    ('must', '500', 'postgresql', 'redis', 'not')
    """
    found: dict[str, None] = {}
    grammar = _grammar_words()
    is_first = True
    for match in _WORD.finditer(text):
        word = match[0].rstrip(".'’*").removesuffix("'s").removesuffix("’s").lstrip("'’")
        if _carries(word, is_first=is_first, grammar=grammar):
            found.setdefault(word.lower())
        ends = match[0].endswith(".") or text[match.end() : match.end() + 1] in {"!", "?", ":", ";"}
        is_first = ends or (is_first and not word.strip("-–—•+."))  # a bullet begins no sentence of its own
    if _NEGATION.search(text):
        found.setdefault(_NOT)
    return tuple(found)


def _carries(word: str, *, is_first: bool, grammar: frozenset[str]) -> bool:
    if not any(sign.isalnum() for sign in word) or _NEGATION.fullmatch(word) or word.lower() in grammar - _MODALS:
        return False
    is_name = word[0].isupper() and not is_first and len(word) > 1
    return word.lower() in _MODALS or is_name or _STATES.search(word) is not None


@cache
def _grammar_words() -> frozenset[str]:
    """Words that name nothing even when they begin with a capital: "We", "The", "i.e."."""
    lexicon = load_rules("lexicon")
    return frozenset(str(word).lower() for name in _GRAMMAR for word in lexicon[name]) | {"e.g", "i.e", "etc", "and/or"}


def is_kept(wanted: str, source: str, level: str, shorter: Abbreviations) -> bool:
    """Whether every word of `wanted` is in `level`, in any case or as the dictionary shortens it."""
    text = f"{level} {' '.join(_expansions(source, level, shorter))}"
    return all(_NEGATION.search(text) is not None if word == _NOT else _says(text, word) for word in wanted.split())


def _expansions(source: str, level: str, shorter: Abbreviations) -> Iterable[str]:
    """Long forms that `source` says and `level` says short."""
    for long, short in (*shorter.words.items(), *shorter.names.items()):
        if _says(level, short) and _says(source, long):
            yield long


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _must_words(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(word) for fact in row["facts"] for word in fact["must"])


def _class_of(levels: Levels) -> str:
    if levels.full.token_count <= SHORT_TOKENS:
        return "_short"
    return "_medium" if levels.full.token_count <= MEDIUM_TOKENS else "_long"


def _count(tally: _Tally, levels: Levels, wanted_count: int, missing: Mapping[Level, list[str]]) -> None:
    tally.full += levels.full.token_count
    tally.summary += levels.summary.token_count
    tally.compressed += levels.compressed.token_count
    tally.index += levels.index.token_count
    tally.wanted += wanted_count
    tally.in_summary += wanted_count - len(missing[Level.SUMMARY])
    tally.in_compressed += wanted_count - len(missing[Level.COMPRESSED])


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
