"""Bringing histories in, and writing ours out.

Owns the choice of the way for each kind of file; reading is `app.interop`'s, keeping the services'. Knows neither HTTP
nor Qt. Source: DESIGN section 2 (files are exports that read back), INTEROP section 2.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from app.api.core import Core
from app.api.events import Events
from app.errors import InvalidError
from app.interop import discover
from app.services.export import context_lines, history_lines, write_lines
from app.services.import_run import run_import
from app.services.queries import Filter, get_conversation, list_conversations
from app.services.seed_import import Cleaner, import_context, import_history
from app.values import FoundSource, ImportReport, Progress


class Transfer:
    def __init__(self, core: Core, events: Events) -> None:
        self._core = core
        self._events = events

    def found(self) -> tuple[FoundSource, ...]:
        """Histories that assistants left on this disk."""
        return discover.find_histories(Path.home(), os.environ)

    def recognise(self, path: Path) -> FoundSource:
        """What a dropped file or folder is; source "unknown" when we cannot read it."""
        return discover.recognise_drop([path])[0]

    def import_history(
        self,
        source: str,
        path: Path,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        """Takes in what is new; again is free. One undo takes the whole import back."""
        if not path.exists():
            raise InvalidError(f"There is nothing at {path}.", hint="Check the path.")
        if source == discover.SEED_HISTORY:
            return self._import_own_history(path)
        if source == discover.SEED_CONTEXT:
            return import_context(self._events.capture, path)
        core = self._core
        return run_import(core.importer, source, path, core.current, progress=progress, cancel=cancel)

    def _import_own_history(self, path: Path) -> ImportReport:
        inbox, settings = self._core.inbox, self._core.current
        cleaner = Cleaner(lambda text: inbox.without_secrets(text, settings), inbox.clean_id)
        return import_history(self._core.store, self._core.streams, path, settings, self._core.queue, cleaner=cleaner)

    def export(self, kind: str, path: Path) -> int:
        """Writes `history` (conversation-history.jsonl) or `context` (conversation-context.jsonl); returns lines."""
        size = self._core.current.queue_size
        if kind not in {"history", "context"}:
            raise InvalidError(f"“{kind}” is nothing we can export.", hint="history or context.")
        with self._core.store.read() as connection:
            listed = list_conversations(connection, size, Filter())
            if kind == "history":
                details = (get_conversation(connection, one.id, size) for one in reversed(listed))
                return write_lines(path, history_lines(details))
            sessions = {one.id: one.session for one in listed}
            messages = [message for one in listed for message in get_conversation(connection, one.id, size).messages]
            newest = sorted(messages, key=lambda message: message.id)[-self._core.current.window_messages :]
            return write_lines(path, context_lines(newest, sessions))
