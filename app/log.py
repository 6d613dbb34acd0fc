"""The log file: one handler for engine, window and command line, private, of bounded size.

Owns where log lines go, not what is logged: no text of the person ever is. Whoever has set logging up before us keeps
it. Source: STYLE "Errors" (a bug is logged with its traceback), QUALITY S4.
"""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.places import open_private

LOG_FILES = 3
_NAMES = ("app", "remanence")  # the engine's modules; window and command line
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class _PrivateFileHandler(RotatingFileHandler):
    """A log file of mode 0600 from its first byte; a planted link is refused."""

    def _open(self) -> TextIOWrapper:
        descriptor = open_private(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.fchmod(descriptor, 0o600)  # one that an earlier version left open to others
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding)


def start_log(path: Path, max_bytes: int) -> None:
    """Log lines go to `path` from now on; may be called again, for another size or place."""
    handler = _ours()
    if handler is None and logging.getLogger().handlers:
        return
    is_fitting = isinstance(handler, _PrivateFileHandler) and Path(handler.baseFilename) == path.absolute()
    if handler is None or not is_fitting:
        stop_log()
        handler = _PrivateFileHandler(path, backupCount=LOG_FILES - 1, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter(_FORMAT))
    handler.maxBytes = max_bytes
    for name in _NAMES:
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        if handler not in logger.handlers:
            logger.addHandler(handler)


def stop_log() -> None:
    """Closes the file and takes the handler out."""
    handler = _ours()
    if handler is None:
        return
    for name in _NAMES:
        logging.getLogger(name).removeHandler(handler)
    handler.close()


def _ours() -> RotatingFileHandler | None:
    """The file handler that stands there, whoever of the program put it in."""
    for name in _NAMES:
        for handler in logging.getLogger(name).handlers:
            if isinstance(handler, RotatingFileHandler):
                return handler
    return None
