"""Which file an assistant read last, by session: the file at hand until it changes one. The name alone, in memory alone.

A reading is no event: nothing of it is stored, and nothing of what was read is looked at. Source: issue 18 "Prediction with the graph".
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from app.interop.tool_calls import file_read, tool_outcomes
from app.values import CaptureRequest

_SESSIONS_MOST = 64
_PATH_CHARS = 1_024
IsExcluded = Callable[[Iterable[str], Iterable[str]], bool]


class CurrentFiles:
    """Thread-safe."""

    def __init__(self, is_excluded: IsExcluded) -> None:
        self._is_excluded = is_excluded
        self._lock = threading.Lock()
        self._of_session: OrderedDict[tuple[str, str], str] = OrderedDict()

    def note(self, event: CaptureRequest) -> bool:
        """Whether the tool only read; a file that it changed is the current one and known from what is stored."""
        path = file_read(event.payload)[:_PATH_CHARS]
        key = (event.app, event.session)
        with self._lock:
            if path and event.session and not event.agent_id:
                is_kept_out = self._is_excluded((event.cwd, event.project_root, path), ())
                self._of_session[key] = "" if is_kept_out else path
                self._of_session.move_to_end(key)
                while len(self._of_session) > _SESSIONS_MOST:
                    self._of_session.popitem(last=False)
            elif any(one.file for one in tool_outcomes(event.payload)):
                self._of_session.pop(key, None)
        return bool(path)

    def find(self, app: str, session: str) -> str:
        """ "" where nothing was read since a file was changed."""
        with self._lock:
            return self._of_session.get((app, session), "")
