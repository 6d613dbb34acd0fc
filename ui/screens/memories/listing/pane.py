"""The middle of Memories: all or the inbox, order, chips of filters, the list, and what can be done to those marked.

Owns which page is shown (list, or why it is empty) and the words above it. Says by signals what is wanted.

The menu behind the list's look: cards or table, which columns, in which groups.
Chips of what a list is narrowed by: what was clicked in the filter pane, and what stands as a filter in the search
field.

Source: UX 4.4; UX 4.4 "List"; UX 4.4 "Search grammar".
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.values import MemoryGroup, MemorySort, QueryPart
from ui.screens.memories.filter import FilterChoice, chip_text
from ui.screens.memories.listing.look import ALL_COLUMNS, MemoryLook
from ui.screens.memories.listing.model import MemoryModel
from ui.screens.memories.listing.table import COLUMN_OF
from ui.screens.memories.listing.table_head import TableHead
from ui.screens.memories.listing.view import MemoryView
from ui.screens.memories.reading import HITS_LIMIT, ListReading
from ui.widgets.buttons import ActionButton, Button, FitButton, IconButton
from ui.widgets.controls import Choice
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.memories.why_not import WhyNot
from ui.widgets.menus import add_heading
from ui.wording.memories import GROUP_WORDS, SORT_WORDS, counts_line
from ui.wording.values import counted

Filter = FilterChoice | QueryPart
SHOWN_CHARS = 40


class FilterChips(QWidget):
    """`removed` carries a FilterChoice or a QueryPart. Hidden while there is nothing to show."""

    removed = Signal(object)
    cleared = Signal()
    left = Signal()  # the last chip went while it had the focus

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memories.chips")
        self._shown: list[tuple[Filter, str]] = []
        self._chips: list[Button] = []
        self.setAccessibleName("Active filters")
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder, spacing_px=4)
        outer.addWidget(self._holder, 1)
        self.hide()

    def set_filters(self, filters: Sequence[Filter], titles: Mapping[FilterChoice, str]) -> None:
        """These, in this order; the focus stays where it was among them."""
        shown = [(one, filter_text(one, titles)) for one in filters]
        if shown == self._shown:
            return
        focused = next((n for n, chip in enumerate(self._chips) if chip.hasFocus()), None)
        self._shown = shown
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self._chips = [self._chip(n, one, text) for n, (one, text) in enumerate(shown)]
        for chip in self._chips:
            self._flow.addWidget(chip)
        if len(filters) > 1:
            clear = Button("Clear all", "memories.chips.clear", kind="link", parent=self._holder)
            clear.clicked.connect(self.cleared)
            self._flow.addWidget(clear)
        self.setVisible(bool(filters))
        self._holder.updateGeometry()
        if focused is not None:
            self._keep_focus(focused)

    def _keep_focus(self, n: int) -> None:
        if self._chips:
            self._chips[min(n, len(self._chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def _chip(self, n: int, one: Filter, text: str) -> Button:
        is_typed = isinstance(one, QueryPart)
        name = f"typed.{n}" if isinstance(one, QueryPart) else ".".join(one)
        tip = "Take it out of the search field" if is_typed else "Take this filter out"
        chip = Button(f"{text[:SHOWN_CHARS]}  ×", f"memories.chip.{name}", kind="chip", tip=tip, parent=self._holder)
        chip.setAccessibleName(f"Remove {text} from the search" if is_typed else f"Remove the filter {text}")
        chip.setProperty("place", n)
        chip.clicked.connect(self._on_chip)
        return chip

    def _on_chip(self) -> None:
        self.removed.emit(self._shown[int(self.sender().property("place"))][0])


def filter_text(one: Filter, titles: Mapping[FilterChoice, str]) -> str:
    """What a chip says: the pane's own words for what was clicked, the typed ones for what was typed."""
    return one.text if isinstance(one, QueryPart) else chip_text(one, titles)


