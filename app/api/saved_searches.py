"""Searches over memories that are kept under a name: listed, saved, renamed, removed.

Each act is one operation with a label for undo. Owns nothing else: `memories.saved_searches` keeps them. Knows neither HTTP nor
Qt. Source: UX 4.4.
"""

from dataclasses import replace

from app.api.clean_arguments import takes_any_text
from app.api.core import Core
from app.memories import saved_searches as kept
from app.values import Origin, SavedSearch


@takes_any_text
class SavedSearches:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> tuple[SavedSearch, ...]:
        """By name."""
        with self._core.store.read() as connection:
            return kept.list_searches(connection)

    def save(self, search: SavedSearch) -> int:
        """Keeps a search under its name, in place of one that has this name; returns its number."""
        clean = replace(search, name=self._clean(search.name), text=self._clean(search.text))
        with self._core.store.write(origin=Origin.PERSON, kind="save_search", label="") as write:
            return kept.save_search(write, clean)

    def rename(self, search_id: int, name: str) -> None:
        with self._core.store.write(origin=Origin.PERSON, kind="rename_search", label="") as write:
            kept.rename_search(write, search_id, self._clean(name))

    def remove(self, search_id: int) -> None:
        with self._core.store.write(origin=Origin.PERSON, kind="remove_search", label="") as write:
            kept.remove_search(write, search_id)

    def _clean(self, text: str) -> str:
        return self._core.inbox.clean_text(text, self._core.current)
