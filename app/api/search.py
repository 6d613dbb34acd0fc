"""Search: memories for a query, with reasons; the state of the index behind it. Knows neither HTTP nor Qt.

Owns nothing: hands on to `services.recall` and `services.indexing`. Source: DESIGN section 6, UX 4.4.
"""

from collections.abc import Callable

from app.api.core import Core
from app.values import IndexStatus, Progress, RecallAnswer, RecallQuery


class Search:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def search(self, query: RecallQuery) -> RecallAnswer:
        """Hits, best first, each with its reasons; none when nothing fits."""
        return self._core.recall.search(query)

    def status(self) -> IndexStatus:
        return self._core.indexing.status()

    def rebuild(self, progress: Callable[[Progress], bool] | None = None) -> int:
        """Writes the index anew from the store; returns how many memories. `progress` returning False stops it."""
        return self._core.indexing.rebuild(progress)
