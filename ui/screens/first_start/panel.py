"""The first steps: connect an assistant, import its history, where the data lives, see it work. Skippable, can be reopened.

At the right stands what is really there by now, so that each step shows its effect. Source: UX 4.1.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.values.changes import DataKind
from app.values.desk import FoundSource, Stats
from ui.navigation import Place
from ui.screens.apps.panel import AppsView, read_apps_view
from ui.screens.base import Panel, PanelContext
from ui.screens.first_start.steps import ConnectStep, PastStep, PlaceStep, ReadyStep
from ui.theme import font_px
from ui.widgets.buttons import Button
from ui.widgets.card import Card, row
from ui.widgets.charts.sparkline import Sparkline
from ui.widgets.labels import PlainLabel
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

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
