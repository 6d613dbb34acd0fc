"""The four sizes of one memory: full, summary, compressed, index.

Owns the form for each kind, how a reason is cut to what it rests on, and the guarantees: never longer from level to level, a "not" never lost,
the same text always the same levels. Source: S4, "Compression Strategies".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from app.deciders.memory.levels.level_forms import (
    MAX_INDEX_CHARS,
    Forms,
    abbreviate,
    index_drafts,
    main_negation,
    name_drafts,
    slot_forms,
    text_forms,
)
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.deciders.memory.levels.shorten import Plan, choose_words
from app.deciders.memory.levels.summarise import merge_chunk_summaries, summarise_messages
from app.deciders.memory.levels.word_weights import cut_middle, read_words
from app.deciders.memory.rules import load_memory_rules
from app.language.abbreviations import load_abbreviations, split_words
from app.language.sentences import cut_sentences
from app.language.token_counts import count_tokens
from app.values.memory import FactType, Levels, LevelText, MemoryKind, Slot

_REASON = re.compile(r"\b(?:because of|due to|thanks to|owing to|on account of)\s+(?P<why>[^.;!?]+)", re.IGNORECASE)
_PARTS = re.compile(r",\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_WORD = re.compile(r"[\w'#+.-]+")
_DETERMINERS = frozenset(
    {"its", "their", "the", "a", "an", "our", "my", "his", "her", "this", "that", "all", "some", "such"}
)
_PREPOSITIONS = frozenset(
    {"for", "with", "of", "in", "on", "to", "by", "from", "at", "around", "across", "over", "between"}
)
_POINTING = frozenset({"it", "them", "this", "that"})
_MOST_PARTS = 3
_SHORT_CHARS = 3
_ACRONYM_CHARS = 3


def reason_drafts(text: str, slot: Slot, value: str, *, is_negated: bool) -> tuple[str, str] | None:
    """Summary and compressed level of a fact that says why; None where the reason cannot be told so shortly.

    >>> reason_drafts("Use Redis due to its support for Lua scripts", Slot("", "cache"), "Redis", is_negated=False)
    ('Cache: Redis (Lua support)', 'cache:redis(lua)')
    """
    found = _REASON.search(text)
    parts = _PARTS.split(found["why"]) if found and not is_negated and not slot.scope else []
    cut = [_cut(part) for part in parts[:_MOST_PARTS] if part.strip()]
    if not cut or len(parts) > _MOST_PARTS or any(one is None for one in cut):
        return None
    name = " ".join(load_abbreviations().shorten(f"{slot.subject} {slot.attribute}".split()))
    shown = name.upper() if len(name) <= _ACRONYM_CHARS else f"{name[:1].upper()}{name[1:]}"
    long, short = zip(*(one for one in cut if one is not None), strict=True)
    plain = f"{'-'.join(name.lower().split())}:{_short_name(value)}({','.join(short)})"
    return f"{shown}: {value} ({', '.join(long)})", plain


def _cut(part: str) -> tuple[str, str] | None:
    """What a part of the reason rests on, and in short; None where it has no such form.

    >>> _cut("its strong support for JSON operations"), _cut("the team's existing expertise with it")
    (('JSON support', 'json'), ('team expertise', 'exp'))
    """
    words = _WORD.findall(part)
    at = next((place for place, word in enumerate(words) if word.lower() in _PREPOSITIONS), len(words))
    before = [word for word in words[:at] if word.lower() not in _DETERMINERS]
    after = [word for word in words[at + 1 :] if word.lower() not in _DETERMINERS]
    if not before or len(before) > 3 or any(word.lower() in _PREPOSITIONS for word in after):
        return None
    head = before[-1]
    owner = next((word.split("'")[0] for word in before[:-1] if word.endswith(("'s", "s'"))), "")
    names = [word for word in after if _is_name(word)]
    if owner and (not after or after[0].lower() in _POINTING):
        return f"{owner} {head}", _short(head)
    if names and len(after) <= 2:
        return f"{names[0]} {head}", names[0].lower()
    return None


def _is_name(word: str) -> bool:
    return any(char.isupper() for char in word)


def _short(word: str) -> str:
    listed = load_abbreviations().shorten([word.lower()])[0]
    return listed if listed != word.lower() else word.lower()[:_SHORT_CHARS]


def _short_name(value: str) -> str:
    """A technology's usual shorter name, else the name itself: "postgres"."""
    plain = value.lower()
    return max((one for one in _names_of(value) if one != plain and plain.startswith(one)), key=len, default=plain)


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for alias, canonical in load_memory_rules().slots.technologies.items():
        found.setdefault(canonical, []).append(alias)
    return {canonical: tuple(names) for canonical, names in found.items()}


