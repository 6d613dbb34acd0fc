"""The first steps: connect an assistant, import its history, where the data lives, see it work. Skippable, can be
reopened.

At the right stands what is really there by now, so that each step shows its effect.

The pages of the four first steps. Each shows values it is told; what is pressed goes to bridge or import flow.

Source: UX 4.1.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.settings import ARCHIVE_WORDS
from app.values.changes import DataKind
from app.values.desk import FoundSource, Stats
from ui.navigation import Place
from ui.screens.apps.card import AppPanelCard, ConnectPreview, read_preview
from ui.screens.apps.panel import AppsView, pair, read_apps_view
from ui.screens.base import Panel, PanelContext
from ui.screens.settings.archive_choice import ArchiveChoice
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.charts.sparkline import Sparkline
from ui.widgets.controls import CheckBox, Choice
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_bytes, describe_moment
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine


UNKNOWN = "unknown"


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
            "Remanence remembers what you type to your coding assistants: the last 20 conversations, what “it” stood "
            "for, and what you wanted. Passwords and keys are removed before anything is written.",
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
        self._choice.setAccessibleName("When a conversation leaves the queue, its prompts are")
        for choice, words in ARCHIVE_WORDS.items():
            self._choice.addItem(words, choice)
        self._choice.activated.connect(self._on_choice)
        leaving = Card("When a conversation leaves the queue")
        leaving.body.addLayout(row(PlainLabel("Its prompts are", "body"), self._choice, 1))
        leaving.body.addWidget(
            PlainLabel(
                "What was learned from them stays in each case. Kept prompts can be searched; pasted code, diffs and logs are not kept. "
                "You can change this in Settings.",
                "sub",
                wraps=True,
            )
        )
        self.page.add(leaving)
        for heading, text in (
            (
                "Kept",
                (
                    "What you type, the names in it and what is learned from it; which files a session changed, which commands it "
                    "ran and whether they failed; and every change, so that it can be undone."
                ),
            ),
            (
                "Not kept",
                "Answers, unless you ask for it; contents of files; output of tools; prompts between assistants.",
            ),
            ("In your hands", "Every judgement can be corrected, every change undone, capture paused at any time."),
        ):
            more = Card(heading)
            more.body.addWidget(PlainLabel(text, "sub", wraps=True))
            self.page.add(more)
        self.page.add_stretch()

    def _on_choice(self, _index: int) -> None:
        self._archive.choose(str(self._choice.currentData()))

    def tell(self, path: str, byte_count: int, archive: str) -> None:
        self._choice.setCurrentIndex(max(0, self._choice.findData(archive)))
        self._path.setText(path)
        self._size.setText(
            f"{describe_bytes(byte_count)} now. No account, no cloud, no model: it works without a network. "
            "To keep it elsewhere, set REMANENCE_HOME before the start."
        )


class ConnectStep(_Step):
    """The assistants found on this computer, with the same cards as the Apps screen."""

    again_pressed = Signal()

    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Connect an assistant",
            "You see the exact lines before they are written, and can take them out again at any time. "
            "If Remanence is closed, your assistant works as always.",
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
        self.page.add_stretch()

    def tell(self, view: AppsView) -> None:
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
                self.page.column.insertWidget(self.page.column.count() - 1, card)
            card.tell(entry, view.now)

    def _on_other(self) -> None:
        self._context.navigate(Place("apps"))

    def _on_preview_asked(self, name: str, is_connecting: bool) -> None:
        def read(engine: "Engine") -> ConnectPreview:
            return read_preview(engine, name, is_connecting=is_connecting)

        self._context.bridge.ask(f"start.preview:{name}", read, self._on_preview)

    def _on_preview(self, preview: ConnectPreview) -> None:
        self._cards[preview.name].show_preview(preview)


class PastStep(_Step):
    """Histories that lie on this disk: choose, import, go on; it runs behind."""

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

    def tell(self, found: tuple[FoundSource, ...]) -> None:
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
    return " · ".join((*parts, str(_short(source.path))))


def _short(path: Path) -> Path | str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else path


class ReadyStep(_Step):
    def __init__(self, context: PanelContext) -> None:
        super().__init__("See it work", "What to look at, once messages are there:")
        for heading, text in (
            ("The queue", "Your last 20 conversations. The one that leaves next is named; nothing active ever leaves."),
            ("What “it” is", "In a conversation, resolved references are underlined. Click one to see or change it."),
            (
                "What is remembered",
                (
                    "Facts, decisions and preferences are in Memories, each with the message it came from. Context shows "
                    "which of them an assistant was given, to the byte."
                ),
            ),
            (
                "What needs you",
                "When a message could be a new topic or the old one, a card asks. It learns from your answer.",
            ),
        ):
            card = Card(heading)
            card.body.addWidget(PlainLabel(text, "sub", wraps=True))
            self.page.add(card)
        card = Card("Or look first")
        card.body.addWidget(
            PlainLabel("An example with invented data opens in a window of its own.", "sub", wraps=True)
        )
        card.body.addLayout(row(ActionButton(context.actions.action("help.example")), 1))
        self.page.add(card)
        self.page.add_stretch()


LIVE_FROM_PX = 780
_STEPS = ("Connect an assistant", "Import your history", "Where your data lives", "See it work")
_PAST, _PLACE = 1, 2
_NEXT = ("Next", "Next", "Next", "Show me my conversations")


@dataclass(frozen=True, slots=True)
class StartView:
    """What the steps show, read in one go."""

    apps: AppsView
    stats: Stats
    store_path: str
    store_bytes: int


def read_start_view(engine: "Engine") -> StartView:
    """The values of the steps, for the read worker."""
    health = engine.stats.health()
    return StartView(
        read_apps_view(engine), engine.stats.now(), str(health.store_path), health.store_bytes + health.wal_bytes
    )


class FirstStartPanel(Panel):
    screen_id: ClassVar[str] = "first-start"
    title: ClassVar[str] = "Welcome"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.APPS, DataKind.MESSAGES, DataKind.STATE})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_status("Four short steps. Everything can be changed later, and nothing leaves this computer.")
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
        """Shows one of the four steps."""
        while self._stack.count() <= index:
            self._stack.addWidget(self._build(self._stack.count()))
        self._stack.setCurrentIndex(index)
        if index == _PAST and self._past is not None and not self._past.is_importing:  # each time: one may have come
            self.context.bridge.ask("start.found", _read_found, self._past.tell)
        self._steps.button(index).setChecked(True)
        self._back.setEnabled(index > 0)
        self._next.set_text(_NEXT[index])

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
        if index == _PLACE:
            self._place = PlaceStep(self.context)
            self._tell_place()
            return self._place
        return ReadyStep(self.context)

    def _tell_place(self) -> None:
        view = self._view
        if self._place is not None and view is not None:
            self._place.tell(view.store_path, view.store_bytes, view.stats.archive)

    def _on_view(self, view: StartView) -> None:
        self._view = view
        self._tell_place()
        self._connect.tell(view.apps)
        self._live.tell(view.stats)

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
        for widget in (self._count, self._text, self._days, self._line):
            self.body.addWidget(widget)

    def tell(self, stats: Stats) -> None:
        self._count.setText(f"{stats.message_count:,}")
        noun = "message" if stats.message_count == 1 else "messages"
        self._text.setText(f"{noun} in {counted(stats.conversation_count, 'conversation')}")
        self._days.set_days(stats.messages_per_day)
        if stats.message_count:
            self._line.set_role("good")
            self._line.setText("✓ It works. Your first message arrived.")
