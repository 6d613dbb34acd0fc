"""Chunks of a long conversation: when older messages become one, which merge when there are too many, and what one says.

Extractive and deterministic: every word of a summary was said. Knows no store and no clock.
Source: S3, "Chunking Strategy", "Chunk Compression".
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

from app.deciders.memory.levels.shorten import choose_words, join_words
from app.deciders.memory.levels.word_weight_rules import load_wording_rules
from app.deciders.memory.levels.word_weights import Kind, Word, read_words
from app.language.token_counts import count_tokens

SUMMARY_TOKENS = 150
MERGED_TOKENS = 200
TOPIC_COUNT = 6
_MERGED = re.compile(r"\AEarlier: (?P<earlier>.*?)\n\nThen: (?P<then>.*)\Z", re.DOTALL)
_TOPIC_KINDS = {Kind.NAME: 3.0, Kind.IDENTIFIER: 2.5, Kind.CONTENT: 1.0}
_MIN_TOPIC_CHARS = 3
_MAX_TOPIC_CHARS = 40
_MAX_TOPIC_WORDS = 2


def summarise_messages(texts: Sequence[str], *, max_tokens: int = SUMMARY_TOKENS) -> tuple[str, tuple[str, ...]]:
    """A summary of at most `max_tokens` tokens, in the order of the messages, and at most six key topics.

    >>> summarise_messages(["Please add a retry to the uploader.", "thanks", "The retry must stop after 3 attempts."])
    ('add retry uploader; retry must stop after 3 attempts', ('retry', 'uploader', 'attempts'))
    """
    messages = [words for words in map(read_words, texts) if words]
    weights = _word_weights(messages)
    budget = max_tokens
    lines: dict[int, str] = {}
    for place in _by_weight(messages, weights):
        words = messages[place]
        share = max(8, max_tokens // 4)
        kept = choose_words(words, min(share, budget))
        line = join_words(words, kept)
        cost = count_tokens(line) + 1
        if line and cost <= budget:
            lines[place] = line
            budget -= cost
    return "; ".join(lines[place] for place in sorted(lines)), _topics(messages, weights)


def merge_chunk_summaries(older: str, newer: str, *, max_tokens: int = MERGED_TOKENS) -> str:
    """Both summaries as one, at most `max_tokens` tokens: of a merged older one both halves are shortened.

    >>> merge_chunk_summaries("login form", "retry of the uploader")
    'Earlier: login form\\n\\nThen: retry of the uploader'
    """
    halves = _MERGED.match(older)
    earlier = "; ".join(halves.group("earlier", "then")) if halves else older
    room = max_tokens - 8
    if count_tokens(newer) > room // 2:
        newer = _fit(newer, max(room // 2, room - count_tokens(earlier)))
    return f"Earlier: {_fit(earlier, room - count_tokens(newer))}\n\nThen: {newer}"


def _fit(text: str, max_tokens: int) -> str:
    if count_tokens(text) <= max_tokens:
        return text
    words = read_words(text)
    budget = max_tokens
    while budget > 0:
        line = join_words(words, choose_words(words, budget))
        excess = count_tokens(line) - max_tokens
        if excess <= 0:
            return line
        budget -= excess
    return ""


def _word_weights(messages: Sequence[Sequence[Word]]) -> dict[str, float]:
    weights: dict[str, float] = defaultdict(float)
    for words in messages:
        for word in {word.lower: word for word in words if word.kind in _TOPIC_KINDS}.values():
            weights[word.lower] += _TOPIC_KINDS[word.kind] * (word.weight + 0.5)
    return weights


def _by_weight(messages: Sequence[Sequence[Word]], weights: dict[str, float]) -> list[int]:
    def weight(place: int) -> float:
        run_words = {word.lower for word in messages[place]}
        return sum(weights.get(lower, 0.0) for lower in run_words) / math.sqrt(len(messages[place]) + 4)

    return sorted(range(len(messages)), key=lambda place: (-weight(place), place))


def _topics(messages: Sequence[Sequence[Word]], weights: dict[str, float]) -> tuple[str, ...]:
    """The weightiest runs of names and nouns that stand together, no word in two of them."""
    runs = [run for words in messages for run in _runs(words)]
    runs.sort(key=lambda run: -sum(weights[word.lower] for word in run) / math.sqrt(len(run)))
    topics: list[str] = []
    seen: set[str] = set()
    for run in runs:
        run_words = {word.lower for word in run}
        topic = " ".join(word.text for word in run)
        if not run_words & seen and _MIN_TOPIC_CHARS <= len(topic) <= _MAX_TOPIC_CHARS:
            topics.append(topic)
            seen |= run_words
    return tuple(topics[:TOPIC_COUNT])


def _runs(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    run: list[Word] = []
    adverbs = load_wording_rules().adverbs  # "now" is no topic
    for word in words:
        fits = word.kind in _TOPIC_KINDS and word.lower not in adverbs
        if run and (not fits or word.clause != run[-1].clause or len(run) == _MAX_TOPIC_WORDS):
            yield tuple(run)
            run = []
        if fits:
            run.append(word)
    if run:
        yield tuple(run)


MAX_RECENT_MESSAGES = 20
CHUNK_SIZE = 10
MAX_CHUNKS = 25
MAX_TOPICS = 12

T = TypeVar("T")


def plan_chunks(
    messages: Sequence[T], *, max_recent: int = MAX_RECENT_MESSAGES, chunk_size: int = CHUNK_SIZE
) -> tuple[tuple[T, ...], ...]:
    """The groups of `messages` (not in a chunk yet, oldest first) that become chunks now; the rest stay as they are.

    >>> [len(chunk) for chunk in plan_chunks(range(20))], [len(chunk) for chunk in plan_chunks(range(31))]
    ([], [10, 10])
    """
    if chunk_size < 1 or max_recent < 1:
        raise ValueError("at least one message stays recent, and a chunk holds at least one")
    chunks: list[tuple[T, ...]] = []
    start = 0
    while len(messages) - start > max_recent:
        end = min(start + chunk_size, len(messages) - 1)  # a chunk larger than the recent part leaves the newest out
        chunks.append(tuple(messages[start:end]))
        start = end
    return tuple(chunks)


def plan_merges(chunks: Sequence[T], *, max_chunks: int = MAX_CHUNKS) -> tuple[T, ...]:
    """The oldest of `chunks` (oldest first) that become one, so that `max_chunks` are left; () when none must.

    >>> plan_merges("abcd", max_chunks=3), plan_merges("abc", max_chunks=3)
    (('a', 'b'), ())
    """
    if max_chunks < 1:
        raise ValueError("at least one chunk must be allowed")
    too_many = len(chunks) - max_chunks
    return tuple(chunks[: too_many + 1]) if too_many > 0 else ()


def merge_topics(*topics: Sequence[str], limit: int = MAX_TOPICS) -> tuple[str, ...]:
    """All topics in order of first mention, each once whatever its case, at most `limit`.

    >>> merge_topics(("Login", "cache"), ("login", "tests"))
    ('Login', 'cache', 'tests')
    """
    found: dict[str, str] = {}
    for topic in (topic.strip() for several in topics for topic in several):
        if topic:
            found.setdefault(topic.casefold(), topic)
    return tuple(found.values())[:limit]
