"""What every screen is built on: header, reading again when it concerns it, being dirty while hidden.

A panel hears `Changes` and reads again if they concern it and it is visible; hidden ones only remember that they
are old. Panels never tell other panels anything. `Ages` hands a panel the passing of time. Knows no screen by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.values.changes import Changes, DataKind
from ui.actions.table import ActionRegistry
from ui.bridge import EngineBridge
from ui.navigation import Place
from ui.notices import Notice
from ui.selection import Selection
from ui.theme import Theme
from ui.unsaved import UnsavedTexts
from ui.widgets.header import PanelHeader
from ui.widgets.labels import PlainLabel
from ui.widgets.scope_chip import ScopeChip
from ui.widgets.tab_order import focus_first, in_layout

if TYPE_CHECKING:
    from app.api import Engine
    from app.values.admin import FoundSource

AGES_EVERY_MS = 30_000


def _import_nothing(_sources: "Sequence[FoundSource]") -> None:
    """For panels without a window around them."""


@dataclass(frozen=True, slots=True)
class PanelContext:
    """All that a panel gets from the window."""

    bridge: EngineBridge
    actions: ActionRegistry
    selection: Selection
    theme: Theme
    navigate: Callable[[Place], None]
    notify: Callable[[Notice], None]
    start_import: "Callable[[Sequence[FoundSource]], None]" = _import_nothing
    unsaved: UnsavedTexts = field(default_factory=UnsavedTexts)


def page_layout(page: QWidget, header: PanelHeader) -> QVBoxLayout:
    """The layout of a screen, its head in it."""
    layout = QVBoxLayout(page)
    layout.setContentsMargins(18, 14, 18, 4)  # below is the line for notices
    layout.setSpacing(12)
    layout.addWidget(header)
    return layout


OPENING_TEXT = "Opening the memories…"
OPENING_AFTER_MS = 700  # usually it is open before anybody would read that


class BlankPage(QWidget):
    """What is in a screen's place until it is built: its title, where it will be."""

    def __init__(self) -> None:
        super().__init__()
        self._header = PanelHeader("", parent=self)
        self.opening = PlainLabel(OPENING_TEXT, "sub")
        self.opening.setObjectName("blank.opening")
        self.opening.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.opening.hide()
        page_layout(self, self._header).addWidget(self.opening, 1)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(OPENING_AFTER_MS)
        self._late.timeout.connect(self.opening.show)
        self._late.start()

    def set_title(self, title: str) -> None:
        self._header.set_title(title)

    def say_opening(self, text: str) -> None:
        """Something else that is waited for."""
        self.opening.setText(text)


class Panel(QWidget):
    """A screen. Subclasses set the class values, fill `self.body`, and override what they need."""

    screen_id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    search_hint: ClassVar[str] = ""  # "" = no search field in the header
    primary_action: ClassVar[str] = ""  # id of the action at the right of the header
    concerns: ClassVar[frozenset[DataKind]] = frozenset()
    has_scope: ClassVar[bool] = False  # shows the scope chip and reads `context.selection.scope`
    announces_own_actions: ClassVar[bool] = False  # says itself what the person did here: no notice beside it
    let_go_ms: ClassVar[int] = 60_000  # hidden for so long, it calls `let_go`
    has_actions: ClassVar[bool] = False  # rows of the action table without `run` are this screen's

    abilities_changed = Signal()  # `abilities` answers otherwise now
    place_changed = Signal(object)  # Place: what is selected or searched here, for history and links

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName(self.screen_id)
        self.setAccessibleName(self.title)
        self.setProperty("role", "page")
        self._is_dirty = True
        self._unseen = QTimer(self)
        self._unseen.setSingleShot(True)
        self._unseen.setInterval(self.let_go_ms)
        self._unseen.timeout.connect(self.let_go)
        self.header = PanelHeader(self.title, self.search_hint, self)
        self.header.searched.connect(self.search)
        if self.has_scope:
            self.header.add_beside_title(ScopeChip(context.selection, self.header))
        self.primary = (
            self.header.add_action(context.actions.action(self.primary_action)) if self.primary_action else None
        )
        outer = page_layout(self, self.header)
        self.body = QVBoxLayout()
        self.body.setSpacing(12)
        outer.addLayout(self.body, 1)
        context.bridge.changed.connect(self._on_changes)
        context.bridge.opened.connect(self._on_opened)

    # -- to override

    def refresh(self) -> None:
        """Asks the bridge for everything shown here. Called when visible and something concerned it."""

    def visit(self, place: Place) -> None:
        """Shows `place` (its screen is this one): selects its object, takes over its query."""
        if place.query and self.search_hint:
            self.header.set_query(place.query)

    def search(self, text: str) -> None:
        """The text in the header's search field changed."""

    def abilities(self) -> frozenset[str]:
        """Ids of the actions that this panel would carry out now."""
        return frozenset()

    def run(self, action_id: str) -> None:
        """Carries out one of `abilities`."""

    def parts(self) -> tuple[QWidget, ...]:
        """What F6 stops at, from left to right: lists, and panes of which the first thing takes the keys. Empty: what comes first."""
        return ()

    def let_go(self) -> None:
        """Deletes rows that can be made again, after `let_go_ms` hidden: each takes 20 KB of Qt's. Nothing that was typed or chosen."""

    # -- given

    @property
    def is_dirty(self) -> bool:
        return self._is_dirty

    @property
    def is_filling(self) -> bool:
        """Whether parts of it are still being made, a few at a time."""
        return False

    @property
    def part_id(self) -> str:
        """The part of the screen that is shown, where each part has a help page of its own."""
        return ""

    def focus_search(self) -> bool:
        """Puts the cursor into the search field; False when this screen has none."""
        return self.header.focus_search()

    def focus_content(self) -> bool:
        """The keys go to the first thing below the header; False when there is none."""
        return focus_first(in_layout(self.body))

    def set_status(self, text: str) -> None:
        """The line under the title."""
        self.header.set_status(text)

    def open_memory(self, memory_id: int) -> None:
        self.context.navigate(Place("memories", "memory", memory_id))

    def open_conversation(self, conversation_id: int) -> None:
        self.context.navigate(Place("conversations", "conversation", conversation_id))

    def open_message(self, message_id: int) -> None:
        self.context.navigate(Place("conversations", "message", message_id))

    def mark_dirty(self) -> None:
        """Reads again now if visible, else when next shown."""
        self._is_dirty = True
        if self.isVisible():
            self._read()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._unseen.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._unseen.stop()
        if self._is_dirty:
            self._read()

    @final
    def _read(self) -> None:
        if self.context.bridge.is_open:
            self._is_dirty = False
            self.refresh()

    @final
    def _on_opened(self) -> None:
        self.mark_dirty()

    def _on_changes(self, changes: Changes) -> None:
        if self.concerns & changes.kinds:
            self.mark_dirty()


class Ages(QTimer):
    """Hands the present instant to `take`, a method of a QObject, while the panel is visible."""

    def __init__(self, panel: Panel, take: Callable[[datetime], None]) -> None:
        super().__init__(panel)
        self._panel = panel
        self._take = take
        self.setInterval(AGES_EVERY_MS)
        self.timeout.connect(self.show_values)
        self.start()

    def show_values(self) -> None:
        if self._panel.isVisible():
            self._panel.context.bridge.ask(f"{self._panel.screen_id}.clock", _read_clock, self._take)


def _read_clock(engine: "Engine") -> datetime:
    return engine.clock.now()
