"""Orders that may be a saved prompt: typed in the same words in session after session they are a way of working, not a task.

A long order that names a file or a piece of code and stands alone; "commit and push" is routine and says nothing when it comes
again. Whether it was typed before is for whoever has the messages. Knows one message; nothing of the store. Source: issue 16,
"a rule said 104 times never learned".
"""

import re
from collections.abc import Iterator, Sequence

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.dangerous_order_model import sounds_dangerous
from app.deciders.memory.statements.matching import is_suspicious
from app.deciders.memory.statements.phrasing import MAX_WORDS, points_outside, straighten, strip_edges, write_sentence
from app.deciders.memory.statements.statement_features import is_task
from app.language.sentences import split_sentences
from app.values import FactCandidate, FactType

SESSIONS = 3  # the same as for a statement
_CONFIDENCE = 0.75
_LEAST_WORDS = 8
_NAMES = re.compile(r"`[^`\n]{2,80}`|\w[\w-]*[/._]\w[\w./-]*")


def find_repeatable_orders(
    text: str, own: str, known: Sequence[FactCandidate], rules: MemoryRules
) -> Iterator[FactCandidate]:
    """The orders of a message that stand for a way of working if they were typed before; none that is a statement already.

    `own`: the message without what others wrote.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> said = "Thanks. Update docs/orders.md with what is new about the code you just changed. Commit it."
    >>> [one.text for one in find_repeatable_orders(said, said, (), load_memory_rules())]
    ['Update docs/orders.md with what is new about the code you just changed.']
    """
    if _NAMES.search(own) is None:
        return
    for sentence in split_sentences(text):
        core = strip_edges(straighten(sentence.text), rules)
        if not _LEAST_WORDS <= len(core.split()) <= MAX_WORDS or _NAMES.search(core) is None:
            continue
        is_read = any(one.start < sentence.end and one.end > sentence.start for one in known)
        is_order = (
            not sentence.is_quoted and not sentence.text.rstrip().endswith(("?", ":", "…")) and is_task(core, rules)
        )
        if is_read or not is_order or sentence.text not in own:
            continue
        if is_suspicious(core, rules) is not None or sounds_dangerous(core) or _points(core, rules):
            continue
        yield FactCandidate(
            FactType.PROCEDURE, write_sentence(core), _CONFIDENCE, sentence.start, sentence.end,
            f"you typed it in {SESSIONS} sessions",
        )  # fmt: skip


def _points(core: str, rules: MemoryRules) -> bool:
    """Whether it needs the talk to be read. "What you just did" does not, in words that come each time."""
    own, low = rules.self_contained, core.lower()
    is_partial = any(compiled(expression).search(low) for expression in (own.doubts, own.cut_off, own.opens))
    return is_partial or bool(points_outside(core, rules))
