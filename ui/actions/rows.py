"""Rows of the action table that one screen carries out, a table a screen; some rows work everywhere.

Same columns as ui/actions/table.py. The keys of one screen do not meet those of another: only the shown panel's rows are enabled.
"""

from ui.actions.spec import ActionSpec, Situation, is_open

_MEMORY_MENU = "Memory"
_ON_MEMORIES = "memories"

MEMORY_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "memory.new", "New memory…", ("Ctrl+N",), "plus", _MEMORY_MENU, "Write down what should be remembered",
        is_open, lambda shell: shell.new_memory(),
    ),
    ActionSpec(
        "memory.review", "Review", (), "inbox", _MEMORY_MENU,
        "One by one: accept, change or reject what waits for you", is_open, lambda shell: shell.review_memories(),
    ),
    ActionSpec(
        "memory.tray", "Tray", ("Ctrl+B",), "tray", _MEMORY_MENU, "Show what was put aside, or go back", is_open,
        lambda shell: shell.toggle_tray(),
    ),
    ActionSpec("memory.open", "Open", (), "rename", _MEMORY_MENU, "Go into the selected memory", screen=_ON_MEMORIES,
               list_keys=("Return",)),
    ActionSpec("memory.peek", "Look at it", (), "eye", _MEMORY_MENU, "Show the selected memory large, to read",
               screen=_ON_MEMORIES, list_keys=("Space",)),
    ActionSpec("memory.next", "Next", ("J",), "chevron-down", _MEMORY_MENU, "Select the next memory", screen=_ON_MEMORIES),
    ActionSpec("memory.previous", "Previous", ("K",), "chevron-up", _MEMORY_MENU, "Select the memory before", screen=_ON_MEMORIES),
    ActionSpec("memory.edit", "Edit text", ("E",), "rename", _MEMORY_MENU, "Change what it says, in place", screen=_ON_MEMORIES),
    ActionSpec("memory.accept", "Accept", ("A",), "check", _MEMORY_MENU, "Keep it, and let it be given", screen=_ON_MEMORIES),
    ActionSpec("memory.reject", "Reject", ("R",), "close", _MEMORY_MENU, "Put it away; it can be brought back", screen=_ON_MEMORIES),
    ActionSpec(
        "memory.always", "Always accept like this…", ("Shift+A",), "check", _MEMORY_MENU,
        "Make a rule that accepts such statements at once", screen=_ON_MEMORIES,
    ),
    ActionSpec(
        "memory.never", "Never learn like this…", ("Shift+R",), "stop", _MEMORY_MENU,
        "Make a rule that leaves such statements out", screen=_ON_MEMORIES,
    ),
    ActionSpec(
        "memory.pin", "Pin or unpin", ("P",), "pin", _MEMORY_MENU, "Pinned memories are always given", screen=_ON_MEMORIES
    ),
    ActionSpec("memory.tag", "Tag…", ("T",), "tag", _MEMORY_MENU, "Add tags or take them off", screen=_ON_MEMORIES),
    ActionSpec("memory.scope", "Project and sharing…", ("Shift+T",), "folder", _MEMORY_MENU,
               "Choose which project it belongs to and where it may be given", screen=_ON_MEMORIES),
    ActionSpec("memory.withhold", "Never give, or give again", ("N",), "stop", _MEMORY_MENU,
               "Assistants are never given it; you still find it", screen=_ON_MEMORIES),
    ActionSpec("memory.merge", "Merge…", ("M",), "merge", _MEMORY_MENU, "Make one of the selected memories", screen=_ON_MEMORIES),
    ActionSpec("memory.export", "Export…", ("Ctrl+Shift+E",), "export", _MEMORY_MENU,
               "Write it to a file, to read or to read back", screen=_ON_MEMORIES),
    ActionSpec(
        "memory.archive", "Archive", ("Del",), "archive", _MEMORY_MENU, "Put it out of use; it can be brought back",
        screen=_ON_MEMORIES,
    ),
    ActionSpec(
        "memory.unarchive", "Bring back", ("U",), "undo", _MEMORY_MENU, "Put an archived memory into use again", screen=_ON_MEMORIES
    ),
    ActionSpec(
        "memory.erase", "Erase for good…", ("Shift+Del",), "trash", _MEMORY_MENU,
        "Overwrite it everywhere; this cannot be undone", screen=_ON_MEMORIES,
    ),
    ActionSpec("memory.mark", "Select or unselect", ("X",), "check", _MEMORY_MENU, "Mark it, to act on several at once", screen=_ON_MEMORIES),
    ActionSpec(
        "memory.markAll", "Select all", ("Ctrl+A",), "check", _MEMORY_MENU, "Mark all that the list shows", screen=_ON_MEMORIES
    ),
    ActionSpec("memory.toTray", "Add to the tray", ("B",), "tray", _MEMORY_MENU,
               "Put it in the tray, to act on everything there at once", screen=_ON_MEMORIES),
    ActionSpec("memory.fromTray", "Take out of the tray", ("Shift+B",), "minus", _MEMORY_MENU,
               "The selected memory was taken out of the tray", screen=_ON_MEMORIES),
    ActionSpec("memory.emptyTray", "Empty the tray", (), "close", _MEMORY_MENU, "The tray is empty",
               screen=_ON_MEMORIES),
    ActionSpec("memory.source", "Show where it was said", ("C",), "conversations", _MEMORY_MENU, "Open the message",
               screen=_ON_MEMORIES),
    ActionSpec("memory.graph", "Show in the graph", ("G",), "graph", _MEMORY_MENU, "Show what it is linked with",
               screen=_ON_MEMORIES),
    ActionSpec("memory.useWords", "Use my words instead", ("W",), "message", _MEMORY_MENU,
               "Use your own words instead of the model's wording", screen=_ON_MEMORIES),
    ActionSpec("memory.copy", "Copy text", ("Ctrl+C",), "copy", _MEMORY_MENU, "Copy what it says", screen=_ON_MEMORIES),
    ActionSpec(
        "memory.link", "Link to another memory…", ("L",), "link", _MEMORY_MENU, "Say how two memories belong together",
        screen=_ON_MEMORIES,
    ),
    ActionSpec("memory.inbox", "All or inbox", ("I",), "inbox", _MEMORY_MENU, "Change between all memories and the inbox",
               screen=_ON_MEMORIES),
    ActionSpec(
        "memory.rules", "Review rules…", (), "shield", _MEMORY_MENU, "Show and remove the rules made in the inbox",
        screen=_ON_MEMORIES,
    ),
    ActionSpec("memory.table", "Dense table or cards", ("Ctrl+Shift+T",), "queue", _MEMORY_MENU,
               "One line for each memory, with columns", screen=_ON_MEMORIES),
    ActionSpec("memory.look", "Groups and columns…", ("Shift+G",), "sort", _MEMORY_MENU,
               "Group the list, choose the columns of the table", screen=_ON_MEMORIES),
    ActionSpec("memory.saveSearch", "Save this search…", ("Ctrl+S",), "search", _MEMORY_MENU,
               "Keep words, filters, order and groups under a name", screen=_ON_MEMORIES),
    ActionSpec("memory.filters", "Filters", ("F",), "filter", _MEMORY_MENU, "Show or hide the filter pane", screen=_ON_MEMORIES),
    ActionSpec("memory.details", "Inspector", ("Ctrl+I",), "info", _MEMORY_MENU, "Show or hide the selected memory's details",
               screen=_ON_MEMORIES),
)  # fmt: skip


