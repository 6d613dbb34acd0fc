"""Small sheets of Memories: tags for several, a link to another memory, review rules, and the one question: erase for good.

Erasing is the only act that cannot be undone, so it is the only one that asks; it names what goes. Source: UX 3.4, 4.4.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from app.values import FactType, LinkType, Memory, MemoryCard, MemoryRule
from ui.widgets.buttons import Button, FitButton, IconButton
from ui.widgets.card import clear_layout
from ui.widgets.controls import CheckBox, Choice
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import line_field
from ui.widgets.popups.overlay import Overlay
from ui.widgets.popups.popover import Popover
from ui.widgets.scroll import ScrollColumn
from ui.widgets.search_field import SearchField
from ui.wording.memories import LINK_WORDS, TYPE_WORDS
from ui.wording.values import counted

SHOWN_TITLES = 5
TAG_WIDTH_PX = 320
TITLE_CHARS = 120


class TagPopup(Popover):
    """`chosen` carries tags to add and tags to take off (those written with a minus before them)."""

    chosen = Signal(object, object)

    def __init__(self, window: QWidget, count: int) -> None:
        super().__init__(window, "memory.tags", "Tags")
        said = "Tags" if count == 1 else f"Tags of {counted(count, 'memory', 'memories')}"
        self.body.addWidget(PlainLabel(said, "heading"))
        self.field = line_field("memory.tags.field", "Tags to add", "auth, -old")
        self.field.returnPressed.connect(self._on_save)
        save = Button("Tag", "memory.tags.save", kind="primary")
        save.clicked.connect(self._on_save)
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(save)
        self.body.addLayout(row)
        self.body.addWidget(PlainLabel("Words become tags; a minus before one takes it off.", "meta", wraps=True))

    def first_focus(self) -> QWidget:
        return self.field

    def _on_save(self) -> None:
        words = [word.lstrip("#") for word in self.field.text().replace(",", " ").split()]
        add = tuple(word for word in words if not word.startswith("-"))
        remove = tuple(word[1:] for word in words if word.startswith("-") and len(word) > 1)
        self.dismiss()
        if add or remove:
            self.chosen.emit(add, remove)


class EraseSheet(Overlay):
    """`confirmed` carries the ids, whether the messages go too, and whether the backups do."""

    confirmed = Signal(object, bool, bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.erase.sheet", name="Erase for good", width_px=480)
        self._ids: tuple[int, ...] = ()
        self.heading = PlainLabel("", "section", wraps=True)
        self.titles = PlainLabel("", wraps=True)
        self.what = PlainLabel("", "sub", wraps=True)
        self.messages = CheckBox("Also erase the messages it was said in")
        self.messages.setObjectName("memory.erase.messages")
        self.backups = CheckBox("Also delete every backup that holds it, with all else in it")
        self.backups.setObjectName("memory.erase.backups")
        self.cancel = Button("Keep", "memory.erase.cancel")
        self.go = Button("Erase", "memory.erase.go", kind="danger", icon_name="trash")
        for widget in (self.heading, self.titles, self.what, self.messages, self.backups):
            self.sheet_layout.addWidget(widget)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.go)
        self.sheet_layout.addLayout(foot)
        self.cancel.clicked.connect(self.close_sheet)
        self.go.clicked.connect(self._on_go)

    def first_focus(self) -> QWidget:
        return self.cancel

    def ask(self, ids: Sequence[int], cards: Sequence[MemoryCard | Memory]) -> None:
        """Names what would go."""
        self._ids = tuple(ids)
        count = counted(len(ids), "memory", "memories")
        self.heading.setText(f"Erase {count} for good?")
        lines = [f"“{' '.join(card.title.split())[:TITLE_CHARS]}”" for card in cards[:SHOWN_TITLES]]
        if len(ids) > len(lines):
            lines.append(f"and {len(ids) - len(lines):,} more" if lines else count)
        self.titles.setText("\n".join(lines))
        self.what.setText(
            "Text, earlier versions, quotes and links are overwritten in the memory file, in its search index and in the undo history. "
            "This cannot be undone. To only stop using it, archive it."
        )
        self.messages.setChecked(False)
        self.messages.hide()
        self.backups.setChecked(False)
        self.go.set_text(f"Erase {count}")
        self.open()

    def offer_messages(self, is_said: bool) -> None:
        """Whether any of them came from a message that is kept: only then it can go too."""
        self.messages.setVisible(is_said)

    def _on_go(self) -> None:
        self.close_sheet()
        self.confirmed.emit(self._ids, self.messages.isChecked(), self.backups.isChecked())


class LinkSheet(Overlay):
    """`searched` carries typed words; `chosen` the other memory and a link type."""

    searched = Signal(str)
    chosen = Signal(int, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.link.sheet", name="Link to another memory", width_px=520)
        self.type = Choice()
        self.type.setObjectName("memory.link.type")
        self.type.setAccessibleName("How they are linked")
        for link_type in LinkType:
            if link_type not in (LinkType.ABOUT, LinkType.MERGED_FROM):
                self.type.addItem(LINK_WORDS[link_type][0], link_type.value)
        self.field = SearchField("Find the other memory…", "memory.link.search")
        self.field.textChanged.connect(self.searched)
        self.found = QWidget()
        row = QHBoxLayout()
        row.addWidget(PlainLabel("This one", "meta"))
        row.addWidget(self.type, 1)
        self.sheet_layout.addWidget(PlainLabel("Link to another memory", "section"))
        self.sheet_layout.addLayout(row)
        self.sheet_layout.addWidget(self.field)
        self._list = QVBoxLayout(self.found)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)
        self.sheet_layout.addWidget(self.found)

    def first_focus(self) -> QWidget:
        return self.field

    def ask(self) -> None:
        self.field.clear()
        clear_layout(self._list)
        self.open()

    def set_found(self, cards: Sequence[MemoryCard]) -> None:
        """What fits the typed words."""
        clear_layout(self._list)
        for card in cards[:8]:
            button = FitButton(card.title, f"memory.link.to.{card.id}", kind="entry")
            button.setAccessibleName(f"Link to {card.title}")
            button.setProperty("memory", card.id)
            button.clicked.connect(self._on_chosen)
            self._list.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.fit()

    def _on_chosen(self) -> None:
        memory_id = int(self.sender().property("memory"))
        self.close_sheet()
        self.chosen.emit(memory_id, str(self.type.currentData()))


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
        row.addWidget(
            PlainLabel("To see or remove your rules, press “Rules…” above the memories to review.", "meta", wraps=True),
            1,
        )
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
            else "No rules yet. One is made in Memories, in the menu of a memory to review: “Always accept like this…” or “Never learn like this…”."
        )
        for rule in rules[:MAX_RULES]:
            self._rows.addLayout(self._row(rule))

    def _row(self, rule: MemoryRule) -> QHBoxLayout:
        line = QHBoxLayout()
        line.addWidget(PlainLabel(rule_text(rule), wraps=True), 1)
        line.addWidget(PlainLabel(f"matched {counted(rule.hit_count, 'time')}", "meta"))
        remove = IconButton("trash", f"memory.rules.remove.{rule.id}", f"Remove the rule: {rule_text(rule)[:120]}")
        remove.setProperty("rule", rule.id)
        remove.clicked.connect(self._on_remove)
        line.addWidget(remove)
        return line

    def _on_remove(self) -> None:
        self.removed.emit(int(self.sender().property("rule")))
