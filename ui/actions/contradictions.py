"""Rows of the action table that the merge tool carries out: one contradiction at a time, each answer with one key.

Same columns as ui/actions/table.py. Its keys mean other things on other screens: only the shown panel's rows are enabled. Source: UX 4.7.
"""

from ui.actions.spec import ActionSpec

_MENU = "Contradiction"
_HERE = "contradictions"

CONTRADICTION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("contradiction.keepA", "Keep A", ("1", "A"), "check", _MENU,
               "The older one holds; the newer is closed", screen=_HERE),
    ActionSpec("contradiction.keepB", "Keep B", ("2", "B"), "check", _MENU,
               "The newer one holds; the older is closed where the newer began", screen=_HERE),
    ActionSpec("contradiction.both", "Both, each in its place", ("3",), "split", _MENU,
               "Both hold, each where you say", screen=_HERE),
    ActionSpec("contradiction.since", "B replaces A since…", ("4",), "clock", _MENU,
               "The newer one holds from a day that you say", screen=_HERE),
    ActionSpec("contradiction.merge", "Merge as edited", ("5", "M"), "merge", _MENU,
               "One memory stays, with the text of Result", screen=_HERE),
    ActionSpec("contradiction.dismiss", "Not a contradiction", ("0",), "close", _MENU,
               "Both hold as they are; you are not asked again", screen=_HERE),
    ActionSpec("contradiction.accept", "Take the suggestion", ("Y",), "check", _MENU,
               "Do what is suggested; Enter does it too", screen=_HERE),
    ActionSpec("contradiction.later", "Later", ("S",), "forward", _MENU, "Leave it open, go to the next", screen=_HERE),
    ActionSpec("contradiction.apart", "One by one", ("O",), "split", _MENU,
               "Ask those that are alike one by one", screen=_HERE),
    ActionSpec("contradiction.next", "Next one", ("J", "Down"), "chevron-down", _MENU, "Show the one below",
               screen=_HERE),
    ActionSpec("contradiction.previous", "One before", ("K", "Up"), "chevron-up", _MENU, "Show the one above",
               screen=_HERE),
    ActionSpec("contradiction.sourceA", "Open where A was said", ("C",), "conversations", _MENU,
               "Open the conversation of the older one", screen=_HERE),
    ActionSpec("contradiction.sourceB", "Open where B was said", ("Shift+C",), "conversations", _MENU,
               "Open the conversation of the newer one", screen=_HERE),
)  # fmt: skip
