"""Reading along, a page of Activity: its state, what it costs, each reading; with the offer where nobody reads.

Reads again when something concerned it; cards are built again only when a reading changed, an opened one stays open
and the keyboard where it was.

One reading as a card: whose conversations, what it cost, what came of it; opened, what was sent and what came back.

Source: UX 4.8b.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.values.judge import (
    CameOfIt,
    JudgePastCount,
    JudgeQuestion,
    JudgeReading,
    JudgeReadingDetail,
    JudgeState,
    ReadingState,
)
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.screens.reading.question import QuestionCard, show_preview
from ui.screens.reading.wording import (
    WHAT_WORDS,
    drop_lines,
    past_line,
    reading_meta,
    reading_outcome,
    reading_title,
    state_text,
    state_title,
    totals_line,
    who_reads,
)
from ui.widgets.buttons import ActionButton, Button, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, Hairline, PlainLabel
from ui.widgets.plain_viewer import PlainViewer
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import counted
from ui.wording.values import moment

if TYPE_CHECKING:
    from app.api import Engine
    from app.values.admin import JudgePlan


TEXT_CHARS, SENT_CHARS = 400, 1_800


class ReadingCard(Card):
    """`toggled`, `undo_wanted`, `again_wanted` carry the reading's number; the others where to go."""

    toggled = Signal(int)
    undo_wanted = Signal(int)
    again_wanted = Signal(int)
    memory_wanted = Signal(int)
    message_wanted = Signal(int)

    def __init__(self, reading: JudgeReading, now: datetime, parent: QWidget | None = None) -> None:
        super().__init__(kind="" if reading.state == "done" else "warn", parent=parent)
        self.reading = reading
        self.setObjectName(f"reading.{reading.id}")
        title, outcome = reading_title(reading), reading_outcome(reading)
        self.setAccessibleName(f"{title}. {outcome}")
        self.opener = Button("Open", f"reading.open.{reading.id}", kind="quiet", icon_name="chevron-down")
        self.opener.clicked.connect(self._on_toggle)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(ElidedLabel(title, "heading"), 1)
        line.addWidget(self.opener)
        self.body.addLayout(line)
        self.body.addWidget(PlainLabel(outcome, "body" if reading.state == "done" else "warn", wraps=True))
        self.body.addWidget(PlainLabel(reading_meta(reading, now), "meta", wraps=True))
        self._detail = QWidget()
        self._lines = QVBoxLayout(self._detail)
        self._lines.setContentsMargins(0, 6, 0, 0)
        self._lines.setSpacing(8)
        self.body.addWidget(self._detail)
        self._detail.hide()
        self._show_opener(is_open=False)

    @property
    def is_opened(self) -> bool:
        return not self._detail.isHidden()

    def show_detail(self, detail: JudgeReadingDetail, now: datetime) -> None:
        """Opens it with what was sent and what came of it."""
        clear_layout(self._lines)
        self._lines.addWidget(Hairline())
        self._lines.addWidget(PlainLabel("What came of it", "heading"))
        for one in detail.came_of_it:
            self._add_memory(one)
        if not detail.came_of_it:
            self._lines.addWidget(PlainLabel(_nothing_came(self.reading), "sub", wraps=True))
        if drops := drop_lines(self.reading):
            self._lines.addWidget(PlainLabel("Dropped", "heading"))
            self._lines.addWidget(PlainLabel("\n".join(drops), "sub", wraps=True))
        self._lines.addWidget(PlainLabel("What was sent", "heading"))
        self._add_sent(detail, now)
        self._add_buttons()
        self._detail.show()
        self._show_opener(is_open=True)

    def close_detail(self) -> None:
        self._detail.hide()
        self._show_opener(is_open=False)

    def _show_opener(self, *, is_open: bool) -> None:
        self.opener.set_text("Close" if is_open else "Open")
        self.opener.set_icon_name("chevron-up" if is_open else "chevron-down")
        said = "Close" if is_open else "Open"
        self.opener.setAccessibleName(f"{said}: {self.accessibleName()}")

    def _add_memory(self, one: CameOfIt) -> None:
        word = WHAT_WORDS[one.what]
        line = QHBoxLayout()
        line.setSpacing(8)
        label = PlainLabel(word, "meta")
        label.setMinimumWidth(110)
        line.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(PlainLabel(one.text[:TEXT_CHARS] if one.is_kept else "no longer kept", "body", wraps=True))
        if one.quote and one.quote != one.text:
            texts.addWidget(PlainLabel(f"You said: “{one.quote[:TEXT_CHARS]}”", "meta", wraps=True))
        line.addLayout(texts, 1)
        if one.is_kept:
            show = Button("Show", f"reading.memory.{one.memory_id}", kind="link", tip="Open it in Memories")
            show.setAccessibleName(f"Show the memory: {one.text[:80]}")
            show.setProperty("number", one.memory_id)
            show.clicked.connect(self._on_memory)
            line.addWidget(show, 0, Qt.AlignmentFlag.AlignTop)
        self._lines.addLayout(line)

    def _add_sent(self, detail: JudgeReadingDetail, now: datetime) -> None:
        if self.reading.state != "done":
            self._lines.addWidget(PlainLabel("Its prompts are unread again.", "sub", wraps=True))
            return
        if detail.messages:
            viewer = PlainViewer(f"reading.sent.{self.reading.id}", "What was sent")
            viewer.show_text(
                "\n\n".join(_sent_text(one.text, one.answer_end, moment(one.at, now)) for one in detail.messages)
            )
            lines = sum(
                1 + len(one.text) // 90 + one.text.count("\n") + bool(one.answer_end) * 2 for one in detail.messages
            )
            viewer.setFixedHeight(min(18 * (2 + 2 * lines), 260))
            self._lines.addWidget(viewer)
        if detail.gone_count:
            gone = f"{counted(detail.gone_count, 'prompt')} {'is' if detail.gone_count == 1 else 'are'} no longer kept."
            self._lines.addWidget(PlainLabel(gone, "sub", wraps=True))

    def _add_buttons(self) -> None:
        buttons = FlowLayout()
        if self.reading.is_undoable:
            undo = Button("Undo this reading", f"reading.undo.{self.reading.id}", icon_name="undo",
                          tip="Undoes all that came of it; its prompts stay read")  # fmt: skip
            undo.clicked.connect(self._on_undo)
            buttons.addWidget(undo)
        if self.reading.state == "done":
            again = Button("Read again", f"reading.again.{self.reading.id}", icon_name="refresh",
                           tip="Undoes what came of it and asks again")  # fmt: skip
            again.clicked.connect(self._on_again)
            buttons.addWidget(again)
        for one in self.reading.conversations:
            if one.is_kept:
                show = FitButton(one.title, f"reading.conversation.{one.conversation_id}", kind="link", tip="Show it")
                show.setAccessibleName(f"Show the conversation {one.title}")
                show.setProperty("number", one.conversation_id)
                show.clicked.connect(self._on_message)
                buttons.addWidget(show)
        self._lines.addLayout(buttons)

    def _on_toggle(self) -> None:
        self.toggled.emit(self.reading.id)

    def _on_undo(self) -> None:
        self.undo_wanted.emit(self.reading.id)

    def _on_again(self) -> None:
        self.again_wanted.emit(self.reading.id)

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("number")))

    def _on_message(self) -> None:
        self.message_wanted.emit(int(self.sender().property("number")))


