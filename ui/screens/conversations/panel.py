"""Conversations: the queue and what went before it at the left, the transcript at the right, details beside it.

Reads the list and the shown conversation again when something concerned them; keeps by id what is selected. Wires
the action table to the parts.

Carries out the rows of the action table on the Conversations screen: on the shown conversation or message.

Source: UX 4.3, S1; UX 4.3.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QSplitter, QStackedWidget, QWidget

from app.values import Conversation, ConversationState, DataKind
from ui.navigation import Place
from ui.screens.base import Ages, Panel, PanelContext
from ui.screens.conversations.commands import ConversationCommands
from ui.screens.conversations.details_strip import DetailsStrip, reference_words
from ui.screens.conversations.join_menu import JoinMenu
from ui.screens.conversations.list_pane import ConversationList
from ui.screens.conversations.reading import (
    ConversationReading,
    QueueReading,
    SearchReading,
    Wanted,
    abilities_in,
    join_targets,
    read_conversation,
    read_hits,
    read_queue,
)
from ui.screens.conversations.view import ConversationView
from ui.selection import ScopeFilter
from ui.theme import font_px
from ui.widgets.buttons import Button
from ui.widgets.conversations.outcome_menu import OutcomeMenu
from ui.widgets.conversations.queue_model import CONVERSATION_MIME
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.popups.export_dialog import open_export_dialog
from ui.wording.values import counted, empty_texts


class ConversationActs(QObject):
    """Bound to its panel."""

    def __init__(self, panel: "ConversationsPanel") -> None:
        super().__init__(panel)
        self._panel = panel

    def run(self, action_id: str) -> None:
        noun, _, verb = action_id.partition(".")
        match noun:
            case "conversation":
                self._run_on_conversation(verb)
            case "message":
                self._run_on_message(verb)
            case "reference":
                self._panel.view.transcript.setFocus()
                self._panel.view.transcript.step_reference(1 if verb == "next" else -1)
            case "clarify":
                if self._panel.view.reading is not None and self._panel.view.reading.questions:
                    self._panel.commands.clarify(self._panel.view.reading.questions[0].message_id, is_new=verb == "new")

    def _run_on_conversation(self, verb: str) -> None:
        conversation = self._panel.shown_conversation()
        if verb in ("next", "previous"):
            is_inside = self._panel.view.transcript.hasFocus()
            step = self._panel.view.transcript.step_message if is_inside else self._panel.left.step
            step(1 if verb == "next" else -1)
        elif verb == "details":
            self._panel.toggle_details()
        elif verb == "related":
            self._panel.walk_related()
        elif conversation is not None:
            self._change_conversation(verb, conversation)

    def _change_conversation(self, verb: str, conversation: Conversation) -> None:
        match verb:
            case "open":
                self._panel.view.transcript.setFocus()
            case "rename":
                self._panel.view.edit_title()
            case "end" | "outcome":
                self.outcome_menu(conversation, is_end=verb == "end")
            case "graph":
                self._panel.context.navigate(Place("graph", query=f"conversation:{conversation.id}"))
            case "clear" | "reopen":
                commands = self._panel.commands
                (commands.reopen if verb == "reopen" else commands.clear_window)(conversation.id)
            case "export":
                self._panel.commands.copy_markdown(conversation.id)
            case "exportFile":
                open_export_dialog(self._panel, conversation.title).fileSelected.connect(self._on_file_chosen)
            case "join":
                self.join_menu(conversation)

    def _run_on_message(self, verb: str) -> None:
        transcript = self._panel.view.transcript
        message_id = transcript.current_message_id()
        if verb == "find":
            self._panel.view.open_find()
        elif verb == "readAll":
            self._panel.view.model.set_all_expanded(is_on=not self._panel.view.model.is_all_expanded)
        elif message_id is not None:
            match verb:
                case "split":
                    follow = partial(self._panel.follow, Wanted(None, message_id))
                    transcript.setFocus(Qt.FocusReason.OtherFocusReason)  # the pressed button goes dark: not on to Join
                    self._panel.commands.split(message_id, follow)
                case "intents":
                    transcript.ask_intents()
                case "read":
                    self._panel.view.model.toggle_expanded(message_id)
                case "memories":
                    self._panel.view.show_memories(message_id)
                case "copy":
                    self._panel.view.copy_message()

    def outcome_menu(self, conversation: Conversation, *, is_end: bool) -> None:
        menu = OutcomeMenu(conversation, is_end=is_end, parent=self._panel)
        menu.ended.connect(self._panel.commands.end)
        menu.outcome_chosen.connect(self._panel.commands.set_outcome)
        menu.popup(self._panel.view.mapToGlobal(QPoint(self._panel.view.width() - 240, 44)))

    def join_menu(self, conversation: Conversation) -> None:
        """Opens the menu of conversations to join with, the previous one first. Nothing is joined until one is chosen."""
        reading, targets = self._panel.view.reading, self._panel.join_targets()
        if reading is not None and targets:
            menu = JoinMenu(conversation, targets, reading.now, self._panel)
            menu.chosen.connect(self._panel.join)
            menu.popup(self._panel.view.mapToGlobal(QPoint(24, 88)))

    def _on_file_chosen(self, path: str) -> None:
        if self._panel.view.conversation_id is not None and path:
            self._panel.commands.write_markdown(self._panel.view.conversation_id, Path(path))


EMPTY_TEXTS = (
    "No conversation yet",
    "Connect an assistant or import a history: what you said appears here, to read and to correct.",
)
QUEUE_EM = 24.0
DETAILS_EM = 20.0
QUEUE_RATIO = 0.45  # at most this part of what the details leave, so that a transcript can be read
WITH_DETAILS_FROM_EM = 79.0  # narrower: details only when asked for, in place of the queue
HEAD_ACTIONS = (
    *("message.split", "conversation.join", "conversation.rename", "conversation.end"),
    *("conversation.exportFile", "message.find", "conversation.details"),
)
FOLLOWED = ("message.split", "conversation.join")
CONVERSATION_MENU = ("open", "rename", "end", "reopen", "outcome", "related", "join", "export", "exportFile")
MESSAGE_MENU = (
    *("message.intents", "message.read", "message.memories", "message.split", "message.copy"),
    *("edit.copyLink", "reference.next", "reference.previous"),
)


@dataclass(slots=True)
class Joined:
    """The conversation that was shown when it was joined with another, and whether it has been seen missing since."""

    shown: Wanted
    target_id: int
    is_gone: bool = False


class ConversationsPanel(Panel):
    """Page object: tests/ui/pages/conversations.py."""

    screen_id: ClassVar[str] = "conversations"
    title: ClassVar[str] = "Conversations"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    search_hint: ClassVar[str] = "Search all conversations…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {
            *(DataKind.CONVERSATIONS, DataKind.MESSAGES, DataKind.WINDOW, DataKind.SETTINGS),
            *(DataKind.MEMORIES, DataKind.CHUNKS),
        }
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.commands = ConversationCommands(context)
        self._queue_reading: QueueReading | None = None
        self._wanted = Wanted()
        self._is_jump_due = False
        self._is_act_under_way = False  # of which `follow` was told: what was read before it changes nothing of it
        self._joined: Joined | None = None  # what was shown when it was joined: undo comes back to it
        self._is_details_asked: bool | None = None  # None: as there is room
        self._query = ""
        self._build()
        self.acts = ConversationActs(self)
        self._connect()
        self.ages = Ages(self, self.left.set_now)

    # -- building
    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        connect = Button("Connect an assistant", "conversations.connect", kind="primary", icon_name="apps")
        connect.clicked.connect(self._on_connect)
        self.empty = EmptyState("conversations", *EMPTY_TEXTS, (connect,))
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.pages)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.left = ConversationList(self.splitter)
        self.queue, self.model = self.left.queue, self.left.model
        actions = tuple(self.context.actions.action(name) for name in HEAD_ACTIONS)
        self.view = ConversationView(self.commands, actions, self.splitter)
        self.view.setObjectName("conversations.view")
        self.details = DetailsStrip(self.splitter)
        for widget in (self.left, self.view, self.details):
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.splitter)
        self.pages.addWidget(self.empty)

    def _connect(self) -> None:
        self.queue.conversation_chosen.connect(self._on_chosen)
        self.queue.conversation_opened.connect(self._on_opened_conversation)
        self.queue.menu_wanted.connect(self._on_conversation_menu)
        self.queue.export_wanted.connect(self._on_export_wanted)
        self.left.hit_wanted.connect(self._on_hit)
        self.model.dropped_on_conversation.connect(self._on_dropped_on_conversation)
        self.model.dropped_on_free.connect(self._on_dropped_on_free)
        self.view.message_chosen.connect(self._on_message_chosen)
        self.view.conversation_wanted.connect(self.open_conversation)
        self.view.menu_wanted.connect(self._on_message_menu)
        self.view.memory_wanted.connect(self.open_memory)
        self.view.transcript.left.connect(self.left.take_focus)
        self.details.reference_wanted.connect(self.view.open_reference)
        self.details.message_wanted.connect(self.view.show_message)
        self.details.conversation_wanted.connect(self.open_conversation)
        self.details.memory_wanted.connect(self.open_memory)
        self.details.episode_wanted.connect(self._on_episode)
        self.details.recent.clear_wanted.connect(self._on_clear_wanted)
        self.details.outcome_wanted.connect(self._on_outcome_wanted)
        self.context.selection.scope_changed.connect(self._on_scope_changed)
        self.context.theme.changed.connect(self._arrange)
        self.context.bridge.settled.connect(self._on_settled)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.left.take_focus)
            self.header.search.returnPressed.connect(self.left.take_focus)

    # -- reading
    def parts(self) -> tuple[QWidget, ...]:
        return self.left, self.view.transcript, self.details

    def refresh(self) -> None:
        scope = self.context.selection.scope
        self.context.bridge.ask(
            "conversations.queue",
            lambda engine: read_queue(engine, app=scope.app_or_none, project=scope.project_or_none),
            self._on_queue,
        )
        if self._wanted != Wanted():
            self._read_wanted()
        if self._query:
            self.search(self._query)

    def _read_wanted(self) -> None:
        wanted = self._wanted
        self.context.bridge.ask(
            "conversations.one", lambda engine: read_conversation(engine, wanted), self._on_conversation
        )

    def _want(self, conversation_id: int | None, message_id: int | None = None) -> None:
        """Shows a conversation, and in it a message where one is named."""
        self._wanted = Wanted(conversation_id, message_id)
        self._is_jump_due = True
        if self.context.bridge.is_open:
            self._read_wanted()

    def _on_queue(self, reading: QueueReading) -> None:
        self._queue_reading = reading
        scope = self.context.selection.scope
        self.empty.set_texts(*empty_texts("" if scope == ScopeFilter() else scope.describe(), EMPTY_TEXTS))
        self.pages.setCurrentWidget(self.splitter if reading.conversations else self.empty)
        self.left.set_reading(reading)
        active = sum(c.state is ConversationState.ACTIVE for c in reading.kept)
        kept = f"{counted(len(reading.kept), 'conversation')} · {active} active"
        self.set_status(kept if reading.kept else "No conversation yet")
        if self._wanted == Wanted() and reading.conversations:
            first = self.context.selection.conversation_id or reading.conversations[0].id
            self._want(first, self.context.selection.message_id)
        elif (apart := self._apart_again(reading)) is not None:
            self._want(apart.conversation_id, apart.message_id)
        elif self.view.conversation_id is not None:
            self.queue.choose(self.view.conversation_id)
        self._arrange()
        self.abilities_changed.emit()

    def _apart_again(self, reading: QueueReading) -> Wanted | None:
        """The conversation to show again when a join is undone while the joined one is still shown."""
        joined = self._joined
        if joined is None:
            return None
        if not any(one.id == joined.shown.conversation_id for one in reading.kept):
            joined.is_gone = True
        elif joined.is_gone:
            self._joined = None
            return joined.shown if self.view.conversation_id == joined.target_id else None
        return None

    def _on_conversation(self, reading: ConversationReading | None) -> None:
        if reading is None:
            self._wanted = Wanted()
            if self._queue_reading is not None and self._queue_reading.conversations:
                self._want(self._queue_reading.conversations[0].id)
            return
        conversation_id, message_id = reading.detail.conversation.id, self._wanted.message_id
        is_other = conversation_id != self.view.conversation_id
        if not self._is_act_under_way:  # else the conversation that is left now would be shown after the act as well
            self._wanted = Wanted(conversation_id, message_id)
        self.view.set_reading(reading)
        self.details.set_detail(reading.detail, reading.record, reading.now)
        self.details.set_learned(reading.learned.cards)
        self.details.recent.set_window(reading.detail, reading.chunks, reading.referable)
        self.queue.choose(conversation_id)
        is_due, self._is_jump_due = self._is_jump_due, False
        is_shown = message_id is not None and (is_due or is_other) and self.view.show_message(message_id)
        if is_other and not is_shown:
            self.view.show_start()
        self.context.selection.select_conversation(conversation_id, self._wanted.message_id)
        self.abilities_changed.emit()

    # -- places and search
    def visit(self, place: Place) -> None:
        if place.kind == "message" and place.query:  # words of that message, to be marked
            self.view.mark(place.query)
        else:
            super().visit(place)
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):  # arrived from elsewhere: the keys work at once
            self.left.take_focus()
        if place.object_id is None:
            chosen = self.context.selection.conversation_id  # on another screen, perhaps
            if chosen is not None and self.view.conversation_id not in (None, chosen):
                self._want(chosen)
        elif place.kind == "message":
            self._want(None, place.object_id)
        elif place.object_id != self.view.conversation_id:
            self._want(place.object_id)

    def search(self, text: str) -> None:
        self._query = text.strip()
        if not self._query:
            self.left.show_queue(self._queue_reading)
            return
        query = self._query
        self.context.bridge.ask("conversations.search", lambda engine: read_hits(engine, query), self._on_hits)

    def _on_hits(self, reading: SearchReading) -> None:
        if reading.query == self._query:
            self.left.set_hits(reading)

    def focus_search(self) -> bool:
        """In the transcript: find there. Elsewhere: search all conversations."""
        if self.view.transcript.hasFocus():
            self.view.open_find()
            return True
        return super().focus_search()

    # -- abilities
    def shown_conversation(self) -> Conversation | None:
        reading = self.view.reading
        return reading.detail.conversation if reading is not None else None

    def abilities(self) -> frozenset[str]:
        if self.pages.currentWidget() is not self.splitter:
            return frozenset()
        able = abilities_in(self.view.reading, self.view.transcript.current_message_id())
        if self.join_targets():
            able |= {"conversation.join"}
        return able | {"conversation.next", "conversation.previous", "conversation.details"}

    def join_targets(self) -> tuple[Conversation, ...]:
        """The conversations that the one shown can be joined with, the likeliest first."""
        return join_targets(self.view.reading, self.model.conversations())

    def join(self, source_id: int, target_id: int) -> None:
        """Keeps showing the same messages after a join, and again after its undo."""
        if source_id == self.view.conversation_id:
            shown = Wanted(source_id, self.view.transcript.current_message_id())
            self._joined = Joined(shown, target_id)
            self.follow(shown)
        self.commands.merge(source_id, target_id)

    def run(self, action_id: str) -> None:
        self.acts.run(action_id)

    def follow(self, wanted: Wanted) -> None:
        """After the act that comes now, this is what is to be shown."""
        self._wanted = wanted
        self._is_jump_due = self._is_act_under_way = True

    def toggle_details(self) -> None:
        self._is_details_asked = not self.details.isVisible()
        self._arrange()

    def walk_related(self) -> None:
        """To the conversation that the shown one refers to, or that refers to it; a menu where there are several."""
        references = self.view.reading.record.references if self.view.reading is not None else ()
        if len(references) == 1:
            self.open_conversation(references[0].conversation_id)
        elif references:
            menu = QMenu(self)
            menu.setObjectName("conversations.relatedMenu")
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            for one in references:
                row = menu.addAction(reference_words(one).replace("&", "&&"))
                row.triggered.connect(partial(self.open_conversation, one.conversation_id))
            menu.popup(self.view.mapToGlobal(QPoint(24, 44)))
            menu.setActiveAction(menu.actions()[0])

    # -- slots
    def _on_settled(self, action_id: str) -> None:
        if action_id in FOLLOWED:
            self._is_act_under_way = False

    def _on_chosen(self, conversation_id: int) -> None:
        if conversation_id != self.view.conversation_id:
            self._want(conversation_id)
        self.place_changed.emit(Place("conversations", "conversation", conversation_id, self._query))

    def _on_opened_conversation(self, conversation_id: int) -> None:
        self._on_chosen(conversation_id)
        self.view.transcript.setFocus()

    def _on_hit(self, conversation_id: int, message_id: int) -> None:
        self._want(conversation_id, message_id)

    def _on_message_chosen(self, message_id: int) -> None:
        if self.view.model.message(message_id) is None:
            self.context.navigate(Place("conversations", "message", message_id))
            return
        self._wanted = Wanted(self.view.conversation_id, message_id)
        self.context.selection.select_conversation(self.view.conversation_id, message_id)
        self.place_changed.emit(Place("conversations", "message", message_id, self._query))
        self.abilities_changed.emit()

    def _on_dropped_on_conversation(self, mime: str, thing_id: int, target_id: int) -> None:
        if mime == CONVERSATION_MIME:
            self.join(thing_id, target_id)
        else:
            self.commands.take_drop(mime, thing_id, target_id)

    def _on_dropped_on_free(self, _mime: str, message_id: int) -> None:
        self.commands.split(message_id)

    def _on_scope_changed(self) -> None:
        """What another scope shows is no news."""
        self.model.expect_others()
        self.mark_dirty()

    def _on_clear_wanted(self) -> None:
        self.acts.run("conversation.clear")

    def _on_episode(self, episode_id: int) -> None:
        self.context.navigate(Place("episodes", "episode", episode_id))

    def _on_outcome_wanted(self) -> None:
        conversation = self.shown_conversation()
        if conversation is not None and conversation.state is not ConversationState.EVICTED:
            self.acts.outcome_menu(conversation, is_end=False)

    def _on_export_wanted(self, _conversation_id: int) -> None:
        self.acts.run("conversation.exportFile")  # the click has made it the shown one

    def _on_conversation_menu(self, _conversation_id: int, where: QPoint) -> None:
        self._menu(tuple(f"conversation.{name}" for name in CONVERSATION_MENU), where)

    def _on_message_menu(self, where: QPoint) -> None:
        self._menu(MESSAGE_MENU, where)

    def _menu(self, action_ids: tuple[str, ...], where: QPoint) -> None:
        self.abilities_changed.emit()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in action_ids:
            menu.addAction(self.context.actions.action(action_id))
        menu.popup(where)

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))

    # -- room
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Queue, transcript and details side by side where there is room; details take the queue's place where not."""
        em = font_px()
        is_roomy = self.width() >= WITH_DETAILS_FROM_EM * em
        is_shown = is_roomy if self._is_details_asked is None else self._is_details_asked
        self.details.setVisible(is_shown)
        self.left.setVisible(is_roomy or not is_shown)
        details_px = max(round(DETAILS_EM * em), self.details.minimumSizeHint().width())
        left_over = self.width() - (details_px if is_shown else 0)
        queue_px = min(round(QUEUE_EM * em), round(left_over * QUEUE_RATIO))
        self.left.setMinimumWidth(min(queue_px, 240))
        self.details.setMinimumWidth(details_px if is_shown else 0)
        rest = max(200, left_over - queue_px)
        self.splitter.setSizes([queue_px, rest, details_px])
