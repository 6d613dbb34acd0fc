"""A plain clause taken apart: where it holds, who or what, how firmly, the verb, and the rest.

Closed classes and the agreement of subject and verb decide, no list of sentences. What does not parse is silent. Knows
nothing of confidence. Source: S3 (subject, attribute, value).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.deciders.memory.statements.clause_rules import ClauseRules, VerbForm

_MAX_SUBJECT_WORDS, _MAX_FRAME_WORDS, _LEAST_DOING_CHARS = 12, 10, 5
_LONG_FORMS = (
    (re.compile(r"\bcan't\b|\bcan not\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(dont|doesnt)\b", re.IGNORECASE), "do not"),
    (re.compile(r"\b(we|you|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(he|she|it|that|there|here|name)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bi'm\b", re.IGNORECASE), "I am"),
    (re.compile(r"\b(i|we|you|they)'ve (?:got)?", re.IGNORECASE), r"\1 have "),
    (re.compile(r"\b(\w+)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(have|has) got\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(we|they) do (?!not\b)(?=[a-z]+ )", re.IGNORECASE), r"\1 "),
)
_SHORT = re.compile(r"'|\bdo(?:es)?nt\b|\b(?:we|they) do\b|\bcan not\b|\bgot\b", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")
_EDGES = "\"'“”‘’()[]*_"
_BE = frozenset({"is", "are", "am", "was", "were"})
_PAST = frozenset({"was", "were", "did", "had"})
_DETERMINERS = frozenset({"the", "a", "an", "our", "my", "all", "every", "each", "any", "no", "your", "this", "these", "that", "those", "its", "their", "of", "for", "in", "on", "and", "or", "at", "to", "with", "by", "from"})  # fmt: skip
_OF_WHAT = frozenset({"from", "of", "in", "for", "on", "above", "below", "over", "under", "between", "without", "behind", "inside", "outside"})  # fmt: skip
_PLURALS = frozenset({"we", "they", "i", "you", "people", "team", "staff", "data", "folks", "guys", "children", "criteria", "us", "both", "all", "most"})  # fmt: skip
_BY = frozenset({"by", "via", "per", "through", "against"})
_ONWARD = frozenset({"as", "for", "with", "by", "via", "from", "of"})
_EITHER = frozenset({"team", "staff", "crew", "company", "group"})  # "the team runs", "the team run"
_SINGULAR_S = ("ss", "us", "is", "os")
_NEGATIONS = frozenset({"not", "never", "cannot"})
_SENTENCE_ADVERBS = frozenset({"just", "now", "currently", "also", "basically", "actually", "really", "probably"})
_SUBJECTS = frozenset({"we", "i", "the", "our", "my", "all", "every", "each", "any", "nobody", "everyone", "everything", "no"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    frame: str  # "in production": what stood before the subject
    subject: str
    modal: str  # "must", "has to"; empty = none
    verb: str  # its base form
    group: str  # what kind of verb
    form: str  # plain, passive, progressive
    is_negated: bool
    is_past: bool
    rest: str  # what follows the verb
    adverbs: tuple[str, ...] = ()  # "only", "always", wherever they stood


@dataclass(frozen=True, slots=True)
class _Found:
    """A finite verb among the words."""

    place: int
    after: int  # the first word behind it
    kind: str  # be, have, do, modal, verb
    word: VerbForm | None = None


def parse_clause(text: str, rules: ClauseRules) -> Clause | None:
    """The parts of the clause; None when it has no subject and finite verb that are known to belong together.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> clause = parse_clause("in staging the exports must stay under 2 MB", load_memory_rules().clauses)
    >>> clause.frame, clause.subject, clause.modal, clause.verb, clause.rest
    ('in staging', 'the exports', 'must', 'stay', 'under 2 MB')
    """
    if _SHORT.search(text):
        for short, long in _LONG_FORMS:
            text = short.sub(long, text)
    words = _TOKEN.findall(text)
    low = [word.lower().strip(_EDGES).rstrip(",;:.") for word in words]
    begin = _skip_frame(words, low, rules)
    found = _find_verb(words, low, begin, rules)
    if found is None:
        return None
    if begin == 0 and (low[0] in rules.words["prepositions"] or low[:2] == ["because", "of"]):
        begin = max((place for place in range(1, found.place) if low[place] in _SUBJECTS), default=0)
        if begin <= 1:
            return None
    adverbs = rules.words["adverbs"]
    subject = [word for word in words[begin : found.place] if word.lower() not in adverbs or word == words[begin]]
    if (
        not subject
        or subject[0].lower() in _SENTENCE_ADVERBS
        or low[begin] in rules.words["breaks"]
        or _is_cut(words[begin : found.place])
    ):
        return None
    return _complete(found, " ".join(words[:begin]).rstrip(","), " ".join(subject), words, low, rules)


def _is_cut(words: Sequence[str]) -> bool:
    """Whether the words before the verb are not one subject: a comma in between, "the only reason", "labelled as"."""
    is_only = [one.lower() for one in words[:2]] == ["the", "only"]
    return is_only or words[-1].lower() in _ONWARD or any(word.endswith((",", ";", ":")) for word in words)


def _skip_frame(words: Sequence[str], low: Sequence[str], rules: ClauseRules) -> int:
    """Where the subject begins behind "for the importer,"."""
    if not low or (low[0] not in rules.words["prepositions"] and low[:2] != ["because", "of"]):
        return 0
    return next((place + 1 for place, word in enumerate(words[:_MAX_FRAME_WORDS]) if word.endswith(",")), 0)


def _find_verb(words: Sequence[str], low: Sequence[str], begin: int, rules: ClauseRules) -> _Found | None:
    for place in range(begin + 1, min(len(low), begin + _MAX_SUBJECT_WORDS)):
        word, following = low[place], low[place + 1] if place + 1 < len(low) else ""
        if word in rules.words["breaks"]:
            return None
        if f"{word} {following}" in rules.modals and _agrees(words, low, place, word.endswith("s"), rules):
            return _Found(place, place + 2, "modal")
        if word in rules.modals:
            return _Found(place, place + 1, "modal")
        if word in _BE or (word in {"get", "gets"} and _is_done(following, rules)):
            return _Found(place, place + 1, "be")
        if word in {"do", "does", "did"} and following == "not":
            return _Found(place, place + 1, "do")
        if word in {"have", "has", "had"} and following:
            return _Found(place, place + 1, "have")
        known = _finite(words, low, place, following, rules)
        if known is not None:
            return _Found(place, place + 1, "verb", known)
    return None


def _is_done(word: str, rules: ClauseRules) -> bool:
    return any(form.form == "ed" for form in rules.verbs.get(word, ()))


def _finite(
    words: Sequence[str], low: Sequence[str], place: int, following: str, rules: ClauseRules
) -> VerbForm | None:
    """The verb at `place` when number agrees with what stands before and no other verb follows at once."""
    if not following or following in _BE or following in rules.modals or following in {"have", "has", "of"}:
        return None
    for form in rules.verbs.get(low[place], ()):
        if form.form in {"base", "s"} and (
            _agrees(words, low, place, form.form == "s", rules) or _agrees_with_head(words, low, place, form, rules)
        ):
            return form
    return None


def _agrees_with_head(words: Sequence[str], low: Sequence[str], place: int, form: VerbForm, rules: ClauseRules) -> bool:
    """Whether the verb fits the noun before "from the …": "files from the bank arrive", not "the file for tests use"."""
    head = next((one for one in range(1, place - 1) if low[one] in _OF_WHAT), 0)
    return head > 0 and form.form == "base" and low[place - 1].isalpha() and _agrees(words, low, head, False, rules)


def _agrees(words: Sequence[str], low: Sequence[str], place: int, is_singular: bool, rules: ClauseRules) -> bool:
    before = place - 1
    while before > 0 and low[before] in rules.words["adverbs"]:
        before -= 1
    word = low[before]
    if word in _DETERMINERS or word in rules.words["breaks"] or word.isdigit() or word in rules.words["number_words"]:
        return False
    is_name = words[before][:1].isupper() and before > 0
    is_plural = word in _PLURALS or (word.endswith("s") and not word.endswith(_SINGULAR_S) and len(word) > 3)
    is_plural = is_plural or "and" in low[max(0, before - 3) : before]
    is_either = is_singular and word in _EITHER
    return not is_plural or is_name or is_either if is_singular else is_plural


def _complete(
    found: _Found, frame: str, subject: str, words: Sequence[str], low: Sequence[str], rules: ClauseRules
) -> Clause | None:
    place, kind = found.after, found.kind
    modal = " ".join(low[found.place : place]) if kind == "modal" else ""
    is_negated = modal == "cannot" or any(word in _NEGATIONS for word in low[found.place - 1 : found.place])
    is_past = low[found.place] in _PAST
    while place < len(low) and (low[place] in _NEGATIONS or low[place] in rules.words["adverbs"]):
        is_negated = is_negated or low[place] in _NEGATIONS
        place += 1
    verb, group, form = ("be", "be", "plain") if kind == "be" else ("have", "have", "plain")
    if found.word is not None:
        verb, group = found.word.base, found.word.group
    elif kind in {"modal", "do"}:
        if place >= len(low):
            return None
        verb, group = _after_modal(low[place], rules)
        place += 1
    if verb == "be" and place < len(low):
        verb, group, form, step = _after_be(low[place], low[place + 1 : place + 2], rules)
        place += step
    while place < len(low) and low[place] in rules.words["adverbs"] and low[place] != "at":
        place += 1
    adverbs = tuple(word for word in low[:place] if word in rules.words["adverbs"])
    return Clause(frame, subject, modal, verb, group, form, is_negated, is_past, " ".join(words[place:]), adverbs)


def _after_modal(word: str, rules: ClauseRules) -> tuple[str, str]:
    if word in {"be", "have"}:
        return word, word
    form = next((one for one in rules.verbs.get(word, ()) if one.form == "base"), None)
    return (form.base, form.group) if form is not None else (word, "")


def _after_be(word: str, following: Sequence[str], rules: ClauseRules) -> tuple[str, str, str, int]:
    """Verb, group, form and how many words it takes: "is stored", "are using", "is small"."""
    for form in rules.verbs.get(word, ()):
        if form.form == "ed":
            return form.base, form.group, "passive", 1
        if form.form == "ing":
            return form.base, form.group, "progressive", 1
    if word in rules.orders and word.endswith("d"):
        return word, "", "passive", 1
    if word.endswith("ed") and len(word) > _LEAST_DOING_CHARS and _BY.issuperset(following) and following:
        return word, "use", "passive", 1  # "are identified by", whatever the verb
    if word.endswith("ing") and len(word) > _LEAST_DOING_CHARS:
        return word, "", "progressive", 1
    return "be", "be", "plain", 0