_CONVERSATIONS_MENU = "Conversation"
_ON_CONVERSATIONS = "conversations"

CONVERSATION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "conversation.open", "Open", (), "conversations", _CONVERSATIONS_MENU, "Open the selected conversation (Enter)"
    ),
    ActionSpec("conversation.next", "Next", ("J",), "chevron-down", _CONVERSATIONS_MENU, "Select the next one"),
    ActionSpec("conversation.previous", "Previous", ("K",), "chevron-up", _CONVERSATIONS_MENU, "Select the one before"),
    ActionSpec(
        "conversation.rename",
        "Rename…",
        ("F2", "E"),
        "rename",
        _CONVERSATIONS_MENU,
        "Give the conversation another title",
    ),
    ActionSpec(
        "conversation.end",
        "End conversation…",
        ("Shift+E",),
        "check",
        _CONVERSATIONS_MENU,
        "Say that it is over, and how",
    ),
    ActionSpec(
        "conversation.outcome", "Set outcome…", ("O",), "flag", _CONVERSATIONS_MENU, "Say what came of the conversation"
    ),
    ActionSpec(
        "conversation.reopen", "Reopen", ("Shift+R",), "refresh", _CONVERSATIONS_MENU, "Resume the conversation"
    ),
    ActionSpec(
        "message.split", "Split here", ("S",), "split", _CONVERSATIONS_MENU, "Let this message start a new conversation"
    ),
    ActionSpec(
        "conversation.join",
        "Join with previous",
        ("Shift+S",),
        "merge",
        _CONVERSATIONS_MENU,
        "Make one of this and the earlier one",
    ),
    ActionSpec(
        "conversation.clear",
        "Clear what “it” may point to",
        ("Shift+C",),
        "stop",
        _CONVERSATIONS_MENU,
        "References in the next message look no further back; no message is deleted",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "conversation.related",
        "Go to the conversation that it refers to",
        ("T",),
        "link",
        _CONVERSATIONS_MENU,
        "What it continues or mentions, and what does so with it; Alt+Left comes back",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "conversation.graph",
        "Show in the graph",
        ("G",),
        "graph",
        _CONVERSATIONS_MENU,
        "Show what it is linked with",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "conversation.exportFile",
        "Export as Markdown…",
        ("Ctrl+E",),
        "export",
        _CONVERSATIONS_MENU,
        "Write the conversation to a file",
    ),
    ActionSpec(
        "conversation.export",
        "Copy as Markdown",
        (),
        "copy",
        _CONVERSATIONS_MENU,
        "Copy the whole conversation as Markdown",
    ),
    ActionSpec(
        "conversation.details",
        "Details",
        ("Ctrl+I",),
        "info",
        _CONVERSATIONS_MENU,
        "Show or hide what is known about it",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.find",
        "Find in this conversation",
        ("Ctrl+Shift+F",),
        "search",
        _CONVERSATIONS_MENU,
        "Search in its text",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.intents",
        "Correct intents…",
        ("I",),
        "tag",
        _CONVERSATIONS_MENU,
        "Say what this message wants",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.read",
        "Show what “it” stands for",
        ("R",),
        "eye",
        _CONVERSATIONS_MENU,
        "Put the references into the text",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.memories",
        "Show what was learned from it",
        ("M",),
        "memories",
        _CONVERSATIONS_MENU,
        "Go to the memories that this message taught",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.readAll",
        "Show all as they were read",
        ("Ctrl+R",),
        "eye",
        _CONVERSATIONS_MENU,
        "For every message",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "message.copy",
        "Copy message",
        ("Ctrl+C",),
        "copy",
        _CONVERSATIONS_MENU,
        "Copy the message's text",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "reference.next",
        "Next reference",
        ("N",),
        "link",
        _CONVERSATIONS_MENU,
        "Go to the next “it”, “that” or “the …”",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "reference.previous",
        "Previous reference",
        ("P",),
        "link",
        _CONVERSATIONS_MENU,
        "Go to the reference before",
        screen=_ON_CONVERSATIONS,
    ),
    ActionSpec(
        "clarify.same",
        "It continues",
        (),
        "link",
        _CONVERSATIONS_MENU,
        "Answer: this message belongs to the earlier topic",
    ),
    ActionSpec("clarify.new", "It is new", (), "plus", _CONVERSATIONS_MENU, "Answer: this message starts a new topic"),
)


