"""The cards of "Needs you": an open border, an unclear reference, an event that failed, memories
that wait. Each with its buttons.

They say what the person answered by signals; text of people is plain and bounded. Source: UX 4.2, S1 (ask, do not guess).
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.values import Candidate, Clarification, InboxEvent, MemoryCard, MemoryStatus, Reference
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.fit_button import FitButton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.wording import ago, app_title, border_reason, counted, percent

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
        super().__init__(kind="accent", parent=parent)
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


class UnclearReferenceCard(Card):
    """An ambiguous reference with its candidates as buttons."""

    chosen = Signal(int, str, int)  # reference id, antecedent, message id or 0
    dismissed = Signal(int)
    opened = Signal(int, int)

    def __init__(
        self, reference_id: int, reference: Reference, place: tuple[int, int], text: str, parent: QWidget | None = None
    ) -> None:
        said = short(reference.mention, TITLE_CHARS)
        title = f"What does “{said}” mean?" if said else "What is left out here?"
        super().__init__(parent=parent)
        self.body.addWidget(PlainLabel(title, "heading", wraps=True))
        self.setObjectName(f"unclear.{reference_id}")
        self.setAccessibleName(title)
        self._reference_id = reference_id
        self._place = place
        self.body.addWidget(PlainLabel(f"“{short(text, QUOTE_CHARS)}”", wraps=True))
        foot = FlowLayout()
        for candidate in reference.candidates[:3]:
            foot.addWidget(self._candidate_button(candidate))
        nothing = Button("Nothing", f"unclear.nothing.{reference_id}", kind="quiet", tip="It refers to nothing")
        nothing.clicked.connect(self._on_nothing)
        show = Button("Show", f"unclear.show.{reference_id}", kind="quiet", tip="Open the conversation there")
        show.clicked.connect(self._on_show)
        foot.addWidget(nothing)
        foot.addWidget(show)
        self.body.addLayout(foot)

    def _candidate_button(self, candidate: Candidate) -> FitButton:
        button = FitButton(short(candidate.text, MAX_BUTTON_CHARS), "unclear.candidate", tip=candidate.reason)
        button.setAccessibleName(f"It means {candidate.text}")
        button.setProperty("candidate", candidate.text)
        button.setProperty("message", candidate.message_id or 0)
        button.clicked.connect(self._on_candidate)
        return button

    def _on_candidate(self) -> None:
        button = self.sender()
        self.setEnabled(False)
        self.chosen.emit(self._reference_id, str(button.property("candidate")), int(button.property("message")))

    def _on_nothing(self) -> None:
        self.setEnabled(False)
        self.dismissed.emit(self._reference_id)

    def _on_show(self) -> None:
        self.opened.emit(*self._place)


def waiting_title(cards: Sequence[MemoryCard], count: int) -> str:
    """What the card asks; where one was held back, nobody is asked to keep it: it is to be looked at."""
    if any(card.status is MemoryStatus.QUARANTINED for card in cards):
        return "1 memory was held back" if count == 1 else f"{count:,} memories wait for your yes or no"
    return f"Keep {'this memory' if count == 1 else f'these {count:,} memories'}?"


class WaitingMemoriesCard(Card):
    """Memories that wait to be accepted, and the way to the inbox."""

    reviewed = Signal()

    def __init__(self, cards: Sequence[MemoryCard], count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        title = waiting_title(cards, count)
        self.body.addWidget(PlainLabel(title, "heading", wraps=True))
        self.setObjectName("waiting.memories")
        self.setAccessibleName(title)
        for card in cards:
            held = "held back: " if card.status is MemoryStatus.QUARANTINED and count > 1 else ""
            self.body.addWidget(PlainLabel(f"· {held}{short(card.title, QUOTE_CHARS)}", "sub", wraps=True))
        if count > len(cards):
            self.body.addWidget(PlainLabel(f"and {count - len(cards):,} more", "meta"))
        review = Button("Review", "waiting.review", kind="primary", icon_name="inbox", tip="Go to the inbox")
        review.clicked.connect(self.reviewed)
        row = FlowLayout()
        row.addWidget(review)
        self.body.addLayout(row)


def older_line(count: int) -> PlainLabel:
    """One quiet line for what was not clear in conversations that no longer go on."""
    line = PlainLabel(f"{counted(count, 'older one')} can wait", "meta")
    line.setObjectName("now.older")
    line.setToolTip("Words whose meaning was not clear, in conversations that are paused or over")
    return line


class KeptAsideCard(Card):
    """What hooks kept and the app refused: it lies aside, and can be tried again."""

    retried = Signal()

    def __init__(self, count: int, reason: str, parent: QWidget | None = None) -> None:
        super().__init__(kind="danger", parent=parent)
        title = f"{counted(count, 'event')} could not be taken in"
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
        self.body.addWidget(PlainLabel("A message could not be taken in", "heading", wraps=True))
        self.setObjectName(f"failed.{event.id}")
        self.setAccessibleName("A message could not be taken in")
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
