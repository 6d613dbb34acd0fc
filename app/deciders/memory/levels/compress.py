"""The four sizes of one memory: full, summary, compressed, index.

Owns the choice of the form for each kind and the guarantees: never longer from level to level, a "not" never lost,
the same text always the same levels. Source: S4, "Compression Strategies".
"""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from app.deciders.memory.levels.kind_forms import episode_forms, pattern_forms, workflow_forms
from app.deciders.memory.levels.level_forms import MAX_INDEX_CHARS, Forms, name_drafts, slot_forms, text_forms
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.deciders.memory.levels.reasons import reason_drafts
from app.deciders.memory.levels.summarise import merge_chunk_summaries, summarise_messages
from app.deciders.memory.levels.word_weights import read_words
from app.language.token_counts import count_tokens
from app.values.memory import FactType, Levels, LevelText, MemoryKind, Slot

_FRAME = "You worked on "  # of an episode made by rules: every one begins so
_EXACT = re.compile(r"[\d/_\\]")
__all__ = ["compress", "make_memory_title", "merge_chunk_summaries", "summarise_messages"]


def compress(
    text: str,
    *,
    kind: MemoryKind,
    type: FactType | None = None,  # noqa: A002, ARG001 (the contract's name; no form depends on it yet)
    slot: Slot | None = None,
    value: str = "",
    is_negated: bool = False,
    title: str = "",
    details: Mapping[str, Any] | None = None,
) -> Levels:
    """The four levels with their token counts; each has at most as many tokens as the one before.

    A short text may stay as it is. The index has at most 50 characters. Under a millisecond for an ordinary memory
    once the ranks are loaded; of a text above 20,000 characters the beginning and the end are read.

    >>> levels = compress("We will cache the search results in Redis for 60 seconds.", kind=MemoryKind.FACT)
    >>> levels.summary.text, levels.index.text
    ('cache search in Redis for 60 seconds', 'redis_60_s')
    """
    full = LevelText(text, count_tokens(text))
    if not text.strip():
        nothing = LevelText("")
        return Levels(full, nothing, nothing, nothing)
    body = text.removeprefix(_FRAME) if kind is MemoryKind.EPISODE else text
    forms = _kind_forms(body, kind, title, details or {})
    if forms is None:
        words = read_words(text)
        if kind is MemoryKind.FACT and slot is not None and slot.attribute and value:
            forms = slot_forms(words, full.token_count, slot, value, is_negated=is_negated)
        forms = forms or text_forms(words, full.token_count)
        reason = reason_drafts(text, slot, value, is_negated=is_negated) if slot is not None and value else None
        if reason is not None:
            forms = Forms((reason[0], *forms.summaries), (reason[1], *forms.compressed), forms.indexes)
    stated = _stated(text, value) if slot is not None else ""
    summary = _first_not_longer(_holding(forms.summaries, stated), full)
    named = name_drafts(read_words(text), slot, value, is_negated=is_negated) if slot is not None and stated else ()
    compressed = _first_not_longer(_holding((*_naming(forms.compressed, slot), *named), stated), summary)
    drafts = chain(_holding(named, stated), (compressed.text, stated) if stated else (), forms.indexes)
    return Levels(full, summary, compressed, _index(drafts, compressed))


def _stated(text: str, value: str) -> str:
    """The value as it stands in the text, when no other words can say it: a path, a number, an identifier; else ""."""
    at = text.lower().find(value.lower()) if _EXACT.search(value) else -1
    return text[at : at + len(value)] if at >= 0 else ""


def _holding(drafts: Iterable[str], stated: str) -> tuple[str, ...]:
    return tuple(draft for draft in drafts if stated.lower() in draft.lower())


def _naming(drafts: Iterable[str], slot: Slot | None) -> tuple[str, ...]:
    """Those that say of what they speak: "consistent_2" alone tells nobody that it is a file."""
    about = slot.subject.lower().split()[-1:] if slot is not None else []
    return tuple(draft for draft in drafts if all(word[:4] in draft.lower() for word in about))


def _kind_forms(text: str, kind: MemoryKind, title: str, details: Mapping[str, Any]) -> Forms | None:
    match kind:
        case MemoryKind.EPISODE:
            return episode_forms(text, title, details)
        case MemoryKind.PATTERN:
            return pattern_forms(text, title, details)
        case MemoryKind.WORKFLOW:
            return workflow_forms(text, title, details)
        case MemoryKind.FACT:
            return None


def _first_not_longer(drafts: tuple[str, ...], than: LevelText) -> LevelText:
    for draft in filter(None, drafts):
        token_count = count_tokens(draft)
        if token_count <= than.token_count:
            return LevelText(draft, token_count)
    return than


def _index(drafts: Iterable[str], compressed: LevelText) -> LevelText:
    """The first draft that is short enough, else the beginning of the level above."""
    line = " ".join(compressed.text.split())
    for draft in chain(drafts, (line,)):
        token_count = count_tokens(draft)
        if draft and len(draft) <= MAX_INDEX_CHARS and token_count <= compressed.token_count:
            return LevelText(draft, token_count)
    for end in range(MAX_INDEX_CHARS, 0, -1):
        cut = line[:end].strip()
        token_count = count_tokens(cut)
        if token_count <= compressed.token_count:
            return LevelText(cut, token_count)
    return LevelText("", 0)
