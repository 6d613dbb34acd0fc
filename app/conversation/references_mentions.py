"""Finds the places in a message that stand for something else: pronouns, "that X", "the X", "the second one".

Leaves out "it" that stands for nothing ("it looks like…") and fixed idioms. Looks at one message only.
Source: S1, S2 (pronouns, demonstratives, implicit references).
"""

from app.conversation.phrases import Analysis, Phrase, Role
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_values import Spot, Type
from app.conversation.tags import NOMINAL, Tag
from app.values import ReferenceKind

MAX_SPOTS = 20
_ORDINAL_FORMS = ("one", "ones")


def find_spots(analysis: Analysis, rules: ReferenceRules) -> list[Spot]:
    """The mentions of a message by place, at most `MAX_SPOTS` and as many of the form "the X"."""
    spots: list[Spot] = []
    left = {True: MAX_SPOTS, False: MAX_SPOTS}  # by whether it is of the form "the X": those are many and mostly new
    by_first = {phrase.first: phrase for phrase in analysis.phrases}
    for index in range(len(analysis.tokens)):
        spot = _spot_at(analysis, index, rules, by_first)
        if spot is None:
            continue
        is_definite = spot.kind is ReferenceKind.DEFINITE
        is_over = bool(spots) and spots[-1].end > spot.start
        if is_over and spot.end > spots[-1].end:
            left[spots.pop().kind is ReferenceKind.DEFINITE] += 1  # "this" of "this one"
            is_over = False
        if not is_over and left[is_definite]:
            spots.append(spot)
            left[is_definite] -= 1
    return spots


