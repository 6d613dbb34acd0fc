"""Parameters and bodies of the requests about memories: they validate, and they are the OpenAPI description.

Field names are the words of DESIGN and the fields of the values that they become. Knows no engine.
"""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.server.routes.requests import PathText, RowId
from app.values import (
    ArtifactKind,
    FactType,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryKind,
    MemorySort,
    MemoryStatus,
    Report,
    Slot,
    Tier,
    Trust,
    Visibility,
)

MAX_IDS = 10_000
MAX_TEXT_CHARS = 200_000
Words = Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=50)]
Ratio = Annotated[float, Field(ge=0, le=1)]
ShortText = Annotated[str, Field(max_length=300)]
LongText = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
Ids = Annotated[list[RowId], Field(min_length=1, max_length=MAX_IDS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FilterQuery(_Request):
    """What may be in the answer. What is left out does not restrict."""

    kind: list[MemoryKind] = []
    type: list[FactType] = []
    status: list[MemoryStatus] = []
    category: Words = []
    tag: Words = []
    project: Words = []
    app: Words = []
    tier: list[Tier] = []
    min_importance: Ratio | None = None
    min_confidence: Ratio | None = None
    max_confidence: Ratio | None = None
    min_trust: Annotated[int, Field(ge=0, le=3)] | None = None
    from_at: AwareDatetime | None = None
    to_at: AwareDatetime | None = None
    valid_at: AwareDatetime | None = None
    believed_at: AwareDatetime | None = None
    is_pinned: bool | None = None
    is_live: bool | None = None
    is_over: bool | None = None
    is_used: bool | None = None
    has_contradiction: bool | None = None
    file: PathText = ""
    artifact: PathText = ""
    visibility: list[Visibility] = []
    conversation_id: RowId | None = None
    includes_episodes: bool = True
    includes_chunks: bool = False

    def to_filter(self) -> MemoryFilter:
        return MemoryFilter(
            kinds=tuple(self.kind),
            types=tuple(self.type),
            statuses=tuple(self.status),
            categories=tuple(self.category),
            tags=tuple(self.tag),
            projects=tuple(self.project),
            apps=tuple(self.app),
            tiers=tuple(self.tier),
            min_importance=self.min_importance,
            min_confidence=self.min_confidence,
            max_confidence=self.max_confidence,
            min_trust=None if self.min_trust is None else Trust(self.min_trust),
            from_at=self.from_at,
            to_at=self.to_at,
            valid_at=self.valid_at,
            believed_at=self.believed_at,
            is_pinned=self.is_pinned,
            is_live=self.is_live,
            is_over=self.is_over,
            is_used=self.is_used,
            has_contradiction=self.has_contradiction,
            file=self.file,
            artifact=self.artifact,
            visibilities=tuple(self.visibility),
            conversation_id=self.conversation_id,
            includes_episodes=self.includes_episodes,
            includes_chunks=self.includes_chunks,
        )


class ListQuery(FilterQuery):
    sort: MemorySort = MemorySort.UPDATED
    start: Annotated[int, Field(ge=0, lt=2**53)] = 0
    limit: Annotated[int, Field(ge=1, le=1_000)] = 128


class SearchQuery(FilterQuery):
    q: Annotated[str, Field(max_length=4_000)]
    context: Annotated[str, Field(max_length=20_000)] = ""
    recipe: Annotated[str, Field(max_length=64)] = ""
    weights: Annotated[str, Field(max_length=200)] = ""  # "keyword .3, recency .7"
    limit: Annotated[int | None, Field(ge=1, le=200)] = None


class SlotBody(_Request):
    """Two live facts with one slot and different values contradict."""

    subject: ShortText = ""
    attribute: Annotated[str, Field(min_length=1, max_length=300)]
    scope: ShortText = ""

    def to_slot(self) -> Slot:
        return Slot(self.subject, self.attribute, self.scope)


class DraftBody(_Request):
    """A memory to be added. What is left out is guessed from the text."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]
    kind: MemoryKind = MemoryKind.FACT
    type: FactType | None = None
    title: ShortText = ""
    slot: SlotBody | None = None
    value: ShortText = ""
    tags: Words = []
    category: ShortText = ""
    importance: Ratio | None = None
    confidence: Ratio | None = None
    is_pinned: bool = False
    visibility: Visibility = Visibility.USER_PRIVATE
    project_path: PathText = ""
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    summary: LongText = ""
    compressed: LongText = ""
    index: LongText = ""

    def to_draft(self, app: str) -> MemoryDraft:
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in {"slot", "tags"}}
        return MemoryDraft(**given, slot=self.slot.to_slot() if self.slot else None, tags=tuple(self.tags), app=app)


class ReportBody(_Request):
    """What an assistant reports that the person said. Without a quote, or with one that nobody said, it only waits."""

    statement: Annotated[str, Field(min_length=3, max_length=2_000)]
    quote: Annotated[str, Field(max_length=2_000)] = ""
    type: FactType | None = None
    scope: Literal["project", "person"] = "project"
    replaces: Annotated[list[RowId], Field(max_length=5)] = []
    project: PathText = ""
    app: Annotated[str, Field(max_length=64)] = ""

    def to_report(self) -> Report:
        return Report(
            self.statement,
            self.quote,
            self.type,
            is_for_all_projects=self.scope == "person",
            replaces=tuple(self.replaces),
        )


class EditBody(_Request):
    """Changes of one memory: what is left out stays; an empty level is written again from the full text."""

    title: ShortText | None = None
    full: LongText | None = None
    summary: LongText | None = None
    compressed: LongText | None = None
    index: LongText | None = None
    type: FactType | None = None
    slot: SlotBody | None = None
    is_slot_removed: bool = False
    value: ShortText | None = None
    tags: Words | None = None
    category: ShortText | None = None
    importance: Ratio | None = None
    confidence: Ratio | None = None
    visibility: Visibility | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    is_valid_to_removed: bool = False
    details: dict[str, Any] | None = None
    expected_revision: RowId | None = None

    def to_edit(self) -> MemoryEdit:
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in {"slot", "tags"}}
        return MemoryEdit(
            **given,
            slot=self.slot.to_slot() if self.slot else None,
            tags=None if self.tags is None else tuple(self.tags),
        )


class TextBody(_Request):
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]


class IdsBody(_Request):
    ids: Ids


class PinBody(IdsBody):
    is_pinned: bool = True


class TagBody(IdsBody):
    add: Words = []
    remove: Words = []


class MergeBody(IdsBody):
    """`text` is what the one that stays says then, its own when empty; without `keep_id` the first stays."""

    text: LongText = ""
    keep_id: RowId | None = None


class RuleBody(_Request):
    """An always/never rule for what is learned. At least one of type, attribute, phrase."""

    verdict: Literal["always", "never"] = "never"
    type: FactType | None = None
    attribute: ShortText = ""
    phrase: ShortText = ""


class RejectBody(IdsBody):
    rule: RuleBody | None = None


class VersionBody(_Request):
    version_id: RowId


class LinkBody(_Request):
    to_id: RowId
    type: LinkType = LinkType.RELATED_TO
    strength: Ratio = 0.5


class ArtifactBody(_Request):
    kind: ArtifactKind
    reference: Annotated[str, Field(min_length=1, max_length=500)]


class EraseBody(IdsBody):
    """Erases for good. The messages in which the memories were said stay unless asked."""

    includes_backups: bool = False
    erase_messages: bool = False


class EraseScopeBody(_Request):
    """Erases everything of a conversation, project, app or time span; the fields narrow each other down."""

    conversation_id: RowId | None = None
    project: PathText = ""
    app: ShortText = ""
    from_at: AwareDatetime | None = None
    to_at: AwareDatetime | None = None
    includes_backups: bool = False


class ScanBody(_Request):
    purge: bool = False
    includes_backups: bool = False
