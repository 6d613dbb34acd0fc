"""What is announced after a commit, and what the journal and long jobs look like from outside.

`Changes` names kinds of data, never views, so that a listener decides for itself whether it concerns it. Knows nothing of
how a change is kept or undone. Source: STYLE "Qt and the engine".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class DataKind(StrEnum):
    """Kinds of data, never views (STYLE: Changes names kinds of data)."""

    CONVERSATIONS = "conversations"
    MESSAGES = "messages"
    EVENTS = "events"
    MEMORIES = "memories"
    CONTRADICTIONS = "contradictions"
    CHUNKS = "chunks"
    RECEIPTS = "receipts"
    INDEX = "index"  # the search index was written or rebuilt
    APPS = "apps"
    RULES = "rules"
    SETTINGS = "settings"
    JOURNAL = "journal"
    WINDOW = "window"
    READINGS = "readings"  # what a judge reads, and what came of it
    NOTES = "notes"
    GRAPH = "graph"  # where a person put a node
    ENERGY = "energy"  # background work was booked, or put off
    RUNS = "runs"  # consolidation: what it proposes, does and did
    STATE = "state"  # capture light, backups, disk trouble


class Origin(StrEnum):
    PERSON = "person"
    CAPTURE = "capture"
    IMPORT = "import"
    ENGINE = "engine"
    API = "api"


@dataclass(frozen=True, slots=True)
class Changes:
    """One commit. `seq` is the last journal number in it (0 when nothing was journalled)."""

    seq: int
    kinds: frozenset[DataKind]
    ids: Mapping[DataKind, tuple[int, ...]] = field(default_factory=dict)
    origin: Origin = Origin.ENGINE
    operation_id: int | None = None
    label: str = ""  # for people: "Renamed 'FAB button'"
    is_undoable: bool = False
    held_ids: tuple[int, ...] = ()  # memories of a person's own act that were held back until they allow them
    app: str = ""  # that did it
    is_private: bool = False  # its label is for the person's eyes: tokens, settings, exclusions


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the journal: one person's act, one captured message, one import."""

    id: int
    at: datetime
    origin: Origin
    kind: str  # rename, correct_reference, capture, import, undo…
    label: str
    change_count: int
    is_undone: bool
    is_undoable: bool
    undoes_id: int | None
    conversation_id: int | None
    message_id: int | None
    app: str = ""  # that did it; "" for the person and the engine
    why_not: str = ""  # it cannot be undone, for people


@dataclass(frozen=True, slots=True)
class Progress:
    job_id: str
    step: str  # for people: "Reading transcripts"
    done: int
    total: int | None
    remaining_s: float | None = None
    unit: str = ""  # of `done` and `total`: "messages"
