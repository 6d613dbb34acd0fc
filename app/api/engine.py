"""The engine: one store, one understanding thread, and the nouns. Everything a client can do starts here.

Values in, frozen values out. Each write is one operation, one transaction, one `Changes` after commit. Knows
neither HTTP nor Qt. Source: DESIGN section 6.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from app.api.core import Core
from app.api.events import Events
from app.api.settings_api import SettingsApi
from app.capture.app_tokens import find_app_of_token
from app.clock import Clock, SystemClock
from app.log import start_log
from app.places import Places
from app.store.lock import OwnerKind
from app.store.store import without_room
from app.values import AppCard, Changes, DataKind, Endpoint

if TYPE_CHECKING:
    from app.api.apps import Apps
    from app.api.archive import Archive
    from app.api.consolidation import Consolidation
    from app.api.context import AnswersApi, ContextApi
    from app.api.contradictions import Contradictions
    from app.api.conversations import Conversations, Episodes, Messages, Window
    from app.api.graph import GraphApi
    from app.api.judge import Judge
    from app.api.maintenance import BackupsApi, EnergyApi, Journal, StatsApi
    from app.api.memories import Memories
    from app.api.notes import Notes
    from app.api.nouns import Nouns
    from app.api.rules import RulesApi
    from app.api.search import SavedSearches, Search
    from app.api.transfer import Transfer


class Engine:
    """Open it, use its nouns, close it. Thread-safe.

    `conversations`, `messages`, `window`, `memories`, `search`, `saved_searches`, `events`, `apps`, `journal`, `settings`, `stats`,
    `transfer`, `backups`, `rules`, `context`, `answers`, `judge`, `archive`, `energy`, `contradictions`,
    `graph`, `episodes`, `consolidation`, `notes`: see each class.
    """

    conversations: "Conversations"
    messages: "Messages"
    window: "Window"
    apps: "Apps"
    journal: "Journal"
    stats: "StatsApi"
    transfer: "Transfer"
    backups: "BackupsApi"
    rules: "RulesApi"
    memories: "Memories"
    search: "Search"
    saved_searches: "SavedSearches"
    context: "ContextApi"
    answers: "AnswersApi"
    judge: "Judge"
    archive: "Archive"
    energy: "EnergyApi"
    contradictions: "Contradictions"
    graph: "GraphApi"
    episodes: "Episodes"
    consolidation: "Consolidation"
    notes: "Notes"

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._nouns: Nouns | None = None
        self.events = Events(core)
        self.settings = SettingsApi(core)

    if not TYPE_CHECKING:  # what is declared above is loaded when it is first asked for

        def __getattr__(self, name: str) -> object:
            if name.startswith("_") or name not in Engine.__annotations__:
                raise AttributeError(f"An engine has no {name!r}.")
            noun = getattr(self._load_nouns(), name)
            self.__dict__[name] = noun
            return noun

    @classmethod
    def open(
        cls,
        places: Places,
        *,
        clock: Clock | None = None,
        flags: Mapping[str, object] | None = None,
        owner: OwnerKind = "serve",
        is_whole: bool = True,
    ) -> "Engine":
        """An engine over the store in `places`, spool taken in.

        `owner` "window" takes the store over from a running `serve`, "serve" from one that an assistant's session started ("session"). Unless `is_whole`, it takes events in and no more, sooner by
        half: `warm_up`, or the first use of any other noun, loads the rest. Raises StoreLockedError, StoreNewerError,
        StoreCorruptError, DiskProblem, InvalidError (settings).
        """
        with ExitStack() as undone, without_room(places):
            core = Core(places, clock or SystemClock(), flags or {}, owner=owner)
            engine = cls(core)
            undone.callback(core.stop)
            start_log(places.log_path, core.current.log_bytes)
            core.take_spool = engine.events.take_spool
            core.start()
            engine.events.take_spool(with_aside=True)
            if is_whole:
                engine.load()
            undone.pop_all()  # it stands: nothing is taken back
        return engine

    def load(self) -> None:
        """Loads what `open` has left for later. Raises DiskProblem."""
        with without_room(self._core.places):
            self._load_nouns()

    def check_token(self, token: str) -> AppCard | None:
        """As `apps.check_token`, which need not be loaded for it."""
        return find_app_of_token(self._core.store, token)

    def listens_at(self, endpoint: Endpoint) -> None:
        """The server says where it listens, or why it does not."""
        self._core.endpoint = endpoint
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))

    @property
    def places(self) -> Places:
        return self._core.places

    @property
    def clock(self) -> Clock:
        return self._core.clock

    def warm_up(self) -> None:
        """Loads what `open` has left, rules and classifier, so that the first message waits for nothing. Takes about a second."""
        self._core.warm_up()
        if not self._core.is_leaving:
            self.load()

    def leave(self) -> None:
        """The engine is about to be closed: a warm-up, an import or a run of consolidation ends at its next step, and can go on later."""
        self._core.leave()

    def subscribe(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        """`listener` hears every commit, on the thread that made it; returns the way to stop it."""
        return self._core.store.subscribe(listener)

    def _load_nouns(self) -> "Nouns":
        if self._nouns is None:
            self._core.load()
            with self._lock:
                if self._nouns is None:
                    from app.api.nouns import Nouns

                    nouns = Nouns(self._core, self.events)
                    nouns.apps.refresh_hook()
                    self._nouns = nouns
        return self._nouns

    def close(self) -> None:
        """Stops the threads, closes the store, frees the lock. May be called twice."""
        self._core.stop()
