"""What a notice says: one sentence, its kind, and at most one thing to press.

The person's acts are told with Undo, problems with their cause and next step, bugs with "Copy details".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from app.errors import EnvironmentProblem, RemanenceError
from app.values.changes import Changes

_UNDID, _DID_AGAIN = "Undone: ", "Redone: "  # how the journal names an act that goes back or forth


class NoticeKind(StrEnum):
    INFO = "info"
    GOOD = "good"
    WARN = "warn"
    DANGER = "danger"


@dataclass(frozen=True, slots=True)
class Notice:
    """`on_action` runs on the GUI thread when the button is pressed."""

    text: str
    kind: NoticeKind = NoticeKind.INFO
    action_text: str = ""
    on_action: Callable[[], None] | None = None
    stays: bool = False  # until closed, instead of 8 s
    key: str = ""  # that does the same as the button
    about: str = ""  # of two notices about the same act only the newer one is shown


def notice_of_act(
    changes: Changes, undo: Callable[[int], None], allow: Callable[[tuple[int, ...]], None] | None = None
) -> Notice:
    """What is told about something the person did, with the way back: Undo, or Redo after an undo.

    What was held back of it is told with the way on instead: Allow.

    >>> changes = Changes(7, frozenset(), operation_id=3, label="Undone: Pinned “x”", is_undoable=True)
    >>> told = notice_of_act(changes, print)
    >>> told.action_text, told.about
    ('Redo', 'Pinned “x”')
    """
    label, operation_id = changes.label, changes.operation_id
    if changes.held_ids and allow is not None:
        return Notice(f"{label}.", NoticeKind.WARN, "Allow", lambda: allow(changes.held_ids), stays=True)
    if not changes.is_undoable or operation_id is None:
        return Notice(label, NoticeKind.GOOD)
    about = label.removeprefix(_UNDID).removeprefix(_DID_AGAIN)
    word, key = ("Redo", "Ctrl+Shift+Z") if label.startswith(_UNDID) else ("Undo", "Ctrl+Z")
    return Notice(label, NoticeKind.GOOD, word, lambda: undo(operation_id), key=key, about=about)


def notice_of_error(error: BaseException, copy_details: Callable[[], None]) -> Notice:
    """A notice for an error of the two families (cause and next step), or for a bug ("Copy details").

    >>> from app.errors import InvalidError
    >>> notice_of_error(InvalidError("The title is empty.", hint="Type one."), print).text
    'The title is empty. Type one.'
    """
    if isinstance(error, RemanenceError):
        text = f"{error} {error.hint}".strip()
        return Notice(text, NoticeKind.WARN, stays=isinstance(error, EnvironmentProblem))
    return Notice(
        "Something went wrong inside Remanence. Everything saved so far is safe; the log has the details.",
        NoticeKind.DANGER,
        "Copy details",
        copy_details,
        stays=True,
    )
