"""What a message states that is worth remembering: decisions, rules, tastes, goals, people, ways of working, facts.

Rules only; junk is worse than silence, so a sentence that asks, supposes, reports or orders one thing done says nothing.
References are resolved before: a statement that still points at "it" is never written. Knows values and rules, no store.
Source: S3 (fact extraction and lifecycle), S4 (atomic facts).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.deciders.memory.rules import MemoryRules, compiled, load_memory_rules
from app.deciders.memory.slots.slots import FilledSlot, fill_slot, guess_slot
from app.deciders.memory.statements.clauses import parse_clause
from app.deciders.memory.statements.dangerous_order_model import sounds_dangerous
from app.deciders.memory.statements.matching import (
    Match,
    best_match,
    is_surely_suspicious,
    is_suspicious,
    told_to_remember,
)
from app.deciders.memory.statements.phrasing import (
    MAX_WORDS,
    cut_tail,
    points_outside,
    straighten,
    strip_edges,
    write_sentence,
)
from app.deciders.memory.statements.standalone_rules import make_sure, read_standalone_rule
from app.deciders.memory.statements.statement_features import SentenceContext, is_task, without_care
from app.deciders.memory.statements.statement_model import read_by_model, read_likely
from app.language.sentences import MAX_READ_CHARS, Sentence, is_listed, split_sentences
from app.values import Entity, FactCandidate, FactType, IntentScore, Reference

_QUERY = re.compile(
    r"\b(?:SELECT\b.+\bFROM|INSERT INTO|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|UPDATE\b.+\bSET)\b"
)
_LEAST_SENTENCES = 3  # fewer leave no room to describe anything
_LEAST_ORDER_WORDS = 3


def orders_work(sentences: Sequence[Sentence], rules: MemoryRules) -> bool:
    """Whether the message asks for a piece of work and says more about it.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> from app.language.sentences import split_sentences
    >>> said = "Add a page for refunds. Each row has a date. Newest first."
    >>> orders_work(split_sentences(said), load_memory_rules())
    True
    """
    if len(sentences) < _LEAST_SENTENCES:
        return False
    return any(_is_order(one.text, rules) for one in sentences if not one.is_quoted)


def only_describes(one: FactCandidate, sentence: str, rules: MemoryRules) -> bool:
    """Whether the statement, in a message that orders work, says no more than how that work is to look."""
    own = rules.tasks
    low = straighten(sentence).lower()
    if compiled(own.described).search(low) is not None:
        return True
    cues = own.durable_facts if one.type is FactType.FACT else own.durable
    return compiled(cues).search(low) is None


def _is_order(text: str, rules: MemoryRules) -> bool:
    sentence = straighten(text)
    if compiled(rules.tasks.requests).search(sentence) is not None:
        return True
    core = strip_edges(sentence, rules)
    return len(core.split()) >= _LEAST_ORDER_WORDS and "?" not in core[-2:] and is_task(core, rules)


_LEAST_WORDS = 3
_CONFIDENCE = 0.6  # waits for the person
_BANS = re.compile(r"\b(?:not|n't|never|avoid|stay away)\b|n't\b", re.IGNORECASE)
_WONDERS = re.compile(r"\b(?:why|wonder\w*|how come|no idea|supposed to)\b", re.IGNORECASE)
_POINTS = re.compile(r"^(?:it|this|that|these|those|they)\b(?! is an?\b| is not\b)", re.IGNORECASE)
_POINTS_AT_LAST = re.compile(r"\b(?:it|this|that|these|those|them)$", re.IGNORECASE)


def read_rule_form(sentence: Sentence, rules: MemoryRules) -> FactCandidate | None:
    """The whole sentence as a proposal, verbatim; None when it has none of the forms.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> text = "If any price changes, update the leaflet."
    >>> read_rule_form(Sentence(text, 0, len(text), False), load_memory_rules()).text
    'If any price changes, update the leaflet.'
    """
    text = straighten(sentence.text)
    core = strip_edges(text, rules)
    if sentence.is_quoted or text.endswith(("?", "…", ":")) or not _LEAST_WORDS <= len(core.split()) <= MAX_WORDS:
        return None
    if not any(compiled(form).search(core.lower()) for form in rules.durability.rule_forms) or _POINTS.match(core):
        return None
    if _WONDERS.search(core) or _POINTS_AT_LAST.search(core):
        return None
    is_told = _BANS.search(core) is None and parse_clause(core, rules.clauses) is not None
    return FactCandidate(
        FactType.FACT if is_told else FactType.CONSTRAINT, write_sentence(core), _CONFIDENCE, sentence.start,
        sentence.end, "is said as rules are said",
    )  # fmt: skip


MAX_STATEMENTS = 12  # of one message: a pasted handbook is not twelve thoughts
_MAX_CONFIDENCE, _LEAST_CONFIDENCE = 0.95, 0.5
_QUOTED_PENALTY, _LONG_PENALTY, _SLOT_BONUS = 0.35, 0.1, 0.04
_LONG_WORDS = 35
_SENTENCES_FILLED = 3
_PLAIN_WORD = re.compile(r"[a-z]+")
_PURPOSE = re.compile(r"to [a-z]+ ", re.IGNORECASE)
_NO_MORE = re.compile(r"\b(?:no longer|stopped using)\b", re.IGNORECASE)
_NEGATOR = re.compile(r"\b(?:no|not|never|nothing|without|avoid|\w+n['’]t)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Message:
    text: str
    entities: tuple[Entity, ...]
    rules: MemoryRules
    setting: SentenceContext


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
    are read. Linear in the part that is read: the first 20,000 characters.

    >>> said = "ok so we're going with Postgres. Can you add the table?"
    >>> [one.text for one in extract_statements(said, expanded=said, references=(), entities=(), intents=())]
    ['Use Postgres.']
    """
    # A sentence is read as it was typed: what references and intents say of it changed nothing for the better.
    del expanded, references, intents
    rules = rules or load_memory_rules()
    head = text[:MAX_READ_CHARS]
    own = head if own is None else own[:MAX_READ_CHARS]
    message = _Message(head, entities, rules, _setting(own, rules))
    sentences = [one for one in split_sentences(head) if own[one.start : one.end] == head[one.start : one.end]]
    is_task = orders_work(sentences, rules)
    found: list[FactCandidate] = []
    for sentence in sentences:
        read = [make_sure(one, sentence.text, head, rules) for one in _read(sentence, message)]
        found += [one for one in read if not is_task or _reaches_beyond(one, sentence, rules)]
        form = None if read else read_standalone_rule(sentence, head, rules) or read_rule_form(sentence, rules)
        found.extend([make_sure(form, sentence.text, head, rules)] if form is not None else [])
    return _tidy(found)


