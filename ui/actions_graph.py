"""Rows of the action table that the Graph screen carries out. Same columns as ui/actions.py."""

from ui.action_spec import ActionSpec

_MENU = "Graph"
_HERE = "graph"

GRAPH_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("graph.open", "Open it", (), "eye", _MENU, "Open the selected thing on its own screen", screen=_HERE,
               list_keys=("Return",)),
    ActionSpec("graph.focus", "Focus on it", ("F",), "search", _MENU, "Make the selected thing the middle of the picture",
               screen=_HERE),
    ActionSpec("graph.more", "Show its neighbours", ("N",), "plus", _MENU,
               "Bring more of what it is linked to into the picture", screen=_HERE),
    ActionSpec("graph.resolve", "Choose which one holds", ("R",), "split", _MENU,
               "Open the contradiction of the selected memory", screen=_HERE),
    ActionSpec("graph.deeper", "One ring more", ("+", "="), "plus", _MENU, "Show what lies one link further away",
               screen=_HERE),
    ActionSpec("graph.nearer", "One ring less", ("-",), "minus", _MENU, "Show only what lies nearer", screen=_HERE),
    ActionSpec("graph.fit", "Whole picture", ("0",), "monitor", _MENU, "Bring the whole picture into sight",
               screen=_HERE),
    ActionSpec("graph.start", "What matters now", ("Home",), "now", _MENU,
               "Begin again with the active conversation", screen=_HERE),
    ActionSpec("graph.arrange", "Arrange anew", ("Shift+F",), "refresh", _MENU, "Lay the picture out from the beginning",
               screen=_HERE),
    ActionSpec("graph.path", "Way between two", ("Shift+G",), "link", _MENU,
               "Say how the selected thing hangs together with the one chosen with Ctrl and a click", screen=_HERE),
    ActionSpec("graph.second", "Choose as the other end", ("X",), "check", _MENU,
               "The selected thing is one end of a way; select the other end next", screen=_HERE),
    ActionSpec("graph.link", "Link the two…", ("Shift+L",), "link", _MENU,
               "Draw a link from the thing chosen with X to the selected one", screen=_HERE),
    ActionSpec("graph.accept_link", "It holds", ("Shift+A",), "check", _MENU,
               "Accept the link of the current row: it is yours from now on", screen=_HERE),
    ActionSpec("graph.reject_link", "It does not hold", ("Shift+R",), "close", _MENU,
               "Reject the link of the current row: it is shown no more and never proposed again", screen=_HERE),
    ActionSpec("graph.names", "Names that may be one…", ("Shift+N",), "tag", _MENU,
               "Look through names that may mean one thing, and merge them or tell them apart", screen=_HERE),
    ActionSpec("graph.unpin", "Let it move", ("P",), "refresh", _MENU,
               "The selected thing goes where the picture puts it again", screen=_HERE),
    ActionSpec("graph.export", "Export…", ("Ctrl+E",), "export", _MENU,
               "Write what is seen as a picture, or for other tools that read graphs", screen=_HERE),
    ActionSpec("graph.copy", "Copy the picture", ("Ctrl+C",), "copy", _MENU, "Copy what is seen, to paste it elsewhere",
               screen=_HERE),
)  # fmt: skip
