"""The review: the memories that wait, one card at a time, each answered with one key, the next at once.

The cards are those that waited when it was opened; what is answered elsewhere meanwhile is passed over. Owns the way through
them and what Z takes back. Source: UX 4.4, issue 16 point 10.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from app.errors import NotFoundError
from app.values import MemoryEdit, MemoryStatus, Message, ReviewCard
from app.values.changes import Changes, DataKind, Origin
from ui.bridge import Failure
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.review.card import ALLOW_QUESTION, ALLOW_TEXT, CardReading, ReviewPair
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.empty_state import EmptyState
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

AHEAD = 4  # cards that are read before they are shown
AROUND = 4  # messages shown before and after the one that was quoted
PAGE_PX = 860  # as wide as one reads
_WAITING = (MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)
_ANSWERS = {"accept": "accepted", "reject": "rejected", "skip": "skipped"}
_NOTHING = ("Nothing waits for you", "What Remanence is not sure of waits here for your yes or no.")


@dataclass(slots=True)
class _Answer:
    """What was done to one card. `operation_id` is known once it is written."""

    index: int
    verb: str
    memory_id: int
    operation_id: int | None = None
    is_taken_back: bool = False


def read_cards(engine: "Engine", app: str, project: str) -> tuple[tuple[ReviewCard, ...], datetime]:
    """What waits now, for the read worker."""
    return engine.memories.review(app=app, project=project), engine.clock.now()


def read_ahead(engine: "Engine", cards: Sequence[ReviewCard]) -> dict[int, CardReading | None]:
    """The cards with their texts by the shown memory's number; None for one that waits no more."""
    return {card.memory_id: _read(engine, card) for card in cards}


def _read(engine: "Engine", card: ReviewCard) -> CardReading | None:
    try:
        details = tuple(engine.memories.get(number) for number in card.ids)
    except NotFoundError:
        return None
    if not all(one.memory.status in _WAITING for one in details):
        return None
    reading = CardReading(card, details)
    return replace(reading, around=_around(engine, reading.message_id))


def _around(engine: "Engine", message_id: int | None) -> tuple[Message, ...]:
    if message_id is None:
        return ()
    try:
        return engine.messages.around(message_id, count=AROUND)
    except NotFoundError:  # its conversation left meanwhile
        return ()


