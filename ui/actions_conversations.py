"""Rows of the action table that the Now and Conversations screens carry out.

Same columns as ui/actions.py; `run` stays empty because the shown panel runs them (`Panel.abilities`, `Panel.run`).
"""

from ui.action_spec import ActionSpec

_MENU = "Conversation"

CONVERSATION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("conversation.open", "Open", ("Return",), "conversations", _MENU, "Open the selected conversation"),
    ActionSpec("conversation.next", "Next", ("J",), "chevron-down", _MENU, "Select the next one"),
    ActionSpec("conversation.previous", "Previous", ("K",), "chevron-up", _MENU, "Select the one before"),
    ActionSpec("conversation.rename", "Rename…", ("F2",), "rename", _MENU, "Give the conversation another title"),
    ActionSpec("conversation.end", "End conversation", ("E",), "check", _MENU, "Say that this conversation is over"),
    ActionSpec("conversation.reopen", "Reopen", ("Shift+E",), "refresh", _MENU, "Take the conversation up again"),
    ActionSpec("message.split", "Split here", ("S",), "split", _MENU, "Let this message start a new conversation"),
    ActionSpec(
        "conversation.join", "Join with previous", ("Shift+S",), "merge", _MENU, "Make one of this and the earlier one"
    ),
    ActionSpec("conversation.export", "Copy as Markdown", (), "copy", _MENU, "Copy the whole conversation as Markdown"),
    ActionSpec("clarify.same", "It continues", (), "link", _MENU, "Answer: this message belongs to the earlier topic"),
    ActionSpec("clarify.new", "It is new", (), "plus", _MENU, "Answer: this message starts a new topic"),
)
