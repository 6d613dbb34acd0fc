"""Entities of one message: what a person names, with kind, place and normal form.

Shapes (code, files, values) and the gazetteer come first, then noun phrases by their head and role;
every mention gets points, and the best ones are what the message is about. Knows no history: what "it" stands
for is the business of `references`. Source: S1, S2 (entities).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.entities.shapes import EntitySpan, ShapeRules, find_shapes
from app.errors import InvalidError
from app.language.analysis_cache import read_message
from app.language.lexicon import NOMINAL, Lexicon, Tag
from app.language.pasted import find_terminal
from app.language.phrases import Analysis, Phrase, Role, trimmed_start
from app.resources import words_of
from app.values import Entity, EntityKind

NOUNLIKE = frozenset({EntityKind.THING, EntityKind.COMPONENT, EntityKind.FEATURE})
INTRODUCING = frozenset({"this", "that", "our", "my", "your", "its", "their", "his", "her", "these", "those"})
_ARTICLES = {"": "bare", "a": "a", "an": "a", "the": "the"}
_PREPOSITIONS = frozenset({"of", "in", "on", "to", "into", "for", "from", "with", "by", "at", "about"})
_BRIEF_TOKENS, _LONG_TOKENS, _VERY_LONG_TOKENS = 12, 40, 80
_MANY_BEFORE = 3
_SHORT_WORD_CHARS = 4


class Mention(NamedTuple):
    """Something a message names, and the noun phrase it stands in."""

    span: EntitySpan
    phrase: Phrase | None
    has_term: bool = False  # a known name, code or value is part of it


@dataclass(frozen=True, slots=True)
class WorthRules:
    """The table of points. `least` is what a mention needs; of more than `free_count` mentions, and one for every
    `words_per_mention` different words, each further one needs `crowd` more than the one before."""

    points: Mapping[str, float]
    least: float
    crowd: float
    free_count: float
    words_per_mention: float
    weak_heads: frozenset[str]
    type_nouns: frozenset[str]
    work_verbs: frozenset[str]
    lexicon: Lexicon

    @staticmethod
    def parse(rules: Mapping[str, object], *, lexicon: Lexicon) -> "WorthRules":
        """The part of `entities.yaml` that says what is worth keeping. Raises InvalidError when a number is missing."""
        worth, types = rules.get("worth"), rules.get("type_nouns")
        if not isinstance(worth, Mapping) or not isinstance(worth.get("points"), Mapping):
            raise InvalidError(
                "The rule file entities.yaml has no table of worth.", hint="Compare it with the shipped one."
            )
        return WorthRules(
            points={str(name): float(value) for name, value in worth["points"].items()},
            least=float(worth["least"]),
            crowd=float(worth["crowd"]),
            free_count=float(worth["free_count"]),
            words_per_mention=float(worth["words_per_mention"]),
            weak_heads=frozenset(words_of(rules.get("weak_heads"))),
            type_nouns=frozenset(map(str, types)) if isinstance(types, Mapping) else frozenset(),
            work_verbs=frozenset(words_of(rules.get("object_verbs"))),
            lexicon=lexicon,
        )


def choose_worthy(analysis: Analysis, mentions: Sequence[Mention], rules: WorthRules) -> list[EntitySpan]:
    """The spans that the message is about, in the order of `mentions`; what is named twice is judged once, by its best."""
    best: dict[str, float] = {}
    for mention in mentions:
        name = mention.span.text.lower()
        points = sum(rules.points.get(mark, 0.0) for mark in marks(analysis, mention, len(best), rules))
        best[name] = max(points, best.get(name, points))
    allowed = rules.free_count + len({token.lower for token in analysis.tokens}) / rules.words_per_mention
    ranked = sorted(best, key=lambda name: -best[name])
    kept = {
        name for rank, name in enumerate(ranked) if best[name] >= rules.least + rules.crowd * max(0.0, rank - allowed)
    }
    return [mention.span for mention in mentions if mention.span.text.lower() in kept]


def marks(analysis: Analysis, mention: Mention, count_before: int, rules: WorthRules) -> Iterator[str]:
    """What is seen of a mention, as the names of the table."""
    span, phrase = mention.span, mention.phrase
    yield f"kind {span.kind.value}"
    yield f"role {phrase.role.value}" if phrase is not None else "role none"
    if mention.has_term:
        yield "has term"
    if any(analysis.tokens[i].text[0].isupper() for i in range(span.first, span.last)) and span.start:
        yield "capital"
    if span.kind in NOUNLIKE:
        yield from _noun_marks(analysis, mention, rules)
    if phrase is not None:
        yield from _place_marks(phrase, rules)
    yield from ("one before" for _ in range(min(count_before, 2 * _MANY_BEFORE)))
    if count_before >= _MANY_BEFORE:
        yield "many before"
    size = len(analysis.tokens)
    if size <= _BRIEF_TOKENS:
        yield "brief message"
    elif size > _LONG_TOKENS:
        yield "long message"
        if size > _VERY_LONG_TOKENS:
            is_aside = phrase is not None and (phrase.is_embedded or phrase.role is Role.FRAGMENT)
            yield "aside in a very long message" if is_aside else "very long message"


def _noun_marks(analysis: Analysis, mention: Mention, rules: WorthRules) -> Iterator[str]:
    span, phrase = mention.span, mention.phrase
    head = analysis.tokens[span.last - 1].lower
    if span.last - span.first > 1:
        yield "compound"
    elif analysis.tags[span.last - 1] is Tag.NAME:
        yield "name"
    if len(head) <= _SHORT_WORD_CHARS:
        yield "short word"
    if head in rules.weak_heads:
        yield "general word"
    if head in rules.type_nouns or rules.lexicon.singular(head) in rules.type_nouns:
        yield "type noun"
    if head in rules.lexicon.verbs:
        yield "verb as well"
    if phrase is not None:
        determiner = phrase.determiner
        yield f"article {_ARTICLES.get(determiner, 'own' if determiner in INTRODUCING else 'other')}"


def _place_marks(phrase: Phrase, rules: WorthRules) -> Iterator[str]:
    if phrase.is_embedded:
        yield "side clause"
    if phrase.clause == 0:
        yield "first clause"
    if phrase.sentence == 0:
        yield "first sentence"
    if phrase.role is Role.OBLIQUE:
        yield f"behind {phrase.preposition if phrase.preposition in _PREPOSITIONS else 'other'}"
    elif phrase.role is Role.OBJECT:
        if phrase.verb in rules.work_verbs:
            yield "worked on"
        elif phrase.verb == "be":
            yield "said to be"


MAX_ENTITIES = 60
_MARKED_CHARS = 8_000  # entities stand in the first part of a message only


@dataclass(frozen=True, slots=True)
class EntityRules:
    shapes: ShapeRules
    components: frozenset[str]
    features: frozenset[str]
    type_nouns: Mapping[str, EntityKind]
    weak_heads: frozenset[str]
    named_heads: frozenset[str]
    person_verbs: frozenset[str]
    person_nouns: frozenset[str]
    lexicon: Lexicon
    worth: WorthRules

    @staticmethod
    def parse(entity_rules: Mapping[str, object], gazetteer: Gazetteer) -> "EntityRules":
        """The rules of `entities.yaml` together with the known technologies."""
        types = entity_rules.get("type_nouns")
        return EntityRules(
            shapes=ShapeRules.parse(entity_rules, gazetteer),
            components=frozenset(words_of(entity_rules.get("components"))),
            features=frozenset(words_of(entity_rules.get("features"))),
            type_nouns={str(k): EntityKind(str(v)) for k, v in types.items()} if isinstance(types, Mapping) else {},
            weak_heads=frozenset(words_of(entity_rules.get("weak_heads"))),
            named_heads=frozenset(words_of(entity_rules.get("named_heads"))),
            person_verbs=frozenset(words_of(entity_rules.get("person_verbs"))),
            person_nouns=frozenset(words_of(entity_rules.get("person_nouns"))),
            lexicon=Lexicon.shipped(),
            worth=WorthRules.parse(entity_rules, lexicon=Lexicon.shipped()),
        )


def extract_entities(text: str, rules: EntityRules) -> tuple[Entity, ...]:
    """The entities of a message by place, not overlapping, at most `MAX_ENTITIES`.

    >>> from app.resources import load_rules
    >>> rules = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
    >>> [(e.text, str(e.kind)) for e in extract_entities("Make the FAB button purple", rules)]
    [('FAB button', 'component'), ('purple', 'value')]
    """
    analysis = read_message(text)
    spans = choose_worthy(analysis, find_mentions(analysis, rules), rules.worth)
    return tuple(_entity(span, rules) for span in spans[:MAX_ENTITIES])


def find_mentions(analysis: Analysis, rules: EntityRules) -> list[Mention]:
    """All that is named, by place, not overlapping; what the message is about `choose_worthy` says."""
    shapes = find_shapes(analysis, rules.shapes)
    found: list[Mention] = []
    taken: set[int] = set()
    homes: dict[int, Phrase] = {}
    for phrase in analysis.phrases:
        homes.update((index, phrase) for index in range(phrase.first, phrase.last))
        span = _of_phrase(analysis, phrase, shapes, rules)
        if span is not None:
            has_term = any(shape.first < span.last and shape.last > span.first for shape in shapes)
            found.append(Mention(span, phrase, has_term))
            taken.update(range(span.first, span.last))
    found.extend(
        Mention(_as_handle(analysis, span, rules), homes.get(span.first) or homes.get(span.last - 1))
        for span in shapes
        if not taken.intersection(range(span.first, span.last))
    )
    found.extend(Mention(span, None) for span in _activities(analysis, rules) if span.first not in taken)
    found.sort(key=lambda mention: mention.span.start)
    head = analysis.text[:_MARKED_CHARS]
    printed = find_terminal(head)
    return [mention for mention in found if not (_is_said(mention.span) and _is_within(mention.span, printed))]


def _as_handle(analysis: Analysis, span: EntitySpan, rules: EntityRules) -> EntitySpan:
    """ "@tmux (16-20)", "@workspace": what is handed to an assistant; a person only where something is said to or of one."""
    if span.kind is not EntityKind.PERSON:
        return span
    tokens = analysis.tokens
    before = {one.lower for one in tokens[max(0, span.first - 2) : span.first]}
    following = tokens[span.last].lower if span.last < len(tokens) else ""
    is_persons = not before.isdisjoint(rules.person_verbs | _OF_PEOPLE) or following in rules.person_nouns
    return span if is_persons and not span.text[1:].isupper() else span._replace(kind=EntityKind.THING)


_OF_PEOPLE = frozenset({"by", "from", "thanks", "hi", "hey", "hello", "author", "reviewer"})


def _is_within(span: EntitySpan, places: list[tuple[int, int]]) -> bool:
    return any(start <= span.start < end for start, end in places)


def _is_said(span: EntitySpan) -> bool:
    """Files and symbols count in what a program printed, too; words do not."""
    return span.kind not in (EntityKind.FILE, EntityKind.SYMBOL)


def _activities(analysis: Analysis, rules: EntityRules) -> list[EntitySpan]:
    """ "the linting and testing", "caching is broken": -ing words that name a feature."""
    out: list[EntitySpan] = []
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


def _entity(span: EntitySpan, rules: EntityRules) -> Entity:
    head = span.head or span.text.rsplit(" ", 1)[-1].lower()
    is_plural = span.kind in NOUNLIKE and rules.lexicon.is_plural(head)
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


def _canonical(span: EntitySpan, head: str, is_plural: bool, rules: EntityRules) -> str:
    if span.kind not in NOUNLIKE:
        return span.text.strip("`\"'").removesuffix("()") if span.kind is EntityKind.SYMBOL else span.text.strip("`\"'")
    words = " ".join(span.text.lower().replace("`", "").split())
    return words[: len(words) - len(head)] + rules.lexicon.singular(head) if is_plural else words


def _of_phrase(analysis: Analysis, phrase: Phrase, spans: list[EntitySpan], rules: EntityRules) -> EntitySpan | None:
    first, last = _named_by_number(analysis, phrase) or _trimmed(analysis, phrase, rules)
    is_letter = last - first == 1 and len(analysis.tokens[first].text) < 2
    if first >= last or is_letter or phrase.text.startswith("Image #"):
        return None
    inner = [span for span in spans if span.first < last and span.last > first]
    if _is_numbered(analysis, first, last, rules):
        return _span(analysis, first, last, EntityKind.THING, 0.65)
    head = analysis.tokens[last - 1].lower
    singular = rules.lexicon.singular(head)
    if inner and not (inner[-1].kind is EntityKind.TECHNOLOGY and _is_addressed(phrase, rules)):
        return _around_shape(analysis, inner, (first, last), rules)
    if last - first == 1 and singular in rules.type_nouns and first and analysis.tokens[first - 1].text in "\"'”`":
        return None  # the word behind a quoted name
    if _is_person(analysis, phrase, rules):
        return _span(analysis, first, last, EntityKind.PERSON, 0.75)
    kind = _kind(head, singular, rules)
    is_compound = last - first > 1
    if kind is EntityKind.THING and (_is_nameless(analysis, (first, last), rules) or _is_act(phrase, rules)):
        return None
    confidence = 0.8 if kind is not EntityKind.THING else 0.65 if is_compound else 0.55
    return _span(analysis, first, last, kind, confidence)


def _span(analysis: Analysis, first: int, last: int, kind: EntityKind, confidence: float) -> EntitySpan:
    start, end = analysis.tokens[first].start, analysis.tokens[last - 1].end
    head = analysis.tokens[last - 1].lower.strip("`")
    return EntitySpan(analysis.text[start:end], kind, start, end, first, last, confidence, head=head)


def _trimmed(analysis: Analysis, phrase: Phrase, rules: EntityRules) -> tuple[int, int]:
    return trimmed_start(analysis, phrase, rules.lexicon), phrase.last


def _is_person(analysis: Analysis, phrase: Phrase, rules: EntityRules) -> bool:
    """A given name, or a capitalised name where only a person can stand: "ask Ngozi"."""
    words = analysis.tokens[phrase.first : phrase.last]
    if len(words) > _MAX_NAME_WORDS or not all(word.text[0].isupper() and word.text.isalpha() for word in words):
        return False
    first = words[0].lower
    is_given = first in rules.lexicon.male_names or first in rules.lexicon.female_names
    return is_given or _is_addressed(phrase, rules)


def _is_addressed(phrase: Phrase, rules: EntityRules) -> bool:
    """ "ask Julia": a person, although it is the name of a language as well."""
    if phrase.is_plural or not all(word[0].isupper() and word[1:].islower() for word in phrase.text.split()):
        return False  # RabbitMQ is none
    return phrase.role is Role.OBJECT and phrase.verb in rules.person_verbs


_MAX_NAME_WORDS = 3


def _kind(head: str, singular: str, rules: EntityRules) -> EntityKind:
    if singular in rules.features or head in rules.features:
        return EntityKind.FEATURE
    if singular in rules.components or head in rules.components:
        return EntityKind.COMPONENT
    return EntityKind.THING


def _around_shape(
    analysis: Analysis, inner: list[EntitySpan], limits: tuple[int, int], rules: EntityRules
) -> EntitySpan | None:
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


def _is_nameless(analysis: Analysis, limits: tuple[int, int], rules: EntityRules) -> bool:
    """A general word that nothing tells from its like ("the way"), an id, a date, a row of bytes."""
    first, last = limits
    if analysis.tokens[last - 1].lower in rules.weak_heads and not _is_told_apart(analysis, limits, rules):
        return True
    if last - first > 1:
        return analysis.tags[last - 1] not in NOMINAL or set(analysis.tags[first:last]) <= _CODES
    return analysis.tags[last - 1] is Tag.TECH


def _is_act(phrase: Phrase, rules: EntityRules) -> bool:
    """ "on exit" says when."""
    is_bare = phrase.determiner == "" and phrase.last - phrase.first == 1
    return is_bare and phrase.role is Role.OBLIQUE and phrase.head in rules.lexicon.verbs


_NUMBER = re.compile(r"#?\d+")


def _is_numbered(analysis: Analysis, first: int, last: int, rules: EntityRules) -> bool:
    """ "PR #4", "line 61", "phase 2": what a number tells from its like."""
    if last - first < 2 or _NUMBER.fullmatch(analysis.tokens[last - 1].text) is None:
        return False
    word = analysis.tokens[last - 2].lower
    is_noun = analysis.tags[last - 2] in (Tag.NOUN, Tag.NAME)
    return is_noun and word not in rules.lexicon.time_words | rules.lexicon.calendar_words | {"image"}


def _named_by_number(analysis: Analysis, phrase: Phrase) -> tuple[int, int] | None:
    """ "pull request #4": the number alone names nothing, the words before it belong to it."""
    if not phrase.label or _NUMBER.fullmatch(phrase.text) is None:
        return None
    first = phrase.first
    while first and analysis.tags[first - 1] in (Tag.NOUN, Tag.NAME):
        first -= 1
    return first, phrase.last


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
