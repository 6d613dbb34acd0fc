"""Messages that order a piece of work: what only describes that work is no memory, what is to hold beyond it is.

Owns when a message orders work and by which words a sentence reaches beyond it (both in `statements.yaml`). Knows nothing
of patterns and types but that plain facts need more. Source: issue 3 "Extraction" (a rule inside a long task).
"""

from collections.abc import Sequence

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.phrasing import straighten, strip_edges
from app.deciders.memory.statements.statement_features import is_task
from app.language.sentences import Sentence
from app.values import FactCandidate, FactType

_LEAST_SENTENCES = 3  # fewer leave no room to describe anything
_LEAST_WORDS = 3


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
    return len(core.split()) >= _LEAST_WORDS and "?" not in core[-2:] and is_task(core, rules)
