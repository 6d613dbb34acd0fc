"""The example: a second window, in a process of its own, on invented data that is gone when it is closed.

A process of its own, because only then nothing of the person's can be mixed with it. Source: UX 4.1 "Use example data".
"""

import sys

from PySide6.QtCore import QProcess

_COMMAND_LINE = (
    f"{__name__.removesuffix('ui.demo.example')}app.cli"  # `app` is beside `ui`, in the checkout and in the wheel
)
EXAMPLE_COMMAND = ("-P", "-m", _COMMAND_LINE, "gui", "--demo")
EXAMPLE_TITLE = "An example"
EXAMPLE_MARK = "Example, invented data"
EXAMPLE_OPENING = "Making the example… This takes up to a minute."
EXAMPLE_TEXT = "This is an example: invented data, nothing of yours. Close the window, and it is gone."


def open_example() -> bool:
    """Whether it could be started."""
    started = QProcess.startDetached(sys.executable, list(EXAMPLE_COMMAND))
    return bool(started[0] if isinstance(started, tuple) else started)
