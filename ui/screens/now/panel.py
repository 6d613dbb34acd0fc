"""Now: the queue of 20 conversations, what needs the person, and what came in. The first thing one sees.

Reads again when something concerned it; cards are rebuilt only when what they say changed.

What happened today, a line each: what was captured, learned and given; each line leads to exactly these.

Source: UX 4.2, S1; UX 4.2 "Since you looked".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.values import ContradictionGroup, Conversation, DataKind, Resolution, ResolutionRequest
from ui.navigation import Place
from ui.screens.base import Ages, Panel, PanelContext
from ui.screens.consolidation.report_card import ReportCard
from ui.screens.context.strip import ContextStrip
from ui.screens.conversations.commands import ConversationCommands, abilities_for
from ui.screens.now.reading import NowReading, read_now, status_line
from ui.screens.reading.question import QuestionCard
from ui.selection import ScopeFilter
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.charts import Sparkline
from ui.widgets.conversations.needs_you import (
    ClarificationCard,
    ContradictionCard,
    FailedEventCard,
    KeptAsideCard,
)
from ui.widgets.conversations.outcome_menu import OutcomeMenu
from ui.widgets.conversations.queue_model import QueueModel, queue_rows, slot_line
from ui.widgets.conversations.queue_view import QueueView
from ui.widgets.conversations.title_field import POPUP_WIDTH_PX as RENAME_WIDTH_PX
from ui.widgets.conversations.title_field import RenamePopup
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.memories.used_card import UsedCard
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import times
from ui.wording.values import connect_words, counted, empty_texts


@dataclass(frozen=True, slots=True)
class TodayLine:
    """One line. `screen` is where more stands, "" for what leads nowhere; `query` what is searched for there."""

    text: str
    screen: str = ""
    query: str = ""


class TodayCard(Card):
    """`chosen` carries a screen and what to search for there."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Today", parent=parent)
        self.setObjectName("now.today")
        self._shown: tuple[TodayLine, ...] = ()
        self._lines = QVBoxLayout()
        self._lines.setSpacing(0)
        self.sparkline = Sparkline("messages")
        self.sparkline.setObjectName("now.sparkline")
        self.total = PlainLabel("", "meta")
        self.body.addLayout(self._lines)
        self.body.addWidget(self.sparkline)
        self.body.addWidget(self.total)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(line.text for line in self._shown)

    def set_lines(self, lines: Sequence[TodayLine]) -> None:
        """Another reading; what did not change keeps the focus."""
        if tuple(lines) == self._shown:
            return
        self._shown = tuple(lines)
        clear_layout(self._lines)
        for n, line in enumerate(lines):
            if not line.screen:
                plain = PlainLabel(line.text, "sub", wraps=True)
                plain.setContentsMargins(5, 4, 0, 4)  # as far in as the links
                self._lines.addWidget(plain)
                continue
            button = FitButton(line.text, f"now.today.{n}", kind="link", tip=f"Show them in {line.screen.title()}")
            button.setProperty("line", n)
            button.clicked.connect(self._on_line)
            self._lines.addWidget(button)

    def _on_line(self) -> None:
        line = self._shown[int(self.sender().property("line"))]
        self.chosen.emit(line.screen, line.query)


EMPTY_TEXTS = (
    "Your assistants' conversations will appear here",
    "What you type to Claude Code or Codex is kept on this computer: the last 20 conversations, with their topics.",
)
SIDE_EM = 25.0  # width of the right column
STACKED_BELOW_EM = 50.0
DEFAULT_QUEUE_SIZE = 20


