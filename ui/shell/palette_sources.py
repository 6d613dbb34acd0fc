"""Where the palette's lines come from: screens, last places, enabled actions, settings, help pages, memories,
conversations and messages.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ui.actions.spec import ActionSpec
from ui.actions.table import ActionRegistry
from ui.navigation import Place
from ui.screens.help.pages import HELP_PAGES
from ui.screens.registry import ScreenSpec
from ui.shell.palette import GO_TO, PaletteEntry
from ui.wording.memories import type_word
from ui.wording.values import app_title

if TYPE_CHECKING:
    from app.api import Conversation, Engine, MemoryCard, SavedSearch, SearchHit, SettingCard

FOUND_LIMIT = 5


def typed_on(at: datetime) -> str:
    """The day as it is said: "3 March", with the year when it was another one."""
    local, now = at.astimezone(), datetime.now().astimezone()
    return f"{local.day} {local:%B}" + ("" if local.year == now.year else f" {local.year}")


class PaletteSources:
    """Builds the lines afresh each time: they must say what is possible now."""

    def __init__(
        self,
        actions: ActionRegistry,
        screens: tuple[ScreenSpec, ...],
        go: Callable[[Place], None],
        *,
        recent: Callable[[], tuple[Place, ...]],
        settings: "Callable[[], tuple[SettingCard, ...]]",
    ) -> None:
        self._actions = actions
        self._screens = {screen.id: screen for screen in screens}
        self._go = go
        self._recent = recent
        self._settings = settings

    def typed(self, prefix: str) -> tuple[PaletteEntry, ...]:
        """All lines for a prefix: "" everything, ">" actions, "?" help."""
        if prefix == ">":
            return tuple(self._action_entries())
        if prefix == "?":
            return tuple(self._help_entries())
        return (*self._screen_entries(), *self._action_entries(), *self._setting_entries(), *self._help_entries())

    def idle(self) -> tuple[PaletteEntry, ...]:
        """Lines for an empty field: the last places, the screens, then what the screen can do."""
        fitting = [entry for spec, entry in self._enabled() if spec.run is None]
        return (*self._recent_entries(), *self._screen_entries(), *fitting[:8])

    def found(self, found: "Found") -> tuple[PaletteEntry, ...]:
        """Saved searches and memories first, then conversations by title, then messages that say it."""
        entries = [
            self._place_entry("Saved searches", one.name, "search", Place("memories", "search", one.id), one.text)
            for one in found.searches
        ]
        entries += [
            replace(
                self._place_entry(
                    "Memories", card.title, "memories", Place("memories", "memory", card.id), type_word(card)
                ),
                card=card,
            )
            for card in found.memories
        ]
        entries += [
            self._place_entry(
                "Conversations",
                one.title,
                "conversations",
                Place("conversations", "conversation", one.id),
                f"{app_title(one.app)} · {one.message_count}",
            )
            for one in found.conversations
        ]
        entries += [
            self._place_entry(
                "Messages",
                hit.snippet,
                "message",
                Place("conversations", "message", hit.message_id),
                f"you typed this on {typed_on(hit.at)}",
            )
            for hit in found.hits
        ]
        return tuple(entries)

    def _place_entry(self, group: str, text: str, icon: str, place: Place, detail: str = "") -> PaletteEntry:
        return PaletteEntry(group, " ".join(text.split()), icon, lambda: self._go(place), detail)

    def _screen_entries(self) -> list[PaletteEntry]:
        return [self._screen_entry(screen) for screen in self._screens.values() if not screen.is_hidden]

    def _screen_entry(self, screen: ScreenSpec) -> PaletteEntry:
        hint = self._actions.hint(f"go.{screen.id}")
        return PaletteEntry(GO_TO, screen.title, screen.icon, lambda: self._go(Place(screen.id)), hint=hint)

    def _recent_entries(self) -> list[PaletteEntry]:
        entries = []
        for place in self._recent()[:5]:
            screen = self._screens.get(place.screen)
            if screen is not None and (place.object_id is not None or place.query):
                detail = place.query or place.kind  # a number says nothing
                entries.append(self._place_entry("Recent places", screen.title, screen.icon, place, detail))
        return entries

    def _enabled(self) -> list[tuple[ActionSpec, PaletteEntry]]:
        return [
            (spec, self._action_entry(spec))
            for spec in self._actions.specs
            if self._actions.action(spec.id).isEnabled() and not spec.id.startswith("go.")
        ]

    def _action_entries(self) -> list[PaletteEntry]:
        return [entry for _spec, entry in self._enabled()]

    def _action_entry(self, spec: ActionSpec) -> PaletteEntry:
        text = self._actions.action(spec.id).text().replace("&&", "&")
        return PaletteEntry(
            "Actions",
            text,
            spec.icon,
            lambda: self._actions.run(spec.id),
            detail=spec.menu,
            hint=self._actions.hint(spec.id),
            words=spec.tip,
        )

    def _setting_entries(self) -> list[PaletteEntry]:
        return [
            self._place_entry("Settings", card.title, "settings", Place("settings", query=card.title), card.group)
            for card in self._settings()
            if not card.is_internal
        ]

    def _help_entries(self) -> list[PaletteEntry]:
        return [
            self._place_entry("Help", page.title, "help", Place("help", query=page.id), "Help") for page in HELP_PAGES
        ]


@dataclass(frozen=True, slots=True)
class Found:
    """What the engine has for a typed query."""

    memories: "tuple[MemoryCard, ...]"
    conversations: "tuple[Conversation, ...]"
    hits: "tuple[SearchHit, ...]"
    searches: "tuple[SavedSearch, ...]" = ()


def look_up(query: str) -> "Callable[[Engine], Found]":
    """A read that finds memories by meaning, conversations by title and messages by text."""

    def read(engine: "Engine") -> Found:
        from app.values import RecallQuery
        from ui.matching import match_score
        from ui.screens.conversations.message_hits import find_messages

        asked = RecallQuery(query, limit=FOUND_LIMIT, is_counted=False)
        memories = tuple(hit.card for hit in engine.search.search(asked).hits if hit.chunk_id is None)
        scored = [(match_score(query, found.title), found) for found in engine.conversations.list()]
        named = [found for score, found in sorted(scored, key=lambda pair: -pair[0]) if score > 0]
        hits = find_messages(engine, query, FOUND_LIMIT)
        kept = tuple(one for one in engine.saved_searches.list() if match_score(query, one.name) > 0)
        return Found(memories, tuple(named[:FOUND_LIMIT]), hits, kept[:FOUND_LIMIT])

    return read
