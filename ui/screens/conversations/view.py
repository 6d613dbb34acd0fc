"""The right part of Conversations: title, transcript, find bar, and the sheets on references and intents.

Shows one reading at a time and says by signals what the person wants; the panel carries it out.

Find in the transcript: a field, the count of hits, next and previous. Enter continues, Shift+Enter back, Esc closes.
The sheet on the intents of a message: all nine, several may hold; digits toggle, Enter saves.

The sheet on a reference: what it stands for, how sure and why, and every way to put it right.

Source: UX 4.3; UX 4.3, S1 (intents); UX 4.3, S2.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCursor, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.values import Candidate, ConversationState, Intent, IntentScore, Reference, ReferenceState
from ui.screens.conversations.commands import ConversationCommands
from ui.screens.conversations.message_text import FIND_LIMIT, FindHit, find_all
from ui.screens.conversations.reading import ConversationReading
from ui.screens.conversations.transcript_model import TranscriptModel, TranscriptRow
from ui.screens.conversations.transcript_view import TranscriptView
from ui.widgets.buttons import ACTION_ICONS, ActionButton, ActionIcon, Button, ChipButton, FitButton, IconButton
from ui.widgets.conversations.needs_you import ClarificationCard, short
from ui.widgets.conversations.queue_model import farewell_text
from ui.widgets.conversations.title_field import TitleField
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import ElidedLabel, Hairline, PlainLabel
from ui.widgets.popups.popover import Popover
from ui.widgets.search_field import SearchField
from ui.wording.values import (
    INTENT_HELP,
    INTENT_WORDS,
    OUTCOME_WORDS,
    STATE_WORDS,
    app_title,
    counted,
    sure,
)

REFERENCE_WIDTH_PX = 360
MAX_ANTECEDENT_CHARS = 200
_STATE_WORDS = {
    ReferenceState.RESOLVED: "",
    ReferenceState.AMBIGUOUS: "More than one thing fits. Which one is meant?",
    ReferenceState.UNRESOLVED: "Nothing that you said earlier fits.",
    ReferenceState.CORRECTED: "Set by you.",
    ReferenceState.DISMISSED: "You said that this refers to nothing.",
}


class ReferencePopup(Popover):
    """`chosen` carries the antecedent and the id of the message it was said in, 0 for none."""

    chosen = Signal(str, int)
    dismissed = Signal()
    jump_wanted = Signal(int)  # message id

    def __init__(self, window: QWidget, reference: Reference) -> None:
        super().__init__(window, "reference", "What this refers to")
        self._candidate_buttons: list[FitButton] = []
        self._jump: Button | None = None
        self._build_head(reference)
        self._build_candidates(reference)
        self._build_foot()

    def first_focus(self) -> QWidget:
        if self._jump is not None:  # Enter twice must not change what was right
            return self._jump
        return self._candidate_buttons[0] if self._candidate_buttons else self.text_field

    def _build_head(self, reference: Reference) -> None:
        mention = f"“{reference.mention}”" if reference.mention else "What is left out here"
        is_known = reference.antecedent is not None and reference.state in (
            ReferenceState.RESOLVED,
            ReferenceState.CORRECTED,
        )
        head = f"{mention} → {reference.antecedent}" if is_known else mention
        self.body.addWidget(PlainLabel(head, "section", wraps=True))
        state = _STATE_WORDS[reference.state]
        if reference.state is ReferenceState.RESOLVED:
            state = sure(reference.confidence).capitalize()
        reason = reference.reason.strip()
        text = f"{state} · {reason}" if reason and reference.state is ReferenceState.RESOLVED else state or reason
        if reference.state in (ReferenceState.AMBIGUOUS, ReferenceState.UNRESOLVED) and reason:
            text = f"{state}\n{reason}"
        self.body.addWidget(PlainLabel(text, "sub", wraps=True))
        if is_known and reference.antecedent_message_id is not None:
            self._jump = Button("Show where it was said", "reference.jump", kind="link", icon_name="forward")
            self._jump.setProperty("message", reference.antecedent_message_id)
            self._jump.clicked.connect(self._on_jump)
            self.body.addWidget(self._jump, 0, Qt.AlignmentFlag.AlignLeft)

    def _build_candidates(self, reference: Reference) -> None:
        others = [c for c in reference.candidates if c.text != reference.antecedent or not self._jump]
        if not others:
            return
        self.body.addWidget(Hairline())
        self.body.addWidget(PlainLabel("Or it means" if self._jump else "It means", "meta"))
        for n, candidate in enumerate(others[:5]):
            self.body.addWidget(self._candidate_button(n, candidate))

    def _candidate_button(self, n: int, candidate: Candidate) -> FitButton:
        tip = candidate.reason or "Choose this one"
        button = FitButton(f"{n + 1}   {candidate.text[:120]}", f"reference.candidate{n + 1}", tip=tip)
        button.setAccessibleName(f"It means {candidate.text}")
        button.setAccessibleDescription(candidate.reason)
        button.setProperty("text_of_candidate", candidate.text)
        button.setProperty("message", candidate.message_id or 0)
        button.clicked.connect(self._on_candidate)
        self._candidate_buttons.append(button)
        return button

    def _build_foot(self) -> None:
        self.body.addWidget(Hairline())
        row = QHBoxLayout()
        self.text_field = QLineEdit()
        self.text_field.setObjectName("reference.text")
        self.text_field.setAccessibleName("Something else: write what it refers to")
        self.text_field.setPlaceholderText("Something else…")
        self.text_field.setMaxLength(MAX_ANTECEDENT_CHARS)
        self.text_field.returnPressed.connect(self._on_text)
        use = Button("Use", "reference.use")
        use.clicked.connect(self._on_text)
        row.addWidget(self.text_field, 1)
        row.addWidget(use)
        self.body.addLayout(row)
        nothing = Button("It refers to nothing", "reference.nothing", kind="quiet", icon_name="close")
        nothing.clicked.connect(self._on_nothing)
        self.body.addWidget(nothing, 0, Qt.AlignmentFlag.AlignLeft)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(self._candidate_buttons):
            self._candidate_buttons[int(text) - 1].click()
            return
        super().keyPressEvent(event)

    def _on_candidate(self) -> None:
        button = self.sender()
        text, message_id = str(button.property("text_of_candidate")), int(button.property("message"))
        self.dismiss()
        self.chosen.emit(text, message_id)

    def _on_text(self) -> None:
        text = self.text_field.text().strip()
        if text:
            self.dismiss()
            self.chosen.emit(text, 0)

    def _on_nothing(self) -> None:
        self.dismiss()
        self.dismissed.emit()

    def _on_jump(self) -> None:
        message_id = int(self.sender().property("message"))
        self.dismiss()
        self.jump_wanted.emit(message_id)


POPUP_WIDTH_PX = 340
_COLUMNS = 3


class IntentPopup(Popover):
    """`chosen` carries the intents in the order of the list."""

    chosen = Signal(object)  # tuple[Intent, ...]

    def __init__(self, window: QWidget, scores: tuple[IntentScore, ...]) -> None:
        super().__init__(window, "intents", "What this message wants")
        self.body.addWidget(PlainLabel("What does this message want?", "section"))
        self._chips: dict[Intent, ChipButton] = {}
        held = {score.intent: score for score in scores}
        grid = QGridLayout()
        grid.setSpacing(6)
        for n, intent in enumerate(Intent):
            chip = ChipButton(f"{n + 1}  {INTENT_WORDS[intent]}", f"intents.{intent.lower()}", is_on=intent in held)
            chip.setAccessibleName(INTENT_WORDS[intent])
            chip.setAccessibleDescription(INTENT_HELP[intent])
            chip.setToolTip(INTENT_HELP[intent].capitalize())
            self._chips[intent] = chip
            grid.addWidget(chip, n // _COLUMNS, n % _COLUMNS)
        self.body.addLayout(grid)
        for score in scores:
            reason = f": {score.reason}" if score.reason else ""
            text = f"{INTENT_WORDS[score.intent].capitalize()} – {sure(score.confidence)}{reason}"
            self.body.addWidget(PlainLabel(text, "meta", wraps=True))
        row = QHBoxLayout()
        row.addWidget(PlainLabel("1–9 switch, Enter saves", "meta"), 1)
        save = Button("Save", "intents.save", kind="primary")
        save.clicked.connect(self._on_save)
        row.addWidget(save)
        self.body.addLayout(row)

    def first_focus(self) -> QWidget:
        return next((chip for chip in self._chips.values() if chip.isChecked()), next(iter(self._chips.values())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chips = list(self._chips.values())
        text = event.text()
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(chips):
            chips[int(text) - 1].toggle()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_save()
        else:
            super().keyPressEvent(event)

    def _on_save(self) -> None:
        chosen = tuple(intent for intent, chip in self._chips.items() if chip.isChecked())
        self.dismiss()
        self.chosen.emit(chosen)


_TYPING_MS = 120  # a transcript of 5,000 messages is searched once a pause, not once a letter


class _FindField(SearchField):
    """Esc closes the bar at once, whatever is typed."""

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """`query_changed` after a pause in typing; `found_wanted` carries a Found; `closed` on Esc."""

    query_changed = Signal(str)
    found_wanted = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[FindHit, ...] = ()
        self._at = -1
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.field = _FindField("Find in this conversation…", "find.field", self)
        self.count = PlainLabel("", "meta")
        self.count.setObjectName("find.count")
        before = IconButton("chevron-up", "find.previous", "Previous hit (Shift+Enter)", self)
        after = IconButton("chevron-down", "find.next", "Next hit (Enter)", self)
        close = IconButton("close", "find.close", "Close (Esc)", self)
        for widget, stretch in ((self.field, 1), (self.count, 0), (before, 0), (after, 0), (close, 0)):
            row.addWidget(widget, stretch)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_TYPING_MS)
        self._pause.timeout.connect(self._on_pause)
        self.field.searched.connect(self._on_typed)
        self.field.escaped.connect(self.close_bar)
        before.clicked.connect(self._on_previous)
        after.clicked.connect(self._on_next)
        close.clicked.connect(self.close_bar)

    def open(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def look_for(self, query: str) -> None:
        """Shows the bar with what to find; the focus stays where it is."""
        self.field.setText(query)
        self.show()
        self._pause.stop()
        self._on_pause()

    def close_bar(self) -> None:
        """Hides it and takes the marks away."""
        self.hide()
        self.field.clear()
        self._on_pause()
        self.closed.emit()

    def set_found(self, found: Sequence[FindHit], *, is_new_query: bool) -> None:
        """Other hits; a new query starts at the first, else the place is kept."""
        self._found = tuple(found)
        if is_new_query:
            self._at = -1
            self.go(1)
        else:
            self._at = min(max(self._at, 0), len(self._found) - 1)  # the first, where there was none before
            self._report()

    def go(self, step: int) -> None:
        """To the next or previous hit, round the ends."""
        if self._found:
            self._at = (self._at + step) % len(self._found)
            self.found_wanted.emit(self._found[self._at])
        self._report()

    def _report(self) -> None:
        if not self.field.text():
            self.count.setText("")
        elif not self._found:
            self.count.setText("not found")
        else:
            more = "+" if len(self._found) >= FIND_LIMIT else ""
            self.count.setText(f"{self._at + 1} of {len(self._found)}{more}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish_typing()
            self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def _finish_typing(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._on_pause()

    def _on_typed(self) -> None:
        self._pause.start()

    def _on_pause(self) -> None:
        self._pause.stop()
        self.query_changed.emit(self.field.text())

    def _on_previous(self) -> None:
        self.go(-1)

    def _on_next(self) -> None:
        self.go(1)


MENU_CHARS = 60
_WORDS = {
    "message.split": "Split",
    "conversation.join": "Join",
    "conversation.end": "End",
}  # what an icon alone does not say
MIN_PAGE_PX = 260  # else the hidden page's text would take its width from the queue


class ConversationView(QFrame):
    """One conversation. The person's acts go through `commands`."""

    message_chosen = Signal(int)
    conversation_wanted = Signal(int)
    menu_wanted = Signal(object)  # QPoint
    memory_wanted = Signal(int)

    def __init__(
        self, commands: ConversationCommands, actions: tuple[QAction, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._commands = commands
        self._reading: ConversationReading | None = None
        self._now: datetime | None = None
        self._open_reference = 0
        self.model = TranscriptModel(self)
        self.transcript = TranscriptView(self.model)
        self.transcript.setObjectName("conversations.transcript")
        self.transcript.set_card_maker(self._make_card)
        self.title = TitleField("conversations.title")
        self.meta = ElidedLabel("", "sub", by_parts=True)
        self.find_bar = FindBar()
        self.find_bar.hide()
        self.news = Button("", "conversations.news", kind="primary", tip="Go to the newest message (End)", parent=self)
        self.news.hide()
        self._build(actions)
        self._connect()

    def _build(self, actions: tuple[QAction, ...]) -> None:
        self._icons = QWidget()
        icons = QHBoxLayout(self._icons)
        icons.setContentsMargins(0, 0, 0, 0)
        icons.setSpacing(2)
        for action in actions:
            word = _WORDS.get(action.objectName())
            icon = (
                ActionIcon(action)
                if word is None
                else ActionButton(action, ACTION_ICONS[action.objectName()], kind="quiet", text=word)
            )
            icons.addWidget(icon)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(2)
        self._head.addWidget(self.meta, 1)
        self._head.addWidget(self._icons, 0, Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 6, 8)
        column.setSpacing(2)
        column.addWidget(self.title)
        column.addLayout(self._head)
        column.addWidget(self.find_bar)
        column.addWidget(Hairline())
        self.gone = EmptyState("conversations", "Only what was learned is kept", "")
        self.pages = QStackedWidget()
        self.pages.setMinimumWidth(MIN_PAGE_PX)
        self.pages.addWidget(self.transcript)
        self.pages.addWidget(self.gone)
        column.addWidget(self.pages, 1)

    def _connect(self) -> None:
        self.title.renamed.connect(self._on_renamed)
        self.title.finished.connect(self._on_title_finished)
        self.find_bar.query_changed.connect(self._on_find)
        self.find_bar.found_wanted.connect(self._on_found_wanted)
        self.find_bar.closed.connect(self._on_find_closed)
        self.news.clicked.connect(self._on_news)
        self.transcript.reference_wanted.connect(self._on_reference)
        self.transcript.intents_wanted.connect(self._on_intents)
        self.transcript.message_chosen.connect(self.message_chosen)
        self.transcript.neighbour_wanted.connect(self.conversation_wanted)
        self.transcript.menu_wanted.connect(self._on_menu)
        self.transcript.memories_wanted.connect(self.show_memories)
        self.transcript.news_below_changed.connect(self._on_news_changed)

    # -- showing
    @property
    def reading(self) -> ConversationReading | None:
        return self._reading

    @property
    def conversation_id(self) -> int | None:
        return self._reading.detail.conversation.id if self._reading is not None else None

    def set_reading(self, reading: ConversationReading) -> None:
        """Shows it; the same conversation changes in place, with cursor and scroll where they were."""
        self._reading, self._now = reading, reading.now
        conversation = reading.detail.conversation
        if not self.title.is_editing:
            self.title.set_title(conversation.title)
        words = [app_title(conversation.app), conversation.project, counted(conversation.message_count, "message")]
        words += [
            STATE_WORDS[conversation.state],
            OUTCOME_WORDS[conversation.outcome] if conversation.outcome else "",
        ]
        if conversation.state is ConversationState.EVICTED and reading.detail.messages:
            words.append("prompts from the archive")
        self.meta.setText(" · ".join(filter(None, words)))
        self._arrange_head()
        is_gone = conversation.state is ConversationState.EVICTED and not reading.detail.messages
        self.pages.setCurrentWidget(self.gone if is_gone else self.transcript)
        if conversation.merged_into_id is not None:
            where = f"“{conversation.merged_into_title}”, conversation {conversation.merged_into_id}"
            text = f"Its messages are in {where}. Undo in Activity separates them."
            self.gone.set_texts("Joined with another conversation", text)
        elif is_gone:
            topics = f" It was about {', '.join(conversation.topics[:6])}." if conversation.topics else ""
            text = f"Its {counted(conversation.message_count, 'message')} left the queue.{topics}"
            kept = farewell_text(conversation)
            self.gone.set_texts(
                "Only what was learned is kept", f"{text} {kept[:1].upper()}{kept[1:]}." if kept else text
            )
        self.transcript.setAccessibleName(f"Transcript of {conversation.title}")
        self.transcript.set_learned(reading.learned.by_message)
        self.model.set_detail(reading.detail, reading.neighbours, reading.questions)
        if self.find_bar.isVisible():
            self._search(self.find_bar.field.text(), is_new_query=False)

    def show_message(self, message_id: int) -> bool:
        """Goes to a message of the shown conversation and lets it flash."""
        return self.transcript.show_message(message_id)

    def show_start(self) -> None:
        """Puts the cursor on the last message: that is where one reads on."""
        ids = self.model.message_ids()
        if ids:
            self.transcript.show_message(ids[-1], is_flashed=False)
            self.transcript.scroll_to_end()

    def open_find(self) -> None:
        self.find_bar.open()

    def mark(self, quote: str) -> None:
        """Marks what was said, here and in the conversation that is shown next."""
        self.find_bar.look_for(quote)

    def edit_title(self) -> None:
        self.title.edit()

    def copy_message(self) -> None:
        """Puts the text of the current message on the clipboard, as it was typed."""
        message = self.model.message(self.transcript.current_message_id() or 0)
        if message is not None:
            QGuiApplication.clipboard().setText(message.text)

    def show_memories(self, message_id: int) -> None:
        """Goes to what a message taught; of several the person chooses one."""
        cards = self._reading.learned.by_message.get(message_id, ()) if self._reading is not None else ()
        if len(cards) == 1:
            self.memory_wanted.emit(cards[0].id)
        elif cards:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            for card in cards:
                menu.addAction(short(card.title, MENU_CHARS).replace("&", "&&")).setData(card.id)
            menu.triggered.connect(self._on_memory_chosen)
            menu.popup(QCursor.pos())

    def _on_memory_chosen(self, action: QAction) -> None:
        self.memory_wanted.emit(int(action.data()))

    # -- cards and sheets
    def _make_card(self, row: TranscriptRow) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(10, 6, 14, 6)
        assert row.clarification is not None
        assert self._now is not None
        card = ClarificationCard(row.clarification, self._now, shows_quote=False)
        card.answered.connect(self._on_answered)
        layout.addWidget(card)
        return holder

    def open_reference(self, message_id: int, reference_id: int) -> None:
        """Goes to a reference and opens its sheet."""
        self.transcript.focus_reference(message_id, reference_id)
        self._on_reference(message_id, reference_id, self.transcript.reference_rect(reference_id))

    def _on_reference(self, message_id: int, reference_id: int, at: QRect) -> None:
        message = self.model.message(message_id)
        reference = dict(message.references).get(reference_id) if message is not None else None
        if reference is None:
            return
        self._open_reference = reference_id
        sheet = ReferencePopup(self.window(), reference)
        sheet.chosen.connect(self._on_antecedent)
        sheet.dismissed.connect(self._on_nothing)
        sheet.jump_wanted.connect(self._on_jump)
        sheet.open_at(at, REFERENCE_WIDTH_PX)

    def _on_intents(self, message_id: int, at: QRect) -> None:
        message = self.model.message(message_id)
        if message is None:
            return
        sheet = IntentPopup(self.window(), message.intents)
        sheet.setProperty("message", message_id)
        sheet.chosen.connect(self._on_intents_chosen)
        sheet.open_at(at, POPUP_WIDTH_PX)

    def _on_intents_chosen(self, intents: object) -> None:
        assert isinstance(intents, tuple)
        self._commands.correct_intents(int(self.sender().property("message")), intents)

    def _on_antecedent(self, text: str, message_id: int) -> None:
        self._commands.correct_reference(self._open_reference, text, message_id or None)

    def _on_nothing(self) -> None:
        self._commands.dismiss_reference(self._open_reference)

    def _on_jump(self, message_id: int) -> None:
        if not self.show_message(message_id):
            self.message_chosen.emit(message_id)  # it is in another conversation: the panel finds it

    def _on_answered(self, message_id: int, is_new: bool) -> None:
        self._commands.clarify(message_id, is_new=is_new)

    # -- title, find, news
    def _on_renamed(self, title: str) -> None:
        if self.conversation_id is not None:
            self._commands.rename(self.conversation_id, title)

    def _on_title_finished(self) -> None:
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_find(self, query: str) -> None:
        self._search(query, is_new_query=True)

    def _search(self, query: str, *, is_new_query: bool) -> None:
        found: list[FindHit] = []
        for message_id in self.model.message_ids():
            message = self.model.message(message_id)
            if message is not None and len(found) < FIND_LIMIT:
                found += [FindHit(message_id, start, end) for start, end in find_all(message.text, query)]
        by_message: dict[int, list[tuple[int, int]]] = {}
        for one in found[:FIND_LIMIT]:
            by_message.setdefault(one.message_id, []).append((one.start, one.end))
        self.transcript.set_found({number: tuple(spans) for number, spans in by_message.items()})
        self.find_bar.set_found(found[:FIND_LIMIT], is_new_query=is_new_query)

    def _on_found_wanted(self, found: FindHit) -> None:
        self.transcript.show_message(found.message_id, offset=found.start)

    def _on_find_closed(self) -> None:
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_news_changed(self, count: int) -> None:
        self.news.setVisible(count > 0)
        self.news.set_text(f"{count} new ↓")
        self._place_news()

    def _on_news(self) -> None:
        self.transcript.scroll_to_end()

    def _on_menu(self, _message_id: int, where: QPoint) -> None:
        self.menu_wanted.emit(where)

    # -- Qt
    def _arrange_head(self) -> None:
        """What can be done goes below what it is about where both do not fit beside each other."""
        wanted_px = self.meta.sizeHint().width() + self._icons.sizeHint().width() + 28
        is_narrow = wanted_px > self.width()
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._head.setDirection(way)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_head()
        self._place_news()

    def _place_news(self) -> None:
        self.news.adjustSize()
        self.news.move((self.width() - self.news.width()) // 2, self.height() - self.news.height() - 14)
        self.news.raise_()
