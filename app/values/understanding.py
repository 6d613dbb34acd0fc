"""What the deciders take and return: entities, references, intents, boundaries.

Offsets are code points into the message's text, half-open [start, end). Confidences are 0..1.
Source: S1 (conversation memory), S2 (context references).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class EntityKind(StrEnum):
    FEATURE = "feature"  # dark mode, export feature
    COMPONENT = "component"  # FAB button, header, login form
    FILE = "file"  # go.mod, *.md, app/main.py
    PATH = "path"  # a folder or a route: docs/, /v1/events
    SYMBOL = "symbol"  # read_only_fnames, createHash, OAuthProvider
    TECHNOLOGY = "technology"  # fsnotify, PostgreSQL
    VALUE = "value"  # purple, 5s, 1.25.6, 502
    PERSON = "person"
    QUOTED = "quoted"  # a name the person put in quotes or backticks
    COMMAND = "command"  # /drop, go mod graph, npm test
    THING = "thing"  # any other noun phrase


@dataclass(frozen=True, slots=True)
class Entity:
    """One named thing where it is in one message."""

    text: str  # exactly as written, without determiner
    kind: EntityKind
    start: int
    end: int
    canonical: str  # normal form: equal canonical = same entity
    confidence: float = 0.8
    head: str = ""  # lower-case head noun ("button" of "FAB button")
    is_plural: bool = False


class Intent(StrEnum):
    PLAN = "PLAN"
    EXECUTE = "EXECUTE"
    TEST = "TEST"
    CORRECT = "CORRECT"
    QUESTION = "QUESTION"
    DEBUG = "DEBUG"
    REVIEW = "REVIEW"
    DOCUMENT = "DOCUMENT"
    INFORM = "INFORM"


@dataclass(frozen=True, slots=True)
class IntentScore:
    intent: Intent
    confidence: float
    reason: str  # for people: 'starts with "add"', 'like your examples'


class ReferenceKind(StrEnum):
    PRONOUN = "pronoun"  # it, they, them, one
    DEMONSTRATIVE = "demonstrative"  # this, that, these, those, that X
    DEFINITE = "definite"  # the X
    SAME = "same"  # same, again
    IMPLICIT = "implicit"  # a left-out object: "change the color" (of what?)
    ORDINAL = "ordinal"  # the second one, the latter
    CONVERSATION = "conversation"  # conversation #2, the FAB button from yesterday


class ReferenceState(StrEnum):
    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"  # two or more candidates too close: ask, never guess silently
    UNRESOLVED = "unresolved"  # nothing fits, or only the assistant's words could tell
    CORRECTED = "corrected"  # a person chose the antecedent
    DISMISSED = "dismissed"  # a person said: this refers to nothing


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    score: float  # 0..1, comparable within one reference only
    message_id: int | None  # None = this very message
    conversation_id: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention that stands for something else."""

    mention: str  # as written; "" for an implicit reference
    start: int
    end: int  # start == end for an implicit reference: where the object is missing
    kind: ReferenceKind
    state: ReferenceState
    antecedent: str | None  # the words to put in its place, without determiner
    confidence: float
    reason: str
    antecedent_message_id: int | None = None  # None = this very message
    antecedent_conversation_id: int | None = None
    candidates: tuple[Candidate, ...] = ()  # best first, at most five


@dataclass(frozen=True, slots=True)
class PriorMessage:
    """An earlier message as the deciders see it."""

    id: int
    at: datetime | None
    text: str
    conversation_id: int = 0
    speaker: Speaker = Speaker.USER
    entities: tuple[Entity, ...] = ()
    intents: tuple[Intent, ...] = ()
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundaryInput:
    """Everything the boundary decision may look at. `history` is oldest first, same stream."""

    text: str
    at: datetime | None
    entities: tuple[Entity, ...] = ()
    references: tuple[Reference, ...] = ()
    intents: tuple[Intent, ...] = ()
    history: tuple[PriorMessage, ...] = ()  # messages of the conversation that would be continued
    is_first_of_session: bool = False  # the assistant opened a new session (None history possible)
    is_session_ended: bool = False  # the assistant said that the earlier session is over
    is_alive_elsewhere: bool = False  # the earlier session spoke a few minutes ago: it may be open in another terminal
    outcome: str = ""  # inferred outcome of the conversation that would be continued


@dataclass(frozen=True, slots=True)
class BoundaryFactor:
    name: str  # marker, gap, overlap, session, drift, reference, reply, wording, length
    vote: float  # -1 (surely continues) .. 1 (surely new), 0 = no opinion
    text: str  # for people: "2 h gap", "no shared entities"


@dataclass(frozen=True, slots=True)
class BoundaryDecision:
    """`is_new` None = ask the person; the message stays with `leaning` until answered."""

    is_new: bool | None
    confidence: float  # of the decision; of `leaning` when asked
    reason: str  # one sentence in words
    leaning: bool = False
    factors: tuple[BoundaryFactor, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundaryFeedback:
    """What a person answered or corrected: the factors as they stood then, and the truth."""

    factors: tuple[BoundaryFactor, ...]
    is_new: bool
