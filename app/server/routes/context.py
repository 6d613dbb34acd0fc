"""Contexts, predictions and receipts over HTTP: the bodies and answers of [S4] at its paths, and what was given.

Owns field names only; every act is one call of the engine. [S4] names its paths without a version: they and those under
/v1 are the same routes. Source: S4 "API Endpoints", DESIGN section 6.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.api import Engine
from app.server.callers import Caller
from app.server.routes.memory_requests import Ids
from app.server.routes.requests import RowId
from app.server.routes.routing import Routes
from app.values import (
    Activity,
    ContextRequest,
    ContextSignals,
    Level,
    Placement,
    PredictionSignal,
    Receipt,
    ReceiptDetail,
    Scope,
    Tier,
    WindowPart,
    WindowRequest,
)

_TIER_NAMES: Mapping[Tier, str] = {tier: f"tier{place}" for place, tier in enumerate(Tier, start=1)}
_BUDGET_NAMES: Mapping[str, str] = {
    "total": "total",
    "system_prompt": "systemPrompt",
    "working_memory": "workingMemory",
    "retrieved_context": "retrievedContext",
    "recent_messages": "recentMessages",
    "used": "used",
    "available": "available",
}


class SignalsBody(BaseModel):
    """What is known of the moment; everything may be left out."""

    model_config = ConfigDict(extra="forbid")
    prompt: str = Field("", max_length=100_000)
    current_file: str = Field("", max_length=4_096)
    recent_errors: list[Annotated[str, Field(max_length=20_000)]] = Field(default_factory=list, max_length=20)
    activity: Activity | None = None
    branch: str = Field("", max_length=512)
    collaborator: str = Field("", max_length=200)


class AssembleBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    budget: int = Field(8_000, ge=100, le=32_000)
    signals: SignalsBody = Field(default_factory=SignalsBody)
    project: str = Field("", max_length=4_096)
    session: str = Field("", max_length=512)
    is_preview: bool = False
    is_repeating: bool = False

    def to_request(self, app: str) -> ContextRequest:
        given = self.signals
        signals = ContextSignals(
            project_path=self.project,
            app=app,
            session=self.session,
            prompt=given.prompt,
            current_file=given.current_file,
            branch=given.branch,
            recent_errors=tuple(given.recent_errors),
            activity=given.activity,
            collaborator=given.collaborator,
        )
        return ContextRequest(
            signals,
            budget_tokens=self.budget,
            delivery="preview" if self.is_preview else "api",
            is_kept=not self.is_preview,
            is_repeating=self.is_repeating,
        )


class WindowContextBody(BaseModel):
    """What a whole window is made for. Left out, `total` is the setting's."""

    model_config = ConfigDict(extra="forbid")
    total: int | None = Field(None, ge=1_000, le=2_000_000)
    system_prompt: str = Field("", max_length=1_000_000)
    active: list[Annotated[str, Field(max_length=100_000)]] = Field(default_factory=list, max_length=100)
    signals: SignalsBody = Field(default_factory=SignalsBody)
    project: str = Field("", max_length=4_096)
    session: str = Field("", max_length=512)
    is_preview: bool = False

    def to_request(self, app: str) -> WindowRequest:
        moment = AssembleBody(
            signals=self.signals,
            project=self.project,
            session=self.session,
            is_preview=self.is_preview,
            is_repeating=True,  # a window is rebuilt whole each turn
        )
        return WindowRequest(moment.to_request(app), self.total, self.system_prompt, tuple(self.active))


class PredictBody(BaseModel):
    """Everything may be left out. `without`: signals that are not to count, to see what they bring."""

    model_config = ConfigDict(extra="forbid")
    file_opened: str = Field("", max_length=4_096)
    prompt: str = Field("", max_length=100_000)
    branch: str = Field("", max_length=512)
    errors: list[Annotated[str, Field(max_length=20_000)]] = Field(default_factory=list, max_length=20)
    collaborator: str = Field("", max_length=200)
    project: str = Field("", max_length=4_096)
    session: str = Field("", max_length=512)
    without: list[PredictionSignal] = Field(default_factory=list, max_length=20)


class LevelBody(BaseModel):
    """At which level these memories are given whenever they are given."""

    model_config = ConfigDict(extra="forbid")
    ids: Ids
    level: Level | Literal["automatic"]


