"""Carries out the rows of the action table on the Conversations screen: on the shown conversation or message.

Knows the panel's parts and its commands; what is to be shown afterwards it leaves to the panel. Source: UX 4.3.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint

from app.values import Conversation
from ui.navigation import Place
from ui.screens.conversations.reading import Wanted
from ui.widgets.conversations.outcome_menu import OutcomeMenu
from ui.widgets.popups.export_dialog import open_export_dialog

if TYPE_CHECKING:
    from ui.screens.conversations.panel import ConversationsPanel


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
                target = self._panel.join_target()
                if target is not None:
                    self._panel.follow(Wanted(conversation.id, self._panel.view.transcript.current_message_id()))
                    self._panel.commands.merge(conversation.id, target)

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

    def _on_file_chosen(self, path: str) -> None:
        if self._panel.view.conversation_id is not None and path:
            self._panel.commands.write_markdown(self._panel.view.conversation_id, Path(path))