class ReviewPanel(Panel):
    screen_id: ClassVar[str] = "review"
    title: ClassVar[str] = "Review"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    announces_own_actions: ClassVar[bool] = True

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._cards: tuple[ReviewCard, ...] = ()
        self._readings: dict[int, CardReading | None] = {}
        self._answers: list[_Answer] = []
        self._unwritten: list[_Answer] = []
        self._taken_back: dict[int, _Answer] = {}  # by memory: a redo counts them again
        self._index = 0
        self._is_at_source = False  # the conversation of a card is looked at: coming back continues here
        self._first_id = 0  # the memory to begin with
        self._now: datetime | None = None
        self._build()
        context.selection.scope_changed.connect(self._begin)
        context.bridge.failed.connect(self._on_failed)

    def _build(self) -> None:
        self.leave = Button("Leave", "review.leave", kind="quiet", tip="Go back to where you were (Esc)")
        self.leave.clicked.connect(self._on_leave)
        self.header.add_widget(self.leave)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the review")
        actions = self.context.actions
        self.accept = ActionButton(actions.action("review.accept"), "check", kind="primary", text="Accept (A)")
        self.reject = ActionButton(actions.action("review.reject"), "close", text="Reject (R)")
        self.edit = ActionButton(actions.action("review.edit"), "rename", text="Edit (E)")
        self.skip = ActionButton(actions.action("review.skip"), "forward", text="Skip (S)")
        self.back = ActionButton(actions.action("review.back"), "undo", kind="quiet", text="Undo (Z)")
        buttons = FlowLayout()
        for button in (self.accept, self.reject, self.edit, self.skip, self.back):
            buttons.addWidget(button)
        self.pair = ReviewPair(buttons, self.context.unsaved)
        self.pair.quote.opened.connect(self._on_open)
        self.pair.memory.saved.connect(self._on_saved)
        self.pair.memory.edit_ended.connect(self._on_edit_ended)
        self.pair.question.allowed.connect(self._on_allowed)
        self.pair.question.left.connect(self._on_left_blocked)
        self.told = ElidedLabel("", "sub")
        self.told.setObjectName("review.told")
        page = QWidget()
        page.setMaximumWidth(PAGE_PX)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.bar)
        column.addWidget(self.pair, 1)
        column.addWidget(self.told)
        self.page = page
        self.done_back = ActionButton(
            actions.action("review.back"), "undo", text="Undo the last answer (Z)", only_able=True
        )
        self.again = Button("See the skipped ones", "review.again", icon_name="refresh")
        self.again.clicked.connect(self._begin)
        self.finish = Button("Back to Now", "review.finish", kind="primary", icon_name="now")
        self.finish.clicked.connect(self._on_finish)
        self.offer = Button("Fewer of these: let a model read along", "review.offer", kind="link")
        self.offer.setToolTip("See what that means, and what it costs")
        self.offer.clicked.connect(self._on_offer)
        self.offer.hide()
        self.done = EmptyState("check", *_NOTHING, (self.finish, self.again, self.done_back, self.offer))
        self.pages = QStackedWidget()
        for one in (QWidget(), self.page, self.done):
            self.pages.addWidget(one)
        self.body.addWidget(self.pages, 1)

    # -- reading
    def refresh(self) -> None:
        """The first time it is shown, and when the store is opened."""
        self._begin()

    def visit(self, place: Place) -> None:
        super().visit(place)
        is_same, self._is_at_source = self._is_at_source, False
        self._first_id = (place.object_id or 0) if place.kind == "memory" else 0
        if not self.is_dirty and self.context.bridge.is_open and not is_same:
            self._begin()

    def _begin(self) -> None:
        """Reads what waits now and begins with the first."""
        scope = self.context.selection.scope
        self.context.bridge.ask(
            "review",
            lambda engine: read_cards(engine, scope.app_or_none or "", scope.project_or_none or ""),
            self._on_cards,
        )

    def _on_cards(self, read: tuple[tuple[ReviewCard, ...], datetime]) -> None:
        cards, self._now = read
        self._cards = tuple(sorted(cards, key=lambda card: self._first_id not in card.ids))
        self._readings.clear()
        self._answers.clear()
        self._unwritten.clear()
        self._taken_back.clear()
        self.told.setText("")
        self._go(0)

    def _go(self, index: int) -> None:
        """To that card, passing over those that wait no more; behind the last one it is done."""
        while index < len(self._cards) and self._readings.get(self._cards[index].memory_id, self) is None:
            index += 1
        self._index = index
        if index >= len(self._cards):
            self._show_done()
            return
        ahead = [one for one in self._cards[index : index + AHEAD] if one.memory_id not in self._readings]
        reading = self._readings.get(self._cards[index].memory_id)
        if reading is not None:
            self._show(reading)
        if ahead:
            self.context.bridge.ask("review.ahead", lambda engine: read_ahead(engine, ahead), self._on_read)

    def _on_read(self, read: dict[int, CardReading | None]) -> None:
        is_waiting = self.current is None
        self._readings |= read
        for number, reading in read.items():
            if reading is None and number in self._taken_back:  # it was done again
                self._answers.append(self._taken_back.pop(number))
        if is_waiting and self._index < len(self._cards):
            self._go(self._index)

    @property
    def current(self) -> CardReading | None:
        """The card that is shown; None before it is read, and when all are answered."""
        if self._index >= len(self._cards):
            return None
        return self._readings.get(self._cards[self._index].memory_id)

    def _show(self, reading: CardReading) -> None:
        assert self._now is not None
        self.pair.question.hide()
        self.pair.quote.set_reading(reading, self._now)
        self.pair.memory.set_reading(reading)
        self.accept.set_kind("plain" if reading.card.is_held else "primary")
        self.accept.setText("Allow… (A)" if reading.card.is_held else "Accept (A)")
        self.reject.set_kind("primary" if reading.card.is_held else "plain")
        self.pages.setCurrentWidget(self.page)
        self.bar.setRange(0, len(self._cards))
        self.bar.setValue(self._index)
        place = self._place(reading.card)
        self.set_status(place)
        self.abilities_changed.emit()
        (self.reject if reading.card.is_held else self.accept).setFocus(Qt.FocusReason.OtherFocusReason)
        self._announce(f"{place}. {self.pair.memory.accessibleName()}")

    def _place(self, card: ReviewCard) -> str:
        """The position of the card, counted among the likely ones or among the less likely ones."""
        alike = [one for one in self._cards if one.is_likely == card.is_likely]
        below = "" if card.is_likely else " that are less likely"
        return f"{alike.index(card) + 1} of {len(alike)}{below}"

    def _show_done(self) -> None:
        counts = {verb: sum(one.verb == verb for one in self._answers) for verb in _ANSWERS}
        said = ", ".join(f"{counts[verb]} {word}" for verb, word in _ANSWERS.items() if counts[verb])
        if self._cards:
            self.done.set_texts(
                "Done", f"{counted(len(self._cards), 'card')}: {said or 'all were answered elsewhere'}."
            )
        else:
            self.done.set_texts(*_NOTHING)
        self.again.setVisible(bool(counts["skip"]))
        self.pages.setCurrentWidget(self.done)
        self.set_status("")
        self.abilities_changed.emit()
        self.finish.setFocus(Qt.FocusReason.OtherFocusReason)
        self._announce(f"{self.done.heading.text()}. {self.done.text.text()}")

        self.context.bridge.ask("review.offer", lambda engine: engine.judge.state().judge == "off", self._on_may_offer)

    def _on_may_offer(self, is_off: bool) -> None:
        self.offer.setVisible(is_off)

    def _on_offer(self) -> None:
        self.context.actions.run("reading.page")

    def _announce(self, text: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    # -- doing
    def abilities(self) -> frozenset[str]:
        able = set[str]()
        reading = self.current
        if self.pair.question.isVisibleTo(self.pair):
            return frozenset()
        if reading is not None and self.pages.currentWidget() is self.page and not self.pair.memory.is_editing:
            able |= {f"review.{verb}" for verb in ("accept", "reject", "edit", "skip", "graph")}
            if reading.message_id is not None:
                able.add("review.source")
        if self._answers and not self.pair.memory.is_editing:
            able.add("review.back")
        return frozenset(able)

    def run(self, action_id: str) -> None:
        reading = self.current
        match action_id:
            case "review.back":
                self._take_back()
            case "review.edit" if reading is not None:
                self.pair.memory.edit()
                self.abilities_changed.emit()
            case "review.source" if reading is not None and reading.message_id is not None:
                self._on_open(reading.message_id)
            case "review.graph" if reading is not None:
                self.context.navigate(Place("graph", query=f"memory:{reading.memory.id}"))
            case "review.skip" if reading is not None:
                self._answers.append(_Answer(self._index, "skip", reading.memory.id))
                self._report("Skipped", reading)
                self._go(self._index + 1)
            case "review.reject" if reading is not None:
                ids = reading.card.ids
                self._answer("reject", reading, lambda engine: engine.memories.reject(ids))
            case "review.accept" if reading is not None:
                self._accept(reading)

    def _accept(self, reading: CardReading) -> None:
        """Opens the question for a blocked memory instead of accepting it."""
        if reading.card.is_held:
            self.pair.question.ask()
            self.abilities_changed.emit()
            self._announce(f"{ALLOW_QUESTION} {ALLOW_TEXT}")
            return
        self._keep(reading)

    def _on_allowed(self) -> None:
        if self.current is not None:
            self._keep(self.current)

    def _on_left_blocked(self) -> None:
        self.abilities_changed.emit()
        self.reject.setFocus(Qt.FocusReason.OtherFocusReason)

    def _keep(self, reading: CardReading) -> None:
        ids = reading.card.ids
        self._answer("accept", reading, lambda engine: engine.memories.accept_alike(ids))

    def _on_saved(self, text: str) -> None:
        reading = self.current
        if reading is None:
            return
        ids, old = reading.card.ids, reading.memory
        edit = MemoryEdit(full=text, expected_revision=old.revision) if text != old.levels.full.text else None
        self._answer("accept", reading, lambda engine: engine.memories.accept_alike(ids, edit=edit))

    def _answer(self, verb: str, reading: CardReading, write: "Callable[[Engine], object]") -> None:
        answer = _Answer(self._index, verb, reading.memory.id)
        self._answers.append(answer)
        self._unwritten.append(answer)
        self.context.bridge.do(f"review.{verb}", write)
        self._report(_ANSWERS[verb].capitalize(), reading)
        self._go(self._index + 1)

    def _report(self, word: str, reading: CardReading) -> None:
        alike = f" and {len(reading.card.alike_ids)} alike" if reading.card.alike_ids else ""
        self.told.setText(f"{word} “{reading.memory.title}”{alike}. Z undoes it.")

    def _take_back(self) -> None:
        """The last answer: undone in the store, and its card shown again."""
        if not self._answers:
            return
        answer = self._answers.pop()
        if answer.operation_id is not None:
            self._undo(answer.operation_id)
        answer.is_taken_back = True  # one that is not written yet is undone when it is
        if answer.verb != "skip":
            self._readings.pop(answer.memory_id, None)
            self._taken_back[answer.memory_id] = answer
        self.told.setText("Undone.")
        if answer.verb == "skip":
            self._go(answer.index)
        else:  # it is shown when the store has it back
            self._index = answer.index
            self.abilities_changed.emit()

    def _undo(self, operation_id: int) -> None:
        self.context.bridge.do("edit.undo", lambda engine: engine.journal.undo(operation_id))

    def _on_changes(self, changes: Changes) -> None:
        if changes.origin is not Origin.PERSON or not self._cards:
            return
        touched = changes.ids.get(DataKind.MEMORIES, ())
        for answer in self._unwritten:
            if answer.memory_id in touched:
                self._unwritten.remove(answer)
                answer.operation_id = changes.operation_id
                if answer.is_taken_back and changes.operation_id is not None:
                    self._undo(changes.operation_id)
                return
        for answer in self._answers:
            if answer.operation_id is not None and answer.memory_id in touched:
                self._look_again(answer)
        if self._index < len(self._cards) and self._cards[self._index].memory_id in touched:
            self._readings.pop(self._cards[self._index].memory_id, None)  # an undo brought it back, or it was changed
            self._go(self._index)

    def _look_again(self, answer: _Answer) -> None:
        """Shows the card again of a memory whose answer was undone elsewhere, by Ctrl+Z for example."""
        card = self._cards[answer.index]

        def on_read(read: dict[int, CardReading | None]) -> None:
            reading = read.get(card.memory_id)
            if reading is None or answer not in self._answers:
                return
            self._answers.remove(answer)
            self._taken_back[answer.memory_id] = answer
            self._readings[card.memory_id] = reading
            self.told.setText("Undone.")
            self._go(answer.index)

        self.context.bridge.ask(f"review.again.{card.memory_id}", lambda engine: read_ahead(engine, [card]), on_read)

    def _on_failed(self, failure: Failure) -> None:
        """An answer that could not be written is none; the notice says why."""
        if failure.action_id in ("review.accept", "review.reject") and self._unwritten:
            answer = self._unwritten.pop(0)
            if answer in self._answers:
                self._answers.remove(answer)

    def _on_edit_ended(self) -> None:
        self.abilities_changed.emit()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- leaving
    def _on_open(self, message_id: int) -> None:
        self._is_at_source = True
        self.context.navigate(Place("conversations", "message", message_id))

    def _on_finish(self) -> None:
        self.context.navigate(Place("now"))

    def _on_leave(self) -> None:
        back = self.context.actions.action("go.back")
        if back.isEnabled():
            back.trigger()
        else:
            self._on_finish()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_leave()
            return
        super().keyPressEvent(event)
