"""The context that an assistant gets: signals in, tiers and items out, and the receipt of what was given.

Token counts are of the o200k encoding. Scores and confidences are 0..1. Source: S4 "Context Assembly", S3 "Context Window
Management", DESIGN section 5 "assemble".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from app.values.memory import Citation, Level, Tier
from app.values.recall import Signal

DEFAULT_BUDGET_TOKENS = 8_000
FAILED_PREFIX, FIXED_PREFIX = "Failed lately: ", "Fixed: "  # how lines begin that a person may dismiss


class Activity(StrEnum):
    """What the person is about; shifts the shares of the tiers [S4]."""

    GENERAL = "general"
    FEATURE = "feature"
    DEBUGGING = "debugging"
    REVIEWING = "reviewing"
    TESTING = "testing"


@dataclass(frozen=True, slots=True)
class ContextSignals:
    """What is known of the moment. Everything may be empty."""

    project_path: str = ""
    app: str = ""
    session: str = ""
    prompt: str = ""
    current_file: str = ""
    branch: str = ""
    recent_errors: tuple[str, ...] = ()
    activity: Activity | None = None  # None: detected
    collaborator: str = ""
    at: datetime | None = None  # None: now


@dataclass(frozen=True, slots=True)
class ContextRequest:
    signals: ContextSignals
    budget_tokens: int = DEFAULT_BUDGET_TOKENS
    shares: Mapping[Tier, float] = field(default_factory=dict)  # own shares; empty: by activity
    delivery: str = ""  # hook:prompt, hook:start, mcp, api, preview
    is_kept: bool = True  # keep a receipt and count usage; False for a preview
    is_repeating: bool = False  # send again what this session has had
    max_chars: int | None = None  # what the host takes inline
    within_ms: float | None = None  # what takes longer is empty and leaves no receipt
    is_text_only: bool = False  # whoever asks reads the text alone: items and what was left out are in the receipt


@dataclass(frozen=True, slots=True)
class Placement:
    """How a person wants a memory given whenever it is given; None: as it fits best."""

    memory_id: int
    level: Level | None = None
    tier: Tier | None = None
    is_withheld: bool = False  # never given to an assistant, whatever it asks


class ContextCandidate(NamedTuple):
    """One thing that may be given, as the allocation sees it. Hundreds are made per context: a frozen dataclass costs thrice."""

    key: int  # memory id, unique among the candidates
    tier: Tier  # where it belongs by its nature; unused share flows on
    score: float
    texts: Mapping[Level, str]
    tokens: Mapping[Level, int]
    is_pinned: bool = False
    text_key: str = ""
    rivals: frozenset[int] = frozenset()  # keys it cannot be beside as if both held
    topic: str = ""  # for the index tier: "auth", "deployment"
    reason: str = ""
    recorded_at: int | None = None  # microseconds since 1970
    placement: Placement | None = None  # what a person chose; `tier` follows it already
    lines: Mapping[Level, int] = MappingProxyType({})  # tokens of each level as a line, without its number, where known


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of a context."""

    memory_id: int | None  # None: a topic line of the index tier, or an open contradiction
    tier: Tier
    level: Level
    text: str  # as rendered, without the newline
    token_count: int
    score: float
    reason: str  # why in
    signals: tuple[Signal, ...] = ()
    title: str = ""
    is_pinned: bool = False
    is_stale: bool = False  # names a file, symbol or version that the project no longer has
    start: int = 0  # code points in the rendered text, half-open
    end: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was considered and not given."""

    memory_id: int
    title: str
    tier: Tier
    score: float
    token_count: int  # of its smallest useful level
    rank: int  # 1 = the first that did not fit
    reason: str  # why out: "46 tokens over", "given in this session already", "another project"


@dataclass(frozen=True, slots=True)
class TierUse:
    tier: Tier
    budget_tokens: int  # its own share
    used_tokens: int
    item_count: int
    inflow_tokens: int = 0  # what tiers before it left over; below zero: what it gave because another needed it more

    @property
    def room_tokens(self) -> int:
        """What it could hold in all."""
        return self.budget_tokens + self.inflow_tokens


class PredictionSignal(StrEnum):
    """What may speak for something being needed next [S4]."""

    FILE = "file"  # it is at hand, or about what is
    CO_MODIFIED = "co_modified"
    IMPORTS = "imports"  # it imports the file at hand, or is imported by it
    NEARBY = "nearby"  # named alike, or in the same place
    HABIT = "habit"  # worked on often, or lately
    TASK = "task"  # words of the prompt and of the branch
    BRANCH = "branch"
    ERROR = "error"
    USE = "use"  # taken up lately, by assistants that were given it
    HOUR = "hour"
    COLLABORATOR = "collaborator"


class PredictionShare(NamedTuple):
    """How much of an expectation one signal makes; the shares of one expectation add up to 1."""

    signal: PredictionSignal
    share: float


@dataclass(frozen=True, slots=True)
class PredictedFile:
    path: str  # inside the project
    confidence: float  # that the next turn changes it
    reason: str
    shares: tuple[PredictionShare, ...] = ()  # the largest first
    in_work: float = 0.0  # how likely this piece of work comes to it at all, whether it is at hand or not


@dataclass(frozen=True, slots=True)
class Prediction:
    """What will probably be needed, before it is asked for [S4]."""

    memory_ids: tuple[int, ...]  # best first
    confidence: float
    reasons: tuple[str, ...]  # for people: "auth.ts and session.ts change together"
    confidences: tuple[float, ...] = ()  # that the next turn takes each memory up, in the same order
    strengths: tuple[float, ...] = ()  # how much besides its use speaks for each, 0..1, in the same order
    reason_of_each: tuple[str, ...] = ()  # what speaks most for it, in the same order
    shares_of_each: tuple[tuple[PredictionShare, ...], ...] = ()  # of each memory, in the same order
    files: tuple[PredictedFile, ...] = ()  # best first


@dataclass(frozen=True, slots=True)
class Context:
    """What an assistant gets, to the byte."""

    text: str
    token_count: int
    budget_tokens: int
    tiers: tuple[TierUse, ...]
    items: tuple[ContextItem, ...]
    left_out: tuple[LeftOut, ...]
    activity: Activity
    warnings: tuple[str, ...] = ()
    prediction: Prediction | None = None
    receipt_id: int | None = None
    took_ms: float = 0.0

    @property
    def is_empty(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True)
class Receipt:
    """The record of one context that was given."""

    id: int
    at: datetime
    app: str
    project: str
    session: str
    delivery: str
    signals: ContextSignals
    token_count: int
    budget_tokens: int
    item_count: int
    retrieved_count: int
    cited_count: int
    ignored_count: int
    took_ms: float
    is_delivered: bool = True  # False: it came too late, or whoever asked had gone


@dataclass(frozen=True, slots=True)
class ReceiptDetail:
    receipt: Receipt
    context: Context
    usage: Mapping[int, str]  # memory id -> retrieved, cited, ignored; "" when it was not delivered
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """What was given in some days, in tokens; pairs are ordered by tokens, most first, days oldest first."""

    by_day: tuple[tuple[date, int], ...]  # local days, those without a context too; the last one is today
    by_kind: tuple[tuple[str, int], ...]  # fact type or memory kind; "" = topic lines and open questions
    by_project: tuple[tuple[str, int], ...]  # "" = none
    by_app: tuple[tuple[str, int], ...]
    today_tokens: int
    today_count: int  # contexts given today
    token_count: int
    receipt_count: int
    asked_count: int = 0  # contexts with a line that asks to remember
    asked_tokens: int = 0


@dataclass(frozen=True, slots=True)
class AskingCost:
    """What it costs to ask assistants to remember, in tokens each time."""

    instruction_tokens: int  # once in a session, in the instructions of the tools
    start_tokens: int
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class WindowPart:
    """One section of the 128k window [S3]."""

    name: str  # system, working, recent, memories, chunks
    priority: float
    budget_tokens: int
    used_tokens: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """[S3] `TokenBudget`: what a window reserves for each part, what is used, what is free for the answer."""

    total: int
    system_prompt: int
    working_memory: int
    retrieved_context: int
    recent_messages: int
    used: int
    available: int


@dataclass(frozen=True, slots=True)
class WindowRequest:
    """What a whole window is asked for: the moment, and what its model always reads."""

    context: ContextRequest
    total_tokens: int | None = None  # None: the setting
    system_prompt: str = ""
    active: tuple[str, ...] = ()  # what is worked on besides the open file and the errors of the signals


@dataclass(frozen=True, slots=True)
class WindowPlan:
    budget: TokenBudget
    parts: tuple[WindowPart, ...]  # the most important first
    warnings: tuple[str, ...]
    memory_ids: tuple[int, ...] = ()  # what was retrieved, as it is in the part `memories`

    @property
    def text(self) -> str:
        """The whole window, to be put before a model as it is."""
        return "\n\n".join("\n".join(part.texts) for part in self.parts if part.texts)
