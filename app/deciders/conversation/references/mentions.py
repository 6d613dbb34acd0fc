"""Finds the places in a message that stand for something else: pronouns, "that X", "the X", "the second one".

Leaves out "it" that stands for nothing ("it looks like…") and fixed idioms, and adds the object that an order leaves out. Looks at
one message only. Source: S1, S2 (pronouns, demonstratives, implicit references).
"""

import re

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import AntecedentType, ReferenceMention
from app.language.lexicon import Tag
from app.language.phrases import Analysis, Phrase, Role
from app.values import ReferenceKind

MAX_MENTIONS = 20
_ORDINAL_FORMS = ("one", "ones")
_MAX_CHOICE_TOKENS = 14
_CONTRAST = re.compile(r"\b(?:not|instead|rather than|please|only)\b", re.IGNORECASE)
_OWNERS = frozenset({"of", "for", "from", "on", "in"})
_USE = frozenset({"use", "try", "take", "prefer", "pick"})


def find_mentions(analysis: Analysis, rules: ReferenceRules) -> list[ReferenceMention]:
    """The mentions of a message by place, at most `MAX_MENTIONS`."""
    mentions: list[ReferenceMention] = []
    by_first = {phrase.first: phrase for phrase in analysis.phrases}
    for index in range(len(analysis.tokens)):
        mention = _mention_at(analysis, index, rules, by_first)
        if mention is None:
            continue
        is_over = bool(mentions) and mentions[-1].end > mention.start
        if is_over and mention.end > mentions[-1].end:
            mentions.pop()  # "this" of "this one"
            is_over = False
        if not is_over and len(mentions) < MAX_MENTIONS:
            mentions.append(mention)
    return mentions


def _mention_at(
    analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]
) -> ReferenceMention | None:
    word = analysis.tokens[index].lower
    if word in rules.pronouns:
        return _pronoun(analysis, index, rules, by_first)
    return _bare_ordinal(analysis, index, rules) if word == "the" else None


def _pronoun(
    analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]
) -> ReferenceMention | None:
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
    return ReferenceMention(
        text=token.text, start=token.start, end=token.end, kind=kind, form=token.lower, token=index,
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


def _demonstrative(
    analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]
) -> ReferenceMention | None:
    phrase = by_first.get(index + 1)
    token = analysis.tokens[index]
    if phrase is None or rules.is_idiom(analysis.text, token.start) or phrase.head in rules.time_words:
        return None
    noun = rules.lexicon.singular(phrase.head)
    modifiers = _modifiers(analysis, phrase)
    return ReferenceMention(
        text=analysis.text[token.start : phrase.end], start=token.start, end=phrase.end,
        kind=ReferenceKind.DEMONSTRATIVE, form=token.lower, token=index, type=_noun_type(noun, rules),
        number="plural" if token.lower in ("these", "those") else "singular", noun=noun, modifiers=modifiers,
        verb=phrase.verb, role=phrase.role, sentence=phrase.sentence, clause=phrase.clause,
    )  # fmt: skip


def _noun_type(noun: str, rules: ReferenceRules) -> AntecedentType:
    if noun in rules.event_nouns:
        return AntecedentType.EVENT
    return AntecedentType.PERSON if noun in rules.person_nouns else AntecedentType.THING


def _modifiers(analysis: Analysis, phrase: Phrase) -> tuple[str, ...]:
    return tuple(t.lower.strip("`") for t in analysis.tokens[phrase.first : phrase.last - 1] if t.is_word)


def _one(analysis: Analysis, index: int, rules: ReferenceRules) -> ReferenceMention | None:
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
    return ReferenceMention(
        text=analysis.text[analysis.tokens[begin].start : token.end], start=analysis.tokens[begin].start, end=token.end,
        kind=ReferenceKind.ORDINAL if ordinal is not None else ReferenceKind.PRONOUN,
        form=determiner if determiner in ("this", "that") else token.lower, token=begin, type=AntecedentType.KIND,
        number="plural" if token.lower == "ones" else "singular", modifiers=modifiers, verb=verb, role=role,
        sentence=analysis.sentences[index], clause=analysis.clauses[index],
    )  # fmt: skip


def _bare_ordinal(analysis: Analysis, index: int, rules: ReferenceRules) -> ReferenceMention | None:
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
    return ReferenceMention(
        text=analysis.text[tokens[index].start : following.end], start=tokens[index].start, end=following.end,
        kind=ReferenceKind.ORDINAL, form="the", token=index, type=AntecedentType.KIND, number="singular",
        modifiers=(following.lower,), verb=verb, role=role, sentence=analysis.sentences[index],
        clause=analysis.clauses[index],
    )  # fmt: skip


def find_left_out_object(
    analysis: Analysis, mentions: list[ReferenceMention], rules: ReferenceRules
) -> ReferenceMention | None:
    """The first left-out object of a message that points at nothing else, None when nothing is missing."""
    return None if mentions or not analysis.tokens else _attribute(analysis, rules) or _instead(analysis)


def _attribute(analysis: Analysis, rules: ReferenceRules) -> ReferenceMention | None:
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


def _instead(analysis: Analysis) -> ReferenceMention | None:
    """ "use a toggle switch, not a button": for what?"""
    tokens = analysis.tokens
    if len(tokens) > _MAX_CHOICE_TOKENS or analysis.verbs[-1] not in _USE or not _CONTRAST.search(analysis.text):
        return None
    chosen = next((p for p in analysis.phrases if p.role is Role.OBJECT and p.verb in _USE), None)
    has_purpose = any(token.lower in ("for", "to", "when", "in") for token in tokens)
    return None if chosen is None or has_purpose else _left_out(analysis, chosen.last, chosen.verb, chosen.sentence)


def _left_out(analysis: Analysis, after: int, verb: str, sentence: int) -> ReferenceMention:
    """An empty place behind token `after - 1`."""
    last = analysis.tokens[after - 1]
    if after == len(analysis.tokens) and not last.is_word and after > 1:
        last = analysis.tokens[after - 2]
    return ReferenceMention(
        text="", start=last.end, end=last.end, kind=ReferenceKind.IMPLICIT, form="", token=after, type=AntecedentType.THING,
        number="any", verb=verb, role=Role.OBJECT, sentence=sentence,
    )  # fmt: skip
