"""What taking an event in needs, and the way to all other parts of an engine. Built once by `Engine.open`. Not for clients.

The other parts (`app.api.parts`) are loaded at first use or by `warm_up`: they are half of what an engine imports, and an
assistant that speaks to the socket waits for none of them. Source: QUALITY P5.
"""

import atexit
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from app.actor import bound_actor, program
from app.capture.app_tokens import PausedApps
from app.capture.current_files import CurrentFiles
from app.capture.exclusion import Exclusions
from app.capture.hook_files import HookRuleFiles
from app.capture.inbox import Inbox
from app.capture.priority import PriorityGates
from app.capture.secret_rule_set import SecretRuleSet
from app.capture.streams import Streams
from app.clock import Clock
from app.errors import EnvironmentProblem, RemanenceError
from app.places import Places
from app.privacy.hook_rules import RULES_NAME, write_hook_rules
from app.settings import Settings
from app.settings_sources import LoadedSettings, load_settings, save_setting
from app.store.journal import Write
from app.store.lock import OwnerKind
from app.store.operations import load_values
from app.store.store import Store
from app.store.visibility import load_hidden, load_seen
from app.understanding.worker import Worker
from app.values import Endpoint, MemoryFilter, Origin

if TYPE_CHECKING:
    from app.api.parts import Parts
    from app.consolidation.automatic_runs import AutomaticRuns
    from app.consolidation.runner import Consolidator
    from app.context.assembly import Assembler
    from app.context.prediction import Predictor
    from app.context.receipts import Receipts
    from app.context.window import WindowPlanner
    from app.contradictions.scanner import Scanner
    from app.memories.actions import MemoryCurator
    from app.memories.learn import Learner
    from app.memories.lists import MemoryLists
    from app.retrieval.embedding import Embedding
    from app.retrieval.indexing import Indexing
    from app.retrieval.messages import MessageSearch
    from app.retrieval.recall import Recall
    from app.transfer.event_import import Importer
    from app.understanding.assistant_reports import AssistantReports
    from app.understanding.conversations.curation import Curator
    from app.understanding.conversations.queue import Queue
    from app.understanding.judge.worker import JudgeWorker
    from app.understanding.rule_sets import RuleSets
    from app.upkeep.energy import Energy
    from app.upkeep.erase import Eraser
    from app.upkeep.housekeeping import Housekeeper
    from app.upkeep.note_delivery import NoteGiver
    from app.upkeep.notes import NoteKeeper
    from app.upkeep.prompt_archive import PromptArchive

P = ParamSpec("P")
T = TypeVar("T")


