"""Asks where a conversation or some memories are to be written. Never blocks: the path comes by a signal."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

_MAX_NAME_CHARS = 80
MARKDOWN_FILTER = "Markdown, to read (*.md)"
OWN_FILTER = "Remanence, reads back with everything (*.json)"


def file_name_of(title: str) -> str:
    """A file name that every system takes, from a title.

    >>> file_name_of('Fix "a/b": now?'), file_name_of("???")
    ('Fix a b now.md', 'conversation.md')
    """
    kept = "".join(char if char.isalnum() or char in " -_" else " " for char in title)
    return f"{' '.join(kept.split())[:_MAX_NAME_CHARS].strip() or 'conversation'}.md"


def close_open_dialogs() -> None:
    """Closes file dialogs that are still open before another opens: each holds some sixty widgets and a model of the folders."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QFileDialog):
            widget.close()


def open_export_dialog(parent: QWidget, title: str) -> QFileDialog:
    """The dialog, open; its `fileSelected` carries the path. It deletes itself."""
    close_open_dialogs()
    dialog = QFileDialog(parent, "Export conversation", file_name_of(title))
    dialog.setObjectName("conversations.export")
    dialog.setOption(QFileDialog.Option.ReadOnly)  # else Delete and Yes remove what is chosen in it, folders whole
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.ReadOnly)  # its Delete key would remove folders of the person's
    dialog.setDefaultSuffix("md")
    dialog.setNameFilter("Markdown (*.md)")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def open_memories_dialog(parent: QWidget, count: int) -> QFileDialog:
    """The dialog for memories, open: Markdown for people, or the file that reads back. It deletes itself."""
    close_open_dialogs()
    dialog = QFileDialog(parent, "Export memories" if count != 1 else "Export memory", "memories.md")
    dialog.setObjectName("memories.export")
    dialog.setOption(QFileDialog.Option.ReadOnly)  # else Delete and Yes remove what is chosen in it, folders whole
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.ReadOnly)  # its Delete key would remove folders of the person's
    dialog.setNameFilters([MARKDOWN_FILTER, OWN_FILTER])
    dialog.setDefaultSuffix("md")
    dialog.filterSelected.connect(_on_filter)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def _on_filter(name: str) -> None:
    """The ending that goes with what was chosen, unless the person types one."""
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QFileDialog) and dialog.objectName() == "memories.export":
            dialog.setDefaultSuffix("json" if name == OWN_FILTER else "md")
