"""The first steps: connect an assistant, import its history, where the data lives. Skippable, can be reopened.

At the right stands what is really there by now, so that each step shows its effect. Each step shows values it is told; what is pressed
goes to bridge or import flow.

Source: UX 4.1.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.settings import ARCHIVE_WORDS
from app.values.admin import FoundSource, Stats
from app.values.changes import DataKind
from ui.navigation import Place
from ui.screens.apps.card import AppPanelCard, ConnectPreview, read_preview
from ui.screens.apps.panel import AppsView, pair, read_apps_view
from ui.screens.base import Panel, PanelContext
from ui.screens.settings.archive_choice import ArchiveChoice
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.charts import Sparkline
from ui.widgets.controls import CheckBox, Choice
from ui.widgets.conversations.needs_you import short
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_bytes, describe_moment, short_path
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine


UNKNOWN = "unknown"
_CARDS_FROM = 2  # below heading and sentence
_GETS = (
    ("Conversations", "Your last 20 are kept, with what “it” and “that button” refer to."),
    ("Memories", "Decisions, preferences and facts are learned from what you type, each with the words it comes from."),
    ("Context", "Your assistant is given what fits its task. You see every line of it, and why."),
    ("You decide", "When two memories contradict each other, you choose. Every change can be undone."),
)
_KEPT = (
    (
        "Kept",
        "What you type, the names in it, and what is learned from it. Which files were changed, which commands were run, and whether they failed.",
    ),
    (
        "Not kept",
        "Your assistant’s answers, the contents of files and the output of tools. One exception: the last 400 characters of an answer, while its conversation is one of the last 20. You can choose to keep whole answers.",
    ),
    ("You decide", "You can correct how anything was understood, undo every change, and pause capture at any time."),
)


def _listing(title: str, lines: tuple[tuple[str, str], ...]) -> Card:
    """A card with a word and a sentence on each line."""
    card = Card(title)
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(8)
    grid.setColumnStretch(1, 1)
    for place, (word, text) in enumerate(lines):
        grid.addWidget(PlainLabel(word, "body"), place, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(PlainLabel(text, "sub", wraps=True), place, 1)
    card.body.addLayout(grid)
    return card


class _Step(QWidget):
    """A heading, a sentence, and a column to fill."""

    def __init__(self, heading: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self.page = ScrollColumn(f"start.{heading.split(maxsplit=1)[0].lower()}.page", width_px=720)
        outer.addWidget(self.page)
        self.page.add(PlainLabel(heading, "section"))
        self.page.add(PlainLabel(text, "sub", wraps=True))


class PlaceStep(_Step):
    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Where your data lives",
            "In one file that only you can read. Passwords and keys are removed before anything is written.",
        )
        card = Card("One file on this computer")
        self._path = ElidedLabel("", "body")
        self._size = PlainLabel("", "sub", wraps=True)
        card.body.addWidget(self._path)
        card.body.addWidget(self._size)
        self.page.add(card)
        self._archive = ArchiveChoice(self, context)
        self._choice = Choice()
        self._choice.setObjectName("start.archive")
        self._choice.setAccessibleName("When a conversation is no longer among the last 20, its prompts are")
        for choice, words in ARCHIVE_WORDS.items():
            self._choice.addItem(words, choice)
        self._choice.activated.connect(self._on_choice)
        leaving = Card("When a conversation is no longer among the last 20")
        leaving.body.addLayout(row(PlainLabel("Its prompts are", "body"), self._choice, 1))
        leaving.body.addWidget(
            PlainLabel(
                "What was learned from them stays. Kept prompts can be searched; pasted code, diffs and logs are not kept.",
                "sub",
                wraps=True,
            )
        )
        self.page.add(leaving)
        self.page.add(_listing("What is kept", _KEPT))
        self.page.add_stretch()

    def _on_choice(self, _index: int) -> None:
        self._archive.choose(str(self._choice.currentData()))

    def show_values(self, path: str, byte_count: int, archive: str) -> None:
        self._choice.setCurrentIndex(max(0, self._choice.findData(archive)))
        self._path.setText(short_path(path))
        self._size.setText(
            f"{describe_bytes(byte_count)} now. No account and no cloud: it works without a network. "
            "Settings, Backups and files shows how to move it."
        )


class ConnectStep(_Step):
    """The assistants found on this computer, with the same cards as the Apps screen."""

    again_pressed = Signal()

    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Connect an assistant",
            "You can see the exact lines before they are written, and take them out at any time. "
            "While Remanence is closed, your assistant works as always.",
        )
        self._context = context
        self._cards: dict[str, AppPanelCard] = {}
        self._none = Card("No assistant found yet")
        self._looked_for = PlainLabel("", "sub", wraps=True)
        self._none.body.addWidget(self._looked_for)
        again = Button("Look again", "start.again", icon_name="refresh")
        again.clicked.connect(self.again_pressed)
        other = Button(
            "Connect another tool", "start.other", kind="quiet", icon_name="apps", tip="Apps makes a token for it"
        )
        other.clicked.connect(self._on_other)
        self._none.body.addLayout(row(again, other, 1))
        self._none.hide()  # nobody has looked yet
        self.page.add(self._none)
        example = self._example = Card("Or look first")
        example.body.addWidget(
            PlainLabel("An example with invented data opens in a window of its own.", "sub", wraps=True)
        )
        example.body.addLayout(row(ActionButton(context.actions.action("help.example")), 1))
        self.page.add(example)
        self.page.add(_listing("What you get", _GETS))
        self.page.add_stretch()

    def show_values(self, view: AppsView) -> None:
        self._example.setVisible(not any(app.message_count for app in view.apps))  # there is something of one's own
        found = [entry for entry in pair(view) if entry.assistant is not None and entry.is_found]
        self._none.setVisible(not found)
        titles = [card.title for card in view.assistants]
        self._looked_for.setText(
            f"Looked for {' and '.join(titles)} on this computer. Install one, or start it once, then look again."
        )
        for entry in found:
            card = self._cards.get(entry.name)
            if card is None:
                card = AppPanelCard(entry.name, self._context)
                card.preview_asked.connect(self._on_preview_asked)
                self._cards[entry.name] = card
                self.page.column.insertWidget(_CARDS_FROM + len(self._cards), card)
            card.show_values(entry, view.now)

    def focus_connect(self) -> None:
        """The keys act on the first assistant that can be connected, if there is one."""
        for card in self._cards.values():
            if card.focus_connect():
                return

    def _on_other(self) -> None:
        self._context.navigate(Place("apps"))

    def _on_preview_asked(self, name: str, is_connecting: bool) -> None:
        def read(engine: "Engine") -> ConnectPreview:
            return read_preview(engine, name, is_connecting=is_connecting)

        self._context.bridge.ask(f"start.preview:{name}", read, self._on_preview)

    def _on_preview(self, preview: ConnectPreview) -> None:
        self._cards[preview.name].show_preview(preview)


class PastStep(_Step):
    """Histories that are on this disk: choose, import, go on; it runs behind."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Import your history",
            "Assistants leave their histories on this disk. Only what you typed is read; answers, tool output and "
            "pasted files stay where they are. Reading the same history twice changes nothing.",
        )
        self._context = context
        self._card = Card("Looking…")
        self._lines = QVBoxLayout()
        self._card.body.addLayout(self._lines)
        self._boxes: list[tuple[CheckBox, FoundSource]] = []
        self._go = Button("Import", "start.import", kind="primary", icon_name="import")
        self._go.clicked.connect(self._on_import)
        choose = ActionButton(context.actions.action("file.import"), "folder")
        self._card.body.addLayout(row(self._go, choose, 1))
        self._go.hide()
        self.is_importing = False
        self.page.add(self._card)
        self.page.add(PlainLabel("Or drop files anywhere on this window.", "meta"))
        self.page.add_stretch()

    def show_values(self, found: tuple[FoundSource, ...]) -> None:
        """Lists what was found, all chosen."""
        clear_layout(self._lines)
        self._boxes = []
        known = [source for source in found if source.source != UNKNOWN]
        self._card.set_title(f"{counted(len(known), 'history', 'histories')} on this disk" if known else "None found")
        if not known:
            text = "No assistant's history was found in the usual places. You can choose a file yourself."
            self._lines.addWidget(PlainLabel(text, "sub", wraps=True))
        for index, source in enumerate(known):
            box = CheckBox(source.title)
            box.setObjectName(f"start.source{index}")
            box.setChecked(True)
            box.toggled.connect(self._on_toggled)
            line = row(box, ElidedLabel(_describe_source(source), "meta"))
            line.setStretch(1, 1)
            self._lines.addLayout(line)
            self._boxes.append((box, source))
        self._go.setVisible(bool(known))
        self._on_toggled()

    def _chosen(self) -> tuple[FoundSource, ...]:
        return tuple(source for box, source in self._boxes if box.isChecked())

    def _on_toggled(self) -> None:
        files = sum(source.file_count for source in self._chosen())
        self._go.set_text(f"Import {counted(files, 'file')}")
        self._go.setEnabled(files > 0)

    def _on_import(self) -> None:
        chosen = self._chosen()
        self.is_importing = True
        self._go.setEnabled(False)
        self._go.set_text("Importing in the background")
        self._context.start_import(chosen)


