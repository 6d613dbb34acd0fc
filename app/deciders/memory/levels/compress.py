"""The four sizes of one memory: full, summary, compressed, index.

Owns the form for each kind (of a fact two: as it was said, and by its slot, as in "Database: PostgreSQL (JSON support)", "db:pg"), how a
reason is cut to what it rests on, and the guarantees: never longer from level to level, a "not" never lost, the same text always the same
levels. Source: S4, "Compression Strategies", "Fact Compression".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any

from app.deciders.memory.levels.memory_titles import make_memory_title
from app.deciders.memory.levels.shorten import Plan, choose_words, join_words, places_of, with_needs
from app.deciders.memory.levels.summarise import merge_chunk_summaries, summarise_messages
from app.deciders.memory.levels.word_weights import CARRYING, Kind, Word, cut_middle, read_words
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
# Shares of the tokens of the full text. A name, a number, a "not" or a "must" may go beyond what other words may fill.
SUMMARY_RATIO = 0.37
SUMMARY_CARRYING_RATIO = 0.80
COMPRESSED_RATIO = 0.08
COMPRESSED_CARRYING_RATIO = 0.40
MIN_SUMMARY_TOKENS = 4
MIN_SUMMARY_CARRYING_TOKENS = 10
MIN_COMPRESSED_TOKENS = 2
MIN_COMPRESSED_TOKENS_OF_SHORT = 3  # two words of a short statement rarely say what it is about
MIN_COMPRESSED_CARRYING_TOKENS = 5
SHORT_TOKENS = 16
RESERVED_TOKENS = 2  # for who or what, in a short statement whose names and numbers fill the budget
MAX_SUMMARY_TOKENS = 240
MAX_COMPRESSED_TOKENS = 48
DEAR_TOKENS = 3  # a path or link of more tokens is in the summary, not in the compressed level
MAX_INDEX_CHARS = 50
_MAX_HEAD_RATIO = 0.7  # a slot that takes more of the text than that says it no shorter
_INDEX_WORDS = 3
_MIN_STEM_CHARS = 4
_LINKING = frozenset({"with", "without", "in", "to", "from", "by", "on", "at", "for", "via", "through", "into", "under", "per", "of", "as", "between", "over", "behind", "before", "after"})  # fmt: skip
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "its", "all", "every", "each", "this"})
_STATING = frozenset({Kind.NUMBER, Kind.IDENTIFIER, Kind.NAME})


@dataclass(frozen=True, slots=True)
class Forms:
    """What each level may be, the best draft first: the first that is not longer than the level above is taken."""

    summaries: tuple[str, ...]
    compressed: tuple[str, ...]
    indexes: Iterable[str]  # may be drafted only when asked for


def text_forms(words: Sequence[Word], full_tokens: int) -> Forms:
    """The levels of a statement as it was said."""
    summary = _with_prepositions(words, choose_words(words, *_summary_plan(words, full_tokens)))
    compressed = choose_words(words, *_compressed_plan(words, full_tokens))
    return Forms((join_words(words, summary),), (abbreviate(words, compressed),), index_drafts(words))


def _with_prepositions(words: Sequence[Word], kept: Sequence[int]) -> Sequence[int]:
    """ "deployed with Docker Compose": what follows a preposition is not told without it."""
    more = set(kept)
    for place in kept:
        before = place - 2 if place > 1 and words[place - 1].lower in _ARTICLES else place - 1
        if before >= 0 and words[before].lower in _LINKING and words[before].clause == words[place].clause:
            more.add(before)
    return sorted(more)


def slot_forms(words: Sequence[Word], full_tokens: int, slot: Slot, value: str, *, is_negated: bool) -> Forms | None:
    """The levels of a statement about a slot; None when its "not" would not be told so."""
    covered = _covered_places(words, slot, value)
    denying = {need for place in covered for need in words[place].needs if words[need].kind is Kind.NEGATION}
    if denying and not is_negated:
        return None
    head = _SlotHead.of(words, slot, value, is_negated=is_negated)
    skipped = covered | denying | {place for place, word in enumerate(words) if word.kind is Kind.WEAK}
    budget, plan = _summary_plan(words, full_tokens, skipped)
    used = count_tokens(head.summary) + 2
    if used - 2 > full_tokens * _MAX_HEAD_RATIO:
        return None
    more_places = choose_words(words, budget - used, _less(plan, used))
    if not places_of(_STATING, words) - covered <= set(more_places):
        return None  # as it was said it keeps more names and numbers
    more = join_words(words, more_places)
    budget, plan = _compressed_plan(words, full_tokens, skipped)
    used = count_tokens(head.compressed) + 2
    few = abbreviate(words, choose_words(words, budget - used, _less(plan, used)))
    return Forms(
        (f"{head.summary} ({more})" if more else head.summary,),
        (f"{head.compressed}({few})" if few else head.compressed, head.compressed),
        head.indexes,
    )


def name_drafts(words: Sequence[Word], slot: Slot, value: str, *, is_negated: bool) -> tuple[str, ...]:
    """What and its value in short forms, the fuller first: "session-file-name:x_2", "session-file:x_2"."""
    head = _SlotHead.of(words, slot, value, is_negated=is_negated)
    short = "-".join(load_abbreviations().shorten(slot.subject.lower().split()))
    return (head.compressed, *((f"{short}:{'not ' if is_negated else ''}{value}",) if short else ()))


@dataclass(frozen=True, slots=True)
class _SlotHead:
    summary: str
    compressed: str
    indexes: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[Word], slot: Slot, value: str, *, is_negated: bool) -> "_SlotHead":
        surface = {word.lower: word.text for word in words}
        shorter = load_abbreviations()
        no = "not " if is_negated else ""
        name = " ".join(surface.get(part, part) for part in f"{slot.subject} {slot.attribute}".split())
        value_words = [part for part in value.split() if part.lower() not in slot.attribute.split()] or value.split()
        value = " ".join(value_words)
        written = surface.get(value.lower(), value)
        short_name = "-".join(shorter.shorten(name.lower().split()))
        where = "-".join(shorter.shorten(slot.scope.lower().split(), includes_names=True))
        at = f"@{where}" if where else ""
        short_value = "-".join(shorter.shorten(f"{no}{value}".lower().split(), includes_names=True))
        return cls(
            summary=f"{name[:1].upper()}{name[1:]}{f' ({slot.scope})' if slot.scope else ''}: {no}{written}",
            compressed=f"{short_name}{at}:{no}{' '.join(shorter.shorten(written.split()))}",
            indexes=(
                f"{short_name}{at}:{short_value}".lower(),
                f"{short_name}:{short_value}".lower(),
                short_value.lower(),
            ),
        )


def abbreviate(words: Sequence[Word], kept: Sequence[int]) -> str:
    """The kept words as a line in short forms."""
    line = join_words(words, kept, marks_sentences=False)
    return "; ".join(" ".join(load_abbreviations().shorten(part.split(" "))) for part in line.split("; "))


def index_drafts(words: Sequence[Word]) -> Iterator[str]:
    """Drafts of an index: the weightiest words joined, from three down to one, each with its "not"."""
    negation = main_negation(words)
    for count in range(_INDEX_WORDS, 0, -1):
        kept = choose_words(words, MAX_INDEX_CHARS, Plan(always=negation, limit=count))
        draft = join_words(words, kept, marks_sentences=False)
        short = load_abbreviations().shorten(draft.lower().split(" "), includes_names=True)
        yield "_".join(short).replace(";_", ",")
        yield " ".join(short)
        yield draft
    for place in negation:
        yield " ".join(words[k].text for k in sorted(with_needs(place, words)))


def main_negation(words: Sequence[Word]) -> set[int]:
    """The negation of the most telling sentence, the first of equals; empty when nothing is denied."""
    places = [place for place, word in enumerate(words) if word.kind is Kind.NEGATION]
    return {max(places, key=lambda place: (words[place].weight, -place))} if places else set()


def _summary_plan(words: Sequence[Word], full_tokens: int, skipped: AbstractSet[int] = frozenset()) -> tuple[int, Plan]:
    negations = {place for place, word in enumerate(words) if word.kind is Kind.NEGATION}
    carrying_tokens = max(MIN_SUMMARY_CARRYING_TOKENS, round(full_tokens * SUMMARY_CARRYING_RATIO))
    budget = max(MIN_SUMMARY_TOKENS, round(full_tokens * SUMMARY_RATIO))
    return min(budget, MAX_SUMMARY_TOKENS), Plan(
        always=(negations if full_tokens <= MAX_SUMMARY_TOKENS else main_negation(words)) - skipped,
        preferred=places_of(CARRYING, words),
        preferred_tokens=min(carrying_tokens, MAX_SUMMARY_TOKENS),
        reserved_tokens=RESERVED_TOKENS if full_tokens <= SHORT_TOKENS else 0,
        skipped=skipped,
    )


def _compressed_plan(
    words: Sequence[Word], full_tokens: int, skipped: AbstractSet[int] = frozenset()
) -> tuple[int, Plan]:
    floor = MIN_COMPRESSED_TOKENS_OF_SHORT if full_tokens <= SHORT_TOKENS else MIN_COMPRESSED_TOKENS
    carrying_tokens = max(MIN_COMPRESSED_CARRYING_TOKENS, round(full_tokens * COMPRESSED_CARRYING_RATIO))
    budget = max(floor, round(full_tokens * COMPRESSED_RATIO))
    return min(budget, MAX_COMPRESSED_TOKENS), Plan(
        always=main_negation(words) - skipped,
        preferred=places_of(_STATING, words),
        preferred_tokens=min(carrying_tokens, MAX_COMPRESSED_TOKENS),
        dear_tokens=DEAR_TOKENS,
        skipped=skipped,
    )


def _less(plan: Plan, used_tokens: int) -> Plan:
    return replace(plan, preferred_tokens=plan.preferred_tokens - used_tokens)


def _covered_places(words: Sequence[Word], slot: Slot, value: str) -> set[int]:
    """Places of words that the slot and its value say already; "Postgres" is said by "postgresql"."""
    slot_words = {
        part for text in (slot.subject, slot.attribute, slot.scope, value) for part in split_words(text.lower())
    }
    slot_words.add(value.lower())
    stems = {part for part in slot_words if len(part) >= _MIN_STEM_CHARS}
    return {
        place
        for place, word in enumerate(words)
        if word.lower in slot_words
        or (len(word.lower) >= _MIN_STEM_CHARS and any(stem.startswith(word.lower) for stem in stems))
    }


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
