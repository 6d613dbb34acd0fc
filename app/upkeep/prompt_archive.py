"""The prompt archive: what is kept of prompts that leave the queue, for how long, and how it is switched off.

Off by default: what leaves is deleted. Kept are the person's prompts as stored, redacted, with pasted code, diffs and logs named in
place of themselves, in the transaction in which their conversation leaves; undo takes them out again. Expiry lets go at most two
days' worth for each day on which the app ran, so that no jump of the clock empties it. Source: issue 16 point 13, QUALITY R7.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.actor import bound_actor
from app.capture.exclusion import Exclusions
from app.deciders.conversation.authorship import condense_pastes
from app.errors import InvalidError
from app.settings import Settings
from app.store.app_metadata import drop_marks, read_mark, set_marks
from app.store.journal import Record, Write
from app.store.rows import archived_prompts as rows
from app.store.store import Store
from app.store.tables.core import ArchivedPromptRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.upkeep.erase import Eraser
from app.values import DataKind, Origin

KEPT_DAYS = {"90d": 90, "1y": 365}
OFF = "off"
_NAME = "archive_horizon"  # choice, what is typed before then has gone (microseconds), local date of the last step
_STEP = timedelta(days=2)
_PROMPTS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class _Horizon:
    choice: str
    at: int  # microseconds
    day: str

    def encode(self) -> str:
        return json.dumps([self.choice, self.at, self.day])


class PromptArchive:
    """Thread-safe."""

    def __init__(self, store: Store, settings: Callable[[], Settings], excluded: Exclusions, eraser: Eraser) -> None:
        self._store = store
        self._settings = settings
        self._excluded = excluded
        self._eraser = eraser
        self._figures = (-1, -1), rows.ArchiveFigures(0, 0)

    @property
    def is_on(self) -> bool:
        return self._settings().archive != OFF

    def figures(self, connection: Connection) -> rows.ArchiveFigures:
        """How much there is, as `connection` sees it; counted again only where prompts came or went since."""
        mark = rows.archive_mark(connection)
        if bound_actor() is not None:
            return rows.archive_figures(connection)
        if self._figures[0] != mark:
            self._figures = mark, rows.archive_figures(connection)
        return self._figures[1]

    # keeping ------------------------------------------------------------------------------------

    def keep_conversation(self, write: Write, conversation_id: int) -> None:
        """Keeps the prompts of a conversation that is about to leave the queue, in the same transaction."""
        if not self.is_on:
            return
        kept = [
            {
                "id": row.id, "conversation_id": conversation_id, "stream_id": row.stream_id, "at": row.at,
                "is_imported": bool(row.is_imported), "text": text,
            }
            for row in rows.load_leaving(write.connection, conversation_id)
            if (text := condense_pastes(row.text).strip()) and not self._excluded.excludes([row.path], [row.text])
        ]  # fmt: skip
        self._keep(write, kept)

    def keep_past(self, write: Write, prompts: Sequence[tuple[int, int, datetime, str]]) -> None:
        """Keeps prompts of an imported history that goes beyond the queue: (conversation, stream, instant, text as it may be kept)."""
        if not self.is_on:
            return
        kept = [
            {
                "id": write.ids.take("message"), "conversation_id": conversation_id, "stream_id": stream_id, "at": at,
                "is_imported": True, "text": condensed,
            }
            for conversation_id, stream_id, at, text in prompts
            if (condensed := condense_pastes(text).strip())
        ]  # fmt: skip
        self._keep(write, kept)

    def _keep(self, write: Write, records: Sequence[Record]) -> None:
        if not records:
            return
        horizon = self._horizon(write.connection)
        if horizon is not None and not horizon.day:  # noted while the clock says what it says now
            self._save(write.connection, _Horizon(horizon.choice, horizon.at, self._today()))
        wanted = [one for one in records if horizon is None or to_microseconds(one["at"]) >= horizon.at]
        ids = [one["id"] for one in wanted]
        known: set[int] = set()
        for start in range(0, len(ids), _PROMPTS_AT_ONCE):
            some = ids[start : start + _PROMPTS_AT_ONCE]
            known |= set(some) - rows.find_missing_prompts(write.connection, some)
        write.insert_many(ArchivedPromptRow, [one for one in wanted if one["id"] not in known])

    # letting go ---------------------------------------------------------------------------------

    def begin_day(self) -> int:
        """Once a day of running: lets go of what is older than the choice says; returns how many prompts."""
        choice = self._settings().archive
        if choice not in KEPT_DAYS:
            return 0
        with self._store.read() as connection:
            horizon = self._horizon(connection)
            if horizon is None or horizon.day == self._today():
                return 0
        with self._store.write(origin=Origin.ENGINE, kind="archive_expired", label="", is_undoable=False) as write:
            moved = self._move_on(self._horizon(write.connection) or horizon)
            self._save(write.connection, moved)
            count = rows.delete_older(write.connection, moved.at)
            if count:
                write.label = f"Deleted {_prompts(count)} of the archive: older than {_said(choice)}"
                write.is_recorded = True
                write.touched.setdefault(DataKind.MESSAGES, set())
        return count

    def _move_on(self, horizon: _Horizon) -> _Horizon:
        due = to_microseconds(self._store.clock.now() - timedelta(days=KEPT_DAYS[horizon.choice]))
        step = horizon.at + to_microseconds(from_microseconds(0) + _STEP)
        return _Horizon(horizon.choice, max(horizon.at, min(due, step)), self._today())

    def _horizon(self, connection: Connection) -> _Horizon | None:
        """What is kept begins here; None for ever and for off. A choice that is new begins with the oldest that is there."""
        choice = self._settings().archive
        if choice not in KEPT_DAYS:
            return None
        value = read_mark(connection, _NAME)
        known = _Horizon(*json.loads(value)) if value else None
        if known is not None and known.choice == choice:
            return known
        due = to_microseconds(self._store.clock.now() - timedelta(days=KEPT_DAYS[choice]))
        return _Horizon(choice, min(due, rows.oldest_at(connection) or due), "")

    def _save(self, connection: Connection, horizon: _Horizon) -> None:
        set_marks(connection, {_NAME: horizon.encode()})

    def _today(self) -> str:
        return self._store.clock.now().astimezone().date().isoformat()

    # choosing -----------------------------------------------------------------------------------

    def count_lost(self, choice: str) -> int:
        """How many prompts this choice would delete for good."""
        with self._store.read() as connection:
            at = self._deleted_before(choice)
            return rows.count_prompts(connection) if at is None else rows.count_older(connection, at)

    def check_choice(self, choice: str) -> None:
        """Raises InvalidError for a choice that would delete prompts: that is asked first."""
        lost = self.count_lost(choice)
        if lost:
            raise InvalidError(
                f"This deletes {_prompts(lost)} of the archive for good.",
                hint=f"Settings asks before it does; on the command line: remanence archive {choice} --yes",
            )

    def delete_for(self, choice: str, *, includes_backups: bool = False) -> int:
        """Deletes for good what this choice does not keep, its index and its images in the journal too; returns how many."""
        at = self._deleted_before(choice)
        with self._store.write(origin=Origin.PERSON, kind="archive", label="", is_undoable=False) as write:
            count = rows.delete_older(write.connection, at)
            rows.forget_images(write.connection, is_all=choice == OFF)
            if choice == OFF:
                drop_marks(write.connection, _NAME)
            write.label = f"Deleted {_prompts(count)} of the archive"
            write.is_recorded = count > 0
            write.touched.setdefault(DataKind.MESSAGES, set())
        if count:
            self._eraser.clean_files((), is_gone_only=True)
            self._eraser.clean_backups(includes_backups=includes_backups)
        return count

    def _deleted_before(self, choice: str) -> int | None:
        """None: all of it."""
        if choice == OFF:
            return None
        if choice not in KEPT_DAYS:
            return -(2**62)
        return to_microseconds(self._store.clock.now() - timedelta(days=KEPT_DAYS[choice]))


def _prompts(count: int) -> str:
    return f"{count:,} prompt{'' if count == 1 else 's'}"


def _said(choice: str) -> str:
    return {"90d": "90 days", "1y": "a year"}[choice]
