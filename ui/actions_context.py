"""Rows of the action table that the Context screen carries out.

Same columns as ui/actions.py. The keys of one screen do not meet those of another: only the shown panel's rows are enabled.
"""

from ui.action_spec import ActionSpec

_MENU = "Context"
_HERE = "context"

CONTEXT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "context.copy", "Copy what it reads", ("Ctrl+Shift+T",), "copy", _MENU,
        "Copy the text that the assistant gets, to the byte", screen=_HERE,
    ),
    ActionSpec("context.next", "Next line", ("J",), "chevron-down", _MENU, "Select the next line", screen=_HERE),
    ActionSpec("context.previous", "Line before", ("K",), "chevron-up", _MENU, "Select the line before", screen=_HERE),
    ActionSpec("context.open", "Open in Memories", ("O",), "memories", _MENU, "Show the memory behind this line (Enter)",
               screen=_HERE),
    ActionSpec("context.pin", "Pin or unpin", ("P",), "pin", _MENU, "Pinned memories are always told", screen=_HERE),
    ActionSpec(
        "context.exclude", "Not this one", ("N",), "archive", _MENU,
        "Put this memory out of use; it can be brought back", screen=_HERE,
    ),
    ActionSpec("context.live", "Back to now", ("L",), "play", _MENU,
               "Leave the moment that is shown and compute the context anew", screen=_HERE),
    ActionSpec("context.older", "Context before", ("Shift+K",), "back", _MENU, "Show the context that was told before",
               screen=_HERE),
    ActionSpec("context.newer", "Context after", ("Shift+J",), "forward", _MENU, "Show the context that was told after",
               screen=_HERE),
    ActionSpec("context.compare", "Compare with the one before", ("D",), "merge", _MENU,
               "Show what is told now and was not, and the other way round", screen=_HERE),
    ActionSpec("context.printed", "What the hook prints", ("B",), "terminal", _MENU, "Show the bytes for each assistant",
               screen=_HERE),
    ActionSpec("context.whatIf", "What if…", ("W",), "filter", _MENU,
               "Try another file, error, prompt, activity or budget", screen=_HERE),
    ActionSpec("context.history", "What was told", ("H",), "clock", _MENU, "Show the contexts that were handed out",
               screen=_HERE),
    ActionSpec("context.figures", "Tokens told", ("T",), "sort", _MENU, "Show tokens by day, kind, project and assistant",
               screen=_HERE),
    ActionSpec("context.allTiers", "All tiers", ("A",), "eye", _MENU, "Show the lines of all four tiers", screen=_HERE),
    ActionSpec("context.reset", "Reset the tiers", (), "undo", _MENU, "Give the tiers the shares of the activity again",
               screen=_HERE),
    ActionSpec(
        "context.sample", "Preview with sample signals", (), "eye", _MENU,
        "Show what would be told now, for the project of the newest conversation", screen=_HERE,
    ),
)  # fmt: skip
