"""What has left the queue and no judge has read: in the prompt archive, else in the assistant's own history file.

Says what there is, groups it for requests, the newest first, and brings the words for one request. What is in neither place is
counted and not pending. Keeps nothing. Source: JUDGE "The past".
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from app.capture.inbox import Inbox
from app.capture.priority import PriorityGate
from app.judge.request import MAX_MESSAGES, MAX_TEXT_CHARS
from app.judge.schedule import Batch
from app.settings import Settings
from app.store.rows.archived_prompts import load_prompts
from app.store.rows.unread_prompts import PastRow, load_past
from app.store.store import Store
from app.understanding.judge.history_files import EXCLUDED, HistoryFiles


@dataclass(frozen=True, slots=True)
class UnreadPrompts:
    """What nobody read of what has left. `rows`: the newest first, of those whose words are still somewhere."""

    rows: tuple[PastRow, ...] = ()
    gone_count: int = 0


class PromptText(NamedTuple):
    """A prompt of the past with its words, as a message of the queue comes for a request."""

    id: int
    conversation_id: int
    session: str
    at: datetime
    text: str
    answer_end: str
    is_imported: bool
    project: str
    path: str


class ArchivedPrompts:
    """Thread-safe."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        inbox: Inbox,
        is_archive_on: Callable[[], bool],
        gate: PriorityGate,
    ) -> None:
        self._store = store
        self._is_archive_on = is_archive_on
        self._files = HistoryFiles(inbox, settings, gate)

    def find(
        self, is_read: Callable[[str], bool], *, project: str = "", since: datetime | None = None
    ) -> UnreadPrompts:
        """What could be read. `is_read`: whether somebody reads that app; of others no file is opened.

        Parses history files that changed or have not been looked through; slow the first time.
        """
        with self._store.read() as connection:
            rows = load_past(connection, project=project, since=since, has_archive=self._is_archive_on())
            rows = [row for row in rows if is_read(row.app)]
            sizes = self._files.find(connection, [row for row in rows if not row.is_archived])
        held = [
            replace(row, characters=min(MAX_TEXT_CHARS, row.characters or sizes.get(row.event_id, 0))) for row in rows
        ]
        kept = tuple(row for row in held if row.is_archived or row.characters > 0)
        is_out = sum(row.characters == EXCLUDED for row in held)
        return UnreadPrompts(kept, len(held) - len(kept) - is_out)

    def load(self, connection: Connection, batch: Batch) -> list[PromptText]:
        """The prompts of a batch as far as they may be read still, in order, with their words."""
        rows = self.still(connection, batch)
        archived = {row.id: row.text for row in load_prompts(connection, [row.id for row in rows if row.is_archived])}
        again = self._files.load_texts(connection, [row for row in rows if not row.is_archived])
        found = []
        for row in rows:
            text = archived.get(row.id) if row.is_archived else again.get(row.event_id)
            if text is not None:
                found.append(
                    PromptText(
                        row.id,
                        row.conversation_id,
                        row.session,
                        row.at,
                        text,
                        "",
                        row.is_imported,
                        row.project,
                        row.path,
                    )
                )
        return found

    def still(self, connection: Connection, batch: Batch) -> list[PastRow]:
        """Those of a batch that nobody read, erased or took back since, in order. Opens no file."""
        rows = load_past(connection, since=batch.first_at, until=batch.last_at, has_archive=self._is_archive_on())
        wanted = set(batch.message_ids)
        return [row for row in reversed(rows) if row.number in wanted]


def batches_of(rows: Iterable[PastRow]) -> tuple[Batch, ...]:
    """Rows that come the newest first, in groups of one project and app that fit a request; the newest group first.

    Within a group they stand in the order in which they were typed.
    """
    groups: dict[tuple[int, int], list[PastRow]] = {}
    for row in rows:
        groups.setdefault((row.project_id, row.app_id), []).append(row)
    parts = [
        group[start : start + MAX_MESSAGES] for group in groups.values() for start in range(0, len(group), MAX_MESSAGES)
    ]
    parts.sort(key=lambda part: part[0].at, reverse=True)
    return tuple(map(_batch, parts))


def _batch(part: Sequence[PastRow]) -> Batch:
    first = part[0]
    ids = tuple(row.number for row in reversed(part))
    return Batch(
        first.app_id, first.app, first.project_id, ids, is_demanded=True, is_past=True,
        first_at=part[-1].at, last_at=first.at,
    )  # fmt: skip
