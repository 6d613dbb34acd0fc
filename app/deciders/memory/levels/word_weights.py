"""Reads a text as words with the weight each has for its meaning: names, numbers, "not" before everything else.

Owns classes and weights of words, clauses and what a "not" governs; must not know memories, levels or budgets.
The rarity of a word is read off its place in the tokeniser: frequent words have low ranks (a free unigram table).
"""

import math
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from app.deciders.memory.levels.word_weight_rules import Phrases, WordingRules, load_wording_rules
from app.language.token_counts import encode, find_token

MAX_READ_CHARS = 20_000  # of a longer text the beginning and the end are read
_TAIL_CHARS = 4_000
_CHUNK = re.compile(r"`[^`\n]{1,120}`|\S+")
_DENYING_PREFIXES = ("no-", "non-")
_OPENING = "([{\"'“‘«`"
_CLOSING = ",;:!?.\"'”’»…`"
_BRACKETS = ((")", "("), ("]", "["), ("}", "{"))
_MAX_PEELS = 8
_SENTENCE_END = re.compile(r"[.!?…]+[)\]\"'”’*]*$|[;:]$")
_NUMBER = re.compile(r"[~<>≤≥$€£+\-#v]?\d[\d.,:/x]*(?:[%a-zA-Z°]{0,4}|-[a-z]{2,10})$")
_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[_/\\@#$=<>{}*~|+]|\w\.\w|\(\)|::|^[.-]+\w|^--")
_CAPITALS = re.compile(r"^\w*[A-Z]\w*[A-Z]")
_TELLING_NOTHING = 0.6
_FIRST_SENTENCE = 1.15
_ASKED = 0.7
_MAX_WEAK = 2  # words as "use" that may be left out between "not" and what it denies
_MAX_RANK_BITS = 17.6  # log2 of the size of o200k_base


class Kind(IntEnum):
    """From what a memory may never lose to what it never needs."""

    NEGATION = 0
    NUMBER = 1
    IDENTIFIER = 2
    NAME = 3
    MODAL = 4
    HEDGE = 5
    COMPARATOR = 6
    CONTENT = 7
    WEAK = 8
    FUNCTION = 9


_WEIGHTS = {
    Kind.NEGATION: 1.0,  # kept with what it governs; says which of several is the main one
    Kind.NUMBER: 3.0,
    Kind.IDENTIFIER: 3.0,
    Kind.NAME: 2.6,
    Kind.MODAL: 1.6,
    Kind.HEDGE: 1.6,
    Kind.COMPARATOR: 0.0,  # kept with its number
    Kind.WEAK: 0.35,
    Kind.FUNCTION: 0.02,
}
_NUMBER_WORD_WEIGHT = 1.5
_EXCEPTION_WEIGHT = 0.2  # "unless", "except" qualify what was said
_COUNTED = frozenset({Kind.CONTENT, Kind.WEAK, Kind.NAME, Kind.IDENTIFIER})
CARRYING = frozenset({Kind.NEGATION, Kind.NUMBER, Kind.IDENTIFIER, Kind.NAME, Kind.MODAL})


@dataclass(slots=True)
class Word:
    """One word to keep or drop. `needs` are places of words without which it would mislead (its "not", its unit)."""

    text: str
    lower: str
    kind: Kind
    weight: float
    token_count: int
    sentence: int
    clause: int
    is_asked: bool = False  # part of a question
    needs: tuple[int, ...] = ()


@dataclass(slots=True)
class _Raw:
    text: str
    lower: str
    is_code: bool
    is_first: bool  # of its sentence
    sentence: int
    clause: int
    share: float  # of the meaning of its clause
    ends_clause: bool
    is_asked: bool = False


def read_words(text: str, rules: WordingRules | None = None) -> list[Word]:
    """The words of `text` that mean something, in order; phrases replaced, politeness and fillers gone.

    >>> [word.text for word in read_words("please don't use the ORM")]
    ['not', 'use', 'the', 'ORM']
    """
    known = rules or load_wording_rules()
    raw_words = _split(cut_middle(text))
    raw = _open_clauses(_replace_phrases(raw_words, known), known)
    _weigh_sentences(raw, {entry.sentence for entry in raw_words if entry.lower in known.cues})
    words = [_classify(entry, known) for entry in raw]
    _bind_numbers(words, known)
    _bind_relations(words, known)
    _bind_negations(words, raw)
    return words


def cut_middle(text: str) -> str:
    """`text`, or of one longer than MAX_READ_CHARS its beginning and its end."""
    if len(text) <= MAX_READ_CHARS:
        return text
    return f"{text[: MAX_READ_CHARS - _TAIL_CHARS]}\n{text[-_TAIL_CHARS:]}"


@lru_cache(maxsize=4_096)
def measure_word(word: str) -> tuple[int, float]:
    """Its tokens after a space, and its rarity 0..1."""
    return len(encode(f" {word}")), measure_rarity(word)


def measure_rarity(word: str) -> float:
    """How rare it is, 0..1: 1 for one that is not a single token after a space.

    >>> measure_rarity("the") < measure_rarity("database") < measure_rarity("tantivy")
    True
    """
    rank = find_token(f" {word}")
    return 1.0 if rank is None else min(1.0, math.log2(rank + 1) / _MAX_RANK_BITS)


def _split(text: str) -> list[_Raw]:
    raw: list[_Raw] = []
    sentence, is_first = 0, True
    line_ends = 0
    for match in _CHUNK.finditer(text):
        if raw and "\n" in text[line_ends : match.start()] and not is_first:
            sentence, is_first = sentence + 1, True
        line_ends = match.end()
        chunk = match[0]
        ends = _SENTENCE_END.search(chunk) is not None
        is_code = chunk[0] == "`"
        word = _peel(chunk)
        if word:
            lower = word.lower().replace("’", "'")
            lower, word = (
                (lower[:-2], word[:-2])
                if lower.endswith("'s") and lower not in {"let's", "it's", "that's", "there's"}
                else (lower, word)
            )
            has_comma = chunk[-1] in ",;:" or ends
            if not (is_first and has_comma and lower in {"no", "nope", "nah"}):
                raw.append(_Raw(word, lower, is_code, is_first, sentence, 0, 1.0, has_comma))
            is_first = False
        if ends:
            if "?" in chunk[-2:]:
                _mark_question(raw, sentence)
            sentence, is_first = sentence + 1, True
    return raw


def _mark_question(raw: Sequence[_Raw], sentence: int) -> None:
    for entry in reversed(raw):
        if entry.sentence != sentence:
            break
        entry.is_asked = True


def _peel(chunk: str) -> str:
    if chunk[0] == "`" and chunk.count("`") > 1:
        return chunk.strip("`").strip()
    word = chunk
    if chunk[0] == "*" and "*" in chunk[2:]:  # bold, not a glob
        word = chunk.strip(f"*{_CLOSING}")
    for _ in range(_MAX_PEELS):
        word = word.lstrip(_OPENING).rstrip(_CLOSING)
        closed = [one for one, other in _BRACKETS if word.endswith(one) and word.count(one) > word.count(other)]
        if not closed:
            break
        word = word[:-1]
    return word if any(sign.isalnum() for sign in word) or word in {"≤", "≥", "<", ">"} else ""


def _match(raw: Sequence[_Raw], start: int, phrases: Phrases) -> tuple[int, str] | None:
    for words, replacement in phrases.get(raw[start].lower, ()):
        end = start + len(words)
        if (
            end <= len(raw)
            and raw[end - 1].sentence == raw[start].sentence
            and all(raw[start + k].lower == word for k, word in enumerate(words))
        ):
            return end, replacement
    return None


def _replace_phrases(raw: list[_Raw], rules: WordingRules) -> list[_Raw]:
    kept: list[_Raw] = []
    place = 0
    while place < len(raw):
        found = None if raw[place].is_code else _match(raw, place, rules.phrases)
        if found is None:
            kept.append(raw[place])
            place += 1
            continue
        end, replacement = found
        last = raw[end - 1]
        kept.extend(
            _Raw(word, word, False, raw[place].is_first, last.sentence, 0, 1.0, last.ends_clause, last.is_asked)
            for word in replacement.split()
        )
        if not replacement and kept and last.ends_clause and kept[-1].sentence == last.sentence:
            kept[-1].ends_clause = True
        place = end
    return kept


def _open_clauses(raw: list[_Raw], rules: WordingRules) -> list[_Raw]:
    clause, share = 0, 1.0
    for place, entry in enumerate(raw):
        before = raw[place - 1] if place else None
        if before is not None and (before.ends_clause or before.sentence != entry.sentence):
            clause += 1
            share = 1.0 if before.sentence != entry.sentence else max(share, 0.6)
        opened = None if entry.is_code else _match(raw, place, rules.clauses)
        if opened is not None:
            clause, share = clause + 1, float(opened[1])
        entry.clause, entry.share = clause, share
    return raw


def _weigh_sentences(raw: Sequence[_Raw], telling: AbstractSet[int]) -> None:
    """A sentence that decides, binds or wishes says more than one that only tells, the first more than later ones."""
    any_said = not all(entry.is_asked for entry in raw)
    for entry in raw:
        if telling and entry.sentence not in telling:
            entry.share *= _TELLING_NOTHING
        if entry.is_asked and any_said:
            entry.share *= _ASKED
        if entry.sentence == 0:
            entry.share *= _FIRST_SENTENCE


def _classify(raw: _Raw, rules: WordingRules) -> Word:
    kind = _kind_of(raw, rules)
    token_count, rarity = measure_word(raw.text)
    weight = _WEIGHTS.get(kind, 0.6 + rarity)
    if kind is Kind.NUMBER and raw.lower in rules.number_words:
        weight = _NUMBER_WORD_WEIGHT
    if kind is Kind.NEGATION and raw.lower in rules.exceptions:
        weight = _EXCEPTION_WEIGHT
    if kind is Kind.CONTENT and (raw.lower in rules.adjectives or raw.lower in rules.adverbs):
        weight *= 0.5
    if kind is Kind.CONTENT and raw.is_first and raw.text[0].isupper():
        weight += 0.3
    return Word(raw.text, raw.lower, kind, weight * raw.share, token_count, raw.sentence, raw.clause, raw.is_asked)


def _kind_of(raw: _Raw, rules: WordingRules) -> Kind:
    if raw.is_code:
        return Kind.IDENTIFIER
    for words, kind in (
        (rules.negators, Kind.NEGATION),
        (rules.modals, Kind.MODAL),
        (rules.hedges, Kind.HEDGE),
        (rules.comparators, Kind.COMPARATOR),
        (rules.number_words, Kind.NUMBER),
        (rules.function_words, Kind.FUNCTION),
    ):
        if raw.lower in words:
            return kind
    is_name = raw.text[0].isupper() and not raw.is_first and len(raw.text) > 1
    if raw.lower in rules.weak and not is_name:
        return Kind.WEAK
    if _NUMBER.match(raw.text):
        return Kind.NUMBER
    if raw.lower.startswith(_DENYING_PREFIXES):
        return Kind.NAME  # "no-cache", "non-blocking": deny by themselves
    if _IDENTIFIER.search(raw.text):
        return Kind.IDENTIFIER
    if raw.lower in rules.names or _CAPITALS.match(raw.text) or is_name:
        return Kind.NAME
    return Kind.CONTENT


def _bind_numbers(words: list[Word], rules: WordingRules) -> None:
    """A number needs its unit, its "at most", and what it counts: the noun behind it, else the word before it."""
    for place, word in enumerate(words):
        if word.kind is not Kind.NUMBER:
            continue
        before, after = words[place - 1] if place else None, words[place + 1] if place + 1 < len(words) else None
        is_compared = before is not None and before.kind is Kind.COMPARATOR
        is_counting = after is not None and after.clause == word.clause and after.kind in _COUNTED
        has_unit = after is not None and after.lower in rules.units
        needs = [place - 1] if is_compared else []
        if is_counting or has_unit:
            needs.append(place + 1)
        if (has_unit or not is_counting) and word.lower not in rules.number_words:
            counted = _neighbour(words, place, -1)
            needs += [counted] if counted is not None and words[counted].kind in _COUNTED else []
        word.needs += tuple(needs)


def _bind_relations(words: Sequence[Word], rules: WordingRules) -> None:
    """ "from A to B", "replace A with B", "A over B", "A than B": neither side is told without the other."""
    opened: dict[str, str] = {}  # the word that would relate -> how it is written
    clause = -1
    for place, word in enumerate(words):
        if word.clause != clause:
            clause, opened = word.clause, {}
        opened |= rules.relations.get(word.lower, {})
        written = "than" if word.lower == "than" else opened.pop(word.lower, "")
        left = _neighbour(words, place, -1) if written else None
        right = _neighbour(words, place, 1) if written else None
        if left is None or right is None:
            continue
        word.text, word.kind, word.needs = written, Kind.COMPARATOR, (left, right)
        word.token_count = measure_word(written)[0]
        words[left].needs += (place,)
        words[right].needs += (place,)


def _neighbour(words: Sequence[Word], place: int, step: int) -> int | None:
    """The nearest word with a meaning in the same clause, at most four away."""
    for at in range(place + step, place + 5 * step, step):
        if not 0 <= at < len(words) or words[at].clause != words[place].clause:
            return None
        if words[at].kind not in {Kind.FUNCTION, Kind.COMPARATOR}:
            return at
    return None


def _bind_negations(words: list[Word], raw: Sequence[_Raw]) -> None:
    """What stands behind a negation in its clause needs it, and it needs the first word that it denies."""
    for place, word in enumerate(words):
        if word.kind not in {Kind.NEGATION, Kind.MODAL}:
            continue
        end = place + 1
        while end < len(words) and words[end].clause == word.clause and words[end].kind is not Kind.NEGATION:
            end += 1
        scope = [k for k in range(place + 1, end) if words[k].kind is not Kind.FUNCTION]
        if not scope and place and raw[place - 1].sentence == raw[place].sentence:
            scope = [place - 1]
        if word.kind is Kind.NEGATION:
            for k in scope:
                words[k].needs += (place,)
        if scope:
            word.needs += _denied(words, scope)


def _denied(words: Sequence[Word], scope: Sequence[int]) -> tuple[int, ...]:
    """The word that is denied or bound, "use" and its like passed over, and the name that it stands before."""
    near = scope[: _MAX_WEAK + 1]
    telling = [k for k in near if words[k].kind not in {Kind.WEAK, Kind.COMPARATOR}] or list(scope[:1])
    named = [k for k in near if words[k].kind in {Kind.NAME, Kind.IDENTIFIER}]
    return tuple(dict.fromkeys((telling[0], *named[:1])))