_CONTEXT_MENU = "Context"
_TELLING = "Telling"
_ON_CONTEXT = "context"

CONTEXT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "context.copy", "Copy what it reads", ("Ctrl+Shift+T",), "copy", _CONTEXT_MENU,
        "Copy the text that the assistant gets, to the byte", screen=_ON_CONTEXT,
    ),
    ActionSpec("context.next", "Next line", ("J",), "chevron-down", _CONTEXT_MENU, "Select the next line", screen=_ON_CONTEXT),
    ActionSpec("context.previous", "Line before", ("K",), "chevron-up", _CONTEXT_MENU, "Select the line before", screen=_ON_CONTEXT),
    ActionSpec("context.open", "Open in Memories", ("O",), "memories", _CONTEXT_MENU, "Show the memory behind this line (Enter)",
               screen=_ON_CONTEXT),
    ActionSpec("context.pin", "Pin or unpin", ("P",), "pin", _CONTEXT_MENU, "Pinned memories are always given", screen=_ON_CONTEXT),
    ActionSpec(
        "context.exclude", "Never include", ("N",), "stop", _CONTEXT_MENU,
        "Never give this memory, or give it again; it stays in Memories. A failure is not given until its command runs again",
        screen=_ON_CONTEXT,
    ),
    ActionSpec(
        "context.forget", "Forget", ("Del",), "archive", _CONTEXT_MENU, "Put this memory out of use; it can be brought back",
        screen=_ON_CONTEXT,
    ),
    ActionSpec("context.live", "Back to now", ("L",), "play", _CONTEXT_MENU,
               "Ask the same of what is remembered now; Compare says what changed since", screen=_ON_CONTEXT),
    ActionSpec("context.older", "Context before", ("Shift+K",), "back", _CONTEXT_MENU, "Show the previous context",
               screen=_ON_CONTEXT),
    ActionSpec("context.newer", "Context after", ("Shift+J",), "forward", _CONTEXT_MENU, "Show the next context",
               screen=_ON_CONTEXT),
    ActionSpec("context.compare", "Compare with the one before", ("D",), "merge", _CONTEXT_MENU,
               "Show what was added and removed since the context before", screen=_ON_CONTEXT),
    ActionSpec("context.printed", "Raw output", ("B",), "terminal", _CONTEXT_MENU, "Show the bytes for each assistant",
               screen=_ON_CONTEXT),
    ActionSpec("context.window", "The whole window of a model", ("V",), "monitor", _CONTEXT_MENU,
               "Show what a model gets that is given everything at once: by parts, and as text", screen=_ON_CONTEXT),
    ActionSpec("context.whatIf", "What if…", ("W",), "filter", _CONTEXT_MENU,
               "Try another file, error, prompt, activity or budget", screen=_ON_CONTEXT),
    ActionSpec("context.history", "Past contexts", ("H",), "clock", _CONTEXT_MENU, "Show the contexts your assistants were given",
               screen=_ON_CONTEXT),
    ActionSpec("context.figures", "Tokens given", ("T",), "sort", _CONTEXT_MENU, "Show tokens by day, kind, project and assistant",
               screen=_ON_CONTEXT),
    ActionSpec("context.allTiers", "All tiers", ("A",), "eye", _CONTEXT_MENU, "Show the lines of all four tiers", screen=_ON_CONTEXT),
    ActionSpec("context.reset", "Reset the tiers", (), "undo", _CONTEXT_MENU, "Give the tiers the shares of the activity again",
               screen=_ON_CONTEXT),
    ActionSpec(
        "context.sample", "Preview what would be sent", (), "eye", _CONTEXT_MENU,
        "Show what would be given now, for the project of the newest conversation", screen=_ON_CONTEXT,
    ),
    ActionSpec("context.levelAutomatic", "In the size that fits", ("0",), "refresh", _TELLING,
               "Drop your chosen size: the best fit is given", screen=_ON_CONTEXT),
    ActionSpec("context.levelFull", "Give it in full", ("1",), "file", _TELLING,
               "Whenever this memory is given, give its full text", screen=_ON_CONTEXT),
    ActionSpec("context.levelSummary", "Give it as a summary", ("2",), "message", _TELLING,
               "Whenever this memory is given, give its summary", screen=_ON_CONTEXT),
    ActionSpec("context.levelCompressed", "Give it in short", ("3",), "minus", _TELLING,
               "Whenever this memory is given, give its shortest sentence", screen=_ON_CONTEXT),
    ActionSpec("context.levelIndex", "Give only its title line", ("4",), "key", _TELLING,
               "Whenever this memory is given, give one line by which your assistant can ask for the rest", screen=_ON_CONTEXT),
    ActionSpec("context.tierAutomatic", "To the tier that fits", ("Alt+0",), "refresh", _TELLING,
               "Drop your chosen place: the memory is placed where it fits best", screen=_ON_CONTEXT),
    ActionSpec("context.tierCritical", "Move to Critical", ("Alt+1",), "flag", _TELLING,
               "Whenever this memory is given, place it with what holds for the task", screen=_ON_CONTEXT),
    ActionSpec("context.tierRelevant", "Move to Relevant", ("Alt+2",), "link", _TELLING,
               "Whenever this memory is given, place it with what is related", screen=_ON_CONTEXT),
    ActionSpec("context.tierBackground", "Move to Background", ("Alt+3",), "folder", _TELLING,
               "Whenever this memory is given, place it with conventions and history", screen=_ON_CONTEXT),
    ActionSpec("context.tierIndex", "Move to Index", ("Alt+4",), "key", _TELLING,
               "Whenever this memory is given, place it with what can be asked for", screen=_ON_CONTEXT),
)  # fmt: skip


