"""Dropping files on the window: an overlay while they hang over it, then a card that says what they are, later what came.

Names of files are shown as plain text; nothing is read here. Source: UX 4.9.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.icons import pixmap
from ui.theme import color, font, tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import ElidedLabel
from ui.wording.figures import counted, describe_bytes

if TYPE_CHECKING:
    from app.values.admin import FoundSource, HistorySize, ImportReport

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
        self._tell(reports, f"{word} {_came_in(reports)}", kind="warn" if failed else "good")

    def show_paused(self, reports: "Sequence[ImportReport]", heading: str) -> None:
        """One that can go on; closing the card leaves it at what came in."""
        self._tell(reports, f"{heading}: {_came_in(reports)} so far", kind="accent")
        self._continue.show()

    def _tell(self, reports: "Sequence[ImportReport]", heading: str, *, kind: str) -> None:
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
