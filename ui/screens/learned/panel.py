"""Learned: workflows, code patterns and rules in one list, the selected one beside it: edited in place, switched off or
archived, each undoable.

Rows of what is off are pale. The panel reads again when something changed, and the cursor stays on the same thing.

Source: issue 17 "Rules", issue 18 "Workflows".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFrame,
    QLineEdit,
    QListView,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values import DataKind, Intent, MemoryKind
from app.values.rules import LearnedRule, Practice, PracticePart, RuleKind
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.theme import META_FONT_PX, color, font
from ui.widgets.buttons import ActionButton, Button, ChipButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.card_list import CardPointer, prepare_list
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.paint import (
    ACCENT_CHIP,
    QUIET_CHIP,
    ChipLook,
    chip_height,
    chip_width,
    draw_chip,
    draw_elided,
    draw_focus_ring,
)
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.widgets.text_area import TextArea
from ui.wording.figures import times
from ui.wording.values import INTENT_WORDS, counted, percent

if TYPE_CHECKING:
    from app.api import Engine


WORKFLOWS, PATTERNS = "workflow", "pattern"
KIND_WORDS = {
    WORKFLOWS: "Workflow",
    PATTERNS: "Code pattern",
    RuleKind.PHRASE.value: "Phrase",
    RuleKind.PRONOUN.value: "“It” and “that”",
    RuleKind.DEMONSTRATIVE.value: "“It” and “that”",
    RuleKind.MARKER.value: "New conversation",
    RuleKind.SIGN.value: "New conversation",
    RuleKind.FILES.value: "Files",
    RuleKind.SEQUENCE.value: "Commands",
    RuleKind.FIX.value: "Fix",
}
_PAIRINGS = {
    "code_and_test": "code and its test",
    "code_and_style": "code and its style",
    "component_parent_child": "a component and a part of it",
    "service_dependency": "services that belong together",
    "same_folder": "in one folder",
    "changed_together": "changed together",
}
_GAP = re.compile(r"\{[a-z_ ]+\}")  # what was named stands as "{color}" in a pattern
_SIGNS = {
    "new_session_started": "A new session of the assistant",
    "time_gap_exceeds": "A pause that is longer than before",
    "entity_similarity_below": "It is about other things than before",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a rule, or a workflow or code pattern, with its value."""

    kind: str
    id: int
    title: str
    line: str  # below the title
    count: str  # at the right: "12 times"
    is_on: bool
    value: LearnedRule | Practice

    @property
    def key(self) -> tuple[bool, int]:
        return isinstance(self.value, Practice), self.id

    @property
    def project(self) -> str:
        return self.value.project

    @property
    def searched(self) -> str:
        return f"{self.title} {self.line} {KIND_WORDS[self.kind]} {self.project}".lower()


def practice_entry(one: Practice) -> Entry:
    """The row of a workflow or code pattern."""
    is_workflow = one.kind is MemoryKind.WORKFLOW
    parts = [one.hint]
    if is_workflow and one.times:
        parts.append(f"went well {percent(one.success_ratio)} of the times")
    count = times(one.times) if one.times else "by hand"
    kind = WORKFLOWS if is_workflow else PATTERNS
    return Entry(kind, one.id, one.title, " · ".join(parts), count, one.is_on, one)


def rule_entry(rule: LearnedRule) -> Entry:
    """The row of a rule."""
    title = _SIGNS.get(rule.pattern, rule.pattern) if rule.kind is RuleKind.SIGN else _GAP.sub("…", rule.pattern)
    return Entry(rule.kind.value, rule.id, title, _rule_line(rule), times(rule.seen_count), rule.is_on, rule)


def _rule_line(rule: LearnedRule) -> str:
    details = rule.details
    match rule.kind:
        case RuleKind.PHRASE:
            said = f"asks for: {', '.join(INTENT_WORDS[Intent(name)] for name in details.get('intents', ()))}"
        case RuleKind.PRONOUN:
            said = f"points back {details.get('lookback', '?')} messages"
        case RuleKind.DEMONSTRATIVE:
            said = f"must occur in the {str(details.get('must_exist_in', '')).replace('_', ' ')}"
        case RuleKind.MARKER:
            said = "begins a conversation"
        case RuleKind.SIGN:
            value = details.get("value")
            said = "begins a conversation" if value is True else f"begins a conversation: {value}"
        case RuleKind.FILES:
            said = _PAIRINGS.get(str(details.get("pattern")), "changed together")
        case RuleKind.SEQUENCE:
            said = "commands in this order"
        case RuleKind.FIX:
            said = f"went away after {', '.join(details.get('files', ()))} was edited"
    return f"{said} · {percent(rule.confidence)} sure"


