"""What can be done to conversations and messages, as writes: the same from Now, Conversations, menu and drag.

Each command is one `bridge.do`: one engine call, one transaction; what came of it is heard as Changes, and the window
shows the notice with Undo. Knows no widget. Source: STYLE rule 3.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.values import Conversation, ConversationState, Intent, Outcome
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.widgets.conversations.queue_model import CONVERSATION_MIME, leaving_text

if TYPE_CHECKING:
    from app.api import Engine


class ConversationCommands:
    """Bound to a panel's context. Ids are the engine's."""

    def __init__(self, context: PanelContext) -> None:
        self._context = context
        self._do = context.bridge.do

    # -- conversations
    def rename(self, conversation_id: int, title: str) -> None:
        self._do("conversation.rename", lambda engine: engine.conversations.rename(conversation_id, title))

    def end(self, conversation_id: int, outcome: Outcome | None = None) -> None:
        self._do("conversation.end", lambda engine: engine.conversations.end(conversation_id, outcome))

    def reopen(self, conversation_id: int) -> None:
        self._do("conversation.reopen", lambda engine: engine.conversations.reopen(conversation_id))

    def clear_window(self, conversation_id: int) -> None:
        """From now on "it" there points to nothing that was said before."""
        self._do("conversation.clear", lambda engine: engine.window.clear(conversation_id=conversation_id))

    def set_outcome(self, conversation_id: int, outcome: Outcome) -> None:
        self._do("conversation.outcome", lambda engine: engine.conversations.set_outcome(conversation_id, outcome))

    def split(self, message_id: int, before: Callable[[], object] | None = None) -> None:
        """`before` is called when it is done indeed: a full queue is spoken of first."""
        self._split_with_notice(
            "message.split", message_id, lambda engine: engine.conversations.split(message_id), before
        )

    def _split_with_notice(
        self,
        action_id: str,
        message_id: int,
        act: "Callable[[Engine], object]",
        before: Callable[[], object] | None = None,
    ) -> None:
        """Splits at once where the queue has room; where it is full, what would leave is said first."""

        def split() -> None:
            if before is not None:
                before()
            self._do(action_id, act)

        def on_leaving(leaving: tuple[Conversation, ...]) -> None:
            if not leaving:
                split()
                return
            told = leaving_text(leaving)
            self._context.notify(Notice(told, NoticeKind.WARN, "Split", split, stays=True, about=f"split {message_id}"))

        self._context.bridge.ask(
            action_id, lambda engine: engine.conversations.leaving_at_split(message_id), on_leaving
        )

    def merge(self, source_id: int, target_id: int) -> None:
        self._do("conversation.join", lambda engine: engine.conversations.merge(source_id, target_id))

    def move_message(self, message_id: int, target_id: int) -> None:
        """The message and those after it go to another conversation."""
        self._do("message.split", lambda engine: engine.conversations.move(message_id, target_id))

    def clarify(self, message_id: int, *, is_new: bool) -> None:
        def answer(engine: "Engine") -> None:
            engine.conversations.clarify(message_id, is_new=is_new)

        if is_new:  # which splits, unless it is at a start already
            self._split_with_notice("clarify.new", message_id, answer)
        else:
            self._do("clarify.same", answer)

    def take_drop(self, mime: str, thing_id: int, target_id: int) -> None:
        """A conversation or a message was dropped on a conversation."""
        if mime == CONVERSATION_MIME:
            self.merge(thing_id, target_id)
        else:
            self.move_message(thing_id, target_id)

    # -- messages and references
    def correct_intents(self, message_id: int, intents: tuple[Intent, ...]) -> None:
        self._do("message.intents", lambda engine: engine.messages.correct_intents(message_id, intents))

    def correct_reference(self, reference_id: int, antecedent: str, antecedent_message_id: int | None) -> None:
        self._do(
            "reference.correct",
            lambda engine: engine.messages.correct_reference(reference_id, antecedent, antecedent_message_id),
        )

    def dismiss_reference(self, reference_id: int) -> None:
        self._do("reference.dismiss", lambda engine: engine.messages.dismiss_reference(reference_id))

    # -- events
    def retry_event(self, event_id: int) -> None:
        self._do("event.retry", lambda engine: engine.events.retry(event_id))

    def retry_aside(self) -> None:
        self._do("aside.retry", lambda engine: engine.events.retry_spooled())

    def discard_event(self, event_id: int) -> None:
        self._do("event.discard", lambda engine: engine.events.discard(event_id))

    # -- exports
    def copy_markdown(self, conversation_id: int) -> None:
        self._context.bridge.ask(
            "conversation.export", lambda engine: engine.conversations.to_markdown(conversation_id), self._on_markdown
        )

    def write_markdown(self, conversation_id: int, path: Path) -> None:
        """Writes the conversation to a file that the person chose; a read for the engine."""

        def write(engine: "Engine") -> str:
            engine.transfer.export_conversation(conversation_id, path, is_replacing=True)  # the dialog has asked
            return path.name

        self._context.bridge.ask("conversation.exportFile", write, self._on_written)

    def _on_markdown(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._context.notify(Notice("Copied the conversation as Markdown", NoticeKind.GOOD))

    def _on_written(self, name: str) -> None:
        self._context.notify(Notice(f"Wrote {name}", NoticeKind.GOOD))


def abilities_for(conversation: Conversation | None) -> frozenset[str]:
    """Ids of the conversation actions that fit its state."""
    if conversation is None:
        return frozenset()
    if conversation.state is ConversationState.EVICTED:
        return frozenset({"conversation.open", "conversation.graph"})
    base = {"conversation.open", "conversation.rename", "conversation.outcome", "conversation.export"}
    base |= {"conversation.exportFile", "conversation.graph"}
    base.add("conversation.reopen" if conversation.state is ConversationState.ENDED else "conversation.end")
    return frozenset(base)
