"""Crash reports: what nobody expected is written down and told once, with "Copy details".

Owns the hooks for exceptions in slots, threads and Qt's own messages. No text of the
person ever goes into the log from here.
"""

import logging
import platform
import sys
import threading
import traceback
from types import TracebackType

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler, qVersion

_log = logging.getLogger("remanence.ui")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashReporter(QObject):
    """`crashed` carries the report; from whatever thread, it arrives on the GUI thread."""

    crashed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.last_report = ""
        self.crashed.connect(self._remember)

    def install(self) -> None:
        """Takes over the hooks of Python and Qt."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        qInstallMessageHandler(_on_qt_message)

    def uninstall(self) -> None:
        """Gives the hooks back."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        qInstallMessageHandler(None)

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _log.critical("unexpected error", exc_info=(kind, error, trace))
        self.crashed.emit(describe_error(error))

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._on_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def _remember(self, report: str) -> None:
        self.last_report = report


def describe_error(error: BaseException) -> str:
    """A report that can be pasted: versions and traceback, no data."""
    lines = traceback.format_exception(error)
    return "\n".join((*describe_versions(), "", "".join(lines).rstrip()))


def describe_versions() -> tuple[str, ...]:
    """Lines naming system, Python and Qt."""
    return (
        f"Python {platform.python_version()} on {platform.system()} {platform.release()} ({platform.machine()})",
        f"Qt {qVersion()}, PySide6 {pyside_version}",
    )


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    logging.getLogger("remanence.qt").log(_LEVELS.get(kind, logging.WARNING), "%s: %s", context.category, text)
