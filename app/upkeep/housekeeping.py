"""The quiet thread: verified backups when something changed, thinning, letting old undo and old receipts go, learning
from answers, and once a day the archive of proposals that nobody looked at.

Nothing here is needed for an answer; every step is short. Source: QUALITY R5, S1 "learned from".
"""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import date

from app.context.receipts import Receipts
from app.context.usage import settle_old
from app.errors import RemanenceError
from app.settings import Settings
from app.store.store import Store
from app.values import Changes, DataKind

_log = logging.getLogger(__name__)
_ROUND_S = 5.0  # a hook that found us busy has spooled: no prompt waits longer than this
_TIDY_EVERY_S = 3_600.0
_LEARN_AFTER_S = 2.0  # a person often corrects several in a row


class Housekeeper:
    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        learn: Callable[[], None],
        each_round: Callable[[], object],
        archive_unseen: Callable[[], object],
        spends: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._store = store
        self._settings = settings
        self._learn = learn
        self._each_round = each_round
        self._archive_unseen = archive_unseen
        self._spends = spends  # books what is done inside
        self._day: date | None = None  # the last one that was counted
        self._condition = threading.Condition()
        self._is_stopping = False
        self._has_changed = False
        self._must_learn = False
        self._thread: threading.Thread | None = None
        self._unsubscribe = store.subscribe(self._on_changes)
        self._last_backup_s = store.clock.monotonic_s()
        self._last_tidy_s = store.clock.monotonic_s()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="remanence-housekeeping", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def learn_soon(self) -> None:
        with self._condition:
            self._must_learn = True
            self._condition.notify_all()

    def _on_changes(self, changes: Changes) -> None:
        with self._condition:
            self._has_changed = self._has_changed or changes.seq > 0
            if DataKind.RULES in changes.kinds:
                self._must_learn = True
                self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_stopping or self._must_learn, timeout=_ROUND_S)
                if self._must_learn and not self._is_stopping:
                    self._condition.wait_for(lambda: self._is_stopping, timeout=_LEARN_AFTER_S)
                if self._is_stopping:
                    return
                must_learn, self._must_learn = self._must_learn, False
            try:
                with self._spends():
                    self._round(must_learn=must_learn)
            except Exception as error:  # noqa: BLE001 (this thread must outlive everything; the next round tries again)
                _log.warning("housekeeping: %s", error, exc_info=not isinstance(error, RemanenceError))

    def _round(self, *, must_learn: bool) -> None:
        if must_learn:
            self._learn()
        self._each_round()
        self.begin_day()
        self._back_up()
        self._tidy()

    def begin_day(self) -> None:
        """Once a day: counts it as one on which the app ran, and archives what nobody looked at."""
        today = self._store.clock.now().astimezone().date()
        if today != self._day:
            self._archive_unseen()
            self._day = today

    def _back_up(self) -> None:
        settings = self._settings()
        now_s = self._store.clock.monotonic_s()
        if not self._has_changed or now_s - self._last_backup_s < settings.backup_interval_s:
            return
        self._has_changed = False
        self._last_backup_s = now_s
        self._store.backups.create("automatic")
        self._store.backups.thin(settings.backups_kept)
        self._store.prune_journal(settings.undo_days)
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))

    def _tidy(self) -> None:
        now_s = self._store.clock.monotonic_s()
        if now_s - self._last_tidy_s >= _TIDY_EVERY_S:
            self._last_tidy_s = now_s
            self.tidy()

    def tidy(self) -> None:
        """Settles what sessions were told that nobody ended; lets receipts go that are older than the setting."""
        settle_old(self._store)
        Receipts(self._store).prune(self._settings().receipt_days)
