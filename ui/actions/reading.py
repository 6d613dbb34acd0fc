"""Rows of the action table about what models are asked: reading along, those that work everywhere and those of its page in Activity,
and search by meaning, on the page Health.

Same columns as ui/actions/table.py. Source: UX 4.8b.
"""

from ui.actions.spec import ActionSpec, Situation, is_open

_MENU = "Reading"
_HERE = "activity"


def _can_read(situation: Situation) -> bool:
    return situation.is_open and situation.reading in {"idle", "capped", "put_off", "paused", "failed"}


READING_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "reading.page", "Reading along", (), "eye", _MENU, "Show what was read, what it cost and what came of it",
        is_open, lambda shell: shell.open_reading(),
    ),
    ActionSpec(
        "reading.now", "Read now", (), "play", _MENU, "Read everything that has not been read yet",
        _can_read, lambda shell: shell.read_along(),
    ),
    ActionSpec(
        "reading.cancel", "Stop the reading", (), "stop", _MENU, "End what is being read; its prompts stay unread",
        lambda situation: situation.reading == "reading", lambda shell: shell.stop_reading(),
    ),
    ActionSpec(
        "reading.pause", "Pause reading along", (), "pause", _MENU, "Nothing is read automatically until you resume",
        lambda situation: situation.is_open and situation.reading in {"idle", "done", "capped", "put_off", "reading"},
        lambda shell: shell.pause_reading(is_paused=True),
    ),
    ActionSpec(
        "reading.resume", "Resume reading along", (), "play", _MENU, "Read again when conversations end",
        lambda situation: situation.reading == "paused", lambda shell: shell.pause_reading(is_paused=False),
    ),
    ActionSpec("reading.next", "Next entry", ("J",), "chevron-down", _MENU, "Go to the entry or reading below", screen=_HERE),
    ActionSpec("reading.previous", "Entry before", ("K",), "chevron-up", _MENU, "Go to the entry or reading above",
               screen=_HERE),
    ActionSpec("reading.open", "Open or close it", ("O",), "eye", _MENU, "Show what was sent and what came of it",
               screen=_HERE),
    ActionSpec("reading.undo", "Undo this entry", ("U",), "undo", _MENU, "Undo what it changed, or everything that came of a reading",
               screen=_HERE),
    ActionSpec("reading.again", "Read it again", ("Shift+R",), "refresh", _MENU,
               "Undo what came of it and ask again", screen=_HERE),
    ActionSpec("reading.preview", "Show what would be sent", ("W",), "eye", _MENU,
               "Word for word; nothing is sent by looking", screen=_HERE),
    ActionSpec("meaning.again", "Work out meaning again", (), "refresh", _MENU,
               "Compute every memory's vector again; the present ones are used until the new ones are ready", screen=_HERE),
    ActionSpec("meaning.stop", "Stop working out meaning", (), "stop", _MENU,
               "What is done is kept; you can continue later", screen=_HERE),
)  # fmt: skip