_GRAPH_MENU = "Graph"
_ON_GRAPH = "graph"

GRAPH_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("graph.open", "Open it", (), "eye", _GRAPH_MENU, "Open the selected thing on its own screen", screen=_ON_GRAPH,
               list_keys=("Return",)),
    ActionSpec("graph.edit", "Edit here", ("Shift+E",), "rename", _GRAPH_MENU,
               "Edit the selected memory, or the title of the conversation", screen=_ON_GRAPH),
    ActionSpec("graph.focus", "Focus on it", ("F",), "search", _GRAPH_MENU, "Make the selected thing the middle of the picture",
               screen=_ON_GRAPH),
    ActionSpec("graph.more", "Show more of it", ("N",), "plus", _GRAPH_MENU,
               "Bring more of what the selected thing is linked to, or of what is in the open group, into the picture", screen=_ON_GRAPH),
    ActionSpec("graph.resolve", "Choose which one holds", ("R",), "split", _GRAPH_MENU,
               "Open the contradiction of the selected memory", screen=_ON_GRAPH),
    ActionSpec("graph.deeper", "One ring more", ("+", "="), "plus", _GRAPH_MENU, "Show what is one link further away",
               screen=_ON_GRAPH),
    ActionSpec("graph.nearer", "One ring less", ("-",), "minus", _GRAPH_MENU, "Show only what is nearer", screen=_ON_GRAPH),
    ActionSpec("graph.fit", "Whole picture", ("0",), "monitor", _GRAPH_MENU, "Bring the whole picture into sight",
               screen=_ON_GRAPH),
    ActionSpec("graph.start", "What matters now", ("Home",), "now", _GRAPH_MENU,
               "Begin again with the active conversation", screen=_ON_GRAPH),
    ActionSpec("graph.arrange", "Rearrange", ("Shift+F",), "refresh", _GRAPH_MENU, "Lay the picture out from the beginning",
               screen=_ON_GRAPH),
    ActionSpec("graph.path", "Path between two", ("Shift+G",), "link", _GRAPH_MENU,
               "Say how the selected thing is linked with the one chosen with Ctrl and a click", screen=_ON_GRAPH),
    ActionSpec("graph.second", "Choose as the other end", ("X",), "check", _GRAPH_MENU,
               "The selected thing is one end of a path; select the other end next", screen=_ON_GRAPH),
    ActionSpec("graph.link", "Link the two…", ("Shift+L",), "link", _GRAPH_MENU,
               "Draw a link from the thing chosen with X to the selected one", screen=_ON_GRAPH),
    ActionSpec("graph.accept_link", "It holds", ("Shift+A",), "check", _GRAPH_MENU,
               "Accept the link of the current row: it is yours from now on", screen=_ON_GRAPH),
    ActionSpec("graph.reject_link", "It does not hold", ("Shift+R",), "close", _GRAPH_MENU,
               "Reject the link of the current row: it is shown no more and never proposed again", screen=_ON_GRAPH),
    ActionSpec("graph.map", "Map of everything", ("M",), "graph", _GRAPH_MENU,
               "Show all of the project as groups of what belongs together, or go back to the part you were at", screen=_ON_GRAPH),
    ActionSpec("graph.fold", "Open or fold the group", ("O",), "split", _GRAPH_MENU,
               "Show what is in the selected group of the map, or fold it into one", screen=_ON_GRAPH),
    ActionSpec("graph.open_all", "Open all groups", ("Shift+O",), "plus", _GRAPH_MENU,
               "Show everything that the map holds, or fold it again", screen=_ON_GRAPH),
    ActionSpec("graph.names", "Names that may be one…", ("Shift+N",), "merge", _GRAPH_MENU,
               "Review names that may mean the same thing, and merge them or keep them apart", screen=_ON_GRAPH),
    ActionSpec("graph.unpin", "Let it move", ("P",), "pin", _GRAPH_MENU,
               "The selected thing goes where the picture puts it again", screen=_ON_GRAPH),
    ActionSpec("graph.rebuild", "Rebuild the graph", (), "refresh", _GRAPH_MENU,
               "Find links, groups and places of the map from the beginning; what you drew, judged, merged or placed stays",
               screen=_ON_GRAPH),
    ActionSpec("graph.export", "Export…", ("Ctrl+E",), "export", _GRAPH_MENU,
               "Write what is seen as a picture, or for other tools that read graphs", screen=_ON_GRAPH),
    ActionSpec("graph.copy", "Copy the picture", ("Ctrl+C",), "copy", _GRAPH_MENU, "Copy what is seen, to paste it elsewhere",
               screen=_ON_GRAPH),
)  # fmt: skip


