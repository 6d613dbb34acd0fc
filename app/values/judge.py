"""What the window, the socket and the command line see of reading along: its state, the choices, the readings and their meter."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ReadingState(StrEnum):
    OFF = "off"
    IDLE = "idle"  # on, and nothing is being read
    READING = "reading"
    CAPPED = "capped"  # the next request would go beyond the cap
    PUT_OFF = "put_off"  # battery or load
    PAUSED = "paused"  # by the person
    FAILED = "failed"  # refused, or three failures in a row


class Payer(StrEnum):
    PLAN = "plan"  # the program's own login
    KEY = "key"  # an account behind a key
    NOBODY = "nobody"  # a model on this machine
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Somebody who could read along. `title` is who it is, `place` where it was found."""

    id: str
    judge: str  # the value of the setting
    title: str
    is_found: bool
    place: str = ""
    is_local: bool = False  # nothing leaves this machine
    model: str = ""
    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """The one question: who could read along, the first choice first, and what days like the last seven would cost."""

    choices: tuple[JudgeChoice, ...]
    tokens_a_day: int
    daily_cap: int  # 0 = none


@dataclass(frozen=True, slots=True)
class JudgeTotals:
    reading_count: int = 0
    conversation_count: int = 0
    prompt_count: int = 0
    token_count: int = 0
    money_usd: float | None = None
    remembered_count: int = 0
    closed_count: int = 0
    dropped_count: int = 0
    other_token_count: int = (
        0  # of the tokens those of requests that read no prompt: contradictions, notes, shorter wordings
    )


@dataclass(frozen=True, slots=True)
class JudgeState:
    """State of reading along."""

    state: ReadingState
    judge: str = "off"
    set_by: str = "default"
    readers: tuple[str, ...] = ()  # titles
    problem: str = ""
    hint: str = ""
    until: datetime | None = None  # it continues by itself then
    reading_since: datetime | None = None
    reading_count: int = 0  # prompts that are being read
    pending_count: int = 0  # requests queued or running
    unread_count: int = 0  # prompts that somebody would read
    today: JudgeTotals = field(default_factory=JudgeTotals)
    month_token_count: int = 0
    daily_cap: int = 0
    monthly_cap: int = 0
    is_question_open: bool = False
    is_settable: bool = True  # not held by the environment or a flag


@dataclass(frozen=True, slots=True)
class JudgePastCount:
    """What has left the queue and nobody read."""

    prompt_count: int = 0  # whose words are in the archive or in their assistant's own history
    token_count: int = 0  # about, to read them
    gone_count: int = 0  # no longer kept anywhere


@dataclass(frozen=True, slots=True)
class ReadConversation:
    conversation_id: int
    title: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class JudgeReading:
    """One request to a judge, whatever came of it."""

    id: int
    at: datetime
    adapter: str
    reader: str  # who read, for people
    model: str
    app: str
    project: str
    state: str  # done, failed, refused
    error: str
    conversations: tuple[ReadConversation, ...]
    prompt_count: int
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    money_usd: float | None
    payer: Payer
    remembered_count: int
    closed_count: int
    put_away_count: int
    dropped_count: int
    drop_reasons: tuple[tuple[str, int], ...]  # most often first
    operation_id: int | None
    is_undone: bool
    is_undoable: bool

    @property
    def token_count(self) -> int:
        return self.prompt_tokens + self.answer_tokens


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One prompt that was read, as it is now."""

    message_id: int
    conversation_id: int
    at: datetime
    text: str
    answer_end: str


@dataclass(frozen=True, slots=True)
class CameOfIt:
    """A memory that a reading made, closed or put away. `what`: remembered, closed, put_away."""

    memory_id: int
    what: str
    text: str
    quote: str
    message_id: int | None
    is_kept: bool = True


@dataclass(frozen=True, slots=True)
class JudgeReadingDetail:
    """A reading opened. What was sent is drawn from the messages while they exist."""

    reading: JudgeReading
    messages: tuple[SentMessage, ...]
    gone_count: int  # prompts that are no longer kept
    came_of_it: tuple[CameOfIt, ...]
