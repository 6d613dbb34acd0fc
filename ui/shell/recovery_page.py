"""What the window shows when the memory cannot be opened: what happened, what still works, what to do. No traceback.

Knows the error's two sentences and the backup files; what "Try again" means is the window's business.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.errors import (
    RemanenceError,
    StoreBehindError,
    StoreCorruptError,
    StoreForeignError,
    StoreLockedError,
    StoreMissingError,
    StoreNewerError,
)
from ui.crash import describe_error
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_bytes, describe_moment

if TYPE_CHECKING:
    from app.values.admin import Backup

_BACKUPS = "remanence-*.db"
_HEADINGS: tuple[tuple[type[BaseException], str], ...] = (
    (StoreLockedError, "The memory is open somewhere else"),
    (StoreNewerError, "The memory belongs to a newer Remanence"),
    (StoreCorruptError, "The store is damaged"),
    (StoreForeignError, "Another program's file is where the memory should be"),
    (StoreMissingError, "The memory is not where it was"),
    (StoreBehindError, "The newest part of the memory is missing"),
    (RemanenceError, "The memory cannot be opened"),
)
MAX_BACKUPS = 12
_HINT = "If you moved the file, put it back and try again. Otherwise restore a backup, or choose another way below."
_HINT_WITHOUT = "If you moved the file, put it back and try again. Otherwise choose a way below: there is no backup."


class RecoveryPage(QWidget):
    """`retry_pressed`; `restore_pressed` carries the path of a backup as text; `anew_pressed`, `as_it_is_pressed`."""

    retry_pressed = Signal()
    restore_pressed = Signal(str)
    anew_pressed = Signal()
    as_it_is_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recovery")
        self.setProperty("role", "page")
        self.setAccessibleName("The memory cannot be opened")
        self._details = ""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(28, 24, 20, 20)
        self._page = ScrollColumn("recovery.page", width_px=760)
        outer.addWidget(self._page)
        self._heading = PlainLabel("", "title", wraps=True)
        self._card = Card(kind="warn")
        self._text = PlainLabel("", wraps=True)
        self._hint = PlainLabel("", "sub", wraps=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._hint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        retry = Button("Try again", "recovery.retry", kind="primary", icon_name="refresh")
        retry.clicked.connect(self.retry_pressed)
        copy = Button("Copy details", "recovery.copy", icon_name="copy", tip="Copy versions and the error")
        copy.clicked.connect(self._on_copy)
        self.retry = retry
        for label in (self._text, self._hint):
            self._card.body.addWidget(label)
        self._card.body.addSpacing(4)
        self._card.body.addLayout(row(retry, copy, 1))
        self._others = self._build_others()
        self._works = PlainLabel(
            "Nothing was changed. Your assistants keep working: what you type is kept aside and captured "
            "as soon as the memory opens.",
            "sub",
            wraps=True,
        )
        self._backups = Card("Backups on this computer")
        self._list = QVBoxLayout()
        self._backups.body.addLayout(self._list)
        for widget in (self._heading, self._card, self._works, self._backups, self._others):
            self._page.add(widget)
        self._page.add_stretch()

    def _build_others(self) -> Card:
        """What one can do without a backup. Neither loses anything, so neither asks back."""
        card = Card("Without a backup")
        self._as_it_is = Button("Continue with what is there", "recovery.asItIs", tip="Use the store as it is")
        self._anew = Button("Begin with an empty memory", "recovery.anew", tip="The present file is kept beside it")
        self._as_it_is.clicked.connect(self.as_it_is_pressed)
        self._anew.clicked.connect(self.anew_pressed)
        kept = "Nothing is deleted: the present store file is kept beside it, under another name."
        card.body.addWidget(PlainLabel(kept, "sub", wraps=True))
        card.body.addLayout(row(self._as_it_is, self._anew, 1))
        return card

    def show_problem(self, error: BaseException, backups: "Sequence[Backup]") -> None:
        """Says what `error` means. Backups are offered where one could help: not when it is only locked."""
        headings = [heading for kind, heading in _HEADINGS if isinstance(error, kind)]
        is_known = isinstance(error, RemanenceError)
        self._heading.setText(headings[0] if headings else "Something went wrong while opening the memory")
        self._text.setText(str(error) if is_known else "This is a fault in Remanence. It has been written to the log.")
        hint = error.hint if isinstance(error, RemanenceError) else "Try again; if it stays, send the copied details."
        if isinstance(error, StoreMissingError | StoreBehindError):  # its own hint names commands; here are buttons
            hint = _HINT if backups else _HINT_WITHOUT
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._details = describe_error(error)
        can_help = not isinstance(error, StoreLockedError | StoreNewerError) or not is_known
        self._backups.setVisible(can_help)
        self._fill(backups[:MAX_BACKUPS])
        self._as_it_is.setVisible(isinstance(error, StoreBehindError))
        self._others.setVisible(isinstance(error, StoreMissingError | StoreBehindError | StoreCorruptError))

    def _fill(self, backups: "Sequence[Backup]") -> None:
        clear_layout(self._list)
        if not backups:
            self._list.addWidget(PlainLabel("There is no backup yet.", "sub"))
        for backup in backups:
            text = f"{describe_moment(backup.at)} · {describe_bytes(backup.byte_count)}"
            name = ElidedLabel(backup.path.name, "meta")
            restore = Button("Restore", f"recovery.restore.{backup.path.name}", tip=f"Restore the backup of {text}")
            restore.setProperty("path", str(backup.path))
            restore.clicked.connect(self._on_restore)
            line = row(PlainLabel(text), name, restore)
            line.setStretch(1, 1)
            self._list.addLayout(line)

    def _on_restore(self) -> None:
        sender = self.sender()
        if isinstance(sender, Button):
            self.restore_pressed.emit(str(sender.property("path")))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)


def find_backups(folder: Path) -> "tuple[Backup, ...]":
    """Backup files in `folder`, newest first; none when it cannot be read."""
    return tuple(sorted(_backups_in(folder), key=lambda backup: backup.at, reverse=True))


def _backups_in(folder: Path) -> "Iterator[Backup]":
    from app.values.admin import Backup

    if not folder.is_dir():
        return
    for path in folder.glob(_BACKUPS):
        if path.is_file() and not path.is_symlink():
            info = path.stat()
            yield Backup(path, datetime.fromtimestamp(info.st_mtime, UTC), info.st_size, "", is_verified=False)
