"""Finds the places in a message that stand for something else: pronouns, "that X", "the X", "the second one".

Leaves out "it" that stands for nothing ("it looks like…") and fixed idioms. Looks at one message only.

What a message says that is no noun phrase: acts and states ("run the formatter").

Source: S1, S2 (pronouns, demonstratives, implicit references).
"""

import re
from collections.abc import Iterator

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import NamedThing, Spot, Type
from app.language.phrases import Analysis, Phrase, Role
from app.language.tags import NOMINAL, Tag
from app.values import ReferenceKind

_MAX_CLAUSE_TOKENS = 30
_MAX_SUBJECT_TOKENS = 12
_MAX_SENTENCES_BACK = 2
_CONDITIONS = frozenset({"if", "when", "whenever", "while", "unless", "once", "until"})
_BRACKETS = re.compile(r"\s+\([^()]{0,80}\)")
_EDGE = frozenset({Tag.CONJ, Tag.SUB, Tag.INTJ, Tag.ADV, Tag.PUNCT})
_ENDS = frozenset({Tag.PUNCT, Tag.CONJ, Tag.SUB, Tag.PRON, Tag.AUX, Tag.WH, Tag.PREP, Tag.DET})
_VERBAL = frozenset({Tag.VERB, Tag.GERUND, Tag.PARTICIPLE})
_OPEN = frozenset({Tag.PUNCT, Tag.CONJ, Tag.SUB, Tag.INTJ})
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
    unique = {said.text: said for said in found}
    return list(unique.values())


def last_act(analysis: Analysis, rules: ReferenceRules) -> NamedThing | None:
    """The act that a message asks for or tells of last: "undo the last commit" of "how do I undo the last commit?"."""
    end = len(analysis.tokens)
    while end > 0:
        first = end
        while first > 0 and analysis.sentences[first - 1] == analysis.sentences[end - 1]:
            first -= 1
        said = _clause(analysis, first, end, rules)
        if said is not None:
            return said
        end = first
    return None


def _spans(analysis: Analysis, first: int, end: int, rules: ReferenceRules) -> Iterator[NamedThing]:
    """The whole stretch and each of its clauses, the last one first."""
    starts = [i for i in range(first, end) if i == first or _begins(analysis, i, end)]
    stops = [*starts[1:], end]
    for start, stop in reversed(list(zip(starts, stops, strict=True))):
        is_condition = analysis.tags[start] is Tag.SUB and analysis.tokens[start].lower in _CONDITIONS
        if len(starts) > 1 and not is_condition and (said := _clause(analysis, start, stop, rules)) is not None:
            yield said
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
        text=text, key=text.lower(), head=tokens[verb].lower, bare=text, type=Type.EVENT, kind=None,
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


MAX_SPOTS = 20
_ORDINAL_FORMS = ("one", "ones")
_MAX_CHOICE_TOKENS = 14
_CONTRAST = re.compile(r"\b(?:not|instead|rather than|please|only)\b", re.IGNORECASE)
_OWNERS = frozenset({"of", "for", "from", "on", "in"})
_USE = frozenset({"use", "try", "take", "prefer", "pick"})


def find_spots(analysis: Analysis, rules: ReferenceRules) -> list[Spot]:
    """The mentions of a message by place, at most `MAX_SPOTS`."""
    spots: list[Spot] = []
    by_first = {phrase.first: phrase for phrase in analysis.phrases}
    for index in range(len(analysis.tokens)):
        spot = _spot_at(analysis, index, rules, by_first)
        if spot is None:
            continue
        is_over = bool(spots) and spots[-1].end > spot.start
        if is_over and spot.end > spots[-1].end:
            spots.pop()  # "this" of "this one"
            is_over = False
        if not is_over and len(spots) < MAX_SPOTS:
            spots.append(spot)
    return spots