def _names_of(value: str) -> Iterator[str]:
    yield from _aliases().get(value, ())


EPISODE_SUMMARY_TOKENS = 60
EPISODE_COMPRESSED_TOKENS = 12
STEP_TOKENS = 4
_PART = re.compile(r"^\s*[-*]?\s*([\w -]{1,40}):\s*(.+)$", re.MULTILINE)


def episode_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms:
    """The levels of a story: its weightiest sentences and what came out; then its name with a few words."""
    narrative = cut_middle(str(details.get("narrative") or text))
    outcome = str(details.get("outcome") or "").strip()
    summary, topics = summarise_messages(cut_sentences(narrative), max_tokens=EPISODE_SUMMARY_TOKENS)
    with_outcome = f"{summary}; {outcome}" if outcome and outcome.lower() not in summary.lower() else summary
    words = read_words(f"{narrative}\n{outcome}")
    few = choose_words(words, EPISODE_COMPRESSED_TOKENS, Plan(always=main_negation(words)))
    head = _head(title or " ".join(topics[:2]))
    line = abbreviate(words, few)
    summaries = (*_whole_sentences(details), with_outcome, summary)
    return Forms(summaries, (f"{head}: {line}" if head else line, line), chain((head,), index_drafts(words)))


def _whole_sentences(details: Mapping[str, Any]) -> Sequence[str]:
    """What was done, what works and what is next, as it is told, where that is short enough: words left out cost meaning."""
    told = [
        str(one) for name in ("done", "works") for one in details.get(name) or () if isinstance(details[name], list)
    ]
    left = str(details.get("next") or "")
    sentences = " ".join([*told, *([f"Next: {left}"] if left else [])])
    return (sentences,) if told and count_tokens(sentences) <= EPISODE_SUMMARY_TOKENS else ()


def pattern_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a code pattern: its template, then the template's parts as a line; None without a template."""
    template = details.get("template")
    parts = template if isinstance(template, Mapping) else dict(_PART.findall(str(template or "")))
    if not parts:
        return None
    name = title or str(details.get("trigger") or "")
    return _chain(
        name or text,
        [str(part) for part in parts],
        ("\n".join(f"{part}: {content}" for part, content in parts.items()),),
        hint=str(details.get("hint") or ""),
    )


def workflow_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a workflow: its steps with their commands, then the steps as a line; None without steps."""
    steps = details.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str) or not steps:
        return None
    named = [str(step) for step in steps]
    commands = details.get("details")
    known = commands if isinstance(commands, Mapping) else {}
    name = title or str(details.get("trigger") or "")
    told = "→".join(f"{step} ({known[step]})" if step in known else step for step in named)
    line = "→".join(named)
    return _chain(
        name or text, named, tuple(f"{name}: {steps_told}" if name else steps_told for steps_told in (told, line))
    )


def _chain(name: str, parts: Sequence[str], summaries: tuple[str, ...], *, hint: str = "") -> Forms:
    """`hint`: the line where whoever found it knows a better one, as in "endpoint: route→zod→result→json"."""
    head = _head(name)
    line = "→".join(_short_step(part) for part in parts)
    told = (f"{head}: {line}" if head else line, line)
    return Forms(
        summaries,
        (hint, *told) if hint else told,
        chain((head,), index_drafts(read_words(name))),
    )


def _short_step(step: str) -> str:
    """A step in few words; its "not" stays."""
    words = read_words(step)
    kept = choose_words(words, STEP_TOKENS, Plan(always=main_negation(words)))
    return abbreviate(words, kept) or step


def _head(name: str) -> str:
    """A name as an identifier, at most three telling words: "Auth refactor of the API" is "auth_refactor_api"."""
    words = read_words(name)
    kept = choose_words(words, EPISODE_COMPRESSED_TOKENS, Plan(always=main_negation(words), limit=3))
    telling = [words[place].lower for place in kept] or split_words(name.lower())[:3]
    return "_".join("_".join(load_abbreviations().shorten(telling, includes_names=True)).split())


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