class TierBody(BaseModel):
    """In which tier these memories stand whenever they are given."""

    model_config = ConfigDict(extra="forbid")
    ids: Ids
    tier: Tier | Literal["automatic"]


class WithholdBody(BaseModel):
    """Whether these memories are never given."""

    model_config = ConfigDict(extra="forbid")
    ids: Ids
    is_withheld: bool = True


class DismissBody(BaseModel):
    """A line of what failed or was repaired lately, or its command, and the project."""

    model_config = ConfigDict(extra="forbid")
    line: str = Field(min_length=1, max_length=4_096)
    project: str = Field(min_length=1, max_length=4_096)


class _PlaceQuery(BaseModel):
    """From where it is asked, and as of when. `project`: a folder or a name; "": only what holds everywhere."""

    model_config = ConfigDict(extra="forbid")
    project: str = Field("", max_length=4_096)
    as_of: AwareDatetime | None = None


class ExpandQuery(_PlaceQuery):
    id: list[RowId] = Field(min_length=1, max_length=100)


class TimelineQuery(_PlaceQuery):
    topic: str = Field("", max_length=2_000)
    limit: int = Field(30, ge=1, le=100)


class ReceiptsQuery(BaseModel):
    app: str = Field("", max_length=200)
    project: str = Field("", max_length=4_096)
    session: str = Field("", max_length=512)
    limit: int = Field(50, ge=1, le=500)
    before: int | None = Field(None, ge=1)


@dataclass(frozen=True, slots=True)
class AssembledItem:
    memory_id: int | None
    tier: Tier
    level: Level
    text: str
    tokens: int
    score: float
    reason: str
    is_stale: bool


@dataclass(frozen=True, slots=True)
class Assembled:
    """`context` is framed as data; "" when nothing fits. `tiers`: tokens used by each."""

    context: str
    token_count: int
    tiers: Mapping[str, int]
    activity: Activity
    items: tuple[AssembledItem, ...]
    warnings: tuple[str, ...]
    receipt_id: int | None
    took_ms: float


