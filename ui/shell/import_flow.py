"""Import without dialogues: recognise what was dropped or chosen, count it, offer it on a card, read it behind, tell the result.

What is paused, or was ended by a kill, is offered again and goes on as the same act.

Also begins the other long work of the frame (backup). Knows the bridge and its card; no engine thread.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QDir, QObject, QUrl, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.errors import RemanenceError
from app.values.changes import Progress
from ui.bridge import EngineBridge, Failure, Job, JobDone
from ui.notices import Notice, NoticeKind
from ui.shell.import_drop import ImportCard
from ui.widgets.progress_strip import ProgressStrip
from ui.wording.figures import describe_bytes

if TYPE_CHECKING:
    from app.api import Engine
    from app.values.admin import Backup, FoundSource, HistorySize, ImportReport

IMPORT_JOB, MEASURE_JOB, UNDO_ACT = "import", "import.measure", "import.undo"
BACKUP_JOB = "backup"
MAX_PATHS = 200
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ImportRun:
    """What one run came to: the last report is of one that was stopped where `left` is not empty and begins with its source."""

    reports: "tuple[ImportReport, ...]"
    left: "tuple[FoundSource, ...]"


class ImportFlow(QObject):
    """`busy_changed` when a job begins or ends; `imported` carries the reports of one run."""

    busy_changed = Signal()
    imported = Signal(object)  # tuple[ImportReport, ...]

    def __init__(
        self,
        bridge: EngineBridge,
        card: ImportCard,
        strip: ProgressStrip,
        notify: Callable[[Notice], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._card = card
        self._strip = strip
        self._notify = notify
        self._running: set[str] = set()
        self._done: tuple[ImportReport, ...] = ()  # of sources of this run that were read to their end
        self._stopped: tuple[ImportReport | None, tuple[FoundSource, ...]] = (
            None,
            (),
        )  # what goes on, and what is left
        self._is_pausing = False
        card.import_pressed.connect(self.start)
        card.undo_pressed.connect(self._on_undo)
        card.continue_pressed.connect(self._on_continue)
        card.left.connect(self._on_left)
        strip.pause_pressed.connect(self._on_pause)
        bridge.opened.connect(self._ask_unfinished)
        bridge.finished.connect(self._on_finished)
        bridge.failed.connect(self._on_failed)

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def choose_files(self, parent: QWidget) -> None:
        """Lets the person choose files with the system's own window."""
        dialog = QFileDialog(parent, "Import histories")
        dialog.setObjectName("import.files")
        dialog.setOption(QFileDialog.Option.ReadOnly)  # else Delete and Yes remove what is chosen in it, folders whole
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setFilter(
            QDir.Filter.AllDirs | QDir.Filter.Files | QDir.Filter.Hidden
        )  # histories lie in ~/.claude and the like
        dialog.setDirectory(QDir.homePath())
        dialog.setNameFilters(["Histories (*.jsonl *.json *.zip *.zst)", "All files (*)"])
        dialog.urlsSelected.connect(self._on_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def offer(self, paths: Sequence[Path]) -> None:
        """Recognises `paths` and shows what they are on the card."""
        chosen = tuple(paths)[:MAX_PATHS]
        self._card.show_looking(len(chosen))
        self._bridge.ask("import.recognise", lambda engine: recognise_all(engine, chosen), self._on_recognised)

    def start(self, sources: "Sequence[FoundSource]") -> None:
        """Reads sources one after the other, as one job."""
        wanted = tuple(source for source in sources if source.source != UNKNOWN)
        self._done = ()
        self._start(wanted, None)

    def _start(self, wanted: "tuple[FoundSource, ...]", earlier: "ImportReport | None") -> None:
        if not wanted or IMPORT_JOB in self._running:
            return
        self._is_pausing = False
        self._bridge.cancel(MEASURE_JOB)

        def work(job: Job) -> ImportRun:
            return import_all(job, wanted, earlier)

        self._begin(IMPORT_JOB, "Counting…", work, can_pause=True)

    def start_backup(self) -> None:
        def work(job: Job) -> object:
            return job.engine.backups.create()

        self._begin(BACKUP_JOB, "Backing up", work)

    def _begin(self, job_id: str, text: str, work: Callable[[Job], object], *, can_pause: bool = False) -> None:
        if job_id not in self._running:
            self._running.add(job_id)
            self._strip.begin(job_id, text, stop="Cancel" if can_pause else "Stop", can_pause=can_pause)
            self._bridge.start(job_id, work)
            self.busy_changed.emit()

    def _end(self, job_id: str) -> None:
        self._running.discard(job_id)
        self._strip.finish(job_id)
        self.busy_changed.emit()

    def _on_chosen(self, urls: list[QUrl]) -> None:
        self.offer([Path(url.toLocalFile()) for url in urls if url.isLocalFile()])

    def _on_recognised(self, found: "tuple[FoundSource, ...]") -> None:
        self._card.show_offer(found)
        known = tuple(source for source in found if source.source != UNKNOWN)
        if known and IMPORT_JOB not in self._running:
            self._bridge.start(MEASURE_JOB, lambda job: measure_all(job, known))

    def _on_finished(self, done: JobDone) -> None:
        if done.job_id == MEASURE_JOB and isinstance(done.value, dict):
            self._card.show_sizes(done.value)
        if done.job_id not in self._running:
            return
        self._end(done.job_id)
        if done.job_id == BACKUP_JOB:
            self._tell_backup(cast("Backup", done.value))
        elif isinstance(done.value, ImportRun):
            self._tell_run(done.value)

    def _tell_run(self, run: ImportRun) -> None:
        reports = (*self._done, *run.reports)
        if run.left and self._is_pausing:
            stopped = run.reports[-1] if run.reports and run.reports[-1].is_cancelled else None
            self._done = reports[:-1] if stopped is not None else reports
            self._stopped = (stopped, run.left)
            self._card.show_paused(reports, "Import paused")
            return
        if run.left:
            self._bridge.do("import.leave", _leave_unfinished)
        self._card.show_reports(reports)
        self.imported.emit(reports)

    def _ask_unfinished(self) -> None:
        self._bridge.ask("import.unfinished", _read_unfinished, self._on_unfinished)

    def _on_unfinished(self, found: "tuple[ImportReport, FoundSource] | None") -> None:
        if found is not None and IMPORT_JOB not in self._running:
            report, source = found
            self._done, self._stopped = (), (report, (source,))
            self._card.show_paused((report,), "An import was interrupted")

    def _on_pause(self, job_id: str) -> None:
        if job_id == IMPORT_JOB:
            self._is_pausing = True
            self._bridge.cancel(IMPORT_JOB)

    def _on_continue(self) -> None:
        earlier, left = self._stopped
        self._start(left, earlier)

    def _on_left(self) -> None:
        """The card of a paused import was closed: what came in stays."""
        self._bridge.do("import.leave", _leave_unfinished)

    def _tell_backup(self, backup: "Backup") -> None:
        text = f"Backed up: {backup.path.name}, {describe_bytes(backup.byte_count)}, checked."
        self._notify(Notice(text, NoticeKind.GOOD))

    def _on_failed(self, failure: Failure) -> None:
        if failure.action_id in self._running:
            self._end(failure.action_id)
        if failure.action_id == "import.recognise":
            self._card.hide()

    def _on_undo(self, operation_ids: tuple[int, ...]) -> None:
        def undo_all(engine: "Engine") -> None:
            for operation_id in reversed(operation_ids):
                engine.journal.undo(operation_id)

        self._strip.begin(UNDO_ACT, "Undoing the import…", stop="")
        self._bridge.do(UNDO_ACT, undo_all)


def recognise_all(engine: "Engine", paths: Sequence[Path]) -> "tuple[FoundSource, ...]":
    """What each path is; a path that cannot be read is unknown, not an error of the whole drop."""
    from app.values.admin import FoundSource  # late, as all values here: the frame is painted first

    found: list[FoundSource] = []
    for path in paths:
        try:
            found.append(engine.transfer.recognise(path))
        except RemanenceError as error:
            found.append(FoundSource(UNKNOWN, str(error), path, 1, 0, None))
    return tuple(found)


def measure_all(job: Job, sources: "Sequence[FoundSource]") -> "dict[FoundSource, HistorySize | None]":
    """How many messages each has that are new; None of those that are no histories, or cannot be read."""
    sizes: dict[FoundSource, HistorySize | None] = {}
    for source in sources:
        try:
            sizes[source] = job.engine.transfer.measure(source.source, source.path, cancel=job.cancel)
        except RemanenceError:  # it is said when it is read
            sizes[source] = None
    return {} if job.cancel.is_set() else sizes


def import_all(job: Job, sources: "Sequence[FoundSource]", earlier: "ImportReport | None") -> ImportRun:
    """Reads the sources one after the other until the end or the cancel; the first goes on with `earlier`."""
    reports: list[ImportReport] = []

    def tell(progress: Progress) -> None:
        job.progress(replace(progress, job_id=IMPORT_JOB))

    for number, source in enumerate(sources):
        if job.cancel.is_set():
            return ImportRun(tuple(reports), tuple(sources[number:]))
        before = earlier if number == 0 else None
        report = job.engine.transfer.import_history(
            source.source, source.path, progress=tell, cancel=job.cancel, earlier=before
        )
        reports.append(report)
        if report.is_cancelled:
            return ImportRun(tuple(reports), tuple(sources[number:]))
    return ImportRun(tuple(reports), ())


def _read_unfinished(engine: "Engine") -> "tuple[ImportReport, FoundSource] | None":
    report = engine.transfer.unfinished()
    if report is None:
        return None
    from app.values.admin import FoundSource

    return report, FoundSource(report.source, report.source, report.path, 1, 0, None)


def _leave_unfinished(engine: "Engine") -> None:
    engine.transfer.leave_unfinished()