def said_aloud(entry: Entry) -> str:
    """For a screen reader."""
    off = "" if entry.is_on else ", off"
    return f"{KIND_WORDS[entry.kind]}: {entry.title}, {entry.line}, {entry.count}{off}"


def facts_of(entry: Entry) -> str:
    """The line under the title in the detail."""
    value = entry.value
    parts = [KIND_WORDS[entry.kind], f"seen {entry.count}" if entry.count != "by hand" else "written by hand"]
    if isinstance(value, LearnedRule):
        parts.append(f"changed {times(value.changed_count)} what was understood" if value.changed_count else "")
        parts.append(f"last seen {value.last_seen_at.astimezone():%d %b %Y}")
    elif value.kind is MemoryKind.WORKFLOW and value.times:
        parts.append(f"{value.succeeded} of {value.times} went well")
        parts.append(f"so {percent(value.share)} of the times" if value.share else "")
    parts.append("edited by you" if value.is_edited else "")
    parts.append("off" if not entry.is_on else "")
    parts.append(entry.project.rstrip("/").rpartition("/")[2])
    return " · ".join(one for one in parts if one)


def parts_text(parts: Sequence[PracticePart]) -> str:
    """The steps as they are edited, one a line.

    >>> parts_text([PracticePart("test", "npm test"), PracticePart("ship")])
    'test: npm test\\nship'
    """
    return "\n".join(f"{one.name}: {one.content}" if one.content else one.name for one in parts)


def read_parts(text: str) -> list[PracticePart]:
    """The steps of such a text.

    >>> read_parts("test: npm test\\n\\n ship ")
    [PracticePart(name='test', content='npm test'), PracticePart(name='ship', content='')]
    """
    pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
    return [PracticePart(name.strip(), content.strip()) for name, _, content in pairs]


def read_intents(text: str) -> tuple[Intent, ...] | None:
    """The intents of "PLAN, TEST"; None where one is none.

    >>> read_intents("plan, test"), read_intents("dance")
    ((<Intent.PLAN: 'PLAN'>, <Intent.TEST: 'TEST'>), None)
    """
    named = [one.strip().upper() for one in text.replace("+", ",").split(",") if one.strip()]
    known = set(Intent)
    return tuple(Intent(one) for one in named) if named and all(one in known for one in named) else None


