"""The palette, Ctrl+K: find, go and do in one line. Built from the table of actions, so it teaches the shortcuts.

Empty: the last places, then the actions that fit. Typed: Go to, Conversations, Actions, Settings, five each; `>` only actions, `?` only
help. The sheet is given its lines and knows neither engine nor panels; `Sources` makes them: screens, last places, enabled actions,
settings, help pages, memories, conversations and messages. Source: UX 3.3.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.values import MemoryCard
from ui.actions.spec import ActionSpec
from ui.actions.table import ActionRegistry
from ui.icons import pixmap
from ui.matching import fold, match_score
from ui.navigation import Place
from ui.screens.help.pages import HELP_PAGES, find_pages
from ui.screens.registry import ScreenSpec
from ui.theme import META_FONT_PX, color, font, tokens
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.overlay import Overlay
from ui.widgets.search_field import SearchField
from ui.wording.memories import icon_of, reason_line, type_word
from ui.wording.values import app_title

if TYPE_CHECKING:
    from app.api import Conversation, Engine, SavedSearch, SearchHit, SettingCard

GO_TO, ACTIONS = "Go to", "Actions"
_PLACE_WORDS = {"practice": "a workflow or pattern", "receipt": "a context that was given"}
_MORE = {GO_TO: "More places", ACTIONS: "More actions"}
_LEAST_CHARS = 4  # of a query that names an action by a word inside its name
PER_GROUP = 5
_SCREEN_WORDS = {"apps": "connect disconnect an assistant"}  # what people type who look for a screen
PEEK_HINT = "Shift+Enter to read"
ENTRY_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
FOUND_LIMIT = 5
RECENT_LIMIT = 5
MAX_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One line. `run` happens after the palette closed."""

    group: str
    text: str
    icon: str
    run: Callable[[], None]
    detail: str = ""
    hint: str = ""  # shortcut
    words: str = ""  # also found by these
    card: MemoryCard | None = None  # a memory, which can be looked at without going there
    reason: str = ""  # why it is so, on a line of its own


def pick_entries(query: str, entries: Sequence[PaletteEntry], per_group: int = PER_GROUP) -> tuple[PaletteEntry, ...]:
    """The entries that fit, best first within their group, groups in the order they came."""
    scored = [
        (1.0 if _is_named(query, entry) else match_score(query, f"{entry.text} {entry.words}"), entry)
        for entry in entries
    ]
    fitting = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    picked: list[PaletteEntry] = []
    for group in dict.fromkeys(entry.group for entry in entries):
        picked += [entry for _score, entry in fitting if entry.group == group][:per_group]
    return tuple(picked)


def split_named(
    query: str, entries: Sequence[PaletteEntry]
) -> tuple[tuple[PaletteEntry, ...], tuple[PaletteEntry, ...]]:
    """The screens and actions that are called so, and all the others: what is named stays before what is found a moment later.

    >>> entries = [PaletteEntry("Go to", "Settings", "", print), PaletteEntry("Actions", "Pause capture for an hour", "", print)]
    >>> [len(split_named(query, entries)[0]) for query in ("Sett", "pause capture", "hour", "port", "")]
    [1, 1, 1, 0, 0]
    """
    named = [one for one in entries if _is_named(query, one)]
    return tuple(named), tuple(one for one in entries if one not in named)


def _headed_apart(entries: Sequence[PaletteEntry], above: AbstractSet[str]) -> tuple[PaletteEntry, ...]:
    """Entries of a group that stands `above` already, under a heading of their own."""
    return tuple(replace(one, group=_MORE[one.group]) if one.group in above else one for one in entries)


def _is_named(query: str, entry: PaletteEntry) -> bool:
    if not query or entry.group not in (GO_TO, ACTIONS):
        return False
    name = entry.text.partition(": ")[0]  # "Undo: …" is not called by what it would undo
    return _is_called(query, name) or (entry.group == GO_TO and _is_called(query, entry.words))


