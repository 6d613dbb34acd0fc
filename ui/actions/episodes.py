"""Rows of the action table about episodes: the way to their time line, and what its screen carries out.

Same columns as ui/actions/table.py. Source: issue 17 "Episodes".
"""

from ui.actions.spec import ActionSpec, Situation

_MENU = "Episodes"
_HERE = "episodes"


def _exists(situation: Situation) -> bool:
    return _HERE in situation.screens


EPISODE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "go.episodes", "Go to Episodes", ("Ctrl+Shift+H",), "episode", "Go",
        "Show what conversations came to, by project and month", _exists, lambda shell: shell.go(_HERE),
    ),
    ActionSpec("episode.next", "Next episode", ("J",), "chevron-down", _MENU, "Go to the episode below", screen=_HERE),
    ActionSpec("episode.previous", "Episode before", ("K",), "chevron-up", _MENU, "Go to the episode above",
               screen=_HERE),
    ActionSpec("episode.conversation", "Open its conversation", ("C",), "conversations", _MENU,
               "Its messages, or what is left of them", screen=_HERE),
    ActionSpec("episode.memory", "Show it in Memories", ("M",), "memories", _MENU,
               "Edit it, pin it, see its history", screen=_HERE),
)  # fmt: skip