def _sent_text(text: str, answer_end: str, when: str) -> str:
    """One prompt with the end of its answer.

    >>> _sent_text("use CSV", "Done.", "today")
    'today\\nuse CSV\\n  … Done.'
    """
    shown = text if len(text) <= SENT_CHARS else f"{text[: SENT_CHARS // 2]} … {text[-SENT_CHARS // 2 :]}"
    return f"{when}\n{shown}" + (f"\n  … {answer_end}" if answer_end else "")


def _nothing_came(reading: JudgeReading) -> str:
    if reading.state != "done":
        return "Nothing: no answer came, and nothing was changed."
    if reading.remembered_count or reading.closed_count:
        return "Which memories it was is not known: it was read by an older version."
    return "Nothing: there was nothing to remember in it."


PAGE_ROWS = 30
_LIGHTS = {
    ReadingState.OFF: "sub",
    ReadingState.IDLE: "good",
    ReadingState.READING: "accent",
    ReadingState.FAILED: "danger",
}
_NOTHING_YET = "Nothing was read yet. Each reading appears here with what was sent, what it cost and what it found."


@dataclass(frozen=True, slots=True)
class PageReading:
    """What the page shows, read in one go."""

    state: JudgeState
    readings: tuple[JudgeReading, ...]
    unread_tokens: int
    past: JudgePastCount
    offer: JudgeQuestion | None
    now: datetime


def read_page(engine: "Engine", limit: int) -> PageReading:
    """For the read worker. Looks for models on this machine only while nobody reads along."""
    state = engine.judge.state()
    return PageReading(
        state=state,
        readings=engine.judge.readings(limit=limit),
        unread_tokens=engine.judge.unread_tokens() if state.unread_count else 0,
        past=engine.judge.past() if state.judge != "off" else JudgePastCount(),
        offer=engine.judge.offer() if state.judge == "off" else None,
        now=engine.clock.now(),
    )