_EPISODES_MENU = "Episodes"
_ON_EPISODES = "episodes"


def _exists(situation: Situation) -> bool:
    return _ON_EPISODES in situation.screens


EPISODE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "go.episodes", "Go to Episodes", ("Ctrl+Shift+H",), "episode", "Go",
        "Show what conversations came to, by project and month", _exists, lambda shell: shell.go(_ON_EPISODES),
    ),
    ActionSpec("episode.next", "Next episode", ("J",), "chevron-down", _EPISODES_MENU, "Go to the episode below", screen=_ON_EPISODES),
    ActionSpec("episode.previous", "Episode before", ("K",), "chevron-up", _EPISODES_MENU, "Go to the episode above",
               screen=_ON_EPISODES),
    ActionSpec("episode.conversation", "Open its conversation", ("C",), "conversations", _EPISODES_MENU,
               "Its messages, or what is left of them", screen=_ON_EPISODES),
    ActionSpec("episode.memory", "Show it in Memories", ("M",), "memories", _EPISODES_MENU,
               "Edit it, pin it, see its history", screen=_ON_EPISODES),
)  # fmt: skip


_CONTRADICTIONS_MENU = "Contradiction"
_ON_CONTRADICTIONS = "contradictions"

CONTRADICTION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("contradiction.keepA", "Keep A", ("1", "A"), "check", _CONTRADICTIONS_MENU,
               "The older one holds; the newer is closed", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.keepB", "Keep B", ("2", "B"), "check", _CONTRADICTIONS_MENU,
               "The newer one holds; the older is closed where the newer began", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.both", "Both, each in its place", ("3",), "split", _CONTRADICTIONS_MENU,
               "Both hold, each where you say", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.since", "B replaces A since…", ("4",), "clock", _CONTRADICTIONS_MENU,
               "The newer one holds from a day that you say", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.merge", "Merge as edited", ("5", "M"), "merge", _CONTRADICTIONS_MENU,
               "One memory stays, with the text of Result", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.dismiss", "Not a contradiction", ("0",), "close", _CONTRADICTIONS_MENU,
               "Both hold as they are; you are not asked again", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.accept", "Take the suggestion", ("Y",), "check", _CONTRADICTIONS_MENU,
               "Do what is suggested; Enter does it too", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.later", "Later", ("S",), "forward", _CONTRADICTIONS_MENU, "Leave it open, go to the next", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.apart", "One by one", ("O",), "split", _CONTRADICTIONS_MENU,
               "Ask those that are alike one by one", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.next", "Next one", ("J", "Down"), "chevron-down", _CONTRADICTIONS_MENU, "Show the one below",
               screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.previous", "One before", ("K", "Up"), "chevron-up", _CONTRADICTIONS_MENU, "Show the one above",
               screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.sourceA", "Open where A was said", ("C",), "conversations", _CONTRADICTIONS_MENU,
               "Open the conversation of the older one", screen=_ON_CONTRADICTIONS),
    ActionSpec("contradiction.sourceB", "Open where B was said", ("Shift+C",), "conversations", _CONTRADICTIONS_MENU,
               "Open the conversation of the newer one", screen=_ON_CONTRADICTIONS),
)  # fmt: skip


