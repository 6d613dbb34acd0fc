"""Asks where a conversation is to be written as Markdown. Never blocks: the path comes by a signal."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_MAX_NAME_CHARS = 80


def file_name_of(title: str) -> str:
    """A file name that every system takes, from a title.

    >>> file_name_of('Fix "a/b": now?'), file_name_of("???")
    ('Fix a b now.md', 'conversation.md')
    """
    kept = "".join(char if char.isalnum() or char in " -_" else " " for char in title)
    return f"{' '.join(kept.split())[:_MAX_NAME_CHARS].strip() or 'conversation'}.md"


def open_export_dialog(parent: QWidget, title: str) -> QFileDialog:
    """The dialog, open; its `fileSelected` carries the path. It deletes itself."""
    dialog = QFileDialog(parent, "Export conversation", file_name_of(title))
    dialog.setObjectName("conversations.export")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("md")
    dialog.setNameFilter("Markdown (*.md)")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
