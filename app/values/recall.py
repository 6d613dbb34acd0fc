"""What recall takes and gives: query, filters, hits with every signal's share, facets, pages.

Scores are 0..1 and comparable within one answer.

The state of searching by meaning: which model answers, which takes its place, how far that is.

Source: S3 "Retrieval System", DESIGN section 5 "recall"; S4 "Embedding".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.values.memory import FactType, MemoryCard, MemoryKind, MemoryStatus, Tier, Trust, Visibility


@dataclass(frozen=True, slots=True)
class EmbeddingModelState:
    """One model and its vectors."""

    model: str
    address: str
    version: int  # grows each time that all is computed again with a model of the same name
    dimension_count: int
    started_at: datetime
    finished_at: datetime | None
    memory_count: int  # that have a vector of it


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    is_on: bool  # a model is named
    serving: EmbeddingModelState | None  # whose vectors answer; None: words alone do
    building: EmbeddingModelState | None  # what takes its place when it is whole
    is_stopped: bool  # the building was stopped, and continues when it is asked for
    memory_count: int
    problem: str = ""  # why nothing continues, for people


class MemorySort(StrEnum):
    RELEVANCE = "relevance"
    UPDATED = "updated"
    RETRIEVED = "retrieved"
    CONFIDENCE = "confidence"
    TOKENS = "tokens"
    OLDEST = "oldest"
    IMPORTANCE = "importance"


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What may be in an answer. Empty tuples and None do not restrict."""

    kinds: tuple[MemoryKind, ...] = ()
    types: tuple[FactType, ...] = ()
    statuses: tuple[MemoryStatus, ...] = ()  # () = active ones only in search; all but archived in lists
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # all of them
    projects: tuple[str, ...] = ()  # paths or names
    apps: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = ()  # as a person chose, else as it was last given
    ids: tuple[int, ...] | None = None  # these and no others
    hidden_ids: tuple[int, ...] = ()  # and none of these: whoever asks may not see them
    min_importance: float | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    min_trust: Trust | None = None
    from_at: datetime | None = None  # recorded in [from_at, to_at)
    to_at: datetime | None = None
    valid_at: datetime | None = None  # true in the world then
    believed_at: datetime | None = None  # known to us then
    is_pinned: bool | None = None
    is_live: bool | None = None
    is_over: bool | None = None  # no longer true and not archived: replaced or taken back
    is_used: bool | None = None
    is_likely: bool | None = None  # False: proposed, and nothing but its sound speaks for it
    has_contradiction: bool | None = None
    is_shared: bool | None = None  # may be given everywhere: of no project, or marked so
    file: str = ""
    artifact: str = ""  # a kind (adr, pr, commit, file), or what was made: "ADR-012", "#45", the beginning of a hash
    visibilities: tuple[Visibility, ...] = ()
    conversation_id: int | None = None
    includes_episodes: bool = True
    includes_chunks: bool = False
    includes_unconfirmed: bool = False  # beside active ones: proposals that the person typed and has not confirmed


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """How many memories there are: the one count that every screen shows. Together they are all of them."""

    in_use: int = 0  # hold now: given to assistants
    to_review: int = 0  # waiting for a yes or no, or held back
    less_likely: int = 0  # waiting as well, but nothing but its sound speaks for it: nobody is called for it
    archived: int = 0
    no_longer_true: int = 0  # replaced or taken back, also while it waited: stay as history


