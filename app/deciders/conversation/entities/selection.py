"""Which of the things that a message mentions it is about: every mention gets points, the best ones stay.

Points come from shape, role, known words, place and the length of the message. Source: S1, S2 (entities).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.deciders.conversation.entities.shapes import EntitySpan
from app.errors import InvalidError
from app.language.lexicon import Lexicon
from app.language.phrases import Analysis, Phrase, Role
from app.language.tags import Tag
from app.language.word_lists import words_of
from app.values import EntityKind

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
