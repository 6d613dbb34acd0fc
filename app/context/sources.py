"""Rows of memories, and lines that are none, made into candidates: their texts, tier and first score.

What may be given is `store.visibility`'s; what is little trusted never becomes critical. Decides no allocation. Source: S4 tiers,
QUALITY S7, S9.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from app.context.open_contradictions import OpenContradiction
from app.deciders.memory.decay import BOOST_PER_ACCESS, MAX_BOOST
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.language.token_counts import count_tokens
from app.store.rows.context import AnyCandidateRow, CandidateRow, load_conversation_titles
from app.store.rows.memory import load_meeting
from app.store.search.memories import RankRow
from app.store.visibility import GIVABLE, PERMITTED
from app.understanding.message_rows import AnyRow
from app.values import ContextCandidate, FactType, Level, MemoryKind, Tier, Trust

_make_candidate = partial(tuple.__new__, ContextCandidate)  # of all its values in their order, in half the time
_QUESTION_KEYS = -2_000_000_000  # minus the contradiction's number
_CONVENTION_SCORE, _REST_SCORE = 0.25, 0.1
_DAY = 86_400_000_000  # microseconds
_LEVELS = _FULL, _SUMMARY, _COMPRESSED, _INDEX = Level.FULL, Level.SUMMARY, Level.COMPRESSED, Level.INDEX
_NONE_KNOWN: Mapping[Level, int] = MappingProxyType({})
_NOBODY: frozenset[int] = frozenset()
UNCONFIRMED = "(unconfirmed)"  # before what the person typed and has not confirmed
_MARK_TOKENS, _UNCONFIRMED_SHARE = 5, 0.8
_TOPIC_CHARS = 80
_PART_NAMES = (
    "id", "full", "summary", "compressed", "index_text", "full_tokens", "summary_tokens", "compressed_tokens", "index_tokens",
    "full_line", "summary_line", "compressed_line", "index_line", "is_pinned", "text_key", "key", "category",
    "recorded_at", "given_level",
)  # fmt: skip
_PARTS = {row: itemgetter(*map(row._fields.index, _PART_NAMES)) for row in (CandidateRow, RankRow)}  # in one step each

_CRITICAL_TYPES = frozenset({FactType.DECISION.value, FactType.CONSTRAINT.value})
_CONVENTION_TYPES = frozenset({FactType.PREFERENCE.value, FactType.CONSTRAINT.value, FactType.PROCEDURE.value})

_CONVENTION_KINDS = frozenset({MemoryKind.PATTERN.value, MemoryKind.WORKFLOW.value})


@dataclass(frozen=True, slots=True)
class ExtraLine:
    """A line that is no memory: an open contradiction, a failed command. Its key is below zero."""

    key: int
    text: str
    reason: str
    hides: tuple[int, ...] = ()  # memories that must not stand beside it
    tier: Tier = Tier.CRITICAL
    score: float = 0.9


def load_givable(
    connection: Connection, ids: Iterable[int], project_id: int | None, now: datetime
) -> dict[int, AnyRow]:
    """Those of the memories that may be given in this project now."""
    return load_meeting(connection, ids, GIVABLE, project_id, now)


def load_answerable(
    connection: Connection, ids: Iterable[int], project_id: int | None, now: datetime
) -> dict[int, AnyRow]:
    """As `load_givable`, for whoever asks: also what the person typed and has not confirmed, known by its `status` (S7)."""
    return load_meeting(connection, ids, ("found", *GIVABLE[1:]), project_id, now)


def load_givable_past(connection: Connection, ids: Iterable[int], project_id: int | None) -> dict[int, AnyRow]:
    """As `load_givable`, for whoever asks of an earlier time: also what no longer holds, but nothing that was put away."""
    return load_meeting(connection, ids, ("status", *PERMITTED), project_id, None)


def as_extra_line(contradiction: OpenContradiction) -> ExtraLine:
    """An open contradiction as a line; what is little trusted makes no critical one."""
    tier = Tier.CRITICAL if contradiction.is_trusted else Tier.RELEVANT
    return ExtraLine(
        _QUESTION_KEYS - contradiction.id, contradiction.text, "an open contradiction", contradiction.memory_ids, tier
    )


def candidate_of(
    row: AnyCandidateRow, tier: Tier, score: float, now: int, half_life_days: float, reason: str = ""
) -> ContextCandidate:
    """The memory as the allocation sees it; its age and use move the score a little, never decide."""
    used_count, latest = row.used_count, row.recorded_at
    if used_count > 0:  # what was given and ignored does not stay fresh by that
        latest = row.last_accessed_at or latest
    age = 0.5 ** ((now - latest) / _DAY / half_life_days) if now > latest else 1.0
    if used_count:
        boost = max(-MAX_BOOST, min(used_count * BOOST_PER_ACCESS, MAX_BOOST))
        age = max(0.0, min(1.0, age + boost))
    weighed = score * (0.7 + 0.2 * row.importance + 0.1 * age)
    return _candidate(row, tier, round(min(1.0, weighed), 6), reason)


def background_candidate(row: AnyCandidateRow) -> ContextCandidate:
    """A memory that nothing of the moment asks for; its place does not hang on the hour."""
    is_given = is_convention(row) or row.is_pinned
    tier, score = (Tier.BACKGROUND, _CONVENTION_SCORE) if is_given else (Tier.INDEX, _REST_SCORE)
    reason = "pinned" if row.is_pinned else "holds in the whole project" if is_given else "can be asked for"
    return _candidate(row, tier, round(score * (0.8 + 0.2 * row.importance), 6), reason)


def as_unconfirmed(candidate: ContextCandidate, topic: str = "") -> ContextCandidate:
    """The candidate of what nobody confirmed: it says so at every level, is never critical, never pinned, and stands behind.

    `topic`: what the conversation was about that it was said in, where its own words leave that open.
    """
    mark = f"(unconfirmed, about “{topic}”)" if topic else UNCONFIRMED
    mark_tokens = count_tokens(mark) + 1 if topic else _MARK_TOKENS
    texts = {level: f"{mark} {text}" for level, text in candidate.texts.items() if text}
    tokens = {level: count + mark_tokens for level, count in candidate.tokens.items() if level in texts}
    tier = Tier.RELEVANT if candidate.tier is Tier.CRITICAL else candidate.tier
    score = round(_UNCONFIRMED_SHARE * candidate.score, 6)
    return candidate._replace(texts=texts, tokens=tokens, tier=tier, score=score, is_pinned=False, lines=_NONE_KNOWN)


def find_topics(connection: Connection, rows: Mapping[int, AnyCandidateRow], ids: Iterable[int]) -> dict[int, str]:
    """Of those memories that leave open what they are about: the title of the conversation in which they were said first.

    Not of what holds in several projects: the title may be of another.
    """
    titles = load_conversation_titles(connection, [key for key in ids if rows[key].project_id is not None])
    return {key: title for key, title in titles.items() if _adds(title, rows[key].full)}


def _adds(title: str, text: str) -> bool:
    """Whether most of a title's words are no words of the text; a cut title is half a sentence."""
    rules = load_recall_rules()
    stems = set(split_stems(title)) - rules.talk_stems - rules.stop_stems
    return (
        len(title) <= _TOPIC_CHARS and not title.endswith("…") and len(stems - set(split_stems(text))) * 2 > len(stems)
    )


