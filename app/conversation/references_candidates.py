"""Everything that an earlier message, or this one before the mention, offers as antecedent.

Reads noun phrases and entities into options; clauses for "this should be faster". Scores nothing.
"""

from collections.abc import Iterable, Sequence

from app.conversation.phrases import Analysis, Phrase, Role
from app.conversation.reading import read_message
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_values import Option, Type
from app.conversation.tagging import Tag
from app.values import Entity, EntityKind, PriorMessage, Speaker

MAX_MESSAGES = 12
MAX_OPTIONS_PER_MESSAGE = 30


def options_of(
    message: PriorMessage | None, text: str, entities: Sequence[Entity], distance: int, rules: ReferenceRules
) -> list[Option]:
    """The options of one message; `message` None = the very message that holds the mention."""
    analysis = read_message(text)
    options: list[Option] = []
    used: set[int] = set()
    for phrase in analysis.phrases:
        inner = [e for e in entities if e.start < phrase.end and e.end > phrase.start - 1]
        used.update(e.start for e in inner)
        best = max(inner, key=lambda e: e.end - e.start, default=None)
        option = _option(analysis, phrase, best, message, distance, rules)
        if option is not None:
            options.append(option)
    for entity in entities:
        if entity.start not in used and entity.kind is not EntityKind.VALUE:
            options.append(_bare(entity, analysis, message, distance))
    options.sort(key=lambda option: option.start)
    return options[-MAX_OPTIONS_PER_MESSAGE:]


def _option(
    analysis: Analysis,
    phrase: Phrase,
    entity: Entity | None,
    message: PriorMessage | None,
    distance: int,
    rules: ReferenceRules,
) -> Option | None:
    head = rules.lexicon.singular(phrase.head)
    if phrase.head in rules.time_words or head in rules.time_words:
        return None
    text = phrase.text if entity is None else entity.text
    kind = None if entity is None else entity.kind
    if kind is EntityKind.VALUE and entity is not None and entity.end >= phrase.end:
        return None
    words = frozenset(t.lower.strip("`") for t in analysis.tokens[phrase.first : phrase.last - 1] if t.is_word)
    return Option(
        text=text, key=(entity.canonical if entity else text).lower(), head=head,
        type=_type(phrase, kind, head, rules), kind=kind, is_plural=phrase.is_plural, is_name=phrase.is_name,
        determiner=phrase.determiner, role=phrase.role, verb=phrase.verb, preposition=phrase.preposition,
        distance=distance, sentence=phrase.sentence, clause=phrase.clause, start=phrase.start, end=phrase.end,
        speaker=message.speaker if message else Speaker.USER, message_id=message.id if message else None,
        conversation_id=(message.conversation_id or None) if message else None, modifiers=words,
    )  # fmt: skip


def _bare(entity: Entity, analysis: Analysis, message: PriorMessage | None, distance: int) -> Option:
    index = next((i for i, t in enumerate(analysis.tokens) if t.end > entity.start), 0)
    has_tokens = bool(analysis.tokens)
    return Option(
        text=entity.text, key=entity.canonical.lower(), head=entity.head or entity.text.lower(), type=Type.THING,
        kind=entity.kind, is_plural=entity.is_plural, is_name=True, determiner="", role=Role.OBJECT,
        verb=analysis.verbs[index] if has_tokens else "", preposition="", distance=distance,
        sentence=analysis.sentences[index] if has_tokens else 0, clause=analysis.clauses[index] if has_tokens else 0,
        start=entity.start, end=entity.end, speaker=message.speaker if message else Speaker.USER,
        message_id=message.id if message else None,
        conversation_id=(message.conversation_id or None) if message else None,
    )  # fmt: skip


def _type(phrase: Phrase, kind: EntityKind | None, head: str, rules: ReferenceRules) -> Type:
    if kind is EntityKind.PERSON or head in rules.person_nouns:
        return Type.PERSON
    if phrase.is_name and kind in (None, EntityKind.THING):
        is_person = phrase.role is Role.OBJECT and phrase.verb in rules.words.get("person_verbs", frozenset())
        return Type.PERSON if is_person else Type.ANY
    return Type.THING


def clause_option(
    analysis: Analysis, clause_end: int, message: PriorMessage | None, distance: int, rules: ReferenceRules
) -> Option | None:
    """The verb phrase of the last sentence before token `clause_end`: "convert the object … into a class"."""
    tags = analysis.tags
    end = clause_end
    while end > 0 and tags[end - 1] is Tag.PUNCT:
        end -= 1
    if end <= 0:
        return None
    sentence = analysis.sentences[end - 1]
    first = end - 1
    while first > 0 and analysis.sentences[first - 1] == sentence:
        first -= 1
    start = next((i for i in range(first, end) if tags[i] is Tag.VERB and _is_content(analysis, i, rules)), None)
    if start is None or end - start < 2:
        return None
    text = analysis.text[analysis.tokens[start].start : analysis.tokens[end - 1].end].replace("`", "")
    return Option(
        text=text, key=text.lower(), head=analysis.tokens[start].lower, type=Type.EVENT, kind=None, is_plural=False,
        is_name=False, determiner="", role=Role.FRAGMENT, verb=rules.lexicon.base_of(analysis.tokens[start].lower),
        preposition="", distance=distance, sentence=sentence, clause=analysis.clauses[start],
        start=analysis.tokens[start].start, end=analysis.tokens[end - 1].end,
        speaker=message.speaker if message else Speaker.USER, message_id=message.id if message else None,
        conversation_id=(message.conversation_id or None) if message else None,
    )  # fmt: skip


def _is_content(analysis: Analysis, index: int, rules: ReferenceRules) -> bool:
    return rules.lexicon.base_of(analysis.tokens[index].lower) not in rules.words.get("light_verbs", frozenset())


def history_options(history: Sequence[PriorMessage], rules: ReferenceRules) -> Iterable[Option]:
    """Options of earlier messages, nearest message first."""
    for distance, message in enumerate(reversed(history[-MAX_MESSAGES:]), 1):
        yield from options_of(message, message.text, message.entities, distance, rules)
