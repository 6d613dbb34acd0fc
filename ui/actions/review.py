"""Rows of the action table that the review carries out: one memory at a time, each with one key.

Same columns as ui/actions/table.py. Its keys mean other things on other screens: only the shown panel's rows are enabled.
"""

from ui.actions.spec import ActionSpec

_MENU = "Review"
_HERE = "review"

REVIEW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("review.accept", "Accept it", ("A",), "check", _MENU, "Keep it, and let it be given", screen=_HERE),
    ActionSpec("review.reject", "Reject it", ("R",), "close", _MENU, "Put it away; it can be brought back", screen=_HERE),
    ActionSpec("review.edit", "Edit it", ("E",), "rename", _MENU, "Change what it says, then keep it", screen=_HERE),
    ActionSpec(
        "review.skip", "Skip it", ("S", "Right"), "forward", _MENU, "Leave it waiting, go to the next", screen=_HERE
    ),
    ActionSpec("review.back", "Undo the last answer", ("Z",), "undo", _MENU, "Undo the last answer", screen=_HERE),
    ActionSpec("review.source", "Open its conversation", ("C",), "conversations", _MENU,
               "Open the conversation where it was typed", screen=_HERE),
)  # fmt: skip
