"""The cards below the options: secret test box, places, backups with restore, about."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QVBoxLayout

from app.values.admin import Backup, Health
from app.values.capture import ExclusionRule
from ui.screens.base import PanelContext
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.plain_viewer import PlainViewer, bound_text
from ui.wording.figures import describe_bytes, describe_moment
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine, SettingCard

TRY_AFTER_MS = 200
SHOWN_BACKUPS = 8
MAX_TEST_CHARS = 20_000
VERSION = "0.1.0"


@dataclass(frozen=True, slots=True)
class SettingsView:
    """What the page shows below the options, read in one go."""

    backups: tuple[Backup, ...]
    health: Health
    places: tuple[tuple[str, Path], ...]
    exclusions: tuple[ExclusionRule, ...]


def read_cards(engine: "Engine") -> "tuple[SettingCard, ...]":
    """The options, for the read worker; the app's own notes are none."""
    return tuple(card for card in engine.settings.list() if not card.is_internal)


def read_settings_view(engine: "Engine") -> SettingsView:
    """The other values, for the read worker."""
    places = engine.places
    return SettingsView(
        backups=engine.backups.list(),
        health=engine.stats.health(),
        places=(
            ("Memory file", places.store_path),
            ("Backups", places.backups_dir),
            ("Settings", places.config_path),
            ("Your own rules", places.rules_dir),
            ("State and log", places.state_dir),
        ),
        exclusions=engine.rules.exclusions(),
    )


class SecretsCard(Card):
    """Type or paste a text and see what would be stored. Nothing of it is kept."""

    words = "secrets passwords tokens keys redact would this be stored test"

    def __init__(self, context: PanelContext) -> None:
        super().__init__("Would this be stored?")
        self.setObjectName("settings.secrets")
        self._context = context
        self.body.addWidget(
            PlainLabel(
                "Type a message with a password or a key in it, and see what is kept. Nothing you type here is stored.",
                "sub",
                wraps=True,
            )
        )
        self._field = QPlainTextEdit()
        self._field.setObjectName("settings.secrets.text")
        self._field.setAccessibleName("A text to test")
        self._field.setPlaceholderText("For example: connect with password hunter2 to postgres://…")
        self._field.setTabChangesFocus(True)
        self._field.setFixedHeight(64)
        self._result = PlainViewer("settings.secrets.result", "What would be stored")
        self._result.setFixedHeight(64)
        self._verdict = PlainLabel("", "meta")
        self.body.addWidget(self._field)
        self.body.addWidget(self._verdict)
        self.body.addWidget(self._result)
        self._result.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TRY_AFTER_MS)
        self._timer.timeout.connect(self._try)
        self._field.textChanged.connect(self._timer.start)

    def _try(self) -> None:
        text = self._field.toPlainText()[:MAX_TEST_CHARS]
        if not text.strip():
            self._result.hide()
            self._verdict.setText("")
            return
        self._context.bridge.ask(
            "settings.secrets",
            lambda engine: None if engine.rules.is_excluded(text) else engine.rules.would_be_stored(text),
            self._on_stored,
        )

    def _on_stored(self, stored: str | None) -> None:
        """What would be kept; None: nothing at all."""
        if stored is None:
            self._verdict.set_role("good")
            self._verdict.setText("Not stored: you excluded these words.")
            self._result.hide()
            return
        is_same = stored.strip() == self._field.toPlainText().strip()
        self._verdict.set_role("meta" if is_same else "good")
        self._verdict.setText("Stored as it is: no secret found." if is_same else "Stored with the secrets removed:")
        self._result.show_text(stored)
        self._result.show()


class PlacesCard(Card):
    """Where everything lies, and how big it is."""

    words = "data places path folder store size disk rules"

    def __init__(self) -> None:
        super().__init__("Where your data lives")
        self.setObjectName("settings.places")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setColumnStretch(1, 1)
        self.body.addLayout(self._grid)
        self._size = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(self._size)
        self._is_filled = False

    def show_values(self, view: SettingsView) -> None:
        health = view.health
        self._size.setText(
            f"The memory file has {describe_bytes(health.store_bytes + health.wal_bytes)}, without backups. All of it stays on this computer. To move it, set REMANENCE_HOME before the start."
        )
        if self._is_filled:
            return
        self._is_filled = True
        for line, (name, path) in enumerate(view.places):
            self._grid.addWidget(PlainLabel(name), line, 0)
            shown = ElidedLabel(str(path), "sub")
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(shown, line, 1)


