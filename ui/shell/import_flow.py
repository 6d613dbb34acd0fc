"""Import without dialogues: recognise what was dropped or chosen, offer it on a card, read it behind, tell the result.

Also begins the other long work of the frame (backup). Knows the bridge and its card; no engine thread.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QDir, QObject, QUrl, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.errors import RemanenceError
from ui.bridge import EngineBridge, Failure, Job, JobDone
from ui.notices import Notice, NoticeKind
from ui.shell.import_drop import ImportCard
from ui.widgets.progress_strip import ProgressStrip
from ui.wording.figures import counted, describe_bytes

if TYPE_CHECKING:
    from app.api import Engine
    from app.values.desk import Backup, FoundSource, ImportReport

IMPORT_JOB = "import"
BACKUP_JOB = "backup"
MAX_PATHS = 200
UNKNOWN = "unknown"


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
        card.import_pressed.connect(self.start)
        card.undo_pressed.connect(self._on_undo)
        bridge.finished.connect(self._on_finished)
        bridge.failed.connect(self._on_failed)

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def choose_files(self, parent: QWidget) -> None:
        """Lets the person choose files with the system's own window."""
        dialog = QFileDialog(parent, "Import histories")
        dialog.setObjectName("import.files")
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
        if not wanted or IMPORT_JOB in self._running:
            return

        def work(job: Job) -> "tuple[ImportReport, ...]":
            return import_all(job, wanted)

        self._begin(IMPORT_JOB, f"Reading {counted(len(wanted), 'history', 'histories')}", work)

    def start_backup(self) -> None:
        def work(job: Job) -> object:
            return job.engine.backups.create()

        self._begin(BACKUP_JOB, "Backing up", work)

    def _begin(self, job_id: str, text: str, work: Callable[[Job], object]) -> None:
        if job_id not in self._running:
            self._running.add(job_id)
            self._strip.begin(job_id, text)
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

    def _on_finished(self, done: JobDone) -> None:
        if done.job_id not in self._running:
            return
        self._end(done.job_id)
        if done.job_id == BACKUP_JOB:
            self._tell_backup(cast("Backup", done.value))
        elif isinstance(done.value, tuple):
            self._card.show_reports(done.value)
            self.imported.emit(done.value)

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

        self._bridge.do("import.undo", undo_all)


def recognise_all(engine: "Engine", paths: Sequence[Path]) -> "tuple[FoundSource, ...]":
    """What each path is; a path that cannot be read is unknown, not an error of the whole drop."""
    from app.values.desk import FoundSource  # late, as all values here: the frame is painted first

    found: list[FoundSource] = []
    for path in paths:
        try:
            found.append(engine.transfer.recognise(path))
        except RemanenceError as error:
            found.append(FoundSource(UNKNOWN, str(error), path, 1, 0, None))
    return tuple(found)


def import_all(job: Job, sources: "Sequence[FoundSource]") -> "tuple[ImportReport, ...]":
    """Reports of the sources that were read before the end or the cancel."""
    reports: list[ImportReport] = []
    for source in sources:
        if job.cancel.is_set():
            break
        reports.append(
            job.engine.transfer.import_history(source.source, source.path, progress=job.progress, cancel=job.cancel)
        )
    return tuple(reports)