def _candidate(row: AnyCandidateRow, tier: Tier, score: float, reason: str) -> ContextCandidate:
    (
        key, full, summary, compressed, index_text, full_tokens, summary_tokens, compressed_tokens, index_tokens,
        full_line, summary_line, compressed_line, index_line, is_pinned, text_key, topic, category, recorded_at,
        given_level,
    ) = _PARTS[type(row)](row)  # fmt: skip
    candidate = _make_candidate((
        key, tier, score, {_FULL: full, _SUMMARY: summary, _COMPRESSED: compressed, _INDEX: index_text},
        _counts(full_tokens, summary_tokens, compressed_tokens, index_tokens), is_pinned != 0, text_key, _NOBODY,
        topic or category or "", reason, recorded_at, None,
        _NONE_KNOWN if full_line is None else _counts(full_line, summary_line, compressed_line, index_line),
    ))  # fmt: skip
    return candidate if given_level == _FULL.value else _shortened(candidate, Level(given_level))


def _shortened(candidate: ContextCandidate, longest: Level) -> ContextCandidate:
    """Without the levels that are longer than the one in which it is given unasked, unless that is empty."""
    levels = _LEVELS[_LEVELS.index(longest) :]
    texts = {level: candidate.texts[level] for level in levels if candidate.texts.get(level)}
    if longest not in texts:
        return candidate
    tokens = {level: candidate.tokens[level] for level in texts}
    lines = {level: candidate.lines[level] for level in texts} if candidate.lines else candidate.lines
    return candidate._replace(texts=texts, tokens=tokens, lines=lines)


@lru_cache(maxsize=4_096)
def _counts(*counts: int | None) -> Mapping[Level, int]:
    """By level; one for all memories that are as long."""
    return {level: count for level, count in zip(_LEVELS, counts, strict=True) if count is not None}


def tier_of_hit(row: AnyCandidateRow, *, is_close: bool) -> Tier:
    """Decisions and constraints that fit the task closely are critical, unless they are little trusted."""
    return Tier.CRITICAL if is_close and may_be_critical(row) else Tier.RELEVANT


def may_be_critical(row: AnyCandidateRow) -> bool:
    """Whether it is a decision or constraint that is trusted."""
    return row.type in _CRITICAL_TYPES and row.trust >= Trust.SPOKEN


def is_convention(row: AnyCandidateRow) -> bool:
    return row.type in _CONVENTION_TYPES or row.kind in _CONVENTION_KINDS


def extra_candidate(extra: ExtraLine, count: int) -> ContextCandidate:
    texts: Mapping[Level, Any] = dict.fromkeys((Level.FULL, Level.SUMMARY), extra.text)
    return ContextCandidate(
        key=extra.key,
        tier=extra.tier,
        score=extra.score,
        texts=texts,
        tokens=dict.fromkeys(texts, count),
        reason=extra.reason,
        rivals=frozenset(extra.hides),
    )