def _describe_source(source: FoundSource) -> str:
    parts = [counted(source.file_count, "file"), describe_bytes(source.byte_count)]
    if source.newest_at is not None:
        parts.append(f"newest {describe_moment(source.newest_at)}")
    return " · ".join((*parts, short_path(str(source.path))))


LIVE_FROM_PX = 780
_SAID_CHARS = 120
_STEPS = ("Connect an assistant", "Import your history", "Where your data lives")
_PAST = 1
_NEXT = ("Next", "Next", "Go to Now")


@dataclass(frozen=True, slots=True)
class StartView:
    """What the steps show, read in one go."""

    apps: AppsView
    stats: Stats
    store_path: str
    store_bytes: int
    first: str = ""  # what was typed last, as long as there is little
    learned: tuple[str, ...] = ()  # titles of the newest memories


def read_start_view(engine: "Engine") -> StartView:
    """The values of the steps, for the read worker."""
    health, stats = engine.stats.health(), engine.stats.now()
    newest = engine.conversations.list()[:1] if stats.message_count else ()
    messages = engine.conversations.get(newest[0].id).messages if newest else ()
    cards = engine.memories.list(limit=_SHOWN_LEARNED).cards if messages else ()
    return StartView(
        read_apps_view(engine),
        stats,
        str(health.store_path),
        health.store_bytes + health.wal_bytes,
        messages[-1].text if messages else "",
        tuple(card.title for card in cards),
    )


