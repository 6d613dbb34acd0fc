"""What an assistant is told when it asks, and what it asks to remember. All texts come framed as data.

Owns that whoever asks does so from a place; what becomes of what it wants remembered is the witness's. Source: DESIGN section 6 "MCP".
"""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from app.acting import bound_actor
from app.api.clean_arguments import takes_any_text
from app.api.core import Core
from app.capture.places import find_place
from app.context.answers import FoundMemory, Place, Teller, Told
from app.retrieval.messages import FoundMessages
from app.values import MemoryFilter, Report, Reported

__all__ = ["FoundMemory", "Place", "TellingDoor", "Told"]


@takes_any_text
class TellingDoor:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._store = core.store
        self._teller = Teller(
            core.store, core.recall, core.indexing.usage, secrets.token_bytes(32), self._find_messages
        )

    def _find_messages(self, connection: Connection, query: str, filters: MemoryFilter, limit: int) -> FoundMessages:
        search = self._core.message_search
        now = self._core.clock.now()
        return search.find(connection, query, filters, limit, now=now, is_archive_on=self._core.archive.is_on)

    def fetch_message(self, message_id: int, place: Place) -> FoundMemory:
        """What the person typed, its stretch of at most 400 characters. Raises NotFoundError, also for what may not be told there."""
        return self._teller.fetch_message(message_id, place)

    def place(self, wanted: str) -> Place:
        """Where somebody asks from: a folder of a project, a project's name, or "" for none.

        Raises NotFoundError for a name that nobody knows, AmbiguousError for one that two projects have.
        """
        who = bound_actor()
        if who is None:
            return self._teller.find_place(wanted)
        with self._store.read_for_caller() as connection:  # other projects' names are none of its business
            place = find_place(connection, wanted)
        return place if place.path in who.projects else Place()

    def recall(self, query: str, place: Place, *, limit: int = 8, at: datetime | None = None) -> Told:
        """What fits the query and may be told there, best first; `at`: as it was known and held then."""
        return self._teller.recall(query, place, limit=limit, at=at)

    def expand(self, memory_ids: Iterable[int], place: Place, *, at: datetime | None = None) -> Told:
        """Whole texts by number, as far as they may be told there; `at`: as they were known and held then."""
        return self._teller.expand(memory_ids, place, at=at)

    def timeline(self, place: Place, *, topic: str = "", limit: int = 30, at: datetime | None = None) -> Told:
        """What was learned and when, oldest first, what is over included; `at`: what was known of it then."""
        return self._teller.timeline(place, topic=topic, limit=limit, at=at)

    def contradictions(self, place: Place, *, topic: str = "", limit: int = 20) -> Told:
        """Open contradictions that may be told there, each as one question."""
        return self._teller.contradictions(place, topic=topic, limit=limit)

    def list_hits(self, query: str, place: Place, *, limit: int = 10) -> tuple[FoundMemory, ...]:
        return self._teller.list_hits(query, place, limit=limit)

    def fetch(self, memory_id: int, place: Place) -> FoundMemory:
        """One memory, whole. Raises NotFoundError, also for one that may not be told there."""
        return self._teller.fetch(memory_id, place)

    def remember(self, report: Report, place: Place, *, app: str) -> Reported:
        """Keeps what an assistant reports: active where the person said it in one of their last prompts to it, else proposed."""
        core = self._core
        clean = replace(
            report,
            statement=core.inbox.clean_text(report.statement, core.current).strip(),
            quote=core.inbox.clean_text(report.quote, core.current).strip(),
            tags=tuple(core.inbox.clean_text(tag, core.current) for tag in report.tags),
        )
        return core.witness.remember(clean, place, app)
