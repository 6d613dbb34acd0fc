"""Run by test_clean_exit: opens the real window, lets a slot, a thread and a paint event fail, says what was told."""

import json
import sys
import threading

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.api import Engine, Places
from ui.main import make_application, run
from ui.shell.main_window import MainWindow

told: dict[str, object] = {}


class Broken(QWidget):
    """A widget that cannot paint."""

    painted_count = 0

    def paintEvent(self, _event: object) -> None:  # noqa: N802 (Qt's name)
        Broken.painted_count += 1
        raise ArithmeticError("a paint fails")


def fail_in_thread() -> None:
    raise LookupError("a thread fails")


def fail_in_slot() -> None:
    raise ZeroDivisionError("a slot fails")


def window() -> MainWindow:
    return next(one for one in application.topLevelWidgets() if isinstance(one, MainWindow))


def note(name: str) -> None:
    """What the person sees after this fault, and what "Copy details" gives them."""
    notices = window().notices.notices
    for notice in notices:
        if notice.on_action is not None:
            notice.on_action()
    told[name] = {
        "texts": [notice.text for notice in notices],
        "actions": [notice.action_text for notice in notices],
        "copied": QGuiApplication.clipboard().text(),
    }
    window().notices.clear()


def begin_thread() -> None:
    note("slot")
    threading.Thread(target=fail_in_thread).start()
    QTimer.singleShot(500, begin_paint)


def begin_paint() -> None:
    note("thread")
    broken = Broken(window())
    broken.resize(400, 400)
    broken.show()
    broken.raise_()
    QTimer.singleShot(1_500, end)


def end() -> None:
    note("paint")
    told["painted_count"] = Broken.painted_count
    print(json.dumps(told), flush=True)
    application.quit()


application = make_application()
QTimer.singleShot(2_500, fail_in_slot)
QTimer.singleShot(3_000, begin_thread)
sys.exit(run(lambda: Engine.open(Places.find(), owner="window"), None, ["remanence"]))
