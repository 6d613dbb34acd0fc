"""The left part of Conversations: the queue with what went before it, or the hits of a search in its place.

Owns which of the two is shown and what is current in it. Says by signals what is wanted; asks nobody. Source: UX 4.3.
"""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from ui.screens.conversations.hits_model import HitsModel
from ui.screens.conversations.hits_view import HitsView
from ui.screens.conversations.reading import QueueReading, SearchReading
from ui.widgets.conversations.queue_model import QueueModel, queue_rows, slot_line
from ui.widgets.conversations.queue_view import QueueView
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.wording.values import counted


class ConversationList(QFrame):
    """`hit_wanted` carries conversation and message; the rest is QueueView's and QueueModel's."""

    hit_wanted = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.model = QueueModel(self)
        self.hits = HitsModel(self)
        self.slot_line = ElidedLabel("", "sub")
        self.slot_line.setObjectName("conversations.slotLine")
        self.queue = QueueView(self.model)
        self.queue.setObjectName("conversations.queue")
        self.queue.setAccessibleName("Conversations")
        self.results = HitsView(self.hits)
        self.results.setObjectName("conversations.results")
        self.results.setAccessibleName("Search results")
        self.results.hit_wanted.connect(self.hit_wanted)
        self.no_hits = PlainLabel("", "sub", wraps=True)
        self.no_hits.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        for widget in (self.queue, self.results, self.no_hits):
            self.lists.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(6)
        column.addWidget(self.slot_line)
        column.addWidget(self.lists, 1)

    @property
    def is_searching(self) -> bool:
        return self.lists.currentWidget() is not self.queue

    def set_reading(self, reading: QueueReading) -> None:
        """Another reading of the queue; cursor and scroll stay by id."""
        rows = queue_rows(
            reading.conversations,
            reading.queue_size,
            with_free=True,
            with_earlier=True,
            is_archive_on=reading.is_archive_on,
        )
        self.model.set_rows(rows, reading.now)
        if not self.is_searching:
            self.slot_line.setText(slot_line(reading.kept, reading.queue_size))
        self.queue.setAccessibleName(f"Conversations, {len(reading.kept)} of {reading.queue_size}")

    def set_hits(self, reading: SearchReading) -> None:
        """Shows the hits in place of the queue."""
        self.hits.set_hits(reading.hits)
        said = f"{counted(len(reading.hits), 'hit')} for “{reading.query}”"
        self.slot_line.setText(said)
        self.no_hits.setText(f"No message says “{reading.query}”.")
        self.results.setAccessibleName(f"Search results, {said}")
        self.lists.setCurrentWidget(self.results if reading.hits else self.no_hits)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def show_queue(self, reading: QueueReading | None) -> None:
        """The search is over."""
        self.lists.setCurrentWidget(self.queue)
        if reading is not None:
            self.slot_line.setText(slot_line(reading.kept, reading.queue_size))

    def set_now(self, now: datetime) -> None:
        """Lets the ages move on."""
        self.model.set_now(now)

    def step(self, step: int) -> None:
        """The next or previous conversation, or hit."""
        if self.lists.currentWidget() is self.results:
            self.results.step(step)
        else:
            self.queue.step(step)

    def take_focus(self) -> None:
        """The keyboard goes into the list that is shown."""
        if self.lists.currentWidget() is self.results:
            if self.results.currentIndex().row() < 0:  # before the focus makes Qt choose one
                self.results.step(0)
            self.results.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.queue.setFocus(Qt.FocusReason.OtherFocusReason)