@dataclass(frozen=True, slots=True)
class BuiltWindow:
    """`window`: the whole text. `budget`: [S3]'s TokenBudget by its own names. Parts: the most important first."""

    window: str
    budget: Mapping[str, int]
    parts: tuple[WindowPart, ...]
    memory_ids: tuple[int, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PredictedMemory:
    id: int
    confidence: float
    reason: str
    shares: Mapping[PredictionSignal, float]  # of the signals, the largest first; they add up to 1


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    path: str
    confidence: float
    reason: str
    shares: Mapping[PredictionSignal, float]


@dataclass(frozen=True, slots=True)
class Predicted:
    """`predicted_memories`, `confidence`: as [S4] has them. `memories`, `files`: each with what speaks for it."""

    predicted_memories: tuple[int, ...]
    confidence: float
    reasons: tuple[str, ...]
    memories: tuple[PredictedMemory, ...]
    files: tuple[ExpectedFile, ...]


@dataclass(frozen=True, slots=True)
class ToldAnswer:
    """`text` is framed as data, "" when nothing may be given; `note` says what was left out."""

    text: str
    memory_ids: tuple[int, ...]
    note: str


routes = Routes()


@routes("POST", "/v1/context/assemble", Scope.READ, "Assemble a context", also="/context/assemble")
def assemble_context(engine: Engine, caller: Caller, body: AssembleBody) -> Assembled:
    """A context for the moment that the signals describe, within the budget."""
    made = engine.context.assemble(body.to_request(caller.app_for("")))
    items = tuple(
        AssembledItem(
            one.memory_id, one.tier, one.level, one.text, one.token_count, one.score, one.reason, one.is_stale
        )
        for one in made.items
    )
    tiers = {_TIER_NAMES[use.tier]: use.used_tokens for use in made.tiers}
    return Assembled(
        made.text, made.token_count, tiers, made.activity, items, made.warnings, made.receipt_id, made.took_ms
    )


@routes("POST", "/v1/context/predict", Scope.READ, "Predict what is needed", also="/context/predict")
def predict_context(engine: Engine, caller: Caller, body: PredictBody) -> Predicted:
    """What will probably be needed. The next context with these signals is faster."""
    signals = ContextSignals(
        project_path=body.project,
        app=caller.app_for(""),
        session=body.session,
        prompt=body.prompt,
        current_file=body.file_opened,
        branch=body.branch,
        recent_errors=tuple(body.errors),
        collaborator=body.collaborator,
    )
    predict = partial(engine.context.predict, signals, without=frozenset(body.without))
    found = predict()
    each = zip(found.memory_ids, found.confidences, found.reason_of_each, found.shares_of_each, strict=True)
    memories = tuple(PredictedMemory(key, sure, why, dict(shares)) for key, sure, why, shares in each)
    files = tuple(ExpectedFile(one.path, one.confidence, one.reason, dict(one.shares)) for one in found.files)
    return Predicted(found.memory_ids, found.confidence, found.reasons, memories, files)


@routes("POST", "/v1/context/window", Scope.READ, "Build a whole context window")
def build_window(engine: Engine, caller: Caller, body: WindowContextBody) -> BuiltWindow:
    """Everything for a model's next call: system prompt, this turn, recent messages, memories, and a summary of what was said before."""
    plan = engine.context.window(body.to_request(caller.app_for("")))
    budget = {_BUDGET_NAMES[name]: count for name, count in asdict(plan.budget).items()}
    return BuiltWindow(plan.text, budget, plan.parts, plan.memory_ids, plan.warnings)


@routes("GET", "/v1/context/expand", Scope.READ, "Read memories in full")
def expand_memories(engine: Engine, query: Annotated[ExpandQuery, Query()]) -> ToldAnswer:
    """Memories in full, in the order asked for, as far as they may be given in the project that asks."""
    answers = engine.answers
    place = answers.place(query.project)
    found = answers.expand(query.id, place, at=query.as_of)
    return ToldAnswer(found.text, found.memory_ids, found.note)


@routes("GET", "/v1/context/timeline", Scope.READ, "What was learned and when")
def tell_timeline(engine: Engine, query: Annotated[TimelineQuery, Query()]) -> ToldAnswer:
    """What was learned in the project that asks, and when, oldest first; what is no longer true is included."""
    answers = engine.answers
    place = answers.place(query.project)
    found = answers.timeline(place, topic=query.topic, limit=query.limit, at=query.as_of)
    return ToldAnswer(found.text, found.memory_ids, found.note)


@routes("GET", "/v1/context/placements", Scope.READ, "List placements")
def list_placements(engine: Engine) -> tuple[Placement, ...]:
    """The level and tier at which memories are given, where the person chose one."""
    return engine.context.placements()


@routes("POST", "/v1/context/level", Scope.ADMIN, "Choose a level")
def place_at_level(engine: Engine, body: LevelBody) -> None:
    """From now on these memories are given at this level; `automatic`: at the one that fits."""
    level = None if body.level == "automatic" else body.level
    engine.context.place_at_level(body.ids, level)


@routes("POST", "/v1/context/tier", Scope.ADMIN, "Choose a tier")
def place_in_tier(engine: Engine, body: TierBody) -> None:
    """From now on these memories are placed in this tier; `automatic`: in the one that fits."""
    tier = None if body.tier == "automatic" else body.tier
    engine.context.place_in_tier(body.ids, tier)


@routes("POST", "/v1/context/withhold", Scope.ADMIN, "Never give memories")
def withhold_memories(engine: Engine, body: WithholdBody) -> None:
    """From now on these memories are never given to an assistant, or are given again; they are found as before."""
    engine.context.withhold(body.ids, is_withheld=body.is_withheld)


@routes("POST", "/v1/context/dismiss", Scope.ADMIN, "Dismiss a line")
def dismiss_line(engine: Engine, body: DismissBody) -> None:
    """This line is not given again until its command runs again."""
    engine.context.dismiss(body.line, project_path=body.project)


@routes("GET", "/v1/receipts", Scope.ADMIN, "List receipts")
def list_receipts(engine: Engine, query: Annotated[ReceiptsQuery, Query()]) -> tuple[Receipt, ...]:
    """What was given, newest first."""
    return engine.context.receipts(
        app=query.app, project=query.project, session=query.session, limit=query.limit, before_id=query.before
    )


@routes("GET", "/v1/receipts/{receipt_id}", Scope.ADMIN, "One receipt")
def get_receipt(engine: Engine, receipt_id: int) -> ReceiptDetail:
    """One of them with every byte, why each line was in, what was left out, and what was cited."""
    return engine.context.receipt(receipt_id)