def _spot_at(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    word = analysis.tokens[index].lower
    if word in _SHORTENED and _is_shortened(analysis, index):
        return _shortened(analysis, index, rules)
    if word in rules.pronouns:
        return _pronoun(analysis, index, rules, by_first)
    if word == "same":
        return _same(analysis, index)
    if word in ("the", "former", "latter") or word in rules.ordinals:
        return _definite(analysis, index, rules, by_first)
    return None


def _pronoun(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    token, tag = analysis.tokens[index], analysis.tags[index]
    form = rules.pronouns[token.lower]
    if tag is Tag.SUB or (token.lower == "there" and not _is_place(analysis, index)):
        return None
    following = analysis.tokens[index + 1].text if index + 1 < len(analysis.tokens) else ""
    if token.lower in ("this", "these", "it") and following == ":":
        return None  # what it stands for comes behind the colon
    if token.lower in ("this", "that", "these", "those"):
        if tag is Tag.DET and (by_first.get(index + 1) or _phrase_over(analysis, index + 1)):
            return _demonstrative(analysis, index, rules, by_first)
        if rules.is_idiom(analysis.text, token.start):
            return None
    if token.lower == "it" and (
        rules.is_pleonastic(analysis.text, token.start, token.end) or rules.is_idiom(analysis.text, token.start)
    ):
        return None
    if token.lower == "both" and not _is_both(analysis, index):
        return None
    if token.lower in _ORDINAL_FORMS:
        return _one(analysis, index, rules)
    kind = ReferenceKind.DEMONSTRATIVE if token.lower in ("this", "that", "these", "those") else ReferenceKind.PRONOUN
    role, verb = _governor(analysis, index)
    return Spot(
        mention=token.text, start=token.start, end=token.end, kind=kind, form=token.lower, token=index,
        type=form.type, number=form.number, is_possessive=form.is_possessive and tag is Tag.DET,
        verb=verb, role=role, sentence=analysis.sentences[index], clause=analysis.clauses[index], gender=form.gender,
        is_embedded=analysis.embedded[index], predicate=_predicate(analysis, index, role, verb),
    )  # fmt: skip


def _predicate(analysis: Analysis, index: int, role: Role, verb: str) -> str:
    """What the pronoun is said to be: "function" of "this will be the function that …"."""
    if role is not Role.SUBJECT or verb != "be":
        return ""
    clause, ahead = analysis.clauses[index], (p for p in analysis.phrases if p.first > index)
    phrase = next(ahead, None)
    is_said = phrase is not None and phrase.clause == clause and phrase.verb == "be" and phrase.role is Role.OBJECT
    return phrase.head if phrase is not None and is_said else ""


_SHORTENED = {"its": "it", "thats": "that", "itll": "it", "thatll": "that"}
_AFTER_BE = frozenset({Tag.ADV, Tag.PARTICIPLE, Tag.GERUND, Tag.PREP, Tag.DET, Tag.PRON, Tag.WH, Tag.PUNCT, Tag.SUB})


def _is_shortened(analysis: Analysis, index: int) -> bool:
    """ "thats wrong", "its already pushed": the apostrophe was left out; not "its color"."""
    if analysis.tokens[index].lower != "its":
        return True
    following = analysis.tags[index + 1] if index + 1 < len(analysis.tags) else Tag.PUNCT
    after = analysis.tags[index + 2] if index + 2 < len(analysis.tags) else Tag.PUNCT
    return following in _AFTER_BE or (following is Tag.ADJ and after not in (*NOMINAL, Tag.ADJ, Tag.GERUND))


def _shortened(analysis: Analysis, index: int, rules: ReferenceRules) -> Spot:
    token = analysis.tokens[index]
    word = _SHORTENED[token.lower]
    form, end = rules.pronouns[word], token.start + len(word)
    ahead = zip(analysis.verbs[index + 1 : index + 4], analysis.clauses[index + 1 : index + 4], strict=True)
    verb = next((v for v, clause in ahead if v and clause == analysis.clauses[index]), "be")
    return Spot(
        mention=analysis.text[token.start : end], start=token.start, end=end,
        kind=ReferenceKind.DEMONSTRATIVE if word == "that" else ReferenceKind.PRONOUN, form=word, token=index,
        type=form.type, number=form.number, verb=verb, role=Role.SUBJECT, sentence=analysis.sentences[index],
        clause=analysis.clauses[index], is_embedded=analysis.embedded[index],
    )  # fmt: skip


def _is_both(analysis: Analysis, index: int) -> bool:
    """ "run both", not "both files", "them both", "both of them", "both A and B"."""
    before = analysis.tags[index - 1] if index else Tag.PUNCT
    after = analysis.tags[index + 1] if index + 1 < len(analysis.tags) else Tag.PUNCT
    return before not in (Tag.PRON, *NOMINAL) and after in (Tag.PUNCT, Tag.CONJ, Tag.ADV, Tag.VERB, Tag.AUX, Tag.INTJ)


def _is_place(analysis: Analysis, index: int) -> bool:
    """ "put it there", not "there is"."""
    following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
    before = analysis.tokens[index - 1].lower if index else ""
    if following in (
        "is",
        "are",
        "was",
        "were",
        "'s",
        "isn't",
        "aren't",
        "will",
        "should",
        "any",
        "a",
        "'re",
        "has",
        "be",
    ):
        return False
    return bool(index) and before not in (
        "is",
        "are",
        "was",
        "were",
        "'s",
        "hi",
        "hey",
        "hello",
        "isn't",
        "aren't",
        "be",
    )


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
    phrase = by_first.get(index + 1) or _phrase_over(analysis, index + 1)
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


def _same(analysis: Analysis, index: int) -> Spot | None:
    """ "do the same for the footer", "same here": an act said before, not "the same color"."""
    tokens, tags = analysis.tokens, analysis.tags
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    is_thing = after == "thing"
    if not is_thing and after not in _AFTER_SAME and index + 1 < len(tokens) and tags[index + 1] is not Tag.PUNCT:
        return None
    first = index - 1 if index and tokens[index - 1].lower == "the" else index
    end = tokens[index + 1].end if is_thing else tokens[index].end
    return Spot(
        mention=analysis.text[tokens[first].start : end], start=tokens[first].start, end=end, kind=ReferenceKind.SAME,
        form="that", token=first, type=Type.EVENT, number="singular", verb="do", role=Role.OBJECT,
        sentence=analysis.sentences[index], clause=analysis.clauses[index],
    )  # fmt: skip


_AFTER_SAME = frozenset(
    {"", "for", "with", "in", "here", "again", "goes", "applies", "to", "on", "there", "now", "please"}
)


def _phrase_over(analysis: Analysis, index: int) -> Phrase | None:
    return next((phrase for phrase in analysis.phrases if phrase.first <= index < phrase.last), None)


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


def _definite(analysis: Analysis, index: int, rules: ReferenceRules, by_first: dict[int, Phrase]) -> Spot | None:
    """ "the X", "the latter", "the second"."""
    tokens = analysis.tokens
    if tokens[index].lower != "the":
        return None
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None:
        return None
    is_bare_ordinal = following.lower in rules.ordinals and (
        index + 2 >= len(tokens)
        or analysis.tags[index + 2] not in (Tag.NOUN, Tag.NAME, Tag.TECH, Tag.ADJ, Tag.PRON, Tag.NUM)
    )
    if is_bare_ordinal or following.lower in ("former", "latter"):
        role, verb = _governor(analysis, index)
        return Spot(
            mention=analysis.text[tokens[index].start : following.end], start=tokens[index].start, end=following.end,
            kind=ReferenceKind.ORDINAL, form="the", token=index, type=Type.KIND, number="singular",
            modifiers=(following.lower,), verb=verb, role=role, sentence=analysis.sentences[index],
            clause=analysis.clauses[index],
        )  # fmt: skip
    phrase = by_first.get(index + 1)
    if phrase is None or phrase.determiner != "the":
        return None
    return Spot(
        mention=analysis.text[tokens[index].start : phrase.end], start=tokens[index].start, end=phrase.end,
        kind=ReferenceKind.DEFINITE, form="the", token=index, type=_noun_type(phrase.head, rules),
        number="plural" if phrase.is_plural else "singular", noun=rules.lexicon.singular(phrase.head),
        modifiers=_modifiers(analysis, phrase), verb=phrase.verb, role=phrase.role, sentence=phrase.sentence,
        clause=phrase.clause,
    )  # fmt: skip