@dataclass(frozen=True, slots=True)
class RecallQuery:
    text: str
    context: str = ""  # recent words that may help, never decide
    filters: MemoryFilter = field(default_factory=MemoryFilter)
    recipe: str = ""  # name of a shipped or own recipe; "" = the setting
    limit: int | None = None  # None: the setting
    weights: Mapping[str, float] = field(default_factory=dict)  # of this query alone, in place of the recipe's [S3]
    is_counted: bool = True  # record usage
    is_suggesting: bool = True  # say what was probably meant when nothing fits: takes longer than the search


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A filter as it was typed into a search: `type:fact`, `#api`."""

    text: str
    start: int
    key: str  # "#api" has the key "tag"
    value: str


@dataclass(frozen=True, slots=True)
class Signal:
    """One part of a score: name, value before the weight, share of the final score."""

    name: str  # keyword, meaning, character, recency, importance, access, neighbours
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class RecallHit:
    card: MemoryCard
    text: str  # the full text
    score: float
    signals: tuple[Signal, ...]  # largest share first; shares sum to 1
    matched: tuple[str, ...]  # words of the query that matched, as they are in the memory
    spans: tuple[tuple[int, int], ...]  # where in `text`, code points, half-open
    reason: str  # for people: 'says "port" and "staging"; recorded last week'
    chunk_id: int | None = None  # a chunk of a conversation instead of a memory: card.id is 0


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    hits: tuple[RecallHit, ...]
    candidate_count: int
    took_ms: float
    recipe: str
    suggestion: str = ""  # "did you mean": a query that would find something
    is_complete: bool = True  # False while the index is rewritten, or after that was stopped
    note: str = ""  # for people: why nothing was returned
    nearest: tuple[RecallHit, ...] = ()  # only without hits: what came nearest and was judged not to fit


@dataclass(frozen=True, slots=True)
class Absence:
    """A memory, or a message that none was made of, that somebody expects in an answer, and why it is not there."""

    title: str
    reason: str  # for people: "belongs to another project: lantern"
    memory_id: int | None = None
    message_id: int | None = None
    is_there: bool = False  # it is in the answer after all, and `reason` says where


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A hit of the search over everything: a memory, a part of a conversation, or what the person typed.

    Of a message there is no card: `text` is the stretch that matches, in the person's own words, at most 400 characters.
    """

    kind: str  # memory, episode, message, note
    card: MemoryCard | None
    text: str
    score: float
    reason: str
    signals: tuple[Signal, ...] = ()
    matched: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    chunk_id: int | None = None
    message_id: int | None = None
    conversation_id: int | None = None
    is_archived: bool = False  # the message is in the prompt archive; its conversation has left the queue
    is_withheld: bool = False  # shown to the person only, never to an assistant


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """As `RecallAnswer`, with hits of every kind."""

    hits: tuple[FoundHit, ...]
    candidate_count: int
    took_ms: float
    recipe: str
    suggestion: str = ""
    is_complete: bool = True
    note: str = ""
    nearest: tuple[FoundHit, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search that a person keeps under a name."""

    id: int
    name: str
    text: str = ""  # as typed, filters among the words
    choices: tuple[tuple[str, str], ...] = ()  # facet and value of what was clicked
    sort: str = ""  # a MemorySort; "" = as it is
    group: str = ""  # a MemoryGroup; "" = none
    is_inbox: bool = False


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A stretch of a sorted list."""

    cards: tuple[MemoryCard, ...]
    start: int
    total: int


Facets = Mapping[str, tuple[FacetValue, ...]]  # kind, type, status, trust, project, app, tag, time


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How the derived search index stands to the store."""

    document_count: int
    waiting_count: int  # changes written to the store, not yet to the index (still found: they are searched beside it)
    is_rebuilding: bool
    kind: str  # tantivy, or fts5 where there is no wheel of it
    size_bytes: int


@dataclass(frozen=True, slots=True)
class EraseReport:
    memory_count: int
    message_count: int
    backups_removed: int
    backups_kept: int


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A credential found in what was stored before the rules knew it. The secret itself is never part of this."""

    table: str  # message, memory, source
    row_id: int
    rule: str
    excerpt: str  # with the secret blacked out


@dataclass(frozen=True, slots=True)
class MemoryRule:
    """An always/never rule made in the review inbox."""

    id: int
    verdict: str  # always, never
    type: FactType | None
    attribute: str  # slot attribute; "" = any
    phrase: str  # words that the statement must hold; "" = any
    created_at: datetime
    hit_count: int