_CONSOLIDATION_MENU = "Consolidation"
_ON_CONSOLIDATION = "consolidation"


def _is_idle(situation: Situation) -> bool:
    return situation.is_open and not situation.is_consolidating


def _is_running(situation: Situation) -> bool:
    return situation.is_open and situation.is_consolidating


def _is_paused(situation: Situation) -> bool:
    return situation.is_open and situation.is_run_paused and not situation.is_consolidating


def _is_stoppable(situation: Situation) -> bool:
    return _is_running(situation) or _is_paused(situation)


CONSOLIDATION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "consolidation.now", "Consolidate now", ("Ctrl+Shift+K", "F9"), "merge", _CONSOLIDATION_MENU,
        "Merge duplicates, shorten old memories, archive unused ones; one undo reverts all of it",
        _is_idle, lambda shell: shell.consolidate(),
    ),
    ActionSpec(
        "consolidation.preview", "Preview the next run", (), "eye", _CONSOLIDATION_MENU, "Show what it would do, and do nothing",
        _is_idle, lambda shell: shell.preview_consolidation(),
    ),
    ActionSpec(
        "consolidation.stop", "Stop the run", (), "stop", _CONSOLIDATION_MENU, "Stop after the current change; what was done stays",
        _is_stoppable, lambda shell: shell.stop_consolidation(),
    ),
    ActionSpec(
        "consolidation.pause", "Pause the run", ("Ctrl+Shift+F9",), "pause", _CONSOLIDATION_MENU, "Pause after the current change, until you continue",
        _is_running, lambda shell: shell.pause_consolidation(is_paused=True),
    ),
    ActionSpec(
        "consolidation.continue", "Continue the run", ("Shift+F9",), "play", _CONSOLIDATION_MENU, "Continue the paused run",
        _is_paused, lambda shell: shell.pause_consolidation(is_paused=False),
    ),
    ActionSpec(
        "consolidation.page", "Consolidation", (), "merge", _CONSOLIDATION_MENU, "Show what the next run would do, and earlier runs",
        is_open, lambda shell: shell.go("consolidation"),
    ),
    ActionSpec("consolidation.next", "Next change", ("J",), "chevron-down", _CONSOLIDATION_MENU, "Go to the change below", screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.previous", "Change before", ("K",), "chevron-up", _CONSOLIDATION_MENU, "Go to the change above",
               screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.accept", "Yes to this change", ("Y",), "check", _CONSOLIDATION_MENU, "It is applied with the others",
               screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.reject", "No to this change", ("N",), "close", _CONSOLIDATION_MENU,
               "It is not applied, and not proposed again while the memories stay as they are", screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.always", "Always do this", ("Shift+Y",), "check", _CONSOLIDATION_MENU,
               "Apply changes of this kind without asking from now on; press again: as usual", screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.never", "Never do this", ("Shift+N",), "close", _CONSOLIDATION_MENU,
               "Propose no change of this kind any more; press again: as usual", screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.open", "Open its memory", ("O",), "eye", _CONSOLIDATION_MENU, "Show the memory in Memories",
               screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.undoOne", "Undo this change", ("U",), "undo", _CONSOLIDATION_MENU, "Undo this change of the run",
               screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.undoRun", "Undo this run", ("Shift+U",), "undo", _CONSOLIDATION_MENU, "Undo everything that the run did",
               screen=_ON_CONSOLIDATION),
    ActionSpec("consolidation.apply", "Apply what you accepted", ("Ctrl+Return",), "check", _CONSOLIDATION_MENU,
               "Apply the proposals, except those you rejected", screen=_ON_CONSOLIDATION),
)  # fmt: skip


