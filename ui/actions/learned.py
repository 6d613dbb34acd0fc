"""Rows of the action table about what was learned: the way to its screen, and what the screen carries out.

Same columns as ui/actions/table.py. Source: issue 17 "Rules", issue 18 "Workflows".
"""

from ui.actions.spec import ActionSpec, Situation

_MENU = "Learned"
_HERE = "learned"


def _exists(situation: Situation) -> bool:
    return _HERE in situation.screens


LEARNED_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "go.learned", "Go to Learned", ("Ctrl+Shift+L",), "workflow", "Go",
        "Show workflows, code patterns and rules that conversations taught", _exists, lambda shell: shell.go(_HERE),
    ),
    ActionSpec("learned.next", "Next of what was learned", ("J",), "chevron-down", _MENU, "Go to the row below", screen=_HERE),
    ActionSpec("learned.previous", "One before of what was learned", ("K",), "chevron-up", _MENU, "Go to the row above",
               screen=_HERE),
    ActionSpec("learned.edit", "Edit it", ("E",), "rename", _MENU, "Change its words or its steps; it is yours then",
               screen=_HERE),
    ActionSpec("learned.switch_off", "Switch it off", ("N",), "pause", _MENU, "Keep it, but let it change nothing and never give it",
               screen=_HERE),
    ActionSpec("learned.switch_on", "Switch it on", ("O",), "play", _MENU, "Let it hold again", screen=_HERE),
    ActionSpec("learned.purge", "Put it away", ("Del",), "trash", _MENU, "Take it out; undo brings it back", screen=_HERE),
    ActionSpec("learned.memory", "Show it in Memories", ("M",), "memories", _MENU,
               "Its history, where it comes from, how it was used", screen=_HERE),
)  # fmt: skip