class BackupsCard(Card):
    """Backups, newest first. Restore asks once, in place, because what came since is lost to the screen."""

    words = "backups restore copy safety"

    def __init__(self, context: PanelContext) -> None:
        super().__init__("Backups")
        self.setObjectName("settings.backups")
        self._context = context
        self.head.addWidget(ActionButton(context.actions.action("file.backup"), "database"))
        self._status = PlainLabel("", "sub", wraps=True)
        self.body.addWidget(self._status)
        self._list = QVBoxLayout()
        self.body.addLayout(self._list)
        self._asked = ""
        self._backups: tuple[Backup, ...] = ()

    def show_values(self, backups: tuple[Backup, ...]) -> None:
        self._backups = backups
        if backups:
            total = sum(backup.byte_count for backup in backups)
            one_by_one = " together, each checked" if len(backups) > 1 else ", checked"
            self._status.setText(f"{counted(len(backups), 'backup')}, {describe_bytes(total)}{one_by_one}.")
        else:
            self._status.setText("No backup yet. One is made when something changed, and before every upgrade.")
        self._fill()

    def _fill(self) -> None:
        clear_layout(self._list)
        for backup in self._backups[:SHOWN_BACKUPS]:
            text = f"{describe_moment(backup.at)}"
            detail = ElidedLabel(f"{describe_bytes(backup.byte_count)} · {backup.reason or 'automatic'}", "sub")
            if self._asked == str(backup.path):
                question, yes, no = self._question(backup)
                self._list.addLayout(row(PlainLabel(text), detail, yes, no))
                self._list.addWidget(question)
                continue
            button = Button("Restore…", f"backup.{backup.path.name}", kind="quiet", tip=f"Go back to {text}")
            button.setProperty("path", str(backup.path))
            button.clicked.connect(self._on_ask)
            line = row(PlainLabel(text), detail, button)
            line.setStretch(1, 1)
            self._list.addLayout(line)

    def _question(self, backup: Backup) -> tuple[PlainLabel, Button, Button]:
        text = PlainLabel(
            "Everything since then goes away. A backup of the present state is made first, so you can come back.",
            "warn",
            wraps=True,
        )
        yes = Button("Restore", "backup.restore", kind="danger")
        yes.setProperty("path", str(backup.path))
        yes.clicked.connect(self._on_restore)
        no = Button("Cancel", "backup.keep", kind="quiet")
        no.clicked.connect(self._on_keep)
        return text, yes, no

    def _on_ask(self) -> None:
        self._asked = str(self.sender().property("path"))
        self._fill()

    def _on_keep(self) -> None:
        self._asked = ""
        self._fill()

    def _on_restore(self) -> None:
        path = Path(str(self.sender().property("path")))
        self._asked = ""
        self._context.bridge.do("backup.restore", lambda engine: engine.backups.restore(path))
        self._fill()


class AboutCard(Card):
    """Versions, licences, diagnostics."""

    words = "about version licence license diagnostics shortcuts"

    def __init__(self, context: PanelContext) -> None:
        super().__init__("About")
        self.setObjectName("settings.about")
        self._text = PlainLabel("", "sub", wraps=True)
        self.body.addWidget(self._text)
        actions = context.actions
        buttons = [
            ActionButton(actions.action(name), icon)
            for name, icon in (
                ("help.diagnostics", "copy"),
                ("help.shortcuts", "keyboard"),
                ("help.firstStart", "flag"),
            )
        ]
        self.body.addLayout(row(*buttons, 1))

    def show_values(self, view: SettingsView) -> None:
        self._text.setText(
            bound_text(
                f"Remanence {VERSION}, MIT licence. Font: Inter, SIL Open Font License 1.1. Qt through PySide6, LGPL 3. "
                f"SQLite {view.health.sqlite_version}, schema {view.health.schema_version}.\n"
                "It listens on 127.0.0.1 only, and connects to nothing, except a model that you allow."
            )
        )
