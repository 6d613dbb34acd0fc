"""Values of reference resolution: mentions, candidates, other conversations. No rules, no text reading."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from app.language.phrases import Role
from app.values import EntityKind, ReferenceKind, Speaker

QUOTED_BEHIND = "what it stands for is quoted behind it"


@dataclass(frozen=True, slots=True)
class ConversationMention:
    """Another conversation of the queue, as far as a reference may name it."""

    id: int
    position: int | None
    title: str
    entities: tuple[tuple[str, datetime | None], ...] = ()  # (entity, last spoken of)
    started_at: datetime | None = None


class AntecedentType(StrEnum):
    THING = "thing"
    PERSON = "person"
    TIME = "time"
    EVENT = "event"  # a clause or verb phrase
    ANY = "any"
    KIND = "kind"  # one: another of the same kind


@dataclass(frozen=True, slots=True)
class ReferenceMention:
    """A place in the message that stands for something else."""

    text: str
    start: int
    end: int
    kind: ReferenceKind
    form: str  # the pronoun or determiner in lower case
    token: int  # index of its first token
    type: AntecedentType
    number: str  # singular, plural, any
    is_possessive: bool = False
    noun: str = ""  # "button" of "the button"
    modifiers: tuple[str, ...] = ()
    verb: str = ""  # base form of the verb that governs it
    role: Role = Role.OBJECT
    sentence: int = 0
    clause: int = 0
    gender: str = ""
    ordinal: int | None = None
    is_embedded: bool = False


@dataclass(frozen=True, slots=True)
class NamedThing:
    """One thing that a message names, as it stands there."""

    text: str
    key: str  # equal key = the same thing
    head: str
    bare: str  # without numbers: what "one" stands for
    type: AntecedentType
    kind: EntityKind | None
    is_plural: bool
    is_name: bool
    is_embedded: bool
    determiner: str
    role: Role
    verb: str
    preposition: str
    sentence: int
    clause: int
    start: int
    end: int
    modifiers: frozenset[str] = frozenset()
    gender: str = ""  # m, f, "" unknown
    group: int = -1
    joined_by: str = ""
    is_title: bool = False  # a name with small words inside: no person's
    is_again: bool = False  # not named here: a pronoun of this place stood for it
    salience: float = 0.0  # points that do not depend on who refers to it
    acts_on: str = ""  # class for agreement with verbs: code, component, media…


class AntecedentCandidate(NamedTuple):
    """A thing that was said, seen from the message that refers to it."""

    thing: NamedThing
    distance: int  # messages back, 0 = this one
    age: float  # the same, an assistant's message counting less
    speaker: Speaker
    message_id: int | None
    conversation_id: int | None
