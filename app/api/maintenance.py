"""Journal, statistics, backups and energy: what the smaller screens and `doctor` show.

Owns no rules of its own: reads what the store and the settings say, and hands each act on as one operation. Knows neither HTTP nor
Qt. Source: DESIGN section 6, UX 4.9 and 4.10, S5 "Energy Consumption".
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.notes import Notes
from app.capture.spool import count_aside
from app.store.database import sqlite_version
from app.store.file_sizes import file_bytes
from app.store.operations import next_undo
from app.store.rows.conversation import ConversationQuery
from app.store.rows.inbox import load_last_failure
from app.store.tables.core import SCHEMA_VERSION
from app.upkeep.daily_questions import load_today
from app.upkeep.statistics import load_statistics, load_stats
from app.upkeep.undo import list_changes, list_operations, redo, redo_label, undo
from app.values import (
    Backup,
    ChangeDetail,
    Changes,
    DataKind,
    Health,
    MemoryFilter,
    MemoryStatus,
    Operation,
    Origin,
    Stats,
)
from app.values.energy import EnergyPolled, EnergyState
from app.values.statistics import Statistics


@cleans_arguments
class EnergyApi:
    """Thread-safe."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def state(self) -> EnergyState:
        """The level now, and the last 24 hours."""
        with self._core.store.read() as connection:
            return self._core.energy.state(connection)

    def consumed_since_last_poll(self) -> EnergyPolled:
        """What background work took since this was asked last; the next asking begins again."""
        return EnergyPolled(round(self._core.energy.consumed_since_last_poll(), 3))


_LEARNED = MemoryFilter(statuses=(MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED))


@cleans_arguments
class Journal:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self, *, limit: int = 200, before_id: int | None = None, origin: Origin | None = None, query: str = ""
    ) -> tuple[Operation, ...]:
        """Newest first."""
        return self._core.read(list_operations, limit=limit, before_id=before_id, origin=origin, query=query)

    def detail(self, operation_id: int) -> tuple[ChangeDetail, ...]:
        return self._core.read(list_changes, operation_id)

    def undo(self, operation_id: int | None = None) -> Operation:
        """Undoes one operation; None: the person's last. Raises StaleError saying what stands in the way."""
        return undo(self._core.store, operation_id)

    def redo(self) -> Operation:
        return redo(self._core.store)

    def undo_label(self) -> str:
        """What undo would take back; "" when there is nothing."""
        with self._core.store.read_for_caller() as connection:
            row = next_undo(connection)
            return "" if row is None else str(row.label)

    def redo_label(self) -> str:
        with self._core.store.read_for_caller() as connection:
            return redo_label(connection)


@cleans_arguments
class StatsApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    def now(self, *, app: str | None = None, project: str | None = None) -> Stats:
        with self._core.store.read_for_caller() as connection:
            found = load_stats(
                connection, self._core.current.queue_size, self._core.clock.now(), ConversationQuery(app, project)
            )
            worker = self._core.judge_worker
            tokens = worker.token_count(connection)
            archive = self._core.archive.figures(connection)
            today = load_today(connection, self._core.clock.now())
            energy = self._core.energy.state(connection)
        return replace(
            found,
            judge_pending_count=worker.pending_count,
            judge_token_count=tokens,
            question_count=len(today.clarifications) + len(today.contradiction_ids),
            topic_question_count=len(today.clarifications),
            notes=Notes(self._core).stats(),
            energy_level=energy.level,
            energy_capacity=energy.capacity,
            energy_used_today=energy.used_today,
            archive=self._core.current.archive,
            archive_prompt_count=archive.prompt_count,
            archive_byte_count=archive.byte_count + self._core.indexing.prompts.size_bytes(),
        )

    def year(self, year: int | None = None) -> Statistics:
        """What was learned, given and corrected in a year, or in the last 53 weeks. Raises InvalidError."""
        core = self._core
        with core.store.read_for_caller() as connection:
            return load_statistics(
                connection,
                core.clock.now(),
                year=year,
                journal_days=core.current.undo_days,
                learned=partial(core.lists.learned_in, core.walled(_LEARNED)),
            )

    def health(self) -> Health:
        core = self._core
        store = core.places.store_path
        wal = store.with_name(store.name + "-wal")
        copies = core.store.backups.list()
        now = core.clock.now()
        is_paused = core.is_paused and (core.paused_until is None or core.paused_until > now)
        with core.store.read_for_caller() as connection:
            failed = load_last_failure(connection)
        return Health(
            endpoint=core.endpoint,
            is_capturing=not is_paused and not core.endpoint.error and not core.store.disk_problem,
            paused_until=core.paused_until if is_paused else None,
            is_paused=is_paused,
            disk_problem=core.store.disk_problem,
            store_notice=" ".join(
                one.notice
                for one in (core.store, core.secret_rule_set, core.loaded, core.hook_rule_files)
                if one.notice
            ),
            store_path=store,
            store_bytes=file_bytes(store),
            wal_bytes=file_bytes(wal),
            sqlite_version=sqlite_version(),
            schema_version=SCHEMA_VERSION,
            last_backup_at=copies[0].at if copies else None,
            last_error=str(failed or ""),
            aside_count=count_aside(core.places.spool_dir),
            aside_reason=core.aside_reason,
        )


@cleans_arguments
class BackupsApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> tuple[Backup, ...]:
        """Newest first."""
        return self._core.store.backups.list()

    def create(self, reason: str = "by hand") -> Backup:
        """A copy, checked before it counts. Raises DiskProblem."""
        backup = self._core.store.backups.create(reason)
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))
        return backup

    def restore(self, path: Path) -> Path | None:
        """Puts a backup in the store's place; the present store is backed up first, and kept where this says."""
        return self._core.restore(path)
