"""The cards of "Needs you": an open border, two memories that contradict each other, an event that failed. Each with its buttons.

They say what the person answered by signals; text of people is plain and bounded. Source: UX 4.2, S1 (ask, do not guess).
"""

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.values import Clarification, ContradictionGroup, InboxEvent, Resolution
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.values import ago, app_title, border_reason, counted, percent

QUOTE_CHARS = 140
TITLE_CHARS = 60
MAX_BUTTON_CHARS = 80


def short(text: str, limit: int) -> str:
    """One line of at most `limit` characters.

    >>> short("one\\n two  three", 9)
    'one two…'
    """
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


class ClarificationCard(Card):
    """ "Continue *FAB button* / Start new", with the message and the reason."""

    answered = Signal(int, bool)  # message id, is new
    opened = Signal(int, int)  # conversation id, message id

    def __init__(
        self, question: Clarification, now: datetime, *, shows_quote: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        title = f"New topic, or still “{short(question.continue_title, TITLE_CHARS)}”?"
        self.body.addWidget(PlainLabel(title, "heading", wraps=True))
        self._question = question
        self.setObjectName(f"clarification.{question.message_id}")
        self.setAccessibleName(f"New topic, or still “{question.continue_title}”?")
        if shows_quote:
            self.body.addWidget(PlainLabel(f"“{short(question.message_text, QUOTE_CHARS)}”", wraps=True))
        reason = border_reason(question.reason)
        how_sure = f"{percent(question.confidence)} sure".replace(" ", "\N{NO-BREAK SPACE}")
        lean = f"{reason} · {how_sure}" if reason else how_sure
        self.body.addWidget(PlainLabel(f"{lean} · {ago(question.asked_at, now)}", "meta", wraps=True))
        self._same = FitButton(
            f"Continue “{short(question.continue_title, MAX_BUTTON_CHARS)}”",
            f"clarify.same.{question.message_id}",
            kind="primary",
            tip="The message belongs to that conversation",
        )
        self._same.setAccessibleName(f"Continue “{question.continue_title}”")
        self._new = Button("Start new", f"clarify.new.{question.message_id}", tip="A new conversation starts here")
        self._same.clicked.connect(self._on_same)
        self._new.clicked.connect(self._on_new)
        buttons = FlowLayout()
        buttons.addWidget(self._same)
        buttons.addWidget(self._new)
        if shows_quote:
            show = Button(
                "Show", f"clarify.show.{question.message_id}", kind="quiet", tip="Open the conversation there"
            )
            show.clicked.connect(self._on_show)
            buttons.addWidget(show)
        self.body.addLayout(buttons)

    def _on_same(self) -> None:
        self._answer(is_new=False)

    def _on_new(self) -> None:
        self._answer(is_new=True)

    def _answer(self, *, is_new: bool) -> None:
        self._same.setEnabled(False)
        self._new.setEnabled(False)
        self.answered.emit(self._question.message_id, is_new)

    def _on_show(self) -> None:
        self.opened.emit(self._question.conversation_id, self._question.message_id)


class ContradictionCard(Card):
    """Two memories that cannot both hold: either is chosen here, all else in the merge tool."""

    answered = Signal(object, object)  # the group, the resolution
    opened = Signal(int)

    def __init__(self, group: ContradictionGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._group = group
        one = group.first
        title = "Which one is true?"
        self.setObjectName(f"contradiction.{one.id}")
        self.setAccessibleName(f"{title} A, older: {one.a.text} B, newer: {one.b.text}")
        self.body.addWidget(PlainLabel(title, "heading", wraps=True))
        for name, side in (("A", one.a), ("B", one.b)):
            self.body.addWidget(PlainLabel(f"{name}  {short(side.text or side.summary, QUOTE_CHARS)}", wraps=True))
        if group.alike:
            more = f"{counted(len(group.alike), 'more', 'more')} like it, answered together"
            self.body.addWidget(PlainLabel(more, "meta", wraps=True))
        self._buttons = [
            Button("Keep A", f"contradiction.a.{one.id}", tip="The older one is true; the newer one no longer holds"),
            Button("Keep B", f"contradiction.b.{one.id}", tip="The newer one is true; the older one no longer holds"),
            Button("Decide", f"contradiction.open.{one.id}", kind="quiet", tip="Both, merge, or no contradiction"),
        ]
        a, b, decide = self._buttons
        a.clicked.connect(self._on_a)
        b.clicked.connect(self._on_b)
        decide.clicked.connect(self._on_open)
        row = FlowLayout()
        for button in self._buttons:
            row.addWidget(button)
        self.body.addLayout(row)

    def _on_a(self) -> None:
        self._answer(Resolution.A_WINS)

    def _on_b(self) -> None:
        self._answer(Resolution.B_WINS)

    def _answer(self, resolution: Resolution) -> None:
        self.setEnabled(False)
        self.answered.emit(self._group, resolution)

    def _on_open(self) -> None:
        self.opened.emit(self._group.first.id)


class KeptAsideCard(Card):
    """What hooks kept and the app refused: it lies aside, and can be tried again."""

    retried = Signal()

    def __init__(self, count: int, reason: str, parent: QWidget | None = None) -> None:
        super().__init__(kind="danger", parent=parent)
        title = f"{counted(count, 'event')} could not be captured"
        self.body.addWidget(PlainLabel(title, "heading", wraps=True))
        self.setObjectName("aside")
        self.setAccessibleName(title)
        said = "Your assistants sent them, and they are kept. Each start tries them again."
        self.body.addWidget(PlainLabel(said, wraps=True))
        if reason:
            self.body.addWidget(PlainLabel(short(reason, QUOTE_CHARS), "meta", wraps=True))
        row = FlowLayout()
        self._retry = Button("Try again", "aside.retry", icon_name="refresh")
        self._retry.clicked.connect(self._on_retry)
        row.addWidget(self._retry)
        self.body.addLayout(row)

    def _on_retry(self) -> None:
        self.setEnabled(False)
        self.retried.emit()


class FailedEventCard(Card):
    """An event that could not be understood: it is kept, and can be tried again."""

    retried = Signal(int)
    discarded = Signal(int)

    def __init__(self, event: InboxEvent, now: datetime, parent: QWidget | None = None) -> None:
        super().__init__(kind="danger", parent=parent)
        self.body.addWidget(PlainLabel("A message could not be captured", "heading", wraps=True))
        self.setObjectName(f"failed.{event.id}")
        self.setAccessibleName("A message could not be captured")
        self._event_id = event.id
        if event.preview:
            self.body.addWidget(PlainLabel(f"“{short(event.preview, QUOTE_CHARS)}”", wraps=True))
        said = f"{app_title(event.app)} · {ago(event.received_at, now)} · {short(event.error, QUOTE_CHARS)}"
        self.body.addWidget(PlainLabel(said, "meta", wraps=True))
        row = FlowLayout()
        retry = Button("Retry", f"failed.retry.{event.id}", icon_name="refresh")
        retry.clicked.connect(self._on_retry)
        discard = Button("Discard", f"failed.discard.{event.id}", kind="quiet", tip="Leave it out; can be undone")
        discard.clicked.connect(self._on_discard)
        row.addWidget(retry)
        row.addWidget(discard)
        self.body.addLayout(row)

    def _on_retry(self) -> None:
        self.setEnabled(False)
        self.retried.emit(self._event_id)

    def _on_discard(self) -> None:
        self.setEnabled(False)
        self.discarded.emit(self._event_id)