def _is_called(query: str, name: str) -> bool:
    """Every word of the query begins a word of the name, or both are the same but for spaces: "backup" is "Back up now"."""
    words = fold(query).split()
    parts = "".join(char if char.isalnum() else " " for char in fold(name)).split()
    if "".join(parts).startswith("".join(words)):
        return True
    return len("".join(words)) >= _LEAST_CHARS and all(any(part.startswith(word) for part in parts) for word in words)


class PaletteModel(QAbstractListModel):
    """Entries as rows; the role UserRole gives the entry itself."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[PaletteEntry, ...] = ()

    def set_entries(self, entries: tuple[PaletteEntry, ...]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> PaletteEntry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def is_group_start(self, row: int) -> bool:
        return row == 0 or self._entries[row].group != self._entries[row - 1].group

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            peek = PEEK_HINT if entry.card is not None else ""
            said = (entry.group, entry.text, entry.reason, entry.detail, entry.hint, peek)
            return ", ".join(part for part in said if part)
        return entry if role == ENTRY_ROLE else None


class _Delegate(QStyledItemDelegate):
    ROW_PX = 34
    GROUP_PX = 22
    REASON_PX = 17

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        model = index.model()
        is_start = isinstance(model, PaletteModel) and model.is_group_start(index.row())
        entry = index.data(ENTRY_ROLE)
        reason_px = self.REASON_PX if isinstance(entry, PaletteEntry) and entry.reason else 0
        return QSize(100, self.ROW_PX + reason_px + (self.GROUP_PX if is_start else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, PaletteEntry):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        state = option.state
        model = index.model()
        if isinstance(model, PaletteModel) and model.is_group_start(index.row()):
            painter.setFont(font(META_FONT_PX, QFont.Weight.DemiBold))
            painter.setPen(color("sub"))
            head = QRect(area.left() + 10, area.top(), area.width(), self.GROUP_PX)
            painter.drawText(head, int(Qt.AlignmentFlag.AlignVCenter), entry.group)
            area.setTop(area.top() + self.GROUP_PX)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft"))
            painter.drawRoundedRect(area.adjusted(2, 1, -2, -1), 7, 7)
        if entry.reason:
            below = area.adjusted(40, self.ROW_PX - 7, -12, -4)
            painter.setFont(font(META_FONT_PX))
            painter.setPen(color("sub"))
            shown = painter.fontMetrics().elidedText(entry.reason, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, int(Qt.AlignmentFlag.AlignVCenter), shown)
            area.setHeight(self.ROW_PX)
        self._paint_line(painter, area, entry, is_selected=is_selected)
        painter.restore()

    def _paint_line(self, painter: QPainter, area: QRect, entry: PaletteEntry, *, is_selected: bool) -> None:
        role = "accent" if is_selected else "sub"
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(
            area.left() + 12, area.center().y() - 7, pixmap(entry.icon, getattr(tokens(), role), 16, ratio)
        )
        right = area.right() - 12
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        peek = PEEK_HINT if is_selected and entry.card is not None else ""
        for text in (entry.hint or peek, entry.detail):
            if text:
                shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, 200)
                width = painter.fontMetrics().horizontalAdvance(shown) + 2
                place = QRect(right - width, area.top(), width, area.height())
                painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), shown)
                right -= width + 12
        painter.setFont(font())
        painter.setPen(color("text"))
        space = QRect(area.left() + 40, area.top(), right - area.left() - 40, area.height())
        shown = painter.fontMetrics().elidedText(entry.text, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), shown)


class Palette(Overlay):
    """`asked` carries the query for what must be looked up; the answer comes by `set_found`. `peek_wanted` carries a MemoryCard."""

    asked = Signal(str)
    peek_wanted = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, object_name="palette", name="Find anything")
        self._sources: Callable[[str], tuple[PaletteEntry, ...]] = lambda _prefix: ()
        self._idle: Callable[[], tuple[PaletteEntry, ...]] = lambda: ()
        self._found: tuple[PaletteEntry, ...] = ()
        self.field = SearchField("Find anything…  > actions   ? help", "palette.field", self.sheet)
        self.field.searched.connect(self._on_typed)
        self.field.installEventFilter(self)
        self.model = PaletteModel(self)
        self.list = QListView(self.sheet)
        self.list.setObjectName("palette.list")
        self.list.setAccessibleName("Results")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(self._on_clicked)
        self._nothing = PlainLabel("", "sub")
        self.sheet_layout.addWidget(self.field)
        self.sheet_layout.addWidget(self._nothing)
        self.sheet_layout.addWidget(self.list, 1)

    def set_sources(
        self, typed: Callable[[str], tuple[PaletteEntry, ...]], idle: Callable[[], tuple[PaletteEntry, ...]]
    ) -> None:
        """`typed` gives all entries for a prefix ("", ">" or "?"), `idle` those for an empty field."""
        self._sources, self._idle = typed, idle

    def open_with(self, prefix: str = "") -> None:
        self._found = ()
        self.field.setText(prefix)
        self._fill()
        self.open()
        self.field.setCursorPosition(len(prefix))

    def fill_again(self) -> None:
        """Refreshes the palette without a query; the selected line stays selected."""
        if self.is_open and not self.field.text():
            row = self.list.currentIndex().row()
            self._fill()
            self._select(row)

    def set_found(self, query: str, entries: tuple[PaletteEntry, ...]) -> None:
        """What the look-up for `query` found; dropped when the field says something else by now."""
        if query == self.field.text():
            self._found = entries
            self._fill()

    def first_focus(self) -> QWidget:
        return self.field

    def sheet_height(self) -> int:
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.model.rowCount()))
        return 84 + max(30, min(rows + 4, 440))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QKeyEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if key in steps:
            count = self.model.rowCount()
            row = self.list.currentIndex().row() + steps[Qt.Key(key)]
            self._select(row % count if count and abs(steps[Qt.Key(key)]) == 1 else max(0, min(row, count - 1)))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_peek = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self._peek if is_peek else self._run)(self.list.currentIndex().row())
            return True
        if key == Qt.Key.Key_Escape:
            self.close_sheet()
            return True
        return False

    def _on_typed(self, text: str) -> None:
        self._found = ()
        self._fill()
        if text and text[0] not in ">?":
            self.asked.emit(text)

    def _fill(self) -> None:
        text = self.field.text()
        prefix = text[0] if text[:1] in (">", "?") else ""
        query = text[len(prefix) :].strip()
        if query and prefix == "?":
            by_title = {entry.text: entry for entry in self._sources(prefix)}
            titles = {page.id: page.title for page in HELP_PAGES}
            groups = tuple(by_title[titles[page_id]] for page_id in find_pages(query))
        elif query:
            groups = pick_entries(query, self._sources(prefix), 30 if prefix else PER_GROUP)
        else:
            groups = self._sources(prefix) if prefix else self._idle()
        named, others = split_named(query, groups)
        entries = (*named, *self._found, *_headed_apart(others, {one.group for one in named}))
        self.model.set_entries(entries)
        self._nothing.setVisible(not entries)
        self._nothing.setText(f"Nothing found for “{query}”." if query else "")
        self._select(0)
        self.fit()

    def _select(self, row: int) -> None:
        self.list.setCurrentIndex(self.model.index(row))

    def _on_clicked(self, index: QModelIndex) -> None:
        self._run(index.row())

    def _peek(self, row: int) -> None:
        """Shows what can be looked at; everything else is only gone to by Enter."""
        entry = self.model.entry(row)
        if entry is not None and entry.card is not None:
            self.peek_wanted.emit(entry.card)

    def step_peek(self, step: int) -> None:
        """The next memory up or down in the list is looked at."""
        row = self.list.currentIndex().row() + step
        entry = self.model.entry(row)
        if entry is not None and entry.card is not None:
            self._select(row)
            self._peek(row)

    def _run(self, row: int) -> None:
        entry = self.model.entry(row)
        if entry is not None:
            self.close_sheet()
            entry.run()


def typed_on(at: datetime) -> str:
    """The day as it is said: "3 March", with the year when it was another one."""
    local, now = at.astimezone(), datetime.now().astimezone()
    return f"{local.day} {local:%B}" + ("" if local.year == now.year else f" {local.year}")


class PaletteSources:
    """Builds the lines afresh each time: they must say what is possible now."""

    def __init__(
        self,
        actions: ActionRegistry,
        screens: tuple[ScreenSpec, ...],
        go: Callable[[Place], None],
        *,
        recent: Callable[[], tuple[Place, ...]],
        settings: "Callable[[], tuple[SettingCard, ...]]",
    ) -> None:
        self._actions = actions
        self._screens = {screen.id: screen for screen in screens}
        self._go = go
        self._recent = recent
        self._settings = settings
        self.titles: dict[tuple[str, int], str] = {}  # of recent places, as they are read

    def titled_places(self) -> tuple[Place, ...]:
        """The recent places that show an object with a title."""
        return tuple(one for one in self._recent()[:RECENT_LIMIT] if one.object_id)

    def typed(self, prefix: str) -> tuple[PaletteEntry, ...]:
        """All lines for a prefix: "" everything, ">" actions, "?" help."""
        if prefix == ">":
            return tuple(self._action_entries())
        if prefix == "?":
            return tuple(self._help_entries())
        return (*self._screen_entries(), *self._action_entries(), *self._setting_entries(), *self._help_entries())

    def idle(self) -> tuple[PaletteEntry, ...]:
        """Lines for an empty field: the last places, the screens, then what the screen can do."""
        fitting = [entry for spec, entry in self._enabled() if spec.run is None]
        return (*self._recent_entries(), *self._screen_entries(), *fitting[:8])

    def found(self, found: "Found") -> tuple[PaletteEntry, ...]:
        """Saved searches and memories first, then conversations by title, then messages that say it."""
        entries = [
            self._place_entry("Saved searches", one.name, "search", Place("memories", "search", one.id), one.text)
            for one in found.searches
        ]
        entries += [
            replace(
                self._place_entry(
                    "Memories",
                    card.title,
                    icon_of(card.kind, card.type),
                    Place("memories", "memory", card.id),
                    type_word(card),
                ),
                card=card,
                reason=found.reasons.get(card.id, ""),
            )
            for card in found.memories
        ]
        entries += [
            self._place_entry(
                "Conversations",
                one.title,
                "conversations",
                Place("conversations", "conversation", one.id),
                f"{app_title(one.app)} · {one.message_count}",
            )
            for one in found.conversations
        ]
        entries += [
            self._place_entry(
                "Messages",
                hit.snippet,
                "message",
                Place("conversations", "message", hit.message_id),
                f"you typed this on {typed_on(hit.at)}",
            )
            for hit in found.hits
        ]
        return tuple(entries)

    def _place_entry(self, group: str, text: str, icon: str, place: Place, detail: str = "") -> PaletteEntry:
        return PaletteEntry(group, " ".join(text.split()), icon, lambda: self._go(place), detail)

    def _screen_entries(self) -> list[PaletteEntry]:
        return [self._screen_entry(screen) for screen in self._screens.values() if not screen.is_hidden]

    def _screen_entry(self, screen: ScreenSpec) -> PaletteEntry:
        hint = self._actions.hint(f"go.{screen.id}")
        words = _SCREEN_WORDS.get(screen.id, "")
        return PaletteEntry(
            GO_TO, screen.title, screen.icon, lambda: self._go(Place(screen.id)), hint=hint, words=words
        )

    def _recent_entries(self) -> list[PaletteEntry]:
        entries = []
        for place in self._recent()[:RECENT_LIMIT]:
            screen = self._screens.get(place.screen)
            if screen is not None and (place.object_id is not None or place.query):
                title = self.titles.get((place.kind, place.object_id or 0), "")
                part = f"{screen.title}: {place.query}" if place.query and place.object_id is None else screen.title
                said = screen.title if title else _PLACE_WORDS.get(place.kind, place.kind)  # a number says nothing
                entries.append(self._place_entry("Recent places", title or part, screen.icon, place, said))
        return entries

    def _enabled(self) -> list[tuple[ActionSpec, PaletteEntry]]:
        return [
            (spec, self._action_entry(spec))
            for spec in self._actions.specs
            if self._actions.action(spec.id).isEnabled() and not spec.id.startswith("go.")
        ]

    def _action_entries(self) -> list[PaletteEntry]:
        return [entry for _spec, entry in self._enabled()]

    def _action_entry(self, spec: ActionSpec) -> PaletteEntry:
        text = self._actions.action(spec.id).text().replace("&&", "&")
        return PaletteEntry(
            ACTIONS,
            text,
            spec.icon,
            lambda: self._actions.run(spec.id),
            detail=spec.menu,
            hint=self._actions.hint(spec.id),
            words=spec.tip,
        )

    def _setting_entries(self) -> list[PaletteEntry]:
        return [
            self._place_entry("Settings", card.title, "settings", Place("settings", query=card.title), card.group)
            for card in self._settings()
            if not card.is_internal
        ]

    def _help_entries(self) -> list[PaletteEntry]:
        return [
            self._place_entry("Help", page.title, "help", Place("help", query=page.id), "Help") for page in HELP_PAGES
        ]


@dataclass(frozen=True, slots=True)
class Found:
    """What the engine has for a typed query."""

    memories: "tuple[MemoryCard, ...]"
    conversations: "tuple[Conversation, ...]"
    hits: "tuple[SearchHit, ...]"
    searches: "tuple[SavedSearch, ...]" = ()
    reasons: Mapping[int, str] = field(default_factory=dict)  # by memory: why it is so, as a sentence


def read_titles(engine: "Engine", places: Sequence[Place]) -> dict[tuple[str, int], str]:
    """The titles of what these places show; "" for what no longer exists or has no title."""
    from app.errors import NotFoundError

    found = {}
    for place in places:
        number = place.object_id or 0
        title = ""
        with contextlib.suppress(NotFoundError):
            if place.kind in ("memory", "episode"):
                title = engine.memories.get(number).memory.title
            elif place.kind == "conversation":
                title = engine.conversations.get(number).conversation.title
            elif place.kind == "message":
                title = "".join(one.text for one in engine.messages.around(number, count=0))
        found[place.kind, number] = title[:MAX_TITLE_CHARS]
    return found


def look_up(query: str) -> "Callable[[Engine], Found]":
    """A read that finds memories by meaning, conversations by title and messages by text."""

    def read(engine: "Engine") -> Found:
        from app.values import MemoryFilter, MemoryStatus, RecallQuery
        from ui.matching import match_score
        from ui.screens.conversations.message_hits import find_messages

        seen = MemoryFilter(statuses=(MemoryStatus.ACTIVE, MemoryStatus.PROPOSED))  # also what waits for a yes
        asked = RecallQuery(query, filters=seen, limit=FOUND_LIMIT, is_counted=False)
        answer = engine.search.search(asked)
        found = [hit.card for hit in answer.hits if hit.chunk_id is None]
        memories = tuple(sorted(found, key=lambda card: match_score(query, card.title) == 0))  # what is called so first
        scored = [(match_score(query, one.title), one) for one in engine.conversations.list()]
        named = [one for score, one in sorted(scored, key=lambda pair: -pair[0]) if score > 0]
        hits = find_messages(engine, query, FOUND_LIMIT)
        kept = tuple(one for one in engine.saved_searches.list() if match_score(query, one.name) > 0)
        reasons = {
            number: reason_line(said[0])
            for number, said in engine.memories.reasons([card.id for card in memories]).items()
        }
        return Found(memories, tuple(named[:FOUND_LIMIT]), hits, kept[:FOUND_LIMIT], reasons)

    return read
