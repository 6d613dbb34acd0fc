"""Values: frozen dataclasses and enums that every layer shares and that leave the engine.

Owns the words of DESIGN section 1 as types. Knows nothing of tables, sessions, Qt or clocks. A module of values is read when a
name of it is first asked for: making all these dataclasses takes 0.1 s, which the first paint and the socket wait for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.values.archive import ArchivedMessage, ArchiveStatus
    from app.values.capture import (
        AppCard,
        CaptureRequest,
        CaptureResult,
        EventKind,
        EventState,
        ExclusionKind,
        ExclusionRule,
        InboxEvent,
        Scope,
    )
    from app.values.changes import Changes, DataKind, Operation, Origin, Progress
    from app.values.context import (
        Activity,
        AskingCost,
        Context,
        ContextCandidate,
        ContextFigures,
        ContextItem,
        ContextRequest,
        ContextSignals,
        LeftOut,
        Placement,
        Prediction,
        Receipt,
        ReceiptDetail,
        TierUse,
        TokenBudget,
        WindowPart,
        WindowPlan,
        WindowRequest,
    )
    from app.values.contradictions import (
        Contradiction,
        ContradictionDetail,
        ContradictionGroup,
        ContradictionState,
        Resolution,
        ResolutionRequest,
    )
    from app.values.conversation import (
        BoundaryJudgement,
        Clarification,
        Conversation,
        ConversationDetail,
        ConversationState,
        HandOver,
        Message,
        Outcome,
        TimelineEntry,
        ToolOutcome,
    )
    from app.values.desk import (
        AssistantCard,
        Backup,
        ChangeDetail,
        Endpoint,
        FileEdit,
        FoundSource,
        Health,
        ImportReport,
        SearchHit,
        Stats,
    )
    from app.values.distil import Distilled, DistilledKind, distilled_from_json
    from app.values.episode import (
        ConversationRecord,
        ConversationRef,
        CrossReference,
        Episode,
        EpisodeDetail,
        EpisodeFilter,
        EpisodeType,
        FileChange,
        Moment,
        NarrativeArc,
        ReferenceWay,
        TurnRange,
    )
    from app.values.grouping import MemoryGroup
    from app.values.memory import (
        AddedMemory,
        Artifact,
        ArtifactKind,
        Chunk,
        FactCandidate,
        FactType,
        Level,
        Levels,
        LevelText,
        Likeness,
        LinkType,
        Memory,
        MemoryCard,
        MemoryDetail,
        MemoryDraft,
        MemoryEdit,
        MemoryKind,
        MemoryLink,
        MemorySource,
        MemoryStatus,
        MemoryVersion,
        Report,
        Reported,
        ReportState,
        Slot,
        Tier,
        Trust,
        UsageKind,
        Visibility,
    )
    from app.values.recall import (
        EraseReport,
        Facets,
        FacetValue,
        FoundAnswer,
        FoundHit,
        IndexStatus,
        MemoryFilter,
        MemoryPage,
        MemoryRule,
        MemorySort,
        QueryPart,
        RecallAnswer,
        RecallHit,
        RecallQuery,
        SavedSearch,
        SecretFinding,
        Signal,
    )
    from app.values.review import ReviewCard
    from app.values.understanding import (
        BoundaryDecision,
        BoundaryFactor,
        BoundaryFeedback,
        BoundaryInput,
        Candidate,
        Entity,
        EntityKind,
        Intent,
        IntentScore,
        PriorMessage,
        Reference,
        ReferenceKind,
        ReferenceState,
        Speaker,
    )
    from app.values.usage import ActionKind, Citation, UsedMemory

__all__ = [
    "ActionKind",
    "Activity",
    "AddedMemory",
    "AppCard",
    "ArchiveStatus",
    "ArchivedMessage",
    "Artifact",
    "ArtifactKind",
    "AskingCost",
    "AssistantCard",
    "Backup",
    "BoundaryDecision",
    "BoundaryFactor",
    "BoundaryFeedback",
    "BoundaryInput",
    "BoundaryJudgement",
    "Candidate",
    "CaptureRequest",
    "CaptureResult",
    "ChangeDetail",
    "Changes",
    "Chunk",
    "Citation",
    "Clarification",
    "Context",
    "ContextCandidate",
    "ContextFigures",
    "ContextItem",
    "ContextRequest",
    "ContextSignals",
    "Contradiction",
    "ContradictionDetail",
    "ContradictionGroup",
    "ContradictionState",
    "Conversation",
    "ConversationDetail",
    "ConversationRecord",
    "ConversationRef",
    "ConversationState",
    "CrossReference",
    "DataKind",
    "Distilled",
    "DistilledKind",
    "Endpoint",
    "Entity",
    "EntityKind",
    "Episode",
    "EpisodeDetail",
    "EpisodeFilter",
    "EpisodeType",
    "EraseReport",
    "EventKind",
    "EventState",
    "ExclusionKind",
    "ExclusionRule",
    "FacetValue",
    "Facets",
    "FactCandidate",
    "FactType",
    "FileChange",
    "FileEdit",
    "FoundAnswer",
    "FoundHit",
    "FoundSource",
    "HandOver",
    "Health",
    "ImportReport",
    "InboxEvent",
    "IndexStatus",
    "Intent",
    "IntentScore",
    "LeftOut",
    "Level",
    "LevelText",
    "Levels",
    "Likeness",
    "LinkType",
    "Memory",
    "MemoryCard",
    "MemoryDetail",
    "MemoryDraft",
    "MemoryEdit",
    "MemoryFilter",
    "MemoryGroup",
    "MemoryKind",
    "MemoryLink",
    "MemoryPage",
    "MemoryRule",
    "MemorySort",
    "MemorySource",
    "MemoryStatus",
    "MemoryVersion",
    "Message",
    "Moment",
    "NarrativeArc",
    "Operation",
    "Origin",
    "Outcome",
    "Placement",
    "Prediction",
    "PriorMessage",
    "Progress",
    "QueryPart",
    "RecallAnswer",
    "RecallHit",
    "RecallQuery",
    "Receipt",
    "ReceiptDetail",
    "Reference",
    "ReferenceKind",
    "ReferenceState",
    "ReferenceWay",
    "Report",
    "ReportState",
    "Reported",
    "Resolution",
    "ResolutionRequest",
    "ReviewCard",
    "SavedSearch",
    "Scope",
    "SearchHit",
    "SecretFinding",
    "Signal",
    "Slot",
    "Speaker",
    "Stats",
    "Tier",
    "TierUse",
    "TimelineEntry",
    "TokenBudget",
    "ToolOutcome",
    "Trust",
    "TurnRange",
    "UsageKind",
    "UsedMemory",
    "Visibility",
    "WindowPart",
    "WindowPlan",
    "WindowRequest",
    "distilled_from_json",
]

_HOMES = {
    "archive": "ArchivedMessage ArchiveStatus",
    "capture": "AppCard CaptureRequest CaptureResult EventKind EventState ExclusionKind ExclusionRule InboxEvent Scope",
    "changes": "Changes DataKind Operation Origin Progress",
    "context": (
        "Activity AskingCost Context ContextCandidate ContextFigures ContextItem ContextRequest ContextSignals "
        "LeftOut Placement Prediction Receipt ReceiptDetail TierUse TokenBudget WindowPart WindowPlan WindowRequest"
    ),
    "contradictions": "Contradiction ContradictionDetail ContradictionGroup ContradictionState Resolution ResolutionRequest",
    "conversation": (
        "BoundaryJudgement Clarification Conversation ConversationDetail ConversationState HandOver Message "
        "Outcome TimelineEntry ToolOutcome"
    ),
    "desk": ("AssistantCard Backup ChangeDetail Endpoint FileEdit FoundSource Health ImportReport SearchHit Stats"),
    "distil": "Distilled DistilledKind distilled_from_json",
    "episode": (
        "ConversationRecord ConversationRef CrossReference Episode EpisodeDetail EpisodeFilter EpisodeType FileChange Moment "
        "NarrativeArc ReferenceWay TurnRange"
    ),
    "grouping": "MemoryGroup",
    "memory": (
        "Artifact ArtifactKind Chunk FactCandidate FactType Level Levels LevelText Likeness LinkType "
        "AddedMemory Memory MemoryCard MemoryDetail MemoryDraft MemoryEdit MemoryKind MemoryLink MemorySource "
        "MemoryStatus MemoryVersion Report Reported ReportState Slot Tier Trust UsageKind Visibility"
    ),
    "recall": (
        "EraseReport Facets FacetValue IndexStatus MemoryFilter MemoryPage MemoryRule MemorySort "
        "FoundAnswer FoundHit QueryPart RecallAnswer RecallHit RecallQuery SavedSearch SecretFinding Signal"
    ),
    "review": "ReviewCard",
    "understanding": (
        "BoundaryDecision BoundaryFactor BoundaryFeedback BoundaryInput Candidate Entity EntityKind "
        "Intent IntentScore PriorMessage Reference ReferenceKind ReferenceState Speaker"
    ),
    "usage": "ActionKind Citation UsedMemory",
}  # a test holds it against the imports above
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a name that is nowhere stays an error of the type check

    def __getattr__(name: str) -> object:
        module = _MODULE_OF.get(name)
        if module is None:
            raise AttributeError(f"There is no value {name!r}.")
        value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
        return value