class Core:
    """The parts of one engine, wired. Those that are only declared here are `Parts`', loaded when asked for."""

    archive: "PromptArchive"
    clockwork: "AutomaticRuns"
    consolidator: "Consolidator"
    assembler: "Assembler"
    curator: "Curator"
    embedding: "Embedding"
    energy: "Energy"
    eraser: "Eraser"
    housekeeper: "Housekeeper"
    importer: "Importer"
    indexing: "Indexing"
    judge_worker: "JudgeWorker"
    scanner: "Scanner"
    rule_sets: "RuleSets"
    learner: "Learner"
    lists: "MemoryLists"
    memory_curator: "MemoryCurator"
    predictor: "Predictor"
    queue: "Queue"
    message_search: "MessageSearch"
    recall: "Recall"
    note_giver: "NoteGiver"
    note_keeper: "NoteKeeper"
    receipts: "Receipts"
    windowing: "WindowPlanner"
    assistant_reports: "AssistantReports"

    def __init__(self, places: Places, clock: Clock, flags: Mapping[str, object], *, owner: OwnerKind) -> None:
        self.places = places
        self.clock = clock
        self._flags = flags
        self._parts: Parts | None = None
        self._load_lock = threading.Lock()
        self.loaded: LoadedSettings = load_settings(places.config_path, flags=flags)
        self.store = Store(places, clock, owner=owner)
        self.endpoint = Endpoint()
        self.last_request_at: dict[str, datetime] = {
            "": clock.now()
        }  # by app: what is kept out counts too; "" = since we listen
        self.apps_with_tools: set[str] = set()  # heard at the door of the tools since we listen
        self.paused_until: datetime | None = None
        self.is_paused = False
        self.paused_apps = PausedApps(self.store)
        self.streams = Streams()
        self.secret_rule_set = SecretRuleSet(places.rules_dir)
        self.gates = gates = PriorityGates()
        self.excluded = Exclusions(self.store, places.hook_dir, own_folder=places.judge_dir)
        self.hook_rule_files = HookRuleFiles(
            self.store,
            lambda: write_hook_rules(places.hook_dir / RULES_NAME, self.secret_rule_set.secrets),
            self.excluded.write_hook_file,
        )
        self.inbox = Inbox(self.store, self.secret_rule_set, self.streams, gates.capture, self.excluded)
        self.at_hand = CurrentFiles(self.excluded.excludes)
        self.worker = Worker(
            self.store,
            lambda: self.parts.understanding,
            self.streams,
            lambda: self.parts.conversations,
            lambda: self.loaded.settings,
            gates,
        )
        self.aside_reason = ""  # why a spooled event was last refused
        self.take_spool: Callable[[], object] = _nothing  # given by the engine, which knows how to capture
        self.store.after_write = self._after_write
        self.store.settings_changed = self.reload_settings
        self._stop_lock = threading.Lock()
        self._warm_lock = threading.Lock()
        self._is_stopped = self.is_leaving = False

    if not TYPE_CHECKING:  # a name that is declared nowhere stays an error of the type check

        def __getattr__(self, name: str) -> object:
            if name.startswith("_") or name not in Core.__annotations__:
                raise AttributeError(name)
            return getattr(self.parts, name)

    @property
    def current(self) -> Settings:
        return self.loaded.settings

    @property
    def parts(self) -> "Parts":
        """All other parts, loaded and started now if they were not."""
        return self._parts or self._load_parts()

    def load(self) -> None:
        """Loads and starts all other parts, if they were not."""
        if self._parts is None:
            self._load_parts()

    def _load_parts(self) -> "Parts":
        with self._load_lock:
            if self._parts is not None:
                return self._parts
            from app.api.parts import Parts

            parts = Parts(self)
            with self._stop_lock:  # who stops does not wait for the loading, so it may be over by now
                if self._is_stopped:
                    raise EnvironmentProblem("The store is closed.", hint="Start Remanence again.")
                parts.start()
                self._parts = parts
            return parts

    def start(self) -> None:
        atexit.register(
            self.stop
        )  # whoever forgot to close: its threads are daemons, so that they do not hold the exit up
        self.worker.start()

    def leave(self) -> None:
        """What takes long ends at its next step, and can go on at the next start."""
        self.is_leaving = True
        if self._parts is not None:
            self._parts.importer.is_leaving = True
            self._parts.consolidator.leave()

    def stop(self) -> None:
        with self._stop_lock:
            if self._is_stopped:
                return
            self._is_stopped = True
            parts = self._parts
        self.leave()
        if parts is not None:
            parts.rule_sets.stop()
            parts.clockwork.stop()
            parts.consolidator.stop()
            parts.housekeeper.stop()
            parts.judge_worker.stop()
            parts.note_keeper.stop()
            parts.scanner.stop()
        self.worker.stop()
        if parts is not None:
            parts.stop()
            self._keep_counts()
        with self._warm_lock:  # a rehearsal still reads
            self.store.close()
        atexit.unregister(self.stop)

    def warm_up(self) -> None:
        """Loads in steps what the first message needs; ends early when the engine is about to close."""
        try:
            parts = self.parts
        except EnvironmentProblem:
            if self.is_leaving:  # closed before they were there
                return
            raise
        for step in parts.steps_of_warming():
            if self.is_leaving:
                return
            step()
        with self._warm_lock:
            if not self.is_leaving:
                self.assembler.rehearse()

    def restore(self, path: Path) -> Path | None:
        """Swaps the store for a backup while nothing is being understood; returns where the present one is kept."""
        self.worker.stop()
        self.indexing.stop()
        try:
            try:
                kept = self.store.restore(path)
            except BaseException:
                with suppress(RemanenceError):  # why it was not restored is what has to be said
                    self._forget_store()
                raise
            self._forget_store()
            return kept
        finally:  # also where the disk is too full to open anything: who waits for it must go on later
            self.worker.start()
            self.indexing.start(is_store_swapped=True)

    def _forget_store(self) -> None:
        """Lets go of what was read of the store that may have been replaced. Raises DiskProblem when hooks cannot be told of its rules."""
        self.parts.conversations.forget()
        self.streams.forget()
        self.excluded.forget()
        self.hook_rule_files.write()

    def read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `work(connection, …)` finds in one snapshot, behind the wall of the program that acts."""
        with self.store.read_for_caller() as connection:
            return work(connection, *args, **kwargs)

    def act(self, kind: str, work: Callable[Concatenate[Write, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `work(write, …)` returns, as one operation of the person's with one undo."""
        with self.store.write(origin=Origin.PERSON, kind=kind, label="") as write:
            return work(write, *args, **kwargs)

    def walled(self, filters: MemoryFilter) -> MemoryFilter:
        """The filter, narrowed to what a program may see of memories: its projects', and nothing that no program sees."""
        who = bound_actor() or program()
        if who is None:
            return filters
        if not who.projects:
            with self.store.read() as connection:
                hidden = () if who.is_admin else tuple(sorted(load_hidden(connection)))
            return replace(filters, hidden_ids=hidden) if hidden else filters
        with self.store.read_for_caller() as connection:
            seen = load_seen(connection)
        wanted = seen if filters.ids is None else seen.intersection(filters.ids)
        return replace(filters, ids=tuple(sorted(wanted)))

    def reload_settings(self, setting_ids: Iterable[int] = ()) -> None:
        """Writes what these rows say into the config file, then reads all sources again."""
        with self.store.read() as connection:
            values = load_values(connection, setting_ids)
        for name, value in values:
            save_setting(self.places.config_path, name, value)
        was_learning = self.current.is_learning_from_corrections
        self.loaded = load_settings(self.places.config_path, flags=self._flags)
        if self.current.is_learning_from_corrections != was_learning:
            self.housekeeper.learn_soon()

    def spool(self) -> object:
        """Takes in what hooks wrote down."""
        return self.take_spool()

    def _keep_counts(self) -> None:
        """A store that takes no more loses a few counts."""
        with suppress(EnvironmentProblem):
            self.excluded.close()

    def _after_write(self, write: Write) -> None:
        self.excluded.flush(write)
        self.parts.after_write(write)


def _nothing() -> None:
    return None