_READING_MENU = "Reading"
_ON_READING = "activity"


def _can_read(situation: Situation) -> bool:
    return situation.is_open and situation.reading in {"idle", "capped", "put_off", "paused", "failed"}


READING_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "reading.page", "Reading along", (), "eye", _READING_MENU, "Show what was read, what it cost and what came of it",
        is_open, lambda shell: shell.open_reading(),
    ),
    ActionSpec(
        "reading.now", "Read now", (), "play", _READING_MENU, "Read everything that has not been read yet",
        _can_read, lambda shell: shell.read_along(),
    ),
    ActionSpec(
        "reading.cancel", "Stop the reading", (), "stop", _READING_MENU, "End what is being read; its prompts stay unread",
        lambda situation: situation.reading == "reading", lambda shell: shell.stop_reading(),
    ),
    ActionSpec(
        "reading.pause", "Pause reading along", (), "pause", _READING_MENU, "Nothing is read automatically until you resume",
        lambda situation: situation.is_open and situation.reading in {"idle", "done", "capped", "put_off", "reading"},
        lambda shell: shell.pause_reading(is_paused=True),
    ),
    ActionSpec(
        "reading.resume", "Resume reading along", (), "play", _READING_MENU, "Read again when conversations end",
        lambda situation: situation.reading == "paused", lambda shell: shell.pause_reading(is_paused=False),
    ),
    ActionSpec("reading.next", "Next entry", ("J",), "chevron-down", _READING_MENU, "Go to the entry or reading below", screen=_ON_READING),
    ActionSpec("reading.previous", "Entry before", ("K",), "chevron-up", _READING_MENU, "Go to the entry or reading above",
               screen=_ON_READING),
    ActionSpec("reading.open", "Open or close it", ("O",), "eye", _READING_MENU, "Show what was sent and what came of it",
               screen=_ON_READING),
    ActionSpec("reading.undo", "Undo this entry", ("U",), "undo", _READING_MENU, "Undo what it changed, or everything that came of a reading",
               screen=_ON_READING),
    ActionSpec("reading.again", "Read it again", ("Shift+R",), "refresh", _READING_MENU,
               "Undo what came of it and ask again", screen=_ON_READING),
    ActionSpec("reading.preview", "Show what would be sent", ("W",), "eye", _READING_MENU,
               "Word for word; nothing is sent by looking", screen=_ON_READING),
    ActionSpec("meaning.again", "Work out meaning again", (), "refresh", _READING_MENU,
               "Compute every memory's vector again; the present ones are used until the new ones are ready", screen=_ON_READING),
    ActionSpec("meaning.stop", "Stop working out meaning", (), "stop", _READING_MENU,
               "What is done is kept; you can continue later", screen=_ON_READING),
)  # fmt: skip


