"""Actions and states that a message speaks of ("run the formatter", "the import is slow"), as antecedents of "this" and "do it".

They are clauses, no noun phrases; each becomes a `NamedThing` of type event.
"""

import re
from collections.abc import Iterator

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import AntecedentType, NamedThing
from app.language.phrases import Analysis, Role
from app.language.tags import NOMINAL, Tag

_MAX_CLAUSE_TOKENS = 30
_MAX_SUBJECT_TOKENS = 12
_MAX_SENTENCES_BACK = 2
_CONDITIONS = frozenset({"if", "when", "whenever", "while", "unless", "once", "until"})
_BRACKETS = re.compile(r"\s+\([^()]{0,80}\)")
_EDGE = frozenset({Tag.CONJ, Tag.SUB, Tag.INTJ, Tag.ADV, Tag.PUNCT})
_ENDS = frozenset({Tag.PUNCT, Tag.CONJ, Tag.SUB, Tag.PRON, Tag.AUX, Tag.WH, Tag.PREP, Tag.DET})
_VERBAL = frozenset({Tag.VERB, Tag.GERUND, Tag.PARTICIPLE})
_NOT = frozenset({"not", "never", "don't", "dont", "won't", "shouldn't"})
_NO_SUBJECT = frozenset({"you", "we", "i", "let", "they", "it", "this", "that"})


def clauses_before(analysis: Analysis, token: int, rules: ReferenceRules) -> list[NamedThing]:
    """The acts and states said before `token`, nearest first: clauses of its sentence, then the sentences before it."""
    found: list[NamedThing] = []
    if not analysis.tokens:
        return found
    end = min(token, len(analysis.tokens))
    own = analysis.clauses[min(token, len(analysis.tokens) - 1)]
    while end > 0 and analysis.clauses[end - 1] == own:  # the mention's own clause is not what it stands for
        end -= 1
    for _ in range(_MAX_SENTENCES_BACK):
        if end <= 0 or found:
            break
        first = end
        while first > 0 and analysis.sentences[first - 1] == analysis.sentences[end - 1]:
            first -= 1
        found.extend(_spans(analysis, first, end, rules))
        end = first
    unique = {thing.text: thing for thing in found}
    return list(unique.values())


def last_action(analysis: Analysis, rules: ReferenceRules) -> NamedThing | None:
    """The act that a message asks for or tells of last: "undo the last commit" of "how do I undo the last commit?"."""
    end = len(analysis.tokens)
    while end > 0:
        first = end
        while first > 0 and analysis.sentences[first - 1] == analysis.sentences[end - 1]:
            first -= 1
        thing = _clause(analysis, first, end, rules)
        if thing is not None:
            return thing
        end = first
    return None


def _spans(analysis: Analysis, first: int, end: int, rules: ReferenceRules) -> Iterator[NamedThing]:
    """The whole stretch and each of its clauses, the last one first."""
    starts = [i for i in range(first, end) if i == first or _begins(analysis, i, end)]
    stops = [*starts[1:], end]
    for start, stop in reversed(list(zip(starts, stops, strict=True))):
        is_condition = analysis.tags[start] is Tag.SUB and analysis.tokens[start].lower in _CONDITIONS
        if len(starts) > 1 and not is_condition and (thing := _clause(analysis, start, stop, rules)) is not None:
            yield thing
    whole = _clause(analysis, first, end, rules)
    if whole is not None:
        yield whole


def _begins(analysis: Analysis, index: int, end: int) -> bool:
    """Does a clause begin here? Also behind ", and", when what follows has a subject and a verb of its own."""
    if analysis.clauses[index] != analysis.clauses[index - 1]:
        return True
    tags, place = analysis.tags, index + 1
    if tags[index] is not Tag.CONJ or tags[index - 1] is not Tag.PUNCT:
        return False
    while place < min(end, index + _MAX_SUBJECT_TOKENS) and tags[place] not in (Tag.VERB, Tag.AUX):
        place += 1
    return place < end and tags[place] in (Tag.VERB, Tag.AUX) and tags[place - 1] in NOMINAL


def _clause(analysis: Analysis, first: int, end: int, rules: ReferenceRules) -> NamedThing | None:
    """One clause as a thing that was said: from its subject when that is a noun, else from its verb."""
    tags, tokens = analysis.tags, analysis.tokens
    while end > first and tags[end - 1] in _ENDS:
        end -= 1
    while first < end and (tags[first] in _EDGE or tokens[first].lower == "please"):
        first += 1
    verb = next((i for i in range(first, end) if tags[i] in _VERBAL and _is_content(analysis, i, rules)), None)
    if verb is None or (verb + 1 < end and tokens[verb + 1].lower in ("me", "us")):  # "tell me about X" asks
        return None
    if verb == first and rules.lexicon.base_of(tokens[verb].lower) in rules.words.get("asking_verbs", frozenset()):
        return None
    if end - verb < 2 or end - first > _MAX_CLAUSE_TOKENS:
        return None
    if any(token.lower in _NOT for token in tokens[first:verb]) and tags[first] is not Tag.VERB:
        return None  # "I'd rather not add passport" is no act to be done
    start = _subject_start(analysis, first, verb)
    is_said_of = tags[verb] is not Tag.VERB and start == verb and (verb == first or tags[verb - 1] is not Tag.AUX)
    if is_said_of and not (tags[verb] is Tag.PARTICIPLE and verb > first):
        return None  # "played by X" is no act; "you replaced the mutex" is
    told = analysis.text[tokens[start].start : tokens[end - 1].end].replace("`", "")
    text = _BRACKETS.sub("", told).strip("\"' ")
    return NamedThing(
        text=text, key=text.lower(), head=tokens[verb].lower, bare=text, type=AntecedentType.EVENT, kind=None,
        is_plural=False, is_name=False, is_embedded=False, determiner="",
        role=Role.SUBJECT if start < verb else Role.FRAGMENT, verb=rules.lexicon.base_of(tokens[verb].lower),
        preposition="", sentence=analysis.sentences[verb], clause=analysis.clauses[verb],
        start=tokens[start].start, end=tokens[end - 1].end,
    )  # fmt: skip


def _subject_start(analysis: Analysis, first: int, verb: int) -> int:
    """Where the subject begins ("tabs are sorted by id"); the verb itself in orders and after a pronoun."""
    tags = analysis.tags
    place = first
    while place < verb and tags[place] is Tag.DET:
        place += 1
    has_subject = place < verb and (tags[place] in NOMINAL or tags[place] in (Tag.ADJ, Tag.NUM))
    words = {token.lower for token in analysis.tokens[first:verb]}
    return place if has_subject and words.isdisjoint(_NO_SUBJECT) else verb


def _is_content(analysis: Analysis, index: int, rules: ReferenceRules) -> bool:
    return rules.lexicon.base_of(analysis.tokens[index].lower) not in rules.lexicon.light_verbs
