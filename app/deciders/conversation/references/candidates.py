"""Everything that an earlier message, or this one before the mention, offers as antecedent.

Reads noun phrases and entities into what was said; clauses, as things of type event, for "this should be faster" and "do it". Scores nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from app.deciders.conversation.references.rules import PronounForm, ReferenceRules
from app.deciders.conversation.references.score import with_salience
from app.deciders.conversation.references.values import AntecedentCandidate, AntecedentType, NamedThing
from app.language.analysis_cache import read_message
from app.language.lexicon import NOMINAL, Tag
from app.language.phrases import Analysis, Phrase, Role, trimmed_start
from app.values import Entity, EntityKind, PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

MAX_MESSAGES = 10
MAX_THINGS = 30
MAX_THINGS_HERE = 80


def things_named(text: str, entities: tuple[Entity, ...], rules: ReferenceRules) -> tuple[NamedThing, ...]:
    """What a message names, by place, the last `MAX_THINGS`."""
    return _all_things_named(text, entities, rules)[-MAX_THINGS:]


@lru_cache(maxsize=256)
def _all_things_named(text: str, entities: tuple[Entity, ...], rules: ReferenceRules) -> tuple[NamedThing, ...]:
    """Everything that a message names, at most `MAX_THINGS_HERE`; remembered, for messages are looked back at."""
    analysis = read_message(text)
    found: list[NamedThing] = []
    used: set[int] = set()
    for phrase in analysis.phrases:
        inner = [e for e in entities if e.start < phrase.end and e.end > phrase.start]
        used.update(e.start for e in inner)
        best = max(inner, key=lambda e: e.end - e.start, default=None)
        thing = _thing_of_phrase(analysis, phrase, best, rules)
        if thing is not None:
            found.append(thing)
    found.extend(
        _thing_of_entity(e, analysis) for e in entities if e.start not in used and e.kind is not EntityKind.VALUE
    )
    found = [tidy for thing in found if (tidy := _tidied(thing, rules)) is not None]
    found.sort(key=lambda thing: thing.start)
    return tuple(with_salience(thing, rules) for thing in found[-MAX_THINGS_HERE:])


def candidates_in_message(text: str, entities: tuple[Entity, ...], rules: ReferenceRules) -> list[AntecedentCandidate]:
    """The options of the message that holds the mention."""
    return [
        AntecedentCandidate(thing, 0, 0.0, Speaker.USER, None, None)
        for thing in _all_things_named(text, entities, rules)
    ]


def candidates_in_history(history: Sequence[PriorMessage], rules: ReferenceRules) -> Iterator[AntecedentCandidate]:
    """Options of earlier messages, nearest message first."""
    age = 0.0
    for distance, message in enumerate(reversed(history[-MAX_MESSAGES:]), 1):
        age += rules.weights["assistant_age"] if message.speaker is Speaker.ASSISTANT else 1.0
        place = (distance, age, message.speaker, message.id, message.conversation_id or None)
        settled = [r for r in message.references if r.state in _SETTLED and r.antecedent and r.kind in _NAMED_AGAIN]
        for thing in things_named(message.text, tuple(message.entities), rules):
            if any(r.start <= thing.start < r.end for r in settled):
                continue  # "the pulse" is the pulse animation: it comes below
            yield AntecedentCandidate(thing, *place)
        for reference in message.references:
            if (
                reference.state in _SETTLED
                and reference.antecedent
                and reference.kind is not ReferenceKind.CONVERSATION
            ):
                yield AntecedentCandidate(_thing_resolved_to(reference, message.text, rules), *place)


def _thing_resolved_to(reference: Reference, text: str, rules: ReferenceRules) -> NamedThing:
    """What an earlier "it" stood for, as if it had been named there."""
    return _thing_in_place_of(
        reference.antecedent or "", reference.mention, (reference.start, reference.end), text, rules
    )


def _thing_in_place_of(name: str, mention: str, place: tuple[int, int], text: str, rules: ReferenceRules) -> NamedThing:
    analysis = read_message(text)
    index = next((i for i, t in enumerate(analysis.tokens) if t.start >= place[0]), -1)
    word = name.rsplit(" ", 1)[-1].lower()
    head = rules.lexicon.singular(word)
    form = rules.pronouns.get(mention.lower())
    is_person = head in rules.person_nouns or (form is not None and form.type is AntecedentType.PERSON)
    kind = (
        AntecedentType.PERSON
        if is_person
        else AntecedentType.EVENT
        if rules.lexicon.is_act(name)
        else AntecedentType.THING
    )
    is_left = index < 1 or analysis.clauses[index - 1] != analysis.clauses[index] or not analysis.verbs[index - 1]
    is_oblique = index > 0 and analysis.tags[index - 1] in (Tag.PREP, Tag.TO)
    role = Role.OBLIQUE if is_oblique else Role.SUBJECT if is_left else Role.OBJECT
    thing = NamedThing(
        text=name, key=name.lower(), head=head, bare=name, type=kind, kind=None,
        is_plural=_is_several(name, word, form, rules), gender=form.gender if form is not None else "", is_name=not name.islower(), is_embedded=False,
        determiner="", role=role, verb=analysis.verbs[index] if index >= 0 else "",
        preposition="", sentence=analysis.sentences[index] if index >= 0 else 0,
        clause=analysis.clauses[index] if index >= 0 else 0, start=place[0], end=place[1], is_again=True,
    )  # fmt: skip
    return with_salience(thing, rules)


def _is_several(name: str, word: str, form: PronounForm | None, rules: ReferenceRules) -> bool:
    """ "watch and run", or what "they" stood for."""
    is_taken_as_several = form is not None and form.number == "plural"
    return is_taken_as_several or (name.islower() and rules.lexicon.is_plural(word))


def candidate_of_reference(reference: Reference, text: str, rules: ReferenceRules) -> AntecedentCandidate:
    """A reference of this very message, for the mentions behind it."""
    message_id, conversation_id = reference.antecedent_message_id, reference.antecedent_conversation_id
    return AntecedentCandidate(
        _thing_resolved_to(reference, text, rules), 0, 0.0, Speaker.USER, message_id, conversation_id
    )


_NAMED_AGAIN = frozenset({ReferenceKind.DEFINITE, ReferenceKind.DEMONSTRATIVE})
_SETTLED = frozenset({ReferenceState.RESOLVED, ReferenceState.CORRECTED})


def _thing_of_phrase(
    analysis: Analysis, phrase: Phrase, entity: Entity | None, rules: ReferenceRules
) -> NamedThing | None:
    head = rules.lexicon.singular(phrase.head)
    is_time = phrase.head in rules.time_words or head in rules.time_words
    is_name = phrase.text[0].isupper() and phrase.head in rules.lexicon.female_names  # "call April"
    if is_time and not (is_name and phrase.role is Role.OBJECT):
        return None
    if entity is not None and entity.kind is EntityKind.VALUE and entity.end >= phrase.end:
        return None
    if len(phrase.text) == 1 and entity is None:
        return None
    if entity is not None and entity.end < phrase.end and entity.kind not in _NAMES_OF_CODE:
        entity = None  # "css" of "css file": the file is spoken of
    words = [t.lower.strip("`") for t in analysis.tokens[phrase.first : phrase.last - 1] if t.is_word]
    if phrase.label:
        words.append(analysis.tokens[phrase.last - 1].lower.strip("`"))
    name = analysis.text[analysis.tokens[trimmed_start(analysis, phrase, rules.lexicon)].start : phrase.end]
    text = name if entity is None else entity.text
    key = text
    if entity is None or entity.kind is EntityKind.THING:
        text += _measured(analysis, phrase)
    kind = None if entity is None else entity.kind
    gender = _gender(phrase, words, rules)
    return NamedThing(
        text=text, key=(entity.canonical if entity and text == entity.text else key).lower(), head=head, bare=key,
        type=_type(phrase, kind, head, rules), kind=kind, is_plural=phrase.is_plural and kind in _NOUNLIKE,
        is_name=phrase.is_name, is_embedded=phrase.is_embedded, determiner=phrase.determiner, role=phrase.role,
        verb=phrase.verb, preposition=phrase.preposition, sentence=phrase.sentence, clause=phrase.clause,
        start=phrase.start, end=phrase.end, modifiers=frozenset(words), gender=gender, group=phrase.group,
        joined_by=phrase.joined_by,
        is_title=phrase.is_name and bool(_SMALL_WORDS & frozenset(words[1:])),
    )  # fmt: skip


_NAMES_OF_CODE = frozenset(
    {EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.QUOTED, EntityKind.PERSON}
)
_SMALL_WORDS = frozenset({
    "i", "me", "my", "you", "your", "we", "the", "a", "an", "is", "are", "be", "was", "will", "it", "this", "that", "not", "can't", "don't",
    "won't", "for", "to", "in", "on"
})  # fmt: skip
_NOUNLIKE = frozenset({None, EntityKind.THING, EntityKind.COMPONENT, EntityKind.FEATURE})
_COMPLEMENTS = ("of",)


def _measured(analysis: Analysis, phrase: Phrase) -> str:
    """ " of failed jobs per day" behind "number"; empty when nothing of the kind follows."""
    end, words = phrase.end, analysis.tokens
    for left, right in zip(analysis.phrases, analysis.phrases[1:], strict=False):
        if left.end != end or right.sentence != phrase.sentence or left.last >= len(words):
            continue
        if words[left.last].lower in (_COMPLEMENTS if end == phrase.end else ("per",)):
            end = right.end
    return analysis.text[phrase.end : end].replace("`", "")


def _tidied(thing: NamedThing, rules: ReferenceRules) -> NamedThing | None:
    """Without quotes and brackets that close elsewhere; None when no word is left."""
    text = thing.text.strip("\"'“”‘’,;: ")
    for opening, closing in ("()", "[]", "{}"):
        if text.count(opening) != text.count(closing):
            text = text.strip(opening + closing + " ")
    if not any(character.isalnum() for character in text):
        return None
    if " " in text and text.rsplit(" ", 1)[-1] in rules.lexicon.prepositions:  # "What's Going On" is a title
        return None
    return thing if text == thing.text else replace(thing, text=text, key=text.lower(), bare=text)


def _gender(phrase: Phrase, words: list[str], rules: ReferenceRules) -> str:
    """m, f, or "" when nothing tells; a name that could be both tells nothing."""
    first = (words[0] if words else phrase.head).lower()
    lexicon = rules.lexicon
    is_male = is_female = False
    if phrase.is_name or phrase.text[:1].isupper():
        is_male, is_female = first in lexicon.male_names, first in lexicon.female_names
    return "" if is_male == is_female else "m" if is_male else "f"


def _type(phrase: Phrase, kind: EntityKind | None, head: str, rules: ReferenceRules) -> AntecedentType:
    if kind is EntityKind.PERSON or (head in rules.person_nouns and not phrase.text.istitle()):
        return AntecedentType.PERSON
    lexicon = rules.lexicon
    is_start = phrase.text[:1].isupper() and not phrase.determiner and phrase.role is Role.SUBJECT
    is_unknown = is_start and head not in lexicon.verbs and head not in lexicon.noun_verbs and not phrase.is_plural
    is_creator = phrase.is_name and phrase.preposition == "by"
    if is_creator or ((phrase.is_name or is_unknown) and kind in (None, EntityKind.THING)):
        is_person = phrase.role is Role.OBJECT and phrase.verb in rules.words.get("person_verbs", frozenset())
        return AntecedentType.PERSON if is_person else AntecedentType.ANY
    return AntecedentType.THING


def _thing_of_entity(entity: Entity, analysis: Analysis) -> NamedThing:
    index = next((i for i, t in enumerate(analysis.tokens) if t.end > entity.start), -1)
    is_read = index >= 0
    is_oblique = index > 0 and analysis.tags[index - 1] is Tag.PREP
    return NamedThing(
        text=entity.text, key=entity.canonical.lower(), head=entity.head or entity.text.lower(), bare=entity.text,
        type=AntecedentType.PERSON if entity.kind is EntityKind.PERSON else AntecedentType.THING, kind=entity.kind,
        is_plural=entity.is_plural, is_name=True, is_embedded=analysis.embedded[index] if is_read else False,
        determiner="", role=Role.OBLIQUE if is_oblique else Role.OBJECT, verb=analysis.verbs[index] if is_read else "", preposition=analysis.tokens[index - 1].lower if is_oblique else "",
        sentence=analysis.sentences[index] if is_read else 0, clause=analysis.clauses[index] if is_read else 0,
        start=entity.start, end=entity.end,
    )  # fmt: skip


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
