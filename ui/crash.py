"""Crash reports: what nobody expected is written down and told once, with "Copy details".

Owns the hooks for exceptions in slots, threads and Qt's own messages. No text of the person ever goes into the log
from here.

The text of "Copy diagnostics": versions, states and counts. No word of the person, no path of theirs.
"""

import logging
import platform
import sys
import threading
import traceback
from types import TracebackType

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler, qVersion

from ui.shell.state import ShellState
from ui.wording.figures import describe_bytes, describe_moment


def describe_state(state: ShellState | None, last_report: str = "") -> str:
    """Lines to paste into a report."""
    lines = [*describe_versions()]
    if state is None:
        lines.append("The memory is not open.")
    else:
        health, stats = state.health, state.stats
        light = "capturing" if health.is_capturing else "paused"
        lines += [
            f"SQLite {health.sqlite_version}, schema {health.schema_version}",
            f"Store {describe_bytes(health.store_bytes)}, write-ahead log {describe_bytes(health.wal_bytes)}",
            f"Last backup: {describe_moment(health.last_backup_at)}",
            f"Capture: {light}, port {health.endpoint.port or 'none'}"
            + (f", {health.endpoint.error}" if health.endpoint.error else ""),
            f"{stats.conversation_count} of {stats.queue_size} conversations, {stats.message_count} messages",
            f"Events: {stats.event_pending_count} waiting, {stats.event_failed_count} failed",
        ]
        lines += [f"Problem: {text}" for text in (health.disk_problem, health.last_error) if text]
    if last_report:
        lines += ["", last_report]
    return "\n".join(lines)


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
