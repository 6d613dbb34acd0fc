"""Rows of the action table that the Context screen carries out.

Same columns as ui/actions/table.py. The keys of one screen do not meet those of another: only the shown panel's rows are enabled.
"""

from ui.actions.spec import ActionSpec

_MENU = "Context"
_TELLING = "Telling"
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
    ActionSpec("context.pin", "Pin or unpin", ("P",), "pin", _MENU, "Pinned memories are always given", screen=_HERE),
    ActionSpec(
        "context.exclude", "Never include", ("N",), "stop", _MENU,
        "Never give this memory, or give it again; it stays in Memories. A failure is not given until its command runs again",
        screen=_HERE,
    ),
    ActionSpec(
        "context.forget", "Forget", ("Del",), "archive", _MENU, "Put this memory out of use; it can be brought back",
        screen=_HERE,
    ),
    ActionSpec("context.live", "Back to now", ("L",), "play", _MENU,
               "Ask the same of what is remembered now; Compare says what changed since", screen=_HERE),
    ActionSpec("context.older", "Context before", ("Shift+K",), "back", _MENU, "Show the previous context",
               screen=_HERE),
    ActionSpec("context.newer", "Context after", ("Shift+J",), "forward", _MENU, "Show the next context",
               screen=_HERE),
    ActionSpec("context.compare", "Compare with the one before", ("D",), "merge", _MENU,
               "Show what was added and removed since the context before", screen=_HERE),
    ActionSpec("context.printed", "Raw output", ("B",), "terminal", _MENU, "Show the bytes for each assistant",
               screen=_HERE),
    ActionSpec("context.window", "The whole window of a model", ("V",), "monitor", _MENU,
               "Show what a model gets that is given everything at once: by parts, and as text", screen=_HERE),
    ActionSpec("context.whatIf", "What if…", ("W",), "filter", _MENU,
               "Try another file, error, prompt, activity or budget", screen=_HERE),
    ActionSpec("context.history", "Past contexts", ("H",), "clock", _MENU, "Show the contexts your assistants were given",
               screen=_HERE),
    ActionSpec("context.figures", "Tokens given", ("T",), "sort", _MENU, "Show tokens by day, kind, project and assistant",
               screen=_HERE),
    ActionSpec("context.allTiers", "All tiers", ("A",), "eye", _MENU, "Show the lines of all four tiers", screen=_HERE),
    ActionSpec("context.reset", "Reset the tiers", (), "undo", _MENU, "Give the tiers the shares of the activity again",
               screen=_HERE),
    ActionSpec(
        "context.sample", "Preview what would be sent", (), "eye", _MENU,
        "Show what would be given now, for the project of the newest conversation", screen=_HERE,
    ),
    ActionSpec("context.levelAutomatic", "In the size that fits", ("0",), "refresh", _TELLING,
               "Drop your chosen size: the best fit is given", screen=_HERE),
    ActionSpec("context.levelFull", "Give it in full", ("1",), "file", _TELLING,
               "Whenever this memory is given, give its full text", screen=_HERE),
    ActionSpec("context.levelSummary", "Give it as a summary", ("2",), "message", _TELLING,
               "Whenever this memory is given, give its summary", screen=_HERE),
    ActionSpec("context.levelCompressed", "Give it in short", ("3",), "minus", _TELLING,
               "Whenever this memory is given, give its shortest sentence", screen=_HERE),
    ActionSpec("context.levelIndex", "Give only its title line", ("4",), "key", _TELLING,
               "Whenever this memory is given, give one line by which your assistant can ask for the rest", screen=_HERE),
    ActionSpec("context.tierAutomatic", "To the tier that fits", ("Alt+0",), "refresh", _TELLING,
               "Drop your chosen place: the memory is placed where it fits best", screen=_HERE),
    ActionSpec("context.tierCritical", "Move to Critical", ("Alt+1",), "flag", _TELLING,
               "Whenever this memory is given, place it with what holds for the task", screen=_HERE),
    ActionSpec("context.tierRelevant", "Move to Relevant", ("Alt+2",), "link", _TELLING,
               "Whenever this memory is given, place it with what is related", screen=_HERE),
    ActionSpec("context.tierBackground", "Move to Background", ("Alt+3",), "folder", _TELLING,
               "Whenever this memory is given, place it with conventions and history", screen=_HERE),
    ActionSpec("context.tierIndex", "Move to Index", ("Alt+4",), "key", _TELLING,
               "Whenever this memory is given, place it with what can be asked for", screen=_HERE),
)  # fmt: skip
