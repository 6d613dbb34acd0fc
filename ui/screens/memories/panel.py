"""Memories: what was learned. Filters at the left, the list, and the selected memory with everything about it.

Asks for a list again when something concerned it, for further pages as the eye reaches them, and keeps cursor,
marks and what is being typed. One screen for all memories and for the inbox of those that wait.

What the list of memories is narrowed by: clicked in the pane, typed into the search field, taken out by its chip.
How the Memories list looks, as the person chooses it: cards or table, columns, groups; and going to a saved search.
Peeking into memories from the list: one sheet that follows the list's cursor while it is open.
How the three panes of Memories share the width: side by side; where it is narrow the inspector takes the place of the
filters, and where it is narrower still lies over the list.
The quiet menu beside a search field: what else the search looks at. Says so; owns only what is ticked.

Source: UX 4.4; UX 4.4 "List"; UX 3.2; UX 5; S3 "Retrieval Query" (`includeChunks`, `context`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.values import DataKind, Facets, MemoryCounts, MemoryGroup, MemorySort, QueryPart, SavedSearch
from app.values.changes import Changes, Origin
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.memories.action_handlers import MemoryActs
from ui.screens.memories.commands import MemoryCommands
from ui.screens.memories.dragging import MemoryDragging
from ui.screens.memories.filter import FilterChoice, FilterState, typed_choices, without_part
from ui.screens.memories.filter_pane import FilterPane
from ui.screens.memories.inspector.pane import MemoryInspector
from ui.screens.memories.listing.look import MemoryLook
from ui.screens.memories.listing.model import MemoryModel
from ui.screens.memories.listing.pane import MemoryList, status_line
from ui.screens.memories.listing.view import MemoryView
from ui.screens.memories.loading import MemoryAsking
from ui.screens.memories.reading import ListReading, OneReading, read_why_not
from ui.screens.memories.saved_search_actions import MemorySaving, group_of, sort_of, state_of
from ui.screens.memories.tray import MemoryTraying
from ui.selection import ScopeFilter, Selection
from ui.theme import font_px
from ui.widgets.buttons import Button, IconButton
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.header import PanelHeader
from ui.widgets.memories.peek import PeekSheet
from ui.wording.values import empty_texts

TIP = "What the search looks at"
CHUNKS_TEXT = "Also summaries of long conversations"
AROUND_TEXT = "First what fits the current conversation"


class SearchLook(IconButton):
    """`changed` carries whether chunks are searched, and whether surroundings lift."""

    changed = Signal(bool, bool)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__("settings", object_name, TIP, parent)
        self.menu_of_looks = QMenu(self)
        self.menu_of_looks.setObjectName(f"{object_name}.menu")
        self.chunks = self._tick(CHUNKS_TEXT, f"{object_name}.chunks")
        self.around = self._tick(AROUND_TEXT, f"{object_name}.around")
        self.clicked.connect(self._on_clicked)

    def _tick(self, text: str, object_name: str) -> QAction:
        action = QAction(text, self)
        action.setObjectName(object_name)
        action.setCheckable(True)
        action.toggled.connect(self._on_toggled)
        self.menu_of_looks.addAction(action)
        return action

    def _on_clicked(self) -> None:
        self.menu_of_looks.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _on_toggled(self) -> None:
        ticked = [action.text() for action in (self.chunks, self.around) if action.isChecked()]
        self.set_kind("link" if ticked else "quiet")
        said = f"{TIP}: {'; '.join(ticked).lower()}" if ticked else TIP
        self.setToolTip(said)
        self.setAccessibleName(said)
        self.changed.emit(self.chunks.isChecked(), self.around.isChecked())


FILTERS_EM = 15.5
INSPECTOR_EM = 27.0
LIST_EM = 24.0
GAPS_PX = 60
OVER_RATIO = 0.7  # how much of the list the inspector may cover


class MemoryRoom:
    """Call `arrange` whenever the width or the text size changed."""

    def __init__(
        self, pages: QStackedWidget, splitter: QSplitter, filters: QWidget, inspector: MemoryInspector
    ) -> None:
        self._pages, self._splitter = pages, splitter
        self._filters, self._inspector = filters, inspector
        self._is_filters_asked: bool | None = None  # None: as there is room
        self._is_inspector_asked: bool | None = None
        self._is_over = False
        self._width = 0

    @property
    def is_over(self) -> bool:
        """Whether there is no room for all three: the inspector takes the filters' place, or lies over the list; Esc puts it away."""
        return self._is_over

    def toggle_filters(self) -> None:
        self._is_filters_asked = not self._filters.isVisible()
        self.arrange(self._width)

    def set_inspector(self, *, is_shown: bool) -> None:
        self._is_inspector_asked = is_shown
        self.arrange(self._width)

    def put_inspector_away(self) -> None:
        """Where it takes the room of something else it comes back with the room; elsewhere it stays away until it is asked for."""
        self._is_inspector_asked = None if self._is_over else False
        self.arrange(self._width)

    def show_beside(self) -> None:
        """Shows the inspector if the list stays uncovered."""
        if self._width >= self._beside_px:
            self.set_inspector(is_shown=True)

    @property
    def _beside_px(self) -> int:
        """What the list and the inspector need."""
        return round((INSPECTOR_EM + LIST_EM) * font_px() + GAPS_PX)

    def arrange(self, width: int) -> None:
        """Gives the panes their places in `width` pixels."""
        self._width = width
        em = font_px()
        filters_px, inspector_px = round(FILTERS_EM * em), round(INSPECTOR_EM * em)
        beside_px = self._beside_px
        is_roomy = width >= filters_px + beside_px
        is_shown = is_roomy if self._is_inspector_asked is None else self._is_inspector_asked
        gives_way = is_shown and not is_roomy and width >= beside_px  # the filters do, before the list is covered
        has_filter_room = width >= filters_px + (LIST_EM + 6) * em + GAPS_PX and not gives_way
        is_filters = has_filter_room if self._is_filters_asked is None else self._is_filters_asked
        self._filters.setVisible(is_filters)
        self._filters.setMinimumWidth(min(filters_px, 160) if is_filters else 0)
        is_beside = is_roomy or (width >= beside_px and not is_filters)
        self._put_inspector(is_beside=is_beside, is_extra=not is_roomy, is_shown=is_shown)
        used = (filters_px if is_filters else 0) + (inspector_px if is_beside and is_shown else 0)
        self._splitter.setSizes([filters_px, max(200, width - GAPS_PX - used), inspector_px])

    def _put_inspector(self, *, is_beside: bool, is_extra: bool, is_shown: bool) -> None:
        if is_extra != self._is_over:
            self._is_over = is_extra
            self._inspector.set_over(is_over=is_extra)
        parent = self._splitter if is_beside else self._pages
        if self._inspector.parent() is not parent:
            if is_beside:
                self._splitter.addWidget(self._inspector)
            else:
                self._inspector.setParent(self._pages)
        self._inspector.setVisible(is_shown and self._pages.currentWidget() is self._splitter)
        if not is_beside and is_shown:
            pages = self._pages
            width = min(round(INSPECTOR_EM * font_px()), round(pages.width() * OVER_RATIO))
            self._inspector.setGeometry(pages.width() - width, 0, width, pages.height())
            self._inspector.raise_()


