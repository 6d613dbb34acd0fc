"""Entities of one message: what a person names, with kind, place and normal form.

Shapes (code, files, values) and the gazetteer come first, then noun phrases by their head and role.
Knows no history: what "it" stands for is the business of `references`. Source: S1, S2 (entities).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from app.conversation.entity_shapes import ShapeRules, Span, find_shapes
from app.conversation.gazetteer import Gazetteer
from app.conversation.lexicon import Lexicon
from app.conversation.pasted import find_terminal
from app.conversation.phrases import Analysis, Phrase, Role, trimmed_start
from app.conversation.reading import read_message
from app.conversation.tags import NOMINAL, Tag
from app.values import Entity, EntityKind

MAX_ENTITIES = 60
_BRIEF_TOKENS = 40  # up to here every noun is about the matter
_LONG_TOKENS = 80  # from here on many are not
_MARKED_CHARS = 8_000  # entities stand in the first part of a message only
_SECRET_MARK = re.compile(r"\[secret: [^\]\n]{1,80}\]")  # what redaction leaves names nothing


@dataclass(frozen=True, slots=True)
class EntityRules:
    shapes: ShapeRules
    components: frozenset[str]
    features: frozenset[str]
    type_nouns: Mapping[str, EntityKind]
    weak_heads: frozenset[str]
    named_heads: frozenset[str]
    object_verbs: frozenset[str]
    person_verbs: frozenset[str]
    person_nouns: frozenset[str]
    lexicon: Lexicon

    @staticmethod
    def parse(entity_rules: Mapping[str, object], gazetteer: Gazetteer) -> "EntityRules":
        """The rules of `entities.yaml` together with the known technologies."""
        types = entity_rules.get("type_nouns")
        return EntityRules(
            shapes=ShapeRules.parse(entity_rules, gazetteer),
            components=_words(entity_rules, "components"),
            features=_words(entity_rules, "features"),
            type_nouns={str(k): EntityKind(str(v)) for k, v in types.items()} if isinstance(types, Mapping) else {},
            weak_heads=_words(entity_rules, "weak_heads"),
            named_heads=_words(entity_rules, "named_heads"),
            object_verbs=_words(entity_rules, "object_verbs"),
            person_verbs=_words(entity_rules, "person_verbs"),
            person_nouns=_words(entity_rules, "person_nouns"),
            lexicon=Lexicon.shipped(),
        )


def extract_entities(text: str, rules: EntityRules) -> tuple[Entity, ...]:
    """The entities of a message by place, not overlapping, at most `MAX_ENTITIES`.

    >>> from app.resources import load_rules
    >>> rules = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
    >>> [(e.text, str(e.kind)) for e in extract_entities("Make the FAB button purple", rules)]
    [('FAB button', 'component'), ('purple', 'value')]
    """
    analysis = read_message(text)
    spans = find_shapes(analysis, rules.shapes)
    found: list[Span] = []
    taken: set[int] = set()
    for phrase in analysis.phrases:
        if len(found) >= MAX_ENTITIES:
            break
        span = _of_phrase(analysis, phrase, spans, rules)
        if span is not None:
            found.append(span)
            taken.update(range(span.first, span.last))
    found.extend(span for span in spans if not taken.intersection(range(span.first, span.last)))
    found.extend(_activities(analysis, rules))
    found.sort(key=lambda span: span.start)
    marks = [mark.span() for mark in _SECRET_MARK.finditer(text[:_MARKED_CHARS])] if "[secret: " in text else []
    printed = find_terminal(text[:_MARKED_CHARS])
    shown = (
        span for span in found if not _is_within(span, marks) and not (_is_said(span) and _is_within(span, printed))
    )
    return tuple(_entity(span, rules) for span in islice(shown, MAX_ENTITIES))


def _is_within(span: Span, places: list[tuple[int, int]]) -> bool:
    return any(start <= span.start < end for start, end in places)


def _is_said(span: Span) -> bool:
    """Files and symbols count in what a program printed, too; words do not."""
    return span.kind not in (EntityKind.FILE, EntityKind.SYMBOL)


def _activities(analysis: Analysis, rules: EntityRules) -> list[Span]:
    """ "the linting and testing", "caching is broken": -ing words that name a feature."""
    out: list[Span] = []
    for index, tag in enumerate(analysis.tags):
        word = analysis.tokens[index].lower
        if tag is not Tag.GERUND or (word not in rules.features and word not in rules.components):
            continue
        left = analysis.tags[index - 1] if index else Tag.PUNCT
        right = analysis.tags[index + 1] if index + 1 < len(analysis.tags) else Tag.PUNCT
        is_joined = left is Tag.CONJ and index > 1 and analysis.tags[index - 2] in NOMINAL | {Tag.GERUND}
        is_place = left is Tag.PREP and word in rules.components  # "on staging"
        if is_joined or is_place or right is Tag.AUX or (left is Tag.DET and right not in NOMINAL):
            out.append(_span(analysis, index, index + 1, _kind(word, word, rules), 0.6))
    return out


def _entity(span: Span, rules: EntityRules) -> Entity:
    head = span.head or span.text.rsplit(" ", 1)[-1].lower()
    is_plural = span.kind in _NOUNLIKE and rules.lexicon.is_plural(head)
    return Entity(
        text=span.text,
        kind=span.kind,
        start=span.start,
        end=span.end,
        canonical=span.canonical or _canonical(span, head, is_plural, rules),
        confidence=span.confidence,
        head=head,
        is_plural=is_plural,
    )


_NOUNLIKE = frozenset({EntityKind.THING, EntityKind.COMPONENT, EntityKind.FEATURE})


def _canonical(span: Span, head: str, is_plural: bool, rules: EntityRules) -> str:
    if span.kind not in _NOUNLIKE:
        return span.text.strip("`\"'").removesuffix("()") if span.kind is EntityKind.SYMBOL else span.text.strip("`\"'")
    words = " ".join(span.text.lower().replace("`", "").split())
    return words[: len(words) - len(head)] + rules.lexicon.singular(head) if is_plural else words


def _of_phrase(analysis: Analysis, phrase: Phrase, spans: list[Span], rules: EntityRules) -> Span | None:
    first, last = _trimmed(analysis, phrase, rules)
    is_letter = last - first == 1 and len(analysis.tokens[first].text) < 2
    if first >= last or is_letter or phrase.text.startswith("Image #"):
        return None
    inner = [span for span in spans if span.first < last and span.last > first]
    if _is_numbered(analysis, first, last, rules) and _is_prominent(analysis, phrase):
        return _span(analysis, first, last, EntityKind.THING, 0.65)
    head = analysis.tokens[last - 1].lower
    singular = rules.lexicon.singular(head)
    if inner and not (inner[-1].kind is EntityKind.TECHNOLOGY and _is_addressed(analysis, phrase, rules)):
        return _around_shape(analysis, inner, (first, last), rules)
    if last - first == 1 and singular in rules.type_nouns and first and analysis.tokens[first - 1].text in "\"'”`":
        return None  # the word behind a quoted name
    if _is_person(analysis, phrase, rules):
        return _span(analysis, first, last, EntityKind.PERSON, 0.75)
    kind = _kind(head, singular, rules)
    is_compound = last - first > 1
    if not _is_entity(analysis, phrase, (first, last), kind, rules):
        return None
    confidence = 0.8 if kind is not EntityKind.THING else 0.65 if is_compound else 0.55
    return _span(analysis, first, last, kind, confidence)


def _span(analysis: Analysis, first: int, last: int, kind: EntityKind, confidence: float) -> Span:
    start, end = analysis.tokens[first].start, analysis.tokens[last - 1].end
    head = analysis.tokens[last - 1].lower.strip("`")
    return Span(analysis.text[start:end], kind, start, end, first, last, confidence, head=head)


def _trimmed(analysis: Analysis, phrase: Phrase, rules: EntityRules) -> tuple[int, int]:
    return trimmed_start(analysis, phrase, rules.lexicon), phrase.last


def _is_person(analysis: Analysis, phrase: Phrase, rules: EntityRules) -> bool:
    """A given name, or a capitalised name where only a person can stand: "ask Ngozi", "Ngozi wants"."""
    words = analysis.tokens[phrase.first : phrase.last]
    if len(words) > _MAX_NAME_WORDS or not all(word.text[0].isupper() and word.text.isalpha() for word in words):
        return False
    first = words[0].lower
    is_given = first in rules.lexicon.male_names or first in rules.lexicon.female_names
    return is_given or _is_addressed(analysis, phrase, rules)


def _is_addressed(analysis: Analysis, phrase: Phrase, rules: EntityRules) -> bool:
    """ "ask Julia": a person, although it is the name of a language as well."""
    if phrase.is_plural or phrase.text.isupper() or not phrase.text[0].isupper():
        return False
    following = analysis.tokens[phrase.last].lower if phrase.last < len(analysis.tokens) else ""
    return (phrase.role is Role.OBJECT and phrase.verb in rules.person_verbs) or following in rules.person_nouns


_MAX_NAME_WORDS = 3


def _kind(head: str, singular: str, rules: EntityRules) -> EntityKind:
    if singular in rules.features or head in rules.features:
        return EntityKind.FEATURE
    if singular in rules.components or head in rules.components:
        return EntityKind.COMPONENT
    return EntityKind.THING


def _around_shape(analysis: Analysis, inner: list[Span], limits: tuple[int, int], rules: EntityRules) -> Span | None:
    """A phrase with a term inside: "httpx library" is httpx, "nginx logs" are the logs of nginx."""
    first, last = limits
    span = inner[-1]
    tail = [analysis.tokens[i].lower for i in range(span.last, last)]
    if not tail or len(inner) > 1:
        return None
    singular = rules.lexicon.singular(tail[-1])
    if len(tail) == 1 and (tail[0] in rules.type_nouns or singular in rules.type_nouns):
        if tail[0] in rules.components and span.kind is EntityKind.TECHNOLOGY and tail[0] not in ("library", "package"):
            return _span(analysis, first, last, EntityKind.COMPONENT, 0.8)
        return None
    if tail[-1] in rules.weak_heads or any(s.kind is EntityKind.QUOTED for s in inner):
        return None
    return _span(analysis, first, last, _kind(tail[-1], singular, rules), 0.8)


def _is_entity(
    analysis: Analysis, phrase: Phrase, limits: tuple[int, int], kind: EntityKind, rules: EntityRules
) -> bool:
    first, last = limits
    head = analysis.tokens[last - 1].lower
    is_compound = last - first > 1
    if head in rules.weak_heads and kind is EntityKind.THING and not _is_told_apart(analysis, limits, rules):
        return False
    if kind is EntityKind.THING and not _is_prominent(analysis, phrase):
        return False
    if kind is not EntityKind.THING:
        return is_compound or phrase.role is not Role.OBLIQUE or phrase.determiner in _INTRODUCING
    if analysis.tags[last - 1] is Tag.NAME or is_compound:
        return analysis.tags[last - 1] in NOMINAL and not set(analysis.tags[first:last]) <= _CODES
    if analysis.tags[last - 1] is Tag.TECH:
        return False  # its shape was looked at and said nothing: an id, a date
    if len(analysis.tokens) <= _BRIEF_TOKENS and _is_wide(phrase, rules):
        return True
    if phrase.role is Role.OBLIQUE:
        return head in rules.type_nouns and phrase.preposition in ("into", "to", "as")
    return (phrase.role is Role.OBJECT and phrase.verb in rules.object_verbs) or phrase.role is Role.SUBJECT


def _is_wide(phrase: Phrase, rules: EntityRules) -> bool:
    """In a short message a plain noun counts wherever something is done to it or with it."""
    if phrase.role is Role.OBLIQUE:
        return phrase.determiner != "" or phrase.head not in rules.lexicon.verbs  # "on exit" says when
    return phrase.role is Role.OBJECT and (phrase.determiner != "" or phrase.verb != "be")


def _is_prominent(analysis: Analysis, phrase: Phrase) -> bool:
    """A long message speaks of more than it is about: side clauses and loose words are left out."""
    if len(analysis.tokens) <= _LONG_TOKENS:
        return True
    return not phrase.is_embedded and phrase.role is not Role.FRAGMENT


_NUMBER = re.compile(r"#?\d+")


def _is_numbered(analysis: Analysis, first: int, last: int, rules: EntityRules) -> bool:
    """ "PR #4", "line 61", "phase 2": what a number tells from its like."""
    if last - first < 2 or _NUMBER.fullmatch(analysis.tokens[last - 1].text) is None:
        return False
    word = analysis.tokens[last - 2].lower
    is_noun = analysis.tags[last - 2] in (Tag.NOUN, Tag.NAME)
    return is_noun and word not in rules.lexicon.time_words | rules.lexicon.calendar_words | {"image"}


def _is_told_apart(analysis: Analysis, limits: tuple[int, int], rules: EntityRules) -> bool:
    """ "error message", "unstaged changes": a general word that what stands before it makes a name."""
    first, last = limits
    if analysis.tags[last - 1] is Tag.NAME and analysis.tokens[last - 1].text.isupper():
        return True  # HEAD
    if last - first < 2 or analysis.tokens[last - 1].lower not in rules.named_heads:
        return False
    before = analysis.tokens[last - 2]
    is_marked = "-" in before.text or before.lower.startswith(("un", "non"))
    return analysis.tags[last - 2] in NOMINAL or analysis.tags[last - 2] is Tag.PARTICIPLE or is_marked


_CODES = frozenset({Tag.TECH, Tag.NUM})  # a row of numbers or bytes
_INTRODUCING = frozenset({"a", "an", "the", "this", "that", "our", "my", "your", "its", "their"})


def _words(rules: Mapping[str, object], name: str) -> frozenset[str]:
    value = rules.get(name)
    return frozenset(str(word).lower() for word in value) if isinstance(value, list) else frozenset()
