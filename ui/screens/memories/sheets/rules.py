"""Review rules: the sheet that makes a rule of one memory, and the list of rules with their removal.

A rule holds for a type with a property ("decisions about database") or for words. Source: UX 4.4, issue "Review inbox".
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from app.values import FactType, Memory, MemoryRule
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import clear_layout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import line_field
from ui.widgets.popups.overlay import Overlay
from ui.widgets.popups.popover import Popover
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import TYPE_WORDS
from ui.wording.values import counted

RULE_WIDTH_PX = 380
PHRASE_WORDS = 6
MAX_RULES = 300


def kind_text(fact_type: FactType | None, attribute: str) -> str:
    """What a rule by kind is about.

    >>> kind_text(FactType.DECISION, "database"), kind_text(None, "port")
    ('decisions about “database”', 'anything about “port”')
    """
    if fact_type is None:
        what = "anything"
    else:
        word = TYPE_WORDS[fact_type]
        what = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{what} about “{attribute}”" if attribute else f"all {what}" if fact_type is not None else what


def rule_text(rule: MemoryRule) -> str:
    """A rule as one sentence.

    >>> from datetime import UTC, datetime
    >>> rule_text(MemoryRule(1, "never", None, "", "by the way", datetime(2026, 1, 1, tzinfo=UTC), 0))
    'Never learn what says “by the way”'
    """
    verb = "Always accept" if rule.verdict == "always" else "Never learn"
    if not rule.phrase:
        return f"{verb} {kind_text(rule.type, rule.attribute)}"
    limits = f" in {kind_text(rule.type, rule.attribute)}" if rule.type is not None or rule.attribute else ""
    return f"{verb} what says “{rule.phrase}”{limits}"


class RulePopup(Popover):
    """`chosen` carries (type or None, attribute, phrase)."""

    chosen = Signal(object, str, str)

    def __init__(self, window: QWidget, memory: Memory, *, is_always: bool) -> None:
        title = "Always accept like this" if is_always else "Never learn like this"
        super().__init__(window, "memory.rule", title)
        self._type = memory.type
        self._attribute = memory.slot.attribute if memory.slot is not None else ""
        self.body.addWidget(PlainLabel(title, "section"))
        self.by_kind = QRadioButton(kind_text(self._type, self._attribute).capitalize().replace("&", "&&"))
        self.by_kind.setObjectName("memory.rule.kind")
        self.by_words = QRadioButton("Anything containing these words")
        self.by_words.setObjectName("memory.rule.words")
        for button in (self.by_kind, self.by_words):
            button.setAccessibleName(button.text().replace("&&", "&"))
            button.setMinimumHeight(26)
            self.body.addWidget(button)
        self.phrase = line_field("memory.rule.phrase", "Words", "words that it must say")
        self.phrase.setText(" ".join(memory.levels.full.text.split()[:PHRASE_WORDS]))
        self.phrase.textEdited.connect(self._on_phrase)
        self.phrase.returnPressed.connect(self._on_save)
        self.body.addWidget(self.phrase)
        (self.by_kind if self._attribute else self.by_words).setChecked(True)
        row = QHBoxLayout()
        row.addWidget(PlainLabel("“Rules…” above the inbox lists and removes them.", "meta", wraps=True), 1)
        save = Button("Always accept" if is_always else "Never learn", "memory.rule.save", kind="primary")
        save.clicked.connect(self._on_save)
        row.addWidget(save)
        self.body.addLayout(row)

    def first_focus(self) -> QWidget:
        return self.by_kind if self.by_kind.isChecked() else self.by_words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return says yes to the sheet, also where the focus is on a choice: a choice is made by arrows and Space."""
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and isinstance(QApplication.focusWidget(), QRadioButton):
            self._on_save()
            event.accept()
            return
        super().keyPressEvent(event)

    def _on_phrase(self) -> None:
        self.by_words.setChecked(True)

    def _on_save(self) -> None:
        phrase = self.phrase.text().strip() if self.by_words.isChecked() else ""
        is_by_kind = self.by_kind.isChecked()
        self.dismiss()
        if is_by_kind:
            self.chosen.emit(self._type, self._attribute, "")
        elif phrase:
            self.chosen.emit(None, "", phrase)


class RulesSheet(Overlay):
    """All rules; `removed` carries the id of one."""

    removed = Signal(int)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.rules.sheet", name="Review rules", width_px=560)
        self.sheet_layout.addWidget(PlainLabel("Review rules", "section"))
        self.note = PlainLabel("", "sub", wraps=True)
        self.sheet_layout.addWidget(self.note)
        self.list = ScrollColumn("memory.rules.list")
        self.list.column.setSpacing(4)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self.list.column.addLayout(self._rows)
        self.list.add_stretch()
        self.list.setMinimumHeight(120)
        self.sheet_layout.addWidget(self.list, 1)
        self.done = Button("Close", "memory.rules.close")
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.done)
        self.sheet_layout.addLayout(foot)
        self.done.clicked.connect(self.close_sheet)

    def first_focus(self) -> QWidget:
        return self.done

    def sheet_height(self) -> int:
        return 380

    def set_rules(self, rules: Sequence[MemoryRule]) -> None:
        clear_layout(self._rows)
        self.note.setText(
            "New messages are compared with these."
            if rules
            else "No rules yet. They are made in the inbox: “Always accept like this”, “Never learn like this”."
        )
        for rule in rules[:MAX_RULES]:
            self._rows.addLayout(self._row(rule))

    def _row(self, rule: MemoryRule) -> QHBoxLayout:
        line = QHBoxLayout()
        line.addWidget(PlainLabel(rule_text(rule), wraps=True), 1)
        line.addWidget(PlainLabel(f"held {counted(rule.hit_count, 'time')}", "meta"))
        remove = IconButton("trash", f"memory.rules.remove.{rule.id}", f"Remove the rule: {rule_text(rule)[:120]}")
        remove.setProperty("rule", rule.id)
        remove.clicked.connect(self._on_remove)
        line.addWidget(remove)
        return line

    def _on_remove(self) -> None:
        self.removed.emit(int(self.sender().property("rule")))
