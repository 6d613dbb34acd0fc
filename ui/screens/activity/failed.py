"""Events that could not be understood: kept, shown with their error, tried again or discarded. Nothing blocks behind one."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.values.capture import EventState, InboxEvent
from ui.screens.base import PanelContext
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_moment
from ui.wording.values import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine

SHOWN = 50


class FailedPage(QWidget):
    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._page = ScrollColumn("activity.failed", width_px=820)
        self._empty = EmptyState(
            "check",
            "Nothing has failed",
            "An event that cannot be understood is kept here with its reason, until you retry or discard it.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._page)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    def refresh(self) -> None:
        self._context.bridge.ask("activity.failed", _read_failed, self._on_events)

    def _on_events(self, events: tuple[InboxEvent, ...]) -> None:
        clear_layout(self._page.column)
        for event in events:
            self._page.add(self._card(event))
        self._page.add_stretch()
        self._stack.setCurrentWidget(self._page if events else self._empty)

    def _card(self, event: InboxEvent) -> Card:
        card = Card(f"{app_title(event.app)} · {event.kind.value.replace('_', ' ')}", kind="warn")
        card.body.addWidget(PlainLabel(event.error or "No reason was given.", "warn", wraps=True))
        if event.preview:
            card.body.addWidget(ElidedLabel(event.preview, "body"))
        meta = f"{describe_moment(event.received_at)} · tried {counted(event.attempt_count, 'time')}"
        retry = self._button("Retry", "retry", event, "Try to understand it once more")
        discard = self._button("Discard", "discard", event, "Let it go; can be undone")
        line = row(PlainLabel(meta, "meta"), 1, retry, discard)
        card.body.addLayout(line)
        return card

    def _button(self, text: str, verb: str, event: InboxEvent, tip: str) -> Button:
        button = Button(text, f"failed.{verb}.{event.id}", icon_name="refresh" if verb == "retry" else "trash", tip=tip)
        button.setAccessibleName(f"{text} the event from {app_title(event.app)}")
        button.setProperty("event_id", event.id)
        button.clicked.connect(self._on_retry if verb == "retry" else self._on_discard)
        return button

    def _on_retry(self) -> None:
        event_id = int(self.sender().property("event_id"))
        self._context.bridge.do("failed.retry", lambda engine: engine.events.retry(event_id))

    def _on_discard(self) -> None:
        event_id = int(self.sender().property("event_id"))
        self._context.bridge.do("failed.discard", lambda engine: engine.events.discard(event_id))


def _read_failed(engine: "Engine") -> tuple[InboxEvent, ...]:
    return engine.events.inbox(state=EventState.FAILED, limit=SHOWN)
