"""What goes to a judge and what comes back, as values. Ids are those of one request: "m12" a message, "k7" a known memory.

Offsets are code points into a message's text, half-open. Source: JUDGE "The request and the answer".
"""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class JudgeMessage:
    """One prompt of the person, redacted, with the end of what the assistant answered."""

    message_id: int
    conversation_id: int
    session: str
    at: datetime
    text: str
    answer_end: str = ""
    is_candidate: bool = False  # the rules think that it may hold something
    is_imported: bool = False
    place: int = 0  # in its request, of one that has left the queue: its number may not be a message's

    @property
    def id(self) -> str:
        return f"m{self.order}"

    @property
    def is_past(self) -> bool:
        return self.place > 0

    @property
    def order(self) -> int:
        """Grows with the order in which the messages of one request were typed."""
        return self.place or self.message_id


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """An active memory that a message may replace."""

    memory_id: int
    text: str
    type: str
    since: datetime

    @property
    def id(self) -> str:
        return f"k{self.memory_id}"


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Unread prompts of one project and one app, in order."""

    project: str
    messages: tuple[JudgeMessage, ...]
    known: tuple[KnownMemory, ...] = ()
    earlier: tuple[str, ...] = ()  # what was typed there before, for names; not sent


@dataclass(frozen=True, slots=True)
class AnsweredMemory:
    """What a judge says is worth remembering; nothing of it is believed yet."""

    message: str
    quote: str
    statement: str
    type: str = "fact"
    scope: str = "project"
    worth: int = 2
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnsweredChange:
    """What a judge says holds no longer: `old` an id of a known memory, or words."""

    message: str
    quote: str
    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class AnsweredTopic:
    starts: str
    title: str = ""
    outcome: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    memories: tuple[AnsweredMemory, ...] = ()
    changes: tuple[AnsweredChange, ...] = ()
    topics: tuple[AnsweredTopic, ...] = ()
    unread_count: int = 0  # entries that were no entries


@dataclass(frozen=True, slots=True)
class VerifiedMemory:
    """A memory whose quote is in the person's own words of that message."""

    message: JudgeMessage
    start: int
    end: int
    statement: str
    type: str
    scope: str
    worth: int
    replaces: tuple[str, ...] = ()
    unsaid: str = ""  # a number, name or negation of the statement that only an assistant's answer says
    is_from_reply: bool = False  # such a one is in the answer that the message replies to

    @property
    def quote(self) -> str:
        return self.message.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class VerifiedChange:
    message: JudgeMessage
    quote: str
    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class VerifiedTopic:
    message: JudgeMessage
    title: str
    outcome: str
    summary: str


@dataclass(frozen=True, slots=True)
class Verified:
    memories: tuple[VerifiedMemory, ...] = ()
    changes: tuple[VerifiedChange, ...] = ()
    topics: tuple[VerifiedTopic, ...] = ()
    dropped: tuple[str, ...] = ()  # why each of the others was not taken


@dataclass(frozen=True, slots=True)
class Reply:
    """What an adapter brings back: the answer's text, and what it cost as far as the program says."""

    text: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    money_usd: float | None = None