NOTHING_TEXT = "Select a row to see what it says."
_TRIGGER_TIP = "As in deploy_request, or new_endpoint for a thing that is to be made"
_AREA_PX = 150


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person wrote: of a workflow or pattern title, trigger and parts, of a rule the rest."""

    title: str = ""
    trigger: str = ""
    parts: tuple[PracticePart, ...] = ()
    intents: tuple[Intent, ...] | None = None
    lookback: int | None = None


class LearnedDetail(Card):
    """`saved` carries a Draft; `editing_changed` when the fields came or went."""

    saved = Signal(object)
    editing_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("learned.detail")
        self.setAccessibleName("What is selected")
        self._entry: Entry | None = None
        self._fields: dict[str, QLineEdit] = {}
        self._area: TextArea | None = None
        self.is_editing = False
        self.title = PlainLabel("", "section", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.scrolled = ScrollColumn("learned.detail.scroll", parent=self)
        self.scrolled.column.setSpacing(4)
        self.acts = QVBoxLayout()
        self.acts.setContentsMargins(0, 6, 0, 0)
        self.body.addWidget(self.title)
        self.body.addWidget(self.meta)
        self.body.addLayout(self.acts)
        self.body.addWidget(self.scrolled, 1)
        self.show_entry(None)

    @property
    def entry(self) -> Entry | None:
        return self._entry

    def show_entry(self, entry: Entry | None) -> None:
        """Shows it; while it is edited the fields stay."""
        is_same = entry is not None and self._entry is not None and entry.key == self._entry.key
        if is_same and (self.is_editing or entry == self._entry):
            return
        self._entry = entry
        self._leave()
        self._fill()

    def edit(self) -> None:
        """Fields instead of lines; Ctrl+Enter saves, Esc leaves all as it was."""
        entry = self._entry
        if entry is None or self.is_editing or not can_edit(entry):
            return
        self.is_editing = True
        clear_layout(self.scrolled.column)
        value = entry.value
        if isinstance(value, Practice):
            self._add_field("title", "Name", value.title)
            self._add_field("trigger", "Given when", value.trigger, tip=_TRIGGER_TIP)
            self._add_area(value)
        else:
            self._add_field("title", "Pattern", value.pattern)
            if value.kind is RuleKind.PHRASE:
                self._add_field("intents", "Asks for", ", ".join(value.details.get("intents", ())))
            if value.kind is RuleKind.PRONOUN:
                self._add_field("lookback", "Looks back (messages)", str(value.details.get("lookback", "")))
        self.problem = PlainLabel("", "warn", wraps=True)
        self.problem.hide()
        save = Button("Save", "learned.save", kind="primary", icon_name="check", tip="Ctrl+Enter")
        save.clicked.connect(self._on_save)
        leave = Button("Cancel", "learned.cancel", kind="quiet", tip="Esc")
        leave.clicked.connect(self.stop)
        self.scrolled.add(self.problem)
        holder = QWidget()
        holder.setProperty("role", "content")
        holder.setLayout(row(save, leave, 1))
        self.scrolled.add(holder)
        self.scrolled.add_stretch()
        follow_reading_order(self.window())
        next(iter(self._fields.values())).setFocus()
        self.editing_changed.emit()

    def stop(self) -> None:
        """Leaves the fields without saving."""
        if self.is_editing:
            self._leave()
            self._fill()

    def _leave(self) -> None:
        was = self.is_editing
        self.is_editing = False
        self._fields = {}
        self._area = None
        if was:
            self.editing_changed.emit()

    def _fill(self) -> None:
        clear_layout(self.scrolled.column)
        entry = self._entry
        self.title.setText(entry.title if entry is not None else "")
        self.meta.setText(facts_of(entry) if entry is not None else "")
        if entry is None:
            self.scrolled.add(PlainLabel(NOTHING_TEXT, "sub", wraps=True))
        elif isinstance(entry.value, Practice):
            self._fill_practice(entry.value)
        else:
            self._fill_rule(entry, entry.value)
        self.scrolled.add_stretch()

    def _fill_practice(self, value: Practice) -> None:
        self._line("What assistants read", value.hint, is_mono=True)
        asked = f"you ask for it ({value.trigger})" if value.trigger else "its words fit what you ask"
        self._line("Given when", asked)
        self._head("Steps" if not value.examples else "Its parts")
        for place, part in enumerate(value.parts, 1):
            self.scrolled.add(PlainLabel(f"{place}.  {part.name}", wraps=True))
            if part.content:
                command = PlainLabel(part.content, "mono", wraps=True)
                command.setContentsMargins(18, 0, 0, 4)
                self.scrolled.add(command)
        if value.examples:
            self._head("Seen in")
            for example in value.examples:
                self.scrolled.add(PlainLabel(example, "mono", wraps=True))

    def _fill_rule(self, entry: Entry, value: LearnedRule) -> None:
        self.scrolled.add(PlainLabel(entry.line, wraps=True))
        if value.kind is RuleKind.SEQUENCE:
            for step, form in dict(value.details.get("commands") or {}).items():
                self._line(str(step), str(form), is_mono=True)
        if value.details.get("context_required"):
            self.scrolled.add(PlainLabel("Only where something was named before.", "sub", wraps=True))

    def _head(self, text: str) -> None:
        head = PlainLabel(text, "meta")
        head.setContentsMargins(0, 10, 0, 0)
        self.scrolled.add(head)

    def _line(self, name: str, text: str, *, is_mono: bool = False) -> None:
        self._head(name)
        self.scrolled.add(PlainLabel(text, "mono" if is_mono else "body", wraps=True))

    def _add_field(self, name: str, label: str, text: str, *, tip: str = "") -> None:
        field = QLineEdit(text)
        field.setObjectName(f"learned.field.{name}")
        field.setAccessibleName(label)
        field.setMaxLength(300)
        field.setToolTip(tip)
        field.returnPressed.connect(self._on_save)
        said = PlainLabel(label, "heading")
        said.setBuddy(field)
        self.scrolled.add(said)
        self.scrolled.add(field)
        self._fields[name] = field

    def _add_area(self, value: Practice) -> None:
        area = TextArea("learned.field.parts", takes_escape=True)
        area.setAccessibleName("Steps, one a line: name, colon, command")
        area.setPlainText(parts_text(value.parts))
        area.setFixedHeight(_AREA_PX)
        area.kept.connect(self._on_save)
        area.escaped.connect(self.stop)
        label = PlainLabel("Steps, one a line: name, colon, command", "heading")
        label.setBuddy(area)
        self.scrolled.add(label)
        self.scrolled.add(area)
        self._area = area

    def _on_save(self) -> None:
        texts = {name: field.text().strip() for name, field in self._fields.items()}
        intents = read_intents(texts["intents"]) if "intents" in texts else None
        lookback = texts.get("lookback", "")
        problem = ""
        if "intents" in texts and intents is None:
            problem = f"An intent is one of {', '.join(Intent)}."
        elif lookback and not (lookback.isdigit() and 0 < int(lookback) <= 100):
            problem = "A pointing word looks back 1 to 100 messages."
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        if problem:
            return
        parts = tuple(read_parts(self._area.toPlainText())) if self._area is not None else ()
        draft = Draft(texts["title"], texts.get("trigger", ""), parts, intents, int(lookback) if lookback else None)
        self._leave()
        self._fill()
        self.saved.emit(draft)


def can_edit(entry: Entry) -> bool:
    """Workflows, patterns, phrases, pointing words and beginnings are in words of a person; the others are found out."""
    if isinstance(entry.value, Practice):
        return True
    return entry.value.kind in {RuleKind.PHRASE, RuleKind.PRONOUN, RuleKind.MARKER}


ENTRY_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PADDING_PX, _GAP_PX = 7.0, 4
_ON_CHOSEN = ChipLook("accent", "panel")


class LearnedModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replaces all rows; nothing happens where they are the same."""
        if tuple(entries) == self._entries:
            return
        self.beginResetModel()
        self._entries = tuple(entries)
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, key: tuple[bool, int] | None) -> int:
        """The row of an entry, -1 when it is not here."""
        return next((row for row, one in enumerate(self._entries) if one.key == key), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return said_aloud(entry)
        return entry if role == ENTRY_ROLE else None


class LearnedDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        base = QFontMetricsF(font()).height()
        return QSize(option.rect.width(), round(2 * max(base, chip_height()) + 2 * _PADDING_PX + 4) + _GAP_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, Entry):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(option.rect).adjusted(2, 0, -2, -_GAP_PX)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or index.row() == self.hovered_row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft" if is_selected else "raised"))
            painter.drawRoundedRect(card, 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, card)
        inner = card.adjusted(_PADDING_PX + 2, _PADDING_PX - 2, -_PADDING_PX - 2, -_PADDING_PX + 2)
        self._paint_entry(painter, inner, entry, is_selected=is_selected)
        painter.restore()

    @staticmethod
    def _paint_entry(painter: QPainter, inner: QRectF, entry: Entry, *, is_selected: bool) -> None:
        height = max(QFontMetricsF(font()).height(), chip_height())
        line = QRectF(inner.left(), inner.top(), inner.width(), height)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        count = entry.count if entry.is_on else f"off · {entry.count}"
        taken = draw_elided(painter, line.adjusted(inner.width() / 2, 0, 0, 0), count, is_right=True)
        look = _ON_CHOSEN if is_selected else ACCENT_CHIP if entry.is_on else QUIET_CHIP
        word = KIND_WORDS[entry.kind]
        width = chip_width(word)
        draw_chip(
            painter, QRectF(line.left(), line.top() + (height - chip_height()) / 2, width, chip_height()), word, look
        )
        painter.setFont(font(weight=QFont.Weight.Medium))
        painter.setPen(color("text" if entry.is_on else "sub"))
        draw_elided(painter, line.adjusted(width + 8, 0, -taken - 10, 0), entry.title)
        painter.setFont(font())
        painter.setPen(color("sub"))
        draw_elided(painter, line.translated(0, height + 2), entry.line)


class LearnedView(QListView):
    """`entry_chosen` when another row is the current one."""

    entry_chosen = Signal()
    edit_wanted = Signal()

    def __init__(self, model: LearnedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self.setObjectName("learned.list")
        self.setAccessibleName("Learned")
        self.setModel(model)
        delegate = LearnedDelegate(self)
        self.setItemDelegate(delegate)
        prepare_list(self)
        self._pointer = CardPointer(self, delegate)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_opened)

    @property
    def current(self) -> Entry | None:
        return self._rows.entry(self.currentIndex().row())

    def step(self, rows: int) -> None:
        """Moves the cursor by that many rows."""
        self.choose_row(min(max(self.currentIndex().row() + rows, 0), self._rows.rowCount() - 1))

    def choose_row(self, row: int) -> None:
        index = self._rows.index(row)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_wanted.emit()
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self.entry_chosen.emit()

    def _on_opened(self, _index: QModelIndex) -> None:
        self.edit_wanted.emit()


EMPTY_TEXTS = (
    "Nothing learned yet",
    "What your assistants do again and again, and how you phrase things, appears here after conversations end, with each consolidation.",
)
_CHIPS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("all", "Everything", frozenset()),
    ("workflows", "Workflows", frozenset({"workflow"})),
    ("patterns", "Code patterns", frozenset({"pattern"})),
    ("phrases", "Phrases", frozenset({RuleKind.PHRASE.value})),
    ("pointing", "“It” and “that”", frozenset({RuleKind.PRONOUN.value, RuleKind.DEMONSTRATIVE.value})),
    ("beginnings", "New conversations", frozenset({RuleKind.MARKER.value, RuleKind.SIGN.value})),
    ("files", "Files", frozenset({RuleKind.FILES.value})),
    ("commands", "Commands and fixes", frozenset({RuleKind.SEQUENCE.value, RuleKind.FIX.value})),
)