def find_likely(
    text: str, own: str, known: Sequence[FactCandidate], rules: MemoryRules | None = None
) -> Iterator[FactCandidate]:
    """Sentences that nothing of `known` was read from and that likely state something all the same, as proposals, verbatim.

    `own` as for `extract_statements`. Nothing that asks, is quoted, is cut off or sounds dangerous.

    >>> said = "Add the export page. Meters talk MQTT to the gateway, gateways talk HTTP to us. Why is it slow?"
    >>> [one.text for one in find_likely(said, said, ())]
    ['Meters talk MQTT to the gateway, gateways talk HTTP to us.']
    >>> list(find_likely(query := "SELECT name FROM meters WHERE the gateway is ours", query, ()))
    []
    """
    rules = rules or load_memory_rules()
    head = text[:MAX_READ_CHARS]
    setting = _setting(own, rules)
    for sentence in split_sentences(head):
        if sentence.is_quoted or own[sentence.start : sentence.end] != head[sentence.start : sentence.end]:
            continue
        if any(one.start < sentence.end and one.end > sentence.start for one in known):
            continue
        typed = straighten(sentence.text)
        if typed.rstrip("\"') ").endswith("?") or _QUERY.search(typed):
            continue
        core = strip_edges(typed, rules)
        likely = read_likely(core, sentence.text, rules, setting)
        if likely is None or is_suspicious(typed, rules) is not None or sounds_dangerous(typed):
            continue
        yield FactCandidate(
            likely.pattern.type, write_sentence(strip_edges(likely.text, rules)), likely.pattern.confidence,
            sentence.start, sentence.end, likely.pattern.reason,
        )  # fmt: skip


def _reaches_beyond(one: FactCandidate, sentence: Sentence, rules: MemoryRules) -> bool:
    return one.is_instruction_like or not only_describes(one, sentence.text, rules)


def guess_statement(text: str, rules: MemoryRules | None = None) -> FactCandidate:
    """What a memory written by hand is: always one candidate over the whole text, as sure as a person's word.

    >>> guess_statement("Never commit to main").type
    <FactType.CONSTRAINT: 'constraint'>
    """
    rules = rules or load_memory_rules()
    sentence = straighten(text[:MAX_READ_CHARS])
    core = strip_edges(sentence, rules)
    match = best_match(core, (), rules, is_by_hand=True)
    type_ = match.pattern.type if match is not None else _guess_type(core, rules)
    filling = _fill_by_hand(core, match, rules)
    return FactCandidate(
        type=type_,
        text=sentence,
        confidence=_MAX_CONFIDENCE,
        start=0,
        end=len(text),
        reason=match.pattern.reason if match is not None else "was written by hand",
        slot=filling.slot,
        value=filling.value,
        is_negated=_is_negated(core, match, filling.value),
        replaces=filling.old_value,
        is_instruction_like=is_suspicious(sentence, rules) is not None,
    )


