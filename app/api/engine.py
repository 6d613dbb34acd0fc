"""The engine: one store, one understanding thread, and the nouns. Everything a client can do starts here.

Values in, frozen values out. Each write is one operation, one transaction, one `Changes` after commit. Knows
neither HTTP nor Qt. Source: DESIGN section 6.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from app.api.apps import Apps
from app.api.context import ContextDoor
from app.api.conversations import Conversations, Messages, Window
from app.api.core import Core
from app.api.desk import BackupsDoor, Journal, RulesDoor, SettingsDoor, StatsDoor
from app.api.events import Events
from app.api.memories import Memories
from app.api.search import Search
from app.api.telling import TellingDoor
from app.api.transfer import Transfer
from app.clock import Clock, SystemClock
from app.log import start_log
from app.places import Places
from app.store.lock import OwnerKind
from app.values import Changes


class Engine:
    """Open it, use its nouns, close it. Thread-safe.

    `conversations`, `messages`, `window`, `memories`, `search`, `events`, `apps`, `journal`, `settings`, `stats`,
    `transfer`, `backups`, `rules`: see each class.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self.events = Events(core)
        self.conversations = Conversations(core)
        self.messages = Messages(core)
        self.window = Window(core, self.events)
        self.apps = Apps(core)
        self.journal = Journal(core)
        self.settings = SettingsDoor(core)
        self.stats = StatsDoor(core)
        self.transfer = Transfer(core, self.events)
        self.backups = BackupsDoor(core)
        self.rules = RulesDoor(core)
        self.memories = Memories(core)
        self.search = Search(core)
        self.context = ContextDoor(core)
        self.telling = TellingDoor(core, self.memories)

    @classmethod
    def open(
        cls,
        places: Places,
        *,
        clock: Clock | None = None,
        flags: Mapping[str, object] | None = None,
        owner: OwnerKind = "serve",
    ) -> "Engine":
        """An engine over the store in `places`, spool taken in.

        `owner` "window" takes the store over from a running `serve`. Raises StoreLockedError, StoreNewerError,
        StoreCorruptError, DiskProblem, InvalidError (settings).
        """
        core = Core(places, clock or SystemClock(), flags or {}, owner=owner)
        engine = cls(core)
        with ExitStack() as undone:
            undone.callback(core.stop)
            start_log(places.log_path, core.current.log_bytes)
            core.take_spool = engine.events.take_spool
            core.start()
            engine.events.take_spool()
            undone.pop_all()  # it stands: nothing is taken back
        return engine

    @property
    def places(self) -> Places:
        return self._core.places

    @property
    def clock(self) -> Clock:
        return self._core.clock

    def warm_up(self) -> None:
        """Loads rules and classifier, so that the first message does not wait for them. Takes about a second."""
        self._core.warm_up()

    def stop_warming(self) -> None:
        """A warm-up that runs ends at its next step: the engine is about to be closed."""
        self._core.is_leaving = True

    def subscribe(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        """`listener` hears every commit, on the thread that made it; returns the way to stop it."""
        return self._core.store.subscribe(listener)

    def close(self) -> None:
        """Stops the threads, closes the store, frees the lock. May be called twice."""
        self._core.stop()
