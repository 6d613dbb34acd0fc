"""Rules for the assistant that stand alone in a message: "never use emojis in your answers", "ask me before you push".

"Always" and "never" alone are right 44 times of a hundred in real work: half of them tell how a part of the product is to behave, or
report what it does. Here the form, who is spoken to, and the place say more: an order or ban about the assistant's own way of working, or a
custom of the whole team, in a message that holds no piece of work, no question, no fault and no answer. The forms stand in `statements.yaml`,
`standalone_rules`. Knows one message; nothing of the store. Source: JUDGE "Rules"; issue 16, "Now is not from now on".
"""

import re
from dataclasses import replace
from functools import lru_cache

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.phrasing import straighten, strip_edges, write_sentence
from app.deciders.memory.statements.statement_features import is_task
from app.language.sentences import Sentence, split_sentences
from app.values import FactCandidate, FactType

_CONFIDENCE, _LASTING_CONFIDENCE = 0.6, 0.8  # waits for the person; is kept
_MOST_UNREAD_CHARS = 12  # bullets; more is code, a log or a quotation
_PLAIN_WORD = re.compile(r"[a-z]+")
_WISH = re.compile(r"(?:i|i'd|we) |.*\byour\b", re.IGNORECASE)


def is_lasting_rule(sentence: str, message: str, rules: MemoryRules) -> bool:
    """Whether the sentence tells how to work from now on, in a message that says nothing else.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> [is_lasting_rule(one, one, rules) for one in ("Never touch the seeds folder.", "Never touch the seeds folder today.", "The map never loads.")]
    [True, False, False]
    >>> is_lasting_rule("Never touch the seeds folder.", "Never touch the seeds folder. Fix the failing import.", rules)
    False
    """
    return _has_form(sentence, rules.standalone_rules.lasting, rules) and _says_only_rules(message, rules)


def is_standalone_rule(sentence: str, message: str, rules: MemoryRules) -> bool:
    """The same of what may only be one: "stop adding comments to every line"."""
    own = rules.standalone_rules
    return _has_form(sentence, f"{own.lasting}|{own.worth_a_look}", rules) and _says_only_rules(message, rules)


def read_standalone_rule(sentence: Sentence, message: str, rules: MemoryRules) -> FactCandidate | None:
    """The whole sentence as a candidate, verbatim; None when it is no such rule."""
    text = straighten(sentence.text)
    core = strip_edges(text, rules)
    if sentence.is_quoted or len(core.split()) < 2 or not is_standalone_rule(text, message, rules):
        return None
    return FactCandidate(
        FactType.PREFERENCE if _WISH.match(core) else FactType.CONSTRAINT, write_sentence(core), _CONFIDENCE, sentence.start,
        sentence.end, "tells how to work, in a message of its own",
    )  # fmt: skip


def make_sure(one: FactCandidate, sentence: str, message: str, rules: MemoryRules) -> FactCandidate:
    """The candidate of that sentence, as sure as what is kept where the sentence is a lasting rule; else as it is."""
    if (
        one.confidence >= _LASTING_CONFIDENCE
        or one.is_instruction_like
        or not is_lasting_rule(sentence, message, rules)
    ):
        return one
    return replace(one, confidence=_LASTING_CONFIDENCE)


def _has_form(sentence: str, forms: str, rules: MemoryRules) -> bool:
    low = straighten(sentence).strip().lower().rstrip(".! ")
    core = strip_edges(low, rules)
    form = compiled(forms)
    return (form.search(core) or form.search(low)) is not None and compiled(rules.standalone_rules.for_now).search(
        low
    ) is None


@lru_cache(maxsize=8)  # asked for each sentence of a message
def _says_only_rules(message: str, rules: MemoryRules) -> bool:
    """Whether nothing else stands in the message: no work, question, fault, paste or answer."""
    own, clauses = rules.standalone_rules, rules.clauses
    sentences = split_sentences(message)
    covered = sum(one.end - one.start for one in sentences)
    if any(one.is_quoted for one in sentences) or len("".join(message.split())) - covered > _MOST_UNREAD_CHARS:
        return False
    if compiled(own.answers).match(message):
        return False
    aside_words = 0
    for one in sentences:
        low = straighten(one.text).lower()
        if low.endswith("?"):
            return False
        if _has_form(one.text, f"{own.lasting}|{own.worth_a_look}", rules) or compiled(rules.durability.asks).search(
            low
        ):
            continue
        words = low.split()
        is_fault = clauses.has("trouble", low, _PLAIN_WORD.findall(low))
        if is_fault or is_task(strip_edges(low, rules), rules) or compiled(rules.tasks.requests).search(one.text):
            return False
        aside_words += 0 if low.endswith(":") else len(words)
    return aside_words <= own.most_aside_words