class MemoryPeeking(QObject):
    """`opened` carries the memory that the person wants to go into."""

    opened = Signal(int)

    def __init__(self, view: MemoryView, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._panel = parent
        self._sheet: PeekSheet | None = None
        self._reading: OneReading | None = None

    @property
    def is_open(self) -> bool:
        return self._sheet is not None and self._sheet.is_open

    def open(self) -> None:
        """Shows what is under the cursor."""
        if self._view.current_card() is None:
            return
        if self._sheet is None:
            self._sheet = PeekSheet(self._panel.window())
            self._sheet.stepped.connect(self._view.step)
            self._sheet.opened.connect(self._on_opened)
        self._show()
        self._sheet.open()
        self._sheet.fit()

    def follow(self) -> None:
        """The cursor is on another one."""
        if self.is_open:
            self._show()

    def show_values(self, reading: OneReading) -> None:
        """What was read of the one under the cursor."""
        self._reading = reading
        if self.is_open:
            self._report()

    def _show(self) -> None:
        card = self._view.current_card()
        if card is not None and self._sheet is not None:
            self._sheet.show_card(card, self._view.now)
            self._report()

    def _report(self) -> None:
        reading = self._reading
        if self._sheet is not None and reading is not None and reading.detail is not None:
            self._sheet.show_detail(reading.detail, reading.now, reading.reasons)

    def _on_opened(self) -> None:
        self.opened.emit(self._view.current_id)


class MemoryLooking(QObject):
    """`gone` carries the number of the saved search that is shown now."""

    gone = Signal(int)

    def __init__(
        self, selection: Selection, listed: MemoryList, asking: MemoryAsking, header: PanelHeader, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._list = listed
        self._asking = asking
        self._header = header
        asking.query = replace(asking.query, group=selection.memory_look.group)
        listed.show_look(selection.memory_look)
        listed.group_chosen.connect(self._on_group)
        listed.column_toggled.connect(self._on_column)
        listed.column_resized.connect(self._on_resized)

    def toggle_table(self) -> None:
        look = self._selection.memory_look
        self._take(replace(look, is_table=not look.is_table))

    def go(self, search: SavedSearch) -> None:
        """The list as a saved search says: its words, filters, order and groups."""
        group = group_of(search)
        self._take(replace(self._selection.memory_look, group=group))
        if self._header.search is not None:
            with QSignalBlocker(self._header.search):  # asked once, with all the rest
                self._header.set_query(search.text)
        self._asking.change(text=search.text, state=state_of(search), sort=sort_of(search), group=group)
        self.gone.emit(search.id)

    def _on_group(self, group: MemoryGroup | None) -> None:
        self._take(replace(self._selection.memory_look, group=group))
        self._asking.change(group=group)

    def _on_column(self, name: str) -> None:
        self._take(replace(self._selection.memory_look.toggled(name), is_table=True))

    def _on_resized(self, name: str, width_em: float | None) -> None:
        self._take(self._selection.memory_look.resized(name, width_em))

    def _take(self, look: MemoryLook) -> None:
        self._selection.memory_look = look
        self._list.show_look(look)


class MemoryFiltering(QObject):
    """`narrowed` when the person changed what the list shows."""

    narrowed = Signal()

    def __init__(
        self, asking: MemoryAsking, pane: FilterPane, listed: MemoryList, header: PanelHeader, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._asking = asking
        self._pane = pane
        self._list = listed
        self._header = header
        self._typed: dict[FilterChoice, QueryPart] = {}
        asking.facets_read.connect(self._on_facets)
        pane.toggled.connect(self._on_toggled)
        listed.filter_removed.connect(self._on_removed)
        listed.filters_cleared.connect(self._on_cleared)

    def _on_facets(self, facets: Facets) -> None:
        reading, state = self._asking.reading, self._asking.query.state
        is_list = reading is not None and reading.hits is None and reading.everything > 0
        is_early = is_list and not any(facets.values())
        self._pane.show_counting(is_on=is_early)
        if is_early:  # a large store is still being read
            self._asking.ask_facets_later()
        parts = reading.parts if reading is not None else ()
        self._typed = typed_choices(parts, facets)
        both = tuple(dict.fromkeys((*state.choices, *self._typed)))
        self._pane.set_facets(facets, FilterState(both, state.is_inbox))
        if reading is not None and reading.hits is not None and not reading.hits:
            self._pane.hide_counts()
        self._list.chips.set_filters((*state.choices, *parts), self._pane.titles())

    def _on_toggled(self, facet: str, value: str) -> None:
        part = self._typed.get((facet, value))
        if part is not None and (facet, value) not in self._asking.query.state.choices:
            self._on_removed(part)
        else:
            self._on_removed((facet, value))

    def _on_removed(self, one: object) -> None:
        """A choice goes or, from the pane, comes; a typed one goes out of the text."""
        self.narrowed.emit()
        if isinstance(one, QueryPart):
            self._header.set_query(without_part(self._header.query, one))
        elif isinstance(one, tuple):
            self._asking.change(state=self._asking.query.state.toggled(*one))

    def _on_cleared(self) -> None:
        reading, text = self._asking.reading, self._header.query
        self.narrowed.emit()
        self._asking.change(state=self._asking.query.state.cleared())
        for part in reading.parts if reading is not None else ():
            text = without_part(text, part)
        self._header.set_query(text)


EMPTY_TEXTS = (
    "Nothing is remembered yet",
    "Decisions, preferences and facts that you tell your assistants appear here, with the words they come from.",
)
REVIEW_QUERY = "review"
BULK_VERBS = (
    "accept",
    "reject",
    "merge",
    "pin",
    "tag",
    "scope",
    "withhold",
    "export",
    "toTray",
    "archive",
    "erase",
    "emptyTray",
)
MENU = (
    *("open", "peek", "edit", "accept", "reject", "always", "never", "", "pin", "tag", "scope", "withhold", "archive"),
    *("unarchive", "", "source", "copy", "link", "export", "mark", "toTray", "fromTray", "merge", "erase"),
)

MAX_QUOTE_CHARS = 120


class MemoriesPanel(Panel):
    """Page object: tests/ui/pages/memories.py."""

    screen_id: ClassVar[str] = "memories"
    title: ClassVar[str] = "Memories"
    search_hint: ClassVar[str] = "Search memories…  type:fact is:pinned"
    primary_action: ClassVar[str] = "memory.new"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {DataKind.MEMORIES, DataKind.CONTRADICTIONS, DataKind.RULES, DataKind.RECEIPTS, DataKind.SETTINGS}
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.commands = MemoryCommands(context)
        self.model = MemoryModel(self)
        self._sort_before_search = MemorySort.UPDATED
        self._is_focus_due = False
        self._wanted_id = 0  # a memory to show that the list need not hold
        self._build()
        self.acts = MemoryActs(context, self.commands, (self.list, self.inspector), self.show_memory, self)
        self.acts.erased.connect(self.mark_dirty)
        self.asking = MemoryAsking(context.bridge, context.selection, self.list.view.visible_pages, self._wanted, self)
        self.peeking = MemoryPeeking(self.list.view, self)
        self.filtering = MemoryFiltering(self.asking, self.filters, self.list, self.header, self)
        self.saving = MemorySaving(context, self.filters, lambda: self.asking.query, self)
        self.looking = MemoryLooking(context.selection, self.list, self.asking, self.header, self)
        self.traying = MemoryTraying(context, self.asking, self.list, self.header, self.acts.ids, self)
        targets = (self.model, self.list.view, self.filters, lambda: self.saving.searches)
        self.dragging = MemoryDragging(context, self.commands, *targets, parent=self)
        self._runs = self._own_runs()
        self._connect()

    # -- building
    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.pages)
        new = Button("Write one down", "memories.empty.new", kind="primary", icon_name="plus")
        new.clicked.connect(self._on_new)
        connect = Button("Connect an assistant", "memories.empty.connect", icon_name="apps")
        connect.clicked.connect(self._on_connect)
        self.empty = EmptyState("memories", *EMPTY_TEXTS, (new, connect))
        self.filter_card = QFrame(self.splitter)
        self.filter_card.setProperty("role", "card")
        column = QVBoxLayout(self.filter_card)
        column.setContentsMargins(4, 8, 0, 4)
        self.filters = FilterPane(self.filter_card)
        column.addWidget(self.filters)
        self.look = SearchLook("memories.look", self.header)
        bulk_actions = tuple(self.context.actions.action(f"memory.{verb}") for verb in BULK_VERBS)
        look_actions = (self.context.actions.action("memory.table"), self.context.actions.action("memory.saveSearch"))
        self.list = MemoryList(self.model, bulk_actions, look_actions, self.splitter)
        self.inspector = MemoryInspector(self.context, self.commands, self.splitter)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        for widget in (self.filter_card, self.list, self.inspector):
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.room = MemoryRoom(self.pages, self.splitter, self.filter_card, self.inspector)
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.splitter)
        self.pages.addWidget(self.empty)

    def _connect(self) -> None:
        view = self.list.view
        view.memory_chosen.connect(self._on_chosen)
        view.clicked.connect(self.room.show_beside)
        view.memory_opened.connect(self._on_opened_memory)
        view.memory_entered.connect(self._on_entered_memory)
        view.menu_wanted.connect(self._on_menu)
        view.peek_wanted.connect(self.peeking.open)
        self.peeking.opened.connect(self._on_opened_memory)
        view.range_wanted.connect(self._mark_rows)
        asking = self.asking
        asking.list_read.connect(self._on_list)
        asking.pages_read.connect(self.model.add_pages)
        asking.one_read.connect(self._on_one)
        asking.marks_read.connect(self.acts.mark)
        self.model.pages_wanted.connect(asking.ask_pages)
        self.model.marks_changed.connect(self.abilities_changed)
        self.list.inbox_chosen.connect(self.show_inbox)
        self.list.sort_chosen.connect(self._on_sort)
        self.saving.wanted.connect(self._on_saved)
        self.saving.changed.connect(self.abilities_changed)
        self.filtering.narrowed.connect(self._on_narrowed)
        self.list.query_wanted.connect(self.header.set_query)
        self.list.conversations_wanted.connect(self._on_conversations)
        self.list.rules_wanted.connect(self.acts.show_rules)
        self.list.filters_wanted.connect(self.room.toggle_filters)
        self.inspector.message_wanted.connect(self.open_message)
        self.inspector.quote_wanted.connect(self._on_quote)
        self.inspector.memory_wanted.connect(self.show_memory)
        self.inspector.conversation_wanted.connect(self.open_conversation)
        self.inspector.link_asked.connect(self.acts.ask_link)
        self.inspector.closed.connect(self._put_inspector_away)
        self.inspector.left.connect(self._on_inspector_left)
        self.inspector.kept.connect(self.list.take_focus)  # Ctrl+Z undoes what was saved
        self.list.why_not.asked.connect(self._on_why_not)
        self.list.why_not.memory_wanted.connect(self.show_memory)
        self.list.why_not.message_wanted.connect(self.open_message)
        self.list.why_not.left.connect(self.list.take_focus)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        self.context.theme.changed.connect(self._arrange)
        if self.header.search is not None:
            self.header.search.setFixedWidth(300)
            self.header.add_beside_search(self.look)
            self.look.changed.connect(self._on_look)
            self.header.search.left_down.connect(self.list.take_focus)
            self.header.search.returnPressed.connect(self.list.take_focus)

    # -- reading
    def parts(self) -> tuple[QWidget, ...]:
        return self.filters, self.list.pages, self.inspector

    def _on_changes(self, changes: Changes) -> None:
        """What the person wrote down is shown, wherever the list stands."""
        super()._on_changes(changes)
        made = changes.ids.get(DataKind.MEMORIES, ())
        if self.commands.is_creating and changes.origin is Origin.PERSON and len(made) == 1:
            self.commands.is_creating = False
            self.show_memory(made[0])

    def refresh(self) -> None:
        self.asking.ask_list(is_changed=True)
        self.saving.read()
        self.acts.reread()
        self.traying.reread()

    def _on_list(self, reading: ListReading, before: ListReading | None) -> None:
        is_other = before is None or not before.query.is_same_list(reading.query)
        self._show_page(reading)
        self.list.set_reading(reading, self.filters.titles())
        if reading.hits is not None:
            if is_other:
                self.list.view.forget_current()  # the best hit is read first
            self.model.set_hits(reading.hits, reading.now, is_other=is_other, groups=reading.groups)
        else:
            self.model.set_list(reading.total, reading.pages, reading.now, is_other=is_other, groups=reading.groups)
            if is_other and before is not None and before.hits:
                self.list.view.show_current()  # the hit that was read: where it is among the others
        grown = reading.everything - before.everything if before is not None and not is_other else 0
        is_reading_below = self.list.view.verticalScrollBar().value() > 0
        self.list.show_news(grown if grown > 0 and is_reading_below else 0)
        self.set_status(status_line(reading))
        if is_other:
            self.list.why_not.forget()
        self.list.why_not.setVisible(bool(reading.query.text.strip()) or reading.query.state != FilterState())
        self.saving.show_values()
        if is_other:
            self.filters.expect()
        if self._wanted_id and self.list.view.choose(self._wanted_id):
            self._wanted_id = 0
        self._ask_one()
        self.abilities_changed.emit()

    def _show_page(self, reading: ListReading) -> None:
        found = reading.everything or reading.counts != MemoryCounts()
        is_empty = not found and not self.asking.query.text
        is_empty = is_empty and self.asking.query.state == FilterState()
        scope = self.context.selection.scope
        self.empty.set_texts(*empty_texts("" if scope == ScopeFilter() else scope.describe(), EMPTY_TEXTS))
        page = self.empty if is_empty else self.splitter
        if self.pages.currentWidget() is not page:
            focus = QApplication.focusWidget()  # what hides takes it along: it moved to a notice's Redo
            self._is_focus_due |= focus is not None and self.pages.isAncestorOf(focus)
            self.pages.setCurrentWidget(page)
            self._arrange()
        if self._is_focus_due and page is self.splitter and self.isVisible():
            self._is_focus_due = False
            self.list.take_focus()

    def _ask_one(self) -> None:
        wanted = self._wanted()
        if wanted > 0:
            self.asking.ask_one()
        else:
            self.inspector.clear(is_part=wanted < 0)

    def _wanted(self) -> int:
        return self._wanted_id or self.list.view.current_id

    def _on_one(self, reading: OneReading) -> None:
        memory_id = reading.detail.memory.id if reading.detail is not None else 0
        if memory_id not in (0, self._wanted()):
            return  # the cursor continued while this was read
        if reading.detail is None and self.list.view.current_card() is None:
            self._wanted_id = 0  # it was erased: nothing is left that keys could act on
            self.list.view.forget_current()
        self.inspector.set_reading(reading, self.model.hit_of(memory_id))
        self.peeking.show_values(reading)
        self.abilities_changed.emit()

    # -- places and search
    def visit(self, place: Place) -> None:
        if place.query in (REVIEW_QUERY, "inbox"):
            self.show_inbox(True)
        else:
            super().visit(place)
        if place.kind == "search" and place.object_id is not None:
            self.saving.go(place.object_id)
        elif place.kind == "memory" and place.object_id is not None:
            if not place.query:
                self._uncover(place.object_id)
            self.show_memory(place.object_id)
        focus = QApplication.focusWidget()
        is_field = focus is self.header.search and not self.header.query  # given by Qt, not by the person
        if focus is None or is_field or not self.isAncestorOf(focus):  # arrived from elsewhere: the keys work at once
            self._is_focus_due = self.pages.currentWidget() is not self.splitter
            self.list.take_focus()

    def _uncover(self, memory_id: int) -> None:
        """Clears search and filters when they would hide the memory that is jumped to."""
        is_narrowed = bool(self.header.query) or self.asking.query.state != FilterState()
        if is_narrowed and self.model.row_of(memory_id) is None:
            self.asking.query = replace(self.asking.query, state=FilterState())
            self.header.set_query("")
            self.asking.change(text="")

    def show_memory(self, memory_id: int) -> None:
        """Shows one memory, in the list if it is there, in the inspector in any case."""
        self._wanted_id = 0 if self.list.view.choose(memory_id) else memory_id
        self.room.set_inspector(is_shown=True)
        if self.context.bridge.is_open:
            self._ask_one()
        self.place_changed.emit(Place("memories", "memory", memory_id, self.asking.query.text))

    def show_inbox(self, is_inbox: bool) -> None:
        """All memories, or only those that wait for the person."""
        state = self.asking.query.state
        if state.is_inbox != is_inbox or state.tray is not None:
            self._wanted_id = 0
            self.asking.change(state=FilterState(is_inbox=is_inbox))

    def search(self, text: str) -> None:
        was, is_now = bool(self.asking.query.text.strip()), bool(text.strip())
        sort = self.asking.query.sort
        if is_now and not was:
            self._sort_before_search, sort = sort, MemorySort.RELEVANCE
        elif was and not is_now:
            sort = self._sort_before_search
        self._wanted_id = 0
        self.asking.change(text=text, sort=sort)

    # -- abilities
    def abilities(self) -> frozenset[str]:
        able = {"memory.inbox", "memory.rules"}
        if self.pages.currentWidget() is self.splitter:
            able |= self.acts.abilities() | {"memory.filters", "memory.details"}
            able |= {"memory.table", "memory.look"} | self.traying.abilities()
            able |= {"memory.saveSearch"} if self.saving.can_save else frozenset()
            able |= {"memory.peek"} if self.list.view.current_card() is not None else frozenset()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        own = self._runs.get(action_id)
        if own is not None:
            own()
        else:
            self.acts.run(action_id)

    def _own_runs(self) -> dict[str, Callable[[], None]]:
        """What is about the screen itself; all else is done to memories."""
        view, model = self.list.view, self.model
        return {
            "memory.next": lambda: view.step(1),
            "memory.previous": lambda: view.step(-1),
            "memory.open": lambda: self._on_opened_memory(view.current_id),
            "memory.peek": self.peeking.open,
            "memory.edit": self._edit,
            "memory.mark": lambda: model.toggle_mark(view.currentIndex().row()),
            "memory.markAll": lambda: self.asking.ask_marks(0, model.plan.card_count - 1),
            "memory.inbox": lambda: self.show_inbox(not self.asking.query.state.is_inbox),
            "memory.filters": self.room.toggle_filters,
            "memory.details": self._toggle_inspector,
            "memory.toTray": self.traying.put,
            "memory.fromTray": self.traying.take_out,
            "memory.emptyTray": self.traying.empty,
            "memory.source": self.inspector.open_source,
            "memory.useWords": self.inspector.use_own_words,
            "memory.graph": self._show_in_graph,
            "memory.table": self.looking.toggle_table,
            "memory.look": self.list.open_look,
            "memory.saveSearch": self.saving.ask_name,
        }

    def _show_in_graph(self) -> None:
        if self.list.view.current_id:
            self.context.navigate(Place("graph", query=f"memory:{self.list.view.current_id}"))

    def _edit(self) -> None:
        self.room.set_inspector(is_shown=True)
        self.inspector.edit_text()

    def open_new(self, text: str = "") -> None:
        """The sheet to write a memory down."""
        self.acts.open_new(text)

    def _mark_rows(self, first_row: int, last_row: int) -> None:
        """Marks the memories in these rows, headings left out."""
        span = self.model.plan.cards_between(first_row, last_row)
        if span is not None:
            self.asking.ask_marks(*span)

    # -- slots
    def _on_chosen(self, memory_id: int) -> None:
        self._wanted_id = 0
        self.peeking.follow()
        self._ask_one()
        if memory_id > 0:
            self.place_changed.emit(Place("memories", "memory", memory_id, self.asking.query.text))
        self.abilities_changed.emit()

    def _on_opened_memory(self, memory_id: int) -> None:
        """Enter: in the inbox it accepts, elsewhere it does what a double click does."""
        is_part = memory_id < 0
        if self.asking.query.state.is_inbox and not is_part and "memory.accept" in self.acts.abilities():
            self.acts.run("memory.accept")
        else:
            self._on_entered_memory(memory_id)

    def _on_entered_memory(self, memory_id: int) -> None:
        """Goes into the text, in the inbox before the way to the review; a part of a conversation leads there."""
        reading = self.asking.reading
        home = reading.homes.get(memory_id) if reading is not None else None
        if home is not None:
            self.open_conversation(home)
        elif self.asking.query.state.is_inbox:
            self.room.set_inspector(is_shown=True)
            self.inspector.show_waiting()
        else:
            self._edit()

    def _on_menu(self, _memory_id: int, where: QPoint) -> None:
        self.abilities_changed.emit()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in MENU:
            action = self.context.actions.action(f"memory.{name}") if name else None
            if action is None:
                menu.addSeparator()
            elif action.isEnabled():
                menu.addAction(action)
        menu.popup(where)

    def _on_sort(self, sort: MemorySort) -> None:
        self.asking.change(sort=sort)

    def _on_narrowed(self) -> None:
        self._wanted_id = 0

    def _on_saved(self, search: SavedSearch) -> None:
        self._wanted_id = 0
        self.looking.go(search)
        self.place_changed.emit(Place("memories", "search", search.id))

    def _on_look(self, has_chunks: bool, is_around: bool) -> None:
        self.asking.change(has_chunks=has_chunks, is_around=is_around)

    def _on_why_not(self, text: str) -> None:
        query = self.asking.query
        self.context.bridge.ask(
            "memories.whyNot", lambda engine: read_why_not(engine, text, query), self.list.why_not.set_answers
        )

    def _on_quote(self, message_id: int, quote: str) -> None:
        line = quote.splitlines()[0][:MAX_QUOTE_CHARS].strip()  # a mark is looked for line by line
        self.context.navigate(Place("conversations", "message", message_id, line))

    def _on_conversations(self) -> None:
        reading = self.asking.reading
        words = reading.words if reading is not None else ""
        self.context.navigate(Place("conversations", query=words))

    def _on_new(self) -> None:
        self.context.actions.run("memory.new")

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))

    # -- room
    def _on_inspector_left(self) -> None:
        if self.room.is_over:
            self._put_inspector_away()
        self.list.take_focus()

    def _toggle_inspector(self) -> None:
        """The keys stay in the list where what they were in goes."""
        focus = QApplication.focusWidget()
        is_inside = focus is not None and self.inspector.isAncestorOf(focus)
        self.room.set_inspector(is_shown=not self.inspector.isVisible())
        if is_inside:
            self.list.take_focus()

    def _put_inspector_away(self) -> None:
        self.room.put_inspector_away()
        self.list.take_focus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        self.room.arrange(self.width())