@dataclass(frozen=True, slots=True)
class Learned:
    """All that was learned, in the order in which it is shown."""

    entries: tuple[Entry, ...]


def read_learned(engine: "Engine") -> Learned:
    """For the read worker."""
    practices = [*engine.rules.practices(MemoryKind.WORKFLOW), *engine.rules.practices(MemoryKind.PATTERN)]
    return Learned((*map(practice_entry, practices), *map(rule_entry, engine.rules.learned())))


class LearnedPanel(Panel):
    screen_id: ClassVar[str] = "learned"
    title: ClassVar[str] = "Learned"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    search_hint: ClassVar[str] = "deploy, a file, a word…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.RULES, DataKind.MEMORIES})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._text, self._chip = "", 0
        self._learned = Learned(())
        self._wanted: tuple[bool, int] | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        self.page = QWidget(self.pages)
        whole = QVBoxLayout(self.page)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        left = QFrame(self.splitter)
        left.setProperty("role", "card")
        column = QVBoxLayout(left)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(8)
        holder = QWidget()
        holder.setProperty("role", "content")
        chips = FlowLayout(holder)
        self._chips = QButtonGroup(self)
        for place, (name, text, _) in enumerate(_CHIPS):
            chip = ChipButton(text, f"learned.chip.{name}", is_on=place == 0)
            self._chips.addButton(chip, place)
            chips.addWidget(chip)
        self.model = LearnedModel(self)
        self.list = LearnedView(self.model)
        self.none = PlainLabel("", "sub", wraps=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        self.lists.addWidget(self.list)
        self.lists.addWidget(self.none)
        column.addWidget(self.lists, 1)
        self.detail = LearnedDetail(self.splitter)
        self._add_acts()
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.detail)
        self.splitter.setStretchFactor(0, 5)
        self.splitter.setStretchFactor(1, 4)
        self.splitter.setSizes([560, 450])
        run = Button("What the next run would learn", "learned.consolidation", kind="primary", icon_name="merge")
        run.clicked.connect(self._on_consolidation)
        self.empty = EmptyState("workflow", *EMPTY_TEXTS, (run,))
        self.pages.addWidget(Skeleton())
        whole.addWidget(holder)
        whole.addWidget(self.splitter, 1)
        self.pages.addWidget(self.page)
        self.pages.addWidget(self.empty)

    def _add_acts(self) -> None:
        named = (
            ("learned.edit", "rename", "Edit"),
            ("learned.switch_off", "pause", "Switch off"),
            ("learned.switch_on", "play", "Switch on"),
            ("learned.purge", "archive", "Archive"),
            ("learned.memory", "memories", "In Memories"),
        )
        buttons = [
            ActionButton(self.context.actions.action(name), icon, text=text, only_able=True, parent=self.detail)
            for name, icon, text in named
        ]
        self.detail.acts.addLayout(row(*buttons, 1))

    def _connect(self) -> None:
        self._chips.idClicked.connect(self._on_chip)
        self.list.entry_chosen.connect(self._on_chosen)
        self.list.edit_wanted.connect(self.detail.edit)
        self.detail.saved.connect(self._on_saved)
        self.detail.editing_changed.connect(self.abilities_changed)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.take_focus)
            self.header.search.returnPressed.connect(self.take_focus)

    # -- reading
    def refresh(self) -> None:
        self.context.bridge.ask("learned", read_learned, self._on_learned)

    def search(self, text: str) -> None:
        self._text = text.strip().lower()
        self._show()

    def _on_learned(self, learned: Learned) -> None:
        self._learned = learned
        self._show()

    def _show(self) -> None:
        """The rows that are wanted; the cursor stays on what it was on, else goes to the next."""
        before = self.list.current
        wanted = self._wanted if self._wanted is not None else before.key if before is not None else None
        row_before = max(0, self.list.currentIndex().row())
        shown = [one for one in self._learned.entries if self._fits(one)]
        self.model.set_entries(shown)
        self.pages.setCurrentWidget(self.page if self._learned.entries else self.empty)
        self.none.setText(f"Nothing learned fits “{self._text}”." if self._text else "Nothing of this kind yet.")
        self.lists.setCurrentWidget(self.list if shown else self.none)
        count = counted(len(shown), "thing")
        self.set_status(f"{count} learned from your work; switch off what is wrong" if shown else "")
        place = self.model.row_of(wanted)
        if place >= 0:
            self._wanted = None
        elif shown:
            place = min(row_before, len(shown) - 1)
        if place >= 0:
            self.list.choose_row(place)
        self.detail.show_entry(self.list.current)
        self.abilities_changed.emit()

    def _fits(self, one: Entry) -> bool:
        kinds, project = _CHIPS[self._chip][2], self.context.selection.scope.project_or_none
        is_here = project is None or not one.project or one.project == project
        return (not kinds or one.kind in kinds) and is_here and all(word in one.searched for word in self._text.split())

    def _on_chosen(self) -> None:
        entry = self.list.current
        self.detail.show_entry(entry)
        if entry is not None:
            kind = "practice" if isinstance(entry.value, Practice) else "rule"
            self.place_changed.emit(Place("learned", kind, entry.id, self._text))
        self.abilities_changed.emit()

    # -- places and acts
    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.object_id is not None and place.kind in {"rule", "practice"}:
            self._wanted = (place.kind == "practice", place.object_id)
            self._show()
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self.take_focus()

    def take_focus(self) -> None:
        """The keyboard goes into the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def abilities(self) -> frozenset[str]:
        entry = self.detail.entry
        able = {"learned.next", "learned.previous"} if self.model.rowCount() else set[str]()
        if entry is None or self.detail.is_editing:
            return frozenset(able)
        able |= {"learned.purge", "learned.switch_off" if entry.is_on else "learned.switch_on"}
        able |= {"learned.edit"} if can_edit(entry) else set()
        able |= {"learned.memory"} if isinstance(entry.value, Practice) else set()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        entry = self.detail.entry
        match action_id:
            case "learned.next":
                self.list.step(1)
            case "learned.previous":
                self.list.step(-1)
            case "learned.edit":
                self.detail.edit()
            case "learned.switch_off" | "learned.switch_on" if entry is not None:
                self._switch(action_id, entry, is_on=action_id == "learned.switch_on")
            case "learned.purge" if entry is not None:
                self._purge(action_id, entry)
            case "learned.memory" if entry is not None:
                self.context.navigate(Place("memories", "memory", entry.id))

    def _switch(self, action_id: str, entry: Entry, *, is_on: bool) -> None:
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(action_id, lambda engine: engine.rules.switch_practices([number], is_on=is_on))
        else:
            self.context.bridge.do(action_id, lambda engine: engine.rules.switch([number], is_on=is_on))

    def _purge(self, action_id: str, entry: Entry) -> None:
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(action_id, lambda engine: engine.rules.purge_practices([number]))
        else:
            self.context.bridge.do(action_id, lambda engine: engine.rules.purge([number]))

    def _on_saved(self, draft: Draft) -> None:
        entry = self.detail.entry
        if entry is None:
            return
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(
                "learned.edit",
                lambda engine: engine.rules.edit_practice(
                    number, title=draft.title, trigger=draft.trigger or None, parts=draft.parts
                ),
            )
        elif isinstance(entry.value, LearnedRule):
            self.context.bridge.do(
                "learned.edit",
                lambda engine: engine.rules.edit(
                    number, pattern=draft.title, intents=draft.intents, lookback=draft.lookback
                ),
            )
        self.take_focus()

    def _on_chip(self, place: int) -> None:
        self._chip = place
        self._show()

    def _on_consolidation(self) -> None:
        self.context.navigate(Place("consolidation"))
