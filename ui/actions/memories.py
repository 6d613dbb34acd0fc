"""Rows of the action table that the Memories screen carries out, and "New memory", which works everywhere.

Same columns as ui/actions/table.py. The keys of one screen do not meet those of another: only the shown panel's rows are enabled.
"""

from ui.actions.spec import ActionSpec, is_open

_MENU = "Memory"
_HERE = "memories"

MEMORY_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "memory.new", "New memory…", ("Ctrl+N",), "plus", _MENU, "Write down what should be remembered",
        is_open, lambda shell: shell.new_memory(),
    ),
    ActionSpec(
        "memory.review", "Review", (), "inbox", _MENU,
        "One by one: accept, change or reject what waits for you", is_open, lambda shell: shell.review_memories(),
    ),
    ActionSpec(
        "memory.tray", "Tray", ("Ctrl+B",), "tray", _MENU, "Show what was put aside, or go back", is_open,
        lambda shell: shell.toggle_tray(),
    ),
    ActionSpec("memory.open", "Open", (), "rename", _MENU, "Go into the selected memory", screen=_HERE,
               list_keys=("Return",)),
    ActionSpec("memory.peek", "Look at it", (), "eye", _MENU, "Show the selected memory large, to read",
               screen=_HERE, list_keys=("Space",)),
    ActionSpec("memory.next", "Next", ("J",), "chevron-down", _MENU, "Select the next memory", screen=_HERE),
    ActionSpec("memory.previous", "Previous", ("K",), "chevron-up", _MENU, "Select the memory before", screen=_HERE),
    ActionSpec("memory.edit", "Edit text", ("E",), "rename", _MENU, "Change what it says, in place", screen=_HERE),
    ActionSpec("memory.accept", "Accept", ("A",), "check", _MENU, "Keep it, and let it be given", screen=_HERE),
    ActionSpec("memory.reject", "Reject", ("R",), "close", _MENU, "Put it away; it can be brought back", screen=_HERE),
    ActionSpec(
        "memory.always", "Always accept like this…", ("Shift+A",), "check", _MENU,
        "Make a rule that accepts such statements at once", screen=_HERE,
    ),
    ActionSpec(
        "memory.never", "Never learn like this…", ("Shift+R",), "stop", _MENU,
        "Make a rule that leaves such statements out", screen=_HERE,
    ),
    ActionSpec(
        "memory.pin", "Pin or unpin", ("P",), "pin", _MENU, "Pinned memories are always given", screen=_HERE
    ),
    ActionSpec("memory.tag", "Tag…", ("T",), "tag", _MENU, "Add tags or take them off", screen=_HERE),
    ActionSpec("memory.scope", "Project and sharing…", ("Shift+T",), "folder", _MENU,
               "Choose which project it belongs to and where it may be given", screen=_HERE),
    ActionSpec("memory.withhold", "Never give, or give again", ("N",), "stop", _MENU,
               "Assistants are never given it; you still find it", screen=_HERE),
    ActionSpec("memory.merge", "Merge…", ("M",), "merge", _MENU, "Make one of the selected memories", screen=_HERE),
    ActionSpec("memory.export", "Export…", ("Ctrl+Shift+E",), "export", _MENU,
               "Write it to a file, to read or to read back", screen=_HERE),
    ActionSpec(
        "memory.archive", "Archive", ("Del",), "archive", _MENU, "Put it out of use; it can be brought back",
        screen=_HERE,
    ),
    ActionSpec(
        "memory.unarchive", "Bring back", ("U",), "undo", _MENU, "Put an archived memory into use again", screen=_HERE
    ),
    ActionSpec(
        "memory.erase", "Erase for good…", ("Shift+Del",), "trash", _MENU,
        "Overwrite it everywhere; this cannot be undone", screen=_HERE,
    ),
    ActionSpec("memory.mark", "Select or unselect", ("X",), "check", _MENU, "Mark it, to act on several at once", screen=_HERE),
    ActionSpec(
        "memory.markAll", "Select all", ("Ctrl+A",), "check", _MENU, "Mark all that the list shows", screen=_HERE
    ),
    ActionSpec("memory.toTray", "Add to the tray", ("B",), "tray", _MENU,
               "Put it in the tray, to act on everything there at once", screen=_HERE),
    ActionSpec("memory.fromTray", "Take out of the tray", ("Shift+B",), "minus", _MENU,
               "The selected memory was taken out of the tray", screen=_HERE),
    ActionSpec("memory.emptyTray", "Empty the tray", (), "close", _MENU, "The tray is empty",
               screen=_HERE),
    ActionSpec("memory.source", "Show where it was said", ("C",), "conversations", _MENU, "Open the message",
               screen=_HERE),
    ActionSpec("memory.graph", "Show in the graph", ("G",), "graph", _MENU, "Show what it is linked with",
               screen=_HERE),
    ActionSpec("memory.useWords", "Use my words instead", ("W",), "message", _MENU,
               "Use your own words instead of the model's wording", screen=_HERE),
    ActionSpec("memory.copy", "Copy text", ("Ctrl+C",), "copy", _MENU, "Copy what it says", screen=_HERE),
    ActionSpec(
        "memory.link", "Link to another memory…", ("L",), "link", _MENU, "Say how two memories belong together",
        screen=_HERE,
    ),
    ActionSpec("memory.inbox", "All or inbox", ("I",), "inbox", _MENU, "Change between all memories and the inbox",
               screen=_HERE),
    ActionSpec(
        "memory.rules", "Review rules…", (), "shield", _MENU, "Show and remove the rules made in the inbox",
        screen=_HERE,
    ),
    ActionSpec("memory.table", "Dense table or cards", ("Ctrl+Shift+T",), "queue", _MENU,
               "One line for each memory, with columns", screen=_HERE),
    ActionSpec("memory.look", "Groups and columns…", ("Shift+G",), "sort", _MENU,
               "Group the list, choose the columns of the table", screen=_HERE),
    ActionSpec("memory.saveSearch", "Save this search…", ("Ctrl+S",), "search", _MENU,
               "Keep words, filters, order and groups under a name", screen=_HERE),
    ActionSpec("memory.filters", "Filters", ("F",), "filter", _MENU, "Show or hide the filter pane", screen=_HERE),
    ActionSpec("memory.details", "Inspector", ("Ctrl+I",), "info", _MENU, "Show or hide the selected memory's details",
               screen=_HERE),
)  # fmt: skip