class LookMenu(QMenu):
    """`group_chosen` carries a MemoryGroup or None, `column_toggled` the name of a column."""

    group_chosen = Signal(object)
    column_toggled = Signal(str)

    def __init__(self, more: tuple[QAction, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("memories.lookMenu")
        self.setAccessibleName("How the list looks")
        self._more = more

    def fill(self, look: MemoryLook) -> None:
        self.clear()
        add_heading(self, "Group by")
        for group, word in ((None, "Nothing"), *GROUP_WORDS.items()):
            action = self._add(self, word, is_on=look.group is group)
            action.setProperty("group", group.value if group is not None else "")
            action.triggered.connect(self._on_group)
        self.addSeparator()
        columns = self.addMenu("Columns of the table")
        for name in ALL_COLUMNS:
            action = self._add(columns, COLUMN_OF[name].title, is_on=name in look.columns)
            action.setProperty("column", name)
            action.triggered.connect(self._on_column)
        self.addActions(self._more)

    def _add(self, menu: QMenu, text: str, *, is_on: bool) -> QAction:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_on)
        return action

    def _on_group(self) -> None:
        value = str(self.sender().property("group"))
        self.group_chosen.emit(MemoryGroup(value) if value else None)

    def _on_column(self) -> None:
        self.column_toggled.emit(str(self.sender().property("column")))


INBOX_DONE = (
    "Nothing waits for you.",
    "What your assistants and imports bring in, and what was not sure, comes here first.",
)
TRAY_EMPTY = (
    "The tray is empty.",
    "B puts memories here, from any search. They wait until you take them out or the window closes.",
)
TRAY_TAB = 2  # the third
BULK_WORDS = {  # short ones: all of them are in one bar
    "memory.pin": "Pin",
    "memory.scope": "Project…",
    "memory.withhold": "Never give",
    "memory.erase": "Erase…",
    "memory.toTray": "Add to tray",
    "memory.emptyTray": "Empty the tray",
}
BULK_ASIDE = frozenset({"memory.emptyTray"})  # about the tray, not about what is selected: beside the number


class MemoryList(QFrame):
    """Signals say what the person wants to see."""

    inbox_chosen = Signal(bool)
    tray_chosen = Signal()
    sort_chosen = Signal(object)  # MemorySort
    filter_removed = Signal(object)  # Choice or QueryPart
    filters_cleared = Signal()
    query_wanted = Signal(str)  # another text for the search field
    conversations_wanted = Signal()
    rules_wanted = Signal()
    filters_wanted = Signal()  # the pane of them, or its room
    group_chosen = Signal(object)  # MemoryGroup or None
    column_toggled = Signal(str)
    column_resized = Signal(str, object)  # its name, its width in em or None

    def __init__(
        self,
        model: MemoryModel,
        bulk_actions: tuple[QAction, ...],
        look_actions: tuple[QAction, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.model = model
        self.view = MemoryView(model)
        self.view.setObjectName("memories.list")
        self.view.setAccessibleName("Memories")
        self.chips = FilterChips()
        self.count = ElidedLabel("", "sub")
        self.count.setObjectName("memories.count")
        policy = self.count.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # what is at its right stays there
        self.count.setSizePolicy(policy)
        self.news = Button("", "memories.news", kind="link", icon_name="arrow-up", tip="Go to the newest (Home)")
        self.news.hide()
        self.sort = Choice()
        self.sort.setObjectName("memories.sort")
        self.sort.setAccessibleName("Order")
        for sort, word in SORT_WORDS.items():
            self.sort.addItem(word, sort)
        self.look_button = IconButton("sort", "memories.look.button", "Groups, table and columns")
        self.look_menu = LookMenu(look_actions, self)
        self.head = TableHead(self.view)
        self.rules = Button("Rules…", "memories.rules", kind="quiet", tip="What is always accepted, what never learned")
        self._tabs = QButtonGroup(self)
        self._tray_count = 0
        self._offer: FilterChoice | QueryPart | None = None
        self._look = MemoryLook()
        self._sort = MemorySort.UPDATED
        self._build(bulk_actions)
        self._connect()

    def _build(self, bulk_actions: tuple[QAction, ...]) -> None:
        self.all_tab = Button("All", "memories.tab.all", kind="tab")
        self.inbox_tab = Button("To review", "memories.tab.inbox", kind="tab")
        top = QHBoxLayout()
        top.setSpacing(2)
        self.tray_tab = Button(
            "Tray", "memories.tab.tray", kind="tab", tip="What was put aside, from any search (Ctrl+B)"
        )
        self.tray_tab.hide()
        for n, tab in enumerate((self.all_tab, self.inbox_tab, self.tray_tab)):
            tab.setCheckable(True)
            self._tabs.addButton(tab, n)
            top.addWidget(tab)
        self.all_tab.setChecked(True)
        top.addSpacing(8)
        top.addWidget(self.count, 1)
        top.addWidget(self.news)
        top.addWidget(self.rules)
        top.addWidget(self.sort)
        top.addWidget(self.look_button)
        self.filters = IconButton("filter", "memories.filters", "Show or hide the filters (F)")
        self.filters.clicked.connect(self.filters_wanted)
        top.addWidget(self.filters)
        self.why = QWidget()
        self.why.setObjectName("memories.why")
        self.why_text = PlainLabel("", "section", wraps=True)
        self.why_note = PlainLabel("", "sub", wraps=True)
        self._why_row = FlowLayout()
        inner = QVBoxLayout(self.why)
        inner.setContentsMargins(18, 28, 18, 8)
        inner.setSpacing(10)
        for part in (self.why_text, self.why_note):
            inner.addWidget(part)
        inner.addLayout(self._why_row)
        inner.addStretch(1)
        self.did_you_mean = FitButton("", "memories.why.suggestion", kind="primary")
        self.without = FitButton("", "memories.why.without")
        self.elsewhere = FitButton("", "memories.why.conversations")
        self.archived = Button("Show what is archived", "memories.why.archived", kind="primary")
        self.clear = Button("Clear the search", "memories.why.clear")
        for button in (self.did_you_mean, self.without, self.elsewhere, self.archived, self.clear):
            self._why_row.addWidget(button)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.why)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 6, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.chips)
        column.addWidget(self.head)
        column.addWidget(self.pages, 1)
        self.why_not = WhyNot("memories.whyNot")
        self.why_not.hide()
        column.addWidget(self.why_not)
        column.addWidget(self._bulk_bar(bulk_actions))

    def _bulk_bar(self, actions: tuple[QAction, ...]) -> QFrame:
        self.bulk = QFrame()
        self.bulk.setProperty("role", "sheet")
        self.bulk.setObjectName("memories.bulk")
        self.bulk.setAccessibleName("What to do with the selected memories")
        self.bulk_count = PlainLabel("", "heading")
        line = QHBoxLayout()
        line.addWidget(self.bulk_count, 1)
        for action in actions:
            if action.objectName() in BULK_ASIDE:
                line.addWidget(self._bulk_button(action, "link"))
        self.unmark = IconButton("close", "memories.bulk.none", "Select none (Esc)")
        line.addWidget(self.unmark)
        row = FlowLayout()
        for action in actions:
            if action.objectName() not in BULK_ASIDE:
                row.addWidget(self._bulk_button(action, "danger" if action.objectName() == "memory.erase" else "plain"))
        head = QVBoxLayout(self.bulk)
        head.setContentsMargins(12, 2, 8, 8)
        head.setSpacing(0)
        head.addLayout(line)
        head.addLayout(row)
        self.bulk.hide()
        return self.bulk

    def _bulk_button(self, action: QAction, kind: str) -> ActionButton:
        word = BULK_WORDS.get(action.objectName(), "")
        return ActionButton(action, kind=kind, text=word, only_able=True, parent=self.bulk)

    def _connect(self) -> None:
        self._tabs.idClicked.connect(self._on_tab)
        self.sort.activated.connect(self._on_sort)
        self.head.sort_chosen.connect(self.sort_chosen)
        self.head.resized.connect(self.column_resized)
        self.look_button.clicked.connect(self.open_look)
        self.look_menu.group_chosen.connect(self.group_chosen)
        self.look_menu.column_toggled.connect(self.column_toggled)
        self.chips.removed.connect(self.filter_removed)
        self.chips.cleared.connect(self.filters_cleared)
        self.chips.left.connect(self.take_focus)
        self.rules.clicked.connect(self.rules_wanted)
        self.news.clicked.connect(self._on_news)
        self.did_you_mean.clicked.connect(self._on_suggestion)
        self.without.clicked.connect(self._on_without)
        self.elsewhere.clicked.connect(self.conversations_wanted)
        self.archived.clicked.connect(self._on_archived)
        self.clear.clicked.connect(self._on_clear)
        self.unmark.clicked.connect(self._on_unmark)
        self.model.marks_changed.connect(self._on_marks)

    # -- showing
    def set_reading(self, reading: ListReading, titles: dict[FilterChoice, str]) -> None:
        """The words above the list and, where nothing is found, why and what then."""
        state = reading.query.state
        is_tray = state.tray is not None
        (self.tray_tab if is_tray else self.inbox_tab if state.is_inbox else self.all_tab).setChecked(True)
        self.show_tray_count(self._tray_count, is_shown=is_tray)
        self.inbox_tab.set_text(f"To review {reading.counts.to_review:,}" if reading.counts.to_review else "To review")
        self.rules.setVisible(state.is_inbox)
        blocker = QSignalBlocker(self.sort)
        self.sort.setCurrentIndex(self.sort.findData(reading.query.sort))
        blocker.unblock()
        self._sort = reading.query.sort
        self.head.show_columns(self._look.columns, self._sort, self._look.widths_em)
        self.chips.set_filters((*state.choices, *reading.parts), titles)
        said = count_line(reading)
        self.count.setVisible(
            not state.is_inbox or bool(state.choices or reading.query.text.strip())
        )  # its tab says it
        if said != self.count.text():
            self.count.setText(said)
            mode = "Tray" if is_tray else "To review" if state.is_inbox else "Memories"
            self.view.setAccessibleName(f"{mode}, {said or 'empty'}")
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said or "empty"))
        had_focus = self._page.hasFocus()
        self.pages.setCurrentWidget(self.view if reading.total else self.why)
        if had_focus:  # else the field below the list would get it, and with it the next key and Ctrl+Z
            self.take_focus()
        if not reading.total:
            self._explain(reading, titles)

    def _explain(self, reading: ListReading, titles: dict[FilterChoice, str]) -> None:
        text, note = why_empty(reading)
        self.why_text.setText(text)
        self.why_note.setText(note)
        self.why_note.setVisible(bool(note))
        self.clear.setVisible(bool(reading.query.text.strip()))
        self.archived.setVisible(is_all_archived(reading))
        self.did_you_mean.setVisible(bool(reading.suggestion))
        self.did_you_mean.set_full_text(f"Did you mean “{reading.suggestion}”?")
        self.did_you_mean.setProperty("query", reading.suggestion)
        self._offer = reading.offer.filter if reading.offer is not None else None
        self.without.setVisible(reading.offer is not None)
        if reading.offer is not None:
            without = filter_text(reading.offer.filter, titles)
            self.without.set_full_text(f"Without “{without}”: {reading.offer.count:,}")
        self.elsewhere.setVisible(bool(reading.elsewhere_count))
        self.elsewhere.set_full_text(f"Search the conversations instead ({reading.elsewhere_count})")

    def show_look(self, look: MemoryLook) -> None:
        """Cards or a table, with which columns."""
        self._look = look
        self.head.show_columns(look.columns, self._sort, look.widths_em)
        self.head.setVisible(look.is_table)
        self.view.show_columns(look.columns if look.is_table else None, look.widths_em)

    def open_look(self) -> None:
        """The menu of groups, table and columns."""
        self.look_menu.fill(self._look)
        self.look_menu.popup(self.look_button.mapToGlobal(self.look_button.rect().bottomLeft()))

    def show_tray_count(self, count: int, *, is_shown: bool = False) -> None:
        """How many are in the tray; an empty one has no tab unless one looks into it."""
        self._tray_count = count
        self.tray_tab.set_text(f"Tray {count:,}" if count else "Tray")
        self.tray_tab.setVisible(count > 0 or is_shown or self.tray_tab.isChecked())

    def show_news(self, count: int) -> None:
        """How many came in above what is being read."""
        self.news.setVisible(count > 0)
        self.news.set_text(f"{count:,} new")

    def take_focus(self) -> None:
        """The keyboard goes into the list, or to what is in its place."""
        self._page.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _page(self) -> QWidget:
        """The list, or what is in its place when it is empty."""
        return self.why if self.pages.currentIndex() else self.view

    # -- slots
    def _on_tab(self, n: int) -> None:
        if n == TRAY_TAB:
            self.tray_chosen.emit()
        else:
            self.inbox_chosen.emit(n == 1)

    def _on_sort(self, index: int) -> None:
        self.sort_chosen.emit(MemorySort(self.sort.itemData(index)))

    def _on_news(self) -> None:
        self.view.choose_row(0)
        self.show_news(0)

    def _on_suggestion(self) -> None:
        self.query_wanted.emit(str(self.did_you_mean.property("query")))

    def _on_without(self) -> None:
        if self._offer is not None:
            self.filter_removed.emit(self._offer)

    def _on_archived(self) -> None:
        self.query_wanted.emit("is:archived")

    def _on_clear(self) -> None:
        self.query_wanted.emit("")

    def _on_unmark(self) -> None:
        self.model.set_marks(())
        self.take_focus()

    def _on_marks(self) -> None:
        count = len(self.model.marked_ids)
        self.bulk.setVisible(count > 0)
        self.bulk_count.setText(f"{count:,} selected")


