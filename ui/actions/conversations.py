"""Rows of the action table that the Now and Conversations screens carry out.

Same columns as ui/actions/table.py; `run` stays empty because the shown panel runs them (`Panel.abilities`, `Panel.run`).
Enter is not a shortcut here: lists and text fields handle it themselves.
"""

from ui.actions.spec import ActionSpec

_MENU = "Conversation"
_THERE = "conversations"

CONVERSATION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("conversation.open", "Open", (), "conversations", _MENU, "Open the selected conversation (Enter)"),
    ActionSpec("conversation.next", "Next", ("J",), "chevron-down", _MENU, "Select the next one"),
    ActionSpec("conversation.previous", "Previous", ("K",), "chevron-up", _MENU, "Select the one before"),
    ActionSpec("conversation.rename", "Rename…", ("F2", "E"), "rename", _MENU, "Give the conversation another title"),
    ActionSpec("conversation.end", "End conversation…", ("Shift+E",), "check", _MENU, "Say that it is over, and how"),
    ActionSpec("conversation.outcome", "Set outcome…", ("O",), "flag", _MENU, "Say what came of the conversation"),
    ActionSpec("conversation.reopen", "Reopen", ("Shift+R",), "refresh", _MENU, "Resume the conversation"),
    ActionSpec("message.split", "Split here", ("S",), "split", _MENU, "Let this message start a new conversation"),
    ActionSpec(
        "conversation.join", "Join with previous", ("Shift+S",), "merge", _MENU, "Make one of this and the earlier one"
    ),
    ActionSpec(
        "conversation.clear",
        "Clear what “it” may point to",
        ("Shift+C",),
        "stop",
        _MENU,
        "References in the next message look no further back; no message is deleted",
        screen=_THERE,
    ),
    ActionSpec(
        "conversation.related",
        "Go to the conversation that it refers to",
        ("T",),
        "link",
        _MENU,
        "What it continues or mentions, and what does so with it; Alt+Left comes back",
        screen=_THERE,
    ),
    ActionSpec(
        "conversation.graph",
        "Show in the graph",
        ("G",),
        "graph",
        _MENU,
        "Show what it is linked with",
        screen=_THERE,
    ),
    ActionSpec(
        "conversation.exportFile",
        "Export as Markdown…",
        ("Ctrl+E",),
        "export",
        _MENU,
        "Write the conversation to a file",
    ),
    ActionSpec("conversation.export", "Copy as Markdown", (), "copy", _MENU, "Copy the whole conversation as Markdown"),
    ActionSpec(
        "conversation.details",
        "Details",
        ("Ctrl+I",),
        "info",
        _MENU,
        "Show or hide what is known about it",
        screen=_THERE,
    ),
    ActionSpec(
        "message.find",
        "Find in this conversation",
        ("Ctrl+Shift+F",),
        "search",
        _MENU,
        "Search in its text",
        screen=_THERE,
    ),
    ActionSpec(
        "message.intents", "Correct intents…", ("I",), "tag", _MENU, "Say what this message wants", screen=_THERE
    ),
    ActionSpec(
        "message.read",
        "Show what “it” stands for",
        ("R",),
        "eye",
        _MENU,
        "Put the references into the text",
        screen=_THERE,
    ),
    ActionSpec(
        "message.memories",
        "Show what was learned from it",
        ("M",),
        "memories",
        _MENU,
        "Go to the memories that this message taught",
        screen=_THERE,
    ),
    ActionSpec(
        "message.readAll", "Show all as they were read", ("Ctrl+R",), "eye", _MENU, "For every message", screen=_THERE
    ),
    ActionSpec("message.copy", "Copy message", ("Ctrl+C",), "copy", _MENU, "Copy the message's text", screen=_THERE),
    ActionSpec(
        "reference.next",
        "Next reference",
        ("N",),
        "link",
        _MENU,
        "Go to the next “it”, “that” or “the …”",
        screen=_THERE,
    ),
    ActionSpec(
        "reference.previous", "Previous reference", ("P",), "link", _MENU, "Go to the reference before", screen=_THERE
    ),
    ActionSpec("clarify.same", "It continues", (), "link", _MENU, "Answer: this message belongs to the earlier topic"),
    ActionSpec("clarify.new", "It is new", (), "plus", _MENU, "Answer: this message starts a new topic"),
)
