"""Import without dialogues: recognise what was dropped or chosen, count it, offer it on a card, read it behind, tell the result.

An overlay while files hang over the window, then a card that says what they are, later what came; names of files are plain text. What is
paused, or was ended by a kill, is offered again and continues as the same act. Also begins the other long work of the frame (backup).
Knows the bridge and its card; no engine thread. Source: UX 4.9.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QDir, QEvent, QObject, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from app.errors import RemanenceError
from app.values.changes import Progress
from ui.bridge import EngineBridge, Failure, Job, JobDone
from ui.icons import pixmap
from ui.notices import Notice, NoticeKind
from ui.theme import color, font, tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import ElidedLabel
from ui.widgets.popups.export_dialog import close_open_dialogs
from ui.widgets.progress_strip import ProgressStrip
from ui.wording.figures import counted, describe_bytes

if TYPE_CHECKING:
    from app.api import Engine
    from app.values.admin import Backup, FoundSource, HistorySize, ImportReport

IMPORT_JOB, MEASURE_JOB, UNDO_ACT = "import", "import.measure", "import.undo"
BACKUP_JOB = "backup"
MAX_PATHS = 200
UNKNOWN = "unknown"
SHOWN_FILES = 6
_UNKNOWN = "unknown"


class DropOverlay(QWidget):
    """Covers the window while files are dragged over it. `dropped` carries a list of paths."""

    dropped = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("drop")
        self.setAccessibleName("Drop files here to import them")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._count = 0
        window.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and event.type() is QEvent.Type.DragEnter:
            return self._on_enter(event)
        if event.type() is QEvent.Type.DragLeave:
            self.hide()
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            return self._on_drop(event)
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(color("bg"))
        ground.setAlpha(232)
        painter.fillRect(self.rect(), ground)
        painter.setPen(QPen(color("accent"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(24, 24, -24, -24), 14, 14)
        center = self.rect().center()
        painter.drawPixmap(center.x() - 18, center.y() - 60, pixmap("import", tokens().accent, 36, 1.0))
        painter.setPen(color("text"))
        painter.setFont(font(18, QFont.Weight.DemiBold))
        line = self.rect().adjusted(0, 20, 0, 20)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), f"Drop {counted(self._count, 'file')} to import")
        painter.setFont(font())
        painter.setPen(color("sub"))
        hint = (
            "Claude Code, Codex, ChatGPT, Claude.ai, and files of Remanence. Nothing is read before you press Import."
        )
        painter.drawText(self.rect().adjusted(0, 74, 0, 74), int(Qt.AlignmentFlag.AlignCenter), hint)

    def _on_enter(self, event: QDragEnterEvent) -> bool:
        paths = _local_paths(event)
        if not paths:
            return False
        self._count = len(paths)
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        event.acceptProposedAction()
        return True

    def _on_drop(self, event: QDropEvent) -> bool:
        self.hide()
        paths = _local_paths(event)
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)
        return bool(paths)


def _local_paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


class ImportCard(Card):
    """`import_pressed` carries the sources, `undo_pressed` the operations to take back; `left`: a paused one was closed."""

    import_pressed = Signal(object)
    undo_pressed = Signal(object)
    continue_pressed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Import", kind="accent", parent=parent)
        self.setObjectName("import.card")
        self._found: tuple[FoundSource, ...] = ()
        self._operations: tuple[int, ...] = ()
        close = IconButton("close", "import.close", "Close this card")
        close.clicked.connect(self._on_close)
        self.head.addWidget(close)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(3)
        self.body.addLayout(self._lines)
        self._go = Button("Import", "import.go", kind="primary", icon_name="import")
        self._go.clicked.connect(self._on_go)
        self._undo = Button("Undo import", "import.undo", icon_name="undo")
        self._undo.clicked.connect(self._on_undo)
        self._continue = Button("Continue", "import.continue", kind="primary", icon_name="import")
        self._continue.clicked.connect(self._on_continue)
        self.body.addLayout(row(self._go, self._continue, self._undo, 1))
        self.hide()

    def show_looking(self, count: int) -> None:
        self._show(f"Looking at {counted(count, 'file')}…", [], kind="accent")

    def show_offer(self, found: "Sequence[FoundSource]") -> None:
        """What the files are, and a button for those that can be read."""
        self._found = tuple(found)
        known = [source for source in found if source.source != _UNKNOWN]
        lines = [self._describe(source) for source in found[:SHOWN_FILES]]
        if len(found) > SHOWN_FILES:
            lines.append((f"and {len(found) - SHOWN_FILES} more", ""))
        if not known:
            self._show("Nothing here can be imported", lines, kind="warn")
            return
        unknown = len(found) - len(known)
        files = sum(source.file_count for source in known)
        suffix = f", {unknown} unknown" if unknown else ""
        self._show(f"{counted(files, 'file')} to import{suffix}", lines, kind="accent")
        self._go.set_text(f"Import {counted(len(known), 'history', 'histories')}")
        self._go.setEnabled(True)
        self._go.show()

    def show_sizes(self, sizes: "Mapping[FoundSource, HistorySize | None]") -> None:
        """How many messages what is offered has, counted meanwhile."""
        if not sizes or self._go.isHidden() or not set(sizes) <= set(self._found):
            return
        known = [size for size in sizes.values() if size is not None]
        messages, sessions = sum(one.message_count for one in known), sum(one.session_count for one in known)
        if len(known) < len(sizes):
            return  # memories and other files among them are not counted: no number would be the whole
        if messages:
            self.set_title(f"{counted(messages, 'new message')} in {counted(sessions, 'session')}")
            self._go.set_text(f"Import {counted(messages, 'message')}")
        else:
            self.set_title("Nothing new: all of this is here already")
            self._go.setEnabled(False)

    def show_reports(self, reports: "Sequence[ImportReport]") -> None:
        """What came in, in one line, with Undo."""
        is_stopped = any(report.is_cancelled for report in reports)
        failed = sum(report.failed_count for report in reports)
        word = "Stopped after" if is_stopped else "Imported"
        self._report(reports, f"{word} {_came_in(reports)}", kind="warn" if failed else "good")

    def show_paused(self, reports: "Sequence[ImportReport]", heading: str) -> None:
        """One that can go on; closing the card leaves it at what came in."""
        self._report(reports, f"{heading}: {_came_in(reports)} so far", kind="accent")
        self._continue.show()

    def _report(self, reports: "Sequence[ImportReport]", heading: str, *, kind: str) -> None:
        lines = [(_beside(reports), "")] if _beside(reports) else []
        failed = [report for report in reports if report.failed_count]
        lines += [(note, "") for report in failed for note in report.notes][:SHOWN_FILES]
        self._operations = tuple(report.operation_id for report in reports if report.operation_id is not None)
        self._show(heading, lines, kind=kind)
        self._undo.setVisible(bool(self._operations) and any(report.message_count for report in reports))

    def _describe(self, source: "FoundSource") -> tuple[str, str]:
        if source.source == _UNKNOWN:
            return f"{source.path.name}: not known", source.title
        return source.title, f"{source.path.name} · {describe_bytes(source.byte_count)}"

    def _show(self, title: str, lines: Sequence[tuple[str, str]], *, kind: str) -> None:
        self.set_title(title)
        self.set_kind(kind)
        for button in (self._go, self._undo, self._continue):
            button.hide()
        clear_layout(self._lines)
        for left, right in lines:
            line = row(ElidedLabel(left), ElidedLabel(right, "meta"))
            line.setStretch(0, 3)
            line.setStretch(1, 4)
            self._lines.addLayout(line)
        self.show()

    def _on_go(self) -> None:
        self.hide()
        self.import_pressed.emit(self._found)

    def _on_undo(self) -> None:
        self.hide()
        self.undo_pressed.emit(self._operations)

    def _on_continue(self) -> None:
        self.hide()
        self.continue_pressed.emit()

    def _on_close(self) -> None:
        is_paused = self._continue.isVisible()
        self.hide()
        if is_paused:
            self.left.emit()


def _came_in(reports: "Sequence[ImportReport]") -> str:
    return counted(sum(report.message_count for report in reports), "message")


def _beside(reports: "Sequence[ImportReport]") -> str:
    """What did not come in and why, in one line."""
    counts = (
        (sum(report.duplicate_count for report in reports), "already there"),
        (sum(report.skipped_count for report in reports), "left out (not typed by a person)"),
        (sum(report.failed_count for report in reports), "failed"),
    )
    return " · ".join(f"{count:,} {word}" for count, word in counts if count)


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
        )  # what continues, and what is left
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
        close_open_dialogs()
        dialog = QFileDialog(parent, "Import histories")
        dialog.setObjectName("import.files")
        dialog.setOption(QFileDialog.Option.ReadOnly)  # else Delete and Yes remove what is chosen in it, folders whole
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setFilter(
            QDir.Filter.AllDirs | QDir.Filter.Files | QDir.Filter.Hidden
        )  # histories are in ~/.claude and the like
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
            self._show_backup(cast("Backup", done.value))
        elif isinstance(done.value, ImportRun):
            self._show_run(done.value)

    def _show_run(self, run: ImportRun) -> None:
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

    def _show_backup(self, backup: "Backup") -> None:
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
    """Reads the sources one after the other until the end or the cancel; the first continues with `earlier`."""
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
