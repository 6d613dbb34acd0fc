"""Notes of apps: listed, found, written, corrected, promoted, purged; given to whom names one; their figures.

Owns who may: the person all, a program the notes of its own app. What is made by itself is `upkeep.notes`'. Knows neither HTTP nor
Qt. Source: S5 "API Changes", "Phase 2".
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.actor import actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.capture.streams import title_of_app
from app.errors import ForbiddenError, InvalidError, NotFoundError
from app.language.search_words import split_stems
from app.store.journal import Record
from app.store.rows import note as rows
from app.store.rows.project import find_project
from app.store.tables.core import NoteChoiceRow, NoteRow
from app.values import MemoryDraft, Origin
from app.values.energy import Work
from app.values.fast_values import value_of
from app.values.notes import Note, NoteContext, NoteStats

LISTED_MOST = 10  # S5: an app's notes are never more than these to whom asks by its endpoint
_DAYS = 14
_EXPIRY_MOST_DAYS = 3_650


@cleans_arguments
class Notes:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # reading -----------------------------------------------------------------------------------------

    def list(self, *, app: str = "", query: str = "") -> tuple[Note, ...]:
        """The newest update first; with `query` those that say any of its words, those that say most first."""
        self._check_may_read(app)
        with self._core.store.read_for_caller() as connection:
            self._check_app(connection, app)
            notes = [_note_of(row) for row in rows.list_notes(connection, app=self._only(app))]
        wanted = set(split_stems(query))
        if not wanted:
            return tuple(notes)
        found = [(len(wanted.intersection(split_stems(one.content))), place, one) for place, one in enumerate(notes)]
        return tuple(one for count, _, one in sorted(found, key=lambda hit: (-hit[0], hit[1])) if count)

    def newest(self, app: str) -> tuple[tuple[int, str, datetime, datetime], ...]:
        """At most ten notes of an app as S5's endpoint lists them: (id, content, created, updated), the newest update first."""
        self._check_may_read(app)
        with self._core.store.read_for_caller() as connection:
            self._check_app(connection, app)
            found = rows.newest_of_app(connection, app, LISTED_MOST)
        return tuple((int(row.id), row.content, row.created_at, row.updated_at) for row in found)

    def get(self, note_id: int) -> Note:
        """Raises NotFoundError."""
        found = self._core.read(rows.list_notes, note_id=note_id)
        who = actor()
        if not found or (who is not None and not who.is_admin and found[0].app != who.app):
            raise _missing(note_id)
        return _note_of(found[0])

    @property
    def pending_count(self) -> int:
        """Conversations whose note is still to be made or worded."""
        return self._core.note_keeper.pending_count

    # giving ------------------------------------------------------------------------------------------

    def give(self, app: str, *, project_path: str | None = None, query: str = "", session: str = "") -> NoteContext:
        """S5's block for an app, at most 2,000 characters, with a receipt; empty where there is no note."""
        self._check_may_read(app)
        return self._core.note_giver.give(app, project_path=project_path, query=query, session=session)

    def review(self, conversation_id: int, *, project_path: str | None = None) -> NoteContext:
        """The block for the conversation that is opened to review: its app's notes of its project. Raises NotFoundError.

        `project_path`: where it has to be of; what is of another project is not there.
        """
        row = self._core.read(rows.load_conversation, conversation_id)
        if row is None or (project_path is not None and row.path != project_path):
            raise NotFoundError(f"There is no conversation {conversation_id}.", hint="It may have been erased.")
        self._check_may_read(row.app)
        return self._core.note_giver.give(
            row.app,
            project_path=row.path,
            query=row.title or row.auto_title,
            conversation_id=conversation_id,
            delivery="notes:review",
        )

    # by hand -----------------------------------------------------------------------------------------

    def add(self, app: str, content: str, *, project_path: str = "", importance: float = 5.0) -> int:
        """A note of the person's own; returns its number. Raises InvalidError when the app has as many as it may."""
        clean = self._clean(content)
        with self._core.store.write(origin=Origin.PERSON, kind="edit_note", label="") as write:
            row = self._find_app(write.connection, app)
            if len(rows.load_kept(write.connection, row.id)) >= self._core.current.notes_per_app:
                raise InvalidError(
                    f"{row.title} has {self._core.current.notes_per_app} notes.", hint="Delete one, or merge two."
                )
            write.label = f"Added a note for {row.title}"
            values: Record = {
                "app_id": row.id, "project_id": find_project(write.connection, project_path) if project_path else None,
                "content": clean, "created_at": write.at, "updated_at": write.at, "conversation_id": None,
                "importance": _from_ten(importance), "tags": [], "related_ids": [], "worded_by": "person", "memory_id": None,
            }  # fmt: skip
            return write.insert(NoteRow, values)

    def edit(
        self,
        note_id: int,
        *,
        content: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> None:
        """Changes what is named; from then on it is the person's and no model changes it. Raises NotFoundError."""
        values: Record = {"worded_by": "person"}
        if content is not None:
            values["content"] = self._clean(content)
        if importance is not None:
            values["importance"] = _from_ten(importance)
        if tags is not None:
            values["tags"] = [
                self._core.inbox.clean_short(tag.strip(), self._core.current) for tag in tags if tag.strip()
            ]
        with self._core.store.write(origin=Origin.PERSON, kind="edit_note", label="Changed a note") as write:
            write.get(NoteRow, note_id)
            write.update(NoteRow, note_id, values | {"updated_at": write.at})

    def delete(self, note_id: int, *, app: str = "") -> None:
        """Deletes a note; one Undo brings it back. Raises NotFoundError, also when it is of another app than `app`."""
        with self._core.store.write(origin=Origin.PERSON, kind="edit_note", label="Deleted a note") as write:
            found = rows.list_notes(write.connection, note_id=note_id)
            if not found or (app and found[0].app != app):
                raise _missing(note_id)
            self._check_may_change(found[0].app)
            write.delete(NoteRow, note_id)

    def purge(self, app: str) -> int:
        """Deletes all notes of an app, one Undo brings them back; returns how many. Raises NotFoundError."""
        self._check_may_change(app)
        with self._core.store.write(origin=Origin.PERSON, kind="edit_note", label="") as write:
            row = self._find_app(write.connection, app)
            ids = rows.numbers(rows.load_kept(write.connection, row.id))
            write.label = f"Deleted {len(ids)} note{'' if len(ids) == 1 else 's'} of {row.title or title_of_app(app)}"
            write.delete_many(NoteRow, ids)
        return len(ids)

    def promote(self, note_id: int) -> int:
        """Makes a memory of a note, for every app of its project; returns the memory's number. Raises NotFoundError."""
        core = self._core
        with core.store.write(origin=Origin.PERSON, kind="promote_note", label="") as write:
            found = rows.list_notes(write.connection, note_id=note_id)
            if not found:
                raise _missing(note_id)
            note = found[0]
            if note.memory_id is not None:
                return int(note.memory_id)
            memory_id = core.memory_curator.create(
                write, MemoryDraft(text=note.content, project_path=note.path, app=note.app)
            )
            write.update(NoteRow, note_id, {"memory_id": memory_id})
            return memory_id

    def set_expiry(self, app: str, days: int) -> None:
        """Sets after how many days without a change an app's notes are deleted; 0: never."""
        if not 0 <= days <= _EXPIRY_MOST_DAYS:
            raise InvalidError(f"0 to {_EXPIRY_MOST_DAYS:,} days.", hint="0 keeps notes until they are deleted.")
        with self._core.store.write(origin=Origin.PERSON, kind="note_expiry", label="") as write:
            row = self._find_app(write.connection, app)
            kept = (
                f"are deleted after {days} day{'' if days == 1 else 's'}" if days else "are kept until you delete them"
            )
            write.label = f"Notes of {row.title} {kept}"
            if rows.has_expiry(write.connection, row.id):
                write.update(NoteChoiceRow, row.id, {"days": days})
            else:
                write.insert(NoteChoiceRow, {"id": row.id, "days": days})

    def expiry(self) -> dict[str, int]:
        """After how many days without a change notes go, by app; what is not named keeps them."""
        with self._core.store.read_for_caller() as connection:
            return {app: days for app, days in rows.load_expiry(connection).items() if days}

    # figures -----------------------------------------------------------------------------------------

    def stats(self) -> NoteStats:
        """The metrics of S5."""
        now = self._core.clock.now()
        since = now - timedelta(days=_DAYS)
        day_ago = now - timedelta(days=1)
        with self._core.store.read_for_caller() as connection:
            log = rows.log_since(connection, since, ("created", "compacted", "given", "failed"))
            talks = rows.conversations_since(connection, since)
            with_notes, talked = rows.count_apps(connection)
            energy = self._core.energy.state(connection)
            count = rows.count_notes(connection)
        created = [row.at for row in log if row.kind == "created" and row.at >= day_ago]
        given_to = {row.session for row in log if row.kind == "given" and row.session}
        given_for = {row.conversation_id for row in log if row.kind == "given" and row.conversation_id}
        per_day: dict[Any, list[bool]] = {}
        for one in talks:
            is_given = one.session in given_to or one.id in given_for
            per_day.setdefault(one.started_at.date(), []).append(is_given)
        shares = [hit for hits in per_day.values() for hit in hits]
        compacted = Counter((row.at.date(), row.app) for row in log if row.kind == "compacted")
        units = sum(one.units for one in energy.uses if one.work in {Work.NOTE, Work.COMPACTION})
        return NoteStats(
            note_count=count,
            created_today_count=len(created),
            created_per_hour=_per_hour(created, now),
            compacted_per_day=tuple((day, app, number) for (day, app), number in sorted(compacted.items())),
            given_share=_share(sum(shares), len(shares)),
            apps_with_notes_share=_share(with_notes, talked),
            energy_share=round(units / energy.used_today, 4) if energy.used_today else 0.0,
            energy_units=round(units, 3),
            failed_count=sum(row.kind == "failed" for row in log),
            given_per_day=tuple((day, _share(sum(hits), len(hits))) for day, hits in sorted(per_day.items())),
        )

    # rights ------------------------------------------------------------------------------------------

    def _clean(self, content: str) -> str:
        clean = " ".join(self._core.inbox.clean_text(content, self._core.current).split())
        most = self._core.current.note_chars
        if not clean:
            raise InvalidError("A note must not be empty.", hint="Delete it if it is not wanted.")
        if len(clean) > most:
            raise InvalidError(
                f"This note has {len(clean)} characters; at most {most} are allowed.",
                hint="Shorten it, or make a memory of it.",
            )
        return clean

    @staticmethod
    def _only(app: str) -> str:
        """The app whose notes are listed: a program's own, whatever it asks."""
        who = actor()
        return app if who is None or who.is_admin else who.app

    @staticmethod
    def _check_may_read(app: str) -> None:
        who = actor()
        if who is not None and not who.is_admin and app and app != who.app:
            raise ForbiddenError(f"{who.app} may not read the notes of {app}.", hint="An app reads its own notes only.")

    @staticmethod
    def _check_may_change(app: str) -> None:
        who = actor()
        if who is not None and not who.is_admin and not (who.may_write and app == who.app):
            raise ForbiddenError(
                f"{who.app} may not delete notes of {app}.", hint="It needs the scope “write”, for its own."
            )

    def _check_app(self, connection: Connection, app: str) -> None:
        """No app is named where the notes of all of them are wanted."""
        if app:
            self._find_app(connection, app)

    @staticmethod
    def _find_app(connection: Connection, app: str) -> Any:
        row = rows.find_app(connection, app)
        if row is None:
            said = f"There is no app called {app}." if app else "A note belongs to an app, and none is named."
            raise NotFoundError(said, hint="remanence apps lists them.")
        return row


def _note_of(row: Any) -> Note:
    return value_of(
        Note,
        row,
        id=int(row.id),
        project=row.path,
        conversation_title=row.conversation_title or "",
        importance=round(row.importance * 10, 1),
        tags=tuple(row.tags),
        related_ids=tuple(row.related_ids),
    )


def _from_ten(importance: float) -> float:
    if not 0 <= importance <= 10:
        raise InvalidError("Importance is 0 to 10.", hint="5 is usual.")
    return importance / 10


def _missing(note_id: int) -> NotFoundError:
    return NotFoundError(f"There is no note {note_id}.", hint="It may have been deleted, or merged with another.")


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _per_hour(instants: Sequence[datetime], now: datetime) -> tuple[tuple[datetime, int], ...]:
    hours = [now - timedelta(hours=back) for back in range(24, 0, -1)]
    counts = [0] * len(hours)
    for at in instants:
        counts[min(max(0, int((at - hours[0]) / timedelta(hours=1))), len(hours) - 1)] += 1
    return tuple(zip(hours, counts, strict=True))