class NowPanel(Panel):
    """Page object: tests/ui/pages/now.py."""

    screen_id: ClassVar[str] = "now"
    title: ClassVar[str] = "Now"
    primary_action: ClassVar[str] = "consolidation.now"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {
            DataKind.CONVERSATIONS,
            DataKind.MESSAGES,
            DataKind.EVENTS,
            DataKind.WINDOW,
            DataKind.SETTINGS,
            DataKind.MEMORIES,
            DataKind.RECEIPTS,
            DataKind.APPS,
            DataKind.READINGS,
            DataKind.RUNS,
        }
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.commands = ConversationCommands(context)
        self.model = QueueModel(self)
        self._reading: NowReading | None = None
        self._seen_count: int | None = None
        self._build()
        self.ages = Ages(self, self._on_time_passed)
        context.selection.scope_changed.connect(self._on_scope_changed)
        context.theme.changed.connect(self._arrange)

    # -- building
    def _build(self) -> None:
        self.strip = ContextStrip(self.context.navigate, self.context.notify)
        self.pages = QStackedWidget()
        self.body.setSpacing(14)
        self.body.addWidget(self.strip)  # over the pages: what was told is told, also without a conversation
        self.body.addWidget(self.pages, 1)
        self.empty = self._build_empty()
        self.full = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, self.full)
        self._columns.setContentsMargins(0, 0, 0, 0)
        self._columns.setSpacing(14)
        self._columns.addWidget(self._build_queue(), 1)
        self._columns.addWidget(self._build_side())
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.full)
        self.pages.addWidget(self.empty)

    def _build_empty(self) -> EmptyState:
        self.connect_button = Button("Connect an assistant", "now.connect", kind="primary", icon_name="apps")
        self.connect_button.clicked.connect(self._on_connect)
        bring_in = Button("Import a history…", "now.import", icon_name="import")
        bring_in.clicked.connect(self._on_import)
        example = ActionButton(self.context.actions.action("help.example"))
        return EmptyState("conversations", *EMPTY_TEXTS, (self.connect_button, bring_in, example))

    def _build_queue(self) -> Card:
        card = Card("Conversation queue")
        card.body.setSpacing(4)
        self.slot_line = ElidedLabel("", "sub")
        self.slot_line.setObjectName("now.slotLine")
        self.news = Button("", "now.news", kind="link", icon_name="arrow-up", tip="Go to the newest (Home)")
        self.news.hide()
        self.news.clicked.connect(self._on_news)
        card.head.insertWidget(1, self.slot_line, 1)
        card.head.setStretch(2, 0)
        card.head.addWidget(self.news)
        self.queue = QueueView(self.model)
        self.queue.setObjectName("now.queue")
        self.queue.setAccessibleName("Conversation queue")
        self.queue.conversation_chosen.connect(self._on_chosen)
        self.queue.conversation_opened.connect(self.open_conversation)
        self.queue.export_wanted.connect(self.open_conversation)
        self.queue.menu_wanted.connect(self._on_menu)
        self.queue.news_above_changed.connect(self._on_news_changed)
        self.model.dropped_on_conversation.connect(self.commands.take_drop)
        card.body.addWidget(self.queue, 1)
        return card

    def _build_side(self) -> ScrollColumn:
        self.side = ScrollColumn("now.side")
        self.side.setAccessibleName("What needs you")
        self.needs = QWidget()
        self.needs.setObjectName("now.needs")
        self.needs_title = PlainLabel("Needs you", "heading")
        self._parts = FlowLayout(spacing_px=2)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
        box = QVBoxLayout(self.needs)
        box.setContentsMargins(0, 4, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.needs_title)
        box.addLayout(self._parts)
        box.addLayout(self._cards)
        self.today = TodayCard()
        self.today.chosen.connect(self._on_today)
        self.used = UsedCard()
        self.used.receipt_wanted.connect(self._on_receipt)
        self.used.memory_wanted.connect(self.open_memory)
        self.consolidation = ReportCard(self.context.actions)
        self.consolidation.opened.connect(self._on_consolidation)
        self.consolidation.undone.connect(self._on_undo_run)
        self.side.add(self.used)
        self.side.add(self.needs)
        self.side.add(self.today)
        self.side.add(self.consolidation)
        self.side.add_stretch()
        return self.side

    # -- reading
    def parts(self) -> tuple[QWidget, ...]:
        return self.queue, self.side

    def refresh(self) -> None:
        scope = self.context.selection.scope
        self.context.bridge.ask(
            "now",
            lambda engine: read_now(engine, app=scope.app_or_none, project=scope.project_or_none),
            self._on_reading,
        )

    def visit(self, place: Place) -> None:
        super().visit(place)
        focus = QApplication.focusWidget()
        is_here = focus is not None and (self.pages.isAncestorOf(focus) or self.strip.isAncestorOf(focus))
        if not is_here:  # arrived from elsewhere: the keys work at once
            self.queue.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_reading(self, reading: NowReading) -> None:
        before, self._reading = self._reading, reading
        stats = reading.stats
        size = stats.queue_size or DEFAULT_QUEUE_SIZE
        is_empty = not reading.conversations and not reading.needs_count and not stats.message_count
        if is_empty:
            scope = self.context.selection.scope
            where = "" if scope == ScopeFilter() else scope.describe()
            self.empty.set_texts(*empty_texts(where, EMPTY_TEXTS, reading.connected))
            self.connect_button.set_text(connect_words(reading.connected))
        self.pages.setCurrentWidget(self.empty if is_empty else self.full)
        if self.primary is not None:  # nothing is there to consolidate, and what is to be done first is said below
            self.primary.setVisible(not is_empty or self.context.selection.scope != ScopeFilter())
        in_queue = stats.queue_count
        rows = queue_rows(reading.conversations, size, with_free=True, with_earlier=False, queue_count=in_queue)
        self.model.set_rows(rows, reading.now)
        self.slot_line.setText(slot_line(reading.conversations, size, stats.queue_byte_count, in_queue))
        self.queue.setAccessibleName(f"Conversation queue, {len(reading.conversations)} of {size}")
        if before is None or before.needs != reading.needs:
            self._show_parts(reading)
        if before is None or _asks(before) != _asks(reading):
            self._show_cards(reading)
        self.used.set_used(reading.used)
        self._show_today(reading)
        if reading.consolidation is not None:
            self.consolidation.tell(reading.consolidation, reading.now)
        self.strip.set_given(reading.given, reading.now)
        self._arrange()
        self.set_status(status_line(reading))
        self._choose_first()
        self.abilities_changed.emit()

    def _choose_first(self) -> None:
        if self.queue.current_id() is None and self.model.rowCount():
            wanted = self.context.selection.conversation_id
            first = self.model.row_at(0)
            if wanted is not None and self.queue.choose(wanted):
                return
            if first is not None and first.conversation is not None:
                self.queue.choose(first.conversation.id)

    def _show_cards(self, reading: NowReading) -> None:
        clear_layout(self._cards)
        for question in reading.clarifications:
            asked = ClarificationCard(question, reading.now)
            asked.answered.connect(self._on_answered)
            asked.opened.connect(self._on_show)
            self._cards.addWidget(asked)
        for group in reading.contradictions:
            which = ContradictionCard(group)
            which.answered.connect(self._on_held)
            which.opened.connect(self._on_contradiction)
            self._cards.addWidget(which)
        if reading.question is not None:
            self._cards.addWidget(QuestionCard(self.context, reading.question, is_asking=True))
        if reading.aside_count:
            aside = KeptAsideCard(reading.aside_count, reading.aside_reason)
            aside.retried.connect(self.commands.retry_aside)
            self._cards.addWidget(aside)
        for event in reading.failed:
            failed = FailedEventCard(event, reading.now)
            failed.retried.connect(self.commands.retry_event)
            failed.discarded.connect(self.commands.discard_event)
            self._cards.addWidget(failed)
        if not reading.needs_count:
            self._cards.addWidget(PlainLabel("Nothing needs you.", "sub"))

    def _show_parts(self, reading: NowReading) -> None:
        """The number and what it is made of, each part a way to what lists it."""
        clear_layout(self._parts)
        self.needs_title.setText(f"Needs you ({reading.needs_count})" if reading.needs_count else "Needs you")
        for part in reading.needs.parts:
            if not part.screen:
                self._parts.addWidget(PlainLabel(part.text, "sub"))
                continue
            button = Button(
                part.text, f"now.need.{part.screen}", kind="link", tip=f"Show them in {part.screen.title()}"
            )
            button.setProperty("screen", part.screen)
            button.clicked.connect(self._on_part)
            self._parts.addWidget(button)

    def _show_today(self, reading: NowReading) -> None:
        stats = reading.stats
        everywhere = "" if self.context.selection.scope == ScopeFilter() else " in all projects"
        captured = f"{counted(stats.captured_today_count, 'message')} captured{everywhere}"
        lines = [TodayLine(captured, "activity")]
        if self._seen_count is not None and stats.message_count > self._seen_count:
            lines.append(TodayLine(f"{counted(stats.message_count - self._seen_count, 'new one')} since you looked"))
        today = reading.learned_today
        since = f"since:{reading.now.astimezone():%Y-%m-%d}"
        if learned_count := today.in_use + today.no_longer_true + today.archived:
            learned = f"{counted(learned_count, 'memory', 'memories')} learned"
            lines.append(TodayLine(learned, "memories", f"{since} is:active is:archived"))
        if today.to_review:
            lines.append(
                TodayLine(f"{today.to_review:,} of those to review", "memories", f"{since} is:proposed is:quarantined")
            )
        if reading.given_today_count:
            given = f"context given {times(reading.given_today_count)}, {counted(reading.given_today_tokens, 'token')}"
            lines.append(TodayLine(given.capitalize(), "context", "history"))
        if stats.event_pending_count:
            lines.append(TodayLine(f"{counted(stats.event_pending_count, 'message')} being understood"))
        self.today.set_lines(lines)
        self.today.sparkline.set_days(stats.messages_per_day)
        total = sum(count for _day, count in stats.messages_per_day)
        self.today.total.setText(f"{counted(total, 'message')} in {len(stats.messages_per_day) or 14} days")

    def _on_consolidation(self) -> None:
        self.context.navigate(Place("consolidation"))

    def _on_undo_run(self, run_id: int) -> None:
        self.context.bridge.do("consolidation.undo", lambda engine: engine.consolidation.undo(run_id))

    def _on_today(self, screen: str, query: str) -> None:
        self.context.navigate(Place(screen, query=query))

    def _on_receipt(self, receipt_id: int) -> None:
        self.context.navigate(Place("context", "receipt", receipt_id))

    # -- doing
    def current_conversation(self) -> Conversation | None:
        return self.queue.current_conversation()

    def abilities(self) -> frozenset[str]:
        if self.pages.currentWidget() is not self.full:
            return frozenset()
        able = set(abilities_for(self.current_conversation())) - {"conversation.exportFile"}
        if self.model.rowCount():
            able |= {"conversation.next", "conversation.previous"}
        if self._reading is not None and self._reading.clarifications:
            able |= {"clarify.same", "clarify.new"}
        return frozenset(able)

    def run(self, action_id: str) -> None:
        match action_id:
            case "conversation.next":
                self.queue.step(1)
            case "conversation.previous":
                self.queue.step(-1)
            case "clarify.same" | "clarify.new":
                if self._reading is not None and self._reading.clarifications:
                    self._on_answered(self._reading.clarifications[0].message_id, action_id == "clarify.new")
            case _:
                conversation = self.current_conversation()
                if conversation is not None:
                    self._run_on(action_id, conversation)

    def _run_on(self, action_id: str, conversation: Conversation) -> None:
        match action_id:
            case "conversation.open":
                self.open_conversation(conversation.id)
            case "conversation.rename":
                self._rename(conversation)
            case "conversation.end" | "conversation.outcome":
                self._outcome_menu(conversation, is_end=action_id == "conversation.end")
            case "conversation.reopen":
                self.commands.reopen(conversation.id)
            case "conversation.export":
                self.commands.copy_markdown(conversation.id)

    def _rename(self, conversation: Conversation) -> None:
        sheet = RenamePopup(self.window(), conversation.id, conversation.title)
        sheet.renamed.connect(self.commands.rename)
        rect = self.queue.visualRect(self.queue.currentIndex())
        sheet.open_at(QRect(self.queue.viewport().mapToGlobal(rect.topLeft()), rect.size()), RENAME_WIDTH_PX)

    def _outcome_menu(self, conversation: Conversation, *, is_end: bool) -> None:
        menu = OutcomeMenu(conversation, is_end=is_end, parent=self)
        menu.ended.connect(self.commands.end)
        menu.outcome_chosen.connect(self.commands.set_outcome)
        where = self.queue.visualRect(self.queue.currentIndex()).center()
        menu.popup(self.queue.viewport().mapToGlobal(where))

    # -- slots
    def _on_chosen(self, conversation_id: int) -> None:
        self.context.selection.select_conversation(conversation_id)
        self.place_changed.emit(Place("now", "conversation", conversation_id))
        self.abilities_changed.emit()

    def _on_show(self, _conversation_id: int, message_id: int) -> None:
        self.context.navigate(Place("conversations", "message", message_id))

    def _on_answered(self, message_id: int, is_new: bool) -> None:
        self.commands.clarify(message_id, is_new=is_new)

    def _on_held(self, group: ContradictionGroup, resolution: Resolution) -> None:
        ids, wanted = group.ids, ResolutionRequest(resolution)
        self.context.bridge.do("contradiction.resolve", lambda engine: engine.contradictions.resolve_alike(ids, wanted))

    def _on_part(self) -> None:
        screen = str(self.sender().property("screen"))
        if screen == "review":
            self.context.actions.run("memory.review")
        else:
            self.context.navigate(Place(screen))

    def _on_contradiction(self, contradiction_id: int) -> None:
        self.context.navigate(Place("contradictions", "contradiction", contradiction_id))

    def _on_menu(self, _conversation_id: int, where: QPoint) -> None:
        self.abilities_changed.emit()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in ("open", "rename", "end", "reopen", "outcome", "export"):
            menu.addAction(self.context.actions.action(f"conversation.{action_id}"))
        menu.popup(where)

    def _on_news_changed(self, count: int) -> None:
        self.news.setVisible(count > 0)
        self.news.set_text(f"{count} new")

    def _on_news(self) -> None:
        self.queue.scrollToTop()

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))

    def _on_import(self) -> None:
        self.context.actions.run("file.import")

    def _on_scope_changed(self) -> None:
        """What another scope shows is no news."""
        self._seen_count = None
        self.model.expect_others()
        self.mark_dirty()

    def _on_time_passed(self, now: datetime) -> None:
        self.model.set_now(now)
        self.strip.show_time(now)

    # -- Qt
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._reading is not None:
            self._seen_count = self._reading.stats.message_count

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Beside each other, or in a narrow window with large text one above the other."""
        em = font_px()
        is_stacked = self.width() < STACKED_BELOW_EM * em
        side_px = round(SIDE_EM * em)
        direction = QBoxLayout.Direction.BottomToTop if is_stacked else QBoxLayout.Direction.LeftToRight
        self._columns.setDirection(direction)
        self.strip.set_short(is_stacked or self.height() < 40 * em)
        needs_count = self._reading.needs_count if self._reading is not None else 0
        self.needs.setVisible(not is_stacked or needs_count > 0)
        self.today.setVisible(not is_stacked or not needs_count)
        if is_stacked:
            self.side.setMinimumWidth(0)
            self.side.setMaximumWidth(16_777_215)
            self.side.setFixedHeight(min(self.side.content.sizeHint().height() + 4, round(self.height() * 0.42)))
        else:
            self.side.setMinimumHeight(0)
            self.side.setMaximumHeight(16_777_215)
            self.side.setFixedWidth(min(side_px, self.width() * 2 // 5))


def _asks(reading: NowReading) -> tuple[object, ...]:
    return (
        reading.clarifications,
        reading.contradictions,
        reading.failed,
        reading.question,
        reading.aside_count,
        not reading.needs_count,
    )