class ReadingPage(QWidget):
    """`abilities_changed` when `abilities` answers otherwise."""

    abilities_changed = Signal()

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._view: PageReading | None = None
        self._cards: dict[int, ReadingCard] = {}
        self._opened: set[int] = set()
        self._limit = PAGE_ROWS
        self._offer: QuestionCard | None = None
        self._build()

    def _build(self) -> None:
        self.page = ScrollColumn("reading.page", width_px=1080)
        self.head = Card()
        self.head.setObjectName("reading.state")
        self.light = PlainLabel("●", "sub")
        self.title = PlainLabel("", "section", wraps=True)
        self.title.setObjectName("reading.title")
        self.head.head.insertWidget(0, self.light)
        self.head.head.insertWidget(1, self.title, 1)
        self.text = PlainLabel("", "sub", wraps=True)
        self.text.setObjectName("reading.text")
        self.totals = PlainLabel("", wraps=True)
        self.totals.setObjectName("reading.totals")
        self.cap = QProgressBar()
        self.cap.setTextVisible(False)
        self.cap.setFixedHeight(6)
        self.cap.setAccessibleName("Tokens of today's cap")
        self.past = PlainLabel("", "sub", wraps=True)
        self.past.setObjectName("reading.past")
        for widget in (self.text, self.totals, self.cap, self.past):
            self.head.body.addWidget(widget)
        actions = self._context.actions
        buttons = FlowLayout()
        self.read_now = ActionButton(
            actions.action("reading.now"), "play", kind="primary", only_able=True, parent=self.head
        )
        self.stop = ActionButton(actions.action("reading.cancel"), "stop", only_able=True, parent=self.head)
        self.pause = ActionButton(actions.action("reading.pause"), "pause", only_able=True, parent=self.head)
        self.resume = ActionButton(actions.action("reading.resume"), "play", only_able=True, parent=self.head)
        self.preview = ActionButton(actions.action("reading.preview"), "eye", only_able=True, parent=self.head)
        self.settings = Button("Settings", "reading.settings", kind="quiet", icon_name="settings")
        self.settings.clicked.connect(self._on_settings)
        for button in (self.read_now, self.stop, self.pause, self.resume, self.preview, self.settings):
            buttons.addWidget(button)
        self.head.body.addLayout(buttons)
        self.page.add(self.head)
        self.place = QVBoxLayout()
        self.place.setContentsMargins(0, 0, 0, 0)
        holder = QWidget()
        holder.setProperty("role", "content")
        holder.setLayout(self.place)
        self.page.add(holder)
        self._holder = holder
        self.nothing = PlainLabel(_NOTHING_YET, "sub", wraps=True)
        self.page.add(self.nothing)
        self.list = QVBoxLayout()
        self.list.setSpacing(10)
        rows = QWidget()
        rows.setProperty("role", "content")
        rows.setAccessibleName("Readings")
        rows.setLayout(self.list)
        self.list.setContentsMargins(0, 0, 0, 0)
        self.page.add(rows)
        self.older = Button("Older ones", "reading.older", kind="link")
        self.older.clicked.connect(self._on_older)
        self.older.hide()
        self.page.add(self.older)
        self.page.add_stretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.page)

    # -- reading
    def refresh(self) -> None:
        limit = self._limit
        self._context.bridge.ask("reading", lambda engine: read_page(engine, limit), self._on_view)

    def _on_view(self, view: PageReading) -> None:
        before, self._view = self._view, view
        state = view.state
        self.light.set_role(_LIGHTS.get(state.state, "warn"))
        self.title.setText(state_title(state))
        self.head.setAccessibleName(state_title(state))
        is_failed = state.state is ReadingState.FAILED
        self.text.setText(state_text(state, view.now))
        self.head.set_kind("danger" if is_failed else "")
        is_on = state.judge != "off"
        self.totals.setText(totals_line(state.today, state.daily_cap))
        self.totals.setVisible(is_on or bool(state.today.token_count))
        self.cap.setVisible(is_on and bool(state.daily_cap))
        self.cap.setRange(0, max(1, state.daily_cap))
        self.cap.setValue(min(state.today.token_count, state.daily_cap))
        self.past.setText(past_line(state, view.unread_tokens, view.past))
        self.past.setVisible(bool(self.past.text()))
        self.read_now.set_text(_read_words(view))
        self._show_offer(before.offer if before is not None else None, view.offer)
        if before is None or before.readings != view.readings:
            self._show_cards(view)
        self.nothing.setVisible(not view.readings and is_on)
        self.older.setVisible(len(view.readings) >= self._limit)
        self.abilities_changed.emit()

    def _show_offer(self, before: JudgeQuestion | None, offer: JudgeQuestion | None) -> None:
        self._holder.setVisible(offer is not None)
        if offer == before and (self._offer is None) == (offer is None):
            return
        if self._offer is not None:
            self._offer.hide()
            self._offer.deleteLater()
            self._offer = None
        if offer is not None:
            self._offer = QuestionCard(self._context, offer, is_asking=False)
            self.place.addWidget(self._offer)

    def _show_cards(self, view: PageReading) -> None:
        focus = QApplication.focusWidget()
        name = focus.objectName() if focus is not None and self.page.isAncestorOf(focus) else ""
        for card in self._cards.values():
            card.hide()
            self.list.removeWidget(card)
            card.deleteLater()
        self._cards = {}
        for reading in view.readings:
            card = ReadingCard(reading, view.now)
            card.toggled.connect(self.toggle)
            card.undo_wanted.connect(self._undo)
            card.again_wanted.connect(self._again)
            card.memory_wanted.connect(self._on_memory)
            card.message_wanted.connect(self._on_conversation)
            self._cards[reading.id] = card
            self.list.addWidget(card)
        self._opened &= self._cards.keys()
        for number in self._opened:
            self._ask(number)
        again = self.findChild(QWidget, name) if name else None
        if again is not None and again.isVisibleTo(self):
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def toggle(self, number: int) -> None:
        """Opens a reading, or closes it."""
        card = self._cards.get(number)
        if card is None:
            return
        if card.is_opened:
            self._opened.discard(number)
            card.close_detail()
        else:
            self._opened.add(number)
            self._ask(number)
        self.abilities_changed.emit()

    def _ask(self, number: int) -> None:
        self._context.bridge.ask(f"reading.{number}", lambda engine: engine.judge.reading(number), self._on_detail)

    def _on_detail(self, detail: JudgeReadingDetail) -> None:
        card = self._cards.get(detail.reading.id)
        if card is not None and self._view is not None and detail.reading.id in self._opened:
            card.show_detail(detail, self._view.now)

    # -- doing
    @property
    def current(self) -> ReadingCard | None:
        """The card with the keyboard in it."""
        focus = QApplication.focusWidget()
        return next((card for card in self._cards.values() if focus is not None and card.isAncestorOf(focus)), None)

    def abilities(self) -> frozenset[str]:
        able = {"reading.next", "reading.previous", "reading.open"} if self._cards else set[str]()
        if self._cards:
            able |= {"reading.undo", "reading.again"}
        if self._view is not None and (self._view.state.unread_count or self._view.past.prompt_count):
            able.add("reading.preview")
        return frozenset(able)

    def run(self, action_id: str) -> None:
        match action_id:
            case "reading.next":
                self._step(1)
            case "reading.previous":
                self._step(-1)
            case "reading.preview":
                self._context.bridge.ask("reading.preview", lambda engine: engine.judge.preview(), self._on_plan)
            case _:
                card = self.current or next(iter(self._cards.values()), None)
                if card is not None:
                    self._run_on(action_id, card)

    def _run_on(self, action_id: str, card: ReadingCard) -> None:
        match action_id:
            case "reading.open":
                card.opener.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self.toggle(card.reading.id)
            case "reading.undo" if card.reading.is_undoable:
                self._undo(card.reading.id)
            case "reading.again" if card.reading.state == "done":
                self._again(card.reading.id)

    def _step(self, step: int) -> None:
        cards = list(self._cards.values())
        current = self.current
        at = cards.index(current) + step if current is not None else 0
        card = cards[max(0, min(len(cards) - 1, at))]
        card.opener.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.page.ensureWidgetVisible(card)

    def _undo(self, number: int) -> None:
        operation_id = self._cards[number].reading.operation_id
        if operation_id is not None:
            self._context.bridge.do("edit.undo", lambda engine: engine.journal.undo(operation_id))

    def _again(self, number: int) -> None:
        self._context.bridge.do("reading.again", lambda engine: engine.judge.read_again(number))

    def _on_plan(self, plan: "JudgePlan") -> None:
        who = who_reads(self._view.state) if self._view is not None else ""
        show_preview(self.window(), plan, who)

    def _on_older(self) -> None:
        self._limit += PAGE_ROWS
        self.refresh()

    def _on_settings(self) -> None:
        self._context.navigate(Place("settings", query="reading along"))

    def _on_memory(self, memory_id: int) -> None:
        self._context.navigate(Place("memories", "memory", memory_id))

    def _on_conversation(self, conversation_id: int) -> None:
        self._context.navigate(Place("conversations", "conversation", conversation_id))


def _read_words(view: PageReading) -> str:
    if view.state.state is ReadingState.FAILED:
        return "Try again"
    return "Read them now" if view.state.unread_count or view.past.prompt_count else "Read now"
