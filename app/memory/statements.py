"""What a message states that is worth remembering: decisions, rules, tastes, goals, people, ways of working, facts.

Rules only; junk is worse than silence, so a sentence that asks, supposes, reports or orders one thing done says nothing.
References are resolved before: a statement that still points at "it" is never written. Knows values and rules, no store.
Source: S3 (fact extraction and lifecycle), S4 (atomic facts).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from app.deciders.memory.order_model import sounds_dangerous
from app.memory.alignment import Alignment, align
from app.memory.covering import is_harmless
from app.memory.faults import without_care
from app.memory.joining import add_reason, append, is_appendix, is_reason
from app.memory.labels import labelled, read_label
from app.memory.matching import Match, best_match, is_surely_suspicious, is_suspicious, told_to_remember
from app.memory.phrasing import (
    MAX_WORDS,
    cut_tail,
    points_outside,
    straighten,
    strip_edges,
    write_sentence,
)
from app.memory.plans import read_plan
from app.memory.pointing import (
    SaidMessage,
    leans_on_weak_reference,
    loses_reference,
    points_at_hand,
    points_away,
    points_open,
    references_of,
    stands_alone,
    with_references,
)
from app.memory.readings import read_clauses, read_sentence
from app.memory.rules import MemoryRules, compiled, load_memory_rules
from app.memory.sayings import read_saying
from app.memory.slot_guesses import guess_slot
from app.memory.slots import Filling, fill_slot
from app.memory.splitting import MAX_READ_CHARS, Sentence, is_listed, split_sentences
from app.memory.standing import Setting
from app.memory.standing_forms import read_standing_form
from app.memory.subjects import is_person
from app.memory.tasks import only_describes, orders_work
from app.values import Entity, FactCandidate, FactType, IntentScore, Reference

MAX_STATEMENTS = 12  # of one message: a pasted handbook is not twelve thoughts
_MAX_CONFIDENCE, _LEAST_CONFIDENCE = 0.95, 0.5
_QUOTED_PENALTY, _LONG_PENALTY, _WEAK_REFERENCE_PENALTY, _SLOT_BONUS = 0.35, 0.1, 0.15, 0.04
_TAG_PENALTY = 0.1
_LONG_WORDS, _MAX_WHOLE_WORDS = 35, 30
_SENTENCES_FILLED = 3
_TOLD = frozenset({FactType.FACT, FactType.CONSTRAINT, FactType.ENTITY})
_PLAIN_WORD = re.compile(r"[a-z]+")
_NEGATOR = re.compile(r"\b(?:no|not|never|nothing|without|avoid|\w+n['’]t)\b", re.IGNORECASE)
_PLEASE = re.compile(r"\b(?:please|pls|plz)\b", re.IGNORECASE)
_TAG = re.compile(
    r",? (?:yeah|right|ok|okay|yes|no|agreed|correct|deal|eh|huh|sound good|sounds good|makes? sense)\?+$",
    re.IGNORECASE,
)
_SO = ", so "
_ADDRESSED = re.compile(r"\b(?:you|please|can|could|i|me|it|this|that|they)\b", re.IGNORECASE)
_PRESUMED = re.compile(r"(?:but )?i (?:thought|was sure) (?:that )?we\b[^?]+\?*$", re.IGNORECASE)  # asks, and tells


def extract_statements(
    text: str,
    *,
    expanded: str,
    references: tuple[Reference, ...],
    entities: tuple[Entity, ...],
    intents: tuple[IntentScore, ...],
    rules: MemoryRules | None = None,
    own: str | None = None,
) -> tuple[FactCandidate, ...]:
    """The statements of one message in their order, at most twelve; usually none.

    `own` is the message with what others wrote in it as spaces (None: all is the person's): only sentences that are wholly own
    are read. `expanded` is the message with its references put in. Linear in the part that is read: the first 20,000 characters.

    >>> said = "ok so we're going with Postgres. Can you add the table?"
    >>> [one.text for one in extract_statements(said, expanded=said, references=(), entities=(), intents=())]
    ['Use Postgres.']
    """
    del intents  # what the person wants done now says little about what lasts; part of the contract
    rules = rules or load_memory_rules()
    head = text[:MAX_READ_CHARS]
    near = tuple(one for one in references if one.end <= MAX_READ_CHARS)
    aligned = align(head, expanded[: len(expanded) - len(text) + len(head)], near) if near else Alignment(head, ())
    own = head if own is None else own[:MAX_READ_CHARS]
    message = SaidMessage(head, aligned, near, entities, rules, _setting(own, rules))
    found: list[FactCandidate] = []
    last: Sentence | None = None
    plan = read_plan(own)
    found.extend([plan] if plan is not None else [])
    sentences = [one for one in split_sentences(head) if own[one.start : one.end] == head[one.start : one.end]]
    is_task = orders_work(sentences, rules)
    for sentence in sentences:
        if found and is_appendix(found[-1], sentence):
            found[-1] = append(found[-1], sentence)
            continue
        label = (
            read_label(straighten(sentence.text), message.rules)
            if last is not None and not sentence.is_quoted
            else None
        )
        if label is not None and last is not None:
            _apply_label(label, last, found, message)
        else:
            read = list(_read(sentence, message))
            _add(found, (one for one in read if not is_task or _reaches_beyond(one, sentence, rules)), message)
            form = None if read else read_standing_form(sentence, rules)
            found.extend([form] if form is not None else [])
        last = sentence
    return _tidy(found)


def _reaches_beyond(one: FactCandidate, sentence: Sentence, rules: MemoryRules) -> bool:
    return one.is_instruction_like or not only_describes(one, sentence.text, rules)


def _add(found: list[FactCandidate], read: Iterable[FactCandidate], message: SaidMessage) -> None:
    """Adds what a sentence states; what only gives the reason of the statement before it is added to that."""
    for one in read:
        last = found[-1] if found else None
        if (
            last is not None
            and not message.setting.is_talk
            and is_reason(last, one, message.text[last.end : one.start])
        ):
            found[-1] = add_reason(last, one)
        else:
            found.append(one)


def _apply_label(label: FactType, last: Sentence, found: list[FactCandidate], message: SaidMessage) -> None:
    """The sentence before, as what it was called: read already, it takes that type; else it becomes a memory."""
    if found and found[-1].start >= last.start:
        if found[-1].type is FactType.FACT:
            found[-1] = replace(found[-1], type=label)
        return
    match = None if message.setting.is_document else labelled(straighten(last.text), label, message.rules)
    written = _write(match, last, message) if match is not None else None
    if written is not None:
        found.append(written)


def guess_statement(text: str, rules: MemoryRules | None = None) -> FactCandidate:
    """What a memory written by hand is: always one candidate over the whole text, as sure as a person's word.

    >>> guess_statement("Never commit to main").type
    <FactType.CONSTRAINT: 'constraint'>
    """
    rules = rules or load_memory_rules()
    said = straighten(text[:MAX_READ_CHARS])
    core = strip_edges(said, rules)
    match = best_match(core, (), rules, is_by_hand=True)
    type_ = match.pattern.type if match is not None else _guess_type(core, rules)
    filling = _fill_by_hand(core, match, type_, rules)
    return FactCandidate(
        type=type_,
        text=said,
        confidence=_MAX_CONFIDENCE,
        start=0,
        end=len(text),
        reason=match.pattern.reason if match is not None else "was written by hand",
        slot=filling.slot,
        value=filling.value,
        is_negated=_is_negated(core, match, filling.value),
        replaces=filling.old_value,
        is_instruction_like=is_suspicious(said, rules) is not None,
    )


def _fill_by_hand(core: str, match: Match | None, type_: FactType, rules: MemoryRules) -> Filling:
    """Of several sentences the first that fills a slot: words of two would make one that neither says."""
    parts = [strip_edges(one.text, rules) for one in split_sentences(core)[:_SENTENCES_FILLED]]
    if len(parts) < 2:
        return _fill(core, match, type_, rules)
    filled = (_fill(part, best_match(part, (), rules, is_by_hand=True), type_, rules) for part in parts)
    return next((one for one in filled if one.slot is not None), Filling(None, ""))


def _fill(text: str, match: Match | None, type_: FactType, rules: MemoryRules) -> Filling:
    groups = match.groups if match is not None else {}
    filling = fill_slot(text, rules.slots, groups)
    return filling if filling.slot is not None else guess_slot(text, type_, groups, rules.slots)


def weigh_decision(text: str, rules: MemoryRules | None = None) -> float:
    """How much a sentence sounds like a decision rather than its background; above `decision_threshold` it is one.

    >>> weigh_decision("We will use Kafka for events") > weigh_decision("Currently there are two queues")
    True
    """
    rules = rules or load_memory_rules()
    said = straighten(text[:MAX_READ_CHARS])
    return sum(weight for expression, weight in rules.decision_cues if compiled(expression).search(said))


def _guess_type(core: str, rules: MemoryRules) -> FactType:
    return FactType.DECISION if weigh_decision(core, rules) >= rules.decision_threshold else FactType.FACT


def _setting(text: str, rules: MemoryRules) -> Setting:
    low = without_care(text.lower())
    is_troubled = rules.clauses.has("trouble", low, _PLAIN_WORD.findall(low))
    return Setting(len(text.split()), is_troubled, "?" in text, _PLEASE.search(text) is not None)


def _read(sentence: Sentence, message: SaidMessage) -> Iterator[FactCandidate]:
    rules = message.rules
    custom = rules.orders.expressions["custom"].search(sentence.text.rstrip(".! "))
    is_custom = custom is not None and custom.start() > 0
    if custom is not None and is_custom:  # "…, that's the house style"
        end = custom.start()
        sentence = replace(sentence, text=sentence.text[:end], end=sentence.start + end)
    if stands_alone(sentence, message):
        typed = list(_read_said(straighten(sentence.text), sentence, message, is_custom=is_custom))
        if typed and any(loses_reference(one, sentence, message) for one in typed):
            typed = _as_whole(typed, sentence, message)
        if typed:
            yield from (_of_person(one, sentence, message) for one in typed)
            return
    for one in _read_said(straighten(with_references(sentence, message)), sentence, message, is_custom=is_custom):
        yield _of_person(one, sentence, message)


def _of_person(one: FactCandidate, sentence: Sentence, message: SaidMessage) -> FactCandidate:
    """What is said of somebody in two clauses is one memory: "Mia holds the keys, ask her about access"."""
    core = strip_edges(straighten(sentence.text), message.rules)
    names = [each.antecedent or "" for each in references_of(sentence, message)]
    is_his = one.type is FactType.ENTITY and stands_alone(sentence, message)
    is_first = any(core.startswith(f"{name} ") and is_person(name, message.rules) for name in names if name)
    return replace(one, text=write_sentence(core)) if is_his and is_first else one


def _read_said(said: str, sentence: Sentence, message: SaidMessage, *, is_custom: bool) -> Iterator[FactCandidate]:
    rules = message.rules
    suspicion = is_surely_suspicious(said, rules)  # of what only sounds so, no more than would be learned is held
    core = strip_edges(said, rules)
    is_asked = said.rstrip("\"')").endswith(("?", "?!")) or "?" in core[-3:]
    if suspicion is None and is_asked and _PRESUMED.match(core) is None:
        yield from _read_tagged(said, sentence, message)
        return
    core = core.rstrip("?!") if is_asked else core
    is_as_said = core in sentence.text or core in straighten(sentence.text)
    setting = (
        replace(message.setting, is_custom=is_custom) if is_as_said else None
    )  # with references put in, only what a pattern reads
    matches = read_sentence(core, message.entities, rules, is_by_hand=suspicion is not None, setting=setting)
    told = None if matches else told_to_remember(said, core, rules)
    matches = matches if told is None else [told]
    written = _write_all(matches, sentence, message)
    if not written and len(matches) == 1 and suspicion is None:
        written = _write_all(read_clauses(core, message.entities, rules, setting), sentence, message)
    if not written and matches and suspicion is None and stands_alone(sentence, message):
        written = _write_all(
            [replace(matches[0], text=core, filling=None)], sentence, message
        )  # nothing of it left out
    if setting is None and suspicion is None and not matches:
        written = _read_as_typed(sentence, message)
    is_told = not sentence.is_quoted and not (message.setting.is_talk and is_listed(message.text, sentence.start))
    if suspicion is None and not matches and not written and is_told:
        written = _write_saying(core, sentence, message, setting)
    reason = suspicion or (sounds_dangerous(said) if written else "")
    for candidate in written:
        yield replace(candidate, is_instruction_like=True, reason=reason) if reason else candidate
    if not matches and suspicion is not None:
        yield FactCandidate(
            FactType.CONSTRAINT, write_sentence(core), _LEAST_CONFIDENCE, sentence.start, sentence.end, suspicion,
            is_instruction_like=True, is_quoted=sentence.is_quoted,
        )  # fmt: skip


def _read_tagged(said: str, sentence: Sentence, message: SaidMessage) -> list[FactCandidate]:
    """What "…, yeah?" puts forward: less sure than what is said outright, so that the person is asked."""
    tag = _TAG.search(said)
    if tag is None or sentence.is_quoted:
        return []
    core = strip_edges(said[: tag.start()], message.rules)
    found = _write_saying(core, replace(sentence, text=sentence.text[: -len(tag[0])]), message, None)
    return [replace(one, confidence=round(one.confidence - _TAG_PENALTY, 2)) for one in found]


def _write_saying(core: str, sentence: Sentence, message: SaidMessage, setting: Setting | None) -> list[FactCandidate]:
    """What was learned to be a statement; with references put in it is judged as it was typed."""
    typed = strip_edges(straighten(sentence.text), message.rules) if setting is None else core
    saying = read_saying(typed, sentence.text, message.rules, setting or message.setting)
    if saying is None:
        return []
    if points_at_hand(sentence, message):
        return []
    written = _write_all([saying], sentence, message)
    if written or typed == core or leans_on_weak_reference(sentence, message):
        return written
    return _write_all([replace(saying, text=core)], sentence, message)


def _read_as_typed(sentence: Sentence, message: SaidMessage) -> list[FactCandidate]:
    """The clauses that point nowhere, of a sentence in which another one does: "the api is Go, the rest calls it"."""
    core = strip_edges(straighten(sentence.text), message.rules)
    found = read_clauses(core, message.entities, message.rules, message.setting)
    return _write_all([one for one in found if one.pattern.type in _TOLD], sentence, message)


def _write_all(matches: Sequence[Match], sentence: Sentence, message: SaidMessage) -> list[FactCandidate]:
    written = (_write(match, sentence, message) for match in matches)
    return [one for one in written if one is not None]


def _as_whole(typed: Sequence[FactCandidate], sentence: Sentence, message: SaidMessage) -> list[FactCandidate]:
    """The whole sentence as one statement, where a part of it would point at what was left out."""
    text = write_sentence(strip_edges(straighten(sentence.text), message.rules))
    surest = max(typed, key=lambda one: one.confidence)
    is_brief = len(text.split()) <= _MAX_WHOLE_WORDS and not points_outside(text, message.rules)
    return [replace(surest, text=text)] if is_brief else []


def _write(match: Match, sentence: Sentence, message: SaidMessage) -> FactCandidate | None:
    rules = message.rules
    said = match.text if match.is_whole else cut_tail(match.text, _marks(match.text, rules))
    text = write_sentence(strip_edges(said, rules))
    if match.pattern.type is FactType.FACT and compiled(rules.about_to_change).search(text):
        return None
    words = text.split()
    if (
        len(words) < 2
        or text.count('"') % 2
        or '""' in text
        or len(words) > MAX_WORDS
        or points_away(text, sentence, message)
        or points_open(match, sentence, message)
    ):
        return None
    filling = match.filling or guess_slot(text.rstrip("."), match.pattern.type, match.groups, rules.slots)
    confidence = match.pattern.confidence + (_SLOT_BONUS if filling.slot else 0.0)
    confidence -= _QUOTED_PENALTY * sentence.is_quoted + _LONG_PENALTY * (len(words) > _LONG_WORDS)
    confidence -= _WEAK_REFERENCE_PENALTY * leans_on_weak_reference(sentence, message)
    if confidence < _LEAST_CONFIDENCE or (sentence.is_quoted and match.pattern.type is FactType.FACT):
        return None  # what a pasted text says of the world is not the person's knowledge
    inside = [one for one in message.entities if sentence.start <= one.start and one.end <= sentence.end]
    return FactCandidate(
        type=match.pattern.type,
        text=text,
        confidence=round(min(_MAX_CONFIDENCE, confidence), 2),
        start=sentence.start,
        end=sentence.end,
        reason=match.pattern.reason,
        slot=filling.slot,
        value=filling.value,
        is_negated=_is_negated(text, match, filling.value),
        replaces=filling.old_value,
        entities=tuple(dict.fromkeys(one.canonical for one in inside)),
        tags=(filling.slot.attribute,) if filling.slot is not None else (),
        is_quoted=sentence.is_quoted,
    )


def _marks(text: str, rules: MemoryRules) -> tuple[str, ...]:
    """Where what follows is left out; what was concluded is kept: "two are dead, so Vega", not "…, so look into it"."""
    _, so, then = text.partition(_SO)
    is_kept = bool(so) and is_harmless(then, rules) and _ADDRESSED.search(then) is None
    return tuple(mark for mark in rules.drop_after if mark != _SO) if is_kept else rules.drop_after


def _is_negated(text: str, match: Match | None, value: str) -> bool:
    """Whether the value is what is refused: in "single quotes, never double ones" it is not."""
    negator = _NEGATOR.search(text)
    at = text.casefold().find(value.casefold()) if value else -1
    if negator is not None and 0 <= at < negator.start():
        return False
    if match is not None and match.pattern.is_negated:
        return True
    return re.match(r"(?:no|not|never|do not|don't|avoid|decided against)\b", text, re.IGNORECASE) is not None


def _tidy(found: Sequence[FactCandidate]) -> tuple[FactCandidate, ...]:
    """Without what was said twice; the surest when there are too many, in their order."""
    once: dict[str, FactCandidate] = {}
    for one in found:
        key = one.text.lower()
        if key not in once or once[key].confidence < one.confidence:
            once[key] = one
    surest = sorted(once.values(), key=lambda one: -one.confidence)[:MAX_STATEMENTS]
    return tuple(one for one in once.values() if one in surest)
