"""Memories at the pointer: what a drag carries, and a widget that they can be let go over.

A drag carries their numbers for this window and their text as Markdown for every other program. Says by a signal what was dropped;
asks nobody. Source: UX 4.4.
"""

import json
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

MEMORIES_MIME = "application/x-remanence-memories"
MARKDOWN_MIME = "text/markdown"
TARGET = "target"  # property of a widget that memories hang over


def memories_mime(ids: Sequence[int], markdown: str) -> QMimeData:
    mime = QMimeData()
    mime.setData(MEMORIES_MIME, json.dumps(list(ids)).encode())
    set_markdown(mime, markdown)
    return mime


def set_markdown(mime: QMimeData, markdown: str) -> None:
    """The text that other programs get."""
    mime.setText(markdown)
    mime.setData(MARKDOWN_MIME, markdown.encode())


def dragged_memories(mime: QMimeData) -> tuple[int, ...]:
    """Numbers of the memories in a drag; () for any other one."""
    if not mime.hasFormat(MEMORIES_MIME):
        return ()
    return tuple(int(one) for one in json.loads(bytes(mime.data(MEMORIES_MIME).data())))


class DropTarget(QObject):
    """Lets memories be dropped on a widget. `dropped` carries their numbers; the widget draws itself by its property `target`."""

    dropped = Signal(object)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and event.type() is QEvent.Type.DragEnter:
            is_ours = bool(dragged_memories(event.mimeData()))
            event.setAccepted(is_ours)
            self._show(is_target=is_ours)
            return is_ours
        if event.type() is QEvent.Type.DragLeave:
            self._show(is_target=False)
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            self._show(is_target=False)
            ids = dragged_memories(event.mimeData())
            if ids:
                event.acceptProposedAction()
                self.dropped.emit(ids)
                return True
        return super().eventFilter(watched, event)

    def _show(self, *, is_target: bool) -> None:
        self._widget.setProperty(TARGET, is_target)
        self._widget.style().unpolish(self._widget)
        self._widget.style().polish(self._widget)
        self._widget.update()