def _spot_at(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    word = analysis.tokens[index].lower
    if word in rules.pronouns:
        return _pronoun(analysis, index, rules, by_first)
    return _bare_ordinal(analysis, index, rules) if word == "the" else None


def _pronoun(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    token, tag = analysis.tokens[index], analysis.tags[index]
    form = rules.pronouns[token.lower]
    if tag is Tag.SUB:
        return None
    following = analysis.tokens[index + 1].text if index + 1 < len(analysis.tokens) else ""
    if token.lower == "it" and following == ":":
        return None
    if token.lower in ("this", "that", "these", "those"):
        if tag is Tag.DET and by_first.get(index + 1):
            return _demonstrative(analysis, index, rules, by_first)
        if rules.is_idiom(analysis.text, token.start):
            return None
    if token.lower == "it" and (
        rules.is_pleonastic(analysis.text, token.start, token.end) or rules.is_idiom(analysis.text, token.start)
    ):
        return None
    if token.lower in _ORDINAL_FORMS:
        return _one(analysis, index, rules)
    kind = ReferenceKind.DEMONSTRATIVE if token.lower in ("this", "that", "these", "those") else ReferenceKind.PRONOUN
    role, verb = _governor(analysis, index)
    return Spot(
        mention=token.text, start=token.start, end=token.end, kind=kind, form=token.lower, token=index,
        type=form.type, number=form.number, is_possessive=form.is_possessive and tag is Tag.DET,
        verb=verb, role=role, sentence=analysis.sentences[index], clause=analysis.clauses[index], gender=form.gender,
        is_embedded=analysis.embedded[index],
    )  # fmt: skip


def _governor(analysis: Analysis, index: int) -> tuple[Role, str]:
    """Role and verb of a pronoun."""
    clause = analysis.clauses[index]
    verb = analysis.verbs[index - 1] if index and analysis.clauses[index - 1] == clause else ""
    left = analysis.tags[index - 1] if index else Tag.PUNCT
    if left in (Tag.PREP, Tag.TO):
        return Role.OBLIQUE, verb
    ahead = [
        v
        for v, c in zip(analysis.verbs[index + 1 : index + 5], analysis.clauses[index + 1 : index + 5], strict=True)
        if c == clause and v
    ]
    is_question = verb == "be" and left is Tag.AUX
    if verb and not is_question:
        return Role.OBJECT, verb
    main = next((v for v in ahead if v != "be"), ahead[0] if ahead else verb)
    return Role.SUBJECT, main


def _demonstrative(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    phrase = by_first.get(index + 1)
    token = analysis.tokens[index]
    if phrase is None or rules.is_idiom(analysis.text, token.start) or phrase.head in rules.time_words:
        return None
    noun = rules.lexicon.singular(phrase.head)
    modifiers = _modifiers(analysis, phrase)
    return Spot(
        mention=analysis.text[token.start : phrase.end], start=token.start, end=phrase.end,
        kind=ReferenceKind.DEMONSTRATIVE, form=token.lower, token=index, type=_noun_type(noun, rules),
        number="plural" if token.lower in ("these", "those") else "singular", noun=noun, modifiers=modifiers,
        verb=phrase.verb, role=phrase.role, sentence=phrase.sentence, clause=phrase.clause,
    )  # fmt: skip


def _noun_type(noun: str, rules: ReferenceRules) -> Type:
    if noun in rules.event_nouns:
        return Type.EVENT
    return Type.PERSON if noun in rules.person_nouns else Type.THING


def _modifiers(analysis: Analysis, phrase: Phrase) -> tuple[str, ...]:
    return tuple(t.lower.strip("`") for t in analysis.tokens[phrase.first : phrase.last - 1] if t.is_word)


def _one(analysis: Analysis, index: int, rules: ReferenceRules) -> Spot | None:
    """ "the second one", "a bigger one", "this one"."""
    token = analysis.tokens[index]
    first = index
    while (
        first > 0 and analysis.tags[first - 1] in (Tag.ADJ, Tag.NUM, Tag.NOUN, Tag.NAME, Tag.ADV) and index - first < 3
    ):
        if analysis.tags[first - 1] is Tag.ADV and analysis.tokens[first - 1].lower not in rules.ordinals:
            break
        first -= 1
    has_determiner = first > 0 and (
        analysis.tags[first - 1] is Tag.DET or analysis.tokens[first - 1].lower in ("this", "that", "which")
    )
    begin = first - 1 if has_determiner else first
    modifiers = tuple(t.lower for t in analysis.tokens[first:index])
    ordinal = next((rules.ordinals[m] for m in modifiers if m in rules.ordinals), None)
    determiner = analysis.tokens[begin].lower if has_determiner else ""
    following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
    is_nobody = not modifiers and index > 0 and analysis.tokens[index - 1].lower == "no"  # "no one", whatever "no" is
    if following == "of" or is_nobody:
        return None
    role, verb = _governor(analysis, begin)
    return Spot(
        mention=analysis.text[analysis.tokens[begin].start : token.end], start=analysis.tokens[begin].start, end=token.end,
        kind=ReferenceKind.ORDINAL if ordinal is not None else ReferenceKind.PRONOUN,
        form=determiner if determiner in ("this", "that") else token.lower, token=begin, type=Type.KIND,
        number="plural" if token.lower == "ones" else "singular", modifiers=modifiers, verb=verb, role=role,
        sentence=analysis.sentences[index], clause=analysis.clauses[index],
    )  # fmt: skip


def _bare_ordinal(analysis: Analysis, index: int, rules: ReferenceRules) -> Spot | None:
    """ "the latter", "the second"."""
    tokens = analysis.tokens
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None:
        return None
    is_bare = following.lower in rules.ordinals and (
        index + 2 >= len(tokens)
        or analysis.tags[index + 2] not in (Tag.NOUN, Tag.NAME, Tag.TECH, Tag.ADJ, Tag.PRON, Tag.NUM)
    )
    if not is_bare and following.lower not in ("former", "latter"):
        return None
    role, verb = _governor(analysis, index)
    return Spot(
        mention=analysis.text[tokens[index].start : following.end], start=tokens[index].start, end=following.end,
        kind=ReferenceKind.ORDINAL, form="the", token=index, type=Type.KIND, number="singular",
        modifiers=(following.lower,), verb=verb, role=role, sentence=analysis.sentences[index],
        clause=analysis.clauses[index],
    )  # fmt: skip


def find_left_out(analysis: Analysis, spots: list[Spot], rules: ReferenceRules) -> Spot | None:
    """The first left-out object of a message that points at nothing else, None when nothing is missing."""
    return None if spots or not analysis.tokens else _attribute(analysis, rules) or _instead(analysis)


def _attribute(analysis: Analysis, rules: ReferenceRules) -> Spot | None:
    """ "change the color", "what is the address?": a quality without its owner."""
    attributes = rules.words.get("attributes", frozenset())
    for phrase in analysis.phrases[:6]:
        is_quality = rules.lexicon.singular(phrase.head) in attributes and phrase.last - phrase.first == 1
        if not is_quality or phrase.determiner != "the" or phrase.role is Role.OBLIQUE:
            continue
        following = analysis.tokens[phrase.last].lower if phrase.last < len(analysis.tokens) else ""
        if following in _OWNERS or (phrase.last < len(analysis.tags) and analysis.tags[phrase.last] is Tag.POSS):
            continue
        return _left_out(analysis, phrase.last, phrase.verb, phrase.sentence)
    return None


def _instead(analysis: Analysis) -> Spot | None:
    """ "use a toggle switch, not a button": for what?"""
    tokens = analysis.tokens
    if len(tokens) > _MAX_CHOICE_TOKENS or analysis.verbs[-1] not in _USE or not _CONTRAST.search(analysis.text):
        return None
    chosen = next((p for p in analysis.phrases if p.role is Role.OBJECT and p.verb in _USE), None)
    has_purpose = any(token.lower in ("for", "to", "when", "in") for token in tokens)
    return None if chosen is None or has_purpose else _left_out(analysis, chosen.last, chosen.verb, chosen.sentence)


def _left_out(analysis: Analysis, after: int, verb: str, sentence: int) -> Spot:
    """An empty place behind token `after - 1`."""
    last = analysis.tokens[after - 1]
    if after == len(analysis.tokens) and not last.is_word and after > 1:
        last = analysis.tokens[after - 2]
    return Spot(
        mention="", start=last.end, end=last.end, kind=ReferenceKind.IMPLICIT, form="", token=after, type=Type.THING,
        number="any", verb=verb, role=Role.OBJECT, sentence=sentence,
    )  # fmt: skip
