"""The card of what is never captured: folders and words, added and removed, with how much each rule kept out.

Knows no rule's form: the engine refuses what would hold for everything, and the notice says so. Source: UX 4.10.
"""

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QLineEdit, QVBoxLayout, QWidget

from app.values.capture import ExclusionKind, ExclusionRule
from ui.screens.base import PanelContext
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import line_field
from ui.wording.values import counted

SHOWN_RULES = 200


def rule_text(rule: ExclusionRule) -> str:
    """A rule as one line.

    >>> from datetime import UTC, datetime
    >>> rule_text(ExclusionRule(1, ExclusionKind.WORDS, "project zeus", datetime(2026, 1, 1, tzinfo=UTC), 0))
    'Anything containing “project zeus”'
    """
    return f"Everything in {rule.text}" if rule.kind is ExclusionKind.FOLDER else f"Anything containing “{rule.text}”"


class ExclusionsCard(Card):
    words = "exclude exclusion rules never captured folders paths words privacy ignore"

    def __init__(self, context: PanelContext) -> None:
        super().__init__("Never captured")
        self.setObjectName("settings.exclusions")
        self._context = context
        self._rules: tuple[ExclusionRule, ...] = ()
        self._status = PlainLabel("", "sub", wraps=True)
        self.body.addWidget(self._status)
        self._folder = line_field("settings.exclusions.folder", "A folder to exclude", "~/work/private, or */private")
        self._words = line_field("settings.exclusions.words", "Words to exclude", "words that occur together")
        browse = Button("Browse…", "settings.exclusions.browse", kind="quiet", tip="Choose a folder on this computer")
        browse.clicked.connect(self._on_browse)
        self._add_form("Exclude folder", self._folder, self._on_folder, browse)
        self._add_form("Exclude words", self._words, self._on_words)
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        self.body.addLayout(self._list)

    def _add_form(self, title: str, field: QLineEdit, add: Callable[[], None], *beside: QWidget) -> None:
        button = Button(title, f"{field.objectName()}.add")
        button.clicked.connect(add)
        field.returnPressed.connect(add)
        line = row(field, *beside, button)
        line.setStretch(0, 1)
        self.body.addLayout(line)

    def tell(self, rules: tuple[ExclusionRule, ...]) -> None:
        for field in (self._folder, self._words):
            if len(rules) > len(self._rules):  # what was typed is a rule now; else it was refused and can be mended
                field.clear()
        self._rules = rules
        self._status.setText(
            "Nothing that matches is stored, whichever assistant sends it. What was stored before stays until you erase it."
            if rules
            else "Nothing is excluded. What comes from these folders, or says these words, would not be stored anywhere."
        )
        clear_layout(self._list)
        for rule in rules[:SHOWN_RULES]:
            remove = IconButton(
                "trash", f"settings.exclusions.remove.{rule.id}", f"Capture again: {rule_text(rule)[:120]}"
            )
            remove.setProperty("rule", rule.id)
            remove.clicked.connect(self._on_remove)
            kept_out = PlainLabel(f"kept out {counted(rule.hit_count, 'event')}", "meta")
            line = row(PlainLabel(rule_text(rule), wraps=True), kept_out, remove)
            line.setStretch(0, 1)
            self._list.addLayout(line)

    def _on_browse(self) -> None:
        found = QFileDialog.getExistingDirectory(
            self, "Exclude a folder", options=QFileDialog.Option.ShowDirsOnly | QFileDialog.Option.ReadOnly
        )
        if found:
            self._folder.setText(found)

    def _on_folder(self) -> None:
        self._exclude(ExclusionKind.FOLDER, self._folder.text())

    def _on_words(self) -> None:
        self._exclude(ExclusionKind.WORDS, self._words.text())

    def _exclude(self, kind: ExclusionKind, text: str) -> None:
        if text.strip():
            self._context.bridge.do("settings.exclude", lambda engine: engine.rules.exclude(kind, text))

    def _on_remove(self) -> None:
        rule_id = int(self.sender().property("rule"))
        self._context.bridge.do("settings.include", lambda engine: engine.rules.remove_exclusion(rule_id))