_SHOWN_LEARNED = 3


class FirstStartPanel(Panel):
    screen_id: ClassVar[str] = "first-start"
    title: ClassVar[str] = "Welcome"
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {DataKind.APPS, DataKind.MESSAGES, DataKind.MEMORIES, DataKind.STATE}
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_status(
            "Three short steps. You can change everything later. Nothing leaves this computer unless you allow it."
        )
        self._skip = Button("Skip", "start.skip", kind="quiet", tip="Leave the steps; Help brings them back")
        self._skip.clicked.connect(self._on_done)
        self.header.add_widget(self._skip)
        self._steps = QButtonGroup(self)
        self._stack = QStackedWidget()
        self._connect = ConnectStep(context)
        self._connect.again_pressed.connect(self.refresh)
        self._place: PlaceStep | None = None  # the other steps are built when they are first shown
        self._past: PastStep | None = None
        self._view: StartView | None = None
        self._stack.addWidget(self._connect)
        self._next = Button(_NEXT[0], "start.next", kind="primary", icon_name="forward")
        self._next.clicked.connect(self._on_next)
        self._back = Button("Back", "start.back", icon_name="back")
        self._back.clicked.connect(self._on_back)
        self._lay_out()
        self.show_step(0)

    @property
    def step(self) -> int:
        return self._stack.currentIndex()

    def refresh(self) -> None:
        self.context.bridge.ask("start", read_start_view, self._on_view)

    def show_step(self, index: int) -> None:
        """Shows one of the three steps."""
        while self._stack.count() <= index:
            self._stack.addWidget(self._build(self._stack.count()))
        self._stack.setCurrentIndex(index)
        if index == _PAST and self._past is not None and not self._past.is_importing:  # each time: one may have come
            self.context.bridge.ask("start.found", _read_found, self._past.show_values)
        self._steps.button(index).setChecked(True)
        self._back.setEnabled(index > 0)
        self._next.set_text(_NEXT[index])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._next.setFocus()  # not Skip, which is before it

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._live.setVisible(self.width() >= font_px(LIVE_FROM_PX))  # the step itself needs the room first

    def _lay_out(self) -> None:
        names = QVBoxLayout()
        names.setSpacing(2)
        for index, text in enumerate(_STEPS):
            button = Button(f"{index + 1}   {text}", f"start.step{index + 1}", kind="entry")
            button.setCheckable(True)
            self._steps.addButton(button, index)
            names.addWidget(button)
        names.addStretch(1)
        self._steps.idClicked.connect(self.show_step)
        middle = QVBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self._stack, 1)
        middle.addLayout(row(self._back, 1, self._next))
        self._live = _LiveCard()
        line = QHBoxLayout()
        line.setSpacing(16)
        line.addLayout(names)
        line.addLayout(middle, 1)
        line.addWidget(self._live, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(line, 1)

    def _build(self, index: int) -> QWidget:
        if index == _PAST:
            self._past = PastStep(self.context)
            return self._past
        self._place = PlaceStep(self.context)
        self._show_place()
        return self._place

    def _show_place(self) -> None:
        view = self._view
        if self._place is not None and view is not None:
            self._place.show_values(view.store_path, view.store_bytes, view.stats.archive)

    def _on_view(self, view: StartView) -> None:
        self._view = view
        self._show_place()
        self._connect.show_values(view.apps)
        if self.step == 0 and self._next.hasFocus():
            self._connect.focus_connect()
        self._live.show_values(view)

    def _on_next(self) -> None:
        if self.step < len(_STEPS) - 1:
            self.show_step(self.step + 1)
        else:
            self._on_done()

    def _on_back(self) -> None:
        self.show_step(max(0, self.step - 1))

    def _on_done(self) -> None:
        self.context.bridge.do("start.done", _mark_done)
        self.context.navigate(Place("now"))


def _read_found(engine: "Engine") -> tuple[FoundSource, ...]:
    return engine.transfer.found()


def _mark_done(engine: "Engine") -> None:
    if not engine.settings.current.first_start_done:
        engine.settings.set("first_start_done", value=True)


class _LiveCard(Card):
    """What is there by now."""

    def __init__(self) -> None:
        super().__init__("So far")
        self.setFixedWidth(240)
        self._count = PlainLabel("0", "title")
        self._text = PlainLabel("messages", "sub", wraps=True)
        self._days = Sparkline()
        self._line = PlainLabel("Waiting for the first message…", "sub", wraps=True)
        self._said = PlainLabel("", wraps=True)
        self._learned = PlainLabel("", wraps=True)
        self._heads = PlainLabel("Your last message", "meta"), PlainLabel("Learned so far", "meta")
        for head in self._heads:
            head.setContentsMargins(0, 8, 0, 0)
        said, learned = self._heads
        for widget in (self._count, self._text, self._days, self._line, said, self._said, learned, self._learned):
            self.body.addWidget(widget)

    def show_values(self, view: StartView) -> None:
        stats = view.stats
        self._said.setText(f"“{short(view.first, _SAID_CHARS)}”")
        self._learned.setText("\n".join(f"• {short(title, _SAID_CHARS)}" for title in view.learned))
        for head, text, is_shown in zip(
            self._heads, (self._said, self._learned), (view.first, view.learned), strict=True
        ):
            head.setVisible(bool(is_shown))
            text.setVisible(bool(is_shown))
        self._count.setText(f"{stats.message_count:,}")
        noun = "message" if stats.message_count == 1 else "messages"
        self._text.setText(
            f"{noun} in {counted(stats.conversation_count, 'conversation')}" if stats.message_count else noun
        )
        self._days.set_days(stats.messages_per_day)
        if stats.message_count:
            self._line.set_role("good")
            self._line.setText("✓ It works. Messages arrive.")
