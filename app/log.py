"""The log file: where warnings and faults of the engine, the socket and the window are written down.

Owns its place, size and mode (0600, never through a link). Knows nothing of what is logged: no text of the person ever
is. Whoever has set logging up before us keeps it. Source: QUALITY S4, R18; STYLE "Errors".
"""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.places import open_private

LOG_BYTES = 2_000_000  # until the settings are read, which say how many
LOG_FILES = 3
OUR_LOGGERS = ("remanence", "app", "ui")
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class PrivateLogFile(RotatingFileHandler):
    """A log file that nobody else may read, from its first byte on, nor any of its rotation; a planted link is refused."""

    def _open(self) -> TextIOWrapper:
        descriptor = open_private(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.fchmod(descriptor, 0o600)  # one that was there may have been open to others
        return os.fdopen(descriptor, "a", encoding=self.encoding, errors="backslashreplace")


def start_log(path: Path, max_bytes: int = LOG_BYTES) -> None:
    """Our log lines go to `path` from now on; may be called again, for another size or place."""
    handler = _ours()
    if handler is not None and Path(handler.baseFilename) != path.absolute():
        stop_log()
        handler = None
    if handler is None:
        if logging.getLogger().handlers or any(logging.getLogger(name).handlers for name in OUR_LOGGERS):
            return
        handler = PrivateLogFile(path, backupCount=LOG_FILES - 1, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter(LOG_FORMAT))
        for name in OUR_LOGGERS:
            logging.getLogger(name).addHandler(handler)
            logging.getLogger(name).setLevel(logging.INFO)
    handler.maxBytes = max_bytes


def stop_log() -> None:
    """Closes the file and takes the handler out."""
    handler = _ours()
    if handler is None:
        return
    for name in OUR_LOGGERS:
        logging.getLogger(name).removeHandler(handler)
    handler.close()


def _ours() -> PrivateLogFile | None:
    handlers = (one for name in OUR_LOGGERS for one in logging.getLogger(name).handlers)
    return next((one for one in handlers if isinstance(one, PrivateLogFile)), None)