def is_all_archived(reading: ListReading) -> bool:
    """Whether all that is remembered was archived, and nothing is looked for."""
    state = reading.query.state
    is_plain = not reading.query.text.strip() and not state.is_inbox and state.tray is None
    return is_plain and not reading.everything and bool(reading.counts.archived)


def why_empty(reading: ListReading) -> tuple[str, str]:
    """Heading and sentence in place of a list without rows."""
    state = reading.query.state
    if reading.words:
        is_said = reading.note.startswith("No memory")
        note = "" if is_said else reading.note
        is_narrowed = bool(state.choices or reading.parts)
        which = "that fits these filters " if is_narrowed else "to review " if state.is_inbox else ""
        which = "in the tray " if state.tray is not None and not is_narrowed else which
        elsewhere = "Press I to look in all memories." if state.is_inbox else "Try other words or a file name."
        return f"No memory {which}says “{reading.words}”.", note or elsewhere
    if not state.choices and not reading.parts and (state.is_inbox or state.tray is not None):
        return INBOX_DONE if state.is_inbox else TRAY_EMPTY
    if is_all_archived(reading):
        count = counted(reading.counts.archived, "memory is", "memories are")
        return "Nothing is in use.", f"{count} archived: never given, and each can be brought back (U)."
    return "Nothing fits all these filters.", ""


def count_line(reading: ListReading) -> str:
    """How many of how many: "41 of 12,418", "the best 200 of 12,418"; without a number while more are to come."""
    everything = f"{reading.everything:,}"
    if reading.has_more:
        return f"the best of {everything}"
    if reading.hits is not None and len(reading.hits) >= HITS_LIMIT:
        return f"the best {HITS_LIMIT} of {everything}"
    if reading.hits is not None or reading.total != reading.everything:
        return f"{reading.total:,} of {everything}"
    return f"{everything} listed" if reading.total else ""


def status_line(reading: ListReading) -> str:
    """The line under the title: how many there are and how many wait."""
    if reading.query.state.tray is not None:
        count = len(reading.query.state.tray)
        return f"{counted(count, 'memory', 'memories')} in the tray" if count else "The tray is empty"
    if reading.query.state.is_inbox:
        below = f" · {reading.counts.less_likely:,} less likely" if reading.counts.less_likely else ""
        return f"{counted(reading.counts.to_review, 'memory', 'memories')} to review{below}"
    index = "" if reading.is_complete else " · the search index is being rebuilt"
    return f"{counts_line(reading.counts)}{index}"
