"""Values: frozen dataclasses and enums that every layer shares and that leave the engine.

Owns the words of DESIGN section 1 as types. Knows nothing of tables, sessions, Qt or clocks. A module of values is read when a
name of it is first asked for: making all these dataclasses takes 0.1 s, which the first paint and the socket wait for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.values.admin import *
    from app.values.capture import *
    from app.values.changes import *
    from app.values.context import *
    from app.values.contradictions import *
    from app.values.conversation import *
    from app.values.distil import *
    from app.values.episode import *
    from app.values.grouping import *
    from app.values.memory import *
    from app.values.recall import *
    from app.values.understanding import *

_HOMES = {
    "capture": "AppCard CaptureRequest CaptureResult EventKind EventState ExclusionKind ExclusionRule InboxEvent Scope",
    "changes": "Changes DataKind Operation Origin Progress",
    "context": (
        "Activity AskingCost Context ContextCandidate ContextFigures ContextItem ContextRequest ContextSignals DEFAULT_BUDGET_TOKENS "
        "FAILED_PREFIX FIXED_PREFIX LeftOut Placement PredictedFile Prediction PredictionShare PredictionSignal Receipt ReceiptDetail TierUse TokenBudget WindowPart WindowPlan WindowRequest"
    ),
    "contradictions": "Contradiction ContradictionDetail ContradictionGroup ContradictionState Resolution ResolutionRequest",
    "conversation": (
        "ArchivedMessage ArchiveStatus BoundaryJudgement Clarification Conversation ConversationDetail ConversationState HandOver Message "
        "Outcome TimelineEntry ToolOutcome"
    ),
    "admin": (
        "AssistantCard Backup ChangeDetail Endpoint FileEdit FoundSource Health HistorySize ImportReport JudgePlan SearchHit Stats"
    ),
    "distil": "Distilled DistilledKind distilled_from_json",
    "episode": (
        "ConversationRecord ConversationRef CrossReference Episode EpisodeDetail EpisodeFilter EpisodeType FileChange Moment "
        "NarrativeArc ReferenceWay TurnRange"
    ),
    "grouping": "MemoryGroup",
    "memory": (
        "Artifact ArtifactKind Chunk FactCandidate FactType Level Levels LevelText Likeness LinkType "
        "AddedMemory Memory MemoryCard MemoryDetail MemoryDraft MemoryEdit MemoryKind MemoryLink MemoryReason MemorySource Gloss "
        "MemoryStatus MemoryVersion Report Reported ReportState ReviewCard Slot Tier Trust UsageKind Visibility "
        "ActionKind Citation UsedMemory WRITTEN_BY_HAND"
    ),
    "recall": (
        "Absence EmbeddingModelState EmbeddingState EraseReport Facets FacetValue IndexStatus MemoryCounts MemoryFilter MemoryPage MemoryRule MemorySort "
        "FoundAnswer FoundHit QueryPart RecallAnswer RecallHit RecallQuery SavedSearch SecretFinding Signal"
    ),
    "understanding": (
        "BoundaryDecision BoundaryFactor BoundaryFeedback BoundaryInput Candidate Entity EntityKind "
        "Intent IntentScore PriorMessage Reference ReferenceKind ReferenceState Speaker"
    ),
}  # a test holds it against what the modules define
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a name that is nowhere stays an error of the type check

    def __getattr__(name: str) -> object:
        module = _MODULE_OF.get(name)
        if module is None:
            raise AttributeError(f"There is no value {name!r}.")
        value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
        return value
