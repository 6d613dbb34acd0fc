"""The four sizes of one memory: full, summary, compressed, index.

Owns the choice of the form for each kind and the guarantees: never longer from level to level, a "not" never lost,
the same text always the same levels. Forms are in `app.memory.level_forms`. Source: S4, "Compression Strategies".
"""

from collections.abc import Mapping
from typing import Any

from app.memory.level_forms import (
    MAX_INDEX_CHARS,
    Forms,
    episode_forms,
    pattern_forms,
    slot_forms,
    text_forms,
    workflow_forms,
)
from app.memory.naming import make_memory_title
from app.memory.summarise import merge_chunk_summaries, summarise_messages
from app.memory.tokens import count_tokens
from app.memory.wording import read_words
from app.values.memory import FactType, Levels, LevelText, MemoryKind, Slot

__all__ = ["compress", "make_memory_title", "merge_chunk_summaries", "summarise_messages"]


def compress(
    text: str,
    *,
    kind: MemoryKind,
    type: FactType | None = None,  # noqa: A002, ARG001 (the contract's name; the form does not depend on it)
    slot: Slot | None = None,
    value: str = "",
    is_negated: bool = False,
    title: str = "",
    details: Mapping[str, Any] | None = None,
) -> Levels:
    """The four levels with their token counts; each has at most as many tokens as the one before.

    >>> levels = compress("We will cache the search results in Redis for 60 seconds.", kind=MemoryKind.FACT)
    >>> levels.summary.text
    'cache Redis 60 seconds'
    """
    full = LevelText(text, count_tokens(text))
    words = read_words(text)
    forms: Forms | None = None
    match kind:
        case MemoryKind.EPISODE:
            forms = episode_forms(text, title, details or {})
        case MemoryKind.PATTERN:
            forms = pattern_forms(title, details or {})
        case MemoryKind.WORKFLOW:
            forms = workflow_forms(title, details or {})
        case MemoryKind.FACT:
            if slot is not None and slot.attribute and value:
                forms = slot_forms(words, full.token_count, slot, value, is_negated=is_negated)
    forms = forms or text_forms(words, full.token_count)
    summary = _not_longer(forms.summary, full)
    compressed = _not_longer(forms.compressed, summary)
    return Levels(full, summary, compressed, _index(forms.indexes, compressed))


def _not_longer(text: str, than: LevelText) -> LevelText:
    token_count = count_tokens(text)
    return LevelText(text, token_count) if text and token_count <= than.token_count else than


def _index(drafts: tuple[str, ...], compressed: LevelText) -> LevelText:
    """The first draft that is short enough, else the beginning of the level above."""
    for draft in drafts:
        token_count = count_tokens(draft)
        if draft and len(draft) <= MAX_INDEX_CHARS and token_count <= compressed.token_count:
            return LevelText(draft, token_count)
    for end in range(min(len(compressed.text), MAX_INDEX_CHARS), 0, -1):
        cut = compressed.text[:end].strip()
        token_count = count_tokens(cut)
        if token_count <= compressed.token_count:
            return LevelText(cut, token_count)
    return LevelText("", 0)
