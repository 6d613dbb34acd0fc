"""The prompt archive as clients see it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """What is chosen and what is kept. Off with prompts left: they are searched no more, and wait to be deleted."""

    choice: str  # off, 90d, 1y, forever
    prompt_count: int
    byte_count: int  # of the packed texts
    index_byte_count: int

    @property
    def is_on(self) -> bool:
        return self.choice != "off"


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """A prompt whose conversation has left the queue. `id` is its message's number."""

    id: int
    text: str
    at: datetime
    conversation_id: int
    title: str
    app: str
    project: str  # folder