def _fill_by_hand(core: str, match: Match | None, rules: MemoryRules) -> FilledSlot:
    """Of several sentences the first that fills a slot: words of two would make one that neither says."""
    parts = [strip_edges(one.text, rules) for one in split_sentences(core)[:_SENTENCES_FILLED]]
    if len(parts) < 2:
        return _fill(core, match, rules)
    filled = (_fill(part, best_match(part, (), rules, is_by_hand=True), rules) for part in parts)
    return next((one for one in filled if one.slot is not None), FilledSlot(None, ""))


def _fill(text: str, match: Match | None, rules: MemoryRules) -> FilledSlot:
    filling = fill_slot(text, rules.slots, match.groups if match is not None else {})
    return filling if filling.slot is not None else guess_slot(text, rules.slots)


def weigh_decision(text: str, rules: MemoryRules | None = None) -> float:
    """How much a sentence sounds like a decision rather than its background; above `decision_threshold` it is one.

    >>> weigh_decision("We will use Kafka for events") > weigh_decision("Currently there are two queues")
    True
    """
    rules = rules or load_memory_rules()
    sentence = straighten(text[:MAX_READ_CHARS])
    return sum(weight for expression, weight in rules.decision_cues if compiled(expression).search(sentence))


def _guess_type(core: str, rules: MemoryRules) -> FactType:
    return FactType.DECISION if weigh_decision(core, rules) >= rules.decision_threshold else FactType.FACT


def _setting(text: str, rules: MemoryRules) -> SentenceContext:
    low = without_care(text.lower())
    return SentenceContext(len(text.split()), rules.clauses.has("trouble", low, _PLAIN_WORD.findall(low)))


def _read(sentence: Sentence, message: _Message) -> Iterator[FactCandidate]:
    """What the sentence states: by the pattern that reads it, else by what was learned."""
    sentence_text = straighten(sentence.text)
    rules, core = message.rules, strip_edges(sentence_text, message.rules)
    suspicion = is_surely_suspicious(
        sentence_text, rules
    )  # of what only sounds so, no more than would be learned is held
    is_asked = sentence_text.rstrip("\"')").endswith(("?", "?!")) or "?" in core[-3:]
    if is_asked and suspicion is None:
        return
    match = best_match(core.rstrip("?!"), message.entities, rules, is_by_hand=suspicion is not None)
    match = match or told_to_remember(sentence_text, core, rules)
    written = _write(match, sentence, message) if match is not None else None
    if match is None and suspicion is None:
        written = _write_saying(core, sentence, message)
    reason = suspicion or (sounds_dangerous(sentence_text) if written else "")
    if written is not None:
        yield replace(written, is_instruction_like=True, reason=reason) if reason else written
    elif match is None and suspicion is not None:
        yield FactCandidate(
            FactType.CONSTRAINT, write_sentence(core), _LEAST_CONFIDENCE, sentence.start, sentence.end, suspicion,
            is_instruction_like=True, is_quoted=sentence.is_quoted,
        )  # fmt: skip


def _write_saying(core: str, sentence: Sentence, message: _Message) -> FactCandidate | None:
    """What was learned to be a statement."""
    is_told = not sentence.is_quoted and not (message.setting.is_talk and is_listed(message.text, sentence.start))
    by_model = read_by_model(core, sentence.text, message.rules, message.setting) if is_told else None
    return _write(by_model, sentence, message) if by_model is not None else None


def _write(match: Match, sentence: Sentence, message: _Message) -> FactCandidate | None:
    rules = message.rules
    statement_text = cut_tail(match.text, rules.drop_after)
    if _PURPOSE.match(statement_text) is not None and not sentence.text.lower().startswith("to "):
        statement_text = cut_tail(straighten(sentence.text), rules.drop_after)  # what it is for says too little alone
    text = write_sentence(strip_edges(statement_text, rules))
    if match.pattern.type is FactType.FACT and compiled(rules.about_to_change).search(text):
        return None
    words = text.split()
    if len(words) < 2 or text.count('"') % 2 or '""' in text or len(words) > MAX_WORDS or points_outside(text, rules):
        return None
    filling = match.filling or guess_slot(text.rstrip("."), rules.slots)
    confidence = match.pattern.confidence + (_SLOT_BONUS if filling.slot else 0.0)
    confidence -= _QUOTED_PENALTY * sentence.is_quoted + _LONG_PENALTY * (len(words) > _LONG_WORDS)
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


def _is_negated(text: str, match: Match | None, value: str) -> bool:
    """Whether the value is what is refused: in "single quotes, never double ones" it is not."""
    negator = _NEGATOR.search(text)
    at = text.casefold().find(value.casefold()) if value else -1
    if negator is not None and 0 <= at < negator.start():
        return False
    if (match is not None and match.pattern.is_negated) or _NO_MORE.search(text) is not None:
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
