"""Learned: workflows, code patterns and rules in one list, the selected one beside it: edited in place, switched off or
archived, each undoable.

Rows of what is off are pale. The panel reads again when something changed, and the cursor stays on the same thing.

Source: issue 17 "Rules", issue 18 "Workflows".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.errors import NotFoundError
from app.values import DataKind, Intent, MemoryKind
from app.values.rules import LearnedRule, Practice, PracticePart, RuleExample, RuleKind
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.learned.wording import (
    NOTICED,
    Entry,
    Fold,
    change_line,
    example_quote,
    facts_of,
    parts_text,
    practice_entry,
    read_intents,
    read_parts,
    rows_of,
    rule_entry,
    status_line,
    trigger_words,
)
from ui.theme import META_FONT_PX, color, font
from ui.widgets.buttons import ActionButton, Button, FitButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.card_list import CardList, CardPointer, ListBesideDetail
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.widgets.text_area import TextArea

if TYPE_CHECKING:
    from app.api import Engine


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
    """`saved` carries a Draft, `message_wanted` the message of an example; `editing_changed` when the fields came or went."""

    saved = Signal(object)
    editing_changed = Signal()
    message_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("learned.detail")
        self.setAccessibleName("What is selected")
        self._entry: Entry | None = None
        self._example: RuleExample | None = None
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
        self._show(None)

    @property
    def entry(self) -> Entry | None:
        return self._entry

    def show_row(self, shown: Entry | Fold | None) -> None:
        """Shows it; while it is edited the fields stay."""
        is_same = isinstance(shown, Entry) and self._entry is not None and shown.key == self._entry.key
        if not is_same:
            self._example = None
        if is_same and (self.is_editing or shown == self._entry):
            return
        self._show(shown)

    def _show(self, shown: Entry | Fold | None) -> None:
        self._entry = shown if isinstance(shown, Entry) else None
        self._leave()
        self._fill()
        if isinstance(shown, Fold):
            self.title.setText(shown.title)
            self.scrolled.column.insertWidget(0, PlainLabel(shown.help, wraps=True))

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
        self.meta.setVisible(entry is not None)
        match entry.value if entry is not None else None:
            case Practice() as practice:
                self._fill_practice(practice)
            case LearnedRule() as rule if entry is not None:
                self._fill_rule(entry, rule)
        self.scrolled.add_stretch()

    def _fill_practice(self, value: Practice) -> None:
        self._line("What assistants read", value.hint, is_mono=True)
        asked = f"you ask for it ({trigger_words(value.trigger)})" if value.trigger else "its words fit what you ask"
        self._line("Given when", asked if value.is_on else "never, while it is off")
        if value.parts:
            self._head("Steps" if value.kind is MemoryKind.WORKFLOW else "Its parts")
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
        self._line("What it means", entry.line)
        if value.kind is RuleKind.SEQUENCE:
            for step, form in dict(value.details.get("commands") or {}).items():
                self._line(str(step), str(form), is_mono=True)
        if value.details.get("context_required"):
            self.scrolled.add(PlainLabel("Only where something was named before.", "sub", wraps=True))
        if "…" in entry.title:
            self.scrolled.add(PlainLabel("“…” is whatever you name there.", "sub", wraps=True))
        self._line("What it changes", change_line(entry))
        self._fill_example()

    def show_example(self, key: object, example: RuleExample | None) -> None:
        """A message in which the selected rule was used or seen."""
        entry = self._entry
        if entry is None or entry.key != key or example == self._example:
            return
        self._example = example
        if not self.is_editing:
            self._fill()

    def _fill_example(self) -> None:
        example = self._example
        if example is None:
            return
        self._head("Where it was used" if example.is_used else "Where it was seen")
        self.scrolled.add(PlainLabel(example_quote(example), wraps=True))
        where = FitButton(example.conversation_title, "learned.example", kind="link", tip="Open the message")
        where.setAccessibleName(f"Open the message in “{example.conversation_title}”")
        where.clicked.connect(self._on_example)
        self.scrolled.add(where)

    def _on_example(self) -> None:
        if self._example is not None:
            self.message_wanted.emit(self._example.message_id)

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


ROW_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PADDING_PX, _GAP_PX = 7.0, 4
_INDENT_PX = 22.0  # of what is below the head of its group


class LearnedModel(QAbstractListModel):
    """Entries under the heads of their groups."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Entry | Fold, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(one for one in self._rows if isinstance(one, Entry))

    @property
    def folds(self) -> tuple[Fold, ...]:
        return tuple(one for one in self._rows if isinstance(one, Fold))

    def set_rows(self, rows: Sequence[Entry | Fold]) -> None:
        """Replaces all rows; nothing happens where they are the same."""
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def shown(self, row: int) -> Entry | Fold | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, key: object) -> int:
        """The row of an entry or a fold, -1 when it is not here."""
        return next((row for row, one in enumerate(self._rows) if one.key == key), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        shown = self.shown(index.row())
        if shown is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return shown.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return shown.said
        return shown if role == ROW_ROLE else None


class LearnedDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(option.rect.width(), round(2 * QFontMetricsF(font()).height() + 2 * _PADDING_PX) + _GAP_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shown = index.data(ROW_ROLE)
        if not isinstance(shown, Entry | Fold):
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
        is_head = isinstance(shown, Fold)
        if isinstance(shown, Fold):
            self._paint_arrow(painter, QPointF(inner.left() + 4, inner.top() + inner.height() / 4), shown)
        self._paint_texts(painter, inner.adjusted(_INDENT_PX, 0, 0, 0), shown, is_head=is_head)
        painter.restore()

    @staticmethod
    def _paint_arrow(painter: QPainter, at: QPointF, fold: Fold) -> None:
        """Down while it is open, else to the right."""
        painter.setPen(QPen(color("sub"), 1.6))
        ends = ((-4, -2), (0, 2), (4, -2)) if fold.is_open else ((-2, -4), (2, 0), (-2, 4))
        painter.drawPolyline([at + QPointF(x, y) for x, y in ends])

    @staticmethod
    def _paint_texts(painter: QPainter, inner: QRectF, shown: Entry | Fold, *, is_head: bool) -> None:
        height = QFontMetricsF(font()).height()
        line = QRectF(inner.left(), inner.top(), inner.width(), height)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        taken = draw_elided(painter, line.adjusted(inner.width() / 2, 0, 0, 0), shown.count, is_right=True)
        painter.setFont(font(weight=QFont.Weight.DemiBold if is_head else QFont.Weight.Medium))
        painter.setPen(color("text" if isinstance(shown, Fold) or shown.is_used else "sub"))
        draw_elided(painter, line.adjusted(0, 0, -taken - 10, 0), shown.title)
        painter.setFont(font())
        painter.setPen(color("sub"))
        draw_elided(painter, line.translated(0, height + 2), shown.line)


class LearnedView(CardList):
    """`row_chosen` when another row is the current one; `opened` for Enter, a double click, and a click on a fold."""

    row_chosen = Signal()

    def __init__(self, model: LearnedModel) -> None:
        delegate = LearnedDelegate()
        super().__init__(model, delegate)
        self._rows = model
        self.setObjectName("learned.list")
        self.setAccessibleName("Learned")
        self._pointer = CardPointer(self, delegate)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self._on_double)

    @property
    def current(self) -> Entry | Fold | None:
        return self._rows.shown(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current
        side = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}.get(Qt.Key(event.key()))
        if isinstance(current, Fold) and side is not None:
            if current.is_open is side:
                self.opened.emit()
        else:
            super().keyPressEvent(event)

    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self.row_chosen.emit()

    def _on_clicked(self, _index: QModelIndex) -> None:
        if isinstance(self.current, Fold):
            self.opened.emit()

    def _on_double(self, _index: QModelIndex) -> None:
        if isinstance(self.current, Entry):
            self.opened.emit()


EMPTY_TEXTS = (
    "Nothing learned yet",
    "Each consolidation looks for steps that your assistants repeat, for how a project's files are built, and for how you say what you want.",
)


def read_learned(engine: "Engine") -> tuple[Entry, ...]:
    """For the read worker."""
    practices = [*engine.rules.practices(MemoryKind.WORKFLOW), *engine.rules.practices(MemoryKind.PATTERN)]
    return (*map(practice_entry, practices), *map(rule_entry, engine.rules.learned()))


def read_example(engine: "Engine", rule_id: int) -> RuleExample | None:
    """Runs in the read worker; None also for a rule that no longer exists."""
    try:
        return engine.rules.example(rule_id)
    except NotFoundError:
        return None


class LearnedPanel(Panel):
    screen_id: ClassVar[str] = "learned"
    title: ClassVar[str] = "Learned"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    search_hint: ClassVar[str] = "deploy, a file, a word…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.RULES, DataKind.MEMORIES})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._text = ""
        self._entries: tuple[Entry, ...] = ()
        self._toggled: frozenset[str] = frozenset()  # folds that are not as they begin
        self._wanted: object = None  # the key of the row that is to have the cursor
        self._is_focus_due = False  # the list has it as soon as it is there
        self._build()
        self._connect()

    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        self.page = QWidget(self.pages)
        whole = QVBoxLayout(self.page)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        self.model = LearnedModel(self)
        self.list = LearnedView(self.model)
        self.detail = LearnedDetail()
        self._add_acts()
        self.halves = ListBesideDetail(self.list, self.detail, sizes_px=(500, 500), stretch=(1, 1))
        run = Button("What the next run would learn", "learned.consolidation", kind="primary", icon_name="merge")
        run.clicked.connect(self._on_consolidation)
        self.empty = EmptyState("workflow", *EMPTY_TEXTS, (run,))
        self.pages.addWidget(Skeleton())
        whole.addWidget(self.halves, 1)
        self.pages.addWidget(self.page)
        self.pages.addWidget(self.empty)

    def _add_acts(self) -> None:
        named = (
            ("learned.edit", "rename", "Edit"),
            ("learned.switch_off", "pause", "Switch off"),
            ("learned.switch_on", "play", "Switch on"),
            ("learned.purge", "archive", "Archive"),
            ("learned.memory", "memories", "In Memories"),
            ("learned.graph", "graph", "In the Graph"),
        )
        buttons = [
            ActionButton(self.context.actions.action(name), icon, text=text, only_able=True, parent=self.detail)
            for name, icon, text in named
        ]
        holder = QWidget()
        holder.setProperty("role", "content")
        flow = FlowLayout(holder)
        for button in buttons:
            flow.addWidget(button)
        self.detail.acts.addWidget(holder)

    def _connect(self) -> None:
        self.list.row_chosen.connect(self._on_chosen)
        self.list.opened.connect(self._on_row_opened)
        self.detail.saved.connect(self._on_saved)
        self.detail.message_wanted.connect(self._on_message_wanted)
        self.detail.editing_changed.connect(self.abilities_changed)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.take_focus)
            self.header.search.returnPressed.connect(self.take_focus)

    # -- reading
    def parts(self) -> tuple[QWidget, ...]:
        return self.list, self.detail

    def refresh(self) -> None:
        self.context.bridge.ask("learned", read_learned, self._on_learned)

    def search(self, text: str) -> None:
        self._text = text.strip().lower()
        self._show()

    def _on_learned(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries
        if self._wanted is not None:
            self._open_folds()
        self._show()

    def _show(self) -> None:
        """The rows that are wanted; the cursor stays on what it was on, else goes to the next."""
        before = self.list.current
        wanted = self._wanted if self._wanted is not None else before.key if before is not None else None
        row_before = max(0, self.list.currentIndex().row())
        found = [one for one in self._entries if self._fits(one)]
        shown = rows_of(found, self._toggled, is_all=bool(self._text))
        self.model.set_rows(shown)
        self.pages.setCurrentWidget(self.page if self._entries else self.empty)
        nothing = f"Nothing learned fits “{self._text}”." if self._text else "Nothing was learned here yet."
        self.halves.show_found(is_any=bool(shown), nothing=nothing)
        self.set_status(status_line(found))
        place = self.model.row_of(wanted)
        if place >= 0:
            self._wanted = None
        elif shown:
            place = max(1, min(row_before, len(shown) - 1))
        if place >= 0:
            self.list.choose_row(place)
        self._show_detail()
        if self._is_focus_due and self.list.isVisible():
            self._is_focus_due = False
            self.take_focus()
        self.abilities_changed.emit()

    def _fits(self, one: Entry) -> bool:
        project = self.context.selection.scope.project_or_none
        is_here = project is None or not one.value.project or one.value.project == project
        return is_here and all(word in one.searched for word in self._text.split())

    def _on_chosen(self) -> None:
        shown = self.list.current
        self._show_detail()
        if isinstance(shown, Entry):
            kind = "practice" if isinstance(shown.value, Practice) else "rule"
            self.place_changed.emit(Place("learned", kind, shown.id, self._text))
        self.abilities_changed.emit()

    def _show_detail(self) -> None:
        """The selected thing; for a rule with a message in which it was used or seen."""
        shown = self.list.current
        self.detail.show_row(shown)
        if isinstance(shown, Entry) and isinstance(shown.value, LearnedRule):
            key, number = shown.key, shown.id
            self.context.bridge.ask(
                "learned.example", lambda engine: (key, read_example(engine, number)), self._on_example
            )

    def _on_example(self, found: tuple[object, RuleExample | None]) -> None:
        self.detail.show_example(*found)

    def _on_message_wanted(self, message_id: int) -> None:
        self.context.navigate(Place("conversations", "message", message_id))

    def _on_row_opened(self) -> None:
        """A fold is opened or closed; what is in it is edited."""
        shown = self.list.current
        if isinstance(shown, Fold):
            self._toggled ^= {shown.key}
            self._show()
        else:
            self.detail.edit()

    # -- places and acts
    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.object_id is not None and place.kind in {"rule", "practice"}:
            self._wanted = (place.kind == "practice", place.object_id)
            self._open_folds()
            self._show()
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self._is_focus_due = not self.list.isVisible()
            self.take_focus()

    def _open_folds(self) -> None:
        """Around the one that is wanted."""
        for one in self._entries:
            if one.key == self._wanted:
                self._toggled -= {one.group}
                self._toggled |= {NOTICED} if one.is_noticed else set()

    def take_focus(self) -> None:
        """The keyboard goes into the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def abilities(self) -> frozenset[str]:
        entry = self.detail.entry
        able = {"learned.next", "learned.previous"} if self.model.rowCount() else set[str]()
        if entry is None or self.detail.is_editing:
            return frozenset(able)
        able |= {"learned.graph", "learned.purge", "learned.switch_off" if entry.is_on else "learned.switch_on"}
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
            case "learned.graph" if entry is not None:
                kind = "memory" if isinstance(entry.value, Practice) else "rule"
                self.context.navigate(Place("graph", query=f"{kind}:{entry.id}"))

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

    def _on_consolidation(self) -> None:
        self.context.navigate(Place("consolidation"))