_REVIEW_MENU = "Review"
_ON_REVIEW = "review"

REVIEW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("review.accept", "Accept it", ("A",), "check", _REVIEW_MENU, "Keep it, and let it be given", screen=_ON_REVIEW),
    ActionSpec("review.reject", "Reject it", ("R",), "close", _REVIEW_MENU, "Put it away; it can be brought back", screen=_ON_REVIEW),
    ActionSpec("review.edit", "Edit it", ("E",), "rename", _REVIEW_MENU, "Change what it says, then keep it", screen=_ON_REVIEW),
    ActionSpec(
        "review.skip", "Skip it", ("S", "Right"), "forward", _REVIEW_MENU, "Leave it waiting, go to the next", screen=_ON_REVIEW
    ),
    ActionSpec("review.back", "Undo the last answer", ("Z",), "undo", _REVIEW_MENU, "Undo the last answer", screen=_ON_REVIEW),
    ActionSpec("review.source", "Open its conversation", ("C",), "conversations", _REVIEW_MENU,
               "Open the conversation where it was typed", screen=_ON_REVIEW),
)  # fmt: skip


_LEARNED_MENU = "Learned"
_ON_LEARNED = "learned"


def _is_shown(situation: Situation) -> bool:
    return _ON_LEARNED in situation.screens


LEARNED_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "go.learned", "Go to Learned", ("Ctrl+Shift+L",), "workflow", "Go",
        "Show workflows, code patterns and rules that conversations taught", _is_shown, lambda shell: shell.go(_ON_LEARNED),
    ),
    ActionSpec("learned.next", "Next of what was learned", ("J",), "chevron-down", _LEARNED_MENU, "Go to the row below", screen=_ON_LEARNED),
    ActionSpec("learned.previous", "One before of what was learned", ("K",), "chevron-up", _LEARNED_MENU, "Go to the row above",
               screen=_ON_LEARNED),
    ActionSpec("learned.edit", "Edit it", ("E",), "rename", _LEARNED_MENU, "Change its words or its steps; it is yours then",
               screen=_ON_LEARNED),
    ActionSpec("learned.switch_off", "Switch it off", ("N",), "pause", _LEARNED_MENU, "Keep it, but let it change nothing and never give it",
               screen=_ON_LEARNED),
    ActionSpec("learned.switch_on", "Switch it on", ("O",), "play", _LEARNED_MENU, "Let it hold again", screen=_ON_LEARNED),
    ActionSpec("learned.purge", "Put it away", ("Del",), "trash", _LEARNED_MENU, "Take it out; undo brings it back", screen=_ON_LEARNED),
    ActionSpec("learned.memory", "Show it in Memories", ("M",), "memories", _LEARNED_MENU,
               "Its history, where it comes from, how it was used", screen=_ON_LEARNED),
)  # fmt: skip
